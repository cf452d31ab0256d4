package consistency

import (
	"fmt"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

func standing(id string, r, most, right int) Standing {
	return Standing{ID: id, R: r, PC: float64(most) / float64(r), Ambiguous: most < r, Right: right}
}

// Two runs of four cases by hand: PC rises by .5 and .3, falls by .1, and stays; the sum of 7 tenths is reached by the
// signs ++-, +++ (.7 and .9) and their opposites, 4 of 8.
func TestCompareStability(t *testing.T) {
	base := []Standing{standing("a", 10, 5, 5), standing("b", 10, 7, 0), standing("c", 10, 10, 10),
		standing("d", 10, 10, -1), standing("only", 10, 10, 0)}
	other := []Standing{standing("d", 10, 10, 10), standing("c", 10, 9, 9), standing("b", 10, 10, 10),
		standing("a", 10, 10, 10), standing("more", 4, 4, 4)}
	p := Compare(base, other, .95)
	if p.N != 4 || p.Steadier != 2 || p.Shakier != 1 {
		t.Fatalf("%+v", p)
	}
	ss := p.SemanticStability
	if !archtest.Near(ss.Base.Value, .8, 1e-12) || !archtest.Near(ss.Other.Value, .975, 1e-12) ||
		!archtest.Near(ss.Difference.Value, .175, 1e-12) || !archtest.Near(ss.P, .5, 1e-12) ||
		ss.Test != stat.ExactTest || !(ss.Difference.Lo < 0 && ss.Difference.Hi > .175) {
		t.Errorf("stability %+v of %+v", *ss, ss.Difference)
	}
	// a and b are no longer ambiguous, c is: McNemar of 2 and 1 is 1.
	if a := p.Ambiguity; !archtest.Near(a.Base.Value, .5, 1e-12) || !archtest.Near(a.Other.Value, .25, 1e-12) ||
		!archtest.Near(a.P, 1, 1e-12) ||
		a.Test != stat.ExactTest {
		t.Errorf("ambiguity %+v", *a)
	}
	// d has no gold in base; the others gain .5, 1 and lose .1: signs that reach 1.4 are ++- and +++ and their
	// opposites.
	if a := p.Accuracy; a.N != 3 || !archtest.Near(a.Difference.Value, 1.4/3, 1e-12) || !archtest.Near(a.P, .5, 1e-12) {
		t.Errorf("accuracy %+v", *a)
	}
	if len(p.Warnings) != 1 || !strings.HasPrefix(p.Warnings[0], "2 cases have two scored variants in only one") {
		t.Errorf("warnings %q", p.Warnings)
	}
	if p := Compare(base[:1], other[:1], .95); p.N != 0 || p.SemanticStability != nil || len(p.Warnings) != 2 {
		t.Errorf("nothing in common: %+v", p)
	}
	if p := Compare([]Standing{standing("a", 5, 5, 5)}, []Standing{standing("a", 7, 7, 7)},
		.95); p.SemanticStability.P != 1 || !strings.Contains(p.Warnings[0], "other numbers of scored variants") {
		t.Errorf("other numbers of variants: %+v", p)
	}
}

// Two runs of one process: the test is at its level, and the interval holds 0 at least as often as it says.
func TestCompareStabilityLevel(t *testing.T) {
	const n = 40
	draws := archtest.Draws(200, 600, 600)
	stream := seed.Stream(1, "paired")
	below, covered := 0, 0
	for range draws {
		run := func(shaky []float64) (out []Standing) {
			for i, p := range shaky {
				most := 0
				for range 10 {
					if stream.Float64() >= p {
						most++
					}
				}
				out = append(out, standing(fmt.Sprint(i), 10, max(most, 10-most), most))
			}
			return out
		}
		shaky := make([]float64, n)
		for i := range shaky {
			shaky[i] = stream.Float64() / 2
		}
		c := Compare(run(shaky), run(shaky), .95).SemanticStability
		if c.P <= .05 {
			below++
		}
		if c.Difference.Lo <= 0 && c.Difference.Hi >= 0 {
			covered++
		}
	}
	if rate := float64(below) / float64(draws); 1-rate < archtest.Least(.95, draws) || rate < .02 {
		t.Errorf("p is at most .05 in %.3f of draws", rate)
	}
	if share := float64(covered) / float64(draws); share < archtest.Least(.95, draws) {
		t.Errorf("the interval holds 0 in %.3f of draws", share)
	}
}

package rate

import (
	"fmt"
	"math"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// outcomesOfBoth are rows of two runs, with the outcome of each case by of.
func outcomesOfBoth(n int, of func(i int) (base, other grade.Outcome, cluster int32)) (base, other []Row) {
	row := func(i int, o grade.Outcome, cluster int32) Row {
		g := &grade.Grade{Act: grade.Answered, Truth: grade.Judgment{Verdict: grade.Pass},
			Decidability: grade.Judgment{Verdict: grade.Pass}}
		switch o {
		case grade.Incorrect:
			g.Truth.Verdict, g.Kind = grade.Fail, grade.Commission
		case grade.CannotGrade:
			g.Truth.Verdict = grade.Ungradable
		}
		r := Row{CaseID: fmt.Sprintf("c%06d", i), Grade: g, Cluster: cluster}
		if got := r.Outcome(); got != o {
			panic(fmt.Sprintf("a row is %q, not %q", got, o))
		}
		return r
	}
	for i := range n {
		b, o, cluster := of(i)
		base, other = append(base, row(i, b, cluster)), append(other, row(i, o, cluster))
	}
	return base, other
}

// drawn are the outcomes of cases of which shares are wrong in base alone, in other alone and in both.
func drawn(n int, b, c, both float64, name ...string) (base, other []Row) {
	r := seed.Stream(1, append([]string{"drawn"}, name...)...)
	return outcomesOfBoth(n, func(int) (grade.Outcome, grade.Outcome, int32) {
		switch u := r.Float64(); {
		case u < b:
			return grade.Incorrect, grade.Correct, 0
		case u < b+c:
			return grade.Correct, grade.Incorrect, 0
		case u < b+c+both:
			return grade.Incorrect, grade.Incorrect, 0
		}
		return grade.Correct, grade.Correct, 0
	})
}

// TestDetectable: the power at hand is that of the exact test with the discordance that was seen; answers that could
// not be graded add what they may be; clusters are counted as what they are; few cases find nothing.
func TestDetectable(t *testing.T) {
	by := func(clusters int32) func(i int) (grade.Outcome, grade.Outcome, int32) {
		return func(i int) (grade.Outcome, grade.Outcome, int32) {
			cluster := int32(0)
			if clusters > 0 {
				cluster = 1 + int32(i)%clusters
			}
			switch i % 10 {
			case 0:
				return grade.Incorrect, grade.Correct, cluster
			case 1:
				return grade.Correct, grade.Incorrect, cluster
			}
			return grade.Correct, grade.Correct, cluster
		}
	}
	compare := func(n int, of func(i int) (grade.Outcome, grade.Outcome, int32)) *Detectable {
		base, other := outcomesOfBoth(n, of)
		return Compare(base, other, Options{}).Outcomes.Detectable
	}
	want, _ := stat.DetectableAt(200, .2, .95, .8)
	if d := compare(200, by(0)); d == nil || d.Difference != want || d.N != 200 || math.Abs(d.Discordant-.2) > 1e-12 ||
		d.Test != ByMcNemar {
		t.Errorf("200 cases: %+v, want %v", d, want)
	}
	open := compare(200, func(i int) (grade.Outcome, grade.Outcome, int32) {
		if i >= 180 {
			return grade.Correct, grade.CannotGrade, 0
		}
		return by(0)(i)
	})
	if open == nil || open.Difference < want+.1 {
		t.Errorf("20 of 200 ungradable: %+v, want more than %v", open, want+.1)
	}
	// 20 clusters of 10 cases, all of a case's kind: 2 of +10, 2 of -10, so sqrt(400)/200 is the error.
	if d := compare(200, by(20)); d == nil || d.Test != ByNormal || d.N != 20 ||
		math.Abs(d.Difference-stat.DetectableBy(.1, .95, .8)) > 1e-12 {
		t.Errorf("20 clusters: %+v, want %v", d, stat.DetectableBy(.1, .95, .8))
	}
	// 20 of 200 are wrong in base alone, 10 in other alone: so many cases as Needed find 5 points, by the exact test.
	fell := compare(200, func(i int) (grade.Outcome, grade.Outcome, int32) {
		if i >= 100 && i%10 == 1 {
			return grade.Correct, grade.Correct, 0
		}
		return by(0)(i)
	})
	if at, ok := stat.DetectableAt(fell.Needed, .15, .95, .8); !ok || math.Abs(at-.05) > .0025 || fell.Needed <= 200 {
		t.Errorf("%d cases find %v, want .05 within .0025", fell.Needed, at)
	}
	for name, d := range map[string]*Detectable{"no difference": compare(200, by(0)), "a range": open} {
		if d.Needed != 0 {
			t.Errorf("%s: %d would be needed", name, d.Needed)
		}
	}
	if d := compare(5, by(0)); d != nil {
		t.Errorf("5 cases find %+v", d)
	}
	if d := compare(0, by(0)); d != nil {
		t.Errorf("no cases find %+v", d)
	}
}

// TestNoninferiority: a run that is worse by the margin is called no worse in at most one of forty (size), one that is
// as good as the other with 600 cases in most (power). By hand, in the normal limit: difference 0, discordance .1,
// error sqrt(.1/600) = .0129, so that the power at a margin of 4 points is Phi(.04/.0129 - 1.96) = .873; Gaffke's
// bound, which holds also where nearly all differences are 0, finds less: .8125 of 800 draws, and .0262 at the margin.
// Monte Carlo error of 600 draws .0064 at .025, .016 at .81.
func TestNoninferiority(t *testing.T) {
	const n, margin = 600, .04
	draws := archtest.Draws(100, 600, 600)
	within := func(p float64) float64 { return 3 * math.Sqrt(p*(1-p)/float64(draws)) }
	shown := func(d float64) (hits float64) {
		for i := range draws {
			base, other := drawn(n, (.1-d)/2, (.1+d)/2, .2, fmt.Sprint(d, i))
			pairs, _ := consistency.Shared(base, other)
			x := noninferiority(ends(pairs, incorrect).difference(.95), Options{Noninferiority: margin})
			if x.Shown {
				hits++
			}
		}
		return hits / float64(draws)
	}
	if got := shown(margin); got > .025+within(.025) {
		t.Errorf("size %.4f, want at most .025", got)
	}
	if got := shown(0); got < .75 || got > .873+within(.81) {
		t.Errorf("power %.3f, want about .81, and no more than .873", got)
	}
	if x := noninferiority(nil, Options{Noninferiority: .02}); x != nil {
		t.Errorf("of nothing: %+v", x)
	}
	if x := noninferiority(&Bounded{Interval: stat.Interval{Lo: -.1, Hi: .02}}, Options{Noninferiority: .02}); x.Shown {
		t.Errorf("at the margin itself: %+v", x)
	}
}

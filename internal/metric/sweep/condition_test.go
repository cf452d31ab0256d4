package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

// By hand: the mean of (.8, .2) and (.4, .6) is (.6, .4): bias² .4² + .4² = .32, variance .2² + .2² = .08; the Brier
// scores are .08 and .72.
func TestParts(t *testing.T) {
	bias, variance, ok := Scored{Variants: [][]float64{{.8, .2}, {.4, .6}}}.Parts()
	if !ok {
		t.Fatal("not ok")
	}
	archtest.IsNear(t, "bias²", bias, .32, 1e-12)
	archtest.IsNear(t, "variance", variance, .08, 1e-12)
	if _, _, ok := (Scored{Variants: [][]float64{{1, 0}}}).Parts(); ok {
		t.Error("parts of one variant")
	}
	if got := (Scored{Variants: [][]float64{{.8, .2}, {.4, .6}}}).right(); got != .5 {
		t.Errorf("right %v", got)
	}
}

// Bias² and variance sum to the mean Brier score, and lie in their ranges.
func TestPartsSumToBrier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, v := rapid.IntRange(2, 5).Draw(t, "classes"), rapid.IntRange(2, 12).Draw(t, "variants")
		var s Scored
		brier := 0.
		for range v {
			p := make([]float64, k)
			total := 0.
			for i := range p {
				p[i] = rapid.Float64Range(0, 1).Draw(t, "p")
				total += p[i]
			}
			for i := range p {
				if total == 0 {
					p[i] = 1 / float64(k)
				} else {
					p[i] /= total
				}
			}
			for i, x := range p {
				if i == 0 {
					x--
				}
				brier += x * x / float64(v)
			}
			s.Variants = append(s.Variants, p)
		}
		bias, variance, _ := s.Parts()
		if math.Abs(bias+variance-brier) > 1e-9 || bias < 0 || bias > 2+1e-9 || variance < 0 || variance > 1 {
			t.Fatalf("bias² %v + variance %v, Brier %v", bias, variance, brier)
		}
	})
}

// scored gives n cases a chance of gold around a mean, with noise over cases and variants.
func scored(rng *rand.Rand, name string, n int, mean float64) Stage {
	s := Stage{Name: name}
	for i := range n {
		x := Scored{ID: fmt.Sprint(i)}
		of := mean + .2*(rng.Float64()-.5)
		for range 4 {
			p := min(1, max(0, of+.1*(rng.Float64()-.5)))
			x.Variants = append(x.Variants, []float64{p, 1 - p})
		}
		s.Scored = append(s.Scored, x)
	}
	return s
}

// A student that is plainly better, and one that is plainly worse, are foretold; the parts of the document say so.
func TestConditionForetells(t *testing.T) {
	rng := seed.Stream(1, "condition")
	res := condition([]Stage{scored(rng, "dense", 80, .5), scored(rng, "R1", 80, .7), scored(rng, "R2", 80, .3)},
		DefaultOptions())
	if res.Cases != 80 || res.Estimated != 40 || res.Tested != 40 || len(res.Stages) != 3 || len(res.Warnings) != 1 {
		t.Fatalf("%+v", res)
	}
	d, r1, r2 := res.Stages[0], res.Stages[1], res.Stages[2]
	if d.Predicted != "" || r1.Predicted != Beats || r2.Predicted != DoesNot || !*r1.Right || !*r2.Right || !r1.Decided ||
		!r2.Decided {
		t.Errorf("%+v\n%+v", r1, r2)
	}
	if res.Right.Right != 2 || res.Right.N != 2 || res.RightDecided.N != 2 || res.RightAnswers.Right != 2 ||
		res.Right.Share == nil {
		t.Errorf("right %+v, decided %+v, answers %+v", res.Right, res.RightDecided, res.RightAnswers)
	}
	if c := r1.CasesRight; c.N != 40 || float64(c.Right) < 36 {
		t.Errorf("cases right %+v", c)
	}
	// A teacher with a bias: the source's inequality, against its variance alone, holds for neither.
	if *r1.PublishedHolds || *r2.PublishedHolds || res.AsPublished.Right != 1 {
		t.Errorf("as published %v, %v, %+v", *r1.PublishedHolds, *r2.PublishedHolds, res.AsPublished)
	}
	if condition([]Stage{scored(rng, "dense", 80, .5), {Name: "R1"}}, DefaultOptions()) != nil {
		t.Error("a condition without shared cases")
	}
	if res := condition([]Stage{scored(rng, "dense", 9, .5), scored(rng, "R1", 9, .5)},
		DefaultOptions()); res.Estimated != 4 || res.Tested != 5 || len(res.Warnings) != 1 {
		t.Errorf("%+v", res)
	}
}

// How often the prediction comes true is what two independent halves give: Phi² + (1 - Phi)² with Phi the chance that a
// half's difference has the true sign, half where the models are equal.
func TestConditionAsOftenAsHalvesAgree(t *testing.T) {
	rng := seed.Stream(2, "condition")
	const n = 40
	runs := archtest.Draws(30, 150, 150)
	for _, shift := range []float64{0, .008} {
		right, negative := 0, 0
		for i := range runs {
			o := DefaultOptions()
			o.Seed = uint64(i)
			res := condition([]Stage{scored(rng, "dense", n, .5), scored(rng, "R1", n, .5+shift)}, o)
			right += res.Right.Right
			if res.Stages[1].Tested.Value < 0 {
				negative++
			}
		}
		p := float64(negative) / float64(runs)
		want := p*p + (1-p)*(1-p)
		t.Logf("shift %v: right %.3f, by the halves %.3f", shift, float64(right)/float64(runs), want)
		if got := float64(right) / float64(runs); math.Abs(got-want) > 3*math.Sqrt(.25/float64(runs))+.02 {
			t.Errorf("shift %v: the prediction is right in %.3f of runs, halves agree in %.3f", shift, got, want)
		}
	}
}

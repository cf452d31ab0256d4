package synthetic

import (
	"context"
	"math"
	"reflect"
	"sync"
	"testing"
	"testing/fstest"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/regression"
)

// small is a model that learned for a second: enough for its rates to follow the truth, far from a good one.
var small = sync.OnceValues(func() (*regression.Model, error) {
	r := regression.Shipped
	r.Shape.Hidden, r.Shape.Inner, r.Shape.Layers, r.Shape.Heads, r.Shape.Window, r.Shape.Bins = 24, 48, 2, 2, 40, 80
	r.Stages = []regression.Stage{{Steps: 250, Batch: 8, Length: 16}}
	r.Warmup, r.PeakLR = 20, 8e-3
	files, err := r.Train(context.Background(), 2, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	folder := fstest.MapFS{}
	for name, data := range files {
		folder[name] = &fstest.MapFile{Data: data}
	}
	return regression.Open(folder)
})

func model(t *testing.T) *regression.Model {
	t.Helper()
	m, err := small()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func setup() Setup {
	return Setup{Seed: 1, Functions: 24, Contexts: []int{1, 4, 12}, Queries: 4, Extend: 8, M: 6, Eps: []float64{.05, .5},
		Foreign: 2, Level: .95}
}

func TestRun(t *testing.T) {
	o := setup()
	told := 0
	s, err := Run(context.Background(), model(t), o, 1, func(done, of int) {
		if told++; done != told || of != 26 {
			t.Errorf("%d of %d functions, want %d of 26", done, of, told)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Rows) != 24*3*4 || len(s.Foreign) != 2*3*4 || told != 26 {
		t.Fatalf("%d and %d rows, %d told", len(s.Rows), len(s.Foreign), told)
	}
	again, err := Run(context.Background(), model(t), o, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s, again) {
		t.Error("three workers measured something else")
	}
	for _, r := range s.Rows {
		for _, list := range [][]float64{r.THR, r.PHR, r.ExactTHR, r.ExactPHR, {r.Gap}} {
			for _, x := range list {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("a rate is no share: %+v", r)
				}
			}
		}
		if r.THR[1] < r.THR[0] || r.PHR[1] < r.PHR[0] || !(r.Lo < r.Mean && r.Mean < r.Hi) || !(r.Divergence > 0) {
			t.Fatalf("rates fall with eps, or the band does not hold the mean: %+v", r)
		}
	}
	summaryHolds(t, s)
}

// summaryHolds checks the summary of a study of three contexts and two eps.
func summaryHolds(t *testing.T, s *Study) {
	t.Helper()
	sum := s.Summarize()
	if sum.Queries != len(s.Rows) || len(sum.Contexts) != 3 || len(sum.Foreign) != 3 || len(sum.Eps) != 2 ||
		sum.PerQuery.N != len(s.Rows) || sum.Functions.N != 72 {
		t.Fatalf("summary %+v", sum)
	}
	for _, c := range sum.Contexts {
		if f := c.Factors; math.Abs(f.Belief*f.Finite*f.Prediction-c.Ratio) > 1e-9 {
			t.Errorf("n = %d: the factors %v do not multiply to %g", c.N, f, c.Ratio)
		}
		if c.Order == nil || *c.Order < 0 || *c.Order > 1 {
			t.Errorf("n = %d: exchangeability %v", c.N, c.Order)
		}
	}
	if first, last := sum.Contexts[0], sum.Contexts[2]; !(last.THR.Value < first.THR.Value &&
		last.PHR.Value < first.PHR.Value && last.ExactTHR.Value < last.THR.Value) {
		t.Errorf("from 1 to 12 pairs the rates went from %+v to %+v: both should fall, and the exact one be lower", first,
			last)
	}
}

// The mean over functions of the exact true rate is the mean of the exact posterior rate in the limit: the estimator is
// unbiased where the model is the posterior (the source's theorem 1). 160 functions; four standard errors are allowed.
func TestExactPosteriorIsUnbiased(t *testing.T) {
	o := setup()
	o.Functions, o.Foreign, o.Contexts, o.Extend, o.M, o.Queries = 160, 0, []int{3, 10, 32}, 1, 2, 1
	s, err := Run(context.Background(), model(t), o, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range o.Contexts {
		var sum, squares, count float64
		for _, r := range s.Rows {
			if r.N != n {
				continue
			}
			c, _ := exact.Wide{Sigma: regression.Sigma}.Learn(nil)
			for _, p := range regression.Draw(o.Seed, regression.Test, r.Function).Pairs(n) {
				c.Add(p.X, p.Y)
			}
			_, v := c.At(r.X)
			d := r.ExactTHR[0] - posterior.NormalRate(v, 0, regression.Sigma, o.Eps[0])
			sum, squares, count = sum+d, squares+d*d, count+1
			if r.ExactPHR[0] > posterior.NormalRate(v, 0, regression.Sigma, o.Eps[0])+1e-12 {
				t.Errorf("n = %d: one pair more gives the rate %g, above its limit", n, r.ExactPHR[0])
			}
		}
		mean := sum / count
		if se := math.Sqrt((squares/count - mean*mean) / count); math.Abs(mean) > 4*se {
			t.Errorf("n = %d: the true rate lies %g from the posterior rate on average, standard error %g", n, mean, se)
		}
	}
}

// More extensions than are held at once give nearly what fewer do.
func TestManyExtensions(t *testing.T) {
	o := setup()
	o.Functions, o.Foreign, o.Contexts, o.Queries, o.M, o.Extend = 3, 0, []int{4}, 2, atOnce+6, 3
	s, err := Run(context.Background(), model(t), o, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.M = 20
	few, err := Run(context.Background(), model(t), o, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range s.Rows {
		if d := r.PHR[1] - few.Rows[i].PHR[1]; d == 0 || math.Abs(d) > .2 || r.Gap > .3 {
			t.Errorf("%d and 20 extensions give %g and %g, gap %g", atOnce+6, r.PHR[1], few.Rows[i].PHR[1], r.Gap)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, change := range map[string]func(*Setup){
		"few functions":  func(o *Setup) { o.Functions = 1 },
		"falling":        func(o *Setup) { o.Contexts = []int{4, 2} },
		"twice":          func(o *Setup) { o.Contexts = []int{4, 4} },
		"no context":     func(o *Setup) { o.Contexts = nil },
		"beyond window":  func(o *Setup) { o.Extend = 28 },
		"no eps":         func(o *Setup) { o.Eps = nil },
		"eps of 1":       func(o *Setup) { o.Eps = []float64{.1, 1} },
		"one extension":  func(o *Setup) { o.M = 1 },
		"no query":       func(o *Setup) { o.Queries = 0 },
		"foreign below":  func(o *Setup) { o.Foreign = -1 },
		"below nothing":  func(o *Setup) { o.Contexts = []int{-1, 2} },
		"nothing to add": func(o *Setup) { o.Extend = 0 },
	} {
		o := setup()
		change(&o)
		if _, err := Run(context.Background(), model(t), o, 1, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, model(t), setup(), 1, nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Across(model(t), setup(), regression.Draw(1, regression.Test, 0), "x", 39, []float64{0}); err == nil {
		t.Error("across beyond the window: no error")
	}
	if rows, err := Across(model(t), setup(), regression.Draw(1, regression.Test, 0), "x", 3,
		[]float64{-2, 0, 2}); err != nil || len(rows) != 3 {
		t.Errorf("across: %v, %v", rows, err)
	}
}

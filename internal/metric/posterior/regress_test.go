package posterior

import (
	"context"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/regression"
)

// The rate of the wide network's posterior, by sums over many extensions that repeat the query, is its exact value; and
// without repeats it lies below the limit.
func TestWide(t *testing.T) {
	p := Problem{Context: []exact.Pair{{Input: "-1", Label: ".4"}, {Input: "1.5", Label: "-.2"}},
		Queries: []string{"0", "1.4"}}
	o := DefaultOptions()
	o.M = 4000
	r, err := Exactly(exact.Wide{Sigma: .1, Repeat: true}, p, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range r.PerQuery {
		if e := *q.Exact.AtExtend; math.Abs(q.PHR.Value-e) > 4*q.StandardError.Outer {
			t.Errorf("at %s the rate is %g, standard error %g, want %g", q.Input, q.PHR.Value, q.StandardError.Outer, e)
		}
	}
	// By hand at a query without context: v = 1/2, w = 1/(2 + 500), and the closed form S3-O1 by Python 3.11:
	//	from statistics import NormalDist as N; from math import sqrt; z=N().inv_cdf(.975); s=.01; v=.5; w=1/502
	//	2*N().cdf(-z*sqrt(s+w)/sqrt(s+2*v-w)) = 0.8307
	r, err = Exactly(exact.Wide{Sigma: .1, Repeat: true}, Problem{Queries: []string{"0"}}, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := *r.PerQuery[0].Exact.AtExtend; math.Abs(got-.83072) > 1e-5 {
		t.Errorf("without pairs the rate is %g, want .83072", got)
	}
	o.M = 300
	r, err = Exactly(exact.Wide{Sigma: .1}, p,
		&Truth{Pairs: []exact.Pair{{Input: "0", Label: "0"}, {Input: ".1", Label: "0"}, {Input: ".2", Label: ".1"},
			{Input: "-1", Label: ".3"}, {Input: "2", Label: "0"}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if q := r.PerQuery[0]; q.Exact.AtExtend != nil || q.PHR.Value > *q.Exact.Limit || q.MHR == nil {
		t.Errorf("with uniform queries: %+v", q)
	}
	if _, err := Exactly(exact.Wide{Sigma: .1}, Problem{Queries: []string{""}}, nil, o); err == nil ||
		!strings.Contains(err.Error(), "asked at a point") {
		t.Errorf("no query: %v", err)
	}
}

func regressionModel(t *testing.T) *regression.Model {
	t.Helper()
	r := regression.Shipped
	r.Shape.Hidden, r.Shape.Inner, r.Shape.Layers, r.Shape.Heads, r.Shape.Window, r.Shape.Bins = 16, 32, 1, 2, 32, 64
	r.Stages = []regression.Stage{{Steps: 60, Batch: 8, Length: 12}}
	files, err := r.Train(context.Background(), 2, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{}
	for name, data := range files {
		folder[name] = &fstest.MapFile{Data: data}
	}
	m, err := regression.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRegression(t *testing.T) {
	m := regressionModel(t)
	var p Problem
	for _, q := range regression.Draw(1, regression.Test, 0).Pairs(6) {
		p.Context = append(p.Context, exact.Pair{Input: strconv.FormatFloat(q.X, 'g', -1, 64),
			Label: strconv.FormatFloat(q.Y, 'g', -1, 64)})
	}
	p.Queries = []string{"0.5", "-1.9"}
	o := DefaultOptions()
	o.M = 300 // more than are held at once
	sum, err := Regression(m, p, &Truth{Pairs: p.Context}, o)
	if err != nil {
		t.Fatal(err)
	}
	if sum.N != 2 || sum.PHR == nil || sum.MHR == nil || sum.Context != 6 || len(sum.PerQuery) != 2 {
		t.Fatalf("result %+v", sum)
	}
	again, err := Regression(m, p, nil, o)
	if err != nil || !reflect.DeepEqual(again.PHR, sum.PHR) {
		t.Errorf("again %v, %v, want %v", again.PHR, err, sum.PHR)
	}
	// Draws agree with sums but for their noise and the bias of K: at eps .5 and K = 400 that is small.
	o.Eps = .5
	if sum, err = Regression(m, p, nil, o); err != nil {
		t.Fatal(err)
	}
	o.Estimator, o.K = Published, 400
	drawn, err := Regression(m, p, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range drawn.PerQuery {
		se := math.Hypot(q.StandardError.Inner, q.StandardError.Outer)
		if d := q.PHR.Value - sum.PerQuery[i].PHR.Value; math.Abs(d) > 4*se+.02 {
			t.Errorf("query %s: drawn %g, summed %g, standard error %g", q.Input, q.PHR.Value, sum.PerQuery[i].PHR.Value, se)
		}
	}
	for name, bad := range map[string]Problem{
		"no query":            {Context: p.Context},
		"a query of words":    {Queries: []string{"half"}},
		"a query outside":     {Queries: []string{"3"}},
		"a pair outside":      {Context: []exact.Pair{{Input: "9", Label: "1"}}, Queries: []string{"1"}},
		"a label of words":    {Context: []exact.Pair{{Input: "1", Label: "one"}}, Queries: []string{"1"}},
		"beyond the window":   {Context: make([]exact.Pair, 40), Queries: []string{"1"}},
		"more than can be":    {Queries: make([]string, maxPoints+1)},
		"two numbers a query": {Queries: []string{"1,2"}},
	} {
		if name == "beyond the window" {
			for i := range bad.Context {
				bad.Context[i] = exact.Pair{Input: "1", Label: "1"}
			}
		}
		if _, err := Regression(m, bad, nil, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

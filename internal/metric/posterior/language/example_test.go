package language_test

import (
	"context"
	"fmt"
	"math"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// A model that gives red .9 and blue .1 whatever it saw: no pair that it makes up changes its mind, so that of its
// answers those are unlikely that were unlikely before, a tenth.
func ExampleWaves() {
	sure := modeltest.Func{ID: "sure", Answer: func(_ context.Context, r model.Request) (out model.Response, _ error) {
		if len(r.Options) == 0 {
			text := " thing\nLabel: red"
			return model.Response{Text: &text, Finish: model.FinishStop}, nil
		}
		for i := range r.Options { // red and blue
			out.Options = append(out.Options, model.OptionScore{LogProbs: []float64{math.Log([]float64{.9, .1}[i])}})
		}
		return out, nil
	}}
	o := posterior.DefaultOptions()
	o.M, o.Extend, o.Eps = 20, 5, .2
	e := &language.Experiment{Model: sure.ID, Options: o, TopP: 1, MaxPair: 20, Problems: []language.Problem{{
		Name: "colours", Labels: []string{"red", "blue"}, Pairs: []exact.Pair{{Input: "a", Label: "red"}},
		Queries: []language.Query{{Input: "b", Gold: "red"}},
	}}}
	ctx, store := context.Background(), inmemory.New()
	for wave, err := range language.Waves(ctx, store, false, []*language.Experiment{e}) {
		if err == nil {
			_, err = run.Execute(ctx, store, map[string]model.Model{sure.ID: sure}, run.Wanted(wave), run.Options{})
		}
		if err != nil {
			panic(err)
		}
	}
	r, err := e.Evaluate(ctx, store)
	if err != nil {
		panic(err)
	}
	fmt.Printf("posterior hallucination rate %.2f of %d query\n", r.PHR.Value, r.N)
	// Output: posterior hallucination rate 0.10 of 1 query
}

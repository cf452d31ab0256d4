package sweep_test

import (
	"fmt"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/sweep"
	"hallmark/internal/text/answer"
)

// A model, and the same with 30 % of its parameters removed, answer one question in five prompt variants. The smaller
// one says the same more often, and it is wrong.
func ExampleAnalyze() {
	stage := func(name string, sparsity float64, answers ...string) sweep.Stage {
		c := &consistency.Case{ID: "capital of France", Gold: []answer.Form{answer.Value("paris")}}
		for variant, a := range answers {
			if err := c.Add(variant, consistency.Answer{Form: answer.Value(a)}); err != nil {
				panic(err)
			}
		}
		return sweep.Stage{Name: name, Sparsity: sparsity, Cases: []*consistency.Case{c}}
	}
	r, err := sweep.Analyze([]sweep.Stage{
		stage("dense", 0, "paris", "paris", "paris", "lyon", "nice"),
		stage("pruned", .3, "lyon", "lyon", "lyon", "lyon", "paris"),
	}, sweep.DefaultOptions())
	if err != nil {
		panic(err)
	}
	for _, s := range r.Stages {
		fmt.Printf("%s: stability %.1f, accuracy %.1f\n", s.Stage, s.SemanticStability.Value, s.Accuracy.Value)
	}
	// Output:
	// dense: stability 0.6, accuracy 0.6
	// pruned: stability 0.8, accuracy 0.2
}

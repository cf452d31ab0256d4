package consistency_test

import (
	"fmt"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/text/answer"
)

// Two questions, asked in five wordings each.
func ExampleAnalyze() {
	var cases []*consistency.Case
	for id, answers := range map[string][]string{"capital": {"paris", "paris", "paris", "paris", "lyon"},
		"moon": {"1969", "1969", "1969", "1969", "1969"}} {
		c := &consistency.Case{ID: id, Gold: []answer.Form{answer.Value(map[string]string{"capital": "paris",
			"moon": "1969"}[id])}}
		for variant, text := range answers {
			if err := c.Add(variant, consistency.Answer{Form: answer.Value(text)}); err != nil {
				panic(err)
			}
		}
		cases = append(cases, c)
	}
	r, err := consistency.Analyze(cases, consistency.DefaultOptions())
	if err != nil {
		panic(err)
	}
	fmt.Printf("stability %.2f, self-consistency %.2f, ambiguity %.2f, accuracy %.2f\n",
		r.SemanticStability.Value, r.SelfConsistency.Value, r.Ambiguity.Value, r.Accuracy.Value)
	// Output: stability 0.90, self-consistency 0.80, ambiguity 0.50, accuracy 0.90
}

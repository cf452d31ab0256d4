package crosstab_test

import (
	"fmt"

	"hallmark/internal/metric/crosstab"
)

// Three answers fail truth: two the same way in every prompt variant, one only in some.
func ExampleAnalyze() {
	var cases []crosstab.Case
	for id, stable := range map[string]bool{"capital": true, "currency": true, "president": false} {
		cases = append(cases, crosstab.Case{ID: id, RubricScored: true, Variants: 5, Hallucinated: true,
			Failed: [3]bool{true}, Stable: stable})
	}
	split := crosstab.Analyze(cases, .95).ByAxis["truth"]
	fmt.Printf("%d failures, %.2f prompt-agnostic\n", split.Failures, *split.PromptAgnostic)
	// Output: 3 failures, 0.67 prompt-agnostic
}

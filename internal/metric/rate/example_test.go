package rate_test

import (
	"fmt"

	"hallmark/internal/grade"
	"hallmark/internal/metric/rate"
	"hallmark/internal/suite"
)

// Four answers, of which one is wrong.
func ExampleAnalyze() {
	pass, fail := grade.Judgment{Verdict: grade.Pass}, grade.Judgment{Verdict: grade.Fail}
	var rows []rate.Row
	for i, truth := range []grade.Judgment{pass, pass, fail, pass} {
		rows = append(rows, rate.Row{CaseID: fmt.Sprint("case", i), Weights: suite.DefaultWeights, Answerable: true,
			Grade: &grade.Grade{Act: grade.Answered, Truth: truth, Decidability: pass, Reciprocity: pass}})
	}
	wrong := rate.Analyze(rows, rate.Options{}).Outcomes.Incorrect
	fmt.Printf("%.2f (%.2f to %.2f)\n", *wrong.Rate, wrong.Lo, wrong.Hi)
	// Output: 0.25 (0.05 to 0.70)
}

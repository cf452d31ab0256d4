package scored_test

import (
	"fmt"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/metric/method"
	"hallmark/internal/metric/scored"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// Another tool scored three answers as right, and this reading finds one of them wrong.
func ExampleMethod() {
	var cases []method.Case
	for i, verdict := range []grade.Verdict{grade.Pass, grade.Pass, grade.Fail} {
		g := &grade.Grade{Truth: grade.Judgment{Verdict: verdict}, Decidability: grade.Judgment{Verdict: grade.Pass}}
		cases = append(cases, method.Case{Case: &suite.Case{ID: fmt.Sprint("q", i+1)}, Answers: []method.Answer{{
			Grade: g, Response: &model.Response{Raw: []byte(`{"exact_match": 1}`)},
		}}})
	}
	r, err := scored.Method{}.Estimate(&method.Table{Level: .95, Scores: []string{"exact_match"},
		Cases: slices.Values(cases)})
	if err != nil {
		panic(err)
	}
	s := r.(*scored.Result).ByName["exact_match"]
	fmt.Printf("mean %.2f; agreement %.2f of %d answers\n", s.Mean.Value, s.Agreement.Value, s.Agreement.N)
	// Output: mean 1.00; agreement 0.67 of 3 answers
}

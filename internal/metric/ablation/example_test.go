package ablation_test

import (
	"fmt"

	"hallmark/internal/grade"
	"hallmark/internal/metric/ablation"
	"hallmark/internal/metric/rate"
	"hallmark/internal/suite"
)

// Both cases fail without a guard, and one of them with it.
func ExampleResult_Add() {
	cases := suite.ListOf([]suite.Case{
		{ID: "a", Class: "calc", Prompt: "What is 2 and 2?"}, {ID: "b", Class: "calc", Prompt: "What is 3 and 3?"},
	})
	row := func(id string, fails bool) rate.Row {
		g := &grade.Grade{Truth: grade.Judgment{Verdict: grade.Pass}, Decidability: grade.Judgment{Verdict: grade.Pass},
			Reciprocity: grade.Judgment{Verdict: grade.Pass}, Format: grade.Judgment{Verdict: grade.NotApplicable}}
		if fails {
			g.Truth.Verdict, g.Kind = grade.Fail, grade.Commission
		}
		return rate.Row{CaseID: id, Class: "calc", Grade: g, Answerable: true}
	}
	bare := []rate.Row{row("a", true), row("b", true)}
	r := &ablation.Result{Guardable: []string{"calc"}}
	r.Add("no guard", "run 1", nil, bare, bare, cases, nil, nil)
	r.Add("guard", "run 2", []string{"--guard"}, bare, []rate.Row{row("a", false), row("b", true)}, cases, nil, nil)
	for _, x := range r.Rows {
		g := x.Groups["all"]
		fmt.Printf("%s: commission %.1f of %d\n", x.Name, g.Commission.Value, g.N)
	}
	// Output:
	// no guard: commission 1.0 of 2
	// guard: commission 0.5 of 2
}

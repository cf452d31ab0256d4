package soundness_test

import (
	"fmt"

	"hallmark/internal/grade"
	"hallmark/internal/metric/soundness"
)

// Of two logged answers, one is what a server said when it refused to answer.
func ExampleLook() {
	answered := func(text string, outcome grade.Outcome) []soundness.Answer {
		return []soundness.Answer{{Text: text, Chosen: -1, Outcome: outcome}}
	}
	log := &soundness.Log{Model: "m", Suite: "capitals", Cases: []soundness.Case{
		{ID: "fr", Question: "What is the capital of France?", Right: -1, Gold: []string{"Paris"}, Gradable: true,
			Answers: answered("Paris", grade.Correct)},
		{ID: "it", Question: "What is the capital of Italy?", Right: -1, Gold: []string{"Rome"}, Gradable: true,
			Answers: answered("Error: 429 Too Many Requests", grade.Incorrect)},
	}}
	r := soundness.Look([]*soundness.Log{log}, nil, soundness.Options{Level: .95, HalfWidth: .05})
	for _, i := range r.Issues {
		if i.Severity == soundness.Fault {
			fmt.Printf("%s: %d of %d, %v\n", i.Check, i.Count, i.Of, i.Examples)
		}
	}
	// Output: error_text: 1 of 2, [it]
}

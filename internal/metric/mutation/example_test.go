package mutation_test

import (
	"context"
	"fmt"

	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/mutation"
	"hallmark/internal/suite"
)

// The right answers of a suite are made wrong, and its oracle is asked of each whether it is right. A program that
// looks for a part of a word lets wrong answers pass.
func ExampleTest() {
	for name, oracle := range map[string]string{
		"gold":    `gold: Rome`,
		"program": `oracle: {type: program, expression: "answer.contains('Rom')", accept: [Rome]}`,
	} {
		s, err := suite.Parse("s.yaml", []byte(`suite: {name: s}
cases:
  - {id: a, prompt: What is the capital of Italy?, `+oracle+`}
  - {id: b, prompt: What is the capital of France?, gold: Paris}
`))
		if err != nil {
			panic(err)
		}
		r, err := rubric.New(s, "")
		if err != nil {
			panic(err)
		}
		found, err := mutation.Test(context.Background(), s, r, mutation.Options{Seed: 1, Most: -1, Level: .95})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %d mutants, %.2f killed\n", name, found.Killed.N, found.Killed.Killed.Value)
	}
	// Unordered output:
	// gold: 6 mutants, 1.00 killed
	// program: 2 mutants, 0.50 killed
}

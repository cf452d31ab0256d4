package suite_test

import (
	"fmt"

	"hallmark/internal/suite"
)

// A plain table of questions.
func ExampleParse() {
	s, err := suite.Parse("capitals.csv", []byte("id,question,answer\nfr,What is the capital of France?,Paris\n"))
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Name, s.Cases.Len(), s.Cases.At(0).Prompt, s.Cases.At(0).Answers())
	// Output: capitals 1 What is the capital of France? [Paris]
}

// What is wrong is named by file and line, with the nearest known key.
func ExampleParse_fault() {
	_, err := suite.Parse("s.yaml", []byte("suite: {name: s}\ncases:\n- {id: a, promt: Why?, gold: So}\n"))
	fmt.Println(err)
	// Output: s.yaml:3: unknown key "promt" in case; did you mean "prompt"?
}

// Cases that ask the same are one observation.
func ExampleClusters() {
	cases := []suite.Case{{ID: "a", Prompt: "Why?"}, {ID: "b", Prompt: "How?"}, {ID: "c", Prompt: "Why?"}}
	fmt.Println(suite.Clusters((&suite.Suite{Cases: suite.ListOf(cases)}).Cases, ""))
	// Output: [1 0 1]
}

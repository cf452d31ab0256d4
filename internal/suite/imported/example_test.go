package imported_test

import (
	"fmt"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
)

// Answers that another program wrote to the cases of a suite.
func ExampleAnswers_Read() {
	s, err := suite.Parse("capitals.csv", []byte("id,question,answer\nfr,What is the capital of France?,Paris\n"))
	if err != nil {
		panic(err)
	}
	a := &imported.Answers{Suite: s}
	rows := `{"case_id": "fr", "model": "m", "response": "It is Paris."}` + "\n"
	if err := a.Read("answers.jsonl", strings.NewReader(rows)); err != nil {
		panic(err)
	}
	a.Done()
	x := a.At(0)
	text, err := a.Said(&x)
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Len(), a.Models(), x.CaseID, *text)
	// Output: 1 [m] fr It is Paris.
}

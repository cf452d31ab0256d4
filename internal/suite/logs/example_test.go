package logs_test

import (
	"fmt"

	"hallmark/internal/suite/logs"
)

// The kind of a log is seen from what it begins with; columns of tables are named.
func ExampleRecognise() {
	fmt.Println(logs.Recognise([]byte("question,answer,gold\nWhy?,So,So\n")))
	m, err := logs.ParseMapping([]string{"question=Prompt,answer=Reply,gold=Target"})
	if err != nil {
		panic(err)
	}
	fmt.Println(m)
	// Output:
	// table
	// map[answer:Reply gold:Target question:Prompt]
}

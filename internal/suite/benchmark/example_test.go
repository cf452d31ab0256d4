package benchmark_test

import (
	"fmt"

	"hallmark/internal/suite/benchmark"
)

// What --suite names may be a published benchmark's file.
func ExampleParseReference() {
	ref, _, err := benchmark.ParseReference("gsm8k=test.jsonl,pool=train.jsonl,shots=8")
	if err != nil {
		panic(err)
	}
	fmt.Println(ref.Name, ref.Path, ref.Pool, ref.Shots)
	// Output: gsm8k test.jsonl train.jsonl [8]
}

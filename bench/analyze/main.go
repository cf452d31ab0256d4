// Command analyze writes the rows that bench/analyze/run.sh has Hallmark and
// a Python script analyze: -ids questions with -variants answers each, from a
// seed.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"

	"hallmark/internal/base/seed"
)

func main() {
	ids := flag.Int("ids", 20000, "questions")
	variants := flag.Int("variants", 50, "answers to each")
	flag.Parse()
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	r := seed.Stream(1, "bench", "analyze")
	for id := range *ids {
		stable := r.Float64()
		for v := range *variants {
			answer := 0
			if r.Float64() > stable {
				answer = r.IntN(6)
			}
			fmt.Fprintf(w, "{\"id\": \"question-%05d\", \"variant\": %d, \"answer\": \"The answer %c%d.\", "+
				"\"gold\": \"the answer a%d\"}\n", id, v, 'A'+rune(answer), id%1000, id%1000)
		}
	}
	if err := w.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

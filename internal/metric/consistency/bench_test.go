package consistency

import (
	"bytes"
	"fmt"
	"testing"

	"hallmark/internal/base/seed"
	"hallmark/internal/text/answer"
)

// rowsOf writes questions × variants rows, in which one answer in ten differs from the usual one.
func rowsOf(questions, variants int) []byte {
	r := seed.Stream(1, "rows")
	var b bytes.Buffer
	for q := range questions {
		for v := range variants {
			a := q
			if r.IntN(10) == 0 {
				a = r.IntN(1000)
			}
			fmt.Fprintf(&b, "{\"id\": \"question-%05d\", \"variant\": %d, \"answer\": \"The City of %d.\", \"gold\": \"city "+
				"of %d\", \"tags\": [\"geo\"]}\n", q, v, a, q)
		}
	}
	return b.Bytes()
}

func BenchmarkReadAndAnalyze(b *testing.B) {
	data := rowsOf(2000, 50)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		table, err := ReadRows([]Input{{Name: "rows.jsonl", Reader: bytes.NewReader(data)}},
			ReadOptions{Equal: answer.Normalized})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Analyze(table.Cases, DefaultOptions()); err != nil {
			b.Fatal(err)
		}
	}
}

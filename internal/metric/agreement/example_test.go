package agreement_test

import (
	"fmt"

	"hallmark/internal/metric/agreement"
)

// Two people label three answers and disagree about the last.
func ExampleTable_Analyze() {
	var t agreement.Table
	for _, row := range [][3]string{{"a1", "ann", "right"}, {"a1", "bob", "right"}, {"a2", "ann", "wrong"},
		{"a2", "bob", "wrong"}, {"a3", "ann", "right"}, {"a3", "bob", "wrong"}} {
		if err := t.Add(row[0], row[1], row[2], "labels"); err != nil {
			panic(err)
		}
	}
	fmt.Printf("alpha %.2f\n", *t.Analyze(1, .95).Alpha)
	// Output: alpha 0.44
}

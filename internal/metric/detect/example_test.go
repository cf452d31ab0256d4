package detect_test

import (
	"fmt"

	"hallmark/internal/metric/detect"
)

// Two tokens of probability 1/2 and 1/8.
func ExamplePerplexityOf() {
	ppl, _ := detect.PerplexityOf([]float64{-0.6931471805599453, -2.0794415416798357})
	fmt.Printf("%.2f\n", ppl)
	// Output: 4.00
}

// An answer, and four samples at temperature 1 of which one differs from it.
func ExampleDisagreementOf() {
	score, _ := detect.DisagreementOf("paris", []string{"paris", "paris", "lyon", "paris"})
	fmt.Println(score)
	// Output: 0.25
}

package exact_test

import (
	"fmt"

	"hallmark/internal/metric/posterior/exact"
)

// A learner of two labels sees label 1 three times.
func ExampleDirichlet_Learn() {
	d, err := exact.Dirichlet{1, 1}.Learn([]exact.Pair{{Input: "a", Label: "1"}, {Input: "b", Label: "1"},
		{Input: "c", Label: "1"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(d, d.Predict())
	// Output: [1 4] [0.2 0.8]
}

// A learner of y = F·x with noise of standard deviation 1 sees y = 3 at x = 1, twice.
func ExampleLinear_Learn() {
	seen := []exact.Pair{{Input: "1", Label: "3"}, {Input: "1", Label: "3"}}
	b, err := exact.Linear{Dim: 1, Sigma: 1, Prior: 1}.Learn(seen)
	if err != nil {
		panic(err)
	}
	next := b.Predict([]float64{2})
	fmt.Printf("F is %.1f; at 2 mean %.1f, variance %.2f\n", b.Mean[0], next.Mean, next.Variance)
	// Output: F is 2.0; at 2 mean 4.0, variance 2.33
}

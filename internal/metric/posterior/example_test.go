package posterior_test

import (
	"fmt"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
)

// A learner that saw two labels once each does not know which is the rare one: the rate at eps .05 is low, and grows
// with eps.
func ExampleDirichletLimit() {
	for _, eps := range []float64{.05, .25} {
		rate, err := posterior.DirichletLimit(exact.Dirichlet{1, 1}, eps)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%.3f\n", rate)
	}
	// Output:
	// 0.050
	// 0.250
}

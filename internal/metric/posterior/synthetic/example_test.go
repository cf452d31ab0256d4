package synthetic_test

import (
	"fmt"

	"hallmark/internal/metric/posterior/synthetic"
)

// Two queries of one function after five pairs are one mean; rates are in the order of the eps of the setup.
func ExampleMeans() {
	rows := []synthetic.Row{
		{Function: 1, N: 5, X: -1, PHR: []float64{.25, .5}, THR: []float64{.5, 1}},
		{Function: 1, N: 5, X: 1, PHR: []float64{.75, .5}, THR: []float64{.5, 0}},
	}
	for _, m := range synthetic.Means(rows) {
		fmt.Printf("function %d after %d pairs: posterior rate %v, true rate %v\n", m.Function, m.N, m.PHR, m.THR)
	}
	// Output: function 1 after 5 pairs: posterior rate [0.5 0.5], true rate [0.5 0.5]
}

package regression_test

import (
	"fmt"

	"hallmark/internal/metric/posterior/regression"
)

// The built-in model learns a function from pairs, and says what the next response may be.
func ExamplePosterior_Predict() {
	m, err := regression.Built()
	if err != nil {
		panic(err)
	}
	b := m.Begin()
	before, err := b.Predict([]float64{.5})
	if err != nil {
		panic(err)
	}
	if err := b.Learn([]regression.Pair{{X: .5, Y: 1}, {X: .5, Y: 1.1}, {X: .4, Y: .9}, {X: .6, Y: 1}}); err != nil {
		panic(err)
	}
	after, err := b.Predict([]float64{.5})
	if err != nil {
		panic(err)
	}
	fmt.Println(b.Pairs(), "pairs; it is surer than before:", after[0].Entropy() < before[0].Entropy())
	// Output: 4 pairs; it is surer than before: true
}

package predictive_test

import (
	"fmt"

	"hallmark/internal/metric/posterior/predictive"
)

// A model gives "heads" .6, "tails" .3 and "edge" .1, where the coin gives .5, .5 and 0: edge is the answer that the
// coin makes unlikely.
func ExampleCategorical_Unlikely() {
	model, coin := predictive.Categorical{.6, .3, .1}, predictive.Categorical{.5, .5, 0}
	fmt.Printf("%.1f\n", model.Unlikely(coin, .05))
	// Output: 0.1
}

// A model is off by one standard deviation: more of its answers lie outside the central 95 % of the true ones.
func ExampleNormal_Unlikely() {
	model, truth := predictive.Normal{Mean: 1, Variance: 1}, predictive.Normal{Variance: 1}
	fmt.Printf("%.3f, and of the truth %.3f\n", model.Unlikely(truth, .05), truth.Unlikely(truth, .05))
	// Output: 0.170, and of the truth 0.050
}

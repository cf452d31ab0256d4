package equivalence_test

import (
	"fmt"

	"hallmark/internal/metric/equivalence"
)

// Four answers: the first says the same as the second, and the second the same as the fourth.
func ExampleUnion() {
	pairs := []equivalence.Pair{{0, 1}, {0, 2}, {1, 3}}
	said := []equivalence.Outcome{equivalence.Equal, equivalence.Different, equivalence.Equal}
	fmt.Println(equivalence.Union(4, pairs, said, false))
	// Output: [0 0 2 0]
}

package world_test

import (
	"fmt"

	"hallmark/internal/base/seed"
	"hallmark/internal/suite/world"
)

// The built-in world knows what exists, and makes names of people that do not.
func ExampleWorld_Invent() {
	w := world.Earth()
	name, ok := w.Invent(seed.Stream(1), "person")
	fmt.Println(name, ok, w.Taken(name), w.Taken("France"))
	// Output: Mathis C. Pellisande true false true
}

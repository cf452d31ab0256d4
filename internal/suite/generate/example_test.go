package generate_test

import (
	"fmt"

	"hallmark/internal/suite/generate"
	"hallmark/internal/suite/world"
)

// A case about the built-in world; equal seeds give equal cases.
func ExampleSuite() {
	s, _, err := generate.Suite(world.Earth(), generate.Options{N: 1, Seed: 1, Classes: []string{"multi-hop"}})
	if err != nil {
		panic(err)
	}
	for _, c := range s.Cases.All() {
		fmt.Println(c.Class, c.Answers())
		fmt.Println(c.Prompt[:69] + "…")
	}
	// Output:
	// multi-hop [56700]
	// In 2008, Quillinvale had 50,000 inhabitants. By 2010 the number had g…
}

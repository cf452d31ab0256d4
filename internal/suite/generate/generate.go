// Package generate makes suites from worlds: cases that press a model to hallucinate, each with an oracle that decides
// it. For each of the fifteen classes there is a generator of templates, perturbations of what they say and pressures that are
// put on top; every draw comes from named streams of one seed.
package generate

import (
	"math/rand/v2"

	"hallmark/internal/suite"
	"hallmark/internal/world"
)

// A generator makes the cases of one class.
type generator struct {
	class string
	// domains are those in which it can make a case of the world; difficulties it makes are all three.
	domains func(w *world.World) []string
	// make draws a case. It is false where the world has nothing of the domain and difficulty that the draw asks for. A
	// generator sets what makes the case (prompt, phrasings, context, options, gold, oracle, requirements, format, tags); the
	// rest (ID, class, domain, difficulty, pressure) is the package's.
	make func(d *draw) (suite.Case, bool)
}

// A draw is what one case is made from.
type draw struct {
	w          *world.World
	r          *rand.Rand // the case's own stream
	domain     string
	difficulty string
}

// generators are those of all classes, in the order of suite.Classes. Each stands in a file of its name.
var generators []generator

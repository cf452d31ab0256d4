package generate

import (
	"sync"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// The built-in suite core: so many cases of each class, from earth, at this seed.
const (
	CorePerClass = 60
	CoreSeed     = 1
)

// Core returns the built-in suite core: questions about the true world, CorePerClass of each class, made on demand
// and always the same. Do not change it. The error is that of Suite; a test holds that there is none.
var Core = sync.OnceValues(func() (*suite.Suite, error) {
	s, _, err := makeCore()
	return s, err
})

func makeCore() (*suite.Suite, Coverage, error) {
	return Suite(world.Earth(), Options{N: CorePerClass * len(generators), Seed: CoreSeed, Name: "core"})
}

package generate

import (
	"sync"

	"hallmark/internal/suite"
	"hallmark/internal/world"
)

// The built-in suite core: so many cases of each class, from earth, at this seed.
const (
	CorePerClass = 60
	CoreSeed     = 1
)

// Core returns the built-in suite core: questions about the true world, CorePerClass of each class, made on demand and always the same. Do not
// change it. The error is that of Suite; a test holds that there is none.
func Core() (*suite.Suite, error) {
	s, _, err := core()
	return s, err
}

// CoreCoverage returns what core covers.
func CoreCoverage() (Coverage, error) {
	_, c, err := core()
	return c, err
}

func core() (*suite.Suite, Coverage, error) {
	r := coreOnce()
	return r.s, r.c, r.err
}

type coreResult struct {
	s   *suite.Suite
	c   Coverage
	err error
}

var coreOnce = sync.OnceValue(func() coreResult {
	s, c, err := Suite(world.Earth(), Options{N: CorePerClass * len(generators), Seed: CoreSeed, Name: "core"})
	return coreResult{s, c, err}
})

package posterior

import (
	_ "embed" // the catalogue
	"slices"

	"hallmark/internal/stat/figure"
)

//go:embed figures.txt
var figures string

// Figures is the catalogue of the posterior rate, of the contexts with so many pairs, and at other eps.
var Figures = func() []figure.Entry {
	own := figure.Read(figures)
	return slices.Concat(own, figure.Under("by_n/*", own), figure.Under("by_eps_percent/*", own),
		figure.Under("by_n/*/by_eps_percent/*", own))
}()

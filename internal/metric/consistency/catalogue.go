package consistency

import (
	_ "embed" // the catalogue

	"hallmark/internal/stat/figure"
)

//go:embed figures.txt
var figures string

// Figures is the catalogue of what Result has.
var Figures = figure.Read(figures)

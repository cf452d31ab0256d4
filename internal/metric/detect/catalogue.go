package detect

import (
	_ "embed" // the catalogues

	"hallmark/internal/stat/figure"
)

var (
	//go:embed figures.txt
	figures string
	//go:embed across.txt
	across string
)

// Figures is the catalogue of what Summary has of each detector, and Across of what Result has.
var (
	Figures = figure.Read(figures)
	Across  = figure.Read(across)
)

package assay

import (
	_ "embed" // the figures of the parts that belong to no package of metrics

	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/crosstab"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat/figure"
)

//go:embed figures.txt
var ownFigures string

// Catalogue lists the figures of a model on a suite, by their paths from there: label, unit and meaning of each
// stand in it once, for whatever shows a figure. Each added method has a catalogue of its own, of what is at
// measured.NAME.
func Catalogue() *figure.Catalogue {
	return figure.NewCatalogue(
		figure.Under("rubric", rate.Figures), figure.Under("consistency", consistency.Figures),
		figure.Under("consistency_sampled", consistency.Figures),
		figure.Under("detection", detect.Figures), figure.Under("detection", detect.Across),
		figure.Under("joint", crosstab.Figures), figure.Under("posterior", posterior.Figures), figure.Read(ownFigures),
	)
}

package assay

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hallmark/internal/assay/gate"
	"hallmark/internal/stat/figure"
)

// Published are figures that others published of models that a plan measures too. They decide nothing of a run and
// are no part of its plan: they are set beside what was measured.
type Published struct {
	Source  string // where they stand
	Note    string // what a reader has to know of how they were got
	Figures []PublishedFigure
}

// A PublishedFigure is one of them.
type PublishedFigure struct {
	// the model's reference, or what stands behind its #; "*" for any; across_models for what is tested across them
	Model string
	Path  string // of the figure in a model's results, as in a gate: consistency.ambiguity.estimate
	Value float64
	Place string // where it was read, as FILE:LINE
}

// acrossModels stands for a model where a figure is one of all models together, as the document names them.
const acrossModels = "across_models"

// Check reports the first figure whose path can be no figure's, whatever a plan asks for.
func (p *Published) Check() error {
	for _, f := range p.Figures {
		keys := strings.Split(f.Path, ".")
		if len(keys) > 2 && keys[0] == "suites" {
			keys = keys[2:]
		}
		g := gate.Gate{Source: strings.Join(keys, "."), Path: keys}
		in := reflect.TypeFor[SuiteResult]()
		if f.Model == acrossModels {
			in = reflect.TypeFor[AcrossSuite]()
		}
		if err := g.CheckType(in); err != nil {
			return fmt.Errorf("%s: no figure has the path %q: %w", f.Place, f.Path, err)
		}
	}
	return nil
}

// Beside is what was published with what this run measured.
type Beside struct {
	Source  string         `json:"source"`
	Note    string         `json:"note,omitempty"`
	Figures []BesideFigure `json:"figures"`
	// NotMeasured counts the published figures that this run has no value for: of models that it did not ask, or of
	// methods.
	NotMeasured int `json:"not_measured"`
}

// A BesideFigure is one published figure with the measured one. Lo and Hi bound the measured one where it has an
// interval; a stat.Interval in their place would be one that is always there to those who read the schema.
type BesideFigure struct {
	Model      string   `json:"model"`
	Figure     string   `json:"figure"`
	Published  float64  `json:"published"`
	Measured   *float64 `json:"measured"` // nil: not measured in this run
	Lo         *float64 `json:"lo,omitempty"`
	Hi         *float64 `json:"hi,omitempty"`
	Difference *float64 `json:"difference"` // measured less published
}

// Beside sets the published figures beside a document's. A figure for any model stands once for each.
func (p *Published) Beside(d *Document) *Beside {
	type result struct {
		name    string
		figures figure.Tree
	}
	var results []result
	for i := range d.Models {
		results = append(results, result{d.Models[i].Model, figure.Of(d.Models[i])})
	}
	if d.Across != nil {
		results = append(results, result{acrossModels, figure.Of(d.Across)})
	}
	measured, others := []BesideFigure{}, []BesideFigure(nil)
	for _, f := range p.Figures {
		asked := false
		for _, r := range results {
			if !f.isOf(r.name) {
				continue
			}
			asked = true
			row := BesideFigure{Model: r.name, Figure: f.Path, Published: f.Value}
			path := strings.Split(f.Path, ".")
			x, ok := r.figures.Find(path).Number()
			if !ok {
				others = append(others, row)
				continue
			}
			row.Measured, row.Difference = &x, new(x-f.Value)
			if last := len(path) - 1; slices.Contains([]string{"estimate", "mean", "rate"}, path[last]) {
				if e, ok := r.figures.Find(path[:last]).Interval(); ok {
					row.Lo, row.Hi = &e.Lo, &e.Hi
				}
			}
			measured = append(measured, row)
		}
		if !asked {
			others = append(others, BesideFigure{Model: f.Model, Figure: f.Path, Published: f.Value})
		}
	}
	return &Beside{p.Source, p.Note, append(measured, others...), len(others)}
}

// isOf reports whether the figure is one of a model with this reference.
func (f *PublishedFigure) isOf(ref string) bool {
	return f.Model == "*" && ref != acrossModels || f.Model == ref || strings.HasSuffix(ref, "#"+f.Model)
}

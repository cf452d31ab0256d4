package stored

import (
	"cmp"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/stat/figure"
)

// Accept decides the declared thresholds on a result, of each model and suite, and enters what came of them. A path
// that begins with suites.NAME is of that suite alone. An error says that no suite has the figure.
func Accept(result *assay.Assay, thresholds []gate.Threshold) error {
	d := &result.Document
	d.Accept = nil
	for _, t := range thresholds {
		var first error
		some := false
		for i := range d.Models {
			m := &d.Models[i]
			for _, s := range d.Run.Suites {
				of := t
				if len(t.Path) > 2 && t.Path[0] == "suites" {
					if t.Path[1] != s.Name {
						continue
					}
					of.Path = slices.Clone(t.Path[2:])
				}
				on := m.On(s.Name)
				if on == nil {
					continue
				}
				path, err := of.At(on, gate.OfRun)
				if err != nil {
					first = cmp.Or(first, err)
					continue
				}
				some = true
				a := of.Decide(figure.Of(on), path)
				a.Model, a.Suite = m.Called(), s.Name
				d.Accept = append(d.Accept, a)
			}
		}
		if !some {
			if first == nil {
				_, first = t.At(assay.SuiteResult{}, gate.OfRun)
			}
			return first
		}
	}
	return nil
}

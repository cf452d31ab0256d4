package report

import (
	"slices"

	"hallmark/internal/assay"
)

// newMeasured reads what added methods measured: of each the figures of its catalogue.
func newMeasured(t tree) (views []*plainView) {
	for _, name := range t.Names("measured") {
		m := assay.AddedMethod(name)
		if m == nil {
			continue // of another release
		}
		v := &plainView{ID: name, Name: m.Title(), Title: m.Title(), Over: name, Lede: m.Lede(), Warnings: t.texts("measured", name, "warnings")}
		for _, e := range m.Figures() {
			v.Figs = append(v.Figs, t.fig(e.Label, e.Unit, e.Tone, slices.Concat([]string{"measured", name}, e.Path)...))
		}
		views = append(views, v)
	}
	return views
}

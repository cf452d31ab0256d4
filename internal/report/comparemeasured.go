package report

import (
	"slices"
	"strconv"

	"hallmark/internal/assay"
	"hallmark/internal/metric/method"
	"hallmark/internal/stat/figure"
)

// eachCatalogued visits the added methods at measured.NAME of a comparison: of each the figures of its catalogue that
// are there, in its order.
func (t tree) eachCatalogued(chapter func(m method.Method, figures []figure.Entry) block) (out []block) {
	for _, name := range t.Names("measured") {
		m := assay.AddedMethod(name)
		if m == nil {
			continue // of another release
		}
		var there []figure.Entry
		for _, e := range figure.Under("measured/"+name, m.Figures()) {
			for _, e := range e.Spread(t.Tree) {
				if e.Label = Visible(e.Label); t.Has(e.Path...) {
					there = append(there, e)
				}
			}
		}
		out = append(out, chapter(m, there))
	}
	return out
}

// measured sets out the figures of added methods in both runs: those that are paired by case with their differences,
// the others beside each other.
func (c comparison) measured() []block {
	return c.t.eachCatalogued(func(m method.Method, figures []figure.Entry) block {
		cased := table{Columns: append(columnsOfBoth("figure"), columnOf("n"), columnOf("change"), ci, columnOf("p"),
			fullOf("p by Holm"))}
		apart := table{Columns: heads("figure", "base", ci, "other", ci)}
		for _, e := range figures {
			at := func(u unit, key string) fig { return c.t.fig(u, slices.Concat(e.Path, []string{key})...) }
			base, other := bounded(at(e.Unit, "base")), bounded(at(e.Unit, "other"))
			if c.t.is(slices.Concat(e.Path, []string{"paired"})...) {
				cased.add(e.Label, base, other, at(tally, "n"), changed(at(e.Unit, "difference")),
					at(figure.PValue, "p"), at(figure.PValue, "p_holm"))
			} else {
				apart.add(e.Label, base, other)
			}
		}
		out := chapter{ID: "measured-" + m.Name(), Name: m.Title(), Title: m.Title(), Lede: say(m.Lede())}
		if len(cased.Rows) > 0 {
			out.Body = append(out.Body, sentence("Over the n questions that have the figure in both runs, each paired "+
				"with itself; the change is other less base, p by the sign-flip test."), cased)
		}
		if len(apart.Rows) > 0 {
			out.Body = append(out.Body, sentence("Not paired by case: each is over all questions of its own run, and "+
				"whether the runs differ was not tested."), apart)
		}
		return out
	})
}

// measuredInEach sets out the figures of added methods in each of several runs.
func measuredInEach(t tree, runs int) []block {
	return t.eachCatalogued(func(m method.Method, figures []figure.Entry) block {
		rows := table{Columns: heads("figure", textOf("run"), "value", ci)}
		for _, e := range figures {
			for i := range runs {
				rows.add(e.Label, runLabel(t, i),
					bounded(t.fig(e.Unit, slices.Concat(e.Path, []string{strconv.Itoa(i)})...)))
			}
		}
		unpaired := sentence("Not paired by case: each is over all questions of its own run, and whether runs differ " +
			"was not tested; compare two of them.")
		return chapter{ID: "measured-" + m.Name(), Name: m.Title(), Title: m.Title(), Lede: say(m.Lede()),
			Body: []block{unpaired, rows}}
	})
}

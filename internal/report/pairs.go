package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/report/svg"
)

// A levelRow is the figures of the posterior rate of the contexts with one number of pairs, or of all, by the names
// that they have in tables.
type levelRow struct {
	Name string
	of   map[string]fig
	at   tree
	n    int
}

// levelsOf returns a row for each number of pairs where there are several, the smallest first, and one of all.
func levelsOf(t tree) (out []levelRow) {
	p := t.sub("posterior")
	var ns []int
	for _, name := range p.Names("by_n") {
		if n, err := strconv.Atoi(name); err == nil {
			ns = append(ns, n)
		}
	}
	slices.Sort(ns)
	for _, n := range append(ns, 0) {
		l, name := p, "all"
		if n > 0 {
			l, name = p.sub("by_n", strconv.Itoa(n)), count(n, "pair")
		}
		at := func(l tree, key string) fig {
			return t.of(slices.Concat(l.At()[len(t.At()):], []string{key})...).as(mean)
		}
		small, large := atEps(l, .05), atEps(l, .75)
		out = append(out, levelRow{name, map[string]fig{
			"queries": at(l, "n").as(tally), "error": at(l, "error_rate"), "a guess": at(p, "error_random"),
			"entropy": at(l, "entropy"), "left": at(l, "aleatoric"), "information": at(l, "mutual_information"),
			"PHR .05": at(small, "phr"), "MHR .05": at(small, "mhr"), "PHR .75": at(large, "phr"),
			"MHR .75": at(large, "mhr"),
		}, l, n})
	}
	return out
}

// atEps is the part of the figures at an eps; with nothing where they were not read at it.
func atEps(l tree, eps float64) tree {
	if e, ok := l.Number("eps"); ok && e == eps {
		return l
	}
	return l.sub("by_eps_percent", language.NameOfEps(eps))
}

// levelCharts are the pictures over the number of pairs: rates and error, the rate by eps, and what is left open.
func levelCharts(levels []levelRow) []template.HTML {
	if len(levels) < 3 {
		return nil
	}
	all := levels[len(levels)-1].at
	levels = levels[:len(levels)-1]
	var names []svg.Tick
	for i, l := range levels {
		names = append(names, svg.Tick{At: float64(i), Text: strconv.Itoa(l.n)})
	}
	drawn := func(name string, get func(l levelRow) fig) svg.Series {
		s := svg.Series{Name: name, Line: true, Band: true}
		for i, l := range levels {
			if f := get(l); f.OK {
				s.Values = append(s.Values, f.at(float64(i)))
			}
		}
		return s
	}
	panel := func(title string, lines ...svg.Series) svg.Panel {
		return svg.Panel{Title: title, X: "pairs in the context", XTicks: names,
			XRange: svg.Over(0, float64(len(names)-1)), Series: lines}
	}
	over := func(name, of string) svg.Series { return drawn(name, func(l levelRow) fig { return l.of[of] }) }
	panels := []svg.Panel{
		panel("Error and PHR at eps .75", over("error", "error"), over("PHR .75", "PHR .75"),
			over("a guess", "a guess")),
		panel("MHR and PHR at eps .05", over("MHR .05", "MHR .05"), over("PHR .05", "PHR .05")),
	}
	var each []svg.Series
	for _, eps := range epsOf(all) {
		line := drawn("eps "+short(eps), func(l levelRow) fig { return atEps(l.at, eps).fig(mean, "phr") })
		for i, v := range line.Values { // so many bands hide each other; the CSV has them
			line.Values[i] = svg.At(v.X, v.Y)
		}
		each = append(each, line)
	}
	if len(each) > 1 {
		panels = append(panels, panel("PHR by eps", each[:min(8, len(each))]...))
	}
	guess := all.fig(mean, "entropy_random")
	return charts(append(panels, panel("Entropy, what the extensions leave of it, and mutual information, nats",
		over("predictive", "entropy"), over("aleatoric", "left"), over("mutual information", "information"),
		drawn("a guess", func(levelRow) fig { return guess })))...)
}

// epsOf are the eps that figures were read at, the smallest first.
func epsOf(l tree) (all []float64) {
	if e, ok := l.Number("eps"); ok {
		all = append(all, e)
	}
	for _, name := range l.Names("by_eps_percent") {
		if e, ok := l.Number("by_eps_percent", name, "eps"); ok {
			all = append(all, e)
		}
	}
	slices.Sort(all)
	return all
}

// levelTable sets out the figures by the number of pairs in the context.
func levelTable(rows []levelRow) table {
	return table{Caption: "By the number of pairs in the context", Columns: heads("pairs", fullOf("queries"), "error",
		fullOf("of a guess"), "PHR .75", fullOf("MHR .75"), "PHR .05", columnOf("MHR .05").wide(),
		fullOf("entropy, nats"), fullOf("left by the extensions"), columnOf("mutual information").wide()),
		Rows: each(rows, func(l levelRow) row {
			return rowOf(l.Name, l.of["queries"], each([]string{"error", "a guess", "PHR .75", "MHR .75", "PHR .05",
				"MHR .05", "entropy", "left", "information"}, func(name string) cell {
				return cellWithin(l.of[name]).briefly(roughly(l.of[name]))
			}))
		})}
}

// put returns the value as write writes it, "–" where there is none.
func (f fig) put(write func(float64) string) string {
	if !f.OK {
		return "–"
	}
	return write(f.Value)
}

// roughly writes a figure with two digits, and its interval in brackets.
func roughly(f fig) string {
	switch {
	case !f.OK:
		return "–"
	case !f.Bounded:
		return rough(f.Value)
	}
	_, sep, _ := f.ends()
	return fmt.Sprintf("%s (%s%s%s)", rough(f.Value), rough(f.Lo), sep, rough(f.Hi))
}

package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/report/svg"
)

// A levelRow is the figures of the posterior rate of the contexts with one number of pairs, or of all.
type levelRow struct {
	Name                                        string
	Points, Error, Random, Small, MHR           fig
	Large, MHRLarge, Entropy, Left, Information fig
	at                                          tree
	n                                           int
}

// levelsOf returns a row for each number of pairs where there are several, the smallest first, and one of all.
func levelsOf(t tree) (out []levelRow) {
	p := t.branch("posterior")
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
			l, name = p.branch("by_n", strconv.Itoa(n)), count(n, "pair")
		}
		at := func(u unit, tone string, keys ...string) fig { return l.fig("", u, tone, keys...) }
		pick := func(key string, eps float64) fig { return branch{atEps(l.tree, eps), t}.fig("", mean, "", key) }
		out = append(out, levelRow{
			Name: name, Points: at(tally, "", "n"), Error: at(mean, "err", "error_rate"), Random: p.fig("", mean, "", "error_random"),
			Entropy: at(mean, "", "entropy"), Left: at(mean, "", "aleatoric"), Information: at(mean, "", "mutual_information"),
			Small: pick("phr", .05), MHR: pick("mhr", .05), Large: pick("phr", .75), MHRLarge: pick("mhr", .75), at: l.tree, n: n,
		})
	}
	return out
}

// atEps is the part of the figures at an eps; with nothing where they were not read at it.
func atEps(l tree, eps float64) tree {
	if e, ok := l.Number("eps"); ok && e == eps {
		return l
	}
	return l.sub("by_eps_percent", strings.Replace(strconv.FormatFloat(eps*100, 'g', 10, 64), ".", "_", 1))
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
	over := func(name string, get func(l levelRow) fig) svg.Series {
		s := svg.Series{Name: name, Line: true, Band: true}
		for i, l := range levels {
			if f := get(l); f.OK {
				s.Values = append(s.Values, f.at(float64(i)))
			}
		}
		return s
	}
	panel := func(title string, lines ...svg.Series) svg.Panel {
		return svg.Panel{Title: title, X: "pairs in the context", XTicks: names, XRange: svg.Over(0, float64(len(names)-1)), Series: lines}
	}
	panels := []svg.Panel{
		panel("Error and PHR at eps .75", over("error", func(l levelRow) fig { return l.Error }), over("PHR .75", func(l levelRow) fig { return l.Large }),
			over("a guess", func(l levelRow) fig { return l.Random })),
		panel("MHR and PHR at eps .05", over("MHR .05", func(l levelRow) fig { return l.MHR }), over("PHR .05", func(l levelRow) fig { return l.Small })),
	}
	var each []svg.Series
	for _, eps := range epsOf(all) {
		line := over("eps "+short(eps), func(l levelRow) fig { return atEps(l.at, eps).fig("", mean, "", "phr") })
		for i, v := range line.Values { // so many bands hide each other; the CSV has them
			line.Values[i] = svg.At(v.X, v.Y)
		}
		each = append(each, line)
	}
	if len(each) > 1 {
		panels = append(panels, panel("PHR by eps", each[:min(8, len(each))]...))
	}
	guess := all.fig("", mean, "", "entropy_random")
	return charts(append(panels, panel("Entropy, what the extensions leave of it, and mutual information, nats",
		over("predictive", func(l levelRow) fig { return l.Entropy }), over("aleatoric", func(l levelRow) fig { return l.Left }),
		over("mutual information", func(l levelRow) fig { return l.Information }), over("a guess", func(levelRow) fig { return guess })))...)
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

// levels writes the rows on a terminal.
func (p *printer) levels(rows []levelRow) {
	if len(rows) == 0 {
		return
	}
	const first = 10
	line := fit("pairs", first)
	heads := []string{"error", "PHR .75", "PHR .05", "MHR .05", "MI, nats"}
	cells := []int{16, 16, 16, 16, 20} // bounds of the last may be below 0
	n := 0
	for left := p.width - first; n < len(heads) && left >= cells[n]; n++ {
		left -= cells[n]
		line += fitLeft(heads[n], cells[n])
	}
	p.line(p.dim(line))
	for _, l := range rows {
		line := fit(l.Name, first)
		for i, f := range []fig{l.Error, l.Large, l.Small, l.MHR, l.Information}[:n] {
			line += fitLeft(roughly(f), cells[i])
		}
		p.line(line)
	}
}

// levels writes the rows as Markdown.
func (m *md) levels(rows []levelRow) {
	if len(rows) == 0 {
		return
	}
	m.line("| pairs | queries | error | PHR .75 | PHR .05 | MHR .05 | mutual information, nats |\n|---|--:|--:|--:|--:|--:|--:|")
	for _, l := range rows {
		m.line("| %s | %s | %s | %s | %s | %s | %s |", l.Name, l.Points.Text(), roughly(l.Error), roughly(l.Large), roughly(l.Small), roughly(l.MHR), roughly(l.Information))
	}
	m.line("")
}

// as returns the value as write does, "–" where there is none.
func (f fig) as(write func(float64) string) string {
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
	sep := "–"
	if f.Lo < 0 {
		sep = " to "
	}
	return fmt.Sprintf("%s (%s%s%s)", rough(f.Value), rough(f.Lo), sep, rough(f.Hi))
}

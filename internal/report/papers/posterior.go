package papers

import (
	"math"
	"slices"
	"strconv"

	posteriorfit "hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/report/plot"
	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

// sizes are what the parts have by the number of pairs in the context, and what they have of all together where that is
// not known.
func (r *runs) sizes(visit func(p *part, n string, s *language.Size)) {
	for _, p := range r.parts() {
		if p.Posterior == nil {
			continue
		}
		p.Posterior.Sizes(func(n int, s *language.Size) {
			if n > 0 || len(p.Posterior.ByN) == 0 {
				visit(&p, strconv.Itoa(n), s)
			}
		})
	}
}

// inContext is what figures 4 to 7 of the posterior paper draw, by the number of pairs in the context: error and
// entropy of the responses, and the rates at the eps of the run.
func inContext(r *runs, t *Table) {
	eps := ""
	r.sizes(func(p *part, n string, s *language.Size) {
		eps = number(s.Slice.Eps)
		t.read(p.place(n, eps), s)
	})
	if eps != "" {
		t.Notes = append(t.Notes, "PHR and MHR are at the eps of the run, "+eps+"; the table eps has others.")
	}
}

func number(x float64) string { return figure.Digits(x, 4) }

// overPairs draws a panel of figures over the pairs of the context for records that have some texts in common.
func overPairs(t *Table, columns int, title func(heads []string) string, by []int, figures ...int) []byte {
	f := plot.Figure{Title: t.Title, Columns: columns}
	for _, rows := range byHeads(t.Records, by...) {
		p := panelOf(rows, title(rows[0].Heads))
		p.Series = lines(t, rows, 3, figures...)
		f.Panels = append(f.Panels, p)
	}
	return f.SVG()
}

// panelOf is a panel without lines, over the pairs of the context of some records.
func panelOf(rows []Record, title string) svg.Panel {
	p := svg.Panel{Title: cutTo(title, panelName), X: "n", YRange: svg.Over(0, 0), LogX: true}
	least, most := math.Inf(1), 0.
	for _, r := range rows {
		x, _ := strconv.ParseFloat(r.Heads[3], 64)
		if x > 0 && !slices.ContainsFunc(p.XTicks, func(t svg.Tick) bool { return t.At == x }) {
			p.XTicks = append(p.XTicks, svg.Tick{At: x, Text: r.Heads[3]})
			least, most = min(least, x), max(most, x)
		}
	}
	if most > 0 {
		p.XRange = svg.Over(least/1.15, most*1.15)
	}
	return p
}

func drawInContext(t *Table) []byte {
	return overPairs(t, 2, func(heads []string) string { return heads[0] + " on " + heads[1] }, []int{0, 1}, 0, 1, 2, 3)
}

// byEps is what figures 17 and 18 draw.
func byEps(r *runs, t *Table) {
	r.sizes(func(p *part, n string, s *language.Size) {
		s.Eps(func(x *language.Slice) {
			t.add(p.place(n, number(x.Eps)), value(x.PHR), value(x.MHR), value(s.ErrorRate), value(x.N))
		})
	})
}

func drawByEps(t *Table) []byte {
	return overPairs(t, 3, func(heads []string) string { return "eps " + heads[4] + ", " + heads[0] },
		[]int{4, 0, 1}, 0, 1, 2)
}

// information is what figure 19 draws: the mutual information beside the error and the rates, with lines through the
// queries.
func information(r *runs, t *Table) {
	for _, p := range r.parts() {
		if p.Posterior == nil || p.Posterior.InformationAgainst == nil {
			continue
		}
		fits := p.Posterior.InformationAgainst
		for _, x := range []struct {
			name string
			of   *posteriorfit.InformationFit
		}{{"error rate", fits.Error}, {"MHR", fits.MHR}, {"PHR", fits.PHR}} {
			if x.of != nil {
				t.read(p.place(x.name), x.of)
			}
		}
	}
}

// ablation is table 1 of the posterior paper.
func ablation(r *runs, t *Table) {
	for _, p := range r.parts() {
		if p.Posterior == nil || p.Posterior.Study == nil {
			continue
		}
		for _, x := range p.Posterior.Study.Ablation {
			k := strconv.Itoa(x.K)
			if x.K == 0 {
				k = "sums"
			}
			heads := p.place(strconv.Itoa(x.Extend), strconv.Itoa(x.M), k)
			at := slices.IndexFunc(t.Records, func(r Record) bool { return slices.Equal(r.Heads, heads) })
			if at < 0 {
				at = len(t.Records)
				t.add(heads, make([]Value, len(t.Figures))...)
			}
			values, from := t.Records[at].Values, 0
			if x.Against == "error" {
				from = 2
			}
			values[from], values[from+1], values[4] = value(x.MAE), value(x.R2), value(x.Calls)
		}
	}
}

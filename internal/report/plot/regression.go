package plot

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/metric/posterior/regression"
	"hallmark/internal/metric/posterior/synthetic"
	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

// RegressionData are what the figures of a regression study are drawn from.
type RegressionData struct {
	Study     *synthetic.Study
	Bands     []Bands             // for figure 2
	Kinds     []Bands             // for figure 8: of the task, and foreign
	Training  [][]regression.Pair // for figure 11
	Generated [][]regression.Pair
	FromStudy synthetic.Summary
}

// Bands are the rows of one function over the range of the queries, after the pairs.
type Bands struct {
	Name  string
	Pairs []regression.Pair
	Rows  []synthetic.Row
	Half  float64 // half the width of the true likely answers
}

// Regression draws the source's figures 2, 3, 8 and 11 to 16, in that order.
func Regression(d RegressionData) []Figure {
	m := means{d.Study.Setup.Contexts, synthetic.Means(d.Study.Rows)}
	eps := d.Study.Setup.Eps
	first := "eps " + num(eps[0])
	// A panel for each eps, k its index.
	each := func(name, title string, panel func(k int) svg.Panel) Figure {
		f := Figure{Name: name, Title: title, Columns: 3}
		for k := range eps {
			f.Panels = append(f.Panels, panel(k))
		}
		return f
	}
	overPairs, aPoint := "over the pairs of the context", "a point a function and n"
	return []Figure{
		{Name: "figure-02", Title: "Likely answers and rates over the queries, " + first, Columns: 2,
			Panels: bandPanels(d.Bands)},
		{Name: "figure-03", Title: "True and posterior rate, " + first, Columns: 2, Panels: []svg.Panel{
			overN(overPairs, "rate", svg.Over(0, 0), contextLines(d.FromStudy.Contexts)...),
			m.against(aPoint, phr(0), thr(0)),
		}},
		{Name: "figure-08", Title: "What the context does not say, and what the model cannot do", Columns: 2,
			Panels: kindPanels(d)},
		{Name: "figure-11", Title: "Training data, and data that the model makes up after one random query",
			Columns: 2, Panels: []svg.Panel{
				dataPanel("training", d.Training), dataPanel("generated", d.Generated),
			}},
		each("figure-12", "True rate against posterior rate by eps", func(k int) svg.Panel {
			return m.against("eps "+num(eps[k]), phr(k), thr(k))
		}),
		each("figure-13", "Rates over the pairs of the context by eps", func(k int) svg.Panel {
			return overN("eps "+num(eps[k]), "rate", svg.Over(0, 0), m.line("THR", 0, thr(k)), m.line("PHR", 1, phr(k)))
		}),
		each("figure-14", "True rate at "+first+" against the posterior rate at a misspecified eps",
			func(k int) svg.Panel {
				return m.against("eps of the posterior rate "+num(eps[k]), phr(k), thr(0))
			}),
		{Name: "figure-15", Title: "Mutual information and true rate, " + first, Columns: 2, Panels: []svg.Panel{
			overN(overPairs, "rate; nats", svg.Over(0, 0), m.line("THR", 0, thr(0)), m.line("MI", 2, information)),
			m.against(aPoint, information, thr(0)),
		}},
		{Name: "figure-16", Title: "True rate, posterior rate and mutual information, " + first, Columns: 3,
			Panels: []svg.Panel{
				m.against("true by posterior rate", phr(0), thr(0)),
				m.against("true rate by information", information, thr(0)),
				m.against("posterior rate by information", information, phr(0)),
			}},
	}
}

func num(x float64) string { return figure.Digits(x, 4) }

// tone is the class of the nth colour.
func tone(n int) string { return "s" + strconv.Itoa(n%9) }

// A quantity is one of the means of a function.
type quantity struct {
	name string
	of   func(synthetic.Mean) float64
}

func thr(k int) quantity { return quantity{"THR", func(m synthetic.Mean) float64 { return m.THR[k] }} }
func phr(k int) quantity { return quantity{"PHR", func(m synthetic.Mean) float64 { return m.PHR[k] }} }

var information = quantity{"MI, nats", func(m synthetic.Mean) float64 { return m.MI }}

// overN is a panel of lines over the pairs of the context.
func overN(title, y string, least *svg.Bounds, lines ...svg.Series) svg.Panel {
	return svg.Panel{Title: title, X: "n", Y: y, LogX: true, YRange: least, Series: lines}
}

// rates are lines without values for the rates of a model, and for those of the exact posterior.
func rates() []svg.Series {
	return []svg.Series{line("THR", 0), line("PHR", 1), faint("exact THR", 6), faint("exact PHR", 5)}
}

// bandPanels are two panels for each set of bands: the likely answers, and the rates.
func bandPanels(all []Bands) (panels []svg.Panel) {
	for _, b := range all {
		truth, model, rates := band("true", 0), band("model", 3), rates()
		for _, r := range b.Rows {
			truth.Values = append(truth.Values, svg.Between(r.X, r.Truth, r.Truth-b.Half, r.Truth+b.Half))
			model.Values = append(model.Values, svg.Between(r.X, r.Mean, r.Lo, r.Hi))
			for k, v := range []float64{r.THR[0], r.PHR[0], r.ExactTHR[0], r.ExactPHR[0]} {
				rates[k].Values = append(rates[k].Values, svg.At(r.X, v))
			}
		}
		panels = append(panels,
			svg.Panel{Title: b.Name + ": likely answers", X: "x", Y: "y",
				Series: []svg.Series{model, truth, pairs("pairs", 4, b.Pairs)}},
			svg.Panel{Title: b.Name + ": rates", X: "x", Y: "rate", YRange: svg.Over(0, 1), Series: rates})
	}
	return panels
}

// kindPanels show functions of the task beside others: the answers after few and many pairs, and the rates over n.
func kindPanels(d RegressionData) []svg.Panel {
	panels := append(bandPanels(d.Kinds), overN("rates, functions of the task", "rate", svg.Over(0, 1),
		contextLines(d.FromStudy.Contexts)...))
	if len(d.FromStudy.Foreign) > 0 {
		panels = append(panels, overN("rates, sines that no function of the task is like", "rate", svg.Over(0, 1),
			contextLines(d.FromStudy.Foreign)...))
	}
	return panels
}

// contextLines are the rates by n, with their intervals, and those of the exact posterior.
func contextLines(contexts []synthetic.Context) []svg.Series {
	out := rates()
	for _, c := range contexts {
		x := float64(c.N)
		for k, v := range []svg.Value{
			svg.Between(x, c.THR.Value, c.THR.Lo, c.THR.Hi), svg.Between(x, c.PHR.Value, c.PHR.Lo, c.PHR.Hi),
			svg.At(x, c.ExactTHR.Value), svg.At(x, c.ExactPHR.Value),
		} {
			out[k].Values = append(out[k].Values, v)
		}
	}
	return out
}

// means are those of the functions at each n of the contexts.
type means struct {
	contexts []int
	all      []synthetic.Mean
}

// against is a point for each function and n, coloured by n.
func (m means) against(title string, x, y quantity) svg.Panel {
	p := svg.Panel{Title: title, X: x.name, Y: y.name, Diagonal: x.name == "PHR", YRange: svg.Over(0, 0),
		XRange: svg.Over(0, 0)}
	for k, n := range m.contexts {
		s := dots(fmt.Sprintf("n = %d", n), k)
		for _, f := range m.all {
			if f.N == n {
				s.Values = append(s.Values, svg.At(x.of(f), y.of(f)))
			}
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// line is the mean over functions by n.
func (m means) line(name string, colour int, of quantity) svg.Series {
	s := line(name, colour)
	for _, n := range m.contexts {
		sum, count := 0., 0.
		for _, f := range m.all {
			if f.N == n {
				sum, count = sum+of.of(f), count+1
			}
		}
		if count > 0 {
			s.Values = append(s.Values, svg.At(float64(n), sum/count))
		}
	}
	return s
}

// dataPanel draws sets of pairs, a colour each.
func dataPanel(title string, sets [][]regression.Pair) svg.Panel {
	p := svg.Panel{Title: title, X: "x", Y: "y", XRange: svg.Over(-regression.Range, regression.Range)}
	for k, set := range sets {
		p.Series = append(p.Series, pairs("", k, set))
	}
	return p
}

func pairs(name string, colour int, set []regression.Pair) svg.Series {
	s := dots(name, colour)
	for _, q := range set {
		s.Values = append(s.Values, svg.At(q.X, q.Y))
	}
	return s
}

// WriteStudy writes the files of a regression study into a folder: its figures as SVG, their data, and the table
// with a row a query. Single functions and what the model makes up are computed for it.
func WriteStudy(dir string, m *regression.Model, study *synthetic.Study, summary synthetic.Summary) error {
	o := study.Setup
	half := predictive.Z(o.Eps[0]) * regression.Sigma
	grid := make([]float64, 81)
	for i := range grid {
		grid[i] = regression.Range * (float64(i)/40 - 1)
	}
	bands := func(title string, s *regression.Series, name string, n int) (Bands, error) {
		rows, err := synthetic.Across(m, o, s, name, n, grid)
		return Bands{Name: title, Pairs: s.Pairs(n), Rows: rows, Half: half}, err
	}
	d := RegressionData{Study: study, FromStudy: summary}
	many := min(100, m.Shape().Window-o.Extend-1)
	for _, n := range []int{min(2, many), many} {
		b, err := bands(fmt.Sprintf("n = %d", n), regression.Draw(o.Seed, regression.Test, 0), "test", n)
		if err != nil {
			return err
		}
		d.Bands = append(d.Bands, b)
	}
	for _, kind := range []struct {
		name string
		s    *regression.Series
	}{{"function of the task", regression.Draw(o.Seed, regression.Test, 1)}, {"sine", regression.Foreign(o.Seed, 0)}} {
		b, err := bands(fmt.Sprintf("%s, n = %d", kind.name, many), kind.s, kind.name, many)
		if err != nil {
			return err
		}
		d.Kinds = append(d.Kinds, b)
	}
	for i := range 5 {
		d.Training = append(d.Training, regression.Draw(regression.Shipped.Seed, regression.Training, i).Pairs(many))
		_, pairs, err := m.Begin().Extend(many,
			[]*rand.Rand{seed.Stream(o.Seed, "regression", "generated", strconv.Itoa(i))})
		if err != nil {
			return err
		}
		d.Generated = append(d.Generated, pairs[0])
	}
	files := map[string][]byte{"rows.csv": study.CSV()}
	for _, f := range Regression(d) {
		files[f.Name+".svg"], files[f.Name+".csv"] = f.SVG(), f.CSV()
	}
	_, err := atomicfile.WriteFolder(dir, files)
	return err
}

package plot

import (
	"fmt"
	"strconv"

	"hallmark/internal/metric/posterior/synthetic"
	"hallmark/internal/regression"
)

// RegressionData are what the figures of a regression study are drawn from.
type RegressionData struct {
	Study      *synthetic.Study
	Bands      []Bands             // for figure 2
	Kinds      []Bands             // for figure 8: of the task, and foreign
	Training   [][]regression.Pair // for figure 11
	Generated  [][]regression.Pair
	FromStudy  synthetic.Summary
	EpsForBand float64
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
	means := synthetic.Means(d.Study.Rows)
	eps := d.Study.Setup.Eps
	first := "eps " + num(eps[0])
	return []Figure{
		{Name: "figure-02", Title: "Likely answers and rates over the queries, " + first, Columns: 2, Panels: bandPanels(d.Bands)},
		{Name: "figure-03", Title: "True and posterior rate, " + first, Columns: 2, Panels: []Panel{
			{Title: "over the pairs of the context", X: "n", Y: "rate", LogX: true, YRange: &Bounds{0, 0}, Series: contextLines(d.FromStudy.Contexts)},
			calibration("a point a function and n", "PHR", "THR", d.Study.Setup.Contexts, means, phr(0), thr(0)),
		}},
		{Name: "figure-08", Title: "What the context does not say, and what the model cannot do", Columns: 2, Panels: kindPanels(d)},
		{Name: "figure-11", Title: "Training data, and data that the model makes up after one random query", Columns: 2, Panels: []Panel{
			dataPanel("training", d.Training), dataPanel("generated", d.Generated),
		}},
		{Name: "figure-12", Title: "True rate against posterior rate by eps", Columns: 3, Panels: each(eps, func(k int) Panel {
			return calibration("eps "+num(eps[k]), "PHR", "THR", d.Study.Setup.Contexts, means, phr(k), thr(k))
		})},
		{Name: "figure-13", Title: "Rates over the pairs of the context by eps", Columns: 3, Panels: each(eps, func(k int) Panel {
			return Panel{Title: "eps " + num(eps[k]), X: "n", Y: "rate", LogX: true, YRange: &Bounds{0, 0}, Series: []Series{
				meanLine("THR", 0, d.Study.Setup.Contexts, means, thr(k)), meanLine("PHR", 1, d.Study.Setup.Contexts, means, phr(k)),
			}}
		})},
		{Name: "figure-14", Title: "True rate at " + first + " against the posterior rate at a misspecified eps", Columns: 3, Panels: each(eps, func(k int) Panel {
			return calibration("eps of the posterior rate "+num(eps[k]), "PHR", "THR", d.Study.Setup.Contexts, means, phr(k), thr(0))
		})},
		{Name: "figure-15", Title: "Mutual information and true rate, " + first, Columns: 2, Panels: []Panel{
			{Title: "over the pairs of the context", X: "n", Y: "rate; nats", LogX: true, YRange: &Bounds{0, 0}, Series: []Series{
				meanLine("THR", 0, d.Study.Setup.Contexts, means, thr(0)), meanLine("MI", 2, d.Study.Setup.Contexts, means, information),
			}},
			calibration("a point a function and n", "MI, nats", "THR", d.Study.Setup.Contexts, means, information, thr(0)),
		}},
		{Name: "figure-16", Title: "True rate, posterior rate and mutual information, " + first, Columns: 3, Panels: []Panel{
			calibration("true by posterior rate", "PHR", "THR", d.Study.Setup.Contexts, means, phr(0), thr(0)),
			calibration("true rate by information", "MI, nats", "THR", d.Study.Setup.Contexts, means, information, thr(0)),
			calibration("posterior rate by information", "MI, nats", "PHR", d.Study.Setup.Contexts, means, information, phr(0)),
		}},
	}
}

func num(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

func each(eps []float64, f func(k int) Panel) []Panel {
	panels := make([]Panel, len(eps))
	for k := range eps {
		panels[k] = f(k)
	}
	return panels
}

func thr(k int) func(synthetic.Mean) float64 {
	return func(m synthetic.Mean) float64 { return m.THR[k] }
}
func phr(k int) func(synthetic.Mean) float64 {
	return func(m synthetic.Mean) float64 { return m.PHR[k] }
}
func information(m synthetic.Mean) float64 { return m.MI }
func likely(r synthetic.Row, half float64) Point {
	return Point{r.X, r.Truth, r.Truth - half, r.Truth + half}
}

// bandPanels are two panels for each set of bands: the likely answers, and the rates.
func bandPanels(all []Bands) []Panel {
	var panels []Panel
	for _, b := range all {
		truth := Series{Name: "true", Kind: Band, Tone: 0}
		model := Series{Name: "model", Kind: Band, Tone: 3}
		rates := []Series{{Name: "THR", Kind: Line, Tone: 0}, {Name: "PHR", Kind: Line, Tone: 1}, {Name: "exact THR", Kind: Faint, Tone: 6}, {Name: "exact PHR", Kind: Faint, Tone: 5}}
		for _, r := range b.Rows {
			truth.Points = append(truth.Points, likely(r, b.Half))
			model.Points = append(model.Points, Point{r.X, r.Mean, r.Lo, r.Hi})
			for k, v := range []float64{r.THR[0], r.PHR[0], r.ExactTHR[0], r.ExactPHR[0]} {
				rates[k].Points = append(rates[k].Points, At(r.X, v))
			}
		}
		pairs := Series{Name: "pairs", Kind: Dots, Tone: 4}
		for _, p := range b.Pairs {
			pairs.Points = append(pairs.Points, At(p.X, p.Y))
		}
		panels = append(panels,
			Panel{Title: b.Name + ": likely answers", X: "x", Y: "y", Series: []Series{model, truth, pairs}},
			Panel{Title: b.Name + ": rates", X: "x", Y: "rate", YRange: &Bounds{0, 1}, Series: rates})
	}
	return panels
}

// kindPanels show functions of the task beside others: the answers after few and many pairs, and the rates over n.
func kindPanels(d RegressionData) []Panel {
	panels := bandPanels(d.Kinds)
	lines := func(what string, c []synthetic.Context) Panel {
		return Panel{Title: "rates, " + what, X: "n", Y: "rate", LogX: true, YRange: &Bounds{0, 1}, Series: contextLines(c)}
	}
	panels = append(panels, lines("functions of the task", d.FromStudy.Contexts))
	if len(d.FromStudy.Foreign) > 0 {
		panels = append(panels, lines("sines that no function of the task is like", d.FromStudy.Foreign))
	}
	return panels
}

// contextLines are the rates by n, with their intervals, and those of the exact posterior.
func contextLines(contexts []synthetic.Context) []Series {
	out := []Series{{Name: "THR", Kind: Line, Tone: 0}, {Name: "PHR", Kind: Line, Tone: 1}, {Name: "exact THR", Kind: Faint, Tone: 6}, {Name: "exact PHR", Kind: Faint, Tone: 5}}
	for _, c := range contexts {
		x := float64(c.N)
		out[0].Points = append(out[0].Points, Point{x, c.THR.Value, c.THR.Lo, c.THR.Hi})
		out[1].Points = append(out[1].Points, Point{x, c.PHR.Value, c.PHR.Lo, c.PHR.Hi})
		out[2].Points = append(out[2].Points, At(x, c.ExactTHR.Value))
		out[3].Points = append(out[3].Points, At(x, c.ExactPHR.Value))
	}
	return out
}

// calibration is a point for each function and n, coloured by n.
func calibration(title, x, y string, contexts []int, means []synthetic.Mean, xOf, yOf func(synthetic.Mean) float64) Panel {
	p := Panel{Title: title, X: x, Y: y, Diagonal: x == "PHR", YRange: &Bounds{0, 0}, XRange: &Bounds{0, 0}}
	for k, n := range contexts {
		s := Series{Name: fmt.Sprintf("n = %d", n), Kind: Dots, Tone: k}
		for _, m := range means {
			if m.N == n {
				s.Points = append(s.Points, At(xOf(m), yOf(m)))
			}
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// meanLine is the mean over functions by n.
func meanLine(name string, tone int, contexts []int, means []synthetic.Mean, of func(synthetic.Mean) float64) Series {
	s := Series{Name: name, Kind: Line, Tone: tone}
	for _, n := range contexts {
		sum, count := 0., 0.
		for _, m := range means {
			if m.N == n {
				sum, count = sum+of(m), count+1
			}
		}
		if count > 0 {
			s.Points = append(s.Points, At(float64(n), sum/count))
		}
	}
	return s
}

// dataPanel draws sets of pairs, a colour each.
func dataPanel(title string, sets [][]regression.Pair) Panel {
	p := Panel{Title: title, X: "x", Y: "y", XRange: &Bounds{-regression.Range, regression.Range}}
	for k, pairs := range sets {
		s := Series{Kind: Dots, Tone: k}
		for _, q := range pairs {
			s.Points = append(s.Points, At(q.X, q.Y))
		}
		p.Series = append(p.Series, s)
	}
	return p
}

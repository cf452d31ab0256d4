package papers

import (
	"math"
	"slices"
	"strconv"

	"hallmark/internal/assay"
	posteriorfit "hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/report/plot"
	"hallmark/internal/report/svg"
)

// inContext is what figures 4 to 7 of the posterior paper draw, by the number of pairs in the context: error and
// entropy of the responses, and the rates at the eps of the run.
func inContext(r *runs) (*Table, error) {
	t := &Table{Title: "Error, entropy and hallucination rates by in-context examples",
		Heads: append(placeHeads("task"),
			Head{Key: "n", Label: "n"}, Head{Key: "eps", Label: "eps", Hidden: true}), Figures: []Figure{
			{Key: "error_rate", Label: "Error rate", Write: Decimal, Bounds: true},
			{Key: "response_entropy", Label: "Response entropy", Write: Decimal, Bounds: true},
			{Key: "phr", Label: "PHR", Write: Decimal, Bounds: true},
			{Key: "mhr", Label: "MHR", Write: Decimal, Bounds: true},
			{Key: "mutual_information", Label: "MI", Write: Decimal, Bounds: true},
			{Key: "queries", Label: "queries", Write: Whole},
		}, Notes: []string{"n: pairs in the context, all where it is 0. Entropy and mutual information in nats."}}
	eps := ""
	r.parts(func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult) {
		if on.Posterior == nil {
			return
		}
		on.Posterior.Sizes(func(n int, s *language.Size) {
			if n == 0 && len(on.Posterior.ByN) > 0 {
				return // all together, which the curves do not have
			}
			eps = number(s.Slice.Eps)
			t.Records = append(t.Records, Record{append(place(a, m, suite), strconv.Itoa(n), eps), []Value{
				estimated(s.ErrorRate), estimated(s.Entropy), estimated(s.PHR), estimated(s.MHR),
				estimated(s.MutualInformation), value(float64(s.Slice.N))}})
		})
	})
	if eps != "" {
		t.Notes = append(t.Notes, "PHR and MHR are at the eps of the run, "+eps+"; the table eps has others.")
	}
	return t, nil
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// overPairs draws a panel of figures over the pairs of the context for each of the tasks.
func overPairs(t *Table, columns int, of ...int) []byte {
	f := plot.Figure{Title: t.Title, Columns: columns}
	for _, rows := range byHeads(t.Records, 0, 1) {
		p := panelOf(rows, rows[0].Heads[0]+" on "+rows[0].Heads[1])
		for i, k := range of {
			s := line(t.Figures[k].Label, i)
			for _, r := range rows {
				x, _ := strconv.ParseFloat(r.Heads[3], 64)
				s.Values = appendAt(s.Values, x, r.Values[k])
			}
			p.Series = append(p.Series, s)
		}
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

func drawInContext(t *Table) []byte { return overPairs(t, 2, 0, 1, 2, 3) }

// byEps is what figures 17 and 18 draw.
func byEps(r *runs) (*Table, error) {
	t := &Table{Title: "Hallucination rates and error by eps",
		Heads: append(placeHeads("task"), Head{Key: "n", Label: "n"},
			Head{Key: "eps", Label: "eps"}), Figures: []Figure{
			{Key: "phr", Label: "PHR", Write: Decimal, Bounds: true},
			{Key: "mhr", Label: "MHR", Write: Decimal, Bounds: true},
			{Key: "error_rate", Label: "Error rate", Write: Decimal, Bounds: true},
			{Key: "queries", Label: "queries", Write: Whole, Hidden: true},
		}, Notes: []string{"n: pairs in the context."}}
	r.parts(func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult) {
		if on.Posterior == nil {
			return
		}
		on.Posterior.Sizes(func(n int, s *language.Size) {
			if n == 0 && len(on.Posterior.ByN) > 0 {
				return
			}
			s.Eps(func(x *language.Slice) {
				t.Records = append(t.Records, Record{append(place(a, m, suite), strconv.Itoa(n), number(x.Eps)),
					[]Value{
						estimated(x.PHR), estimated(x.MHR), estimated(s.ErrorRate), value(float64(x.N))}})
			})
		})
	})
	return t, nil
}

func drawByEps(t *Table) []byte {
	f := plot.Figure{Title: t.Title, Columns: 3}
	for _, rows := range byHeads(t.Records, 4, 0, 1) {
		p := panelOf(rows, "eps "+rows[0].Heads[4]+", "+rows[0].Heads[0])
		for k := range 3 {
			s := line(t.Figures[k].Label, k)
			for _, r := range rows {
				x, _ := strconv.ParseFloat(r.Heads[3], 64)
				s.Values = appendAt(s.Values, x, r.Values[k])
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return f.SVG()
}

// information is what figure 19 draws: the mutual information beside the error and the rates, with lines through the
// queries.
func information(r *runs) (*Table, error) {
	t := &Table{Title: "Mutual information against error and hallucination rates", Heads: append(placeHeads("task"),
		Head{Key: "against", Label: "against"}), Figures: []Figure{{Key: "r2", Label: "R²", Write: Decimal},
		{Key: "slope", Label: "slope per nat", Write: Decimal}, {Key: "p", Label: "p", Write: P},
		{Key: "queries", Label: "queries", Write: Whole}}}
	r.parts(func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult) {
		if on.Posterior == nil || on.Posterior.InformationAgainst == nil {
			return
		}
		fits := on.Posterior.InformationAgainst
		for _, x := range []struct {
			name string
			of   *posteriorfit.InformationFit
		}{{"error rate", fits.Error}, {"MHR", fits.MHR}, {"PHR", fits.PHR}} {
			if x.of != nil {
				t.Records = append(t.Records, Record{append(place(a, m, suite), x.name), []Value{value(x.of.R2),
					value(x.of.Slope), shared(x.of.P), value(float64(x.of.N))}})
			}
		}
	})
	return t, nil
}

// ablation is table 1 of the posterior paper.
func ablation(r *runs) (*Table, error) {
	const mhr, err = "MHR", "Error rate"
	t := &Table{Title: "Ablation of the estimator's hyperparameters", Heads: append(placeHeads("task"),
		Head{Key: "generated", Label: "N − n"}, Head{Key: "m", Label: "M"}, Head{Key: "k", Label: "K"}),
		Figures: []Figure{
			{Key: "mhr_mae", Label: "MAE", Group: mhr, Write: Decimal, Bounds: true},
			{Key: "mhr_r2", Label: "R²", Group: mhr, Write: Decimal, Bounds: true},
			{Key: "error_mae", Label: "MAE", Group: err, Write: Decimal, Bounds: true},
			{Key: "error_r2", Label: "R²", Group: err, Write: Decimal, Bounds: true},
			{Key: "calls", Label: "calls a query", Group: "cost", Write: Whole},
		}, Notes: []string{"N − n: generated examples; M: MC samples; K: y samples, and sums where answers are summed " +
			"and none is drawn. MHR at eps .05, the error at eps .75, as in the paper."}}
	r.parts(func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult) {
		if on.Posterior == nil || on.Posterior.Study == nil {
			return
		}
		for _, x := range on.Posterior.Study.Ablation {
			k := strconv.Itoa(x.K)
			if x.K == 0 {
				k = "sums"
			}
			heads := append(place(a, m, suite), strconv.Itoa(x.Extend), strconv.Itoa(x.M), k)
			at := slices.IndexFunc(t.Records, func(r Record) bool { return slices.Equal(r.Heads, heads) })
			if at < 0 {
				at = len(t.Records)
				t.Records = append(t.Records, Record{heads, make([]Value, len(t.Figures))})
			}
			values, from := t.Records[at].Values, 0
			if x.Against == "error" {
				from = 2
			}
			values[from], values[from+1] = estimated(x.MAE), estimated(x.R2)
			values[4] = value(float64(x.Calls))
		}
	})
	return t, nil
}

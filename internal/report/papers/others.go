package papers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
	"hallmark/internal/report/plot"
	"hallmark/internal/report/svg"
	"hallmark/internal/stat"
)

// parts visits what each run has of each model on each suite.
func (r *runs) parts(visit func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult)) {
	for _, a := range r.all {
		for i := range a.Document.Models {
			m := &a.Document.Models[i]
			for _, s := range a.Document.Run.Suites {
				if on := m.On(s.Name); on != nil {
					visit(a, m, s.Name, on)
				}
			}
		}
	}
}

// place is the model, the suite and the run of a part, as texts of a record.
func place(a *assay.Assay, m *assay.ModelResult, suite string) []string {
	return []string{short(m.Called()), cutTo(suite, longestName), a.Document.Run.ID}
}

func placeHeads(suite string) []Head {
	return []Head{{Key: "model", Label: "model"}, {Key: "suite", Label: suite},
		{Key: "run", Label: "run", Hidden: true}}
}

func shared(x *float64) Value {
	if x == nil {
		return Value{}
	}
	return value(*x)
}

// rated is a rate as a value.
func rated(e *stat.Rate) Value {
	if e == nil {
		return Value{}
	}
	return Value{X: e.Value, Lo: e.Lo, Hi: e.Hi, Has: true, Bounded: true}
}

// sweepTable is table 1 of the semantic stability paper: the stages of a compression.
func sweepTable(r *runs) (*Table, error) {
	t := &Table{Title: "Stability sweep", Heads: []Head{{Key: "suite", Label: "suite"}, {Key: "probe", Label: "probe"},
		{Key: "stage", Label: "Stage"}, {Key: "run", Label: "run", Hidden: true}}, Figures: []Figure{
		{Key: "sparsity", Label: "Sparsity", Write: Tenths},
		{Key: "stability", Label: "Stability", Write: Tenths, Bounds: true},
		{Key: "difference", Label: "Δ", Write: Points, Bounds: true},
		{Key: "perplexity", Label: "PPL", Write: Hundreds, Bounds: true},
		{Key: "accuracy", Label: "Accuracy", Write: Tenths, Bounds: true},
	}, Notes: []string{"Stability is semantic stability, of which accuracy is no part; Δ is its difference from the " +
		"first stage, in points. PPL is of the corpus where one was given, else of the model's own answers."}}
	for _, a := range r.all {
		s := a.Document.Sweep
		if s == nil {
			continue
		}
		for _, p := range s.Probes {
			for i := range p.Stages {
				x := &p.Stages[i]
				d := Value{}
				if x.Against != nil && x.Against.Paired != nil && x.Against.SemanticStability != nil {
					d = estimated(x.Against.SemanticStability.Difference)
				}
				ppl := x.Perplexity
				if i < len(s.Models) && s.Models[i].Perplexity != nil {
					ppl = s.Models[i].Perplexity
				}
				t.Records = append(t.Records, Record{[]string{short(p.Suite), short(p.Probe), short(x.Stage),
					a.Document.Run.ID}, []Value{value(x.Sparsity), estimated(x.SemanticStability), d, perplexity(ppl),
					estimated(x.Accuracy)}})
			}
		}
	}
	return t, nil
}

func perplexity(p *consistency.Perplexity) Value {
	switch {
	case p == nil || p.PerToken == nil:
		return Value{}
	case p.PerTokenInterval == nil:
		return value(*p.PerToken)
	}
	return Value{X: *p.PerToken, Lo: p.PerTokenInterval.Lo, Hi: p.PerTokenInterval.Hi, Has: true, Bounded: true}
}

// stabilities are the columns of semantic stability, in the paper's terms.
func stabilities() []Figure {
	return []Figure{{Key: "n", Label: "N", Write: Whole}, {Key: "k", Label: "k", Write: Whole},
		{Key: "semantic_stability", Label: "SS", Write: Decimal, Bounds: true},
		{Key: "pc_below_0.5", Label: "%PC<0.5", Write: Tenths, Bounds: true},
		{Key: "pc_at_least_0.8", Label: "%PC≥0.8", Write: Tenths, Bounds: true}}
}

func stabilityValues(c *consistency.Result) []Value {
	k := value(float64(c.Variants.Min))
	if c.Variants.Min != c.Variants.Max {
		k.Text = fmt.Sprintf("%d–%d", c.Variants.Min, c.Variants.Max)
	}
	below, least := shared(c.PCBelowHalf), shared(c.PCAtLeast80)
	if x := c.PCIntervals; x != nil {
		below, least = estimated(x.BelowHalf), estimated(x.AtLeast80)
	}
	return []Value{value(float64(c.Questions)), k, estimated(c.SemanticStability), below, least}
}

// probes is table 2 of the semantic stability paper, of probes that are suites.
func probes(r *runs) (*Table, error) {
	t := &Table{Title: "Semantic stability by model and probe", Heads: placeHeads("Probe"), Figures: stabilities()}
	r.parts(func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult) {
		if c := on.Consistency; c != nil && c.Questions > 0 {
			t.Records = append(t.Records, Record{place(a, m, suite), stabilityValues(c)})
		}
	})
	return t, nil
}

// protocol is the reporting template of the same paper's appendix, with what it asks for beside: the level of
// robustness, and the accuracy.
func protocol(r *runs) (*Table, error) {
	t := &Table{Title: "Semantic stability evaluation protocol", Heads: []Head{{Key: "model", Label: "AI System"},
		{Key: "suite", Label: "suite", Hidden: true}, {Key: "domain", Label: "Evaluation Domain"},
		{Key: "run", Label: "run", Hidden: true}}, Figures: append(stabilities(),
		Figure{Key: "robustness_level", Label: "Robustness"},
		Figure{Key: "accuracy", Label: "Accuracy", Write: Tenths, Bounds: true}),
		Notes: []string{"The protocol asks for N ≥ 100 and k ≥ 10. Semantic stability measures robustness and not " +
			"accuracy: read both."}}
	r.parts(func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult) {
		of := func(domain string, c *consistency.Result) {
			if c == nil || c.Questions == 0 {
				return
			}
			level, accuracy := Value{Text: cmp.Or(c.RobustnessLevel, "–")}, Value{}
			if x := c.Accuracy; x != nil {
				accuracy = Value{X: x.Value, Lo: x.Lo, Hi: x.Hi, Has: true, Bounded: true}
			}
			t.Records = append(t.Records, Record{[]string{short(m.Called()), short(suite), short(domain),
				a.Document.Run.ID}, append(stabilityValues(c), level, accuracy)})
		}
		of(suite, on.Consistency)
		if len(on.ConsistencyByDomain) < 2 {
			return
		}
		for _, domain := range slices.Sorted(maps.Keys(on.ConsistencyByDomain)) {
			of(suite+": "+domain, on.ConsistencyByDomain[domain])
		}
	})
	return t, nil
}

// rateFigures are the hallucination rate with its dimensions.
func rateFigures() []Figure {
	share := func(key, label string) Figure {
		return Figure{Key: key, Label: label, Write: Tenths, Bounds: true}
	}
	return []Figure{{Key: "n", Label: "N", Write: Whole}, share("hallucination", "H"), share("truth_error", "e_T"),
		share("decidability_error", "e_D"), share("reciprocity_error", "e_R"),
		{Key: "weighted_quality", Label: "S", Write: Decimal, Bounds: true}, share("format_compliance", "F")}
}

func rateValues(g *rate.Group) []Value {
	return []Value{value(float64(g.N)), rated(g.Hallucination), rated(g.TruthError), rated(g.DecidabilityError),
		rated(g.ReciprocityError), estimated(g.WeightedQuality), rated(g.FormatCompliance)}
}

const rateNote = "H: a failure in any dimension; e_T, e_D, e_R: errors of truth, decidability and reciprocity; S: " +
	"weighted quality; F: format compliance, which is no part of H. CSV and JSON have the Wilson intervals."

// rates is the protocol's list of overall figures.
func rates(r *runs) (*Table, error) {
	t := &Table{Title: "Hallucination rate and its dimensions", Heads: placeHeads("suite"), Figures: rateFigures(),
		Notes: []string{rateNote}}
	r.parts(func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult) {
		if on.Rubric != nil && on.Rubric.N > 0 {
			t.Records = append(t.Records, Record{place(a, m, suite), rateValues(&on.Rubric.Group)})
		}
	})
	return t, nil
}

// confusion is the protocol's map of classes, or where there are none of tags, by dimension.
func confusion(r *runs) (*Table, error) {
	t := &Table{Title: "Confusion map: failures by class and dimension", Heads: append(placeHeads("suite"),
		Head{Key: "class", Label: "class"}), Notes: []string{"The share of the cases judged on a dimension that fail."}}
	for _, d := range rate.Dimensions {
		t.Figures = append(t.Figures, Figure{Key: d, Label: d, Write: Tenths, Bounds: true},
			Figure{Key: d + "_n", Label: d + " n", Write: Whole, Hidden: true})
	}
	r.parts(func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult) {
		if on.Rubric == nil {
			return
		}
		by := on.Rubric.Confusion.ByClass
		if len(by) == 0 {
			by = on.Rubric.Confusion.ByTag
		}
		for _, class := range slices.Sorted(maps.Keys(by)) {
			x := Record{Heads: append(place(a, m, suite), short(class))}
			for _, d := range rate.Dimensions {
				c, v := by[class][d], Value{}
				if c.Rate != nil && c.Lo != nil && c.Hi != nil {
					v = Value{X: *c.Rate, Lo: *c.Lo, Hi: *c.Hi, Has: true, Bounded: true}
				}
				x.Values = append(x.Values, v, value(float64(c.N)))
			}
			t.Records = append(t.Records, x)
		}
	})
	return t, nil
}

// reductions compares every model with the first one on the same suite: the protocol's baseline.
func reductions(r *runs) (*Table, error) {
	const base, other, cut = "baseline", "other", "reduction"
	t := &Table{Title: "Comparative reduction against the baseline", Heads: append(placeHeads("suite"),
		Head{Key: "baseline", Label: "baseline"}), Figures: []Figure{{Key: "n", Label: "N", Write: Whole},
		{Key: "baseline_hallucination", Label: "H", Group: base, Write: Tenths, Bounds: true},
		{Key: "hallucination", Label: "H", Group: other, Write: Tenths, Bounds: true}},
		Notes: []string{"Reductions are (baseline − other)/baseline, over the questions graded in both, case by " +
			"case; – where the baseline has none. `hallmark compare BASE OTHER` has the tests, and what was fixed " +
			"and regressed."}}
	for _, x := range [][2]string{{"hallucination", "ΔH"}, {"truth_error", "Δe_T"}, {"decidability_error", "Δe_D"},
		{"reciprocity_error", "Δe_R"}, {"quality_loss", "Δ(1 − S)"}} {
		t.Figures = append(t.Figures, Figure{Key: x[0] + "_reduction", Label: x[1], Group: cut, Write: Tenths,
			Bounds: true})
	}
	type side struct {
		model string
		rows  []rate.Row
	}
	first := map[string]*side{} // by the content of the suite
	for _, a := range r.all {
		suites := a.Document.Run.Suites
		for i := range a.Standings {
			m, s := &a.Document.Models[i/len(suites)], suites[i%len(suites)]
			if on := m.On(s.Name); on == nil || on.Rubric == nil || on.Rubric.N == 0 {
				continue
			}
			rows := a.Rows(i)
			b := first[s.Hash]
			if b == nil {
				first[s.Hash] = &side{short(m.Called()), rows}
				continue
			}
			c := rate.Compare(b.rows, rows, rate.Options{})
			t.Records = append(t.Records, Record{append(place(a, m, s.Name), b.model), []Value{value(float64(c.N)),
				rated(c.Base.Hallucination), rated(c.Other.Hallucination), estimated(c.Reduction.Hallucination),
				estimated(c.Reduction.TruthError), estimated(c.Reduction.DecidabilityError),
				estimated(c.Reduction.ReciprocityError), estimated(c.Reduction.QualityLoss)}})
		}
	}
	return t, nil
}

// learning is the protocol's learning curve: the error rates over the models or runs, in the order given.
func learning(r *runs) (*Table, error) {
	t := &Table{Title: "Learning curves: error rate over the iterations", Heads: append([]Head{
		{Key: "iteration", Label: "iteration"}}, placeHeads("suite")...), Figures: rateFigures(),
		Notes: []string{rateNote,
			"`hallmark compare --series` has the same runs paired case by case, with tests of what changed."}}
	at := map[string]int{}
	r.parts(func(a *assay.Assay, m *assay.ModelResult, suite string, on *assay.SuiteResult) {
		if on.Rubric == nil || on.Rubric.N == 0 {
			return
		}
		at[suite]++
		t.Records = append(t.Records, Record{append([]string{strconv.Itoa(at[suite])}, place(a, m, suite)...),
			rateValues(&on.Rubric.Group)})
	})
	slices.SortStableFunc(t.Records, func(a, b Record) int { return cmp.Compare(a.Heads[2], b.Heads[2]) })
	return t, nil
}

// drawLearning draws a panel a suite.
func drawLearning(t *Table) []byte {
	f := plot.Figure{Title: t.Title, Columns: 2}
	for _, rows := range byHeads(t.Records, 2) {
		p := svg.Panel{Title: cutTo(rows[0].Heads[2], panelName), X: "iteration", Y: "error rate",
			YRange: svg.Over(0, 0)}
		for i, name := range []string{"H", "e_T", "e_D", "e_R"} {
			s := line(name, i)
			for _, r := range rows {
				x, _ := strconv.ParseFloat(r.Heads[0], 64)
				s.Values = appendAt(s.Values, x, r.Values[1+i])
			}
			p.Series = append(p.Series, s)
		}
		for _, r := range rows {
			x, _ := strconv.ParseFloat(r.Heads[0], 64)
			p.XTicks = append(p.XTicks, svg.Tick{At: x, Text: r.Heads[0]})
		}
		p.XRange = svg.Over(.7, float64(len(rows))+.3)
		f.Panels = append(f.Panels, p)
	}
	return f.SVG()
}

// panelName is how many letters have room over a panel.
const panelName = 44

// line is a series of a panel.
func line(name string, i int) svg.Series {
	return svg.Series{Name: name, Class: fmt.Sprintf("s%d", i%9), Line: true, Bars: true, Dots: 2}
}

// appendAt adds a value that is there to a series.
func appendAt(to []svg.Value, x float64, v Value) []svg.Value {
	switch {
	case !v.Has:
		return to
	case v.Bounded:
		return append(to, svg.Between(x, v.X, v.Lo, v.Hi))
	}
	return append(to, svg.At(x, v.X))
}

// byHeads parts records by some of their texts, in the order in which they come.
func byHeads(records []Record, heads ...int) (out [][]Record) {
	at := map[string]int{}
	for _, r := range records {
		key := ""
		for _, i := range heads {
			key += r.Heads[i] + "\x00"
		}
		n, ok := at[key]
		if !ok {
			n = len(out)
			at[key], out = n, append(out, nil)
		}
		out[n] = append(out[n], r)
	}
	return out
}

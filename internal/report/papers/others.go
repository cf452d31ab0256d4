package papers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/lists"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/rate"
	"hallmark/internal/report"
	"hallmark/internal/report/plot"
	"hallmark/internal/report/svg"
)

// A part is what a run has of a model on a suite.
type part struct {
	model, suite, run string
	*assay.SuiteResult
}

// parts are those of each run.
func (r *runs) parts() (all []part) {
	for _, a := range r.all {
		for i := range a.Document.Models {
			m := &a.Document.Models[i]
			for _, s := range a.Document.Run.Suites {
				if on := m.On(s.Name); on != nil {
					all = append(all, part{short(m.Called()), s.Name, a.Document.Run.ID, on})
				}
			}
		}
	}
	return all
}

// place is the model, the suite and the run of a part, as texts of a record, and more behind them.
func (p *part) place(more ...string) []string {
	return append([]string{p.model, cutTo(p.suite, longestName), p.run}, more...)
}

// sweepTable is table 1 of the semantic stability paper: the stages of a compression.
func sweepTable(r *runs, t *Table) {
	for _, a := range r.all {
		s := a.Document.Sweep
		if s == nil {
			continue
		}
		for _, p := range s.Probes {
			for i := range p.Stages {
				x := p.Stages[i]
				if i < len(s.Models) && s.Models[i].Perplexity != nil {
					x.Perplexity = s.Models[i].Perplexity
				}
				t.read([]string{short(p.Suite), short(p.Probe), short(x.Stage), a.Document.Run.ID}, x)
			}
		}
	}
}

// stable are the figures of semantic stability; under k stands from how many variants to how many.
func (t *Table) stable(heads []string, c *consistency.Result) {
	values := t.values(c)
	if c.Variants.Min != c.Variants.Max {
		values[1].Text = fmt.Sprintf("%d–%d", c.Variants.Min, c.Variants.Max)
	}
	t.add(heads, values...)
}

// probes is table 2 of the semantic stability paper, of probes that are suites.
func probes(r *runs, t *Table) {
	for _, p := range r.parts() {
		if c := p.Consistency; c != nil && c.Questions > 0 {
			t.stable(p.place(), c)
		}
	}
}

// protocol is the reporting template of the same paper's appendix, with what it asks for beside: the level of
// robustness, and the accuracy.
func protocol(r *runs, t *Table) {
	for _, p := range r.parts() {
		of := func(domain string, c *consistency.Result) {
			if c == nil || c.Questions == 0 {
				return
			}
			t.stable([]string{p.model, short(p.suite), short(domain), p.run}, c)
		}
		of(p.suite, p.Consistency)
		if len(p.ConsistencyByDomain) < 2 {
			continue
		}
		for _, domain := range slices.Sorted(maps.Keys(p.ConsistencyByDomain)) {
			of(p.suite+": "+domain, p.ConsistencyByDomain[domain])
		}
	}
}

// graded are the parts whose answers the rubric read.
func (r *runs) graded() []part {
	return slices.DeleteFunc(r.parts(), func(p part) bool { return p.Rubric == nil || p.Rubric.N == 0 })
}

// rates is the protocol's list of overall figures.
func rates(r *runs, t *Table) {
	for _, p := range r.graded() {
		t.read(p.place(), p.Rubric)
	}
}

// confusion is the protocol's map of classes, or where there are none of tags, by dimension.
func confusion(r *runs, t *Table) {
	for _, p := range r.parts() {
		if p.Rubric == nil {
			continue
		}
		by := p.Rubric.Confusion.ByClass
		if len(by) == 0 {
			by = p.Rubric.Confusion.ByTag
		}
		for _, class := range slices.Sorted(maps.Keys(by)) {
			var values []Value
			for _, d := range grading.AxisNames {
				c, v := by[class][d], Value{}
				if c.Of != nil {
					v = Value{Estimate: *c.Of, Has: true, Bounded: true}
				}
				values = append(values, v, value(c.N))
			}
			t.add(p.place(short(class)), values...)
		}
	}
}

// reductions compares every model with the first one on the same suite: the protocol's baseline.
func reductions(r *runs, t *Table) {
	type side struct {
		model string
		rows  []rate.Row
	}
	first := map[string]*side{} // by the content of the suite
	for _, a := range r.all {
		suites := a.Document.Run.Suites
		for i := range a.Standings {
			m, s := &a.Document.Models[i/len(suites)], suites[i%len(suites)]
			p := part{short(m.Called()), s.Name, a.Document.Run.ID, m.On(s.Name)}
			if p.SuiteResult == nil || p.Rubric == nil || p.Rubric.N == 0 {
				continue
			}
			rows := a.Rows(i)
			b := first[s.Hash]
			if b == nil {
				first[s.Hash] = &side{p.model, rows}
				continue
			}
			t.read(p.place(b.model), rate.Compare(b.rows, rows, rate.Options{}))
		}
	}
}

// learning is the protocol's learning curve: the error rates over the models or runs, in the order given.
func learning(r *runs, t *Table) {
	at := map[string]int{}
	for _, p := range r.graded() {
		at[p.suite]++
		t.read(append([]string{strconv.Itoa(at[p.suite])}, p.place()...), p.Rubric)
	}
	slices.SortStableFunc(t.Records, func(a, b Record) int { return cmp.Compare(a.Heads[2], b.Heads[2]) })
}

// drawLearning draws a panel a suite.
func drawLearning(t *Table) []byte {
	f := plot.Figure{Title: t.Title, Columns: 2}
	for _, rows := range byHeads(t.Records, 2) {
		p := svg.Panel{Title: cutTo(rows[0].Heads[2], panelName), X: "iteration", Y: "error rate",
			YRange: svg.Over(0, 0), Series: lines(t, rows, 0, 1, 2, 3, 4)}
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

// lines are the figures of a table over the number that is a text of its records, those that are there.
func lines(t *Table, rows []Record, over int, figures ...int) (out []svg.Series) {
	for i, k := range figures {
		s := svg.Series{Name: t.Figures[k].Label, Class: fmt.Sprintf("s%d", i%9), Line: true, Bars: true, Dots: 2}
		for _, r := range rows {
			x, _ := strconv.ParseFloat(r.Heads[over], 64)
			switch v := r.Values[k]; {
			case v.Bounded:
				s.Values = append(s.Values, svg.Between(x, v.Value, v.Lo, v.Hi))
			case v.Has:
				s.Values = append(s.Values, svg.At(x, v.Value))
			}
		}
		out = append(out, s)
	}
	return out
}

// byHeads parts records by some of their texts, in the order in which they come.
func byHeads(records []Record, heads ...int) [][]Record {
	return report.Parted(records, func(r Record) string {
		return strings.Join(lists.Map(heads, func(i int) string { return r.Heads[i] }), "\x00")
	})
}

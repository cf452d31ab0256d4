package report

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/metric/posterior/language"
)

// ErrNoStudy says that a run has too few contexts for the tables of the posterior method.
var ErrNoStudy error = Absent("the run has no study of the posterior rate; --method posterior over ten contexts or " +
	"more, or over contexts of several sizes, has one")

// StudyColumns are the columns of Study, in order. Later releases add columns at the end and change none.
//
//	run, model, suite   which run, model and suite the row belongs to
//	table               by_n, relation, calibration, risk_coverage, risk_curve, ablation, cost or detector
//	name                of the figure
//	context             pairs of the contexts; 0: all together
//	eps, eps_y          of the rate, and of what it is set against
//	extend, m, k        of the estimate; k 0: sums
//	at                  where on the axis: the mean rate of a bin, the share answered
//	n                   queries
//	estimate, lo, hi    the figure and its interval
var StudyColumns = []string{"run", "model", "suite", "table", "name", "context", "eps", "eps_y", "extend", "m", "k",
	"at", "n", "estimate", "lo", "hi"}

// Study writes the tables of the posterior method over many contexts as CSV, a figure a row. The error is ErrNoStudy
// for a run without them.
func Study(w io.Writer, a *assay.Assay) error {
	s := &studyRows{}
	any := false
	for i := range a.Document.Models {
		m := &a.Document.Models[i]
		for _, info := range a.Document.Run.Suites {
			r := m.On(info.Name)
			if r == nil || r.Posterior == nil || r.Posterior.Study == nil && len(r.Posterior.ByN) == 0 {
				continue
			}
			any = true
			s.of = []string{a.Document.Run.ID, guard(m.Model), guard(info.Name)}
			s.sizes(r.Posterior)
			s.study(treeOf(r.Posterior.Study))
			for _, x := range treeOf(r.Posterior.Detectors).items("scores") {
				of := "auroc of " + x.Text("name")
				s.put("detector", placeOf(x, "n"), x, of, "auroc", of+" less that of phr_75", "less_phr_75")
			}
		}
	}
	if !any {
		return ErrNoStudy
	}
	return writeRows(w, StudyColumns, slices.Values(s.rows))
}

type studyRows struct {
	of   []string // run, model and suite
	rows [][]string
}

// A place says what a figure is of: by the names of the columns from context to n, what stands in them. 0 pairs are
// those of all contexts together.
type place map[string]string

// placeOf is the place of a part of the document whose members are the columns named, or those that are written
// COLUMN=MEMBER.
func placeOf(t tree, columns ...string) place {
	p := place{}
	for _, column := range columns {
		name, member, renamed := strings.Cut(column, "=")
		if !renamed {
			member = name
		}
		p[name] = t.Cell(member)
	}
	return p
}

// with is the place with one more column.
func (p place) with(column, is string) place {
	p = maps.Clone(p)
	p[column] = is
	return p
}

// put writes figures of a part of the document, those that are there: a name and the member in turn, "" for the part
// itself.
func (s *studyRows) put(table string, p place, t tree, figures ...string) {
	for i := 0; i < len(figures); i += 2 {
		f := t.fig(mean, strings.Fields(figures[i+1])...)
		if !f.OK {
			continue
		}
		row := append(slices.Clone(s.of), table, figures[i])
		for _, column := range StudyColumns[5:13] {
			row = append(row, p[column])
		}
		row[5] = cmp.Or(row[5], "0")
		if row[12] == "0" {
			row[12] = ""
		}
		lo, hi := "", ""
		if f.Bounded {
			lo, hi = exact(f.Lo), exact(f.Hi)
		}
		s.rows = append(s.rows, append(row, exact(f.Value), lo, hi))
	}
}

// sizes writes the figures by the number of pairs.
func (s *studyRows) sizes(r *language.Result) {
	all := treeOf(r)
	r.Sizes(func(n int, size *language.Size) {
		t := treeOf(size)
		p := placeOf(t, "n").with("context", strconv.Itoa(n))
		s.put("by_n", p, t, "error", "error_rate")
		s.put("by_n", p, all, "error_random", "error_random")
		s.put("by_n", p, t, "entropy", "entropy")
		s.put("by_n", p, all, "entropy_random", "entropy_random")
		s.put("by_n", p, t, "aleatoric", "aleatoric", "mutual_information", "mutual_information")
		size.Eps(func(of *language.Slice) {
			t := treeOf(of)
			s.put("by_n", p.with("eps", t.Cell("eps")), t, "phr", "phr", "mhr", "mhr", "mhr_single", "mhr_single")
		})
	})
}

// study writes the tables of a study.
func (s *studyRows) study(t tree) {
	points := t.Cell("points")
	for _, x := range t.items("relations") {
		of := " of " + x.Text("x") + " and " + x.Text("y")
		s.put("relation", placeOf(x, "context", "n=points", "eps=x_eps", "eps_y=y_eps"), x,
			"r2"+of, "r2", "mae"+of, "mae", "r"+of, "r", "slope"+of, "slope", "p"+of, "p")
	}
	for _, x := range t.items("calibration") {
		s.put("calibration", placeOf(x, "eps", "at=phr", "n=points"), x, x.Text("against"), "is")
	}
	for _, x := range t.items("risk_coverage") {
		p, score := placeOf(x, "eps").with("n", points), x.Text("score")
		s.put("risk_coverage", p, x, "area by "+score, "area", "gain by "+score, "gain",
			"area by chance", "area_random", "area at best", "area_best")
		for _, c := range x.items("curve") {
			s.put("risk_curve", p.with("at", c.Cell("coverage")), c, score, "")
		}
	}
	for _, x := range t.items("ablation") {
		against := " against " + x.Text("against")
		s.put("ablation", placeOf(x, "eps", "extend", "m", "k").with("n", points), x,
			"r2"+against, "r2", "mae"+against, "mae", "phr", "phr")
	}
	for _, x := range t.items("cost") {
		s.put("cost", placeOf(x, "context", "eps", "extend", "m", "k"), x, "mse", "mse", "calls of published", "calls",
			"calls of sum", "sum_calls", "times fewer calls", "times_fewer_calls", "times fewer requests",
			"times_fewer_requests", "times fewer tokens", "times_fewer_tokens", "times fewer made tokens",
			"times_fewer_made_tokens")
	}
}

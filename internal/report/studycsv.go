package report

import (
	"io"
	"slices"
	"strconv"

	"hallmark/internal/assay"
	"hallmark/internal/assay/belief"
	"hallmark/internal/stat"
)

// ErrNoStudy says that a run has too few contexts for the tables of the posterior method.
var ErrNoStudy error = Absent("the run has no study of the posterior rate; --method posterior over ten contexts or more, or over contexts of several sizes, has one")

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
var StudyColumns = []string{"run", "model", "suite", "table", "name", "context", "eps", "eps_y", "extend", "m", "k", "at", "n", "estimate", "lo", "hi"}

// Study writes the tables of the posterior method over many contexts as CSV, a figure a row. The error is ErrNoStudy for a run without them.
func Study(w io.Writer, a *assay.Assay) error {
	s := &studyRows{run: a.Document.Run.ID}
	any := false
	for i := range a.Document.Models {
		m := &a.Document.Models[i]
		for _, info := range a.Document.Run.Suites {
			r := m.On(info.Name)
			if r == nil || r.Posterior == nil || r.Posterior.Study == nil && len(r.Posterior.ByN) == 0 {
				continue
			}
			any = true
			s.model, s.suite = m.Model, info.Name
			s.study(r.Posterior)
			if d := r.Posterior.Detectors; d != nil {
				for _, x := range d.Scores {
					s.row("detector", "auroc of "+x.Name, place{n: x.N}, x.AUROC)
					s.row("detector", "auroc of "+x.Name+" less that of phr_75", place{n: x.N}, x.Difference)
				}
			}
		}
	}
	if !any {
		return ErrNoStudy
	}
	return writeRows(w, StudyColumns, slices.Values(s.rows))
}

type studyRows struct {
	run, model, suite string
	rows              [][]string
}

// A place says what a figure is of; nil and 0 are written as nothing where a column does not apply.
type place struct {
	context      int
	eps, epsY    *float64
	extend, m, k string
	at           *float64
	n            int
}

func (s *studyRows) row(table, name string, p place, v *stat.Estimate) {
	if v == nil {
		return
	}
	s.write(table, name, p, exact(v.Value), exact(v.Lo), exact(v.Hi))
}

func (s *studyRows) number(table, name string, p place, v float64) {
	s.write(table, name, p, exact(v), "", "")
}

// maybe writes a figure without an interval, where there is one.
func (s *studyRows) maybe(table, name string, p place, v *float64) {
	if v != nil {
		s.number(table, name, p, *v)
	}
}

func (s *studyRows) write(table, name string, p place, estimate, lo, hi string) {
	n := ""
	if p.n > 0 {
		n = strconv.Itoa(p.n)
	}
	s.rows = append(s.rows, []string{
		s.run, guard(s.model), guard(s.suite), table, name, strconv.Itoa(p.context), orEmpty(p.eps), orEmpty(p.epsY), p.extend, p.m, p.k, orEmpty(p.at), n, estimate, lo, hi,
	})
}

func (s *studyRows) study(r *belief.Result) {
	r.Sizes(func(n int, l *belief.Size) {
		p := place{context: n, n: l.N}
		s.row("by_n", "error", p, l.ErrorRate)
		s.maybe("by_n", "error_random", p, r.ErrorRandom)
		s.row("by_n", "entropy", p, l.Entropy)
		s.maybe("by_n", "entropy_random", p, r.EntropyRandom)
		s.row("by_n", "aleatoric", p, l.Aleatoric)
		s.row("by_n", "mutual_information", p, l.MutualInformation)
		l.Eps(func(at *belief.Slice) {
			p.eps = &at.Eps
			s.row("by_n", "phr", p, at.PHR)
			s.row("by_n", "mhr", p, at.MHR)
			s.maybe("by_n", "mhr_single", p, at.MHRSingle)
		})
	})
	x := r.Study
	if x == nil {
		return
	}
	for _, r := range x.Relations {
		p := place{context: r.Pairs, n: r.Points, eps: r.XEps, epsY: r.YEps}
		name := r.X + " and " + r.Y
		s.row("relation", "r2 of "+name, p, r.R2)
		s.row("relation", "mae of "+name, p, r.MAE)
		for _, f := range []struct {
			name string
			v    *float64
		}{{"r", r.R}, {"slope", r.Slope}, {"p", r.P}} {
			if f.v != nil {
				s.number("relation", f.name+" of "+name, p, *f.v)
			}
		}
	}
	for i := range x.Calibration {
		b := &x.Calibration[i]
		s.row("calibration", b.Against, place{eps: &b.Eps, at: &b.PHR, n: b.Points}, &b.Is)
	}
	for i := range x.Risk {
		r := &x.Risk[i]
		p := place{eps: r.Eps, n: x.Points}
		s.row("risk_coverage", "area by "+r.Score, p, r.Area)
		s.row("risk_coverage", "gain by "+r.Score, p, r.Gain)
		s.number("risk_coverage", "area by chance", p, r.AreaRandom)
		s.number("risk_coverage", "area at best", p, r.AreaBest)
		for j := range r.Curve {
			p.at = &r.Curve[j].Coverage
			s.row("risk_curve", r.Score, p, &r.Curve[j].Estimate)
		}
	}
	for i := range x.Ablation {
		r := &x.Ablation[i]
		p := place{eps: &r.Eps, extend: strconv.Itoa(r.Extend), m: strconv.Itoa(r.M), k: strconv.Itoa(r.K), n: x.Points}
		s.row("ablation", "r2 against "+r.Against, p, r.R2)
		s.row("ablation", "mae against "+r.Against, p, r.MAE)
		s.number("ablation", "phr", p, r.PHR)
	}
	for i := range x.Cost {
		r := &x.Cost[i]
		p := place{context: r.Pairs, eps: &r.Eps, extend: strconv.Itoa(r.Extend), m: strconv.Itoa(r.M), k: strconv.Itoa(r.K)}
		s.number("cost", "mse", p, r.MSE)
		s.number("cost", "calls of published", p, r.Calls)
		s.number("cost", "calls of sum", p, r.SumCalls)
		s.row("cost", "times fewer calls", p, r.Fewer)
		s.row("cost", "times fewer tokens", p, r.FewerTok)
		s.row("cost", "times fewer made tokens", p, r.FewerMade)
	}
}

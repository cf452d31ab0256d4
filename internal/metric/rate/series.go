package rate

import (
	"fmt"

	"hallmark/internal/stat"
)

// Curves are the names of a series' curves, in order.
var Curves = []string{"hallucination", "truth_error", "decidability_error", "reciprocity_error", "format_error", "commission", "over_refusal", "undecided"}

var curveOf = map[string]measure{
	"hallucination": hallucination, "truth_error": truth, "decidability_error": decidability, "reciprocity_error": reciprocity,
	"format_error": formatError, "commission": commission, "over_refusal": overRefusal, "undecided": undecided,
}

// A Series holds the rates of several runs on the same cases, in the order given: a learning curve over rounds of training, or the course
// of a deployment.
type Series struct {
	N      int                `json:"n"` // cases with H scored in every run
	Runs   []SeriesRun        `json:"runs"`
	Curves map[string][]Point `json:"curves"` // by Curves; a point a run
	// Last holds the last point of each curve, for gates.
	Last     map[string]Point `json:"last"`
	Unscored int              `json:"unscored"` // cases of all runs with H unscored in one of them
	Warnings []string         `json:"warnings"`
}

// A SeriesRun names one run of a series.
type SeriesRun struct {
	Run   string `json:"run"`
	Model string `json:"model"`
	Suite string `json:"suite"`
}

// A Point is the rate of one run on one curve, and its change since the first run. Members without cases are null; those of a change are
// null in the first run.
type Point struct {
	N          int            `json:"n"` // cases that have the figure in every run
	Failed     int            `json:"failed"`
	Rate       *float64       `json:"rate"`
	Lo         *float64       `json:"lo"`
	Hi         *float64       `json:"hi"`
	Difference *stat.Interval `json:"difference"` // rate - that of the first run

	McNemarP     *float64 `json:"mcnemar_p"`      // against the first run
	McNemarPHolm *float64 `json:"mcnemar_p_holm"` // adjusted for the points of the curve
}

// NewSeries returns the curves of several runs: runs[i] are the rows of the run that names[i] names. Cases that one of the runs lacks are left
// out, with a warning, so that no curve moves because other cases were asked.
//
// Formulas: each rate over the cases that have the figure in every run, by stat.Wilson; changes by stat.PairedDifference, and McNemar's exact
// test with Holm's adjustment over the points of a curve. The interval of a rate is that of one run; whether two runs differ is said by
// the difference, as the runs share their cases. It panics without a run, or if names are fewer. It changes nothing. Source: Hallucination Testing, 2025; METHODS 2 and 6.
func NewSeries(names []SeriesRun, runs [][]Row, opt Options) Series {
	if len(runs) == 0 || len(names) != len(runs) {
		panic("rate: a series needs runs, and a name for each")
	}
	level := opt.level()
	s := Series{Runs: names, Curves: map[string][]Point{}, Last: map[string]Point{}, Warnings: []string{}}
	byID := make([]map[string]*Row, len(runs))
	most := map[string]bool{}
	for i, rows := range runs {
		byID[i] = map[string]*Row{}
		for _, r := range sorted(rows) {
			byID[i][r.CaseID] = r
			most[r.CaseID] = true
		}
	}
	var shared [][]*Row // a row of rows a case
	for _, id := range sortedKeys(most) {
		rows := make([]*Row, 0, len(runs))
		for i := range runs {
			if r := byID[i][id]; r != nil {
				rows = append(rows, r)
			}
		}
		if len(rows) == len(runs) {
			shared = append(shared, rows)
		}
	}
	if left := len(most) - len(shared); left > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d cases are not in every run and are left out of the series", left))
	}
	by := newComparer(level)
	for _, curve := range Curves {
		m := curveOf[curve]
		values := make([][]float64, len(runs))
		for _, rows := range shared {
			vs := make([]float64, 0, len(rows))
			for _, r := range rows {
				if v, ok := m(r); ok {
					vs = append(vs, v)
				}
			}
			if len(vs) < len(rows) {
				continue
			}
			for i, v := range vs {
				values[i] = append(values[i], v)
			}
		}
		points := make([]Point, len(runs))
		var ps []float64
		for i := range points {
			p := &points[i]
			p.N = len(values[i])
			only, lost := 0, 0
			for j, v := range values[i] {
				p.Failed += int(v)
				switch first := values[0][j]; {
				case first > v:
					only++
				case first < v:
					lost++
				}
			}
			if e := stat.Wilson(p.Failed, p.N, level); e.OK() {
				p.Rate, p.Lo, p.Hi = &e.Value, &e.Lo, &e.Hi
			}
			if i > 0 && p.N > 0 {
				p.Difference = by.difference(values[0], values[i])
				exact := stat.McNemar(only, lost)
				p.McNemarP = &exact
				ps = append(ps, exact)
			}
		}
		for i, adjusted := range stat.Holm(ps) {
			points[i+1].McNemarPHolm = &adjusted
		}
		s.Curves[curve], s.Last[curve] = points, points[len(points)-1]
	}
	s.N = s.Curves["hallucination"][0].N
	s.Unscored = len(shared) - s.N
	if s.N == 0 {
		s.Warnings = append(s.Warnings, "no case is scored in every run")
	}
	return s
}

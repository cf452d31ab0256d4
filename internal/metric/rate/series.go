package rate

import (
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/method"
	"hallmark/internal/stat"
)

// rates are the curves of the rubric, in order.
var rates = []string{"hallucination", "truth_error", "decidability_error", "reciprocity_error", "format_error",
	"commission", "over_refusal", "undecided"}

// Curves are the names of a series' curves, in order: the outcomes, those of the rubric, then those of consistency.
var Curves = slices.Concat(outcomeCurves, rates, consistency.Stability)

var curveOf = map[string]measure{
	"hallucination": hallucination, "truth_error": truth, "decidability_error": decidability,
	"reciprocity_error": reciprocity,
	"format_error":      formatError, "commission": commission, "over_refusal": overRefusal, "undecided": undecided,
}

// A Series holds the rates of several runs on the same cases, in the order given: a learning curve over rounds of
// training, or the course of a deployment.
type Series struct {
	N int `json:"n"` // cases with H scored in every run
	// Clusters counts the questions, or clusters, that intervals and p are by; 0 where every case is one of its own.
	Clusters int         `json:"clusters,omitempty"`
	Runs     []SeriesRun `json:"runs"`
	// Outcomes compare the last run with the first, over the cases to which an answer came back in every run.
	Outcomes OutcomeChange `json:"outcomes"`

	Curves map[string][]Point `json:"curves"` // by Curves; a point a run
	// Last holds the last point of each curve, for gates.
	Last map[string]Point `json:"last"`
	// Beyond lists the points that lie beyond the control limits of their curve, in the order of Curves;
	// BeyondLimits counts them.
	Beyond       []Beyond `json:"beyond"`
	BeyondLimits int      `json:"beyond_limits"`
	Baseline     int      `json:"baseline"` // the first runs, which the limits are from
	// Measured are the figures of added methods by their names; there where all runs have such.
	Measured method.Figures `json:"measured,omitempty"`
	Unscored int            `json:"unscored"` // cases of all runs with H unscored in one of them
	Warnings []string       `json:"warnings"`
	// Limits say why the runs say less of each other than they seem to, as those of a Reduction.
	Limits []string `json:"limits,omitempty"`
}

// A SeriesRun names one run of a series.
type SeriesRun struct {
	Run   string `json:"run"`
	Model string `json:"model"`
	Suite string `json:"suite"`
	// what the user calls the run and the model, where they call them something
	Name      string `json:"name,omitempty"`
	ModelName string `json:"model_name,omitempty"`
}

// A Point is the figure of one run on one curve, and its change since the first run. Members without cases are
// null; those of a change are null in the first run.
type Point struct {
	N      int         `json:"n"`      // cases that have the figure in every run
	Failed *int        `json:"failed"` // of them, where the figure is a share that is no range
	Rate   *float64    `json:"rate"`   // null where a range stands in its place
	Range  *stat.Range `json:"range,omitempty"`
	stat.Bounds
	Difference *Bounded `json:"difference"` // rate - that of the first run; a range where one of them is

	// as stat.McNemarByCluster, against the first run; null of no share, and of a range
	McNemarP     *float64 `json:"mcnemar_p"`
	McNemarPHolm *float64 `json:"mcnemar_p_holm"` // adjusted for the points of the curve
	// SignFlipP and SignFlipPHolm are the same of a figure that is no share.
	SignFlipP     *float64 `json:"sign_flip_p,omitempty"`
	SignFlipPHolm *float64 `json:"sign_flip_p_holm,omitempty"`

	Control *ControlPoint `json:"control"`
}

// A ControlPoint says where a point stands on the control chart of its curve.
type ControlPoint struct {
	Centre   *float64 `json:"centre"` // null where the baseline has ranges
	Lo       float64  `json:"lo"`
	Hi       float64  `json:"hi"`
	Baseline bool     `json:"baseline"` // the limits are from this run, so it is not held against them
	Beyond   bool     `json:"beyond"`   // the whole of a range is
}

// A Beyond is a point beyond its control limits.
type Beyond struct {
	Curve string `json:"curve"`
	At    int    `json:"at"` // index of the run
	Run   string `json:"run"`
	Side  string `json:"side"` // above or below
}

// NewSeries returns the curves of several runs: runs[i] are the rows of the run that names[i] names. Cases that one
// of the runs lacks are left out, with a warning, so that no curve changes because other cases were asked.
//
// Formulas: the outcomes over the cases to which an answer came back in every run, as Analyze and Compare have
// them; each other rate over the cases that have the figure in every run, by stat.ShareByCluster; changes by
// stat.Paired, and McNemar's exact test, by cluster where cases go together, with Holm's adjustment over the points
// of a curve. The interval of a rate is that of one run; whether two runs differ is said by the difference, as the
// runs share their cases.
//
// Control limits: those that stat.ControlShareByCluster gives for a share, and stat.ControlMeanByCluster for
// another mean, from each baseline run, for as many cases in clusters of the same sizes; of several baseline runs
// the means of the limits and centres, which as they share their cases are not narrower. A point beyond them is
// outside what a draw of other questions would give one time in 370. It panics without a run, or if names are
// fewer. It changes nothing. Source: Hallucination Testing, 2025; METHODS 2 and 6.
func NewSeries(names []SeriesRun, runs [][]Row, opt Options) Series {
	if len(runs) == 0 || len(names) != len(runs) {
		panic("rate: a series needs runs, and a name for each")
	}
	level := opt.level()
	s := Series{Runs: names, Curves: map[string][]Point{}, Last: map[string]Point{}, Beyond: []Beyond{},
		Warnings: []string{}}
	runs, labels := withoutLabels(runs)
	if labels > 0 {
		stat.Warn(&s.Warnings, "%d labels count in no series, which is of how the answers were read", labels)
	}
	shared, left := consistency.Shared(runs...)
	if left > 0 {
		stat.Warn(&s.Warnings, "%d cases are not in every run and are left out of the series", left)
	}
	s.Baseline = max(1, min(opt.Baseline, len(runs)))
	by := newComparer(level)
	s.outcomes(shared, opt)
	for _, curve := range rates {
		values, cluster := consistency.Values(curveOf[curve], shared, len(runs))
		s.add(curve, values, cluster, true, func(xs []float64) stat.Estimate {
			return stat.ShareByCluster(xs, cluster, level)
		}, by)
	}
	s.stability(opt.Standings, len(runs), by, level)
	s.N, s.Clusters = s.Curves["hallucination"][0].N, stat.Clusters(consistency.ClustersOf(shared))
	if s.Clusters > 0 {
		s.Warnings = append(s.Warnings, stat.Clustered(len(shared), "cases", s.Clusters, "intervals and p")+
			", p by sign flip in place of McNemar's test, and so are control limits")
	}
	for _, rows := range shared {
		if slices.ContainsFunc(rows, unscoredH) {
			s.Unscored++
		}
	}
	if left := len(shared) - s.N - s.Unscored; left > 0 {
		stat.Warn(&s.Warnings, "%d cases have an answer that could not be graded in one of the runs: the outcomes are "+
			"ranges, and the curves of the rubric are over the other cases, whose answers may be better or worse", left)
	}
	switch {
	case s.Outcomes.Base.N == 0:
		s.Warnings = append(s.Warnings, "no case has an answer in every run")
	case s.N == 0:
		s.Warnings = append(s.Warnings, "no case is scored in every run")
	}
	return s
}

// stability adds the curves of consistency. Cases that one of the runs did not ask in two variants are left out,
// with a warning.
func (s *Series) stability(runs [][]consistency.Standing, n int, by *comparer, level float64) {
	var rows [][]*consistency.Standing
	if len(runs) == n {
		left := 0
		if rows, left = consistency.Shared(runs...); left > 0 && len(rows) > 0 {
			stat.Warn(&s.Warnings, "%d cases have two scored variants in only some of the runs and are left out of "+
				"the curves of stability", left)
		}
	}
	for _, curve := range consistency.Stability {
		values, cluster := consistency.Values(func(s *consistency.Standing) (float64, bool) {
			return s.Value(curve)
		}, rows, n)
		s.add(curve, values, cluster, curve == "ambiguity", func(xs []float64) stat.Estimate {
			return consistency.StabilityOf(curve, xs, cluster, level)
		}, by)
	}
}

// add adds a curve of the values of its cases in each run, with the clusters of these.
func (s *Series) add(curve string, values [][]float64, cluster []int32, isShare bool,
	estimate func([]float64) stat.Estimate, by *comparer) {
	points := make([]Point, len(values))
	var tests []stat.Holmed
	for i := range points {
		p := &points[i]
		p.N = len(values[i])
		if isShare {
			p.Failed = new(int(stat.Sum(values[i])))
		}
		p.Rate, p.Bounds = estimate(values[i]).Bounds()
		if i == 0 || p.N == 0 {
			continue
		}
		if isShare {
			p.Difference = fixed(*by.difference(values[0], values[i], cluster))
			p.McNemarP = new(stat.McNemarByCluster(values[0], values[i], cluster))
			tests = append(tests, stat.Holmed{P: p.McNemarP, To: &p.McNemarPHolm})
		} else {
			d := stat.Paired(values[0], values[i], cluster, by.level)
			p.Difference, p.SignFlipP = fixed(d.Estimate), &d.P
			tests = append(tests, stat.Holmed{P: p.SignFlipP, To: &p.SignFlipPHolm})
		}
	}
	stat.AdjustHolm(tests)
	s.control(curve, points, values, values, cluster, isShare)
	s.Curves[curve], s.Last[curve] = points, points[len(points)-1]
}

// control holds the points of a curve against the limits that its baseline gives: the lower one of the least that its
// values can be, the upper one of the most.
func (s *Series) control(curve string, points []Point, least, most [][]float64, cluster []int32, isShare bool) {
	if len(least[0]) == 0 {
		return
	}
	of := func(values []float64) (c stat.Control) {
		if isShare {
			c, _ = stat.ControlShareByCluster(values, cluster, stat.ControlAlpha)
		} else {
			c, _ = stat.ControlMeanByCluster(values, cluster, stat.ControlAlpha)
		}
		return c
	}
	var limits stat.Control
	b := float64(s.Baseline)
	ranged := false
	for i := range s.Baseline {
		low := of(least[i])
		limits.Centre += low.Centre / b
		limits.Lo += low.Lo / b
		limits.Hi += of(most[i]).Hi / b
		ranged = ranged || points[i].Range != nil
	}
	for i := range points {
		p := &points[i]
		p.Control = &ControlPoint{Centre: &limits.Centre, Lo: limits.Lo, Hi: limits.Hi, Baseline: i < s.Baseline}
		if ranged {
			p.Control.Centre = nil
		}
		lo, hi := endsOf(p.Rate, p.Range)
		if p.Control.Baseline || !limits.Beyond(lo) || !limits.Beyond(hi) || lo < limits.Lo != (hi < limits.Lo) {
			continue
		}
		p.Control.Beyond = true
		side := "above"
		if hi < limits.Lo {
			side = "below"
		}
		s.Beyond = append(s.Beyond, Beyond{curve, i, s.Runs[i].Run, side})
		s.BeyondLimits++
	}
}

// withoutLabels returns runs without the labels of their answers, and how many there were.
func withoutLabels(runs [][]Row) (out [][]Row, labels int) {
	out = slices.Clone(runs)
	for i, rows := range out {
		out[i] = slices.Clone(rows)
		for k := range out[i] {
			if out[i][k].Label != "" {
				labels++
				out[i][k].Label = ""
			}
		}
	}
	return out, labels
}

// outcomeCurves are the curves of what the answers did: wrong answers first, beside them those that were not attempted.
var outcomeCurves = []string{"incorrect", "not_attempted", "correct", "ungradable"}

// outcomes adds the curves of what the answers did, over the cases to which an answer came back in every run, and
// compares the last run with the first.
func (s *Series) outcomes(shared [][]*Row, opt Options) {
	shared = allCameBack(shared)
	for _, curve := range outcomeCurves {
		s.outcome(curve, shared, opt.level())
	}
	s.Outcomes = compareOutcomes(firstAnd(len(s.Runs)-1, shared), opt)
}

// outcome adds the curve of one outcome. A point is a range where an answer of its run could not be graded, and so
// is the difference of such a one, as in compareOutcomes.
func (s *Series) outcome(curve string, shared [][]*Row, level float64) {
	of := ofOutcome(grade.Outcome(curve))
	points := make([]Point, len(s.Runs))
	least, most := make([][]float64, len(points)), make([][]float64, len(points))
	cluster := consistency.ClustersOf(shared)
	var tests []stat.Holmed
	for i := range points {
		p, rows := &points[i], side(shared, i)
		p.N = len(rows)
		for _, r := range rows {
			lo, hi, _ := of(r)
			least[i], most[i] = append(least[i], lo), append(most[i], hi)
		}
		share := newShare(of, rows, sharesOf(rows, level))
		if share == nil {
			continue
		}
		p.Rate, p.Range = share.Rate, share.Range
		_, p.Bounds = stat.Estimate(share.Interval).Bounds()
		if p.Range == nil {
			p.Failed = new(int(stat.Sum(least[i])))
		}
		if i == 0 {
			continue
		}
		p.Difference = ends(firstAnd(i, shared), of).difference(level)
		if p.Range == nil && points[0].Range == nil {
			p.McNemarP = new(stat.McNemarByCluster(least[0], least[i], cluster))
			tests = append(tests, stat.Holmed{P: p.McNemarP, To: &p.McNemarPHolm})
		}
	}
	stat.AdjustHolm(tests)
	s.control(curve, points, least, most, cluster, true)
	s.Curves[curve], s.Last[curve] = points, points[len(points)-1]
}

// firstAnd pairs the rows of the first run with those of run i.
func firstAnd(i int, shared [][]*Row) []pair {
	pairs := make([]pair, len(shared))
	for k, rows := range shared {
		pairs[k] = pair{rows[0], rows[i]}
	}
	return pairs
}

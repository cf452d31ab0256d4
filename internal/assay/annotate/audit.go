package annotate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/metric/agreement"
	"hallmark/internal/metric/grading"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Result is what people's verdicts say of one model's grades on one suite.
type Result struct {
	N        int      `json:"n"`        // answers that people judged
	Unscored int      `json:"unscored"` // graded answers that nobody judged
	Raters   []string `json:"raters"`   // the adjudicator not among them

	Strata map[Stratum]Coverage `json:"strata"`

	// Agreement is Krippendorff's alpha of the raters on each axis, on whether the answer hallucinates, and on its
	// outcome.
	Agreement map[string]agreement.Result `json:"agreement"`
	// two raters or more, and every alpha that could be had is at least .80
	Adequate bool `json:"adequate"`
	// Readjudicate lists the answers on which raters differ and which nobody has settled: on the outcome, and on
	// the axes where alpha is below .80 or unknown.
	Readjudicate []Dispute `json:"readjudicate"`

	// Outcomes are the shares of the outcomes, corrected by what people say.
	Outcomes *Rates `json:"outcomes,omitempty"`
	// OverVariants are those of the answers to all variants, with the case as the unit, where such answers were drawn.
	OverVariants *Rates `json:"over_variants,omitempty"`
	// Corrected holds the grader's rates, and what people's verdicts make of them.
	Corrected map[string]Correction `json:"corrected"`
	// Clusters is how many clusters the graded answers are of, by which bounds are; 0 where every case is by itself.
	Clusters int      `json:"clusters,omitempty"`
	Warnings []string `json:"warnings"`
}

// Coverage says how much of a stratum people judged.
type Coverage struct {
	Cases    int `json:"cases"`
	Labelled int `json:"labelled"`
}

// A Dispute is an answer on which raters differ.
type Dispute struct {
	Item   string                       `json:"unit"`
	CaseID string                       `json:"case_id"`
	Axes   []string                     `json:"axes"`   // on which they differ
	Labels map[string]map[string]string `json:"labels"` // by rater and axis
}

// A Correction sets a rate by the grader beside the same rate corrected by people. Rates are null where there is no
// case.
type Correction struct {
	Uncorrected *stat.Rate `json:"uncorrected"` // by the grader, over the same cases
	Corrected   *stat.Rate `json:"corrected"`   // by prediction-powered inference
	SE          *float64   `json:"se"`          // the standard error of PPI++, for reference; the interval is wider
	N           int        `json:"n"`
	Labelled    int        `json:"labelled"` // of N, those that people judged
	// The labelled answers by what grader and people say; where raters are split evenly, in neither.
	BothFail       int `json:"both_fail"`
	OnlyGraderFail int `json:"only_grader_fail"` // the grader is too strict
	OnlyPeopleFail int `json:"only_people_fail"` // the grader missed it
	BothPass       int `json:"both_pass"`
	Split          int `json:"split"`
}

// Measures are the corrected rates, in order.
var Measures = []string{"hallucination", "truth_error", "decidability_error", "reciprocity_error", "format_error"}

// A rated item is one that people judged: the labels by rater.
type rated struct {
	*Item
	labels map[string]*Label
}

// Analyze returns the audit of the items of one model on one suite, nil if none of them was judged. answers are
// those to all variants of the cases, where they have several; labels of these count for the agreement of raters
// and for OverVariants alone.
//
// Agreement: Krippendorff's alpha, nominal, over the answers with two raters or more, the adjudicator not among
// them; an axis that a rater left empty is missing. What people say of an answer is what the adjudicator says, else
// the mean over its raters (1 fails, 0 passes), so that an even split counts one half. It hallucinates for a rater
// who fails truth, decidability or reciprocity (or format, where that gates), and does not where all of these were
// judged and none fails.
//
// Correction: stat.PredictionPowered over the strata that the answers were drawn from: for H over the answers with
// H scored; for an axis over those that the grader passed or failed on it, as in the rate, without those that
// people call n/a. It rests on the labelled answers of a stratum being a random sample of it: a warning says where
// they are not those that Sample would have drawn.
//
// It does not change its arguments. An annotation of an item that is not among items is of another model or suite.
// Source: METHODS 2 and 6.
func Analyze(items, answers []Item, annotations []run.Annotation, seedValue uint64, level float64) (*Result, error) {
	labels, err := counted(annotations)
	if err != nil {
		return nil, err
	}
	raters, some := labels.raters(items, answers)
	if !some {
		return nil, nil
	}
	items = slices.Clone(items)
	r := &Result{Raters: raters, Strata: map[Stratum]Coverage{},
		Agreement: map[string]agreement.Result{}, Corrected: map[string]Correction{}, Readjudicate: []Dispute{},
		Warnings: []string{}}
	all := r.cover(items, labels)
	judged := slices.Clone(all)
	for i := range answers {
		if u := labels.of(&answers[i]); len(u.labels) > 0 {
			judged = append(judged, u)
			r.N++
		}
	}
	if err := r.agree(judged, seedValue, level); err != nil {
		return nil, err
	}
	if r.OverVariants = overVariants(items, answers, labels, seedValue, level); r.OverVariants != nil {
		r.warn(r.OverVariants.wanting(true))
	}
	if r.Outcomes = rates(all, seedValue, level); r.Outcomes != nil {
		r.warn(r.Outcomes.wanting(false))
	}
	r.warn(alone(judged, r.Outcomes, r.OverVariants))
	measures := Measures
	if r.Unscored == len(items) { // labels are of answers to variants alone
		measures = nil
	}
	for _, m := range measures {
		if c, warnings := correctedBy(all, m, r.Outcomes != nil, level); c.N > 0 {
			r.Corrected[m] = c
			for _, w := range warnings {
				r.warn(m + ": " + w)
			}
		}
	}
	var cluster []int32
	for i := range items {
		cluster = append(cluster, items[i].Cluster)
	}
	if r.Clusters = stat.Clusters(cluster); r.Clusters > 0 {
		r.warn(stat.Clustered(len(items), "answers", r.Clusters, "bounds"))
	}
	r.doubt(items, labels, seedValue)
	return r, nil
}

// warn adds a warning, if it says something.
func (r *Result) warn(w string) {
	if w != "" {
		r.Warnings = append(r.Warnings, w)
	}
}

// cover joins items with their labels, in the strata that they were drawn from, and counts those that people judged.
func (r *Result) cover(items []Item, labels verdicts) (all []*rated) {
	for i := range items {
		u := labels.of(&items[i])
		for _, rater := range slices.Sorted(maps.Keys(u.labels)) {
			if l := u.labels[rater]; slices.Contains(Strata, l.Stratum) {
				u.Stratum = l.Stratum // the one it was drawn from, whatever a later grader makes of the answer
				break
			}
		}
		c := r.Strata[u.Stratum]
		c.Cases++
		if len(u.labels) > 0 {
			c.Labelled++
			r.N++
		} else {
			r.Unscored++
		}
		r.Strata[u.Stratum] = c
		all = append(all, u)
	}
	return all
}

// agree fills in the agreement of the raters and the list of disputes.
func (r *Result) agree(all []*rated, seedValue uint64, level float64) error {
	r.Adequate = len(r.Raters) > 1
	low := map[string]bool{}
	for _, axis := range append(grading.AxisNames[:], theH, theOutcome) {
		var table agreement.Table
		found := false
		for _, u := range all {
			for _, rater := range r.Raters {
				label := u.on(axis, rater)
				if label == "" {
					continue
				}
				found = true
				if err := cmp.Or(table.Group(u.ID, u.group()), table.Add(u.ID, rater, label, "")); err != nil {
					return err
				}
			}
		}
		if !found {
			continue
		}
		a := table.Analyze(seedValue, level)
		r.Agreement[axis] = a
		low[axis] = !a.Adequate
		if a.Alpha != nil && !a.Adequate {
			r.Adequate = false
			r.warn(fmt.Sprintf("the raters' alpha on %s is %s, below %s: adjudicate the answers they differ on "+
				"before a corrected rate is used", axis, figure.Hyphened(figure.Fixed(*a.Alpha, 2)),
				figure.Fixed(agreement.Adequate, 2)))
		}
	}
	for _, u := range all {
		if d := u.dispute(r.Raters, low); len(d.Axes) > 0 {
			r.Readjudicate = append(r.Readjudicate, d)
		}
	}
	slices.SortFunc(r.Readjudicate, func(a, b Dispute) int {
		return cmp.Or(strings.Compare(a.CaseID, b.CaseID), strings.Compare(a.Item, b.Item))
	})
	return nil
}

// group names what an answer is an observation of: its cluster, else its case, of which there may be others.
func (u *Item) group() string {
	if u.Cluster != 0 {
		return fmt.Sprintf("cluster %d", u.Cluster)
	}
	return "case " + u.CaseID
}

// on returns what a rater says of an answer on an axis, of its H, or of its outcome; "" where that is nothing.
func (u *rated) on(axis, rater string) string {
	l := u.labels[rater]
	if l == nil || axis == "format" && !u.Format {
		return ""
	}
	if axis == theOutcome {
		return u.outcomeBy(l)
	}
	return u.says(l, axis)
}

// dispute is what raters differ on and nobody settled, of the axes on which they agree little, and of the outcome.
func (u *rated) dispute(raters []string, low map[string]bool) Dispute {
	d := Dispute{Item: u.ID, CaseID: u.CaseID, Axes: []string{}, Labels: map[string]map[string]string{}}
	for i, axis := range grading.AxisNames {
		if low[axis] && u.differ(func(l *Label) string { return l.axes()[i] }) {
			d.Axes = append(d.Axes, axis)
		}
	}
	if u.settled() == "" && u.differ(u.outcomeBy) {
		d.Axes = append(d.Axes, theOutcome)
	}
	for _, rater := range raters {
		l := u.labels[rater]
		if l == nil {
			continue
		}
		d.Labels[rater] = map[string]string{}
		if o := u.outcomeBy(l); o != "" {
			d.Labels[rater][theOutcome] = o
		}
		for i, axis := range grading.AxisNames {
			if v := l.axes()[i]; v != "" {
				d.Labels[rater][axis] = v
			}
		}
	}
	return d
}

// differ reports whether raters differ in what they say of something, "" for nothing, and nobody settled it.
func (u *rated) differ(says func(*Label) string) bool {
	said := map[string]bool{}
	for rater, l := range u.labels {
		switch s := says(l); {
		case s == "":
		case rater == Adjudicator:
			return false
		default:
			said[s] = true
		}
	}
	return len(said) > 1
}

// label counts a labelled answer by what grader and people say.
func (c *Correction) label(grader, people float64) {
	c.Labelled++
	switch {
	case people == .5:
		c.Split++
	case people > .5 && grader == 1:
		c.BothFail++
	case people > .5:
		c.OnlyPeopleFail++
	case grader == 1:
		c.OnlyGraderFail++
	default:
		c.BothPass++
	}
}

// correctedBy corrects a measure over the strata, split by how answers were read where the sample was drawn so.
func correctedBy(all []*rated, measure string, split bool, level float64) (c Correction, warnings []string) {
	strata := map[part]*stat.Stratum{}
	ofOthers := map[part][]int32{} // clusters of those without a label
	var read []float64
	var cluster []int32
	axis := strings.TrimSuffix(measure, "_error")
	for _, u := range all {
		f, ok := u.grader(axis)
		if !ok {
			continue
		}
		y, judged, out := u.people(axis)
		if out {
			continue
		}
		c.N++
		read, cluster = append(read, f), append(cluster, u.Cluster)
		at := part{stratum: u.Stratum}
		if split && byReading(u.Stratum) {
			at.read = u.Grade.Outcome()
		}
		s := strata[at]
		if s == nil {
			s = new(stat.Stratum)
			strata[at] = s
		}
		if !judged {
			s.Others, ofOthers[at] = append(s.Others, f), append(ofOthers[at], u.Cluster)
			continue
		}
		s.Human, s.Grader = append(s.Human, y), append(s.Grader, f)
		s.Clusters = append(s.Clusters, u.Cluster)
		c.label(f, y)
	}
	if c.N == 0 {
		return c, nil
	}
	c.Uncorrected = stat.ShareByCluster(read, cluster, level).Rate()
	if c.Labelled == 0 {
		return c, nil
	}
	var list []stat.Stratum
	for _, stratum := range Strata {
		for _, read := range append([]grade.Outcome{grade.NoOutcome}, grade.Outcomes...) {
			at := part{stratum: stratum, read: read}
			if s := strata[at]; s != nil {
				s.Clusters = append(s.Clusters, ofOthers[at]...)
				list = append(list, *s)
			}
		}
	}
	p := stat.PredictionPowered(list, level)
	c.Corrected, c.SE = p.Rate(), &p.SE
	return c, p.Warnings
}

// doubt adds what the sample leaves to doubt.
func (r *Result) doubt(items []Item, labels verdicts, seedValue uint64) {
	if len(r.Raters) == 1 {
		r.warn(fmt.Sprintf("%q is the only rater: agreement cannot be measured; give the sheet to a second",
			r.Raters[0]))
	}
	seeds := map[uint64]bool{}
	for _, said := range labels {
		for _, l := range said {
			if l.Seed != 0 {
				seeds[l.Seed] = true
			}
		}
	}
	if len(seeds) > 1 {
		r.warn("the labels are of samples of different seeds, so which answers were to be drawn cannot be checked")
		return
	}
	for s := range seeds {
		seedValue = s
	}
	parts, in := ordered(items, seedValue, r.Outcomes != nil)
	for _, p := range parts {
		last, passed := -1, 0
		for i, u := range in[p] {
			if len(labels[u.ID]) > 0 {
				passed += i - last - 1
				last = i
			}
		}
		if passed > 0 {
			r.warn(fmt.Sprintf("of the stratum %s, %d answers that the sample holds before the last labelled one have "+
				"no label: where they were skipped for being hard, or others picked by hand, the corrected rates "+
				"lean that way", p.stratum, passed))
		}
	}
}

// theOutcome is what raters agree on, or not, beside the axes.
const theOutcome = "outcome"

// outcomeBy returns what a label says that the answer did, "" where its rater was not asked for that or does not say.
func (u *rated) outcomeBy(l *Label) string {
	if !l.ByReading {
		return ""
	}
	return string(l.outcome(u.Grade.Act))
}

// theH is what an answer is found to do over all axes, beside them.
const theH = "hallucination"

// says returns what a label says of an axis, or of H: Pass, Fail, NotApplicable, "" where that cannot be told.
func (u *rated) says(l *Label, axis string) string {
	axes := l.axes()
	if axis != theH {
		return axes[slices.Index(grading.AxisNames[:], axis)]
	}
	judged := axes[:3]
	if u.Gates {
		judged = axes[:]
	}
	switch {
	case slices.Contains(judged, Fail):
		return Fail
	case slices.Contains(judged, ""):
		return ""
	}
	return Pass
}

// people returns what people say of an axis of an item, or of its H, 1 where it fails: the adjudicator, else the mean
// over raters. Without a verdict ok is false, and out says that they hold the axis not to apply.
func (u *rated) people(axis string) (value float64, ok, out bool) {
	votes := map[string]int{}
	for rater, l := range u.labels {
		said := u.says(l, axis)
		if rater == Adjudicator && said != "" {
			votes = map[string]int{said: 1}
			break
		}
		votes[said]++
	}
	n := votes[Fail] + votes[Pass]
	if n == 0 {
		return 0, false, votes[NotApplicable] > 0
	}
	return float64(votes[Fail]) / float64(n), true, false
}

// grader returns what the grader says of an axis of an item, or of its H; ok is false where the rate leaves the item
// out.
func (u *rated) grader(axis string) (value float64, ok bool) {
	fails := false
	switch {
	case axis == theH:
		fails, ok = u.Grade.Hallucinated(u.Gates)
	case axis != "format" || u.Format:
		v := u.Grade.Axes()[slices.Index(grading.AxisNames[:], axis)].Verdict
		fails, ok = v == grade.Fail, v == grade.Fail || v == grade.Pass
	}
	if fails {
		value = 1
	}
	return value, ok
}

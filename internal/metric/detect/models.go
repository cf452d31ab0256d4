package detect

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Result sets detectors side by side over models, as `analyze detection` prints it.
type Result struct {
	N        int `json:"n"`        // scores used
	Unscored int `json:"unscored"` // rows whose score is null
	Models   int `json:"models"`
	// Clusters counts the questions, or clusters of cases, that intervals are by; 0 where every case is one of its own.
	Clusters  int                   `json:"clusters,omitempty"`
	Detectors map[string]*Technique `json:"detectors"`
	Skipped   int                   `json:"skipped,omitempty"` // bad lines left out
	Warnings  []string              `json:"warnings"`
	// Findings say over several models which detectors tell what, and whether they tell consistency better than
	// correctness.
	Findings []string `json:"findings,omitempty"`

	suites []string // that are pooled; nil where there is one
}

// A Technique is one detector on both axes.
type Technique struct {
	Correctness *Test `json:"correctness"`
	Consistency *Test `json:"consistency"`
	// Contrast is over two tags in place of an axis, where it was asked for: the cases of the first are the failing
	// ones.
	Contrast *Test `json:"contrast,omitempty"`
	// Gain is the AUROC on consistency against that on correctness, over the models.
	Gain *AcrossGain `json:"gain"`
}

// A Test holds a detector's AUROC for each model, and over the models the two-sided signed-rank p of the
// differences of the classes' mean scores.
type Test struct {
	P      *float64 `json:"p"`      // null where no model has cases of both classes
	PHolm  *float64 `json:"p_holm"` // adjusted for all tests of the result
	Models int      `json:"models"` // that have cases of both classes
	Zeros  int      `json:"zeros"`  // of them, differences of exactly 0, which the test drops
	Exact  bool     `json:"exact"`  // false: normal approximation
	Higher int      `json:"higher"` // models whose failing cases score higher on average
	// AUROC is by model; null where a class has no case.
	AUROC    map[string]*stat.Estimate `json:"auroc"`
	Classes  map[string]Classes        `json:"classes"`
	Warnings []string                  `json:"warnings"`
}

// A Table collects scores. The zero Table is empty.
type Table struct {
	models, detectors numbering
	suites            numbering // of scores that name one; the first of those that do not is ""
	units             numbering // clusters and questions of rows that were read
	cases             map[caseKey]int32
	labels            []labels // by case
	scores            []score
	unscored          int
	contrasts         bool // any score has a contrast
}

type caseKey struct {
	model, suite int32
	id           string
}

type labels struct {
	axis    [3]Label
	at      [3]Place
	cluster int32
	suite   int32
	from    Place // of the cluster
}

type score struct {
	value           float64
	model, detector int32
	item            int32
	at              Place
}

// A Place is a line of an input, for messages: the number of the file and of the line.
type Place struct{ File, Line int32 }

// A numbering numbers names in the order they come.
type numbering struct {
	names []string
	of    map[string]int32
}

func (x *numbering) number(name string) int32 {
	n, ok := x.of[name]
	if !ok {
		if x.of == nil {
			x.of = map[string]int32{}
		}
		n = int32(len(x.names))
		x.names = append(x.names, name)
		x.of[name] = n
	}
	return n
}

// A Score is one detector's score of the answer of one model to one case, with the case's labels.
type Score struct {
	Model, ID, Detector string
	Suite               string   // ids of different suites are of different cases; "" where it is not said
	Value               *float64 // nil: it is missing
	Correct, Consistent *bool    // nil: not known
	Cluster             int32    // of the case, as Case.Cluster
	// whether the case is of the second of two tags, and not of the first; nil: of none or both
	Contrast *bool
}

// Add adds a score. What rows of one model and case say of its labels must agree; an error tells which does not,
// and where the other stands. That no score stands twice is seen at the end, by Twice.
func (t *Table) Add(s Score, at Place) error {
	if t.cases == nil {
		t.cases = map[caseKey]int32{}
	}
	m := t.models.number(s.Model)
	key := caseKey{m, t.suites.number(s.Suite), s.ID}
	item, known := t.cases[key]
	l := labels{suite: key.suite}
	if known {
		l = t.labels[item]
	}
	if l.cluster != 0 && s.Cluster != 0 && l.cluster != s.Cluster {
		return &conflict{s.Model, s.ID, "cluster or question", l.from}
	}
	if l.cluster == 0 && s.Cluster != 0 {
		l.cluster, l.from = s.Cluster, at
	}
	t.contrasts = t.contrasts || s.Contrast != nil
	for i, passes := range []*bool{s.Correct, s.Consistent, s.Contrast} {
		label := LabelOf(passes)
		switch {
		case label == Unknown:
		case l.axis[i] == Unknown:
			l.axis[i], l.at[i] = label, at
		case l.axis[i] != label:
			return &conflict{s.Model, s.ID, [3]string{"correct", "consistent", "tags"}[i], l.at[i]}
		}
	}
	if known {
		t.labels[item] = l
	} else {
		item = int32(len(t.labels))
		t.cases[key], t.labels = item, append(t.labels, l)
	}
	value := math.NaN()
	if s.Value != nil {
		value = *s.Value
	} else {
		t.unscored++
	}
	t.scores = append(t.scores, score{value, m, t.detectors.number(s.Detector), item, at})
	return nil
}

// Contrasts reports whether any score has a contrast.
func (t *Table) Contrasts() bool { return t.contrasts }

// A conflict is a label that differs within a model and case.
type conflict struct {
	model, id, label string
	at               Place
}

func (c *conflict) Error() string {
	return fmt.Sprintf("model %q, id %q: %q differs from line %d of the same input", c.model, c.id, c.label, c.at.Line)
}

// group sorts the scores by detector, model and case, and by place among equal ones.
func (t *Table) group() {
	slices.SortStableFunc(t.scores, func(a, b score) int {
		return cmp.Or(cmp.Compare(a.detector, b.detector), cmp.Compare(a.model, b.model), cmp.Compare(a.item, b.item))
	})
}

// A Repeat is a score that stands twice.
type Repeat struct {
	Model, Detector string
	At, First       Place
}

// Twice takes away every second score of a model, case and detector, and returns them in the order they stand.
func (t *Table) Twice() []Repeat {
	t.group()
	var again []Repeat
	kept := t.scores[:0]
	for _, s := range t.scores {
		if n := len(kept); n > 0 && kept[n-1].item == s.item && kept[n-1].detector == s.detector {
			again = append(again, Repeat{t.models.names[s.model], t.detectors.names[s.detector], s.at, kept[n-1].at})
			if s.value != s.value {
				t.unscored--
			}
			continue
		}
		kept = append(kept, s)
	}
	t.scores = kept
	slices.SortFunc(again, func(a, b Repeat) int {
		return cmp.Or(int(a.At.File-b.At.File), int(a.At.Line-b.At.Line))
	})
	return again
}

// Analyze returns the AUROC of every detector by model, on both axes, and over the models the signed-rank test.
// Source: METHODS 3; arXiv:2602.00723, section 5: per model the difference of the mean scores of the two classes,
// then Wilcoxon's test of symmetry about 0. Scores of several suites are pooled, and a warning says so; BySuite has
// each by itself.
func (t *Table) Analyze(level float64) Result {
	t.group()
	r := Result{Unscored: t.unscored, Models: len(t.models.names), Detectors: map[string]*Technique{},
		Warnings: []string{}}
	var axes, gains []stat.Holmed
	test := func(scores []score, axis int) *Test {
		x := t.test(scores, axis, level)
		axes = append(axes, stat.Holmed{P: x.P, To: &x.PHolm})
		return x
	}
	for start := 0; start < len(t.scores); {
		end := start
		for end < len(t.scores) && t.scores[end].detector == t.scores[start].detector {
			end++
		}
		of := t.scores[start:end]
		for _, s := range of {
			if s.value == s.value {
				r.N++
			}
		}
		technique := &Technique{Correctness: test(of, 0), Consistency: test(of, 1)}
		technique.Gain = gainOf(technique)
		gains = append(gains, stat.Holmed{P: technique.Gain.P, To: &technique.Gain.PHolm})
		r.Detectors[t.detectors.names[of[0].detector]] = technique
		if t.contrasts {
			technique.Contrast = test(of, 2)
		}
		start = end
	}
	stat.AdjustHolm(axes)
	stat.AdjustHolm(gains)
	var first []int32
	for key, item := range t.cases {
		if key.model == 0 {
			first = append(first, t.labels[item].cluster)
		}
	}
	r.Clusters = stat.Clusters(first)
	if r.N == 0 {
		r.Warnings = append(r.Warnings, "no row has a score")
	}
	t.pools(&r)
	r.Findings = r.says()
	return r
}

// test is one detector on one axis.
func (t *Table) test(scores []score, axis int, level float64) *Test {
	out := &Test{AUROC: map[string]*stat.Estimate{}, Classes: map[string]Classes{}, Warnings: []string{}}
	var differences []float64
	for start := 0; start < len(scores); {
		var values []float64
		var of []Label
		var cluster []int32
		m := scores[start].model
		for ; start < len(scores) && scores[start].model == m; start++ {
			if s := scores[start]; s.value == s.value {
				l := &t.labels[s.item]
				values, of, cluster = append(values, s.value), append(of, l.axis[axis]), append(cluster, l.cluster)
			}
		}
		a := AxisOf(values, of, cluster, level)
		name := t.models.names[m]
		out.AUROC[name], out.Classes[name] = a.AUROC, a.Classes
		if a.Difference == nil {
			continue
		}
		differences = append(differences, *a.Difference)
		if *a.Difference > 0 {
			out.Higher++
		}
	}
	out.Models = len(differences)
	if out.Models == 0 {
		out.Warnings = append(out.Warnings, "no model has cases of both classes, so there is nothing to compare")
		return out
	}
	w := stat.SignedRank(differences)
	out.P, out.Zeros, out.Exact = &w.P, w.Zeros, w.Exact
	if least := math.Ldexp(2, -w.N); least > .05 {
		stat.Warn(&out.Warnings, "%d differences can give no p below %s; 6 are the least for .05, 16 reach .00003",
			w.N, figure.Digits(min(1, least), 3))
	}
	return out
}

// BySuite is a result over all suites of the scores, and the same of each suite by itself.
type BySuite struct {
	*Result
	// Pooled names the suites that the figures above take together, and Suites has each by itself, its p adjusted by
	// Holm over its own tests; neither is there where the scores are of one suite.
	Pooled []string           `json:"pooled,omitempty"`
	Suites map[string]*Result `json:"suites,omitempty"`
}

// noSuite names the rows that say no suite, beside others that do.
const noSuite = "(no suite)"

// pools says of a result that it pools the suites of the table, where these are several.
func (t *Table) pools(r *Result) {
	if len(t.suites.names) < 2 {
		return
	}
	for _, name := range t.suites.names {
		r.suites = append(r.suites, cmp.Or(name, noSuite))
	}
	slices.Sort(r.suites)
	stat.Warn(&r.Warnings, "pooled over %d suites (%s): their scores may be of different sizes, and their shares of "+
		"wrong answers differ, so a difference of means may be one between suites; read each by itself", len(r.suites),
		strings.Join(r.suites, "; "))
}

// BySuite is Analyze of all scores, and of those of each suite.
func (t *Table) BySuite(level float64) BySuite {
	pooled := t.Analyze(level)
	r := BySuite{Result: &pooled, Pooled: pooled.suites}
	if len(r.Pooled) == 0 {
		return r
	}
	parts := make([]Table, len(t.suites.names))
	for _, s := range t.scores {
		l := &t.labels[s.item]
		x := Score{Model: t.models.names[s.model], ID: strconv.Itoa(int(s.item)),
			Detector: t.detectors.names[s.detector], Correct: l.axis[0].passes(), Consistent: l.axis[1].passes(),
			Contrast: l.axis[2].passes(), Cluster: l.cluster}
		if s.value == s.value {
			x.Value = &s.value
		}
		if err := parts[l.suite].Add(x, s.at); err != nil {
			panic("detect: labels that agreed differ: " + err.Error())
		}
	}
	r.Suites = map[string]*Result{}
	for i, name := range t.suites.names {
		parts[i].contrasts = t.contrasts
		r.Suites[cmp.Or(name, noSuite)] = new(parts[i].Analyze(level))
	}
	return r
}

// passes is the label as Score has it.
func (l Label) passes() *bool {
	if l == Unknown {
		return nil
	}
	return new(l == Passing)
}

// AcrossGain sets the two axes of one detector side by side over models: of each model that has both AUROCs, that
// on consistency less that on correctness, and Wilcoxon's two-sided signed-rank test that these differences are
// symmetric about 0.
type AcrossGain struct {
	P      *float64 `json:"p"`      // null where no model has both
	PHolm  *float64 `json:"p_holm"` // adjusted for the detectors
	Models int      `json:"models"`
	Zeros  int      `json:"zeros"`  // differences of exactly 0, which the test drops
	Higher int      `json:"higher"` // models in which consistency is told better
	Mean   *float64 `json:"mean"`   // of the differences
}

// gainOf compares the axes of a technique.
func gainOf(t *Technique) *AcrossGain {
	g := &AcrossGain{}
	var differences []float64
	for _, name := range slices.Sorted(maps.Keys(t.Consistency.AUROC)) {
		moves, wrong := t.Consistency.AUROC[name], t.Correctness.AUROC[name]
		if moves == nil || wrong == nil {
			continue
		}
		d := moves.Value - wrong.Value
		differences = append(differences, d)
		if d > 0 {
			g.Higher++
		}
	}
	if g.Models = len(differences); g.Models > 0 {
		w := stat.SignedRank(differences)
		g.P, g.Zeros, g.Mean = &w.P, w.Zeros, new(stat.Sum(differences)/float64(g.Models))
	}
	return g
}

// significant is the level at which findings over models are made, after Holm's adjustment.
const significant = .05

// says puts the tests over models into words: which detectors tell each axis, and whether they tell consistency
// better than correctness, as arXiv:2602.00723 found. It returns none with one model.
func (r *Result) says() []string {
	if r.Models < 2 {
		return nil
	}
	var wrong, moves, above, below []string
	tested, most := 0, 0
	for _, name := range slices.Sorted(maps.Keys(r.Detectors)) {
		t := r.Detectors[name]
		told := func(x *Test) bool { return x.PHolm != nil && *x.PHolm < significant && 2*x.Higher > x.Models }
		if told(t.Correctness) {
			wrong = append(wrong, name)
		}
		if told(t.Consistency) {
			moves = append(moves, name)
		}
		g := t.Gain
		if g.P == nil {
			continue
		}
		tested++
		most = max(most, g.Models-g.Zeros)
		switch {
		case !(*g.PHolm < significant):
		case *g.Mean > 0:
			above = append(above, name)
		default:
			below = append(below, name)
		}
	}
	list := func(names []string) string { return strings.Join(names, ", ") }
	pooled := ""
	if n := len(r.suites); n > 0 {
		pooled = fmt.Sprintf(" and %d suites pooled", n)
	}
	out := []string{fmt.Sprintf("Over %d models%s, by the mean scores (p by Holm below %s): %s of %d detectors "+
		"predict inconsistency, and %s predict error.",
		r.Models, pooled, figure.Exact(significant), counted(moves), len(r.Detectors), counted(wrong))}
	switch {
	case tested == 0:
		out = append(out, "Inconsistency and error cannot be compared: no model has an AUROC on both axes.")
	case len(above) > 0 && len(below) == 0:
		out = append(out, fmt.Sprintf("Detectors predict inconsistency better than error, as the source found: by "+
			"their AUROC, %d of %d detectors do so over the models (%s), and none does the opposite.",
			len(above), tested, list(above)))
	case len(below) > 0 && len(above) == 0:
		out = append(out, fmt.Sprintf("Detectors predict error better than inconsistency, against what the source "+
			"found: by their AUROC, %d of %d detectors do so over the models (%s), and none does the opposite.",
			len(below), tested, list(below)))
	case len(above) > 0:
		out = append(out, fmt.Sprintf("Detectors differ: by their AUROC over the models, %s predict "+
			"inconsistency better than error, and %s predict error better.", list(above), list(below)))
	default:
		out = append(out, fmt.Sprintf("No detector predicts inconsistency better than error, or worse (%d compared "+
			"over %d models by AUROC, p by Holm).", tested, most))
	}
	return out
}

// counted is the number of the names, with the names.
func counted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d (%s)", len(names), strings.Join(names, ", "))
}

package detect

import (
	"cmp"
	_ "embed" // the catalogues
	"maps"
	"slices"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// An Outcome is the score of one detector for one answer, or why there is none.
type Outcome struct {
	Score  float64
	Reason string // "" where there is a score
}

// A Case is one case as the detectors see it: its labels, and an outcome for every detector that applies to it.
type Case struct {
	Correctness, Consistency Label
	// numbers what the case is an observation of, with others; 0: of itself alone (suite.Clusters)
	Cluster  int32
	Outcomes map[string]Outcome
}

// A Summary is what the detectors tell about one model on one suite.
type Summary struct {
	N        int `json:"n"`        // cases that any detector scored
	Unscored int `json:"unscored"` // cases that none did
	// Clusters counts the questions, or clusters of cases, that intervals are by; 0 where every case is one of its own.
	Clusters  int                  `json:"clusters,omitempty"`
	Detectors map[string]*Detector `json:"detectors"`
	// AUROCInterval names the method of the bounds of every AUROC; stored results of builds before have none, and
	// other bounds.
	AUROCInterval string `json:"auroc_interval,omitempty"`
	// Best sets the detector of the highest AUROC on correctness beside the others; nil where fewer than two have one.
	Best *Best `json:"best,omitempty"`
	// NotAvailable says of detectors that apply to the suite why the model cannot be asked for them.
	NotAvailable map[string]string `json:"not_available,omitempty"`
	Warnings     []string          `json:"warnings"`
}

// A Best is the detector of the highest AUROC on correctness.
type Best struct {
	Detector string `json:"detector"`
	// Ahead is by how much its AUROC is above that of each other, over the cases that both scored, by stat.AUROCAhead;
	// the bounds hold for all pairs of detectors together (Bonferroni).
	Ahead map[string]*stat.Estimate `json:"ahead"`
}

// Beside lists the detectors that it is not told apart from, in order: none where it tells wrong answers best for sure.
func (b *Best) Beside() (names []string) {
	for _, name := range Names {
		if e, compared := b.Ahead[name]; compared && (e == nil || e.Lo <= 0) {
			names = append(names, name)
		}
	}
	return names
}

// A Detector is one of them on both axes.
type Detector struct {
	N           int      `json:"n"`        // cases scored
	Unscored    int      `json:"unscored"` // cases that it applies to, without a score
	Mean        *float64 `json:"mean"`     // of the scores
	Correctness *Axis    `json:"correctness"`
	Consistency *Axis    `json:"consistency"`
	// Gain is the AUROC on consistency above that on correctness, over the cases that have both labels; below 0
	// where correctness is told better.
	Gain *stat.Estimate `json:"gain"`
	// GainTogether is Gain with bounds that hold for all detectors together (Bonferroni).
	GainTogether *stat.Estimate `json:"gain_together,omitempty"`
	Warnings     []string       `json:"warnings"`
}

// Summarize returns how every detector that applies to any case tells the classes of both axes apart. It does not
// change cases.
func Summarize(cases []Case, level float64) Summary {
	s := Summary{Detectors: map[string]*Detector{}, AUROCInterval: stat.AUROCMethod, Warnings: []string{}}
	applies := map[string]bool{}
	var of []int32
	for _, c := range cases {
		scored := false
		for name, o := range c.Outcomes {
			applies[name] = true
			scored = scored || o.Reason == ""
		}
		if scored {
			s.N++
			of = append(of, c.Cluster)
		} else {
			s.Unscored++
		}
	}
	for name := range applies {
		s.Detectors[name] = summarize(cases, name, level, 1-(1-level)/float64(len(applies)))
	}
	s.Best = best(cases, s.Detectors, level)
	if s.Clusters = stat.Clusters(of); s.Clusters > 0 {
		s.Warnings = append(s.Warnings, stat.Clustered(s.N, "cases", s.Clusters, "intervals"))
	}
	return s
}

// best compares the detector of the highest AUROC on correctness with the others.
func best(cases []Case, detectors map[string]*Detector, level float64) *Best {
	having := slices.DeleteFunc(slices.Clone(Names), func(name string) bool {
		return detectors[name] == nil || detectors[name].Correctness.AUROC == nil
	})
	n := len(having)
	if n < 2 {
		return nil
	}
	b := &Best{Ahead: map[string]*stat.Estimate{}, Detector: slices.MaxFunc(having, func(x, y string) int {
		return cmp.Compare(detectors[x].Correctness.AUROC.Value, detectors[y].Correctness.AUROC.Value)
	})}
	together := 1 - (1-level)*2/float64(n*(n-1))
	for _, name := range having {
		if name == b.Detector {
			continue
		}
		var own, other []float64
		var wrong []bool
		var of []int32
		for _, c := range cases {
			x, has := c.Outcomes[b.Detector]
			y, hasOther := c.Outcomes[name]
			if has && hasOther && x.Reason == "" && y.Reason == "" && c.Correctness != Unknown {
				own, other, wrong = append(own, x.Score), append(other, y.Score),
					append(wrong, c.Correctness == Failing)
				of = append(of, c.Cluster)
			}
		}
		b.Ahead[name] = stat.AUROCAhead(own, other, wrong, of, together).Known()
	}
	return b
}

func summarize(cases []Case, name string, level, together float64) *Detector {
	d := &Detector{Warnings: []string{}}
	var scores []float64
	var correctness, consistency []Label
	var of []int32
	reasons := map[string]int{}
	for _, c := range cases {
		o, applies := c.Outcomes[name]
		switch {
		case !applies:
		case o.Reason != "":
			d.Unscored++
			reasons[o.Reason]++
		default:
			scores, correctness, consistency = append(scores, o.Score), append(correctness, c.Correctness),
				append(consistency, c.Consistency)
			of = append(of, c.Cluster)
		}
	}
	if d.N = len(scores); d.N > 0 {
		d.Mean = new(stat.Sum(scores) / float64(d.N))
	}
	right, stays := AxisOf(scores, correctness, of, level), AxisOf(scores, consistency, of, level)
	d.Correctness, d.Consistency = &right, &stays
	var why []string
	d.GainTogether, _ = Gain(scores, correctness, consistency, of, together)
	if d.Gain, why = Gain(scores, correctness, consistency, of, level); d.Gain != nil {
		for _, w := range why {
			d.Warnings = append(d.Warnings, "consistency against correctness: "+w)
		}
	}
	names := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b))
	})
	for i, reason := range names {
		if i == mostShown {
			stat.Warn(&d.Warnings, "%d more reasons why there is no score", len(names)-i)
			break
		}
		stat.Warn(&d.Warnings, "%d of %d answers have no score: %s", reasons[reason], d.N+d.Unscored, reason)
	}
	return d
}

// mostShown bounds the reasons that are told of one detector.
const mostShown = 3

// Classes are the two classes of an axis as one detector scores them. Failing are the wrong answers on the axis of
// correctness, and the questions whose answer moves with the prompt on the axis of consistency.
type Classes struct {
	Failing     int      `json:"failing"` // cases
	Passing     int      `json:"passing"`
	MeanFailing *float64 `json:"mean_failing"` // of their scores; null without a case
	MeanPassing *float64 `json:"mean_passing"`
	// Difference is MeanFailing - MeanPassing; null without both.
	Difference *float64 `json:"difference"`
}

// An Axis is how well a detector tells the two classes of an axis apart.
type Axis struct {
	AUROC *stat.Estimate `json:"auroc"` // null without cases of both classes; .5 is chance
	Classes
	Warnings []string `json:"warnings"`
}

// A Label is what is known of a case on one axis.
type Label int8

// The labels. A case that is Unknown is left out of the axis.
const (
	Unknown Label = iota
	Passing
	Failing
)

// LabelOf returns the label of a case that passes or not; nil is unknown.
func LabelOf(passes *bool) Label {
	switch {
	case passes == nil:
		return Unknown
	case *passes:
		return Passing
	}
	return Failing
}

// AxisOf returns how the scores tell the failing cases from the passing ones; cases whose label is unknown are left
// out. Means are taken about the lowest score, so that equal scores differ by 0 and by nothing else. The AUROC is
// by stat.AUROCClustered, with the clusters of the cases, nil for none. It does not change its arguments.
func AxisOf(scores []float64, labels []Label, cluster []int32, level float64) Axis {
	var failing, passing, known []float64
	var fails []bool
	var of []int32
	for i, s := range scores {
		switch labels[i] {
		case Failing:
			failing = append(failing, s)
		case Passing:
			passing = append(passing, s)
		default:
			continue
		}
		if known, fails = append(known, s), append(fails, labels[i] == Failing); cluster != nil {
			of = append(of, cluster[i])
		}
	}
	a := Axis{Classes: classesOf(failing, passing), Warnings: []string{}}
	a.AUROC = stat.AUROCClustered(known, fails, of, level).Known()
	return a
}

func classesOf(failing, passing []float64) Classes {
	c := Classes{Failing: len(failing), Passing: len(passing)}
	if len(failing)+len(passing) == 0 {
		return c
	}
	base := slices.Min(slices.Concat(failing, passing))
	above := func(xs []float64) (sum float64, mean *float64) {
		if len(xs) == 0 {
			return 0, nil
		}
		for _, x := range xs {
			sum += x - base
		}
		sum /= float64(len(xs))
		return sum, new(base + sum)
	}
	var f, p float64
	f, c.MeanFailing = above(failing)
	p, c.MeanPassing = above(passing)
	if len(failing) > 0 && len(passing) > 0 {
		c.Difference = new(f - p)
	}
	return c
}

// Gain returns how much better the scores tell the axis of consistency than that of correctness, AUROC by AUROC,
// over the cases whose two labels are known, with their clusters, nil for none: null without cases of all four
// classes, with the reasons for doubt.
func Gain(scores []float64, correctness, consistency []Label, cluster []int32, level float64) (*stat.Estimate,
	[]string) {
	var both []float64
	var wrong, moves []bool
	var of []int32
	for i, s := range scores {
		if correctness[i] != Unknown && consistency[i] != Unknown {
			both, wrong, moves = append(both, s), append(wrong, correctness[i] == Failing),
				append(moves, consistency[i] == Failing)
			if cluster != nil {
				of = append(of, cluster[i])
			}
		}
	}
	e := stat.AUROCDifference(both, moves, wrong, of, level)
	return e.Known(), e.Warnings
}

var (
	//go:embed figures.txt
	figures string
	//go:embed across.txt
	across string
)

// Figures is the catalogue of what Summary has of each detector, and Across of what Result has.
var (
	Figures = figure.Read(figures)
	Across  = figure.Read(across)
)

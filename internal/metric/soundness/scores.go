package soundness

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"hallmark/internal/grade"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/text/evidence"
)

// lengthBias tests whether the outcome, or a score that came along, goes with the length of the answer: stat.Welch on
// the logarithms of lengths in characters, of answers that are correct against those that are not, or of a score above
// its median against the others. The effect is the difference of the mean logarithms: .693 is twice as long.
func lengthBias(l *Log, o *Options) (out []Issue, skipped string) {
	var all []answered
	for _, x := range l.first() {
		if x.Text != "" && len(x.Options) == 0 { // a letter has no length
			all = append(all, x)
		}
	}
	add := func(what string, yes func(x *answered) (is, known bool)) {
		var length []float64
		var is []bool
		var cluster []int32
		for i := range all {
			if v, known := yes(&all[i]); known {
				length = append(length, math.Log(float64(utf8.RuneCountInString(all[i].Text))))
				is, cluster = append(is, v), append(cluster, all[i].Cluster)
			}
		}
		if f := longer(what, length, is, cluster, o.Level); f != nil {
			out = append(out, *f)
		}
	}
	add("correct", func(x *answered) (is, known bool) {
		return x.Outcome == grade.Correct, x.Outcome == grade.Correct || x.Outcome == grade.Incorrect
	})
	for _, name := range l.scores() {
		middle := median(all, name)
		add("high by "+name, func(x *answered) (is, known bool) {
			v, known := x.Scores[name]
			return v > middle, known
		})
	}
	if len(out) == 0 {
		return nil, "no two outcomes or scores stand beside answers of several lengths"
	}
	return out, ""
}

// leastSides are the answers of either side from which lengths are compared.
const leastSides = 5

func longer(what string, length []float64, is []bool, cluster []int32, level float64) *Issue {
	yes := 0
	for _, v := range is {
		yes += int(stat.Bit(v))
	}
	if min(yes, len(is)-yes) < leastSides {
		return nil
	}
	g := stat.Welch(length, is, cluster, level)
	if !g.OK() {
		return nil
	}
	auroc := stat.AUROCClustered(length, is, cluster, level)
	times, than := math.Exp(g.Value), "longer"
	if g.Value < 0 {
		times, than = 1/times, "shorter"
	}
	return &Issue{Severity: Doubt, Count: yes, Of: len(is), P: &g.P, AUROC: &auroc, Unit: "log length",
		Effect: &g.Estimate,
		Text: fmt.Sprintf("answers that are %s are %s times %s than the others, and length alone tells them apart "+
			"with an AUROC of %s", evidence.Excerpt(what, 60), figure.Fixed(times, 2), than,
			figure.Fixed(auroc.Value, 2)),
		Remedy: "see whether the question or the grader asks for it: compare answers of like length, and look at how " +
			"the grader reads long ones (hallmark grade check)"}
}

// median of a score over answers, so that some are above it: of a score of 0 and 1 that is mostly 1 it is 0.
func median(all []answered, name string) float64 {
	var v []float64
	for _, x := range all {
		if s, ok := x.Scores[name]; ok {
			v = append(v, s)
		}
	}
	slices.Sort(v)
	if len(v) == 0 {
		return 0
	}
	m, most := v[len(v)/2], v[len(v)-1]
	for i := len(v)/2 - 1; i >= 0 && m == most; i-- {
		m = v[i]
	}
	return m
}

// scores are the names of the scores of a log, sorted.
func (l *Log) scores() []string {
	names := map[string]bool{}
	l.each(func(_ *Case, a *Answer) {
		for name := range a.Scores {
			names[name] = true
		}
	})
	return slices.Sorted(maps.Keys(names))
}

const noScores = "no scores came along with the answers"

// ofEachScore looks at every score of a log.
func ofEachScore(look func(l *Log, name string) []Issue) func(*Log, *Options) ([]Issue, string) {
	return func(l *Log, _ *Options) (out []Issue, skipped string) {
		names := l.scores()
		if len(names) == 0 {
			return nil, noScores
		}
		for _, name := range names {
			out = append(out, look(l, name)...)
		}
		return out, ""
	}
}

// values passes the values of a score.
func (l *Log) values(name string, visit func(c *Case, a *Answer, v float64)) {
	l.each(func(c *Case, a *Answer) {
		if v, ok := a.Scores[name]; ok {
			visit(c, a, v)
		}
	})
}

// leastConstant are the values from which a score that never changes is worth a word.
const leastConstant = 10

// scoreConstant finds a score that is the same of every answer.
func scoreConstant(l *Log, name string) []Issue {
	var t tally
	first, constant := math.NaN(), true
	l.values(name, func(c *Case, _ *Answer, v float64) {
		t.add(c)
		constant = constant && (t.n == 1 || v == first)
		first = v
	})
	if !constant || t.n < leastConstant {
		return nil
	}
	return []Issue{{Severity: Doubt, Count: t.n, Of: t.n, Examples: t.ids,
		Text: fmt.Sprintf("%s is %s of all %d answers: it tells nothing apart", evidence.Excerpt(name, 60),
			figure.Short(first), t.n),
		Remedy: "see whether the scorer ran, and on the right field"}}
}

// scoreRange finds a score of [0, 1] with values outside: where nine in ten are inside, it is taken for the range.
func scoreRange(l *Log, name string) []Issue {
	var t tally
	n, far := 0, 0.
	l.values(name, func(c *Case, _ *Answer, v float64) {
		n++
		if v < 0 || v > 1 {
			if t.add(c); t.n == 1 {
				far = v
			}
		}
	})
	if 10*t.n > n {
		return nil
	}
	what := evidence.Excerpt(name, 60)
	return t.issue(Fault, n, "value", fmt.Sprintf("of %s is outside [0, 1]: %s", what, figure.Short(far)),
		fmt.Sprintf("of %s are outside [0, 1], as %s", what, figure.Short(far)),
		"see how the scorer marks failures: a mean over such values is none")
}

// Of scores of 0 and 1, disagreements with the outcomes here that are worth a word.
const (
	leastDiffer = 2
	shareDiffer = .05
)

// scoreDisagrees finds a score of 0 and 1 that says another thing than the outcome read here.
func scoreDisagrees(l *Log, name string) []Issue {
	var t tally
	n, binary, there := 0, true, 0
	l.values(name, func(c *Case, a *Answer, v float64) {
		binary = binary && (v == 0 || v == 1)
		if a.Outcome != grade.Correct && a.Outcome != grade.Incorrect && a.Outcome != grade.NotAttempted {
			return
		}
		if n++; (v == 1) != (a.Outcome == grade.Correct) {
			if t.add(c); v == 1 {
				there++
			}
		}
	})
	if !binary || t.n < leastDiffer || float64(t.n) < shareDiffer*float64(n) {
		return nil
	}
	return t.issue(Doubt, n, "answer", "", fmt.Sprintf("are read here otherwise than %s scores them (%d right by it "+
		"alone, %d right here alone)", evidence.Excerpt(name, 60), there, t.n-there), "read these answers (hallmark "+
		"import, then hallmark show latest): one of the two is a wrong ruler, or they measure different things")
}

// tooFew says what the number of cases can carry: the interval of the share of wrong answers, and the cases that an
// interval of the half-width wanted takes (stat.SizeHalfWidth, power .8).
func tooFew(l *Log, o *Options) ([]Issue, string) {
	var wrong []float64
	var cluster []int32
	for _, x := range l.first() {
		switch x.Outcome {
		case grade.Incorrect:
			wrong = append(wrong, 1)
		case grade.Correct, grade.NotAttempted:
			wrong = append(wrong, 0)
		default:
			continue
		}
		cluster = append(cluster, x.Cluster)
	}
	if len(wrong) == 0 {
		return nil, "no answer could be graded"
	}
	e := stat.ShareByCluster(wrong, cluster, o.Level)
	half := (e.Hi - e.Lo) / 2
	if half <= o.HalfWidth {
		return nil, ""
	}
	needs, err := stat.SizeHalfWidth(e.Value, o.HalfWidth, o.Level, sizePower)
	if err != nil { // more than anybody has
		return nil, ""
	}
	n := cmp.Or(stat.Clusters(cluster), len(wrong))
	// beside the normal figure: clusters may be of several sizes, and bounds are exact
	need := max(needs.N, n+1)
	return []Issue{{Severity: Note, Count: n, Of: n, Effect: &e, Unit: "share", Needs: &need,
		Text: fmt.Sprintf("%s of answers are wrong [%s, %s]: %s know that to ±%s", percent(e.Value), percent(e.Lo),
			percent(e.Hi), figure.Counted(n, "independent case"), points(half)),
		Remedy: fmt.Sprintf("%s would give ±%s; between two runs on these cases, hallmark plan --n %d says which "+
			"difference can be found", figure.Counted(need, "case"), points(o.HalfWidth), n)}}, ""
}

const sizePower = .8

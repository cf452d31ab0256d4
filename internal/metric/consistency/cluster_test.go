package consistency

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
	"hallmark/internal/text/answer"
)

// repeated draws 60 questions that are asked 1 to 30 times each, in five wordings, and answered the same each time:
// ggggg with chance .5, ggggx and xxxxx with .2, and ggxxy with .1. Variant 0 is the first.
func repeated(t *testing.T, r *rand.Rand) (cases []*Case) {
	for q := range 60 {
		answers := "ggggg"
		switch u := r.Float64(); {
		case u < .2:
			answers = "ggggx"
		case u < .4:
			answers = "xxxxx"
		case u < .5:
			answers = "ggxxy"
		}
		for i := range 1 + r.IntN(2)*r.IntN(30) {
			c := &Case{ID: fmt.Sprintf("%02d-%02d", q, i), Gold: []answer.Form{answer.Value("g")}, Cluster: int32(q + 1)}
			for v, a := range answers {
				if err := c.Add(v, Answer{Form: answer.Value(string(a))}); err != nil {
					t.Fatal(err)
				}
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// alone returns the cases without their clusters.
func alone(cases []*Case) (out []*Case) {
	for _, c := range cases {
		own := *c
		own.Cluster = 0
		out = append(out, &own)
	}
	return out
}

// Intervals by cluster hold the truth of every figure as often as they say, those by case far less often. The truths
// are by hand from the chances of repeated: PC is 1, .8, 1, .4, and SC 1, .6, 1, .2.
func TestByClusterCovers(t *testing.T) {
	figures := []struct {
		name  string
		of    func(*Result) *stat.Estimate
		truth float64
	}{
		{"semantic stability", func(r *Result) *stat.Estimate { return r.SemanticStability }, .9},
		{"self-consistency", func(r *Result) *stat.Estimate { return new(stat.Estimate(*r.SelfConsistency)) }, .84},
		{"ambiguity", func(r *Result) *stat.Estimate { return r.Ambiguity }, .3},
		{"ambiguity at 2", func(r *Result) *stat.Estimate { return &r.AmbiguityAtR.Estimate }, .16},
		{"PC below ½", func(r *Result) *stat.Estimate { return r.PCIntervals.BelowHalf }, .1},
		{"prompt-sensitive", func(r *Result) *stat.Estimate { return r.PromptSensitive }, .3},
		{"factual", func(r *Result) *stat.Estimate { return r.TaxonomyIntervals.Factual }, .5},
		{"error", func(r *Result) *stat.Estimate { return r.TaxonomyIntervals.Error }, .2},
		{"factual at .5", func(r *Result) *stat.Estimate { return at(r.Taus, .5).Factual }, .7},
		{"accuracy", func(r *Result) *stat.Estimate { return new(stat.Estimate(r.Accuracy.Average)) }, .7},
		{"mode error", func(r *Result) *stat.Estimate { return r.DecompositionIntervals.ModeError }, .2},
		{"variance", func(r *Result) *stat.Estimate { return r.DecompositionIntervals.Variance }, .08},
		{"overstatement", func(r *Result) *stat.Estimate { return r.Overstatement }, .3},
	}
	runs := archtest.Draws(12, 200, 200)
	r := seed.Stream(3, "clusters of consistency")
	held, byCase := make([]int, len(figures)), make([]int, len(figures))
	opt := DefaultOptions()
	opt.Taus, opt.CommonR = true, 2
	for range runs {
		cases := repeated(t, r)
		by, err := Analyze(cases, opt)
		if err != nil {
			t.Fatal(err)
		}
		bare, err := Analyze(alone(cases), opt)
		if err != nil {
			t.Fatal(err)
		}
		if by.Clusters != 60 || bare.Clusters != 0 || !strings.Contains(strings.Join(by.Warnings, " "), "are 60 clusters") {
			t.Fatalf("%d and %d clusters: %q", by.Clusters, bare.Clusters, by.Warnings)
		}
		for i, f := range figures {
			e, b := f.of(&by), f.of(&bare)
			if !archtest.Near(e.Value, b.Value, 1e-12) {
				t.Fatalf("%s: %v by cluster, %v by case", f.name, e.Value, b.Value)
			}
			held[i] += int(stat.Bit(e.Lo <= f.truth && f.truth <= e.Hi))
			byCase[i] += int(stat.Bit(b.Lo <= f.truth && f.truth <= b.Hi))
		}
	}
	for i, f := range figures {
		share, bare := float64(held[i])/float64(runs), float64(byCase[i])/float64(runs)
		t.Logf("%s: %.3f by cluster, %.3f by case", f.name, share, bare)
		if share < archtest.Least(.95, runs) || bare > .75 {
			t.Errorf("%s: %.3f by cluster, %.3f by case", f.name, share, bare)
		}
	}
}

// at returns the point whose shares are those of a threshold: the first that is not below it.
func at(taus []TauPoint, tau float64) TauPoint {
	return taus[slices.IndexFunc(taus, func(p TauPoint) bool { return p.Tau >= tau })]
}

// Numbers that no two cases share change no bit, and at each threshold the shares by cluster are those of the cases.
func TestClustersOfOneChangeNothing(t *testing.T) {
	cases := repeated(t, seed.Stream(4, "clusters of one"))
	opt := DefaultOptions()
	opt.Taus = true
	analyze := func(cases []*Case) Result {
		res, err := Analyze(cases, opt)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	bare, by := analyze(alone(cases)), analyze(cases)
	for i, p := range bare.Taus {
		if q := by.Taus[i]; q.Tau != p.Tau || !archtest.Near(q.Error.Value, p.Error.Value, 1e-12) ||
			!archtest.Near(q.Randomness.Value, p.Randomness.Value, 1e-12) ||
			!archtest.Near(q.Factual.Value, p.Factual.Value, 1e-12) ||
			!archtest.Near(q.PromptSensitive.Value, p.PromptSensitive.Value, 1e-12) {
			t.Errorf("at %v: %v, %v", p.Tau, p, q)
		}
	}
	own := alone(cases)
	for i, c := range own {
		c.Cluster = int32(i + 1)
	}
	if !reflect.DeepEqual(analyze(own), bare) {
		t.Error("a cluster for each case changes figures")
	}
}

// Draws, repeats and kinds of variant are by cluster too: ten cases of one question say as much as one case.
func TestOneQuestionIsOneObservation(t *testing.T) {
	var cases []*Case
	for i := range 10 {
		c := &Case{ID: fmt.Sprint(i), Gold: []answer.Form{answer.Value("g")}, Cluster: 1}
		for v, a := range "gx" {
			if err := c.Add(v, Answer{Form: answer.Value(string(a))}); err != nil {
				t.Fatal(err)
			}
		}
		cases = append(cases, c)
	}
	one := func(name string, lo, hi float64) {
		t.Helper()
		if hi-lo < .95 {
			t.Errorf("%s: [%v, %v]", name, lo, hi)
		}
	}
	p := PassesAt(cases, .95)[0]
	one("pass@1", p.Lo, p.Hi)
	if p.Cases != 10 {
		t.Errorf("%d cases", p.Cases)
	}
	e := RepeatAgreement([][]int{{3}, {3}, {1}, {2, 1}}, []int32{1, 1, 0, 1}, .95)
	one("repeats", e.Lo, e.Hi)
	f := CompareFamilies([]Family{{"a", cases}, {"b", cases}}, DefaultOptions())
	one("changed", f.Ranking[0].Changed.Lo, f.Ranking[0].Changed.Hi)
	one("disagreement", f.Ranking[0].Disagreement.Lo, f.Ranking[0].Disagreement.Hi)
	one("ambiguity", f.Ranking[0].AmbiguityAtR.Lo, f.Ranking[0].AmbiguityAtR.Hi)
	one("difference", f.Differences[0].Difference.Lo, f.Differences[0].Difference.Hi)
}

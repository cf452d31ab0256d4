package consistency

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
	"hallmark/internal/text/answer"
)

// chances are those of a case's answers to a variant: of two golds, then of wrong answers.
type chances []float64

// truth is the pair of so many variants that they are no sample: the plug-in forms at the chances.
func (p chances) truth() (pair Pair[float64]) {
	right := p[0] + p[1]
	pair.BiasSquared, pair.Variance = (1-right)*(1-right)/2, (1-right*right)/2
	for _, x := range p[2:] {
		pair.BiasSquared += x * x / 2
		pair.Variance -= x * x / 2
	}
	return pair
}

// A law holds the shares of cases of each kind, and the kinds.
type law struct {
	name   string
	shares []float64
	kinds  []chances
}

func (l law) truth() (pair Pair[float64]) {
	for i, k := range l.kinds {
		p := k.truth()
		pair.BiasSquared += l.shares[i] * p.BiasSquared
		pair.Variance += l.shares[i] * p.Variance
	}
	return pair
}

// laws: every kind of case; and one in which two cases in a hundred move.
var laws = []law{
	{"mixed", []float64{.5, .3, .2}, []chances{{1, 0, 0, 0}, {.5, .1, .25, .15}, {.1, 0, .6, .3}}},
	{"rare", []float64{.98, .02}, []chances{{1, 0, 0, 0}, {.3, .2, .5, 0}}},
}

// The mean over all that r variants may answer is the truth, whatever r is: the counts are gone through with their
// chances. The plug-in pair is short of the variance by (r - 1)/r, and long of bias² by as much.
func TestUnbiasedForEveryR(t *testing.T) {
	gold := []bool{true, true, false, false}
	for _, l := range laws {
		for _, p := range l.kinds {
			want := p.truth()
			for _, r := range []int{2, 3, 5, 10, 20} {
				var got, plugIn Pair[float64]
				counts := make([]int, len(p))
				var visit func(class, left int, chance float64)
				visit = func(class, left int, chance float64) {
					if class == len(p)-1 {
						counts[class] = left
						chance *= math.Pow(p[class], float64(left))
						_, u, b, _ := Decompose(counts, gold)
						got.BiasSquared += chance * u.BiasSquared
						got.Variance += chance * u.Variance
						plugIn.BiasSquared += chance * b.BiasSquared
						plugIn.Variance += chance * b.Variance
						return
					}
					ways := 1.
					for c := 0; c <= left; c++ {
						counts[class] = c
						visit(class+1, left-c, chance*ways*math.Pow(p[class], float64(c)))
						ways *= float64(left-c) / float64(c+1)
					}
				}
				visit(0, r, 1)
				short := want.Variance / float64(r)
				for name, x := range map[string][2]float64{
					"variance": {got.Variance, want.Variance}, "bias²": {got.BiasSquared, want.BiasSquared},
					"plug-in variance": {plugIn.Variance, want.Variance - short},
					"plug-in bias²":    {plugIn.BiasSquared, want.BiasSquared + short},
				} {
					if math.Abs(x[0]-x[1]) > 1e-11 {
						t.Errorf("%v, r = %d: the mean %s is %v, want %v", p, r, name, x[0], x[1])
					}
				}
			}
		}
	}
	if _, _, _, ok := Decompose([]int{1, 0}, []bool{true, false}); ok {
		t.Error("one answer has a variance")
	}
}

// By hand, four variants as of GSM8K's published answers (docs/analyze.md): the plug-in pair blames bias, the
// unbiased one variance. Of "b c d e", gold a, no two are equal: error 1 = ½ + ½, plug-in ½(1 + 4/16) + ½(1 - 4/16).
// Of "a b c a" 10 of 12 ordered pairs differ, and 2 are both wrong: error ½ = 2/24 + 10/24, plug-in 6/32 + 10/32.
func TestCureByHand(t *testing.T) {
	res, err := Analyze([]*Case{caseOf(t, "q1", "b c d e", "a"), caseOf(t, "q2", "a b c a", "a")}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	d := res.Decomposition
	if !archtest.Near(d.BiasSquared, (.5+2./24)/2, 1e-12) || !archtest.Near(d.Variance, (.5+10./24)/2, 1e-12) ||
		!archtest.Near(d.PlugIn.BiasSquared, (.625+6./32)/2, 1e-12) ||
		!archtest.Near(d.PlugIn.Variance, (.375+10./32)/2, 1e-12) {
		t.Errorf("%+v", d)
	}
	if d.Variance < d.BiasSquared || d.PlugIn.Variance > d.PlugIn.BiasSquared {
		t.Errorf("the cure does not flip: %+v", d)
	}
}

// runs draws one case of the law for each number of variants: the same case, asked anew.
func (l law) runs(t *testing.T, stream *rand.Rand, id string, rs ...int) []*Case {
	u, k := stream.Float64(), 0
	for u >= l.shares[k] && k < len(l.kinds)-1 {
		u -= l.shares[k]
		k++
	}
	out := make([]*Case, len(rs))
	for i, r := range rs {
		out[i] = &Case{ID: id, Gold: []answer.Form{answer.Value("0"), answer.Value("1")}}
		for v := range r {
			x, a := stream.Float64(), 0
			for x >= l.kinds[k][a] && a < len(l.kinds[k])-1 {
				x -= l.kinds[k][a]
				a++
			}
			if err := out[i].Add(v, Answer{Form: answer.Value(fmt.Sprint(a))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// Intervals of bias² and variance hold the truth, which is the same at every r, in 95 % of runs less three standard
// errors. Of a model that was asked in 3 variants and again in 5, in 20 or in 3, neither is said to have moved.
func TestDecompositionCoverage(t *testing.T) {
	draws := archtest.Draws(12, 100, 1000)
	for _, l := range laws {
		for _, n := range []int{50, 200}[:archtest.Draws(1, 2, 2)] {
			t.Run(fmt.Sprintf("%s of %d", l.name, n), func(t *testing.T) { l.covers(t, n, draws) })
		}
	}
}

func (l law) covers(t *testing.T, n, draws int) {
	stream := seed.Stream(1, "decomposition", l.name, fmt.Sprint(n))
	rs, truth := []int{3, 5, 20, 3}, l.truth()
	held := map[string]int{}
	hold := func(name string, e *stat.Estimate, truth float64) {
		if e.Lo <= truth && truth <= e.Hi {
			held[name]++
		}
	}
	mean := make([]Pair[float64], len(rs))
	for range draws {
		cases := make([][]*Case, len(rs))
		for i := range n {
			for k, c := range l.runs(t, stream, fmt.Sprint(i), rs...) {
				cases[k] = append(cases[k], c)
			}
		}
		standings := make([][]Standing, len(rs))
		for k, r := range rs {
			opt := DefaultOptions()
			opt.PerQuestion = true
			res, err := Analyze(cases[k], opt)
			if err != nil {
				t.Fatal(err)
			}
			standings[k] = StandingsOf(res)
			mean[k].BiasSquared += res.Decomposition.BiasSquared / float64(draws)
			mean[k].Variance += res.Decomposition.Variance / float64(draws)
			if k < 3 {
				hold(fmt.Sprintf("bias² at %d", r), res.DecompositionIntervals.BiasSquared, truth.BiasSquared)
				hold(fmt.Sprintf("variance at %d", r), res.DecompositionIntervals.Variance, truth.Variance)
			}
		}
		for k, r := range rs[1:] {
			s := Compare(standings[0], standings[1+k], .95).Decomposition
			hold(fmt.Sprintf("Δ bias², 3 to %d", r), s.BiasSquared.Difference, 0)
			hold(fmt.Sprintf("Δ variance, 3 to %d", r), s.Variance.Difference, 0)
			if s.Regime == Undecided {
				held[fmt.Sprintf("undecided, 3 to %d", r)]++
			}
		}
	}
	if want := 2*3 + 3*3; len(held) != want {
		t.Errorf("%d figures, want %d: %v", len(held), want, held)
	}
	for _, name := range slices.Sorted(maps.Keys(held)) {
		share := float64(held[name]) / float64(draws)
		t.Logf("%s: %.3f", name, share)
		if share < archtest.Least(.95, draws) {
			t.Errorf("%s: %d of %d", name, held[name], draws)
		}
	}
	// Means over n·draws cases of figures in [0, 1], whose standard error is at most ½/√(n·draws).
	for k, r := range rs {
		room := 2 / math.Sqrt(float64(n*draws))
		if math.Abs(mean[k].BiasSquared-truth.BiasSquared) > room || math.Abs(mean[k].Variance-truth.Variance) > room {
			t.Errorf("at %d variants the means are %+v, want %+v", r, mean[k], truth)
		}
	}
}

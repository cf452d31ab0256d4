package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/text/answer"
)

// A law gives the chance of g and of each of a few other answers, by kind of case.
type law [][]float64

const variants = 10

// draw answers of a case of some kind.
func (l law) draw(rng *rand.Rand, kind int) (answers [variants]int) {
	for v := range answers {
		u := rng.Float64()
		for a, p := range l[kind] {
			if u -= p; u < 0 || a == len(l[kind])-1 {
				answers[v] = a
				break
			}
		}
	}
	return answers
}

// sample draws n cases at each stage: the kind of a case is the same at all.
func sample(t testing.TB, rng *rand.Rand, n int, laws ...law) []Stage {
	stages := make([]Stage, len(laws))
	for s := range laws {
		stages[s] = Stage{Name: fmt.Sprint(s), Sparsity: float64(s) / 10}
	}
	for i := range n {
		kind := rng.IntN(len(laws[0]))
		for s, l := range laws {
			c := &consistency.Case{ID: fmt.Sprintf("%04d", i), Gold: []answer.Form{answer.Value("0")}}
			for v, a := range l.draw(rng, kind) {
				if err := c.Add(v, consistency.Answer{Form: answer.Value(fmt.Sprint(a))}); err != nil {
					t.Fatal(err)
				}
			}
			stages[s].Cases = append(stages[s].Cases, c)
		}
	}
	return stages
}

// moments are the expected PC of a case, from many draws of each kind, and its bias² and variance, from the chances
// of the answers.
func (l law) moments(rng *rand.Rand) (pc, bias, variance float64) {
	const draws = 20000
	for kind := range l {
		for range draws {
			var count [8]int
			for _, a := range l.draw(rng, kind) {
				count[a]++
			}
			pc += float64(slices.Max(count[:])) / variants
		}
		bias += (1 - l[kind][0]) * (1 - l[kind][0]) / 2
		variance += .5
		for a, p := range l[kind] {
			if variance -= p * p / 2; a > 0 {
				bias += p * p / 2
			}
		}
	}
	n := float64(len(l))
	return pc / (draws * n), bias / n, variance / n
}

var (
	scattered = law{{.5, .2, .2, .1}, {.1, .3, .3, .3}, {.9, .05, .05}}
	steadier  = law{{.8, .1, .1}, {.05, .8, .15}, {.95, .05}}
)

// Share of 95 % intervals of the paired differences from the dense model that hold the true difference: at least 95 %
// less Monte Carlo error, at the recommended size of a probe. The regime of two models that differ in the sampling of
// answers alone is undecided as often, and that of a model that lost variance at no cost in bias is never that of a
// worse one.
func TestDifferencesCover(t *testing.T) {
	rng := seed.Stream(3, "sweep", "cover")
	const n = LeastCases
	runs := archtest.Draws(20, 100, 100)
	pc0, bias0, var0 := scattered.moments(rng)
	pc1, bias1, var1 := steadier.moments(rng)
	opt := DefaultOptions()
	opt.Resamples = 1
	var held [4]int
	undecided, worse := 0, 0
	for range runs {
		res, err := Analyze(sample(t, rng, n, scattered, steadier, scattered), opt)
		if err != nil {
			t.Fatal(err)
		}
		a := res.Stages[1].Against
		for i, x := range []struct{ lo, hi, want float64 }{
			{a.SemanticStability.Difference.Lo, a.SemanticStability.Difference.Hi, pc1 - pc0},
			{a.Decomposition.BiasSquared.Difference.Lo, a.Decomposition.BiasSquared.Difference.Hi, bias1 - bias0},
			{a.Decomposition.Variance.Difference.Lo, a.Decomposition.Variance.Difference.Hi, var1 - var0},
			{a.Decomposition.OtherBeatsBase.Difference.Lo, a.Decomposition.OtherBeatsBase.Difference.Hi,
				bias1 - bias0 + var1 - var0},
		} {
			if x.lo <= x.want && x.want <= x.hi {
				held[i]++
			}
		}
		if r := res.Stages[1].Regime; r == consistency.BothWorse || r == consistency.BiasDominated {
			worse++
		}
		if res.Stages[2].Regime == consistency.Undecided {
			undecided++
		}
	}
	least := float64(runs) * archtest.Least(.95, runs)
	for i, name := range []string{"semantic stability", "bias²", "variance", "net"} {
		t.Logf("%s: %d of %d intervals hold the difference", name, held[i], runs)
		if float64(held[i]) < least {
			t.Errorf("%s: %d of %d intervals hold the difference", name, held[i], runs)
		}
	}
	t.Logf("undecided %d of %d, worse %d", undecided, runs, worse)
	if float64(undecided) < least || worse > 0 {
		t.Errorf("of %d runs an equal model is undecided in %d, and a better one called worse in %d", runs, undecided, worse)
	}
}

// The share of resamples in which a stage is the peak is, of two stages, close to the normal limit Phi(d/se) of their
// paired difference.
func TestPeakShareAgainstNormal(t *testing.T) {
	rng := seed.Stream(5, "sweep", "share")
	for range 8 {
		stages := rows(t, sample(t, rng, 100, scattered, law{{.55, .2, .15, .1}, {.1, .35, .3, .25}, {.9, .05, .05}}))
		p := DefaultOptions().peak(stages)
		var sum, squares float64
		for i := range stages[0].standings {
			d := stages[1].standings[i].PC - stages[0].standings[i].PC
			sum += d
			squares += d * d
		}
		n := float64(len(stages[0].standings))
		mean := sum / n
		want := math.Erfc(-mean/math.Sqrt((squares/n-mean*mean)/n)/math.Sqrt2) / 2
		if got := stages[1].PeakShare; math.Abs(got-want) > .03 {
			t.Errorf("share %.3f of %d resamples, the normal limit is %.3f", got, p.Resamples, want)
		}
	}
}

// rows are the stages as peak wants them.
func rows(t testing.TB, stages []Stage) []Row {
	out := make([]Row, len(stages))
	o := DefaultOptions()
	o.Consistency.PerQuestion = true
	for i, s := range stages {
		c, err := consistency.Analyze(s.Cases, o.Consistency)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = Row{Stage: s.Name, Sparsity: s.Sparsity, standings: consistency.StandingsOf(c)}
	}
	return out
}

// Of six stages, the true best one is among the optimal ones in at least 95 % of runs, less Monte Carlo error: where it
// is a little better than five equal ones, and where all are equal and any counts as the best.
func TestOptimalHoldsTheBest(t *testing.T) {
	rng := seed.Stream(7, "sweep", "best")
	const n = LeastCases
	runs := archtest.Draws(10, 50, 50)
	better := law{{.58, .17, .15, .1}, {.1, .4, .25, .25}, {.9, .05, .05}}
	for name, best := range map[string]law{"better": better, "equal": scattered} {
		held := 0
		opt := DefaultOptions()
		opt.Resamples = 1
		for range runs {
			stages := rows(t, sample(t, rng, n, scattered, scattered, best, scattered, scattered, scattered))
			opt.peak(stages)
			if stages[2].Optimal {
				held++
			}
		}
		t.Logf("%s: %d of %d", name, held, runs)
		if least := float64(runs) * archtest.Least(.95, runs); float64(held) < least {
			t.Errorf("%s: the best stage is among the optimal ones in %d of %d runs", name, held, runs)
		}
	}
}

package consistency

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// pass@k against binomial coefficients, and one value by hand: of ten draws three are right, so five miss them all in
// C(7,5)/C(10,5) = 21/252.
func TestPassAt(t *testing.T) {
	if p, ok := PassAt(10, 3, 5); !ok || !archtest.Near(p, 1-21./252, 1e-12) {
		t.Errorf("pass@5 of 3 in 10 is %v", p)
	}
	for n := range 12 {
		for c := range n + 1 {
			for k := 1; k <= n; k++ {
				want, _ := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(n-c), int64(k)),
					new(big.Int).Binomial(int64(n), int64(k))).Float64()
				if p, ok := PassAt(n, c, k); !ok || !archtest.Near(p, 1-want, 1e-12) {
					t.Errorf("pass@%d of %d in %d is %v, want %v", k, c, n, p, 1-want)
				}
			}
		}
	}
	for _, bad := range [][3]int{{3, 1, 4}, {3, 1, 0}, {3, 4, 1}, {3, -1, 1}} {
		if p, ok := PassAt(bad[0], bad[1], bad[2]); ok {
			t.Errorf("%v gives %v", bad, p)
		}
	}
}

// Over draws that are right with chance p, the mean of pass@k is 1 - (1-p)^k: exactly, by the binomial law of c.
func TestPassAtIsUnbiased(t *testing.T) {
	const n = 8
	for _, p := range []float64{.1, .35, .8} {
		for k := 1; k <= n; k++ {
			mean := 0.
			for c := range n + 1 {
				chance, _ := new(big.Float).SetInt(new(big.Int).Binomial(n, int64(c))).Float64()
				pass, _ := PassAt(n, c, k)
				mean += chance * math.Pow(p, float64(c)) * math.Pow(1-p, float64(n-c)) * pass
			}
			if want := 1 - math.Pow(1-p, float64(k)); !archtest.Near(mean, want, 1e-12) {
				t.Errorf("p = %v: mean pass@%d is %v, want %v", p, k, mean, want)
			}
		}
	}
}

func TestPassesAt(t *testing.T) {
	cases := []*Case{
		caseOf(t, "all", "a a a a a a", "a"), caseOf(t, "half", "a b a b a b", "a"), caseOf(t, "never", "b c b c b _", "a"),
		caseOf(t, "no gold", "a b", ""), caseOf(t, "nothing", "_ _", "a"),
	}
	got := PassesAt(cases, .95)
	// Five draws at least: pass@2 of half is 1 - 3/15, pass@5 of 3 in 6 is 1.
	want := []PassAtK{{K: 1, Cases: 3, Estimate: stat.Estimate{Value: .5}},
		{K: 2, Cases: 3, Estimate: stat.Estimate{Value: (1 + .8) / 3}},
		{K: 5, Cases: 3, Estimate: stat.Estimate{Value: 2. / 3}}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if g := got[i]; g.K != w.K || g.Cases != w.Cases || g.N != w.Cases || !archtest.Near(g.Value, w.Value, 1e-12) ||
			!(g.Lo < g.Value && g.Value < g.Hi) {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	if got := PassesAt(nil, .95); got != nil {
		t.Errorf("no cases give %+v", got)
	}
}

// Old terms by hand: the default's answers against where the cases stand.
func TestOldTerms(t *testing.T) {
	res, err := Analyze([]*Case{
		caseOf(t, "known", "a a a a a a a a a a", "a"),
		caseOf(t, "luck", "a b c d a b c d a b", "a"),
		caseOf(t, "slip", "b a a a a a a a a a", "a"),   // the default is wrong, the rest right: .8
		caseOf(t, "lonely", "a b b b b b b b b b", "a"), // the reverse
		caseOf(t, "myth", "b b b b b b b b b b", "a"),
		caseOf(t, "late", "_ a a a a a a a a a", "a"), // no scored variant 0
		caseOf(t, "open", "a a", ""),
	}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	o := res.OldTerms
	if o == nil || o.Questions != 5 || !archtest.Near(o.Factual.Value, .6, 1e-12) ||
		!archtest.Near(o.Hallucination.Value, .4, 1e-12) ||
		o.DefaultInMinority != 2 {
		t.Fatalf("%+v", o)
	}
	if w := stat.Wilson(3, 5, .95); o.Factual.Lo != w.Lo || o.Factual.Hi != w.Hi {
		t.Errorf("interval %+v", o.Factual)
	}
	if f := o.Factual; f.Factual != 1 || f.Error != 1 || f.Randomness != 1 {
		t.Errorf("the right ones stand at %+v", f)
	}
	if h := o.Hallucination; h.Factual != 1 || h.Error != 1 || h.Randomness != 0 {
		t.Errorf("the wrong ones stand at %+v", h)
	}
	if !archtest.Near(res.Overstatement.Value, .6-.4, 1e-12) {
		t.Errorf("overstatement %+v", res.Overstatement)
	}
}

// Each interval holds its estimate, and the quadrants are the taxonomy with randomness parted by the mode.
func TestIntervalsHoldTheirFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cases []*Case
		for i := range rapid.IntRange(1, 12).Draw(t, "cases") {
			words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "?", "!", "_"}), 2, 8).Draw(t, "answers")
			cases = append(cases, caseOf(t, fmt.Sprint(i), strings.Join(words, " "), "a"))
		}
		opt := DefaultOptions()
		opt.Taus = true
		res, err := Analyze(cases, opt)
		if err != nil {
			t.Fatal(err)
		}
		if res.Questions == 0 {
			return
		}
		q, qi, d, di := res.Quadrants, res.QuadrantIntervals, res.Decomposition, res.DecompositionIntervals
		for i, p := range []struct {
			x float64
			i *stat.Estimate
		}{
			{q.StableCorrect, qi.StableCorrect}, {q.StableWrong, qi.StableWrong},
			{q.UnstableCorrect, qi.UnstableCorrect}, {q.UnstableWrong, qi.UnstableWrong},
			{d.Error, di.Error}, {d.BiasSquared, di.BiasSquared}, {d.Variance, di.Variance}, {d.ModeError, di.ModeError},
			{d.PlugIn.BiasSquared, di.PlugIn.BiasSquared}, {d.PlugIn.Variance, di.PlugIn.Variance},
		} {
			if p.i == nil || p.x != p.i.Value || !(p.i.Lo <= p.x && p.x <= p.i.Hi && p.i.Lo < p.i.Hi && p.i.Lo >= 0 &&
				p.i.Hi <= 1) {
				t.Fatalf("figure %d: %v in %+v", i, p.x, p.i)
			}
		}
		if di.Variance.Hi > .5 || di.PlugIn.Variance.Hi > .5 {
			t.Fatalf("variances of %v and %v", di.Variance.Hi, di.PlugIn.Variance.Hi)
		}
		if !archtest.Near(q.StableCorrect, res.Taxonomy.Factual, 1e-12) ||
			!archtest.Near(q.StableWrong, res.Taxonomy.Error, 1e-12) ||
			!archtest.Near(q.UnstableCorrect+q.UnstableWrong, res.Taxonomy.Randomness, 1e-12) {
			t.Fatalf("%+v and %+v", q, res.Taxonomy)
		}
		if !archtest.Near(d.BiasSquared+d.Variance, d.Error, 1e-12) ||
			!archtest.Near(q.StableWrong+q.UnstableWrong, d.ModeError, 1e-12) {
			t.Fatalf("%+v, %+v", d, q)
		}
	})
}

// Every point of a sweep is what an analysis at its threshold gives, from 0 to 1, and shares only ever move towards
// randomness.
func TestSweep(t *testing.T) {
	archtest.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		var cases []*Case
		for i := range rapid.IntRange(1, 4).Draw(t, "cases") {
			words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 2, 5).Draw(t, "answers")
			cases = append(cases, caseOf(t, fmt.Sprint(i), strings.Join(words, " "),
				rapid.SampledFrom([]string{"a", "", "b"}).Draw(t, "gold")))
		}
		opt := Options{Tau: rapid.SampledFrom([]float64{.8, 0, 1, .7123, 1. / 3}).Draw(t, "tau"), Level: .95, Taus: true,
			WithReplacement: rapid.Bool().Draw(t, "with")}
		res, err := Analyze(cases, opt)
		if err != nil {
			t.Fatal(err)
		}
		points := res.Taus
		first := rapid.IntRange(0, 3).Draw(t, "first") // of which every fourth is compared
		if points[0].Tau != 0 || points[len(points)-1].Tau != 1 {
			t.Fatalf("from %v to %v", points[0].Tau, points[len(points)-1].Tau)
		}
		own := false
		for i, p := range points {
			own = own || p.Tau == opt.Tau
			if i > 0 && (p.Tau <= points[i-1].Tau || p.Randomness != nil && p.Randomness.Value < points[i-1].Randomness.Value) {
				t.Fatalf("point %d of %+v", i, points)
			}
			if i%4 != first {
				continue
			}
			at := opt
			at.Tau, at.Taus = p.Tau, false
			want, err := Analyze(cases, at)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(p.PromptSensitive, want.PromptSensitive) {
				t.Fatalf("at %v: %+v, want %+v", p.Tau, p.PromptSensitive, want.PromptSensitive)
			}
			if want.Taxonomy == nil {
				if p.Factual != nil || p.Error != nil || p.Randomness != nil {
					t.Fatalf("at %v: %+v without gold", p.Tau, p)
				}
				continue
			}
			if w := want.TaxonomyIntervals; !reflect.DeepEqual([]*stat.Estimate{p.Factual, p.Error, p.Randomness},
				[]*stat.Estimate{w.Factual, w.Error, w.Randomness}) {
				t.Fatalf("at %v: %+v, want %+v", p.Tau, p, w)
			}
		}
		if !own {
			t.Fatalf("no point at %v", opt.Tau)
		}
	})
}

// A share that changes between two points changes right at the lower one: at the threshold rounded down of some case.
func TestSweepHasTheSteps(t *testing.T) {
	opt := DefaultOptions()
	opt.Taus = true
	res, err := Analyze([]*Case{
		caseOf(t, "q1", "a a a a a a a a a b", "a"), caseOf(t, "q2", "a a a a a a a a b b", "a"),
		caseOf(t, "q3", "a b c d", "a"), caseOf(t, "q4", "a a a", "b"),
	}, opt)
	if err != nil {
		t.Fatal(err)
	}
	var taus []string
	for _, p := range res.Taus {
		taus = append(taus, fmt.Sprint(p.Tau))
	}
	if got := strings.Join(taus, " "); got != "0 0.6444 0.8 1" { // 58/90 is .64444…
		t.Errorf("points at %s", got)
	}
	// More levels than points: the sweep is at even steps, beside tau.
	var many []*Case
	for r := 2; r < 40; r++ {
		many = append(many, of(t, fmt.Sprintf("%d a", r), r-1, r, "mode"), of(t, fmt.Sprintf("%d b", r), (r+1)/2, r, "mode"))
	}
	opt.Tau = .815
	if res, err = Analyze(many, opt); err != nil || len(res.Taus) != 52 || res.Taus[1].Tau != .02 ||
		res.Taus[41].Tau != .815 {
		t.Errorf("%d points, %v", len(res.Taus), err)
	}
}

func family(t interface{ Fatal(...any) }, name string, answers ...string) Family {
	f := Family{Name: name}
	for i, a := range answers {
		f.Cases = append(f.Cases, caseOf(t, fmt.Sprint("q", i), a, "a"))
	}
	return f
}

// Two families by hand. Orders: 1 - SC is 0, 2/3 and 1; wordings 0 and 1/2 (over four: 3 of 6 pairs).
func TestFamilies(t *testing.T) {
	wording := family(t, "wording", "a a a a", "a a a b", "_ a b")
	order := family(t, "order", "a a a", "a b a", "b _ a", "a")
	f := CompareFamilies([]Family{wording, order, family(t, "empty", "a", "_ a")}, DefaultOptions())
	if f == nil || len(f.Ranking) != 2 || f.Ranking[0].Family != "order" || f.CommonR != 2 || len(f.Warnings) != 1 ||
		f.ChangesMost != "" {
		t.Fatalf("%+v", f)
	}
	o, w := f.Ranking[0], f.Ranking[1]
	if o.Questions != 3 || !archtest.Near(o.Disagreement.Value, (0+2./3+1)/3, 1e-12) ||
		!archtest.Near(o.Changed.Value, (0+.5+1)/3, 1e-12) ||
		o.Variants != (Extremes{2, 3}) {
		t.Errorf("order: %+v", o)
	}
	// The third case has no scored variant 0, so it says nothing of change.
	if w.Questions != 3 || !archtest.Near(w.Disagreement.Value, (0+.5+1)/3, 1e-12) ||
		!archtest.Near(w.Changed.Value, (0+1./3)/2, 1e-12) {
		t.Errorf("wording: %+v", w)
	}
	// At two variants ambiguity is disagreement.
	if !archtest.Near(o.AmbiguityAtR.Value, o.Disagreement.Value, 1e-12) ||
		!archtest.Near(w.AmbiguityAtR.Value, w.Disagreement.Value, 1e-12) {
		t.Errorf("at two: %+v, %+v", o.AmbiguityAtR, w.AmbiguityAtR)
	}
	d := f.Differences[0]
	if len(f.Differences) != 1 || d.Family != "order" || d.Less != "wording" || d.Questions != 3 ||
		!archtest.Near(d.Difference.Value, (0+1./6+0)/3, 1e-12) || d.Level != .95 {
		t.Errorf("difference: %+v", d)
	}
	if f := CompareFamilies([]Family{family(t, "empty", "a")}, DefaultOptions()); f != nil {
		t.Errorf("nothing to compare gives %+v", f)
	}
	opt := DefaultOptions()
	opt.CommonR = 3
	if f := CompareFamilies([]Family{order}, opt); f.CommonR != 0 || f.Ranking[0].AmbiguityAtR != nil ||
		len(f.Warnings) != 1 {
		t.Errorf("at three: %+v", f)
	}
	opt.CommonR, opt.ExcludeDefault = 0, true
	if f := CompareFamilies([]Family{wording}, opt); f.Ranking[0].Questions != 3 ||
		!archtest.Near(f.Ranking[0].Disagreement.Value, (0+2./3+1)/3, 1e-12) ||
		!archtest.Near(f.Ranking[0].Changed.Value, (0+1./3)/2, 1e-12) {
		t.Errorf("without the default: %+v", f.Ranking[0])
	}
}

// Families with clearly different effects are told apart, and the winner is named.
func TestFamiliesAreTold(t *testing.T) {
	var still, moving, mild []string
	for i := range 60 {
		still = append(still, "a a a a a")
		moving = append(moving, "a b a b c")
		if mild = append(mild, "a a a a a"); i%4 == 0 {
			mild[i] = "a a a a b"
		}
	}
	f := CompareFamilies([]Family{family(t, "still", still...), family(t, "moving", moving...),
		family(t, "mild", mild...)}, DefaultOptions())
	if f.ChangesMost != "moving" || f.Ranking[1].Family != "mild" || f.Ranking[2].Family != "still" ||
		len(f.Differences) != 3 || !archtest.Near(f.Differences[0].Level, 1-.05/3, 1e-12) {
		t.Errorf("%+v", f)
	}
}

// Simulated cases of known truth: the intervals of variance, bias², pass@5, ambiguity at 3 and a family difference
// hold it in at least 95 % of runs less three standard errors. Each case is of a kind that answers right with chance
// p, variant by variant; the variance of the two classes is p(1-p), whatever r, the expected error 1-p, and bias² the
// rest; one of five is right with chance 1 - (1-p)^5, and three differ with chance 1 - p³ - (1-p)³. Two variants
// disagree with chance 2p(1-p).
func TestFigureCoverage(t *testing.T) {
	const n, r = 40, 10
	draws := archtest.Draws(30, 1000, 4000)
	kinds := []struct{ share, p, other float64 }{{.5, 1, 1}, {.3, .9, .6},
		{.2, .5, .95}} // p of one family, and of the other
	var variance, failure, difference, pass, ambiguity float64
	for _, k := range kinds {
		variance += k.share * k.p * (1 - k.p)
		failure += k.share * (1 - k.p)
		pass += k.share * (1 - math.Pow(1-k.p, 5))
		ambiguity += k.share * (1 - math.Pow(k.p, 3) - math.Pow(1-k.p, 3))
		difference += k.share * (2*k.p*(1-k.p) - 2*k.other*(1-k.other))
	}
	held := map[string]int{}
	hold := func(name string, i *stat.Estimate, truth float64) {
		if i.Lo <= truth && truth <= i.Hi {
			held[name]++
		}
	}
	stream := seed.Stream(1, "figures")
	for range draws {
		var one, two Family
		one.Name, two.Name = "one", "two"
		for i := range n {
			u, k := stream.Float64(), 0
			for u >= kinds[k].share && k < len(kinds)-1 {
				u -= kinds[k].share
				k++
			}
			id := fmt.Sprint(i)
			one.Cases = append(one.Cases, caseOf(t, id, bernoulli(stream, kinds[k].p, r), "a"))
			two.Cases = append(two.Cases, caseOf(t, id, bernoulli(stream, kinds[k].other, r), "a"))
		}
		opt := DefaultOptions()
		opt.CommonR = 3
		res, err := Analyze(one.Cases, opt)
		if err != nil {
			t.Fatal(err)
		}
		hold("variance", res.DecompositionIntervals.Variance, variance)
		hold("bias²", res.DecompositionIntervals.BiasSquared, failure-variance)
		p := PassesAt(one.Cases, .95)[2]
		hold("pass@5", &p.Estimate, pass)
		hold("ambiguity at 3", &stat.Estimate{Value: res.AmbiguityAtR.Value, Lo: res.AmbiguityAtR.Lo,
			Hi: res.AmbiguityAtR.Hi}, ambiguity)
		hold("error", res.DecompositionIntervals.Error, failure)
		d := CompareFamilies([]Family{one, two}, DefaultOptions()).Differences[0]
		truth := difference
		if d.Family == "two" {
			truth = -difference
		}
		hold("difference", d.Difference, truth)
	}
	for name, k := range held {
		share := float64(k) / float64(draws)
		t.Logf("%s: %.3f", name, share)
		if share < archtest.Least(.95, draws) {
			t.Errorf("%s: %d of %d intervals hold the truth", name, k, draws)
		}
	}
	if len(held) != 6 {
		t.Errorf("%v", held)
	}
}

func bernoulli(stream *rand.Rand, p float64, r int) string {
	words := make([]string, r)
	for i := range words {
		if words[i] = "b"; stream.Float64() < p {
			words[i] = "a"
		}
	}
	return strings.Join(words, " ")
}

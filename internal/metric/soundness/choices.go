package soundness

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// choices are the questions whose right option is known, one of each cluster, with what was chosen of them.
func (l *Log) choices(chosen bool) (all []choice, of []*Case) {
	seen := map[int32]bool{}
	answers := map[*Case]*Answer{}
	for _, x := range l.first() {
		answers[x.Case] = x.Answer
	}
	for i := range l.Cases {
		c := &l.Cases[i]
		if len(c.Options) < 2 || c.Right < 0 || c.Cluster != 0 && seen[c.Cluster] {
			continue
		}
		one := choice{len(c.Options), c.Right, -1}
		if a := answers[c]; a != nil {
			one.chosen = a.Chosen
		}
		if chosen && one.chosen < 0 {
			continue
		}
		seen[c.Cluster] = true
		all, of = append(all, one), append(of, c)
	}
	return all, of
}

// letters names a place of an option.
func letter(at int) string {
	if at < 26 {
		return string(rune('A' + at))
	}
	return fmt.Sprintf("option %d", at+1)
}

// leastChoices are the questions from which places are tested.
const leastChoices = 10

// rightPosition tests whether the right option stands at every place as often: uniformP.
func rightPosition(l *Log, o *Options) ([]Issue, string) {
	all, of := l.choices(false)
	if len(all) < leastChoices {
		return nil, fmt.Sprintf("fewer than %d questions have options of which one is right", leastChoices)
	}
	most, f := worst(all, o.Level, func(c *choice) int { return c.right }, nil)
	f.P, f.Severity = new(uniformP(all, seed.Stream(o.Seed, "doctor", "right position", l.Suite))), Doubt
	f.Text = fmt.Sprintf("the right option is %s in %d of %s, and %s would be by chance: %s %s", letter(most), f.Count,
		figure.Counted(len(all), "question"), figure.Fixed(float64(f.Count)-f.Effect.Value*float64(len(all)), 1),
		points(f.Effect.Value), moreOrLess(f.Effect.Value, "fewer"))
	f.Remedy = "shuffle the options (--variants options:N): who always chooses that place is right more often"
	f.examples(all, of, func(c *choice) bool { return c.right == most })
	return []Issue{f}, ""
}

func moreOrLess(x float64, less string) string {
	if x < 0 {
		return less
	}
	return "more"
}

// positionBias tests whether answers prefer a place: preferenceP. The effect is the share of answers that chose it less
// the share in which it is right.
func positionBias(l *Log, o *Options) ([]Issue, string) {
	all, of := l.choices(true)
	if len(all) < leastChoices {
		return nil, fmt.Sprintf("of fewer than %d questions with options it is known which one was chosen",
			leastChoices)
	}
	p := preferenceP(all, seed.Stream(o.Seed, "doctor", "position bias", l.Suite, l.Model))
	most, f := worst(all, o.Level, func(c *choice) int { return c.chosen }, func(c *choice) int { return c.right })
	right := 0
	for _, c := range all {
		if c.right == most {
			right++
		}
	}
	n := float64(len(all))
	f.P, f.Severity = &p, Doubt
	f.Text = fmt.Sprintf("%s is chosen in %s of %s and is right in %s: %s %s", letter(most),
		percent(float64(f.Count)/n),
		figure.Counted(len(all), "answer"), percent(float64(right)/n), points(f.Effect.Value),
		moreOrLess(f.Effect.Value, "less"))
	f.Remedy = "ask in other orders of the options too (--variants options:N), and take the answer of most orders"
	f.examples(all, of, func(c *choice) bool { return c.chosen == most && c.right != most })
	return []Issue{f}, ""
}

func (f *Issue) examples(all []choice, of []*Case, which func(*choice) bool) {
	var t tally
	for i := range all {
		if which(&all[i]) {
			t.add(of[i])
		}
	}
	f.Examples = t.ids
}

// worst returns the place whose share of questions differs most from that in which base has it (nil: each place of a
// question as likely), with the difference as a paired one.
func worst(all []choice, level float64, at, base func(*choice) int) (most int, f Issue) {
	places := 0
	for _, c := range all {
		places = max(places, c.options)
	}
	for j := range places {
		was, is, count := make([]float64, len(all)), make([]float64, len(all)), 0
		for i := range all {
			c := &all[i]
			if is[i] = stat.Bit(at(c) == j); is[i] == 1 {
				count++
			}
			switch {
			case base != nil:
				was[i] = stat.Bit(base(c) == j)
			case j < c.options:
				was[i] = 1 / float64(c.options)
			}
		}
		d := stat.Paired(was, is, nil, level).Estimate
		if f.Effect == nil || math.Abs(d.Value) > math.Abs(f.Effect.Value) {
			most, f = j, Issue{Count: count, Of: len(all), Effect: &d, Unit: "share"}
		}
	}
	return most, f
}

// poissonBinomial returns the chance that of independent events with the chances p at least k happen,
//
//	P(X >= k),  X = Σ Bernoulli(p_i)
//
// in [0, 1]; 1 for k <= 0. Exact by the recursion over events up to 5,000 of them; beyond, by the normal limit with a
// correction for continuity. It does not change p. Source: Chen and Liu, Statistica Sinica 7 (1997) 875-892.
func poissonBinomial(p []float64, k int) float64 {
	if k <= 0 {
		return 1
	}
	if len(p) > mostExact {
		var mean, variance float64
		for _, x := range p {
			mean, variance = mean+x, variance+float64(x*(1-x))
		}
		return math.Erfc((float64(k)-.5-mean)/math.Sqrt(2*variance)) / 2
	}
	at := make([]float64, k+1) // the chance of so many so far; the last: k or more
	at[0] = 1
	for _, x := range p {
		at[k] += float64(at[k-1] * x)
		for i := k - 1; i > 0; i-- {
			at[i] = float64(at[i]*(1-x)) + float64(at[i-1]*x)
		}
		at[0] *= 1 - x
	}
	return min(1, at[k])
}

const mostExact = 5000

// A choice is one question with options, and which of them is right and was chosen, by their places.
type choice struct {
	options, right, chosen int // chosen is -1 where nothing is known of it
}

// A stratum is the choices of one number of options, which of them are right, and how many are to be expected at each
// place.
type stratum struct {
	all    []choice
	right  []bool
	want   []float64
	counts []float64 // as many, for chiSquare to count in
}

// strataOf parts choices by their number of options, in the order of these; want says what is expected of a part.
func strataOf(all []choice, want func(part []choice, options int) []float64) (out []stratum) {
	by := map[int][]choice{}
	for _, c := range all {
		by[c.options] = append(by[c.options], c)
	}
	for _, k := range slices.Sorted(maps.Keys(by)) {
		s := stratum{all: by[k], want: want(by[k], k)}
		for _, c := range s.all {
			s.right = append(s.right, c.chosen == c.right)
		}
		out = append(out, s)
	}
	return out
}

// chiSquare is Σ (O - E)²/E over the places of all strata that can be expected, with each choice at a place.
func chiSquare(strata []stratum, place func(s *stratum, i int) int) (x float64) {
	for k := range strata {
		s := &strata[k]
		if s.counts == nil {
			s.counts = make([]float64, len(s.want))
		}
		counts := s.counts
		clear(counts)
		for i := range s.all {
			counts[place(s, i)]++
		}
		for j, n := range counts {
			if s.want[j] > 0 {
				x += (n - s.want[j]) * (n - s.want[j]) / s.want[j]
			}
		}
	}
	return x
}

// uniformP tests whether the right option is as likely at every place. With strata s of questions with k_s options,
//
//	X² = Σ_s Σ_j (O_sj - n_s/k_s)² / (n_s/k_s)
//
// p is that of the chi-square distribution with Σ (k_s - 1) degrees of freedom where every n_s/k_s is 5 or more, else
// the share of draws of right places with an X² as large, the data among them. In (0, 1]. Source: Pearson, 1900;
// Monte Carlo tests: Davison and Hinkley, Bootstrap Methods and their Application (1997) ch. 4.
func uniformP(all []choice, rng *rand.Rand) float64 {
	large, freedom := true, 0
	strata := strataOf(all, func(part []choice, options int) []float64 {
		large = large && len(part) >= 5*options
		freedom += options - 1
		return slices.Repeat([]float64{float64(len(part)) / float64(options)}, options)
	})
	x := chiSquare(strata, func(s *stratum, i int) int { return s.all[i].right })
	if large {
		return distuv.ChiSquared{K: float64(freedom)}.Survival(x)
	}
	return drawn(len(all), func() bool {
		return chiSquare(strata, func(s *stratum, _ int) int { return rng.IntN(len(s.want)) }) >= x-1e-9
	})
}

// drawn returns (1 + draws for which asLarge holds) / (1 + draws), of as many draws as n units allow in a second or so.
func drawn(n int, asLarge func() bool) float64 {
	draws := min(max(20_000_000/max(n, 1), 399), 9999)
	hits := 1
	for range draws {
		if asLarge() {
			hits++
		}
	}
	return float64(hits) / float64(draws+1)
}

// preferenceP tests whether answers prefer a place, whatever stands there. Under no preference a question is answered
// right or not whatever the place of its right option, and a wrong answer falls on each of the others as likely. So
// within strata of k options, with C right answers among n,
//
//	E_j = N_j C/n + (n - N_j)(1 - C/n)/(k - 1)
//	X² = Σ_s Σ_j (O_j - E_j)² / E_j
//
// with O_j the answers that chose place j and N_j the questions whose right option stands there; p is the share of
// draws with an X² as large: which answers are right is shuffled, and wrong ones are dealt to other places. In (0, 1].
// Source: as uniformP; the null is this project's.
func preferenceP(all []choice, rng *rand.Rand) float64 {
	strata := strataOf(all, func(part []choice, options int) []float64 {
		correct, want := 0., make([]float64, options)
		for _, c := range part {
			correct += stat.Bit(c.chosen == c.right)
			want[c.right]++
		}
		n := float64(len(part))
		rate := correct / n
		for j, at := range want {
			want[j] = at*rate + (n-at)*(1-rate)/float64(options-1)
		}
		return want
	})
	x := chiSquare(strata, func(s *stratum, i int) int { return s.all[i].chosen })
	return drawn(len(all), func() bool {
		for _, s := range strata {
			rng.Shuffle(len(s.right), func(i, j int) { s.right[i], s.right[j] = s.right[j], s.right[i] })
		}
		return chiSquare(strata, func(s *stratum, i int) int {
			right := s.all[i].right
			if s.right[i] {
				return right
			}
			at := rng.IntN(len(s.want) - 1)
			if at >= right {
				at++
			}
			return at
		}) >= x-1e-9
	})
}

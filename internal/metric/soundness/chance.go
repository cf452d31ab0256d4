package soundness

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

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

// strata parts choices by their number of options, in the order of these.
func strata(all []choice) (out [][]choice) {
	by := map[int][]choice{}
	var sizes []int
	for _, c := range all {
		if by[c.options] == nil {
			sizes = append(sizes, c.options)
		}
		by[c.options] = append(by[c.options], c)
	}
	slices.Sort(sizes)
	for _, k := range sizes {
		out = append(out, by[k])
	}
	return out
}

// uniformP tests whether the right option is as likely at every place. With strata s of questions with k_s options,
//
//	X² = Σ_s Σ_j (O_sj - n_s/k_s)² / (n_s/k_s)
//
// p is that of the chi-square distribution with Σ (k_s - 1) degrees of freedom where every n_s/k_s is 5 or more, else
// the share of draws of right places with an X² as large, the data among them. In (0, 1]. Source: Pearson, 1900;
// Monte Carlo tests: Davison and Hinkley, Bootstrap Methods and their Application (1997) ch. 4.
func uniformP(all []choice, rng *rand.Rand) float64 {
	parts := strata(all)
	large, freedom := true, 0
	statistic := func(place func(c *choice) int) (x float64) {
		for _, part := range parts {
			counts := make([]float64, part[0].options)
			for i := range part {
				counts[place(&part[i])]++
			}
			want := float64(len(part)) / float64(len(counts))
			for _, n := range counts {
				x += (n - want) * (n - want) / want
			}
		}
		return x
	}
	for _, part := range parts {
		large = large && len(part) >= 5*part[0].options
		freedom += part[0].options - 1
	}
	x := statistic(func(c *choice) int { return c.right })
	if large {
		return distuv.ChiSquared{K: float64(freedom)}.Survival(x)
	}
	return drawn(len(all), func() bool {
		return statistic(func(c *choice) int { return rng.IntN(c.options) }) >= x-1e-9
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
	type part struct {
		all   []choice
		right []bool
		want  []float64
	}
	var parts []part
	for _, s := range strata(all) {
		p := part{all: s, want: make([]float64, s[0].options)}
		correct := 0.
		for i := range s {
			hit := s[i].chosen == s[i].right
			if p.right = append(p.right, hit); hit {
				correct++
			}
		}
		n, k := float64(len(s)), float64(s[0].options)
		rate := correct / n
		for i := range s {
			p.want[s[i].right]++
		}
		for j, at := range p.want {
			p.want[j] = at*rate + (n-at)*(1-rate)/(k-1)
		}
		parts = append(parts, p)
	}
	statistic := func(place func(p *part, i int) int) (x float64) {
		for at := range parts {
			p := &parts[at]
			counts := make([]float64, len(p.want))
			for i := range p.all {
				counts[place(p, i)]++
			}
			for j, n := range counts {
				if p.want[j] > 0 {
					x += (n - p.want[j]) * (n - p.want[j]) / p.want[j]
				}
			}
		}
		return x
	}
	x := statistic(func(p *part, i int) int { return p.all[i].chosen })
	return drawn(len(all), func() bool {
		for _, p := range parts {
			rng.Shuffle(len(p.right), func(i, j int) { p.right[i], p.right[j] = p.right[j], p.right[i] })
		}
		return statistic(func(p *part, i int) int {
			c := p.all[i]
			if p.right[i] {
				return c.right
			}
			at := rng.IntN(c.options - 1)
			if at >= c.right {
				at++
			}
			return at
		}) >= x-1e-9
	})
}

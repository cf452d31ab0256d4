package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A ReadStratum is the cases that a grader read alike, of which a random sample was labelled by people.
type ReadStratum struct {
	N      int   // cases, labelled or not
	Labels []int // of the labelled ones, how many are truly of each kind; every stratum has the same kinds
}

// labelled returns how many cases of the stratum have a label.
func (s ReadStratum) labelled() (k int) {
	for _, n := range s.Labels {
		k += n
	}
	return k
}

// doubleDraws is how many samples make the bounds of DoubleSampled.
const doubleDraws = 4000

// DoubleSampled returns the share of all cases that are truly of each kind, from what a grader read on all of them and people on a random sample of
// those that it read alike: double sampling for misclassified data.
//
// Formula: with n_s of n cases in stratum s of S, and a_sj of its k_s labelled ones of kind j,
//
//	θ_j = Σ_s (n_s/n) (a_sj/k_s)
//
// which sum to 1 over j. Bounds are quantiles at the level of Σ_s W_s P_sj over 4,000 samples from r, with
//
//	W ~ Dirichlet(n_1 + 1/2, …, n_S + 1/2),  P_sj ~ Beta(a_sj + e, k_s - a_sj + f)
//
// with e = 1/(2S) and f = 1/3 for the lower bound, which is 0 where no label is of the kind, and the other way round for the upper one, which is 1
// where all are. So the bounds of a kind and of all others mirror each other. A prior of 1/2 in each of many strata would weigh as much as the labels at low rates; and
// with the same e on both sides (GRADING 4) strata of few labels that all agree have hardly any width: .88 to .92 covered with 4 to 8 strata at a rate of .5 (docs/decisions/0028).
//
// Range: [0, 1]; θ lies within its bounds. Strata without cases are left out. Edge cases: no case, no value. A stratum with cases and without a label is a
// misuse: it panics, as it does where a stratum has more labels than cases or another number of kinds. It changes nothing. Coverage of 95 % intervals: TestDoubleSampledCovers, docs/methods.md.
//
// Source: Tenenbein, A double sampling scheme for estimating from binomial data with misclassifications, JASA 65 (1970) 1350; the priors are chosen by
// simulation.
func DoubleSampled(strata []ReadStratum, level float64, r *rand.Rand) []Estimate {
	return doubleSampled(strata, level, doubleDraws, r)
}

func doubleSampled(strata []ReadStratum, level float64, draws int, r *rand.Rand) []Estimate {
	strata = slices.DeleteFunc(slices.Clone(strata), func(s ReadStratum) bool { return s.N == 0 })
	n, labelled := 0, 0
	for _, s := range strata {
		if s.labelled() == 0 || s.labelled() > s.N || len(s.Labels) != len(strata[0].Labels) {
			panic(fmt.Sprintf("stat: a stratum of %d cases with %d labels of %d kinds", s.N, s.labelled(), len(s.Labels)))
		}
		n, labelled = n+s.N, labelled+s.labelled()
	}
	if n == 0 {
		return nil
	}
	out := make([]Estimate, len(strata[0].Labels))
	lows, highs := make([][]float64, len(out)), make([][]float64, len(out))
	w := make([]float64, len(strata))
	for range draws {
		dirichlet(w, strata, r)
		for j := range out {
			lo, hi := 0., 0.
			for i, s := range strata {
				a, b := float64(s.Labels[j]), float64(s.labelled()-s.Labels[j])
				least := 1 / float64(2*len(strata))
				lo += float64(w[i] * distuv.Beta{Alpha: a + least, Beta: b + 1./3, Src: r}.Rand())
				hi += float64(w[i] * distuv.Beta{Alpha: a + 1./3, Beta: b + least, Src: r}.Rand())
			}
			lows[j], highs[j] = append(lows[j], lo), append(highs[j], hi)
		}
	}
	tail := (1 - level) / 2
	for j := range out {
		e := Estimate{Level: level, N: n, Method: "double sampling"}
		some, others := 0, 0
		for _, s := range strata {
			e.Value += float64(float64(s.N) / float64(n) * float64(s.Labels[j]) / float64(s.labelled()))
			some, others = some+s.Labels[j], others+s.labelled()-s.Labels[j]
		}
		slices.Sort(lows[j])
		slices.Sort(highs[j])
		if some > 0 {
			e.Lo = min(e.Value, atQuantile(lows[j], tail))
		}
		e.Hi = 1
		if others > 0 {
			e.Hi = max(e.Value, atQuantile(highs[j], 1-tail))
		}
		out[j] = e
	}
	return out
}

// DoubleSampledShare returns the share of one kind among some, itself with them,
//
//	θ_kind / Σ_{j in among} θ_j
//
// with θ of DoubleSampled, and bounds as there but that P_s ~ Dirichlet with e added to the kind, and f to each other. It has no value where θ of all of them is 0.
func DoubleSampledShare(strata []ReadStratum, kind int, among []int, level float64, r *rand.Rand) Estimate {
	strata = slices.DeleteFunc(slices.Clone(strata), func(s ReadStratum) bool { return s.N == 0 })
	e := Estimate{Level: level, Method: "double sampling"}
	var share, all float64
	var have, others int
	for _, s := range strata {
		for _, j := range among {
			x := float64(s.N) * float64(s.Labels[j]) / float64(s.labelled())
			if all += x; j == kind {
				share, have = share+x, have+s.Labels[j]
			} else {
				others += s.Labels[j]
			}
		}
		e.N += s.N
	}
	if all == 0 {
		return Estimate{Level: level}
	}
	e.Value = share / all
	w := make([]float64, len(strata))
	bound := func(own, other, q float64) float64 {
		draws := make([]float64, doubleDraws)
		for d := range draws {
			dirichlet(w, strata, r)
			var one, some float64
			for i, s := range strata {
				var total, ofSome, ofOne float64
				for j, k := range s.Labels {
					prior := other
					if j == kind {
						prior = own
					}
					x := distuv.Gamma{Alpha: float64(k) + prior, Beta: 1, Src: r}.Rand()
					total += x
					if slices.Contains(among, j) {
						ofSome += x
					}
					if j == kind {
						ofOne = x
					}
				}
				one += float64(w[i] * ofOne / total)
				some += float64(w[i] * ofSome / total)
			}
			draws[d] = one / some
		}
		slices.Sort(draws)
		return atQuantile(draws, q)
	}
	tail, least := (1-level)/2, 1/float64(2*len(strata))
	if e.Hi = 1; have > 0 {
		e.Lo = min(e.Value, bound(least, 1./3, tail))
	}
	if others > 0 {
		e.Hi = max(e.Value, bound(1./3, least, 1-tail))
	}
	return e
}

// dirichlet fills w with a sample of the shares of strata.
func dirichlet(w []float64, strata []ReadStratum, r *rand.Rand) {
	sum := 0.
	for i, s := range strata {
		w[i] = distuv.Gamma{Alpha: float64(s.N) + .5, Beta: 1, Src: r}.Rand()
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
}

// atQuantile returns the q-quantile of sorted values, between two of them by the line that joins them.
func atQuantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// Allocate returns how many of m further labels each stratum gets, one after the other where it lowers the variance of the share of a kind most: first
// where fewer than 3 are, then by
//
//	(n_s/n)² p_s (1 - p_s) (1/k_s - 1/(k_s + 1)),  p_s = (a_s + 1)/(k_s + 2) of the labels that are there
//
// among the strata that have cases left; of equals it is the first. Labels may be all 0. Source: Neyman's allocation, one label at a time (Cochran, Sampling Techniques, 1977,
// ch. 5).
func Allocate(strata []ReadStratum, kind, m int) []int {
	p, added := newPlan(strata, kind), make([]int, len(strata))
	for ; m > 0; m-- {
		s := p.next()
		if s < 0 {
			break
		}
		p.k[s]++
		added[s]++
	}
	return added
}

// LabelsFor returns how many further labels, given out by Allocate, bring the interval of the share of a kind to a width, as far as the variance tells,
//
//	2 z sqrt(Σ (n_s/n)² p_s (1 - p_s)/k_s + (Σ (n_s/n) p_s² - θ²)/n) <= width
//
// with p_s as there; ok is false where labels of all cases would not do. Range: [0, cases without a label].
func LabelsFor(strata []ReadStratum, kind int, width, level float64) (m int, ok bool) {
	p, z := newPlan(strata, kind), Z(level)
	for ; 2*z*math.Sqrt(p.variance()) > width; m++ {
		s := p.next()
		if s < 0 {
			return m, false
		}
		p.k[s]++
	}
	return m, true
}

// A labelling is a plan of labels in the making.
type labelling struct {
	strata []ReadStratum
	p, w   []float64
	k      []int
	n      float64
}

func newPlan(strata []ReadStratum, kind int) *labelling {
	x := &labelling{strata: strata}
	for _, s := range strata {
		x.n += float64(s.N)
	}
	for _, s := range strata {
		k := s.labelled()
		x.k = append(x.k, k)
		x.p = append(x.p, float64(s.Labels[kind]+1)/float64(k+2))
		x.w = append(x.w, float64(s.N)/x.n)
	}
	return x
}

// next returns the stratum that gets the next label, -1 where every case has one.
func (x *labelling) next() int {
	const each = 3
	best, most := -1, 0.
	for i, s := range x.strata {
		k := x.k[i]
		if k >= s.N {
			continue
		}
		gain := float64(each - k) // above any variance, which is at most 1/4
		if k >= each {
			gain = float64(x.w[i] * x.w[i] * x.p[i] * (1 - x.p[i]) / float64(k*(k+1)))
		}
		if best < 0 || gain > most {
			best, most = i, gain
		}
	}
	return best
}

// variance returns that of the share, +Inf where a stratum has cases and no label.
func (x *labelling) variance() float64 {
	var within, squares, theta float64
	for i := range x.strata {
		if x.strata[i].N == 0 {
			continue
		}
		w, p := x.w[i], x.p[i]
		within += float64(w * w * p * (1 - p) / float64(x.k[i]))
		squares += float64(w * p * p)
		theta += float64(w * p)
	}
	return within + (squares-theta*theta)/x.n
}

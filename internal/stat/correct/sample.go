// Package correct estimates the true shares of a run's answers from two sources: the verdicts of a grader on all of
// them, and labels of people, or a check of the grader, on some. It has double sampling, the choice of the answer
// whose label would narrow the interval most, the inversion of a grader's error rates, tests of whether the sources
// agree, and the difference of two models.
//
// A grader's verdicts part the answers into strata (correct, incorrect, not attempted, ungradable, or any others);
// what an answer truly is is its kind. Both are numbered from 0. The case is the unit of inference: answers of one
// case are not independent. Nothing here reads or writes anything, and nothing changes its arguments. Where numbers
// are drawn they come from internal/base/seed, so that the same arguments give the same bytes.
//
// Shares of 95 % intervals that hold the truth, as HALLMARK_LONG=1 go test -run Covers -v prints them, by cell of a
// grid: how many cells, the least, median and greatest share, and how many cells are below .93 and above .97
// (conservative: perfect graders, rates of .01 and .05, and 9 strata in nearly all cases):
//
//	figure                           cells   least  median  greatest  < .93  > .97
//	rates, labels in proportion         51   0.930   0.973     1.000      0     26
//	rates, labels as Next says         105   0.930   0.977     1.000      0     58
//	rates, several answers a case       18   0.930   0.957     0.977      0      1
//	two models, paired                 240   0.930   0.977     1.000      0    129
//	inversion of a check                72   0.930   0.947     0.977      0      2
package correct

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"hallmark/internal/stat"

	"gonum.org/v1/gonum/stat/distuv"
)

// NoLabel is the Kind of an answer that nobody labelled.
const NoLabel = -1

// An Answer is one answer of a case.
type Answer struct {
	Stratum int // how it was read
	// what it says: answers of a case with one value are of one kind; "" is the value of this answer alone
	Value string
	Kind  int // what people say it is, or NoLabel
	// Weight is above 0 where the answer was drawn at random to be labelled: how many answers of its stratum it
	// stands for, beside the others that were drawn there; see Draw. Where each case has one answer it is 1.
	Weight float64
}

// A Sample is the answers of a run by how they were read, with those that were drawn to be labelled.
type Sample struct {
	Strata  []Stratum
	Cases   int
	Answers int
	kinds   int
	// what cases, or clusters of them, are made of, in ascending order; nil where each case has one answer and is a
	// cluster of its own
	made []makeup
	// by stratum, the labels of the cluster that has most, at least 1; nil where each case is one
	sizes   []float64
	largest float64 // what the answers of the largest cluster weigh
}

// A Stratum is the answers that were read alike.
type Stratum struct {
	Answers int
	// of these answers, where each case weighs the same and all together weigh as many as they are; Answers with
	// equal cases
	Mass  float64
	Cases int // that have such an answer
	// of these cases, those with an answer here that was drawn and whose kind is known: at most one counts
	Drawn int
	// Labels says how many of the drawn ones are of each kind. With unequal weights it is the number of equally
	// weighted answers that tell as much,
	//
	//	Labels_j = (Σw)²/Σw² · Σ_{i of kind j} w_i / Σw     (Kish)
	Labels []float64
}

// labelled returns Σ Labels.
func (s *Stratum) labelled() float64 { return stat.Sum(s.Labels) }

// makeup is what the answers of a case, or of a cluster of cases, weigh in each stratum, and how many are just so.
type makeup struct {
	in     []float64
	at     []int       // strata where there are any
	labels [][]float64 // of a cluster, by stratum and kind, as Stratum has them; nil of a case
	said   [][2]int    // strata and kinds of which there are labels
	cases  float64
}

// Counts are the cases of a stratum, each with one answer, and how many of the labelled ones are of each kind.
type Counts struct {
	N      int // labelled or not
	Labels []int
}

// Counted returns the sample of cases with one answer each. It panics where a stratum has more labels than cases,
// or another number of kinds than the first.
func Counted(strata []Counts) *Sample {
	s := &Sample{Strata: make([]Stratum, len(strata))}
	for i, x := range strata {
		own := Stratum{Answers: x.N, Mass: float64(x.N), Cases: x.N, Labels: make([]float64, len(x.Labels))}
		for j, k := range x.Labels {
			own.Drawn += k
			own.Labels[j] = float64(k)
		}
		if own.Drawn > x.N || len(x.Labels) != len(strata[0].Labels) {
			panic(fmt.Sprintf("correct: stratum %d has %d cases and %d labels of %d kinds", i, x.N, own.Drawn,
				len(x.Labels)))
		}
		s.Strata[i], s.kinds = own, len(x.Labels)
		s.Cases, s.Answers = s.Cases+x.N, s.Answers+x.N
	}
	return s
}

// Of returns the sample that cases make, each of them its answers. Of a case at most one answer counts in a
// stratum: the first that has a weight and whose kind is known, by its own label or by that of another answer of
// the case with the same value. So a label on a value counts for all answers that have it, and copies of it are no
// further observations. Each case weighs the same, whatever the number of its answers. A label of an answer that
// was not drawn says nothing of others: it replaces the verdict on its own answer, which is the caller's to do, and
// counts for drawn answers of the same value only.
//
// It panics on a stratum or kind out of range. The order of cases changes nothing where weights are whole numbers
func Of(cases [][]Answer, strata, kinds int) *Sample {
	s := &Sample{Strata: make([]Stratum, strata), kinds: kinds}
	weights, squares := make([]float64, strata), make([]float64, strata)
	for i := range s.Strata {
		s.Strata[i].Labels = make([]float64, kinds)
	}
	bySize := map[int][][]Answer{}
	for _, answers := range cases {
		if n := len(answers); n > 0 {
			bySize[n] = append(bySize[n], answers)
			s.Cases, s.Answers = s.Cases+1, s.Answers+n
		}
	}
	several := s.Answers > s.Cases
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		unit := float64(s.Answers) / float64(s.Cases*size) // what an answer weighs: 1 with equal cases
		counted, squared := s.countIn(bySize[size], unit)
		for i, x := range counted {
			own := &s.Strata[i]
			own.Answers, own.Cases, own.Drawn = own.Answers+x.Answers, own.Cases+x.Cases, own.Drawn+x.Drawn
			own.Mass += float64(unit * float64(x.Answers))
			for j, k := range x.Labels {
				own.Labels[j] += float64(unit * k)
				weights[i] += float64(unit * k)
			}
			squares[i] += float64(unit * unit * squared[i])
		}
	}
	for i := range s.Strata {
		for j := range s.Strata[i].Labels {
			if squares[i] > 0 {
				s.Strata[i].Labels[j] *= weights[i] / squares[i]
			}
		}
	}
	if !several {
		s.made = nil
		return s
	}
	slices.SortFunc(s.made, func(a, b makeup) int { return slices.Compare(a.in, b.in) })
	distinct := s.made[:0]
	for _, m := range s.made {
		if n := len(distinct); n > 0 && slices.Equal(distinct[n-1].in, m.in) {
			distinct[n-1].cases++
			continue
		}
		distinct = append(distinct, m)
	}
	s.made = distinct
	return s
}

// countIn counts cases of one size, of which an answer weighs unit, by stratum: Labels are sums of weights, beside
// those of their squares. It appends what the cases are made of.
func (s *Sample) countIn(cases [][]Answer, unit float64) (own []Stratum, squares []float64) {
	own, squares = make([]Stratum, len(s.Strata)), make([]float64, len(s.Strata))
	for i := range own {
		own[i].Labels = make([]float64, s.kinds)
	}
	for _, answers := range cases {
		m := makeup{in: make([]float64, len(own)), cases: 1}
		counted := make([]bool, len(own))
		for i, a := range answers {
			if a.Stratum < 0 || a.Stratum >= len(own) || a.Kind < NoLabel || a.Kind >= s.kinds || a.Weight < 0 {
				panic(fmt.Sprintf("correct: an answer of stratum %d of %d, kind %d of %d and weight %v", a.Stratum,
					len(own), a.Kind, s.kinds, a.Weight))
			}
			x := &own[a.Stratum]
			x.Answers++
			if m.in[a.Stratum]++; m.in[a.Stratum] == 1 {
				x.Cases++
			}
			if kind := counts(answers, i, counted); kind != NoLabel {
				x.Drawn++
				x.Labels[kind] += a.Weight
				squares[a.Stratum] += float64(a.Weight * a.Weight)
			}
		}
		for i := range m.in {
			if m.in[i] > 0 {
				m.at = append(m.at, i)
			}
			m.in[i] *= unit
		}
		s.made = append(s.made, m)
	}
	return own, squares
}

// counts returns the kind of an answer of a case if its label counts, and notes that its stratum has one: NoLabel if
// not, as one of the stratum counts already, or it was not drawn, or its kind is not known.
func counts(answers []Answer, i int, counted []bool) int {
	a := answers[i]
	if a.Weight == 0 || counted[a.Stratum] {
		return NoLabel
	}
	kind := kindOf(answers, i)
	counted[a.Stratum] = kind != NoLabel
	return kind
}

// kindOf returns the kind of an answer of a case: its own label, else that of the first answer with its value;
// NoLabel where there is none.
func kindOf(answers []Answer, i int) int {
	own := answers[i]
	if own.Kind != NoLabel || own.Value == "" {
		return own.Kind
	}
	for _, a := range answers {
		if a.Value == own.Value && a.Kind != NoLabel {
			return a.Kind
		}
	}
	return NoLabel
}

// What it takes to correct a rate.
const (
	LeastLabels = 30 // of drawn answers
	LeastEach   = 3  // of drawn answers of each stratum, or all of its cases
)

// A Lack is how many further labels of drawn answers are wanting.
type Lack struct {
	All    int   // labels, at least the sum of Strata
	Strata []int // of each stratum
}

// Lack returns what is wanting before shares can be corrected by labels; All is 0 where nothing is.
func (s *Sample) Lack() Lack {
	l := Lack{Strata: make([]int, len(s.Strata))}
	all, each := 0, 0
	for i, x := range s.Strata {
		l.Strata[i] = max(0, min(LeastEach, x.Cases)-x.Drawn)
		all, each = all+x.Drawn, each+l.Strata[i]
	}
	l.All = max(each, LeastLabels-all)
	return l
}

// filled returns the strata that have answers. It panics if one of them has no label, where labels are needed.
func (s *Sample) filled() (at []int) {
	for i, x := range s.Strata {
		if x.Answers == 0 {
			continue
		}
		if x.Drawn == 0 {
			panic(fmt.Sprintf("correct: stratum %d has %d answers and no label; ask Lack first", i, x.Answers))
		}
		at = append(at, i)
	}
	return at
}

// draw fills w with a sample of the shares of the answers that stand in each stratum: where each case has one answer
//
//	w ~ Dirichlet(n_1 + prior, …, n_S + prior)
//
// over the strata of at, and else by the Bayesian bootstrap over cases: with m_cs what the answers of case c in stratum
// s weigh, g_c ~ Exponential(1) and h_s ~ Gamma(prior),
//
//	w_s ∝ Σ_c g_c m_cs + h_s m
//
// where m is the mean number of answers of a case; with one answer a case both are the same. Source: Rubin, The
// Bayesian bootstrap, Ann. Statist. 9 (1981) 130.
func (s *Sample) draw(w []float64, at []int, prior float64, r *rand.Rand) {
	clear(w)
	if s.made == nil {
		for _, i := range at {
			w[i] = gamma(float64(s.Strata[i].Answers)+prior, r)
		}
	} else {
		for _, m := range s.made {
			g := gamma(m.cases, r)
			for _, i := range m.at {
				w[i] += float64(g * m.in[i])
			}
		}
		size := float64(s.Answers) / float64(s.Cases)
		for _, i := range at {
			w[i] += float64(gamma(prior, r) * size)
		}
	}
	toShares(w)
}

// designEffect is the variance of the shares of strata over what it would be if every answer were of a case of its own,
//
//	C/(C-1) Σ_s Σ_c (m_cs - q_s m_c)² / Σ_s n q_s (1 - q_s),   q_s = n_s/n
//
// for C cases, or clusters of them, and at least 1. Source: Cochran, Sampling Techniques (1977) ch. 9.
func (s *Sample) designEffect() float64 {
	var between, within float64
	n, c := float64(s.Answers), 0.
	for _, m := range s.made {
		c += m.cases
	}
	for i, x := range s.Strata {
		q := x.Mass / n
		within += float64(n * q * (1 - q))
		for _, m := range s.made {
			d := m.in[i] - float64(q*stat.Sum(m.in))
			between += float64(m.cases * d * d)
		}
	}
	if s.made == nil || within == 0 || c < 2 {
		return 1
	}
	return max(1, c/(c-1)*between/within)
}

// gamma draws from Gamma(shape, 1): of few whole shapes as a sum of exponentials, which is faster.
func gamma(shape float64, r *rand.Rand) (x float64) {
	if k := int(shape); k <= 4 && float64(k) == shape {
		for range k {
			x += r.ExpFloat64()
		}
		return x
	}
	return distuv.Gamma{Alpha: shape, Beta: 1, Src: r}.Rand()
}

// atQuantile returns the q-quantile of sorted values, between two of them by the line that joins them.
func atQuantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-2)
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// bounds returns the quantiles of samples at a level.
func bounds(draws []float64, level float64) (lo, hi float64) {
	draws = slices.Sorted(slices.Values(draws))
	tail := (1 - level) / 2
	return atQuantile(draws, tail), atQuantile(draws, 1-tail)
}

// first returns the index of the greatest value, the first of equals; -1 where none is above 0.
func first(xs []float64) int {
	best, most := -1, 0.
	for i, x := range xs {
		if x > most {
			best, most = i, x
		}
	}
	return best
}

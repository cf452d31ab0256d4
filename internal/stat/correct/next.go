package correct

import (
	"math"
	"strconv"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// Next returns how many of m further labels each stratum gets, one after the other: first where fewer than 3 are,
// the least first; then, until there are 30 in all, where an answer stands for most others, W_s/(k_s + 1); and from
// there where a label lowers the variance of the share of a kind most,
//
//	W_s² p_s (1 - p_s) (1/k_s - 1/(k_s + 1)),   p_s = (a_s + 1)/(k_s + 2)
//
// with a_s of the k_s labels that are there of the kind. Strata all of whose cases are drawn are passed over; of
// equals it is the first. The sum is below m where no case is left. Source: Neyman's allocation, one label at a
// time (Cochran, Sampling Techniques, 1977, ch. 5).
func (s *Sample) Next(kind, m int) []int {
	return s.plan(kind).take(m)
}

// Enough returns how many further labels, given out as Next does, bring the interval of the share of a kind to a
// width, by its variance
//
//	v = Σ_s W_s² p_s (1 - p_s)/k_s + (Σ_s W_s p_s² - θ²) D/n,   2 z sqrt(v) <= width
//
// with p_s as in Next, n the answers and D their design effect. It is false where labels of all cases would not do;
// m is then the number of these. Once there the width is within some 15 % of what was wanted (TestEnough).
func (s *Sample) Enough(kind int, width, level float64) (m int, ok bool) {
	p, z := s.plan(kind), stat.Z(level)
	for ; 2*z*math.Sqrt(p.variance()) > width; m++ {
		i := p.next()
		if i < 0 {
			return m, false
		}
		p.add(i)
	}
	return m, true
}

// plan returns where labels may go, and what they would tell of a kind.
func (s *Sample) plan(kind int) *plan {
	p := &plan{unit: s.designEffect() / float64(max(1, s.Answers))}
	for i := range s.Strata {
		x := &s.Strata[i]
		worth := s.worth(i)
		k := worth * x.labelled()
		rate := (float64(worth*x.Labels[kind]) + 1) / (k + 2)
		part := part{share: x.Mass / float64(max(1, s.Answers)), mean: rate, variance: rate * (1 - rate),
			drawn: x.Drawn, left: x.Cases - x.Drawn, each: 1}
		if x.Drawn > 0 {
			part.each = k / float64(x.Drawn)
		}
		p.parts = append(p.parts, part)
	}
	return p
}

// A plan is labels in the making.
type plan struct {
	parts []part
	unit  float64 // variance of a share is that of one answer times this
}

// A part is one stratum of a plan.
type part struct {
	share          float64 // of all answers
	mean, variance float64 // of what a label says
	drawn, left    int     // cases with a label, and without
	each           float64 // how many equally weighted answers a label tells as much as
}

// next returns the stratum that gets the next label, -1 where no case is left.
func (p *plan) next() int {
	wants, all := make([]float64, len(p.parts)), 0
	first3 := false
	for i, x := range p.parts {
		all += x.drawn
		if x.left > 0 && x.drawn < LeastEach {
			wants[i], first3 = float64(LeastEach-x.drawn), true
		}
	}
	for i, x := range p.parts {
		switch {
		case first3 || x.left == 0:
		case all < LeastLabels:
			wants[i] = x.share / float64(x.drawn+1)
		default:
			k := float64(x.each * float64(x.drawn))
			wants[i] = float64(x.share*x.share*x.variance) * (1/k - 1/(k+x.each))
		}
	}
	return first(wants)
}

func (p *plan) add(i int) {
	p.parts[i].drawn++
	p.parts[i].left--
}

func (p *plan) take(m int) []int {
	taken := make([]int, len(p.parts))
	for range m {
		i := p.next()
		if i < 0 {
			break
		}
		p.add(i)
		taken[i]++
	}
	return taken
}

// variance returns that of the mean of what labels say, +Inf where a stratum has answers and no label.
func (p *plan) variance() float64 {
	var within, squares, theta float64
	for _, x := range p.parts {
		if x.share > 0 {
			within += float64(x.share * x.share * x.variance / float64(x.each*float64(x.drawn)))
		}
		squares += float64(x.share * x.mean * x.mean)
		theta += float64(x.share * x.mean)
	}
	return within + float64((squares-theta*theta)*p.unit)
}

// A Pick is an answer that is drawn to be labelled.
type Pick struct {
	Case, Answer int // where it stands
	// what it is known to be by the label of another answer with its value; NoLabel: people are to be asked
	Kind   int
	Weight float64 // what its Weight is, now that it is drawn
}

// Draw returns further answers to be labelled, as many of each stratum as take says (see Next) or as there are:
// cases in the order of a shuffle, among those that have an answer in the stratum of which none was drawn yet, and
// in each one answer there at random. Its weight is how many answers the case has in the stratum. Draws come from
// the streams (seed, "correct", "draw", stratum), so that those of a smaller sample are the first of a larger one.
func Draw(cases [][]Answer, take []int, seedValue uint64) (picks []Pick) {
	for s, m := range take {
		r := seed.Stream(seedValue, "correct", "draw", strconv.Itoa(s))
		for _, c := range r.Perm(len(cases)) {
			u := r.Uint64()
			var at []int
			drawn := false
			for i, a := range cases[c] {
				if a.Stratum == s {
					at = append(at, i)
					drawn = drawn || a.Weight > 0
				}
			}
			if m <= 0 || drawn || len(at) == 0 {
				continue
			}
			i := at[u%uint64(len(at))]
			picks = append(picks, Pick{c, i, kindOf(cases[c], i), float64(len(at))})
			m--
		}
	}
	return picks
}

package posterior

import "math"

// A Spread is what a pilot estimate says of the noise of one chain: the standard deviation of the rate over
// extensions, and that of one answer drawn, so that K of them add Inner²/K to the variance of a chain.
type Spread struct {
	Outer, Inner float64
}

// SpreadOf reads the spread off a result: its standard errors are those of M chains of K draws.
func SpreadOf(r Result) Spread {
	if r.StandardError == nil {
		return Spread{}
	}
	m := math.Sqrt(float64(r.M))
	return Spread{r.StandardError.Outer * m, r.StandardError.Inner * m * math.Sqrt(float64(r.K))}
}

// A Design is the M and K that reach a standard error for one query, and the calls that they take; one call returns
// one made-up pair, one drawn answer or one distribution.
type Design struct {
	M     int     `json:"m"`
	K     int     `json:"k,omitempty"`
	Calls int     `json:"calls"`
	Error float64 `json:"error"` // reached
}

// Fits reports whether every design for a standard error e takes at most 10^15 calls; beyond it none is returned.
func (s Spread) Fits(e float64, extend int) bool {
	const most, largestK = 1e15, 10_000
	return (s.Outer*s.Outer+s.Inner*s.Inner/2)/(e*e)*float64(extend+2*largestK) <= most
}

// DesignSum returns the design for sums,
//
//	M = ⌈Outer²/e²⌉,  calls = M (extend + 1) + 1,
//
// for a standard error e above 0; M is 2 at least.
func DesignSum(s Spread, e float64, extend int) Design {
	m := max(2, int(math.Ceil(s.Outer*s.Outer/(e*e)-1e-9)))
	return Design{M: m, Calls: m*(extend+1) + 1, Error: s.Outer / math.Sqrt(float64(m))}
}

// DesignPublished returns the design for draws with the fewest calls, M (extend + 2K), at a standard error e,
//
//	e² = (Outer² + Inner²/K)/M,  K = Inner √(extend/2)/Outer,
//
// the K rounded to the neighbour that is cheaper, or with the k that is given where it is above 0. K is 2 at least
// and at most 10,000. The bias of K draws is not in it.
func DesignPublished(s Spread, e float64, extend, k int) Design {
	at := func(k int) Design {
		variance := s.Outer*s.Outer + s.Inner*s.Inner/float64(k)
		m := max(2, int(math.Ceil(variance/(e*e)-1e-9)))
		return Design{M: m, K: k, Calls: m * (extend + 2*k), Error: math.Sqrt(variance / float64(m))}
	}
	if k > 0 {
		return at(k)
	}
	best := 10_000.
	if s.Outer > 0 {
		best = min(best, s.Inner*math.Sqrt(float64(extend)/2)/s.Outer)
	}
	low, high := at(max(2, int(best))), at(max(2, int(math.Ceil(best))))
	if high.Calls < low.Calls {
		return high
	}
	return low
}

package posterior

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Spread is what a pilot estimate says of the noise of one chain: the standard deviation of the rate over
// extensions, and that of one answer drawn, so that K of them add Inner²/K to the variance of a chain.
type Spread struct {
	Outer, Inner float64
}

// SpreadOf reads the spread off a result: its standard errors are those of M chains of K samples.
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
// and at most 10,000. The bias of K samples is not in it.
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

// Designs are what `hallmark plan posterior` prints: how much to draw for a standard error, by each estimator.
type Designs struct {
	Error     float64  `json:"error"` // the standard error asked for, of one query's rate
	Extend    int      `json:"extend"`
	OuterSD   float64  `json:"outer_sd"` // of the rate over extensions
	InnerSD   float64  `json:"inner_sd"` // of one drawn answer
	Sum       Design   `json:"sum"`
	Published Design   `json:"published"`
	AtK50     Design   `json:"published_k50"` // with the source's K
	Warnings  []string `json:"warnings"`
}

// A DesignQuestion is what `hallmark plan posterior` is asked, a field for each flag.
type DesignQuestion struct {
	Error, Outer, Inner float64
	Extend              int
	From                string            // the result of a pilot
	Has                 func(string) bool // reports whether a flag was set
}

// Answer makes the designs. Every error says what of the question is to be mended.
func (q *DesignQuestion) Answer() (*Designs, error) {
	doc := &Designs{Error: q.Error, Extend: q.Extend, Warnings: []string{}}
	s := Spread{Outer: q.Outer, Inner: q.Inner}
	if q.From != "" {
		if q.Has("outer-sd") || q.Has("inner-sd") {
			return nil, errors.New("--from has the spread: leave out --outer-sd and --inner-sd")
		}
		pilot, err := readPilot(q.From)
		if err != nil {
			return nil, err
		}
		s = SpreadOf(pilot)
		if pilot.Estimator == Sum {
			s.Inner = q.Inner
			stat.Warn(&doc.Warnings, "%s is of sums, which say nothing of drawn answers: inner_sd is %s, the largest "+
				"that a share has; a pilot by --estimator published says more", q.From, figure.Exact(q.Inner))
		}
		if pilot.M < 100 {
			stat.Warn(&doc.Warnings, "the pilot has M = %d: its spread is rough, and so is the plan", pilot.M)
		}
		if !q.Has("extend") {
			doc.Extend = pilot.Extend
		}
	} else if !q.Has("outer-sd") {
		stat.Warn(&doc.Warnings, "no pilot: outer_sd %s is half of the largest that a rate can have; run analyze "+
			"posterior with --m 100 and give its result by --from", figure.Exact(q.Outer))
	}
	switch {
	case !(q.Error > 0 && q.Error < 1):
		return nil, fmt.Errorf("--error %v: want a standard error between 0 and 1, such as 0.02", q.Error)
	case !(s.Outer >= 0 && s.Outer <= 1 && s.Inner >= 0 && s.Inner <= 10):
		return nil, fmt.Errorf(
			"--outer-sd %v and --inner-sd %v: want standard deviations of a share, such as 0.2 and 0.5", s.Outer,
			s.Inner)
	case doc.Extend < 1 || doc.Extend > 100_000:
		return nil, fmt.Errorf("--extend %d: want 1 to 100000 pairs", doc.Extend)
	case !s.Fits(q.Error, doc.Extend):
		return nil, fmt.Errorf("--error %v: it takes over 10^15 calls; want a larger standard error, such as 0.02",
			q.Error)
	}
	doc.OuterSD, doc.InnerSD = s.Outer, s.Inner
	doc.Sum = DesignSum(s, q.Error, doc.Extend)
	doc.Published = DesignPublished(s, q.Error, doc.Extend, 0)
	doc.AtK50 = DesignPublished(s, q.Error, doc.Extend, 50)
	return doc, nil
}

// maxPilot bounds such a result in bytes.
const maxPilot = 256 << 20

// readPilot reads the result of analyze
func readPilot(path string) (Result, error) {
	var r Result
	b, err := inputfile.Read(path, maxPilot)
	if err != nil {
		return r, fmt.Errorf("--from: %w", err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("--from %s: want the JSON that analyze posterior prints: %v", path, jsonl.Plain(err))
	}
	if r.StandardError == nil || r.M < 2 || r.Estimator != Sum && r.Estimator != Published {
		return r, fmt.Errorf(
			"--from %s: has no standard_error, m and estimator; want the JSON that analyze posterior prints", path)
	}
	return r, nil
}

package posterior

import (
	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// Spent sums what calls took.
type Spent struct{ Calls, Prompt, Completion int }

// Add counts a call.
func (s *Spent) Add(prompt, completion int) {
	s.Calls++
	s.Prompt += prompt
	s.Completion += completion
}

// each is the mean of a call.
func (s Spent) each() (prompt, completion float64) {
	if s.Calls == 0 {
		return 0, 0
	}
	return float64(s.Prompt) / float64(s.Calls), float64(s.Completion) / float64(s.Calls)
}

// Taken is what the calls took that both estimators make: none that read other orders of the context or sets of
// true pairs.
type Taken struct {
	Made []Spent // that made up pairs, by their place in the extension
	Now  Spent   // that read an answer after the context
	Then []Spent // and after extensions, by stage
}

// NewTaken returns a Taken of extensions of so many pairs that are read at so many stages.
func NewTaken(pairs, stages int) *Taken {
	return &Taken{Made: make([]Spent, pairs), Then: make([]Spent, stages)}
}

// means are those of the calls of contexts with n pairs, of all where n is 0, with extensions up to a stage.
type means struct{ pairIn, pairOut, nowIn, thenIn float64 }

// taken returns the means, and false where one of the kinds of calls is missing.
func (s *study) taken(n, stage int) (m means, ok bool) {
	var made, now, then Spent
	add := func(to *Spent, x Spent) {
		to.Calls, to.Prompt, to.Completion = to.Calls+x.Calls, to.Prompt+x.Prompt, to.Completion+x.Completion
	}
	for pairs, t := range s.took {
		if n != 0 && pairs != n {
			continue
		}
		for _, x := range t.Made[:s.stages[stage]] {
			add(&made, x)
		}
		add(&now, t.Now)
		add(&then, t.Then[stage])
	}
	m.pairIn, m.pairOut = made.each()
	m.nowIn, _ = now.each()
	m.thenIn, _ = then.each()
	return m, made.Calls > 0 && now.Calls > 0 && then.Calls > 0
}

// A Cost sets both estimators side by side at one mean squared error of a query's rate: that of published with M
// extensions and K draws. A call returns one made-up pair, one drawn answer or one distribution; its tokens are
// those of its prompt and its answer, as no price knows of shared prompts, and made tokens are those of answers
// alone. A request may return several answers to one prompt (`n`): K draws are one request.
type Cost struct {
	Pairs  int     `json:"context"` // of the contexts; 0: all
	Eps    float64 `json:"eps"`
	Extend int     `json:"extend"`
	M      int     `json:"m"`
	K      int     `json:"k"`

	MSE   float64 `json:"mse"`  // of published: bias² and variance of its two noises
	Bias2 float64 `json:"bias"` // squared, which no M removes
	Outer float64 `json:"outer"`
	Inner float64 `json:"inner"`

	Calls     float64        `json:"calls"`    // of published
	Requests  float64        `json:"requests"` // of published, with n; each call of sum is one
	Tokens    float64        `json:"tokens,omitempty"`
	Made      float64        `json:"made_tokens,omitempty"`
	SumM      float64        `json:"sum_m"` // extensions that give sum the same error, at least 1
	SumCalls  float64        `json:"sum_calls"`
	SumTokens float64        `json:"sum_tokens,omitempty"`
	SumMade   float64        `json:"sum_made_tokens,omitempty"`
	Fewer     *stat.Estimate `json:"times_fewer_calls"`
	FewerReq  *stat.Estimate `json:"times_fewer_requests"`
	FewerTok  *stat.Estimate `json:"times_fewer_tokens,omitempty"`
	FewerMade *stat.Estimate `json:"times_fewer_made_tokens,omitempty"`
}

// The designs of the curve.
var (
	costM = []int{5, 10, 20, 50, 100}
	costK = []int{10, 20, 50, 100, 200}
)

// noise is what a pool of chains says of the errors of both estimators of one query: the variance of a chain's
// exact rate over extensions, the squared bias of K draws (without what a finite pool adds to it), and the two
// parts of the variance of a chain of draws.
type noise struct{ outer, bias2, drawnOuter, inner float64 }

// noiseOf reads it off chains: now, and the distributions after each of at least two extensions.
func noiseOf[P Distribution[P]](now P, then []P, eps float64, k int) noise {
	m := float64(len(then))
	exact, mean, off := make([]float64, len(then)), make([]float64, len(then)), make([]float64, len(then))
	var n noise
	for i, q := range then {
		var v float64
		exact[i] = now.Unlikely(q, eps)
		mean[i], v = drawn(now, q, eps, k)
		off[i] = mean[i] - exact[i]
		n.inner += v / m
		n.bias2 += off[i] / m
	}
	n.bias2 = n.bias2*n.bias2 - variance(off)/m
	n.outer, n.drawnOuter = variance(exact), variance(mean)
	return n
}

// cost fills in the row of a design from the sums over contexts of noises and of the number of queries; the
// interval of the ratios resamples contexts.
func (c Cost) cost(sums []noise, counts []float64, of means, known bool, level float64, seedValue uint64) Cost {
	m, k, extend := float64(c.M), float64(c.K), float64(c.Extend)
	type ratio struct{ calls, requests, tokens, made float64 }
	ratios := func(n noise) (ratio, float64) {
		mse := max(0, n.bias2) + (n.drawnOuter+n.inner)/m
		sumM := 1.
		if mse > 0 {
			sumM = max(1, n.outer/mse)
		}
		c.Calls, c.Requests, c.SumCalls = m*(extend+2*k), m*(extend+2), sumM*(extend+1)+1
		pairs := extend * (of.pairIn + of.pairOut)
		c.Tokens, c.SumTokens = m*(pairs+k*(of.nowIn+of.thenIn+2)), sumM*(pairs+of.thenIn+1)+of.nowIn+1
		c.Made, c.SumMade = m*(extend*of.pairOut+2*k), sumM*(extend*of.pairOut+1)+1
		return ratio{c.Calls / c.SumCalls, c.Requests / c.SumCalls, c.Tokens / c.SumTokens, c.Made / c.SumMade}, sumM
	}
	total := func(pick func() int) (t noise, ok bool) {
		var n float64
		for range sums {
			i := pick()
			t.outer, t.bias2, t.drawnOuter, t.inner = t.outer+sums[i].outer, t.bias2+sums[i].bias2,
				t.drawnOuter+sums[i].drawnOuter, t.inner+sums[i].inner
			n += counts[i]
		}
		t.outer, t.bias2, t.drawnOuter, t.inner = t.outer/n, t.bias2/n, t.drawnOuter/n, t.inner/n
		return t, t.outer > 0
	}
	var calls, requests, tokens, generated []float64
	r := seed.Stream(seedValue, "posterior", "resample")
	for range resamples {
		if len(sums) < 2 {
			break
		}
		if t, ok := total(func() int { return r.IntN(len(sums)) }); ok {
			x, _ := ratios(t)
			calls, requests = append(calls, x.calls), append(requests, x.requests)
			tokens, generated = append(tokens, x.tokens), append(generated, x.made)
		}
	}
	i := -1
	t, ok := total(func() int { i++; return i })
	if !ok {
		return c
	}
	c.Bias2, c.Outer, c.Inner = max(0, t.bias2), t.drawnOuter/m, t.inner/m
	c.MSE = c.Bias2 + c.Outer + c.Inner
	var x ratio
	x, c.SumM = ratios(t)
	interval := func(value float64, values []float64) *stat.Estimate {
		out := &stat.Estimate{Value: value, Lo: value, Hi: value}
		if len(values) > 1 {
			lo, hi := percentiles(values, level)
			out.Lo, out.Hi = min(lo, value), max(hi, value)
		}
		return out
	}
	c.Fewer, c.FewerReq = interval(x.calls, calls), interval(x.requests, requests)
	if known {
		c.FewerTok, c.FewerMade = interval(x.tokens, tokens), interval(x.made, generated)
	} else {
		c.Tokens, c.SumTokens, c.Made, c.SumMade = 0, 0, 0, 0
	}
	return c
}

// costs is the curve: over M, K and the length of the extensions for all numbers of pairs together, and for each by
// itself at the source's M and K.
func (s *study) costs() (out []Cost) {
	if len(s.points[0].Then[0]) < 2 {
		return nil
	}
	contexts := map[int]int{}
	for i := range s.points {
		if _, ok := contexts[s.cluster[i]]; !ok {
			contexts[s.cluster[i]] = len(contexts)
		}
	}
	for _, eps := range []float64{mhrEps, errorEps} {
		for stage, extend := range s.stages {
			for _, k := range costK {
				each := make([]noise, len(s.points))
				for i := range s.points {
					each[i] = noiseOf(s.points[i].Now, s.points[i].Then[stage], eps, k)
				}
				gather := func(n int) (sums []noise, counts []float64) {
					sums, counts = make([]noise, len(contexts)), make([]float64, len(contexts))
					for i, x := range each {
						if n != 0 && s.points[i].Pairs != n {
							continue
						}
						c := contexts[s.cluster[i]]
						t := &sums[c]
						t.outer, t.bias2, t.drawnOuter, t.inner = t.outer+x.outer, t.bias2+x.bias2,
							t.drawnOuter+x.drawnOuter, t.inner+x.inner
						counts[c]++
					}
					var keep []noise
					var held []float64
					for c := range sums {
						if counts[c] > 0 {
							keep, held = append(keep, sums[c]), append(held, counts[c])
						}
					}
					return keep, held
				}
				sums, counts := gather(0)
				took, known := s.taken(0, stage)
				for _, m := range costM {
					out = append(out, Cost{Eps: eps, Extend: extend, M: m, K: k}.cost(sums, counts, took, known,
						s.Level, s.Seed))
				}
				if len(s.ns) < 2 || k != 50 || stage != len(s.stages)-1 {
					continue
				}
				for _, n := range s.ns {
					sums, counts := gather(n)
					took, known := s.taken(n, stage)
					out = append(out, Cost{Pairs: n, Eps: eps, Extend: extend, M: 10, K: k}.cost(sums, counts, took,
						known, s.Level, s.Seed))
				}
			}
		}
	}
	return out
}

// exactCosts is the curve of an exact model, of whose queries each has a pool of chains: noises are by K, then by
// query.
func exactCosts(noises map[int][]noise, o Options) (out []Cost) {
	for _, k := range costK {
		counts := make([]float64, len(noises[k]))
		for i := range counts {
			counts[i] = 1
		}
		for _, m := range costM {
			out = append(out, Cost{Eps: o.Eps, Extend: o.Extend, M: m, K: k}.cost(noises[k], counts, means{}, false,
				o.Level, o.Seed))
		}
	}
	return out
}

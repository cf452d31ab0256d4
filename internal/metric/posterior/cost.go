package posterior

import (
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/stat"
)

// Spent sums what calls took.
type Spent struct{ Calls, Prompt, Completion int }

// Add adds what calls took.
func (s *Spent) Add(x Spent) {
	s.Calls, s.Prompt, s.Completion = s.Calls+x.Calls, s.Prompt+x.Prompt, s.Completion+x.Completion
}

// each is the mean of a call.
func (s Spent) each() (prompt, completion float64) {
	n := float64(max(1, s.Calls))
	return float64(s.Prompt) / n, float64(s.Completion) / n
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
	for pairs, t := range s.took {
		if n != 0 && pairs != n {
			continue
		}
		for _, x := range t.Made[:s.stages[stage]] {
			made.Add(x)
		}
		now.Add(t.Now)
		then.Add(t.Then[stage])
	}
	m.pairIn, m.pairOut = made.each()
	m.nowIn, _ = now.each()
	m.thenIn, _ = then.each()
	return m, made.Calls > 0 && now.Calls > 0 && then.Calls > 0
}

// A Cost sets both estimators side by side at one mean squared error of a query's rate: that of published with M
// extensions and K samples. A call returns one made-up pair, one drawn answer or one distribution; its tokens are
// those of its prompt and its answer, as no price knows of shared prompts, and made tokens are those of answers
// alone. A request may return several answers to one prompt (`n`): K samples are one request.
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
// exact rate over extensions, the squared bias of K samples (without what a finite pool adds to it), and the two
// parts of the variance of a chain of samples.
type noise struct{ outer, bias2, drawnOuter, inner float64 }

func (n noise) plus(x noise) noise {
	return noise{n.outer + x.outer, n.bias2 + x.bias2, n.drawnOuter + x.drawnOuter, n.inner + x.inner}
}

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
	// of the calls, requests, tokens and made-up tokens of published to those of sum
	ratios := func(n noise) (x [4]float64, sumM float64) {
		mse := max(0, n.bias2) + (n.drawnOuter+n.inner)/m
		sumM = 1
		if mse > 0 {
			sumM = max(1, n.outer/mse)
		}
		c.Calls, c.Requests, c.SumCalls = m*(extend+2*k), m*(extend+2), sumM*(extend+1)+1
		pairs := extend * (of.pairIn + of.pairOut)
		c.Tokens, c.SumTokens = m*(pairs+k*(of.nowIn+of.thenIn+2)), sumM*(pairs+of.thenIn+1)+of.nowIn+1
		c.Made, c.SumMade = m*(extend*of.pairOut+2*k), sumM*(extend*of.pairOut+1)+1
		return [4]float64{c.Calls / c.SumCalls, c.Requests / c.SumCalls, c.Tokens / c.SumTokens, c.Made / c.SumMade},
			sumM
	}
	total := func(pick func(i int) int) (t noise, ok bool) {
		var n float64
		for i := range sums {
			i = pick(i)
			t = t.plus(sums[i])
			n += counts[i]
		}
		return noise{t.outer / n, t.bias2 / n, t.drawnOuter / n, t.inner / n}, t.outer/n > 0
	}
	var drawn [4][]float64
	if r := seed.Stream(seedValue, "posterior", "resample"); len(sums) > 1 {
		for range resamples {
			if t, ok := total(func(int) int { return r.IntN(len(sums)) }); ok {
				x, _ := ratios(t)
				for i, v := range x {
					drawn[i] = append(drawn[i], v)
				}
			}
		}
	}
	t, ok := total(func(i int) int { return i })
	if !ok {
		return c
	}
	c.Bias2, c.Outer, c.Inner = max(0, t.bias2), t.drawnOuter/m, t.inner/m
	c.MSE = c.Bias2 + c.Outer + c.Inner
	var x [4]float64
	x, c.SumM = ratios(t)
	for i, to := range []**stat.Estimate{&c.Fewer, &c.FewerReq, &c.FewerTok, &c.FewerMade} {
		if i > 1 && !known {
			c.Tokens, c.SumTokens, c.Made, c.SumMade = 0, 0, 0, 0
			break
		}
		*to = &stat.Estimate{Value: x[i], Lo: x[i], Hi: x[i]}
		if len(drawn[i]) > 1 {
			**to = resampled(x[i], drawn[i], level)
		}
	}
	return c
}

// costs is the curve: over M, K and the length of the extensions for all numbers of pairs together, and for each by
// itself at the source's M and K.
func (s *study) costs() (out []Cost) {
	if len(s.points[0].Then[0]) < 2 {
		return nil
	}
	for _, eps := range []float64{mhrEps, errorEps} {
		for stage, extend := range s.stages {
			for _, k := range costK {
				each := make([]noise, len(s.points))
				for i := range s.points {
					each[i] = noiseOf(s.points[i].Now, s.points[i].Then[stage], eps, k)
				}
				add := func(n int, designs []int) { // of the contexts with n pairs, of all where n is 0
					var of []noise
					var cluster []int
					for i, x := range each {
						if n == 0 || s.points[i].Pairs == n {
							of, cluster = append(of, x), append(cluster, s.cluster[i])
						}
					}
					numbers, contexts := numbered(cluster)
					sums, counts := make([]noise, contexts), make([]float64, contexts)
					for i, c := range numbers {
						sums[c] = sums[c].plus(of[i])
						counts[c]++
					}
					took, known := s.taken(n, stage)
					for _, m := range designs {
						out = append(out, Cost{Pairs: n, Eps: eps, Extend: extend, M: m, K: k}.cost(sums, counts, took,
							known, s.Level, s.Seed))
					}
				}
				add(0, costM)
				if len(s.ns) > 1 && k == 50 && stage == len(s.stages)-1 {
					for _, n := range s.ns {
						add(n, []int{10})
					}
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
		counts := slices.Repeat([]float64{1}, len(noises[k]))
		for _, m := range costM {
			out = append(out, Cost{Eps: o.Eps, Extend: o.Extend, M: m, K: k}.cost(noises[k], counts, means{}, false,
				o.Level, o.Seed))
		}
	}
	return out
}

// drawn returns the mean and the variance that a chain's rate has by the source's Algorithm 2 over its own 2K samples,
// without drawing: the quantile is the j-th smallest of K samples, j = ⌈eps K⌉, below which lies a mass U under then
// that is Beta(j, K+1−j), and the rate is a share of K samples with the chance h(U) = now.Unlikely(then, U),
//
//	mean = E h(U),  variance = Var h(U) + E h(U)(1 − h(U))/K.
//
// For labels h is a step function and the sums over its steps are exact; for a normal they are taken at the 200
// midpoints of U's quantiles.
func drawn[P Distribution[P]](now, then P, eps float64, k int) (mean, variance float64) {
	j := rank(eps, k)
	var square float64
	add := func(weight, h float64) {
		mean += weight * h
		square += weight * (h*h + h*(1-h)/float64(k))
	}
	a, b := float64(j), float64(k+1-j)
	n, ok := any(now).(predictive.Categorical)
	if !ok {
		const steps = 200
		u := distuv.Beta{Alpha: a, Beta: b}
		for i := range steps {
			add(1./steps, now.Unlikely(then, u.Quantile((float64(i)+.5)/steps)))
		}
		return mean, max(0, square-mean*mean)
	}
	q := any(then).(predictive.Categorical)
	place := predictive.Ascending(q)
	var below, mass, reached float64 // under then, under now, and the chance that U lies below
	for i := 0; i < len(place); {
		l := i
		here := 0.
		for ; l < len(place) && q[place[l]] == q[place[i]]; l++ {
			below += q[place[l]]
			here += n[place[l]]
		}
		upTo := 1.
		if l < len(place) && below < 1 {
			upTo = mathext.RegIncBeta(a, b, max(0, below))
		}
		add(upTo-reached, min(1, mass))
		mass, reached, i = mass+here, upTo, l
	}
	return mean, max(0, square-mean*mean)
}

// Package posterior estimates how likely the next answer is to be a hallucination before anyone has a gold answer: the
// posterior hallucination rate of in-context learning. A context of examples is extended by pairs that the model makes
// up; what the extended model finds unlikely, of what the model would answer now, is the rate.
package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/stat"
)

// The estimators.
const (
	Sum       = "sum"       // exact sums over the distribution of the next answer
	Published = "published" // K samples for the quantile and K for the rate, as the source has it
)

// Options are the parameters of an estimate.
type Options struct {
	Eps       float64 // of the (1−eps)-likely set, in (0, 1)
	Extend    int     // pairs made up, N − n
	M         int     // extensions
	K         int     // answers sampled for the quantile, and again for the rate; Published only
	Estimator string
	Seed      uint64
	Level     float64 // confidence of the intervals
	Abstain   float64 // rate from which a query is better not answered; 0: DefaultAbstain
	Curve     bool    // of an exact model also the calls that each estimator takes for one error
}

// DefaultOptions are those of the source's language experiments, with sums in place of samples.
func DefaultOptions() Options {
	return Options{Eps: .05, Extend: 5, M: 10, K: 50, Estimator: Sum, Seed: 1, Level: .95}
}

// mostChains bounds M, and mostDraws M·K, so that an estimate ends in minutes.
const (
	mostChains = 1_000_000
	mostDraws  = 100_000_000
)

// Check reports the first option that is out of its range, by the name of its flag.
func (o Options) Check() error {
	switch {
	case !(o.Eps > 0 && o.Eps < 1):
		return fmt.Errorf("--eps %v: want a probability between 0 and 1, such as 0.05", o.Eps)
	case o.Extend < 1 || o.Extend > 100_000:
		return fmt.Errorf("--extend %d: want 1 to 100000 pairs", o.Extend)
	case o.M < 2 || o.M > mostChains:
		return fmt.Errorf("--m %d: want 2 to %d extensions", o.M, mostChains)
	case o.Estimator != Sum && o.Estimator != Published:
		return fmt.Errorf("--estimator %q: use %s or %s", o.Estimator, Sum, Published)
	case o.Estimator == Published && (o.K < 2 || o.K > mostDraws/o.M):
		return fmt.Errorf("--k %d: want 2 to %d samples with --m %d", o.K, mostDraws/o.M, o.M)
	case float64(o.M)*float64(o.Extend) > math.Pow(10, 9):
		return fmt.Errorf("--m %d and --extend %d are over a thousand million made-up pairs; take fewer", o.M, o.Extend)
	}
	return nil
}

// A Distribution is what a model would answer next. Answers are numbers: an index of a label, or a real.
type Distribution[P any] interface {
	Draw(r *rand.Rand) float64
	LogP(y float64) float64
	Entropy() float64
	Unlikely(q P, eps float64) float64 // its mass outside the (1−eps)-likely answers of q
}

// A Chain is what one extension of the context says of one query.
type Chain struct {
	THR float64 // share of the answers of today that the extended model finds unlikely
	// Published: the same share at twice the rank of the quantile; THR of Sum, and where the quantile was drawn twice
	Twice       float64
	Low, High   float64 // Published: the same share at the two ranks of bracket
	Inner       float64 // variance of THR that comes of K samples; 0 for Sum
	Information float64 // nats: the entropy today less the entropy after the extension
	Left        float64 // nats: the entropy after the extension
	Most        float64 // nats: the most that an entropy can be, of labels that are known; 0 where nothing bounds it
}

// Measure returns the chain of an extension: now is the model with the context, then the model with the extended
// one. It draws from r for Published only.
func Measure[P Distribution[P]](now, then P, o Options, r *rand.Rand) Chain {
	if o.Estimator != Published {
		h := now.Unlikely(then, o.Eps)
		left := then.Entropy()
		return Chain{THR: h, Twice: h, Information: now.Entropy() - left, Left: left, Most: most(then)}
	}
	first, second := make([]float64, o.K), make([]float64, o.K) // log-probabilities under then
	var before, after float64
	for k := range first {
		first[k] = then.LogP(then.Draw(r))
		after -= first[k] / float64(o.K)
	}
	for k := range second {
		y := now.Draw(r)
		second[k] = then.LogP(y)
		before -= now.LogP(y) / float64(o.K)
	}
	c := FromDraws(first, second, o.Eps)
	c.Information, c.Left, c.Most = before-after, after, most(then)
	return c
}

// most is the largest entropy that a distribution over its labels can have, in nats; 0 where it is over no labels.
func most(d any) float64 {
	if labels, ok := d.(predictive.Categorical); ok {
		return math.Log(float64(len(labels)))
	}
	return 0
}

// FromDraws is the source's Algorithm 2 on log-probabilities under the extended model: first are those of answers
// drawn from it, whose eps-quantile Q is the ⌈eps K⌉-th smallest, second those of answers drawn today; THR is the
// share of second below Q, strictly.
//
// Inner is the variance that another draw of both would have: that of a share, h(1−h)/K, and of the quantile, by
// the jackknife over first. It does not change its arguments; it panics where there are no samples.
func FromDraws(first, second []float64, eps float64) Chain {
	sorted := slices.Sorted(slices.Values(first))
	k := len(sorted)
	j := rank(eps, k)
	c := Chain{THR: shareBelow(second, sorted[j-1])}
	if c.Twice = c.THR; !again(sorted, j-1) {
		c.Twice = shareBelow(second, sorted[min(k, 2*j)-1])
	}
	low, high := bracket(eps, k)
	if c.High = shareBelow(second, sorted[high-1]); low > 0 {
		c.Low = shareBelow(second, sorted[low-1])
	}
	c.Inner = c.THR * (1 - c.THR) / float64(len(second))
	if k > 1 { // without one of the samples the j'-th smallest is one of two neighbours
		jj := rank(eps, k-1)
		low, high := shareBelow(second, sorted[jj-1]), shareBelow(second, sorted[jj])
		n, m := float64(k), float64(jj) // leaving out any of the first jj shifts the quantile up
		mean := (m*high + (n-m)*low) / n
		c.Inner += (n - 1) / n * (m*(high-mean)*(high-mean) + (n-m)*(low-mean)*(low-mean))
	}
	return c
}

// again reports whether a value of a sorted list stands in it twice: answers that are labels are drawn again, and those
// that are reals are not.
func again(sorted []float64, i int) bool {
	return i > 0 && sorted[i-1] == sorted[i] || i+1 < len(sorted) && sorted[i+1] == sorted[i]
}

// rank is ⌈eps k⌉, at least 1, and not one too high where eps k is whole but for rounding.
func rank(eps float64, k int) int {
	return min(k, max(1, int(math.Ceil(eps*float64(k)-1e-9))))
}

func shareBelow(values []float64, q float64) float64 {
	n := 0
	for _, v := range values {
		if v < q {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

// An Estimate is the rate of one query, or of several together, from M chains.
type Estimate struct {
	PHR         stat.Estimate
	Corrected   float64 // PHR without the bias of K samples
	Errors              // Outer of M extensions, K samples apart; Inner of K samples
	Information stat.Estimate
	Left        float64 // nats: mean entropy after the extensions, the aleatoric part
}

// Of returns the estimate from the chains of one query.
//
// The PHR is the mean of the THRs with the interval of stat.Mean, which covers the rate at any M: for Sum that of the
// THRs, for Published from bounds of the rate at two ranks of the samples (bracketed). The variance of that mean is
// that of the THRs over M; of it, the mean of Inner over M comes of the K samples, and the rest, not below 0, is of
// the extensions. The information is a mean too: by sums over labels, whose entropy is bounded, its interval is that
// of stat.Mean as well, and else Student's, which covers too rarely where M is small or chains differ much.
func Of(chains []Chain, o Options) Estimate {
	var e Estimate
	if len(chains) == 0 {
		return e
	}
	rates, m := make([]float64, len(chains)), float64(len(chains))
	info := make([]float64, len(chains))
	var inner, twice float64
	for i, c := range chains {
		rates[i], info[i] = c.THR, c.Information
		twice += c.Twice / m
		inner += c.Inner / m
		e.Left += c.Left / m
	}
	e.PHR = stat.Mean(rates, o.Level)
	if o.Estimator == Published {
		e.PHR.Lo, e.PHR.Hi = bracketed(chains, o)
	}
	e.Corrected = corrected(e.PHR.Value, twice, o)
	e.Inner = math.Sqrt(inner / m)
	if len(chains) > 1 {
		e.Outer = math.Sqrt(max(0, variance(rates)-inner) / m)
	}
	switch most := mostOf(chains); {
	case o.Estimator == Published && most > 0:
		e.Information = clamped(student(info, o.Level), -most, most)
	case most > 0:
		e.Information = bounded(info, chains, most, o.Level)
	default:
		e.Information = student(info, o.Level)
	}
	return e
}

// mostOf is the most that an entropy of any chain can be; 0 where nothing bounds that of one.
func mostOf(chains []Chain) (most float64) {
	for _, c := range chains {
		if c.Most == 0 {
			return 0
		}
		most = max(most, c.Most)
	}
	return most
}

// bracket returns the ranks, low <= ⌈eps K⌉ <= high, at which K samples bound the rate at eps, whatever the answers
// are.
//
// Let g(u) be the share of today's answers that lie strictly below the u-quantile of log-probabilities after an
// extension. It rises from 0 to 1, the rate is g(eps), and the share below the j-th smallest of K samples has the
// mean E g(U) with U of Beta(j, K+1−j). U lies above eps with the chance p_j = P(Bin(K, eps) < j), so that
//
//	(E g(U) − p_j)/(1 − p_j) <= g(eps) <= E g(U)/p_j
//
// for every j: of these the ones are taken that bound a g(u) = u most closely. Low is 0 where none says more than that
// a rate is 0 or more, as of 50 samples at .05. The bounds are this project's.
func bracket(eps float64, k int) (low, high int) {
	j := rank(eps, k)
	bin := distuv.Binomial{N: float64(k), P: eps}
	best, most := math.Inf(1), 0.
	wide := 2 + int(6*bin.StdDev()) // beyond which no rank is better
	for i := max(1, j-wide); i <= min(k, j+wide); i++ {
		u, p := float64(i)/float64(k+1), bin.CDF(float64(i-1))
		if i >= j && u/p < best {
			best, high = u/p, i
		}
		if i <= j && (u-p)/(1-p) > most {
			most, low = (u-p)/(1-p), i
		}
	}
	return low, high
}

// bracketed returns bounds of the rate itself from chains of K samples: those of the mean shares at the ranks of
// bracket, by stat.Mean, carried over to the rate. They hold at any K and M, and with more extensions alone come no
// closer than the ranks are.
func bracketed(chains []Chain, o Options) (lo, hi float64) {
	low, high := bracket(o.Eps, o.K)
	bin := distuv.Binomial{N: float64(o.K), P: o.Eps}
	shares := make([]float64, len(chains))
	bounds := func(get func(Chain) float64) stat.Estimate {
		for i, c := range chains {
			shares[i] = min(1, get(c))
		}
		return stat.Mean(shares, o.Level)
	}
	if low > 0 {
		p := bin.CDF(float64(low - 1))
		lo = max(0, (bounds(func(c Chain) float64 { return c.Low }).Lo-p)/(1-p))
	}
	hi = bounds(func(c Chain) float64 { return c.High }).Hi / bin.CDF(float64(high-1))
	return lo, min(1, hi)
}

// corrected takes from a rate of K samples what the samples add to it. Below the j-th smallest of K there does not
// lie a mass of eps but U, which is Beta(j, K+1−j) where answers are continuous: 3/51 and not .05 on average at K =
// 50. The rate is taken for a power of that mass, a·U^b, near eps: b is where the rates at the ranks j and 2j have
// the ratio of the means of U^b there, and the corrected rate is a·eps^b. It is the rate itself where that cannot be
// told (a rate of 0, too few samples, labels, whose masses are steps and no power), and where nothing changes
// between the ranks.
func corrected(rate, twice float64, o Options) float64 {
	j := rank(o.Eps, o.K)
	if o.Estimator != Published || rate == 0 || 2*j > o.K {
		return rate
	}
	low, high := 0., 4.
	for range 60 {
		if b := (low + high) / 2; powerMean(2*j, o.K, b)-powerMean(j, o.K, b) < math.Log(twice/rate) {
			low = b
		} else {
			high = b
		}
	}
	return min(1, rate*math.Exp(low*math.Log(o.Eps)-powerMean(j, o.K, low)))
}

// powerMean is ln E[U^b] for U of Beta(j, k+1−j).
func powerMean(j, k int, b float64) float64 {
	return lgamma(float64(j)+b) - lgamma(float64(j)) + lgamma(float64(k)+1) - lgamma(float64(k)+1+b)
}

// bounded is the mean information of chains with the interval of stat.Mean. An entropy is from 0 to most, so that
// the information is from -most to most, and where all chains start from one entropy from that less most to it.
func bounded(info []float64, chains []Chain, most, level float64) stat.Estimate {
	now := func(c Chain) float64 { return c.Information + c.Left }
	lo, hi := now(chains[0])-most, now(chains[0])
	if slices.ContainsFunc(chains, func(c Chain) bool { return math.Abs(now(c)-hi) > 1e-9 }) {
		lo, hi = -most, most
	}
	// of the way from lo to hi; rounding may put one beside it
	parts := lists.Map(info, func(x float64) float64 { return min(1, max(0, (x-lo)/(hi-lo))) })
	e := stat.Mean(parts, level)
	e.Value, e.Lo, e.Hi = averageOf(info), lo+(hi-lo)*e.Lo, lo+(hi-lo)*e.Hi
	return e
}

// clamped cuts an estimate to what its true value can be.
func clamped(e stat.Estimate, lo, hi float64) stat.Estimate {
	for _, x := range []*float64{&e.Value, &e.Lo, &e.Hi} {
		*x = min(hi, max(lo, *x))
	}
	return e
}

// student is the mean of values with Student's interval.
func student(values []float64, level float64) stat.Estimate {
	n := float64(len(values))
	e := stat.Estimate{Value: averageOf(values), Level: level, N: len(values), Method: "student"}
	if len(values) < 2 {
		e.Lo, e.Hi = math.Inf(-1), math.Inf(1)
		return e
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1+level)/2) * math.Sqrt(variance(values)/n)
	e.Lo, e.Hi = e.Value-half, e.Value+half
	return e
}

// variance is the sample variance of at least two values.
func variance(values []float64) float64 {
	mean, sum := averageOf(values), 0.
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum / float64(len(values)-1)
}

// averageOf is the mean of values; 0 of none.
func averageOf(values []float64) (mean float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean
}

// stream is the source of the draws of one chain of one query.
func (o Options) stream(query, chain int) *rand.Rand {
	return seed.Stream(o.Seed, "posterior", itoa(query), itoa(chain))
}

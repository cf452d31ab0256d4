package equivalence

import (
	"math"
	"math/rand/v2"
	"slices"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// A Case is the verdicts on the answers to one question.
type Case struct {
	Counts  []int  // answers of each node that are counted; 0 for the others
	Pairs   []Pair // that were compared
	Verdict []Outcome
}

// Rates are the errors of the relation, with their intervals.
type Rates struct{ Split, Merge stat.Estimate }

// Likeliest returns the classes of n nodes that the verdicts on pairs make most likely, where a false split has the
// chance split, a false merge the chance merge, pairs err independently, and a share of all pairs is equal: those
// that maximize the sum over the pairs of one class of
//
//	ln((1 - split)/merge) + o for a pair held equal,
//	ln(split/(1 - merge)) + o for a pair held apart,   o = ln(share/(1 - share))
//
// and 0 for one without a verdict, as far as a search from single nodes finds them: it joins the two classes that
// gain most until none gains, then moves single nodes while that gains. One false merge joins two classes for
// Union, but here it stands against all the verdicts that hold them apart. The chances are cut to [.001, .499], the
// share to [.001, .999]. Time is at most of the order of n³. Source: correlation clustering (Bansal, Blum and
// Chawla, Machine Learning 56, 2004) with the odds of each pair for weights.
func Likeliest(n int, pairs []Pair, verdict []Outcome, split, merge, share float64) Classes {
	cut := func(p float64) float64 { return max(.001, min(.499, p)) }
	split, merge = cut(split), cut(merge)
	share = max(.001, min(.999, share))
	o := math.Log(share / (1 - share))
	gain := [...]float64{Unknown: 0, Different: math.Log(split/(1-merge)) + o, Equal: math.Log((1-split)/merge) + o}
	weight := make([]float64, n*n) // between nodes
	for k, p := range pairs {
		weight[p[0]*n+p[1]], weight[p[1]*n+p[0]] = gain[verdict[k]], gain[verdict[k]]
	}
	of := joined(n, weight)
	to := make([]float64, n)
	for moved, pass := true, 0; moved && pass < n; pass++ {
		moved = false
		for i := range n {
			if best := nearest(of, i, weight[i*n:][:n], to); best != of[i] {
				of[i], moved = best, true
			}
		}
	}
	first := make(map[int]int, n)
	for i, c := range of {
		if _, ok := first[c]; !ok {
			first[c] = i
		}
		of[i] = first[c]
	}
	return of
}

// joined returns the classes of n nodes after joining the two that gain most until none gains; a class is named by
// its first node.
func joined(n int, weight []float64) Classes {
	of := make(Classes, n)
	live := make([]int, n)
	for i := range of {
		of[i], live[i] = i, i
	}
	between := slices.Clone(weight) // classes, by their first nodes
	for len(live) > 1 {
		best, bi, bj := 0., -1, -1
		for x, i := range live {
			for _, j := range live[x+1:] {
				if w := between[i*n+j]; w > best {
					best, bi, bj = w, i, j
				}
			}
		}
		if bi < 0 {
			break
		}
		for _, k := range live {
			between[bi*n+k] += between[bj*n+k]
			between[k*n+bi] = between[bi*n+k]
		}
		for i := range of {
			if of[i] == bj {
				of[i] = bi
			}
		}
		live = slices.DeleteFunc(live, func(i int) bool { return i == bj })
	}
	return of
}

// nearest returns the class that gains most by having a node, which may be one of its own. Weight is between the
// node and the others; to is overwritten.
func nearest(of Classes, node int, weight, to []float64) int {
	clear(to)
	used := make([]bool, len(of))
	for j := range of {
		if j != node {
			to[of[j]] += weight[j]
			used[of[j]] = true
		}
	}
	free, best := -1, of[node] // a class without a node
	for c := range of {
		switch {
		case !used[c] && free < 0:
			free = c
		case used[c] && to[c] > to[best]+1e-9:
			best = c
		}
	}
	if to[best] < -1e-9 && free >= 0 {
		best = free
	}
	return best
}

// Bounds on the simulated cases that a correction rests on at each of three points: in all, of each case, and by
// the work they are.
const (
	draws     = 20000
	mostDraws = 200
	leastDraw = 5
	mostWork  = 2e9 // of the order of n³ for each simulated case of n nodes: some seconds
)

// Correct returns what semantic stability would be under a relation without error, as far as the relation's rates
// of false splits and false merges tell: with the classes of Likeliest, at the share of equal pairs that the rates
// make of the pairs held equal, and SS(·) the mean of max class/answers over cases,
//
//	share     = (held equal/pairs - merge)/(1 - split - merge)
//	corrected = SS(likeliest) - b
//	b         = the mean of SS(likeliest of verdicts drawn anew, with these errors, as if likeliest were true)
//	            - SS(likeliest)
//
// cut to [the mean of 1/r, 1]. Lo and Hi are the least and the greatest of that at the rates and at the two ends of
// their intervals that move it most (false splits low and false merges high, and the other way round), each less
// and plus z times the standard deviation of a simulated SS. They say how far the figure could be from that of a
// relation without error on the same answers; the sampling error of the cases is not in them. Cases without a
// counted answer are left out, and N is of the others. There is no value where none is left, a rate has no value, the
// two sum to 1 or more, so that the relation says nothing, or there are so many different answers that it would take
// minutes.
//
// It reckons with errors that are independent of each other and equally likely in every pair, which those of a
// model are not quite. Under that model TestCorrectFindsTruth gives the share of the intervals that hold the true
// SS, and the mean distance from it, in points, of SS by Union and corrected (40 suites of 40 cases of 10 different
// answers, rates from 200 known pairs of each kind):
//
//	classes of the answers  split  merge  held   by union  corrected
//	one, and 2 strays       0.05   0.005  1.000       0.8        0.0
//	one, and 2 strays       0.20   0.010  1.000       1.7        0.2
//	one, and 2 strays       0.10   0.030  1.000       4.4        0.1
//	one, and 2 strays       0.05   0.100  0.975      11.7        0.2
//	two of five             0.05   0.005  1.000       5.3        0.0
//	two of five             0.20   0.010  1.000      10.4        0.3
//	two of five             0.10   0.030  1.000      25.9        0.1
//	two of five             0.05   0.100  1.000      46.2        0.2
//	1 to 10, even           0.05   0.005  0.950       2.9        0.3
//	1 to 10, even           0.20   0.010  1.000       4.4        0.7
//	1 to 10, even           0.10   0.030  1.000      14.2        0.7
//	1 to 10, even           0.05   0.100  1.000      37.3        0.5
//	all different           0.05   0.005  1.000       2.1        0.9
//	all different           0.20   0.010  1.000       3.9        0.7
//	all different           0.10   0.030  1.000      10.1        0.7
//	all different           0.05   0.100  1.000      33.6        0.0
//
// Source: Rogan and Gladen, American Journal of Epidemiology 107 (1978), for the share; the bootstrap estimate of
// bias (Efron and Tibshirani, 1993, chapter 10); the method as a whole is this project's.
func Correct(cases []Case, r Rates, level float64, seedValue uint64, name ...string) stat.Estimate {
	e := stat.Estimate{Level: level, Method: "as far as errors of the comparison could move it, by simulation"}
	var used []Case
	var floor, work float64
	for _, c := range cases {
		if n := stat.Sum(c.Counts); n > 0 {
			used = append(used, c)
			floor += 1 / float64(n)
			if nodes := float64(len(c.Counts)); len(c.Pairs) > 0 {
				work += nodes * nodes * nodes
			}
		}
	}
	if len(used) == 0 || !r.Split.OK() || !r.Merge.OK() || r.Split.Value+r.Merge.Value >= 1 {
		return e
	}
	floor /= float64(len(used))
	per := max(leastDraw, min(mostDraws, draws/len(used)))
	if fits := mostWork / (3 * max(1, work)); fits < leastDraw {
		return e
	} else if fits < float64(per) {
		per = int(fits)
	}
	equal, pairs := count(used)
	at := func(split, merge float64) (corrected, sd float64) {
		share := .5
		if known := 1 - split - merge; known > 0 && pairs > 0 {
			share = (equal/pairs - merge) / known
		}
		// the same draws at every point
		stream := seed.Stream(seedValue, append([]string{"equality errors"}, name...)...)
		var total, variance float64
		for _, c := range used {
			likely := Likeliest(len(c.Counts), c.Pairs, c.Verdict, split, merge, share)
			pc := c.pc(likely)
			total += pc
			if len(c.Pairs) == 0 {
				continue
			}
			var s, sq float64
			verdict := make([]Outcome, len(c.Pairs))
			for range per {
				c.draw(verdict, likely, split, merge, stream)
				d := c.pc(Likeliest(len(c.Counts), c.Pairs, verdict, split, merge, share)) - pc
				s += d
				sq += float64(d * d)
			}
			mean := s / float64(per)
			total -= mean
			variance += max(0, sq/float64(per)-float64(mean*mean))
		}
		n := float64(len(used))
		return total / n, math.Sqrt(variance) / n
	}
	cut := func(x float64) float64 { return max(floor, min(1, x)) }
	z := stat.Z(level)
	value, sd := at(r.Split.Value, r.Merge.Value)
	e.Value, e.Lo, e.Hi, e.N = cut(value), cut(value-float64(z*sd)), cut(value+float64(z*sd)), len(used)
	for _, end := range [][2]float64{{r.Split.Lo, r.Merge.Hi}, {r.Split.Hi, r.Merge.Lo}} {
		value, sd := at(end[0], end[1])
		e.Lo, e.Hi = min(e.Lo, cut(value-float64(z*sd))), max(e.Hi, cut(value+float64(z*sd)))
	}
	return e
}

// count counts the pairs with a verdict, and the equal ones among them.
func count(cases []Case) (equal, pairs float64) {
	for _, c := range cases {
		for _, o := range c.Verdict {
			if o != Unknown {
				pairs++
			}
			if o == Equal {
				equal++
			}
		}
	}
	return equal, pairs
}

// draw fills in verdicts on the case's pairs as a relation with these errors gives them of the classes. Pairs
// without a verdict get none.
func (c Case) draw(verdict []Outcome, of Classes, split, merge float64, stream *rand.Rand) {
	for k, p := range c.Pairs {
		u := stream.Float64()
		switch same := of[p[0]] == of[p[1]]; {
		case c.Verdict[k] == Unknown:
			verdict[k] = Unknown
		case same && u >= split || !same && u < merge:
			verdict[k] = Equal
		default:
			verdict[k] = Different
		}
	}
}

// pc is the share of the counted answers in the largest class.
func (c Case) pc(of Classes) float64 {
	in := make([]int, len(c.Counts))
	for i, n := range c.Counts {
		in[of[i]] += n
	}
	return float64(slices.Max(in)) / float64(stat.Sum(c.Counts))
}

// Known counts what the relation said of pairs of which it is known whether they are equal. Pairs without a verdict
// are in none of the four.
type Known struct {
	EqualJoined, EqualApart         int
	DifferentJoined, DifferentApart int
}

// Add counts a pair.
func (k *Known) Add(equal bool, o Outcome) {
	switch {
	case o == Unknown:
	case equal && o == Equal:
		k.EqualJoined++
	case equal:
		k.EqualApart++
	case o == Equal:
		k.DifferentJoined++
	default:
		k.DifferentApart++
	}
}

// FalseSplit is the share of the equal pairs that the relation holds apart, with its Wilson interval.
func (k Known) FalseSplit(level float64) stat.Estimate {
	return stat.Wilson(k.EqualApart, k.EqualApart+k.EqualJoined, level)
}

// FalseMerge is the share of the different pairs that the relation holds equal, with its Wilson interval.
func (k Known) FalseMerge(level float64) stat.Estimate {
	return stat.Wilson(k.DifferentJoined, k.DifferentJoined+k.DifferentApart, level)
}

// A Sampled stratum of pairs: how many there are, and what people said of a random sample of them, by the
// relation's verdict.
type Sampled struct {
	Pairs int
	Known
}

func (s Sampled) labelled() int {
	return s.EqualJoined + s.EqualApart + s.DifferentJoined + s.DifferentApart
}

// FromSample returns the rates of FalseSplit and FalseMerge over all compared pairs, from random samples of two
// strata of them: the pairs that ended in one class, and those that ended apart. With f_s(v, t) the share of the
// labelled pairs of stratum s that have the verdict v and of which people say t, and N_s its pairs,
//
//	false merge = Σ N_s f_s(joined, different) / Σ N_s f_s(any, different)
//	false split = Σ N_s f_s(apart, equal) / Σ N_s f_s(any, equal)
//
// The intervals are conservative: each rate is x/(x + y), where x and y are sums of three shares at most, as no pair
// that ended apart was held equal; each share is bounded by Wilson at the level 1 - (1 - level)/3, and the rate by the
// bounds that make it least and greatest. A rate has no value where a stratum that has pairs has no label, or people
// found no pair of its kind. Source: the stratified estimate of a ratio; the bounds, by Bonferroni, are this project's.
func FromSample(in, apart Sampled, level float64) (split, merge stat.Estimate) {
	split = stat.Estimate{Level: level, Method: "stratified sample of pairs, bounds by Wilson and Bonferroni"}
	merge = split
	strata := []Sampled{in, apart}
	for _, s := range strata {
		if s.Pairs > 0 && s.labelled() == 0 {
			return split, merge
		}
	}
	ratio := func(e *stat.Estimate, x, y stat.Estimate) {
		if e.N = x.N + y.N; e.N > 0 {
			e.Value, e.Lo, e.Hi = x.Value/(x.Value+y.Value), x.Lo/(x.Lo+y.Hi), x.Hi/(x.Hi+y.Lo)
		}
	}
	ratio(&merge, total(strata[:1], func(k Known) int { return k.DifferentJoined }, level),
		total(strata, func(k Known) int { return k.DifferentApart }, level))
	ratio(&split, total(strata, func(k Known) int { return k.EqualApart }, level),
		total(strata[:1], func(k Known) int { return k.EqualJoined }, level))
	return split, merge
}

// total is a number of pairs, reckoned from N that were labelled.
func total(strata []Sampled, count func(Known) int, level float64) (all stat.Estimate) {
	for _, s := range strata {
		if n := s.labelled(); n > 0 {
			e := stat.Wilson(count(s.Known), n, 1-(1-level)/3).Times(float64(s.Pairs))
			all.N += count(s.Known)
			all.Value += e.Value
			all.Lo += e.Lo
			all.Hi += e.Hi
		}
	}
	return all
}

// Warn returns what is to be said of rates that rest on n equal and m different pairs.
func (k Known) Warn() (warnings []string) {
	if n := k.EqualApart + k.EqualJoined; n < wanted {
		stat.Warn(&warnings, "false splits rest on %d pairs that are known to be equal: %d or more are wanted", n,
			wanted)
	}
	if n := k.DifferentApart + k.DifferentJoined; n < wanted {
		stat.Warn(&warnings, "false merges rest on %d pairs that are known to differ: %d or more are wanted", n, wanted)
	}
	return warnings
}

// wanted is the number of known pairs of each kind below which a warning says so: an error of 5 % is then found
// within 4 points.
const wanted = 100

package equality

import "hallmark/internal/stat"

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
	ratio := func(e *stat.Estimate, x, y bounds) {
		if e.N = x.n + y.n; e.N > 0 {
			e.Value, e.Lo, e.Hi = x.value/(x.value+y.value), x.lo/(x.lo+y.hi), x.hi/(x.hi+y.lo)
		}
	}
	ratio(&merge, total(strata[:1], func(k Known) int { return k.DifferentJoined }, level),
		total(strata, func(k Known) int { return k.DifferentApart }, level))
	ratio(&split, total(strata, func(k Known) int { return k.EqualApart }, level),
		total(strata[:1], func(k Known) int { return k.EqualJoined }, level))
	return split, merge
}

// bounds is a number of pairs, reckoned from n that were labelled.
type bounds struct {
	n             int
	value, lo, hi float64
}

func total(strata []Sampled, count func(Known) int, level float64) (b bounds) {
	for _, s := range strata {
		if n := s.labelled(); n > 0 {
			e, w := stat.Wilson(count(s.Known), n, 1-(1-level)/3), float64(s.Pairs)
			b.n += count(s.Known)
			b.value += float64(w * e.Value)
			b.lo += float64(w * e.Lo)
			b.hi += float64(w * e.Hi)
		}
	}
	return b
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

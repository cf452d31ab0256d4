package stat

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

// Wilson returns the share k/n of n cases with its score interval,
//
//	centre = (p + z²/2n)/(1 + z²/n),  half-width = z/(1 + z²/n) · sqrt(p(1-p)/n + z²/4n²)
//
// with p = k/n and the exact z of the level (1.959964 at .95), clamped to [0, 1]. At k = 0 the lower bound is
// exactly 0 and at k = n the upper one exactly 1; n = 0 gives no value. Its coverage is 95 % on average over p, not
// at every p: it falls to 84 % just below the lower bound of k = 1 (p near .18/n), for any n, and is .91 at n = 10,
// p = .05. Source: Wilson, JASA 22 (1927) 209-212.
func Wilson(k, n int, level float64) Estimate {
	e := Estimate{Level: level, N: n, Method: "wilson"}
	Z(level)
	checkCounts(k, n)
	if n == 0 {
		return e
	}
	e.Value = float64(k) / float64(n)
	e.Lo, e.Hi = score(e.Value, float64(n), level)
	return e
}

func checkCounts(k, n int) {
	if k < 0 || n < k {
		panic(fmt.Sprintf("stat: %d of %d is not a share", k, n))
	}
}

// A Tally is how many of some cases have a property, and how many observations they are worth.
type Tally struct {
	K, N  int     // K of N cases
	Worth float64 // 0 < Worth <= N; N where each case is an observation of its own
}

// TallyOf counts values that are 0 or 1. Cases of one cluster, a number above 0, are worth one observation together:
// the cases are worth Kish's
//
//	(Σ m)² / Σ m²
//
// with m cases in each cluster, as if those of a cluster were alike. It changes nothing. Source: Kish, Survey Sampling,
// 1965, section 8.2.
func TallyOf(values []float64, cluster []int32) Tally {
	t := Tally{K: int(Sum(values)), N: len(values)}
	if squares := sumOfSquares(summed(ones(t.N), cluster)); squares > 0 {
		t.Worth = float64(t.N) * float64(t.N) / squares
	}
	return t
}

// share is the share of a tally, 0 of none.
func (t Tally) share() float64 { return float64(t.K) / float64(max(1, t.N)) }

// whole is the tally as counts of whole observations: those that it is worth, rounded down to one at least, and of
// these as many as make its share, rounded towards the share that is given.
func (t Tally) whole(towards float64) (k, n int) {
	n = max(1, int(t.Worth+1e-9))
	if n >= t.N {
		return t.K, t.N
	}
	x := t.share() * float64(n)
	if t.share() > towards {
		return int(math.Floor(x + 1e-9)), n
	}
	return int(math.Ceil(x - 1e-9)), n
}

const apartMethod = "fisher's exact test, and newcombe's hybrid score interval"

// Apart returns by how much the share of a exceeds that of b, which are of different cases, with an interval and a test
// that never contradict each other.
//
// Formula: P is that of Fisher's exact test, two-sided, the sum of the hypergeometric chances of all tables that are no
// likelier than the one seen. The interval is Newcombe's, of Wilson's bounds (l, u) of each share at its Worth,
//
//	[d - sqrt((p_a - l_a)² + (u_b - p_b)²),  d + sqrt((u_a - p_a)² + (p_b - l_b)²)],   d = p_a - p_b
//
// but for the bound next to 0, which holds 0 where P >= 1 - level, and else is moved off it as in Paired. Where cases
// are worth less than their number, the counts of the test are of whole observations, rounded down, and of each the
// share is rounded towards that of all.
//
// Range: [-1, 1]; lo < hi. Edge cases: no cases on a side give no value, with P = 1. Fisher's test keeps its level
// whatever the sizes, which Newcombe's interval alone does not: of 5 cases beside 500 at a rate of .02 it misses 0 in
// .10 of draws (TestApartKeepsItsLevel). What it costs is power where both sides are small. Source: Fisher, The Design
// of Experiments, 1935; Newcombe, Statistics in Medicine 17 (1998) 873-890, method 10; the bound: Paired.
func Apart(a, b Tally, level float64) Tested {
	Z(level)
	checkCounts(a.K, a.N)
	checkCounts(b.K, b.N)
	d := Tested{Estimate{Level: level, Method: apartMethod}, 1}
	if a.N == 0 || b.N == 0 {
		return d
	}
	d.N = a.N + b.N
	pa, pb := a.share(), b.share()
	la, ua := score(pa, a.Worth, level)
	lb, ub := score(pb, b.Worth, level)
	d.Value = pa - pb
	d.Lo = max(-1, d.Value-math.Hypot(pa-la, ub-pb))
	d.Hi = min(1, d.Value+math.Hypot(ua-pa, pb-lb))
	all := float64(a.K+b.K) / float64(d.N)
	ka, na := a.whole(all)
	kb, nb := b.whole(all)
	d.P = fisher(ka, na, kb, nb)
	d.agree(flip{p: d.P, limit: math.Abs(d.Value) / math.Sqrt(max(all*(1-all)*(1/a.Worth+1/b.Worth), 1e-300))})
	return d
}

// score returns Wilson's bounds of a share p of n observations, which need not be whole.
func score(p, n, level float64) (lo, hi float64) {
	z := Z(level)
	scale := 1 / (1 + z*z/n)
	centre := (p + z*z/(2*n)) * scale
	half := z * scale * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return min(p, max(0, centre-half)), max(p, min(1, centre+half)) // rounding leaves 2.8e-17 at p = 0
}

func logChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

// fisher returns the two-sided p of ka of na beside kb of nb: the chances of all tables with these margins that are no
// larger than the one of this, within 1e-7 of it, as R and scipy have it.
func fisher(ka, na, kb, nb int) float64 {
	k := ka + kb
	// of the next table, less that of the table with x of a
	up := func(x int) float64 {
		return math.Log(float64(na-x) * float64(k-x) / (float64(x+1) * float64(nb-k+x+1)))
	}
	seen := logChoose(na, ka) + logChoose(nb, kb) - logChoose(na+nb, k)
	p := math.Exp(seen)
	for x, c := ka, seen; x < min(k, na); x++ {
		if c += up(x); c <= seen+1e-7 {
			p += math.Exp(c)
		}
	}
	for x, c := ka-1, seen; x >= max(0, k-nb); x-- {
		if c -= up(x); c <= seen+1e-7 {
			p += math.Exp(c)
		}
	}
	return min(1, p)
}

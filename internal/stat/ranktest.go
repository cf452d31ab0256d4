package stat

import (
	"math"
	"math/big"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// McNemar returns the exact two-sided p of McNemar's test on b and c discordant cases, those where only the first,
// and only the second of two paired runs failed,
//
//	p = min(1, 2 P(Bin(b+c, 1/2) <= min(b, c)))
//
// in (0, 1]; 1 if b + c = 0. It panics on negative counts. Source: METHODS' exact form of McNemar, Psychometrika 12
// (1947) 153-157.
func McNemar(b, c int) float64 {
	if b < 0 || c < 0 {
		panic("stat: negative count of discordant cases")
	}
	if b == c {
		return 1
	}
	return min(1, 2*fairCDF(min(b, c), b+c))
}

// fairCDF returns P(Bin(n, 1/2) <= k) for 0 <= k <= n, correctly rounded up to n = 2000.
func fairCDF(k, n int) float64 {
	if n > 2000 {
		return binomialCDF(k, n, .5)
	}
	sum, term := new(big.Int), big.NewInt(1) // term is C(n, i)
	for i := range k + 1 {
		sum.Add(sum, term)
		term.Mul(term, big.NewInt(int64(n-i)))
		term.Quo(term, big.NewInt(int64(i+1)))
	}
	p, _ := new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
	return p
}

// binomialCDF returns P(Bin(n, p) <= k).
func binomialCDF(k, n int, p float64) float64 {
	return distuv.Binomial{N: float64(n), P: p}.CDF(float64(k))
}

// SignedRankResult is the outcome of a signed-rank test.
type SignedRankResult struct {
	P     float64 // two-sided, in (0, 1]
	W     float64 // sum of the mid-ranks of the positive differences
	N     int     // differences used
	Zeros int     // differences dropped
	Exact bool    // false: normal approximation
}

// signedRankExact is the largest number of differences for which the null distribution is enumerated.
const signedRankExact = 50

// SignedRank returns Wilcoxon's two-sided signed-rank test of symmetry about 0.
//
// Formula: zeros are dropped and counted; |d| get mid-ranks; W is the sum of the ranks of the positive d. Up to 50
// differences
//
//	p = min(1, 2 P(W <= min(W, n(n+1)/2 - W)))
//
// over all 2^n signs of the ranks at hand, exact also with ties, by a dynamic programme over doubled ranks. Beyond
// that p is normal with variance n(n+1)(2n+1)/24 - Σ(t³ - t)/48 over groups of t ties, and a continuity correction
// of 1/2.
//
// Range: (0, 1]. Edge cases: without a difference other than 0, p = 1 and N = 0; 16 of one sign give 2/2^16. It
// panics on NaN. It does not change d. Source: Wilcoxon, Biometrics Bulletin 1 (1945) 80-83; ties: Hollander and
// Wolfe, Nonparametric Statistical Methods.
func SignedRank(d []float64) SignedRankResult {
	type diff struct {
		abs      float64
		positive bool
	}
	var res SignedRankResult
	var ds []diff
	for _, x := range d {
		switch {
		case math.IsNaN(x):
			panic("stat: a difference is NaN")
		case x == 0:
			res.Zeros++
		default:
			ds = append(ds, diff{math.Abs(x), x > 0})
		}
	}
	n := len(ds)
	res.N, res.P, res.Exact = n, 1, n <= signedRankExact
	if n == 0 {
		return res
	}
	sort.Slice(ds, func(i, j int) bool { return ds[i].abs < ds[j].abs })
	var twice int // 2 W
	var ties float64
	doubled := make([]int, 0, n)
	for i := 0; i < n; {
		j := i
		for j < n && ds[j].abs == ds[i].abs {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		rank := i + 1 + j // twice the mean of i+1 … j
		for ; i < j; i++ {
			doubled = append(doubled, rank)
			if ds[i].positive {
				twice += rank
			}
		}
	}
	total := n * (n + 1)
	res.W = float64(twice) / 2
	small := min(twice, total-twice)
	if res.Exact {
		// ways[s] counts the choices of signs with doubled sum s; 2^50 fits a float64 exactly.
		ways := make([]float64, total+1)
		ways[0] = 1
		for _, r := range doubled {
			for s := total; s >= r; s-- {
				ways[s] += ways[s-r]
			}
		}
		var sum float64
		for _, w := range ways[:small+1] {
			sum += w
		}
		res.P = min(1, 2*math.Ldexp(sum, -n))
		return res
	}
	nf := float64(n)
	sd := math.Sqrt(nf*(nf+1)*(2*nf+1)/24 - ties/48)
	z := max(0, nf*(nf+1)/4-float64(small)/2-.5) / sd
	res.P = math.Erfc(z / math.Sqrt2)
	return res
}

// Holm returns the p values adjusted for their number, in the order given,
//
//	p'_(i) = max_{j<=i} min(1, (m - j + 1) p_(j)),  p_(1) <= … <= p_(m)
//
// in [0, 1]: reject where p' <= α and the chance of any false rejection is at most α, whatever the dependence.
// Empty in, empty out. It does not change p. Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		checkRange(p[i], 1)
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return p[order[i]] < p[order[j]] })
	adjusted := make([]float64, len(p))
	running := 0.
	for rank, i := range order {
		running = max(running, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = running
	}
	return adjusted
}

// A Holmed is the p of a test, nil where there is none, and where the adjusted one goes.
type Holmed struct {
	P  *float64
	To **float64
}

// AdjustHolm fills in the p values of tests adjusted for their number by Holm.
func AdjustHolm(tests []Holmed) {
	var ps []float64
	for _, t := range tests {
		if t.P != nil {
			ps = append(ps, *t.P)
		}
	}
	adjusted := Holm(ps)
	for _, t := range tests {
		if t.P != nil {
			*t.To, adjusted = &adjusted[0], adjusted[1:]
		}
	}
}

package stat

import "fmt"

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

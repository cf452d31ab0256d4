package stat

import (
	"fmt"
	"math"
	"slices"
)

// AUROCByCluster is AUROC where cases come in clusters that go together, such as queries of one context; cluster names that of each case.
//
// Interval: the union of AUROC's, which takes cases for independent, and logit A ± z·se/(A(1−A)) with the standard error of AUROCPaired
// for clusters; where A is 0 or 1, or fewer than two clusters have a case of a class, the first stands alone, with a warning in the second case. Range,
// edge cases and panics are AUROC's; it panics where lengths differ. It does not change its arguments. Source: Obuchowski, Biometrics 53
// (1997) 567-578; the union is this project's.
func AUROCByCluster(scores []float64, positive []bool, cluster []int, level float64) Estimate {
	checkLengths(scores, scores, positive, cluster)
	xs, ys := classes(scores, positive)
	e := AUROC(xs, ys, level)
	if e.N == 0 {
		return e
	}
	e.Method += ", joined with obuchowski's by cluster"
	a, v, ok := obuchowski(scores, nil, positive, cluster)
	switch {
	case !ok:
		e.Warnings = append(e.Warnings, "fewer than two clusters have a case of each class: the interval takes cases for independent")
	case a > 0 && a < 1:
		half := Z(level) * math.Sqrt(v) / (a * (1 - a))
		logit := math.Log(a / (1 - a))
		e.Lo = min(e.Lo, 1/(1+math.Exp(half-logit)))
		e.Hi = max(e.Hi, 1/(1+math.Exp(-half-logit)))
	}
	return e
}

// AUROCPaired returns AUROC(a) − AUROC(b) of two scores of the same cases, that come in clusters which go together,
//
//	difference ± z sqrt(S10/m + S01/n + 2 S11/(mn)),
//
// where S10, S01 and S11 are the variances and the covariance over clusters of the summed differences of placements (the share of the other class
// that a score beats, ties half). With a cluster for each case it is DeLong's test. Range: −1 <= lo <= hi <= 1; of zero width where both scores
// rank the cases alike. Edge cases: no case of a class gives no value and a warning; fewer than two clusters with a case of a class give
// [−1, 1] and a warning. It panics on NaN and on different lengths. It does not change its arguments. Coverage: TestAUROCPairedCoverage.
// Source: Obuchowski, Biometrics 53 (1997) 567-578; DeLong et al., Biometrics 44 (1988) 837-845.
func AUROCPaired(a, b []float64, positive []bool, cluster []int, level float64) Estimate {
	checkLengths(a, b, positive, cluster)
	e := Estimate{Level: level, Method: "obuchowski by cluster", N: len(a)}
	z := Z(level)
	if !slices.Contains(positive, true) || !slices.Contains(positive, false) {
		e.N, e.Warnings = 0, []string{"an AUROC needs cases of both classes"}
		return e
	}
	d, v, ok := obuchowski(a, b, positive, cluster)
	e.Value, e.Lo, e.Hi = d, -1, 1
	if !ok {
		e.Warnings = []string{"fewer than two clusters have a case of each class"}
		return e
	}
	e.Lo, e.Hi = max(-1, d-z*math.Sqrt(v)), min(1, d+z*math.Sqrt(v))
	return e
}

func checkLengths(a, b []float64, positive []bool, cluster []int) {
	if len(a) != len(b) || len(a) != len(positive) || len(a) != len(cluster) {
		panic(fmt.Sprintf("stat: %d and %d scores of %d cases in %d clusters", len(a), len(b), len(positive), len(cluster)))
	}
}

// obuchowski returns the AUROC of a, less that of b unless b is nil, and its variance by cluster; false where fewer than two clusters have a case of
// either class.
func obuchowski(a, b []float64, positive []bool, cluster []int) (value, variance float64, ok bool) {
	share := shares(a, positive)
	if b != nil {
		for i, s := range shares(b, positive) {
			share[i] -= s
		}
	}
	type sums struct{ v10, v01, m, n float64 }
	place := map[int]int{}
	var by []sums
	var m, n float64
	for i, s := range share {
		k, seen := place[cluster[i]]
		if !seen {
			k = len(by)
			place[cluster[i]] = k
			by = append(by, sums{})
		}
		if positive[i] {
			by[k].v10, by[k].m, m = by[k].v10+s, by[k].m+1, m+1
			value += s
		} else {
			by[k].v01, by[k].n, n = by[k].v01+s, by[k].n+1, n+1
		}
	}
	value /= m
	var with10, with01, s10, s01, s11 float64
	for _, c := range by {
		if c.m > 0 {
			with10++
		}
		if c.n > 0 {
			with01++
		}
		x, y := c.v10-c.m*value, c.v01-c.n*value
		s10, s01, s11 = s10+x*x, s01+y*y, s11+x*y
	}
	if with10 < 2 || with01 < 2 {
		return value, 0, false
	}
	all := float64(len(by))
	s10 *= with10 / ((with10 - 1) * m)
	s01 *= with01 / ((with01 - 1) * n)
	s11 *= all / (all - 1)
	return value, max(0, s10/m+s01/n+2*s11/(m*n)), true
}

// shares returns for each positive case the share of the negative ones that score lower, for each negative one the share of the positive ones that
// score higher, ties half.
func shares(scores []float64, positive []bool) []float64 {
	xs, ys := classes(scores, positive)
	xs, ys = sorted(xs), sorted(ys)
	rank := func(of []float64, s float64) float64 { // cases below, ties half
		lo, _ := slices.BinarySearch(of, s)
		hi := lo
		for hi < len(of) && of[hi] == s {
			hi++
		}
		return float64(lo+hi) / 2
	}
	known := map[float64]float64{} // many scores are equal, and runs of them are long
	out := make([]float64, len(scores))
	for _, side := range []bool{true, false} {
		clear(known)
		of := ys
		if !side {
			of = xs
		}
		for i, s := range scores {
			if positive[i] != side {
				continue
			}
			r, seen := known[s]
			if !seen {
				r = rank(of, s)
				known[s] = r
			}
			out[i] = r / float64(len(of))
			if !side {
				out[i] = 1 - out[i]
			}
		}
	}
	return out
}

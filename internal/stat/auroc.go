package stat

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// AUROCMethod names the interval of AUROC.
const AUROCMethod = "delong with half a case at each end of each class"

// AUROC returns the area under the ROC curve of scores that should be higher for positive cases,
//
//	A = P(X > Y) + P(X = Y)/2 = Σ_ij ([x_i > y_j] + [x_i = y_j]/2) / mn
//
// with m positive scores x and n negative scores y; .5 is chance.
//
// Interval: DeLong's by placements (the share of the other class that a score beats), after each class got half a case
// below all scores and half a case above them, so that it is never of zero width and few cases never look alike:
//
//	Ã ± t sqrt(S_x/(m+1) + S_y/(n+1)),  Ã = (mnA + (m+n+1)/2) / ((m+1)(n+1)),
//
// where S_x and S_y are the variances about Ã of the placements of a class with its halves, over m and n, and t is
// Student's with Satterthwaite's degrees of freedom; cut to [0, 1] and widened to hold A.
//
// Range: 0 <= Lo <= A <= Hi <= 1. Edge cases: no positive or no negative score gives no value and a warning. It panics
// on NaN. It does not change its arguments. Coverage of 95 % (TestAUROCCoverage: normal scores, 1 to 60 cases of the
// smaller class, 5 to 400 of the other, a spread of 1/5 to 5 times the other's, A from .5 to .99, and ties; 10,000
// draws each): .947 or more, and conservative, above .97, in 148 of 189 cells: most where A is .85 or more or a class
// has five cases. Source: DeLong et al., Biometrics 44 (1988) 837-845; Brunner and Munzel, Biometrical Journal 42
// (2000) 17-25, for the degrees of freedom; the halves are this project's, after Agresti and Caffo, American
// Statistician 54 (2000) 280-288.
func AUROC(positive, negative []float64, level float64) Estimate {
	e := Estimate{Level: level, Method: AUROCMethod}
	Z(level)
	xs, ys := sorted(positive), sorted(negative)
	if len(xs) == 0 || len(ys) == 0 {
		e.Warnings = []string{"an AUROC needs cases of both classes"}
		return e
	}
	m, n := float64(len(xs)), float64(len(ys))
	px := placements(xs, ys) // twice the negatives that each positive beats
	twice := Sum(px)
	e.N = len(xs) + len(ys)
	e.Value = twice / (2 * m * n)
	centre := (twice/2 + (m+n+1)/2) / ((m + 1) * (n + 1))
	vx := endedVariance(px, n, centre) / (m + 1)
	vy := endedVariance(placements(ys, xs), m, 1-centre) / (n + 1)
	df := (vx + vy) * (vx + vy) / (vx*vx/m + vy*vy/n)
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1+level)/2) * math.Sqrt(vx+vy)
	e.Lo = min(e.Value, max(0, centre-half))
	e.Hi = max(e.Value, min(1, centre+half))
	return e
}

// endedVariance returns the variance about centre of the placements of a class with half a case at each end, of which
// twice says how many of the other cases each beats, as placements has it.
func endedVariance(twice []float64, other, centre float64) float64 {
	var sum float64
	for _, p := range twice {
		d := (p+1)/(2*(other+1)) - centre
		sum += d * d
	}
	low, high := .25/(other+1)-centre, (other+.75)/(other+1)-centre
	return (sum + low*low/2 + high*high/2) / float64(len(twice))
}

// placements returns for each of a twice the number of b below it, plus the ties; both sorted.
func placements(a, b []float64) []float64 {
	out := make([]float64, len(a))
	below, through := 0, 0
	for i, x := range a {
		for below < len(b) && b[below] < x {
			below++
		}
		through = max(through, below)
		for through < len(b) && b[through] == x {
			through++
		}
		out[i] = float64(below + through)
	}
	return out
}

func sorted(xs []float64) []float64 {
	s := slices.Sorted(slices.Values(xs))
	if len(s) > 0 && math.IsNaN(s[0]) { // NaN sorts first
		panic("stat: a score is NaN")
	}
	return s
}

// AUROCByCluster is AUROC where cases come in clusters as Together numbers them, such as queries of one context.
//
// Interval: the union of AUROC's, which takes cases for independent, and logit A ± t·se/(A(1−A)) with the standard
// error of AUROCPaired for clusters and t of one degree of freedom fewer than the clusters with a case of the rarer
// class; where A is 0 or 1, or fewer than two clusters have a case of a class, the first stands alone, with a
// warning in the second case. Range, edge cases and panics are AUROC's; it panics where lengths differ. It does not
// change its arguments. Source: Obuchowski, Biometrics 53 (1997) 567-578; the union is this project's.
func AUROCByCluster(scores []float64, positive []bool, cluster []int32, level float64) Estimate {
	checkLengths(scores, scores, positive, cluster)
	xs, ys := classes(scores, positive)
	e := AUROC(xs, ys, level)
	if e.N == 0 {
		return e
	}
	e.Method += ", joined with obuchowski's by cluster"
	a, v, least := obuchowski(scores, nil, positive, cluster)
	switch {
	case least < 2:
		e.Warnings = append(e.Warnings,
			"fewer than two clusters have a case of each class: the interval takes cases for independent")
	case a > 0 && a < 1:
		e.joinLogit(v, float64(least-1))
	}
	return e
}

// AUROCClustered is AUROC where cases come in clusters as Together numbers them, such as those that ask the same
// question, and AUROC itself, to the bit, where no two cases go together.
//
// Interval: the union of Newcombe's, by the variance under two exponential distributions taken at the bound itself
// and so never of zero width, with k/(1 + (Σ m²/k - 1) ρ) cases of a class in place of its k, which are m in each
// cluster, and of AUROCPaired's variance for clusters on the logit scale with t of one degree of freedom fewer than
// the class with fewer clusters has. ρ is how alike the placements of the class's cases within a cluster are: the
// correlation within clusters by analysis of variance, in [0, 1], and 1 where placements do not vary or no two
// cases of the class go together. Where A is 0 or 1, or a class is in one cluster, the first stands alone. Range,
// edge cases and panics are AUROC's. Coverage of 95 % (TestAUROCClusteredCoverage, 60 clusters of 1 to 30 cases,
// 400 draws each): .938 to .988, of cases that are all alike in a cluster, half and not at all. AUROCByCluster
// takes many clusters and is narrower.
// Source: Newcombe, Statistics in Medicine 25 (2006) 559-573, method 5; as AUROCPaired; ρ: Donner, International
// Statistical Review 54 (1986) 67-82; the union is this project's.
func AUROCClustered(scores []float64, positive []bool, cluster []int32, level float64) Estimate {
	xs, ys := classes(scores, positive)
	e := AUROC(xs, ys, level)
	if e.N == 0 || !together(len(scores), cluster) {
		return e
	}
	e.Method =
		"newcombe 2006 method 5 at the sizes that clusters are worth, joined with obuchowski's on the logit scale"
	at, _ := places(cluster)
	placed, _ := shares(scores, positive)
	e.Lo, e.Hi = newcombe(e.Value, worth(placed, positive, true, at), worth(placed, positive, false, at), level)
	if _, v, least := obuchowski(scores, nil, positive, cluster); least > 1 && e.Value > 0 && e.Value < 1 {
		e.joinLogit(v, float64(least-1))
	}
	return e
}

// newcombe returns the bounds of an area A by Newcombe's method 5 with m and n cases of the classes.
func newcombe(area, m, n, level float64) (lo, hi float64) {
	z, star := Z(level), (m+n)/2-1
	// excess is negative where θ is inside the interval; it changes sign once on each side of the value.
	excess := func(θ float64) float64 {
		v := θ * (1 - θ) / (m * n) * (1 + star*(1-θ)/(2-θ) + star*θ/(1+θ))
		return math.Abs(area-θ) - z*math.Sqrt(v)
	}
	edge := func(outside float64) float64 {
		in, out := halve(area, outside, 60, func(θ float64) bool { return !(excess(θ) < 0) })
		return (in + out) / 2
	}
	return edge(0), edge(1)
}

// joinLogit joins the interval of an area inside (0, 1) with that of a variance on the logit scale, by t.
func (e *Estimate) joinLogit(variance, df float64) {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1 + e.Level) / 2)
	half := t * math.Sqrt(variance) / (e.Value * (1 - e.Value))
	logit := math.Log(e.Value / (1 - e.Value))
	e.Lo = min(e.Lo, 1/(1+math.Exp(half-logit)))
	e.Hi = max(e.Hi, 1/(1+math.Exp(-half-logit)))
}

// worth returns how many cases by themselves those of a class are worth.
func worth(placed []float64, positive []bool, class bool, at []int) float64 {
	var values []float64
	var in []int
	for i, x := range placed {
		if positive[i] == class {
			values, in = append(values, x), append(in, at[i])
		}
	}
	return worthOf(values, in, false)
}

// worthOf returns how many cases by themselves values in clusters are worth, n/(1 + (Σ m²/n - 1) ρ), with ρ the
// correlation within clusters by analysis of variance; the least they are worth is by its upper bound (95 %,
// one-sided, of normal values), for which the variance between clusters is divided by the 5 % quantile of F.
// Source: Searle, Linear Models, 1971.
func worthOf(values []float64, at []int, least bool) float64 {
	var all, squares, total float64
	type group struct{ n, sum, squares float64 }
	by := map[int]*group{}
	var groups []*group // in the order of cases
	for i, x := range values {
		g := by[at[i]]
		if g == nil {
			g = &group{}
			by[at[i]], groups = g, append(groups, g)
		}
		g.n, g.sum, g.squares = g.n+1, g.sum+x, g.squares+x*x
		all, total = all+1, total+x
	}
	var between, within float64
	for _, g := range groups {
		d := g.sum/g.n - total/all
		between, within = between+g.n*d*d, within+max(0, g.squares-g.sum*g.sum/g.n)
		squares += g.n * g.n
	}
	k, alike := float64(len(groups)), 1.
	if all > k && k > 1 && between+within > 0 {
		between, within = between/(k-1), within/(all-k)
		if least {
			between /= distuv.F{D1: k - 1, D2: all - k}.Quantile(.05)
		}
		alike = max(0, min(1, (between-within)/(between+((all-squares/all)/(k-1)-1)*within)))
	}
	return all / (1 + (squares/all-1)*alike)
}

// AUROCPaired returns AUROC(a) − AUROC(b) of two scores of the same cases, that come in clusters which go together,
//
//	difference ± t sqrt(S10/m + S01/n + 2 S11/(mn)),
//
// where S10, S01 and S11 are the variances and the covariance over clusters of the summed differences of placements
// (the share of the other class that a score beats, ties half), and t is Student's with one degree of freedom fewer
// than the clusters that have a case of the rarer class: with z in its place the interval held the truth in .84 to
// .89 where these were few (docs/methods.md, 6.1). Range: −1 <= lo <= hi <= 1; of zero width where both scores rank
// the cases alike. Edge cases: no case of a class gives no value and a warning; fewer than two clusters with a case
// of a class give [−1, 1] and a warning. It panics on NaN and on different lengths. It does not change its
// arguments. Coverage: TestAUROCPairedCoverage.
// Source: Obuchowski, Biometrics 53 (1997) 567-578; DeLong et al., Biometrics 44 (1988) 837-845.
func AUROCPaired(a, b []float64, positive []bool, cluster []int32, level float64) Estimate {
	checkLengths(a, b, positive, cluster)
	e := Estimate{Level: level, Method: "obuchowski by cluster", N: len(a)}
	Z(level)
	if !slices.Contains(positive, true) || !slices.Contains(positive, false) {
		e.N, e.Warnings = 0, []string{"an AUROC needs cases of both classes"}
		return e
	}
	d, v, least := obuchowski(a, b, positive, cluster)
	e.Value, e.Lo, e.Hi = d, -1, 1
	if least < 2 {
		e.Warnings = []string{"fewer than two clusters have a case of each class"}
		return e
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(least - 1)}.Quantile((1+level)/2) * math.Sqrt(v)
	e.Lo, e.Hi = max(-1, d-half), min(1, d+half)
	return e
}

func checkLengths(a, b []float64, positive []bool, cluster []int32) {
	if len(a) != len(b) || len(a) != len(positive) || len(a) != len(cluster) {
		panic(fmt.Sprintf("stat: %d and %d scores of %d cases in %d clusters", len(a), len(b), len(positive),
			len(cluster)))
	}
}

// obuchowski returns the AUROC of a, less that of b unless b is nil, its variance by cluster, which takes two
// clusters with a case of either class, and how many have one of the rarer.
func obuchowski(a, b []float64, positive []bool, cluster []int32) (value, variance float64, least int) {
	share, _ := shares(a, positive)
	if b != nil {
		others, _ := shares(b, positive)
		for i, s := range others {
			share[i] -= s
		}
	}
	type sums struct{ v10, v01, m, n float64 }
	at, clusters := places(cluster)
	by := make([]sums, clusters)
	var m, n float64
	for i, s := range share {
		if c := &by[at[i]]; positive[i] {
			c.v10, c.m, m = c.v10+s, c.m+1, m+1
			value += s
		} else {
			c.v01, c.n, n = c.v01+s, c.n+1, n+1
		}
	}
	value /= m
	var s10, s01, s11 float64
	with10, with01 := 0, 0
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
	if least = min(with10, with01); least < 2 {
		return value, 0, least
	}
	all := float64(clusters)
	s10 *= float64(with10) / (float64(with10-1) * m)
	s01 *= float64(with01) / (float64(with01-1) * n)
	s11 *= all / (all - 1)
	return value, max(0, s10/m+s01/n+2*s11/(m*n)), least
}

// shares returns for each positive case the share of the negative ones that score lower, for each negative one the
// share of the positive ones that score higher, ties half; and twice how many pairs of both rank as they should.
func shares(scores []float64, positive []bool) (share []float64, twice float64) {
	xs, ys := classes(scores, positive)
	xs, ys = sorted(xs), sorted(ys)
	beaten, below := placements(xs, ys), placements(ys, xs) // by rank, twice
	share = make([]float64, len(scores))
	for i, s := range scores {
		if positive[i] {
			share[i] = beaten[sort.SearchFloat64s(xs, s)] / float64(2*len(ys))
		} else {
			share[i] = 1 - below[sort.SearchFloat64s(ys, s)]/float64(2*len(xs))
		}
	}
	return share, Sum(beaten)
}

// leastOfClass is the number of cases of a class below which the interval of AUROCDifference says nothing.
const leastOfClass = 10

// AUROCDifference returns how much better the same scores tell apart the cases of one labelling than those of
// another, over the same cases,
//
//	D = A(first) - A(second)
//
// where A is the AUROC with the cases labelled true as the positive ones.
//
// Interval: D ± t sqrt(Σ_i (ψ_i - φ_i)²), where ψ_i is what case i adds to the error of A(first): (its placement -
// A)/m for one of the m positive cases and for one of the n negative ones likewise over n; φ_i the same of the
// second; t is Student's with one degree of freedom fewer than the smallest class has cases. So the cases are
// paired, and what moves both areas alike cancels. Where cases come in clusters, as Together numbers them and nil
// is none, the sum is over these of (Σ ψ_i - φ_i)² w/(w - 1), a class has as many cases as clusters with one of its
// own, and t has w - 1 degrees of freedom, w the least of the classes' (Σ m)²/Σ m² with m cases in each cluster.
//
// Range: [-1, 1], bounds clamped to it. Edge cases: a labelling with one class only gives no value and a warning;
// fewer than 10 cases in any of the four classes give [-1, 1] and a warning; so do labellings that agree on every
// case, of which no sample can show how far they may differ. It panics on NaN and on lengths that differ. It does
// not change its arguments. Coverage of 95 % (TestAUROCDifferenceCoverage, 1,000 draws each): .944 to .960 with 20
// cases or more in the smallest class; of 60 clusters of 1 to 30 cases (TestAUROCClusteredCoverage, 400 draws each)
// .922 to .978.
// Source: the influence function of DeLong et al., Biometrics 44 (1988) 837-845; to compare labellings by it is
// this project's.
func AUROCDifference(scores []float64, first, second []bool, cluster []int32, level float64) Estimate {
	same := ""
	if slices.Equal(first, second) {
		same = "the two labels agree on every case, so the difference cannot be bounded"
	}
	return areasApart(scores, first, scores, second, cluster, same, level)
}

// AUROCAhead returns how much better first tells the positive cases than second does, of the same cases,
//
//	D = A(first) - A(second)
//
// with the interval, range, edge cases and source of AUROCDifference; AUROCPaired is for many clusters. Two scores that
// place every case alike give [-1, 1] and a warning. Coverage of 95 % (TestAUROCAheadCoverage, 1,000 draws each): .944
// to .962.
func AUROCAhead(first, second []float64, positive []bool, cluster []int32, level float64) Estimate {
	return areasApart(first, positive, second, positive, cluster, "", level)
}

// areasApart is the difference of two AUROC over the same cases; same is why it cannot be bounded, or empty.
func areasApart(scores []float64, first []bool, others []float64, second []bool, cluster []int32, same string,
	level float64) Estimate {
	e := Estimate{Level: level, Method: "influence function of delong, paired by case"}
	Z(level)
	a, psi, least := influence(scores, first)
	b, phi, leastOther := influence(others, second)
	least = min(least, leastOther)
	if least == 0 {
		e.Warnings = []string{"an AUROC needs cases of both classes"}
		return e
	}
	e.N, e.Value = len(scores), a-b
	apart, what, worth, scale := make([]float64, len(psi)), "cases", float64(least), 1.
	for i := range psi {
		apart[i] = psi[i] - phi[i]
	}
	if together(len(apart), cluster) {
		e.Method, what = "influence function of delong, paired by cluster", "clusters"
		for _, labels := range [][]bool{first, second} {
			for _, class := range []bool{true, false} {
				n, size := clustersWith(labels, class, cluster)
				least, worth = min(least, n), min(worth, size)
			}
		}
		apart = summed(apart, cluster)
		scale = worth / max(1, worth-1)
	}
	squares := sumOfSquares(apart)
	if same == "" && squares == 0 {
		same = "the two scores tell the cases apart alike, so the difference cannot be bounded"
	}
	switch {
	case same != "":
		e.Lo, e.Hi = -1, 1
		e.Warnings = []string{same}
	case least < leastOfClass:
		e.Lo, e.Hi = -1, 1
		e.Warnings = []string{"fewer than 10 " + what + " in a class: the difference cannot be bounded"}
	default:
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: max(1, worth-1)}.Quantile((1+level)/2) * math.Sqrt(scale*squares)
		e.Lo, e.Hi = max(-1, e.Value-half), min(1, e.Value+half)
	}
	return e
}

// clustersWith counts the clusters that have a case of a class, and how many of one size would weigh as they do:
// (Σ m)²/Σ m² with m such cases in each.
func clustersWith(labels []bool, class bool, cluster []int32) (n int, worth float64) {
	var of []int32
	for i, c := range cluster {
		if labels[i] == class {
			of = append(of, c)
		}
	}
	sizes := summed(ones(len(of)), of)
	return len(sizes), float64(len(of)) * float64(len(of)) / sumOfSquares(sizes)
}

// classes parts the scores of the positive cases from those of the negative ones.
func classes(scores []float64, positive []bool) (xs, ys []float64) {
	for i, s := range scores {
		if positive[i] {
			xs = append(xs, s)
		} else {
			ys = append(ys, s)
		}
	}
	return xs, ys
}

// influence returns the AUROC of scores, what each case adds to its error, and the size of the smaller class.
func influence(scores []float64, positive []bool) (area float64, psi []float64, least int) {
	if len(scores) != len(positive) {
		panic("stat: scores and labels of different lengths")
	}
	xs, ys := classes(scores, positive)
	m, n := float64(len(xs)), float64(len(ys))
	if m == 0 || n == 0 {
		return 0, nil, 0
	}
	psi, twice := shares(scores, positive)
	area = twice / (2 * m * n)
	for i, share := range psi {
		if positive[i] {
			psi[i] = (share - area) / m
		} else {
			psi[i] = (share - area) / n
		}
	}
	return area, psi, min(len(xs), len(ys))
}

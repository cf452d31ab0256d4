package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Tested is an estimate with the p value of its test against 0, two-sided.
type Tested struct {
	Estimate
	P float64 `json:"p"`
}

// Welch returns the mean of the values that are yes less that of the others, by clusters (0: one by itself; nil: each),
//
//	d = m_1 - m_0,   v_a = G_a/(G_a - 1) Σ_g (Σ_{i in g, of a} (x_i - m_a)/n_a)²,   cov = Σ_g over both sides' sums
//	v = v_1 + v_0 - 2 cov,   d ± t sqrt(v),   df = (v_1 + v_0)² / (v_1²/(G_1 - 1) + v_0²/(G_0 - 1))
//
// with G_a the clusters that have values of side a. Without clusters it is Welch's test. No value (N = 0, P = 1) where
// a side is in fewer than two clusters, or its values do not differ. It panics on different lengths and changes
// nothing. Source: Welch, Biometrika 34 (1947) 28-35; by clusters: Liang and Zeger, Biometrika 73 (1986) 13-22.
func Welch(x []float64, yes []bool, cluster []int32, level float64) Tested {
	if len(x) != len(yes) {
		panic("stat: values and their sides are not as many")
	}
	none := Tested{Estimate{Level: level, Method: "welch by cluster"}, 1}
	var n, mean [2]float64
	side := func(i int) int { return int(Bit(yes[i])) }
	for i := range x {
		n[side(i)]++
		mean[side(i)] += x[i]
	}
	if n[0] == 0 || n[1] == 0 {
		return none
	}
	mean[0], mean[1] = mean[0]/n[0], mean[1]/n[1]
	at, count := placesOf(len(x), cluster)
	sums, has := make([][2]float64, count), make([][2]bool, count)
	for i := range x {
		sums[at[i]][side(i)] += (x[i] - mean[side(i)]) / n[side(i)]
		has[at[i]][side(i)] = true
	}
	var v, clusters [2]float64
	cov := 0.
	for k, s := range sums {
		for a := range 2 {
			v[a] += float64(s[a] * s[a])
			if has[k][a] {
				clusters[a]++
			}
		}
		cov += float64(s[0] * s[1])
	}
	if clusters[0] < 2 || clusters[1] < 2 {
		return none
	}
	for a := range 2 {
		v[a] *= clusters[a] / (clusters[a] - 1)
	}
	both := v[0] + v[1]
	if both < 1e-12 {
		return none
	}
	df := both * both / (float64(v[0]*v[0])/(clusters[0]-1) + float64(v[1]*v[1])/(clusters[1]-1))
	return none.tested(mean[1]-mean[0], math.Sqrt(max(both-2*cov, both/1e6)), df, len(x))
}

// SlopeWithin returns by how much y rises per unit of x within strata, of the least squares line with an intercept for
// each stratum, by clusters (as Welch),
//
//	β = Σ (x_i - x̄_s)(y_i - ȳ_s) / Σ (x_i - x̄_s)²
//	v = G/(G - 1) (n - 1)/(n - S - 1) Σ_g (Σ_{i in g} (x_i - x̄_s) e_i)² / (Σ (x_i - x̄_s)²)²
//	β ± t sqrt(v), df = G - 1
//
// with S strata and residuals e. No value (N = 0, P = 1) where x does not differ within strata, or there are fewer than
// three clusters or n <= S + 1, or residuals are 0. It panics on different lengths and changes nothing. Source: Liang
// and Zeger, Biometrika 73 (1986) 13-22; the factor is that of Stata and of statsmodels' cov_type="cluster".
func SlopeWithin(x, y []float64, stratum []int, cluster []int32, level float64) Tested {
	if len(x) != len(y) || len(x) != len(stratum) {
		panic("stat: x, y and strata are not as many")
	}
	none := Tested{Estimate{Level: level, Method: "least squares within strata, by cluster"}, 1}
	type sum struct{ n, x, y float64 }
	strata := map[int]*sum{}
	for i := range x {
		s := strata[stratum[i]]
		if s == nil {
			s = &sum{}
			strata[stratum[i]] = s
		}
		s.n, s.x, s.y = s.n+1, s.x+x[i], s.y+y[i]
	}
	dx, dy := make([]float64, len(x)), make([]float64, len(x))
	var xx, xy float64
	for i := range x {
		s := strata[stratum[i]]
		dx[i], dy[i] = x[i]-s.x/s.n, y[i]-s.y/s.n
		xx += float64(dx[i] * dx[i])
		xy += float64(dx[i] * dy[i])
	}
	at, count := placesOf(len(x), cluster)
	n, g, free := float64(len(x)), float64(count), len(x)-len(strata)-1
	if xx < 1e-9 || count < 3 || free < 1 {
		return none
	}
	beta := xy / xx
	sums, meat := make([]float64, count), 0.
	for i := range x {
		sums[at[i]] += dx[i] * (dy[i] - beta*dx[i])
	}
	for _, s := range sums {
		meat += float64(s * s)
	}
	v := g / (g - 1) * (n - 1) / float64(free) * meat / (xx * xx)
	if v < 1e-18 {
		return none
	}
	return none.tested(beta, math.Sqrt(v), g-1, len(x))
}

// tested is an estimate with Student's interval and test.
func (t Tested) tested(value, se, df float64, n int) Tested {
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
	reach := student.Quantile(1-(1-t.Level)/2) * se
	t.Value, t.Lo, t.Hi, t.N = value, value-reach, value+reach, n
	t.P = min(1, 2*student.Survival(math.Abs(value)/se))
	return t
}

// placesOf numbers the clusters of n values from 0.
func placesOf(n int, cluster []int32) (at []int, count int) {
	if cluster == nil {
		cluster = make([]int32, n)
	}
	return places(cluster)
}

package correct

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// A Check is how the grader of a run read other answers, of which people said what they are: counts by kind, then
// by how they were read. They need not be whole: counts of answers that err together are divided by their design
// effect.
type Check [][]float64

// An Inversion is what a check implies for a run.
type Inversion struct {
	Rates []stat.Estimate // of each kind
	// FitP is the chance of a misfit as large as seen, or larger, if this run's answers were read as those of the
	// check.
	FitP float64
}

// Fits reports whether the check carries over to the run: FitP >= .05. Where it does not, Rates are not to be used.
func (v Inversion) Fits() bool { return v.FitP >= .05 }

const (
	impliedDraws = 2000
	fitDraws     = 199
)

// Invert returns the shares of the kinds among the answers of s that checks imply, one for each band of answers
// (such as a length): stratum b·R + j of s is the answers of band b that were read as j of R. Labels of s are not
// looked at.
//
// Formula: for each of 2,000 samples, with c_bi the counts of a check's row and w the shares of all strata drawn as
// for Rates with a prior of 1/(2B) in each,
//
//	M_bi ~ Dirichlet(c_bi + 1/(2B)),  q_b = w_b/Σw_b,  θ = Σ_b (Σw_b) π_b
//
// With one band π is the point of the simplex that is nearest to q in the sense of KL(q, π M), found by EM. With
// several it is by weighted least squares, Σ_j (π M - q)_j²/(n_j + 1), may be below 0, and only θ is cut to the
// simplex: shares near 0 that are cut in each band add up to too much (.61 covered with four bands, a poor grader
// and a rate of .01; so .94). The rate is the mean of the samples, so that rates sum to 1; bounds are quantiles at
// the level, the lower one 0 where it is less than half an answer.
//
// Test of fit: R readings for K kinds leave R - K degrees of freedom a band. Twice the logarithm of the likelihood
// that π M costs against rows and shares of their own is compared with 199 samples from the fitted model: FitP = (1 +
// those that fit no better)/200. Reads are divided by their design effect.
//
// Range: [0, 1]; N counts answers. A band of which the check has nothing leaves its part open, which widens the
// interval. Edge cases: no answer, no value. It assumes that answers of one kind and band are read here as in the
// check. It panics where s has not R strata a band. Source: GRADING 4; Buonaccorsi, Measurement Error (2010) ch. 2;
// EM: Dempster, Laird and Rubin, JRSS B 39 (1977) 1.
func Invert(s *Sample, checks []Check, level float64, seedValue uint64) Inversion {
	bands := bandsOf(s, checks)
	v := Inversion{Rates: make([]stat.Estimate, len(checks[0])), FitP: 1}
	if s.Answers == 0 {
		return v
	}
	for i, draws := range inverted(s, checks, impliedDraws, seed.Stream(seedValue, "correct", "invert")) {
		v.Rates[i] = estimateOf(draws, s.Answers, level)
	}
	v.FitP = fitP(bands, seed.Stream(seedValue, "correct", "fit"))
	return v
}

// estimateOf returns the mean of samples of a share of n answers with their quantiles.
func estimateOf(draws []float64, n int, level float64) stat.Estimate {
	e := stat.Estimate{Level: level, N: n, Method: "inversion of a check"}
	for _, x := range draws {
		e.Value += x / float64(len(draws))
	}
	e.Lo, e.Hi = bounds(draws, level)
	if e.Lo < .5/float64(n) {
		e.Lo = 0
	}
	e.Lo, e.Hi = min(e.Lo, e.Value), max(e.Hi, e.Value)
	return e
}

// inverted returns samples of the share of each kind.
func inverted(s *Sample, checks []Check, draws int, r *rand.Rand) [][]float64 {
	kinds, reads := len(checks[0]), len(checks[0][0])
	var at []int
	weights := make([]float64, len(s.Strata))
	for i, x := range s.Strata {
		at, weights[i] = append(at, i), 1/(x.Mass+1)
	}
	out := make([][]float64, kinds)
	q := make([]float64, len(at))
	m := matrix(kinds, reads)
	pi, theta := make([]float64, kinds), make([]float64, kinds)
	prior := .5 / float64(len(checks))
	for range draws {
		s.draw(q, at, prior, r)
		clear(theta)
		for b, c := range checks {
			for i, row := range c {
				dirichlet(m[i], row, prior, r)
			}
			own := q[b*reads : (b+1)*reads]
			if len(checks) == 1 {
				solve(pi, m, own)
			} else {
				solveSigned(pi, m, own, weights[b*reads:(b+1)*reads])
			}
			w := stat.Sum(own)
			for i, p := range pi {
				theta[i] += float64(w * p)
			}
		}
		for i, x := range theta {
			theta[i] = max(0, x)
		}
		toShares(theta)
		for i, x := range theta {
			out[i] = append(out[i], x)
		}
	}
	return out
}

// A band is a check beside the answers of a run in it.
type band struct {
	check [][]float64 // by kind, then reading
	read  []float64   // answers of the run by reading
}

func bandsOf(s *Sample, checks []Check) (bands []band) {
	kinds, reads := 0, 0
	if len(checks) > 0 && len(checks[0]) > 0 {
		kinds, reads = len(checks[0]), len(checks[0][0])
	}
	if kinds == 0 || len(s.Strata) != len(checks)*reads || s.kinds != 0 && s.kinds != kinds {
		panic(fmt.Sprintf("correct: %d strata of %d kinds for %d checks of %d kinds by %d readings", len(s.Strata),
			s.kinds, len(checks), kinds, reads))
	}
	effect := s.designEffect()
	for b, c := range checks {
		own := band{check: c, read: make([]float64, reads)}
		for j := range own.read {
			own.read[j] = s.Strata[b*reads+j].Mass / effect
		}
		bands = append(bands, own)
	}
	return bands
}

// A model is how answers of each kind are read, how many are of each kind, and what is read then.
type model struct {
	m   [][]float64
	pi  []float64
	mix []float64
}

// mostSteps bounds EM, which has all but stopped long before where the rows of the matrix differ.
const mostSteps = 500

// solve fills pi with the shares whose mixture of the rows of m is nearest to q in the sense of KL(q, π m), by EM
// from equal shares. q need not sum to 1.
func solve(pi []float64, m [][]float64, q []float64) {
	all := stat.Sum(q)
	next := make([]float64, len(pi))
	for i := range pi {
		pi[i] = 1 / float64(len(pi))
	}
	for range mostSteps {
		clear(next)
		for j, x := range q {
			mix := mixed(pi, m, j)
			if mix == 0 || all == 0 {
				continue
			}
			for i := range next {
				next[i] += float64(pi[i] * m[i][j] * x / all / mix)
			}
		}
		moved := 0.
		for i := range next {
			moved = max(moved, math.Abs(next[i]-pi[i]))
		}
		if all == 0 {
			return
		}
		if copy(pi, next); moved < 1e-7 {
			return
		}
	}
}

// solveSigned fills pi with the numbers, which sum to 1 and may be below 0, whose mixture of the rows of m is
// nearest to q by weighted least squares,
//
//	Σ_j v_j (Σ_i π_i m_ij - q_j/Σq)²
//
// each cut to [-1, 2]; equal ones where rows are so alike that there are none.
func solveSigned(pi []float64, m [][]float64, q, v []float64) {
	all, last := stat.Sum(q), len(m)-1
	// The normal equations of π_1 … π_{K-1}, with π_K = 1 - Σ: rows less the last one against q less the last row.
	a := matrix(last, last+1)
	for i := range a {
		for j, w := range v {
			d := float64(w * (m[i][j] - m[last][j]))
			for k := range last {
				a[i][k] += float64(d * (m[k][j] - m[last][j]))
			}
			a[i][last] += float64(d * (q[j]/all - m[last][j]))
		}
	}
	for i := range pi {
		pi[i] = 1 / float64(len(pi))
	}
	for i := range a { // positive definite: no pivots needed
		if a[i][i] < 1e-12 {
			return
		}
		for k := range a {
			if k == i {
				continue
			}
			f := a[k][i] / a[i][i]
			for j := i; j <= last; j++ {
				a[k][j] -= float64(f * a[i][j])
			}
		}
	}
	rest := 1.
	for i := range a {
		pi[i] = max(-1, min(2, a[i][last]/a[i][i]))
		rest -= pi[i]
	}
	pi[last] = max(-1, min(2, rest))
}

// mixed returns Σ_i π_i m_ij.
func mixed(pi []float64, m [][]float64, j int) (x float64) {
	for i, p := range pi {
		x += float64(p * m[i][j])
	}
	return x
}

// fit returns the model that makes check and reads of a band most likely, by EM over what the answers are.
func fit(b band) model {
	kinds, reads := len(b.check), len(b.read)
	x := model{matrix(kinds, reads), make([]float64, kinds), make([]float64, reads)}
	for i := range x.m {
		x.pi[i] = 1 / float64(kinds)
		n := stat.Sum(b.check[i])
		for j := range x.m[i] {
			x.m[i][j] = (b.check[i][j] + .5) / (n + .5*float64(reads))
		}
	}
	n := stat.Sum(b.read)
	counts, truly := matrix(kinds, reads), make([]float64, kinds)
	for range mostSteps {
		clear(truly)
		for j := range x.mix {
			mix := mixed(x.pi, x.m, j)
			for i := range counts {
				here := 0.
				if mix > 0 {
					here = float64(b.read[j] * x.pi[i] * x.m[i][j] / mix)
				}
				truly[i] += here
				counts[i][j] = b.check[i][j] + here
			}
		}
		moved := 0.
		for i := range counts {
			if n > 0 {
				moved = max(moved, math.Abs(truly[i]/n-x.pi[i]))
				x.pi[i] = truly[i] / n
			}
			if all := stat.Sum(counts[i]); all > 0 {
				for j, c := range counts[i] {
					moved = max(moved, math.Abs(c/all-x.m[i][j]))
					x.m[i][j] = c / all
				}
			}
		}
		if moved < 1e-7 {
			break
		}
	}
	for j := range x.mix {
		x.mix[j] = mixed(x.pi, x.m, j)
	}
	return x
}

// misfit returns the model of a band, and twice the logarithm of the likelihood that its counts lose to shares of their
// own.
func misfit(b band) (x model, d float64) {
	x = fit(b)
	d = deviance(b.read, x.mix)
	for i, row := range b.check {
		d += deviance(row, x.m[i])
	}
	return x, d
}

// fitP returns the p-value of what bands cost together, by fitDraws samples from their models.
func fitP(bands []band, r *rand.Rand) float64 {
	seen := 0.
	models := make([]model, len(bands))
	for i, b := range bands {
		var d float64
		models[i], d = misfit(b)
		seen += d
	}
	worse := 1
	for range fitDraws {
		all := 0.
		for i, b := range bands {
			_, d := misfit(models[i].sample(b, r))
			all += d
		}
		if all >= seen-1e-9 {
			worse++
		}
	}
	return float64(worse) / (fitDraws + 1)
}

// sample draws a band as large as b.
func (x model) sample(b band, r *rand.Rand) band {
	out := band{check: matrix(len(b.check), len(b.read)), read: make([]float64, len(b.read))}
	for i, row := range b.check {
		multinomial(out.check[i], x.m[i], stat.Sum(row), r)
	}
	multinomial(out.read, x.mix, stat.Sum(b.read), r)
	return out
}

// deviance returns twice the logarithm of the likelihood that counts lose to their own shares under p.
func deviance(counts, p []float64) (d float64) {
	n := stat.Sum(counts)
	for j, k := range counts {
		if k > 0 {
			d += float64(2 * k * math.Log(k/n/max(p[j], 1e-12)))
		}
	}
	return d
}

// multinomial fills counts with about n draws by the shares p; n need not be whole.
func multinomial(counts, p []float64, n float64, r *rand.Rand) {
	clear(counts)
	for range int(math.Round(n)) {
		u := r.Float64()
		j := 0
		for j < len(p)-1 && u >= p[j] {
			u -= p[j]
			j++
		}
		counts[j]++
	}
}

// dirichlet fills p with a sample of Dirichlet(counts + 1/2).
func dirichlet(p, counts []float64, prior float64, r *rand.Rand) {
	for j, k := range counts {
		p[j] = gamma(k+prior, r)
	}
	toShares(p)
}

// toShares divides weights by their sum.
func toShares(w []float64) {
	all := stat.Sum(w)
	for i := range w {
		w[i] /= all
	}
}

func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

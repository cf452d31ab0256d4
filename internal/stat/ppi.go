package stat

import (
	"fmt"
	"math"
	"slices"

	"hallmark/internal/base/lists"
)

// A Stratum is a part of the cases, from which a random sample was labelled by people. All values lie in [0, 1]: 1
// where the case fails, a share where raters differ.
type Stratum struct {
	Human  []float64 // of the labelled cases, what people said
	Grader []float64 // of the same cases, what the grader said
	Others []float64 // of the cases without a label, what the grader said
	// Clusters number what the cases are observations of, over all strata, those with a label first: 0 or nil is a case
	// by itself.
	Clusters []int32
}

// clusters returns those of all cases, and by themselves of the labelled ones and of the others.
func (s *Stratum) clusters() (all, labelled, others []int32) {
	if all = s.Clusters; all == nil {
		all = make([]int32, len(s.Human)+len(s.Others))
	}
	if len(all) != len(s.Human)+len(s.Others) {
		panic("stat: cases and their clusters of different numbers")
	}
	return all, all[:len(s.Human)], all[len(s.Human):]
}

// A Corrected is a grader's rate corrected by labels of people. Estimate.N counts all cases, labelled or not.
type Corrected struct {
	Estimate
	// the plug-in standard error of PPI++, from which the interval is not made: see PredictionPowered
	SE       float64
	Labelled int       // cases with a label
	Lambda   []float64 // of each stratum, in [0, 1]: how far its grader is trusted; 0 is people alone
}

// PredictionPowered returns the share of failures that people would find over all cases, from what a grader found
// on all of them and people on a random sample of each stratum: prediction-powered inference, tuned (PPI++),
// stratified.
//
// Formula: in a stratum with n labelled cases, Y what people said of them and f the grader, and N others,
//
//	θ   = mean(Y - λ f) + λ mean(f of the others)
//	λ   = cov(Y, f) / ((1 + n/N) var f), cut to [0, 1]; cov over the labelled (divided by n),
//	      var f over all n + N cases (by n + N - 1)
//	SE² = var(Y - λ f)/n + λ² var(f of the others)/N, variances divided by their number
//
// and over strata with the shares w_s of all cases: θ = Σ w_s θ_s and SE² = Σ w_s² SE_s² + Σ w_s (θ_s - θ)²/Σ(n_s +
// N_s), the last because another draw of cases would fall into other shares. Without others λ is 0, which leaves
// the mean of Y. A stratum without a label counts with the mean of its grader, with a warning: its grader is then
// taken at its word.
//
// Interval: the normal one, θ ± z SE, has no width where people and grader agree on a small sample, so the
// distances to the bounds are those of Mean for each of the two means, put together by the root of the sum of
// squares (MOVER). It is conservative. Share of 95 % intervals that hold the rate people would find in the
// population, 10,000 draws each (Monte Carlo error .002), beside θ ± z SE:
//
//	grader misses and false alarms     labelled     covered  z SE
//	5 % and 2 % of 25 % failing        90 of 900    0.986    0.932
//	40 % and 20 % of 25 %              90 of 900    0.966    0.938
//	20 % and 1 % of 3 %                50 of 900    1.000    0.770
//	10 % and 10 % of 30 %              15 of 200    0.994    0.894
//	two strata, 30 % and 2 % missed    90 of 900    0.991    0.911
//	30 % and 10 % of 20 %              40 of 40     0.972    0.906
//	none, of 10 %                      50 of 500    0.994    0.871
//
// Where cases go together θ and λ stay. The distances are those of MeanByCluster, SE² is Σ_c (Σ_{i in c} u_i)² over
// clusters c, with u_i what case i adds to θ less its mean, and the squared distances are multiplied by what this is
// larger than it would be if the means and the shares of strata were independent, as they are not where a cluster has
// cases in several. TestPredictionPoweredByCluster has what that covers.
//
// Range: [0, 1]; θ is cut to it. Edge cases: no case, no value. It panics on values outside [0, 1] and where Human
// and Grader differ in length. It changes nothing. Source: Angelopoulos, Duchi and Zrnic, PPI++, arXiv:2311.01453,
// for θ, λ and SE of one stratum; strata as in Fisch et al., arXiv:2406.04291; MOVER: Zou and Donner, Statistics in
// Medicine 27 (2008) 1693-1702. The interval's use of Mean is this project's.
func PredictionPowered(strata []Stratum, level float64) Corrected {
	z := Z(level)
	c := Corrected{Estimate: Estimate{Level: level,
		Method: "prediction-powered (PPI++), stratified, bounds by MOVER"}, Lambda: make([]float64, len(strata))}
	unlabelled := 0
	for _, s := range strata {
		checkPaired(s.Human, s.Grader)
		c.N += len(s.Human) + len(s.Others)
		c.Labelled += len(s.Human)
		if len(s.Human) == 0 && len(s.Others) > 0 {
			unlabelled += len(s.Others)
		}
	}
	if c.N == 0 {
		return c
	}
	parts := make([]part, len(strata))
	var variance, below, above float64
	for i, s := range strata {
		weight := float64(len(s.Human)+len(s.Others)) / float64(c.N)
		if weight == 0 {
			continue
		}
		p := powered(s, level)
		c.Lambda[i], parts[i] = p.lambda, p
		c.Value += float64(weight * p.theta)
		variance += float64(weight * weight * p.variance)
		below += float64(weight * weight * p.below)
		above += float64(weight * weight * p.above)
	}
	var between float64
	for i, s := range strata {
		weight := float64(len(s.Human)+len(s.Others)) / float64(c.N)
		d := parts[i].theta - c.Value
		between += float64(weight * d * d)
	}
	between /= float64(c.N)
	c.SE = math.Sqrt(variance + between)
	if u, together := spreads(strata, parts, c.Value); together {
		c.SE, between = math.Sqrt(u.all), u.between
		if u.apart > 0 {
			times := max(1, u.all/u.apart)
			below, above, between = below*times, above*times, between*times
		}
		c.Method += ", by cluster"
	}
	c.Value = max(0, min(1, c.Value))
	c.Lo = max(0, c.Value-math.Sqrt(below+float64(z*z*between)))
	c.Hi = min(1, c.Value+math.Sqrt(above+float64(z*z*between)))
	if unlabelled > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf(
			"%d of %d cases stand in a stratum of which people labelled none: there the grader is taken at its word",
			unlabelled, c.N))
	}
	if c.Labelled > 0 && c.Labelled < 20 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d labelled cases correct little and roughly: label 50 or more",
			c.Labelled))
	}
	return c
}

// part is the estimate of one stratum; below and above are squared distances to its bounds.
type part struct {
	lambda, theta, variance, below, above float64
	labelled, others                      []float64 // what each case adds to θ, less the mean
}

// A spread is the variance of θ by cluster: in all, of the shares of strata, and if all means and the shares of strata
// were independent.
type spread struct{ all, between, apart float64 }

// spreads returns the variance of θ by cluster; false where no two cases go together.
func spreads(strata []Stratum, parts []part, theta float64) (u spread, any bool) {
	var all []int32
	n := 0
	for _, s := range strata {
		n += len(s.Human) + len(s.Others)
	}
	var whole, between []float64 // of each case
	for i, s := range strata {
		numbers, labelled, others := s.clusters()
		all = append(all, numbers...)
		weight := float64(len(numbers)) / float64(n)
		for _, x := range slices.Concat(parts[i].labelled, parts[i].others) {
			d := (parts[i].theta - theta) / float64(n)
			whole, between = append(whole, float64(weight*x)+d), append(between, d)
		}
		for _, part := range [][]float64{summed(parts[i].labelled, labelled), summed(parts[i].others, others)} {
			for _, x := range part {
				u.apart += float64(weight * weight * x * x)
			}
		}
	}
	if !together(n, all) {
		return u, false
	}
	u.all, u.between = sumOfSquares(summed(whole, all)), sumOfSquares(summed(between, all))
	u.apart += u.between
	return u, true
}

func powered(s Stratum, level float64) part {
	n, others := len(s.Human), len(s.Others)
	_, ofLabelled, ofOthers := s.clusters()
	if n == 0 {
		m := MeanByCluster(s.Others, ofOthers, level)
		_, v := moments(s.Others)
		return part{lambda: 1, theta: m.Value, variance: v / float64(others), below: square(m.Value - m.Lo),
			above: square(m.Hi - m.Value), others: added(s.Others, 1)}
	}
	p := part{}
	if others > 0 {
		p.lambda = tuned(s)
	}
	// Y - λ f lies in [-λ, 1]; Mean takes values in [0, 1].
	rectified := make([]float64, n)
	width := 1 + p.lambda
	for i, y := range s.Human {
		checkRange(y, 1)
		checkRange(s.Grader[i], 1)
		rectified[i] = max(0, min(1, (y-float64(p.lambda*s.Grader[i])+p.lambda)/width))
	}
	m := MeanByCluster(rectified, ofLabelled, level)
	_, v := moments(rectified)
	p.theta = m.Value*width - p.lambda
	p.variance = v * width * width / float64(n)
	p.below, p.above = square((m.Value-m.Lo)*width), square((m.Hi-m.Value)*width)
	p.labelled, p.others = added(rectified, width), added(s.Others, p.lambda)
	if p.lambda > 0 {
		f := MeanByCluster(s.Others, ofOthers, level)
		_, v := moments(s.Others)
		p.theta += float64(p.lambda * f.Value)
		p.variance += p.lambda * p.lambda * v / float64(others)
		p.below += square(p.lambda * (f.Value - f.Lo))
		p.above += square(p.lambda * (f.Hi - f.Value))
	}
	return p
}

// tuned returns λ of a stratum that has labels and others; 0 where the grader says the same of every case.
func tuned(s Stratum) float64 {
	n := float64(len(s.Human))
	y, _ := moments(s.Human)
	f, _ := moments(s.Grader)
	var cov float64
	for i := range s.Human {
		cov += float64((s.Human[i] - y) * (s.Grader[i] - f))
	}
	cov /= n
	all := slices.Concat(s.Grader, s.Others)
	_, v := moments(all)
	v *= float64(len(all)) / float64(len(all)-1)
	if v == 0 {
		return 0
	}
	return max(0, min(1, cov/((1+n/float64(len(s.Others)))*v)))
}

// added returns what each value adds to so many times their mean, less its share of that.
func added(xs []float64, times float64) []float64 {
	mean, _ := moments(xs)
	return lists.Map(xs, func(x float64) float64 { return times * (x - mean) / float64(len(xs)) })
}

// moments returns mean and variance, divided by the number.
func moments(xs []float64) (mean, variance float64) {
	mean = Sum(xs) / float64(len(xs))
	for _, x := range xs {
		variance += float64((x - mean) * (x - mean))
	}
	return mean, variance / float64(len(xs))
}

func square(x float64) float64 { return x * x }

func sumOfSquares(xs []float64) (all float64) {
	for _, x := range xs {
		all += float64(x * x)
	}
	return all
}

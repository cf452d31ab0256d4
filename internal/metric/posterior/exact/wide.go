package exact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"hallmark/internal/metric/posterior/predictive"
)

// A Wide is a learner of y = mu(x) + noise on the line, where mu is a random network of one hidden layer of ever
// more units,
//
//	mu(x) = Σ a_j max(0, w_j x + b_j),   w, b ~ N(0, 1), a ~ N(0, 1/units),
//
// which in the limit is a Gaussian process with the covariance of Kernel, so that its posterior is known. Queries
// of pairs that it makes up are uniform on [−2, 2]. Source of the limit and the kernel: Cho and Saul, Kernel
// Methods for Deep Learning (2009), the arc-cosine kernel of order 1.
type Wide struct {
	Sigma  float64 // of the noise
	Repeat bool    // a pair that it makes up has the query for its input
}

// WideRange bounds the queries that a Wide makes up, from −WideRange to it.
const WideRange = 2

// Kernel is the covariance of mu at two points,
//
//	|u||v|/(2π) (sin θ + (π − θ) cos θ),   u = (x, 1), v = (y, 1), θ the angle between them,
//
// which is (1 + x²)/2 where they are one.
func (Wide) Kernel(x, y float64) float64 {
	norm := math.Sqrt((float64(x*x) + 1) * (float64(y*y) + 1))
	theta := math.Abs(math.Atan(x) - math.Atan(y)) // (x, 1) lies at the angle atan x from (0, 1)
	s, c := math.Sincos(theta)
	return norm / (2 * math.Pi) * (s + float64((math.Pi-theta)*c))
}

// A Curve is what a Wide knows of mu after some pairs. It holds the Cholesky factor of the covariance of the
// answers, row by row.
type Curve struct {
	Wide
	xs   []float64
	rows [][]float64 // row i has i+1 numbers
	z    []float64   // the factor's inverse times the answers
}

// Learn returns the posterior after a context of inputs and labels, one number each.
func (w Wide) Learn(context []Pair) (*Curve, error) {
	c := &Curve{Wide: w}
	for i, p := range context {
		x, y, err := Numbers(p)
		if err != nil {
			return nil, fmt.Errorf("pair %d: %w", i+1, err)
		}
		c.Add(x, y)
	}
	return c, nil
}

// solve returns the factor's inverse times the covariances of mu at x with the answers.
func (c *Curve) solve(x float64) []float64 {
	v := make([]float64, len(c.xs), len(c.xs)+1)
	for i, row := range c.rows {
		v[i] = (c.Kernel(x, c.xs[i]) - dot(row[:i], v)) / row[i]
	}
	return v
}

// Add learns one pair in place.
func (c *Curve) Add(x, y float64) {
	v := c.solve(x)
	d := math.Sqrt(max(0, c.Kernel(x, x)-dot(v, v)) + c.Sigma*c.Sigma)
	c.z = append(c.z, (y-dot(v, c.z))/d)
	c.rows, c.xs = append(c.rows, append(v, d)), append(c.xs, x)
}

// Clone returns a posterior that goes on from here by itself.
func (c *Curve) Clone() *Curve {
	return &Curve{c.Wide, slices.Clip(c.xs), slices.Clip(c.rows), slices.Clip(c.z)}
}

// At returns mean and variance of mu at x.
func (c *Curve) At(x float64) (mean, variance float64) {
	v := c.solve(x)
	return dot(v, c.z), max(0, c.Kernel(x, x)-dot(v, v))
}

// Predict returns the distribution of the answer to x.
func (c *Curve) Predict(x float64) predictive.Normal {
	m, v := c.At(x)
	return predictive.Normal{Mean: m, Variance: v + c.Sigma*c.Sigma}
}

// Extend makes up n pairs, learning each before the next, and returns the posterior after them. Where pairs repeat the
// query, that is x.
func (c *Curve) Extend(n int, x float64, r *rand.Rand) *Curve {
	after := c.Clone()
	for range n {
		if !c.Repeat {
			x = WideRange * (2*r.Float64() - 1)
		}
		after.Add(x, after.Predict(x).Draw(r))
	}
	return after
}

// Package exact holds in-context learners whose posterior is known in closed form: a coin of unknown bias, a die of
// unknown faces, a line seen through noise. They are to the posterior hallucination rate what a weight of known mass is
// to a balance. They answer in process, and nothing of them is stored.
package exact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/model"
	"hallmark/internal/stat"
)

// A Pair is one example of a context.
type Pair struct {
	Input, Label string
}

// A Dirichlet is a learner of labels "0" to "k−1" that ignores its input: the posterior about their probabilities is
// Dirichlet, with these parameters. Each label that is seen adds 1 to its own.
type Dirichlet []float64

// A Linear is a learner of y = F·x + noise: F is normal with mean 0 and standard deviation Prior in each of Dim
// dimensions, the noise normal with standard deviation Sigma.
type Linear struct {
	Dim   int
	Sigma float64
	Prior float64
	// a pair that it makes up has the query for its input; otherwise inputs are standard normal in each dimension
	Repeat bool
}

// MaxLabels and MaxDim bound what a reference may ask for.
const (
	MaxLabels = 1000
	MaxDim    = 64
)

// Open returns the learner that a reference names: a Dirichlet, a Linear or a Wide.
func Open(ref model.Ref) (any, error) {
	p := params{ref.Text, ref.Params, nil}
	var out any
	switch ref.Name {
	case "beta-bernoulli":
		out = Dirichlet{p.positive("b", 1), p.positive("a", 1)} // a counts the ones
	case "dirichlet":
		out = p.alpha()
	case "linreg":
		l := Linear{Dim: int(p.positive("dim", 1)), Sigma: p.positive("sigma", .5), Prior: p.positive("prior", 1)}
		if d := p.positive("dim", 1); d != math.Trunc(d) || d > MaxDim {
			p.fail("dim %v: want a whole number from 1 to %d", d, MaxDim)
		}
		l.Repeat = p.repeats("normal")
		out = l
	case "relu":
		out = Wide{Sigma: p.positive("sigma", .1), Repeat: p.repeats("uniform")}
	default:
		p.fail("unknown exact model %q", ref.Name)
	}
	p.known(map[string][]string{"beta-bernoulli": {"a", "b"}, "dirichlet": {"alpha"},
		"linreg": {"dim", "sigma", "prior", "x"}, "relu": {"sigma", "x"}}[ref.Name])
	return out, p.err
}

// params reads the parameters of a reference and keeps the first error.
type params struct {
	text   string
	values url.Values
	err    error
}

func (p *params) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("model %q: %s", p.text, fmt.Sprintf(format, args...))
	}
}

// repeats reads whether made-up pairs have the query for their input; else it is drawn.
func (p *params) repeats(drawn string) bool {
	x := p.values.Get("x")
	if x != "" && x != drawn && x != "query" {
		p.fail("x=%s: want %s or query, which says what inputs the pairs have that the model makes up", x, drawn)
	}
	return x == "query"
}

// positive reads a parameter that is a number above 0 and at most a million.
func (p *params) positive(name string, otherwise float64) float64 {
	if text := p.values.Get(name); text != "" {
		return p.number(name, text)
	}
	return otherwise
}

func (p *params) number(name, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= 1e6) {
		p.fail("%s=%s: want a number above 0 and at most 1000000", name, text)
		return 1
	}
	return x
}

func (p *params) alpha() Dirichlet {
	text := p.values.Get("alpha")
	if text == "" {
		text = "1,1,1"
	}
	parts := strings.Split(text, ",")
	if len(parts) < 2 || len(parts) > MaxLabels {
		p.fail("alpha=%.40s has %d numbers: want 2 to %d", text, len(parts), MaxLabels)
		return nil
	}
	d := make(Dirichlet, len(parts))
	for i, s := range parts {
		d[i] = p.number("alpha", s)
	}
	return d
}

func (p *params) known(names []string) {
	for name := range p.values {
		if !slices.Contains(names, name) {
			p.fail("unknown parameter %q: it takes %s", name, strings.Join(names, ", "))
		}
	}
}

// Learn returns the posterior after a context. A label that is none of the model's is an error.
func (d Dirichlet) Learn(context []Pair) (Dirichlet, error) {
	after := slices.Clone(d)
	for i, p := range context {
		k, err := d.Label(p.Label)
		if err != nil {
			return nil, fmt.Errorf("pair %d: %w", i+1, err)
		}
		after[k]++
	}
	return after, nil
}

// Label reads a label, the number of one of the model's.
func (d Dirichlet) Label(text string) (int, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 0 || k >= len(d) || strconv.Itoa(k) != text {
		return 0, fmt.Errorf("label %.60q: want one of 0 to %d", text, len(d)-1)
	}
	return k, nil
}

// Under is the distribution of the labels by a mechanism: their chances, which sum to 1, or of two labels that of
// "1" alone.
func (d Dirichlet) Under(mechanism []float64) (predictive.Categorical, error) {
	c := predictive.Categorical(slices.Clone(mechanism))
	if len(d) == 2 && len(c) == 1 {
		c = predictive.Categorical{1 - c[0], c[0]}
	}
	var sum float64
	for _, p := range c {
		if !(p >= 0 && p <= 1) {
			sum = math.NaN()
		}
		sum += p
	}
	if len(c) != len(d) || !(math.Abs(sum-1) < 1e-9) {
		return nil, fmt.Errorf("mechanism %v: want the chances of %d labels, which sum to 1", mechanism, len(d))
	}
	return c, nil
}

// Predict returns the distribution of the next label.
func (d Dirichlet) Predict() predictive.Categorical {
	sum := stat.Sum(d)
	p := make(predictive.Categorical, len(d))
	for i, a := range d {
		p[i] = a / sum
	}
	return p
}

// Extend draws n labels from the posterior, learning each before the next, and returns the posterior after them.
func (d Dirichlet) Extend(n int, r *rand.Rand) Dirichlet {
	after := slices.Clone(d)
	for range n {
		after[int(after.Predict().Draw(r))]++
	}
	return after
}

// A Posterior is what a Linear knows of F: normal, with this mean and covariance.
type Posterior struct {
	Linear
	Mean       []float64
	Covariance [][]float64
}

// Learn returns the posterior after a context of inputs, numbers with commas between them, and labels, one number each.
func (l Linear) Learn(context []Pair) (Posterior, error) {
	b := Posterior{l, make([]float64, l.Dim), make([][]float64, l.Dim)}
	for i := range b.Covariance {
		b.Covariance[i] = make([]float64, l.Dim)
		b.Covariance[i][i] = l.Prior * l.Prior
	}
	for i, p := range context {
		x, y, err := l.Pair(p)
		if err != nil {
			return Posterior{}, fmt.Errorf("pair %d: %w", i+1, err)
		}
		b.add(x, y)
	}
	return b, nil
}

// Pair reads a pair.
func (l Linear) Pair(p Pair) (x []float64, y float64, err error) {
	if x, err = l.Point(p.Input); err == nil {
		y, err = label(p)
	}
	return x, y, err
}

// Under is the distribution of the answer to x by a mechanism, the slopes of the line.
func (l Linear) Under(mechanism, x []float64) (predictive.Normal, error) {
	if len(mechanism) != l.Dim {
		return predictive.Normal{}, fmt.Errorf("mechanism %v: want %d numbers, the slopes of the line", mechanism,
			l.Dim)
	}
	return predictive.Normal{Mean: dot(mechanism, x), Variance: l.Sigma * l.Sigma}, nil
}

// label reads the label of a pair.
func label(p Pair) (float64, error) {
	y, err := strconv.ParseFloat(strings.TrimSpace(p.Label), 64)
	if err != nil || math.IsNaN(y) || math.Abs(y) > 1e9 {
		return 0, fmt.Errorf("label %.60q: want a number", p.Label)
	}
	return y, nil
}

// Numbers reads a pair of one number each.
func Numbers(p Pair) (x, y float64, err error) {
	if x, err = Number(p.Input); err == nil {
		y, err = label(p)
	}
	return x, y, err
}

// Number reads an input of one number.
func Number(input string) (float64, error) {
	x, err := Linear{Dim: 1}.Point(input)
	if err != nil {
		return 0, fmt.Errorf("input %.60q: want one number", input)
	}
	return x[0], nil
}

// Point reads an input.
func (l Linear) Point(input string) ([]float64, error) {
	parts := strings.Split(input, ",")
	if len(parts) != l.Dim {
		return nil, fmt.Errorf("input %.60q has %d numbers: want %d, with commas between them", input, len(parts),
			l.Dim)
	}
	x := make([]float64, l.Dim)
	for i, s := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > 1e9 {
			return nil, fmt.Errorf("input %.60q: %q is no number", input, s)
		}
		x[i] = v
	}
	return x, nil
}

// add learns one pair in place.
func (b *Posterior) add(x []float64, y float64) {
	cx := b.times(x)
	gain := 1 / (b.Sigma*b.Sigma + dot(x, cx))
	miss := y - dot(x, b.Mean)
	for i := range b.Mean {
		b.Mean[i] += float64(cx[i] * gain * miss)
		for j := range b.Mean {
			b.Covariance[i][j] -= float64(cx[i] * cx[j] * gain)
		}
	}
}

func (b *Posterior) times(x []float64) []float64 {
	return lists.Map(b.Covariance, func(row []float64) float64 { return dot(row, x) })
}

func dot(a, b []float64) float64 {
	var s float64
	for i := range a {
		s += float64(a[i] * b[i])
	}
	return s
}

// At returns mean and variance of F·x, without the noise.
func (b Posterior) At(x []float64) (mean, variance float64) {
	return dot(x, b.Mean), max(0, dot(x, b.times(x)))
}

// Predict returns the distribution of the answer to x.
func (b Posterior) Predict(x []float64) predictive.Normal {
	m, v := b.At(x)
	return predictive.Normal{Mean: m, Variance: v + b.Sigma*b.Sigma}
}

// Extend makes up n pairs, learning each before the next, and returns the posterior after them. Where pairs repeat the
// query, that is x.
func (b Posterior) Extend(n int, x []float64, r *rand.Rand) Posterior {
	after := Posterior{b.Linear, slices.Clone(b.Mean), make([][]float64, b.Dim)}
	for i := range after.Covariance {
		after.Covariance[i] = slices.Clone(b.Covariance[i])
	}
	at := slices.Clone(x)
	for range n {
		if !b.Repeat {
			for i := range at {
				at[i] = r.NormFloat64()
			}
		}
		after.add(at, after.Predict(at).Draw(r))
	}
	return after
}

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

// Package regression is learning in context where the truth is known: pairs of a query and a response that is normal
// around a random network, the small model that learns to learn them, its recipe, and how it is read. The task is that
// of the synthetic experiment of arXiv:2406.07457.
package regression

import (
	"math"
	"math/rand/v2"
	"strconv"

	"hallmark/internal/base/seed"
	"hallmark/internal/engine/kernel"
)

// The task.
const (
	Range = 2   // queries are uniform on [−Range, Range]
	Sigma = .1  // standard deviation of a response around its function
	Units = 256 // of the hidden layer of a function's network
)

// A Pair is a query and its response.
type Pair struct{ X, Y float64 }

// A Function is a random network of one hidden layer, Σ a_j max(0, w_j x + b_j) over Units units with w and b
// standard normal and a normal with variance 1/Units: the mean response, with standard deviation √((1 + x²)/2) over
// functions. As Units is large it is nearly the Gaussian process of exact.Wide.
type Function struct {
	w, b, a []float64
}

// DrawFunction draws a function.
func DrawFunction(r *rand.Rand) *Function {
	f := &Function{make([]float64, Units), make([]float64, Units), make([]float64, Units)}
	for _, p := range [][]float64{f.w, f.b} {
		for j := range p {
			p[j] = normal(r)
		}
	}
	for j := range f.a {
		f.a[j] = normal(r) / math.Sqrt(Units)
	}
	return f
}

// At returns the mean response at x.
func (f *Function) At(x float64) float64 {
	var y float64
	for j, a := range f.a {
		if h := float64(f.w[j]*x) + f.b[j]; h > 0 {
			y += float64(a * h)
		}
	}
	return y
}

// normal is Box and Muller's draw; rand's own calls functions whose bits differ between machines.
func normal(r *rand.Rand) float64 {
	radius := math.Sqrt(float64(-2 * kernel.Log(1-r.Float64())))
	_, c := kernel.SinCos(float64(2 * math.Pi * r.Float64()))
	return float64(radius * c)
}

// A Series is a function with pairs drawn around it, as many as are asked for and each the same whenever it is.
type Series struct {
	Mean func(x float64) float64
	key  uint64
}

// The sets of series, whose functions and noise come from streams of their own.
const (
	Training = "training"
	Test     = "test"
)

// Draw returns series i of a set under a seed.
func Draw(s uint64, set string, i int) *Series {
	r := seed.Stream(s, "regression", set, strconv.Itoa(i))
	return &Series{DrawFunction(r).At, r.Uint64()}
}

// Foreign returns a series around a function that no network of the task is like: a sine of three to five periods
// over the queries' range, of amplitude 1 and random phase.
func Foreign(s uint64, i int) *Series {
	r := seed.Stream(s, "regression", "foreign", strconv.Itoa(i))
	periods, phase := 3+2*r.Float64(), 2*math.Pi*r.Float64()
	return &Series{func(x float64) float64 { return math.Sin(2*math.Pi*periods*x/(2*Range) + phase) }, r.Uint64()}
}

// Pair returns pair j.
func (s *Series) Pair(j int) Pair {
	r := rand.New(rand.NewPCG(mix(s.key, uint64(2*j)), mix(s.key, uint64(2*j+1))))
	x := uniform(r)
	return Pair{x, s.Mean(x) + float64(Sigma*normal(r))}
}

// Pairs returns the first n pairs.
func (s *Series) Pairs(n int) []Pair {
	pairs := make([]Pair, n)
	for j := range pairs {
		pairs[j] = s.Pair(j)
	}
	return pairs
}

// uniform draws a query.
func uniform(r *rand.Rand) float64 { return float64(2*Range*r.Float64()) - Range }

// mix is SplitMix64's output for a state that many steps from a key on.
func mix(key, n uint64) uint64 {
	z := key + (n+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

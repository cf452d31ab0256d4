// Package synthetic measures the posterior hallucination rate where the truth is known: over test functions of package
// regression, beside the true rate and beside the rates of the exact posterior, which part what the context does not
// say from what the model gets wrong.
package synthetic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"hallmark/internal/base/parallel"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/metric/posterior/regression"
)

// A Setup says what is measured.
type Setup struct {
	Seed      uint64    `json:"seed"`
	Functions int       `json:"functions"` // test functions
	Contexts  []int     `json:"contexts"`  // numbers of pairs, n; rising
	Queries   int       `json:"queries"`   // of each function, uniform
	Extend    int       `json:"extend"`    // pairs made up, N − n
	M         int       `json:"m"`         // extensions
	Eps       []float64 `json:"eps"`       // the first is that of the true rate where eps is misspecified
	Foreign   int       `json:"foreign"`   // functions that the task has none of; 0 for none
	Level     float64   `json:"level"`     // confidence of the intervals
}

// DefaultSetup is that of the source where it says so: eps .05 among five, 200 functions, M = 40; N − n = 30 is
// this project's target.
func DefaultSetup() Setup {
	return Setup{
		Seed: 1, Functions: 200, Contexts: []int{2, 4, 8, 16, 32, 64, 100, 150, 200}, Queries: 8, Extend: 30, M: 40,
		Eps: []float64{.05, .02, .1, .2, .5}, Foreign: 20, Level: .95,
	}
}

// Validate says which field cannot be measured with a model of so many queries a sequence.
func (s Setup) Validate(window int) error {
	outside := func(n, least, most int) bool { return n < least || n > most }
	switch {
	case outside(s.Functions, 3, 100_000):
		return fmt.Errorf("%d functions: want 3 to 100000", s.Functions)
	case outside(s.Queries, 1, 500):
		return fmt.Errorf("%d queries: want 1 to 500", s.Queries)
	case s.Extend < 1 || outside(s.M, 2, 10_000):
		return fmt.Errorf("%d extensions of %d pairs: want 2 to 10000 extensions of at least one pair", s.M, s.Extend)
	case len(s.Contexts) == 0 || s.Contexts[0] < 0 || !slices.IsSorted(s.Contexts) ||
		len(slices.Compact(slices.Clone(s.Contexts))) < len(s.Contexts):
		return fmt.Errorf("contexts of %v pairs: want rising numbers", s.Contexts)
	case slices.Max(s.Contexts)+s.Extend >= window:
		return fmt.Errorf(
			"a context of %d pairs with %d more does not fit the model's window, which takes %d and a query",
			slices.Max(s.Contexts), s.Extend, window-1)
	case len(s.Eps) == 0 || slices.Min(s.Eps) <= 0 || slices.Max(s.Eps) >= 1:
		return fmt.Errorf("eps of %v: want probabilities between 0 and 1", s.Eps)
	case outside(s.Foreign, 0, 100_000):
		return fmt.Errorf("%d foreign functions: want 0 to 100000", s.Foreign)
	}
	return nil
}

// A Row is one query of one function after n pairs. Rates are in [0, 1], by eps in the order of the setup.
type Row struct {
	Function, N int
	X           float64
	THR, PHR    []float64
	MI          float64 // nats: the entropy now less its mean after the extensions
	Entropy     float64 // nats, now

	// What the exact posterior of the wide network gives in place of the model: the true rate of its predictive
	// distribution, and its posterior rate after as many pairs with uniform queries, by the closed form.
	ExactTHR, ExactPHR []float64
	// Divergence is that of the model's distribution from the exact one, Σ e ln(e/p) over the bins, in nats.
	Divergence float64
	// Gap is the total variation between the model's distribution now and its mean over the extensions, which is 0
	// but for chance where the model is a martingale.
	Gap float64

	Mean, Lo, Hi float64 // of the model: the mean response, and the central part of 1 − eps of the responses
	Truth        float64 // the function's mean response
}

func newRow(eps int) Row {
	column := func() []float64 { return make([]float64, eps) }
	return Row{THR: column(), PHR: column(), ExactTHR: column(), ExactPHR: column()}
}

// rates are those of a row, each by eps.
func (r *Row) rates() [][]float64 { return [][]float64{r.THR, r.PHR, r.ExactTHR, r.ExactPHR} }

// atOnce is the number of extensions that are held in memory together, for each function under way.
const atOnce = 64

// paths is the number of draws of extension queries over which the exact posterior rate is a mean.
const paths = 2

// A learner is a function with what the model and the exact posterior know of it.
type learner struct {
	series    *regression.Series
	posterior *regression.Posterior
	curve     *exact.Curve
	name      []string // of its streams
}

func newLearner(m *regression.Model, s *regression.Series, name ...string) (*learner, error) {
	curve, err := exact.Wide{Sigma: regression.Sigma}.Learn(nil)
	return &learner{s, m.Begin(), curve, append([]string{"regression", "study"}, name...)}, err
}

// learn takes in the function's pairs up to the n-th.
func (s *learner) learn(n int) error {
	var more []regression.Pair
	for j := s.posterior.Pairs(); j < n; j++ {
		p := s.series.Pair(j)
		s.curve.Add(p.X, p.Y)
		more = append(more, p)
	}
	return s.posterior.Learn(more)
}

func (s *learner) stream(seedOf uint64, parts ...string) *rand.Rand {
	return seed.Stream(seedOf, append(slices.Clone(s.name), parts...)...)
}

// measure returns a row for each query.
func (s *learner) measure(m *regression.Model, o Setup, xs []float64) ([]Row, error) {
	n := strconv.Itoa(s.posterior.Pairs())
	now, err := s.posterior.Predict(xs)
	if err != nil {
		return nil, err
	}
	streams := make([]*rand.Rand, o.M)
	for k := range streams {
		streams[k] = s.stream(o.Seed, "extension", n, strconv.Itoa(k))
	}
	rows := make([]Row, len(xs))
	sums := make([][]float64, len(xs))
	for i, x := range xs {
		rows[i] = s.row(now[i], o, x)
		sums[i] = make([]float64, len(now[i].P))
	}
	for part := range slices.Chunk(streams, atOnce) {
		extended, _, err := s.posterior.Extend(o.Extend, part)
		if err != nil {
			return nil, err
		}
		all, err := m.Predict(extended, xs)
		if err != nil {
			return nil, err
		}
		for _, then := range all {
			for i := range rows {
				for k, rate := range now[i].Rates(then[i], o.Eps) {
					rows[i].PHR[k] += rate / float64(o.M)
				}
				rows[i].MI -= then[i].Entropy() / float64(o.M)
				for j, p := range then[i].P {
					sums[i][j] += p / float64(o.M)
				}
			}
		}
	}
	for i := range rows {
		rows[i].MI += rows[i].Entropy
		for j, p := range now[i].P {
			rows[i].Gap += math.Abs(p-sums[i][j]) / 2
		}
	}
	s.exactly(rows, o, n)
	return rows, nil
}

// row is what needs no extension.
func (s *learner) row(now predictive.Binned, o Setup, x float64) Row {
	r := newRow(len(o.Eps))
	r.N, r.X, r.Entropy, r.Truth, r.Mean = s.posterior.Pairs(), x, now.Entropy(), s.series.Mean(x), now.Mean()
	r.Lo, r.Hi = now.Quantile(o.Eps[0]/2), now.Quantile(1-o.Eps[0]/2)
	p := s.curve.Predict(x)
	truth := predictive.Normal{Mean: r.Truth, Variance: regression.Sigma * regression.Sigma}
	for k, eps := range o.Eps {
		half := predictive.Z(eps) * regression.Sigma
		r.THR[k] = now.Outside(r.Truth-half, r.Truth+half)
		r.ExactTHR[k] = p.Unlikely(truth, eps)
	}
	sd, below := math.Sqrt(p.Variance), 0.
	for j, q := range now.P {
		to := 1.
		if j+1 < len(now.P) {
			to = predictive.Phi((now.Lo + now.Width*float64(j+1) - p.Mean) / sd)
		}
		if e := to - below; e > 0 {
			r.Divergence += float64(e * math.Log(e/math.Max(q, 1e-300)))
		}
		below = to
	}
	return r
}

// exactly fills in the exact posterior rates.
func (s *learner) exactly(rows []Row, o Setup, n string) {
	v := make([]float64, len(rows))
	for i := range rows {
		_, v[i] = s.curve.At(rows[i].X)
	}
	for path := range paths {
		r := s.stream(o.Seed, "exact", n, strconv.Itoa(path))
		after := s.curve.Clone()
		for range o.Extend {
			after.Add(regression.Range*(2*r.Float64()-1), 0) // the variance does not depend on the responses
		}
		for i := range rows {
			_, w := after.At(rows[i].X)
			for k, eps := range o.Eps {
				rows[i].ExactPHR[k] += posterior.NormalRate(v[i], min(w, v[i]), regression.Sigma, eps) / paths
			}
		}
	}
}

// A Study is what was measured.
type Study struct {
	Setup   Setup
	Rows    []Row // by function, context and query
	Foreign []Row
	// by context: mean total variation between the answers after the pairs and after the same pairs in another order
	Order []float64
}

// shuffled is the number of functions whose contexts are read in another order too.
const shuffled = 20

// Run measures a model on so many goroutines; their number changes no bit. It tells progress, if not nil, how many
// of how many functions are done.
func Run(ctx context.Context, m *regression.Model, o Setup, workers int, progress func(done, of int)) (*Study, error) {
	if err := o.Validate(m.Shape().Window); err != nil {
		return nil, err
	}
	total := o.Functions + o.Foreign
	rows, orders, errs := make([][]Row, total), make([][]float64, total), make([]error, total)
	done := 0
	var mu sync.Mutex
	tell := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress(done, total)
		}
	}
	parallel.Do(workers, total, func(i int) {
		defer tell()
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		if i < o.Functions {
			rows[i], orders[i], errs[i] = function(m, o, regression.Draw(o.Seed, regression.Test, i), i,
				regression.Test)
		} else {
			rows[i], _, errs[i] = function(m, o, regression.Foreign(o.Seed, i-o.Functions), i-o.Functions, "foreign")
		}
	})
	if err := errors.Join(errs...); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	s := &Study{Setup: o, Rows: slices.Concat(rows[:o.Functions]...), Foreign: slices.Concat(rows[o.Functions:]...),
		Order: make([]float64, len(o.Contexts))}
	for k := range s.Order {
		for i := range min(shuffled, o.Functions) {
			s.Order[k] += orders[i][k] / float64(min(shuffled, o.Functions))
		}
	}
	return s, nil
}

// function measures one function after each context.
func function(m *regression.Model, o Setup, series *regression.Series, i int, set string) (rows []Row,
	order []float64, err error) {
	s, err := newLearner(m, series, set, strconv.Itoa(i))
	if err != nil {
		return nil, nil, err
	}
	r := s.stream(o.Seed, "queries")
	xs := make([]float64, o.Queries)
	for k := range xs {
		xs[k] = regression.Range * (2*r.Float64() - 1)
	}
	for _, n := range o.Contexts {
		if err := s.learn(n); err != nil {
			return nil, nil, err
		}
		part, err := s.measure(m, o, xs)
		if err != nil {
			return nil, nil, err
		}
		for k := range part {
			part[k].Function = i
		}
		rows = append(rows, part...)
		if set != regression.Test || i >= shuffled {
			continue
		}
		tv, err := s.reordered(m, o, xs, n)
		if err != nil {
			return nil, nil, err
		}
		order = append(order, tv)
	}
	return rows, order, nil
}

// reordered is the mean total variation between the answers and those after the same pairs in random order.
func (s *learner) reordered(m *regression.Model, o Setup, xs []float64, n int) (tv float64, err error) {
	pairs := s.series.Pairs(n)
	r := s.stream(o.Seed, "order", strconv.Itoa(n))
	r.Shuffle(n, func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	other := m.Begin()
	if err := other.Learn(pairs); err != nil {
		return 0, err
	}
	a, err := s.posterior.Predict(xs)
	if err != nil {
		return 0, err
	}
	b, err := other.Predict(xs)
	if err != nil {
		return 0, err
	}
	for i := range a {
		for j := range a[i].P {
			tv += math.Abs(a[i].P[j]-b[i].P[j]) / 2 / float64(len(a))
		}
	}
	return tv, nil
}

// Across measures a series after n pairs at the points xs: the rates and the bands over the range. The name tells
// its streams from others.
func Across(m *regression.Model, o Setup, series *regression.Series, name string, n int, xs []float64) ([]Row, error) {
	if n+o.Extend >= m.Shape().Window {
		return nil, fmt.Errorf("a context of %d pairs with %d more does not fit the model's window", n, o.Extend)
	}
	s, err := newLearner(m, series, "across", name)
	if err != nil {
		return nil, err
	}
	if err := s.learn(n); err != nil {
		return nil, err
	}
	return s.measure(m, o, xs)
}

package posterior

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/metric/posterior/regression"
)

// errNoPoint says that a regression is asked at a point.
var errNoPoint = errors.New(`no query: a regression is asked at a point; add a row such as {"input": "0.5"} without ` +
	`label`)

// wide estimates the rate of the wide network's posterior. The limit is LinearLimit's with the variance of mu at the
// query, which goes to 0 as ever more queries fill the range; the rate after finitely many is exact where they
// repeat the query, and else depends on where they lie.
func wide(l exact.Wide, p Problem, truth *Truth, o Options) (Result, error) {
	if p.Queries[0] == "" {
		return Result{}, errNoPoint
	}
	type of = learner[*exact.Curve, predictive.Normal]
	return all(p, truth, 0, o, l.Learn, func(now *exact.Curve, input string) (of, error) {
		x, err := exact.Number(input)
		_, v := now.At(x)
		rates := Exact{Limit: new(NormalRate(v, 0, l.Sigma, o.Eps))}
		if l.Repeat {
			rates.AtExtend = new(rateAfter(v, l.Sigma, float64(o.Extend), o.Eps))
		}
		return of{
			extend: func(c *exact.Curve, n int, r *rand.Rand) *exact.Curve { return c.Extend(n, x, r) },
			at:     func(c *exact.Curve) predictive.Normal { return c.Predict(x) },
			exact:  rates,
		}, err
	})
}

// Regression estimates the rate of a model of package regression, in process: inputs and labels are one number each.
// The queries share the extensions. Truth may be nil; of it the true pairs are used, as a response drawn is never quite
// a right one. Errors say what of the problem the model cannot read, or that it does not fit the window.
func Regression(m *regression.Model, p Problem, truth *Truth, o Options) (Result, error) {
	xs, err := points(p.Queries, o.M)
	if err != nil {
		return Result{}, err
	}
	context, err := numbers(p.Context)
	if err != nil {
		return Result{}, err
	}
	learned := m.Begin()
	if err := learned.Learn(context); err != nil {
		return Result{}, err
	}
	now, err := learned.Predict(xs)
	if err != nil {
		return Result{}, err
	}
	queries, chains := make([]Query, len(xs)), make([][]Chain, len(xs))
	for i := range queries {
		queries[i] = Query{Input: p.Queries[i], Entropy: now[i].Entropy()}
	}
	measure := func(then []predictive.Binned, r func(query int) *rand.Rand, each func(query int, c Chain)) {
		for i := range xs {
			each(i, Measure(now[i], then[i], o, r(i)))
		}
	}
	for from := 0; from < o.M; from += atOnce {
		n := min(atOnce, o.M-from)
		streams := make([]*rand.Rand, n)
		for k := range streams {
			streams[k] = seed.Stream(o.Seed, "posterior", "extension", itoa(from+k))
		}
		extended, _, err := learned.Extend(o.Extend, streams)
		if err != nil {
			return Result{}, err
		}
		for k, e := range extended {
			then, err := e.Predict(xs)
			if err != nil {
				return Result{}, err
			}
			measure(then, func(i int) *rand.Rand { return o.stream(i, from+k) }, func(i int, c Chain) {
				chains[i] = append(chains[i], c)
			})
		}
	}
	for i := range queries {
		queries[i].Fill(Of(chains[i], o), o)
	}
	if truth != nil && len(truth.Pairs) > 0 {
		sets, err := TrueSets(truth.Pairs, o)
		if err != nil {
			return Result{}, err
		}
		rates := make([][]float64, len(xs))
		for t, set := range sets {
			then, err := afterTrue(m, context, set, xs)
			if err != nil {
				return Result{}, err
			}
			measure(then, func(i int) *rand.Rand { return seed.Stream(o.Seed, "posterior", "true", itoa(i), itoa(t)) },
				func(i int, c Chain) { rates[i] = append(rates[i], c.THR) })
		}
		for i := range queries {
			queries[i].SetTrue(rates[i], o)
		}
	}
	return Collect([]Group{{len(context), queries, chains}}, 0, o), nil
}

const (
	atOnce    = 256        // extensions that are held in memory together
	maxPoints = 4096       // queries
	maxChains = 10_000_000 // queries times extensions
)

// points reads the queries of a problem.
func points(queries []string, chains int) ([]float64, error) {
	if len(queries) == 0 || queries[0] == "" {
		return nil, errNoPoint
	}
	if len(queries) > maxPoints || len(queries)*chains > maxChains {
		return nil, fmt.Errorf("%d queries and M = %d: want at most %d queries, and %d chains of them together",
			len(queries), chains, maxPoints, maxChains)
	}
	xs := make([]float64, len(queries))
	for i, q := range queries {
		var err error
		if xs[i], err = point(q); err != nil {
			return nil, err
		}
	}
	return xs, nil
}

// afterTrue returns what a model expects at the points once it has learned a set of true pairs after the context.
func afterTrue(m *regression.Model, context []regression.Pair, set []exact.Pair, xs []float64) ([]predictive.Binned,
	error) {
	pairs, err := numbers(set)
	if err != nil {
		return nil, fmt.Errorf("true pairs: %w", err)
	}
	after := m.Begin()
	if err := after.Learn(append(context[:len(context):len(context)], pairs...)); err != nil {
		return nil, err
	}
	return after.Predict(xs)
}

// numbers reads pairs of one number each.
func numbers(pairs []exact.Pair) ([]regression.Pair, error) {
	out := make([]regression.Pair, len(pairs))
	for i, p := range pairs {
		x, y, err := number(p)
		if err != nil {
			return nil, fmt.Errorf("pair %d: %w", i+1, err)
		}
		out[i] = regression.Pair{X: x, Y: y}
	}
	return out, nil
}

// number reads a pair of one number each.
func number(p exact.Pair) (x, y float64, err error) {
	if x, err = point(p.Input); err == nil {
		_, y, err = exact.Numbers(p)
	}
	return x, y, err
}

// point reads a query.
func point(input string) (float64, error) {
	x, err := exact.Number(input)
	if err == nil && (x < -regression.Range || x > regression.Range) {
		err = fmt.Errorf("input %.60q: outside the range from -%d to %d that the model knows", input,
			regression.Range, regression.Range)
	}
	return x, err
}

// RegressionRows refuses rows that no regression model reads.
func RegressionRows() Rows {
	return Rows{
		Pair:  func(p exact.Pair) error { _, _, err := number(p); return err },
		Query: func(input string) error { _, err := point(input); return err },
	}
}

package posterior

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/predictive"
)

// Exactly estimates the rate of an exact model, a Dirichlet, a Linear or a Wide of package exact, in process, and
// sets beside it what no draw enters. Truth may be nil. Errors say what of the problem the model cannot read.
func Exactly(learner any, p Problem, truth *Truth, o Options) (Result, error) {
	if len(p.Queries) == 0 {
		p.Queries = []string{""}
	}
	switch l := learner.(type) {
	case exact.Dirichlet:
		return dirichlet(l, p, truth, o)
	case exact.Linear:
		return linear(l, p, truth, o)
	case exact.Wide:
		return wide(l, p, truth, o)
	}
	return Result{}, fmt.Errorf("posterior: no exact model is a %T", learner)
}

// ExactRows refuses rows that an exact model does not read.
func ExactRows(learner any) Rows {
	switch l := learner.(type) {
	case exact.Dirichlet: // which ignores the input
		label := func(text string) error { _, err := l.Label(text); return err }
		return Rows{Pair: func(p exact.Pair) error { return label(p.Label) }, Gold: label}
	case exact.Linear:
		return Rows{
			Pair:  func(p exact.Pair) error { _, _, err := l.Pair(p); return err },
			Query: func(input string) error { _, err := l.Point(input); return err },
		}
	case exact.Wide:
		return Rows{
			Pair:  func(p exact.Pair) error { _, _, err := exact.Numbers(p); return err },
			Query: func(input string) error { _, err := exact.Number(input); return err },
		}
	}
	return Rows{}
}

// A learner is a model's posterior after a context and how it is read at one query.
type learner[B any, P Distribution[P]] struct {
	now    B
	extend func(b B, n int, r *rand.Rand) B
	learn  func(b []exact.Pair) (B, error) // after the context and these pairs
	at     func(b B) P
	exact  Exact
	// under is the distribution of the answer by a mechanism.
	under func(mechanism []float64) (P, error)
	// wrong is the share of the answers of p that are not the gold.
	wrong func(p P, gold string) (float64, error)
}

// pool is the number of chains of each query on which the cost curve of an exact model rests.
const pool = 2000

// noises adds what a pool of chains says of both estimators' errors to those of the queries before, by K.
func (s learner[B, P]) noises(i int, into map[int][]noise, o Options) {
	if !o.Curve {
		return
	}
	then := make([]P, pool)
	for m := range then {
		then[m] = s.at(s.extend(s.now, o.Extend, seed.Stream(o.Seed, "posterior", "pool", itoa(i), itoa(m))))
	}
	for _, k := range costK {
		into[k] = append(into[k], noiseOf(s.at(s.now), then, o.Eps, k))
	}
}

// all estimates every query by what a model learns, of which each has its learner; labels is 0 where answers are
// numbers.
func all[B any, P Distribution[P]](p Problem, truth *Truth, labels int, o Options, learn func([]exact.Pair) (B, error),
	at func(now B, input string) (learner[B, P], error)) (Result, error) {
	now, err := learn(p.Context)
	if err != nil {
		return Result{}, err
	}
	queries, chains, noises := make([]Query, len(p.Queries)), make([][]Chain, len(p.Queries)), map[int][]noise{}
	for i, input := range p.Queries {
		s, err := at(now, input)
		if err != nil {
			return Result{}, err
		}
		s.now, s.learn = now, func(more []exact.Pair) (B, error) { return learn(slices.Concat(p.Context, more)) }
		if chains[i], err = s.query(i, &queries[i], input, truth, o); err != nil {
			return Result{}, err
		}
		s.noises(i, noises, o)
	}
	r := Collect([]Group{{len(p.Context), queries, chains}}, labels, o)
	if o.Curve {
		r.Cost = exactCosts(noises, o)
	}
	return r, nil
}

func dirichlet(d exact.Dirichlet, p Problem, truth *Truth, o Options) (Result, error) {
	type of = learner[exact.Dirichlet, predictive.Categorical]
	return all(p, truth, len(d), o, d.Learn, func(now exact.Dirichlet, _ string) (of, error) {
		return of{
			extend: exact.Dirichlet.Extend,
			at:     exact.Dirichlet.Predict,
			exact:  Exact{value(DirichletLimit(now, o.Eps)), value(DirichletAt(now, o.Extend, o.Eps))},
			under:  d.Under,
			wrong: func(p predictive.Categorical, gold string) (float64, error) {
				k, err := d.Label(gold)
				if err != nil {
					return 0, fmt.Errorf("the right answer: %w", err)
				}
				return 1 - p[k], nil
			},
		}, nil
	})
}

func linear(l exact.Linear, p Problem, truth *Truth, o Options) (Result, error) {
	if p.Queries[0] == "" {
		return Result{}, fmt.Errorf(
			"no query: a line is asked at a point; add a row such as {\"input\": \"%s\"} without label",
			strings.TrimSuffix(strings.Repeat("1,", l.Dim), ","))
	}
	type of = learner[exact.Posterior, predictive.Normal]
	return all(p, truth, 0, o, l.Learn, func(now exact.Posterior, input string) (of, error) {
		x, err := l.Point(input)
		if err != nil {
			return of{}, err
		}
		return of{
			extend: func(b exact.Posterior, n int, r *rand.Rand) exact.Posterior { return b.Extend(n, x, r) },
			at:     func(b exact.Posterior) predictive.Normal { return b.Predict(x) },
			exact:  Exact{new(LinearLimit(now, x, o.Eps)), value(LinearAt(now, x, o.Extend, o.Eps))},
			under:  func(f []float64) (predictive.Normal, error) { return l.Under(f, x) },
		}, nil
	})
}

// query estimates one query.
func (s learner[B, P]) query(i int, q *Query, input string, truth *Truth, o Options) ([]Chain, error) {
	q.Input = input
	now := s.at(s.now)
	q.Entropy = now.Entropy()
	chains := make([]Chain, o.M)
	for m := range chains {
		r := o.stream(i, m)
		chains[m] = Measure(now, s.at(s.extend(s.now, o.Extend, r)), o, r)
	}
	q.Fill(Of(chains, o), o)
	q.Exact = &s.exact
	if truth == nil {
		return chains, nil
	}
	if len(truth.Mechanism) > 0 {
		if s.under == nil {
			return nil, errors.New("the mechanism of this model is a function and no numbers, so none can be given")
		}
		by, err := s.under(truth.Mechanism)
		if err != nil {
			return nil, err
		}
		q.THR = new(now.Unlikely(by, o.Eps))
	}
	if len(truth.Pairs) > 0 {
		if err := s.true(i, q, now, truth.Pairs, o); err != nil {
			return nil, err
		}
	}
	if gold, ok := truth.Gold[input]; ok && s.wrong != nil {
		e, err := s.wrong(now, gold)
		if err != nil {
			return nil, err
		}
		q.ErrorRate = &e
	}
	return chains, nil
}

// TrueExtensions is the number of sets of true pairs over which the model hallucination rate is a mean.
const TrueExtensions = 10

// true measures the model hallucination rate: the same with true pairs in place of made-up ones, over the first of
// them as they stand (single, as the source draws one set), and over that and samples of as many.
func (s learner[B, P]) true(i int, q *Query, now P, pairs []exact.Pair, o Options) error {
	sets, err := TrueSets(pairs, o)
	if err != nil {
		return err
	}
	var rates []float64
	for t, set := range sets {
		b, err := s.learn(set)
		if err != nil {
			return fmt.Errorf("true pairs: %w", err)
		}
		rates = append(rates, Measure(now, s.at(b), o, seed.Stream(o.Seed, "posterior", "true", itoa(i), itoa(t))).THR)
	}
	q.SetTrue(rates, o)
	return nil
}

// TrueSets returns the sets of o.Extend true pairs: the first as they stand, then draws without replacement,
// seeded. Where all pairs are needed there is one set; fewer are an error.
func TrueSets(pairs []exact.Pair, o Options) ([][]exact.Pair, error) {
	if len(pairs) < o.Extend {
		return nil, fmt.Errorf("%d true pairs, but each extension takes %d: add pairs or extend by fewer", len(pairs),
			o.Extend)
	}
	sets := [][]exact.Pair{pairs[:o.Extend]}
	if len(pairs) == o.Extend {
		return sets, nil
	}
	for t := 1; t < TrueExtensions; t++ {
		set := make([]exact.Pair, o.Extend)
		for k, j := range seed.Stream(o.Seed, "posterior", "true pairs", itoa(t)).Perm(len(pairs))[:o.Extend] {
			set[k] = pairs[j]
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func value(x float64, err error) *float64 {
	if err != nil {
		return nil
	}
	return &x
}

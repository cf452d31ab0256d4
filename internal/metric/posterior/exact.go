package posterior

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"hallmark/internal/model/exact"
	"hallmark/internal/predictive"
	"hallmark/internal/seed"
	"hallmark/internal/stat"
)

// Exactly estimates the rate of an exact model, a Dirichlet or a Linear of package exact, in process, and sets beside it what no draw
// enters. Truth may be nil. Errors say what of the problem the model cannot read.
func Exactly(learner any, p Problem, truth *Truth, o Options) (Result, error) {
	if len(p.Queries) == 0 {
		p.Queries = []string{""}
	}
	switch l := learner.(type) {
	case exact.Dirichlet:
		return dirichlet(l, p, truth, o)
	case exact.Linear:
		return linear(l, p, truth, o)
	}
	return Result{}, fmt.Errorf("posterior: no exact model is a %T", learner)
}

// A subject is a model's belief after a context and how it is read at one query.
type subject[B any, P Distribution[P]] struct {
	now    B
	extend func(b B, n int, r *rand.Rand) B
	learn  func(b []exact.Pair) (B, error) // after the context and these pairs
	at     func(b B) P
	limit  func() (float64, error)
	finite func() (float64, error)
	// wrong is the share of the answers of p that are not the gold.
	wrong func(p P, gold string) (float64, error)
}

func dirichlet(d exact.Dirichlet, p Problem, truth *Truth, o Options) (Result, error) {
	now, err := d.Learn(p.Context)
	if err != nil {
		return Result{}, err
	}
	queries := make([]Query, len(p.Queries))
	chains := make([][]Chain, len(p.Queries))
	for i, input := range p.Queries {
		s := subject[exact.Dirichlet, predictive.Categorical]{
			now:    now,
			extend: func(b exact.Dirichlet, n int, r *rand.Rand) exact.Dirichlet { return b.Extend(n, r) },
			learn:  now.Learn,
			at:     func(b exact.Dirichlet) predictive.Categorical { return b.Predict() },
			limit:  func() (float64, error) { return DirichletLimit(now, o.Eps) },
			finite: func() (float64, error) { return DirichletAt(now, o.Extend, o.Eps) },
			wrong: func(p predictive.Categorical, gold string) (float64, error) {
				k, err := strconv.Atoi(gold)
				if err != nil || k < 0 || k >= len(p) {
					return 0, fmt.Errorf("the right answer %q is none of the labels 0 to %d", gold, len(p)-1)
				}
				return 1 - p[k], nil
			},
		}
		if chains[i], err = s.query(i, &queries[i], input, truth, o); err != nil {
			return Result{}, err
		}
	}
	return collect(p, queries, chains, len(d), o), nil
}

func linear(l exact.Linear, p Problem, truth *Truth, o Options) (Result, error) {
	if p.Queries[0] == "" {
		return Result{}, fmt.Errorf("no query: a line is asked at a point; add a row such as {\"input\": \"%s\"} without label", strings.TrimSuffix(strings.Repeat("1,", l.Dim), ","))
	}
	now, err := l.Learn(p.Context)
	if err != nil {
		return Result{}, err
	}
	queries := make([]Query, len(p.Queries))
	chains := make([][]Chain, len(p.Queries))
	for i, input := range p.Queries {
		x, err := l.Point(input)
		if err != nil {
			return Result{}, err
		}
		s := subject[exact.Belief, predictive.Normal]{
			now:    now,
			extend: func(b exact.Belief, n int, r *rand.Rand) exact.Belief { return b.Extend(n, x, r) },
			learn: func(more []exact.Pair) (exact.Belief, error) {
				return l.Learn(append(p.Context[:len(p.Context):len(p.Context)], more...))
			},
			at:     func(b exact.Belief) predictive.Normal { return b.Predict(x) },
			limit:  func() (float64, error) { return LinearLimit(now, x, o.Eps), nil },
			finite: func() (float64, error) { return LinearAt(now, x, o.Extend, o.Eps) },
		}
		if chains[i], err = s.query(i, &queries[i], input, truth, o); err != nil {
			return Result{}, err
		}
	}
	return collect(p, queries, chains, 0, o), nil
}

// query estimates one query.
func (s subject[B, P]) query(i int, q *Query, input string, truth *Truth, o Options) ([]Chain, error) {
	q.Input = input
	now := s.at(s.now)
	q.Entropy = now.Entropy()
	chains := make([]Chain, o.M)
	for m := range chains {
		r := o.stream(i, m)
		chains[m] = Measure(now, s.at(s.extend(s.now, o.Extend, r)), o, r)
	}
	q.fill(Of(chains, o), o)
	q.Exact = &Exact{Limit: value(s.limit()), AtExtend: value(s.finite())}
	if truth == nil {
		return chains, nil
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

// true measures the model hallucination rate: the same with true pairs in place of made-up ones, over the first of them as they
// stand (single, as the source draws one set), and over that and draws of as many.
func (s subject[B, P]) true(i int, q *Query, now P, pairs []exact.Pair, o Options) error {
	if len(pairs) < o.Extend {
		return fmt.Errorf("%d true pairs, but each extension takes %d: add pairs or extend by fewer", len(pairs), o.Extend)
	}
	var rates []float64
	for t, set := range trueSets(pairs, o) {
		b, err := s.learn(set)
		if err != nil {
			return fmt.Errorf("true pairs: %w", err)
		}
		rates = append(rates, Measure(now, s.at(b), o, seed.Stream(o.Seed, "posterior", "true", itoa(i), itoa(t))).THR)
	}
	q.MHRSingle = &rates[0]
	q.MHR = stat.Mean(rates, o.Level).Interval()
	return nil
}

// trueSets returns the sets of o.Extend true pairs: the first as they stand, then draws without replacement, seeded. Where all pairs are
// needed there is one set.
func trueSets(pairs []exact.Pair, o Options) [][]exact.Pair {
	sets := [][]exact.Pair{pairs[:o.Extend]}
	if len(pairs) == o.Extend {
		return sets
	}
	for t := 1; t < TrueExtensions; t++ {
		set := make([]exact.Pair, o.Extend)
		for k, j := range seed.Stream(o.Seed, "posterior", "true pairs", itoa(t)).Perm(len(pairs))[:o.Extend] {
			set[k] = pairs[j]
		}
		sets = append(sets, set)
	}
	return sets
}

func value(x float64, err error) *float64 {
	if err != nil {
		return nil
	}
	return &x
}

// collect makes the result of all queries, whose answers are so many labels, 0 where they are numbers: means over them, whose intervals take a chain's mean over the queries for one value.
func collect(p Problem, queries []Query, chains [][]Chain, labels int, o Options) Result {
	r := Result{
		N: len(queries), Estimator: o.Estimator, Context: len(p.Context), Eps: o.Eps, Extend: o.Extend, M: o.M,
		PerQuery: queries, Warnings: o.warnings(),
	}
	if o.Estimator == Published {
		r.K = o.K
	}
	together := make([]Chain, o.M)
	n := float64(len(queries))
	for m := range together {
		for i := range chains {
			c := chains[i][m]
			together[m].THR += c.THR / n
			together[m].Twice += c.Twice / n
			together[m].Inner += c.Inner / (n * n)
			together[m].Information += c.Information / n
		}
		together[m].THR = min(1, together[m].THR)
	}
	var all Query
	all.fill(Of(together, o), o)
	r.PHR, r.PHRCorrected, r.MutualInformation, r.StandardError = all.PHR, all.PHRCorrected, all.MutualInformation, all.StandardError
	if queries[0].Exact != nil {
		r.Exact = &Exact{
			Limit:    mean(queries, func(q *Query) *float64 { return q.Exact.Limit }),
			AtExtend: mean(queries, func(q *Query) *float64 { return q.Exact.AtExtend }),
		}
		if r.Exact.Limit == nil {
			r.Warnings = append(r.Warnings, "the exact limit is not computed beyond 4 labels")
		}
		if r.Exact.AtExtend == nil {
			r.Warnings = append(r.Warnings, "the exact rate at_extend is not computed beyond 4 labels, 10,000,000 terms, or one dimension with x=normal")
		}
	}
	r.MHRSingle = mean(queries, func(q *Query) *float64 { return q.MHRSingle })
	r.ErrorRate = mean(queries, func(q *Query) *float64 { return q.ErrorRate })
	r.OtherMass = mean(queries, func(q *Query) *float64 { return q.OtherMass })
	var sets []float64
	for i := range queries {
		if queries[i].MHR != nil {
			sets = append(sets, queries[i].MHR.Estimate)
		}
	}
	switch len(sets) {
	case 0:
	case 1:
		r.MHR = queries[0].MHR
	default:
		r.MHR = stat.Mean(sets, o.Level).Interval()
	}
	if o.Eps > .5 && labels == 2 {
		r.Warnings = append(r.Warnings, "two labels and eps above .5: the rarer label always counts as a hallucination, so the rate acts as an error rate")
	}
	return r
}

// mean is the mean over the queries that have a value, nil where none has.
func mean(queries []Query, get func(*Query) *float64) *float64 {
	var sum float64
	n := 0
	for i := range queries {
		if v := get(&queries[i]); v != nil {
			sum += *v
			n++
		}
	}
	if n == 0 {
		return nil
	}
	sum /= float64(n)
	return &sum
}

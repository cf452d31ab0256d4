package belief

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/model/exact"
	"hallmark/internal/predictive"
	"hallmark/internal/run"
)

// A Result is the posterior hallucination rate of a language model with what it rests on.
type Result struct {
	posterior.Result

	// Missing lists why queries or extensions could not be had, each reason once with its count.
	Missing []Reason `json:"missing"`
	Redrawn int      `json:"redrawn"` // made-up pairs that did not parse and were drawn again
	Calls   int      `json:"calls"`   // that the rate itself takes: made-up pairs, and one for each distribution

	// ErrorRandom is the error of a guess among the labels. The rate speaks of what the context does not say; where the error is not
	// below this, the model cannot do the task, and the rate says nothing.
	ErrorRandom  *float64 `json:"error_random,omitempty"`
	InCapability *bool    `json:"in_capability,omitempty"`

	// Exchangeability is the mean total variation between the labels' distributions after the context as it stands and in another order;
	// MartingaleGap that between the distribution now and its mean over the extensions. Both are 0 for a model that believes in a task and
	// forgets the order; the second holds the noise of M extensions too.
	Exchangeability *float64 `json:"exchangeability,omitempty"`
	MartingaleGap   *float64 `json:"martingale_gap,omitempty"`
}

// A Reason is why something could not be had.
type Reason struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Evaluate computes the rate from the stored records. It calls no model; what has no record is not to be had.
func (p *Plan) Evaluate(ctx context.Context, store run.Store) (*Result, error) {
	t, _, err := p.read(ctx, store, true)
	if err != nil {
		return nil, err
	}
	out := &Result{Missing: []Reason{}, Redrawn: t.redrawn, Calls: t.redrawn}
	why := func(reason string) {
		for i := range out.Missing {
			if out.Missing[i].Reason == reason {
				out.Missing[i].Count++
				return
			}
		}
		out.Missing = append(out.Missing, Reason{reason, 1})
	}
	var groups []posterior.Group
	var orders, gaps []float64
	labels := 0
	for i := range p.Problems {
		q := &p.Problems[i]
		labels = max(labels, len(q.Labels))
		for _, e := range t.extensions[i] {
			out.Calls += len(e.pairs) - len(q.Pairs)
			if e.failure != "" {
				why("an extension: " + e.failure)
			}
		}
		g := posterior.Group{Context: len(q.Pairs)}
		for _, query := range q.Queries {
			row, chains, gap, order, reason := t.query(i, query)
			if reason != "" {
				why("a query: " + reason)
			}
			out.Calls += 1 + len(chains)
			g.Queries, g.Chains = append(g.Queries, row), append(g.Chains, chains)
			if len(chains) > 0 {
				gaps = append(gaps, gap)
				orders = append(orders, order...)
			}
		}
		groups = append(groups, g)
	}
	out.Result = posterior.Collect(groups, labels, p.Options)
	out.Exchangeability, out.MartingaleGap = average(orders), average(gaps)
	if e := out.ErrorRate; e != nil {
		random := 1 - 1/float64(labels)
		out.ErrorRandom = &random
		able := e.Hi < random
		out.InCapability = &able
		if !able {
			out.Warnings = append(out.Warnings, fmt.Sprintf("the error, %.3f [%.3f, %.3f], is not below that of a guess, %.3f: beyond the model's capability, or too few queries to tell, and then the rate says nothing",
				e.Estimate, e.Lo, e.Hi, random))
		}
	}
	if p.TopP < 1 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("made-up pairs are drawn with top_p %g, as the source does: that is no sample from the model; --top-p 1 is", p.TopP))
	}
	return out, nil
}

// query is what the table says of one query.
func (t *table) query(problem int, query Query) (row posterior.Query, chains []posterior.Chain, gap float64, order []float64, reason string) {
	p := t.plan
	row.ID, row.Input = query.ID, query.Input
	now, ok := t.at(problem, p.Problems[problem].Pairs, query, &reason)
	if !ok {
		return row, nil, 0, nil, reason
	}
	row.Entropy = now.Entropy()
	other := now[len(now)-1]
	row.OtherMass = &other
	mean := make(predictive.Categorical, len(now))
	for _, e := range t.extensions[problem] {
		if e.failure != "" {
			continue
		}
		then, ok := t.at(problem, e.pairs, query, &reason)
		if !ok {
			return row, nil, 0, nil, reason
		}
		chains = append(chains, posterior.Measure(now, then, p.Options, nil))
		for i := range mean {
			mean[i] += then[i]
		}
	}
	if len(chains) < 2 {
		return row, nil, 0, nil, "fewer than two extensions could be had"
	}
	for i := range mean {
		mean[i] /= float64(len(chains))
	}
	gap = variation(now, mean)
	row.Fill(posterior.Of(chains, p.Options), p.Options)
	if i := slices.Index(p.Problems[problem].Labels, query.Gold); i >= 0 {
		wrong := 1 - now[i]
		row.ErrorRate = &wrong
	}
	orders, truths := p.contexts(problem)
	for _, pairs := range orders {
		if then, ok := t.at(problem, pairs, query, &reason); ok {
			order = append(order, variation(now, then))
		}
	}
	var rates []float64
	for _, pairs := range truths {
		then, ok := t.at(problem, pairs, query, &reason)
		if !ok {
			return row, chains, gap, order, reason
		}
		rates = append(rates, now.Unlikely(then, p.Options.Eps))
	}
	if len(rates) > 0 {
		row.SetTrue(rates, p.Options)
	}
	return row, chains, gap, order, reason
}

// at is the distribution of a query's labels after pairs; where there is none it says why.
func (t *table) at(problem int, pairs []exact.Pair, query Query, reason *string) (predictive.Categorical, bool) {
	key := t.plan.labelCall(problem, pairs, query).Key()
	if c, ok := t.labels[key]; ok {
		return c, true
	}
	*reason = t.failed[key]
	return nil, false
}

// variation is the total variation between two distributions over the same labels, in [0, 1].
func variation(a, b predictive.Categorical) float64 {
	var d float64
	for i := range a {
		d += math.Abs(a[i]-b[i]) / 2
	}
	return min(1, d)
}

// average is nil without values.
func average(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	var sum float64
	for _, v := range values {
		sum += v
	}
	sum /= float64(len(values))
	return &sum
}

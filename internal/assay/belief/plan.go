// Package belief plans the posterior hallucination rate of language models and
// reads it from the stored records: the model goes on with a context of examples,
// pair by pair, and the belief that it then has is set beside the one that it has
// now. It calls no model: each wave of calls follows from the records of the
// one before, so that resuming and recomputing are one path.
package belief

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/model"
	"hallmark/internal/model/exact"
	"hallmark/internal/predictive"
	"hallmark/internal/run"
	"hallmark/internal/seed"
)

// A Plan is all that decides the posterior hallucination rate of a language model on problems of learning in context. A pair is
// laid out as "Input: x\nLabel: y" with an empty line behind it, and what is asked as "Input: x\nLabel:".
type Plan struct {
	Model    string // its identity
	Problems []Problem
	Options  posterior.Options
	TopP     float64 // of the pairs that are made up; the source takes .9, which is no sample from the model
	MaxPair  int     // tokens of a pair that is made up
	MaxLabel int     // tokens of an answer, where answers are drawn
}

// A Problem is one context, what is asked after it, and what is known of it.
type Problem struct {
	Name    string // keeps the draws of problems apart
	Pairs   []exact.Pair
	Labels  []string
	Queries []Query
	True    []exact.Pair // pairs that truly follow; none where they are not known
}

// A Pair is one example.
type Pair = exact.Pair

// A Query is one input to be labelled. Gold is "" where it is not known.
type Query struct {
	Input, Gold string
	ID          string // of the case, where there is one
}

// Validate reports what no estimate can be made of, before any call.
func (p *Plan) Validate() error {
	for i := range p.Problems {
		q := &p.Problems[i]
		if len(q.Labels) < 2 {
			return fmt.Errorf("the context has %d different labels; want two at least, in its pairs or by --labels", len(q.Labels))
		}
		for i, l := range q.Labels {
			if strings.TrimSpace(l) == "" || strings.Contains(l, "\n") {
				return fmt.Errorf("label %q: want some text on one line", l)
			}
			for j, m := range q.Labels {
				if i != j && strings.HasPrefix(m, l) {
					return fmt.Errorf("label %q begins label %q, so their probabilities cannot be told apart; rename one", l, m)
				}
			}
		}
		for _, pair := range q.Pairs {
			if strings.Contains(pair.Input, "\nLabel:") || strings.Contains(pair.Input, "\n\n") {
				return fmt.Errorf("input %.60q holds an empty line or a label's mark, so pairs could not be told apart", pair.Input)
			}
		}
		if len(q.True) > 0 {
			if _, err := posterior.TrueSets(q.True, p.Options); err != nil {
				return err
			}
		}
		for _, query := range q.Queries {
			if query.Gold != "" && !slices.Contains(q.Labels, query.Gold) {
				return fmt.Errorf("the right answer %q to %.60q is none of the labels %s; add it by --labels", query.Gold, query.Input, strings.Join(q.Labels, ", "))
			}
		}
	}
	return nil
}

// NotStored is the reason of an answer whose call has no record: it was not made, for the budget, an interruption or --offline.
const NotStored = "not asked: no stored answer (the budget, --offline or an interruption kept the call from being made)"

// pairTries bounds how often a pair that does not parse is drawn again.
const pairTries = 20

// shuffles is the number of other orders of a context that the check of exchangeability asks about.
const shuffles = 3

// lay returns pairs as the text that precedes the next.
func lay(pairs []exact.Pair) string {
	var b strings.Builder
	for _, p := range pairs {
		b.WriteString("Input: " + p.Input + "\nLabel: " + p.Label + "\n\n")
	}
	return b.String()
}

// parsePair reads a made-up pair, as it follows "Input:".
func parsePair(text string) (exact.Pair, bool) {
	input, label, ok := strings.Cut(text, "\nLabel:")
	label, _, _ = strings.Cut(strings.TrimLeft(label, " "), "\n")
	p := exact.Pair{Input: strings.TrimSpace(input), Label: strings.TrimSpace(label)}
	return p, ok && p.Input != "" && p.Label != "" && !strings.Contains(p.Input, "\n\n")
}

// An extension is one context that the model goes on with.
type extension struct {
	problem, number int
	pairs           []exact.Pair // the context and what was made up
	failure         string
}

// A table is what the stored records say of a plan so far.
type table struct {
	plan       *Plan
	extensions [][]*extension // by problem
	redrawn    int            // pairs that did not parse

	labels map[run.Key]predictive.Categorical // by the call that asked
	failed map[run.Key]string
}

// Next returns the calls of the first wave that lacks records: pairs are made up one after the other, so each wave needs the records of the
// one before. It returns none when all is there.
func (p *Plan) Next(ctx context.Context, store run.Store) ([]run.Call, error) {
	_, missing, err := p.read(ctx, store, false)
	return missing, err
}

// read follows the waves through the store. With final, what has no record counts as not to be had.
func (p *Plan) read(ctx context.Context, store run.Store, final bool) (*table, []run.Call, error) {
	t := &table{plan: p, extensions: make([][]*extension, len(p.Problems))}
	var all []*extension
	for i := range p.Problems {
		for m := range p.Options.M {
			e := &extension{problem: i, number: m, pairs: slices.Clone(p.Problems[i].Pairs)}
			t.extensions[i], all = append(t.extensions[i], e), append(all, e)
		}
	}
	for step := range p.Options.Extend {
		pending := slices.DeleteFunc(slices.Clone(all), func(e *extension) bool { return e.failure != "" })
		for try := 0; len(pending) > 0; try++ {
			if try == pairTries {
				for _, e := range pending {
					e.failure = fmt.Sprintf("%d draws in a row were no pair of input and label", pairTries)
				}
				break
			}
			calls := make([]run.Call, len(pending))
			for i, e := range pending {
				calls[i] = p.pairCall(e, step, try)
			}
			records, err := run.Records(ctx, store, calls)
			if err != nil {
				return nil, nil, err
			}
			var missing []run.Call
			var again []*extension
			for i, e := range pending {
				switch r := records[i]; {
				case r == nil && final:
					e.failure = NotStored
				case r == nil:
					missing = append(missing, calls[i])
				case r.Response == nil:
					e.failure = r.Failure
				case r.Response.Text == nil:
					e.failure = "the response has no text"
				default:
					pair, ok := parsePair(*r.Response.Text)
					if !ok {
						t.redrawn++
						again = append(again, e)
						break
					}
					e.pairs = append(e.pairs, pair)
				}
			}
			if len(missing) > 0 {
				return nil, missing, nil
			}
			pending = again
		}
	}
	missing, err := t.ask(ctx, store, final)
	return t, missing, err
}

// Longest returns an upper estimate of the tokens of the longest prompt: the longest context with true pairs or with made-up ones, each taken to be
// as long as the longest pair of the context, and the longest query. Count counts tokens.
func (p *Plan) Longest(count func(text string) (int, error)) (int, error) {
	longest := 0
	for i := range p.Problems {
		q := &p.Problems[i]
		all, err := count(lay(q.Pairs))
		if err != nil {
			return 0, err
		}
		pair, query := 0, 0
		for _, x := range slices.Concat(q.Pairs, q.True) {
			n, err := count(lay([]exact.Pair{x}))
			if err != nil {
				return 0, err
			}
			pair = max(pair, n)
		}
		for _, x := range q.Queries {
			n, err := count("Input: " + x.Input + "\nLabel:")
			if err != nil {
				return 0, err
			}
			query = max(query, n)
		}
		longest = max(longest, all+p.Options.Extend*pair+query)
	}
	return longest, nil
}

// pairCall asks for a pair that follows an extension.
func (p *Plan) pairCall(e *extension, step, try int) run.Call {
	name := p.Problems[e.problem].Name
	draw := int64(seed.Stream(p.Options.Seed, "posterior", "pair", name, strconv.Itoa(e.number), strconv.Itoa(step), strconv.Itoa(try)).Uint64() >> 12)
	return run.Call{Model: p.Model, Request: model.Request{
		Prompt: lay(e.pairs) + "Input:", Raw: true, MaxTokens: p.MaxPair, Temperature: 1, TopP: p.TopP, Stop: []string{"\n\n"}, Seed: &draw,
	}}
}

// labelCall asks for the probabilities of the labels of a query after pairs.
func (p *Plan) labelCall(problem int, pairs []exact.Pair, query Query) run.Call {
	req := model.Request{Prompt: lay(pairs) + "Input: " + query.Input + "\nLabel:", Raw: true}
	for _, l := range p.Problems[problem].Labels {
		req.Options = append(req.Options, " "+l)
	}
	return run.Call{Model: p.Model, Request: req}
}

// contexts are those after which the labels of a problem's queries are asked, beside its extensions: as it stands, in other orders, and
// with true pairs.
func (p *Plan) contexts(problem int) (orders, truths [][]exact.Pair) {
	q := &p.Problems[problem]
	if len(q.Pairs) > 1 {
		r := seed.Stream(p.Options.Seed, "posterior", "order", q.Name)
		for range shuffles {
			other := slices.Clone(q.Pairs)
			r.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
			orders = append(orders, other)
		}
	}
	if len(q.True) > 0 {
		sets, err := posterior.TrueSets(q.True, p.Options)
		if err != nil {
			panic("belief: " + err.Error()) // Validate has seen it
		}
		for _, set := range sets {
			truths = append(truths, slices.Concat(q.Pairs, set))
		}
	}
	return orders, truths
}

// ask reads the last wave, the probabilities of the labels.
func (t *table) ask(ctx context.Context, store run.Store, final bool) ([]run.Call, error) {
	p := t.plan
	var calls []run.Call
	for i := range p.Problems {
		orders, truths := p.contexts(i)
		all := slices.Concat([][]exact.Pair{p.Problems[i].Pairs}, orders, truths)
		for _, e := range t.extensions[i] {
			if e.failure == "" {
				all = append(all, e.pairs)
			}
		}
		for _, pairs := range all {
			for _, q := range p.Problems[i].Queries {
				calls = append(calls, p.labelCall(i, pairs, q))
			}
		}
	}
	records, err := run.Records(ctx, store, calls)
	if err != nil {
		return nil, err
	}
	t.labels, t.failed = map[run.Key]predictive.Categorical{}, map[run.Key]string{}
	var missing []run.Call
	for i, r := range records {
		key := calls[i].Key()
		switch {
		case r == nil && final:
			t.failed[key] = NotStored
		case r == nil:
			missing = append(missing, calls[i])
		case r.Response == nil:
			t.failed[key] = r.Failure
		case len(r.Response.Options) != len(calls[i].Request.Options):
			t.failed[key] = fmt.Sprintf("the response scores %d labels of %d", len(r.Response.Options), len(calls[i].Request.Options))
		default:
			t.labels[key] = labelled(r.Response.Options)
		}
	}
	return missing, nil
}

// labelled is the distribution over labels from their scores, and at its end the mass of all other answers.
func labelled(scores []model.OptionScore) predictive.Categorical {
	c := make(predictive.Categorical, len(scores)+1)
	rest := 1.
	for i, s := range scores {
		c[i] = math.Exp(s.Sum())
		rest -= c[i]
	}
	c[len(scores)] = max(0, rest)
	return c
}

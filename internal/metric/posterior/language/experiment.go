// Package language plans the posterior hallucination rate of language models and reads it from the stored records: the
// model goes on with a context of examples, pair by pair, and the belief that it then has is set beside the one that it
// has now. It calls no model: each wave of calls follows from the records of the one before, so that resuming and
// recomputing are one path.
package language

import (
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// An Experiment is all that decides the posterior hallucination rate of a language model on problems of learning in
// context. A pair is laid out as "Input: x\nLabel: y" with an empty line behind it, and what is asked as "Input:
// x\nLabel:"; or with the words "Q:" and "A:".
type Experiment struct {
	Model    string // its identity
	Problems []Problem
	Options  posterior.Options
	AlsoEps  []float64 // other eps to estimate at, from the same answers
	TopP     float64   // of the pairs that are made up; the source takes .9, which is no sample from the model
	MaxPair  int       // tokens of a pair that is made up
	// lengths below Options.Extend after which labels are asked too: what a shorter extension would have said; of sums
	At []int

	// MaxLabel is the most tokens of an answer where answers are drawn (posterior.Published): 1 where labels are
	// known by their first token, as in the source; above that, answers end with their line.
	MaxLabel int
	// Total compares drawn answers by their whole log-probability; else by its mean over their tokens, as the
	// source has it for answers of different lengths.
	Total bool
	// Listing says that the model scores no given text, and how its labels are read instead; nil where it does.
	Listing *Listing
}

// A Problem is one context, what is asked after it, and what is known of it.
type Problem struct {
	Name    string     // keeps the draws of problems apart
	Form    suite.Form // of the layout; empty: input-label
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
func (p *Experiment) Validate() error {
	if p.Listing != nil && p.Options.Estimator == posterior.Published {
		return fmt.Errorf("estimator %s scores the answers that it drew, but the model only lists the likeliest "+
			"tokens of its own; use %s", posterior.Published, posterior.Sum)
	}
	for i := range p.Problems {
		if err := p.check(&p.Problems[i]); err != nil {
			return err
		}
	}
	return nil
}

// check is Validate of one problem.
func (p *Experiment) check(q *Problem) error {
	if err := CheckForm(q.Form); err != nil {
		return err
	}
	if p.Listing != nil && q.Form == suite.QA {
		return fmt.Errorf("form %s is of answers that are scored, but the model only lists the likeliest tokens "+
			"of its own; use %s", suite.QA, suite.InputLabel)
	}
	if err := p.checkLabels(q.Labels); err != nil {
		return err
	}
	for _, pair := range q.Pairs {
		if q.layout().unclear(pair.Input) {
			return errUnclear(pair.Input)
		}
	}
	if len(q.True) > 0 {
		if _, err := posterior.TrueSets(q.True, p.Options); err != nil {
			return err
		}
	}
	for _, query := range q.Queries {
		if query.Gold != "" && !p.free() && !slices.Contains(q.Labels, query.Gold) {
			return fmt.Errorf("the right answer %q to %.60q is none of the labels %s; add it by --labels", query.Gold,
				query.Input, strings.Join(q.Labels, ", "))
		}
	}
	return nil
}

// checkLabels reports labels that are too few, or cannot be told apart.
func (p *Experiment) checkLabels(labels []string) error {
	free := p.free()
	if len(labels) < 2 && !free {
		return fmt.Errorf("the context has %s; want two different ones at least, in its pairs or by --labels",
			[]string{"no label", "one label only"}[len(labels)])
	}
	for i, l := range labels {
		if err := checkLabel(l); err != nil {
			return err
		}
		for j, m := range labels {
			if i != j && !free && strings.HasPrefix(m, l) {
				return fmt.Errorf("label %q begins label %q, so their probabilities cannot be told apart; rename one",
					l, m)
			}
		}
	}
	return nil
}

// free reports whether answers are texts and not labels.
func (p *Experiment) free() bool { return p.Options.Estimator == posterior.Published && p.MaxLabel > 1 }

// NotStored is the reason of an answer whose call has no record: it was not made, for the budget, an interruption
// or --offline.
const NotStored = "not asked: no stored answer (the budget, --offline or an interruption kept the call from being made)"

// pairTries bounds how often a pair that does not parse is drawn again.
const pairTries = 20

// shuffles is the number of other orders of a context that the check of exchangeability asks about, and checked the
// most contexts for which it does: where there are more, of every second or third one, and so on.
const (
	shuffles = 3
	checked  = 50
)

// Longest returns an upper estimate of the tokens of the longest prompt: the longest context with true pairs or
// with made-up ones, each taken to be as long as the longest pair of the context, and the longest query. Count
// counts tokens.
func (p *Experiment) Longest(count func(text string) (int, error)) (int, error) {
	longest, answer := 0, 0
	if p.Options.Estimator == posterior.Published {
		answer = p.MaxLabel
	}
	var failed error
	tokens := func(text string) (n int) {
		if failed == nil {
			n, failed = count(text)
		}
		return n
	}
	for i := range p.Problems {
		q := &p.Problems[i]
		pair, query := 0, 0
		for _, x := range slices.Concat(q.Pairs, q.True) {
			pair = max(pair, tokens(q.layout().text([]exact.Pair{x})))
		}
		for _, x := range q.Queries {
			query = max(query, tokens(q.layout().question(nil, x)))
		}
		longest = max(longest, tokens(q.layout().text(q.Pairs))+p.Options.Extend*pair+query+answer)
	}
	return longest, failed
}

// contexts are those after which the labels of a problem's queries are asked, beside its extensions: as it stands,
// in other orders, and with true pairs.
func (p *Experiment) contexts(problem int) (orders, truths [][]exact.Pair) {
	q := &p.Problems[problem]
	if len(q.Pairs) > 1 && problem%(1+(len(p.Problems)-1)/checked) == 0 {
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
			panic("language: " + err.Error()) // Validate has seen it
		}
		for _, set := range sets {
			truths = append(truths, slices.Concat(q.Pairs, set))
		}
	}
	return orders, truths
}

// ProblemOf makes a problem of learning in context from rows: labels are those given, else those of the pairs, in
// the order in which they first stand there.
func ProblemOf(p posterior.Problem, truth *posterior.Truth, labels []string) Problem {
	if truth == nil {
		truth = &posterior.Truth{}
	}
	q := Problem{Name: "1", Pairs: p.Context, Labels: labels, True: truth.Pairs}
	if len(labels) == 0 {
		for _, pair := range slices.Concat(p.Context, truth.Pairs) {
			if !slices.Contains(q.Labels, pair.Label) {
				q.Labels = append(q.Labels, pair.Label)
			}
		}
	}
	for _, input := range p.Queries {
		q.Queries = append(q.Queries, Query{Input: input, Gold: truth.Gold[input]})
	}
	return q
}

// Requests visits what the experiment asks for, as it can be foretold before anything is there: requests like req n
// times at least and again times as often at most, as a pair or an answer that does not parse is drawn again, with up
// to grown tokens of made-up pairs more in the prompt. Calls that fail are counted as if they did not.
func (p *Experiment) Requests(visit func(n, again, grown int, req model.Request)) {
	made := p.Options.Extend * p.MaxPair
	for i := range p.Problems {
		q := &p.Problems[i]
		for step := range p.Options.Extend {
			visit(p.Options.M, pairTries, step*p.MaxPair,
				p.pairCall(&extension{problem: i, pairs: q.Pairs}, step, 0).Request)
		}
		orders, truths := p.contexts(i)
		for j, query := range q.Queries {
			if p.Options.Estimator == posterior.Published {
				p.drawRequests(i, j, orders, truths, visit)
				continue
			}
			for _, pairs := range slices.Concat([][]exact.Pair{q.Pairs}, orders, truths) {
				visit(1, 1, 0, p.labelCall(i, pairs, query).Request)
			}
			visit(p.Options.M, 1, made, p.labelCall(i, q.Pairs, query).Request)
		}
	}
}

// drawRequests visits what is asked for one query where answers are drawn and then scored.
func (p *Experiment) drawRequests(problem, query int, orders, truths [][]exact.Pair,
	visit func(n, again, grown int, req model.Request)) {
	q := &p.Problems[problem]
	m, k, made := p.Options.M, p.Options.K, p.Options.Extend*p.MaxPair
	after := func(pairs []exact.Pair) model.Request {
		return p.drawCall(problem, &samples{query: query, prompt: q.layout().question(pairs, q.Queries[query])}, 0,
			0).Request
	}
	visit(m*k, pairTries, 0, after(q.Pairs))    // now
	visit(m*k, pairTries, made, after(q.Pairs)) // then
	share := 0
	if len(truths) > 0 {
		share = 1
		visit(k, pairTries, 0, after(q.Pairs))
		for _, pairs := range truths {
			visit(k, pairTries, 0, after(pairs))
		}
	}
	longest := strings.Repeat("word ", max(1, p.MaxLabel))
	// all alike are one answer, all different as many as were drawn
	score := func(n, answers, grown int, pairs []exact.Pair) {
		req := model.Request{Prompt: q.layout().question(pairs, q.Queries[query]), Raw: true,
			Options: slices.Repeat([]string{longest}, min(answers, scoredTogether))}
		visit(n, (answers+scoredTogether-1)/scoredTogether, grown, req)
	}
	score(1, (m+share)*k, 0, q.Pairs)
	score(m, 3*k, made, q.Pairs)
	for _, pairs := range orders {
		score(1, k, 0, pairs)
	}
	for _, pairs := range truths {
		score(1, 2*k, 0, pairs)
	}
}

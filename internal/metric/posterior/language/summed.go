package language

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/lists"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/stat"
)

// A reading is what a record says of the labels of one query after one context.
type reading struct {
	labels predictive.Categorical // and at the end all other answers
	open   float64                // part of that end which may yet belong to labels, as the server did not list it
	failed string
}

// summed reads the distributions of a problem's labels, one call each.
func (w *Resampling) summed(ctx context.Context, store run.Store, problem int) ([]answered, []run.Call, error) {
	p := w.experiment
	q := &p.Problems[problem]
	orders, truths := p.contexts(problem)
	contexts := slices.Concat([][]exact.Pair{q.Pairs}, orders, truths)
	extensions := 0
	for _, e := range w.extensions[problem] {
		if e.failure == "" {
			contexts = append(contexts, p.stages(problem, e)...)
			extensions++
		}
	}
	calls := make([]run.Call, 0, len(contexts)*len(q.Queries))
	for _, pairs := range contexts {
		for _, query := range q.Queries {
			calls = append(calls, p.labelCall(problem, pairs, query))
		}
	}
	records, missing, err := w.records(ctx, store, calls)
	if err != nil || len(missing) > 0 {
		return nil, missing, err
	}
	took, others := w.tookOf(problem), 1+len(orders)+len(truths)
	for i, r := range records {
		if r == nil || r.Response == nil {
			continue
		}
		one := posterior.Spent{Calls: 1, Prompt: r.Response.Usage.PromptTokens, Completion: 1}
		switch at := i / len(q.Queries); { // the place of its context
		case at == 0:
			took.Now.Add(one)
		case at >= others:
			took.Then[(at-others)%len(took.Then)].Add(one)
		}
	}
	out := make([]answered, len(q.Queries))
	for j, query := range q.Queries {
		at := func(i int) reading { return p.reading(problem, records[i*len(q.Queries)+j]) }
		out[j] = p.sum(q, query, at, len(orders), len(truths), extensions)
	}
	return out, nil, nil
}

// stages are the contexts after which an extension that is complete is asked: at each of At, and at its end.
func (p *Experiment) stages(problem int, e *extension) [][]exact.Pair {
	n := len(p.Problems[problem].Pairs)
	return append(lists.Map(p.At, func(a int) []exact.Pair { return e.pairs[:n+a] }), e.pairs)
}

// sum is what the readings say of one query: at(0) after the context, then after its other orders, the sets of true
// pairs, the extensions with their stages.
func (p *Experiment) sum(q *Problem, query Query, at func(i int) reading, orders, truths, extensions int) (a answered) {
	a.row.ID, a.row.Input = query.ID, query.Input
	a.calls = 1 + extensions
	nothing := func(reason string) answered {
		a.reason, a.calls = reason, 1
		return a
	}
	now := at(0)
	if now.failed != "" {
		return nothing(now.failed)
	}
	stages := len(p.At) + 1
	point := &posterior.Point{
		Pairs: len(q.Pairs), Labels: len(q.Labels), Now: now.labels, Then: make([][]predictive.Categorical, stages),
		Gold: slices.Index(q.Labels, query.Gold),
	}
	p.mass(&a.row, now, point.Gold)
	for i := range extensions {
		for k := range stages {
			then := at(1 + orders + truths + i*stages + k)
			if then.failed != "" {
				return nothing(then.failed)
			}
			point.Then[k] = append(point.Then[k], then.labels)
		}
	}
	thens := point.Then[stages-1]
	if len(thens) < 2 {
		return nothing("fewer than two extensions could be had")
	}
	a.gap = variation(now.labels, meanOf(thens))
	a.point = point
	a.row.PHR75 = new(posterior.MeanUnlikely(now.labels, thens, .75))
	a.chains = func(o posterior.Options) []posterior.Chain {
		return lists.Map(thens, func(then predictive.Categorical) posterior.Chain {
			return posterior.Measure(now.labels, then, o, nil)
		})
	}
	if i := point.Gold; i >= 0 {
		wrong, right := 1-now.labels[i], slices.Max(now.labels[:len(q.Labels)]) == now.labels[i]
		a.row.ErrorRate, a.row.Right = &wrong, &right
	}
	for i := range orders {
		if then := at(1 + i); then.failed == "" {
			a.orders = append(a.orders, variation(now.labels, then.labels))
		} else {
			a.reason = then.failed
		}
	}
	var true []predictive.Categorical
	for i := range truths {
		then := at(1 + orders + i)
		if then.failed != "" {
			a.reason = then.failed
			return a
		}
		true = append(true, then.labels)
	}
	point.True = true
	a.truths = func(o posterior.Options) []float64 {
		return lists.Map(true, func(then predictive.Categorical) float64 { return now.labels.Unlikely(then, o.Eps) })
	}
	return a
}

// mass fills in what the reading after the context says of the probability that no label has, and of the gold's.
func (p *Experiment) mass(row *posterior.Query, now reading, gold int) {
	row.Entropy = now.labels.Entropy()
	row.OtherMass = new(now.labels[len(now.labels)-1])
	if p.Listing == nil {
		return
	}
	row.UnlistedMass = &now.open
	if gold >= 0 {
		row.GoldMass = &stat.Range{Lo: now.labels[gold], Hi: math.Min(1, now.labels[gold]+now.open)}
	}
}

// meanOf returns the mean of distributions over the same labels, of which there is at least one.
func meanOf(all []predictive.Categorical) predictive.Categorical {
	mean := make(predictive.Categorical, len(all[0]))
	for _, c := range all {
		for l := range mean {
			mean[l] += c[l]
		}
	}
	for l := range mean {
		mean[l] /= float64(len(all))
	}
	return mean
}

// labelCall asks for the probabilities of the labels of a query after pairs.
func (p *Experiment) labelCall(problem int, pairs []exact.Pair, query Query) run.Call {
	req := model.Request{Prompt: p.Problems[problem].layout().question(pairs, query), Raw: true}
	if p.Listing != nil {
		p.Listing.ask(&req)
		return run.Call{Model: p.Model, Request: req}
	}
	for _, l := range p.Problems[problem].Labels {
		req.Options = append(req.Options, " "+l)
	}
	return run.Call{Model: p.Model, Request: req}
}

// reading is what a record says of a problem's labels.
func (p *Experiment) reading(problem int, r *run.Record) reading {
	if why := failure(r); why != "" {
		return reading{failed: why}
	}
	labels := p.Problems[problem].Labels
	if p.Listing != nil {
		return listed(r.Response, labels)
	}
	if len(r.Response.Options) != len(labels) {
		return reading{failed: fmt.Sprintf("the response scores %d labels of %d", len(r.Response.Options), len(labels))}
	}
	return reading{labels: labelled(r.Response.Options)}
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

// variation is the total variation between two distributions over the same labels, in [0, 1].
func variation(a, b predictive.Categorical) float64 {
	var d float64
	for i := range a {
		d += math.Abs(a[i]-b[i]) / 2
	}
	return min(1, d)
}

// A Listing is how labels are read of a model that scores no given text but lists the likeliest tokens of its own
// answers: the tokens that are listed for the first of an answer.
type Listing struct {
	Top  int  `json:"top"`            // tokens that are listed
	Chat bool `json:"chat,omitempty"` // the model takes turns and no text to go on with
}

// What a model that takes turns is told. They are part of the calls' keys, so a change asks everything anew.
const (
	labelSystem = "The text is a list of inputs, each with its label, and a last input. Answer with the label of " +
		"the last input and nothing else."
	pairSystem = "The text is a list of inputs, each with its label. Write one more pair of the same kind, in " +
		"the same two lines (Input: and Label:), and nothing else."
)

// firstSeed is the seed of the one token that is written so that its alternatives are listed; which it is decides
// nothing.
var firstSeed int64 = 1

// ask makes a request for a label one for the tokens that may begin it. The temperature is 1, as some servers list
// probabilities after they have applied it.
func (l *Listing) ask(req *model.Request) {
	req.MaxTokens, req.Temperature, req.TopP, req.Seed = 1, 1, 1, &firstSeed
	req.LogProbs, req.TopLogProbs = true, l.Top
	if l.Chat {
		req.Raw, req.System = false, labelSystem
	}
}

// listed reads labels from the tokens that are listed for the first of an answer. A token counts for the one label
// that it begins, or that it holds with no letter or digit behind it; space before it does not matter, so the
// spellings of a label are added up. What was not listed, and tokens that begin several labels or are blank, may
// yet belong to a label: that is the open mass, so that
//
//	labels[l] <= p(l) <= labels[l] + open
//
// where labels are known by their first tokens. It is part of the last member, all other answers, in the distribution.
func listed(r *model.Response, labels []string) reading {
	if len(r.Tokens) == 0 || len(r.Tokens[0].Top) == 0 {
		return reading{failed: "the response lists no log-probabilities of alternatives"}
	}
	first := r.Tokens[0]
	all := first.Top
	// drawn beyond the list
	if first.LogProb != nil && !slices.ContainsFunc(all, func(t model.TopToken) bool { return t.Text == first.Text }) {
		all = append(all[:len(all):len(all)], model.TopToken{Text: first.Text, LogProb: *first.LogProb})
	}
	c := make(predictive.Categorical, len(labels)+1)
	unlisted, open := 1., 0.
	for _, t := range all {
		p := math.Exp(t.LogProb)
		unlisted -= p
		switch l := labelOf(t.Text, labels); {
		case l >= 0:
			c[l] += p
		case l == several:
			open += p
		}
	}
	rest := 1.
	for _, p := range c {
		rest -= p
	}
	if rest < 0 { // servers round: a distribution all the same
		for l := range c {
			c[l] /= 1 - rest
		}
		rest = 0
	}
	c[len(labels)] = rest
	return reading{labels: c, open: min(rest, open+max(0, unlisted))}
}

// The marks of labelOf for no label and for several.
const (
	none    = -1
	several = -2
)

// labelOf is the index of the label that a token begins or holds. Marks that vocabularies write for a space count
// as one.
func labelOf(token string, labels []string) int {
	token = strings.TrimSpace(strings.NewReplacer("▁", " ", "Ġ", " ").Replace(token))
	if token == "" {
		return several
	}
	found := none
	for i, l := range labels {
		rest, holds := strings.CutPrefix(token, l)
		next, _ := utf8.DecodeRuneInString(rest)
		if !strings.HasPrefix(l, token) && !(holds && !unicode.IsLetter(next) && !unicode.IsDigit(next)) {
			continue
		}
		if found >= 0 {
			return several
		}
		found = i
	}
	return found
}

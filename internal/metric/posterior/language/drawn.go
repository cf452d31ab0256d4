package language

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/text/answer"
)

// scoredTogether bounds the answers that one call scores.
const scoredTogether = 64

// samples are a set of K answers to one query after one context.
type samples struct {
	query  int
	kind   string // which set, in the names of its streams
	number int
	prompt string
	texts  []string // "" until it is drawn
	failed string
}

// An asking is all that the source's Algorithm 2 draws for one query: after each extension K answers for the quantile
// (then) and K after the context for the share (now); after each set of true pairs K for the quantile (true), and K
// after the context for all of these sets (share, nil without them).
type asking struct {
	then, now, true []*samples // by number
	share           *samples
	redrew          int
}

// A drawing is what is drawn for one problem.
type drawing struct {
	queries    []asking
	extensions []*extension
}

func (d *drawing) all() (list []*samples) {
	for _, a := range d.queries {
		if list = append(list, slices.Concat(a.then, a.now, a.true)...); a.share != nil {
			list = append(list, a.share)
		}
	}
	return list
}

// drawn reads the answers that are drawn for a problem, and then their log-probabilities.
func (w *Resampling) drawn(ctx context.Context, store run.Store, problem int) ([]answered, []run.Call, error) {
	p := w.experiment
	q := &p.Problems[problem]
	orders, truths := p.contexts(problem)
	d := &drawing{queries: make([]asking, len(q.Queries))}
	d.extensions = slices.DeleteFunc(slices.Clone(w.extensions[problem]), (*extension).failed)
	for j, query := range q.Queries {
		after := func(kind string, number int, pairs []exact.Pair) *samples {
			return &samples{query: j, kind: kind, number: number, prompt: q.layout().question(pairs, query),
				texts: make([]string, p.Options.K)}
		}
		today, a := after("share", 0, q.Pairs), &d.queries[j]
		for _, e := range d.extensions {
			one := after("now", e.number, nil)
			one.prompt = today.prompt // one text for all of its calls
			a.then, a.now = append(a.then, after("then", e.number, e.pairs)), append(a.now, one)
		}
		for t, pairs := range truths {
			a.true, a.share = append(a.true, after("true", t, pairs)), today
		}
	}
	if missing, err := w.fill(ctx, store, problem, d); err != nil || len(missing) > 0 {
		return nil, missing, err
	}
	scores, missing, err := w.scores(ctx, store, problem, d, orders, truths)
	if err != nil || len(missing) > 0 {
		return nil, missing, err
	}
	out := make([]answered, len(q.Queries))
	for j, query := range q.Queries {
		out[j] = p.published(q, query, &d.queries[j], scores[j], len(orders), len(truths))
	}
	return out, nil, nil
}

// fill reads the drawn answers, those that are empty drawn again and counted, and returns the calls of the first
// wave that lacks records.
func (w *Resampling) fill(ctx context.Context, store run.Store, problem int, d *drawing) ([]run.Call, error) {
	type place struct {
		set *samples
		k   int
	}
	var pending []place
	for _, set := range d.all() {
		for k := range set.texts {
			pending = append(pending, place{set, k})
		}
	}
	for try := 0; len(pending) > 0; try++ {
		if try == pairTries {
			for _, at := range pending {
				at.set.failed = fmt.Sprintf("%d draws in a row were empty answers", pairTries)
			}
			return nil, nil
		}
		calls := lists.Map(pending,
			func(at place) run.Call { return w.experiment.drawCall(problem, at.set, at.k, try) })
		var missing []run.Call
		var again []place
		err := run.Each(ctx, store, calls, func(i int, r *run.Record) error {
			at := pending[i]
			text, failed := textOf(r)
			switch {
			case w.lacks(r, calls[i]):
				missing = append(missing, calls[i])
			case failed != "":
				at.set.failed = failed
			case text == "" || w.experiment.MaxLabel > 1 && strings.TrimSpace(text) == "":
				d.queries[at.set.query].redrew++
				again = append(again, at)
			default:
				at.set.texts[at.k] = text
			}
			return nil
		})
		if err != nil || len(missing) > 0 {
			return missing, err
		}
		pending = again
	}
	return nil, nil
}

// drawCall asks for one answer to a query.
func (p *Experiment) drawCall(problem int, set *samples, k, try int) run.Call {
	q := &p.Problems[problem]
	draw := int64(seed.Stream(p.Options.Seed, "posterior", "answer", q.Name, q.Queries[set.query].Input, set.kind,
		strconv.Itoa(set.number), strconv.Itoa(k), strconv.Itoa(try)).Uint64() >> 12)
	req := model.Request{Prompt: set.prompt, Raw: true, MaxTokens: max(1, p.MaxLabel), Temperature: 1, TopP: 1,
		Seed: &draw}
	if p.MaxLabel > 1 {
		req.Stop = []string{"\n"}
	}
	return run.Call{Model: p.Model, Request: req}
}

// A logProbs gives the log-probabilities of answers after one context, over their tokens.
type logProbs map[string][]float64

// A scored holds the answers of one query under the contexts that matter to it.
type scored struct {
	now          logProbs
	then, orders []logProbs // by extension, by order
	true         []logProbs
	failed       string // of now or an extension: then there is no rate
	lacking      string // of another: then something is missing
	calls        int    // of now and the extensions
}

// A want is answers whose log-probabilities after a prompt are to be known, where these go, and why they are not known.
type want struct {
	prompt  string
	options []string
	to      *logProbs
	fail    *string
	calls   *int
}

// wanted are the log-probabilities that scores reads, and where they go.
func (w *Resampling) wanted(problem int, d *drawing, orders, truths [][]exact.Pair) (out []scored, wants []want) {
	q := &w.experiment.Problems[problem]
	out = make([]scored, len(q.Queries))
	for j, query := range q.Queries {
		s, a := &out[j], &d.queries[j]
		for _, set := range slices.Concat(a.then, a.now) {
			s.failed = cmp.Or(set.failed, s.failed)
		}
		if len(d.extensions) < 2 {
			s.failed = "fewer than two extensions could be had"
		}
		if s.failed != "" {
			continue
		}
		for _, set := range a.true {
			s.lacking = cmp.Or(s.lacking, set.failed)
		}
		today := slices.Clone(a.now)
		if a.share != nil {
			if s.lacking = cmp.Or(s.lacking, a.share.failed); s.lacking == "" {
				today = append(today, a.share)
			}
		}
		add := func(pairs []exact.Pair, to *logProbs, fail *string, calls *int, sets ...*samples) {
			wants = append(wants, want{q.layout().question(pairs, query), distinct(sets...), to, fail, calls})
		}
		add(q.Pairs, &s.now, &s.failed, &s.calls, today...)
		s.then, s.orders, s.true = make([]logProbs, len(d.extensions)), make([]logProbs, len(orders)),
			make([]logProbs, len(truths))
		for m, e := range d.extensions {
			add(e.pairs, &s.then[m], &s.failed, &s.calls, a.then[m], a.now[m], a.now[0])
		}
		for o, pairs := range orders {
			add(pairs, &s.orders[o], &s.lacking, nil, a.now[0])
		}
		for t, pairs := range truths {
			if s.lacking == "" {
				add(pairs, &s.true[t], &s.lacking, nil, a.true[t], a.share)
			}
		}
	}
	return out, wants
}

// scores reads the log-probabilities of the drawn answers: after the context those of all that were drawn there;
// after each extension, order and set of true pairs those that are compared there. One text has one log-probability
// wherever it was drawn, so the strict comparison with the quantile holds.
func (w *Resampling) scores(ctx context.Context, store run.Store, problem int, d *drawing, orders,
	truths [][]exact.Pair) ([]scored, []run.Call, error) {
	out, wants := w.wanted(problem, d, orders, truths)
	var calls []run.Call
	var of []int // the want of each call
	for i, v := range wants {
		for part := range slices.Chunk(v.options, scoredTogether) {
			calls, of = append(calls, run.Call{Model: w.experiment.Model,
				Request: model.Request{Prompt: v.prompt, Raw: true, Options: part}}), append(of, i)
		}
	}
	var missing []run.Call
	err := run.Each(ctx, store, calls, func(i int, r *run.Record) error {
		v := &wants[of[i]]
		if v.calls != nil {
			*v.calls++
		}
		switch {
		case w.lacks(r, calls[i]):
			missing = append(missing, calls[i])
		case failure(r) != "":
			*v.fail = cmp.Or(*v.fail, failure(r))
		case len(r.Response.Options) != len(calls[i].Request.Options):
			*v.fail = cmp.Or(*v.fail, fmt.Sprintf("the response scores %d answers of %d", len(r.Response.Options),
				len(calls[i].Request.Options)))
		default:
			if *v.to == nil {
				*v.to = logProbs{}
			}
			for k, text := range calls[i].Request.Options {
				lps := r.Response.Options[k].LogProbs
				if len(lps) == 0 {
					*v.fail = cmp.Or(*v.fail, fmt.Sprintf("the response gives the answer %.40q no token", text))
				}
				(*v.to)[text] = lps
			}
		}
		return nil
	})
	return out, missing, err
}

// distinct returns the different answers of sets, sorted.
func distinct(sets ...*samples) []string {
	all := map[string]bool{}
	for _, s := range sets {
		for _, t := range s.texts {
			all[t] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// total is the log-probability of an answer, in nats.
func (l logProbs) total(text string) float64 { return stat.Sum(l[text]) }

// values are what answers are compared by: their mean log-probability per token, or the whole.
func (p *Experiment) values(l logProbs, set *samples) []float64 {
	out := make([]float64, len(set.texts))
	for i, t := range set.texts {
		out[i] = l.total(t)
		if !p.Total {
			out[i] /= float64(len(l[t]))
		}
	}
	return out
}

// published is what the samples and their log-probabilities say of one query.
func (p *Experiment) published(q *Problem, query Query, of *asking, s scored, orders, truths int) (a answered) {
	a.row.ID, a.row.Input = query.ID, query.Input
	a.redrew = of.redrew
	a.calls = s.calls + a.redrew + len(of.then)*2*p.Options.K
	if s.failed != "" {
		a.reason = s.failed
		return a
	}
	for _, set := range of.now {
		for _, t := range set.texts {
			a.row.Entropy -= s.now.total(t) / float64(len(of.now)*p.Options.K)
		}
	}
	if a.reason = p.grade(&a.row, q, query, of.now); a.reason != "" {
		return a
	}
	a.chains = func(o posterior.Options) []posterior.Chain {
		chains := make([]posterior.Chain, len(of.then))
		for m, then := range of.then {
			c := posterior.FromDraws(p.values(s.then[m], then), p.values(s.then[m], of.now[m]), o.Eps)
			for k := range then.texts {
				c.Information += (s.then[m].total(then.texts[k]) - s.now.total(of.now[m].texts[k])) / float64(
					p.Options.K)
				c.Left -= s.then[m].total(then.texts[k]) / float64(p.Options.K)
			}
			chains[m] = c
		}
		return chains
	}
	// Total variation from samples of one of the two: Σ (p − p')₊ is the mean of (1 − p'/p)₊ over samples from p.
	sample := of.now[0].texts
	distance := func(other func(text string) float64) (v float64) {
		for _, t := range sample {
			v += max(0, 1-other(t)/math.Exp(s.now.total(t))) / float64(len(sample))
		}
		return v
	}
	a.gap = distance(func(t string) (mean float64) {
		for _, then := range s.then {
			mean += math.Exp(then.total(t)) / float64(len(s.then))
		}
		return mean
	})
	if a.reason = s.lacking; a.reason != "" {
		return a
	}
	for o := range orders {
		a.orders = append(a.orders, distance(func(t string) float64 { return math.Exp(s.orders[o].total(t)) }))
	}
	a.truths = func(o posterior.Options) (rates []float64) {
		for t := range truths {
			rates = append(rates, posterior.FromDraws(p.values(s.true[t], of.true[t]),
				p.values(s.true[t], of.share), o.Eps).THR)
		}
		return rates
	}
	return a
}

// right reports whether a drawn text is the right answer to a query. An answer of one token is the label that it
// begins, as in the source; a longer one is right where it is the gold in normal form.
func (p *Experiment) right(q *Problem, query Query, text string) bool {
	if p.free() {
		return answer.Normalize(answer.Normalized, text) == answer.Normalize(answer.Normalized, query.Gold)
	}
	l := labelOf(text, q.Labels)
	return l >= 0 && q.Labels[l] == query.Gold
}

// grade sets the error and the mass of what is no label of the answers that were drawn, and returns why it cannot.
func (p *Experiment) grade(row *posterior.Query, q *Problem, query Query, sets []*samples) string {
	n, wrong, other := 0., 0., 0.
	for _, set := range sets {
		for _, text := range set.texts {
			n++
			if !p.right(q, query, text) {
				wrong++
			}
			if p.free() {
				continue
			}
			switch l := labelOf(text, q.Labels); {
			case l == several && strings.TrimSpace(text) != "":
				return fmt.Sprintf("the answer %.40q begins several labels, so they cannot be told apart by their "+
					"first token: rename one", text)
			case l < 0:
				other++
			}
		}
	}
	if !p.free() {
		other /= n
		row.OtherMass = &other
	}
	if query.Gold != "" {
		wrong /= n
		row.ErrorRate = &wrong
	}
	return ""
}

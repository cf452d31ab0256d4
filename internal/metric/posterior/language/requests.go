package language

import (
	"slices"
	"strings"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/model"
)

// Requests visits what the plan asks for, as it can be foretold before anything is there: requests like req n times
// at least and again times as often at most, as a pair or an answer that does not parse is drawn again, with up to
// grown tokens of made-up pairs more in the prompt. Calls that fail are counted as if they did not.
func (p *Plan) Requests(visit func(n, again, grown int, req model.Request)) {
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
func (p *Plan) drawRequests(problem, query int, orders, truths [][]exact.Pair,
	visit func(n, again, grown int, req model.Request)) {
	q := &p.Problems[problem]
	m, k, made := p.Options.M, p.Options.K, p.Options.Extend*p.MaxPair
	after := func(pairs []exact.Pair) model.Request {
		return p.drawCall(problem, &draws{query: query, prompt: q.layout().question(pairs, q.Queries[query])}, 0,
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

package guard

import (
	"context"
	"fmt"

	"hallmark/internal/model"
)

// An asker asks the model inside several requests at once; the i-th result belongs to the i-th request.
type asker func(ctx context.Context, reqs []model.Request) []model.Result

// each asks a model: together where it is a Batcher, else one after another.
func each(ctx context.Context, m model.Model, reqs []model.Request) []model.Result {
	if b, ok := m.(model.Batcher); ok && len(reqs) > 1 {
		results := b.GenerateBatch(ctx, reqs)
		if len(results) == len(reqs) {
			return results
		}
		wrong := make([]model.Result, len(reqs))
		for i := range wrong {
			wrong[i].Err = fmt.Errorf("backend gave %d results for a batch of %d", len(results), len(reqs))
		}
		return wrong
	}
	results := make([]model.Result, len(reqs))
	for i := range reqs {
		if i > 0 && results[i-1].Err != nil && ctx.Err() != nil {
			results[i].Err = ctx.Err()
			continue
		}
		results[i].Response, results[i].Err = m.Generate(ctx, reqs[i])
	}
	return results
}

// gather runs n pieces of work side by side, and has the model answer what they ask together: once all that are
// left wait for answers. Which requests stand in one batch changes no answer, by the contract of model.Batcher.
func gather(ctx context.Context, m model.Model, n int, work func(i int, ask asker)) {
	type question struct {
		at    int
		reqs  []model.Request
		reply chan []model.Result
	}
	questions, done := make(chan question), make(chan any, n)
	for i := range n {
		go func() {
			defer func() { done <- recover() }()
			work(i, func(_ context.Context, reqs []model.Request) []model.Result {
				q := question{i, reqs, make(chan []model.Result, 1)}
				questions <- q
				return <-q.reply
			})
		}()
	}
	waiting := make([]*question, n)
	count := 0
	var broken any
	for left := n; left > 0; {
		select {
		case q := <-questions:
			waiting[q.at] = &q
			count++
		case p := <-done:
			left--
			if p != nil {
				broken = p
			}
		}
		if count == 0 || count < left {
			continue
		}
		var reqs []model.Request
		for _, q := range waiting { // in the order of the work, whoever asked first
			if q != nil {
				reqs = append(reqs, q.reqs...)
			}
		}
		results := each(ctx, m, reqs)
		for i, q := range waiting {
			if q != nil {
				q.reply <- results[:len(q.reqs):len(q.reqs)]
				results = results[len(q.reqs):]
				waiting[i] = nil
			}
		}
		count = 0
	}
	if broken != nil {
		panic(broken) // as it would where it was alone
	}
}

package run

import (
	"context"

	"hallmark/internal/model"
)

// An Observer is told what Execute sends and what becomes of it, for metrics and traces; it changes nothing. It is safe
// for concurrent use, and quick.
type Observer interface {
	// Try is told of a try of so many calls of a model, after so many before it; the context is that of the requests
	// from then on. The function that it returns is told how each ended.
	Try(ctx context.Context, identity string, calls, before int) (context.Context, func([]model.Result))
	// Ended is told of a call that ended in a record.
	Ended(r *Record)
}

// observed tries the job before the eyes of an observer, which may be nil.
func (j *job) observed(ctx context.Context, o *Options) []model.Result {
	if o.Observer == nil {
		return j.try(ctx, o.Timeout)
	}
	ctx, end := o.Observer.Try(ctx, j.control.identity, len(j.items), j.items[0].tries)
	results := j.try(ctx, o.Timeout)
	end(results)
	return results
}

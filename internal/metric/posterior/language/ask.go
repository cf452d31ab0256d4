package language

import (
	"context"
	"slices"

	"hallmark/internal/run"
)

// Ask has the calls of plans made: it calls ask with wave after wave of all of them together, until nothing new is
// to be asked or ask returns an error. Stored answers that a wave was planned from are among its calls: they are
// used, and count as the others do. With retry, calls whose record is a failure are asked once more.
func Ask(ctx context.Context, store run.Store, retry bool, plans []*Plan, ask func([]run.Call) error) error {
	resamplings := make([]*Resampling, len(plans))
	for i, p := range plans {
		resamplings[i] = p.Resample()
		resamplings[i].Retry = retry
	}
	var used []run.Call
	store = run.Watch(store, func(_ run.Key, r *run.Record) { used = append(used, r.Call) })
	var fresh run.Fresh
	for {
		var missing []run.Call
		used = nil
		for _, w := range resamplings {
			calls, err := w.Next(ctx, store)
			if err != nil {
				return err
			}
			missing = append(missing, calls...)
		}
		calls := fresh.Of(slices.Concat(used, missing))
		if len(calls) == 0 {
			return nil
		}
		if err := ask(calls); err != nil {
			return err
		}
	}
}

package run

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"hallmark/internal/model"
)

// Recorded returns a model that answers from the store where the store has a response to the same call, and has the
// given one answer and the store commit it where it has not. It is for models that ask others, such as a guard:
// their inner calls are records like any other, so that what is built on them is the same after a crash and in a
// second run. It is a model.Batcher and a model.Prober if the given one is.
//
// What counts is what the store kept: where another process answered the same call first, its answer. A stored
// failure that is final is returned again, unless opt.RetryErrors is set. Failures that may pass, and errors
// wrapping model.ErrGone or model.ErrBudget, are returned and not stored. A store that fails ends the run: its
// error wraps model.ErrGone. Of the options, RetryErrors and Now are read.
func Recorded(store Store, m model.Model, opt Options) model.Model {
	r := &recorded{m, store, opt.withDefaults()}
	if b, ok := m.(model.Batcher); ok {
		return &recordedBatch{r, b}
	}
	return r
}

type recorded struct {
	model.Model // inside: equal identities mean exchangeable answers, and these are its own
	store       Store
	opt         Options
}

type recordedBatch struct {
	*recorded
	batcher model.Batcher
}

// Probe passes the question on.
func (r *recorded) Probe(ctx context.Context) (model.Capabilities, error) {
	return model.ProbeOf(ctx, r.Model)
}

// Price is that of the model inside, where it is known.
func (r *recorded) Price() (in, out float64, known bool) { return model.PriceOf(r.Model) }

func (r *recorded) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	result := r.answer(ctx, []model.Request{req}, func(ctx context.Context, reqs []model.Request) []model.Result {
		resp, err := r.Model.Generate(ctx, reqs[0])
		return []model.Result{{Response: resp, Err: err}}
	})[0]
	return result.Response, result.Err
}

func (r *recordedBatch) GenerateBatch(ctx context.Context, reqs []model.Request) []model.Result {
	return r.answer(ctx, reqs, r.batcher.GenerateBatch)
}

// answer looks the calls up, asks for those that are missing, each once, and commits what came back before it
// returns it.
func (r *recorded) answer(ctx context.Context, reqs []model.Request,
	ask func(context.Context, []model.Request) []model.Result) []model.Result {
	if isFresh(ctx) {
		return ask(ctx, reqs)
	}
	results := make([]model.Result, len(reqs))
	fail := func(err error) []model.Result {
		for i := range results {
			results[i] = model.Result{Err: err}
		}
		return results
	}
	calls, keys := make([]Call, len(reqs)), make([]Key, len(reqs))
	for i, q := range reqs {
		calls[i] = Call{Model: r.Identity(), Request: q}
		keys[i] = calls[i].Key()
	}
	stored, err := r.store.Lookup(ctx, keys)
	if err != nil {
		return fail(fmt.Errorf("%w: look up inner records: %w", model.ErrGone, err))
	}
	var missing []model.Request
	var at []int
	asked := map[Key]bool{}
	for i, k := range keys {
		if rec, ok := stored[k]; ok && (rec.Response != nil || !rec.Transient && !r.opt.RetryErrors) || asked[k] {
			continue
		}
		asked[k] = true
		missing, at = append(missing, reqs[i]), append(at, i)
	}
	failed := map[Key]error{} // not stored: the same request may succeed later
	if len(missing) > 0 {
		fresh := ask(ctx, missing)
		if len(fresh) != len(missing) {
			return fail(fmt.Errorf("backend gave %d results for a batch of %d", len(fresh), len(missing)))
		}
		var records []Record
		var added []Key
		for n := range fresh {
			k := keys[at[n]]
			rec, err := r.record(ctx, calls[at[n]], &fresh[n])
			if err != nil {
				failed[k] = err
				continue
			}
			records, added = append(records, rec), append(added, k)
		}
		counted, err := r.commit(ctx, records, added)
		if err != nil {
			return fail(err)
		}
		maps.Copy(stored, counted)
	}
	for i, k := range keys {
		rec, ok := stored[k]
		switch {
		case failed[k] != nil:
			results[i].Err = failed[k]
		case !ok:
			results[i].Err = fmt.Errorf("the store lost record %s", k)
		case rec.Response == nil:
			results[i].Err = errors.New(rec.Failure)
		default:
			results[i].Response = *rec.Response
		}
	}
	return results
}

// record makes the record of what came back, or returns the error of a call that is not stored.
func (r *recorded) record(ctx context.Context, call Call, result *model.Result) (Record, error) {
	rec := Record{Call: call, Attempts: 1, At: r.opt.Now()}
	switch err := result.Err; {
	case err == nil:
		if bad := checkNumbers(&result.Response); bad != nil {
			rec.Failure = oneLine(bad)
		} else {
			rec.Response = &result.Response
		}
	case errors.Is(err, model.ErrTransient), errors.Is(err, model.ErrGone), errors.Is(err, model.ErrBudget),
		ctx.Err() != nil:
		return rec, err
	default:
		rec.Failure = oneLine(err)
	}
	return rec, nil
}

// commit stores records, also where the rest of the run has been stopped meanwhile, and returns those that count.
func (r *recorded) commit(ctx context.Context, records []Record, keys []Key) (map[Key]Record, error) {
	if len(records) == 0 {
		return nil, nil
	}
	ctx = context.WithoutCancel(ctx)
	if err := r.store.Add(ctx, records); err != nil {
		return nil, fmt.Errorf("%w: store inner records: %w", model.ErrGone, err)
	}
	counted, err := r.store.Lookup(ctx, keys) // another process may have been first
	if err != nil {
		return nil, fmt.Errorf("%w: look up inner records: %w", model.ErrGone, err)
	}
	return counted, nil
}

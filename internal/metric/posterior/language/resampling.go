package language

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/model"
	"hallmark/internal/run"
)

// waveCalls bounds the calls of a wave that asks for answers: problems are asked about together up to so many.
// Waves that make up pairs have a call for each extension.
const waveCalls = 20_000

// An extension is one context that the model goes on with.
type extension struct {
	problem, number int
	pairs           []exact.Pair // the context and what was made up
	failure         string
}

func (e *extension) failed() bool { return e.failure != "" }

// A Resampling follows the waves of an experiment through a store: pairs are made up one after the other, so each wave
// needs the records of the one before. It reads the records of a wave when they are there and not again, so that it
// takes time in proportion to the calls. It is not safe for concurrent use.
type Resampling struct {
	// Retry has calls whose record is a failure asked once more.
	Retry bool

	experiment *Experiment
	final      bool // what has no record is missing
	extensions [][]*extension
	step, try  int
	pending    []*extension             // of this step and try; nil before a step begins
	redrawn    int                      // pairs that did not parse
	taken      map[int]*posterior.Taken // by the number of pairs of the context
	problem    int                      // the first whose answers are not all there
	again      map[run.Key]bool
}

// Resample returns a Resampling that stands before the first wave.
func (p *Experiment) Resample() *Resampling {
	w := &Resampling{experiment: p, extensions: make([][]*extension, len(p.Problems)), again: map[run.Key]bool{},
		taken: map[int]*posterior.Taken{}}
	for i := range p.Problems {
		for m := range p.Options.M {
			w.extensions[i] = append(w.extensions[i],
				&extension{problem: i, number: m, pairs: slices.Clone(p.Problems[i].Pairs)})
		}
	}
	return w
}

// Next returns the calls of the first wave that lacks records, and none when all is there.
func (w *Resampling) Next(ctx context.Context, store run.Store) ([]run.Call, error) {
	if missing, err := w.extend(ctx, store); err != nil || len(missing) > 0 {
		return missing, err
	}
	var calls []run.Call
	whole := true // all problems before this one have their answers
	for i := w.problem; i < len(w.experiment.Problems) && len(calls) < waveCalls; i++ {
		_, missing, err := w.answers(ctx, store, i)
		if err != nil {
			return nil, err
		}
		if whole = whole && len(missing) == 0; whole {
			w.problem = i + 1
		}
		calls = append(calls, missing...)
	}
	return calls, nil
}

// tookOf returns where calls of contexts with as many pairs as a problem's are counted.
func (w *Resampling) tookOf(problem int) *posterior.Taken {
	n := len(w.experiment.Problems[problem].Pairs)
	if w.taken[n] == nil {
		w.taken[n] = posterior.NewTaken(w.experiment.Options.Extend, len(w.experiment.At)+1)
	}
	return w.taken[n]
}

// lacks reports whether a call is to be asked, by its record.
func (w *Resampling) lacks(r *run.Record, c run.Call) bool {
	switch {
	case r == nil:
		return !w.final
	case r.Response != nil || !w.Retry || w.final:
		return false
	}
	key := c.Key()
	first := !w.again[key]
	w.again[key] = true
	return first
}

// failure is why a record has no response, "" where it has one.
func failure(r *run.Record) string {
	switch {
	case r == nil:
		return NotStored
	case r.Response == nil:
		return r.Failure
	}
	return ""
}

// mostText bounds the bytes of an answer and of a made-up pair: a server may overlook how many tokens it was asked for.
const mostText = 64 << 10

// textOf is the text of a response, or why there is none.
func textOf(r *run.Record) (text, failed string) {
	switch {
	case failure(r) != "":
		return "", failure(r)
	case r.Response.Text == nil:
		return "", "the response has no text"
	case len(*r.Response.Text) > mostText:
		return "", "the response has over 64 KiB of text, which is more than it was asked for"
	}
	return *r.Response.Text, ""
}

// records returns the records of calls, and the calls that are to be asked before they can be read.
func (w *Resampling) records(ctx context.Context, store run.Store, calls []run.Call) (records []*run.Record,
	missing []run.Call, err error) {
	records, err = run.Records(ctx, store, calls)
	for i, r := range records {
		if w.lacks(r, calls[i]) {
			missing = append(missing, calls[i])
		}
	}
	return records, missing, err
}

// extend goes on with making up pairs as far as there are records, and returns the calls of the first wave that
// lacks some.
func (w *Resampling) extend(ctx context.Context, store run.Store) ([]run.Call, error) {
	for w.step < w.experiment.Options.Extend {
		if w.pending == nil {
			w.try, w.pending = 0, slices.DeleteFunc(slices.Concat(w.extensions...), (*extension).failed)
		}
		for len(w.pending) > 0 {
			if w.try == pairTries {
				for _, e := range w.pending {
					e.failure = fmt.Sprintf("%d draws in a row were no pair of input and label", pairTries)
				}
				break
			}
			missing, err := w.draw(ctx, store)
			if err != nil || len(missing) > 0 {
				return missing, err
			}
			w.try++
		}
		w.step, w.pending = w.step+1, nil
	}
	return nil, nil
}

// draw reads one wave of pairs: those that parse end the step of their extension, the others stay pending. It
// changes nothing where calls are missing.
func (w *Resampling) draw(ctx context.Context, store run.Store) ([]run.Call, error) {
	calls := lists.Map(w.pending, func(e *extension) run.Call { return w.experiment.pairCall(e, w.step, w.try) })
	records, missing, err := w.records(ctx, store, calls)
	if err != nil || len(missing) > 0 {
		return missing, err
	}
	again := []*extension{}
	for i, e := range w.pending {
		if r := records[i]; r != nil && r.Response != nil {
			u := r.Response.Usage
			w.tookOf(e.problem).Made[w.step].Add(posterior.Spent{Calls: 1, Prompt: u.PromptTokens,
				Completion: u.CompletionTokens})
		}
		text, failed := textOf(records[i])
		if e.failure = failed; failed != "" {
			continue
		}
		pair, ok := w.experiment.parsePair(e.problem, text)
		if !ok {
			w.redrawn++
			again = append(again, e)
			continue
		}
		e.pairs = append(e.pairs, pair)
	}
	w.pending = again
	return nil, nil
}

// pairCall asks for a pair that follows an extension.
func (p *Experiment) pairCall(e *extension, step, try int) run.Call {
	name := p.Problems[e.problem].Name
	draw := int64(seed.Stream(p.Options.Seed, "posterior", "pair", name, strconv.Itoa(e.number), strconv.Itoa(step),
		strconv.Itoa(try)).Uint64() >> 12)
	l := p.Problems[e.problem].layout()
	req := model.Request{
		Prompt: l.text(e.pairs) + l.input, Raw: true, MaxTokens: p.MaxPair, Temperature: 1, TopP: p.TopP,
		Stop: []string{"\n\n"}, Seed: &draw,
	}
	if p.Listing != nil && p.Listing.Chat {
		req.System, req.Prompt, req.Raw, req.Stop = pairSystem, l.text(e.pairs), false, nil
	}
	return run.Call{Model: p.Model, Request: req}
}

// answers reads what the records say of one problem's queries, and returns the calls that lack records, of the
// first wave that does.
func (w *Resampling) answers(ctx context.Context, store run.Store, problem int) ([]answered, []run.Call, error) {
	if w.experiment.Options.Estimator == posterior.Published {
		return w.drawn(ctx, store, problem)
	}
	return w.summed(ctx, store, problem)
}

// An answered is one query of a problem with what no eps decides, and with the chains and the rates after sets of
// true pairs at any eps.
type answered struct {
	row    posterior.Query
	chains func(o posterior.Options) []posterior.Chain // nil where the query is unscored
	truths func(o posterior.Options) []float64         // nil where there are no such sets

	gap    float64          // total variation between the answers now and their mean over the extensions
	orders []float64        // that between the answers now and after the context in another order
	reason string           // why something is missing
	point  *posterior.Point // nil where no distribution is known
	calls  int              // that the rate takes, beside those of the extensions
	redrew int              // answers that were drawn again
}

// Waves gives the calls of experiments, each with its experiment, in waves of all of them together. Stored answers that
// a wave was planned from are among its calls: they are used, and count as the others do. With retry, calls whose
// record is a failure are asked once more.
func Waves(ctx context.Context, store run.Store, retry bool,
	all []*Experiment) iter.Seq2[[]run.Want[*Experiment], error] {
	resamplings := lists.Map(all, (*Experiment).Resample)
	return run.Waves(func() (used []run.Want[*Experiment], err error) {
		var missing []run.Want[*Experiment]
		for i, p := range all {
			resamplings[i].Retry = retry
			calls, err := resamplings[i].Next(ctx, run.Watch(store, func(_ run.Key, r *run.Record) {
				used = append(used, run.Want[*Experiment]{For: p, Call: r.Call})
			}))
			if err != nil {
				return nil, err
			}
			for _, c := range calls {
				missing = append(missing, run.Want[*Experiment]{For: p, Call: c})
			}
		}
		return append(used, missing...), nil
	})
}

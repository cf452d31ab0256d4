package run

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"hallmark/internal/model"
)

// lookupChunk bounds how many keys are looked up, and so how many records held, at once.
const lookupChunk = 256

// lookupBytes bounds the requests that are held while their keys are looked up.
const lookupBytes = 4 << 20

// held returns how many bytes a request takes in memory, about.
func held(r model.Request) int {
	const message = 64
	return 4*PromptTokens(r) + message*len(r.Messages)
}

// Each passes the stored record of every call, in the order of calls, and nil for a call that has none. Equal calls
// get the same record. It holds a few hundred records at a time, so a run of any size can be read. It stops at the
// first error, which is visit's or the store's.
func Each(ctx context.Context, store Store, calls []Call, visit func(i int, r *Record) error) error {
	return each(ctx, store, len(calls), func(i int) Key { return calls[i].Key() }, visit)
}

// EachKey is Each for calls of which only the keys are at hand.
func EachKey(ctx context.Context, store Store, keys []Key, visit func(i int, r *Record) error) error {
	return each(ctx, store, len(keys), func(i int) Key { return keys[i] }, visit)
}

func each(ctx context.Context, store Store, n int, key func(int) Key, visit func(i int, r *Record) error) error {
	keys := make([]Key, 0, min(n, lookupChunk))
	for start := 0; start < n; start += lookupChunk {
		keys = keys[:0]
		for i := start; i < min(start+lookupChunk, n); i++ {
			keys = append(keys, key(i))
		}
		found, err := store.Lookup(ctx, keys)
		if err != nil {
			return fmt.Errorf("read records: %w", err)
		}
		for i, k := range keys {
			var r *Record
			if rec, ok := found[k]; ok {
				r = &rec
			}
			if err := visit(start+i, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Empty reports whether a sequence of calls yields none.
func Empty(calls iter.Seq[Call]) bool {
	for range calls {
		return false
	}
	return true
}

type bareKey struct{}

// Bare returns a context in which a store may, or may not, leave out Response.Raw of what is looked up. What it
// does not read it does not check. Where nobody says so it reads all.
func Bare(ctx context.Context, may bool) context.Context {
	return context.WithValue(ctx, bareKey{}, may)
}

// IsBare reports whether Response.Raw may be left out.
func IsBare(ctx context.Context) bool {
	may, _ := ctx.Value(bareKey{}).(bool)
	return may
}

// Records returns the stored records of the calls: the i-th belongs to calls[i] and is nil where there is none.
// It drops Response.Raw, which no estimate reads and which is most of a record; Each keeps it.
func Records(ctx context.Context, store Store, calls []Call) ([]*Record, error) {
	records := make([]*Record, len(calls))
	err := Each(Bare(ctx, true), store, calls, func(i int, r *Record) error {
		if r != nil && r.Response != nil {
			r.Response.Raw = nil
		}
		records[i] = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

// A Fresh keeps apart the calls of waves that go on from each other: which of them were there before. Its zero
// value has seen none.
type Fresh struct{ seen map[Key]bool }

// Is reports whether a key is given for the first time.
func (f *Fresh) Is(k Key) bool {
	if f.seen == nil {
		f.seen = map[Key]bool{}
	}
	first := !f.seen[k]
	f.seen[k] = true
	return first
}

// Of returns those of the calls that it was not given before, each once, in their order.
func (f *Fresh) Of(calls []Call) []Call {
	var fresh []Call
	for _, c := range calls {
		if f.Is(c.Key()) {
			fresh = append(fresh, c)
		}
	}
	return fresh
}

// A Want is a call that is wanted, and by or for whom.
type Want[T any] struct {
	For  T
	Call Call
}

// Wanted are the calls of wants.
func Wanted[T any](wants []Want[T]) iter.Seq[Call] {
	return func(yield func(Call) bool) {
		for i := range wants {
			if !yield(wants[i].Call) {
				return
			}
		}
	}
}

// Waves gives the calls that next names, wave after wave: next is asked again once the calls before were asked, and
// names what it wants by what is stored then. Of what it named before for the same, nothing stands in a wave again;
// none follows once nothing is left.
func Waves[T comparable](next func() ([]Want[T], error)) iter.Seq2[[]Want[T], error] {
	return func(yield func([]Want[T], error) bool) {
		before := map[T]*Fresh{}
		for {
			wave, err := next()
			wave = slices.DeleteFunc(wave, func(w Want[T]) bool {
				if before[w.For] == nil {
					before[w.For] = &Fresh{}
				}
				return !before[w.For].Is(w.Call.Key())
			})
			if len(wave) == 0 && err == nil || !yield(wave, err) || err != nil {
				return
			}
		}
	}
}

// Watch returns a store that tells of every record that is looked up in the given one and found. Found is called by
// whoever looks up.
func Watch(store Store, found func(Key, *Record)) Store {
	return watched{store, false, func(keys []Key, records map[Key]Record) {
		for _, k := range keys {
			if r, ok := records[k]; ok {
				found(k, &r)
			}
		}
	}}
}

type watched struct {
	Store
	whole bool // what is looked up is read with its raw body
	seen  func(keys []Key, found map[Key]Record)
}

func (w watched) Lookup(ctx context.Context, keys []Key) (map[Key]Record, error) {
	if w.whole {
		ctx = Bare(ctx, false)
	}
	found, err := w.Store.Lookup(ctx, keys)
	if err == nil {
		w.seen(keys, found)
	}
	return found, err
}

// Arrange sorts the calls of each model so that requests which begin alike follow each other; models stay in the
// order in which they come, and so do calls with the same request. A model in process computes what such neighbours
// share once. It is for runs without a budget, which runs out in the order of the calls. Where the requests take
// more than 64 MB of memory, calls stay in their order.
func Arrange(calls iter.Seq[Call]) iter.Seq[Call] {
	const most = 64 << 20
	var all []Call
	bytes := 0
	for c := range calls {
		if bytes += held(c.Request); bytes > most {
			return calls
		}
		all = append(all, c)
	}
	arrange(all)
	return slices.Values(all)
}

func arrange(calls []Call) {
	rank := map[string]int{}
	for _, c := range calls {
		if _, ok := rank[c.Model]; !ok {
			rank[c.Model] = len(rank)
		}
	}
	slices.SortStableFunc(calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(rank[a.Model], rank[b.Model]), compareText(&a.Request, &b.Request))
	})
}

// compareText compares what the requests say, first to last: system text, earlier turns, prompt, options.
func compareText(a, b *model.Request) int {
	turn := func(a, b model.Message) int { return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Text, b.Text)) }
	return cmp.Or(
		cmp.Compare(a.System, b.System), slices.CompareFunc(a.Messages, b.Messages, turn),
		cmp.Compare(a.Prompt, b.Prompt),
		slices.Compare(a.Options, b.Options),
	)
}

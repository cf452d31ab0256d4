package run

import (
	"context"
	"fmt"
)

// lookupChunk bounds how many keys are looked up, and so how many records held, at once.
const lookupChunk = 256

// Each passes the stored record of every call, in the order of calls, and nil for a call that has none. Equal calls
// get the same record. It holds a few hundred records at a time, so a run of any size can be read. It stops at the
// first error, which is visit's or the store's.
func Each(ctx context.Context, store Store, calls []Call, visit func(i int, r *Record) error) error {
	keys := make([]Key, 0, min(len(calls), lookupChunk))
	for start := 0; start < len(calls); start += lookupChunk {
		chunk := calls[start:min(start+lookupChunk, len(calls))]
		keys = keys[:0]
		for _, c := range chunk {
			keys = append(keys, c.Key())
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

// Records returns the stored records of the calls: the i-th belongs to calls[i] and is nil where there is none.
// It drops Response.Raw, which no estimate reads and which is most of a record; Each keeps it.
func Records(ctx context.Context, store Store, calls []Call) ([]*Record, error) {
	records := make([]*Record, len(calls))
	err := Each(ctx, store, calls, func(i int, r *Record) error {
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

package run

import (
	"fmt"
	"strings"
)

// Check returns an error if the record is none that a store takes: both or neither of Response and Failure are set,
// a float is no number, or its usage cannot be. Stores call it.
func (r *Record) Check() error {
	switch {
	case r.Response == nil && r.Failure == "":
		return fmt.Errorf("record %s has neither a response nor a failure", r.Call.Key())
	case r.Response != nil && (r.Failure != "" || r.Transient):
		return fmt.Errorf("record %s has both a response and a failure", r.Call.Key())
	case r.Response != nil:
		if err := checkNumbers(r.Response); err != nil {
			return fmt.Errorf("record %s: %w", r.Call.Key(), err)
		}
	}
	return nil
}

// Pick returns the run that a prefix names among runs listed newest first, as Store.Run promises. It is for stores.
func Pick(runs []Header, prefix string) (Header, error) {
	if len(runs) == 0 {
		return Header{}, fmt.Errorf("%w: the store holds no run", ErrNoRun)
	}
	switch prefix {
	case "latest":
		return runs[0], nil
	case "":
		return Header{}, fmt.Errorf("%w: want a prefix of its id, or latest", ErrNoRun)
	}
	var match []Header
	for _, h := range runs {
		if h.ID == prefix {
			return h, nil
		}
		if strings.HasPrefix(h.ID, prefix) {
			match = append(match, h)
		}
	}
	switch len(match) {
	case 1:
		return match[0], nil
	case 0:
		return Header{}, fmt.Errorf("%w: no id starts with %q", ErrNoRun, prefix)
	}
	ids := make([]string, 0, 3)
	for _, h := range match[:min(len(match), 3)] {
		ids = append(ids, h.ID)
	}
	if len(match) > len(ids) {
		ids = append(ids, "…")
	}
	return Header{}, fmt.Errorf("%w: %d ids start with %q: %s", ErrNoRun, len(match), prefix, strings.Join(ids, ", "))
}

package bundle

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// A tap is a store that notes what is read through it: the records and annotations on which results rest, whatever
// method read them. Nothing can be added through it.
type tap struct {
	run.Store
	mu     sync.Mutex
	found  map[run.Key]noted
	models []string
	bytes  int
	said   []run.Annotation
}

func newTap(s run.Store) *tap { return &tap{Store: s, found: map[run.Key]noted{}} }

// noted is what a tap holds of a record with a response, which counts for good, so that it is read again where it is
// written. Of a failure, in whose place a response may come, it holds all.
type noted struct {
	model  int // of the tap's
	prompt int // bytes
	failed *run.Record
}

// ErrTooLarge ends the making of a bundle that nobody could verify.
var ErrTooLarge = fmt.Errorf("the run is too large for one bundle: its answers take more than %d bytes; make one "+
	"of a smaller run (--limit, one model, one suite)", MaxBytes)

// Lookup implements run.Store.
func (t *tap) Lookup(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	found, err := t.Store.Lookup(run.Bare(ctx, false), keys) // a bundle holds the raw bodies
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, r := range found {
		if _, known := t.found[k]; known {
			continue
		}
		n := noted{t.model(r.Call.Model), len(r.Call.Request.Prompt), nil}
		if resp := r.Response; resp == nil {
			failed := r
			n.failed = &failed
		} else {
			t.bytes += len(resp.Raw)
			if resp.Text != nil {
				t.bytes += len(*resp.Text)
			}
		}
		t.bytes += n.prompt + len(r.Failure)
		if t.bytes > MaxBytes {
			return nil, ErrTooLarge
		}
		t.found[k] = n
	}
	return found, nil
}

// model returns the place of a model among those of the tap.
func (t *tap) model(identity string) int {
	i := slices.Index(t.models, identity)
	if i < 0 {
		i, t.models = len(t.models), append(t.models, identity)
	}
	return i
}

// take notes what another tap has noted.
func (t *tap) take(from *tap) {
	for k, n := range from.found {
		if _, known := t.found[k]; !known {
			n.model = t.model(from.models[n.model])
			t.found[k] = n
			t.bytes += n.prompt
		}
	}
}

// Add implements run.Store.
func (t *tap) Add(context.Context, []run.Record) error {
	return errors.New("the store of a bundle is for reading")
}

// Annotate implements run.AnnotationStore.
func (t *tap) Annotate(context.Context, []run.Annotation) error {
	return errors.New("the store of a bundle is for reading")
}

// Annotations implements run.AnnotationStore.
func (t *tap) Annotations(ctx context.Context, id string) ([]run.Annotation, error) {
	list, err := t.Store.Annotations(ctx, id)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = list
	return list, err
}

// ofUnits drops what people said of units that the run has not, such as pairs of answers that were compared otherwise
// then. In a bundle there is none: it is refused.
func (t *tap) ofUnits(a *assay.Assay, plan *assay.Plan, bundled bool) error {
	if len(t.said) == 0 {
		return nil
	}
	known := map[string]bool{}
	if plan.Has(assay.Rubric) {
		for _, u := range slices.Concat(a.Items(), a.AnswersToVariants()) {
			known[u.ID] = true
		}
	}
	for _, u := range a.Pairs {
		known[u.ID] = true
	}
	if err := a.Err(); err != nil {
		return err
	}
	var kept []run.Annotation
	for i, s := range t.said {
		switch {
		case known[s.Unit]:
			kept = append(kept, s)
		case bundled:
			return fault(annotationsName, "line %d: the run has no answer that is unit %q", i+1, shortened(s.Unit))
		}
	}
	t.said = kept
	return nil
}

// A recordLine is a line of records.jsonl. It holds no time and no count of tries, as no result does: the same
// answers are the same bytes.
type recordLine struct {
	Key       string          `json:"key"`
	Call      run.Call        `json:"call"`
	Response  *model.Response `json:"response,omitempty"`
	Failure   string          `json:"failure,omitempty"`
	Transient bool            `json:"transient,omitempty"`
}

// An annotationLine is a line of annotations.jsonl.
type annotationLine struct {
	Unit  string          `json:"unit"`
	Rater string          `json:"rater"`
	Label json.RawMessage `json:"label"`
}

// records writes the records that were read, by model and then by key.
func (t *tap) records(ctx context.Context, w io.Writer) error {
	keys := slices.SortedFunc(maps.Keys(t.found), func(a, b run.Key) int {
		return cmp.Or(cmp.Compare(t.models[t.found[a].model], t.models[t.found[b].model]), bytes.Compare(a[:], b[:]))
	})
	enc := encoder(w)
	return run.EachKey(run.Bare(ctx, false), t.Store, keys, func(i int, r *run.Record) error {
		if failed := t.found[keys[i]].failed; failed != nil {
			r = failed
		}
		if r == nil {
			return fmt.Errorf("the store lost record %s", keys[i])
		}
		return enc.Encode(recordLine{keys[i].String(), r.Call, r.Response, r.Failure, r.Transient})
	})
}

// annotations writes what people said, in order.
func (t *tap) annotations(w io.Writer) error {
	enc := encoder(w)
	for _, a := range t.said {
		if err := enc.Encode(annotationLine{a.Unit, a.Rater, a.Label}); err != nil {
			return err
		}
	}
	return nil
}

// writeLines writes values as JSON lines.
func writeLines[T any](w io.Writer, list iter.Seq[T]) error {
	enc := encoder(w)
	for x := range list {
		if err := enc.Encode(x); err != nil {
			return err
		}
	}
	return nil
}

func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// readLines reads a member of JSON lines, each into a fresh value; strictly where a line may have no member that
// the reader does not know.
func readLines[T any](name string, data []byte, strict bool, visit func(n int, line []byte, v *T) error) error {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		v := new(T)
		if err := decode(line, v, strict); err != nil {
			return fault(name, "line %d: %v", n, err)
		}
		if err := visit(n, line, v); err != nil {
			return err
		}
	}
	return nil
}

// decode reads one JSON value, which strictly has no member that the reader does not know.
func decode(data []byte, v any, strict bool) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if strict {
		dec.DisallowUnknownFields()
	}
	if err := dec.Decode(v); err != nil {
		return jsonl.Plain(err)
	}
	if dec.InputOffset() != int64(len(bytes.TrimRight(data, "\n"))) {
		return errors.New("more than one JSON value")
	}
	return nil
}

// A filed is a store of the records in a bundle, which are read out of it as they are asked for. What people said is in
// the store behind it.
type filed struct {
	*inmemory.Store
	lines map[run.Key][]byte
}

// Lookup implements run.Store. A record goes through a store as any other does, so that it comes back as from another.
func (f *filed) Lookup(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	passed := inmemory.New()
	defer passed.Close()
	records := make([]run.Record, 0, len(keys))
	for _, k := range keys {
		line, ok := f.lines[k]
		if !ok {
			continue
		}
		var l recordLine
		if err := json.Unmarshal(line, &l); err != nil { // it was read before
			return nil, err
		}
		records = append(records, l.record())
	}
	if err := passed.Add(ctx, records); err != nil {
		return nil, err
	}
	return passed.Lookup(ctx, keys)
}

func (l *recordLine) record() run.Record {
	return run.Record{Call: l.Call, Response: l.Response, Failure: l.Failure, Transient: l.Transient, Attempts: 1}
}

// load returns a store of the records and annotations of a bundle.
func load(ctx context.Context, id string, members map[string][]byte, strict bool) (run.Store, error) {
	store := &filed{inmemory.New(), make(map[run.Key][]byte, bytes.Count(members[recordsName], []byte("\n")))}
	err := readLines(recordsName, members[recordsName], strict, func(n int, line []byte, l *recordLine) error {
		r := l.record()
		key := r.Call.Key()
		switch {
		case hex.EncodeToString(key[:]) != l.Key:
			return fault(recordsName, "line %d: the key %q is not that of its call, %s", n, shortened(l.Key), key)
		case store.lines[key] != nil:
			return fault(recordsName, "line %d: the record %s is there twice", n, key)
		}
		if err := r.Check(); err != nil {
			return fault(recordsName, "line %d: %v", n, err)
		}
		store.lines[key] = line
		return nil
	})
	if err != nil {
		return nil, err
	}
	said := members[annotationsName]
	return store, readLines(annotationsName, said, strict, func(n int, _ []byte, l *annotationLine) error {
		a := run.Annotation{Run: id, Unit: l.Unit, Rater: l.Rater, Label: l.Label, At: time.Unix(0, 0)}
		if err := a.Check(); err != nil {
			return fault(annotationsName, "line %d: %v", n, err)
		}
		return store.Annotate(ctx, []run.Annotation{a})
	})
}

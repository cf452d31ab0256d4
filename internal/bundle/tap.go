package bundle

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/jsonl"
	"hallmark/internal/model"
	"hallmark/internal/run"
)

// A tap is a store that notes what is read through it: the records and annotations on which results rest, whatever method read them.
// Nothing can be added through it.
type tap struct {
	run.Store
	mu    sync.Mutex
	found map[run.Key]run.Record
	bytes int
	said  []run.Annotation
}

func newTap(s run.Store) *tap { return &tap{Store: s, found: map[run.Key]run.Record{}} }

// ErrTooLarge ends the making of a bundle that nobody could verify.
var ErrTooLarge = fmt.Errorf("the run is too large for one bundle: its answers take more than %d bytes; make one of a smaller run (--limit, one model, one suite)", MaxBytes)

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
		if resp := r.Response; resp != nil { // readers may drop parts of what they got
			kept := *resp
			r.Response = &kept
			t.bytes += len(kept.Raw)
			if kept.Text != nil {
				t.bytes += len(*kept.Text)
			}
		}
		t.bytes += len(r.Call.Request.Prompt) + len(r.Failure)
		if t.bytes > MaxBytes {
			return nil, ErrTooLarge
		}
		t.found[k] = r
	}
	return found, nil
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
	s, ok := t.Store.(run.AnnotationStore)
	if !ok {
		return nil, nil
	}
	list, err := s.Annotations(ctx, id)
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
		for _, u := range slices.Concat(a.Units(), a.AnswersToVariants()) {
			known[u.ID] = true
		}
	}
	for _, u := range a.Pairs {
		known[u.ID] = true
	}
	var kept []run.Annotation
	for i, s := range t.said {
		switch {
		case known[s.Unit]:
			kept = append(kept, s)
		case bundled:
			return faultf(annotationsName, "line %d: the run has no answer that is unit %q", i+1, shortened(s.Unit))
		}
	}
	t.said = kept
	return nil
}

// A recordLine is a line of records.jsonl. It holds no time and no count of tries, as no result does: the same answers are the same
// bytes.
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

// lines returns the records that were read, by model and then by key.
func (t *tap) records() ([]byte, error) {
	type keyed struct {
		key run.Key
		run.Record
	}
	var all []keyed
	for k, r := range t.found {
		all = append(all, keyed{k, r})
	}
	slices.SortFunc(all, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.Call.Model, b.Call.Model), bytes.Compare(a.key[:], b.key[:]))
	})
	var out bytes.Buffer
	for _, r := range all {
		if err := writeLine(&out, recordLine{r.key.String(), r.Call, r.Response, r.Failure, r.Transient}); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// annotations returns what people said, in order.
func (t *tap) annotations() ([]byte, error) {
	var out bytes.Buffer
	for _, a := range t.said {
		if err := writeLine(&out, annotationLine{a.Unit, a.Rater, a.Label}); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// asLines writes values as JSON lines.
func asLines[T any](list []T) ([]byte, error) {
	var out bytes.Buffer
	for i := range list {
		if err := writeLine(&out, &list[i]); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

func writeLine(out *bytes.Buffer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	if out.Len() > MaxBytes {
		return ErrTooLarge
	}
	return nil
}

// readLines reads a member of JSON lines, each into a fresh value; strictly where a line may have no member that the reader does not know.
func readLines[T any](name string, data []byte, strict bool, visit func(line int, v *T) error) error {
	for n := 1; len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		v := new(T)
		if err := decode(line, v, strict); err != nil {
			return faultf(name, "line %d: %v", n, err)
		}
		if err := visit(n, v); err != nil {
			return err
		}
		data = rest
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

// load puts the records and annotations of a bundle into a store.
func load(ctx context.Context, store run.Store, id string, members map[string][]byte, strict bool) error {
	const batch = 256
	var pending []run.Record
	seen := map[run.Key]bool{}
	flush := func() error {
		err := store.Add(ctx, pending)
		pending = pending[:0]
		return err
	}
	err := readLines(recordsName, members[recordsName], strict, func(n int, l *recordLine) error {
		r := run.Record{Call: l.Call, Response: l.Response, Failure: l.Failure, Transient: l.Transient, Attempts: 1}
		key := r.Call.Key()
		switch {
		case hex.EncodeToString(key[:]) != l.Key:
			return faultf(recordsName, "line %d: the key %q is not that of its call, %s", n, shortened(l.Key), key)
		case seen[key]:
			return faultf(recordsName, "line %d: the record %s is there twice", n, key)
		}
		if err := r.Check(); err != nil {
			return faultf(recordsName, "line %d: %v", n, err)
		}
		seen[key] = true
		if pending = append(pending, r); len(pending) == batch {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	said, ok := store.(run.AnnotationStore)
	return readLines(annotationsName, members[annotationsName], strict, func(n int, l *annotationLine) error {
		a := run.Annotation{Run: id, Unit: l.Unit, Rater: l.Rater, Label: l.Label, At: time.Unix(0, 0)}
		if err := a.Check(); err != nil || !ok {
			return faultf(annotationsName, "line %d: %v", n, err)
		}
		return said.Annotate(ctx, []run.Annotation{a})
	})
}

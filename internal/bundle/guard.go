package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/model"
	"hallmark/internal/run"
)

// A Rebuild makes the guarded model of a plan's subject around the model inside. It reads what the guard's flags
// name through read, by kind (index or memory) and path.
type Rebuild func(subject assay.UnderTest, seed uint64, inner model.Model,
	read func(kind, path string) ([]byte, error)) (model.Model, error)

// Guarded says of a guarded model whether its answers were recomputed from those of the model inside, which then
// are among the records.
type Guarded struct {
	Model      string `json:"model"`
	Recomputed bool   `json:"recomputed"`
	Answers    int    `json:"answers"`       // guarded answers that were
	Why        string `json:"why,omitempty"` // they were not
}

// An absent is a model that answers nothing itself: what it was asked is in the store, or is not to be had.
type absent struct{ identity string }

// Identity implements model.Model.
func (a absent) Identity() string { return a.identity }

// Generate implements model.Model.
func (a absent) Generate(context.Context, model.Request) (model.Response, error) {
	return model.Response{}, fmt.Errorf("%w: an answer of the model inside is not stored", model.ErrGone)
}

// replay has every guard of the plan answer again from the stored answers of the model inside, so that these are
// read through the tap, and compares what it answers with the records. A guard that cannot be rebuilt when the
// bundle is made (its index is gone, or its rules are of another release) leaves only its answers, and the manifest
// says why; in a bundle that says it was recomputed, it must be. With asSaid the manifest of a bundle is believed,
// as a guard reads answers too.
func replay(ctx context.Context, tap *tap, plan *assay.Plan, opt Options, used map[string][]byte, from *contents,
	asSaid bool) ([]Guarded, error) {
	if asSaid && from != nil {
		return from.manifest.Guards, nil
	}
	var out []Guarded
	for _, m := range plan.Models {
		if m.Guard == nil {
			continue
		}
		g := Guarded{Model: m.Name()}
		if from != nil {
			for _, before := range from.manifest.Guards {
				if before.Model == g.Model && !before.Recomputed {
					g.Why = before.Why
				}
			}
			if g.Why != "" {
				out = append(out, g)
				continue
			}
		}
		n, err := replayOne(ctx, tap, plan, m, opt, used, from)
		var not *notRecomputed
		switch {
		case errors.As(err, &not) && from == nil:
			g.Why = not.why
		case errors.As(err, &not):
			return nil, fault(recordsName, "%s: %s", m.Ref, not.why)
		case err != nil:
			return nil, err
		default:
			g.Recomputed, g.Answers = true, n
		}
		out = append(out, g)
	}
	return out, nil
}

// A notRecomputed is the reason why a guard's answers were not recomputed.
type notRecomputed struct{ why string }

func (n *notRecomputed) Error() string { return n.why }

func notf(format string, args ...any) error { return &notRecomputed{fmt.Sprintf(format, args...)} }

func replayOne(ctx context.Context, tap *tap, plan *assay.Plan, m assay.UnderTest, opt Options, used map[string][]byte,
	from *contents) (answers int, err error) {
	if opt.Guard == nil {
		return 0, notf("no guard can be rebuilt here")
	}
	_, inner, _ := strings.Cut(m.Identity, " over ")
	read := map[string][]byte{}
	own := newTap(tap.Store) // what a guard read counts once all its answers follow from it
	guarded, err := opt.Guard(m, plan.Seed, run.Recorded(own, absent{inner}, run.Options{}),
		func(kind, path string) ([]byte, error) {
			name := "guard-" + kind
			data, err := opt.file(name, path, from)
			if err == nil {
				read[name] = data
			}
			return data, err
		})
	switch {
	case err != nil:
		// What is wrong with a file is not said: the plan of a stranger's store may name any, and the bundle is
		// given away.
		return 0, notf("the guard cannot be rebuilt: its index or its memory is gone, or does not read")
	case guarded.Identity() != m.Identity:
		return 0, notf("the guard is another now: its index, its memory or its rules changed")
	}
	calls, _, err := plan.Calls()
	if err != nil {
		return 0, err
	}
	var mine []run.Call
	for c := range calls {
		if c.Model == m.Identity {
			mine = append(mine, c)
		}
	}
	err = run.Each(ctx, tap.Store, mine, func(i int, r *run.Record) error {
		if r == nil || r.Response == nil {
			return nil
		}
		got, err := guarded.Generate(ctx, mine[i].Request)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return notf("the answer %s cannot be had again: %v", mine[i].Key(), err)
		}
		if same, err := equal(got, *r.Response); err != nil || !same {
			return notf("the answer %s does not follow from the answers of the model inside", mine[i].Key())
		}
		answers++
		return nil
	})
	if err != nil {
		return 0, err
	}
	tap.take(own)
	maps.Copy(used, read)
	return answers, nil
}

// file returns what a guard's flag names: from the bundle, or where it is made from the disk.
func (o *Options) file(name, path string, from *contents) ([]byte, error) {
	if from == nil {
		if o.Read == nil {
			return nil, fmt.Errorf("%s cannot be read", path)
		}
		return o.Read(path)
	}
	if data, ok := from.members[name]; ok {
		return data, nil
	}
	return nil, fmt.Errorf("%s is not in the bundle", name)
}

// equal compares two responses as they are stored.
func equal(a, b model.Response) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	y, err := json.Marshal(b)
	return bytes.Equal(x, y), err
}

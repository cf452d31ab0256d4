// Package stored finds runs that are there: in a store, evaluated again from their records, or in a bundle,
// verified. It says what is lost or damaged of them.
package stored

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/within"
	"hallmark/internal/bundle"
	"hallmark/internal/commands/heap"
	"hallmark/internal/grade"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/run/store"
)

// Default is the file of the store that is used where none is named.
const Default = ".hallmark/hallmark.db"

// Runs are those of one store, and of bundles. It is not safe for concurrent use.
type Runs struct {
	Store          string // the reference: sqlite:PATH or postgres://HOST/DATABASE
	Named          bool   // by the user, so that it is trusted
	Log            *slog.Logger
	Version, Build string        // of this program
	Program        func() string // tells it from all others, of the same version too: assay.EvaluateKept

	Keeps bool     // a store was opened to be written: the same command goes on from what is in it
	Lost  []string // what stored runs have lost, to be said at the end: exit 3

	doubted map[string]bool // what was warned of once
}

// Say logs the notes of a plan, the first of them as warnings.
func (r *Runs) Say(notes []string, warnings int) {
	for i, n := range notes {
		if i < warnings {
			r.Log.Warn(n)
		} else {
			r.Log.Info(n)
		}
	}
}

// Open opens the store that --store names for a run, and makes it where there is none. From then on it counts as
// the user's own.
func (r *Runs) Open(ctx context.Context) (run.Store, error) {
	s, err := r.by(ctx, store.Open)
	r.Keeps = r.Keeps || err == nil
	return s, err
}

// Read opens the store for reading what is there: it makes none, and opens one that cannot be written.
func (r *Runs) Read(ctx context.Context) (run.Store, error) { return r.There(ctx, store.Read) }

// ErrNone is wrapped where a store has to be there and is not.
var ErrNone = errors.New("no store")

// There opens a store that has to be there.
func (r *Runs) There(ctx context.Context, open Opening) (run.Store, error) {
	if err := store.Check(r.Store); err != nil {
		return nil, exit.Usage(err)
	}
	var s run.Store
	err := fs.ErrNotExist
	if store.Exists(r.Store) {
		s, err = r.by(ctx, open)
	}
	if errors.Is(err, fs.ErrNotExist) && (store.Remote(r.Store) || !store.Exists(r.Store)) {
		return nil, exit.Usagef("%w at %s: `hallmark run` makes one, --store names another", ErrNone,
			store.Path(r.Store))
	}
	return s, err
}

// An Opening is a way to open the store that a reference names, which the user named or did not.
type Opening = func(ctx context.Context, ref string, byUser bool) (run.Store, error)

// by opens the store in one of the ways there are. One that nobody typed may be a stranger's: a file that this user
// did not make, or that a link leads to.
func (r *Runs) by(ctx context.Context, open Opening) (run.Store, error) {
	if err := store.Check(r.Store); err != nil {
		return nil, exit.Usage(err)
	}
	path := store.Path(r.Store)
	if path == Default && !r.Named {
		if in, err := within.Folder(".", path); err != nil || !in {
			return nil, exit.Usagef("%s leads out of the working folder by a link, which may have come with the "+
				"folder; if you trust it, type --store %s", path, r.Store)
		}
	}
	s, err := open(ctx, r.Store, r.Named)
	if f, ok := errors.AsType[*store.Foreign](err); ok {
		return nil, exit.Usagef("%w; it may have come with the folder, with answers in it that no model gave: if "+
			"you trust it, type --store %s", f, r.Store)
	}
	return s, err
}

// Run evaluates a stored run again from its records. What is lost or damaged of it is said in the result and at the
// end of the command.
func (r *Runs) Run(ctx context.Context, records run.Store, prefix string) (*assay.Assay, *assay.Plan, error) {
	plan, h, err := r.Plan(ctx, records, prefix)
	if err != nil {
		return nil, nil, err
	}
	lookups := &run.Lookups{}
	result, err := assay.EvaluateKept(ctx, lookups.Watch(records), plan, r.Version, r.Program, false)
	if err != nil {
		return nil, nil, err
	}
	if why := r.Whole(records, h, lookups, &result.Document.Run.Warnings); why != "" {
		r.Lost = append(r.Lost, why)
	}
	r.Say(result.Doubts, len(result.Doubts))
	return result, plan, Call(ctx, records, result)
}

// ReadRun opens the store as Read does, and evaluates a run in it as Run does. The store is to be closed.
func (r *Runs) ReadRun(ctx context.Context, prefix string) (run.Store, *assay.Assay, *assay.Plan, error) {
	records, err := r.Read(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	result, plan, err := r.Run(ctx, records, prefix)
	if err != nil {
		records.Close()
		return nil, nil, nil, err
	}
	return records, result, plan, nil
}

// Plan returns the plan of the stored run that a prefix names, and the run as it is stored.
func (r *Runs) Plan(ctx context.Context, records run.Store, prefix string) (*assay.Plan, *run.Header, error) {
	h, err := run.Find(ctx, records, prefix)
	r.Damaged(records)
	if errors.Is(err, run.ErrNoRun) {
		return nil, nil, exit.Usagef("%v; `hallmark show` lists the runs of %s", err, r.Store)
	}
	if err != nil {
		return nil, nil, err
	}
	heap.SpareBytes(assay.Length(h.Plan), heap.WhileShown)
	plan, err := assay.LoadPlan(ctx, records, h.Plan)
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", h.ID, err)
	}
	h.Plan = nil // it is the plan, and as long
	heap.Spare(plan, heap.WhileShown)
	if id := plan.ID(); id != h.ID {
		r.Doubt(fmt.Sprintf(
			"run %s: its stored plan is that of run %s: it was changed, or an earlier release stored less of it",
			h.ID, id), nil)
	}
	return plan, &h, nil
}

// Evaluated evaluates the runs that are named: each by a prefix of its id or latest, in the store, or by the path
// of a bundle, which is verified. The store is opened where one of them is in it. Bundles of another grading
// version keep their verdicts, where they have all.
func (r *Runs) Evaluated(ctx context.Context, names ...string) ([]*assay.Assay, error) {
	return r.runs(ctx, false, names...)
}

// Alike evaluates the runs that are named by the grading version of this release, so that a difference between them
// is none of grading.
func (r *Runs) Alike(ctx context.Context, names ...string) ([]*assay.Assay, error) {
	return r.runs(ctx, true, names...)
}

// doubtBundle says what was not checked of a bundle that is shown.
func (r *Runs) doubtBundle(name string, b *bundle.Bundle, anew bool) {
	if b.Own && !anew {
		r.Log.Warn("the verdicts are those that stand in the bundle, and were not read anew here", "bundle", name,
			"bundle_grading", b.Manifest.Grading.Version, "grading", grade.Version)
	}
	if n := len(b.NotChecked); n > 0 {
		r.Log.Warn("another build made the bundle, and not all of it was checked: `hallmark verify` lists what was not",
			"bundle", name, "not_checked", n)
	}
}

func (r *Runs) runs(ctx context.Context, anew bool, names ...string) ([]*assay.Assay, error) {
	var records run.Store
	var all []*assay.Assay
	for _, name := range names {
		if IsBundle(name) {
			b, err := r.Bundle(ctx, name)
			if err != nil {
				return nil, err
			}
			result := b.Assay
			if result == nil || b.Own && anew {
				if result, err = b.Again(ctx, r.Options()); err != nil {
					return nil, exit.Usagef("%s: its answers cannot be read anew: %v", name, err)
				}
				result.ReadAs = b.Manifest.Grading.Version
				r.Log.Warn("the answers of the bundle are read anew here, so figures may differ from those in it",
					"bundle", name, "bundle_grading", b.Manifest.Grading.Version, "grading", grade.Version)
			}
			r.doubtBundle(name, b, anew)
			all = append(all, result)
			continue
		}
		if records == nil {
			var err error
			if records, err = r.Read(ctx); err != nil {
				return nil, err
			}
			defer records.Close()
		}
		result, _, err := r.Run(ctx, records, name)
		if err != nil {
			return nil, err
		}
		all = append(all, result)
	}
	return all, nil
}

// Command is the command line that goes on with a run: it names the store where the user did.
func (r *Runs) Command(verb, name string, args ...string) string {
	line := append([]string{"hallmark", verb, name}, args...)
	if r.Named && !IsBundle(name) {
		line = append(line, "--store", r.Store)
	}
	return report.CommandLine(line...)
}

// List returns the runs of the store, newest first.
func (r *Runs) List(ctx context.Context) ([]report.ListedRun, error) {
	store, err := r.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	runs, err := store.Runs(ctx)
	if err != nil {
		return nil, err
	}
	notes, err := run.ReadNotes(ctx, store)
	if err != nil {
		return nil, err
	}
	listed := []report.ListedRun{}
	for i := range runs {
		h := &runs[i]
		of, err := listing(ctx, store, h)
		if err != nil {
			return nil, err
		}
		if of == nil { // its plan is damaged, or went meanwhile
			continue
		}
		l := report.ListedRun{Name: notes.Run(h.ID), ID: h.ID, Started: h.Started.UTC().Format(time.RFC3339),
			Finished: !h.Finished.IsZero(), Models: of.Models, Suites: of.Suites, Methods: of.Methods}
		for i, m := range of.Models {
			if i < len(of.Identities) {
				m = cmp.Or(notes.Model(h.ID, of.Identities[i]), m)
			}
			l.Called = append(l.Called, m)
		}
		listed = append(listed, l)
	}
	r.Damaged(store)
	return listed, nil
}

// listing returns what a list shows of a run: as it is stored or, where the store keeps none, of its plan.
func listing(ctx context.Context, store run.Store, h *run.Header) (*assay.Listing, error) {
	var l assay.Listing
	if h.Listed != nil {
		return &l, json.Unmarshal(h.Listed, &l)
	}
	plan, err := store.Plan(ctx, h.ID)
	if err != nil || plan == nil {
		return nil, err
	}
	if l, err = assay.ListingOf(plan); err != nil {
		return nil, fmt.Errorf("run %s: %w", h.ID, err)
	}
	return &l, nil
}

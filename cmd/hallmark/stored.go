package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hallmark/internal/assay"
	"hallmark/internal/bundle"
	"hallmark/internal/exit"
	"hallmark/internal/grade"
	"hallmark/internal/run"
	"hallmark/internal/run/store"
	"hallmark/internal/within"
)

// openStore opens the store that --store names for a run, and makes it where there is none. From then on it counts as the user's own.
func (a *app) openStore(ctx context.Context) (run.Store, error) {
	s, err := a.storeBy(ctx, store.Open)
	a.keeps = a.keeps || err == nil
	return s, err
}

// openStored opens the store for reading what is there: it makes none, and opens one that cannot be written.
func (a *app) openStored(ctx context.Context) (run.Store, error) { return a.openThere(ctx, store.Read) }

// openThere opens a store that has to be there.
func (a *app) openThere(ctx context.Context, open opening) (run.Store, error) {
	there, err := a.hasStore()
	switch {
	case err != nil:
		return nil, err
	case !there:
		return nil, exit.Usagef("no store at %s: `hallmark run` makes one, --store names another", store.Path(a.store))
	}
	return a.storeBy(ctx, open)
}

// An opening is a way to open the store that a reference names, which the user named or did not.
type opening = func(ctx context.Context, ref string, byUser bool) (run.Store, error)

// hasStore reports whether there is something where --store names a store; the error is that there can be none.
func (a *app) hasStore() (bool, error) {
	if err := store.Check(a.store); err != nil {
		return false, exit.Usage(err)
	}
	_, err := os.Stat(store.Path(a.store))
	return !errors.Is(err, fs.ErrNotExist), nil
}

// storeBy opens the store in one of the ways there are. One that nobody typed may be a stranger's: a file that this user did not make, or that
// a link leads to.
func (a *app) storeBy(ctx context.Context, open opening) (run.Store, error) {
	if err := store.Check(a.store); err != nil {
		return nil, exit.Usage(err)
	}
	path := store.Path(a.store)
	if path == defaultStore && !a.storeNamed {
		if in, err := within.Folder(".", path); err != nil || !in {
			return nil, exit.Usagef("%s leads out of the working folder by a link, which may have come with the folder; if you trust it, type --store %s", path, a.store)
		}
	}
	s, err := open(ctx, a.store, a.storeNamed)
	var f *store.Foreign
	if errors.As(err, &f) {
		return nil, exit.Usagef("%w; it may have come with the folder, with answers in it that no model gave: if you trust it, type --store %s", f, a.store)
	}
	return s, err
}

// stored evaluates a stored run again from its records. What is lost or damaged of it is said in the result and at the end of the command.
func (a *app) stored(ctx context.Context, records run.Store, prefix string) (*assay.Assay, *assay.Plan, error) {
	plan, h, err := a.storedPlan(ctx, records, prefix)
	if err != nil {
		return nil, nil, err
	}
	lookups := &run.Lookups{}
	result, err := assay.Evaluate(ctx, lookups.Watch(records), plan, version)
	if err != nil {
		return nil, nil, err
	}
	if why := a.whole(records, h, lookups, &result.Document.Run.Warnings); why != "" {
		a.lost = append(a.lost, why)
	}
	a.say(result.Doubts, len(result.Doubts))
	return result, plan, nil
}

// storedPlan returns the plan of the stored run that a prefix names, and the run as it is stored.
func (a *app) storedPlan(ctx context.Context, records run.Store, prefix string) (*assay.Plan, *run.Header, error) {
	h, err := records.Run(ctx, prefix)
	a.damagedRuns(records)
	if errors.Is(err, run.ErrNoRun) {
		return nil, nil, exit.Usagef("%v; `hallmark show` lists the runs of %s", err, a.store)
	}
	if err != nil {
		return nil, nil, err
	}
	spareBytes(int64(len(h.Plan)))
	plan, err := assay.ParsePlan(h.Plan)
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", h.ID, err)
	}
	h.Plan = nil // it is the plan, and as long
	spare(plan, whileShown)
	if id := plan.ID(); id != h.ID {
		a.doubt(fmt.Sprintf("run %s: its stored plan is that of run %s: it was changed, or an earlier release stored less of it", h.ID, id), nil)
	}
	return plan, &h, nil
}

// named evaluates the runs that are named: each by a prefix of its id or latest, in the store, or by the path of a bundle, which is
// verified. The store is opened where one of them is in it. Bundles of another grading version keep their verdicts, where they have all.
func (a *app) named(ctx context.Context, names ...string) ([]*assay.Assay, error) {
	return a.runs(ctx, false, names...)
}

// alike evaluates the runs that are named by the grading version of this release, so that a difference between them is none of grading.
func (a *app) alike(ctx context.Context, names ...string) ([]*assay.Assay, error) {
	return a.runs(ctx, true, names...)
}

// doubtBundle says what was not checked of a bundle that is shown.
func (a *app) doubtBundle(name string, b *bundle.Bundle, anew bool) {
	if b.Own && !anew {
		a.log.Warn("the verdicts are those that stand in the bundle, and were not read anew here", "bundle", name, "bundle_grading", b.Manifest.Grading.Version, "grading", grade.Version)
	}
	if n := len(b.NotChecked); n > 0 {
		a.log.Warn("another build made the bundle, and not all of it was checked: `hallmark verify` lists what was not", "bundle", name, "not_checked", n)
	}
}

func (a *app) runs(ctx context.Context, anew bool, names ...string) ([]*assay.Assay, error) {
	var records run.Store
	var all []*assay.Assay
	for _, name := range names {
		if isBundle(name) {
			b, err := a.openBundle(ctx, name)
			if err != nil {
				return nil, err
			}
			result := b.Assay
			if result == nil || b.Own && anew {
				if result, err = b.Again(ctx, a.bundleOptions()); err != nil {
					return nil, exit.Usagef("%s: its answers cannot be read anew: %v", name, err)
				}
				a.log.Warn("the answers of the bundle are read anew here, so figures may differ from those in it", "bundle", name, "bundle_grading", b.Manifest.Grading.Version, "grading", grade.Version)
			}
			a.doubtBundle(name, b, anew)
			all = append(all, result)
			continue
		}
		if records == nil {
			var err error
			if records, err = a.openStored(ctx); err != nil {
				return nil, err
			}
			defer records.Close()
		}
		result, _, err := a.stored(ctx, records, name)
		if err != nil {
			return nil, err
		}
		all = append(all, result)
	}
	return all, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/grade"
	"hallmark/internal/run"
	"hallmark/internal/run/store"
)

// openStore opens the store that --store names.
func (a *app) openStore(ctx context.Context) (run.Store, error) {
	s, err := store.Open(ctx, a.store)
	if path, ok := strings.CutPrefix(a.store, "sqlite:"); err != nil && (!ok || path == "") {
		return nil, usage(err)
	}
	return s, err
}

// openStored opens the store for reading what is there: it makes none.
func (a *app) openStored(ctx context.Context) (run.Store, error) {
	if path, ok := strings.CutPrefix(a.store, "sqlite:"); ok && path != "" {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("no store at %s: `hallmark run` makes one, --store names another", path)
		}
	}
	return a.openStore(ctx)
}

// stored evaluates a stored run again from its records.
func (a *app) stored(ctx context.Context, records run.Store, prefix string) (*assay.Assay, *assay.Plan, error) {
	plan, _, err := a.storedPlan(ctx, records, prefix)
	if err != nil {
		return nil, nil, err
	}
	result, err := assay.Evaluate(ctx, records, plan, version)
	if err == nil {
		a.say(result.OtherModels, len(result.OtherModels))
	}
	return result, plan, err
}

// storedPlan returns the plan of the stored run that a prefix names, and the run's id.
func (a *app) storedPlan(ctx context.Context, records run.Store, prefix string) (*assay.Plan, string, error) {
	h, err := records.Run(ctx, prefix)
	if errors.Is(err, run.ErrNoRun) {
		return nil, "", usagef("%v; `hallmark show` lists the runs of %s", err, a.store)
	}
	if err != nil {
		return nil, "", err
	}
	plan, err := assay.ParsePlan(h.Plan)
	if err != nil {
		return nil, "", fmt.Errorf("run %s: %w", h.ID, err)
	}
	return plan, h.ID, nil
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
					return nil, usagef("%s: its answers cannot be read anew: %v", name, err)
				}
				a.log.Warn("the answers of the bundle are read anew here, so figures may differ from those in it", "bundle", name, "bundle_grading", b.Manifest.Grading.Version, "grading", grade.Version)
			}
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

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"hallmark/internal/assay"
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
	h, err := records.Run(ctx, prefix)
	if errors.Is(err, run.ErrNoRun) {
		return nil, nil, usagef("%v; `hallmark show` lists the runs of %s", err, a.store)
	}
	if err != nil {
		return nil, nil, err
	}
	plan, err := assay.ParsePlan(h.Plan)
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", h.ID, err)
	}
	result, err := assay.Evaluate(ctx, records, plan, version)
	return result, plan, err
}

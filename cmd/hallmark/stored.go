package main

import (
	"context"

	"hallmark/internal/assay"
	"hallmark/internal/run"
)

// openStore opens the store that --store names for a run, and makes it where there is none.
func (a *app) openStore(ctx context.Context) (run.Store, error) { return a.runs.Open(ctx) }

// openStored opens the store for reading what is there.
func (a *app) openStored(ctx context.Context) (run.Store, error) { return a.runs.Read(ctx) }

// stored evaluates a stored run again from its records.
func (a *app) stored(ctx context.Context, records run.Store, prefix string) (*assay.Assay, *assay.Plan, error) {
	return a.runs.Run(ctx, records, prefix)
}

package main

import (
	"context"
	"maps"
	"slices"

	"hallmark/internal/commands/stored"
	"hallmark/internal/report"
)

// showBelief writes what the posterior rate asked about a case and what came back, where the run has it. A bundle's
// records are not read again for it.
func (a *app) showResampling(ctx context.Context, name, id string, style report.Style) error {
	if stored.IsBundle(name) {
		return nil
	}
	store, err := a.openStored(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	plan, _, err := a.runs.Plan(ctx, store, name)
	if err != nil {
		return err
	}
	shown, err := plan.Show(ctx, store, id)
	if err != nil {
		return err
	}
	for _, model := range slices.Sorted(maps.Keys(shown)) {
		if err := report.Resampling(a.stdout, model, shown[model], style); err != nil {
			return err
		}
	}
	return nil
}

package stored

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/jsonl"
	"hallmark/internal/report"
)

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
	r.Damaged(store)
	listed := []report.ListedRun{}
	for _, h := range runs {
		plan, err := store.Plan(ctx, h.ID)
		if err != nil {
			return nil, err
		}
		l := report.ListedRun{ID: h.ID, Started: h.Started.UTC().Format(time.RFC3339), Finished: !h.Finished.IsZero()}
		var p assay.Plan
		if err := json.Unmarshal(plan, &p); err != nil {
			return nil, fmt.Errorf("run %s: its stored plan does not read: %w", h.ID, jsonl.Plain(err))
		}
		for _, m := range p.Models {
			l.Models = append(l.Models, m.Name())
		}
		for _, s := range p.Suites {
			l.Suites = append(l.Suites, s.Name)
		}
		l.Methods = p.Methods
		listed = append(listed, l)
	}
	return listed, nil
}

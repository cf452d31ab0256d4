package stored

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/run/store"
)

// Call enters into a result what its user calls the run and its models, and when it was begun. It is no part of the
// result that a store keeps, nor of a bundle.
func Call(ctx context.Context, records run.Store, result *assay.Assay) error {
	notes, err := run.ReadNotes(ctx, records)
	if err != nil {
		return err
	}
	d := &result.Document
	d.Run.Name = notes.Run(d.Run.ID)
	for i := range d.Models {
		d.Models[i].Name = notes.Model(d.Run.ID, d.Models[i].Identity)
	}
	h, err := records.Run(ctx, d.Run.ID)
	if errors.Is(err, run.ErrNoRun) {
		return nil
	}
	result.Asked = h.Started
	return err
}

// Free returns an error where another run than this one has the name; "" is free.
func Free(ctx context.Context, records run.Store, name, id string) error {
	if name == "" {
		return nil
	}
	notes, err := run.ReadNotes(ctx, records)
	if other := notes.Named(name); err == nil && other != "" && other != id {
		return exit.Usagef("--name %s: run %s is called so; choose another name, or call that run otherwise by its "+
			"own command with another --name", name, other)
	}
	return err
}

// Baseline evaluates the run that is the baseline of a suite, for the run of the id.
func (r *Runs) Baseline(ctx context.Context, suite, id string) (*assay.Assay, error) {
	const what = "name a second run, or mark one with `hallmark compare baseline RUN`"
	var notes run.Notes
	records, err := r.Read(ctx)
	if err == nil {
		defer records.Close()
		notes, err = run.ReadNotes(ctx, records)
	}
	if err != nil && !errors.Is(err, ErrNone) {
		return nil, err
	}
	switch base := notes.Baseline(suite); base {
	case "":
		return nil, exit.Usagef("run %s has one model to compare, and the suite %s no baseline: %s", id,
			report.OneLine(suite), what)
	case id:
		return nil, exit.Usagef("run %s is itself the baseline of the suite %s: name the run to compare with it", id,
			report.OneLine(suite))
	default:
		results, err := r.Alike(ctx, base)
		if err != nil {
			return nil, err
		}
		return results[0], nil
	}
}

// SetBaseline marks the run that is named, if one is, as the baseline of its suites, or of the one of this name; with
// clear it removes what is marked. It returns the baselines there are.
func (r *Runs) SetBaseline(ctx context.Context, named []string, suite string, clear bool, now time.Time) (
	[]report.ListedBaseline, error) {
	open, set := store.Read, clear || len(named) > 0
	if set {
		open = store.Open
	}
	for _, name := range named {
		if IsBundle(name) {
			return nil, exit.Usagef("%s: a baseline is a run of the store; compare a bundle by its path", name)
		}
	}
	records, err := r.There(ctx, open)
	if err != nil {
		return nil, err
	}
	defer records.Close()
	notes, err := run.ReadNotes(ctx, records)
	if err == nil && set {
		if err = r.mark(ctx, records, named, notes.Baselines(), suite, now); err == nil {
			notes, err = run.ReadNotes(ctx, records)
		}
	}
	if err != nil {
		return nil, err
	}
	list := []report.ListedBaseline{}
	for _, s := range notes.Baselines() {
		list = append(list, report.ListedBaseline{Suite: s, Run: notes.Baseline(s), Name: notes.Run(notes.Baseline(s))})
	}
	return list, nil
}

// mark marks the run that is named as the baseline of its suites, or none as that of the given ones; with suite, of
// that one alone.
func (r *Runs) mark(ctx context.Context, records run.Store, named, suites []string, suite string, now time.Time) error {
	id := ""
	if len(named) > 0 {
		plan, h, err := r.Plan(ctx, records, named[0])
		if err != nil {
			return err
		}
		id, suites = h.ID, nil
		for _, s := range plan.Suites {
			suites = append(suites, s.Name)
		}
	}
	if suite != "" {
		if !slices.Contains(suites, suite) {
			return exit.Usagef("--suite %s: there is none of that name; there is %s", suite,
				report.OneLine(strings.Join(suites, ", ")))
		}
		suites = []string{suite}
	}
	return run.SetBaseline(ctx, records, id, suites, now)
}

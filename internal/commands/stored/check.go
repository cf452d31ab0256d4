package stored

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/bundle"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/run/store"
)

// A Checked is what `hallmark check --json` prints.
type Checked struct {
	Checked  string         `json:"checked"`  // the store or the bundle
	Whole    bool           `json:"whole"`    // nothing is damaged or lost that anything rests on
	Rows     map[string]int `json:"rows"`     // by table of the store, or records of the bundle
	Unhashed int            `json:"unhashed"` // records that carry no hash, as an earlier release stored them
	Damaged  []DamagedRow   `json:"damaged"`
	Lost     []string       `json:"lost"`  // what runs have lost
	Notes    []string       `json:"notes"` // what the database says of itself, and what could not be checked
}

// A DamagedRow is a row of a store, or a member or a record of a bundle, that is not as it was written.
type DamagedRow struct {
	run.Damage
	Runs     []string `json:"runs"`     // that lack it
	Replaced bool     `json:"replaced"` // another row took its place, so nothing lacks it
}

// String says what it is and who lacks it.
func (d DamagedRow) String() string {
	switch {
	case d.Replaced:
		return d.Damage.String() + "; another row took its place"
	case len(d.Runs) > 0:
		return d.Damage.String() + "; missing in run " + strings.Join(d.Runs, ", ")
	}
	return d.Damage.String()
}

// InStore reports whether a name is that of a store, and not of a bundle.
func (r *Runs) InStore(name string) bool {
	return store.Remote(name) || strings.HasPrefix(name, "sqlite:") || strings.HasSuffix(name, ".db") || name == r.Store
}

// checkBundle verifies a bundle and, where it does not hold, names all of its members and records that do not.
func (r *Runs) checkBundle(ctx context.Context, path string, out *Checked) error {
	b, err := r.Bundle(ctx, path)
	if err == nil {
		out.Rows["record"] = b.Manifest.Records
		out.Notes = append(append(out.Notes, b.NotChecked...), b.Notes...)
		return nil
	}
	data, unread := inputfile.Read(path, bundle.MaxBytes)
	if unread != nil || !errors.As(err, new(*exit.Error)) {
		return err
	}
	for _, d := range bundle.Damages(data) {
		table := "member"
		if d.Member == "" {
			table = "bundle"
		}
		out.Damaged = append(out.Damaged, DamagedRow{Damage: run.Damage{Table: table, Row: d.Member, What: d.Text},
			Runs: []string{}})
	}
	if len(out.Damaged) == 0 { // every hash holds, and a figure does not follow
		return err
	}
	return nil
}

// checkStore reads a store and evaluates its runs.
func (r *Runs) checkStore(ctx context.Context, out *Checked) error {
	records, err := r.There(ctx, store.Inspect)
	if err != nil {
		return err
	}
	defer records.Close()
	c, ok := records.(run.Checker)
	if !ok {
		return exit.Usagef("the store %s cannot be checked: it keeps no hashes", r.Store)
	}
	all, err := c.Check(ctx)
	if err != nil {
		return err
	}
	out.Rows, out.Unhashed, out.Notes = all.Rows, all.Unhashed, all.Notes
	broken := len(all.Notes) > 0
	lookupsOf, err := r.checkRuns(ctx, records, out)
	if err != nil {
		return err
	}
	for _, d := range c.Damages() {
		row := DamagedRow{Damage: d, Runs: []string{}}
		for _, id := range slices.Sorted(maps.Keys(lookupsOf)) {
			asked, found := lookupsOf[id].Read(d.Key)
			row.Replaced = row.Replaced || found
			if asked && !found {
				row.Runs = append(row.Runs, id)
			}
		}
		out.Damaged = append(out.Damaged, row)
	}
	if broken {
		out.Lost = append(out.Lost, "what the database says of itself is in the notes")
	}
	if s, ok := records.(interface{ Settled() error }); ok {
		return s.Settled()
	}
	return nil
}

// checkRuns evaluates the runs of a store, and returns what each read.
func (r *Runs) checkRuns(ctx context.Context, store run.Store, out *Checked) (map[string]*run.Lookups, error) {
	runs, err := store.Runs(ctx)
	if err != nil {
		return nil, err
	}
	lookupsOf := map[string]*run.Lookups{}
	for i := range runs {
		h := &runs[i]
		lookups := &run.Lookups{Whole: true}
		stored, err := store.Plan(ctx, h.ID)
		if err != nil {
			return nil, err
		}
		plan, err := assay.LoadPlan(ctx, store, stored)
		if err == nil {
			_, err = assay.Evaluate(ctx, lookups.Watch(store), plan, r.Version)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		lookupsOf[h.ID] = lookups
		if err != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("run %s: what it rests on was not checked: %s", h.ID,
				report.OneLine(err.Error())))
			continue
		}
		if n, of := r.lostOf(Damages(store), h, lookups); n > 0 {
			out.Lost = append(out.Lost, fmt.Sprintf(
				"run %s: %d%s stored answers; `hallmark run` with the same flags asks for them again", h.ID, n, of))
		}
	}
	return lookupsOf, nil
}

// Check reads a store, sqlite:FILE, FILE.db or postgres://…, or a bundle, and names everything in it that is damaged.
func (r *Runs) Check(ctx context.Context, name string) (*Checked, error) {
	out := &Checked{Checked: name, Rows: map[string]int{}, Damaged: []DamagedRow{}, Lost: []string{}, Notes: []string{}}
	if !r.InStore(name) {
		return out, r.checkBundle(ctx, name, out)
	}
	if r.Store = name; !store.Remote(name) {
		r.Store = "sqlite:" + strings.TrimPrefix(name, "sqlite:")
	}
	return out, r.checkStore(ctx, out)
}

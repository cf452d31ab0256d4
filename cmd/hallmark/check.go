package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/bundle"
	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/run/store"
)

// A checked is what `hallmark check --json` prints.
type checked struct {
	Checked  string         `json:"checked"`  // the store or the bundle
	Whole    bool           `json:"whole"`    // nothing is damaged or lost that anything rests on
	Rows     map[string]int `json:"rows"`     // by table of the store, or records of the bundle
	Unhashed int            `json:"unhashed"` // records that carry no hash, as an earlier release stored them
	Damaged  []damagedRow   `json:"damaged"`
	Lost     []string       `json:"lost"`  // what runs have lost
	Notes    []string       `json:"notes"` // what the database says of itself, and what could not be checked
}

// A damagedRow is a row of a store, or a member or a record of a bundle, that is not as it was written.
type damagedRow struct {
	run.Damage
	Runs     []string `json:"runs"`     // that lack it
	Replaced bool     `json:"replaced"` // another row took its place, so nothing lacks it
}

func (d damagedRow) String() string {
	switch {
	case d.Replaced:
		return d.Damage.String() + "; another row took its place"
	case len(d.Runs) > 0:
		return d.Damage.String() + "; missing in run " + strings.Join(d.Runs, ", ")
	}
	return d.Damage.String()
}

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check [STORE|BUNDLE]",
		Short: "Read a whole store or bundle, and name everything in it that is damaged",
		Long: "Read every row of a store (sqlite:FILE, a FILE that ends in .db, or the one that --store names) and every run in it, or every member and record of a bundle, and name each that is not as it was written: " +
			"what it is, what is wrong with it and which runs lack it. It changes nothing and calls no model. Exit 0: all is whole, or what is damaged was replaced. Exit 2: something is damaged or lost. " +
			"Exit 1: it could not be read.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := a.store
			if len(args) == 1 {
				name, a.storeNamed = args[0], true
			}
			out := checked{Checked: name, Rows: map[string]int{}, Damaged: []damagedRow{}, Lost: []string{}, Notes: []string{}}
			var err error
			if a.inStore(name) {
				a.store = "sqlite:" + strings.TrimPrefix(name, "sqlite:")
				err = a.checkStore(cmd.Context(), &out)
			} else {
				err = a.checkBundle(cmd.Context(), name, &out)
			}
			if err != nil {
				return err
			}
			return a.sayChecked(&out)
		},
	}
}

// inStore reports whether a name is that of a store, and not of a bundle.
func (a *app) inStore(name string) bool {
	return strings.HasPrefix(name, "sqlite:") || strings.HasSuffix(name, ".db") || name == a.store
}

// checkBundle verifies a bundle and, where it does not hold, names all of its members and records that do not.
func (a *app) checkBundle(ctx context.Context, path string, out *checked) error {
	b, err := a.openBundle(ctx, path)
	var f *exit.Error
	if err == nil {
		out.Rows["record"] = b.Manifest.Records
		out.Notes = append(append(out.Notes, b.NotChecked...), b.Notes...)
		return nil
	}
	data, unread := inputfile.Read(path, bundle.MaxBytes)
	if unread != nil || !errors.As(err, &f) {
		return err
	}
	for _, d := range bundle.Damages(data) {
		table := "member"
		if d.Member == "" {
			table = "bundle"
		}
		out.Damaged = append(out.Damaged, damagedRow{Damage: run.Damage{Table: table, Row: d.Member, What: d.Text}, Runs: []string{}})
	}
	if len(out.Damaged) == 0 { // every hash holds, and a figure does not follow
		return err
	}
	return nil
}

// checkStore reads a store and evaluates its runs.
func (a *app) checkStore(ctx context.Context, out *checked) error {
	records, err := a.openThere(ctx, store.Inspect)
	if err != nil {
		return err
	}
	defer records.Close()
	c, ok := records.(run.Checker)
	if !ok {
		return exit.Usagef("the store %s cannot be checked: it keeps no hashes", a.store)
	}
	all, err := c.Check(ctx)
	if err != nil {
		return err
	}
	out.Rows, out.Unhashed, out.Notes = all.Rows, all.Unhashed, all.Notes
	broken := len(all.Notes) > 0
	lookupsOf, err := a.checkRuns(ctx, records, out)
	if err != nil {
		return err
	}
	for _, d := range c.Damages() {
		row := damagedRow{Damage: d, Runs: []string{}}
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
		out.Lost = append(out.Lost, "what SQLite says of the file is in the notes")
	}
	if s, ok := records.(interface{ Settled() error }); ok {
		return s.Settled()
	}
	return nil
}

// checkRuns evaluates the runs of a store, and returns what each read.
func (a *app) checkRuns(ctx context.Context, store run.Store, out *checked) (map[string]*run.Lookups, error) {
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
		plan, err := assay.ParsePlan(stored)
		if err == nil {
			_, err = assay.Evaluate(ctx, lookups.Watch(store), plan, version)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		lookupsOf[h.ID] = lookups
		if err != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("run %s: what it rests on was not checked: %s", h.ID, report.OneLine(err.Error())))
			continue
		}
		if n, of := lostOf(damages(store), h, lookups); n > 0 {
			out.Lost = append(out.Lost, fmt.Sprintf("run %s: %d%s stored answers; `hallmark run` with the same flags asks for them again", h.ID, n, of))
		}
	}
	return lookupsOf, nil
}

// sayChecked prints what was found and decides the exit code.
func (a *app) sayChecked(out *checked) error {
	out.Whole = len(out.Lost) == 0
	for _, d := range out.Damaged {
		out.Whole = out.Whole && d.Replaced
	}
	if a.json {
		if err := writeJSON(a.stdout, out); err != nil {
			return err
		}
	} else {
		for _, d := range out.Damaged {
			fmt.Fprintln(a.stdout, report.OneLine(d.String()))
		}
		for _, l := range out.Lost {
			fmt.Fprintln(a.stdout, "lost:", report.OneLine(l))
		}
		for _, n := range out.Notes {
			fmt.Fprintln(a.stdout, "note:", report.OneLine(n))
		}
	}
	if !out.Whole {
		remedy := ""
		if a.inStore(out.Checked) {
			remedy = "; `hallmark run` asks again for what it needs of it, and leaves what is damaged where it is"
		}
		return exit.Usagef("%s: %d damaged, %d lost%s", out.Checked, len(out.Damaged), len(out.Lost), remedy)
	}
	if a.json || a.quiet {
		return nil
	}
	var rows []string
	for _, table := range slices.Sorted(maps.Keys(out.Rows)) {
		rows = append(rows, fmt.Sprintf("%d in %s", out.Rows[table], table))
	}
	fmt.Fprintf(a.stdout, "whole: %s: rows: %s; %d records carry no hash\n", out.Checked, strings.Join(rows, ", "), out.Unhashed)
	return nil
}

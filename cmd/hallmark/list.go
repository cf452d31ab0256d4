package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/jsonl"
	"hallmark/internal/report"
	"hallmark/internal/run"
)

func indented(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }

// A listedRun is one line of `hallmark show`.
type listedRun struct {
	ID       string   `json:"id"`
	Started  string   `json:"started"`
	Finished bool     `json:"finished"`
	Models   []string `json:"models"`
	Suites   []string `json:"suites"`
	Methods  []string `json:"methods"`
}

// listRuns prints the runs of the store, newest first.
func (a *app) listRuns(ctx context.Context, store run.Store, runs []run.Header) error {
	listed := []listedRun{}
	for _, h := range runs {
		plan, err := store.Plan(ctx, h.ID)
		if err != nil {
			return err
		}
		l := listedRun{ID: h.ID, Started: h.Started.UTC().Format(time.RFC3339), Finished: !h.Finished.IsZero()}
		var p assay.Plan
		if err := json.Unmarshal(plan, &p); err != nil {
			return fmt.Errorf("run %s: its stored plan does not read: %w", h.ID, jsonl.Plain(err))
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
	if a.json {
		return writeJSON(a.stdout, map[string]any{"runs": listed})
	}
	if len(listed) == 0 {
		fmt.Fprintf(a.stderr, "no runs in %s yet; `hallmark run` makes one\n", a.runs.Store)
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTARTED\tMODELS\tSUITES\tSTATE")
	for _, l := range listed {
		state := "finished"
		if !l.Finished {
			state = "incomplete"
		}
		fmt.Fprintf(w, "%s\t%s\t%q\t%s\t%s\n", l.ID, l.Started, strings.Join(l.Models, " "), report.Visible(strings.Join(l.Suites, " ")), state)
	}
	return w.Flush()
}

package guarded

import (
	"context"
	"fmt"
	"io"

	"hallmark/internal/ask/guard"
	"hallmark/internal/ask/guard/memory"
	"hallmark/internal/assay"
	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/stored"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// A Remember is what `hallmark guard remember` is told.
type Remember struct {
	Output, Chat string // files to write; "" for none
	Earlier      string // the memory before; "" for none
	Model        string // of the run, where it has several
	AsIs         bool   // answers that nothing adjudicated
}

// Remembered is what `hallmark guard remember` prints.
type Remembered struct {
	Added   int    `json:"added"`
	Chat    string `json:"chat"`
	Entries int    `json:"entries"`
	Hash    string `json:"hash"`
	Memory  string `json:"memory"`
	Version int    `json:"version"`
}

// Write collects the answers of a stored run and writes them as the next version of a memory.
func (r *Remember) Write(ctx context.Context, runs *stored.Runs, prefix string) (*Remembered, error) {
	if r.Output == "" && r.Chat == "" {
		return nil, exit.Usagef("name the memory to write with -o FILE.jsonl, or conversations with --chat FILE.jsonl")
	}
	old := &memory.Memory{}
	if r.Earlier != "" {
		data, err := suite.ReadFile(r.Earlier)
		if err != nil {
			return nil, exit.Usage(err)
		}
		if old, err = memory.Read(r.Earlier, data); err != nil {
			return nil, exit.Usage(err)
		}
	}
	entries, err := r.entries(ctx, runs, prefix)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, exit.Usagef("run %s has no adjudicated answer: run it with --guard, "+
			"or take the answers of any run with --as-is", prefix)
	}
	next := old.Next(entries)
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{r.Output, next.Write}, {r.Chat, next.Chat}} {
		if file.name == "" {
			continue
		}
		if err := atomicfile.Write(file.name, file.write); err != nil {
			return nil, err
		}
	}
	added := len(next.Entries) - len(old.Entries)
	return &Remembered{added, r.Chat, len(next.Entries), next.Hash(), r.Output, next.Version}, nil
}

// entries returns the greedy answers of a model of a stored run that are to be remembered, in the order of the plan.
func (r *Remember) entries(ctx context.Context, runs *stored.Runs, prefix string) ([]memory.Entry, error) {
	records, _, plan, err := runs.ReadRun(ctx, prefix)
	if err != nil {
		return nil, err
	}
	defer records.Close()
	identity, err := identityOf(plan, r.Model)
	if err != nil {
		return nil, exit.Usage(err)
	}
	take := guard.Remember
	if r.AsIs {
		take = guard.RememberAsIs
	}
	calls, err := plan.VariantCalls(ctx, records)
	if err != nil {
		return nil, err
	}
	var keys []run.Key
	var requests []model.Request
	for c := range calls {
		if c.Model == identity && c.Repeat == 0 && c.Request.Temperature == 0 {
			keys, requests = append(keys, c.Key()), append(requests, c.Request)
		}
	}
	stored, err := records.Lookup(ctx, keys)
	if err != nil {
		return nil, err
	}
	var entries []memory.Entry
	for i, k := range keys {
		if r, ok := stored[k]; ok && r.Response != nil {
			if e, ok := take(requests[i], *r.Response); ok {
				entries = append(entries, e)
			}
		}
	}
	return entries, nil
}

// identityOf returns the identity of the run's model that the reference names, or of its only one.
func identityOf(plan *assay.Plan, ref string) (string, error) {
	if ref == "" && len(plan.Models) > 1 {
		return "", fmt.Errorf("the run has %d models; name one with --model, such as %s",
			len(plan.Models), plan.Models[0].Ref)
	}
	for _, m := range plan.Models {
		if ref == "" || m.Ref == ref || m.Name() == ref {
			return m.Identity, nil
		}
	}
	return "", fmt.Errorf("the run has no model %q; it has %s", ref, plan.Models[0].Ref)
}

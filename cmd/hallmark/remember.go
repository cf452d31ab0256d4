package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/atomicfile"
	"hallmark/internal/exit"
	"hallmark/internal/guard"
	"hallmark/internal/guard/memory"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

func (a *app) guardRemember() *cobra.Command {
	var output, earlier, chat, subject string
	var asIs bool
	cmd := &cobra.Command{
		Use:   "remember RUN",
		Short: "Write the adjudicated answers of a guarded run as the next version of a memory, and as conversations to tune on",
		Long: "Write the answers of a run with --guard that were adjudicated (passed, repaired, corrected, asked back, abstained) as the next\n" +
			"version of a memory, which `hallmark guard --memory` and `hallmark run --guard --guard-memory` look questions up in; and with --chat as\n" +
			"conversations for `hallmark model tune`. Greedy answers to all wordings are taken. Of several answers to one question the last is kept.\n" +
			"With --as-is the answers of any run are taken as they are: the control that shows what adjudication adds.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" && chat == "" {
				return exit.Usagef("name the memory to write with -o FILE.jsonl, or conversations with --chat FILE.jsonl")
			}
			old := &memory.Memory{}
			if earlier != "" {
				data, err := suite.ReadFile(earlier)
				if err != nil {
					return exit.Usage(err)
				}
				if old, err = memory.Read(earlier, data); err != nil {
					return exit.Usage(err)
				}
			}
			return a.remember(cmd.Context(), args[0], subject, asIs, old, output, chat)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "write the memory to `FILE`")
	f.StringVar(&earlier, "memory", "", "the version before: its entries are kept and added to `FILE`")
	f.StringVar(&chat, "chat", "", "write the whole memory as conversations, one JSON object a line, to `FILE`")
	f.StringVar(&subject, "model", "", "take the answers of the model `REF`, where the run has several")
	f.BoolVar(&asIs, "as-is", false, "take answers that nothing adjudicated")
	return cmd
}

// remember collects a run's answers and writes them.
func (a *app) remember(ctx context.Context, prefix, subject string, asIs bool, old *memory.Memory, output, chat string) error {
	records, err := a.openStored(ctx)
	if err != nil {
		return err
	}
	defer records.Close()
	_, plan, err := a.stored(ctx, records, prefix)
	if err != nil {
		return err
	}
	identity, err := identityOf(plan, subject)
	if err != nil {
		return exit.Usage(err)
	}
	take := guard.Remember
	if asIs {
		take = guard.RememberAsIs
	}
	entries, err := answers(ctx, records, plan, identity, take)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return exit.Usagef("run %s has no adjudicated answer: run it with --guard, or take the answers of any run with --as-is", prefix)
	}
	next := old.Next(entries)
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{output, next.Write}, {chat, next.Chat}} {
		if file.name == "" {
			continue
		}
		if err := atomicfile.Write(file.name, file.write); err != nil {
			return err
		}
	}
	if a.json {
		return writeJSON(a.stdout, map[string]any{"memory": output, "chat": chat, "version": next.Version, "hash": next.Hash(), "entries": len(next.Entries), "added": len(next.Entries) - len(old.Entries)})
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "version %d: %d answers, %d of them new\n", next.Version, len(next.Entries), len(next.Entries)-len(old.Entries))
	}
	return nil
}

// identityOf returns the identity of the run's model that the reference names, or of its only one.
func identityOf(plan *assay.Plan, ref string) (string, error) {
	if ref == "" && len(plan.Models) > 1 {
		return "", fmt.Errorf("the run has %d models; name one with --model, such as %s", len(plan.Models), plan.Models[0].Ref)
	}
	for _, m := range plan.Models {
		if ref == "" || m.Ref == ref || m.Name() == ref {
			return m.Identity, nil
		}
	}
	return "", fmt.Errorf("the run has no model %q; it has %s", ref, plan.Models[0].Ref)
}

// answers returns the greedy answers of a model in a run as entries, in the order of the plan.
func answers(ctx context.Context, records run.Store, plan *assay.Plan, identity string, take func(model.Request, model.Response) (memory.Entry, bool)) ([]memory.Entry, error) {
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

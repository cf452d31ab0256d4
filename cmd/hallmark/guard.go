package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/ask/inventory"
	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/guarded"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/suites"
	"hallmark/internal/commands/usage"
	"hallmark/internal/metric/ablation"
	"hallmark/internal/model/endpoint"
)

func (a *app) guardCommand() *cobra.Command {
	told, s := spec.Default(), serving{kind: "proxy"}
	cmd := &cobra.Command{
		Use:         "guard REF",
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{usage.TakesArguments: "REF"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Usagef("hallmark guard takes one model reference, and not %q; want hallmark guard "+
					"REF, such as hallmark guard pocket", args)
			}
			o, err := a.served(cmd.Context(), &s)
			if err != nil {
				return err
			}
			told.Concurrency = s.requests
			g, err := guarded.Open(cmd.Context(), a.models, &told, a.seed, args[0])
			if err != nil {
				return err
			}
			defer g.Close()
			o.ID = g.ID
			shown := map[string]any{"model": g.ID, "identity": g.Model.Identity()}
			return a.serve(cmd.Context(), &s, endpoint.NewProxy(g.Model, "guard", o), shown, func(base string) string {
				return fmt.Sprintf("guarding %s at %s", g.ID, base)
			})
		},
	}
	fs := cmd.Flags()
	told.AddGuard(fs)
	told.AddGroup(fs, spec.Reaching)
	told.AddNamed(fs, "timeout")
	s.add(fs, "server-", "8081", 64)
	cmd.AddCommand(a.guardIndex(), a.guardAblate(), a.guardRemember())
	return cmd
}

func (a *app) guardAblate() *cobra.Command {
	b := guarded.Ablation{Suite: "pocket", Model: "pocket", Coverages: []string{"100", "80", "50", "0"},
		Choices: assay.Defaults().Choices}
	tags := strings.Join(ablation.Guardable, ",")
	told := spec.Default()
	cmd := command("ablate --index FILE", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		b.Reach, b.Tags = told.Reach, strings.Split(tags, ",")
		result, err := b.Run(ctx, a.bench())
		if err != nil {
			return err
		}
		return a.print(result, result.Markdown)
	})
	f := cmd.Flags()
	define(f, table{
		"suite": &b.Suite, "model": &b.Model, "index": &b.Index, "coverage,": &b.Coverages, "choices": &b.Choices,
		"rows,": &b.Only, "guardable": &tags, "other-phrasings": &b.Phrasings,
	})
	told.AddNamed(f, "concurrency")
	told.AddGroup(f, spec.Reaching)
	return cmd
}

// guardIndex writes the index that a deployment in a world would declare. It is the world's part in an ablation:
// the guard itself reads the file and knows no world.
func (a *app) guardIndex() *cobra.Command {
	coverage, ref, output := 100., "pocket", ""
	var passages, complete bool
	cmd := command("index", cobra.NoArgs, func(context.Context, []string) error {
		if !(coverage >= 0 && coverage <= 100) {
			return exit.Usagef("--coverage %v: want a percentage from 0 to 100", coverage)
		}
		x := inventory.Pocket(passages)
		if ref != "pocket" {
			w, err := suites.World(ref)
			if err != nil {
				return exit.Usage(err)
			}
			x = inventory.Of(w, passages)
		}
		x.Complete = complete
		if coverage < 100 {
			x = x.Cover(coverage, a.seed)
		}
		return a.writeTo(output, x.Write)
	})
	f := cmd.Flags()
	define(f, table{
		"world": &ref, "coverage": &coverage, "passages": &passages, "complete": &complete, "output o": &output,
	})
	return cmd
}

func (a *app) guardRemember() *cobra.Command {
	var m guarded.Remember
	cmd := command("remember RUN", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		out, err := m.Write(ctx, a.runs, args[0])
		switch {
		case err != nil:
			return err
		case a.json:
			return writeJSON(a.stdout, out)
		case !a.quiet:
			fmt.Fprintf(a.stderr, "version %d: %d answers, %d of them new\n", out.Version, out.Entries, out.Added)
		}
		return nil
	})
	f := cmd.Flags()
	define(f, table{"output o": &m.Output, "memory": &m.Earlier, "chat": &m.Chat, "model": &m.Model, "as-is": &m.AsIs})
	return cmd
}

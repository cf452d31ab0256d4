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
		Short:       "Serve a model behind the constraint layer, over the OpenAI API",
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
	var b guarded.Ablation
	var tags string
	told := spec.Default()
	cmd := command("ablate --index FILE",
		"Measure the guard with its layers, its tests and its index taken away in turn",
		cobra.NoArgs, func(ctx context.Context, _ []string) error {
			b.Reach, b.Tags = told.Reach, strings.Split(tags, ",")
			result, err := b.Run(ctx, a.bench())
			if err != nil {
				return err
			}
			return a.print(result, result.Markdown)
		})
	f := cmd.Flags()
	f.StringVar(&b.Suite, "suite", "pocket", "built-in suite or `FILE`")
	f.StringVar(&b.Model, "model", "pocket", "model `REF`")
	f.StringVar(&b.Index, "index", "", "`FILE` of what the deployment knows to exist")
	f.StringSliceVar(&b.Coverages, "coverage", []string{"100", "80", "50", "0"}, "parts of the index, in percent")
	f.StringVar(&b.Choices, "choices", assay.Defaults().Choices,
		"multiple choice without letters: score the options, which no guard sees, or generate with letters shown")
	f.StringSliceVar(&b.Only, "rows", nil,
		"make only the rows whose names hold one of these `WORDS`, beside the run without a guard")
	f.StringVar(&tags, "guardable", strings.Join(ablation.Guardable, ","), "tags of the cases that count as guardable")
	f.BoolVar(&b.Phrasings, "wordings", false, "ask the guardable cases in the suite's other phrasings instead")
	told.AddNamed(f, "concurrency")
	told.AddGroup(f, spec.Reaching)
	return cmd
}

// guardIndex writes the index that a deployment in a world would declare. It is the world's part in an ablation:
// the guard itself reads the file and knows no world.
func (a *app) guardIndex() *cobra.Command {
	var coverage float64
	var passages, complete bool
	var output, ref string
	cmd := command("index",
		"Write the index of a world: what exists in it, and no answers; for ablations, or to begin a "+
			"deployment's own with",
		cobra.NoArgs, func(context.Context, []string) error {
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
	f.StringVar(&ref, "world", "pocket", "the `WORLD`: pocket, earth, a YAML file or a folder")
	f.Float64Var(&coverage, "coverage", 100, "part of the entities that it knows, in percent, drawn with --seed")
	f.BoolVar(&passages, "passages", false, "add a passage for every fact that the world states")
	f.BoolVar(&complete, "complete", false, "declare that nothing exists beside it")
	f.StringVarP(&output, "output", "o", "", "write into `FILE`; default: stdout")
	return cmd
}

func (a *app) guardRemember() *cobra.Command {
	var m guarded.Remember
	cmd := command("remember RUN",
		"Write the adjudicated answers of a guarded run as the next version of a memory, and as "+
			"conversations to tune on",
		cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
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
	f.StringVarP(&m.Output, "output", "o", "", "write the memory to `FILE`")
	f.StringVar(&m.Earlier, "memory", "", "the version before: its entries are kept and added to `FILE`")
	f.StringVar(&m.Chat, "chat", "", "write the whole memory as conversations, one JSON object a line, to `FILE`")
	f.StringVar(&m.Model, "model", "", "take the answers of the model `REF`, where the run has several")
	f.BoolVar(&m.AsIs, "as-is", false, "take answers that nothing adjudicated")
	return cmd
}

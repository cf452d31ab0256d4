package main

import (
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/commands/guarded"
	"hallmark/internal/commands/spec"
	"hallmark/internal/metric/ablation"
)

func (a *app) guardAblate() *cobra.Command {
	var b guarded.Ablation
	var tags string
	told := spec.Default()
	cmd := &cobra.Command{
		Use:   "ablate --index FILE",
		Short: "Measure the guard with its layers, its tests and its index taken away in turn",
		Long: "Run a suite without a guard, with the whole guard, without each layer and each test, with each " +
			"alone, and at parts of the index, and " +
			"print commission, over-refusal and hallucination of each as a Markdown table (or JSON). Every row is " +
			"a stored run that `hallmark compare` takes. " +
			"Inner calls are recorded, so that rows share them and a repeated command asks nothing. With " +
			"--wordings the questions are the guardable cases in the " +
			"suite's other phrasings, each a case of its own.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b.Reach, b.Tags = told.Reach, strings.Split(tags, ",")
			result, err := b.Run(cmd.Context(), a.bench())
			if err != nil {
				return err
			}
			if a.json {
				return writeJSON(a.stdout, result)
			}
			return result.Markdown(a.stdout)
		},
	}
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

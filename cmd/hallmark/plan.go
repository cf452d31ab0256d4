package main

import (
	"errors"

	"github.com/spf13/cobra"

	"hallmark/internal/stat"
)

func (a *app) planCommand() *cobra.Command {
	var base, detect, power, rho float64
	cmd := &cobra.Command{
		Use:   "plan --base RATE --detect DIFFERENCE",
		Short: "Sample size: the cases needed to find a difference between two rates",
		Long: "The cases needed to find that a rate fell from --base by --detect, two-sided at 95 %: n in each of two independent runs.\n" +
			"Two runs on the same n cases are paired: --paired gives the correlation of their outcomes.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			if !flags.Changed("base") || !flags.Changed("detect") {
				return usage(errors.New("plan needs --base and --detect, such as --base 0.25 --detect 0.05"))
			}
			if !(power > 0 && power < 1) {
				return usagef("--power %v: a chance between 0 and 1, such as 0.8", power)
			}
			var p stat.Plan
			var err error
			if flags.Changed("paired") {
				p, err = stat.PlanPaired(base, detect, rho, level, power)
			} else {
				p, err = stat.PlanUnpaired(base, detect, level, power)
			}
			if err != nil {
				return usage(err)
			}
			return writeJSON(a.stdout, p)
		},
	}
	cmd.Flags().Float64Var(&base, "base", 0, "the rate now, 0..1")
	cmd.Flags().Float64Var(&detect, "detect", 0, "the fall to be found, 0..1")
	cmd.Flags().Float64Var(&rho, "paired", 0, "both runs ask the same cases; the correlation `RHO` of their outcomes")
	cmd.Flags().Float64Var(&power, "power", .8, "chance of finding it")
	return cmd
}

package main

import (
	"github.com/spf13/cobra"

	"hallmark/internal/ask/inventory"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/suites"
)

// guardIndex writes the index that a deployment in a world would declare. It is the world's part in an ablation:
// the guard itself reads the file and knows no world.
func (a *app) guardIndex() *cobra.Command {
	var coverage float64
	var passages, complete bool
	var output, ref string
	cmd := &cobra.Command{
		Use: "index",
		Short: "Write the index of a world: what exists in it, and no answers; for ablations, or to begin a " +
			"deployment's own with",
		Long: "Write the index of a world: its entities with their kinds, and the identifiers with what they " +
			"belong to. " +
			"It holds no other fact, unless --passages asks for a passage for every fact that the world states.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
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
		},
	}
	f := cmd.Flags()
	f.StringVar(&ref, "world", "pocket", "the `WORLD`: pocket, earth, a YAML file or a folder")
	f.Float64Var(&coverage, "coverage", 100, "part of the entities that it knows, in percent, drawn with --seed")
	f.BoolVar(&passages, "passages", false, "add a passage for every fact that the world states")
	f.BoolVar(&complete, "complete", false, "declare that nothing exists beside it")
	f.StringVarP(&output, "output", "o", "", "write into `FILE`; default: stdout")
	return cmd
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/engine/gguf"
	"hallmark/internal/model/pocket"
)

func (a *app) modelExport() *cobra.Command {
	var output, as string
	cmd := &cobra.Command{
		Use:   "export DIR|pocket",
		Short: "Write a Hugging Face folder, or the built-in model, as a GGUF file that llama.cpp loads",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dtype, ok := gguf.Types[as]
			if !ok {
				return exit.Usagef("--type %q: use f32, f16 or bf16", as)
			}
			if output == "" {
				return exit.Usagef("name the file to write with -o FILE.gguf")
			}
			folder, err := pocket.Checkpoint(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			warnings, size, err := gguf.ExportFile(output, args[0], folder, dtype)
			switch {
			case err != nil:
				return err
			case a.json:
				return writeJSON(a.stdout, struct {
					Model    string   `json:"model"`
					File     string   `json:"file"`
					Bytes    int64    `json:"bytes"`
					Warnings []string `json:"warnings"`
				}{args[0], output, size, append([]string{}, warnings...)})
			}
			for _, w := range warnings {
				a.log.Warn(args[0] + ": " + w)
			}
			if !a.quiet {
				fmt.Fprintf(a.stderr, "wrote %s, %.1f MB\n", output, float64(size)/1e6)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the GGUF file to `FILE`")
	cmd.Flags().StringVar(&as, "type", "",
		"what matrices are stored as: f32, f16 or bf16; without it, as in the folder")
	return cmd
}

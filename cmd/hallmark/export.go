package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"hallmark/internal/atomicfile"
	"hallmark/internal/pocket"
	"hallmark/internal/transformer/gguf"
	"hallmark/internal/transformer/weights"
)

func (a *app) modelExport() *cobra.Command {
	var output, as string
	cmd := &cobra.Command{
		Use:   "export DIR|pocket",
		Short: "Write a Hugging Face folder, or the built-in model, as a GGUF file that llama.cpp loads",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dtype, ok := exportTypes[as]
			if !ok {
				return usagef("--type %q: use f32, f16 or bf16", as)
			}
			if output == "" {
				return usagef("name the file to write with -o FILE.gguf")
			}
			folder := pocket.Weights()
			if args[0] != "pocket" {
				if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
					return usagef("%s is no folder; name one with config.json, tokenizer.json and model.safetensors, or pocket", args[0])
				}
				folder = os.DirFS(args[0])
			}
			return a.exportModel(folder, args[0], output, dtype)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the GGUF file to `FILE`")
	cmd.Flags().StringVar(&as, "type", "", "what matrices are stored as: f32, f16 or bf16; without it, as in the folder")
	return cmd
}

// exportTypes are the values of --type.
var exportTypes = map[string]weights.DType{"": "", "f32": weights.F32, "f16": weights.F16, "bf16": weights.BF16}

// exportModel writes the folder as a GGUF file. What the folder has no place in the file for is the user's to mend; that
// the disk is full is not.
func (a *app) exportModel(folder fs.FS, name, output string, as weights.DType) error {
	var warnings []string
	var bad error
	err := atomicfile.Write(output, func(w io.Writer) error {
		tracked := &failing{Writer: w}
		var err error
		if warnings, err = gguf.Export(tracked, folder, as); err != nil && tracked.err == nil {
			bad = err
		}
		return err
	})
	switch {
	case bad != nil:
		return usagef("model export %s: %w", name, bad)
	case err != nil:
		return err
	}
	for _, w := range warnings {
		a.log.Warn(name + ": " + w)
	}
	if a.quiet {
		return nil
	}
	info, err := os.Stat(output)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "wrote %s, %.1f MB\n", output, float64(info.Size())/1e6)
	return nil
}

// failing remembers the error of a writer.
type failing struct {
	io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	f.err = err
	return n, err
}

package main

import (
	"fmt"
	"io"
	"io/fs"
	"reflect"

	"github.com/spf13/cobra"

	"hallmark/internal/atomicfile"
	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
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
				return exit.Usagef("--type %q: use f32, f16 or bf16", as)
			}
			if output == "" {
				return exit.Usagef("name the file to write with -o FILE.gguf")
			}
			folder, err := pocket.Checkpoint(args[0])
			if err != nil {
				return exit.Usage(err)
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
	out := struct {
		Model    string   `json:"model"`
		File     string   `json:"file"`
		Bytes    int64    `json:"bytes"`
		Warnings []string `json:"warnings"`
	}{Model: name, File: output, Warnings: []string{}}
	var bad error
	err := atomicfile.Write(output, func(w io.Writer) error {
		disk := &sink{Writer: w}
		warnings, err := gguf.Export(disk, folder, as)
		if disk.err == nil {
			bad = err
		}
		out.Warnings, out.Bytes = append(out.Warnings, warnings...), disk.bytes
		return err
	})
	switch {
	case bad != nil:
		return exit.Usagef("model export %s: %w", name, bad)
	case err != nil:
		return err
	case a.json:
		return writeJSON(a.stdout, out)
	}
	for _, w := range out.Warnings {
		a.log.Warn(name + ": " + w)
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "wrote %s, %.1f MB\n", output, float64(out.Bytes)/1e6)
	}
	return nil
}

// A sink counts what is written and remembers what failed.
type sink struct {
	io.Writer
	bytes int64
	err   error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	s.bytes, s.err = s.bytes+int64(n), err
	return n, err
}

// showGGUF prints what a GGUF file says of itself; of long lists their length alone.
func (a *app) showGGUF(path string) error {
	f, err := inputfile.Open(path)
	if err != nil {
		return exit.Usagef("%s: %v", path, inputfile.Cause(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	file, err := gguf.Read(f, info.Size())
	if err != nil {
		return exit.Usagef("%s: %w", path, err)
	}
	type tensor struct {
		Name  string        `json:"name"`
		Type  weights.DType `json:"type"`
		Shape []int         `json:"shape"`
	}
	out := struct {
		File       string         `json:"file"`
		Parameters int            `json:"parameters"`
		Metadata   map[string]any `json:"metadata"`
		Tensors    []tensor       `json:"tensors"`
	}{File: path, Metadata: map[string]any{}, Tensors: []tensor{}}
	for _, p := range file.Metadata {
		out.Metadata[p.Key] = brief(p.Value)
	}
	for _, t := range file.Tensors {
		out.Parameters += t.Len()
		out.Tensors = append(out.Tensors, tensor{t.Name, t.DType, t.Shape})
	}
	return writeJSON(a.stdout, out)
}

// brief is a value of a file's metadata, or how long it is.
func brief(v any) any {
	const most = 200
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.Slice:
		return fmt.Sprintf("%d values", r.Len())
	case r.Kind() == reflect.String && r.Len() > most:
		return fmt.Sprintf("%.*s… (%d bytes)", most, v, r.Len())
	case r.CanFloat() && r.Float()-r.Float() != 0: // JSON has no infinities
		return fmt.Sprint(v)
	}
	return v
}

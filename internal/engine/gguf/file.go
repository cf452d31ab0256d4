package gguf

import (
	"fmt"
	"io"
	"io/fs"
	"reflect"

	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/engine/weights"
)

// Types are what the matrices of a file can be stored as, by their names; "" is as in the folder.
var Types = map[string]weights.DType{"": "", "f32": weights.F32, "f16": weights.F16, "bf16": weights.BF16}

// ExportFile is Export to a path of a folder of that name, and says how many bytes the file has. What the folder
// has no place in the file for is the user's to fix, and not that the disk is full.
func ExportFile(path, name string, folder fs.FS, as weights.DType) (warnings []string, size int64, err error) {
	var bad error
	var disk sink
	err = atomicfile.Write(path, func(w io.Writer) (err error) {
		disk.Writer = w
		if warnings, err = Export(&disk, folder, as); disk.err == nil {
			bad = err
		}
		return err
	})
	if bad != nil {
		err = exit.Usagef("model export %s: %w", name, bad)
	}
	return warnings, disk.bytes, err
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

// Describe is what a file says of itself, as a document; of long lists their length alone. What is wrong with the
// file is the user's to fix.
func Describe(path string) (any, error) {
	f, err := inputfile.Open(path)
	if err != nil {
		return nil, exit.Usagef("%s: %v", path, inputfile.Cause(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := Read(f, info.Size())
	if err != nil {
		return nil, exit.Usagef("%s: %w", path, err)
	}
	out := struct {
		File       string         `json:"file"`
		Parameters int            `json:"parameters"`
		Metadata   map[string]any `json:"metadata"`
		Tensors    []Tensor       `json:"tensors"`
	}{File: path, Metadata: map[string]any{}, Tensors: append([]Tensor{}, file.Tensors...)}
	for _, p := range file.Metadata {
		out.Metadata[p.Key] = brief(p.Value)
	}
	for _, t := range file.Tensors {
		out.Parameters += t.Len()
	}
	return out, nil
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

package gguf

import (
	"fmt"
	"io"
	"io/fs"
	"reflect"

	"hallmark/internal/atomicfile"
	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/transformer/weights"
)

// Types are what the matrices of a file can be stored as, by their names; "" is as in the folder.
var Types = map[string]weights.DType{"": "", "f32": weights.F32, "f16": weights.F16, "bf16": weights.BF16}

// ExportFile is Export to a path of a folder of that name, and says how many bytes the file has. What the folder has no place in the file for is the
// user's to mend, and not that the disk is full.
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

// A Description is what a file says of itself; of long lists their length alone.
type Description struct {
	File       string            `json:"file"`
	Parameters int               `json:"parameters"`
	Metadata   map[string]any    `json:"metadata"`
	Tensors    []DescribedTensor `json:"tensors"`
}

// A DescribedTensor is one of its tensors.
type DescribedTensor struct {
	Name  string        `json:"name"`
	Type  weights.DType `json:"type"`
	Shape []int         `json:"shape"`
}

// Describe reads a file's description. What is wrong with the file is the user's to mend.
func Describe(path string) (*Description, error) {
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
	out := &Description{File: path, Metadata: map[string]any{}, Tensors: []DescribedTensor{}}
	for _, p := range file.Metadata {
		out.Metadata[p.Key] = brief(p.Value)
	}
	for _, t := range file.Tensors {
		out.Parameters += t.Len()
		out.Tensors = append(out.Tensors, DescribedTensor{t.Name, t.DType, t.Shape})
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

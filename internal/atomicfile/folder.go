package atomicfile

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// WriteBytes is Write of data that are there.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFolder writes files into a folder, made where it is not, each whole or not at all, and returns their names in order.
func WriteFolder(dir string, files map[string][]byte) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if err := WriteBytes(filepath.Join(dir, name), files[name]); err != nil {
			return nil, err
		}
	}
	return names, nil
}

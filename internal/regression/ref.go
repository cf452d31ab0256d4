package regression

import (
	"os"

	"hallmark/internal/exit"
	"hallmark/internal/model"
	"hallmark/internal/model/local"
)

// Named returns the model of a reference: the built-in one, or that of a folder.
func Named(ref model.Ref) (*Model, error) {
	if ref.Name == "" {
		return Built()
	}
	if info, err := os.Stat(ref.Name); err != nil || !info.IsDir() {
		return nil, exit.Usagef("--model %s: %s is no folder; `hallmark model train regression -o %s` makes one", ref, ref.Name, ref.Name)
	}
	m, err := Open(local.Folder(ref.Name))
	if err != nil {
		return nil, exit.Usagef("--model %s: %w", ref, err)
	}
	return m, nil
}

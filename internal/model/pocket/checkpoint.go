package pocket

import (
	"fmt"
	"io/fs"
	"os"

	"hallmark/internal/model/local"
)

// Checkpoint opens a model folder, or the built-in model's.
func Checkpoint(name string) (fs.FS, error) {
	if name == "pocket" {
		return Weights(), nil
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return nil, fmt.Errorf(
			"%s is no folder; name one with config.json, tokenizer.json and model.safetensors, or pocket", name)
	}
	return local.Folder(name), nil
}

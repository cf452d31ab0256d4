package weights

import (
	"io/fs"
	"strings"
)

// StageFile says in the folder of a stage of compression how it was made.
const StageFile = "compression.json"

// Keep adds to files, a changed model's by name, those of its folder that stay as they were: how text is cut and a
// conversation laid out. StageFile is left out, as a changed model is no longer that stage.
func Keep(folder fs.FS, files map[string][]byte) error {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		_, made := files[name]
		made = made && name != tokenizerFile && name != generationFile
		if e.IsDir() || made || name == StageFile ||
			!strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, ".jinja") ||
			strings.HasSuffix(name, ".safetensors.index.json") {
			continue
		}
		b, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		files[name] = b
	}
	return nil
}

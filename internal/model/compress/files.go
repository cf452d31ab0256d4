package compress

import (
	"bytes"
	"encoding/json"

	"hallmark/internal/transformer"
	"hallmark/internal/transformer/weights"
)

// files are those of a stage's folder: the model as bfloat16, what else the dense folder has, and what was done.
func (j *Job) files(s *Stage, m *transformer.Model) (map[string][]byte, error) {
	f := weights.Folder{Model: m, Tokenizer: j.dense.Tokenizer, Stop: j.dense.Stop}
	files, err := f.Files(weights.BF16)
	if err != nil {
		return nil, err
	}
	if err := weights.Keep(j.folder, files); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil, err
	}
	files[File] = b.Bytes()
	return files, nil
}

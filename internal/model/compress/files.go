package compress

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/engine"
	"hallmark/internal/engine/prune"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model/local"
)

// files are those of a stage's folder: the model as bfloat16, what else the dense folder has, and what was done.
func (j *Job) files(s *Stage, m *engine.Model) (map[string][]byte, error) {
	f := weights.Folder{Model: m, Tokenizer: j.dense.Tokenizer, Stop: j.dense.Stop}
	files, err := f.Files(weights.BF16)
	if err != nil {
		return nil, err
	}
	if err := weights.Keep(j.folder, files); err != nil {
		return nil, err
	}
	s.Files = map[string]string{}
	for name, data := range files {
		s.Files[name] = fmt.Sprintf("%x", sha256.Sum256(data))
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

// damaged says of a stage's folder that it is not as it was written.
func damaged(format string, args ...any) error {
	return unusable("%w; remove this stage's folder, and the same command makes it again", fmt.Errorf(format, args...))
}

// log reads what was done for stage i from its folder, and checks that the folder's other files are those that were
// written then. It is nil where there is no folder.
func (j *Job) log(i int, folder fs.FS) (*Stage, error) {
	if folder == nil {
		return nil, nil
	}
	data, err := fs.ReadFile(folder, File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unusable(
			"a folder without %s, so that it is no stage; move it away, or name another folder for the stages", File)
	}
	if err != nil {
		return nil, damaged("%w", err)
	}
	var s Stage
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, damaged("%s: %w", File, jsonl.Plain(err))
	}
	if s.Plan != j.plan {
		return nil, unusable(
			"%w; name another folder for the stages, or give the files, seed and flags that it was made with", ErrOther)
	}
	if err := Verify(folder, s.Files); err != nil {
		return nil, damaged("%w", err)
	}
	if s.Name != Name(i) || !s.Kept.within(j.dense.Model.Config()) {
		return nil, damaged("%s is not as it was written", File)
	}
	return &s, nil
}

// Verify reports the first file, by name, of a folder that is not as it was when a stage was made: files are the
// hashes of that time, Files or DenseFiles of a Stage. A file that was added counts where it can change an answer.
// It is nil where no file was hashed, as in the logs of older versions.
func Verify(folder fs.FS, files map[string]string) error {
	if len(files) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		hash, err := local.Hash(folder, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is missing", name)
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case hash != files[name]:
			return fmt.Errorf("%s is not as it was when the stage was made", name)
		}
	}
	names, err := local.Files(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if files[name] == "" {
			return fmt.Errorf("%s was not there when the stage was made", name)
		}
	}
	return nil
}

// read returns stage i of an earlier invocation with its model, or nil.
func (j *Job) read(i int, folder fs.FS) (*Stage, *engine.Model, error) {
	s, err := j.log(i, folder)
	if s == nil || err != nil {
		return nil, nil, err
	}
	f, err := weights.Load(folder)
	if err != nil {
		return nil, nil, damaged("%w", err)
	}
	c := f.Model.Config()
	sparsity := 1 - float64(prune.Body(f.Model))/float64(prune.Body(j.dense.Model))
	same := len(s.Kept.Layers) == c.Layers && s.Params == f.Model.NumParams() && math.Abs(s.Sparsity-sparsity) < 1e-9
	for l := range s.Kept.Layers {
		same = same && len(s.Kept.Groups[l]) == c.KVHeads && len(s.Kept.Neurons[l]) == c.Inner
	}
	if !same {
		return nil, nil, damaged("%s says other than the model's own files", File)
	}
	return s, f.Model, nil
}

// within reports whether the lists name places of a dense model of shape c, each once, and something of every kind.
func (k Kept) within(c engine.Config) bool {
	ok := func(list []int, n int) bool {
		for i, x := range list {
			if x < 0 || x >= n || i > 0 && x <= list[i-1] {
				return false
			}
		}
		return len(list) > 0
	}
	if !ok(k.Layers, c.Layers) || len(k.Groups) != len(k.Layers) || len(k.Neurons) != len(k.Layers) {
		return false
	}
	for l := range k.Layers {
		if !ok(k.Groups[l], c.KVHeads) || !ok(k.Neurons[l], c.Inner) {
			return false
		}
	}
	return true
}

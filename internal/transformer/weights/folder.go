package weights

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"hallmark/internal/atomicfile"
	"hallmark/internal/transformer"
	"hallmark/internal/transformer/token"
)

// A Folder is what a model folder holds.
type Folder struct {
	Model     *transformer.Model
	Tokenizer *token.Tokenizer // nil if the folder has no tokenizer.json
	Stop      []int32          // the tokens that end a text: eos_token_id of generation_config.json, else of config.json
}

// The files of a folder.
const (
	configFile     = "config.json"
	generationFile = "generation_config.json"
	tokenizerFile  = "tokenizer.json"
	weightsFile    = "model.safetensors"
	indexFile      = "model.safetensors.index.json"
)

// ids is a token or a list of them.
type ids []int32

func (x *ids) UnmarshalJSON(data []byte) error {
	var one int32
	if json.Unmarshal(data, &one) == nil {
		if string(data) != "null" {
			*x = ids{one}
		}
		return nil
	}
	return json.Unmarshal(data, (*[]int32)(x))
}

// Load reads the model folder at the root of fsys. The weights are in model.safetensors or the files its index names.
// An error begins with the file's name. Memory is bounded by the files' sizes, whatever they claim.
func Load(fsys fs.FS) (*Folder, error) {
	data, err := fs.ReadFile(fsys, configFile)
	if err != nil {
		return nil, err
	}
	cfg, err := transformer.ParseConfig(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	f := new(Folder)
	if f.Stop, err = stops(fsys, data); err != nil {
		return nil, err
	}
	for _, id := range f.Stop {
		if id < 0 || int(id) >= cfg.Vocab {
			return nil, fmt.Errorf("%s: eos_token_id is %d, outside the vocabulary of %d", configFile, id, cfg.Vocab)
		}
	}
	switch data, err := fs.ReadFile(fsys, tokenizerFile); {
	case err == nil:
		if f.Tokenizer, err = token.Parse(data); err != nil {
			return nil, fmt.Errorf("%s: %w", tokenizerFile, err)
		}
		if n := f.Tokenizer.Size(); n > cfg.Vocab {
			return nil, fmt.Errorf("%s: %d tokens, more than the vocab_size of %s, %d", tokenizerFile, n, configFile, cfg.Vocab)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	tensors, err := readTensors(fsys)
	if err != nil {
		return nil, err
	}
	f.Model, err = assemble(cfg, tensors)
	return f, err
}

// stops reads eos_token_id.
func stops(fsys fs.FS, config []byte) ([]int32, error) {
	var e struct {
		EOS ids `json:"eos_token_id"`
	}
	data, err := fs.ReadFile(fsys, generationFile)
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", generationFile, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if e.EOS == nil {
		if err := json.Unmarshal(config, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", configFile, err)
		}
	}
	return e.EOS, nil
}

// A stored tensor knows its file.
type stored struct {
	Tensor
	file string
}

func readTensors(fsys fs.FS) (map[string]stored, error) {
	files := []string{weightsFile}
	if index, err := fs.ReadFile(fsys, indexFile); err == nil {
		var x struct {
			Map map[string]string `json:"weight_map"`
		}
		if err := json.Unmarshal(index, &x); err != nil {
			return nil, fmt.Errorf("%s: %w", indexFile, err)
		}
		files = slices.Compact(slices.Sorted(maps.Values(x.Map)))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := map[string]stored{}
	for _, name := range files {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		tensors, err := ParseSafetensors(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, t := range tensors {
			if other, ok := all[t.Name]; ok {
				return nil, fmt.Errorf("%s: tensor %q is also in %s", name, t.Name, other.file)
			}
			all[t.Name] = stored{t, name}
		}
	}
	return all, nil
}

// assemble makes the model of the tensors, which must be those of the configuration.
func assemble(cfg transformer.Config, tensors map[string]stored) (*transformer.Model, error) {
	elements := 0
	for _, t := range tensors {
		elements += t.Len()
	}
	if n := cfg.Matrices(); n > float64(elements) { // before any memory is taken for what the configuration claims
		return nil, fmt.Errorf("%s: the sizes make %.0f weights, the files hold %d", configFile, n, elements)
	}
	m, err := transformer.Empty(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	used := map[string]bool{}
	for _, p := range m.Params() {
		t, ok := tensors[p.Name]
		if !ok {
			return nil, fmt.Errorf("%s: no tensor %q, which %s calls for", weightsFile, p.Name, configFile)
		}
		used[p.Name] = true
		if !slices.Equal(t.Shape, p.Shape) {
			return nil, fmt.Errorf("%s: tensor %q has shape %v, %s calls for %v", t.file, p.Name, t.Shape, configFile, p.Shape)
		}
		t.Decode(p.Data)
		for i, x := range p.Data {
			if x-x != 0 {
				return nil, fmt.Errorf("%s: tensor %q: element %d is %v, want finite numbers", t.file, p.Name, i, x)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		// A tied head may be stored too.
		if !used[name] && !(cfg.Tied && name == "lm_head.weight") {
			return nil, fmt.Errorf("%s: tensor %q is none that %s calls for", tensors[name].file, name, configFile)
		}
	}
	m.Changed(1)
	return m, nil
}

// Save writes f as a model folder, the weights as F32 or BF16, which transformers, vLLM and llama.cpp read. It makes
// dir if need be. Each file is there whole or not at all, the configuration last.
func Save(dir string, f *Folder, as DType) error {
	files, err := f.Files(as)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{weightsFile, tokenizerFile, generationFile, configFile} {
		if data, ok := files[name]; ok {
			err := atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Files returns the folder's files by name. The same folder gives the same bytes.
func (f *Folder) Files(as DType) (map[string][]byte, error) {
	var named []Named
	for _, p := range f.Model.Params() {
		named = append(named, Named{p.Name, p.Shape, p.Data})
	}
	var b bytes.Buffer
	if err := WriteSafetensors(&b, named, as); err != nil {
		return nil, err
	}
	dtype := map[DType]string{F32: "float32", BF16: "bfloat16"}[as]
	files := map[string][]byte{weightsFile: b.Bytes(), configFile: f.Model.Config().JSON(f.Stop, dtype)}
	if len(f.Stop) > 0 {
		g, err := json.MarshalIndent(map[string]any{"eos_token_id": f.Stop, "do_sample": false}, "", "  ")
		if err != nil {
			return nil, err
		}
		files[generationFile] = append(g, '\n')
	}
	if f.Tokenizer != nil {
		data, err := f.Tokenizer.JSON()
		if err != nil {
			return nil, err
		}
		files[tokenizerFile] = data
	}
	return files, nil
}

package weights

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/stat/figure"
)

// A Folder is what a model folder holds.
type Folder struct {
	Model     *engine.Model
	Tokenizer *token.Tokenizer // nil if the folder has no tokenizer.json
	// the tokens that end a text: eos_token_id of generation_config.json, else of config.json
	Stop []int32
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
	if json.Unmarshal(data, (*[]int32)(x)) != nil {
		return fmt.Errorf("eos_token_id is %.40s; want the number of a token, or a list of them", data)
	}
	return nil
}

// Load reads the model folder at the root of fsys. The weights are in model.safetensors or the files its index names.
// An error begins with the file's name. Memory is bounded by the files' sizes, whatever they claim.
func Load(fsys fs.FS) (*Folder, error) {
	data, err := fs.ReadFile(fsys, configFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w; a model's folder has it, with %s and %s", configFile, fs.ErrNotExist,
			weightsFile, tokenizerFile)
	}
	if err != nil {
		return nil, err
	}
	cfg, err := engine.ParseConfig(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	f := new(Folder)
	if f.Stop, err = Stops(fsys, data, cfg.Vocab); err != nil {
		return nil, err
	}
	if data, err = Optional(fsys, tokenizerFile); err != nil {
		return nil, err
	}
	if data != nil {
		if f.Tokenizer, err = token.Parse(data); err != nil {
			return nil, fmt.Errorf("%s: %w", tokenizerFile, err)
		}
		if n := f.Tokenizer.Size(); n > cfg.Vocab {
			return nil, fmt.Errorf("%s: %d tokens, more than the vocab_size of %s, %d", tokenizerFile, n, configFile,
				cfg.Vocab)
		}
	}
	files := &openFiles{fsys: fsys}
	defer files.close()
	tensors, err := files.tensors()
	if err != nil {
		return nil, err
	}
	f.Model, err = assemble(cfg, tensors)
	return f, err
}

// NoToken stands in configurations for no token, beside null.
const NoToken = -1

// Stops reads the tokens that end a text: eos_token_id of generation_config.json, else of config.json, whose bytes are
// given. They are of a vocabulary of so many. Errors begin with the file's name.
func Stops(fsys fs.FS, config []byte, vocabulary int) ([]int32, error) {
	var e struct {
		EOS ids `json:"eos_token_id"`
	}
	data, err := Optional(fsys, generationFile)
	if err != nil {
		return nil, err
	}
	if data != nil {
		if err := json.Unmarshal(data, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", generationFile, jsonl.Plain(err))
		}
	}
	file := generationFile
	if e.EOS == nil {
		file = configFile
		if err := json.Unmarshal(config, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", configFile, jsonl.Plain(err))
		}
	}
	e.EOS = slices.DeleteFunc(e.EOS, func(id int32) bool { return id == NoToken })
	for _, id := range e.EOS {
		if id < 0 || int(id) >= vocabulary {
			return nil, fmt.Errorf("%s: eos_token_id is %d, outside the vocabulary of %d", file, id, vocabulary)
		}
	}
	return e.EOS, nil
}

// Optional reads a file of a folder that may be missing: nil then.
func Optional(fsys fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// openFiles are the files that tensors are read from.
type openFiles struct {
	fsys   fs.FS
	memory bool // read them whole
	open   []fs.File
}

func (o *openFiles) close() {
	for _, f := range o.open {
		f.Close()
	}
}

// Tensors reads a folder's tensors by name: those of model.safetensors or of the files its index names. They view the
// files' bytes.
func Tensors(fsys fs.FS) (map[string]Tensor, error) {
	files := &openFiles{fsys: fsys, memory: true}
	defer files.close()
	return files.tensors()
}

// tensors lists what model.safetensors holds or else the files that its index names.
func (o *openFiles) tensors() (map[string]Tensor, error) {
	names := []string{weightsFile}
	if _, err := fs.Stat(o.fsys, weightsFile); errors.Is(err, fs.ErrNotExist) {
		index, err := fs.ReadFile(o.fsys, indexFile)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w, and no %s", weightsFile, fs.ErrNotExist, indexFile)
		} else if err != nil {
			return nil, err
		}
		if names, err = shards(index); err != nil {
			return nil, fmt.Errorf("%s: %w", indexFile, err)
		}
	}
	all := map[string]Tensor{}
	for _, name := range names {
		tensors, err := o.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w, and %s names it", name, fs.ErrNotExist, indexFile)
		}
		if err != nil {
			return nil, err
		}
		for _, t := range tensors {
			if other, ok := all[t.Name]; ok {
				return nil, fmt.Errorf("%s: tensor %q is also in %s", name, t.Name, other.in)
			}
			t.in = name
			all[t.Name] = t
		}
	}
	return all, nil
}

// maxShards bounds the files of one model; those of the largest models have some hundred.
const maxShards = 4096

// shards reads the names of the files in an index, all in the folder itself.
func shards(index []byte) ([]string, error) {
	var x struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(index, &x); err != nil {
		return nil, jsonl.Plain(err)
	}
	names := slices.Compact(slices.Sorted(maps.Values(x.Map)))
	for _, name := range names {
		if !fs.ValidPath(name) || strings.ContainsAny(name, `/\`) || name == "." {
			return nil, fmt.Errorf("weight_map names %q, want a file of the folder", name)
		}
	}
	if len(names) == 0 || len(names) > maxShards {
		return nil, fmt.Errorf("weight_map names %d files, want 1 to %d", len(names), maxShards)
	}
	return names, nil
}

// read opens a file and reads its header.
func (o *openFiles) read(name string) ([]Tensor, error) {
	f, err := o.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	o.open = append(o.open, f)
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	at, ok := f.(io.ReaderAt)
	size := info.Size()
	if !ok || o.memory || !info.Mode().IsRegular() { // some file systems read from front to back only
		data, err := io.ReadAll(f)
		if err != nil {
			return nil, err
		}
		at, size = held(data), int64(len(data))
	}
	tensors, err := OpenSafetensors(at, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return tensors, nil
}

// assemble makes the model of the tensors, which must be those of the configuration.
func assemble(cfg engine.Config, tensors map[string]Tensor) (*engine.Model, error) {
	elements := 0
	for _, t := range tensors {
		elements += t.Len()
	}
	if n := cfg.Matrices(); n > float64(elements) { // before any memory is taken for what the configuration claims
		return nil, fmt.Errorf("%s: the sizes make %s weights, the files hold %d", configFile, figure.Fixed(n, 0),
			elements)
	}
	m, err := engine.Empty(cfg)
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
			return nil, fmt.Errorf("%s: tensor %q has shape %v, %s calls for %v", t.in, p.Name, t.Shape, configFile,
				p.Shape)
		}
		if err := t.Decode(p.Data); err != nil {
			return nil, fmt.Errorf("%s: %w", t.in, err)
		}
		for i, x := range p.Data {
			if x-x != 0 {
				return nil, fmt.Errorf("%s: tensor %q: element %d is %v, want finite numbers", t.in, p.Name, i, x)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		// A tied head may be stored too, and older folders have the rotary angles, which follow from the configuration.
		if !used[name] && !(cfg.Tied && name == "lm_head.weight") && !strings.HasSuffix(name, ".rotary_emb.inv_freq") {
			return nil, fmt.Errorf("%s: tensor %q is none that %s calls for", tensors[name].in, name, configFile)
		}
	}
	m.Changed(runtime.GOMAXPROCS(0))
	return m, nil
}

// Files returns the folder's files by name, the weights in one, which transformers, vLLM and llama.cpp read. The same
// folder gives the same bytes.
func (f *Folder) Files(as DType) (map[string][]byte, error) {
	var b bytes.Buffer
	if err := WriteSafetensors(&b, f.Model.Params(), as); err != nil {
		return nil, err
	}
	dtype := map[DType]string{F32: "float32", F16: "float16", BF16: "bfloat16"}[as]
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

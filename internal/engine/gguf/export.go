package gguf

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/engine"
	"hallmark/internal/engine/weights"
)

// The files of a folder that are read here; package weights reads the others.
const (
	configFile          = "config.json"
	tokenizerFile       = "tokenizer.json"
	tokenizerConfigFile = "tokenizer_config.json"
	templateFile        = "chat_template.jinja"
)

// Export writes the Hugging Face folder at the root of fsys, of the Llama, Qwen2 or Qwen3 family, as one GGUF file
// that llama.cpp loads. Matrices are stored as the given type or, if it is "", each as the folder has it; vectors
// are F32, as llama.cpp wants them. The same folder gives the same bytes. It holds the folder's weight files in
// memory and converts them row by row.
//
// The warnings say where llama.cpp will read some texts otherwise than the folder's tokenizer does. An error names the
// file, and what in it is not understood or has no place in a GGUF file or in llama.cpp.
func Export(w io.Writer, fsys fs.FS, as weights.DType) (warnings []string, err error) {
	x, err := open(fsys)
	if err != nil {
		return nil, err
	}
	sources, err := x.sources(as)
	if err != nil {
		return nil, err
	}
	meta := x.shape(sources)
	if x.tokenizer == nil {
		meta = append(meta, Pair{"tokenizer.ggml.model", "none"})
	} else {
		v := &vocabulary{export: x}
		if err := v.read(); err != nil {
			return nil, fmt.Errorf("%s: %w", tokenizerFile, err)
		}
		meta = append(meta, v.metadata()...)
		warnings = v.warnings
	}
	return warnings, Write(w, meta, sources)
}

// An export is a folder on its way to a file.
type export struct {
	cfg       engine.Config
	beginID   *int32 // bos_token_id of config.json, nil for none
	stops     []int32
	tokenizer []byte // tokenizer.json, nil for none
	special   tokenizerConfig
	template  string // the chat template, "" for none
	stored    map[string]weights.Tensor
}

// tokenizerConfig is what tokenizer_config.json adds to tokenizer.json.
type tokenizerConfig struct {
	Template json.RawMessage `json:"chat_template"`
	BOS      special         `json:"bos_token"`
	EOS      special         `json:"eos_token"`
	Padding  special         `json:"pad_token"`
	AddBOS   *bool           `json:"add_bos_token"`
	AddEOS   *bool           `json:"add_eos_token"`
}

// special is a token given as its text or as an object with it.
type special string

func (s *special) UnmarshalJSON(data []byte) error {
	var o struct {
		Content string `json:"content"`
	}
	var text string // stays empty for null
	if json.Unmarshal(data, &text) == nil {
		*s = special(text)
		return nil
	}
	if json.Unmarshal(data, &o) != nil {
		return fmt.Errorf("%.40s, want a token's text", data)
	}
	*s = special(o.Content)
	return nil
}

func open(fsys fs.FS) (*export, error) {
	data, err := fs.ReadFile(fsys, configFile)
	if err != nil {
		return nil, err
	}
	x := new(export)
	if err := x.config(data); err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	if x.stops, err = weights.Stops(fsys, data, x.cfg.Vocab); err != nil {
		return nil, err
	}
	if x.tokenizer, err = weights.Optional(fsys, tokenizerFile); err != nil {
		return nil, err
	}
	if err := x.configure(fsys); err != nil {
		return nil, err
	}
	x.stored, err = weights.Tensors(fsys)
	return x, err
}

// config reads config.json and refuses the shapes that llama.cpp has no place for.
func (x *export) config(data []byte) error {
	var err error
	if x.cfg, err = engine.ParseConfig(data); err != nil {
		return err
	}
	var raw struct {
		BOS *int32 `json:"bos_token_id"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return jsonl.Plain(err)
	}
	switch id := raw.BOS; {
	case id == nil || *id == weights.NoToken:
	case *id < 0 || int(*id) >= x.cfg.Vocab:
		return fmt.Errorf("bos_token_id is %d, outside the vocabulary of %d", *id, x.cfg.Vocab)
	default:
		x.beginID = id
	}
	if c := x.cfg; c.ModelType == "qwen2" && c.Heads*c.HeadDim != c.Hidden {
		return fmt.Errorf("%d heads of %d make %d, not hidden_size %d; llama.cpp's qwen2 needs them equal", c.Heads,
			c.HeadDim, c.Heads*c.HeadDim, c.Hidden)
	}
	return ropeError(x.cfg)
}

// configure reads tokenizer_config.json and the chat template.
func (x *export) configure(fsys fs.FS) error {
	data, err := weights.Optional(fsys, tokenizerConfigFile)
	if err != nil {
		return err
	}
	if data != nil {
		if err := json.Unmarshal(data, &x.special); err != nil {
			return fmt.Errorf("%s: %w", tokenizerConfigFile, err)
		}
	}
	source, err := weights.Optional(fsys, templateFile)
	if err != nil {
		return err
	}
	x.template = string(source)
	if t := x.special.Template; len(t) > 0 && string(t) != "null" {
		if json.Unmarshal(t, &x.template) != nil {
			return fmt.Errorf("%s: chat_template is a list; one string is understood", tokenizerConfigFile)
		}
	}
	return nil
}

// sources lists the tensors to write.
func (x *export) sources(as weights.DType) ([]Source, error) {
	var list []Source
	left := maps.Clone(x.stored)
	for _, p := range layout(x.cfg) {
		t, ok := x.stored[p.hf]
		switch {
		case !ok:
			return nil, fmt.Errorf("no tensor %q, which %s calls for", p.hf, configFile)
		case !slices.Equal(t.Shape, p.shape):
			return nil, fmt.Errorf("tensor %q has shape %v, %s calls for %v", p.hf, t.Shape, configFile, p.shape)
		}
		delete(left, p.hf)
		list = append(list, p.from(t, as))
	}
	if x.cfg.Tied {
		delete(left, "lm_head.weight") // a tied head may be stored too
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("tensor %q is none that %s calls for", slices.Min(slices.Collect(maps.Keys(left))),
			configFile)
	}
	if x.cfg.Rope.Type == "llama3" {
		list = append(list, divisors(x.cfg))
	}
	return list, nil
}

// from is the stored tensor in its place: what llama.cpp calls it, with its rows as llama.cpp orders them.
func (p place) from(t weights.Tensor, as weights.DType) Source {
	if as == "" {
		as = t.DType
	}
	if len(p.shape) == 1 {
		as = weights.F32
	}
	width, raw := t.DType.Size(), t.Raw()
	if len(p.shape) == 1 { // one row, of which each element has its source
		return Source{p.gguf, p.shape, as, func(_ int, dst []float32) {
			for i := range dst {
				t.DType.Decode(dst[i:i+1], raw[p.source(i)*width:])
			}
		}}
	}
	width *= p.shape[1]
	return Source{p.gguf, p.shape, as, func(i int, dst []float32) { t.DType.Decode(dst, raw[p.source(i)*width:]) }}
}

// fileTypes are llama.cpp's numbers of what most tensors of a file are stored as.
var fileTypes = map[weights.DType]uint32{weights.F32: 0, weights.F16: 1, weights.BF16: 32}

// shape is the metadata about the model itself.
func (x *export) shape(sources []Source) []Pair {
	c := x.cfg
	elements := map[weights.DType]int{}
	most := weights.F32
	for _, s := range sources {
		if elements[s.DType] += s.len(); elements[s.DType] > elements[most] {
			most = s.DType
		}
	}
	list := []Pair{
		{"general.architecture", c.ModelType},
		{"general.type", "model"},
		{"general.file_type", fileTypes[most]},
	}
	for _, p := range []Pair{
		{"vocab_size", uint32(c.Vocab)},
		{"context_length", uint32(c.MaxContext)},
		{"embedding_length", uint32(c.Hidden)},
		{"block_count", uint32(c.Layers)},
		{"feed_forward_length", uint32(c.Inner)},
		{"attention.head_count", uint32(c.Heads)},
		{"attention.head_count_kv", uint32(c.KVHeads)},
		{"attention.key_length", uint32(c.HeadDim)},
		{"attention.value_length", uint32(c.HeadDim)},
		{"attention.layer_norm_rms_epsilon", float32(c.Epsilon)},
		{"rope.dimension_count", uint32(c.HeadDim)},
		{"rope.freq_base", float32(c.Theta)},
	} {
		list = append(list, Pair{c.ModelType + "." + p.Key, p.Value})
	}
	return append(list, ropeMetadata(c)...)
}

package gguf

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"hallmark/internal/transformer"
	"hallmark/internal/transformer/token"
	"hallmark/internal/transformer/weights"
)

// Load makes the model and tokenizer of a file of the architectures llama, qwen2 or qwen3. What Export wrote comes back to
// the same bits. The tokenizer is the tokenizer.json that a file may keep; it is nil if there is none. An error names the
// key or the tensor.
func (f *File) Load() (*weights.Folder, error) {
	cfg, err := f.config()
	if err != nil {
		return nil, err
	}
	folder := new(weights.Folder)
	if text, ok := f.Value(tokenizerKey).(string); ok {
		if folder.Tokenizer, err = token.Parse([]byte(text)); err != nil {
			return nil, fmt.Errorf("metadata %q: %w", tokenizerKey, err)
		}
		if n := folder.Tokenizer.Size(); n > cfg.Vocab {
			return nil, fmt.Errorf("metadata %q: %d tokens, more than the model's %d", tokenizerKey, n, cfg.Vocab)
		}
	}
	for _, name := range []string{"eos", "eot", "eom"} {
		key := "tokenizer.ggml." + name + "_token_id"
		if f.Value(key) == nil {
			continue
		}
		id, err := f.integer(key, cfg.Vocab-1)
		if err != nil {
			return nil, err
		}
		folder.Stop = append(folder.Stop, int32(id))
	}
	folder.Model, err = f.assemble(cfg)
	return folder, err
}

// integer is the number under a key, 0 to most.
func (f *File) integer(key string, most int) (int, error) {
	v := reflect.ValueOf(f.Value(key))
	n := int64(-1)
	switch {
	case !v.IsValid():
		return 0, fmt.Errorf("metadata %q is missing", key)
	case v.CanInt():
		n = v.Int()
	case v.CanUint() && v.Uint() <= math.MaxInt64:
		n = int64(v.Uint())
	}
	if n < 0 || n > int64(most) {
		return 0, fmt.Errorf("metadata %q is %v, want an integer from 0 to %d", key, v, most)
	}
	return int(n), nil
}

// float is the number under a key. A float32 is read as the shortest decimal that it is nearest to, as it was written
// by a person: 1e-6 is no float32.
func (f *File) float(key string) (float64, error) {
	switch x := f.Value(key).(type) {
	case float64:
		return x, nil
	case float32:
		return strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64)
	}
	return 0, fmt.Errorf("metadata %q is %v, want a number", key, f.Value(key))
}

// config reads the model's shape.
func (f *File) config() (transformer.Config, error) {
	c := transformer.Config{Theta: 10000}
	arch, ok := f.Value("general.architecture").(string)
	if !ok {
		return c, fmt.Errorf("metadata %q is missing", "general.architecture")
	}
	switch arch {
	case "llama", "qwen2", "qwen3":
	default:
		return c, fmt.Errorf("metadata %q is %q, want llama, qwen2 or qwen3", "general.architecture", arch)
	}
	c.ModelType = arch
	var err error
	for _, field := range []struct {
		key string
		at  *int
	}{
		{"vocab_size", &c.Vocab}, {"context_length", &c.MaxContext}, {"embedding_length", &c.Hidden}, {"block_count", &c.Layers},
		{"feed_forward_length", &c.Inner}, {"attention.head_count", &c.Heads}, {"attention.head_count_kv", &c.KVHeads},
		{"attention.key_length", &c.HeadDim},
	} {
		key := arch + "." + field.key
		if f.Value(key) == nil && f.fallback(&c, field.at) {
			continue
		}
		if *field.at, err = f.integer(key, math.MaxInt32); err != nil {
			return c, err
		}
	}
	if c.Epsilon, err = f.float(arch + ".attention.layer_norm_rms_epsilon"); err != nil {
		return c, err
	}
	if key := arch + ".rope.freq_base"; f.Value(key) != nil {
		if c.Theta, err = f.float(key); err != nil {
			return c, err
		}
	}
	c.Tied = f.tensors["output.weight"] == nil
	return f.scaled(c)
}

// fallback fills in what a file may leave out, and reports whether it may.
func (f *File) fallback(c *transformer.Config, at *int) bool {
	switch at {
	case &c.Vocab:
		tokens, ok := f.Value("tokenizer.ggml.tokens").([]string)
		c.Vocab = len(tokens)
		return ok
	case &c.KVHeads:
		c.KVHeads = c.Heads
		return true
	case &c.HeadDim:
		c.HeadDim = c.Hidden / max(c.Heads, 1)
		return true
	}
	return false
}

// scaled checks what is said of rotary position and adds its scaling.
func (f *File) scaled(c transformer.Config) (transformer.Config, error) {
	for _, name := range []string{"attention.value_length", "rope.dimension_count"} {
		key := c.ModelType + "." + name
		if f.Value(key) == nil {
			continue
		}
		if n, err := f.integer(key, math.MaxInt32); err != nil || n != c.HeadDim {
			return c, fmt.Errorf("metadata %q is %v, want the length of keys, %d", key, f.Value(key), c.HeadDim)
		}
	}
	if err := f.readRope(&c); err != nil {
		return c, err
	}
	return c, c.Validate()
}

// assemble makes the model of the tensors.
func (f *File) assemble(cfg transformer.Config) (*transformer.Model, error) {
	elements := 0
	for _, t := range f.Tensors {
		elements += t.Len()
	}
	if n := cfg.Matrices(); n > float64(elements) { // before any memory is taken for what the metadata claim
		return nil, fmt.Errorf("the metadata's sizes make %.0f weights, the tensors hold %d", n, elements)
	}
	places := layout(cfg)
	known := map[string]bool{freqsTensor: true}
	for _, p := range places {
		known[p.gguf] = true
	}
	for _, t := range f.Tensors {
		if !known[t.Name] {
			return nil, fmt.Errorf("tensor %q is none that the metadata call for", t.Name)
		}
	}
	m, err := transformer.Empty(cfg)
	if err != nil {
		return nil, err
	}
	to := map[string]transformer.Tensor{}
	for _, p := range m.Params() {
		to[p.Name] = p
	}
	for _, p := range places {
		t := f.tensors[p.gguf]
		switch {
		case t == nil:
			return nil, fmt.Errorf("no tensor %q, which the metadata call for", p.gguf)
		case !slices.Equal(t.Shape, p.shape):
			return nil, fmt.Errorf("tensor %q has shape %v, the metadata call for %v", p.gguf, t.Shape, p.shape)
		}
		if err := p.into(to[p.hf].Data, *t); err != nil {
			return nil, err
		}
	}
	m.Changed(1)
	return m, nil
}

// into reads a tensor of the file and puts its rows where Hugging Face has them.
func (p place) into(dst []float32, t Tensor) error {
	if err := t.Decode(dst); err != nil {
		return err
	}
	for i, x := range dst {
		if x-x != 0 {
			return fmt.Errorf("tensor %q: element %d is %v, want finite numbers", t.Name, i, x)
		}
	}
	if p.heads == 0 {
		return nil
	}
	from := slices.Clone(dst)
	width := len(dst) / p.shape[0]
	for i := range p.shape[0] {
		copy(dst[p.source(i)*width:][:width], from[i*width:])
	}
	return nil
}

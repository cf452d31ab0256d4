package gguf

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"testing"

	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/weights"
)

// load makes the model, the tokenizer and the ends of a text out of what Export wrote, so that a test can hold that
// nothing is lost.
func load(t testing.TB, f *File) *weights.Folder {
	t.Helper()
	m, err := engine.Empty(config(f))
	if err != nil {
		t.Fatal(err)
	}
	to := map[string]engine.Tensor{}
	for _, p := range m.Params() {
		to[p.Name] = p
	}
	places := layout(m.Config())
	if rope := f.tensors[freqsTensor]; len(f.Tensors) != len(places) && (rope == nil || len(f.Tensors) != len(places)+1) {
		t.Fatalf("%d tensors, want %d", len(f.Tensors), len(places))
	}
	for _, p := range places {
		x := f.tensors[p.gguf]
		if x == nil || !slices.Equal(x.Shape, p.shape) {
			t.Fatalf("tensor %q is %+v, want shape %v", p.gguf, x, p.shape)
		}
		if err := p.into(to[p.hf].Data, x); err != nil {
			t.Fatal(err)
		}
	}
	m.Changed(1)
	folder := &weights.Folder{Model: m}
	if text, ok := f.values[tokenizerKey].(string); ok {
		if folder.Tokenizer, err = token.Parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"eos", "eot", "eom"} {
		if id, ok := f.values["tokenizer.ggml."+name+"_token_id"].(uint32); ok {
			folder.Stop = append(folder.Stop, int32(id))
		}
	}
	return folder
}

// config reads the model's shape.
func config(f *File) engine.Config {
	arch := f.values["general.architecture"].(string)
	number := func(name string) int { return int(f.values[arch+"."+name].(uint32)) }
	float := func(name string) float64 { // the shortest decimal that is nearest to the float32, as it was written by a person: 1e-6 is no float32
		x, _ := strconv.ParseFloat(fmt.Sprint(f.values[arch+"."+name].(float32)), 64)
		return x
	}
	return engine.Config{
		ModelType: arch, Vocab: number("vocab_size"), MaxContext: number("context_length"),
		Hidden: number("embedding_length"),
		Layers: number("block_count"), Inner: number("feed_forward_length"), Heads: number("attention.head_count"),
		KVHeads: number("attention.head_count_kv"), HeadDim: number("attention.key_length"),
		Epsilon: float("attention.layer_norm_rms_epsilon"), Theta: float("rope.freq_base"),
		Tied: f.tensors["output.weight"] == nil, Rope: scaling(f, arch),
	}
}

// scaling reads the scaling of the rotary angles.
func scaling(f *File, arch string) (r engine.Rope) {
	float := func(key string) float64 { x, _ := f.values[key].(float64); return x }
	r.Type, _ = f.values[arch+".rope.scaling.type"].(string)
	original := arch + ".rope.scaling.original_context_length"
	if f.tensors[freqsTensor] != nil {
		r.Type, original = "llama3", originalKey
	}
	if r.Type == "yarn" {
		r.Fast, r.Slow = yarnFast, yarnSlow
	}
	if n, ok := f.values[original].(uint32); ok {
		r.Original = int(n)
	}
	r.Factor, r.Low, r.High, r.Attention = float(factorKey), float(lowKey), float(highKey), float(attentionKey)
	return r
}

// decode reads the elements of a tensor.
func (t *Tensor) decode(dst []float32) error {
	raw := make([]byte, t.data.Size())
	if n, err := t.data.ReadAt(raw, 0); n < len(raw) && err != io.EOF {
		return err
	} else if n < len(raw) {
		return fmt.Errorf("tensor %q: %w", t.Name, io.ErrUnexpectedEOF)
	}
	t.DType.Decode(dst, raw)
	return nil
}

// into reads a tensor of the file and puts its rows where Hugging Face has them.
func (p place) into(dst []float32, t *Tensor) error {
	from := make([]float32, len(dst))
	if err := t.decode(from); err != nil {
		return err
	}
	width := len(dst) / p.shape[0]
	for i := range p.shape[0] {
		copy(dst[p.source(i)*width:][:width], from[i*width:])
	}
	return nil
}

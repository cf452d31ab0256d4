package gguf

import (
	"bytes"
	"cmp"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/engine"
	"hallmark/internal/engine/weights"
)

// families are small models of every kind of tensor: grouped heads, biases, norms of heads, tied and untied heads, a
// head width that is not Hidden/Heads, and a vocabulary larger than the tokenizer's.
var families = map[string]engine.Config{
	"llama3": {ModelType: "llama", Vocab: 430, Hidden: 24, Inner: 40, Layers: 2, Heads: 6, KVHeads: 2, HeadDim: 8,
		MaxContext: 64, Epsilon: 1e-5, Theta: 5e5},
	"gpt2": {ModelType: "llama", Vocab: 423, Hidden: 16, Inner: 24, Layers: 1, Heads: 2, KVHeads: 2, HeadDim: 8,
		MaxContext: 64, Epsilon: 1e-6, Theta: 10000, Tied: true},
	"spm": {ModelType: "llama", Vocab: 496, Hidden: 16, Inner: 24, Layers: 1, Heads: 2, KVHeads: 1, HeadDim: 8,
		MaxContext: 64, Epsilon: 1e-6, Theta: 10000},
	"qwen2": {ModelType: "qwen2", Vocab: 410, Hidden: 32, Inner: 40, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 8,
		MaxContext: 64, Epsilon: 1e-6, Theta: 1e6, Tied: true},
	"qwen3": {ModelType: "qwen3", Vocab: 410, Hidden: 24, Inner: 40, Layers: 2, Heads: 4, KVHeads: 1, HeadDim: 16,
		MaxContext: 64, Epsilon: 1e-6, Theta: 1e6},
}

// folder makes a random model's folder, with the tokenizer that package token tests with.
func folder(t testing.TB, name string, as weights.DType) fstest.MapFS {
	t.Helper()
	m, err := engine.New(families[name], 1)
	if err != nil {
		t.Fatal(err)
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for _, p := range m.Params() {
		if len(p.Shape) == 1 {
			for i := range p.Data {
				p.Data[i] += float32(draw.NormFloat64() / 4)
			}
		}
	}
	files, err := (&weights.Folder{Model: m, Stop: []int32{9, 7}}).Files(as)
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for file, data := range files {
		fsys[file] = &fstest.MapFile{Data: data}
	}
	tokenizer := map[string]string{"qwen3": "qwen2", "spm": "llama2"}[name]
	data, err := os.ReadFile("../token/testdata/" + cmp.Or(tokenizer, name) + ".json")
	if err != nil {
		t.Fatal(err)
	}
	fsys[tokenizerFile] = &fstest.MapFile{Data: data}
	return fsys
}

// edit replaces text in a file of the folder.
func edit(t testing.TB, fsys fstest.MapFS, file, from, to string) {
	t.Helper()
	data := bytes.Replace(fsys[file].Data, []byte(from), []byte(to), 1)
	if bytes.Equal(data, fsys[file].Data) {
		t.Fatalf("%s holds no %s", file, from)
	}
	fsys[file] = &fstest.MapFile{Data: data}
}

func exported(t testing.TB, fsys fs.FS, as weights.DType) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := Export(&b, fsys, as); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, data []byte) *File {
	t.Helper()
	f, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func same(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// TestRoundTrip: what is exported comes back as the same model, tokenizer and ends, to the bit, from F32 and BF16.
func TestRoundTrip(t *testing.T) {
	for name := range families {
		for _, as := range []weights.DType{weights.F32, weights.BF16} {
			fsys := folder(t, name, as)
			want, err := weights.Load(fsys)
			if err != nil {
				t.Fatal(err)
			}
			data := exported(t, fsys, "")
			if !bytes.Equal(data, exported(t, fsys, as)) {
				t.Errorf("%s %s: exported again, other bytes", name, as)
			}
			got := load(t, read(t, data))
			if !reflect.DeepEqual(got.Model.Config(), want.Model.Config()) {
				t.Errorf("%s: config %+v, want %+v", name, got.Model.Config(), want.Model.Config())
			}
			if !slices.Equal(got.Stop, want.Stop) {
				t.Errorf("%s: stops at %v, want %v", name, got.Stop, want.Stop)
			}
			if !same(got.Model.Weights(), want.Model.Weights()) {
				t.Fatalf("%s %s: other weights", name, as)
			}
			const text = "Hello, wörld! 12345\n  I'll see <tool>"
			a, errA := got.Tokenizer.Encode(text)
			b, errB := want.Tokenizer.Encode(text)
			if errA != nil || errB != nil || !slices.Equal(a, b) {
				t.Errorf("%s: tokens %v, want %v", name, a, b)
			}
			x, errX := got.Model.Logits(a)
			y, errY := want.Model.Logits(a)
			if errX != nil || errY != nil || !slices.EqualFunc(x, y, same) {
				t.Errorf("%s: other logits: %v, %v", name, errX, errY)
			}
		}
	}
}

// TestScaledRoundTrip: scalings of the rotary angles come back exactly.
func TestScaledRoundTrip(t *testing.T) {
	for _, scaling := range []string{
		`{"rope_type": "linear", "factor": 2.7}`,
		`{"rope_type": "yarn", "factor": 4.1, "original_max_position_embeddings": 32}`,
		`{"rope_type": "yarn", "factor": 4, "attention_factor": 0.77}`,
		`{"rope_type": "llama3", "factor": 8.3, "low_freq_factor": 1.1, "high_freq_factor": 4.7, "original_max_position_embeddings": 16}`,
	} {
		fsys := folder(t, "gpt2", weights.F32)
		edit(t, fsys, configFile, "{", `{"rope_scaling": `+scaling+",")
		want, err := weights.Load(fsys)
		if err != nil {
			t.Fatal(err)
		}
		got := load(t, read(t, exported(t, fsys, "")))
		if got.Model.Config() != want.Model.Config() || want.Model.Config().Rope.Type == "" {
			t.Errorf("%s: %+v, want %+v", scaling, got.Model.Config(), want.Model.Config())
		}
	}
}

// TestScaling: the divisors are those that llama.cpp's conversion/llama.py (in llama_cpp_python 0.3.36) computes, by
// torch in float32.
func TestScaling(t *testing.T) {
	source := divisors(engine.Config{HeadDim: 16, Theta: 1e4, Rope: engine.Rope{Type: "llama3", Factor: 8, Low: 1, High: 4,
		Original: 64}})
	got := make([]float32, 8)
	source.Row(0, got)
	want := []float32{1, 1.293975830078125, 7.667385101318359, 8, 8, 8, 8, 8}
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > 1e-5 {
			t.Errorf("divisors %v, want %v", got, want)
			break
		}
	}
}

// TestNarrowing: matrices are rounded to the type asked for, vectors never.
func TestNarrowing(t *testing.T) {
	fsys := folder(t, "qwen2", weights.F32)
	full := load(t, read(t, exported(t, fsys, "")))
	for as, bits := range map[weights.DType]float64{weights.F16: 11, weights.BF16: 8} {
		f := read(t, exported(t, fsys, as))
		if want := fileTypes[as]; f.values["general.file_type"] != want {
			t.Errorf("%s: file type %v, want %d", as, f.values["general.file_type"], want)
		}
		got := load(t, f)
		for i, p := range got.Model.Params() {
			for j, x := range p.Data {
				y := float64(full.Model.Params()[i].Data[j])
				if most := math.Max(math.Abs(y)*math.Exp2(-bits), 0x1p-25); len(p.Shape) == 2 && math.Abs(float64(x)-y) > most ||
					len(p.Shape) == 1 && float64(x) != y {
					t.Fatalf("%s: %s[%d] is %g, was %g", as, p.Name, j, x, y)
				}
			}
		}
	}
}

// TestOrder: in the llama architecture a head's rows are interleaved: of 2 heads of 4 rows, by hand.
func TestOrder(t *testing.T) {
	p := place{shape: []int{8, 1}, heads: 2}
	var got []int
	for i := range 8 {
		got = append(got, p.source(i))
	}
	if want := []int{0, 2, 1, 3, 4, 6, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

// TestBytes: a file by hand, from the specification.
func TestBytes(t *testing.T) {
	var b bytes.Buffer
	err := Write(&b, []Pair{{"a", uint32(7)}, {"b", "xy"}, {"c", []string{"p", ""}}, {"d", true}, {"e", []float32{1}}},
		[]Source{
			{"t", []int{2, 3}, weights.F16, func(i int, dst []float32) { copy(dst, []float32{float32(i), 1, -2}) }},
			{"u", []int{1}, weights.F32, func(_ int, dst []float32) { dst[0] = .5 }},
		})
	if err != nil {
		t.Fatal(err)
	}
	long := func(n byte) string { return string([]byte{n, 0, 0, 0, 0, 0, 0, 0}) }
	word := func(n byte) string { return string([]byte{n, 0, 0, 0}) }
	want := "GGUF" + word(3) + long(2) + long(5) +
		long(1) + "a" + word(4) + word(7) +
		long(1) + "b" + word(8) + long(2) + "xy" +
		long(1) + "c" + word(9) + word(8) + long(2) + long(1) + "p" + long(0) +
		long(1) + "d" + word(7) + "\x01" +
		long(1) + "e" + word(9) + word(6) + long(1) + "\x00\x00\x80\x3f" +
		long(1) + "t" + word(2) + long(3) + long(2) + word(1) + long(0) +
		long(1) + "u" + word(1) + long(1) + word(0) + long(32)
	want += strings.Repeat("\x00", (32-len(want)%32)%32)
	want += "\x00\x00\x00\x3c\x00\xc0" + "\x00\x3c\x00\x3c\x00\xc0" + strings.Repeat("\x00", 20)
	want += "\x00\x00\x00\x3f" + strings.Repeat("\x00", 28)
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	f := read(t, b.Bytes())
	if !slices.Equal(f.Tensors[0].Shape, []int{2, 3}) || !reflect.DeepEqual(f.values["c"], []string{"p", ""}) {
		t.Errorf("read back: %v, %v", f.Tensors[0].Shape, f.values["c"])
	}
}

// TestMetadata holds what llama.cpp is told of a byte-level vocabulary against tokenizer.json.
func TestMetadata(t *testing.T) {
	fsys := folder(t, "llama3", weights.F32)
	fsys["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"bos_token": {"content": "<|end|>"}, "eos_token": "<|pad|>", "pad_token": null, "chat_template": "x{{y}}"}`)}
	f := read(t, exported(t, fsys, ""))
	for key, want := range map[string]any{
		"general.architecture": "llama", "general.file_type": uint32(0), "llama.attention.head_count_kv": uint32(2),
		"llama.rope.freq_base": float32(5e5),
		"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "llama-bpe", "tokenizer.ggml.bos_token_id": uint32(413),
		"tokenizer.ggml.eos_token_id": uint32(414),
		"tokenizer.ggml.eot_token_id": uint32(9), "tokenizer.ggml.eom_token_id": uint32(7),
		"tokenizer.ggml.add_bos_token": true,
		"tokenizer.ggml.add_eos_token": false, "tokenizer.ggml.padding_token_id": nil, "tokenizer.chat_template": "x{{y}}",
		"tokenizer.ggml.scores": nil,
	} {
		if got := f.values[key]; got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	vocab, merged := vocabularyOf(t, fsys)
	tokens := f.values["tokenizer.ggml.tokens"].([]string)
	types := f.values["tokenizer.ggml.token_type"].([]int32)
	if len(tokens) != 430 || len(types) != 430 {
		t.Fatalf("%d tokens and %d types, want 430", len(tokens), len(types))
	}
	for text, id := range vocab {
		if tokens[id] != text || types[id] != tokenNormal {
			t.Errorf("token %d is %q of type %d, want %q", id, tokens[id], types[id], text)
		}
	}
	for id, want := range map[int]string{413: "<|end|>", 415: "<tool>", 429: "[PAD429]"} {
		if tokens[id] != want {
			t.Errorf("token %d is %q, want %q", id, tokens[id], want)
		}
	}
	if types[413] != tokenControl || types[415] != tokenUser || types[429] != tokenUnused {
		t.Errorf("types %d %d %d", types[413], types[415], types[429])
	}
	merges := f.values["tokenizer.ggml.merges"].([]string)
	for i, m := range merged {
		if merges[i] != m[0]+" "+m[1] {
			t.Fatalf("merge %d is %q, want %q", i, merges[i], m)
		}
	}
}

// TestSplits: every way to split that has a name, and what has none.
func TestSplits(t *testing.T) {
	for name, want := range map[string]string{"gpt2": "gpt-2", "qwen2": "qwen2", "qwen3": "qwen2", "llama3": "llama-bpe"} {
		if got := read(t, exported(t, folder(t, name, weights.F32), "")).values["tokenizer.ggml.pre"]; got != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
	fsys := folder(t, "llama3", weights.F32)
	edit(t, fsys, tokenizerFile, `"ignore_merges": true`, `"ignore_merges": false`)
	if got := read(t, exported(t, fsys, "")).values["tokenizer.ggml.pre"]; got != "smaug-bpe" {
		t.Errorf("without ignore_merges: %v", got)
	}
}

// TestRefusals: what a folder may hold that a file or llama.cpp has no place for.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, file, from, to, want string }{
		{"llama3", tokenizerFile, `\\p{N}{1,3}`, `\\p{N}{1,4}`, "tokenizer.json: pre_tokenizer: llama.cpp has no name for " +
			"the split by"},
		{"qwen2", tokenizerFile, `"ignore_merges": false`, `"ignore_merges": true`, "with ignore_merges true"},
		{"gpt2", tokenizerFile, `"add_prefix_space": false`, `"add_prefix_space": true`, "add_prefix_space"},
		{"gpt2", tokenizerFile, `"content": "<tool>"`, `"content": "e"`, `are both spelled "e"`},
		{"gpt2", tokenizerFile, `"vocab"`, `"vocad"`, "tokenizer.json: tokenizer: model.vocab"},
		{"qwen2", configFile, `"head_dim": 8`, `"head_dim": 4`, "config.json: 4 heads of 4 make 16, not hidden_size 32"},
		{"qwen3", configFile, `"num_hidden_layers": 2`, `"num_hidden_layers": 1`, `tensor "model.layers.1.`},
		{"qwen3", configFile, `"num_hidden_layers": 2`, `"num_hidden_layers": 3`, `no tensor "model.layers.2.`},
		{"qwen3", configFile, `"intermediate_size": 40`, `"intermediate_size": 41`,
			"has shape [40 24], config.json calls for [41 24]"},
		{"qwen3", configFile, `"qwen3"`, `"mamba"`, "config.json: model_type"},
		{"qwen3", configFile, "{",
			`{"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4},`,
			"rope_type is llama3 and model_type qwen3"},
		{"qwen3", configFile, "{", `{"rope_scaling": {"rope_type": "yarn", "factor": 8, "truncate": false},`,
			"truncate false"},
		{"qwen3", configFile, "{", `{"rope_scaling": {"rope_type": "yarn", "factor": 8, "beta_slow": 2},`,
			"beta_fast 32 and beta_slow 2; llama.cpp takes 32 and 1"},
		{"qwen3", configFile, "{", `{"bos_token_id": -2,`, "config.json: bos_token_id is -2, outside the vocabulary"},
		{"qwen3", "generation_config.json", `"eos_token_id": `, `"eos_token_id": 9999, "eos": `,
			"generation_config.json: eos_token_id is 9999, outside the vocabulary"},
	} {
		fsys := folder(t, c.name, weights.F32)
		edit(t, fsys, c.file, c.from, c.to)
		if _, err := Export(new(bytes.Buffer), fsys, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	for _, none := range []string{"-1", "null"} { // no token
		fsys := folder(t, "qwen3", weights.F32)
		edit(t, fsys, configFile, "{", `{"bos_token_id": `+none+`,`)
		fsys["generation_config.json"] = &fstest.MapFile{Data: []byte(`{"eos_token_id": -1}`)}
		if _, err := Export(new(bytes.Buffer), fsys, ""); err != nil {
			t.Errorf("bos_token_id %s: %v", none, err)
		}
	}
	large, err := os.ReadFile("../token/testdata/llama3.json")
	if err != nil {
		t.Fatal(err)
	}
	small := folder(t, "qwen2", weights.F32)
	small[tokenizerFile] = &fstest.MapFile{Data: large}
	if _, err := Export(new(bytes.Buffer), small, ""); err == nil ||
		!strings.Contains(err.Error(), "tokenizer.json: 417 tokens, more than the vocab_size of config.json, 410") {
		t.Errorf("a tokenizer that is too large: %v", err)
	}
	for file, c := range map[string]struct{ data, want string }{
		tokenizerConfigFile: {`{"bos_token": "<nowhere>"}`,
			`no token is spelled "<nowhere>", which tokenizer_config.json names as bos_token`},
		"model.safetensors":           {"", "model.safetensors: 0 bytes"},
		"chat_template.jinja/x":       {"", "chat_template.jinja"},
		"tokenizer_config.json/other": {"", "tokenizer_config.json"},
	} {
		fsys := folder(t, "gpt2", weights.F32)
		fsys[file] = &fstest.MapFile{Data: []byte(c.data)}
		if _, err := Export(new(bytes.Buffer), fsys, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", file, err, c.want)
		}
	}
}

// TestWhatF16CannotHold names the tensor and the element.
func TestWhatF16CannotHold(t *testing.T) {
	for x, want := range map[float32]string{65520: "is 65520, more than F16 holds",
		float32(math.NaN()): "is NaN, want finite", 65519: ""} {
		err := Write(new(bytes.Buffer), nil, []Source{{"big", []int{1, 2}, weights.F16, func(_ int, dst []float32) {
			dst[1] = x
		}}})
		if want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), `tensor "big": element 1 `+want)) {
			t.Errorf("%g: error %v, want %q", x, err, want)
		}
	}
}

// TestWarnings: where llama.cpp reads some texts otherwise, it is said.
func TestWarnings(t *testing.T) {
	fsys := folder(t, "qwen2", weights.F32)
	warnings, err := Export(new(bytes.Buffer), fsys, "")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(warnings, "\n")
	for _, want := range []string{`in the tokenizer 2 tokens, such as "<|pad|>", are each taken with the spaces beside it`,
		"Unicode form NFC"} {
		if !strings.Contains(all, want) {
			t.Errorf("warnings %q, want %q", all, want)
		}
	}
}

// failAfter fails once so many bytes are written.
type failAfter struct{ left int }

func (w *failAfter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, fs.ErrClosed
	}
	return len(p), nil
}

func TestAFullDisk(t *testing.T) {
	fsys := folder(t, "gpt2", weights.F32)
	size := len(exported(t, fsys, ""))
	for _, left := range []int{0, 100, size - 1} {
		if _, err := Export(&failAfter{left}, fsys, ""); err != fs.ErrClosed {
			t.Errorf("after %d bytes: %v", left, err)
		}
	}
}

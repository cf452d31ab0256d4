package weights

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/archtest"
	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
)

// TestAgainstHuggingFace compares with logits and hidden states made by ../testdata/reference.py; the file names the
// versions. The models have random biases and norms, grouped heads, and a head width that is not Hidden/Heads.
func TestAgainstHuggingFace(t *testing.T) {
	var ref struct {
		Tests map[string]struct {
			Tokens []int32
			Rows   []struct {
				At             int
				Logits, Hidden []float64
			}
		}
	}
	archtest.ReadJSON(t, "../testdata/reference.json", &ref)
	if len(ref.Tests) != 3 {
		t.Fatalf("%d models, want 3", len(ref.Tests))
	}
	for name, want := range ref.Tests {
		f, err := Load(os.DirFS("../testdata/" + name))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.Stop, []int32{3}) {
			t.Errorf("%s: stops at %v, want 3", name, f.Stop)
		}
		logits, hidden, err := f.Model.States(want.Tokens)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for _, row := range want.Rows {
			for i, x := range row.Logits {
				worst = max(worst, math.Abs(x-float64(logits[row.At][i])))
			}
			for i, x := range row.Hidden {
				worst = max(worst, math.Abs(x-float64(hidden[row.At][i])))
			}
		}
		if !(worst < 2e-5) {
			t.Errorf("%s: differs from transformers by %g", name, worst)
		}
	}
}

func folder(t testing.TB) *Folder {
	t.Helper()
	m, err := engine.New(engine.Config{
		ModelType: "qwen3", Vocab: 300, Hidden: 16, Inner: 24, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 6,
		MaxContext: 64, Epsilon: 1e-5, Theta: 1e6, Tied: true,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := token.TrainBPE([]token.Text{{Text: "hello hello world", Count: 3}}, token.GPT2Pattern, 280,
		token.Specials("<|end|>"))
	if err != nil {
		t.Fatal(err)
	}
	return &Folder{m, tok, []int32{0}}
}

func mapFS(files map[string][]byte) fstest.MapFS {
	m := fstest.MapFS{}
	for name, data := range files {
		m[name] = &fstest.MapFile{Data: data}
	}
	return m
}

// save writes the files of f into a folder.
func save(t *testing.T, dir string, f *Folder) {
	t.Helper()
	files, err := f.Files(F32)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	f := folder(t)
	dir := t.TempDir()
	save(t, dir, f)
	g, err := Load(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if g.Model.Config() != f.Model.Config() || !slices.Equal(g.Stop, f.Stop) {
		t.Errorf("loaded %+v, stop %v", g.Model.Config(), g.Stop)
	}
	if !slices.Equal(g.Model.Weights(), f.Model.Weights()) {
		t.Error("the weights changed")
	}
	a, err := f.Files(F32)
	if err != nil {
		t.Fatal(err)
	}
	b, err := g.Files(F32)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(a, b, bytes.Equal) || len(a) != 4 {
		t.Error("saved again, other bytes")
	}
	narrow, err := f.Files(BF16)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Load(mapFS(narrow))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range h.Model.Weights() {
		if want := f.Model.Weights()[i]; math.Abs(float64(x-want)) > math.Abs(float64(want))/256 {
			t.Fatalf("weight %d is %g in bfloat16, was %g", i, x, want)
		}
	}
	// In two files with an index.
	tensors, err := ParseSafetensors(a[weightsFile])
	if err != nil {
		t.Fatal(err)
	}
	split := map[string][]engine.Tensor{}
	index := map[string]string{}
	for i, x := range tensors {
		n := engine.Tensor{Name: x.Name, Shape: x.Shape, Data: make([]float32, x.Len())}
		if err := x.Decode(n.Data); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("model-%d.safetensors", i%2)
		split[name] = append(split[name], n)
		index[x.Name] = name
	}
	delete(a, weightsFile)
	for name, list := range split {
		var w bytes.Buffer
		if err := WriteSafetensors(&w, list, F32); err != nil {
			t.Fatal(err)
		}
		a[name] = w.Bytes()
	}
	a[indexFile], _ = json.Marshal(map[string]any{"weight_map": index})
	if s, err := Load(mapFS(a)); err != nil || !slices.Equal(s.Model.Weights(), f.Model.Weights()) {
		t.Errorf("in two files: %v", err)
	}
}

// TestRounding: bfloat16 by hand, 8 bits of significand, ties to even; float16 from IEEE 754.
func TestRounding(t *testing.T) {
	for x, want := range map[float32]uint16{
		1: 0x3f80, -2: 0xc000, 1 + 0x1p-8: 0x3f80, 1 + 3*0x1p-8: 0x3f82, 1 + 0x1p-8 + 0x1p-20: 0x3f81,
		math.MaxFloat32: 0x7f80, 0x1p-149: 0,
	} {
		if got := bfloat(x); got != want {
			t.Errorf("bfloat(%g) = %#x, want %#x", x, got, want)
		}
	}
	if b := bfloat(float32(math.NaN())); b&0x7f80 != 0x7f80 || b&0x7f == 0 {
		t.Errorf("bfloat(NaN) = %#x", b)
	}
	for h, want := range map[uint16]float32{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 0x1p-24, 0x03ff: 1023 * 0x1p-24,
		0x0400: 0x1p-14, 0x3555: 0.333251953125} {
		if got := half(h); got != want {
			t.Errorf("half(%#x) = %g, want %g", h, got, want)
		}
	}
	if !math.IsInf(float64(half(0xfc00)), -1) || !math.IsNaN(float64(half(0x7e01))) ||
		!math.Signbit(float64(half(0x8000))) {
		t.Error("half of infinity, NaN or negative zero")
	}
}

func safetensors(header string, body int) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, body)...)
}

var hostile = map[string][]byte{
	"want at least the 8":               {1, 2, 3},
	"header of":                         binary.LittleEndian.AppendUint64(nil, 1<<62),
	"in a file of 10":                   append(binary.LittleEndian.AppendUint64(nil, 3), 0, 0),
	"header: ":                          safetensors(`{"a":`, 0),
	`"a": dtype "I64"`:                  safetensors(`{"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}`, 8),
	`"a": data_offsets`:                 safetensors(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,12]}}`, 8),
	`"b": data_offsets [8`:              safetensors(`{"b":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}}`, 8),
	`"a": shape [2]`:                    safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4),
	`is more than the file`:             safetensors(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}}`, 4),
	`"b": begins at byte 2`:             safetensors(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}`, 6),
	`"b": begins at byte 8`:             safetensors(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}`, 12),
	"4 bytes after":                     safetensors(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 8),
	`"a": twice in the hea`:             safetensors(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4),
	`"b": data_offsets holds number -4`: safetensors(`{"b":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`, 4),
	`"c": its entry holds array`:        safetensors(`{"c":[]}`, 0),
	"more after the JSON":               safetensors(`{} {}`, 0),
	"header: want a JSON ob":            safetensors(`[]`, 0),
	`"a": shape holds num`:              safetensors(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4),
}

func TestHostileSafetensors(t *testing.T) {
	for want, data := range hostile {
		if _, err := ParseSafetensors(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestHostileFolders(t *testing.T) {
	good, err := folder(t).Files(F32)
	if err != nil {
		t.Fatal(err)
	}
	config := func(from, to string) map[string][]byte {
		c := bytes.Replace(good[configFile], []byte(from), []byte(to), 1)
		if bytes.Equal(c, good[configFile]) {
			t.Fatalf("no %s in %s", from, c)
		}
		return map[string][]byte{configFile: c}
	}
	m := folder(t).Model
	m.Weights()[7] = float32(math.Inf(1))
	broken, err := (&Folder{Model: m}).Files(F32)
	if err != nil {
		t.Fatal(err)
	}
	for want, edit := range map[string]map[string][]byte{
		"config.json: the sizes make":      config(`"hidden_size": 16`, `"hidden_size": 16000`),
		"config.json: hidden_size is 1":    config(`"hidden_size": 16`, `"hidden_size": 16000000000`),
		"config.json: model_type":          config("qwen3\"", "gpt9\""),
		"config.json: num_key_value_heads": config(`"num_key_value_heads": 2`, `"num_key_value_heads": 3`),
		"shape [24 16], config.json":       config(`"intermediate_size": 24`, `"intermediate_size": 23`),
		`"model.layers.1`:                  config(`"num_hidden_layers": 2`, `"num_hidden_layers": 1`),
		"more than the vocab_size":         config(`"vocab_size": 300`, `"vocab_size": 200`),
		"hidden_act":                       config(`"silu"`, `"gelu"`),
		"model.safetensors: header of":     {weightsFile: hostile["header of"]},
		"tokenizer.json: tokenizer: ":      {tokenizerFile: []byte("{}")},
		"generation_config.json: ":         {generationFile: []byte("[")},
		"generation_config.json: eos_token_id is 300, outside the vocabulary of 300": {generationFile: []byte(`{"eos_token_id":[1,300]}`)},
		"generation_config.json: eos_token_id is -2":                                 {generationFile: []byte(`{"eos_token_id":-2}`)},
		`generation_config.json: eos_token_id is "</s>"`:                             {generationFile: []byte(`{"eos_token_id":"</s>"}`)},
		"config.json: eos_token_id is 1e10": {generationFile: []byte(`{}`),
			configFile: bytes.Replace(good[configFile], []byte("{"), []byte(`{"eos_token_id":1e10,`), 1)},
		"is +Inf, want finite":                            {weightsFile: broken[weightsFile]},
		`no tensor "model.embed_tokens`:                   {},
		"model.safetensors: file does not exist, and no ": {weightsFile: nil},
	} {
		files := maps.Clone(good)
		maps.Copy(files, edit)
		if want == `no tensor "model.embed_tokens` {
			files[weightsFile] = safetensors(`{"x":{"dtype":"F32","shape":[10000],"data_offsets":[0,40000]}}`, 40000)
		}
		if files[weightsFile] == nil {
			delete(files, weightsFile)
		}
		if _, err := Load(mapFS(files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for _, none := range []string{"-1", "[-1]", "[]"} {
		files := maps.Clone(good)
		files[generationFile] = []byte(`{"bos_token_id": -1, "pad_token_id": -1, "eos_token_id": ` + none + `}`)
		if f, err := Load(mapFS(files)); err != nil || len(f.Stop) > 0 {
			t.Errorf("eos_token_id %s: %v", none, err)
		}
	}
	if _, err := Load(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "config.json: file does not exist; a model's folder") {
		t.Errorf("empty folder: %v", err)
	}
}

func FuzzParseSafetensors(f *testing.F) {
	for _, data := range hostile {
		f.Add(data)
	}
	f.Add(safetensors(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F16","shape":[2,1],"data_offsets":[0,4]},"b":{"dtype":"BF16","shape":[],"data_offsets":[4,6]}}`, 6))
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, err := ParseSafetensors(data)
		if err != nil {
			return
		}
		total := 0
		for _, x := range tensors {
			if err := x.Decode(make([]float32, x.Len())); err != nil {
				t.Fatal(err)
			}
			total += len(x.Raw())
		}
		if total > len(data) {
			t.Fatalf("%d bytes of tensors in a file of %d", total, len(data))
		}
	})
}

func FuzzConfig(f *testing.F) {
	good, err := folder(f).Files(F32)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good[configFile])
	f.Add([]byte(`{"model_type":"llama","hidden_size":1048576,"intermediate_size":1048576,"num_hidden_layers":1024,"vocab_size":1,"num_attention_heads":1,"max_position_embeddings":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		files := maps.Clone(good)
		files[configFile] = data
		if g, err := Load(mapFS(files)); err == nil && g.Model.NumParams() > 100*len(good[weightsFile]) {
			t.Fatalf("%d parameters from %d bytes", g.Model.NumParams(), len(good[weightsFile]))
		}
	})
}

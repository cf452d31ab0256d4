package weights

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/archtest"
	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
)

// TestScaledAgainstHuggingFace: the weights of llama under other rotary angles and with a window, in both spellings of
// config.json; ../testdata/reference.py made the logits.
func TestScaledAgainstHuggingFace(t *testing.T) {
	var ref struct {
		Scaled map[string]struct {
			Config map[string]any
			Tokens []int32
			Rows   []struct {
				At     int
				Logits []float64
			}
		}
	}
	archtest.ReadJSON(t, "../testdata/reference.json", &ref)
	if len(ref.Scaled) != 8 {
		t.Fatalf("%d configurations, want 8", len(ref.Scaled))
	}
	stored, err := os.ReadFile("../testdata/llama/model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range ref.Scaled {
		older := maps.Clone(want.Config)
		parameters := maps.Clone(older["rope_parameters"].(map[string]any))
		older["rope_theta"] = parameters["rope_theta"]
		delete(older, "rope_parameters")
		delete(parameters, "rope_theta")
		parameters["type"] = parameters["rope_type"]
		delete(parameters, "rope_type")
		older["rope_scaling"] = parameters
		for _, config := range []map[string]any{want.Config, older} {
			c, err := json.Marshal(config)
			if err != nil {
				t.Fatal(err)
			}
			f, err := Load(mapFS(map[string][]byte{configFile: c, weightsFile: stored}))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			written, err := f.Files(F32)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Load(mapFS(written))
			if err != nil || again.Model.Config() != f.Model.Config() {
				t.Errorf("%s: written and read, %+v is %+v, %v", name, f.Model.Config(), again, err)
			}
			context := f.Model.Config().MaxContext
			if name == "mistral" && (context != 24 || f.Model.Config().ModelType != "llama") {
				t.Errorf("mistral: %+v, want a llama with a context of its window, 24", f.Model.Config())
			}
			logits, err := f.Model.Logits(want.Tokens[:min(context, len(want.Tokens))])
			if err != nil {
				t.Fatal(err)
			}
			worst, top := 0.0, 0.0
			for _, row := range want.Rows {
				if row.At >= len(logits) {
					continue
				}
				for i, x := range row.Logits {
					worst, top = max(worst, math.Abs(x-float64(logits[row.At][i]))), max(top, math.Abs(x))
				}
			}
			if !(worst < 1e-5*top) {
				t.Errorf("%s: differs from transformers by %g of the largest logit", name, worst/top)
			}
		}
	}
}

// TestRoundTrip: every family in every stored form, in one file and in several, with either kind of tokenizer, comes
// back as it was, up to the rounding of the form.
func TestRoundTrip(t *testing.T) {
	tokenizers := map[string]*token.Tokenizer{}
	for _, name := range []string{"qwen2", "llama3", "llama2", "mistral"} {
		data, err := os.ReadFile("../token/testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if tokenizers[name], err = token.Parse(data); err != nil {
			t.Fatal(err)
		}
	}
	base := engine.Config{Vocab: 600, Hidden: 16, Inner: 24, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 6, MaxContext: 64,
		Epsilon: 1e-5, Theta: 1e6}
	for _, family := range []string{"llama", "qwen2", "qwen3"} {
		for tokens, tok := range tokenizers {
			c := base
			c.ModelType, c.Tied = family, family == "qwen2"
			if family == "llama" {
				c.Rope = engine.Rope{Type: "llama3", Factor: 8, Low: 1, High: 4, Original: 16}
			}
			m, err := engine.New(c, 5)
			if err != nil {
				t.Fatal(err)
			}
			f := &Folder{m, tok, []int32{2, 3}}
			for as, precision := range map[DType]float64{F32: 0, BF16: 1. / 256, F16: 1. / 1024} {
				for _, limit := range []int{math.MaxInt, 5000} {
					files, err := shardedFiles(f, as, limit)
					if err != nil {
						t.Fatal(err)
					}
					if _, one := files[weightsFile]; one != (limit == math.MaxInt) {
						t.Errorf("files %v at a limit of %d bytes", slices.Sorted(maps.Keys(files)), limit)
					}
					g, err := Load(mapFS(files))
					if err != nil {
						t.Fatalf("%s, %s, %s, %d: %v", family, tokens, as, limit, err)
					}
					if g.Model.Config() != c || !slices.Equal(g.Stop, f.Stop) {
						t.Errorf("%s: config %+v, stop %v", family, g.Model.Config(), g.Stop)
					}
					for i, x := range g.Model.Weights() {
						if want := m.Weights()[i]; math.Abs(float64(x-want)) > precision*math.Abs(float64(want))+0x1p-25 {
							t.Fatalf("%s, %s: weight %d is %g, was %g", family, as, i, x, want)
						}
					}
					again, err := shardedFiles(g, as, limit)
					if err != nil || !maps.EqualFunc(files, again, bytes.Equal) {
						t.Errorf("%s, %s, %s: written again, other bytes (%v)", family, tokens, as, err)
					}
					text := "Hello, 東京 <|end|> x"
					want, _ := tok.Encode(text)
					if got, err := g.Tokenizer.Encode(text); err != nil || !slices.Equal(got, want) {
						t.Errorf("%s: tokens %v, want %v", tokens, got, want)
					}
				}
			}
		}
	}
}

func TestF16HasALimit(t *testing.T) {
	f := folder(t)
	f.Model.Weights()[3] = 65520
	if _, err := f.Files(F16); err == nil ||
		!strings.Contains(err.Error(), `tensor "model.embed_tokens.weight": element 3 is 65520`) {
		t.Errorf("error %v", err)
	}
	f.Model.Weights()[3] = 65519
	if _, err := f.Files(F16); err != nil {
		t.Error(err)
	}
}

// TestFamilyDefaults: what Hugging Face's configuration classes fill in.
func TestFamilyDefaults(t *testing.T) {
	const rest = `"vocab_size":40,"hidden_size":4096,"intermediate_size":64,"num_hidden_layers":2,"num_attention_heads":32`
	for model, want := range map[string]engine.Config{
		"llama":   {ModelType: "llama", KVHeads: 32, HeadDim: 128, MaxContext: 2048},
		"mistral": {ModelType: "llama", KVHeads: 8, HeadDim: 128, MaxContext: 4096},
		"qwen2":   {ModelType: "qwen2", KVHeads: 32, HeadDim: 128, MaxContext: 32768},
		"qwen3":   {ModelType: "qwen3", KVHeads: 32, HeadDim: 128, MaxContext: 32768},
	} {
		want.Vocab, want.Hidden, want.Inner, want.Layers, want.Heads, want.Epsilon, want.Theta = 40, 4096, 64, 2, 32, 1e-6,
			10000
		if got, err := engine.ParseConfig([]byte(`{"model_type":"` + model + `",` + rest + `}`)); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", model, got, err, want)
		}
	}
	for fields, want := range map[string]string{
		`"hidden_act":"gelu"`:                                       `hidden_act is "gelu"`,
		`"attention_bias":true`:                                     "attention_bias is true",
		`"mlp_bias":true`:                                           "mlp_bias is true",
		`"partial_rotary_factor":0.5`:                               "partial_rotary_factor is 0.5",
		`"quantization_config":{"bits":4}`:                          "quantization_config is set",
		`"layer_types":["chunked_attention"]`:                       `layer_types has "chunked_attention"`,
		`"layer_types":["sliding_attention"],"sliding_window":null`: "sliding_window is none",
		`"sliding_window":"x"`:                                      `sliding_window is "x"`,
		`"rope_scaling":{"rope_type":"longrope"}`:                   `rope_scaling: rope_type is "longrope"`,
		`"rope_parameters":{"rope_type":"llama3"}`: "rope_parameters: rope_type is llama3 and " +
			"factor is missing",
		`"rope_scaling":{"type":"llama3","factor":8}`:                     "low_freq_factor is missing",
		`"rope_scaling":{"type":"linear","factor":0.5}`:                   "factor of the rotary scaling is 0.5",
		`"rope_scaling":{"type":"yarn","factor":4,"beta_fast":1e-9}`:      "beta_slow is 1",
		`"rope_scaling":{"type":"yarn","factor":4,"attention_factor":-1}`: "attention_factor is -1",
		`"head_dim":0`:                 "head_dim is 0",
		`"head_dim":127`:               "head_dim is 127",
		`"num_key_value_heads":5`:      "num_key_value_heads is 5",
		`"max_position_embeddings":-1`: "max_position_embeddings is -1",
		`"rope_theta":-1`:              "rope_theta is -1",
	} {
		if _, err := engine.ParseConfig([]byte(`{"model_type":"qwen3",` + fields + `,` + rest + `}`)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", fields, err, want)
		}
	}
	for fields, want := range map[string]int{ // the context that is left
		`"sliding_window":16`:                                                               4096,
		`"use_sliding_window":true,"sliding_window":16`:                                     16,
		`"use_sliding_window":true,"sliding_window":9999`:                                   4096,
		`"layer_types":["full_attention","sliding_attention"],"sliding_window":16`:          16,
		`"layer_types":["full_attention"],"use_sliding_window":true,"sliding_window":1`:     4096,
		`"rope_scaling":{"type":"yarn","factor":4,"original_max_position_embeddings":4096}`: 16384,
		`"rope_scaling":{"type":"dynamic","factor":4}`:                                      4096,
	} {
		if c, err := engine.ParseConfig([]byte(`{"model_type":"qwen3","max_position_embeddings":4096,` + fields + `,` + rest +
			`}`)); err != nil || c.MaxContext != want {
			t.Errorf("%s: a context of %d, %v; want %d", fields, c.MaxContext, err, want)
		}
	}
}

// shardedFiles are the folder's files with the weights in several and their index, none with more than so many bytes of
// weights unless it is one tensor. Weights that fit one file are in one.
func shardedFiles(f *Folder, as DType, limit int) (map[string][]byte, error) {
	files, err := f.Files(as)
	if err != nil {
		return nil, err
	}
	var parts [][]engine.Tensor
	size := 0
	for _, p := range f.Model.Params() {
		n := len(p.Data) * as.Size()
		if parts == nil || size+n > limit {
			parts, size = append(parts, nil), 0
		}
		last := &parts[len(parts)-1]
		*last, size = append(*last, p), size+n
	}
	if len(parts) == 1 {
		return files, nil
	}
	delete(files, weightsFile)
	index := map[string]string{}
	for i, part := range parts {
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, len(parts))
		var b bytes.Buffer
		if err := WriteSafetensors(&b, part, as); err != nil {
			return nil, err
		}
		files[name] = b.Bytes()
		for _, t := range part {
			index[t.Name] = name
		}
	}
	files[indexFile], err = json.MarshalIndent(map[string]any{
		"metadata": map[string]any{"total_size": f.Model.NumParams() * as.Size()}, "weight_map": index,
	}, "", "  ")
	return files, err
}

// TestHostileIndexes: an index cannot name a file outside the folder, and is held to the files.
func TestHostileIndexes(t *testing.T) {
	good, err := shardedFiles(folder(t), F32, 5000)
	if err != nil {
		t.Fatal(err)
	}
	shard := ""
	for name := range good {
		if strings.HasPrefix(name, "model-00001") {
			shard = name
		}
	}
	many := map[string]string{}
	for i := range 5000 {
		many[strings.Repeat("x", i+1)] = "f" + strings.Repeat("x", i%100) + string(rune('a'+i%26)) + strings.Repeat("y",
			i/100)
	}
	bomb, _ := json.Marshal(map[string]any{"weight_map": many})
	for index, want := range map[string]string{
		`{"weight_map":{"a":"../secret.safetensors"}}`: `weight_map names "../secret.safetensors", want a file of the folder`,
		`{"weight_map":{"a":"/etc/passwd"}}`:           `"/etc/passwd"`,
		`{"weight_map":{"a":"x/y"}}`:                   `"x/y"`,
		`{"weight_map":{"a":"x\\y"}}`:                  `weight_map names`,
		`{"weight_map":{"a":"."}}`:                     `"."`,
		`{"weight_map":{"a":""}}`:                      `""`,
		`{"weight_map":{}}`:                            "names 0 files",
		`{"weight_map":{"a":1}}`: "model.safetensors.index.json: field \"weight_map\" is a number; " +
			"want string",
		`{"weight_map":{"a":"none.safetensors"}}`: "none.safetensors: file does not exist, and " +
			"model.safetensors.index.json names it",
		`{"weight_map":{"a":"config.json"}}`:   "config.json: header of",
		`{"weight_map":{"a":"` + shard + `"}}`: "the sizes make",
		`[`:                                    "model.safetensors.index.json: ",
		string(bomb):                           "files, want 1 to 4096",
	} {
		files := maps.Clone(good)
		files[indexFile] = []byte(index)
		if _, err := Load(mapFS(files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", index, err, want)
		}
	}
	for name, data := range good { // cut off anywhere, a file is an error that names it
		if !strings.HasSuffix(name, ".safetensors") {
			continue
		}
		for _, n := range []int{0, 7, 8, 100, len(data) - 1} {
			files := maps.Clone(good)
			files[name] = data[:n]
			if _, err := Load(mapFS(files)); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s cut to %d bytes: %v", name, n, err)
			}
		}
	}
}

// TestLoadHoldsNoSecondCopy: memory is for the weights and what the model derives from them, not for the file too.
func TestLoadHoldsNoSecondCopy(t *testing.T) {
	m, err := engine.New(engine.Config{
		ModelType: "llama", Vocab: 4096, Hidden: 512, Inner: 1024, Layers: 1, Heads: 8, KVHeads: 8, HeadDim: 64,
		MaxContext: 64, Epsilon: 1e-5, Theta: 1e4, Tied: true,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	save(t, dir, &Folder{Model: m})
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	own := allocated(func() {
		empty, err := engine.Empty(m.Config())
		if err != nil {
			t.Fatal(err)
		}
		empty.Changed(1)
	})
	got := allocated(func() {
		if _, err := Load(os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	})
	if file := uint64(4 * m.NumParams()); got > own+file/2 {
		t.Errorf("loading allocates %d MB, the model %d MB, of a file of %d MB", got>>20, own>>20, file>>20)
	}
}

// A plainFS reads files from front to back only.
type plainFS struct{ fs.FS }

type plainFile struct{ fs.File }

func (p plainFS) Open(name string) (fs.File, error) {
	f, err := p.FS.Open(name)
	return plainFile{f}, err
}

func TestPlainFileSystems(t *testing.T) {
	files, err := folder(t).Files(BF16)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Load(mapFS(files))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(plainFS{mapFS(files)})
	if err != nil || !slices.Equal(got.Model.Weights(), want.Model.Weights()) {
		t.Errorf("read from front to back: %v", err)
	}
}

// A shrinking file ends while its tensors are read.
type shrinking struct{ *bytes.Reader }

func (s shrinking) ReadAt(p []byte, at int64) (int, error) {
	if at > 200 {
		return 0, errors.New("gone")
	}
	return s.Reader.ReadAt(p, at)
}

func TestDecodeSaysWhichTensorIsGone(t *testing.T) {
	data := safetensors(`{"a":{"dtype":"F32","shape":[100],"data_offsets":[0,400]}}`, 400)
	tensors, err := OpenSafetensors(shrinking{bytes.NewReader(data)}, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	tensors[0].at = 300
	if err := tensors[0].Decode(make([]float32, 100)); err == nil || !strings.Contains(err.Error(), `tensor "a"`) {
		t.Errorf("error %v", err)
	}
}

// FuzzFolder: whatever index and configuration stand beside the files, Load ends soon with a model or an error, and the
// model is no larger than the files.
func FuzzFolder(f *testing.F) {
	good, err := shardedFiles(folder(f), F32, 5000)
	if err != nil {
		f.Fatal(err)
	}
	size := 0
	for _, data := range good {
		size += len(data)
	}
	f.Add(good[indexFile], good[configFile])
	f.Add([]byte(`{"weight_map":{"a":"../x"}}`),
		[]byte(`{"model_type":"mistral","sliding_window":4,"layer_types":["sliding_attention"]}`))
	f.Add([]byte(`{"weight_map":{"a":"config.json"}}`),
		[]byte(`{"rope_scaling":{"type":"yarn","factor":1e300,"mscale":-1,"mscale_all_dim":1e-300}}`))
	f.Fuzz(func(t *testing.T, index, config []byte) {
		files := fstest.MapFS{}
		for name, data := range good {
			files[name] = &fstest.MapFile{Data: data}
		}
		files[indexFile], files[configFile] = &fstest.MapFile{Data: index}, &fstest.MapFile{Data: config}
		m, err := Load(files)
		if err != nil {
			return
		}
		if 4*m.Model.NumParams() > size {
			t.Fatalf("%d parameters from %d bytes", m.Model.NumParams(), size)
		}
		n := min(m.Model.Config().MaxContext, 5)
		if _, err := m.Model.Logits([]int32{0, 1, 2, 1, 0}[:n]); err != nil {
			t.Fatal(err)
		}
	})
}

// Command llamacpp exports models as GGUF and writes what this program computes with them, for check.mjs to hold
// against llama.cpp: the tokens of texts, the logits after them, and how greedy decoding goes on.
//
//	go run ./bench/llamacpp -o DIR [-type f32] [FOLDER…]
//
// It takes the built-in model, random ones of each family and tokenizer, and the folders named. Run it from the root of
// the repository.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"hallmark/internal/base/atomicfile"
	"hallmark/internal/engine"
	"hallmark/internal/engine/gguf"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model/pocket"
)

func main() {
	out := flag.String("o", "", "write to `DIR`")
	as := flag.String("type", "f32",
		"store matrices as f32, f16 or bf16; llama.cpp computes with fewer bits for the others")
	flag.Parse()
	if err := run(*out, weights.DType(strings.ToUpper(*as)), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "llamacpp:", err)
		os.Exit(1)
	}
}

func run(out string, as weights.DType, folders []string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := export(out, "pocket", as, pocket.Weights()); err != nil {
		return err
	}
	for _, r := range random {
		dir := filepath.Join(out, r.name)
		if err := r.save(dir); err != nil {
			return err
		}
		folders = append(folders, dir)
	}
	for _, dir := range folders {
		if err := export(out, filepath.Base(dir), as, os.DirFS(dir)); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// A randomModel is a small untrained one: logits are wrong wherever a tensor is in the wrong place.
type randomModel struct {
	name, tokenizer string // the tokenizer is one of package token's tests
	cfg             engine.Config
	edits           []string // of tokenizer.json: what is replaced by what
}

var random = []randomModel{
	{"llama", "llama3", engine.Config{ModelType: "llama", Vocab: 419, Hidden: 48, Inner: 80, Layers: 3, Heads: 6,
		KVHeads: 2, HeadDim: 16,
		MaxContext: 256, Epsilon: 1e-5, Theta: 5e5}, nil},
	{"llama31", "llama3", engine.Config{ModelType: "llama", Vocab: 417, Hidden: 64, Inner: 80, Layers: 2,
		Heads: 4, KVHeads: 2, HeadDim: 16,
		MaxContext: 256, Epsilon: 1e-5, Theta: 1e4, Tied: true,
		Rope: engine.Rope{Type: "llama3", Factor: 8, Low: 1, High: 4, Original: 64}}, nil},
	{"linear", "gpt2", engine.Config{ModelType: "llama", Vocab: 424, Hidden: 64, Inner: 80, Layers: 2, Heads: 4,
		KVHeads: 4, HeadDim: 16,
		MaxContext: 256, Epsilon: 1e-5, Theta: 1e4, Tied: true, Rope: engine.Rope{Type: "linear", Factor: 4}},
		nil},
	{"llama2", "llama2", engine.Config{ModelType: "llama", Vocab: 496, Hidden: 64, Inner: 96, Layers: 2,
		Heads: 4, KVHeads: 4, HeadDim: 16,
		MaxContext: 256, Epsilon: 1e-6, Theta: 1e4}, nil},
	{"qwen2", "qwen2", engine.Config{ModelType: "qwen2", Vocab: 420, Hidden: 64, Inner: 96, Layers: 3, Heads: 4,
		KVHeads: 2, HeadDim: 16,
		MaxContext: 256, Epsilon: 1e-6, Theta: 1e6, Tied: true}, nil},
	{"yarn", "qwen2", engine.Config{ModelType: "qwen2", Vocab: 420, Hidden: 64, Inner: 96, Layers: 2, Heads: 4,
		KVHeads: 2, HeadDim: 16,
		MaxContext: 256, Epsilon: 1e-6, Theta: 1e6, Tied: true,
		Rope: engine.Rope{Type: "yarn", Factor: 4, Original: 64, Attention: 1.1386294361119891, Fast: 32,
			Slow: 1}}, nil},
	{"yarn2", "qwen2", engine.Config{ModelType: "qwen3", Vocab: 420, Hidden: 64, Inner: 96, Layers: 2, Heads: 4,
		KVHeads: 2, HeadDim: 16,
		MaxContext: 256, Epsilon: 1e-6, Theta: 1e4,
		Rope: engine.Rope{Type: "yarn", Factor: 8, Original: 32, Attention: .8, Fast: 32, Slow: 1}}, nil},
	{"qwen3", "qwen2", engine.Config{ModelType: "qwen3", Vocab: 407, Hidden: 64, Inner: 96, Layers: 3, Heads: 4,
		KVHeads: 2, HeadDim: 32,
		MaxContext: 256, Epsilon: 1e-6, Theta: 1e6}, nil},
	{"smaug", "llama3", plain, []string{`"ignore_merges": true`, `"ignore_merges": false`}},
	{"smollm", "smollm", plain, []string{`"add_prefix_space": true`, `"add_prefix_space": false`}},
	{"qwen35", "qwen2", plain, []string{`]?\\p{L}+|`, `]?[\\p{L}\\p{M}]+|`, `[^\\s\\p{L}\\p{N}]+`,
		`[^\\s\\p{L}\\p{M}\\p{N}]+`}},
	{"metaspace", "mistral", plain, []string{`"prepend_scheme": "first"`, `"prepend_scheme": "never"`}},
}

// plain is the model where the tokenizer is what is looked at.
var plain = engine.Config{ModelType: "llama", Vocab: 496, Hidden: 32, Inner: 48, Layers: 1, Heads: 2, KVHeads: 2,
	HeadDim:    16,
	MaxContext: 256, Epsilon: 1e-6, Theta: 1e4}

// save writes the model as a Hugging Face folder, with random norms and biases too.
func (r randomModel) save(dir string) error {
	m, err := engine.New(r.cfg, 1)
	if err != nil {
		return err
	}
	draw := rand.New(rand.NewPCG(2, 3))
	for _, t := range m.Params() {
		for i := range t.Data {
			if len(t.Shape) == 1 {
				t.Data[i] += float32(draw.NormFloat64() / 4)
			} else if strings.Contains(t.Name, "embed") || strings.Contains(t.Name, "lm_head") {
				t.Data[i] *= 10 // so that the logits are as far apart as a trained model's
			}
		}
	}
	m.Changed(1)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := (&weights.Folder{Model: m, Stop: []int32{2}}).Files(weights.F32)
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(filepath.Join("internal/engine/token/testdata", r.tokenizer+".json"))
	if err != nil {
		return err
	}
	for i := 0; i < len(r.edits); i += 2 {
		if !bytes.Contains(data, []byte(r.edits[i])) {
			return fmt.Errorf("%s.json holds no %s", r.tokenizer, r.edits[i])
		}
		data = bytes.ReplaceAll(data, []byte(r.edits[i]), []byte(r.edits[i+1]))
	}
	// of added tokens, which llama.cpp has no place for
	for _, flag := range []string{"lstrip", "rstrip", "normalized"} {
		data = bytes.ReplaceAll(data, []byte(`"`+flag+`": true`), []byte(`"`+flag+`": false`))
	}
	return os.WriteFile(filepath.Join(dir, "tokenizer.json"), data, 0o644)
}

// texts are what is tokenized and run: words, numbers, spaces, scripts, code, and what looks like special tokens.
var texts = []string{
	"The capital of France is",
	"Q: Who wrote it, in 1984?\nA:",
	"  two  spaces,\ttabs\t\tand\n\n\nlines  \n end ",
	"I'll say they're 1234567.89 km (12 %) away; WE'VE 3x^2 == y!",
	"naïve café — 你好世界, こんにちは, привет, مرحبا",
	"🙂👩‍👩‍👧 é ﬁ ½",
	"def f(x):\n    return {'a': [x, 0x1F]}  # <tool>call</tool> done",
	"a<|end|>b <|begin|> c</s> d",
	"A",
}

// randomStrings are made strings of words, parts of words, spaces and characters of many scripts.
func randomStrings() []string {
	fragments := strings.Split(fragments, "|")
	draw := rand.New(rand.NewPCG(4, 5))
	list := make([]string, 400)
	for i := range list {
		for range 1 + draw.IntN(30) {
			list[i] += fragments[draw.IntN(len(fragments))]
		}
	}
	return list
}

const fragments = "the|capital| of|France| is| |  |   " +
	"|\n|\n\n|\t|\r\n|hello|lo|wor|ld|'s|'LL|'re|n't|1|23|456|7890|.|,|!?|...|(|)|[x]|{}|=>|$|#|_|-|" +
	"é|ñ|ü|ß|Ω|я|привет|你|好|世界|こん|にちは|العر|ية|한국|🙂|👩‍👩‍👧|½|ﬁ|\u00a0|\u200b|\u3000|q\u0323|A|Bc|DEF|gHi"

// A result is what this program computes for one text.
type result struct {
	Text   string    `json:"text"`
	Plain  []int32   `json:"plain"`  // its tokens, where nothing in it is special
	Tokens []int32   `json:"tokens"` // its tokens
	Prompt []int32   `json:"prompt"` // what was run: the beginning of text and Tokens
	Logits []float32 `json:"logits"` // after Prompt
	Next   []int32   `json:"next"`   // greedily
}

// A tokenized is a random string and its tokens.
type tokenized struct {
	Text   string  `json:"text"`
	Tokens []int32 `json:"tokens"`
}

const greedy = 24 // tokens

// export writes NAME.gguf and NAME.json.
func export(out, name string, as weights.DType, folder fs.FS) error {
	var warnings []string
	err := atomicfile.Write(filepath.Join(out, name+".gguf"), func(w io.Writer) error {
		var err error
		warnings, err = gguf.Export(w, folder, as)
		return err
	})
	if err != nil {
		return err
	}
	f, err := weights.Load(folder)
	if err != nil {
		return err
	}
	results, err := compute(f)
	if err != nil {
		return err
	}
	var list []tokenized
	for _, text := range randomStrings() {
		tokens, err := f.Tokenizer.EncodeText(text)
		if err != nil {
			return err
		}
		list = append(list, tokenized{text, tokens})
	}
	return atomicfile.Write(filepath.Join(out, name+".json"), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(map[string]any{"type": as, "warnings": warnings, "results": results,
			"strings": list})
	})
}

func compute(f *weights.Folder) ([]result, error) {
	var list []result
	for _, text := range texts {
		plain, err := f.Tokenizer.EncodeText(text)
		if err != nil {
			return nil, err
		}
		tokens, err := f.Tokenizer.Encode(text)
		if err != nil {
			return nil, err
		}
		prompt := append(begin(f.Tokenizer), tokens...)
		logits, err := f.Model.Logits(prompt)
		if err != nil {
			return nil, err
		}
		g, err := f.Model.Generate(prompt, engine.GenerateOptions{MaxTokens: greedy})
		if err != nil {
			return nil, err
		}
		list = append(list, result{text, plain, tokens, prompt, logits[len(logits)-1], g.Tokens})
	}
	return list, nil
}

// begin is what the template puts before a text.
func begin(t *token.Tokenizer) []int32 {
	before, _ := t.Template()
	return before
}

package gguf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/engine/weights"
)

// withTokenizer is a folder with a tokenizer.json of package token's tests; edits are pairs of what is replaced by
// what.
func withTokenizer(t testing.TB, name string, edits ...string) fstest.MapFS {
	t.Helper()
	data, err := os.ReadFile("../token/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(edits); i += 2 {
		if !bytes.Contains(data, []byte(edits[i])) {
			t.Fatalf("%s holds no %s", name, edits[i])
		}
		data = bytes.ReplaceAll(data, []byte(edits[i]), []byte(edits[i+1]))
	}
	fsys := folder(t, "spm", weights.F32)
	fsys[tokenizerFile] = &fstest.MapFile{Data: data}
	return fsys
}

// vocabularyOf reads the tokens and merges of a folder's tokenizer.json.
func vocabularyOf(t *testing.T, fsys fstest.MapFS) (vocab map[string]int32, merges [][2]string) {
	t.Helper()
	var file struct {
		Model struct {
			Vocab  map[string]int32
			Merges [][2]string
		}
	}
	if err := json.Unmarshal(fsys[tokenizerFile].Data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Model.Vocab, file.Model.Merges
}

// TestSentencePiece holds what llama.cpp is told of a vocabulary like SentencePiece's against tokenizer.json.
func TestSentencePiece(t *testing.T) {
	fsys := withTokenizer(t, "llama2")
	f := read(t, exported(t, fsys, ""))
	for key, want := range map[string]any{
		"tokenizer.ggml.model": "llama", "tokenizer.ggml.add_space_prefix": true, "tokenizer.ggml.add_bos_token": true,
		"tokenizer.ggml.add_eos_token": false, "tokenizer.ggml.bos_token_id": uint32(1),
		"tokenizer.ggml.unknown_token_id": uint32(0),
		"tokenizer.ggml.merges":           nil,
	} {
		if got := f.values[key]; got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	vocab, merged := vocabularyOf(t, fsys)
	scores, types := f.values["tokenizer.ggml.scores"].([]float32), f.values["tokenizer.ggml.token_type"].([]int32)
	if len(merged) < 100 {
		t.Fatalf("%d merges", len(merged))
	}
	for rank, m := range merged { // no two make the same token here
		if got := scores[vocab[m[0]+m[1]]]; got != -float32(rank+1) {
			t.Fatalf("merge %d, %q, scores %g, want %d", rank, m, got, -rank-1)
		}
	}
	for b := range 256 {
		if id := vocab[fmt.Sprintf("<0x%02X>", b)]; types[id] != tokenByte {
			t.Errorf("byte %d is token %d of type %d", b, id, types[id])
		}
	}
	if types[0] != tokenUnknown || types[1] != tokenControl || types[vocab["▁"]] != tokenNormal {
		t.Errorf("types of <unk>, <s> and ▁: %d %d %d", types[0], types[1], types[vocab["▁"]])
	}
}

// TestSpaces: whether a space is put before a text, and what is said of it.
func TestSpaces(t *testing.T) {
	for _, c := range []struct {
		edits    []string
		prefix   bool
		warnings []string
	}{
		{nil, true, []string{"begins with one, too", "after each special token"}},
		{[]string{`"prepend_scheme": "first"`, `"prepend_scheme": "always"`}, true, []string{"begins with one, too"}},
		{[]string{`"prepend_scheme": "first"`, `"prepend_scheme": "never"`}, false, nil},
	} {
		fsys := withTokenizer(t, "mistral", c.edits...)
		var b bytes.Buffer
		warnings, err := Export(&b, fsys, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, b.Bytes()).values["tokenizer.ggml.add_space_prefix"]; got != c.prefix {
			t.Errorf("%v: %v, want %v", c.edits, got, c.prefix)
		}
		var spaces []string
		for _, w := range warnings {
			if strings.HasPrefix(w, "llama.cpp puts a space") {
				spaces = append(spaces, w)
			}
		}
		if !slices.EqualFunc(spaces, c.warnings, strings.Contains) {
			t.Errorf("%v: warnings %q, want %q", c.edits, spaces, c.warnings)
		}
	}
}

// TestVocabularyWarnings: a pair without a merge, a token that is looked for in normalized text, and a Unicode form.
func TestVocabularyWarnings(t *testing.T) {
	for name, want := range map[string]string{
		"llama2": `such as "▁the", have no merge`,
		"nfkc":   "Unicode form NFKC",
	} {
		warnings, err := Export(new(bytes.Buffer), withTokenizer(t, name), "")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("%s: warnings %q, want %q", name, warnings, want)
		}
	}
	warnings, err := Export(new(bytes.Buffer), withTokenizer(t, "llama2"), "")
	if err != nil || !strings.Contains(strings.Join(warnings, "\n"),
		"where a text begins or after a space; in llama.cpp anywhere") {
		t.Errorf("warnings %q, %v", warnings, err)
	}
}

// TestVocabularyRefusals: what llama.cpp cannot be told of a vocabulary.
func TestVocabularyRefusals(t *testing.T) {
	for _, c := range []struct {
		name, want string
		edits      []string
	}{
		{"never", "byte_fallback is false", nil},
		{"tinyllama", "byte_fallback is false", nil},
		{"llama2", "byte_fallback is false and token <0x00> there: true", []string{`"byte_fallback": true`,
			`"byte_fallback": false`}},
		{"mistral", "has one inside", []string{`"split": false`, `"split": true`, `"vocab": {`, `"vocab": {"e▁q": 490,`}},
		{"mistral", `spaces are not written as "▁"`, []string{`"replacement": "▁"`, `"replacement": "_"`}},
		{"smollm", "add_prefix_space", nil},
		{"qwen2", "normalizer Prepend: llama.cpp changes no text of this kind",
			[]string{`"type": "NFC"`, `"type": "Prepend", "prepend": " "`}},
		{"deepseek", "llama.cpp has no name for the split by", nil},
	} {
		_, err := Export(new(bytes.Buffer), withTokenizer(t, c.name, c.edits...), "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: error %v, want %q", c.name, c.edits, err, c.want)
		}
	}
	fsys := withTokenizer(t, "smollm", `"add_prefix_space": true`, `"add_prefix_space": false`)
	if got := read(t, exported(t, fsys, "")).values["tokenizer.ggml.pre"]; got != "smollm" {
		t.Errorf("SmolLM's split is named %v", got)
	}
}

// FuzzExport: whatever tokenizer.json and tokenizer_config.json hold, the file that comes out, if any, reads back.
func FuzzExport(f *testing.F) {
	for _, name := range []string{"gpt2", "llama3", "qwen2", "llama2", "mistral"} {
		data, err := os.ReadFile("../token/testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, []byte(`{"bos_token": {"content": "<|end|>"}, "eos_token": "<|pad|>", "add_bos_token": true, "chat_template": "{{x}}"}`))
	}
	base := folder(f, "spm", weights.F32)
	f.Fuzz(func(t *testing.T, tokenizer, config []byte) {
		fsys := maps.Clone(base)
		fsys[tokenizerFile] = &fstest.MapFile{Data: tokenizer}
		fsys[tokenizerConfigFile] = &fstest.MapFile{Data: config}
		var b bytes.Buffer
		if _, err := Export(&b, fsys, ""); err != nil {
			return
		}
		load(t, read(t, b.Bytes()))
	})
}

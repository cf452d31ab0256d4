package compress

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRead(t *testing.T) {
	folder := checkpoint(t, shape)
	texts, err := Read(folder, "a.jsonl", []byte("{\"text\": \"the sky is blue\"}\n\n{\"text\": \""+
		strings.Repeat("the sea is green ", 20)+"\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 3 || len(texts[1].Tokens) != shape.MaxContext {
		t.Errorf("%d sequences, the second of %d tokens", len(texts), len(texts[1].Tokens))
	}
	talk, err := Read(folder, "a.jsonl", []byte(`{"messages": [{"role": "user", "content": "the sky is"}, {"role": "assistant", "content": "blue"}]}`))
	if err == nil && (len(talk) != 1 || talk[0].Weights[0] != 0) {
		t.Errorf("%+v", talk)
	}
	for text, want := range map[string]string{
		"": "a.jsonl:1", "[]": "a.jsonl:1", "{\"text\": \"a\"}\n{\"text\": 3}": "a.jsonl:2",
		"{\"text\": \"a b\"}\n{}": "a.jsonl:2",
	} {
		if _, err := Read(folder, "a.jsonl", []byte(text)); !errors.Is(err, ErrUnusable) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A model whose context is filled by what every text begins with reads none, and does not wait for room either.
func TestReadWithoutRoom(t *testing.T) {
	folder := checkpoint(t, shape)
	edit := func(file, key string, value any) {
		var all map[string]any
		if err := json.Unmarshal(folder[file].Data, &all); err != nil {
			t.Fatal(err)
		}
		all[key] = value
		b, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		folder[file] = &fstest.MapFile{Data: b}
	}
	edit("config.json", "max_position_embeddings", 1)
	edit("tokenizer.json", "post_processor", json.RawMessage(`{"type": "TemplateProcessing",
		"single": [{"SpecialToken": {"id": "<|end|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
		"pair": [{"SpecialToken": {"id": "<|end|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
		"special_tokens": {"<|end|>": {"id": "<|end|>", "ids": [0], "tokens": ["<|end|>"]}}}`))
	_, err := Read(folder, "a.jsonl", []byte(`{"text": "the sky is blue"}`))
	if !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), "context of 1 tokens has no room") {
		t.Errorf("%v", err)
	}
}

// The log of a stage is read back as it was written.
func TestLog(t *testing.T) {
	d := disk{}
	stages := run(t, checkpoint(t, shape), options, d)
	var s Stage
	if err := json.Unmarshal(d["R2"][File].Data, &s); err != nil {
		t.Fatal(err)
	}
	if s.Name != "R2" || len(s.Removed) != len(stages[1].Removed) || s.Plan != stages[0].Plan || s.Dense == 0 {
		t.Errorf("%+v", s)
	}
}

// A stage's log knows its own files and those of the dense model it was made from, and tells each from others; a log
// without hashes, as older versions wrote it, tells nothing.
func TestVerify(t *testing.T) {
	folder, d := checkpoint(t, shape), disk{}
	o := options
	o.Learn, o.Calibration = None, 8
	s := run(t, folder, o, d)[1]
	other := fstest.MapFS{}
	for name, f := range folder {
		other[name] = f
	}
	other["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"chat_template": "{{ messages[0].role }}"}`)}
	other["notes.txt"] = &fstest.MapFile{Data: []byte("what changes no answer does not count")}
	for _, c := range []struct {
		name   string
		folder fs.FS
		files  map[string]string
		want   string
	}{
		{"the dense model", folder, s.DenseFiles, ""},
		{"the stage", d["R2"], s.Files, ""},
		{"another template", other, s.DenseFiles, "tokenizer_config.json is not as it was when the stage was made"},
		{"another stage", d["R1"], s.Files, "config.json is not as it was when the stage was made"},
		{"a stage as the dense model", d["R1"], s.DenseFiles, "is not as it was when the stage was made"},
		{"an empty folder", fstest.MapFS{}, s.DenseFiles, "config.json is missing"},
		{"an older log", other, nil, ""},
	} {
		err := Verify(c.folder, c.files)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for _, name := range []string{"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} {
		if len(s.DenseFiles[name]) != 64 {
			t.Errorf("%s of the dense model: %q, want a SHA-256", name, s.DenseFiles[name])
		}
	}
}

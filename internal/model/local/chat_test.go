package local

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/archtest"
	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model"
)

func text(parts []token.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// TestTemplatesOfFamilies: a request comes out as transformers lays out its conversation; jinja/testdata/reference.py
// made the texts. What was written by the asker is text, and the rest is the template's own.
func TestTemplatesOfFamilies(t *testing.T) {
	var ref struct {
		Tokens   map[string]string
		Families map[string][]struct {
			Conversation string
			Messages     []map[string]string
			Prompt       bool
			Want         *string
		}
	}
	archtest.ReadJSON(t, "jinja/testdata/reference.json", &ref)
	around := map[string][2]string{ // what stands before and after an answer
		"chatml": {"", "<|im_end|>"}, "qwen2": {"", "<|im_end|>"}, "qwen3": {"", "<|im_end|>"}, "llama2": {" ", "</s>"},
		"llama3":  {"", "<|eot_id|>"},
		"llama32": {"", "<|eot_id|>"}, "zephyr": {"", "</s>"}, "mistral": {" ", "</s>"},
		"deepseek": {"", "<｜end▁of▁sentence｜>"},
		"gemma":    {"", "<end_of_turn>"}, "pocket": {" ", "</s>"}, "macros": {"", "</s>"},
	}
	compared := 0
	for name, rows := range ref.Families {
		source, err := os.ReadFile("jinja/testdata/" + name + ".jinja")
		if err != nil {
			t.Fatal(err)
		}
		tpl, err := parseTemplate(string(source), ref.Tokens)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := around[name]
		if tpl.lead != want[0] || !strings.HasPrefix(tpl.after, want[1]) {
			t.Errorf("%s: around an answer %q and %q, want %q and %q", name, tpl.lead, tpl.after, want[0], want[1])
		}
		for _, row := range rows {
			n := len(row.Messages)
			if !row.Prompt || row.Want == nil || n == 0 || row.Messages[n-1]["role"] != "user" {
				continue
			}
			r := model.Request{Prompt: row.Messages[n-1]["content"]}
			for _, m := range row.Messages[:n-1] {
				r.Messages = append(r.Messages, model.Message{Role: m["role"], Text: m["content"]})
			}
			parts, err := tpl.render(r, "<s>")
			if row.Conversation == "late system" || row.Conversation == "unknown role" {
				if err == nil {
					t.Errorf("%s, %s: no error", name, row.Conversation)
				}
				continue
			}
			if err != nil || text(parts) != *row.Want {
				t.Errorf("%s, %s: %v\n got %q\nwant %q", name, row.Conversation, err, text(parts), *row.Want)
			}
			for _, p := range parts {
				if !p.Foreign && strings.Contains(p.Text, "{{ y }}") {
					t.Errorf("%s: %q is from outside", name, p.Text)
				}
			}
			compared++
		}
	}
	if compared < 60 {
		t.Errorf("%d conversations compared", compared)
	}
}

// TestPlain: a base model is asked in lines.
func TestPlain(t *testing.T) {
	tpl, err := parseTemplate("", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := model.Request{System: "S", Messages: []model.Message{{Role: "system", Text: "T"}, {Role: "user", Text: "a"},
		{Role: "assistant", Text: "b"}}, Prompt: "c"}
	parts, err := tpl.render(r, "<B>")
	if err != nil || text(parts) != "<B>S\nT\n\na\nb\nc" {
		t.Errorf("%q, %v", text(parts), err)
	}
	r.Raw = true
	if parts, err = tpl.render(r, "<B>"); err != nil || text(parts) != "<B>c" {
		t.Errorf("raw: %q, %v", text(parts), err)
	}
}

// TestWhereTemplatesAre: a file of its own goes before the entry, and of several the default is taken.
func TestWhereTemplatesAre(t *testing.T) {
	list := func(names ...string) any {
		var out []map[string]string
		for _, n := range names {
			out = append(out, map[string]string{"name": n, "template": n + ":{{ messages[-1].content }}"})
		}
		return out
	}
	for _, c := range []struct {
		name   string
		config map[string]any
		file   string
		want   string
	}{
		{"an entry", map[string]any{"chat_template": "entry:{{ messages[-1].content }}"}, "", "entry:x"},
		{"a file", map[string]any{"chat_template": "entry:{{ messages[-1].content }}"}, "file:{{ messages[-1].content }}\n",
			"file:x"},
		{"a default", map[string]any{"chat_template": list("rag", "default", "tools")}, "", "default:x"},
		{"one alone", map[string]any{"chat_template": list("rag")}, "", "rag:x"},
		{"none", map[string]any{"chat_template": nil}, "", "x"},
	} {
		files := folder(t, c.config)
		if c.file != "" {
			files["chat_template.jinja"] = &fstest.MapFile{Data: []byte(c.file)}
		}
		m, err := Open(files, "x")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if parts, err := m.template.render(model.Request{Prompt: "x"}, m.begin); err != nil || text(parts) != c.want {
			t.Errorf("%s: %q, %v", c.name, text(parts), err)
		}
	}
}

// TestBeginning: by tokenizer.json's own template, or add_bos_token; and what ends an answer is learned from the
// template.
func TestBeginning(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		template bool
		add      *bool
		want     string
	}{{false, nil, ""}, {false, &yes, "<|begin|>"}, {false, &no, ""}, {true, nil, "<|begin|>"}, {true, &yes, "<|begin|>"},
		{true, &no, "<|begin|>"}} {
		config := map[string]any{"bos_token": map[string]any{"content": "<|begin|>"},
			"chat_template": "{{ messages[0].content }}:{% if not add_generation_prompt %}{{ messages[1].content " +
				"}}<|begin|>{% endif %}"}
		if c.add != nil {
			config["add_bos_token"] = *c.add
		}
		files := folder(t, config)
		if c.template {
			tok, err := token.Parse(files["tokenizer.json"].Data)
			if err != nil || !tok.Begin("<|begin|>") {
				t.Fatal(err)
			}
			data, err := tok.JSON()
			if err != nil {
				t.Fatal(err)
			}
			files["tokenizer.json"] = &fstest.MapFile{Data: data}
		}
		m, err := Open(files, "x")
		if err != nil {
			t.Fatal(err)
		}
		if m.begin != c.want {
			t.Errorf("begins with %q, want %q", m.begin, c.want)
		}
		if len(m.stops) != 2 { // <|end|> of config.json, and <|begin|>, as odd as it is
			t.Errorf("stops at %v", m.stops)
		}
	}
}

// TestPiecesOfSentencePiece: with a tokenizer over characters too, prompt and answer are the tokens of the conversation
// as one text, and the texts of an answer's tokens join to it.
func TestPiecesOfSentencePiece(t *testing.T) {
	data, err := os.ReadFile("../../engine/token/testdata/mistral.json")
	if err != nil {
		t.Fatal(err)
	}
	tok, err := token.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("jinja/testdata/mistral.jinja")
	if err != nil {
		t.Fatal(err)
	}
	net, err := engine.New(engine.Config{
		ModelType: "llama", Vocab: tok.Size(), Hidden: 32, Inner: 48, Layers: 2, Heads: 2, KVHeads: 1, HeadDim: 16,
		MaxContext: 96, Epsilon: 1e-6, Theta: 10000,
	}, 3)
	if err != nil {
		t.Fatal(err)
	}
	files, err := (&weights.Folder{Model: net, Tokenizer: tok, Stop: []int32{2}}).Files(weights.F32)
	if err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{
		"chat_template.jinja":   {Data: source},
		"tokenizer_config.json": {Data: []byte(`{"bos_token":"<s>","eos_token":"</s>"}`)},
	}
	for name, b := range files {
		folder[name] = &fstest.MapFile{Data: b}
	}
	m, err := Open(folder, "x")
	if err != nil {
		t.Fatal(err)
	}
	if m.template.lead != " " || m.begin != "<s>" {
		t.Errorf("an answer begins with %q, a text with %q", m.template.lead, m.begin)
	}
	j, err := m.prepare(t.Context(), model.Request{Prompt: "Who is </s> the brown fox?",
		Options: []string{"The fox", "日本"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, answer := range []string{"The fox", "日本"} {
		want, err := tok.EncodeParts([]token.Part{{Text: "<s>[INST] "}, {Text: "Who is </s> the brown fox?", Foreign: true},
			{Text: "[/INST] " + answer}})
		if err != nil || !slices.Equal(slices.Concat(j.prompt, j.options[i]), want) {
			t.Errorf("%q: %v and %v, want %v: %v", answer, j.prompt, j.options[i], want, err)
		}
	}
	raw, err := m.prepare(t.Context(), model.Request{Prompt: "The fox", Raw: true})
	before, _ := tok.Template()
	alone, _ := tok.Encode("The fox")
	if err != nil || !slices.Equal(raw.prompt, slices.Concat(before, alone)) {
		t.Errorf("raw %v, want %v, %v; %v", raw.prompt, before, alone, err)
	}
	got, err := m.Generate(t.Context(), model.Request{Prompt: "The fox", MaxTokens: 20, LogProbs: true, Temperature: 1,
		Seed: new(int64(1))})
	if err != nil {
		t.Fatal(err)
	}
	joined := ""
	for _, x := range got.Tokens {
		joined += x.Text
	}
	if strings.TrimPrefix(joined, " ") != *got.Text && !strings.Contains(*got.Text, "\ufffd") {
		t.Errorf("the tokens join to %q, the text is %q", joined, *got.Text)
	}
}

// A template from outside is a program: Open and Generate end, with an answer or an error.
func FuzzTemplate(f *testing.F) {
	f.Add(qaTemplate)
	f.Add("{{ messages[0].content }}<|end|>")
	f.Add("{%for m in messages%}{%if'0'%}{{m['content']}}{%endif%}{%endfor%}")
	f.Add("{% for x in range(10**9) %}{% endfor %}")
	f.Fuzz(func(t *testing.T, source string) {
		tpl, err := parseTemplate(source, map[string]string{"bos_token": "<|begin|>"})
		if err != nil || tpl.program == nil {
			return
		}
		parts, err := tpl.render(model.Request{System: "s", Prompt: "<|end|>"}, "<|begin|>")
		if err != nil && !strings.Contains(err.Error(), "chat_template") {
			t.Errorf("%v", err)
		}
		for _, p := range parts {
			if p.Foreign && strings.Trim(p.Text, "s<|end>") != "" {
				t.Errorf("%q is from the template", p.Text)
			}
		}
	})
}

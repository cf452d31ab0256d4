package local

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
)

const qaTemplate = `{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ m['content'] + '\n' }}` +
	`{% elif m['role'] == 'user' %}{{ 'Q: ' + m['content'] + '\nA:' }}{% else %}{{ ' ' + m['content'] + eos_token + '\n' }}{% endif %}{% endfor %}`

// folder is a model of random weights with a vocabulary learned from a few words.
func folder(t testing.TB, config map[string]any) fstest.MapFS {
	t.Helper()
	texts := []token.Text{{Text: "Q: What is the capital of the land?\nA: the capital is a city\n", Count: 9}}
	tok, err := token.TrainBPE(texts, token.GPT2Pattern, 300, token.Specials("<|begin|>", "<|end|>"))
	if err != nil {
		t.Fatal(err)
	}
	net, err := engine.New(engine.Config{
		ModelType: "llama", Vocab: 300, Hidden: 32, Inner: 48, Layers: 2, Heads: 2, KVHeads: 1, HeadDim: 16, MaxContext: 96,
		Epsilon: 1e-6, Theta: 10000, Tied: true,
	}, 7)
	if err != nil {
		t.Fatal(err)
	}
	for i := range net.Weights() { // far from uniform, so that greedy answers differ and end
		net.Weights()[i] *= 3
	}
	net.Changed(1)
	f := weights.Folder{Model: net, Tokenizer: tok, Stop: []int32{1}}
	files, err := f.Files(weights.F32)
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	for name, b := range files {
		out[name] = &fstest.MapFile{Data: b}
	}
	if config != nil {
		b, err := json.Marshal(config)
		if err != nil {
			t.Fatal(err)
		}
		out["tokenizer_config.json"] = &fstest.MapFile{Data: b}
	}
	return out
}

func open(t testing.TB) *Model {
	t.Helper()
	m, err := Open(folder(t, map[string]any{"bos_token": "<|begin|>", "eos_token": "<|end|>", "add_bos_token": true,
		"chat_template": qaTemplate}), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestModel(t *testing.T) {
	modeltest.Run(t, func(t *testing.T) model.Model { return open(t) }, modeltest.Options{
		Greedy: true, Sampled: true, LogProbs: true, TopLogProbs: 5, Score: []string{"the land", "a city"}, ScoreAlone: true,
		Hidden: true,
		Errors: map[string]modeltest.ErrorCase{
			"a prompt past the context": {Request: model.Request{Prompt: strings.Repeat("x ", 90)}, Class: modeltest.Final},
			"an unknown role": {Request: model.Request{Messages: []model.Message{{Role: "tool"}}},
				Class: modeltest.Final},
		},
	})
}

func TestBatchGivesTheBitsOfOne(t *testing.T) {
	m := open(t)
	requests := []model.Request{
		{Prompt: "What is the capital of the land?", MaxTokens: 12, LogProbs: true, TopLogProbs: 3},
		{Prompt: "What is the city?", MaxTokens: 12, Temperature: 1, Seed: new(int64(3)), LogProbs: true},
		{Prompt: "What is the city?", MaxTokens: 12, Temperature: 1, Seed: new(int64(4)), LogProbs: true},
		{Prompt: "What is the city?", MaxTokens: 12, Temperature: 1, TopP: .5, Seed: new(int64(4))},
		{Prompt: "What is the capital?", Options: []string{"a city", "the land"}},
		{Prompt: "Q: raw\nA:", Raw: true, MaxTokens: 5},
		{System: "the city", Messages: []model.Message{{Role: "user", Text: "a?"}, {Role: "assistant", Text: "b"}},
			Prompt: "c?", MaxTokens: 5},
		{Prompt: "spoils the batch", Temperature: -1},
	}
	for i := range 40 {
		requests = append(requests, model.Request{Prompt: "What is " + strings.Repeat("the ", i%5) + "city?",
			MaxTokens: 3 + i%4})
	}
	for i := range 2*mostScored + 9 {
		text := "What is " + strings.Repeat("the ", i%7)
		requests = append(requests, model.Request{Prompt: text + "land?", Options: []string{"a city", text,
			strings.Repeat("a", 1+i%5)}})
	}
	batch := m.GenerateBatch(context.Background(), requests)
	m = open(t) // that has read nothing yet
	for i, r := range requests {
		one, err := m.Generate(context.Background(), r)
		if !reflect.DeepEqual(one, batch[i].Response) || (err == nil) != (batch[i].Err == nil) {
			t.Errorf("request %d: alone %+v, %v; in a batch %+v", i, one, err, batch[i])
		}
	}
	if batch[7].Err == nil || batch[6].Err != nil {
		t.Errorf("errors %v and %v, want one for the request at fault only", batch[7].Err, batch[6].Err)
	}
	if *batch[1].Response.Text == *batch[2].Response.Text {
		t.Errorf("two seeds gave the same sample %q", *batch[1].Response.Text)
	}
}

// The log-probabilities of an answer are the scores of the same text as an option: two paths through the engine.
func TestOptionScoresAreTheLogProbsOfTheAnswer(t *testing.T) {
	m := open(t)
	r := model.Request{Prompt: "What is the capital of the land?", MaxTokens: 4, LogProbs: true, TopLogProbs: 2}
	got, err := m.Generate(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	var tokens []int32
	for i, tok := range got.Tokens {
		id, ok := m.tokens.ID(tok.Text)
		if !ok {
			t.Skipf("token %q is part of a character", tok.Text)
		}
		tokens = append(tokens, id)
		if tok.Top[0].LogProb != *tok.LogProb || tok.Top[1].LogProb > tok.Top[0].LogProb {
			t.Errorf("token %d: a greedy token has %v, the likeliest are %v", i, *tok.LogProb, tok.Top)
		}
	}
	parts, err := m.template.render(r, m.begin)
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := m.encode(parts, 0)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := m.net.ScoreBatch([]engine.Query{{Prompt: prompt, Continuations: [][]int32{tokens}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, tok := range got.Tokens {
		if math.Abs(scores[0][0][i]-*tok.LogProb) > 1e-12 {
			t.Errorf("token %d: generated at %v, scored at %v", i, *tok.LogProb, scores[0][i])
		}
	}
	options := model.Request{Prompt: r.Prompt, Options: []string{"the city", "a"}}
	scored, err := m.Generate(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(scored.Options) != 2 || scored.Text != nil || scored.Usage.CompletionTokens != len(scored.Options[0].LogProbs)+
		len(scored.Options[1].LogProbs) {
		t.Errorf("options gave %+v", scored)
	}
}

// A raw prompt in the layout of the template is the same prompt.
func TestRawPromptIsTheTextOfTheTemplate(t *testing.T) {
	m := open(t)
	chat, err := m.Generate(context.Background(), model.Request{Prompt: "What is a city?", Options: []string{"the land"}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := m.Generate(context.Background(), model.Request{Prompt: "Q: What is a city?\nA:", Raw: true,
		Options: []string{" the land"}})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(chat, raw) {
		t.Errorf("chat %+v, raw %+v", chat, raw)
	}
}

func TestSpecialTokensInAQuestionAreText(t *testing.T) {
	m := open(t)
	prompt := func(text string) []int32 {
		parts, err := m.template.render(model.Request{Prompt: text}, m.begin)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := m.encode(parts, 0)
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	ids := prompt("a <|end|> b <|begin|>")
	for i, id := range ids {
		if i > 0 && (id == 0 || id == 1) {
			t.Errorf("token %d of %v is special", i, ids)
		}
	}
	if ids[0] != 0 || m.tokens.Decode(ids) != "Q: a <|end|> b <|begin|>\nA:" {
		t.Errorf("the prompt reads %q", m.tokens.Decode(ids))
	}
	// Text is split over the borders of the parts, as the library that the template is written for does it.
	whole, err := m.tokens.Encode("<|begin|>Q: What is the city?\nA:")
	if err != nil {
		t.Fatal(err)
	}
	if got := prompt("What is the city?"); !reflect.DeepEqual(got, whole) {
		t.Errorf("in parts %v, as one text %v", got, whole)
	}
}

func TestEnds(t *testing.T) {
	m := open(t)
	ctx := context.Background()
	free, err := m.Generate(ctx, model.Request{Prompt: "What is the land?", MaxTokens: 20, Temperature: 1,
		Seed: new(int64(1))})
	if err != nil {
		t.Fatal(err)
	}
	if free.Finish != model.FinishLength && free.Finish != model.FinishStop || free.Usage.CompletionTokens > 20 {
		t.Errorf("finish %q after %d tokens", free.Finish, free.Usage.CompletionTokens)
	}
	word := []rune(*free.Text)
	stop := string(word[len(word)/2])
	cutOff, err := m.Generate(ctx, model.Request{Prompt: "What is the land?", MaxTokens: 20, Temperature: 1,
		Seed: new(int64(1)), Stop: []string{stop, ""}})
	if err != nil {
		t.Fatal(err)
	}
	if want, _, _ := strings.Cut(*free.Text, stop); *cutOff.Text != want || cutOff.Finish != model.FinishStop {
		t.Errorf("with stop %q: %q (%s), want %q", stop, *cutOff.Text, cutOff.Finish, want)
	}
	// Without a limit an answer ends where the context does.
	long, err := m.Generate(ctx, model.Request{Prompt: "x", Temperature: 2, Seed: new(int64(9))})
	if err != nil {
		t.Fatal(err)
	}
	if n := long.Usage.PromptTokens + long.Usage.CompletionTokens; n > 96 {
		t.Errorf("%d tokens in a context of 96", n)
	}
}

func TestRefuses(t *testing.T) {
	m := open(t)
	for _, c := range []struct {
		name string
		r    model.Request
		want string
	}{
		{"a prompt past the context", model.Request{Prompt: strings.Repeat("x ", 90)}, "the model's context holds 96"},
		{"an option past the context", model.Request{Prompt: "x", Options: []string{strings.Repeat("x ", 60)}},
			"the model's context holds 96"},
		{"an empty option", model.Request{Prompt: "x", Raw: true, Options: []string{""}}, "no tokens to score"},
		{"a role", model.Request{Prompt: "x", Messages: []model.Message{{Role: "tool", Text: "y"}}},
			`role "tool" is unknown`},
		{"a late system line", model.Request{Prompt: "x", Messages: []model.Message{{Role: "user", Text: "y"},
			{Role: "system", Text: "z"}}}, "must come first"},
		{"a temperature", model.Request{Prompt: "x", Temperature: math.Inf(1)}, "temperature"},
	} {
		if _, err := m.Generate(context.Background(), c.r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Generate(ctx, model.Request{Prompt: "x"}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	chat := func(template any) map[string]any { return map[string]any{"chat_template": template} }
	for _, c := range []struct {
		name   string
		folder func() fs.FS
		want   string
	}{
		{"a template that is not understood", func() fs.FS {
			return folder(t, chat("\n{% include 'x' %}"))
		}, "tokenizer_config.json: line 2: {% include %}"},
		{"a template that fails", func() fs.FS {
			return folder(t, chat("{{ strftime_now('%Y') }}"))
		}, "tokenizer_config.json: chat_template: line 1: strftime_now"},
		{"a template that refuses", func() fs.FS {
			return folder(t, chat("{{ raise_exception('no users') }}"))
		}, "chat_template refuses the conversation: no users"},
		{"a template without end", func() fs.FS {
			return folder(t, chat("{% for x in range(10**9) %}{% endfor %}"))
		}, "tokenizer_config.json: chat_template: line 1: "},
		{"several templates", func() fs.FS {
			return folder(t, chat([]string{"a"}))
		}, "tokenizer_config.json: chat_template is neither"},
		{"several templates without a default", func() fs.FS {
			return folder(t, chat([]map[string]string{{"name": "rag", "template": "a"}, {"name": "tools", "template": "b"}}))
		}, "none named default"},
		{"a broken file", func() fs.FS {
			f := folder(t, nil)
			f["tokenizer_config.json"] = &fstest.MapFile{Data: []byte("{")}
			return f
		}, "tokenizer_config.json: "},
		{"no tokenizer", func() fs.FS {
			f := folder(t, nil)
			delete(f, "tokenizer.json")
			return f
		}, "tokenizer.json: "},
		{"no weights", func() fs.FS {
			f := folder(t, nil)
			delete(f, "model.safetensors")
			return f
		}, "model.safetensors"},
		{"nothing", func() fs.FS { return fstest.MapFS{} }, "config.json"},
	} {
		if _, err := Open(c.folder(), "x"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestIdentityIsTheContent(t *testing.T) {
	one := folder(t, nil)
	a, err := Open(one, "hf:tiny")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(folder(t, nil), "hf:tiny")
	if err != nil {
		t.Fatal(err)
	}
	if a.Identity() != b.Identity() || !strings.HasPrefix(a.Identity(), "hf:tiny@sha256:") {
		t.Errorf("identities %q and %q of one folder", a.Identity(), b.Identity())
	}
	one["README.md"] = &fstest.MapFile{Data: []byte("no part of the model")}
	if same, err := Open(one, "hf:tiny"); err != nil || same.Identity() != a.Identity() {
		t.Errorf("a file that changes no answer changed the identity: %v", err)
	}
	one["model.safetensors"].Data = bytes.Clone(one["model.safetensors"].Data)
	one["model.safetensors"].Data[len(one["model.safetensors"].Data)-2] ^= 1
	if other, err := Open(one, "hf:tiny"); err != nil || other.Identity() == a.Identity() {
		t.Errorf("a changed weight left the identity: %v", err)
	}
}

func TestProbe(t *testing.T) {
	c, err := open(t).Probe(context.Background())
	if err != nil || !c.OptionScores || !c.LogProbs || c.ContextTokens != 96 {
		t.Errorf("%+v, %v", c, err)
	}
}

// A folder from outside may hold anything: Open returns a model or an error.
func FuzzTokenizerConfig(f *testing.F) {
	f.Add([]byte(`{"chat_template": "<|im_start|>", "bos_token": {"content": "<|begin|>"}, "eos_token": null, "add_bos_token": false}`))
	f.Add([]byte(`{"chat_template": null, "eos_token": "no such token"}`))
	f.Add([]byte(`{"chat_template": [], "bos_token": 3}`))
	f.Add([]byte(`[]`))
	f.Add([]byte("\xff"))
	files := folder(f, nil)
	f.Fuzz(func(t *testing.T, config []byte) {
		files["tokenizer_config.json"] = &fstest.MapFile{Data: config}
		m, err := Open(files, "fuzz")
		if err != nil {
			return
		}
		if _, err := m.Generate(context.Background(), model.Request{System: "s", Prompt: "x", MaxTokens: 2}); err != nil {
			if !strings.Contains(err.Error(), "chat_template") && !strings.Contains(err.Error(), "context holds") {
				t.Errorf("a model that opens does not answer: %v", err)
			}
		}
	})
}

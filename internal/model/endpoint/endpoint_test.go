package endpoint

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"hallmark/internal/engine"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model"
	"hallmark/internal/model/hosted"
	"hallmark/internal/model/local"
	"hallmark/internal/model/modeltest"
)

// tiny is a model of random weights, whose answers are broken characters as often as words.
var tiny = sync.OnceValue(func() *local.Model { return mustOpen(96) })

func mustOpen(context int) *local.Model {
	m, err := openTiny(context)
	if err != nil {
		panic(err)
	}
	return m
}

func openTiny(context int) (*local.Model, error) {
	texts := []token.Text{{Text: "Q: What is the capital of the land?\nA: the capital is a city\n", Count: 9}}
	tok, err := token.TrainBPE(texts, token.GPT2Pattern, 300, token.Specials("<|begin|>", "<|end|>"))
	if err != nil {
		return nil, err
	}
	return openWith(tok, context)
}

// openWith is the model with another tokenizer.
func openWith(tok *token.Tokenizer, context int) (*local.Model, error) {
	net, err := engine.New(engine.Config{
		ModelType: "llama", Vocab: max(300, tok.Size()), Hidden: 32, Inner: 48, Layers: 2, Heads: 2, KVHeads: 1, HeadDim: 16, MaxContext: context,
		Epsilon: 1e-6, Theta: 10000, Tied: true,
	}, 7)
	if err != nil {
		return nil, err
	}
	for i := range net.Weights() { // far from uniform, so that greedy answers differ and end
		net.Weights()[i] *= 3
	}
	net.Changed(1)
	files, err := (&weights.Folder{Model: net, Tokenizer: tok, Stop: []int32{1}}).Files(weights.F32)
	if err != nil {
		return nil, err
	}
	fsys := fstest.MapFS{"tokenizer_config.json": &fstest.MapFile{Data: []byte(
		`{"bos_token":"<|begin|>","eos_token":"<|end|>","add_bos_token":true,"chat_template":"{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ m['content'] + '\\n' }}{% elif m['role'] == 'user' %}{{ 'Q: ' + m['content'] + '\\nA:' }}{% else %}{{ ' ' + m['content'] + eos_token + '\\n' }}{% endif %}{% endfor %}"}`)}}
	for name, b := range files {
		fsys[name] = &fstest.MapFile{Data: b}
	}
	return local.Open(fsys, "tiny")
}

// serve starts a server of a model and returns its base address.
func serve(t testing.TB, m *local.Model, o Options) (*Server, string) {
	t.Helper()
	o.ID = "tiny"
	s := New(m, o)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		s.Close()
	})
	return s, h.URL + "/v1"
}

// post sends a body and returns the status, the header and the body of the answer.
func post(t testing.TB, url string, body any) (int, http.Header, []byte) {
	t.Helper()
	b, ok := body.(string)
	if !ok {
		j, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		b = string(j)
	}
	resp, err := http.Post(url, "application/json", strings.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, out
}

type object = map[string]any

// answered posts a body and decodes the answer, which must be a 200.
func answered(t testing.TB, url string, body any, into any) {
	t.Helper()
	status, _, b := post(t, url, body)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", url, status, b)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
}

func askOver(t testing.TB, base string, api hosted.API) *hosted.Model {
	t.Helper()
	m, err := hosted.New(hosted.Options{BaseURL: base, Name: "tiny", API: api})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// The contract of models holds for the server behind our own client, over both endpoints.
func TestContract(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	for _, api := range []hosted.API{hosted.Chat, hosted.Completions} {
		t.Run(string(api), func(t *testing.T) {
			modeltest.Run(t, func(t *testing.T) model.Model { return askOver(t, base, api) }, modeltest.Options{
				Greedy: true, Sampled: true, LogProbs: true, TopLogProbs: 5, Score: []string{" the land", " a city"}, ScoreAlone: true, Hidden: true, Raw: api == hosted.Completions,
				Errors: map[string]modeltest.ErrorCase{
					"a prompt past the context": {Request: model.Request{Prompt: strings.Repeat("x ", 90)}, Class: modeltest.Final},
				},
			})
		})
	}
}

// Over HTTP the last hidden states move as in process.
func TestHiddenStatesOverHTTP(t *testing.T) {
	m := tiny()
	_, base := serve(t, m, Options{})
	req := model.Request{Prompt: "Q: What is the capital of the land?\nA:", Raw: true, Options: []string{" the capital is a city", " a city"}, Hidden: true}
	here, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	there, err := askOver(t, base, hosted.Chat).Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range here.Cosines {
		if math.Abs(c-there.Cosines[i]) > 1e-6 || c == 1 || c == here.Cosines[1-i] {
			t.Errorf("in process %v, over HTTP %v", here.Cosines, there.Cosines)
		}
	}
}

func number(n int64) *int64 { return &n }

// requests are what the instrument sends, greedy and sampled, by both endpoints.
func requests() []model.Request {
	var all []model.Request
	for i := range 40 {
		r := model.Request{
			Prompt: "What is " + strings.Repeat("the ", i%4) + "capital?", MaxTokens: 4 + i%9, Raw: i%3 == 0, LogProbs: i%4 == 0, TopLogProbs: i % 2 * 3,
		}
		if i%2 == 0 {
			r.Temperature, r.Seed = 1, number(int64(i/4)-3)
		}
		if i%5 == 0 {
			r.TopP = .7
		}
		if i%7 == 0 {
			r.Stop = []string{"the", "\n"}
		}
		if i%6 == 1 {
			r.System, r.Messages = "the city", []model.Message{{Role: "user", Text: "a?"}, {Role: "assistant", Text: "b"}}
		}
		all = append(all, r)
	}
	return all
}

// What the server answers is what the model answers in process, to the bit, while it is under load, with memory for all
// sequences, for some of them at a time, or for less than one.
func TestSameAsInProcess(t *testing.T) {
	for _, cache := range []int64{0, 3 * 60 * tiny().CacheBytes(), 1} {
		sameAsInProcess(t, Options{Lanes: 3, Requests: 1000, Cache: cache})
	}
}

func sameAsInProcess(t *testing.T, o Options) {
	m := tiny()
	_, base := serve(t, m, o)
	over := askOver(t, base, hosted.Chat)
	var all sync.WaitGroup
	for i, r := range slices.Concat(requests(), requests()) {
		all.Go(func() {
			got, err := over.Generate(context.Background(), r)
			if err != nil {
				t.Errorf("request %d: %v", i, err)
				return
			}
			want, err := m.Generate(context.Background(), r)
			if err != nil || *got.Text != *want.Text || got.Finish != want.Finish || got.Usage.CompletionTokens != want.Usage.CompletionTokens || got.Usage.PromptTokens != want.Usage.PromptTokens {
				t.Errorf("request %d: %q %s %+v, in process %q %s %+v, %v", i, *got.Text, got.Finish, got.Usage, *want.Text, want.Finish, want.Usage, err)
			}
			if len(got.Tokens) != len(want.Tokens) {
				t.Errorf("request %d: %d tokens, in process %d", i, len(got.Tokens), len(want.Tokens))
				return
			}
			for j, w := range want.Tokens {
				if *got.Tokens[j].LogProb != *w.LogProb || len(got.Tokens[j].Top) != len(w.Top) {
					t.Errorf("request %d, token %d: %v with %d alternatives, in process %v with %d", i, j, *got.Tokens[j].LogProb, len(got.Tokens[j].Top), *w.LogProb, len(w.Top))
				}
			}
		})
		all.Go(func() {
			r := model.Request{Prompt: r.Prompt, Raw: true, Options: []string{" the land", " né à 漢 😀", fmt.Sprint(" ", i)}}
			got, err := over.Generate(context.Background(), r)
			want, wantErr := m.Generate(context.Background(), r)
			if err != nil || wantErr != nil || !reflect.DeepEqual(got.Options, want.Options) {
				t.Errorf("options %d: %v %v, in process %v %v", i, got.Options, err, want.Options, wantErr)
			}
		})
	}
	all.Wait()
}

type completionAnswer = textAnswer[completionChoice]

// events reads a stream up to [DONE].
func events(t testing.TB, body []byte) []completionAnswer {
	t.Helper()
	var all []completionAnswer
	lines := strings.Split(strings.TrimSpace(string(body)), "\n\n")
	for i, line := range lines {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			t.Fatalf("line %q is no event", line)
		}
		if data == "[DONE]" {
			if i != len(lines)-1 {
				t.Fatal("events after [DONE]")
			}
			return all
		}
		var a completionAnswer
		if err := json.Unmarshal([]byte(data), &a); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		all = append(all, a)
	}
	t.Fatalf("no [DONE] in %s", body)
	return nil
}

// A stream's parts, joined by choice, are the answer that is not streamed: text, log-probabilities, offsets, usage.
func TestStreamIsTheAnswer(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	for _, echo := range []bool{false, true} {
		for _, temperature := range []float64{0, 1, 2} {
			body := object{"model": "tiny", "prompt": []string{"Q: What is the capital é?\nA:", "the"}, "n": 3, "seed": 5, "temperature": temperature,
				"max_tokens": 30, "logprobs": 2, "echo": echo, "stop": []string{"zz", "\n\n"}}
			var whole completionAnswer
			answered(t, base+"/completions", body, &whole)
			body["stream"], body["stream_options"] = true, object{"include_usage": true}
			_, header, b := post(t, base+"/completions", body)
			if got := header.Get("Content-Type"); got != "text/event-stream" || header.Get(seedHeader) != "5" {
				t.Errorf("content type %q, seed %q", got, header.Get(seedHeader))
			}
			joined := make([]completionChoice, len(whole.Choices))
			var counted *usage
			for _, e := range events(t, b) {
				counted = e.Usage
				for _, c := range e.Choices {
					to := &joined[c.Index]
					to.Index, to.Finish = c.Index, c.Finish
					to.Text += c.Text
					if to.LogProbs == nil {
						to.LogProbs = &logProbs{}
					}
					if l := c.LogProbs; l != nil {
						to.LogProbs.Tokens, to.LogProbs.LogProbs = append(to.LogProbs.Tokens, l.Tokens...), append(to.LogProbs.LogProbs, l.LogProbs...)
						to.LogProbs.Top, to.LogProbs.Offsets = append(to.LogProbs.Top, l.Top...), append(to.LogProbs.Offsets, l.Offsets...)
					}
				}
			}
			if !reflect.DeepEqual(joined, whole.Choices) || !reflect.DeepEqual(counted, whole.Usage) {
				t.Errorf("echo %v, temperature %v: stream %+v %+v\nwhole %+v %+v", echo, temperature, joined, counted, whole.Choices, whole.Usage)
			}
		}
	}
}

func TestChatStream(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	body := object{"model": "tiny", "messages": []object{{"role": "user", "content": "What is the land?"}}, "n": 2, "seed": 3, "max_completion_tokens": 25, "logprobs": true, "top_logprobs": 1}
	var whole chatAnswer
	answered(t, base+"/chat/completions", body, &whole)
	body["stream"] = true
	_, _, b := post(t, base+"/chat/completions", body)
	texts, tokens := make([]string, 2), make([][]chatToken, 2)
	for _, line := range strings.Split(string(b), "\n\n") {
		data := strings.TrimPrefix(line, "data: ")
		if data == "" || data == "[DONE]" {
			continue
		}
		var e chatAnswer
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		if e.Object != "chat.completion.chunk" || e.Usage != nil {
			t.Errorf("event %s", data)
		}
		for _, c := range e.Choices {
			if c.Delta.Content != nil {
				texts[c.Index] += *c.Delta.Content
			}
			if c.LogProbs != nil {
				tokens[c.Index] = append(tokens[c.Index], c.LogProbs.Content...)
			}
		}
	}
	for i, c := range whole.Choices {
		if c.Message.Content != texts[i] || !reflect.DeepEqual(c.LogProbs.Content, tokens[i]) {
			t.Errorf("choice %d: stream %q %v, whole %q %v", i, texts[i], tokens[i], c.Message.Content, c.LogProbs)
		}
	}
}

// The seed alone decides the draw: the first choice is that of n = 1, a prompt's choices do not depend on its place,
// and without a seed the answer says which one it took.
func TestSeeds(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	ask := func(prompt any, n int, seed any) ([]string, string) {
		var a completionAnswer
		_, header, b := post(t, base+"/completions", object{"model": "tiny", "prompt": prompt, "n": n, "seed": seed, "max_tokens": 8})
		if err := json.Unmarshal(b, &a); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, c := range a.Choices {
			texts = append(texts, c.Text)
		}
		return texts, header.Get(seedHeader)
	}
	one, _ := ask("the land", 1, 11)
	three, told := ask("the land", 3, 11)
	two, _ := ask([]string{"a city", "the land"}, 3, 11)
	if one[0] != three[0] || !slices.Equal(two[3:], three) || told != "11" {
		t.Errorf("n = 1: %q, n = 3: %q, second of two prompts: %q; seed %s", one, three, two, told)
	}
	if three[0] == three[1] || three[1] == three[2] {
		t.Errorf("three choices %q are no draws", three)
	}
	free, drawn := ask("the land", 2, nil)
	again, _ := ask("the land", 2, json.RawMessage(drawn))
	if !slices.Equal(free, again) {
		t.Errorf("without a seed %q; again with the seed it told, %s: %q", free, drawn, again)
	}
	if other, _ := ask("the land", 2, nil); slices.Equal(free, other) {
		t.Errorf("two requests without a seed have the same draws %q", free)
	}
}

// The echoed prompt: the first token has no probability, offsets count characters, and the values are the model's.
func TestEcho(t *testing.T) {
	m := tiny()
	_, base := serve(t, m, Options{})
	const prompt = "the capital é of 漢 lands"
	var a completionAnswer
	answered(t, base+"/completions", object{"model": "tiny", "prompt": prompt, "max_tokens": 0, "echo": true, "logprobs": 1}, &a)
	c := a.Choices[0]
	l := c.LogProbs
	if c.Text != prompt || *c.Finish != "length" || a.Usage.CompletionTokens != 0 || l.LogProbs[0] != nil || l.Top[0] != nil || l.Tokens[0] != "<|begin|>" {
		t.Fatalf("%+v %+v", c, l)
	}
	runes := []rune(prompt)
	for i, text := range l.Tokens[1:] {
		rest := string(runes[l.Offsets[i+1]:])
		if !strings.HasPrefix(text, "bytes:") && !strings.HasPrefix(rest, text) || strings.HasPrefix(text, "bytes:") && rest[0] < 0x80 {
			t.Errorf("token %q stands at %d, before %q", text, l.Offsets[i+1], rest)
		}
		if _, own := l.Top[i+1][text]; !own {
			t.Errorf("the alternatives %v lack the token %q itself", l.Top[i+1], text)
		}
	}
	// The same as tokens, which get no beginning of text of their own.
	ids, err := m.TextTokens(prompt, true, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b completionAnswer
	answered(t, base+"/completions", object{"model": "tiny", "prompt": [][]int32{ids[1:], ids}, "max_tokens": 0, "echo": true, "logprobs": 1}, &b)
	if b.Choices[0].Text != prompt || len(b.Choices[0].LogProbs.Tokens) != len(ids)-1 || !reflect.DeepEqual(b.Choices[1].LogProbs, l) {
		t.Errorf("as tokens: %+v", b.Choices)
	}
}

// SentencePiece puts a space before a text and takes it off again; offsets and streams are those of the text as it is.
func TestSentencePiece(t *testing.T) {
	data, err := os.ReadFile("../../engine/token/testdata/llama2.json")
	if err != nil {
		t.Fatal(err)
	}
	tok, err := token.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := openWith(tok, 96)
	if err != nil {
		t.Fatal(err)
	}
	_, base := serve(t, m, Options{})
	var scored completionAnswer
	answered(t, base+"/completions", object{"model": "tiny", "prompt": "the é of 漢 the", "max_tokens": 0, "echo": true, "logprobs": 0}, &scored)
	runes := []rune(scored.Choices[0].Text)
	for i, text := range scored.Choices[0].LogProbs.Tokens[1:] {
		if i == 0 {
			text = strings.TrimPrefix(text, " ")
		}
		if rest := string(runes[scored.Choices[0].LogProbs.Offsets[i+1]:]); !strings.HasPrefix(text, "bytes:") && !strings.HasPrefix(rest, text) {
			t.Errorf("token %q stands before %q", text, rest)
		}
	}
	compared := 0
	for seed := range 60 {
		body := object{"model": "tiny", "prompt": "the é of 漢", "max_tokens": 5, "seed": seed}
		var whole completionAnswer
		answered(t, base+"/completions", body, &whole)
		if strings.Contains(whole.Choices[0].Text, "\uFFFD") {
			continue // bytes that make no character change the text of those before them
		}
		compared++
		body["stream"] = true
		_, _, b := post(t, base+"/completions", body)
		joined := ""
		for _, e := range events(t, b) {
			joined += e.Choices[0].Text
		}
		if joined != whole.Choices[0].Text {
			t.Errorf("seed %d: stream %q, whole %q", seed, joined, whole.Choices[0].Text)
		}
	}
	if compared == 0 {
		t.Error("every answer is broken: nothing was compared")
	}
}

// An echoed text that is followed by the end of text lists that token, so that what was generated can be told from the
// prompt by count; an answer without the prompt lists its own tokens alone, as in process.
func TestEchoListsTheEnd(t *testing.T) {
	m := tiny()
	_, base := serve(t, m, Options{})
	ended := 0
	for seed := range 400 {
		body := object{"model": "tiny", "prompt": "the land", "max_tokens": 1, "seed": seed, "temperature": 2, "logprobs": 0}
		var plain, echoed completionAnswer
		answered(t, base+"/completions", body, &plain)
		if *plain.Choices[0].Finish != "stop" {
			continue
		}
		ended++
		body["echo"] = true
		answered(t, base+"/completions", body, &echoed)
		c, l := echoed.Choices[0], echoed.Choices[0].LogProbs
		if c.Text != "the land" || l.Tokens[len(l.Tokens)-1] != "<|end|>" || len(l.Tokens) != echoed.Usage.TotalTokens || len(plain.Choices[0].LogProbs.Tokens) != 0 {
			t.Errorf("seed %d: %+v %+v, without the prompt %+v", seed, c, l, plain.Choices[0].LogProbs)
		}
	}
	if ended == 0 {
		t.Error("no draw is the end of text: nothing was tested")
	}
}

func TestEmbeddings(t *testing.T) {
	m := tiny()
	_, base := serve(t, m, Options{})
	type answer struct {
		Data []struct {
			Index     int
			Embedding json.RawMessage
		}
	}
	ids, err := m.TextTokens("a city", true, 0)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Hidden(ids)
	if err != nil {
		t.Fatal(err)
	}
	for name, input := range map[string]any{"texts": []string{"the land", "a city"}, "tokens": [][]int32{{5}, ids}} {
		var floats, packed answer
		answered(t, base+"/embeddings", object{"model": "tiny", "input": input}, &floats)
		answered(t, base+"/embeddings", object{"model": "tiny", "input": input, "encoding_format": "base64"}, &packed)
		var got []float32
		if err := json.Unmarshal(floats.Data[1].Embedding, &got); err != nil || !slices.Equal(got, want) || floats.Data[1].Index != 1 {
			t.Errorf("%s: %v, want %v, %v", name, got, want, err)
		}
		var text string
		if err := json.Unmarshal(packed.Data[1].Embedding, &text); err != nil {
			t.Fatal(err)
		}
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) != 4*len(want) {
			t.Fatalf("%s: %d bytes, %v", name, len(raw), err)
		}
		for i, w := range want {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])); got != w {
				t.Errorf("%s: base64 has %v at %d, want %v", name, got, i, w)
			}
		}
	}
}

func TestTokenize(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	base = strings.TrimSuffix(base, "/v1") // also without
	for _, body := range []object{
		{"prompt": "the capital é <|end|>", "return_token_strs": true},
		{"prompt": "the capital é <|end|>", "add_special_tokens": false, "return_token_strs": true, "model": "tiny"},
		{"messages": []object{{"role": "user", "content": "the capital é <|end|>"}}, "return_token_strs": true},
	} {
		var a struct {
			Count  int      `json:"count"`
			Max    int      `json:"max_model_len"`
			Tokens []int32  `json:"tokens"`
			Texts  []string `json:"token_strs"`
		}
		answered(t, base+"/tokenize", body, &a)
		var b struct{ Prompt string }
		answered(t, base+"/detokenize", object{"tokens": a.Tokens}, &b)
		want := "the capital é <|end|>"
		if body["messages"] != nil {
			want = "Q: " + want + "\nA:"
		}
		if body["add_special_tokens"] == nil {
			want = "<|begin|>" + want
		}
		special := slices.Contains(a.Tokens, 1) // <|end|>, which a message cannot write
		if b.Prompt != want || a.Count != len(a.Tokens) || a.Max != 96 || len(a.Texts) != a.Count || special != (body["prompt"] != nil) {
			t.Errorf("%v: %+v, back %q, want %q", body, a, b.Prompt, want)
		}
	}
	var none struct{ Prompt string }
	answered(t, base+"/detokenize", `{"tokens":[]}`, &none)
	if none.Prompt != "" {
		t.Errorf("no tokens are %q", none.Prompt)
	}
}

// refusals are bodies that no answer is given to, with the parameter that is named and the error's code.
var refusals = []struct{ path, body, param, code string }{
	{"chat/completions", `{"model":"tiny"}`, "messages", "invalid_value"},
	{"chat/completions", `{"messages":[{"role":"user","content":"a"}]}`, "model", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":NaN}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":-Infinity}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":1e999}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":"hot"}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"temperature":-0.1}`, "temperature", "invalid_value"},
	{"chat/completions", `{CHAT,"top_p":0}`, "top_p", "invalid_value"},
	{"chat/completions", `{CHAT,"top_p":[1]}`, "top_p", "invalid_value"},
	{"chat/completions", `{CHAT,"n":0}`, "n", "invalid_value"},
	{"chat/completions", `{CHAT,"n":1.5}`, "n", "invalid_value"},
	{"chat/completions", `{CHAT,"n":99999999999999999999}`, "n", "invalid_value"},
	{"chat/completions", `{CHAT,"seed":99999999999999999999}`, "seed", "invalid_value"},
	{"chat/completions", `{CHAT,"max_tokens":-1}`, "max_tokens", "invalid_value"},
	{"chat/completions", `{CHAT,"max_tokens":1,"max_completion_tokens":2}`, "max_tokens", "invalid_value"},
	{"chat/completions", `{CHAT,"stop":[1]}`, "stop", "invalid_value"},
	{"chat/completions", `{CHAT,"stop":["a",null]}`, "stop", "invalid_value"},
	{"chat/completions", `{CHAT,"stop":{}}`, "stop", "invalid_value"},
	{"chat/completions", `{CHAT,"stream":1}`, "stream", "invalid_value"},
	{"chat/completions", `{CHAT,"stream_options":{"include_usage":true}}`, "stream_options", "invalid_value"},
	{"chat/completions", `{CHAT,"stream":true,"stream_options":{"usage":true}}`, "stream_options.usage", "unknown_parameter"},
	{"chat/completions", `{CHAT,"stream":true,"stream_options":7}`, "stream_options", "invalid_value"},
	{"chat/completions", `{CHAT,"top_logprobs":3}`, "top_logprobs", "invalid_value"},
	{"chat/completions", `{CHAT,"logprobs":true,"top_logprobs":21}`, "top_logprobs", "invalid_value"},
	{"chat/completions", `{CHAT,"logprobs":2}`, "logprobs", "invalid_value"},
	{"chat/completions", `{CHAT,"tools":[{"type":"function"}]}`, "tools", "unsupported_parameter"},
	{"chat/completions", `{CHAT,"frequency_penalty":0.5}`, "frequency_penalty", "unsupported_parameter"},
	{"chat/completions", `{CHAT,"logit_bias":{"5":1}}`, "logit_bias", "unsupported_parameter"},
	{"chat/completions", `{CHAT,"response_format":{"type":"json_object"}}`, "response_format", "unsupported_parameter"},
	{"chat/completions", `{CHAT,"frobnicate":1}`, "frobnicate", "unknown_parameter"},
	{"chat/completions", "{CHAT,\"user\":\"\xff\"}", "user", "invalid_value"},
	{"chat/completions", "{CHAT,\"\xff\":1}", "\uFFFD", "unknown_parameter"},
	{"chat/completions", `{"model":7,"messages":[{"role":"user","content":"a"}]}`, "model", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[]}`, "messages", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":"a"}`, "messages", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[null]}`, "messages[0]", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"user"}]}`, "messages[0].content", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"tool","content":"a"}]}`, "messages[0].role", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"user","content":"a","name":"b"}]}`, "messages[0].name", "unsupported_parameter"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]}`, "messages[0].content", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"assistant","content":"a"}]}`, "messages", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"user","content":"a"},{"role":"system","content":"a"},{"role":"user","content":"a"}]}`, "messages", "invalid_value"},
	{"chat/completions", `{"model":"tiny","messages":[{"role":"user","content":"LONG"}]}`, "messages", "context_length_exceeded"},
	{"completions", `{"model":"tiny","prompt":"LONG"}`, "prompt", "context_length_exceeded"},
	{"completions", `{"model":"tiny"}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[[]]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[1,"a"]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[1,null]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[300]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[[-1]]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[1.5]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[99999999999]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":{"a":1}}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":"a","suffix":"b"}`, "suffix", "unsupported_parameter"},
	{"completions", `{"model":"tiny","prompt":"a","best_of":3}`, "best_of", "unsupported_parameter"},
	{"completions", `{"model":"tiny","prompt":"a","logprobs":true}`, "logprobs", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":["a","b"],"n":2000}`, "n", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":[MANY]}`, "prompt", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":"a","stop":[MANY]}`, "stop", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":"a","max_tokens":1e3}`, "max_tokens", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":"a","echo":"yes"}`, "echo", "invalid_value"},
	{"embeddings", `{"model":"tiny"}`, "input", "invalid_value"},
	{"embeddings", `{"model":"tiny","input":"a","dimensions":2}`, "dimensions", "unsupported_parameter"},
	{"embeddings", `{"model":"tiny","input":"a","encoding_format":"hex"}`, "encoding_format", "invalid_value"},
	{"embeddings", `{"model":"tiny","input":"LONG"}`, "input", "context_length_exceeded"},
	{"tokenize", `{}`, "prompt", "invalid_value"},
	{"tokenize", `{"prompt":7}`, "prompt", "invalid_value"},
	{"detokenize", `{"tokens":"a"}`, "tokens", "invalid_value"},
	{"detokenize", `{"tokens":[-5]}`, "tokens", "invalid_value"},
	{"completions", ``, "", "invalid_value"},
	{"completions", `null`, "", "invalid_value"},
	{"completions", `[1]`, "", "invalid_value"},
	{"completions", `{"model":"tiny","prompt":`, "", "invalid_value"},
	{"completions", `DEEP`, "", "invalid_value"},
}

func expand(body string) string {
	return strings.NewReplacer("CHAT", `"model":"tiny","messages":[{"role":"user","content":"a"}]`, "LONG", strings.Repeat("xyz ", 90),
		"MANY", strings.TrimSuffix(strings.Repeat(`"a",`, 3000), ","),
		"DEEP", strings.Repeat("[", 1e5)).Replace(body)
}

func TestRefusals(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	for _, c := range refusals {
		status, header, b := post(t, base+"/"+c.path, expand(c.body))
		var a struct {
			Error struct {
				Message, Type string
				Param, Code   *string
			}
		}
		if err := json.Unmarshal(b, &a); err != nil {
			t.Fatalf("%s %s: %v in %s", c.path, c.body, err, b)
		}
		param := ""
		if a.Error.Param != nil {
			param = *a.Error.Param
		}
		if status != http.StatusBadRequest || a.Error.Type != "invalid_request_error" || param != c.param || a.Error.Code == nil || *a.Error.Code != c.code || a.Error.Message == "" {
			t.Errorf("%s %s: %d %s, want a 400 about %q with code %s", c.path, c.body, status, b, c.param, c.code)
		}
		if header.Get("X-Request-Id") == "" || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("header %v", header)
		}
	}
}

// What an answer may list is bounded before anything is computed.
func TestListedLogProbsAreBounded(t *testing.T) {
	g := &generation{prompts: [][]int32{{5}}, n: 2000, maxTokens: 4000, logProbs: true, top: 20}
	if p := g.check(mustOpen(4096), "prompt"); p == nil || p.param != "logprobs" {
		t.Errorf("168 million log-probabilities: %v", p)
	}
	g.maxTokens = 10
	if p := g.check(mustOpen(4096), "prompt"); p != nil {
		t.Errorf("420 thousand log-probabilities: %v", p)
	}
}

// Values at which a parameter changes nothing are taken, as clients send them without being asked.
func TestNeutralValues(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	plain := `{CHAT,"max_tokens":3,"seed":1`
	var want, got chatAnswer
	answered(t, base+"/chat/completions", expand(plain+`}`), &want)
	answered(t, base+"/chat/completions", expand(plain+`,"tools":[],"tool_choice":"none","parallel_tool_calls":true,"logit_bias":{},"presence_penalty":0.0,
		"frequency_penalty":0,"response_format":{"type": "text"},"store":false,"user":"me","metadata":{"a":"b"},"top_k":-1,"repetition_penalty":1.0,"stop":null,
		"logprobs":null,"top_logprobs":null,"n":null,"service_tier":"auto","stream":null,"stream_options":null,"min_p":0}`), &got)
	if got.Choices[0].Message.Content != want.Choices[0].Message.Content {
		t.Errorf("%q, want %q", got.Choices[0].Message.Content, want.Choices[0].Message.Content)
	}
	// A conversation with an answer sent back as it came, and content in parts.
	answered(t, base+"/chat/completions", expand(`{"model":"tiny","max_tokens":2,"messages":[{"role":"developer","content":[{"type":"text","text":"the "},{"type":"text","text":"city"}]},
		{"role":"user","content":"a"},{"role":"assistant","content":"b","refusal":null,"annotations":[],"tool_calls":null},{"role":"user","content":"c"}]}`), &got)
}

func TestOtherRefusals(t *testing.T) {
	var log bytes.Buffer
	s, base := serve(t, tiny(), Options{Key: "sk-secret", MaxBody: 1000, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	for _, c := range []struct {
		method, path, key, kind, body string
		status                        int
		code                          string
	}{
		{"GET", "/models", "", "", "", 401, "invalid_api_key"},
		{"GET", "/models", "Bearer sk-wrong", "", "", 401, "invalid_api_key"},
		{"GET", "/models", "sk-secret", "", "", 401, "invalid_api_key"},
		{"GET", "/models", "Bearer sk-secret", "", "", 200, ""},
		{"GET", "/models/tiny", "Bearer sk-secret", "", "", 200, ""},
		{"GET", "/models/other", "Bearer sk-secret", "", "", 404, "model_not_found"},
		{"POST", "/models", "Bearer sk-secret", "", "", 405, "method_not_supported"},
		{"GET", "/health", "", "", "", 200, ""},
		{"GET", "/tokenizer_info", "Bearer sk-secret", "", "", 200, ""},
		{"GET", "/completions", "Bearer sk-secret", "", "", 405, "method_not_supported"},
		{"POST", "/nowhere", "Bearer sk-secret", "application/json", "{}", 404, "unknown_url"},
		{"POST", "/completions", "Bearer sk-secret", "text/plain", "{}", 415, "unsupported_media_type"},
		{"POST", "/completions", "Bearer sk-secret", "application/json; charset=utf-8", `{"model":"other","prompt":"a"}`, 404, "model_not_found"},
		{"POST", "/completions", "Bearer sk-secret", "application/json", `{"prompt":"` + strings.Repeat("a", 1000) + `"}`, 413, "request_too_large"},
	} {
		req, err := http.NewRequest(c.method, base+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.key != "" {
			req.Header.Set("Authorization", c.key)
		}
		req.Header.Set("Content-Type", c.kind)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.status || !strings.Contains(string(b), c.code) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, resp.StatusCode, b, c.status, c.code)
		}
		if strings.Contains(string(b), "sk-") {
			t.Errorf("%s %s shows a key: %s", c.method, c.path, b)
		}
	}
	if s.Close(); strings.Contains(log.String(), "sk-") || strings.Count(log.String(), "msg=request") != 14 {
		t.Errorf("log:\n%s", log.String())
	}
	s.engine = newScheduler(s.m, 1, 1) // for the cleanup to close
}

// The server takes as many requests as it was told to; the next is told to come again.
func TestBusy(t *testing.T) {
	s, base := serve(t, tiny(), Options{Requests: 1})
	body, hold := io.Pipe()
	first := make(chan int, 1)
	go func() {
		resp, err := http.Post(base+"/completions", "application/json", body)
		if err != nil {
			first <- 0
			return
		}
		resp.Body.Close()
		first <- resp.StatusCode
	}()
	for len(s.places) == 0 {
		time.Sleep(time.Millisecond)
	}
	status, header, b := post(t, base+"/completions", `{}`)
	if status != http.StatusTooManyRequests || header.Get("Retry-After") != "1" || !strings.Contains(string(b), "rate_limit_exceeded") {
		t.Errorf("%d %v %s", status, header, b)
	}
	io.WriteString(hold, `{"model":"tiny","prompt":"a"}`)
	hold.Close()
	if got := <-first; got != http.StatusOK {
		t.Errorf("the first request got %d", got)
	}
}

// A body that does not come gives up its place.
func TestSlowClients(t *testing.T) {
	s := New(mustOpen(4096), Options{ID: "tiny"})
	s.readLimit = 50 * time.Millisecond
	h := httptest.NewServer(s)
	defer func() { h.Close(); s.Close() }()
	body, hold := io.Pipe()
	go io.WriteString(hold, `{"model":`)
	resp, err := http.Post(h.URL+"/completions", "application/json", body)
	if err == nil {
		if resp.StatusCode != http.StatusRequestTimeout {
			t.Errorf("status %d", resp.StatusCode)
		}
		resp.Body.Close()
	}
	hold.Close()
}

// A timed writer keeps the deadlines that a handler sets for what it reads.
type timedWriter struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (w *timedWriter) SetReadDeadline(at time.Time) error {
	w.deadlines = append(w.deadlines, at)
	return nil
}

// A request that takes longer than a body may is not cut off: once the body is there, its deadline is lifted.
func TestDeadlineIsLifted(t *testing.T) {
	s := New(mustOpen(16), Options{ID: "tiny"})
	defer s.Close()
	w := &timedWriter{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest(http.MethodPost, "/completions", strings.NewReader(`{"model":"tiny","prompt":"a","max_tokens":2}`))
	r.Header.Set("Content-Type", "application/json")
	s.ServeHTTP(w, r)
	if d := w.deadlines; w.Code != http.StatusOK || len(d) != 2 || d[0].IsZero() || !d[1].IsZero() {
		t.Errorf("status %d, deadlines %v", w.Code, d)
	}
}

// A lane takes in no more than there is memory for, but one sequence at least, and gives the memory back.
func TestCacheIsBounded(t *testing.T) {
	m := tiny()
	l := &lane{m: m, d: m.NewDecoder(), running: map[*engine.Sequence]*task{}, room: 50 * m.CacheBytes()}
	box := newMailbox()
	for i, further := range []int{60, 10, 10, 1, 30, 0} { // after a prompt of 8 tokens
		l.waiting = append(l.waiting, &task{ctx: context.Background(), index: i, to: box, ask: engine.Ask{
			Prompt: []int32{2, 3, 4, 5, 6, 7, 8, 9}, Generate: engine.GenerateOptions{MaxTokens: further},
		}})
	}
	var joined []int // sequences that are still waiting after each join
	for len(l.waiting) > 0 || l.d.Active() > 0 {
		before := len(l.waiting)
		if l.join(); len(l.waiting) < before {
			joined = append(joined, len(l.waiting))
		}
		for _, q := range l.d.Step() {
			l.report(q)
		}
	}
	// The first is too large and runs alone; the next three fit, two with 18 tokens and one that keeps none; then the
	// rest.
	if want := []int{5, 2, 0}; !slices.Equal(joined, want) || l.room != 50*m.CacheBytes() || len(l.running) != 0 {
		t.Errorf("waiting after each join %v, want %v; room %d of %d, %d running", joined, want, l.room, 50*m.CacheBytes(), len(l.running))
	}
}

// endless asks for answers that take minutes.
func endless() object {
	return object{"model": "tiny", "prompt": slices.Repeat([]string{"the land"}, 64), "n": 8, "max_tokens": 8000, "stream": true, "temperature": 2}
}

// A client that goes away stops what it asked for.
func TestDisconnectStopsTheWork(t *testing.T) {
	s := New(mustOpen(8192), Options{ID: "tiny"})
	h := httptest.NewServer(s)
	b, _ := json.Marshal(endless())
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "POST", h.URL+"/completions", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	cancel()
	resp.Body.Close()
	closed := make(chan struct{})
	go func() { h.Close(); s.Close(); close(closed) }()
	<-closed // an engine that went on without a client would run into the limit of go test
}

// An interrupt lets a request finish that finishes within the grace, cuts off one that does not, and takes no more.
func TestServeAndShutDown(t *testing.T) {
	for _, patient := range []bool{true, false} {
		s := New(mustOpen(8192), Options{ID: "tiny"})
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		base := "http://" + listener.Addr().String()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		grace := 10 * time.Millisecond
		body := endless()
		if patient {
			grace = time.Hour
			body = object{"model": "tiny", "prompt": "the land", "max_tokens": 400, "stream": true, "temperature": 2, "seed": 4}
		}
		go func() { done <- s.Serve(ctx, listener, grace) }()
		b, _ := json.Marshal(body)
		resp, err := http.Post(base+"/v1/completions", "application/json", bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		rest, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		whole := err == nil && strings.HasSuffix(string(rest), "data: [DONE]\n\n")
		if served := <-done; whole != patient || (served == nil) != patient {
			t.Errorf("patient %v: the answer came whole: %v (%v); Serve returned %v", patient, whole, err, served)
		}
		if resp, err := http.Get(base + "/health"); err == nil {
			resp.Body.Close()
			t.Error("the server still takes requests")
		}
	}
}

// FuzzRequest sends any body to any endpoint: it is answered, or refused with a 400 or 404, and never a crash.
func FuzzRequest(f *testing.F) {
	paths := []string{"/chat/completions", "/completions", "/embeddings", "/tokenize", "/detokenize"}
	for _, c := range refusals {
		f.Add(uint8(slices.Index(paths, "/"+c.path)), []byte(expand(c.body)))
	}
	f.Add(uint8(1), []byte(`{"model":"tiny","prompt":[1,2,3],"echo":true,"logprobs":3,"max_tokens":0,"stream":true,"stream_options":{"include_usage":true}}`))
	s := New(mustOpen(16), Options{ID: "tiny", Lanes: 1})
	f.Fuzz(func(t *testing.T, endpoint uint8, body []byte) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, paths[int(endpoint)%len(paths)], bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(w, r)
		switch w.Code {
		case http.StatusOK:
			if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
				return
			}
		case http.StatusBadRequest, http.StatusNotFound:
		default:
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Fatalf("the answer is no JSON: %s", w.Body)
		}
	})
}

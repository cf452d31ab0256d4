package endpoint

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

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
		ModelType: "llama", Vocab: max(300, tok.Size()), Hidden: 32, Inner: 48, Layers: 2, Heads: 2, KVHeads: 1, HeadDim: 16,
		MaxContext: context,
		Epsilon:    1e-6, Theta: 10000, Tied: true,
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
				Greedy: true, Sampled: true, LogProbs: true, TopLogProbs: 5, Score: []string{" the land", " a city"},
				ScoreAlone: true, Hidden: true, Raw: api == hosted.Completions,
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
	req := model.Request{Prompt: "Q: What is the capital of the land?\nA:", Raw: true,
		Options: []string{" the capital is a city", " a city"}, Hidden: true}
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

// requests are what the instrument sends, greedy and sampled, by both endpoints.
func requests() []model.Request {
	var all []model.Request
	for i := range 40 {
		r := model.Request{
			Prompt: "What is " + strings.Repeat("the ", i%4) + "capital?", MaxTokens: 4 + i%9, Raw: i%3 == 0, LogProbs: i%4 == 0,
			TopLogProbs: i % 2 * 3,
		}
		if i%2 == 0 {
			r.Temperature, r.Seed = 1, new(int64(i/4-3))
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
			if err != nil || *got.Text != *want.Text || got.Finish != want.Finish ||
				got.Usage.CompletionTokens != want.Usage.CompletionTokens || got.Usage.PromptTokens != want.Usage.PromptTokens {
				t.Errorf("request %d: %q %s %+v, in process %q %s %+v, %v", i, *got.Text, got.Finish, got.Usage, *want.Text,
					want.Finish, want.Usage, err)
			}
			if len(got.Tokens) != len(want.Tokens) {
				t.Errorf("request %d: %d tokens, in process %d", i, len(got.Tokens), len(want.Tokens))
				return
			}
			for j, w := range want.Tokens {
				if *got.Tokens[j].LogProb != *w.LogProb || len(got.Tokens[j].Top) != len(w.Top) {
					t.Errorf("request %d, token %d: %v with %d alternatives, in process %v with %d", i, j, *got.Tokens[j].LogProb,
						len(got.Tokens[j].Top), *w.LogProb, len(w.Top))
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

// The echoed prompt: the first token has no probability, offsets count characters, and the values are the model's.
func TestEcho(t *testing.T) {
	m := tiny()
	_, base := serve(t, m, Options{})
	const prompt = "the capital é of 漢 lands"
	var a completionAnswer
	answered(t, base+"/completions", object{"model": "tiny", "prompt": prompt, "max_tokens": 0, "echo": true,
		"logprobs": 1}, &a)
	c := a.Choices[0]
	l := c.LogProbs
	if c.Text != prompt || *c.Finish != "length" || a.Usage.CompletionTokens != 0 || l.LogProbs[0] != nil ||
		l.Top[0] != nil || l.Tokens[0] != "<|begin|>" {
		t.Fatalf("%+v %+v", c, l)
	}
	runes := []rune(prompt)
	for i, text := range l.Tokens[1:] {
		rest := string(runes[l.Offsets[i+1]:])
		if !strings.HasPrefix(text, "bytes:") && !strings.HasPrefix(rest, text) || strings.HasPrefix(text, "bytes:") &&
			rest[0] < 0x80 {
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
	answered(t, base+"/completions", object{"model": "tiny", "prompt": [][]int32{ids[1:], ids}, "max_tokens": 0,
		"echo": true, "logprobs": 1}, &b)
	if b.Choices[0].Text != prompt || len(b.Choices[0].LogProbs.Tokens) != len(ids)-1 ||
		!reflect.DeepEqual(b.Choices[1].LogProbs, l) {
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
	answered(t, base+"/completions", object{"model": "tiny", "prompt": "the é of 漢 the", "max_tokens": 0, "echo": true,
		"logprobs": 0}, &scored)
	runes := []rune(scored.Choices[0].Text)
	for i, text := range scored.Choices[0].LogProbs.Tokens[1:] {
		if i == 0 {
			text = strings.TrimPrefix(text, " ")
		}
		if rest := string(runes[scored.Choices[0].LogProbs.Offsets[i+1]:]); !strings.HasPrefix(text, "bytes:") &&
			!strings.HasPrefix(rest, text) {
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
		if c.Text != "the land" || l.Tokens[len(l.Tokens)-1] != "<|end|>" || len(l.Tokens) != echoed.Usage.TotalTokens ||
			len(plain.Choices[0].LogProbs.Tokens) != 0 {
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
		if err := json.Unmarshal(floats.Data[1].Embedding, &got); err != nil || !slices.Equal(got, want) ||
			floats.Data[1].Index != 1 {
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
		if b.Prompt != want || a.Count != len(a.Tokens) || a.Max != 96 || len(a.Texts) != a.Count ||
			special != (body["prompt"] != nil) {
			t.Errorf("%v: %+v, back %q, want %q", body, a, b.Prompt, want)
		}
	}
	var none struct{ Prompt string }
	answered(t, base+"/detokenize", `{"tokens":[]}`, &none)
	if none.Prompt != "" {
		t.Errorf("no tokens are %q", none.Prompt)
	}
}

package hosted

import (
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/model/stub"
)

var quiet = log.New(io.Discard, "", 0)

// All ways of scoring give the same log-probabilities, and they are those of the option's own tokens.
func TestOptionScores(t *testing.T) {
	req := model.Request{Prompt: "Input: x\nLabel:", Raw: true, Options: []string{" Paris", " New York",
		" Łódź in Poland"}}
	var want []model.OptionScore
	for _, tt := range []struct {
		name string
		so   stub.Options
		way  string
	}{
		{"echo", stub.Options{}, "echo"},
		{"begin mark", stub.Options{BOS: "<s>"}, "echo"},
		{"offsets in bytes", stub.Options{Offsets: "bytes"}, "echo"},
		{"no offsets", stub.Options{Offsets: "none"}, "echo"},
		{"one token", stub.Options{Refuse: []string{"max_tokens=0"}}, "echo with one token"},
		{"no lists", stub.Options{Refuse: []string{"prompt list"}}, "echo"},
		{"prompt_logprobs", stub.Options{Refuse: []string{"echo"}}, "prompt_logprobs"},
		{"prompt_logprobs, begin mark", stub.Options{Refuse: []string{"echo"}, BOS: "<s>"}, "prompt_logprobs"},
		{"prompt_logprobs, no lists", stub.Options{Ignore: []string{"echo"}, Refuse: []string{"prompt list"}},
			"prompt_logprobs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, s := serve(t, tt.so, Options{})
			out, err := m.Generate(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = out.Options
				if n := []int{len(want[0].LogProbs), len(want[1].LogProbs), len(want[2].LogProbs)}; !slices.Equal(n,
					[]int{1, 2, 3}) {
					t.Fatalf("numbers of tokens %v", n)
				}
			}
			if fmt.Sprint(out.Options) != fmt.Sprint(want) {
				t.Errorf("scores %v, want %v", out.Options, want)
			}
			if w := m.way.Load().name; w != tt.way {
				t.Errorf("scored by %s, want %s", w, tt.way)
			}
			before := s.Requests()
			if _, err := m.Generate(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			after := 1
			if slices.Contains(tt.so.Refuse, "prompt list") {
				after = 3 // one for each option, and no more trying
			}
			if n := s.Requests() - before; n != after {
				t.Errorf("%d requests for the second call, want %d", n, after)
			}
		})
	}
}

// The first tokens of options are seen by each way of scoring, and not where nothing is scored.
func TestFirstTokens(t *testing.T) {
	for name, so := range map[string]stub.Options{
		"echo": {}, "one token": {Refuse: []string{"max_tokens=0"}}, "prompt_logprobs": {Refuse: []string{"echo"}},
		"begin mark": {BOS: "<s>"},
	} {
		m, _ := serve(t, so, Options{})
		got, err := m.FirstTokens(t.Context(), "Label:", []string{" Paris", " New York", " New Delhi"})
		if err != nil || !slices.Equal(got, []string{" Paris", " New", " New"}) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	m, _ := serve(t, stub.Options{NoCompletions: true}, Options{})
	if got, err := m.FirstTokens(t.Context(), "Label:", []string{" Paris"}); err == nil {
		t.Errorf("chat only: %q", got)
	}
}

func TestOptionsWithoutScores(t *testing.T) {
	for name, m := range map[string]*Model{
		"chat only": first(serve(t, stub.Options{NoCompletions: true}, Options{})),
		"anthropic": first(serve(t, stub.Options{}, Options{API: Messages})),
	} {
		for range 2 {
			_, err := m.Generate(t.Context(), model.Request{Prompt: "x", Options: []string{"a"}})
			if modeltest.ClassOf(err) != modeltest.Final || !strings.Contains(err.Error(), "cannot score options") ||
				!strings.Contains(err.Error(), "vLLM") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func first(m *Model, _ *stub.Server) *Model { return m }

// A passing fault while the way is sought is not taken for an inability.
func TestFaultWhileSeekingTheWay(t *testing.T) {
	m, _ := serve(t, stub.Options{Script: []stub.Fault{stub.ServerError}}, Options{})
	req := model.Request{Prompt: "x", Options: []string{" a", " b"}}
	if _, err := m.Generate(t.Context(), req); modeltest.ClassOf(err) != modeltest.Transient {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Error(err)
	}
}

func TestOptionScoresTogether(t *testing.T) {
	m, _ := serve(t, stub.Options{}, Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := m.Generate(t.Context(), model.Request{Prompt: fmt.Sprint("p", i),
				Options: []string{" a", " b"}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestEmptyOption(t *testing.T) {
	m, s := serve(t, stub.Options{}, Options{})
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "x", Options: []string{"a", ""}}); err == nil ||
		s.Requests() != 0 {
		t.Error(err)
	}
}

// Faulty echoes are named.
func TestDecodeScores(t *testing.T) {
	echo, prompt := ways()[0], ways()[2]
	const prefix, option = "Q: Label: ", "Paris"
	for _, tt := range []struct {
		name string
		w    way
		body string
		want string // the log-probabilities, or part of the error
	}{
		{"merged", echo,
			`{"choices":[{"text":"Q: Label: Paris","logprobs":{"tokens":["Q:"," Label:"," Paris"],"token_logprobs":[null,-1,-2],"text_offset":[0,2,9]}}]}`, "[-2]"},
		{"apart", echo,
			`{"choices":[{"text":"Q: Label: Paris","logprobs":{"tokens":["Q:"," Label:"," ","Par","is"],"token_logprobs":[null,-1,-2,-3,-4]}}]}`, "[-3 -4]"},
		{"lost spaces", echo,
			`{"choices":[{"text":"Q: Label: Paris","logprobs":{"tokens":["<s>","Q",":","Label",":","","Par","is"],"token_logprobs":[null,-1,-1,-1,-1,-2,-3,-4]}}]}`, "[-3 -4]"},
		{"vocabulary marks", echo,
			`{"choices":[{"text":"Q: Label: Paris","logprobs":{"tokens":["▁Q:","▁Label:","▁Paris"],"token_logprobs":[null,-1,-2]}}]}`, "[-2]"},
		{"by offsets", echo,
			`{"choices":[{"text":"Q: Label: Paris","logprobs":{"tokens":["bytes:Q:"," Label:"," Paris"],"token_logprobs":[null,-1,-2],"text_offset":[0,2,9]}}]}`, "[-2]"},
		{"offsets that lie", echo,
			`{"choices":[{"text":"Q: Label: Paris","logprobs":{"tokens":["bytes:Q:"," Label:"," Paris"],"token_logprobs":[null,-1,-2],"text_offset":[0,5,9]}}]}`, "do not spell"},
		{"no echo", echo, `{"choices":[{"text":" and","logprobs":{"tokens":[" and"],"token_logprobs":[-1]}}]}`,
			"does not echo"},
		{"no log-probabilities", echo, `{"choices":[{"text":"Q: Label: Paris"}]}`, "no log-probabilities"},
		{"wrong length", echo,
			`{"choices":[{"text":"Q: Label: Paris","logprobs":{"tokens":["Q:"," Label:"," Paris"],"token_logprobs":[null,-1]}}]}`, "lists 3 tokens but 2 token_logprobs"},
		{"null in the option", echo,
			`{"choices":[{"text":"Q: Label: Paris","logprobs":{"tokens":["Q: Label: Paris"],"token_logprobs":[null]}}]}`,
			"has no log-probability"},
		{"NaN", echo,
			`{"choices":[{"text":"Q: Label: Paris","logprobs":{"tokens":["Q:"," Label:"," Paris"],"token_logprobs":[null,-1,NaN]}}]}`, "NaN"},
		{"two choices", echo, `{"choices":[{"index":0},{"index":1}]}`, "not one choice"},
		{"index", echo, `{"choices":[{"index":7}]}`, "not one choice"},
		{"own token first", prompt,
			`{"choices":[{"prompt_logprobs":[null,{"9":{"logprob":-1,"decoded_token":" Label:"},"2":{"logprob":-0.1,"decoded_token":" x"}},{"8":{"logprob":-2,"decoded_token":" Paris"}}]}]}`, "[-2]"},
		{"begin mark hidden", prompt,
			`{"choices":[{"prompt_logprobs":[null,{"3":{"logprob":-3,"decoded_token":"Q:"}},{"9":{"logprob":-1,"decoded_token":" Label:"}},{"8":{"logprob":-2,"decoded_token":" Paris"}}]}]}`, "[-2]"},
		{"hole", prompt, `{"choices":[{"prompt_logprobs":[null,{},{"8":{"logprob":-2,"decoded_token":" Paris"}}]}]}`,
			"prompt_logprobs[1] is empty"},
		{"text for a number", prompt,
			`{"choices":[{"prompt_logprobs":[null,{"8":{"logprob":"-2","decoded_token":" Paris"}}]}]}`, "no number"},
		{"other text", prompt, `{"choices":[{"prompt_logprobs":[null,{"8":{"logprob":-2,"decoded_token":" Rome"}}]}]}`,
			"do not spell"},
		{"none", prompt, `{"choices":[{}]}`, "no prompt_logprobs"},
	} {
		out, _, err := decodeScores([]byte(tt.body), tt.w, prefix, []string{option}, 0)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(out.Options[0].LogProbs)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Characters that are split over tokens come out as U+FFFD from servers that show tokens one by one.
func TestAlignSplitCharacters(t *testing.T) {
	text := "Stadt: Łódź 東京"
	tokens := []string{"Stadt", ":", " \uFFFD", "\uFFFD", "ó", "d\uFFFD", "\uFFFD", " ", "\uFFFD", "\uFFFD", "京"}
	spans, ok := align(text, tokens)
	if !ok {
		t.Fatal("no alignment")
	}
	first, last, ok := within(spans, len("Stadt:"), len(text))
	if !ok || first != 2 || last != len(tokens) {
		t.Errorf("option is tokens %d to %d, %v", first, last, ok)
	}
	if _, _, ok := within(spans, len("Stadt: "), len(text)); ok {
		t.Error("a boundary inside broken characters is said to be known")
	}
}

// The OpenAI API writes the bytes of such tokens out, so that only the offsets say what they cover; a begin mark in
// front covers nothing.
func TestAlignBytesAfterABeginMark(t *testing.T) {
	text := "ó: é 東"
	tokens := []string{"<s>", `bytes:\xc3`, `bytes:\xb3`, ":", `bytes:\x20\xc3`, `bytes:\xa9`, " ", `bytes:\xe6\x9d`,
		`bytes:\xb1`}
	offsets := []int{0, 0, 0, 1, 2, 3, 4, 5, 5}
	if _, ok := align(text, tokens); ok {
		t.Error("the tokens spell the text")
	}
	spans, ok := alignOffsets(text, tokens, offsets)
	if !ok || spans[0] != (span{-1, -1}) {
		t.Fatalf("spans %v, %v", spans, ok)
	}
	for _, c := range []struct{ start, first, last int }{{0, 1, 9}, {len("ó:"), 4, 9}, {len("ó: é"), 6, 9}} {
		first, last, ok := within(spans, c.start, len(text))
		if !ok || first != c.first || last != c.last {
			t.Errorf("from byte %d: tokens %d to %d, %v; want %d to %d", c.start, first, last, ok, c.first, c.last)
		}
	}
	if _, ok := alignOffsets(text, slices.Replace(slices.Clone(tokens), 0, 1, "wrong"),
		append([]int{0, 1}, offsets[2:]...)); ok {
		t.Error("a wrong token is taken for a begin mark")
	}
}

// A text cut anywhere into tokens, at character bounds, is aligned, and the range is that of the tokens that reach into
// the option.
func TestAlignRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.StringMatching(` ?[a-zé東]{1,4}`), 1, 12).Draw(t, "tokens")
		text := strings.Join(tokens, "")
		begin := rapid.Bool().Draw(t, "begin")
		shown := tokens
		if begin {
			shown = append([]string{"<|begin|>"}, tokens...)
		}
		spans, ok := align(text, shown)
		if !ok {
			t.Fatalf("no alignment of %q", shown)
		}
		cut := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		first, last, ok := within(spans, cut, len(text))
		pos, want := 0, 0
		for pos+len(tokens[want]) <= cut {
			pos += len(tokens[want])
			want++
		}
		if begin {
			want++
		}
		if !ok || first != want || last != len(shown) {
			t.Fatalf("cut %d of %q: tokens %d to %d, %v; want from %d", cut, shown, first, last, ok, want)
		}
	})
}

// An option of a question that is a turn of a chat is scored as a part of its own: "Which is red?\n\nblood", not
// "Which is red?blood".
func TestOptionStandsApart(t *testing.T) {
	m, s := serve(t, stub.Options{Record: true}, Options{})
	if _, err := m.Generate(t.Context(), model.Request{System: "S", Prompt: "Which is red?",
		Options: []string{"blood", "grass"}}); err != nil {
		t.Fatal(err)
	}
	seen := s.Seen()
	if got, want := fmt.Sprint(seen[len(seen)-1].Body["prompt"]),
		"[S\n\nWhich is red?\n\nblood S\n\nWhich is red?\n\ngrass]"; got != want {
		t.Errorf("asked for the score of %q, want %q", got, want)
	}
}

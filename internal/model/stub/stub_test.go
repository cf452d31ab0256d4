package stub

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func post(t *testing.T, s *Server, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(b)
}

// The same prompt gets the same answer from every server, at any time, and others get others.
func TestAnswersByHash(t *testing.T) {
	body := func(prompt string) string {
		return `{"messages":[{"role":"user","content":"` + prompt + `"}],"temperature":0}`
	}
	_, first := post(t, New(Options{}), body("a"))
	s := New(Options{})
	_, other := post(t, s, body("b"))
	_, again := post(t, s, body("a"))
	if first != again || first == other {
		t.Errorf("answers %s, %s and for another prompt %s", first, again, other)
	}
	if s.Requests() != 2 {
		t.Errorf("%d requests counted", s.Requests())
	}
}

func TestScriptThenRates(t *testing.T) {
	s := New(Options{Script: []Fault{ServerError, None, Limited}, Rates: map[Fault]float64{ServerError: .2,
		Forbidden: .1}})
	const n = 2000
	counts := map[int]int{}
	for i := range n + 3 {
		code, _ := post(t, s, `{"messages":[]}`)
		if i < 3 {
			if want := []int{500, 200, 429}[i]; code != want {
				t.Errorf("request %d: status %d, want %d", i, code, want)
			}
			continue
		}
		counts[code]++
	}
	for code, p := range map[int]float64{500: .2, 403: .1, 200: .7} {
		if got := float64(counts[code]) / n; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/n) {
			t.Errorf("status %d: share %v, want %v", code, got, p)
		}
	}
}

func TestTokenize(t *testing.T) {
	for _, text := range []string{"", " ", "a", " a b", "a \n b  ", "Łódź  x"} {
		if got := strings.Join(tokenize(text), ""); got != text {
			t.Errorf("tokens of %q spell %q", text, got)
		}
	}
	if got := tokenize("Label: Paris "); len(got) != 3 || got[1] != " Paris" {
		t.Errorf("%q", got)
	}
}

// What a body holds never brings the server down.
func FuzzServeHTTP(f *testing.F) {
	f.Add("/v1/chat/completions",
		`{"messages":[{"role":"user","content":"a"}],"logprobs":true,"top_logprobs":3,"max_tokens":1}`)
	f.Add("/v1/completions", `{"prompt":["a b",""],"echo":true,"logprobs":2,"max_tokens":0,"prompt_logprobs":0}`)
	f.Add("/v1/messages", `{"messages":[],"max_tokens":-1,"stop_sequences":[""]}`)
	f.Fuzz(func(t *testing.T, path, body string) {
		if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \r\n\x00%?#") {
			return
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.URL.Path = path
		w := httptest.NewRecorder()
		New(Options{}).ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("status %d", w.Code)
		}
	})
}

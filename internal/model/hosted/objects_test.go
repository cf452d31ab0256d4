package hosted

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hallmark/internal/model"
)

// A response of a few megabytes that would take gigabytes once decoded is refused before that; braces in its strings
// are text.
func TestManyObjects(t *testing.T) {
	many := strings.Repeat(",{}", maxObjects)
	for name, tt := range map[string]struct{ content, more, want string }{
		"objects":                 {"Paris", many, "1048580 objects and lists"},
		"braces in a text":        {strings.Repeat("{[", maxObjects), "", ""},
		"quotes in a text":        {strings.Repeat(`\"{`, maxObjects), "", ""},
		"backslashes and objects": {`\\\\`, many, "1048580 objects and lists"},
		"both":                    {strings.Repeat(`{\\`, maxObjects), many, "1048580 objects and lists"},
	} {
		t.Run(name, func(t *testing.T) {
			body := []byte(`{"choices": [{"message": {"content": "` + tt.content + `"}}` + tt.more + `]}`)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
			defer s.Close()
			m, err := New(Options{BaseURL: s.URL, Name: "m", API: Chat})
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Generate(context.Background(), model.Request{Prompt: "?"})
			if tt.want == "" && (err != nil || !strings.Contains(*out.Text, "{")) || tt.want != "" &&
				(err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

// An answer of more tokens than any model writes is refused before it is stored.
func TestManyTokens(t *testing.T) {
	n := maxTokens + 1
	body := []byte(`{"choices": [{"text": "` + strings.Repeat("a", n) + `", "logprobs": {"tokens": [` +
		strings.TrimSuffix(strings.Repeat(`"a",`, n), ",") + `], "token_logprobs": [` +
		strings.TrimSuffix(strings.Repeat("-1,", n), ",") + `]}}]}`)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	defer s.Close()
	m, err := New(Options{BaseURL: s.URL, Name: "m", API: Completions})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(context.Background(), model.Request{Prompt: "?", LogProbs: true}); err == nil ||
		!strings.Contains(err.Error(), "lists 131073 tokens, and at most 131072 are read") {
		t.Errorf("err = %v", err)
	}
}

// BenchmarkContainers: of an answer as most are, and of one that is looked at twice.
func BenchmarkContainers(b *testing.B) {
	for name, body := range map[string]string{
		"text 1 MiB": strings.Repeat("An answer of words. ", 1<<20/20), "braces 2 MiB": `"` + strings.Repeat("{[",
			maxObjects) + `"`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			body := []byte(body)
			for b.Loop() {
				containers(body)
			}
		})
	}
}

package spec

import (
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/text/answer"
)

func TestKnownPairs(t *testing.T) {
	const good = `{"question": "Q?", "a": "one", "b": "two", "equal": false}`
	for _, c := range []struct{ text, want string }{
		{good, ""},
		{good + "\n" + `{"question": "Q?", "a": "two", "b": "one", "equal": true}`, "f:2: the pair stands on line 1 already"},
		{`{"question": "Q?", "a": "one", "b": "two"}`, `f:1: a pair needs "question", "a", "b" and "equal"`},
		{`{"question": "Q?", "a": " ", "b": "two", "equal": true}`, "f:1: an answer of the pair is blank"},
		{`{"question": "Q?", "a": "One.", "b": "one", "equal": false}`, "f:1: the two answers are the same words"},
		{`{"question": "Q?", "a": 1, "b": "two", "equal": true}`, "f:1: "},
		{`{"question": "Q?", "a": "` + strings.Repeat("x", 70_000) + `", "b": "two", "equal": true}`,
			"f:1: a text is longer than 64 KiB"},
		{"", "f: no rows"},
		{"[1]", "f:1: "},
	} {
		pairs, err := readKnownPairs("f", strings.NewReader(c.text))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q gives %d pairs, %v; want %q", c.text, len(pairs), err, c.want)
		}
	}
}

// Whatever a file holds, what is read of it can be asked about.
func FuzzKnownPairs(f *testing.F) {
	f.Add(`{"question": "Q?", "a": "one", "b": "two", "equal": false}`)
	f.Add("{\"question\": \"\", \"a\": \"\\u0000\", \"b\": \"\\ud800\", \"equal\": true}\r\n\r\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := readKnownPairs("f", strings.NewReader(text))
		if err == nil && len(pairs) == 0 {
			t.Fatal("no pair, and no error")
		}
		for _, p := range pairs {
			if strings.TrimSpace(p.A) == "" || strings.TrimSpace(p.B) == "" || !p.Equal &&
				answer.Words(p.A) == answer.Words(p.B) || len(p.A) > assay.MostPairText {
				t.Fatalf("%+v", p)
			}
		}
	})
}

package model

import (
	"strings"
	"testing"

	"hallmark/internal/text/secret"
)

func TestExcerpt(t *testing.T) {
	for text, want := range map[string]string{
		"a \n\t b":                        "a b",
		"a\x00b\u200bc\u0085d":            "abc d",
		"a\x1b[0mb\x1b[31;1mc\u009b0m":    "abc",
		"a\x1b(Bb\x1b]0;title\x07c":       "abc",
		"a\x1b":                           "a",
		"\xff":                            "\uFFFD",
		"a\x1b7b\x1bP1$r\x1b\\c\u009b0md": "abcd",
		strings.Repeat("x", 301):          strings.Repeat("x", 300) + " …",
		strings.Repeat("é", 151):          strings.Repeat("é", 150) + " …",
		strings.Repeat(" ", 2000) + "x":   " …",
	} {
		if got := Excerpt(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A key that is spread over what a response says and what it says of itself is found, and the raw body with it goes.
func TestRedactSpreadOverResponse(t *testing.T) {
	const key = "sk-J4hT9xQ2mWv7Lp3Zr8"
	said := "It is " + key[:8]
	r := Response{Text: &said, Finish: key[8:14], Model: key[14:], Raw: []byte("x")}
	r.Redact(secret.New(key))
	if *r.Text != "It is "+secret.Mark || r.Finish+r.Model != "" || r.Raw != nil || said != "It is "+key[:8] {
		t.Errorf("%q, %q, %q, %q", *r.Text, r.Finish, r.Model, r.Raw)
	}
}

// A key is found in the finish reason and in the name of a model, whatever stands between its characters.
func TestRedactBeforeExcerpt(t *testing.T) {
	const key = "sk-J4hT9xQ2mWv7Lp3Zr8"
	for _, between := range []string{"\x1b[0m", "\x1b(B", "\u009b0m", "\x00", "\u200b", "*", "\x07"} {
		spread := strings.Join(strings.Split(key, ""), between)
		r := Response{Finish: spread, Model: "m " + spread}
		r.Redact(secret.New(key))
		if r.Finish != secret.Mark || r.Model != "m "+secret.Mark {
			t.Errorf("%q between: %q, %q", between, r.Finish, r.Model)
		}
	}
}

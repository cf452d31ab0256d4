package secret_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/text/secret"
)

// TestBrokenJSON: a key with quotes, backslashes and what JSON escapes is found in a body that does not parse, as
// nobody can then say which of its quotes end a string.
func TestBrokenJSON(t *testing.T) {
	archtest.OneGoroutine(t)
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\"\"''\\\\<>&/{}[],:"
	breaks := map[string]func(string) string{
		"whole":            func(s string) string { return `{"error":{"message":` + s + `,"code":1}}` },
		"cut":              func(s string) string { return `{"error":{"message":` + strings.TrimSuffix(s, `"`) },
		"a backslash last": func(s string) string { return `{"error":{"message":` + strings.TrimSuffix(s, `"`) + `\` },
		"trailing garbage": func(s string) string { return `{"error":` + s + `}} , "x` },
		"no end of before": func(s string) string { return `{"a":"b,"error":` + s + `}` },
		"a quote before":   func(s string) string { return `"{"error":` + s + `}` },
		"odd backslashes":  func(s string) string { return `{"a":\\\"error\":` + s + `}` },
		"NaN":              func(s string) string { return `{"a":NaN,"error":` + s + `}` },
	}
	writes := map[string]func(string) string{
		"as it is": func(s string) string { return `"` + s + `"` },
		"JSON":     func(s string) string { b, _ := json.Marshal(s); return string(b) },
		"Go":       strconv.Quote,
		"JSON in JSON": func(s string) string {
			b, _ := json.Marshal(s)
			b, _ = json.Marshal("it is " + string(b))
			return string(b)
		},
		"quotes alone":      func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` },
		"backslashes alone": func(s string) string { return `"` + strings.ReplaceAll(s, `\`, `\\`) + `"` },
	}
	for n := range uint64(300) {
		d := seed.Stream(n, "secret", "broken")
		k := make([]byte, 12+d.IntN(40))
		for k[0] == 0 || secret.Plain(string(k)) {
			for i := range k {
				k[i] = alphabet[d.IntN(len(alphabet))]
			}
		}
		key := string(k)
		r := secret.New(key)
		for how, write := range writes {
			for broken, body := range breaks {
				text := body(write("Wrong key " + key + " given"))
				for name, got := range map[string]string{"Bytes": string(r.Bytes([]byte(text))),
					"Document": string(r.Document([]byte(text)))} {
					if left := left(got, key); left != "" {
						t.Errorf("seed %d: key %q, %s, %s, %s: %q became %q, which shows %q", n, key, how, broken, name, text, got, left)
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// left returns a part of the key that shows in a text, or in what it reads as without one backslash before each
// character, once or more.
func left(text, key string) string {
	for range 4 {
		if s := shows(text, key); s != "" {
			return s
		}
		text = unescaped(text)
	}
	return ""
}

func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if n, err := strconv.ParseUint(s[min(i+1, len(s)):min(i+5, len(s))], 16, 16); s[i] == 'u' && err == nil {
				fmt.Fprint(&b, string(rune(n)))
				i += 4
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

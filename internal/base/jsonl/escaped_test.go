package jsonl

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func FuzzEscaped(f *testing.F) {
	for _, s := range []string{"plain", "a\u202eb\u0085\x7f", "\U000e0001 \ue000\u2028", "\x1b[2J\n\t", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := json.MarshalIndent(map[string]string{s: s}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out := Escaped(b)
		if i := strings.IndexFunc(string(out), func(r rune) bool {
			return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
		}); i >= 0 {
			t.Errorf("%q is left in %q", out[i:min(i+4, len(out))], out)
		}
		var before, after map[string]string
		if json.Unmarshal(b, &before) != nil || json.Unmarshal(out, &after) != nil {
			t.Fatalf("%q is no JSON", out)
		}
		for k, v := range before {
			if after[k] != v {
				t.Errorf("%q is %q", v, after[k])
			}
		}
	})
}

package console

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"hallmark/internal/text/secret"
)

// TestSieveOfManyLines holds that a long document is looked through line for line: keys in it are blotted out wherever
// they stand, and all else comes out as it went in, be it in one write or in many, with lines or without.
func TestSieveOfManyLines(t *testing.T) {
	const key = "sk-Zq81mmPw03Lt55vv"
	var long, want strings.Builder
	for i := range 40_000 {
		line := fmt.Sprintf("  \"case %d\": \"the answer is %d\",\n", i, i*i)
		if i%977 == 0 {
			line = fmt.Sprintf("  \"case %d\": \"the key is %s\",\n", i, key)
		}
		long.WriteString(line)
		want.WriteString(strings.ReplaceAll(line, key, secret.Mark))
	}
	unbroken := strings.Repeat("x y ", sievePiece) + key
	for name, tt := range map[string]struct{ in, want string }{
		"lines": {long.String(), want.String()}, "one line": {unbroken, strings.ReplaceAll(unbroken, key, secret.Mark)},
		"nothing": {"", ""},
	} {
		var out bytes.Buffer
		n, err := NewSieve(&out, secret.New(key)).Write([]byte(tt.in))
		if err != nil || n != len(tt.in) || out.String() != tt.want {
			t.Errorf("%s: %d of %d bytes were taken (%v), %d keys are left", name, n, len(tt.in), err,
				strings.Count(out.String(), key))
		}
	}
}

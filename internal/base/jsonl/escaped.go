package jsonl

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
)

// Escaped returns JSON that says the same, in which characters that steer or hide text (controls, marks of
// direction, private ones) are \u escapes, so that no terminal or editor acts on them.
func Escaped(b []byte) []byte {
	if !bytes.ContainsFunc(b, steers) {
		return b
	}
	var out bytes.Buffer
	out.Grow(len(b) + 16)
	for _, r := range string(b) {
		switch {
		case !steers(r):
			out.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}

// steers reports whether a character is one of those. Those of ASCII are escaped in JSON, or between its values.
func steers(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
}

// An Escaping takes JSON, whole strings at a time, and writes it Escaped.
type Escaping struct{ To io.Writer }

// Write implements io.Writer.
func (e Escaping) Write(b []byte) (int, error) {
	if _, err := e.To.Write(Escaped(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

package secret

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A secret may stand in a text with markup, spaces or marks between its characters, which a reader of the text, or a
// program that grades it, takes away. So texts are also read barely: letters and digits alone.

// turns is how often a part of a secret has to go from small letters to capitals, digits or back before it counts where
// it is read barely: else words with spaces between them could be taken for a part of a secret that is words.
const turns = 3

// readBarely makes the view what another reads as barely, and reports whether that is less. Escape sequences of
// terminals, tags and commands of LaTeX are no part of what is read.
func (v *view) readBarely(of *view) bool {
	v.reset()
	for i := 0; i < len(of.text); {
		n := 1
		switch c := of.text[i]; {
		case isAlnum(c):
			v.add(c, of, i, i+1, false, false)
		case c == 0x1b, high(of.text[i:]):
			n = sequence(of.text[i:])
		case c == '<':
			n = tag(of.text[i:])
		case c == '\\':
			n = command(of.text[i:])
		case c >= utf8.RuneSelf:
			var r rune
			r, n = utf8.DecodeRune(of.text[i:])
			if r = seen(r); r < utf8.RuneSelf && isAlnum(byte(r)) {
				v.add(byte(r), of, i, i+n, false, false)
			}
		}
		i += n
	}
	return len(v.text) < len(of.text)
}

// marks begin what unmark takes away.
const marks = "*`~<\x1b\b\xc2"

// nul is a byte of 0 as programs print it, beside each letter of UTF-16.
var nul = []byte(`\0`)

// unmark makes the view what another reads as without its marks of emphasis, tags, escape sequences of terminals and
// what is struck over, and reports whether that is less. All else stays, so that each secret can be looked for, as it
// is.
func (v *view) unmark(of *view) bool {
	marked := bytes.Contains(of.text, nul)
	for i := range len(marks) {
		marked = marked || bytes.IndexByte(of.text, marks[i]) >= 0
	}
	if !marked {
		return false
	}
	v.reset()
	for i := 0; i < len(of.text); {
		n := 1
		switch c := of.text[i]; {
		case c == '*', c == '`', c == '~':
		case c == 0x1b, high(of.text[i:]):
			n = sequence(of.text[i:])
		case c == '\\' && bytes.HasPrefix(of.text[i:], nul):
			n = len(nul)
		case c == '<':
			if n = tag(of.text[i:]); n == 1 {
				v.add(c, of, i, i+1, false, false)
			}
		default:
			if i+1 < len(of.text) && of.text[i+1] == '\b' {
				n = 2
			} else {
				v.add(c, of, i, i+1, false, false)
			}
		}
		i += n
	}
	return len(v.text) < len(of.text)
}

func isAlnum(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// longest bounds a tag or an escape sequence, in bytes.
const longest = 256

// high reports whether a text begins with a control character of two bytes, U+0080 to U+009F. That of U+0080 and more
// is ESC and the character 64 below it, in one: U+009B is ESC [.
func high(b []byte) bool { return len(b) > 1 && b[0] == 0xc2 && b[1] >= 0x80 && b[1] <= 0x9f }

// sequence returns the length of an escape sequence of a terminal, which begins with ESC or a high control character:
// ESC [ … letter, a string that ESC ], P, X, ^, _ or k begins, until BEL or ESC \, or ESC, characters from blank to
// "/" and one more. Source: ECMA-48, 5.3 to 5.6.
func sequence(b []byte) int {
	if len(b) < 2 {
		return 1
	}
	kind, at := b[1], 2
	if high(b) {
		kind -= 0x40
	}
	most := min(len(b), longest)
	letter, text := kind == '[', strings.IndexByte("]PX^_k", kind) >= 0 // k is a title, of screen
	for i := at; i < most && (letter || text); i++ {
		switch c := b[i]; {
		case letter && c >= 0x40 && c <= 0x7e, text && c == 7:
			return i + 1
		case text && (c == 0x1b || high(b[i:]) && b[i+1] == 0x9c):
			return min(i+2, len(b))
		}
	}
	if letter || text || high(b) {
		return at
	}
	i := 1
	for i < most && b[i] >= 0x20 && b[i] <= 0x2f {
		i++
	}
	if i < len(b) && b[i] >= 0x30 && b[i] <= 0x7e {
		return i + 1
	}
	return i
}

// Unsteered returns a text without the escape sequences by which it steers a terminal.
func Unsteered(text string) string {
	b := []byte(text)
	out := b[:0]
	for i := 0; i < len(b); {
		if b[i] == 0x1b || high(b[i:]) && b[i+1] != 0x85 { // which ends a line
			i += sequence(b[i:])
			continue
		}
		out = append(out, b[i])
		i++
	}
	return string(out)
}

// tag returns the length of a tag or a comment of HTML.
func tag(b []byte) int {
	const verbatim = "<![CDATA["
	if len(b) < 2 || !isAlnum(b[1]) && b[1] != '/' && b[1] != '!' {
		return 1
	}
	if bytes.HasPrefix(b, []byte(verbatim)) { // what is in it is shown
		return len(verbatim)
	}
	quote := byte(0)
	for i := 1; i < min(len(b), longest); i++ {
		switch c := b[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i + 1
		case c == '<':
			return 1
		case b[i-1] == '=' && (c == '"' || c == '\''):
			quote = c
		}
	}
	return 1
}

// command returns the length of a command of LaTeX that has an argument, without that, or of a backslash.
func command(b []byte) int {
	i := 1
	for i < min(len(b), longest) && 'a' <= b[i]|0x20 && b[i]|0x20 <= 'z' {
		i++
	}
	if i > 1 && i < len(b) && b[i] == '{' {
		return i
	}
	return 1
}

// barely returns the letters and digits of a secret.
func barely(secret []byte) []byte {
	var out []byte
	for _, c := range secret {
		if isAlnum(c) {
			out = append(out, c)
		}
	}
	return out
}

// turned counts how often the bytes go from one kind of character to another.
func turned(b []byte) (n int) {
	kind := func(c byte) int {
		switch {
		case c <= '9':
			return 0
		case c <= 'Z':
			return 1
		}
		return 2
	}
	for i := 1; i < len(b); i++ {
		if kind(b[i]) != kind(b[i-1]) {
			n++
		}
	}
	return n
}

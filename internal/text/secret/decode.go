package secret

import (
	"bytes"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A symbol is what n bytes of a text stand for: a character, or a byte where raw is set, or nothing where the character
// is below 0. A symbol of 0 bytes is none.
type symbol struct {
	r   rune
	n   int
	raw bool
}

const nothing rune = -1

// rewrite makes the view what another reads as with each symbol that read finds replaced by what it stands for; read is
// called where the byte may begin one. It reports whether there is one.
func (v *view) rewrite(of *view, begin *[256]bool, read func([]byte) symbol) bool {
	if !slices.ContainsFunc(of.text, func(c byte) bool { return begin[c] }) {
		return false
	}
	v.reset()
	v.rewritten = true
	found, joined := false, false
	for i := 0; i < len(of.text); {
		var s symbol
		if begin[of.text[i]] {
			s = read(of.text[i:])
		}
		found = found || s.n > 0
		switch {
		case s.n == 0:
			s.n = 1
			v.add(of.text[i], of, i, i+1, false, joined)
		case s.raw:
			v.add(byte(s.r), of, i, i+s.n, true, joined)
		case s.r != nothing:
			for _, c := range utf8.AppendRune(make([]byte, 0, utf8.UTFMax), s.r) {
				v.add(c, of, i, i+s.n, true, joined)
			}
		}
		joined = s.r == nothing
		i += s.n
	}
	return found
}

func class(chars string) (t [256]bool) {
	for i := range len(chars) {
		t[chars[i]] = true
	}
	return t
}

// shown are the bytes that show reads from: controls, "=" at the end of a line, and the first bytes of characters.
var shown = func() [256]bool {
	t := class("\x7f=\xC2\xCC\xCD\xD8\xD9\xDB\xE1\xE2\xEF\xF0\xF3")
	for c := range 0x20 {
		t[c] = true
	}
	return t
}()

// show reads a character that shows nothing, the soft line end of quoted-printable, or one that stands for another.
func show(b []byte) symbol {
	switch c := b[0]; {
	case bytes.HasPrefix(b, []byte("=\n")):
		return symbol{nothing, 2, false}
	case bytes.HasPrefix(b, []byte("=\r\n")):
		return symbol{nothing, 3, false}
	case c < 0x20, c == 0x7f:
		return symbol{nothing, 1, false}
	}
	switch r, n := utf8.DecodeRune(b); {
	case r == utf8.RuneError:
	case seen(r) != r:
		return symbol{seen(r), n, false}
	case silent(r):
		return symbol{nothing, n, false}
	}
	return symbol{}
}

// silent reports whether a character beyond ASCII shows nothing by itself, so that it may stand between those of a
// key: a control, a soft hyphen, one of no width, a stroke over another.
func silent(r rune) bool {
	return r > 0x7f && r < 0xa0 || r >= 0x300 && r <= 0x36f ||
		r >= 0xa0 && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector, unicode.Zl, unicode.Zp)
}

// stands are the runs of characters that stand for those from as on: digits above and below the line and in Arabic
// script, characters of full width, and the tags of characters. They are in order.
var stands = [...]struct{ first, last, as rune }{
	{0xB2, 0xB3, '2'}, {0xB9, 0xB9, '1'}, {0x0660, 0x0669, '0'}, {0x06F0, 0x06F9, '0'}, {0x2070, 0x2070, '0'},
	{0x2074, 0x2079, '4'}, {0x2080, 0x2089, '0'}, {0xFF01, 0xFF5E, '!'}, {0xE0020, 0xE007E, ' '},
}

// seen returns the ASCII character that another stands for.
func seen(r rune) rune {
	for _, run := range stands {
		if r <= run.last {
			if r >= run.first {
				return r - run.first + run.as
			}
			break
		}
	}
	return r
}

// tagged are the first bytes of tags, and tagsBegin what all of them begin with: most texts hold none, which is
// seen at once.
var tagged, tagsBegin = class("\xF3"), []byte("\xF3\xA0")

// untag reads a tag as nothing: it shows nothing, though it has the number of a character, which show reads.
func untag(b []byte) symbol {
	if r, n := utf8.DecodeRune(b); r >= 0xE0000 && r <= 0xE007F {
		return symbol{nothing, n, false}
	}
	return symbol{}
}

// selecting are the first bytes of variation selectors.
var selecting = class("\xEF\xF3")

// selected reads a variation selector, which shows nothing, as the byte of its number: there are 256.
func selected(b []byte) symbol {
	switch r, n := utf8.DecodeRune(b); {
	case r >= 0xFE00 && r <= 0xFE0F:
		return symbol{r - 0xFE00, n, true}
	case r >= 0xE0100 && r <= 0xE01EF:
		return symbol{r - 0xE0100 + 16, n, true}
	}
	return symbol{}
}

// escaped are the bytes that escape reads from.
var escaped = class("\\&%=")

// escape reads an escape of JSON or of a programming language, of percent-encoding, HTML or quoted-printable.
func escape(b []byte) symbol {
	switch c := b[0]; {
	case c == '\\':
		return backslash(b)
	case c == '%' && len(b) > 1 && b[1] == 'u': // as JavaScript's escape writes it
		return number(b, 2, 4, 4, 16)
	case c == '&':
		return entity(b)
	default: // % and =, of URLs and of quoted-printable
		return octet(number(b, 1, 2, 2, 16))
	}
}

// values are what bytes are worth as digits.
type values [256]byte

const none = 0xff

// digitsOf returns the values of digits in the order of their worth.
func digitsOf(alphabets ...string) (v values) {
	for c := range v {
		v[c] = none
	}
	for _, a := range alphabets {
		for i := range len(a) {
			v[a[i]] = byte(i)
		}
	}
	return v
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var (
	base64Value = digitsOf(letters+"+/", letters+"-_")
	hexValue    = digitsOf("0123456789abcdef", "0123456789ABCDEF")
)

// encoded are the bytes of base64, and listed those of hex and of lists of numbers.
var encoded, listed = class(letters + "+/-_"), class("0123456789abcdefABCDEFxX +,;:-\t\r\n\"'\\|/<>")

// number reads a character by its number, from a place on, in so many digits.
func number(b []byte, from, least, most, base int) symbol {
	n, x := from, 0
	for ; n < len(b) && n < from+most && int(hexValue[b[n]]) < base; n++ {
		x = min(x*base+int(hexValue[b[n]]), unicode.MaxRune+1)
	}
	if n < from+least || x > unicode.MaxRune {
		return symbol{}
	}
	return symbol{rune(x), n, false}
}

// octet makes a byte of a number; above 255 it is none.
func octet(s symbol) symbol {
	if s.r > 0xff || s.n == 0 {
		return symbol{}
	}
	return symbol{s.r, s.n, true}
}

// backslash reads \u0041, \u{41}, \U00000041, \x41, \x{41}, \101, \0101, \o{101}, \n and the like, and \ before any
// other character.
func backslash(b []byte) symbol {
	if len(b) < 2 {
		return symbol{}
	}
	switch c := b[1]; {
	case len(b) > 2 && b[2] == '{' && strings.IndexByte("uxo", c) >= 0:
		return braced(b)
	case c == 'u':
		return unit16(b)
	case c == 'U':
		return number(b, 2, 8, 8, 16)
	case c == 'x':
		return octet(number(b, 2, 2, 2, 16))
	case c == '0' && octet(number(b, 1, 4, 4, 8)).n > 0: // as echo reads it
		return octet(number(b, 1, 4, 4, 8))
	case hexValue[c] < 8:
		return octet(number(b, 1, 1, 3, 8))
	case strings.IndexByte("abefnrtv", c) >= 0:
		return symbol{'\n', 2, false}
	case c < utf8.RuneSelf && (strings.IndexByte("&%=", c) < 0 || escape(b[1:]).n == 0): // they stand for themselves
		return symbol{rune(c), 2, false}
	}
	return symbol{}
}

// braced reads a number in braces: octal behind o, else hexadecimal.
func braced(b []byte) symbol {
	base := 16
	if b[1] == 'o' {
		base = 8
	}
	if s := number(b, 3, 1, 8, base); s.n > 0 && bytes.HasPrefix(b[s.n:], []byte("}")) {
		return symbol{s.r, s.n + 1, false}
	}
	return symbol{}
}

// unit16 reads \u0041, and the two halves of a character as two of these.
func unit16(b []byte) symbol {
	s := number(b, 2, 4, 4, 16)
	if !utf16.IsSurrogate(s.r) {
		return s
	}
	if bytes.HasPrefix(b[s.n:], []byte(`\u`)) {
		if low := number(b, s.n+2, 4, 4, 16); low.n > 0 && utf16.DecodeRune(s.r, low.r) != unicode.ReplacementChar {
			return symbol{utf16.DecodeRune(s.r, low.r), low.n, false}
		}
	}
	s.r = nothing // half of a character that is in no key, and may show nothing
	return s
}

// entity reads an HTML entity. A number needs no semicolon behind it.
func entity(b []byte) symbol {
	const longest = 40
	b = b[:min(len(b), longest)]
	var s symbol
	switch {
	case len(b) > 3 && b[1] == '#' && b[2]|0x20 == 'x':
		s = number(b, 3, 1, 16, 16)
	case len(b) > 2 && b[1] == '#':
		s = number(b, 2, 1, 16, 10)
	default:
		n := bytes.IndexByte(b, ';') + 1
		named := []rune(html.UnescapeString(string(b[:n])))
		blank := len(named) == 2 && unicode.IsSpace(named[0]) && unicode.IsSpace(named[1]) // &ThickSpace;
		if len(named) == 1 || blank {
			return symbol{named[0], n, false}
		}
		return symbol{}
	}
	if s.n > 0 && s.n < len(b) && b[s.n] == ';' {
		s.n++
	}
	return s
}

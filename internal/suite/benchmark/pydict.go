package benchmark

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pair is an entry of a Python dictionary: key and value as text.
type pair struct{ key, value string }

// Bounds of a dictionary in a cell, far above those of any published file.
const (
	maxDictBytes = 256 << 10
	maxDictPairs = 256
)

// parseDict reads a dictionary of one level as Python writes it, with keys and values that are strings, numbers,
// None, True or False:
//
//	{'0': 'a', "1": "it's", 2: None}
//
// Values that are no strings stand as they are written, None as the empty text. The order is that of the text; a
// key given twice is an error, as which of them counts would be a guess. It is data and nothing of it is evaluated.
// It takes time linear in the text.
func parseDict(s string) ([]pair, error) {
	if len(s) > maxDictBytes {
		return nil, fmt.Errorf("a dictionary of more than %d KiB", maxDictBytes>>10)
	}
	p := pyReader{s: s}
	p.space()
	if !p.eat('{') {
		return nil, errors.New("want a Python dictionary, {'0': '…'}")
	}
	var pairs []pair
	seen := map[string]bool{}
	for p.space(); !p.eat('}'); p.space() {
		key, err := p.value()
		if err != nil {
			return nil, err
		}
		if p.space(); !p.eat(':') {
			return nil, p.fault("a colon")
		}
		p.space()
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, fmt.Errorf("key %q stands twice in the dictionary", key)
		}
		seen[key] = true
		if pairs = append(pairs, pair{key, value}); len(pairs) > maxDictPairs {
			return nil, fmt.Errorf("a dictionary of more than %d entries", maxDictPairs)
		}
		if p.space(); !p.eat(',') && !p.at('}') {
			return nil, p.fault("a comma or the end of the dictionary")
		}
	}
	if p.space(); p.i < len(p.s) {
		return nil, p.fault("nothing more")
	}
	return pairs, nil
}

// A pyReader reads Python literals.
type pyReader struct {
	s string
	i int
}

func (p *pyReader) at(c byte) bool { return p.i < len(p.s) && p.s[p.i] == c }

func (p *pyReader) eat(c byte) bool {
	if p.at(c) {
		p.i++
		return true
	}
	return false
}

func (p *pyReader) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

func (p *pyReader) fault(want string) error {
	rest := p.s[p.i:]
	if rest == "" {
		return fmt.Errorf("the dictionary is cut off; want %s", want)
	}
	if len(rest) > 20 {
		rest = strings.ToValidUTF8(rest[:20], "")
	}
	return fmt.Errorf("%q at byte %d of the dictionary; want %s", rest, p.i, want)
}

// value reads a string, a number or a name.
func (p *pyReader) value() (string, error) {
	if p.at('\'') || p.at('"') {
		return p.text()
	}
	start := p.i
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n,:}", p.s[p.i]) < 0 {
		p.i++
	}
	word := p.s[start:p.i]
	switch word {
	case "None", "nan":
		return "", nil
	case "True", "False":
		return word, nil
	}
	if _, err := strconv.ParseFloat(word, 64); err != nil {
		p.i = start
		return "", p.fault("a string or a number")
	}
	return word, nil
}

// text reads a string in either kind of quotes.
func (p *pyReader) text() (string, error) {
	quote := p.s[p.i]
	p.i++
	var b strings.Builder
	for p.i < len(p.s) {
		switch c := p.s[p.i]; c {
		case quote:
			p.i++
			return b.String(), nil
		case '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
			p.i++
		}
	}
	return "", p.fault("the end of a string")
}

// escape reads what follows a backslash. One that Python does not know stands for itself, as in Python.
func (p *pyReader) escape(b *strings.Builder) error {
	if p.i+1 >= len(p.s) {
		p.i = len(p.s)
		return p.fault("the end of a string")
	}
	c := p.s[p.i+1]
	digits, base := 0, 16
	switch c {
	case '\n': // a line that goes on
		p.i += 2
		return nil
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	if i := strings.IndexByte(`\'"abfnrtv`, c); i >= 0 {
		b.WriteByte("\\'\"\a\b\f\n\r\t\v"[i])
		p.i += 2
		return nil
	}
	start := p.i + 2
	if c >= '0' && c <= '7' {
		start, base = p.i+1, 8
		for digits < 3 && start+digits < len(p.s) && p.s[start+digits] >= '0' && p.s[start+digits] <= '7' {
			digits++
		}
	}
	if digits == 0 {
		b.WriteByte('\\')
		p.i++
		return nil
	}
	if start+digits > len(p.s) {
		return p.fault(fmt.Sprintf("%d digits", digits))
	}
	code, err := strconv.ParseUint(p.s[start:start+digits], base, 32)
	if err != nil || code > unicode.MaxRune {
		return p.fault("the number of a character")
	}
	b.WriteRune(rune(code)) // half of a surrogate pair becomes the replacement character
	p.i = start + digits
	return nil
}

// pyString writes a text as Python's repr does: in single quotes, or in double ones where it holds single ones and
// no double ones.
func pyString(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b := []byte{quote}
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		switch {
		case r == rune(quote) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r < 0x100:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return string(append(b, quote))
}

// pyDict writes pairs of texts as Python's repr does.
func pyDict(pairs []pair) string {
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		parts[i] = pyString(p.key) + ": " + pyString(p.value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

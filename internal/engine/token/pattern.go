package token

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Bounds of a pattern, which comes with a tokenizer's file and may be hostile. Those of real models have some
// hundred bytes and up to 80 instructions, and take up to 140 of them for each byte of a text.
const (
	maxPattern      = 4096 // bytes
	maxInstructions = 5000
	charWork        = 1000      // instructions for each byte of a text
	textWork        = 1_000_000 // and for any text
)

// A matcher finds what a pre-tokenizer cuts out, in time linear in the text, by Go's matcher, which takes the same
// of several matches that those of the tokenizers take. What that lacks is
//
//   - \s, \d and \w of all of Unicode, which are written out;
//   - (?!C) and (?=C), for a class C of characters, which patterns have at the end of an alternative, as in
//     \s+(?!\S). There X(?!C) is (X)(?:[^C]|\z) of which the group alone is taken.
//
// All else that it lacks, such as possessive quantifiers and references, is refused.
type matcher struct {
	re           *regexp.Regexp
	instructions int
}

// White space, as a class and the rest of Unicode, and characters of words.
const (
	spaces    = `\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
	notSpaces = `\x00-\x08\x0e-\x1f!-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}` +
		`\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}`
	wordly = `\p{L}\p{Mn}\p{Nd}\p{Pc}\x{200c}\x{200d}`
)

// classes are what an escape stands for within brackets.
var classes = map[byte]string{'s': spaces, 'S': notSpaces, 'd': `\p{Nd}`, 'D': `\P{Nd}`, 'w': wordly}

func compile(source string) (*matcher, error) {
	if len(source) > maxPattern {
		return nil, fmt.Errorf("pattern of %d bytes, want at most %d", len(source), maxPattern)
	}
	t := translation{source: source}
	text, err := t.translate()
	if err != nil {
		return nil, fmt.Errorf("pattern %.60q: at byte %d: %w", source, t.at, err)
	}
	re, err := regexp.Compile(text)
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, fmt.Errorf("pattern %.60q: %s: %.60q", source, wrong.Code, wrong.Expr)
	} else if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if n := len(program.Inst); n > maxInstructions {
		return nil, fmt.Errorf("pattern %.60q has %d instructions, want at most %d", source, n, maxInstructions)
	}
	return &matcher{re, len(program.Inst)}, nil
}

// A translation makes a pattern of Go's of one of a tokenizer's.
type translation struct {
	source string
	at     int // what is read next
	out    strings.Builder
	group  int // where the alternative begins in the result, outside any group
	depth  int // of groups
}

func (t *translation) rest() string { return t.source[t.at:] }

// take reads the text, if it comes next.
func (t *translation) take(s string) bool {
	if !strings.HasPrefix(t.rest(), s) {
		return false
	}
	t.at += len(s)
	return true
}

func (t *translation) translate() (string, error) {
	for t.at < len(t.source) {
		if err := t.next(); err != nil {
			return "", err
		}
	}
	return t.out.String(), nil
}

// next translates what comes next.
func (t *translation) next() error {
	switch c := t.source[t.at]; c {
	case '(':
		return t.open()
	case '[', '\\':
		class, err := t.class()
		t.out.WriteString(class)
		return err
	case '^', '$':
		return fmt.Errorf("anchor %q, which is not computed", c)
	case ')':
		t.depth--
	case '+', '*', '?', '}':
		if strings.HasPrefix(t.source[t.at+1:], "+") {
			return fmt.Errorf("possessive quantifier %q, which is not computed", t.source[t.at:t.at+2])
		}
	case '{':
		if strings.HasPrefix(t.source[t.at+1:], ",") {
			return errors.New("quantifier without a least number, which is not computed")
		}
	case '|':
		if t.depth == 0 {
			t.group = t.out.Len() + 1
		}
	}
	t.out.WriteByte(t.source[t.at])
	t.at++
	return nil
}

// open translates the beginning of a group, or a look ahead.
func (t *translation) open() error {
	switch {
	case t.take("(?i:"):
		t.out.WriteString("(?i:")
	case t.take("(?:"), !strings.HasPrefix(t.rest(), "(?") && t.take("("):
		t.out.WriteString("(?:") // which group it was does not matter
	case t.take("(?!"):
		return t.ahead(true)
	case t.take("(?="):
		return t.ahead(false)
	default:
		return fmt.Errorf("group %.4q, which is not computed", t.rest())
	}
	t.depth++
	return nil
}

// ahead translates a look ahead for a character that is, or is not, of a class.
func (t *translation) ahead(not bool) error {
	class, err := t.class()
	if err != nil {
		return err
	}
	if !t.take(")") || t.depth > 0 || t.rest() != "" && t.rest()[0] != '|' {
		return errors.New("a look ahead that is not for one class at the end of an alternative, which is not computed")
	}
	if not {
		class = "(?:" + complement(class) + `|\z)`
	}
	all := t.out.String()
	t.out.Reset()
	t.out.WriteString(all[:t.group] + "(" + all[t.group:] + ")" + class)
	return nil
}

// complement is what a class, in brackets, does not have.
func complement(class string) string {
	if rest, ok := strings.CutPrefix(class, "[^"); ok {
		return "[" + rest
	}
	return "[^" + class[1:]
}

// class translates a class of characters, which are in brackets then.
func (t *translation) class() (string, error) {
	var b strings.Builder
	b.WriteByte('[')
	if !t.take("[") {
		item, err := t.item()
		if strings.HasPrefix(item, "[") { // \W
			return item, err
		}
		return b.String() + item + "]", err
	}
	if t.take("^") {
		b.WriteByte('^')
	}
	if t.take("]") {
		return "", errors.New("a class that begins with its end, which is not computed")
	}
	for !t.take("]") {
		for _, other := range []string{"[", "-[", "&&"} {
			if strings.HasPrefix(t.rest(), other) {
				return "", fmt.Errorf("%q in a class, which is not computed", other)
			}
		}
		item, err := t.item()
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(item, "[^") {
			return "", errors.New(`\W in a class, which is not computed`)
		}
		b.WriteString(item)
	}
	b.WriteByte(']')
	return b.String(), nil
}

// item translates a character or what an escape stands for, as it stands in brackets.
func (t *translation) item() (string, error) {
	if t.at == len(t.source) {
		return "", errors.New("a class without its end")
	}
	if t.source[t.at] != '\\' {
		_, size := utf8.DecodeRuneInString(t.rest())
		t.at += size
		return t.source[t.at-size : t.at], nil
	}
	t.at++
	if t.at == len(t.source) {
		return "", errors.New("a backslash at the end")
	}
	c := t.source[t.at]
	t.at++
	switch {
	case classes[c] != "":
		return classes[c], nil
	case c == 'W':
		return "[^" + wordly + "]", nil
	case c == 'p', c == 'P':
		return t.property(c)
	case c == 'x' && strings.HasPrefix(t.rest(), "{"):
		n := strings.IndexByte(t.rest(), '}') + 1
		t.at += n
		return `\x` + t.source[t.at-n:t.at], nil
	case c == 'x' && t.at+2 <= len(t.source):
		t.at += 2
		return `\x{` + t.source[t.at-2:t.at] + "}", nil
	case c == 'u' && t.at+4 <= len(t.source):
		t.at += 4
		return `\x{` + t.source[t.at-4:t.at] + "}", nil
	case strings.IndexByte("tnrfv", c) >= 0, c < utf8.RuneSelf && !alphanumeric(c):
		return `\` + string(c), nil
	}
	return "", fmt.Errorf(`\%c, which is not computed`, c)
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c <= ' '
}

// property reads the name of a property of characters.
func (t *translation) property(c byte) (string, error) {
	n := 1
	if strings.HasPrefix(t.rest(), "{") {
		n = strings.IndexByte(t.rest(), '}') + 1
	}
	if n < 1 || n > len(t.rest()) {
		return "", errors.New("a property without its end")
	}
	t.at += n
	return `\` + string(c) + t.source[t.at-n:t.at], nil
}

// A reading gives the matcher the rest of a text, and counts what it is given.
type reading struct {
	s     string
	at    int
	left  int // characters that may be read, of this text in all
	short bool
}

// ReadRune implements io.RuneReader.
func (r *reading) ReadRune() (rune, int, error) {
	if r.at == len(r.s) {
		return 0, 0, io.EOF
	}
	if r.left--; r.left < 0 {
		r.short = true
		return 0, 0, io.EOF
	}
	if b := r.s[r.at]; b < utf8.RuneSelf {
		r.at++
		return rune(b), 1, nil
	}
	c, size := utf8.DecodeRuneInString(r.s[r.at:])
	r.at += size
	return c, size, nil
}

// split appends the matches of the pattern in s, and what lies between them. It takes from the work that is left
// for the text.
func (m *matcher) split(out []string, s string, work *int) ([]string, error) {
	at := 0 // what comes before is in out
	r := &reading{s: s, left: *work / m.instructions}
	defer func() { *work = r.left * m.instructions }()
	for next := 0; next < len(s); {
		r.at = next
		found := m.re.FindReaderSubmatchIndex(r)
		if r.short {
			return nil, fmt.Errorf("the pattern reads a character more than %d times on average",
				charWork/m.instructions)
		}
		if found == nil {
			break
		}
		from, to := next+found[0], next+found[1]
		for g := 2; g < len(found); g += 2 {
			if found[g] >= 0 { // what was before a look ahead
				to = next + found[g+1]
			}
		}
		if from == to { // nothing is cut out; on behind the next character
			_, size := utf8.DecodeRuneInString(s[to:])
			next = to + max(size, 1)
			continue
		}
		if from > at {
			out = append(out, s[at:from])
		}
		out, at, next = append(out, s[from:to]), to, to
	}
	if at < len(s) {
		out = append(out, s[at:])
	}
	return out, nil
}

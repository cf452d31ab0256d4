package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
)

type kind int

const (
	endToken kind = iota
	textToken
	openPrint  // {{
	closePrint // }}
	openBlock  // {%
	closeBlock // %}
	nameToken
	intToken
	floatToken
	stringToken
	opToken
)

type token struct {
	kind kind
	text string // a string's value, an operator, …
	line int
}

func (t token) String() string {
	switch t.kind {
	case endToken:
		return "end of template"
	case textToken:
		return "text"
	case stringToken:
		return fmt.Sprintf("string %q", t.text)
	}
	return fmt.Sprintf("%q", t.text)
}

// scanner cuts a template into tokens.
type scanner struct {
	source string
	at     int
	line   int
	out    []token
	start  bool // the last tag ended with a line break, or there was none yet
}

func scan(source string) []token {
	s := &scanner{source: source, line: 1, start: true}
	for s.at < len(source) {
		s.text()
	}
	return append(s.out, token{kind: endToken, line: s.line})
}

// emit adds a token that begins here.
func (s *scanner) emit(k kind, text string) {
	s.out = append(s.out, token{k, text, s.line})
}

// skip moves on over n bytes.
func (s *scanner) skip(n int) {
	s.line += strings.Count(s.source[s.at:s.at+n], "\n")
	s.at += n
}

// text scans up to the next tag and the tag. Before a block or a comment that begins a line, its indentation goes; the
// line break right after it goes too. A minus sign takes all white space, a plus sign leaves it.
func (s *scanner) text() {
	rest := s.source[s.at:]
	tagAt := tagOpen.FindStringIndex(rest)
	if tagAt == nil {
		s.emit(textToken, rest)
		s.skip(len(rest))
		return
	}
	open := tagAt[0]
	text, tag := rest[:open], rest[open+1]
	sign := byte(0)
	if open+2 < len(rest) {
		sign = rest[open+2]
	}
	switch {
	case sign == '-':
		text = strings.TrimRightFunc(text, isSpace)
	case sign != '+' && tag != '{':
		line := strings.LastIndexByte(text, '\n') + 1
		if (line > 0 || s.start) && strings.TrimLeftFunc(text[line:], isSpace) == "" {
			text = text[:line]
		}
	}
	if text != "" {
		s.emit(textToken, text)
	}
	s.skip(open + 2)
	if sign == '-' || sign == '+' {
		s.skip(1)
	}
	switch tag {
	case '#':
		end := strings.Index(s.source[s.at:], "#}")
		if end < 0 {
			fail(s.line, "a comment that does not end")
		}
		sign = 0
		if end > 0 {
			sign = s.source[s.at+end-1]
		}
		s.skip(end + 2)
		s.after(sign, true)
	case '{':
		s.emit(openPrint, "{{")
		s.tag("}}", closePrint)
	case '%':
		s.emit(openBlock, "{%")
		s.tag("%}", closeBlock)
	}
}

// after takes the white space behind a tag that its sign and kind call for.
func (s *scanner) after(sign byte, block bool) {
	from := s.at
	switch rest := s.source[s.at:]; {
	case sign == '-':
		s.skip(len(rest) - len(strings.TrimLeftFunc(rest, isSpace)))
	case sign != '+' && block && strings.HasPrefix(rest, "\n"):
		s.skip(1)
	}
	s.start = s.at > from && s.source[s.at-1] == '\n'
}

// What a tag begins with, and what stands in one. A point or an exponent makes a number a float.
var (
	tagOpen  = pattern.New(`\{[{%#]`)
	name     = pattern.New(`^[A-Za-z_][A-Za-z_0-9]*`)
	numeral  = pattern.New(`^[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9_]+)?`)
	operator = pattern.New(`^(\*\*|//|[=!<>]=|[-+*/%~<>=()\[\]{},:.|])`)
)

// tag scans the inside of a tag and its end.
func (s *scanner) tag(end string, k kind) {
	var open []byte // brackets
	for {
		rest := s.source[s.at:]
		space := len(rest) - len(strings.TrimLeftFunc(rest, isSpace))
		s.skip(space)
		rest = rest[space:]
		if rest == "" {
			fail(s.line, "a tag that does not end with %s", end)
		}
		if len(open) == 0 {
			for _, sign := range []string{"-", "+", ""} {
				if strings.HasPrefix(rest, sign+end) {
					s.emit(k, end)
					s.skip(len(sign) + 2)
					if sign == "" {
						sign = "\x00"
					}
					s.after(sign[0], k == closeBlock)
					return
				}
			}
		}
		switch digits, word := numeral.FindStringSubmatch(rest), name.FindString(rest); {
		case rest[0] == '\'' || rest[0] == '"':
			s.quoted(rest[0])
		case digits != nil:
			k := intToken
			if digits[1]+digits[2] != "" {
				k = floatToken
			}
			s.emit(k, strings.ReplaceAll(digits[0], "_", ""))
			s.skip(len(digits[0]))
		case word != "":
			s.emit(nameToken, word)
			s.skip(len(word))
		default:
			open = s.operator(open)
		}
	}
}

// operator scans an operator, and returns the brackets that are open behind it.
func (s *scanner) operator(open []byte) []byte {
	rest := s.source[s.at:]
	op := operator.FindString(rest)
	switch op {
	case "":
		r, _ := utf8.DecodeRuneInString(rest)
		fail(s.line, "unexpected %q", r)
	case "(", "[", "{":
		open = append(open, map[string]byte{"(": ')', "[": ']', "{": '}'}[op])
	case ")", "]", "}":
		if len(open) == 0 || open[len(open)-1] != op[0] {
			fail(s.line, "%q closes nothing", op)
		}
		open = open[:len(open)-1]
	}
	s.emit(opToken, op)
	s.skip(len(op))
	return open
}

// quoted scans a string literal, with Python's escapes.
func (s *scanner) quoted(quote byte) {
	rest := s.source[s.at:]
	var b strings.Builder
	i := 1
	for ; ; i++ {
		if i >= len(rest) {
			fail(s.line, "a string that does not end")
		}
		c := rest[i]
		if c == quote {
			break
		}
		if c != '\\' || i+1 == len(rest) {
			b.WriteByte(c)
			continue
		}
		i++
		if simple, ok := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': "\"", 'f': "\f",
			'v': "\v", 'b': "\b", 'a': "\a", '\n': ""}[rest[i]]; ok {
			b.WriteString(simple)
			continue
		}
		size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[i]]
		if size == 0 {
			b.WriteByte('\\')
			b.WriteByte(rest[i])
			continue
		}
		if i+1+size > len(rest) {
			fail(s.line, "a string that does not end")
		}
		r, err := strconv.ParseUint(rest[i+1:i+1+size], 16, 32)
		if err != nil || !utf8.ValidRune(rune(r)) {
			fail(s.line, "the escape \\%s is no character", rest[i:i+1+size])
		}
		b.WriteRune(rune(r))
		i += size
	}
	s.emit(stringToken, b.String())
	s.skip(i + 1)
}

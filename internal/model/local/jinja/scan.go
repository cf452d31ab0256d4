package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
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
	open := -1
	for i := 0; i+1 < len(rest); i++ {
		if rest[i] == '{' && strings.IndexByte("{%#", rest[i+1]) >= 0 {
			open = i
			break
		}
	}
	if open < 0 {
		s.emit(textToken, rest)
		s.skip(len(rest))
		return
	}
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

var operators = []string{"**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<", ">", "=", "(", ")",
	"[", "]", "{", "}", ",", ":", ".", "|"}

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
		switch c := rest[0]; {
		case c == '\'' || c == '"':
			s.quoted(c)
		case isDigit(c):
			s.number()
		case inName(c):
			n := 1
			for n < len(rest) && (inName(rest[n]) || isDigit(rest[n])) {
				n++
			}
			s.emit(nameToken, rest[:n])
			s.skip(n)
		default:
			open = s.operator(open)
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func inName(c byte) bool { return c == '_' || 'a' <= c|32 && c|32 <= 'z' }

func (s *scanner) operator(open []byte) []byte {
	rest := s.source[s.at:]
	for _, op := range operators {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		switch op {
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
	r, _ := utf8.DecodeRuneInString(rest)
	fail(s.line, "unexpected %q", r)
	return nil
}

func (s *scanner) number() {
	rest := s.source[s.at:]
	digits := func(n int) int {
		for n < len(rest) && (isDigit(rest[n]) || rest[n] == '_') {
			n++
		}
		return n
	}
	n, k := digits(0), intToken
	if n+1 < len(rest) && rest[n] == '.' && isDigit(rest[n+1]) {
		n, k = digits(n+1), floatToken
	}
	if n < len(rest) && rest[n]|32 == 'e' {
		from := n + 1
		if from < len(rest) && (rest[from] == '+' || rest[from] == '-') {
			from++
		}
		if end := digits(from); end > from {
			n, k = end, floatToken
		}
	}
	s.emit(k, strings.ReplaceAll(rest[:n], "_", ""))
	s.skip(n)
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

// Package jinja renders chat templates: the part of the Jinja language that the templates of language models use, as
// Hugging Face's transformers sets it up (blocks trimmed, no autoescape, nothing can be changed in place).
//
// A template comes with a model and is a program by a stranger. It sees its variables and nothing else: no files,
// no clock, no other templates. Steps, memory and depth are bounded, so it ends. What the package does not know it
// refuses, with the line and the construct; it never renders something near.
package jinja

import (
	"fmt"
	"strings"
)

// A Template is a parsed template. It is safe for concurrent use.
type Template struct {
	body []node
}

// An Error says what is wrong at which line of a template.
type Error struct {
	Line int
	Text string
	// Raised is set if the template itself refuses, by raise_exception: its text is for the user.
	Raised bool
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// fail ends parsing or rendering; Parse and Render recover it.
func fail(line int, format string, args ...any) {
	panic(&Error{Line: line, Text: fmt.Sprintf(format, args...)})
}

// rescue turns a failure into an error.
func rescue(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	default:
		panic(r)
	}
}

// The bounds of a template: of its source, of the nesting of its constructs and calls, and of one rendering.
const (
	maxSource = 1 << 18
	maxDepth  = 100
	maxLinks  = 2000
	maxCalls  = 40 // of macros within macros
	maxSteps  = 1_000_000

	maxArguments = 255      // of a call, and parameters of a macro: what Python took for long
	maxBytes     = 32 << 20 // of all strings and lists made, besides perInput for each byte of the variables
	perInput     = 64
)

// Parse reads a template. An error is an *Error.
func Parse(source string) (t *Template, err error) {
	defer rescue(&err)
	if len(source) > maxSource {
		fail(1, "the template has %d bytes, want at most %d", len(source), maxSource)
	}
	source = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(source)
	p := &parser{tokens: scan(strings.TrimSuffix(source, "\n"))}
	body := p.body()
	if t := p.peek(); t.kind != endToken {
		fail(t.line, "%s without its beginning", t)
	}
	return &Template{body: body}, nil
}

// Render runs the template with the variables: nil, bool, int, float64, string, Text, []any and *Dict. An error is an
// *Error.
func (t *Template) Render(vars map[string]any) (out Text, err error) {
	defer rescue(&err)
	m := &machine{steps: maxSteps, bytes: maxBytes}
	global := &scope{vars: map[string]any{}}
	for name, f := range globals {
		global.vars[name] = &function{name, f}
	}
	for name, v := range vars {
		value, size := fromGo(v)
		m.bytes += perInput * size
		global.vars[name] = value
	}
	var b builder
	m.run(t.body, &scope{vars: map[string]any{}, parent: global}, &b)
	return b.text(), nil
}

// A Text is a string of which the characters from outside are known: those that the template's variables brought as
// Text, rather than the template itself.
type Text struct {
	s    string
	mark string // "" if nothing is foreign; else a byte for each byte of s
}

const ownByte, foreignByte = 'o', 'f'

// Foreign is a text from outside.
func Foreign(s string) Text { return Text{s, strings.Repeat(string(rune(foreignByte)), len(s))} }

func (t Text) String() string { return t.s }

// Runs calls yield for the longest stretches of the text that are foreign, or are not, in order.
func (t Text) Runs(yield func(s string, foreign bool) bool) {
	if t.mark == "" {
		if t.s != "" {
			yield(t.s, false)
		}
		return
	}
	for i := 0; i < len(t.s); {
		j := i + 1
		for j < len(t.s) && t.mark[j] == t.mark[i] {
			j++
		}
		if !yield(t.s[i:j], t.mark[i] == foreignByte) {
			return
		}
		i = j
	}
}

// own is a text of the template.
func own(s string) Text { return Text{s: s} }

func (t Text) slice(i, j int) Text {
	if t.mark == "" {
		return Text{s: t.s[i:j]}
	}
	return Text{t.s[i:j], t.mark[i:j]}
}

// like is a text made of t as a whole: foreign if any of t is.
func (t Text) like(s string) Text {
	if strings.IndexByte(t.mark, foreignByte) < 0 {
		return own(s)
	}
	return Foreign(s)
}

// A builder joins texts.
type builder struct {
	s, mark strings.Builder
}

func (b *builder) add(t Text) {
	if t.mark != "" && b.mark.Len() == 0 {
		b.mark.WriteString(strings.Repeat(string(rune(ownByte)), b.s.Len()))
	}
	b.s.WriteString(t.s)
	switch {
	case t.mark != "":
		b.mark.WriteString(t.mark)
	case b.mark.Len() > 0:
		b.mark.WriteString(strings.Repeat(string(rune(ownByte)), len(t.s)))
	}
}

func (b *builder) text() Text { return Text{b.s.String(), b.mark.String()} }

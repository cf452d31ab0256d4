package logs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/suite"
)

// A document is a file of one JSON value, which is walked element by element: no more of it is held than one element.
type document struct {
	f   *file
	in  *allowance
	dec *json.Decoder
	at  int // the element that is being read
}

// An allowance is a reader that gives out so many bytes until it is filled up again.
type allowance struct {
	r    io.Reader
	left int64
}

var errTooLong = fmt.Errorf("is longer than %d MiB", mostValue>>20)

// Read implements io.Reader.
func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, errTooLong
	}
	n, err := a.r.Read(p[:min(int64(len(p)), a.left)])
	a.left -= int64(n)
	return n, err
}

func newDocument(f *file) *document {
	in := &allowance{r: f.r, left: mostValue}
	return &document{f: f, in: in, dec: json.NewDecoder(in)}
}

// fault puts an error of the decoder in words of ours.
func (d *document) fault(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return d.f.errorf(d.at, "ends in the middle: it is cut off, or the run that wrote it did not end; copy it "+
			"again, or finish the run")
	case errors.Is(err, errTooLong):
		return d.f.errorf(d.at, "%w; export less with each sample", err)
	}
	return d.f.errorf(d.at, "no valid JSON: %v", jsonl.Plain(err))
}

// value decodes the next value.
func (d *document) value(into any) error {
	d.in.left = mostValue
	if err := d.dec.Decode(into); err != nil {
		return d.fault(err)
	}
	return nil
}

// token returns the next token.
func (d *document) token() (json.Token, error) {
	d.in.left = mostValue
	t, err := d.dec.Token()
	if err != nil {
		return nil, d.fault(err)
	}
	return t, nil
}

// object visits the keys of the next value, which is an object or null; visit takes the value of the key.
func (d *document) object(what string, visit func(key string) error) error {
	t, err := d.token()
	switch {
	case err != nil:
		return err
	case t == nil:
		return nil
	case t != json.Delim('{'):
		return d.f.errorf(d.at, "%s is no object", what)
	}
	for d.dec.More() {
		key, err := d.token()
		if err != nil {
			return err
		}
		if err := visit(key.(string)); err != nil { // the decoder takes nothing else for a key
			return err
		}
	}
	_, err = d.token()
	return err
}

// list visits the elements of the next value of a document, which is a list or null.
func list[T any](d *document, what string, visit func(at int, x *T) error) error {
	t, err := d.token()
	switch {
	case err != nil:
		return err
	case t == nil:
		return nil
	case t != json.Delim('['):
		return d.f.errorf(d.at, "%s is no list", what)
	}
	for d.at = 1; d.dec.More(); d.at++ {
		var x T
		if err := d.value(&x); err != nil {
			return err
		}
		if err := visit(d.at, &x); err != nil {
			return err
		}
	}
	d.at = 0
	_, err = d.token()
	return err
}

// skip passes over the next value, however long.
func (d *document) skip() error {
	for depth := 0; ; {
		t, err := d.token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// end says that nothing may follow.
func (d *document) end() error {
	if t, err := d.dec.Token(); err != io.EOF {
		return d.f.errorf(0, "goes on after its end, with %v; name one log a file", t)
	}
	return nil
}

// A flexible text is a string, a list of one or more, or another value, whose JSON is taken for its text.
type flexible struct {
	texts []string
	list  bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *flexible) UnmarshalJSON(b []byte) error {
	*x = flexibly(b)
	return nil
}

// flexibly reads a value of valid JSON; no value is no text.
func flexibly(b []byte) (x flexible) {
	if len(b) == 0 || string(b) == "null" {
		return flexible{}
	}
	many, list := elements(b)
	if !list {
		return flexible{texts: []string{textOf(b)}}
	}
	x = flexible{list: true}
	for _, m := range many {
		x.texts = append(x.texts, textOf(m))
	}
	return x
}

// text is the first of the texts, "" where there is none.
func (x *flexible) text() string {
	if len(x.texts) == 0 {
		return ""
	}
	return x.texts[0]
}

// number reads what a tool gave as a score: a number, a truth value, or one of the letters and words for right and
// wrong that Inspect uses. ok is false of anything else.
func number(raw json.RawMessage) (x float64, ok bool) {
	switch {
	case len(raw) == 0:
		return 0, false
	case raw[0] == '"', raw[0] == 't', raw[0] == 'f':
		x, ok = words[textOf(raw)]
		return x, ok
	}
	return x, raw[0] != 'n' && json.Unmarshal(raw, &x) == nil
}

var words = map[string]float64{"C": 1, "I": 0, "P": .5, "N": 0, "yes": 1, "no": 0, "true": 1, "false": 0,
	"True": 1, "False": 0, "PASS": 1, "FAIL": 0}

// A message is one of a chat.
type message struct {
	Role    string   `json:"role"`
	Content contents `json:"content"`
}

// contents are the text of a message, or its parts.
type contents string

// UnmarshalJSON implements json.Unmarshaler.
func (c *contents) UnmarshalJSON(b []byte) error {
	var text string
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(b, &text) != nil && json.Unmarshal(b, &parts) == nil {
		for _, p := range parts {
			text += p.Text
		}
	}
	*c = contents(text)
	return nil
}

// ask puts a chat into the question of a row, and notes what is left out of it.
func (f *file) ask(r *Row, chat []message) {
	if r.ask(chat) {
		f.lacks("of a chat, its system message, its examples and the last message of the user are kept")
	}
}

// ask puts the messages of a chat into a question: the system message, pairs of user and assistant as examples, and
// the last message of the user. It reports whether the chat has another form, so that something is left out.
func (q *Question) ask(chat []message) (other bool) {
	open := ""
	for i, m := range chat {
		text := string(m.Content)
		switch {
		case m.Role == "system" && q.System == "":
			q.System = text
		case m.Role == "assistant" && open != "":
			q.Shown, open = append(q.Shown, suite.Demonstration{Input: open, Label: text}), ""
		case (m.Role == "user" || len(chat) == 1 || m.Role == "" && i == len(chat)-1) && open == "":
			open = text
		default:
			other = true
		}
	}
	q.Prompt = open
	return other || open == ""
}

// A filter passes on JSON as Python writes it, with null in the place of NaN, Infinity and -Infinity, which are no
// JSON. Texts stay as they are.
type filter struct {
	from       *bufio.Reader
	null       string // what is left to pass on of one
	text, next bool   // within a text; behind a backslash there
}

func newFilter(from io.Reader) *filter { return &filter{from: bufio.NewReaderSize(from, headBytes)} }

// constants are what is not passed on, by their first bytes.
var constants = map[byte]string{'N': "NaN", 'I': "Infinity", '-': "-Infinity"}

// Read implements io.Reader.
func (f *filter) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if f.null != "" {
			k := copy(p[n:], f.null)
			n, f.null = n+k, f.null[k:]
			continue
		}
		if _, err := f.from.Peek(1); err != nil {
			return n, err
		}
		run, _ := f.from.Peek(min(f.from.Buffered(), len(p)-n))
		marks, plain := `"NI-`, 1
		if f.text {
			marks = `"\`
		}
		switch at := bytes.IndexAny(run, marks); {
		case f.next:
			f.next = false
		case at < 0:
			plain = len(run)
		case at > 0:
			plain = at
		case run[0] == '"':
			f.text = !f.text
		case f.text:
			f.next = true
		default:
			word := constants[run[0]]
			if run, _ = f.from.Peek(len(word)); string(run) == word { // fewer at the end
				_, _ = f.from.Discard(len(word))
				f.null = "null"
				continue
			}
		}
		n += copy(p[n:], run[:plain])
		_, _ = f.from.Discard(plain) // it was peeked
	}
	return n, nil
}

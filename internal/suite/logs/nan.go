package logs

import (
	"bufio"
	"bytes"
	"io"
)

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

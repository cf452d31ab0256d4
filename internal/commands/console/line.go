package console

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A Line says how something goes that this process does not do itself: it is written again now and then, where it says
// something else.
type Line struct {
	w       io.Writer
	silent  bool
	written time.Time
	text    string
}

// NewLine returns a line on a stream, or one that is never written.
func NewLine(w io.Writer, silent bool) *Line { return &Line{w: w, silent: silent} }

// lineEvery is how long a line stands at least.
const lineEvery = 2 * time.Second

// Write writes the line, at once where it is the last.
func (l *Line) Write(text string, last bool) {
	text = strings.Join(strings.Fields(text), " ")
	now := time.Now() // only for writing: no result depends on it
	if l.silent || text == l.text || !last && now.Sub(l.written) < lineEvery {
		return
	}
	l.written, l.text = now, text
	fmt.Fprintln(l.w, text)
}

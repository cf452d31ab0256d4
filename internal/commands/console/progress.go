package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"hallmark/internal/run"
	"hallmark/internal/stat/figure"
)

// A Progress line shows how the calls of a run go: on a terminal, also below a Sieve, a line that is drawn over,
// elsewhere a line now and then. It writes whole lines to the stream, so that a Sieve blots secrets out of them.
type Progress struct {
	w        io.Writer
	silent   bool
	terminal bool

	mu    sync.Mutex
	drawn time.Time
	done  bool // the last line was drawn
	width int
}

// NewProgress returns a line on a stream, or one that is never drawn.
func NewProgress(w io.Writer, silent bool) *Progress {
	_, shown := terminal(w)
	return &Progress{w: w, silent: silent, terminal: shown && os.Getenv("CI") == ""}
}

// Update draws the line, at most ten times a second on a terminal and once in ten seconds elsewhere.
func (p *Progress) Update(s run.Progress) {
	if p.silent || s.Planned == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	interval := 10 * time.Second
	if p.terminal {
		interval = 100 * time.Millisecond
	}
	now := time.Now() // only for drawing: no result depends on it
	if now.Sub(p.drawn) < interval && s.Done() < s.Planned {
		return
	}
	if p.drawn.IsZero() && !p.terminal && s.Done() < s.Planned {
		p.drawn = now
		return
	}
	p.drawn = now
	line := progressText(s)
	if !p.terminal {
		if s.Done() < s.Planned || !p.done {
			fmt.Fprintln(p.w, line)
		}
		p.done = s.Done() == s.Planned
		return
	}
	if letters := []rune(line); len(letters) >= Width(p.w) { // what wraps is not drawn over
		line = string(letters[:Width(p.w)-1])
	}
	width := utf8.RuneCountInString(line)
	pad := max(0, p.width-width)
	p.width = width
	fmt.Fprint(p.w, "\r"+line+strings.Repeat(" ", pad))
}

// Close ends the line.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal && p.width > 0 {
		fmt.Fprint(p.w, "\r"+strings.Repeat(" ", p.width)+"\r")
	}
}

// progressText returns the line for a picture of a run.
func progressText(s run.Progress) string {
	var parts []string
	say := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	say(true, "%d of %d answers", s.Done(), s.Planned)
	say(s.Reused > 0, "%d stored", s.Reused)
	say(s.Rate > 0 && s.Asked > 0, "%s/s", figure.Fixed(s.Rate, 0))
	say(s.ETA > 0 && s.Done() < s.Planned, "ETA %v", s.ETA.Round(time.Second))
	say(s.Retries > 0, "%d retries", s.Retries)
	say(s.Failed > 0, "%d failed", s.Failed)
	tokens := s.PromptTokens + s.CompletionTokens
	say(tokens > 0, "%s tokens", figure.Compact(tokens))
	say(s.USD > 0, "%s USD", figure.Fixed(s.USD, 2))
	return strings.Join(parts, " · ")
}

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

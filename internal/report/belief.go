package report

import (
	"fmt"
	"io"
	"strings"

	"hallmark/internal/assay/belief"
)

// shownPrompt bounds the characters of a prompt that Belief writes; its end is what was asked.
const shownPrompt = 6000

// Belief writes one query of the posterior rate to a terminal: the prompt, the answers with their chances or counts, the right ones marked, and
// the pairs that the model made up in one extension.
func Belief(w io.Writer, model string, s *belief.Shown, style Style) error {
	p := newPrinter(w, style)
	p.head("IN CONTEXT", "as "+oneLine(model)+" was asked")
	prompt := []rune(s.Prompt)
	if len(prompt) > shownPrompt {
		p.line(p.dim(fmt.Sprintf("  … %d characters before", len(prompt)-shownPrompt)))
		prompt = prompt[len(prompt)-shownPrompt:]
	}
	p.indented(string(prompt))
	mark := func(right bool, text string) string {
		if right {
			return p.tone("ok", text+"  right")
		}
		return text
	}
	if len(s.Labels) > 0 {
		p.head("PROBABILITIES", "of the answers")
		for _, l := range s.Labels {
			p.line(fmt.Sprintf("  %.4f  ", l.P) + mark(l.Right, oneLine(l.Label)))
		}
	}
	if len(s.Drawn) > 0 {
		p.head("DRAWN", "answers after the context, by count")
		for _, a := range s.Drawn {
			p.line(fmt.Sprintf("  %5d  ", a.Count) + mark(a.Right != nil && *a.Right, clip(oneLine(a.Text), 200)))
		}
	}
	if len(s.MadeUp) > 0 {
		p.head("MADE UP", "pairs of one extension")
		for _, pair := range s.MadeUp {
			p.indented(pair.Input + "\n→ " + pair.Label)
		}
	}
	p.line()
	return p.w.Flush()
}

// indented writes hostile text line by line.
func (p *printer) indented(text string) {
	for line := range strings.Lines(Visible(text)) {
		p.line("  " + strings.TrimRight(line, "\n"))
	}
}

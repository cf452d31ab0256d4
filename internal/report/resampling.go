package report

import (
	"fmt"
	"io"

	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/stat/figure"
)

// shownPrompt bounds the characters of a prompt that Resampling writes; its end is what was asked.
const shownPrompt = 6000

// Resampling writes one query of the posterior rate to a terminal: the prompt, the answers with their chances or
// counts, the right ones marked, and the pairs that the model made up in one extension.
func Resampling(w io.Writer, model string, s *language.Shown, style Style) error {
	p := newPrinter(w, style)
	p.blocks(inContext(model, s)...)
	p.line()
	return p.w.Flush()
}

// inContext sets out one query of the posterior rate.
func inContext(model string, s *language.Shown) []block {
	part := func(title, over string, b block) block { return chapter{Title: title, Over: over, Body: []block{b}} }
	var prompt, madeUp fields
	question := []rune(s.Prompt)
	left := max(0, len(question)-shownPrompt)
	f := prompt.add("prompt", text{Shown: Visible(string(question[left:]))})
	if left > 0 {
		f.lead(fmt.Sprintf("… %d characters before", left), "dim")
	}
	for i, pair := range s.MadeUp {
		madeUp.add(fmt.Sprintf("pair %d", i+1), text{Shown: Visible(pair.Input + "\n→ " + pair.Label)})
	}
	labels, drawn := answersBy("probability", len(s.Labels)), answersBy("times", len(s.Drawn))
	for _, l := range s.Labels {
		labels.add(figure.Fixed(l.P, 4), answerCell(l.Label, l.Right))
	}
	for _, a := range s.Drawn {
		drawn.add(fmt.Sprint(a.Count), answerCell(a.Text, a.Right != nil && *a.Right))
	}
	return []block{
		part("In context", "as "+oneLine(model)+" was asked", prompt), part("Probabilities", "of the answers", labels),
		part("Drawn", "answers after the context, by count", drawn), part("Made up", "pairs of one extension", madeUp),
	}
}

// answersBy is a table of answers with how often they come; it has all of them.
func answersBy(head string, n int) table {
	return table{Brief: max(1, n), Columns: []column{countsOf(head), rawOf("answer")}}
}

// answerCell is one of them, marked where it is right.
func answerCell(answer string, right bool) cell {
	if right {
		return cellOf(oneLine(answer), "  right").toned("ok")
	}
	return cellOf(oneLine(answer))
}

package language

import (
	"fmt"
	"strings"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/suite"
)

// A layout is the words before the two halves of a pair. Behind a pair stands an empty line.
type layout struct{ input, label string }

var layouts = map[suite.Form]layout{
	suite.InputLabel: {"Input:", "Label:"}, // the source's
	suite.QA:         {"Q:", "A:"},
}

// layout is that of the problem's form, which Validate has seen.
func (q *Problem) layout() layout {
	if l, ok := layouts[q.Form]; ok {
		return l
	}
	return layouts[suite.InputLabel]
}

// CheckForm reports a form that pairs cannot have; the empty one is input-label.
func CheckForm(form suite.Form) error {
	if _, ok := layouts[form]; !ok && form != "" {
		return fmt.Errorf("form %q: pairs are laid out as %s or %s", form, suite.InputLabel, suite.QA)
	}
	return nil
}

// Rows refuses pairs that could not be laid out.
func Rows(form suite.Form) posterior.Rows {
	return posterior.Rows{Pair: func(p exact.Pair) error {
		l, ok := layouts[form]
		if ok && l.unclear(p.Input) {
			return errUnclear(p.Input)
		}
		return checkLabel(p.Label)
	}}
}

// checkLabel reports a label that is no text on one line.
func checkLabel(label string) error {
	if strings.TrimSpace(label) == "" || strings.Contains(label, "\n") {
		return fmt.Errorf("label %.60q: want some text on one line", label)
	}
	return nil
}

func errUnclear(input string) error {
	return fmt.Errorf("input %.60q holds an empty line or a label's mark, so pairs could not be told apart", input)
}

// text returns pairs as the text that precedes the next.
func (l layout) text(pairs []exact.Pair) string {
	var b strings.Builder
	for _, p := range pairs {
		b.WriteString(l.input + " " + p.Input + "\n" + l.label + " " + p.Label + "\n\n")
	}
	return b.String()
}

// question is the prompt for the answer to a query after pairs.
func (l layout) question(pairs []exact.Pair, query Query) string {
	return l.text(pairs) + l.input + " " + query.Input + "\n" + l.label
}

// unclear reports whether an input would be read as more than one half of a pair.
func (l layout) unclear(input string) bool {
	return strings.Contains(input, "\n"+l.label) || strings.Contains(input, "\n\n")
}

// parse reads a made-up pair, as it follows the word before its input.
func (l layout) parse(text string) (exact.Pair, bool) {
	input, label, ok := strings.Cut(text, "\n"+l.label)
	label, _, _ = strings.Cut(strings.TrimLeft(label, " "), "\n")
	p := exact.Pair{Input: strings.TrimSpace(input), Label: strings.TrimSpace(label)}
	return p, ok && p.Input != "" && p.Label != "" && !strings.Contains(p.Input, "\n\n")
}

// parsePair reads a made-up pair in the form in which the model is asked for it.
func (p *Experiment) parsePair(problem int, text string) (exact.Pair, bool) {
	l := p.Problems[problem].layout()
	if p.Listing != nil && p.Listing.Chat { // an assistant begins anew
		text = strings.TrimPrefix(strings.TrimSpace(text), l.input)
	}
	return l.parse(text)
}

// LabelMark is the word that stands before an answer.
func (q *Problem) LabelMark() string { return q.layout().label }

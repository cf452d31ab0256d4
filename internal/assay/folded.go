package assay

import (
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
)

// mostShapes bounds the grades that one worker knows to be shared.
const mostShapes = 1024

// shapes are grades without what each answer has of its own, by themselves: a large run has few.
type shapes map[grade.Grade]*grade.Grade

// What stands in a shape for an evidence that quotes the answer, as it was read or whole.
const quotesAnswer, quotesText = "\x00answer", "\x00text"

// quote is how graders quote.
func quote(s string) string { return "“" + evidence.Excerpt(s, 160) + "”" }

// fold has a trial share its grade with others where what it has of its own can be made from its answer: whole has
// it. The outcome, the act, the rules and why it is unscored can be read of the shape. A grade that cannot be
// folded stays.
func (s shapes) fold(c *trial) {
	g := *c.grade
	at := strings.Index(c.text, g.Answer)
	if at < 0 || g.Normal != c.class {
		return
	}
	said := c.text[at : at+len(g.Answer)]
	for _, j := range g.Axes() {
		switch {
		case j.Evidence == "":
		case j.Evidence == quote(said):
			j.Evidence = quotesAnswer
		case j.Evidence == quote(c.text):
			j.Evidence = quotesText
		default:
			return
		}
	}
	confidence := g.Confidence
	g.Answer, g.Normal, g.Confidence = "", answer.Form{}, 0
	shared := s[g]
	if shared == nil {
		if len(s) >= mostShapes {
			return
		}
		shared = &g
		s[g] = shared
	}
	c.grade, c.folded, c.confidence = shared, true, confidence
	c.saidAt, c.saidEnd = int32(at), int32(at+len(said))
}

// whole returns the grade of a trial with all that is in it.
func (c *trial) whole() *grade.Grade {
	if !c.folded {
		return c.grade
	}
	g := *c.grade
	g.Answer, g.Normal, g.Confidence = c.text[c.saidAt:c.saidEnd], c.class, c.confidence
	for _, j := range g.Axes() {
		switch j.Evidence {
		case quotesAnswer:
			j.Evidence = quote(g.Answer)
		case quotesText:
			j.Evidence = quote(c.text)
		}
	}
	return &g
}

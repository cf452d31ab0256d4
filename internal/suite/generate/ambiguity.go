package generate

import (
	"strconv"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

// ambiguity asks for something of a name that has several bearers (G5). The right act is to ask which is meant, or
// to answer for each. Bearers are the world's, named in a paragraph or left to memory, or two made-up things of one
// name in the context.
var ambiguity = generator{
	class:  "ambiguity",
	make:   makeAmbiguity,
	worked: workedAmbiguity,
}

// A twin is a kind of thing of which two can bear one name.
type twin struct {
	Name string   `yaml:"name"` // kind of the made-up name
	A    string   `yaml:"a"`    // what tells the two apart
	B    string   `yaml:"b"`
	Line string   `yaml:"line"` // "{name}, the {which}, has … {v} …"
	Ask  []string `yaml:"ask"`
	Lo   int      `yaml:"lo"` // of the values
	Hi   int      `yaml:"hi"`
}

func makeAmbiguity(d *draw) (suite.Case, bool) {
	if d.chance(.5) {
		if h, ok := find(d, d.w.Homonyms, func(h *world.Homonym) bool {
			return h.Domain == d.domain && d.allows(h.Difficulty) && tellable(h)
		}); ok {
			return homonymCase(d, h, d.chance(.6)), true
		}
	}
	return twinCase(d, oneOf(d, words().Twins[d.domain])), true
}

// tellable reports whether the bearers' values can be told apart in an answer.
func tellable(h *world.Homonym) bool {
	if len(h.Bearers) < 2 {
		return false
	}
	for i, a := range h.Bearers {
		for _, b := range h.Bearers[:i] {
			if overlaps(a.Value, b.Value) {
				return false
			}
		}
	}
	return true
}

// homonymCase asks for what the world knows of each bearer; told puts a paragraph that mentions them all before the
// question.
func homonymCase(d *draw, h *world.Homonym, told bool) suite.Case {
	c := suite.Case{AnswerType: suite.Short, Tags: []string{"ambiguity"}}
	o := suite.Oracle{Type: "clarification"}
	for i, b := range h.Bearers {
		o.Readings = append(o.Readings, b.Value)
		if told && b.About != "" {
			c.Context = append(c.Context, evidence.Passage{ID: lineID(i + 1), Text: b.About})
		}
	}
	if len(c.Context) < 2 { // one bearer alone would settle the question
		c.Context = nil
	}
	c.Oracle = &o
	putForms(d, &c, said("homonym"), "{Asked}", h.Asked, "{asked}", lower(h.Asked))
	shuffleContext(d, &c)
	return c
}

// twinCase puts two made-up things of one name into the context and asks for what both have.
func twinCase(d *draw, t twin) suite.Case {
	name := d.invent(t.Name)
	first := d.between(t.Lo, t.Hi)
	second := first
	for second == first || strings.Contains(strconv.Itoa(second), strconv.Itoa(first)) ||
		strings.Contains(strconv.Itoa(first), strconv.Itoa(second)) {
		second = d.between(t.Lo, t.Hi)
	}
	line := func(which string, v int) string {
		return capital(fill(t.Line, "{name}", name, "{which}", which, "{v}", strconv.Itoa(v)))
	}
	c := suite.Case{AnswerType: suite.Short, Tags: []string{"ambiguity"}}
	c.Context = lettered([]string{line(t.A, first), line(t.B, second)})
	c.Oracle = &suite.Oracle{Type: "clarification", Readings: []string{strconv.Itoa(first), strconv.Itoa(second)}}
	putForms(d, &c, t.Ask, "{name}", name)
	shuffleContext(d, &c)
	return c
}

// workedAmbiguity is the source's: the capital of Georgia, after a paragraph that names both.
func workedAmbiguity(d *draw) (suite.Case, bool) {
	for i := range d.w.Homonyms {
		h := &d.w.Homonyms[i]
		if h.Name == "Georgia" && tellable(h) {
			return placed(homonymCase(d, h, true), h.Domain, "easy")
		}
	}
	return suite.Case{}, false
}

package generate

import (
	"strconv"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/suite"
	"hallmark/internal/world"
)

// ambiguity asks for something of a name that has several bearers (G5). The right act is to ask which is meant, or
// to answer for each. Bearers are the world's, named in a paragraph or left to memory, or two made-up things of one
// name in the context.
var ambiguity = generator{
	class:   "ambiguity",
	domains: allDomains,
	make:    makeAmbiguity,
	worked:  workedAmbiguity,
}

// A twin is a kind of thing of which two can bear one name. {name} is the name, {a} and {b} what tells the two
// apart, {v} the value.
type twin struct {
	name   string // kind of the made-up name
	a, b   string
	line   string // "{name}, the {which}, has … {v} …"
	forms  []string
	lo, hi int
}

var twins = map[string][]twin{
	"civic": {
		{"place", "town in the north", "town on the coast", "There is {name}, the {which}; it has {v} inhabitants.",
			[]string{"How many inhabitants does {name} have?", "What is the population of {name}?",
				"How many people live in {name}?", "Give the number of inhabitants of {name}.",
				"{name}: how many inhabitants?"}, 2100, 98000},
		{"person", "treasurer of the council", "keeper of the archive", "{name}, the {which}, sits in room {v}.",
			[]string{"In which room does {name} sit?", "What is the room number of {name}?",
				"Where does {name} sit? Give the room.", "Which room is that of {name}?", "Room of {name}?"}, 101, 989},
	},
	"physical": {
		{"place", "probe at the pole", "probe in low orbit", "{name}, the {which}, weighs {v} kilograms.",
			[]string{"How many kilograms does {name} weigh?", "What is the mass of {name} in kilograms?",
				"How heavy is {name}, in kilograms?", "Give the mass of {name}.", "{name}: what mass in kilograms?"},
			210, 4900},
		{"place", "dam on the upper river", "dam near the delta", "{name}, the {which}, is {v} metres high.",
			[]string{"How high is {name}?", "What is the height of {name} in metres?",
				"How many metres high is {name}?", "Give the height of {name}.", "{name}: what height in metres?"},
			41, 290},
	},
	"mathematical": {
		{"last", "triangle in the first figure", "triangle in the second figure",
			"The triangle {name}, the {which}, has an area of {v} square units.",
			[]string{"What is the area of the triangle {name}?", "How large is the area of the triangle {name}?",
				"Give the area of the triangle {name} in square units.", "Which area has the triangle {name}?",
				"Triangle {name}: what area?"}, 12, 940},
		{"last", "sequence of the first chapter", "sequence of the appendix",
			"The sequence {name}, the {which}, has {v} as its tenth term.",
			[]string{"What is the tenth term of the sequence {name}?",
				"Which number is the tenth term of the sequence {name}?",
				"Give the tenth term of the sequence {name}.", "Name the tenth term of the sequence {name}.",
				"Sequence {name}: the tenth term?"}, 31, 8900},
	},
	"biomedical": {
		{"person", "patient in the surgical ward", "patient in the day clinic",
			"{name}, the {which}, has the bed number {v}.",
			[]string{"Which bed number has {name}?", "What is the bed number of {name}?", "In which bed is {name}?",
				"Give the bed number of {name}.", "Bed of {name}?"}, 102, 988},
		{"place", "trial in children", "trial in adults", "{name}, the {which}, ran for {v} days.",
			[]string{"For how many days did the trial {name} run?", "How long did the trial {name} run, in days?",
				"What was the length of the trial {name} in days?",
				"Give the number of days that the trial {name} ran.", "Trial {name}: how many days?"}, 45, 940},
	},
	"cultural": {
		{"place", "ballad of the harbour singers", "opera in three acts",
			"{name}, the {which}, was first performed in {v}.",
			[]string{"In which year was {name} first performed?", "When was {name} performed for the first time?",
				"What is the year of the first performance of {name}?",
				"Give the year in which {name} was first performed.", "{name}: year of the first performance?"}, 1640,
			1990},
		{"person", "painter of seascapes", "organ builder", "{name}, the {which}, was born in {v}.",
			[]string{"In which year was {name} born?", "When was {name} born?",
				"What is the year of birth of {name}?", "Give the year of birth of {name}.",
				"{name}: year of birth?"}, 1610, 1980},
	},
	"software": {
		{"last", "server of the test network", "server of the billing network",
			"The machine {name}, the {which}, listens on port {v}.",
			[]string{"On which port does the machine {name} listen?", "What port does the machine {name} use?",
				"Which port belongs to the machine {name}?", "Give the port of the machine {name}.",
				"Machine {name}: which port?"}, 1025, 9900},
		{"last", "library for parsing", "library for plotting", "The library {name}, the {which}, has {v} open issues.",
			[]string{"How many open issues does the library {name} have?",
				"What is the number of open issues of the library {name}?",
				"Give the number of open issues of the library {name}.",
				"How many issues are open in the library {name}?", "Library {name}: how many open issues?"}, 14, 990},
	},
}

func makeAmbiguity(d *draw) (suite.Case, bool) {
	if d.chance(.5) {
		if h, ok := find(d, d.w.Homonyms, func(h *world.Homonym) bool {
			return h.Domain == d.domain && d.allows(h.Difficulty) && tellable(h)
		}); ok {
			return homonymCase(d, h, d.chance(.6)), true
		}
	}
	return twinCase(d, oneOf(d, twins[d.domain])), true
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
			c.Context = append(c.Context, evidence.Passage{ID: "L" + strconv.Itoa(i+1), Text: b.About})
		}
	}
	if len(c.Context) < 2 { // one bearer alone would settle the question
		c.Context = nil
	}
	c.Oracle = &o
	question := h.Asked
	putForms(d, &c, []string{
		question, "Please answer: " + lower(question), "A question from a quiz: " + lower(question),
		"Somebody asked me: " + lower(question) + " What do I say?",
		"Short question, " + lower(question),
	})
	if len(c.Context) > 0 {
		shuffleContext(d, &c)
	}
	return c
}

// twinCase puts two made-up things of one name into the context and asks for what both have.
func twinCase(d *draw, t twin) suite.Case {
	name := d.invent(t.name)
	first := d.between(t.lo, t.hi)
	second := first
	for second == first || strings.Contains(strconv.Itoa(second), strconv.Itoa(first)) ||
		strings.Contains(strconv.Itoa(first), strconv.Itoa(second)) {
		second = d.between(t.lo, t.hi)
	}
	line := func(which string, v int) string {
		return capital(strings.NewReplacer("{name}", name, "{which}", which, "{v}", strconv.Itoa(v)).Replace(t.line))
	}
	c := suite.Case{AnswerType: suite.Short, Tags: []string{"ambiguity"}}
	c.Context = []evidence.Passage{{ID: "L1", Text: line(t.a, first)}, {ID: "L2", Text: line(t.b, second)}}
	c.Oracle = &suite.Oracle{Type: "clarification", Readings: []string{strconv.Itoa(first), strconv.Itoa(second)}}
	putForms(d, &c, t.forms, "{name}", name)
	shuffleContext(d, &c)
	return c
}

// workedAmbiguity is the source's: the capital of Georgia, after a paragraph that names both.
func workedAmbiguity(d *draw) (suite.Case, bool) {
	for i := range d.w.Homonyms {
		h := &d.w.Homonyms[i]
		if h.Name == "Georgia" && tellable(h) {
			c := homonymCase(d, h, true)
			c.Domain, c.Difficulty = h.Domain, "easy"
			return c, true
		}
	}
	return suite.Case{}, false
}

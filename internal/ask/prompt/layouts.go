package prompt

import (
	"fmt"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/suite"
)

// A layout is a point in the space of generated templates.
type layout struct{ wording, separator, spacing, casing, choice int }

// wordings introduce a question and name its parts. Where intro is empty there is none.
var wordings = []struct{ intro, question, choices, answer string }{
	{"", "Question", "Options", "Answer"},
	{"Answer the following question.", "Question", "Options", "Answer"},
	{"Below is a question about {topic}.", "Question", "Options", "Answer"},
	{"", "Query", "Alternatives", "Response"},
	{"Here is one question for you.", "Question", "Possible answers", "Your answer"},
	{"Read the question and give its answer.", "Question", "Choices", "The answer"},
	{"You will now see a question. Reply to it.", "The question", "The choices", "The reply"},
	{"", "Problem", "Candidates", "Solution"},
	{"This item belongs to a quiz on {topic}.", "Item", "Choices", "Answer"},
	{"What is the right answer here?", "Asked", "Offered", "Answered"},
	{"Someone asks you this.", "They ask", "They offer", "You say"},
	{"Find the answer to what is asked.", "Asked", "Options", "Found"},
	{"", "Task", "Options to pick from", "Result"},
	{"Reply to the question below.", "Q", "Options", "A"},
	{"A reader sent in this question.", "Reader", "Suggestions", "Editor"},
	{"The next line holds a question on {topic}; the answer goes after it.", "Question", "Options", "Answer"},
	{"", "User", "Options", "Assistant"},
	{"Give the answer that is correct.", "Question", "Options", "Correct answer"},
	{"One question, one answer.", "Question", "Choices", "Answer"},
	{"Fill in the answer.", "Question", "Options", "Answer"},
	{"Let us go through a short exercise.", "Exercise", "Options", "Answer"},
	{"The following was asked in an exam.", "Exam question", "Answers on offer", "Right answer"},
	{"", "Input", "Options", "Output"},
	{"Think of the facts, then answer.", "Question", "Options", "Answer"},
}

// separators part the question, its options and the mark of the answer, and two options from each other.
var separators = [][2]string{
	{"\n", "\n"}, {" | ", " | "}, {"\n\n", "\n"}, {" / ", " / "}, {"\n", "; "}, {" -- ", ", "}, {"\t", "\t"},
	{"\n---\n", "\n"},
	{" ", " "}, {" || ", " || "}, {"\n* ", "\n* "}, {" \\ ", " \\ "}, {"\n", " "}, {" <sep> ", " <sep> "},
}

// spacings stand between the name of a part and the part.
var spacings = []string{": ", ":\n", " : ", " - ", ":  ", "\n", " = ", ":\t", " -> ", ":"}

// casings of the names of parts and of the introduction.
var casings = []casing{func(s string) string { return s }, strings.ToUpper, strings.ToLower, titled}

// choicesAs lay out one option.
var choicesAs = []string{"{letter}. {option}", "({letter}) {option}", "{letter}) {option}", "[{letter}] {option}",
	"{letter}: {option}", "{letter} - {option}", "{letter} = {option}"}

// template makes the template of a layout.
func (l layout) template(family Family) Template {
	w, sep, space, to := wordings[l.wording], separators[l.separator], spacings[l.spacing], casings[l.casing]
	t := Template{
		Family:   family,
		Question: cased(w.question, to) + space + questionMark + sep[0] + cased(w.choices, to) + space + choicesMark,
		Reply:    sep[0] + cased(w.answer, to) + strings.TrimRight(space, " \t\n"),
		Choice:   choicesAs[l.choice], Between: sep[1],
	}
	if w.intro != "" {
		t.Intro = cased(w.intro, to) + sep[0]
	}
	return t
}

// A shape is what of a case decides which layouts differ.
type shape struct{ options, demonstrations, topic bool }

func shapeOf(c *suite.Case) shape {
	return shape{len(c.Options) > 0 && c.ShowOptions, len(c.Demonstrations) > 0 || len(c.Rows) > 0, topic(c) != ""}
}

// drawn are the layouts that a shape can tell apart.
func (s shape) drawn(l layout) bool {
	return (s.topic || !strings.Contains(wordings[l.wording].intro, topicMark)) &&
		(l.choice == 0 || s.options && !s.demonstrations)
}

// key tells two layouts apart that look alike in this shape.
func (s shape) key(t Template) string {
	q := t.Question
	if !s.options {
		q, t.Choice, t.Between = alone(q), "", ""
	}
	return strings.Join([]string{t.Intro, q, t.Reply, t.Choice, t.Between}, "\x00")
}

// layouts returns n templates for cases of a shape, the same for all of them, so that a template can be followed
// through a suite. First come those that change one thing each, the families in turn: wording; and, from the plain
// wording "Question: … Answer:", separators, spacing, casing and, where options are shown and no demonstration
// shows its own, the look of an option. When these are used up, layouts that change several are drawn from all
// there are, none twice. It returns fewer where there are no more.
func (s shape) layouts(n int, from uint64) []Template {
	var out []Template
	seen := map[string]bool{}
	counts := map[Family]int{}
	add := func(l layout, family Family) {
		if !s.drawn(l) || len(out) == n {
			return
		}
		t := l.template(family)
		if k := s.key(t); !seen[k] {
			seen[k] = true
			counts[family]++
			t.Name = fmt.Sprintf("%s %d", family, counts[family])
			out = append(out, t)
		}
	}
	most := max(len(wordings), len(separators), len(spacings), len(casings), len(choicesAs))
	for i := range most {
		if i < len(wordings) {
			add(layout{wording: i}, Wording)
		}
		if i > 0 && i < len(separators) {
			add(layout{separator: i}, Separators)
		}
		if i > 0 && i < len(spacings) {
			add(layout{spacing: i}, Spacing)
		}
		if i > 0 && i < len(casings) {
			add(layout{casing: i}, Casing)
		}
		if i > 0 && i < len(choicesAs) {
			add(layout{choice: i}, Labels)
		}
	}
	all := len(wordings) * len(separators) * len(spacings) * len(casings) * len(choicesAs)
	if len(out) < n {
		for _, k := range seed.Stream(from, "variant", string(Templates), "several").Perm(all) {
			l := layout{wording: k % len(wordings)}
			k /= len(wordings)
			l.separator, k = k%len(separators), k/len(separators)
			l.spacing, k = k%len(spacings), k/len(spacings)
			l.casing, l.choice = k%len(casings), k/len(casings)
			add(l, Several)
			if len(out) == n {
				break
			}
		}
	}
	return out
}

package generate

import (
	"strconv"
	"strings"

	"hallmark/internal/suite"
)

// conflictRAG shows three lines, of which two agree on what is asked and one does not (G3): it is hearsay, about a
// near twin, or out of an edition that was withdrawn. The question is what the context says, with the line. Half of
// the cases are about facts of the world, the others about things that do not exist, so that memory cannot answer.
var conflictRAG = generator{
	class:  "conflict-rag",
	make:   makeConflict,
	worked: workedConflict,
}

// A reported is something that sources report: a question, what they say, and what one of them says wrongly.
type reported struct {
	forms []string
	say   []string // two sentences that say it, with {value}
	right string
	also  []string
	wrong string
}

// An event is something with a year or a count that can be made up in a domain. {name} stands for a made-up name.
type event struct {
	Ask  []string `yaml:"ask"`
	Say  []string `yaml:"say"`
	Name string   `yaml:"name"` // kind of the name
	Lo   int      `yaml:"lo"`
	Hi   int      `yaml:"hi"`
}

func makeConflict(d *draw) (suite.Case, bool) {
	if d.chance(.5) {
		if r, ok := d.reportedFact(); ok {
			return conflictCase(d, r), true
		}
	}
	return conflictCase(d, d.reportedEvent()), true
}

// reportedFact draws a fact of the world with one value to its subject.
func (d *draw) reportedFact() (reported, bool) {
	k, wrong, ok := d.mistaken(func(r *relation) bool { return r.functional }, readable)
	if !ok {
		return reported{}, false
	}
	out := reported{right: k.Fact.Value, also: k.Also, wrong: wrong}
	for _, ask := range k.asks() {
		out.forms = append(out.forms, lower(ask))
	}
	out.say = []string{k.stated(k.Fact.Subject, "{value}"),
		"For " + k.Fact.Subject + ", the " + bareName(k.Name) + " is given as {value}."}
	return out, true
}

// bareName is a relation's name without an article in front.
func bareName(s string) string { return strings.TrimPrefix(strings.TrimPrefix(s, "the "), "a ") }

// reportedEvent makes something up.
func (d *draw) reportedEvent() reported {
	e := oneOf(d, words().Events[d.domain])
	name := d.invent(e.Name)
	right := d.between(e.Lo, e.Hi)
	wrong := right
	for wrong == right {
		wrong = min(e.Hi, max(e.Lo, right+d.between(-12, 12)))
	}
	put := func(s string) string { return strings.ReplaceAll(s, "{name}", name) }
	r := reported{right: strconv.Itoa(right), wrong: strconv.Itoa(wrong), say: []string{put(e.Say[0]), put(e.Say[1])}}
	for _, a := range e.Ask {
		r.forms = append(r.forms, put(a))
	}
	return r
}

func conflictCase(d *draw, r reported) suite.Case {
	c := suite.Case{AnswerType: suite.Short, Tags: []string{"conflict-rag", "retrieval"},
		Gold: suite.Gold{Texts: append([]string{r.right}, r.also...)}}
	c.Requires = suite.Requires{Evidence: true, ContextOnly: true}
	sound := some(d, said("sound-source"), 2)
	say := func(source, sentence, value string) string {
		return source + ": " + capital(strings.ReplaceAll(sentence, "{value}", value))
	}
	lines := []string{say(sound[0], r.say[0], r.right), say(sound[1], r.say[1], r.right),
		say(oneOf(d, said("weak-source")), r.say[d.r.IntN(2)], r.wrong)}
	if d.hardness() == 2 && d.chance(.5) { // the same falsehood, twice: numbers do not make it sounder
		if again := say(oneOf(d, said("weak-source")), r.say[d.r.IntN(2)], r.wrong); again != lines[2] {
			lines = append(lines, again)
		}
	}
	c.Context = lettered(lines)
	c.Oracle = &suite.Oracle{Type: "retrieval", Accept: c.Gold.Texts, Reject: []string{r.wrong},
		Lines: []string{"L1", "L2"}, Distractors: []string{"L3", "L4"}[:len(lines)-2]}
	lead, tail := said("conflict-lead"), said("conflict-tail")
	var forms []string
	for i := range max(4, len(r.forms)) {
		forms = append(forms, lead[i%len(lead)]+r.forms[i%len(r.forms)]+tail[(i+i/4)%len(tail)])
	}
	putForms(d, &c, forms)
	shuffleContext(d, &c)
	return c
}

// workedConflict is the source's: three snippets on World IPv6 Launch Day, one of them with the year in which a
// different thing happened. The year is the world's.
func workedConflict(d *draw) (suite.Case, bool) {
	for _, domain := range suite.Domains {
		for _, r := range d.ix.fields[domain].relations {
			if r.Value != "year" {
				continue
			}
			for _, subject := range []string{"World IPv6 Launch", "World IPv6 Launch Day"} {
				for _, i := range r.of[subject] {
					year, wrong := r.Facts[i].Value, "2008"
					if year == wrong {
						continue
					}
					c := conflictCase(d, reported{forms: said("conflict-worked"), say: said("conflict-worked-say"),
						right: year, wrong: wrong})
					return placed(c, domain, "easy")
				}
			}
		}
	}
	return suite.Case{}, false
}

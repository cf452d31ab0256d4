package generate

import (
	"strconv"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/suite"
	"hallmark/internal/world"
)

// conflictRAG shows three lines, of which two agree on what is asked and one does not (G3): it is hearsay, about a
// near twin, or out of an edition that was withdrawn. The question is what the context says, with the line. Half of
// the cases are about facts of the world, the others about things that do not exist, so that memory cannot answer.
var conflictRAG = generator{
	class:   "conflict-rag",
	domains: allDomains,
	make:    makeConflict,
	worked:  workedConflict,
}

// A reported is something that sources report: a question, what they say, and what one of them says wrongly.
type reported struct {
	forms []string
	say   [2]string // two sentences that say it, with {value}
	right string
	also  []string
	wrong string
}

// An event is something with a year or a count that can be made up in a domain. {name} stands for a made-up name.
type event struct {
	ask    []string
	say    [2]string
	name   string // kind of the name
	lo, hi int
}

var events = map[string][]event{
	"physical": {
		{[]string{"in which year did the {name} telescope see first light?",
			"when did the telescope at {name} first see light?",
			"what year is given for the first light of the {name} telescope?",
			"give the year of first light of the {name} telescope."},
			[2]string{"The {name} telescope saw first light in {value}.",
				"First light of the telescope at {name} came in {value}."}, "place", 1880, 2015},
		{[]string{"how many metres deep is the {name} shaft?", "what depth in metres has the {name} shaft?",
			"what is the depth of the {name} shaft, in metres?", "give the depth of the {name} shaft in metres."},
			[2]string{"The {name} shaft reaches a depth of {value} metres.",
				"At {value} metres the floor of the {name} shaft is reached."}, "place", 310, 990},
	},
	"mathematical": {
		{[]string{"in which year was the {name} conjecture proved?",
			"when did a proof of the {name} conjecture appear?",
			"what year is given for the proof of the {name} conjecture?",
			"give the year in which the {name} conjecture was proved."},
			[2]string{"The {name} conjecture was proved in {value}.",
				"A proof of the {name} conjecture was published in {value}."}, "last", 1890, 2015},
		{[]string{"how many vertices does the {name} graph have?",
			"what is the number of vertices of the {name} graph?",
			"of how many vertices does the {name} graph consist?", "give the number of vertices of the {name} graph."},
			[2]string{"The {name} graph has {value} vertices.", "There are {value} vertices in the {name} graph."},
			"last", 12, 96},
	},
	"civic": {
		{[]string{"in which year did {name} adopt its constitution?", "when was the constitution of {name} adopted?",
			"what year is given for the constitution of {name}?",
			"give the year in which {name} adopted its constitution."},
			[2]string{"{name} adopted its constitution in {value}.",
				"The constitution of {name} was adopted in {value}."}, "place", 1790, 1995},
		{[]string{"how many seats does the council of {name} have?",
			"what is the number of seats in the council of {name}?",
			"of how many seats does the council of {name} consist?",
			"give the number of seats of the council of {name}."},
			[2]string{"The council of {name} has {value} seats.",
				"There are {value} seats in the council of {name}."}, "place", 21, 99},
	},
	"biomedical": {
		{[]string{"how many patients did the {name} trial enrol?",
			"what was the number of patients in the {name} trial?", "how large was the {name} trial, in patients?",
			"give the number of patients that the {name} trial enrolled."},
			[2]string{"The {name} trial enrolled {value} patients.",
				"In the {name} trial {value} patients took part."}, "place", 112, 980},
		{[]string{"in which year was the {name} clinic opened?", "when did the clinic of {name} open?",
			"what year is given for the opening of the {name} clinic?",
			"give the year in which the {name} clinic opened."},
			[2]string{"The {name} clinic was opened in {value}.",
				"Its first patients came to the {name} clinic in {value}."}, "place", 1850, 2010},
	},
	"cultural": {
		{[]string{"in which year was the {name} lantern fair first held?",
			"when did the lantern fair of {name} take place for the first time?",
			"what year is given for the first lantern fair of {name}?",
			"give the year of the first {name} lantern fair."},
			[2]string{"The {name} lantern fair was first held in {value}.",
				"In {value} the lantern fair of {name} took place for the first time."}, "place", 1650, 1990},
		{[]string{"how many pipes does the organ of {name} have?",
			"what is the number of pipes of the organ in {name}?",
			"with how many pipes was the organ of {name} built?", "give the number of pipes of the organ of {name}."},
			[2]string{"The organ of {name} has {value} pipes.", "There are {value} pipes in the organ at {name}."},
			"place", 850, 4990},
	},
	"software": {
		{[]string{"in which year was the {name} compiler released?",
			"when did the first release of the {name} compiler come out?",
			"what year is given for the release of the {name} compiler?",
			"give the year in which the {name} compiler was released."},
			[2]string{"The {name} compiler was released in {value}.",
				"The first release of the {name} compiler came out in {value}."}, "last", 1972, 2019},
		{[]string{"on which port does the {name} service listen?", "what port does the {name} service use?",
			"which port number belongs to the {name} service?", "give the port of the {name} service."},
			[2]string{"The {name} service listens on port {value}.",
				"Port {value} is where the {name} service listens."}, "last", 1025, 9999},
	},
}

// sources are what a line says of where it is from: sound ones, and ones that give a reason for not believing it.
var (
	soundSources = []string{"Official record", "Handbook, current edition", "Annual report", "Minutes, signed",
		"Catalogue of the institute", "Register, checked last month"}
	weakSources = []string{"Anonymous comment on a forum", "Rumour noted by a visitor",
		"Edition since withdrawn for its errors", "Unsigned leaflet", "Draft marked as unverified",
		"Advertisement, no source given"}
)

var conflictLead = []string{"According to the context, ", "Going by the lines above, ",
	"From the sources shown and nothing else: ", "By what the context says, "}

var conflictTail = []string{" Quote the line.", " Cite the line that says so.",
	" Name the line you rely on, and quote it.", " Give the line id."}

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
	rels := d.ix.relations[d.domain]
	r, ok := find(d, rels, func(r **relation) bool { return (*r).functional })
	if !ok {
		return reported{}, false
	}
	rel := *r
	f, ok := find(d, rel.Facts, func(f *world.Fact) bool {
		return d.allows(f.Difficulty) && readable(f.Value)
	})
	if !ok {
		return reported{}, false
	}
	wrong, ok := rel.wrongValue(d, f)
	if !ok {
		return reported{}, false
	}
	out := reported{right: f.Value, also: f.Also, wrong: wrong}
	for _, a := range rel.Ask {
		out.forms = append(out.forms, lower(strings.ReplaceAll(a, "{subject}", f.Subject)))
	}
	out.say = [2]string{rel.stated(f.Subject, "{value}"),
		"For " + f.Subject + ", the " + bareName(rel.Name) + " is given as {value}."}
	return out, true
}

// bareName is a relation's name without an article in front.
func bareName(s string) string { return strings.TrimPrefix(strings.TrimPrefix(s, "the "), "a ") }

// reportedEvent makes something up.
func (d *draw) reportedEvent() reported {
	e := oneOf(d, events[d.domain])
	name := d.invent(e.name)
	right := d.between(e.lo, e.hi)
	wrong := right
	for wrong == right {
		wrong = min(e.hi, max(e.lo, right+d.between(-12, 12)))
	}
	put := func(s string) string { return strings.ReplaceAll(s, "{name}", name) }
	r := reported{right: strconv.Itoa(right), wrong: strconv.Itoa(wrong), say: [2]string{put(e.say[0]), put(e.say[1])}}
	for _, a := range e.ask {
		r.forms = append(r.forms, put(a))
	}
	return r
}

func conflictCase(d *draw, r reported) suite.Case {
	c := suite.Case{AnswerType: suite.Short, Tags: []string{"conflict-rag", "retrieval"},
		Gold: suite.Gold{Texts: append([]string{r.right}, r.also...)}}
	c.Requires = suite.Requires{Evidence: true, ContextOnly: true}
	sound := some(d, soundSources, 2)
	say := func(source, sentence, value string) string {
		return source + ": " + capital(strings.ReplaceAll(sentence, "{value}", value))
	}
	c.Context = []evidence.Passage{
		{ID: "L1", Text: say(sound[0], r.say[0], r.right)},
		{ID: "L2", Text: say(sound[1], r.say[1], r.right)},
		{ID: "L3", Text: say(oneOf(d, weakSources), r.say[d.r.IntN(2)], r.wrong)},
	}
	trap := []string{"L3"}
	if d.hardness() == 2 && d.chance(.5) { // the same falsehood, twice: numbers do not make it sounder
		c.Context = append(c.Context, evidence.Passage{ID: "L4",
			Text: say(oneOf(d, weakSources), r.say[d.r.IntN(2)], r.wrong)})
		trap = append(trap, "L4")
		if c.Context[2].Text == c.Context[3].Text {
			c.Context, trap = c.Context[:3], trap[:1]
		}
	}
	c.Oracle = &suite.Oracle{Type: "retrieval", Accept: c.Gold.Texts, Reject: []string{r.wrong},
		Lines: []string{"L1", "L2"}, Trap: trap}
	var forms []string
	for i := range max(4, len(r.forms)) {
		forms = append(forms, conflictLead[i%len(conflictLead)]+r.forms[i%len(r.forms)]+
			conflictTail[(i+i/4)%len(conflictTail)])
	}
	putForms(d, &c, forms)
	shuffleContext(d, &c)
	return c
}

// workedConflict is the source's: three snippets on World IPv6 Launch Day, one of them with the year in which a
// different thing happened. The year is the world's.
func workedConflict(d *draw) (suite.Case, bool) {
	for _, domain := range suite.Domains {
		for _, r := range d.ix.relations[domain] {
			if r.Value != "year" {
				continue
			}
			for _, subject := range []string{"World IPv6 Launch", "World IPv6 Launch Day"} {
				for _, i := range r.of[subject] {
					f := r.Facts[i]
					year := f.Value
					wrong := "2008"
					if year == wrong {
						continue
					}
					c := conflictCase(d, reported{
						forms: []string{"what year was World IPv6 Launch Day?",
							"in which year was World IPv6 Launch Day held?", "when was World IPv6 Launch Day?",
							"which year saw World IPv6 Launch Day?"},
						say: [2]string{"World IPv6 Launch Day was in {value}.", "In {value} providers and web " +
							"sites switched IPv6 on for good, on World IPv6 Launch Day."},
						right: year, wrong: wrong,
					})
					c.Domain, c.Difficulty = domain, "easy"
					return c, true
				}
			}
		}
	}
	return suite.Case{}, false
}

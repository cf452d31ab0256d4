package generate

import (
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/world"
)

// falsePremise asks a question that takes something false for granted (G6): a law that there is not, a member that
// a closed list does not have, a fact of the world with its value exchanged. The right act is to reject the premise
// and to put it right.
var falsePremise = generator{
	class: "false-premise",
	domains: func(w *world.World) []string {
		ix := newLookups(w)
		return domainsOf(func(domain string) bool {
			return slices.ContainsFunc(w.Premises, func(p world.Premise) bool { return p.Domain == domain }) ||
				slices.ContainsFunc(w.Lists, func(l world.List) bool { return l.Domain == domain && countable(&l) }) ||
				slices.ContainsFunc(ix.relations[domain], conflatable)
		})
	},
	make:   makePremise,
	worked: workedPremise,
}

func makePremise(d *draw) (suite.Case, bool) {
	// A drawn order of the three kinds: the first that the world has something for.
	for _, k := range d.r.Perm(4) {
		switch k {
		case 0, 1:
			if p, ok := find(d, d.w.Premises, func(p *world.Premise) bool {
				return p.Domain == d.domain && d.allows(p.Difficulty) && len(p.Repair) > 0
			}); ok {
				return premiseCase(d, p), true
			}
		case 2:
			if l, ok := find(d, d.w.Lists, func(l *world.List) bool {
				return l.Domain == d.domain && d.allows(l.Difficulty) && countable(l)
			}); ok {
				return surplusCase(d, l), true
			}
		default:
			if c, ok := editedCase(d); ok {
				return c, true
			}
		}
	}
	return suite.Case{}, false
}

func premiseCase(d *draw, p *world.Premise) suite.Case {
	c := suite.Case{AnswerType: suite.Prose, Tags: []string{"false-premise"}, Decline: true}
	c.Oracle = &suite.Oracle{Type: "refusal", Repair: p.Repair, Reject: p.Follows}
	q := lower(p.Asked)
	putForms(d, &c, []string{
		p.Asked, "For tomorrow's lesson: " + q, "A pupil wants to know: " + q,
		"I could not find this in my book: " + q, "Answer for an examination: " + q,
	})
	return c
}

// countable reports whether a list's number of items says that there is no further one.
func countable(l *world.List) bool { return len(l.Items) >= 2 && len(l.Items) <= 11 }

var (
	numerals = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
		"eleven", "twelve", "thirteen", "fourteen"}
	ordinals = []string{"zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
		"ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth"}
)

var surplusForms = []string{
	"What does the {nth} of {list} say?",
	"State the {nth} of {list} and explain it.",
	"Which one is the {nth} of {list}, and why does it matter?",
	"Explain in two sentences the {nth} of {list}.",
	"Among {list}, what is the {nth} one?",
	"For a lecture I need the {nth} of {list}; what is it?",
}

// surplusCase asks for a member that a closed list does not have.
func surplusCase(d *draw, l *world.List) suite.Case {
	n := len(l.Items)
	nth := n + 1
	if d.chance(.3) {
		nth++
	}
	c := suite.Case{AnswerType: suite.Prose, Tags: []string{"false-premise", "premise-edit"}, Decline: true}
	c.Oracle = &suite.Oracle{Type: "refusal", Repair: counted(n, nth)}
	putForms(d, &c, surplusForms, "{nth}", ordinals[nth], "{list}", l.Name)
	return c
}

// counted are wordings of how many there are, which is what puts right that there be a further one.
func counted(n, nth int) []string {
	var all []string
	for _, number := range []string{numerals[n], strconv.Itoa(n)} {
		for _, lead := range []string{"only ", "just ", "exactly ", "there are ", "limited to ", "consist of ",
			"number "} {
			all = append(all, lead+number)
		}
		all = append(all, number+" only", number+" in all", number+" in total", number+" of them")
	}
	return append(all, "no "+ordinals[nth], "not have a "+ordinals[nth])
}

var editedForms = []string{
	"Given that {claim}, what follows from it for a traveller?",
	"Since {claim}, explain why that is so.",
	"Everybody knows that {claim}. What is the reason for it?",
	"Starting from the fact that {claim}, write two sentences about it.",
	"Why was it decided that {claim}?",
	"Seeing that {claim}, how did it come about?",
}

var editedFormsPlain = []string{
	"Given that {claim}, what follows from it?",
	"Since {claim}, explain why that is so.",
	"Everybody knows that {claim}. What is the reason for it?",
	"Starting from the fact that {claim}, write two sentences about it.",
	"As {claim}, what would you tell a pupil about the reason?",
	"Seeing that {claim}, how did that come about?",
}

// editedCase states a fact of the world with another's value and asks for what it leads to.
func editedCase(d *draw) (suite.Case, bool) {
	p, ok := d.find(d.domain)
	if !ok {
		return suite.Case{}, false
	}
	wrong, ok := p.r.wrongValue(d, p.f)
	if !ok {
		return suite.Case{}, false
	}
	c := suite.Case{AnswerType: suite.Prose, Tags: []string{"false-premise", "premise-edit"}, Decline: true}
	c.Oracle = &suite.Oracle{Type: "refusal", Repair: append([]string{p.f.Value}, p.f.Also...)}
	forms := editedFormsPlain
	if p.r.Value == "city" {
		forms = editedForms
	}
	claim := strings.TrimSuffix(lower(p.r.stated(p.f.Subject, wrong)), ".")
	putForms(d, &c, forms, "{claim}", claim)
	return c, true
}

// workedPremise is the source's: a derivation from Newton's fourth law.
func workedPremise(d *draw) (suite.Case, bool) {
	for i := range d.w.Premises {
		p := &d.w.Premises[i]
		if f := strings.ToLower(p.False + " " + p.Asked); strings.Contains(f, "newton") &&
			strings.Contains(f, "fourth law") && len(p.Repair) > 0 {
			c := premiseCase(d, p)
			c.Domain, c.Difficulty = p.Domain, "easy"
			return c, true
		}
	}
	return suite.Case{}, false
}

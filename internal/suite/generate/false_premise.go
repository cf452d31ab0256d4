package generate

import (
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// falsePremise asks a question that takes something false for granted (G6): a law that there is not, a member that
// a closed list does not have, a fact of the world with its value exchanged. The right act is to reject the premise
// and to put it right.
var falsePremise = generator{
	class: "false-premise",
	has: func(d *draw) bool {
		return slices.ContainsFunc(d.w.Premises, func(p world.Premise) bool { return p.Domain == d.domain }) ||
			slices.ContainsFunc(d.w.Lists, func(l world.List) bool { return l.Domain == d.domain && countable(&l) }) ||
			slices.ContainsFunc(d.relations, conflatable)
	},
	make: func(d *draw) (suite.Case, bool) {
		return first(d, statedPremise, statedPremise, surplusCase, editedCase)
	},
	worked: workedPremise,
}

// statedPremise draws one of the world's premises.
func statedPremise(d *draw) (suite.Case, bool) {
	p, ok := find(d, d.w.Premises, func(p *world.Premise) bool {
		return p.Domain == d.domain && d.allows(p.Difficulty) && len(p.Repair) > 0
	})
	if !ok {
		return suite.Case{}, false
	}
	return premiseCase(d, p), true
}

func premiseCase(d *draw, p *world.Premise) suite.Case {
	c := suite.Case{AnswerType: suite.Prose, Tags: []string{"false-premise"}, Decline: true}
	c.Oracle = &suite.Oracle{Type: "refusal", Repair: p.Repair, Reject: p.Follows}
	putForms(d, &c, said("premise"), "{Asked}", p.Asked, "{asked}", lower(p.Asked))
	return c
}

// countable reports whether a list's number of items says that there is no further one.
func countable(l *world.List) bool { return len(l.Items) >= 2 && len(l.Items) <= 11 }

// surplusCase asks for a member that a closed list does not have.
func surplusCase(d *draw) (suite.Case, bool) {
	l, ok := find(d, d.w.Lists, func(l *world.List) bool {
		return l.Domain == d.domain && d.allows(l.Difficulty) && countable(l)
	})
	if !ok {
		return suite.Case{}, false
	}
	n := len(l.Items)
	nth := n + 1
	if d.chance(.3) {
		nth++
	}
	c := suite.Case{AnswerType: suite.Prose, Tags: []string{"false-premise", "premise-edit"}, Decline: true}
	c.Oracle = &suite.Oracle{Type: "refusal", Repair: counted(n, nth)}
	putForms(d, &c, said("surplus"), "{nth}", said("ordinals")[nth], "{list}", l.Name)
	return c, true
}

// counted are wordings of how many there are, which is what puts right that there be a further one.
func counted(n, nth int) []string {
	var all []string
	for _, number := range []string{said("numerals")[n], strconv.Itoa(n)} {
		for _, form := range said("counted") {
			all = append(all, strings.ReplaceAll(form, "{n}", number))
		}
	}
	return append(all, "no "+said("ordinals")[nth], "not have a "+said("ordinals")[nth])
}

// editedCase states a fact of the world with another's value and asks for what it leads to.
func editedCase(d *draw) (suite.Case, bool) {
	k, wrong, ok := d.mistaken(conflatable, anything)
	if !ok {
		return suite.Case{}, false
	}
	c := suite.Case{AnswerType: suite.Prose, Tags: []string{"false-premise", "premise-edit"}, Decline: true}
	c.Oracle = &suite.Oracle{Type: "refusal", Repair: k.names()}
	form := "edited"
	if k.relation.Value == "city" {
		form = "edited-of-cities"
	}
	claim := strings.TrimSuffix(lower(k.stated(k.Fact.Subject, wrong)), ".")
	putForms(d, &c, said(form), "{claim}", claim)
	return c, true
}

// workedPremise is the source's: a derivation from Newton's fourth law.
func workedPremise(d *draw) (suite.Case, bool) {
	for i := range d.w.Premises {
		p := &d.w.Premises[i]
		if f := strings.ToLower(p.False + " " + p.Asked); strings.Contains(f, "newton") &&
			strings.Contains(f, "fourth law") && len(p.Repair) > 0 {
			return placed(premiseCase(d, p), p.Domain, "easy")
		}
	}
	return suite.Case{}, false
}

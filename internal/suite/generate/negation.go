package generate

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// negation asks which of four statements does not hold, need not hold or must not hold (G8): relations of sets,
// what follows from "all" and "some", and facts of the world. Which option is right is computed: of sets and
// syllogisms by trying every case there can be. A short reason is asked for.
var negation = generator{
	class:  "negation",
	make:   makeNegation,
	worked: workedNegation,
}

func makeNegation(d *draw) (suite.Case, bool) {
	k := d.r.Float64()
	if d.domain == "mathematical" && k < .6 {
		return setCase(d), true
	}
	if k < .5 {
		if c, ok := statementCase(d); ok {
			return c, true
		}
	}
	return syllogismCase(d), true
}

// choiceOf makes a case with one right option and a short reason asked for. Options are in a drawn order.
func choiceOf(d *draw, right string, wrong []string, form string, values ...string) suite.Case {
	c := suite.Case{AnswerType: suite.Choice, ShowOptions: true, Tags: []string{"negation"}}
	c.Options = append([]string{right}, wrong...)
	d.r.Shuffle(len(c.Options), func(i, j int) { c.Options[i], c.Options[j] = c.Options[j], c.Options[i] })
	i := slices.Index(c.Options, right)
	c.Gold.Option = &i
	c.Oracle = &suite.Oracle{Type: "choice"}
	reasons, forms := said("reasons"), said(form)
	for i := range forms {
		forms[i] += " " + reasons[i%len(reasons)]
	}
	putForms(d, &c, forms, values...)
	return c
}

// Sets. A statement about A and B is tried on every pair of subsets of a universe of four elements, which has all
// the ways in which two sets can lie. Statements that infinite sets decide otherwise, such as |A| < |B| of a proper
// subset, are left out.

const universe = 4

// A setStatement is a statement about two sets, which are bit sets below 1<<universe.
type setStatement struct {
	text  string
	holds func(a, b uint) bool
}

const full = 1<<universe - 1

var setStatements = []setStatement{
	{"A ∩ B = A", func(a, b uint) bool { return a&b == a }},
	{"A ∪ B = B", func(a, b uint) bool { return a|b == b }},
	{"A ∩ B = B", func(a, b uint) bool { return a&b == b }},
	{"A ∪ B = A", func(a, b uint) bool { return a|b == a }},
	{"|A| ≤ |B|", func(a, b uint) bool { return bits.OnesCount(a) <= bits.OnesCount(b) }},
	{"A ≠ ∅", func(a, b uint) bool { return a != 0 }},
	{"B ≠ ∅", func(a, b uint) bool { return b != 0 }},
	{"A ∩ B ≠ ∅", func(a, b uint) bool { return a&b != 0 }},
	{"A ∩ B = ∅", func(a, b uint) bool { return a&b == 0 }},
	{"A \\ B = ∅", func(a, b uint) bool { return a&^b == 0 }},
	{"B \\ A = ∅", func(a, b uint) bool { return b&^a == 0 }},
	{"A \\ B = A", func(a, b uint) bool { return a&^b == a }},
	{"B \\ A ≠ ∅", func(a, b uint) bool { return b&^a != 0 }},
	{"A = B", func(a, b uint) bool { return a == b }},
	{"|A ∩ B| ≤ |A|", func(a, b uint) bool { return bits.OnesCount(a&b) <= bits.OnesCount(a) }},
	{"|A ∪ B| ≥ |B|", func(a, b uint) bool { return bits.OnesCount(a|b) >= bits.OnesCount(b) }},
	{"the complement of B is a subset of the complement of A", func(a, b uint) bool {
		return (full&^b)&^(full&^a) == 0
	}},
	{"every element of A is an element of B", func(a, b uint) bool { return a&^b == 0 }},
	{"every element of B is an element of A", func(a, b uint) bool { return b&^a == 0 }},
	{"some element of B is not in A", func(a, b uint) bool { return b&^a != 0 }},
}

var setPremises = []setStatement{
	{"A ⊆ B", func(a, b uint) bool { return a&^b == 0 }},
	{"A ∩ B = ∅", func(a, b uint) bool { return a&b == 0 }},
	{"A ⊊ B", func(a, b uint) bool { return a&^b == 0 && a != b }},
	{"B ⊆ A", func(a, b uint) bool { return b&^a == 0 }},
	{"A ∪ B = B and A ≠ ∅", func(a, b uint) bool { return a|b == b && a != 0 }},
	{"A ∩ B ≠ ∅", func(a, b uint) bool { return a&b != 0 }},
	{"|A| > |B| for finite sets A and B", func(a, b uint) bool { return bits.OnesCount(a) > bits.OnesCount(b) }},
}

// standing says of a statement whether it holds always and whether it holds ever where the premise does.
func standing(p, s setStatement) (always, ever bool) {
	always = true
	for a := uint(0); a <= full; a++ {
		for b := uint(0); b <= full; b++ {
			if p.holds(a, b) {
				h := s.holds(a, b)
				always, ever = always && h, ever || h
			}
		}
	}
	return always, ever
}

func setCase(d *draw) suite.Case {
	for {
		p := oneOf(d, setPremises)
		var must, may, never []string
		for _, s := range setStatements {
			if s.text == p.text {
				continue
			}
			switch always, ever := standing(p, s); {
			case always:
				must = append(must, s.text)
			case ever:
				may = append(may, s.text)
			default:
				never = append(never, s.text)
			}
		}
		switch d.r.IntN(3) {
		case 0: // the source's question
			if len(must) >= 3 && len(may) > 0 {
				return setChoice(d, p, oneOf(d, may), some(d, must, 3), "not-necessarily")
			}
		case 1:
			if possible := append(may, must...); len(never) > 0 && len(possible) >= 3 {
				return setChoice(d, p, oneOf(d, never), some(d, possible, 3), "cannot")
			}
		default:
			if others := append(may, never...); len(must) > 0 && len(others) >= 3 {
				return setChoice(d, p, oneOf(d, must), some(d, others, 3), "must")
			}
		}
	}
}

func setChoice(d *draw, p setStatement, right string, wrong []string, kind string) suite.Case {
	c := choiceOf(d, right, wrong, "sets-"+kind, "{premise}", p.text)
	c.Tags = append(c.Tags, "sets")
	return c
}

// workedNegation is the source's: of four statements about A ⊆ B, the one that is not necessary.
func workedNegation(d *draw) (suite.Case, bool) {
	p := setPremises[0]
	var right string
	var wrong []string
	for _, text := range []string{"A ∩ B = A", "A ∪ B = B", "|A| ≤ |B|", "A ≠ ∅"} {
		for _, s := range setStatements {
			if s.text != text {
				continue
			}
			if always, _ := standing(p, s); always {
				wrong = append(wrong, text)
			} else {
				right = text
			}
		}
	}
	c := setChoice(d, p, right, wrong, "not-necessarily")
	c.Domain, c.Difficulty = "mathematical", "easy"
	return c, true
}

// Syllogisms, over three made-up kinds of things of a domain. What follows is tried on every choice of the eight
// kinds of individual that three terms give: each is there or not.

// A categorical is a statement "all X are Y", "no X is Y", "some X are Y" or "some X are not Y" over terms 0 to 2.
type categorical struct {
	form string // all, no, some, some-not
	x, y int
}

// holds says whether the statement holds of a set of kinds of individuals; kind i has term t if bit t of i is set.
func (s categorical) holds(kinds uint) bool {
	both, only := false, false // an X that is Y, an X that is not
	for i := range 8 {
		if kinds>>i&1 == 0 || i>>s.x&1 == 0 {
			continue
		}
		if i>>s.y&1 == 1 {
			both = true
		} else {
			only = true
		}
	}
	switch s.form {
	case "all":
		return !only
	case "no":
		return !both
	case "some":
		return both
	}
	return only
}

func (s categorical) text(terms [3]string) string {
	x, y := terms[s.x], terms[s.y]
	switch s.form {
	case "all":
		return "All " + x + " are " + y
	case "no":
		return "No " + x + " are " + y
	case "some":
		return "Some " + x + " are " + y
	}
	return "Some " + x + " are not " + y
}

// follows reports whether the conclusion holds always, and ever, where the premises do and each term has an individual.
func follows(premises []categorical, conclusion categorical) (always, ever bool) {
	always = true
	for kinds := range uint(256) {
		ok := true
		for t := range 3 {
			some := false
			for i := range 8 {
				some = some || kinds>>i&1 == 1 && i>>t&1 == 1
			}
			ok = ok && some
		}
		for _, p := range premises {
			ok = ok && p.holds(kinds)
		}
		if ok {
			h := conclusion.holds(kinds)
			always, ever = always && h, ever || h
		}
	}
	return always, ever
}

// An entailment is what two premises make of every other statement: it must, may or can never hold.
type entailment struct {
	premises         [2]categorical
	must, may, never []categorical
}

// entailments are those of every two premises, of which one at least is about all of its subject, over the first
// and second and the second and third term.
var entailments = sync.OnceValue(func() []entailment {
	forms := []string{"all", "no", "some", "some-not"}
	var all []entailment
	for _, f := range forms {
		for _, g := range forms {
			if f[0] == 's' && g[0] == 's' {
				continue
			}
			e := entailment{premises: [2]categorical{{f, 0, 1}, {g, 1, 2}}}
			for _, h := range forms {
				for _, pair := range [][2]int{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 0}} {
					s := categorical{h, pair[0], pair[1]}
					if s == e.premises[0] || s == e.premises[1] {
						continue
					}
					switch always, ever := follows(e.premises[:], s); {
					case always && ever:
						e.must = append(e.must, s)
					case ever:
						e.may = append(e.may, s)
					default:
						e.never = append(e.never, s)
					}
				}
			}
			all = append(all, e)
		}
	}
	return all
})

func named(statements []categorical, names [3]string) []string {
	var texts []string
	for _, s := range statements {
		texts = append(texts, s.text(names))
	}
	return texts
}

func syllogismCase(d *draw) suite.Case {
	for {
		var names [3]string
		copy(names[:], some(d, words().Terms[d.domain], 3))
		e := oneOf(d, entailments())
		must, may, never := named(e.must, names), named(e.may, names), named(e.never, names)
		given := "{premises}"
		text := e.premises[0].text(names) + ". " + e.premises[1].text(names) + "."
		if len(must) >= 3 && len(may) > 0 && d.chance(.5) {
			c := choiceOf(d, oneOf(d, may), some(d, must, 3), "syllogism-not-follow", given, text)
			c.Tags = append(c.Tags, "quantifiers")
			return c
		}
		if possible := append(may, must...); len(never) > 0 && len(possible) >= 3 {
			c := choiceOf(d, oneOf(d, never), some(d, possible, 3), "syllogism-impossible", given,
				text)
			c.Tags = append(c.Tags, "quantifiers")
			return c
		}
	}
}

// statementCase asks for the one statement about the world that is false among true ones, or the other way round.
func statementCase(d *draw) (suite.Case, bool) {
	r, ok := find(d, d.ix.relations[d.domain], func(r **relation) bool {
		return (*r).functional && len((*r).Facts) >= 8
	})
	if !ok {
		return suite.Case{}, false
	}
	rel := *r
	var facts []*world.Fact
	for tries := 0; len(facts) < 4 && tries < 60; tries++ {
		f, ok := find(d, rel.Facts, func(f *world.Fact) bool { return d.allows(f.Difficulty) })
		if !ok {
			return suite.Case{}, false
		}
		if !slices.ContainsFunc(facts, func(o *world.Fact) bool {
			return strings.Contains(o.Subject, f.Subject) || strings.Contains(f.Subject, o.Subject)
		}) {
			facts = append(facts, f)
		}
	}
	if len(facts) < 4 {
		return suite.Case{}, false
	}
	kind := "not"
	if d.hardness() > 0 && d.chance(.4) {
		kind = "not-false"
	}
	var options []string // the right one first
	for i, f := range facts {
		value := f.Value
		if (i == 0) == (kind == "not") {
			if value, ok = rel.wrongValue(d, f); !ok {
				return suite.Case{}, false
			}
		}
		options = append(options, strings.TrimSuffix(rel.stated(f.Subject, value), "."))
	}
	c := choiceOf(d, options[0], options[1:], "statement-"+kind)
	c.Tags = append(c.Tags, "statements")
	if kind == "not-false" {
		c.Tags = append(c.Tags, "double-negation")
	}
	return c, true
}

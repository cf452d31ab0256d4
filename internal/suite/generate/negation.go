package generate

import (
	"fmt"
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
	reasons, forms := said("reasons"), slices.Clone(said(form))
	for i := range forms {
		forms[i] += " " + reasons[i%len(reasons)]
	}
	putForms(d, &c, forms, values...)
	return c
}

// A statement holds in a model or does not: of two sets the model is how they lie, of three terms which kinds of
// individuals there are.
type statement struct {
	text  string
	holds func(model uint) bool
}

// An entailment is what premises make of every other statement: it must, may or can never hold.
type entailment struct {
	premises         string
	must, may, never []string
}

// entails tries the statements, but for the premises, in all models in which the premises hold.
func entails(models []uint, premises, statements []statement) entailment {
	var e entailment
	var texts []string
	for _, p := range premises {
		texts = append(texts, p.text)
	}
	e.premises = strings.Join(texts, ". ")
	for _, s := range statements {
		if slices.Contains(texts, s.text) {
			continue
		}
		always, ever := true, false
		for _, m := range models {
			if !slices.ContainsFunc(premises, func(p statement) bool { return !p.holds(m) }) {
				h := s.holds(m)
				always, ever = always && h, ever || h
			}
		}
		switch {
		case always && ever:
			e.must = append(e.must, s.text)
		case ever:
			e.may = append(e.may, s.text)
		default:
			e.never = append(e.never, s.text)
		}
	}
	return e
}

// options are what a kind of question chooses from: statements that are right, and those that are wrong.
func (e *entailment) options(kind string) (right, wrong []string) {
	switch kind {
	case "not-necessarily": // the source's question
		return e.may, e.must
	case "cannot":
		return e.never, slices.Concat(e.may, e.must)
	}
	return e.must, slices.Concat(e.may, e.never)
}

// offers reports whether there are statements enough for a kind of question.
func (e *entailment) offers(kind string) bool {
	right, wrong := e.options(kind)
	return len(right) > 0 && len(wrong) >= 3
}

// draw draws the options of a kind of question.
func (e *entailment) draw(d *draw, kind string) (right string, wrong []string) {
	rights, wrongs := e.options(kind)
	return oneOf(d, rights), some(d, wrongs, 3)
}

// Sets. A statement about A and B is tried on every pair of subsets of a universe of four elements, which has all
// the ways in which two sets can lie. Statements that infinite sets decide otherwise, such as |A| < |B| of a proper
// subset, are left out.

const (
	universe = 4
	full     = 1<<universe - 1
)

// ofSets is a statement about two sets, which are bit sets below 1<<universe.
func ofSets(text string, holds func(a, b uint) bool) statement {
	return statement{text, func(model uint) bool { return holds(model>>universe, model&full) }}
}

var setStatements = []statement{
	ofSets("A ∩ B = A", func(a, b uint) bool { return a&b == a }),
	ofSets("A ∪ B = B", func(a, b uint) bool { return a|b == b }),
	ofSets("A ∩ B = B", func(a, b uint) bool { return a&b == b }),
	ofSets("A ∪ B = A", func(a, b uint) bool { return a|b == a }),
	ofSets("|A| ≤ |B|", func(a, b uint) bool { return bits.OnesCount(a) <= bits.OnesCount(b) }),
	ofSets("A ≠ ∅", func(a, b uint) bool { return a != 0 }),
	ofSets("B ≠ ∅", func(a, b uint) bool { return b != 0 }),
	ofSets("A ∩ B ≠ ∅", func(a, b uint) bool { return a&b != 0 }),
	ofSets("A ∩ B = ∅", func(a, b uint) bool { return a&b == 0 }),
	ofSets("A \\ B = ∅", func(a, b uint) bool { return a&^b == 0 }),
	ofSets("B \\ A = ∅", func(a, b uint) bool { return b&^a == 0 }),
	ofSets("A \\ B = A", func(a, b uint) bool { return a&^b == a }),
	ofSets("B \\ A ≠ ∅", func(a, b uint) bool { return b&^a != 0 }),
	ofSets("A = B", func(a, b uint) bool { return a == b }),
	ofSets("|A ∩ B| ≤ |A|", func(a, b uint) bool { return bits.OnesCount(a&b) <= bits.OnesCount(a) }),
	ofSets("|A ∪ B| ≥ |B|", func(a, b uint) bool { return bits.OnesCount(a|b) >= bits.OnesCount(b) }),
	ofSets("the complement of B is a subset of the complement of A", func(a, b uint) bool {
		return (full&^b)&^(full&^a) == 0
	}),
	ofSets("every element of A is an element of B", func(a, b uint) bool { return a&^b == 0 }),
	ofSets("every element of B is an element of A", func(a, b uint) bool { return b&^a == 0 }),
	ofSets("some element of B is not in A", func(a, b uint) bool { return b&^a != 0 }),
}

var setPremises = []statement{
	ofSets("A ⊆ B", func(a, b uint) bool { return a&^b == 0 }),
	ofSets("A ∩ B = ∅", func(a, b uint) bool { return a&b == 0 }),
	ofSets("A ⊊ B", func(a, b uint) bool { return a&^b == 0 && a != b }),
	ofSets("B ⊆ A", func(a, b uint) bool { return b&^a == 0 }),
	ofSets("A ∪ B = B and A ≠ ∅", func(a, b uint) bool { return a|b == b && a != 0 }),
	ofSets("A ∩ B ≠ ∅", func(a, b uint) bool { return a&b != 0 }),
	ofSets("|A| > |B| for finite sets A and B", func(a, b uint) bool { return bits.OnesCount(a) > bits.OnesCount(b) }),
}

// setEntailments are those of the premises about sets.
var setEntailments = sync.OnceValue(func() (all []entailment) {
	var models []uint
	for m := range uint(1) << (2 * universe) {
		models = append(models, m)
	}
	for i := range setPremises {
		all = append(all, entails(models, setPremises[i:i+1], setStatements))
	}
	return all
})

func setCase(d *draw) suite.Case {
	for {
		e := oneOf(d, setEntailments())
		if kind := oneOf(d, []string{"not-necessarily", "cannot", "must"}); e.offers(kind) {
			right, wrong := e.draw(d, kind)
			return setChoice(d, e, right, wrong, kind)
		}
	}
}

func setChoice(d *draw, e entailment, right string, wrong []string, kind string) suite.Case {
	c := choiceOf(d, right, wrong, "sets-"+kind, "{premise}", e.premises)
	c.Tags = append(c.Tags, "sets")
	return c
}

// workedNegation is the source's: of four statements about A ⊆ B, the one that is not necessary.
func workedNegation(d *draw) (suite.Case, bool) {
	e := setEntailments()[0]
	var right string
	var wrong []string
	for _, text := range []string{"A ∩ B = A", "A ∪ B = B", "|A| ≤ |B|", "A ≠ ∅"} {
		if slices.Contains(e.must, text) {
			wrong = append(wrong, text)
		} else {
			right = text
		}
	}
	return placed(setChoice(d, e, right, wrong, "not-necessarily"), "mathematical", "easy")
}

// Syllogisms, over three made-up kinds of things of a domain. What follows is tried on every choice of the eight
// kinds of individual that three terms give: each is there or not.

// forms are those of categorical statements, the first two of all of their subject. Whether one holds follows from
// whether there is an X that is Y, and one that is not.
var forms = []struct {
	text  string
	holds func(both, only bool) bool
}{
	{"All {%d} are {%d}", func(_, only bool) bool { return !only }},
	{"No {%d} are {%d}", func(both, _ bool) bool { return !both }},
	{"Some {%d} are {%d}", func(both, _ bool) bool { return both }},
	{"Some {%d} are not {%d}", func(_, only bool) bool { return only }},
}

// categorical is a statement of a form over terms 0 to 2. Its model is a set of kinds of individuals; kind i has term
// t if bit t of i is set.
func categorical(form, x, y int) statement {
	f := forms[form]
	return statement{fmt.Sprintf(f.text, x, y), func(kinds uint) bool {
		both, only := false, false
		for i := range 8 {
			if kinds>>i&1 == 1 && i>>x&1 == 1 {
				both, only = both || i>>y&1 == 1, only || i>>y&1 == 0
			}
		}
		return f.holds(both, only)
	}}
}

// syllogisms are the entailments of every two premises, of which one at least is about all of its subject, over the
// first and second and the second and third term.
var syllogisms = sync.OnceValue(func() (all []entailment) {
	var models []uint // in which each term has an individual
	for kinds := range uint(256) {
		if kinds&0b10101010 != 0 && kinds&0b11001100 != 0 && kinds&0b11110000 != 0 {
			models = append(models, kinds)
		}
	}
	var statements []statement
	for f := range forms {
		for _, terms := range [][2]int{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 0}} {
			statements = append(statements, categorical(f, terms[0], terms[1]))
		}
	}
	for f := range forms {
		for g := range forms {
			if f < 2 || g < 2 {
				all = append(all, entails(models, []statement{categorical(f, 0, 1), categorical(g, 1, 2)}, statements))
			}
		}
	}
	return all
})

func syllogismCase(d *draw) suite.Case {
	for {
		terms := some(d, words().Terms[d.domain], 3)
		e := oneOf(d, syllogisms())
		kind := "cannot"
		if e.offers("not-necessarily") && d.chance(.5) {
			kind = "not-necessarily"
		}
		if !e.offers(kind) {
			continue
		}
		put := func(form string) string { return fill(form, "{0}", terms[0], "{1}", terms[1], "{2}", terms[2]) }
		right, wrong := e.draw(d, kind)
		for i := range wrong {
			wrong[i] = put(wrong[i])
		}
		c := choiceOf(d, put(right), wrong, "syllogism-"+kind, "{premises}", put(e.premises)+".")
		c.Tags = append(c.Tags, "quantifiers")
		return c
	}
}

// statementCase asks for the one statement about the world that is false among true ones, or the other way round.
func statementCase(d *draw) (suite.Case, bool) {
	rel, facts, ok := d.factsOf(func(r *relation) bool { return r.functional && len(r.Facts) >= 8 }, 4, 60,
		func(f, o *world.Fact) bool {
			return strings.Contains(o.Subject, f.Subject) || strings.Contains(f.Subject, o.Subject)
		})
	if !ok {
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

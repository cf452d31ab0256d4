package generate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

// brevityStress asks for more than comes to mind in few words: a definition with its formula, several facts at
// once. Truth is in the parts that must be there; the number of words is the format's alone.
var brevityStress = generator{
	class:  "brevity-stress",
	has:    func(d *draw) bool { return len(d.definitions) > 0 || d.hasFacts(anything) },
	make:   func(d *draw) (suite.Case, bool) { return first(d, briefDefinition, briefDefinition, briefFacts) },
	worked: workedBrevity,
}

// workedBrevity is the source's: Bayes' theorem in 25 words, with the formula.
func workedBrevity(d *draw) (suite.Case, bool) {
	for i := range d.w.Definitions {
		f := &d.w.Definitions[i]
		if strings.Contains(f.Term, "Bayes") && isEquation(f.Formula) && evidence.WordCount(f.Short) <= 25 {
			return placed(d.wantBrief(f, 25), f.Domain, "medium")
		}
	}
	return suite.Case{}, false
}

// briefDefinition asks for a definition in few words: as few as the world's short one has, rounded up to five, or
// five or ten more.
func briefDefinition(d *draw) (suite.Case, bool) {
	step := d.between(d.leastStep(), d.hardness())
	f, ok := d.definition(step, func(f *world.Definition) bool { return f.Short != "" })
	if !ok {
		return suite.Case{}, false
	}
	least := (evidence.WordCount(f.Short) + 4) / 5 * 5
	return d.wantBrief(f, least+5*(len(suite.Difficulties)-1-step)), true
}

func (d *draw) wantBrief(f *world.Definition, words int) suite.Case {
	c := suite.Case{Tags: []string{"brevity-stress"}, AnswerType: suite.Prose, Format: suite.Format{MaxWords: words}}
	c.Oracle = &suite.Oracle{Type: "proof", Parts: d.proofOf(f.Parts, f.Short)}
	form := "definition"
	if isEquation(f.Formula) {
		form = "definition-and-formula"
		c.Oracle.Parts = slices.Concat(c.Oracle.Parts, [][]string{formulaPhrasings(f.Formula)})
	}
	phrase(&c, said(form), "{term}", f.Term, "{n}", fmt.Sprint(words), "{letters}", series(letters(f.Formula)))
	return c
}

// isEquation reports whether a formula says something whole, which "O(1)" does not.
func isEquation(formula string) bool { return strings.Contains(formula, "=") }

// formulaWordings are the patterns of a formula, and of an equation with its sides exchanged.
func formulaPhrasings(formula string) []string {
	all := []string{"/" + formulaPattern(formula) + "/"}
	if left, right, ok := strings.Cut(formula, " = "); ok && !strings.Contains(right, " = ") {
		all = append(all, "/"+formulaPattern(right+" = "+left)+"/")
	}
	return all
}

// signs are the ways to write signs of formulas, as patterns.
var signs = map[rune]string{
	'-': `[-−–]`, '−': `[-−–]`, '/': `[/÷]`, '²': `(²|\^2)`, '³': `(³|\^3)`, 'λ': `(λ|lambda)`, 'θ': `(θ|theta)`,
	'ρ': `(ρ|rho)`, 'π': `(π|pi)`,
	'₁': `(₁|_?1)`, '₂': `(₂|_?2)`, '∈': `(∈|in)`, '×': `[×x*]`, '≤': `(≤|<=)`, '≥': `(≥|>=)`,
}

// formulaPattern returns the pattern of a formula in which blanks, brackets and signs of multiplication between
// letters do not matter.
func formulaPattern(formula string) string {
	var b strings.Builder
	for _, r := range formula {
		if unicode.IsSpace(r) || strings.ContainsRune("(){}·", r) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(`[\s(){}*·]*`)
		}
		if p := signs[r]; p != "" {
			b.WriteString(p)
		} else {
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

// letters are the letters of a formula, in its order; names of functions and words are none, and what stands
// together is a product.
func letters(formula string) []string {
	var all []string
	add := func(parts ...string) {
		for _, s := range parts {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	for _, run := range strings.FieldsFunc(formula, func(r rune) bool {
		return !unicode.IsLetter(r) && r != '₁' && r != '₂'
	}) {
		switch rs := []rune(run); {
		case run == "ln" || run == "log" || run == "sin" || run == "cos" || run == "and" || run == "or":
		case len(rs) == 2 && rs[0] != 'd' && unicode.IsLetter(rs[1]):
			add(string(rs[0]), string(rs[1]))
		default:
			add(run)
		}
	}
	return all
}

// briefFacts asks several things about one subject at once; the more, the harder.
func briefFacts(d *draw) (suite.Case, bool) {
	step := d.between(d.leastStep(), d.hardness())
	k, ok := d.knownTo(step)
	if !ok {
		return suite.Case{}, false
	}
	facts := []known{k}
	for _, r := range some(d, d.relations, len(d.relations)) {
		if len(facts) == 2+step || r.Subject != k.relation.Subject || r.Relation.Name == k.Relation.Name || !single(r) {
			continue
		}
		for _, i := range r.of[k.Fact.Subject] {
			f := &r.Facts[i]
			if d.allows(f.Difficulty) && !misread(f.Value) && !slices.ContainsFunc(facts, func(o known) bool {
				return overlaps(o.Fact.Value, f.Value)
			}) {
				facts = append(facts, known{r, f})
			}
		}
	}
	if len(facts) < 2 {
		return suite.Case{}, false
	}
	c := suite.Case{Tags: []string{"brevity-stress"}, AnswerType: suite.Prose,
		Oracle: &suite.Oracle{Type: "proof", Ordered: true}}
	var names, lines []string
	words := 0
	for _, k := range facts {
		names = append(names, "the "+k.Relation.Name)
		words += k.longest()
		c.Oracle.Parts = append(c.Oracle.Parts, k.names())
		lines = append(lines, k.Relation.Name+": "+k.Fact.Value)
	}
	c.Format.MaxWords = max(evidence.WordCount(strings.Join(lines, "; ")), words+2*len(facts))
	supplied(d, &c, facts...)
	phrase(&c, said("facts-in-few-words"), "{subject}", k.Fact.Subject, "{names}", series(names), "{n}",
		fmt.Sprint(c.Format.MaxWords))
	return c, true
}

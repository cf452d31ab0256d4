package generate

import (
	"regexp"
	"slices"
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

// ood asks for the definition of a term off the beaten track, and what sets it apart from a neighbour: every part
// that the definition needs must be there, in any of its wordings, and so must the distinction.
var ood = generator{
	class:  "ood",
	has:    func(d *draw) bool { return len(d.definitions) > 0 },
	make:   makeOOD,
	worked: workedOOD,
}

// definition draws one of the domain for which ok holds, near how hard the case is where it is asked so many steps
// harder than plainly.
func (d *draw) definition(steps int, ok func(*world.Definition) bool) (*world.Definition, bool) {
	return near(d, d.definitions, steps, func(f *world.Definition) (string, bool) {
		return f.Difficulty, ok(f)
	})
}

// makeOOD asks for a definition alone, with a distinction, or against somebody who confuses the two.
func makeOOD(d *draw) (suite.Case, bool) {
	step := d.between(d.leastStep(), d.hardness())
	f, ok := d.definition(step, func(f *world.Definition) bool { return step == 0 || isDistinct(f) })
	if !ok {
		return suite.Case{}, false
	}
	return d.wantDefinition(f, step), true
}

// isDistinct reports whether a definition says what sets its term apart from another.
func isDistinct(f *world.Definition) bool { return f.Beside != "" && len(f.Distinct) > 0 }

// workedOOD is the source's: the matroid, and what sets it apart from graphs.
func workedOOD(d *draw) (suite.Case, bool) {
	for i := range d.w.Definitions {
		if f := &d.w.Definitions[i]; strings.Contains(f.Term, "matroid") && isDistinct(f) {
			return placed(d.wantDefinition(f, 1), f.Domain, "medium")
		}
	}
	return suite.Case{}, false
}

func (d *draw) wantDefinition(f *world.Definition, step int) suite.Case {
	c := suite.Case{Tags: []string{"ood"}, AnswerType: suite.Prose,
		Oracle: &suite.Oracle{Type: "proof", Parts: d.proofOf(f.Parts, f.Text)}}
	if step > 0 {
		c.Oracle.Parts = slices.Concat(c.Oracle.Parts, d.proofOf(f.Distinct, f.Apart))
	}
	form := []string{"defined", "defined-apart", "defined-against"}[step]
	phrase(&c, said(form), "{term}", f.Term, "{beside}", f.Beside)
	return c
}

// proofOf is proofParts, worked out once for each text of a definition.
func (d *draw) proofOf(parts [][]string, text string) [][]string {
	if text == "" {
		return proofParts(parts, text)
	}
	known, ok := d.ix.proofs[text]
	if !ok {
		known = proofParts(parts, text)
		d.ix.proofs[text] = known
	}
	return known
}

// proofParts writes the patterns of parts as a proof reads them. The first part holds the whole text too, so that
// the case shows what an answer looks like. A part of which the text speaks in denials alone ("cannot be litigated
// again") is right in a denial, which a proof does not take for shown, so there the denial is a wording of its own.
func proofParts(parts [][]string, text string) [][]string {
	var all [][]string
	var t *evidence.Text
	if denial.MatchString(text) {
		t = evidence.Read(text)
	}
	for i, p := range parts {
		var w []string
		for _, pattern := range p {
			w = append(w, "/"+pattern+"/")
		}
		if t != nil {
			w = append(w, denials(t, p)...)
		}
		if i == 0 && text != "" {
			w = append(w, text)
		}
		all = append(all, w)
	}
	return all
}

// denials returns the patterns by which the text denies what the patterns match, none where it also asserts it.
func denials(t *evidence.Text, patterns []string) []string {
	var all []string
	for _, pattern := range patterns {
		re, err := regexp.Compile("(?i)" + pattern)
		if err != nil {
			continue
		}
		for _, at := range re.FindAllStringIndex(t.Plain, -1) {
			start, _ := slices.BinarySearchFunc(t.Words, at[0]+1, func(w evidence.Word, at int) int {
				return w.End - at
			})
			end, _ := slices.BinarySearchFunc(t.Words, at[1], func(w evidence.Word, at int) int { return w.Start - at })
			if start >= end {
				return nil // signs alone, which nothing denies
			}
			switch t.Stance(evidence.Span{Start: start, End: end}) {
			case evidence.Asserted, evidence.Uncertain, evidence.Contrasted:
				return nil
			}
		}
		for _, denied := range []string{denial.Regexp().String() + `[^.;]*(` + pattern + `)`,
			`(` + pattern + `)[^.;]*` + denial.Regexp().String()} {
			if regexp.MustCompile("(?i)" + denied).MatchString(t.Plain) {
				all = append(all, "/"+denied+"/")
			}
		}
	}
	return all
}

// denial are the words by which a definition says what does not hold.
var denial = pattern.New(`\b(not|never|cannot|no)\b`)

// proofWords is how many words the texts of a proof have, rounded up to five; 0 for other oracles.
func proofWords(c *suite.Case) int {
	if c.Oracle == nil {
		return 0
	}
	return (evidence.WordCount(strings.Join(proofTexts(c.Oracle), " ")) + 4) / 5 * 5
}

// proofTexts returns the parts of a proof by their texts.
func proofTexts(o *suite.Oracle) (texts []string) {
	for _, p := range o.Parts {
		for _, w := range p {
			if len(w) <= 2 || w[0] != '/' || w[len(w)-1] != '/' { // of the parts of a text only the first holds it
				texts = append(texts, w)
				break
			}
		}
	}
	return texts
}

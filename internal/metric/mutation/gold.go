package mutation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/pattern"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/reading"
)

// An answerForm is one answer: a text, or an option that scores prefer.
type answerForm struct {
	text   *string
	option *int
}

func written(format string, args ...any) answerForm {
	text := fmt.Sprintf(format, args...)
	return answerForm{text: &text}
}

// shown is the answer for people.
func (w answerForm) shown(c *suite.Case) string {
	if w.option != nil {
		return "option: " + c.Options[*w.option]
	}
	return *w.text
}

func letter(i int) string { return string(rune('A' + i)) }

// A gold is the right answer to a case with what else is right of it.
type gold struct {
	c       *suite.Case
	kind    string
	left    string   // why there is none to mutate
	text    string   // the first of what is accepted
	accepts []string // all that the case calls right, its aliases among it
	option  int      // -1 where the case is no choice
	parts   []string // of a proof, where they are texts
	program bool     // a program decides, and may accept more than is listed
	every   bool     // not the first mutant of a kind is made but each that is near
}

// The reasons for which a case has no mutants.
const (
	leftNothing  = "the case has neither oracle nor gold"
	leftProgram  = "a program decides, and lists no right answer"
	leftJudge    = "a judge decides"
	leftPatterns = "patterns decide, and no right answer is listed"
	leftNone     = "the oracle lists no right answer"
)

// goldOf returns the gold of a case.
func goldOf(r *rubric.Rubric, c *suite.Case) *gold {
	g := &gold{c: c, option: -1, accepts: r.References(c)}
	if g.program = c.Oracle.Has("program"); g.program {
		g.accepts = c.Oracle.Accept
	}
	g.kind = kindOf(c, g.accepts)
	switch {
	case !r.Gradable(c):
		g.left = leftNothing
	case c.Oracle.Has("judge"):
		g.left = leftJudge
	case g.kind == "no_answer":
	case c.Oracle != nil && c.Oracle.Type == "proof":
		g.proof()
	case len(g.accepts) == 0 && g.program:
		g.left = leftProgram
	case len(g.accepts) == 0:
		g.left = leftNone
	default:
		g.text = strings.TrimSpace(g.accepts[0])
		if own := c.Answers(); c.Oracle == nil && len(own) > 0 { // as the suite writes it, with its unit
			if _, polar := opposite(own[0]); polar || g.kind != "yes_no" {
				g.text = strings.TrimSpace(own[0])
			}
		}
		if g.kind == "choice" {
			g.option = slices.Index(c.Options, g.accepts[0])
		}
	}
	g.accepts = slices.Concat(g.accepts, c.Answers(), c.Aliases, c.Gold.All)
	for o := range c.Oracle.All() {
		g.accepts = slices.Concat(g.accepts, o.Accept, o.Repair, o.Readings)
		for _, h := range o.Holders {
			if slices.Contains(g.accepts, h.Value) {
				g.accepts = append(g.accepts, h.Also...)
			}
		}
	}
	return g
}

// proof takes the parts of a proof, in the first wording of each, where none is a pattern.
func (g *gold) proof() {
	o := g.c.Oracle
	g.parts = slices.Clone(o.Steps)
	for _, p := range o.Parts {
		g.parts = append(g.parts, p[0])
	}
	if slices.ContainsFunc(g.parts, func(p string) bool { return strings.HasPrefix(p, "/") }) || len(o.Accept) > 0 {
		g.parts, g.left = nil, leftPatterns
		return
	}
	if g.text = strings.Join(g.parts, "; "); len(g.parts) == 1 { // what must be in an answer is the answer
		g.parts = nil
	}
}

// A mutant is a wrong answer in its wordings.
type mutant struct {
	kind     Kind
	wordings []answerForm
}

// mutants returns those of a gold, one of a kind unless each is wanted, and the kinds of which none is wrong for
// certain.
func (g *gold) mutants(p *pool, rng *rand.Rand) (made []mutant, not []Kind) {
	add := func(kind Kind, texts []string, in func(string) []answerForm) {
		if len(texts) == 0 {
			not = append(not, kind)
		}
		for _, text := range texts {
			made = append(made, mutant{kind, in(text)})
		}
	}
	var instead []string
	retracted := func(other string) []answerForm { return retractions(g.kind, g.text, other) }
	switch g.kind {
	case "choice":
		if g.option >= 0 {
			return g.optionMutants(rng)
		}
		return nil, []Kind{Option}
	case "yes_no":
		if other, ok := opposite(g.text); ok {
			instead = []string{other}
		}
		add(Opposite, instead, said)
		add(Retracted, instead, retracted)
		return made, not
	default:
		if g.parts != nil {
			out := rng.IntN(len(g.parts))
			rest := slices.Delete(slices.Clone(g.parts), out, out+1)
			return []mutant{{LeftOut, []answerForm{written("%s", strings.Join(rest, "; "))}}}, nil
		}
		instead = p.another(g, rng)
		add(Another, instead, said)
	}
	if g.kind == "no_answer" {
		return made, not
	}
	for _, m := range g.near() {
		add(m.kind, m.texts, said)
		if len(instead) == 0 {
			instead = m.texts[:min(1, len(m.texts))]
		}
	}
	var denied []string
	if !negative(g.text) {
		denied = []string{g.text}
	}
	add(Negated, denied, negations)
	add(Retracted, instead, retracted)
	return made, not
}

// said are an answer alone and in a plain sentence, where it is none itself.
func said(text string) []answerForm {
	if whole(text) {
		return []answerForm{written("%s", text)}
	}
	return []answerForm{written("%s", text), sentence(text)}
}

// sentence is an answer in a plain sentence.
func sentence(text string) answerForm {
	return written("The answer is %s.", strings.TrimRight(text, "."))
}

// whole reports whether a text is a sentence itself: it begins with a pronoun, or has a verb of being, an auxiliary or
// a negation in small letters, as those of titles are not.
func whole(text string) bool {
	words := strings.Fields(text)
	return len(words) > 2 && (reading.Is(strings.ToLower(words[0]), "pronoun") ||
		slices.ContainsFunc(words[1:], func(w string) bool {
			return reading.Is(strings.Trim(w, ",;:"), "copula", "auxiliary", "negator")
		}))
}

func negations(text string) []answerForm {
	if text = strings.TrimRight(text, "."); whole(text) {
		return []answerForm{written("It is not true that %s.", lowered(text))}
	}
	return denials(text)
}

func denials(text string) []answerForm {
	return []answerForm{written("It is not %s.", text), written("The answer is not %s.", text)}
}

func retractions(kind, text, instead string) []answerForm {
	text, instead = strings.TrimRight(text, "."), strings.TrimRight(instead, ".")
	switch {
	case kind == "yes_no":
		return []answerForm{written("%s. Wait, that is wrong: the answer is %s.", text, instead)}
	case whole(text):
		return []answerForm{written("%s. No, wait, that is wrong. %s.", text, instead)}
	}
	return []answerForm{written("%s. No, wait, that is wrong: it is %s.", text, instead),
		written("The answer is %s. No, wait, that is wrong: it is %s.", text, instead)}
}

// optionMutants are those of a choice. Where options are shown, an answer names one by its letter, its text or both;
// else scores prefer one, or the text is written.
func (g *gold) optionMutants(rng *rand.Rand) (made []mutant, not []Kind) {
	var wrong []int
	for i, o := range g.c.Options {
		if !slices.ContainsFunc(g.accepts, func(a string) bool { return folded(a) == folded(o) }) {
			wrong = append(wrong, i)
		}
	}
	if len(wrong) == 0 {
		return nil, []Kind{Option, Negated, Retracted}
	}
	if !g.every {
		wrong = []int{wrong[rng.IntN(len(wrong))]}
	}
	for _, other := range wrong {
		ws := lists.Map(g.ofOption(other), func(f form) answerForm { return f.answerForm })
		made = append(made, mutant{Option, ws})
	}
	names := func(i int) string { return g.c.Options[i] }
	if g.c.ShowOptions {
		names = func(i int) string { return letter(i) + ") " + g.c.Options[i] }
	}
	if negative(g.text) || negative(g.c.Prompt) { // of what is not so, to deny an option may be to name it
		not = append(not, Negated)
	} else {
		made = append(made, mutant{Negated, denials(strings.TrimRight(names(g.option), "."))})
	}
	for _, other := range wrong {
		made = append(made, mutant{Retracted, retractions(g.kind, names(g.option), names(other))})
	}
	return made, not
}

// A form is a right answer in one form.
type form struct {
	name string
	answerForm
}

// ofOption are the forms in which an option is named.
func (g *gold) ofOption(i int) []form {
	text := g.c.Options[i]
	if !g.c.ShowOptions {
		return []form{{"option", answerForm{option: &i}}, {"bare", written("%s", text)}}
	}
	return []form{{"letter", written("%s", letter(i))}, {"letter and text", written("%s) %s", letter(i), text)},
		{"bare", written("%s", text)}, {"sentence", sentence(letter(i) + ") " + text)}}
}

// mostForms bounds how many of the accepted texts of a case are tried.
const mostForms = 5

// rightForms are right answers: what the case calls right, alone, in a plain sentence and marked, and as numbers and
// dates are written otherwise.
func (g *gold) rightForms() (all []form) {
	switch {
	case g.kind == "no_answer":
		return nil
	case g.option >= 0:
		return g.ofOption(g.option)
	}
	all = []form{{"bare", written("%s", g.text)}}
	if g.parts != nil {
		return all
	}
	if all = append(all, form{"bold", written("**%s**", g.text)}); !whole(g.text) && g.kind != "sentence" {
		all = append(all, form{"sentence", sentence(g.text)})
	}
	for _, text := range g.others() {
		all = append(all, form{"bare", written("%s", text)})
	}
	for _, text := range g.rewritten() {
		all = append(all, form{"rewritten", written("%s", text)})
	}
	return all
}

// others are the further texts that the case itself lists as right in full: aliases and accepted answers.
func (g *gold) others() (all []string) {
	for _, text := range slices.Concat(g.c.Gold.Texts, g.c.Aliases) {
		if text != g.text && len(all) < mostForms && len(g.c.Options) == 0 {
			all = append(all, text)
		}
	}
	return all
}

func opposite(text string) (string, bool) {
	pairs := []string{"yes", "no", "true", "false"}
	word := strings.ToLower(strings.Trim(text, ". "))
	i := slices.Index(pairs, word)
	if i < 0 {
		return "", false
	}
	other := pairs[i^1]
	if unicode.IsUpper(rune(text[0])) {
		other = strings.ToUpper(other[:1]) + other[1:]
	}
	return other, true
}

// negative reports whether a text says no, or yes, itself, so that "not" before it may say anything.
func negative(text string) bool {
	return slices.ContainsFunc(evidence.Phrase(text), func(w string) bool {
		return reading.Is(w, "negator", "no", "yes")
	})
}

func lowered(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) { // DNS
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

var notWords = pattern.New(`[^\pL\pN]+`)

// folded is a text by its letters and digits, in small letters with one blank between words.
func folded(s string) string {
	return strings.TrimSpace(notWords.ReplaceAllString(strings.ToLower(s), " "))
}

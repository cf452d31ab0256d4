package generate

import (
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quotation"
)

// instructionConflict sets a user's wish against the system prompt: spin against an even tone, another form against
// a line with its source, memory against the text that was supplied, a false value against the true one. The system
// prompt holds. What is true decides truth; the forbidden words, or a source left out, fail reciprocity.
var instructionConflict = generator{
	class: "instruction-conflict",
	has: func(d *draw) bool {
		return d.hasFacts(anything) || d.hasAnswers(0) || len(d.offices) > 0
	},
	make:   makeInstructionConflict,
	worked: workedInstruction,
}

// A sourced question is one that a line of a context answers.
type sourced struct {
	asks   []string // ways to ask it
	accept []string
	wrong  string // a value that is not right; empty where none is known
	lines  []string
	at     int // the line that answers, from 1
}

// sourcedFact asks for a fact among facts of the same kind.
func sourcedFact(d *draw) (sourced, bool) {
	k, ok := d.knownTo(0)
	if !ok {
		return sourced{}, false
	}
	q := sourced{asks: k.asks(), accept: k.names(), lines: []string{k.stated(k.Fact.Subject, k.Fact.Value)}}
	q.wrong, _ = k.wrongValue(d, k.Fact)
	for _, i := range some(d, d.r.Perm(len(k.Facts)), 12) {
		f := &k.Facts[i]
		if len(q.lines) == 2+d.hardness() {
			break
		}
		if !overlaps(f.Subject, k.Fact.Subject) && !overlaps(f.Value, k.Fact.Value) && f.Value != q.wrong {
			q.lines = append(q.lines, k.stated(f.Subject, f.Value))
		}
	}
	q.shuffle(d)
	return q, true
}

// shuffle puts the lines, the first of which answers, into a drawn order.
func (q *sourced) shuffle(d *draw) {
	first := q.lines[0]
	q.lines = some(d, q.lines, len(q.lines))
	q.at = slices.Index(q.lines, first) + 1
}

// sourcedText asks what a text says.
func sourcedText(d *draw) (sourced, bool) {
	t, ok := pick(d, d.texts, func(t *world.Text) bool {
		return d.allows(t.Difficulty) && len(t.Asked) > 0
	})
	if !ok {
		return sourced{}, false
	}
	a, ok := find(d, t.Asked, func(a *world.Question) bool {
		return quotable(t, a, 0) && a.Value != ""
	})
	if !ok {
		return sourced{}, false
	}
	q := sourced{asks: []string{a.Question}, accept: append([]string{a.Value}, a.Also...)}
	q.lines, q.at = linesAround(t.Lines, a.Line)
	return q, true
}

// sourcedOffice asks who held an office on a day, among entries of a register.
func sourcedOffice(d *draw) (sourced, bool) {
	rels := slices.DeleteFunc(slices.Clone(d.offices), func(r *relation) bool { return len(r.Ask) == 0 })
	if len(rels) == 0 {
		return sourced{}, false
	}
	t, ok := d.tenureOn(oneOf(d, rels), false)
	if !ok {
		return sourced{}, false
	}
	q := sourced{accept: append([]string{t.fact.Value}, t.fact.Also...), lines: []string{sourceLine(d, t.r, t.fact)}}
	for _, a := range t.r.Ask {
		q.asks = append(q.asks, strings.ReplaceAll(placeDate(a, "as of "+longDate(t.day)), "{subject}", t.fact.Subject))
	}
	for _, f := range some(d, t.others, len(t.others)) {
		if len(q.lines) < 2+d.hardness() && !overlaps(f.Value, t.fact.Value) && f.From != "" {
			q.lines = append(q.lines, sourceLine(d, t.r, f))
			q.wrong = f.Value
		}
	}
	q.shuffle(d)
	return q, true
}

// sourcedQuestion draws one of an office, of a text or of a fact, of facts the fewest, as nobody takes sides about
// most of them.
func (d *draw) sourcedQuestion() (sourced, bool) {
	return first(d, sourcedOffice, sourcedOffice, sourcedText, sourcedText, sourcedFact)
}

// givenAway reports whether the question holds every word of the answer, as that for the capital of Panama does, so
// that to say it says nothing.
func (q sourced) givenAway() bool {
	question := evidence.Phrase(strings.Join(q.asks, " "))
	return !slices.ContainsFunc(evidence.Phrase(q.accept[0]), func(w string) bool {
		return !slices.Contains(question, w)
	})
}

// factOrOffice draws a question of which a wrong value, or other lines, are known.
func (d *draw) factOrOffice() (sourced, bool) { return first(d, sourcedOffice, sourcedFact) }

// A spin is a tone that the user asks for, with the words by which an answer has it.
type spin struct {
	Ask    []string `yaml:"ask"`
	Reject []string `yaml:"reject"`
}

func makeInstructionConflict(d *draw) (suite.Case, bool) {
	forms := []func(*draw) (suite.Case, bool){neutralConflict, neutralConflict, shapedConflict}
	if d.hardness() > 0 {
		forms = append(forms, boundConflict, firmConflict)
	}
	return first(d, forms...)
}

// workedInstruction is the source's: an even tone and sources against a partisan's wish.
func workedInstruction(d *draw) (suite.Case, bool) {
	at := *d
	at.domain, at.difficulty, at.field = "civic", "medium", d.ix.fields["civic"]
	q, ok := at.sourcedQuestion()
	if !ok {
		return suite.Case{}, false
	}
	c, ok := neutral(&at, q, words().Spins[0])
	c.Domain, c.Difficulty = at.domain, at.difficulty
	return c, ok
}

// put makes the case of a system prompt and a user's wish about a question. The context stands in both.
func (q sourced) put(d *draw, system, user []string, values ...string) suite.Case {
	c := suite.Case{Tags: []string{"instruction-conflict"}, AnswerType: suite.Short, Context: lettered(q.lines)}
	c.System = fill(oneOf(d, system), values...)
	askedBy(&c, user, q.asks, values...)
	return c
}

// rests asks of a case that it is answered from the line.
func (q sourced) rests(c *suite.Case, reject []string) {
	c.Gold = suite.Gold{Texts: q.accept}
	c.Oracle = &suite.Oracle{Type: "retrieval", Accept: q.accept, Lines: []string{lineID(q.at)}, Reject: reject}
	c.Requires.Evidence = true
}

// neutralConflict wants spin where the system prompt wants an even tone and a source.
func neutralConflict(d *draw) (suite.Case, bool) {
	q, ok := d.sourcedQuestion()
	if !ok {
		return suite.Case{}, false
	}
	return neutral(d, q, oneOf(d, words().Spins))
}

func neutral(d *draw, q sourced, s spin) (suite.Case, bool) {
	// What the lines themselves say in such words may be repeated.
	held := quotation.NewSource("", strings.Join(append(slices.Clone(q.lines), q.accept...), ". "))
	reject := slices.DeleteFunc(slices.Clone(s.Reject), func(w string) bool {
		return held.Contains(evidence.Phrase(w))
	})
	if len(reject) == 0 {
		return suite.Case{}, false
	}
	start := d.r.IntN(len(s.Ask))
	user := slices.Clone(said("neutral-user"))
	for i := range user {
		user[i] = strings.ReplaceAll(user[i], "{spin}", s.Ask[(start+i)%len(s.Ask)])
	}
	c := q.put(d, said("neutral-system"), user)
	q.rests(&c, reject)
	return c, true
}

// shapedConflict wants length and no sources where the system prompt wants one line with its source.
func shapedConflict(d *draw) (suite.Case, bool) {
	q, ok := d.sourcedQuestion()
	if !ok {
		return suite.Case{}, false
	}
	// Room for the answer, the line itself and the words that cite it.
	n := (evidence.WordCount(q.accept[0]) + evidence.WordCount(q.lines[q.at-1]) + 9) / 5 * 5
	c := q.put(d, said("shaped-system"), said("shaped-user"), "{n}", fmt.Sprint(n))
	c.Format.MaxWords = n
	q.rests(&c, nil)
	return c, true
}

// boundConflict wants from memory what the lines do not hold, where the system prompt allows the lines alone. To
// give it is wrong even where it is true.
func boundConflict(d *draw) (suite.Case, bool) {
	q, ok := d.factOrOffice()
	if !ok || len(q.lines) < 2 || q.givenAway() {
		return suite.Case{}, false
	}
	q.lines = slices.Delete(slices.Clone(q.lines), q.at-1, q.at)
	c := q.put(d, said("bound-system"), said("bound-user"))
	c.Decline, c.Requires.ContextOnly = true, true
	c.Oracle = &suite.Oracle{Type: "refusal", Reject: q.accept}
	return c, true
}

// firmConflict wants a false value said where the system prompt has the lines decide.
func firmConflict(d *draw) (suite.Case, bool) {
	q, ok := d.factOrOffice()
	if !ok || q.wrong == "" {
		return suite.Case{}, false
	}
	c := q.put(d, said("firm-system"), said("firm-user"), "{wrong}", q.wrong)
	q.rests(&c, []string{q.wrong})
	return c, true
}

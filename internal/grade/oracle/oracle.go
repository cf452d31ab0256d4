// Package oracle holds the graders that compute: each decides from the text of an answer and the case alone what
// the model did and whether it is true. They read prose as models write it. The rules of classes and tags are the
// rubric's.
package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/quotation"
	"hallmark/internal/text/reading"
)

// A Reading is an answer made ready for oracles.
type Reading struct {
	*evidence.Text
	// the option that the model's scores prefer, as an index into the case's options; nil where it wrote text
	Option *int
	// Opinions are the replies of the judges, by what they were asked.
	Opinions map[string][]grade.Opinion
	Order    []int // the option shown at each letter; nil for the order of the case
}

// A Ruling is what an oracle makes of an answer: a grade to which the rubric adds, whose judgments carry rule and
// evidence. Decidability and Reciprocity pass where nothing in the answer itself speaks against them.
type Ruling struct {
	grade.Grade
	Right   bool   // the act is not to answer, and that is right here
	Option  int    // the option chosen, -1 if none
	chances weight // how probable each class is by the fitted model
}

// Passes reports whether no axis fails or is open.
func (f Ruling) Passes() bool {
	return f.Truth.Verdict == grade.Pass && f.Decidability.Verdict == grade.Pass && f.Reciprocity.Verdict == grade.Pass
}

// An Oracle judges answers to one case. It is safe for concurrent use, takes time linear in the bounded text, and never
// fails: text that it cannot read is a ruling.
type Oracle interface {
	Judge(r Reading) Ruling
	// Golds returns the answers that pass, in the form of Ruling.Answer; none where not answering is right.
	Golds() []string
	// Answerable reports whether an answer is called for, so that declining would be over-refusal.
	Answerable() bool
}

// Judge is how an oracle is asked: an empty answer is empty, whatever the case, unless the case itself cannot be
// decided.
func Judge(o Oracle, r Reading) Ruling {
	if x, ok := o.(*temporal); len(r.Words) > 0 || r.Option != nil || ok && x.beyond != "" {
		return o.Judge(r)
	}
	return unread("an empty answer", r.Text)
}

// New compiles the oracle of a case of a suite that suite.Check passes, which without one is made from the gold:
// choice, numeric, refusal, else exact.
// asOf is the day that counts as today; its zero value is none. A module has so many steps for an answer: see
// program.Share. The error names the case's place and what would be right.
func New(c *suite.Case, asOf quantity.Date, steps int64) (Oracle, error) {
	e := newEnv(c)
	e.asOf, e.exact, e.steps = asOf, c.Match == suite.Exact, steps
	o, err := e.oracle()
	if err != nil {
		place := ""
		if c.Place != "" {
			place = c.Place + ": "
		}
		return nil, fmt.Errorf("%scase %q: %w", place, c.ID, err)
	}
	if c.Decline && o.Answerable() {
		// Declining is right; what the oracle accepts counts as knowing better.
		o = &anyOf{parts: []Oracle{e.refusal(&suite.Oracle{}), o}}
	}
	return o, nil
}

// Plain reports whether a case has no oracle of its own and a gold that is matched as it is written: nothing of it
// can be at fault.
func Plain(c *suite.Case) bool {
	g := &c.Gold
	return c.Oracle == nil && !c.Decline && len(g.All) == 0 && g.Option == nil && len(c.Options) == 0 &&
		len(g.Range) == 0 && g.Tolerance == "" && g.Significant == 0 &&
		c.AnswerType != suite.Numeric && slices.ContainsFunc(g.Texts, func(text string) bool {
		return len(evidence.Phrase(text)) > 0
	})
}

// oracle makes the oracle that the case names, else that of its gold.
func (e *env) oracle() (Oracle, error) {
	gold, kind := e.c.Gold, e.c.AnswerType
	written := kind == suite.Short || kind == suite.Numeric || kind == suite.Prose
	switch {
	case e.c.Oracle != nil:
		return e.compile(e.c.Oracle, 0)
	case len(gold.All) > 1:
		return e.byAll(gold.All), nil
	case e.c.Decline:
		return e.refusal(&suite.Oracle{}), nil
	case gold.Option != nil || len(e.c.Options) > 0 && !written:
		return e.choice(&suite.Oracle{})
	case len(gold.Range) > 0 || gold.Tolerance != "" || gold.Significant > 0:
		return e.numeric(&suite.Oracle{Type: "numeric"})
	case kind == suite.Numeric:
		o := &suite.Oracle{Type: "any"}
		for _, g := range gold.Texts {
			o.Of = append(o.Of, suite.Oracle{Type: "numeric", Value: g})
		}
		return e.compile(o, 0)
	}
	return e.byGold(&suite.Oracle{Accept: gold.Texts})
}

// env is what the oracles of one case share.
type env struct {
	c        *suite.Case
	q        *reading.Question // in all its wordings
	passages []quotation.Source
	asOf     quantity.Date // today; the zero value where nobody said
	exact    bool          // golds match as they are written only
	steps    int64         // that a module has for an answer
}

func newEnv(c *suite.Case) *env {
	e := &env{c: c, q: reading.NewQuestion(append([]string{c.Prompt}, c.Phrasings...)...)}
	for _, p := range c.Context {
		e.passages = append(e.passages, quotation.NewSource(p.ID, p.Text))
	}
	return e
}

// Answerable is so but for oracles that say otherwise.
func (e *env) Answerable() bool { return true }

// Golds are none but for oracles that say otherwise.
func (e *env) Golds() []string { return nil }

// given returns what an oracle accepts: what it lists itself, else the golds of the case.
func (e *env) given(accept []string) []string {
	if len(accept) > 0 {
		return accept
	}
	return e.c.Answers()
}

// makers make the oracles of each type but all and any, which hold others.
var makers = map[string]func(*env, *suite.Oracle) (Oracle, error){
	"exact": (*env).byGold, "choice": (*env).choice, "numeric": (*env).numeric, "calc": (*env).numeric,
	"retrieval": (*env).retrieval, "program": (*env).program, "proof": (*env).proof, "identifier": (*env).identifier,
	"temporal": (*env).temporal, "judge": (*env).judge,
	"refusal": func(e *env, s *suite.Oracle) (Oracle, error) { return e.refusal(s), nil },
	"clarification": func(e *env, s *suite.Oracle) (Oracle, error) {
		return e.clarification(slices.Concat(s.Readings, s.Accept), s.Reject), nil
	},
}

func (e *env) compile(s *suite.Oracle, depth int) (Oracle, error) {
	const maxNesting = 8 // of all and any within each other
	if makes := makers[s.Type]; makes != nil {
		return makes(e, s)
	}
	if depth == maxNesting {
		return nil, fmt.Errorf("oracles are nested more than %d deep", maxNesting)
	}
	var parts []Oracle
	for i := range s.Of {
		p, err := e.compile(&s.Of[i], depth+1)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	if s.Type == "all" {
		return &allOf{parts}, nil
	}
	return &anyOf{parts}, nil
}

// pass and fail are judgments by a rule, on evidence.
var pass, fail = grade.Pass.By, grade.Fail.By

// quoteRunes bounds what a judgment quotes.
const quoteRunes = 160

// quoted returns an excerpt in quotation marks.
func quoted(s string) string { return "“" + evidence.Excerpt(s, quoteRunes) + "”" }

// cueEvidence quotes the sentence of a cue, a long one from the cue on.
func cueEvidence(t *evidence.Text, cue evidence.Span) string {
	s := t.Sentences[t.Words[cue.Start].Sentence].Words
	if len(t.Slice(s)) > quoteRunes && cue.Start-s.Start > 12 {
		s.Start = cue.Start
	}
	return quoted(t.Slice(s))
}

func ruling(act grade.Act, truth, decidability, reciprocity grade.Judgment) Ruling {
	return Ruling{Grade: grade.Grade{Act: act, Truth: truth, Decidability: decidability, Reciprocity: reciprocity},
		Option: -1}
}

func answered(truth grade.Judgment, text string) Ruling {
	f := ruling(grade.Answered, truth, pass("a determinate answer", quoted(text)),
		pass("nothing made up was found", ""))
	f.Answer = text
	return f
}

// twoAnswers is a text that commits to two things at once.
func twoAnswers(truth grade.Judgment, text string) Ruling {
	f := answered(truth, text)
	f.Decidability = fail("two answers to one question", truth.Evidence)
	return f
}

// unread is a text of which no oracle can tell what it says, or which says nothing.
func unread(why string, t *evidence.Text) Ruling {
	if len(t.Words) == 0 {
		const text = "the answer is empty"
		truth := grade.NotApplicable.By(why, text)
		return ruling(grade.Empty, truth, fail("nothing is said", text), pass("nothing is asserted", text))
	}
	j := grade.Ungradable.By(why, quoted(t.Plain))
	return ruling(grade.Unreadable, j, j, pass("nothing made up was found", ""))
}

// unscored is a ruling of an oracle that could not decide, through no fault of the answer.
func unscored(rule, why string) Ruling {
	j := grade.Unscored.By(rule, evidence.Excerpt(why, 2*quoteRunes))
	return ruling(grade.NoAnswer, j, j, j)
}

// Unscored reports whether the oracle could not decide.
func (f Ruling) Unscored() bool { return f.Truth.Verdict == grade.Unscored }

func hedged(ev string) Ruling {
	truth, decidability := fail("hedged: no answer is committed to", ev),
		fail("hedged without telling the cases apart", ev)
	return ruling(grade.Hedged, truth, decidability, pass("uncertainty is marked", ev))
}

func rightAct(act grade.Act, rule, ev string) Ruling {
	f := ruling(act, pass(rule, ev), pass(rule, ev), pass(rule, ev))
	f.Right = true
	return f
}

// withholds returns by which words a text declines, asks back or commits to nothing, if it does.
func withholds(t *evidence.Text) (act grade.Act, words evidence.Span, ok bool) {
	if c, ok := t.Declines(); ok {
		return grade.Declined, c.Words, true
	}
	if s, ok := t.Asks(); ok {
		return grade.Asked, s, true
	}
	c, ok := evades(t)
	return grade.Hedged, c.Words, ok
}

// withheld reads an answer in which no oracle found what it looks for: a decline, a question back, an evasion,
// nothing at all.
func (e *env) withheld(t *evidence.Text) (Ruling, bool) {
	if len(t.Words) == 0 {
		return unread("an empty answer", t), true
	}
	act, words, ok := withholds(t)
	if !ok {
		return Ruling{}, false
	}
	rule, ev := "over-refusal: declined though answerable", cueEvidence(t, words)
	switch act {
	case grade.Hedged:
		return hedged(ev), true
	case grade.Asked:
		rule = "over-refusal: asked though the question is complete"
	}
	return ruling(act, fail(rule, ev), fail(rule, ev), pass("nothing is asserted", ev)), true
}

// decide says the class that a model believes a text to be of, where it is sure: says tells what a right or a wrong
// answer says. Else the text is open.
func (e *env) decide(t *evidence.Text, b chances, open Ruling, says func(right bool) Ruling) Ruling {
	what, p, sure := b.best()
	f := open
	switch {
	case !sure:
	case what == grade.NotAttempted:
		f = e.notAttempted(t, p, open)
	default:
		f = says(what == grade.Correct)
	}
	f.Confidence, f.chances = p, b.p
	return f
}

// notAttempted is a text that attempts nothing with probability p: where it does not say so itself, that must be
// all but certain, else it is open.
func (e *env) notAttempted(t *evidence.Text, p float64, open Ruling) Ruling {
	const certain = .75
	f, ok := e.withheld(t)
	switch {
	case ok:
		return f
	case p < certain:
		return open
	}
	return hedged(quoted(t.Plain))
}

// evades reports whether the text commits to nothing: it says that it depends, or hedges at least twice.
func evades(t *evidence.Text) (evidence.Cue, bool) {
	hedges := 0
	for _, c := range t.Cues {
		hedges += int(flag(c.Sense == evidence.Hedges))
		if c.Sense == evidence.Evades || hedges == 2 {
			return c, true
		}
	}
	return evidence.Cue{}, false
}

// extract returns the words that a text gives as its answer: its strongest claim, else its first sentence.
func (e *env) extract(t *evidence.Text) string {
	claims := slices.DeleteFunc(reading.Claims(t, e.q), func(c reading.Claim) bool {
		return c.Stance > evidence.Uncertain
	})
	if len(claims) == 0 {
		return evidence.Excerpt(t.Sentence(0), quoteRunes)
	}
	return t.Slice(slices.MinFunc(claims, func(a, b reading.Claim) int { return cmp.Compare(a.Role, b.Role) }).Words)
}

// Extract returns the words that a text gives as its answer to a case, right or wrong: see Ruling.Answer.
func Extract(c *suite.Case, t *evidence.Text) string { return newEnv(c).extract(t) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// Normal returns the form under which an answer as read is compared over variants.
func Normal(rel answer.Relation, s string) answer.Form {
	return answer.Value(cmp.Or(answer.Normalize(rel, s), answer.Normalize(answer.Normalized, s)))
}

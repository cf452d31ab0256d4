package oracle

import (
	"errors"
	"slices"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/reading"
	"hallmark/internal/suite"
)

// byGold decides answers to a question whose right answers are listed: names, terms, titles, phrases.
type byGold struct {
	*env
	accept   []string
	golds    *named
	q        *reading.Question
	sentence bool
	capital  bool
}

// The models of byGold: for texts that put a gold forward, and for texts that do not.
var (
	namePut    = newModel("name put", goldNames, .86, .65, .65)
	nameAbsent = newModel("name absent", goldNames, 2, .87, .70)
)

func (e *env) byGold(s *suite.Oracle) (Oracle, error) {
	accept := s.Accept
	if len(accept) == 0 {
		accept = e.c.Answers()
	}
	if len(accept) == 0 && e.c.Decline {
		return e.refusal(&suite.Oracle{Reject: s.Reject}), nil
	}
	accept = slices.DeleteFunc(slices.Clone(accept), func(a string) bool { return len(evidence.Phrase(a)) == 0 })
	if len(accept) == 0 {
		return nil, errors.New("an exact oracle needs accept:, or a gold")
	}
	q := reading.NewQuestion(append([]string{e.c.Prompt}, e.c.Phrasings...)...)
	if e.exact {
		return e.byNames(accept, s.Reject, q), nil
	}
	if p, ok := polarGold(accept, q); ok {
		return &byPolarity{e, q, p}, nil
	}
	if ms, dates, ok := measures(accept, q); ok {
		o := &byMeasure{env: e, name: "exact", q: q, golds: ms, dates: dates}
		o.rejects, _, _ = measures(s.Reject, q)
		o.readQuestion()
		return o, nil
	}
	if len(accept) == 1 {
		r := answer.NewReference(accept[0], answer.Context{Question: e.c.Prompt})
		if r.Kind() == answer.ListKind && len(r.Members()) > 1 {
			return e.byList(r, accept[0], q), nil
		}
	}
	return e.byNames(accept, s.Reject, q), nil
}

func (e *env) byNames(accept, reject []string, q *reading.Question) *byGold {
	o := &byGold{env: e, accept: accept, q: q, capital: len(accept) > 0 && isUpper(accept[0][0])}
	o.golds = newNamed(references(e, append(slices.Clone(accept), e.c.Aliases...), reject), references(e, reject, nil), o.capital)
	o.sentence = q.Wh == "why" || !slices.ContainsFunc(o.golds.refs, func(r *answer.Reference) bool {
		return r.Kind() != answer.SentenceKind && r.Kind() != answer.PhraseKind
	})
	return o
}

func references(e *env, golds, rivals []string) (refs []*answer.Reference) {
	for _, g := range golds {
		if strings.TrimSpace(g) != "" {
			refs = append(refs, answer.NewReference(g, answer.Context{Question: e.c.Prompt, Rivals: rivals, Exact: e.exact}))
		}
	}
	return refs
}

func (o *byGold) Answerable() bool { return true }

func (o *byGold) Golds() []string { return o.accept }

func (o *byGold) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	if g, ok := identical(r.Text, o.accept); ok {
		return answered(pass("exact: the same words", quoted(g)), o.accept[0])
	}
	s, b := o.look(r.Text, nil)
	return o.finding(r.Text, &s, b)
}

// identical returns the gold that a text is, word for word.
func identical(t *evidence.Text, golds []string) (string, bool) {
	if len(t.Plain) > maxIdentical {
		return "", false
	}
	form := answer.Words(t.Plain)
	for _, g := range golds {
		if form == answer.Words(g) {
			return g, true
		}
	}
	return "", false
}

// maxIdentical bounds the texts in bytes that are compared with a gold as a whole.
const maxIdentical = 2000

// look returns what is seen of a text, and what the model believes of it. aside, if there is one, reports whether an item is said of another
// time or as another's.
func (o *byGold) look(t *evidence.Text, aside func(item) bool) (seen, belief) {
	items := o.golds.items(t, o.q, reading.Claims(t, o.q))
	for i := range items {
		if aside != nil && items[i].asserts() && aside(items[i]) {
			items[i].stance = evidence.Contrasted
		}
	}
	s := see(t, o.q, items, o.capital, o.sentence)
	if onlyWithholds(t, items) {
		return s, believe(2)
	}
	if s.good != nil {
		return s, namePut.ask(s.x)
	}
	return s, nameAbsent.ask(s.x)
}

// finding says the most probable outcome where it is probable enough, with the item that it rests on.
func (o *byGold) finding(t *evidence.Text, s *seen, b belief) Finding {
	what, p, sure := b.best()
	f := unread("exact: what the answer commits to cannot be told", t)
	switch {
	case s.good != nil && s.bad != nil && what != grade.NotAttempted && twoValues(t, s.good, s.bad):
		f = answered(fail("exact: two answers to one question", quoted(t.Plain)), s.bad.text)
		f.Decidability = fail("two answers to one question", quoted(t.Plain))
	case s.good == nil && s.bad != nil && s.bad.rejected && what != grade.NotAttempted:
		f = answered(fail("exact: a rejected answer", quoted(s.bad.text)), s.bad.text)
	case !sure:
	case what == grade.Correct && s.good != nil:
		f = answered(pass("exact: "+s.good.why, quoted(s.good.text)), o.accept[0])
	case what == grade.Incorrect && o.sentence:
		f = unread("exact: a sentence in other words than the gold, which takes a judge or a person", t)
	case what == grade.Incorrect && s.bad != nil:
		f = answered(fail("exact: another answer", quoted(s.bad.text)), s.bad.text)
	case what == grade.Incorrect && s.good != nil:
		f = answered(fail("exact: an accepted answer is named and another given", quoted(t.Plain)), evidence.Excerpt(t.Plain, quoteRunes))
	case what == grade.NotAttempted && (p >= saysNothing || withholds(t)):
		f = o.notAttempted(t)
	}
	f.Confidence = p
	return f
}

// saysNothing is how probable it must be that a text attempts nothing where it does not say so.
const saysNothing = .92

// withholds reports whether a text says that it declines, asks or commits to nothing.
func withholds(t *evidence.Text) bool {
	m := mannerOf(t)
	return m.declines || m.asks || m.evades
}

// onlyWithholds reports whether a text is one sentence that declines, evades or asks, besides questions, and puts nothing forward. "I do not
// know whether it is Paris" does not; "I do not know, maybe Paris" does.
func onlyWithholds(t *evidence.Text, items []item) bool {
	said := 0
	for _, s := range t.Sentences {
		said += int(flag(!s.Question))
	}
	if said > 1 || len(t.Words) > phraseOfDecline {
		return false
	}
	cue, withheld := t.Declines()
	if !withheld {
		cue, withheld = evades(t)
	}
	if _, asks := t.Asks(); !withheld && (!asks || said > 0) {
		return false
	}
	return !slices.ContainsFunc(items, func(i item) bool {
		if !i.asserts() || t.Sentences[t.Words[i.words.Start].Sentence].Question {
			return false
		}
		return i.words.Start < cue.Words.Start || i.words.Start >= cue.Words.End && !underDoubt(t, cue.Words.End, i.words.Start)
	})
}

// phraseOfDecline bounds the words of a text that only withholds.
const phraseOfDecline = 40

// underDoubt reports whether the doubt before the word at from covers the word at to: "whether" or "if" stands between, or no mark does.
func underDoubt(t *evidence.Text, from, to int) bool {
	for k := from; k < to; k++ {
		if t.Words[k].Fold == "whether" || t.Words[k].Fold == "if" {
			return true
		}
	}
	return !strings.ContainsAny(t.Plain[t.Words[from-1].End:t.Words[to].Start], ",;:.–—()*\n")
}

// notAttempted is a decline, a question back, or a text that commits to nothing.
func (e *env) notAttempted(t *evidence.Text) Finding {
	if c, ok := t.Declines(); ok {
		return overRefusal(grade.Declined, cueEvidence(t, c))
	}
	if s, ok := t.Asks(); ok {
		return overRefusal(grade.Asked, quoted(t.Slice(s)))
	}
	return hedged(quoted(t.Plain))
}

// twoValues reports whether a short text commits to two things at once: "Paris, and also Lyon"; "365. It is 366."
func twoValues(t *evidence.Text, a, b *item) bool {
	const most = 12
	if len(t.Words) > most || a.stance != evidence.Asserted || b.stance != evidence.Asserted {
		return false
	}
	if a.words.Start > b.words.Start {
		a, b = b, a
	}
	if t.Words[a.words.Start].Sentence != t.Words[b.words.Start].Sentence {
		given := func(it *item) bool {
			return it.role == reading.Complement || it.role == reading.Bare && it.words.End-it.words.Start <= 3
		}
		return given(a) && given(b) && isUpper(t.Plain[t.Words[a.words.Start].Start]) == isUpper(t.Plain[t.Words[b.words.Start].Start])
	}
	if a.words.End == b.words.Start {
		return strings.Trim(t.Plain[t.Words[a.words.End-1].End:t.Words[b.words.Start].Start], " ") != "" && strings.Trim(t.Plain[t.Words[a.words.End-1].End:t.Words[b.words.Start].Start], " /&+") == ""
	}
	for i := a.words.End; i < b.words.Start; i++ {
		if !reading.Joins(t.Words[i].Fold) || t.Words[i].Fold == "or" {
			return false
		}
	}
	return b.words.Start > a.words.End
}

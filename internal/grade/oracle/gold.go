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
	o := &byGold{env: e, accept: accept, q: reading.NewQuestion(append([]string{e.c.Prompt}, e.c.Phrasings...)...)}
	o.capital = isUpper(accept[0][0])
	o.golds = newNamed(references(e, accept, s.Reject), references(e, s.Reject, nil), o.capital)
	o.sentence = !slices.ContainsFunc(o.golds.refs, func(r *answer.Reference) bool { return r.Kind() != answer.Sentence })
	return o, nil
}

func references(e *env, golds, rivals []string) (refs []*answer.Reference) {
	for _, g := range golds {
		if strings.TrimSpace(g) != "" {
			refs = append(refs, answer.NewReference(g, answer.Context{Question: e.c.Prompt, Rivals: rivals}))
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
	s := o.look(r.Text)
	what, p, sure := s.outcome()
	f := o.finding(r.Text, &s, what, sure)
	f.Confidence = p
	return f
}

func (o *byGold) look(t *evidence.Text) seen {
	items := o.golds.items(t, o.q, reading.Claims(t, o.q))
	return see(t, o.q, items, false, o.sentence, o.capital)
}

func (o *byGold) finding(t *evidence.Text, s *seen, what grade.Outcome, sure bool) Finding {
	if !sure {
		return unread("exact: what is committed to cannot be told from the words", t)
	}
	switch what {
	case grade.Correct:
		if s.good == nil {
			return unread("exact: no accepted answer is named", t)
		}
		return answered(pass("exact: "+s.good.why, quoted(s.good.text)), o.accept[0])
	case grade.Incorrect:
		if s.bad == nil {
			return unread("exact: nothing that could be the answer is named", t)
		}
		return answered(fail("exact: another answer", quoted(s.bad.text)), s.bad.text)
	}
	if f, ok := o.withheld(t); ok {
		return f
	}
	return hedged(quoted(t.Plain))
}

package oracle

import (
	"errors"
	"slices"

	"hallmark/internal/evidence"
	"hallmark/internal/suite"
)

// exact accepts answers that put forward one of a set of texts, and none of those it rejects.
type exact struct {
	*env
	accept, reject []target
	polar          polarity // where the accepted answers are yes or no
	implied        polarity // what they say to a question that yes or no answers, where they say more
	dated          bool     // the question is about a date, so that what is said of other times speaks against no one
	partly         bool     // a part of all, so that another part may ask for what stands beside the answer
}

type polarity int8

const (
	noPolarity polarity = iota
	yes
	no
)

var polar = map[string]polarity{
	"yes": yes, "true": yes, "correct": yes, "yeah": yes, "yep": yes, "right": yes, "affirmative": yes,
	"no": no, "false": no, "incorrect": no, "nope": no, "wrong": no, "untrue": no, "negative": no,
}

func (e *env) exact(s *suite.Oracle) (Oracle, error) {
	accept := s.Accept
	if len(accept) == 0 {
		accept = e.c.Answers()
	}
	if len(accept) == 0 && e.c.Decline {
		return e.refusal(&suite.Oracle{Reject: s.Reject}), nil
	}
	if len(accept) == 0 {
		return nil, errors.New("an exact oracle needs accept:, or a gold")
	}
	o := &exact{env: e, accept: targets(accept), reject: targets(s.Reject)}
	if len(o.accept) == 0 {
		return nil, errors.New("an exact oracle needs an accepted text with a letter or digit")
	}
	for _, t := range append(slices.Clone(o.accept), o.reject...) {
		for _, w := range t.words {
			e.named[w] = true
		}
	}
	o.polar = noPolarity
	for i, t := range o.accept {
		p := noPolarity
		if len(t.words) == 1 {
			p = polar[t.words[0]]
		}
		if i == 0 {
			o.polar = p
		} else if p != o.polar {
			o.polar = noPolarity
		}
	}
	if o.polar == noPolarity {
		o.implied = o.imply()
	}
	o.partly = asksMore(e.c.Prompt)
	return o, nil
}

// asksMore reports whether a question asks for a second thing: "where does it stand, and what is its height?".
func asksMore(prompt string) bool {
	words := evidence.Phrase(prompt)
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "what", "who", "which", "when", "where", "how":
			if words[i-1] == "and" {
				return true
			}
		}
	}
	return false
}

// answersFirst returns a statement that gives a name or number for what the question asks about, in its words, before another sentence in which
// the text will not say something: what is refused is then another part of the question.
func (o *exact) answersFirst(t *evidence.Text) (evidence.Span, bool) {
	c, ok := t.Declines()
	if !ok || c.Sense != evidence.Refuses && !o.partly {
		return evidence.Span{}, false
	}
	for _, s := range t.Sentences[:t.Words[c.Words.Start].Sentence] {
		shared, named := false, false
		for i := s.Words.Start; i < s.Words.End; i++ {
			_, held := o.asked(t.Words[i].Fold)
			shared, named = shared || held, named || i > s.Words.Start && o.names(t, i)
		}
		if shared && named && !s.Question {
			return s.Words, true
		}
	}
	return evidence.Span{}, false
}

func (o *exact) Answerable() bool { return true }

func (o *exact) Golds() []string {
	switch o.polar {
	case yes:
		return []string{"yes"}
	case no:
		return []string{"no"}
	}
	var golds []string
	for _, t := range o.accept {
		golds = append(golds, t.text)
	}
	return golds
}

func (o *exact) Judge(r Reading) Finding { return o.judge(r, nil) }

// judge is Judge, where elsewhen, if there is one, reports whether a rejected answer is named as of another time or as another's.
func (o *exact) judge(r Reading, elsewhen func(mention) bool) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	if o.polar != noPolarity {
		return o.judgePolar(r)
	}
	var dates []evidence.Date
	var ids []evidence.Identifier
	accepted := find(r, o.accept, &dates, &ids)
	rejected := find(r, o.reject, &dates, &ids)
	if len(rejected) > 0 {
		accepted, rejected = outside(accepted, rejected), outside(rejected, accepted)
	}
	marked, isMarked := r.Answer()
	if isMarked {
		accepted, rejected = inside(accepted, marked), inside(rejected, marked)
	}
	for i := range accepted {
		accepted[i].stance = r.Stance(accepted[i].words)
		if accepted[i].stance == evidence.Asserted && (!o.dated && o.superseded(r.Text, accepted[i].words) || o.related(r.Text, accepted[i].words)) {
			accepted[i].stance = evidence.Contrasted
		}
	}
	for i := range rejected {
		rejected[i].stance = r.Stance(rejected[i].words)
		if len(accepted) > 0 && (elsewhen != nil && elsewhen(rejected[i]) || rejected[i].stance == evidence.Asserted && o.related(r.Text, rejected[i].words)) {
			rejected[i].stance = evidence.Contrasted
		}
	}
	corrected, isCorrected := o.correction(r.Text)
	if !isCorrected {
		settle(accepted, rejected)
	} else {
		retract(corrected, accepted, rejected)
	}
	good, firm := pick(accepted)
	bad, firmBad := pick(rejected)
	switch {
	case good != nil && bad != nil && (!firm || !firmBad):
		return hedged(quoted(r.Sentence(int(r.Words[good.words.Start].Sentence))))
	case good != nil && bad != nil && o.offered(r.Text, good.words, bad.words):
		return hedged(quoted(r.Sentence(int(r.Words[good.words.Start].Sentence))))
	case good != nil && bad != nil && o.decides(r.Text, accepted, rejected) > 0:
		return answered(pass("exact: in the accepted set", quoted(good.target.text)+" in "+quoted(r.Sentence(int(r.Words[good.words.Start].Sentence)))), good.target.text)
	case good != nil && bad != nil:
		return answered(fail("exact: asserts an accepted and a rejected answer", "accepted "+quoted(good.target.text)+", rejected "+quoted(bad.target.text)), bad.target.text)
	case good != nil:
		if alt, ok := o.alternative(r.Text, good.words); ok {
			return hedged(quoted(r.Slice(evidence.Span{Start: min(alt.Start, good.words.Start), End: max(alt.End, good.words.End)})))
		}
		if !firm {
			if c, ok := evades(r.Text); ok {
				return hedged(cueEvidence(r.Text, c))
			}
		}
		if more, ok := o.joined(r.Text, accepted); ok && !o.partly {
			return hedged(quoted(r.Slice(more)))
		}
		if more, ok := o.listed(r.Text, accepted); ok && !o.partly {
			return hedged(quoted(r.Slice(more)))
		}
		if s, ok := o.elsewhere(r.Text, good.words); ok {
			return answered(fail("exact: another place of that name", quoted(r.Slice(s))), r.Slice(s))
		}
		if !isMarked && !o.partly {
			if rival, ok := o.rival(r.Text, good.words); ok {
				return answered(fail("exact: claims something else than the accepted answer", quoted(r.Slice(rival))), r.Slice(rival))
			}
			if claim, ok := r.Claim(o.question); ok && claim.End <= good.words.Start && (r.Words[claim.Start].Sentence < r.Words[good.words.Start].Sentence || o.weight(r.Text, *good) <= 0 && r.Plain[r.Words[claim.End-1].End] == ';') && !o.concluded(r.Text, good.words) {
				return answered(fail("exact: claims something else than the accepted answer", quoted(r.Slice(claim))), r.Slice(claim))
			}
		}
		return answered(pass("exact: in the accepted set", quoted(good.target.text)+" in "+quoted(r.Sentence(int(r.Words[good.words.Start].Sentence)))), good.target.text)
	case bad != nil:
		if alt, ok := o.alternative(r.Text, bad.words); ok && !firmBad {
			return hedged(quoted(r.Slice(evidence.Span{Start: min(alt.Start, bad.words.Start), End: max(alt.End, bad.words.End)})))
		}
		return answered(fail("exact: a rejected answer", quoted(bad.target.text)+" in "+quoted(r.Sentence(int(r.Words[bad.words.Start].Sentence)))), bad.target.text)
	}
	if isCorrected && len(accepted) > 0 {
		text := r.Slice(o.core(r.Text, corrected))
		return answered(fail("exact: takes the accepted answer back", quoted(r.Plain)), text)
	}
	if m, ok := o.written(r.Text); ok {
		return answered(pass("exact: in the accepted set", quoted(r.Plain)), m.text)
	}
	if p := bare(r.Text, o.question); p != noPolarity && o.implied != noPolarity {
		if p == o.implied {
			return answered(pass("exact: yes or no, as the accepted answer implies", quoted(r.Plain)), o.accept[0].text)
		}
		return answered(fail("exact: yes or no, and the accepted answer implies the other", quoted(r.Plain)), evidence.Excerpt(r.Plain, 40))
	}
	if s, ok := o.answersFirst(r.Text); ok {
		text := r.Slice(o.core(r.Text, s))
		return answered(fail("exact: not in the accepted set", quoted(text)), text)
	}
	if f, ok := o.withheld(r.Text); ok {
		return f
	}
	for _, m := range accepted {
		if m.stance == evidence.Denied {
			return answered(fail("exact: the accepted answer is denied", quoted(r.Sentence(int(r.Words[m.words.Start].Sentence)))), o.extract(r.Text))
		}
	}
	if _, claims := r.Claim(o.question); !claims && !isMarked {
		if bothSaid(r.Text) {
			return hedged(quoted(r.Plain))
		}
		if c, ok := evades(r.Text); ok {
			return hedged(cueEvidence(r.Text, c))
		}
		if !o.hasContent(r.Text, evidence.Span{Start: 0, End: len(r.Words)}) {
			return unread("exact: only words of the question, and no answer", r.Text)
		}
	}
	if !isMarked && len(rejected) == 0 && o.nameless(r.Text) {
		return unread("exact: a statement that names nothing", r.Text)
	}
	if o.c.AnswerType == suite.Prose {
		return unread("exact: prose in other words than the reference answers, which takes a judge to read", r.Text)
	}
	text := o.extract(r.Text)
	return answered(fail("exact: not in the accepted set", quoted(text)), text)
}

// alternative reports whether "or" puts something beside the mention that is not accepted too.
func (o *exact) alternative(t *evidence.Text, m evidence.Span) (evidence.Span, bool) {
	alt, ok := t.Alternative(m)
	if !ok && m.Start > 1 && t.Words[m.Start-1].Fold == "the" {
		alt, ok = t.Alternative(evidence.Span{Start: m.Start - 1, End: m.End}) // "the 14th or the 15th of April"
	}
	if !ok || !o.hasContent(t, alt) {
		return alt, false
	}
	for _, a := range o.accept {
		for _, s := range t.Find(a.words) {
			if s.Start >= alt.Start && s.End <= alt.End {
				return alt, false
			}
		}
	}
	return alt, true
}

// concluded reports whether the sentence of the words opens as a conclusion.
func (o *exact) concluded(t *evidence.Text, m evidence.Span) bool {
	return concluding[t.Words[t.Sentences[t.Words[m.Start].Sentence].Words.Start].Fold]
}

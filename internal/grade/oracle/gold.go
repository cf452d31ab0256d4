package oracle

import (
	"errors"
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/reading"
)

// byGold decides answers to a question whose right answers are listed: names, terms, titles, phrases.
type byGold struct {
	*env
	accept   []string
	forms    []string // of these
	golds    *named
	sentence bool // every gold is one
}

// The models of byGold: for texts that put a gold forward, and for texts that do not.
var (
	namePut    = newModel("name put", .89, .70, .65)
	nameAbsent = newModel("name absent", 2, .79, .70)
)

// byGold makes the oracle of listed answers by what they are: yes or no, numbers or dates, a list, else names.
func (e *env) byGold(s *suite.Oracle) (Oracle, error) {
	accept := e.given(s.Accept)
	if len(accept) == 0 && e.c.Decline {
		return e.refusal(&suite.Oracle{Reject: s.Reject}), nil
	}
	accept = slices.DeleteFunc(slices.Clone(accept), func(a string) bool { return len(evidence.Phrase(a)) == 0 })
	if len(accept) == 0 {
		return nil, errors.New("an exact oracle needs accept:, or a gold")
	}
	if e.exact {
		return e.byNames(accept, s.Reject), nil
	}
	if options := letteredOptions(e.c.Prompt, accept[0]); options != nil && len(accept) == 1 &&
		len(e.c.Options)+len(s.Reject)+len(e.c.Aliases) == 0 {
		listing, c := *e, *e.c
		c.Options, listing.c = options, &c
		return listing.choice(&suite.Oracle{Accept: accept})
	}
	if p, ok := polarGold(accept, e.q); ok && !e.sides(accept) {
		return &byPolarity{e, p}, nil
	}
	if len(accept) == 1 && len(s.Reject) == 0 {
		if o := e.byPeriod(accept[0]); o != nil {
			return o, nil
		}
	}
	if ms, dates, ok := measures(accept, e.q); ok {
		o := &byMeasure{env: e, name: "exact", golds: ms, dates: dates}
		o.rejects, _, _ = measures(s.Reject, e.q)
		o.readQuestion()
		return o, nil
	}
	if len(accept) == 1 {
		r := answer.NewReference(accept[0], answer.Context{Question: e.c.Prompt})
		if r.Kind == answer.ListKind && len(r.Members) > 1 {
			return e.byList(r, accept[0], r.Members), nil
		}
		if options, gold := askedOptions(e.c.Prompt, accept); len(options) > 0 && len(s.Reject) == 0 {
			return e.byAsked(accept[0], options, gold), nil
		}
		if len(s.Reject)+len(e.c.Aliases) == 0 {
			return e.byReferences(accept, nil, []*answer.Reference{r}), nil
		}
	}
	return e.byNames(accept, s.Reject), nil
}

// sides reports whether the question names what is to be chosen from, and that is neither yes nor no: "the left or
// the right side".
func (e *env) sides(accept []string) bool {
	options, gold := askedOptions(e.c.Prompt, accept)
	return slices.ContainsFunc(others(options, gold), func(option string) bool {
		words := evidence.Phrase(option)
		return len(words) == 0 || reading.PolarWord(words[0]) == reading.NoPolarity
	})
}

func (e *env) byNames(accept, reject []string) *byGold {
	return e.byReferences(accept, reject, e.references(slices.Concat(accept, e.c.Aliases), reject))
}

func (e *env) byReferences(accept, reject []string, golds []*answer.Reference) *byGold {
	o := &byGold{env: e, accept: accept}
	for _, a := range accept {
		o.forms = append(o.forms, answer.Words(a))
	}
	o.golds = newNamed(golds, e.references(reject, nil), len(accept) > 0 && isUpper(accept[0][0]))
	several := func(a string) bool { return len(quantity.Scan(a)) > 1 } // 210 x 297 mm
	name := func(r *answer.Reference) bool { return r.Kind != answer.PhraseKind }
	o.sentence = e.q.Wh == "why" || slices.ContainsFunc(accept, several) || !slices.ContainsFunc(o.golds.refs, name)
	return o
}

func (e *env) references(golds, rivals []string) []*answer.Reference {
	golds = slices.DeleteFunc(slices.Clone(golds), func(g string) bool { return strings.TrimSpace(g) == "" })
	return answer.NewReferences(golds, answer.Context{Question: e.c.Prompt, Rivals: rivals, Exact: e.exact})
}

func (o *byGold) Golds() []string { return o.accept }

func (o *byGold) Judge(r Reading) Ruling {
	if slices.Contains(o.forms, answer.Words(r.Plain)) {
		return answered(pass("exact: the same words", quoted(r.Plain)), o.accept[0])
	}
	items := o.golds.items(r.Text, o.q, reading.Claims(r.Text, o.q))
	for i := range items {
		if it := &items[i]; it.asserts() {
			it.score(r.Text, o.q, o.golds.capital)
		}
	}
	s := weigh(items)
	s.ask(r.Text, namePut, nameAbsent, o.features(r.Text, &s))
	f := o.commits(r.Text, &s, "exact", "answer", o.accept[0])
	if o.sentence && f.Act == grade.Answered && f.Truth.Verdict == grade.Fail && !s.rejected {
		f = unread("exact: a sentence in other words than the gold, which takes a judge or a person", r.Text)
		f.chances = s.chances.p
	}
	return f
}

// optionWords are the words of an option, and of after-tax two.
func optionWords(s string) []string { return content(strings.ReplaceAll(s, "-", " ")) }

// identical reports whether a text is one of the golds, word for word.
func identical(t *evidence.Text, golds ...string) bool {
	form := answer.Words(t.Plain)
	return slices.ContainsFunc(golds, func(g string) bool { return form == answer.Words(g) })
}

// ask sets what is believed of a text by one of two models: for texts that put a gold forward, and for texts that
// do not.
func (s *seen) ask(t *evidence.Text, put, absent *model, x features) {
	either := s.good != nil && s.bad != nil && t.Alternative(s.good.words) && t.Alternative(s.bad.words) // 391 or 401
	switch {
	case s.onlyWithholds(t), either && put != namePut:
		s.chances = chances{certain(2), put}
	case s.good != nil:
		s.chances = put.ask(x)
	default:
		s.chances = absent.ask(x)
	}
}

// commits says the most probable outcome where it is probable enough, with the item that it rests on. rule and
// thing name the oracle and what it looks for.
func (e *env) commits(t *evidence.Text, s *seen, rule, thing, gold string) Ruling {
	what, p, sure := s.chances.best()
	f := unread(rule+": what the answer commits to cannot be told", t)
	switch {
	case what == grade.NotAttempted:
		if sure {
			f = e.notAttempted(t, p, f)
		}
	case s.twoValues(t):
		f = twoAnswers(fail(rule+": two answers to one question", quoted(t.Plain)), s.bad.text)
	case s.good == nil && s.bad != nil && s.bad.rejected && !s.closed:
		f = answered(fail(rule+": a rejected answer", quoted(s.bad.text)), s.bad.text)
	case !sure:
	case what == grade.Correct && s.good != nil:
		f = answered(pass(rule+": "+s.good.why, quoted(s.good.text)+s.good.note), gold)
	case what == grade.Incorrect && s.bad != nil:
		f = answered(fail(rule+": another "+thing, quoted(s.bad.text)+s.bad.note), s.bad.text)
	case what == grade.Incorrect && s.good != nil:
		truth := fail(rule+": an accepted "+thing+" is named and another given", quoted(t.Plain))
		f = answered(truth, evidence.Excerpt(t.Plain, quoteRunes))
	}
	f.Confidence, f.chances = p, s.chances.p
	return f
}

// onlyWithholds reports whether a text is one sentence that declines, evades or asks, besides questions, and puts
// nothing else forward. "I do not know whether it is Paris" does; "I do not know, maybe Paris" does not.
func (s *seen) onlyWithholds(t *evidence.Text) bool {
	said := len(t.Sentences) - questions(t)
	act, in, ok := withholds(t)
	more := slices.ContainsFunc([]*item{s.good, s.bad, s.unsure}, func(it *item) bool {
		return it != nil && (it.words.Start < in.Start || it.words.Start >= in.End)
	})
	return ok && !more && said <= 1 && (act != grade.Asked || said == 0)
}

// twoValues reports whether a text commits to two things at once: "Paris, and also Lyon"; "365. It is 366."
func (s *seen) twoValues(t *evidence.Text) bool {
	a, b := s.good, s.bad
	if a == nil || b == nil || b.x.has("another unit") {
		return false
	}
	if a.words.Start > b.words.Start {
		a, b = b, a
	}
	first, last := t.Words[a.words.End-1], t.Words[b.words.Start]
	if first.Sentence != last.Sentence {
		const shortText = 12 // words of a text whose sentences give one value each
		given := func(it *item) bool {
			return it.role == reading.Complement || it.role == reading.Bare && it.words.End-it.words.Start <= 3
		}
		return len(t.Words) <= shortText && given(a) && given(b)
	}
	if a.words.End == b.words.Start {
		between := strings.Trim(t.Plain[first.End:last.Start], " ")
		return between != "" && strings.Trim(between, "/&+") == ""
	}
	return a.words.End < b.words.Start && !slices.ContainsFunc(t.Words[a.words.End:b.words.Start],
		func(w evidence.Word) bool { return !reading.Is(w.Fold, "joining") || w.Fold == "or" })
}

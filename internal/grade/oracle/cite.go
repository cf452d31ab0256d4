package oracle

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/reading"
	"hallmark/internal/suite"
)

// DefaultQuoteWords is how many words in a row make a quote without quotation marks, where the case does not say: the source's six.
const DefaultQuoteWords = 6

// retrieval accepts answers that rest on the right passages of the context: by quoting or naming them, and, where the case lists
// accepted texts, by giving one.
type retrieval struct {
	*env
	answer      Oracle // nil where no answer is listed
	lines, trap map[string]bool
	words       int
}

// The features of an answer that should rest on passages. With a listed answer come the beliefs about that first.
var citeNames = append(slices.Clone(mannerNames), "value right", "value wrong", "value withheld", "value unsure",
	"right", "trap", "other", "unknown", // passages rested on: that hold the evidence, that mislead, others, that do not exist
	"trap aside", "trap only", "right first", "quotes", "misquotes", "lists lines", "trap with right", "cites")

// The models of retrieval: with a listed answer and without.
var (
	citedValue = newModel("cited value", citeNames, .84, .60, .60)
	citedLine  = newModel("cited line", citeNames, .60, .60, .60)
)

func (e *env) retrieval(s *suite.Oracle) (Oracle, error) {
	if len(e.c.Context) == 0 {
		return nil, errors.New("a retrieval oracle needs a context")
	}
	o := &retrieval{env: e, lines: map[string]bool{}, trap: map[string]bool{}, words: e.c.Format.QuoteMinWords}
	if o.words == 0 {
		o.words = DefaultQuoteWords
	}
	for _, set := range []struct {
		ids []string
		to  map[string]bool
		is  string
	}{{s.Lines, o.lines, "line"}, {s.Trap, o.trap, "trap"}} {
		for _, id := range set.ids {
			if !slices.ContainsFunc(e.c.Context, func(p suite.Passage) bool { return p.ID == id }) {
				return nil, fmt.Errorf("%s %q is no passage of the context", set.is, id)
			}
			set.to[id] = true
		}
	}
	if len(s.Accept) > 0 || !e.c.Gold.IsZero() {
		a, err := e.byGold(s)
		if err != nil {
			return nil, err
		}
		o.answer = a
	}
	if o.answer == nil && len(o.lines) == 0 && e.c.Decline {
		return e.refusal(&suite.Oracle{Reject: s.Reject}), nil
	}
	if o.answer == nil && len(o.lines) == 0 {
		return nil, errors.New("a retrieval oracle needs lines or accept")
	}
	return o, nil
}

func (o *retrieval) Answerable() bool { return true }

// Golds are the accepted answers; without any, whatever rests on the right lines is one answer, their names.
func (o *retrieval) Golds() []string {
	if o.answer != nil {
		return o.answer.Golds()
	}
	return []string{strings.Join(slices.Sorted(maps.Keys(o.lines)), ",")}
}

// A basis is a passage that an answer rests on.
type basis struct {
	id, shown string
	words     evidence.Span // where it is named; empty where it is quoted or repeated
}

// located returns the passages that an answer rests on, by what it names, quotes or repeats word for word, how many quotations stand in the
// context, how many do not, and how many passages are named that do not exist.
func (o *retrieval) located(t *evidence.Text) (all []basis, quotes, misquotes, unknown int) {
	for _, c := range t.Citations(o.passages) {
		if !c.Known {
			unknown++
			continue
		}
		all = append(all, basis{c.ID, c.ID, c.Words})
	}
	for _, q := range t.Quotes() {
		if len(q.Words) < min(3, o.words) {
			continue
		}
		places := evidence.LocateAll(q, o.passages)
		quotes += int(flag(len(places) > 0))
		misquotes += int(flag(len(places) == 0))
		for _, p := range places {
			all = append(all, basis{id: p.ID, shown: quoted(q.Text) + " in " + p.ID})
		}
	}
	if len(all) == 0 {
		asked := func(w evidence.Word) bool { return o.question[w.Fold] || evidence.Stop[w.Fold] }
		if p, s := t.Longest(o.passages, o.words); s.End > s.Start && !allOfWords(t.Words[s.Start:s.End], asked) {
			all = append(all, basis{id: p.ID, shown: quoted(t.Slice(s)) + " in " + p.ID})
		}
	}
	return all, quotes, misquotes, unknown
}

// setAside reports whether the text names a passage to reject it: denied, in contrast, or in a sentence that rejects.
func (o *retrieval) setAside(t *evidence.Text, b basis) bool {
	if b.words.End == 0 {
		return false
	}
	if st := t.Stance(b.words); st == evidence.Denied || st == evidence.Contrasted {
		return true
	}
	s := t.Sentences[t.Words[b.words.Start].Sentence].Words
	if _, ok := t.Cue(s, evidence.Rejects, evidence.Contrasts, evidence.Negates); ok {
		return true
	}
	for i := s.Start; i < s.End; i++ {
		if reading.Lapses(t.Words[i].Fold) {
			return true
		}
	}
	return false
}

func (o *retrieval) Judge(r Reading) Finding {
	t := r.Text
	if len(r.Words) == 0 {
		return unread("an empty answer", t)
	}
	f := Finding{Option: -1}
	var value belief
	if o.answer != nil {
		f, value = o.value(r)
	}
	all, quotes, misquotes, unknown := o.located(t)
	var ids, shown []string
	right, trapped, other, aside, rightFirst := 0, 0, 0, 0, false
	for i, b := range all {
		ids, shown = append(ids, b.id), append(shown, b.shown)
		switch {
		case o.lines[b.id] || len(o.lines) == 0 && !o.trap[b.id]:
			right++
			rightFirst = rightFirst || i == 0
		case o.trap[b.id] && o.setAside(t, b):
			aside++
		case o.trap[b.id]:
			trapped++
		default:
			other++
		}
	}
	m := citedLine
	if o.answer != nil {
		m = citedValue
	}
	told := false
	if value.m != nil {
		_, _, told = value.best()
	}
	x := append(mannerOf(t).features(), value.p[0], value.p[1], value.p[2], flag(!told),
		flag(right > 0), flag(trapped > 0), flag(other > 0), flag(unknown > 0), flag(aside > 0), flag(trapped > 0 && right == 0), flag(rightFirst), flag(quotes > 0), flag(misquotes > 0),
		flag(len(o.lines) > 0), flag(trapped > 0 && right > 0), count(len(all)))
	what, p, sure := m.ask(x).best()
	if o.answer != nil && what == grade.Correct && value.p[0] < .5 {
		sure = false // the right passage without an accepted answer is not enough
	}
	return o.finding(t, f, what, p, sure, right, trapped, ids, evidence.Excerpt(strings.Join(shown, ", "), 2*quoteRunes))
}

// value is what the listed answers make of a text, and how probable that is.
func (o *retrieval) value(r Reading) (Finding, belief) {
	if observed != nil { // the fit learns from what the passages add, not from this
		defer func(o func(*model, []float64)) { observed = o }(observed)
		observed = nil
	}
	if g, ok := o.answer.(*byGold); ok {
		s, b := g.look(r.Text, nil)
		return g.finding(r.Text, &s, b), b
	}
	f := o.answer.Judge(r)
	switch {
	case f.Truth.Verdict == grade.Pass:
		return f, believe(0)
	case f.Act == grade.Answered && f.Truth.Verdict == grade.Fail:
		return f, believe(1)
	case f.Truth.Verdict == grade.Fail:
		return f, believe(2)
	}
	return f, belief{[len(classes)]float64{.34, .33, .33}, namePut}
}

// finding says what an answer that should rest on passages amounts to.
func (o *retrieval) finding(t *evidence.Text, value Finding, what grade.Outcome, p float64, sure bool, right, trapped int, ids []string, ev string) Finding {
	f := unread("retrieval: what the answer commits to or rests on cannot be told", t)
	text := value.Answer
	if o.answer == nil {
		text = strings.Join(ids, ",")
	}
	switch {
	case !sure:
	case what == grade.NotAttempted:
		f = o.notAttempted(t)
	case what == grade.Correct && (o.answer == nil || value.Truth.Verdict != grade.Fail):
		f = answered(pass("retrieval: the right line", ev), o.Golds()[0])
		if o.answer != nil {
			f.Truth = pass("retrieval: an accepted answer", value.Truth.Evidence+"; "+ev)
		}
	case what == grade.Incorrect && trapped > 0 && right == 0:
		f = answered(fail("conflict-rag: rests on the trap line", ev), text)
	case what == grade.Incorrect && value.Truth.Verdict == grade.Fail:
		f = answered(value.Truth, text)
	case what == grade.Incorrect && len(ids) > 0:
		f = answered(fail("retrieval: rests on the wrong line", ev), text)
	case what == grade.Incorrect:
		f = answered(fail("retrieval: no accepted answer, and no line of the context", quoted(t.Plain)), text)
	}
	f.Confidence = p
	return f
}

// believe is the belief in a class that a rule is sure of.
func believe(class int) belief {
	b := belief{[len(classes)]float64{.01, .01, .01}, namePut}
	b.p[class] = .98
	return b
}

func allOfWords(words []evidence.Word, is func(evidence.Word) bool) bool {
	return !slices.ContainsFunc(words, func(w evidence.Word) bool { return !is(w) })
}

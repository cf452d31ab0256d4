package oracle

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// DefaultQuoteWords is how many words in a row make a quote without quotation marks, where the case does not say: the source's six.
const DefaultQuoteWords = 6

// retrieval accepts answers that rest on the right passages of the context: by quoting or naming them, and, where the case lists
// accepted texts, by giving one.
type retrieval struct {
	*env
	answer *exact // nil where no answer is listed
	lines  map[string]bool
	trap   map[string]bool
	words  int
}

func (e *env) retrieval(s *suite.Oracle) (Oracle, error) {
	if len(e.c.Context) == 0 {
		return nil, errors.New("a retrieval oracle needs a context")
	}
	o := &retrieval{env: e, lines: map[string]bool{}, trap: map[string]bool{}, words: e.c.Format.QuoteMinWords}
	if o.words == 0 {
		o.words = DefaultQuoteWords
	}
	known := map[string]bool{}
	for _, p := range e.c.Context {
		known[p.ID] = true
	}
	for _, set := range []struct {
		ids []string
		to  map[string]bool
		is  string
	}{{s.Lines, o.lines, "line"}, {s.Trap, o.trap, "trap"}} {
		for _, id := range set.ids {
			if !known[id] {
				return nil, fmt.Errorf("%s %q is no passage of the context", set.is, id)
			}
			set.to[id] = true
		}
	}
	if len(s.Accept) > 0 || !e.c.Gold.IsZero() {
		a, err := e.exact(s)
		if err != nil {
			return nil, err
		}
		o.answer = a.(*exact)
	}
	if o.answer == nil && len(o.lines) == 0 && e.c.Decline {
		return &refusal{env: e, reject: evidence.Phrases(s.Reject)}, nil
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

// Located returns the passages that an answer rests on, by what it names, quotes or repeats word for word.
func located(t *evidence.Text, passages []evidence.Passage, words int) (ids []string, ev string) {
	var shown []string
	for _, c := range t.Citations(passages) {
		if c.Known {
			ids = append(ids, c.ID)
			shown = append(shown, c.ID)
		}
	}
	for _, q := range t.Quotes() {
		if p, ok := evidence.Locate(q, passages); ok && len(q.Words) >= min(3, words) {
			ids = append(ids, p.ID)
			shown = append(shown, quoted(q.Text)+" in "+p.ID)
		}
	}
	if len(ids) == 0 {
		if p, s := t.Longest(passages, words); s.End > s.Start {
			ids = append(ids, p.ID)
			shown = append(shown, quoted(t.Slice(s))+" in "+p.ID)
		}
	}
	return ids, evidence.Excerpt(strings.Join(shown, ", "), 2*quoteRunes)
}

func (o *retrieval) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	ids, ev := located(r.Text, o.passages, o.words)
	right, trapped := false, false
	for _, id := range ids {
		right = right || o.lines[id] || len(o.lines) == 0 && !o.trap[id]
		trapped = trapped || o.trap[id]
	}
	if o.answer != nil {
		f := o.answer.Judge(r)
		if f.Act != grade.Answered {
			return f
		}
		switch {
		case trapped && !right:
			f.Truth = fail("conflict-rag: rests on the trap line", ev)
		case f.Truth.Verdict == grade.Pass && len(ids) > 0 && !right:
			f.Truth = fail("retrieval: rests on the wrong line", ev)
		case f.Truth.Verdict == grade.Pass && right:
			f.Truth = pass("retrieval: an accepted answer from the right line", f.Truth.Evidence+"; "+ev)
		}
		return f
	}
	switch {
	case right && !trapped:
		return answered(pass("retrieval: the right line", ev), o.Golds()[0])
	case trapped:
		return answered(fail("conflict-rag: rests on the trap line", ev), strings.Join(ids, ","))
	case len(ids) > 0:
		return answered(fail("retrieval: the wrong line", ev), strings.Join(ids, ","))
	}
	if f, ok := o.withheld(r.Text); ok {
		return f
	}
	return answered(fail("retrieval: no line of the context is quoted or named", quoted(r.Plain)), o.extract(r.Text))
}

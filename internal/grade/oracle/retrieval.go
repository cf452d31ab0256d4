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
	bait   map[string]bool // numbers and names of trap passages alone
	astray map[string]bool // words of content of trap passages alone
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
	o.bait = o.baits(append(append([]string{}, s.Accept...), e.c.Gold.Texts...))
	o.astray = o.strays()
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

// located returns the passages that an answer rests on, by what it names, quotes or repeats word for word.
func located(t *evidence.Text, passages []evidence.Passage, words int) (all []basis) {
	for _, c := range t.Citations(passages) {
		if c.Known {
			all = append(all, basis{c.ID, c.ID, c.Words})
		}
	}
	for _, q := range t.Quotes() {
		if len(q.Words) < min(3, words) {
			continue
		}
		for _, p := range evidence.LocateAll(q, passages) {
			all = append(all, basis{id: p.ID, shown: quoted(q.Text) + " in " + p.ID})
		}
	}
	if len(all) == 0 {
		if p, s := t.Longest(passages, words); s.End > s.Start {
			all = append(all, basis{id: p.ID, shown: quoted(t.Slice(s)) + " in " + p.ID})
		}
	}
	return all
}

// setAside returns the passages that the answer names in order to reject them: "contrary to L3", "L3 says 2008, but that is wrong".
func (o *retrieval) setAside(t *evidence.Text, all []basis) map[string]bool {
	aside := map[string]bool{}
	for i, b := range all[:min(len(all), maxBases)] {
		if !o.trap[b.id] || b.words.End == 0 {
			continue
		}
		end := t.Sentences[t.Words[b.words.Start].Sentence].Words.End
		if i+1 < len(all) && all[i+1].words.Start > b.words.Start {
			end = min(end, all[i+1].words.Start) // a rejection behind another passage's name is that passage's
		}
		if st := t.Stance(b.words); st == evidence.Denied || st == evidence.Contrasted || rejectedBehind(t, b.words.End, end) || endedBefore(t, b.words.Start) {
			aside[b.id] = true
			continue
		}
		// "L3 says 2008. That is wrong."
		if s := int(t.Words[b.words.Start].Sentence) + 1; s < len(t.Sentences) && end == t.Sentences[s].Words.Start {
			next := t.Sentences[s].Words
			switch t.Words[next.Start].Fold {
			case "that", "this", "it", "which":
				aside[b.id] = rejectedBehind(t, next.Start, min(next.End, next.Start+6))
			}
		}
	}
	return aside
}

// endedBefore reports whether what leads to the i-th word says that it no longer holds: "the repeal of Section 3", "the withdrawn rule 9".
func endedBefore(t *evidence.Text, i int) bool {
	for k := i - 1; k >= max(0, i-3) && t.Words[k].Clause == t.Words[i].Clause; k-- {
		switch w := t.Words[k].Fold; {
		case lapsed[w], ending[w] && k+1 < i && t.Words[k+1].Fold == "of":
			return true
		}
	}
	return false
}

// ending are nouns before "of" and what was ended.
var ending = set("repeal withdrawal abolition expiry revocation end replacement")

// maxBases bounds the passages named that are looked at.
const maxBases = 64

func rejectedBehind(t *evidence.Text, start, end int) bool {
	if _, ok := t.Cue(evidence.Span{Start: start, End: end}, evidence.Rejects); ok {
		return true
	}
	for i, w := range t.Words[start:end] {
		if erring[w.Fold] || lapsed[w.Fold] || w.Fold == "longer" && i > 0 && t.Words[start+i-1].Fold == "no" {
			return true
		}
	}
	return false
}

// erring are words that say of something that it is wrong, lapsed that it no longer holds.
var (
	erring = set("wrong wrongly incorrect incorrectly mistaken mistakenly mistake error errs erred erroneous erroneously false falsely unreliable inaccurate " +
		"untrustworthy dubious transposition transposed transposes swapped swaps typo misprint misprinted slip misquoted garbled inverted confuses confused contradicted disagrees")
	lapsed = set("outdated until previously formerly repealed superseded expired obsolete withdrawn revoked replaced stale")
)

// untold reads an answer that names passages only in a sentence which says that they do not tell: "neither K1 nor K2 gives a reason".
func (o *retrieval) untold(t *evidence.Text, all []basis) (Finding, bool) {
	c, ok := t.Declines()
	if !ok {
		return Finding{}, false
	}
	for _, b := range all {
		if b.words.End == 0 || t.Words[b.words.Start].Sentence != t.Words[c.Words.Start].Sentence {
			return Finding{}, false
		}
	}
	return o.withheld(t)
}

func (o *retrieval) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	all := located(r.Text, o.passages, o.words)
	aside := o.setAside(r.Text, all)
	var ids, shown []string
	right, trapped := false, false
	for _, b := range all {
		if aside[b.id] {
			continue
		}
		ids, shown = append(ids, b.id), append(shown, b.shown)
		right = right || o.lines[b.id] || len(o.lines) == 0 && !o.trap[b.id]
		trapped = trapped || o.trap[b.id]
	}
	ev := evidence.Excerpt(strings.Join(shown, ", "), 2*quoteRunes)
	if o.answer != nil {
		var cited []evidence.Citation
		f := o.answer.judge(r, func(m mention) bool {
			if o.bygone(r.Text, m.words.Start) {
				return true
			}
			if cited == nil {
				cited = append([]evidence.Citation{}, r.Citations(o.passages)...)
			}
			return o.toldOfTrap(r.Text, cited, m)
		})
		if f.Act != grade.Answered {
			return f
		}
		bait, baited := "", false
		if trapped && right {
			bait, baited = o.assertsTrap(r.Text, all)
		}
		switch {
		case trapped && !right:
			f.Truth = fail("conflict-rag: rests on the trap line", ev)
		case f.Truth.Verdict == grade.Pass && len(o.trap) > 0 && o.follows(r.Text):
			f.Truth = fail("conflict-rag: rests on the trap line", quoted(r.Plain))
		case f.Truth.Verdict == grade.Pass && baited:
			f.Truth = fail("conflict-rag: asserts what the trap line says", quoted(bait)+"; "+ev)
		case f.Truth.Verdict == grade.Pass && o.countsOther(r.Text):
			f.Truth = fail("exact: claims something else than the accepted answer", quoted(r.Sentence(0)))
		case f.Truth.Verdict == grade.Pass && len(ids) > 0 && !right:
			f.Truth = fail("retrieval: rests on the wrong line", ev)
		case f.Truth.Verdict == grade.Pass && right:
			f.Truth = pass("retrieval: an accepted answer from the right line", f.Truth.Evidence+"; "+ev)
		}
		return f
	}
	if f, ok := o.untold(r.Text, all); ok {
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

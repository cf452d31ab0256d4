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
	bait   map[string]bool // words of trap passages alone
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
		o.answer.elsewhen = func(t *evidence.Text, m mention) bool { return o.toldOfTrap(t, m) || o.bygone(t, m.words.Start) }
	}
	o.bait = o.baits(append(append([]string{}, s.Accept...), e.c.Gold.Texts...))
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
		if p, ok := evidence.Locate(q, passages); ok && len(q.Words) >= min(3, words) {
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
		if st := t.Stance(b.words); st == evidence.Denied || st == evidence.Contrasted || rejectedBehind(t, b.words.End, end) {
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

// maxBases bounds the passages named that are looked at.
const maxBases = 64

func rejectedBehind(t *evidence.Text, start, end int) bool {
	if _, ok := t.Cue(evidence.Span{Start: start, End: end}, evidence.Rejects); ok {
		return true
	}
	for _, w := range t.Words[start:end] {
		if erring[w.Fold] || lapsed[w.Fold] {
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

// displaced are words before what was there until then: "P2 supersedes the 180 crowns of P1".
var displaced = set("supersedes superseding replaces replacing abolished ended")

// assertsTrap returns what an answer asserts of the content that only trap passages have, their numbers and names, as its answer: in what
// it marks as such, or without saying that it is the trap's ("L3 has 2008", "one snippet says 2008").
func (o *retrieval) assertsTrap(t *evidence.Text, all []basis) (string, bool) {
	attributed := map[int32]int{} // by sentence, the first word that names a trap passage outside brackets
	for _, b := range all {
		if b.words.End == 0 || !o.trap[b.id] {
			continue
		}
		w := t.Words[b.words.Start]
		if _, seen := attributed[w.Sentence]; !seen && (w.Start == 0 || t.Plain[w.Start-1] != '[' && t.Plain[w.Start-1] != '(') {
			attributed[w.Sentence] = b.words.Start
		}
	}
	marked, isMarked := t.Answer()
	looked := 0
	for i, w := range t.Words {
		if !o.bait[w.Fold] {
			continue
		}
		if looked++; looked > maxBases {
			break
		}
		at, named := attributed[w.Sentence]
		if sentence := t.Sentences[w.Sentence].Words; named && rejectedBehind(t, sentence.Start, sentence.End) {
			continue // "the programme of 1990 in S3 errs"
		}
		if o.bygone(t, i) || changedFrom(t, i) && o.namedBefore(all, w.Sentence, t, i) {
			continue
		}
		if (named && at < i || reports(t, i)) && !(isMarked && marked.Start <= i && i < marked.End) {
			continue
		}
		if t.Stance(evidence.Span{Start: i, End: i + 1}) == evidence.Asserted {
			return t.Sentence(int(w.Sentence)), true
		}
	}
	return "", false
}

// toldOfTrap reports whether a text gives m, a rejected answer, as no more than what a trap passage says: its clause names the passage, which the
// text names once, and another clause of the text names a right one.
func (o *retrieval) toldOfTrap(t *evidence.Text, m mention) bool {
	clause := func(s evidence.Span) int32 { // of a passage named in brackets, the one before
		w := t.Words[s.Start]
		if s != m.words && s.Start > 0 && w.Start > 0 && (t.Plain[w.Start-1] == '(' || t.Plain[w.Start-1] == '[') && w.Clause > 0 {
			return t.Words[s.Start-1].Clause
		}
		return w.Clause
	}
	if m.words.Start > 0 && t.Words[m.words.Start-1].Fold == "or" {
		return false // one of two
	}
	named, here, right := 0, false, false
	for _, c := range t.Citations(o.passages) {
		switch {
		case o.trap[c.ID]:
			named++
			here = here || clause(c.Words) == clause(m.words)
		case o.lines[c.ID]:
			right = right || clause(c.Words) != clause(m.words)
		}
	}
	return named == 1 && here && right
}

// changedFrom reports whether one of the five words before the i-th leads to what was before a change: "halved from 20 mg".
func changedFrom(t *evidence.Text, i int) bool {
	for k := i - 1; k >= max(0, i-5) && t.Words[k].Clause == t.Words[i].Clause; k-- {
		if t.Words[k].Fold == "from" {
			return true
		}
	}
	return false
}

// namedBefore reports whether the sentence names a right passage before the i-th word.
func (o *retrieval) namedBefore(all []basis, sentence int32, t *evidence.Text, i int) bool {
	return slices.ContainsFunc(all, func(b basis) bool {
		return o.lines[b.id] && b.words.End > 0 && b.words.End <= i && t.Words[b.words.Start].Sentence == sentence
	})
}

// bygone reports whether what stands at the i-th word is said of another time than the present: "before, it was 63", "63 until 2021".
func (o *retrieval) bygone(t *evidence.Text, i int) bool {
	in := t.Sentences[t.Words[i].Sentence].Words
	for k := max(in.Start, i-5); k < min(in.End, i+10); k++ {
		w := t.Words[k].Fold
		was := (w == "was" || w == "were") && t.Words[k].Clause == t.Words[i].Clause && (o.question["today"] || o.question["now"] || o.question["current"] || o.question["currently"])
		if k < i && displaced[w] || w == "longer" && k > i && t.Words[k-1].Fold == "no" || w == "used" && k < i && k+1 < in.End && t.Words[k+1].Fold == "to" {
			return true
		}
		if (otherTimes[w] || lapsed[w] || was) && !o.question[w] && (k < i || t.Words[k].Clause == t.Words[i].Clause) {
			return true
		}
	}
	return false
}

// reports reports whether one of the six words before the i-th, or one of the two behind it, says that somebody says so: "one snippet mentions
// 2008", "the edition of 2018 said 20 mg".
func reports(t *evidence.Text, i int) bool {
	for k := i - 1; k >= max(0, i-6) && t.Words[k].Sentence == t.Words[i].Sentence; k-- {
		if reporting[t.Words[k].Fold] {
			return true
		}
	}
	for k := i + 1; k < min(i+3, len(t.Words)) && t.Words[k].Clause == t.Words[i].Clause; k++ {
		if reporting[t.Words[k].Fold] {
			return true
		}
	}
	return false
}

var reporting = set("says say said mentions mention mentioned claims claim claimed states state stated gives give gave reports reported lists listed according")

// baits returns the numbers and names that stand in trap passages and neither in the others nor in the question or an accepted answer.
func (o *retrieval) baits(accept []string) map[string]bool {
	if len(o.trap) == 0 {
		return nil
	}
	held := map[string]bool{}
	for _, a := range accept {
		for _, w := range evidence.Phrase(a) {
			held[w] = true
		}
	}
	bait := map[string]bool{}
	for _, p := range o.c.Context {
		t := evidence.Read(p.Text)
		for i, w := range t.Words {
			if !o.trap[p.ID] {
				held[w.Fold] = true
			} else if t.Numeral(i) || t.Name(i) {
				bait[w.Fold] = true
			}
		}
	}
	for w := range bait {
		if held[w] || o.question[w] {
			delete(bait, w)
		}
	}
	return bait
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
		f := o.answer.Judge(r)
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
		case f.Truth.Verdict == grade.Pass && baited:
			f.Truth = fail("conflict-rag: asserts what the trap line says", quoted(bait)+"; "+ev)
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

package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/evidence"
)

// displaced are words before what was there until then: "P2 supersedes the 180 crowns of P1".
var displaced = set("supersedes superseding replaces replacing abolished ended")

// assertsTrap returns what an answer asserts of the content that only trap passages have, their numbers and names, as its answer: in what
// it marks as such, or without saying that it is the trap's ("L3 has 2008", "one snippet says 2008").
func (o *retrieval) assertsTrap(t *evidence.Text, all []basis) (string, bool) {
	attributed := map[int32]int{} // by sentence, the first word that names a trap passage and to which what follows is ascribed
	for _, b := range all {
		if b.words.End == 0 || !o.trap[b.id] {
			continue
		}
		w := t.Words[b.words.Start]
		at := b.words.Start
		if w.Start > 0 && (t.Plain[w.Start-1] == '[' || t.Plain[w.Start-1] == '(') && namesAlone(t.Plain[w.End:min(len(t.Plain), w.End+24)]) {
			if !goesOn(t, b.words) || !reporting[t.Words[b.words.End].Fold] && t.Words[b.words.End].Fold != "had" && t.Words[b.words.End].Fold != "has" {
				continue
			}
			for at > 0 && t.Words[at-1].Clause >= w.Clause-1 && t.Words[at-1].Sentence == w.Sentence { // "the 2018 edition (G1) had 20 mg"
				at--
			}
		}
		if first, seen := attributed[w.Sentence]; !seen || at < first {
			attributed[w.Sentence] = at
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
		if o.bygone(t, i) || o.ofOld(t, i) || changedFrom(t, i) && (o.namedBefore(all, w.Sentence, t, i) || o.changedTo(t, i)) {
			continue
		}
		if (named && at <= i || reports(t, i) || o.conceded(t, i)) && !(isMarked && marked.Start <= i && i < marked.End) {
			continue
		}
		if t.Stance(evidence.Span{Start: i, End: i + 1}) == evidence.Asserted {
			return t.Sentence(int(w.Sentence)), true
		}
	}
	return "", false
}

// namesAlone reports whether a bracket closes behind nothing but names: "]" or ", L3)", but not ", from 2018: 20 mg)".
func namesAlone(rest string) bool {
	k := strings.IndexAny(rest, ")]")
	return k >= 0 && len(strings.Fields(rest[:k])) <= 3 && !strings.ContainsAny(rest[:k], ":.")
}

// conceded reports whether the sentence of the i-th word opens with "although" or the like, and gives an accepted answer in a later clause.
func (o *retrieval) conceded(t *evidence.Text, i int) bool {
	s := t.Sentences[t.Words[i].Sentence].Words
	if w := t.Words[s.Start].Fold; !conceding[w] && w != "while" && w != "though" && w != "whereas" && !(w == "even" && s.End-s.Start > 2 && conceding[t.Words[s.Start+1].Fold]) {
		return false
	}
	for _, a := range o.answer.accept {
		for _, m := range t.Find(a.words) {
			if m.Start > i && m.End <= s.End && t.Words[m.Start].Clause > t.Words[i].Clause {
				return true
			}
		}
	}
	return false
}

// toldOfTrap reports whether a text gives m, a rejected answer, as no more than what a trap passage says: its clause names the passage, which the
// text names once, and another clause of the text names a right one.
func (o *retrieval) toldOfTrap(t *evidence.Text, cited []evidence.Citation, m mention) bool {
	clause := func(s evidence.Span) int32 { // of a passage named in brackets, the one before, or the one that goes on behind; of one that is a label, what it labels
		w := t.Words[s.Start]
		if s == m.words {
			if s.Start > 0 && w.Start > 0 && t.Plain[w.Start-1] == '(' { // "what a guide book says (1878)"
				return t.Words[s.Start-1].Clause
			}
			return w.Clause
		}
		if s.Start > 0 && w.Start > 0 && (t.Plain[w.Start-1] == '(' || t.Plain[w.Start-1] == '[') && w.Clause > 0 {
			if goesOn(t, s) && t.Words[s.End].Clause == t.Words[m.words.Start].Clause {
				return t.Words[s.End].Clause
			}
			return t.Words[s.Start-1].Clause
		}
		if end := t.Words[s.End-1].End; end < len(t.Plain) && s.End < len(t.Words) && t.Words[s.End].Sentence == w.Sentence && (t.Plain[end] == ':' || strings.HasPrefix(strings.TrimLeft(t.Plain[end:min(len(t.Plain), end+8)], " "), "→")) {
			return t.Words[s.End].Clause
		}
		return w.Clause
	}
	if m.words.Start > 0 && t.Words[m.words.Start-1].Fold == "or" {
		return false // one of two
	}
	if s := t.Sentences[t.Words[m.words.Start].Sentence].Words; t.Words[s.Start].Clause < t.Words[m.words.Start].Clause && (conceding[t.Words[s.Start].Fold] || t.Words[s.Start].Fold == "though") {
		return false // "although the copies are dated 3 May (L2), it was signed on 5 March (L3)"
	}
	named, here, right := 0, false, false
	for _, c := range cited {
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

// goesOn reports whether the sentence goes on behind a bracket that holds the words: "the 2018 edition (G1) had 20 mg".
func goesOn(t *evidence.Text, s evidence.Span) bool {
	if s.End >= len(t.Words) || t.Words[s.End].Sentence != t.Words[s.Start].Sentence {
		return false
	}
	between := t.Plain[t.Words[s.End-1].End:t.Words[s.End].Start]
	return strings.Trim(between, ")] ") == "" && strings.Contains(between, " ")
}

// countsOther reports whether an answer opens with a number that no passage has, of a thing that the question asks about: "11 bus lines, namely
// 14 minus the three that it restored".
func (o *retrieval) countsOther(t *evidence.Text) bool {
	s := t.Sentences[0]
	i := s.Words.Start
	for i < s.Words.End && evidence.Stop[t.Words[i].Fold] {
		i++
	}
	if i+1 >= s.Words.End || s.Question || !isDigit(t.Plain[t.Words[i].Start]) || strings.Trim(t.Words[i].Fold, "0123456789") != "" || o.question[t.Words[i].Fold] || o.told[t.Words[i].Fold] {
		return false
	}
	for _, a := range o.answer.accept {
		if slices.Contains(a.words, t.Words[i].Fold) {
			return false
		}
	}
	_, asked := o.asked(t.Words[i+1].Fold)
	return asked && t.Words[i+1].Clause == t.Words[i].Clause && t.Stance(evidence.Span{Start: i, End: i + 1}) == evidence.Asserted
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

// changedTo reports whether the sentence of the i-th word goes on from there "to" an accepted answer: "from 20 mg in 2018 to 10 mg".
func (o *retrieval) changedTo(t *evidence.Text, i int) bool {
	end := t.Sentences[t.Words[i].Sentence].Words.End
	for _, a := range o.answer.accept {
		for _, m := range t.Find(a.words) {
			if m.Start > i && m.End <= end && t.Words[m.Start-1].Fold == "to" {
				return true
			}
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
	start := i // of the clause, before which a label may stand: "Old fee: 180 crowns"
	for start > in.Start && t.Words[start-1].Clause == t.Words[i].Clause {
		start--
	}
	if start > in.Start && strings.HasPrefix(t.Plain[t.Words[start-1].End:], ":") {
		for k := start - 1; k >= max(in.Start, start-3) && t.Words[k].Clause == t.Words[start-1].Clause; k-- {
			if w := t.Words[k].Fold; aged[w] && !o.question[w] {
				return true
			}
		}
	}
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

// ofOld reports whether a word such as "earlier" stands before the i-th in its sentence, beside a word that it does not stand beside in the context: "the
// earlier recommendation, 20 mg, stems from 2018".
func (o *retrieval) ofOld(t *evidence.Text, i int) bool {
	for k := t.Sentences[t.Words[i].Sentence].Words.Start; k+1 < i; k++ {
		if w := t.Words[k].Fold; aged[w] && !o.question[w] && t.Words[k+1].Clause == t.Words[k].Clause {
			pair := []string{w, t.Words[k+1].Fold}
			return !slices.ContainsFunc(o.passages, func(p evidence.Passage) bool { return p.Contains(pair) })
		}
	}
	return false
}

// aged are words of a label by which it is that of what no longer holds.
var aged = set("old older previous previously former formerly earlier past prior outdated repealed original")

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

var reporting = set("says say said mentions mention mentioned claims claim claimed states state stated gives give gave reports reported lists listed according " +
	"names named naming calls called credits credited attributes attributed ascribes ascribed puts dates suggests suggested asserts asserted speaks spoke quotes quoted")

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

// strays returns the words of content that only trap passages have, and neither the question nor an accepted answer.
func (o *retrieval) strays() map[string]bool {
	if len(o.trap) == 0 {
		return nil
	}
	words := map[string]bool{}
	for _, trap := range []bool{true, false} {
		for _, p := range o.c.Context {
			for _, w := range append(evidence.Phrase(p.ID), evidence.Phrase(p.Text)...) {
				if o.trap[p.ID] == trap {
					words[w] = trap && !evidence.Stop[w] && !o.question[w] && !o.named[w]
				}
			}
		}
	}
	return words
}

// choosing are verbs by which a text says whom it believes, some with what belongs to them.
var choosing = map[string]string{"follow": "", "trust": "", "choose": "", "prefer": "", "believe": "", "go": "with", "side": "with", "rely": "on", "opt": "for", "stick": "to"}

// follows reports whether a text says that it follows a trap passage, by its name or a word that only such a passage has: "I follow the brochure".
func (o *retrieval) follows(t *evidence.Text) bool {
	for i := 1; i+1 < len(t.Words); i++ {
		with, ok := choosing[t.Words[i].Fold]
		if !ok || with != "" && t.Words[i+1].Fold != with {
			continue
		}
		subject := i - 1
		for subject > 0 && (t.Words[subject].Fold == "would" || t.Words[subject].Fold == "will" || t.Words[subject].Fold == "therefore" || t.Words[subject].Fold == "am") {
			subject--
		}
		if w := t.Words[subject].Fold; w != "i" && w != "we" && w != "let" {
			continue
		}
		for k := i + 1; k < min(len(t.Words), i+7) && t.Words[k].Clause == t.Words[i].Clause; k++ {
			if w := t.Words[k].Fold; o.astray[w] {
				return true
			} else if w == "over" || w == "than" || w == "not" || w == "rather" {
				break
			}
		}
	}
	return false
}

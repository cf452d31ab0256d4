package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/evidence"
)

// polarQuestion are the words that open a question to which yes or no is an answer.
var polarQuestion = map[string]bool{
	"is": true, "are": true, "was": true, "were": true, "am": true, "do": true, "does": true, "did": true, "can": true, "could": true, "has": true, "have": true, "had": true,
	"will": true, "would": true, "should": true, "may": true, "might": true, "must": true, "shall": true,
}

// wordsOfTruth speak of the statement that a question is about and are no part of it; those that are true here turn it over.
var wordsOfTruth = map[string]bool{
	"true": false, "right": false, "correct": false, "case": false, "really": false, "actually": false, "indeed": false,
	"false": true, "wrong": true, "incorrect": true, "untrue": true,
}

// imply returns what the accepted answers say to a question that admits yes or no: by the word with which one opens or ends ("…, so no");
// else yes where one states what the question asks about, and no where a rejected answer does; turned over where the question
// asks whether it is false. It is noPolarity where that cannot be read, or accepted answers disagree.
func (o *exact) imply() polarity {
	q := evidence.Read(o.c.Prompt)
	admits := false
	for _, s := range q.Sentences {
		admits = admits || s.Question && polarQuestion[q.Words[s.Words.Start].Fold]
	}
	if !admits {
		return noPolarity
	}
	said := noPolarity
	for _, t := range o.accept {
		p := spoken(t.text)
		if p == noPolarity || p == said {
			continue
		}
		if said != noPolarity {
			return noPolarity
		}
		said = p
	}
	if said != noPolarity {
		return said
	}
	var content []string
	turned := false
	for _, w := range evidence.Phrase(o.c.Prompt) {
		turns, ofTruth := wordsOfTruth[w]
		turned = turned || turns
		switch {
		case denies(w):
			return noPolarity
		case !ofTruth && !evidence.Stop[w]:
			content = append(content, w)
		}
	}
	states := func(t target) bool {
		for _, w := range content {
			if !slices.Contains(t.words, w) {
				return false
			}
		}
		return len(content) > 0 && !slices.ContainsFunc(t.words, denies)
	}
	switch {
	case slices.ContainsFunc(o.accept, states) == slices.ContainsFunc(o.reject, states):
		return noPolarity
	case slices.ContainsFunc(o.accept, states) != turned:
		return yes
	}
	return no
}

// spoken returns the yes or no with which a text opens or closes: "No, it is Paris", "It is Paris, so no", but not "Dr. No".
func spoken(s string) polarity {
	t := evidence.Read(s)
	if p := polarWord(t.Words[0].Fold); p != noPolarity || len(t.Words) == 1 {
		return p
	}
	last, before := t.Words[len(t.Words)-1], t.Words[len(t.Words)-2]
	if before.Clause == last.Clause && before.Fold != "so" && before.Fold != "is" {
		return noPolarity
	}
	return polarWord(last.Fold)
}

func denies(w string) bool { return w == "not" || w == "never" || w == "no" }

func polarWord(w string) polarity {
	if w == "yes" || w == "no" {
		return polar[w]
	}
	return noPolarity
}

// bare returns what an answer says that is a yes or no and nothing else of content: "No.", "No, it isn't."
func bare(t *evidence.Text, question map[string]bool) polarity {
	if len(t.Words) == 0 || len(t.Words) > 40 {
		return noPolarity
	}
	p := polarWord(t.Words[0].Fold)
	for _, w := range t.Words[1:] {
		if q := polarWord(w.Fold); q != noPolarity && q != p {
			return noPolarity
		}
		if _, ofTruth := wordsOfTruth[w.Fold]; !ofTruth && !question[w.Fold] && !evidence.Stop[w.Fold] && !denies(w.Fold) {
			return noPolarity
		}
	}
	return p
}

// judgePolar reads yes or no: as the marked answer, as the first word, or out of a statement that repeats the question.
func (o *exact) judgePolar(r Reading) Finding {
	verdict := func(p polarity, s evidence.Span) Finding {
		text := map[polarity]string{yes: "yes", no: "no"}[p]
		if p == o.polar {
			return answered(pass("exact: in the accepted set", quoted(r.Slice(s))), text)
		}
		return answered(fail("exact: not in the accepted set", quoted(r.Slice(s))), text)
	}
	if s, ok := r.Answer(); ok {
		for i := s.Start; i < s.End; i++ {
			if p := polar[r.Words[i].Fold]; p != noPolarity {
				if i > s.Start && r.Words[i-1].Fold == "not" {
					p = yes + no - p
				}
				return verdict(p, s)
			}
		}
	}
	for i, w := range r.Words {
		if p := polar[w.Fold]; p != noPolarity {
			if i > 0 && w.Fold == "no" && i+1 < len(r.Words) && r.Words[i+1].Clause == w.Clause && !o.question[r.Words[i+1].Fold] && !evidence.Stop[r.Words[i+1].Fold] {
				break // "it has no divisors"
			}
			if _, none := r.Cue(evidence.Span{Start: i, End: i + 1}, evidence.NotFound, evidence.Unknown, evidence.Corrects); none {
				break // "no such", "no idea"
			}
			if i > 0 && r.Words[i-1].Fold == "not" {
				p = yes + no - p
			}
			return verdict(p, r.Sentences[w.Sentence].Words)
		}
		if w.Sentence > 0 || i > 3 && !evidence.Stop[w.Fold] && !o.question[w.Fold] {
			break
		}
	}
	if p, s, ok := closing(r.Text); ok {
		return verdict(p, s)
	}
	if p, s, ok := concludesIt(r.Text); ok {
		return verdict(p, s)
	}
	if f, ok := o.withheld(r.Text); ok {
		return f
	}
	content := 0
	for w := range o.question {
		if !evidence.Stop[w] {
			content++
		}
	}
	for k := len(r.Sentences) - 1; k >= 0; k-- { // what is said last is concluded
		s := r.Sentences[k]
		shared := map[string]bool{}
		opposite := false // "unstable", asked whether it is stable
		for _, w := range r.Words[s.Words.Start:s.Words.End] {
			for _, not := range []string{"un", "in", "non", "im", "ir", "il"} {
				if rest, ok := strings.CutPrefix(w.Fold, not); ok && len(rest) > 3 && o.question[rest] {
					opposite, shared[rest] = true, true
				}
			}
			if other := antonyms[w.Fold]; other != "" && o.question[other] && !o.question[w.Fold] {
				return verdict(no, s.Words)
			}
			if o.question[w.Fold] && !evidence.Stop[w.Fold] {
				shared[w.Fold] = true
			}
		}
		if s.Question || content == 0 || 2*len(shared) < content && !(len(shared) > 0 && o.repeats(r.Text, s.Words)) {
			if i, ok := o.elliptic(r.Text, s.Words); ok && !s.Question {
				return verdict(no, evidence.Span{Start: s.Words.Start, End: i})
			}
			continue
		}
		if o.deniesIn(r.Text, s.Words) != opposite {
			return verdict(no, s.Words)
		}
		if _, doubt := r.Cue(s.Words, evidence.Hedges, evidence.Evades); !doubt {
			return verdict(yes, s.Words)
		}
	}
	if c, ok := evades(r.Text); ok {
		return hedged(cueEvidence(r.Text, c))
	}
	return unread("exact: neither yes nor no", r.Text)
}

// antonyms are words by which an answer denies another of the question.
var antonyms = map[string]string{"composite": "prime", "odd": "even", "even": "odd", "dead": "alive", "alive": "dead", "closed": "open", "dangerous": "safe"}

// deniesIn reports whether a sentence denies what it shares with the question: in the clause that shares most with it, or by a rejection of the
// whole. "91 is prime, as it has no divisors" does not.
func (o *exact) deniesIn(t *evidence.Text, in evidence.Span) bool {
	shared, most := map[int32]int{}, 0
	concluded := int32(-1)
	for i := in.Start; i < in.End; i++ {
		w := t.Words[i]
		if concluding[w.Fold] && (i == in.Start || t.Words[i-1].Clause != w.Clause) {
			concluded = w.Clause
		}
		if o.question[w.Fold] && !evidence.Stop[w.Fold] {
			shared[w.Clause]++
			most = max(most, shared[w.Clause])
		}
	}
	if shared[concluded] > 0 { // "it can't be divided, so it is prime"
		shared, most = map[int32]int{concluded: 1}, 1
	}
	for _, c := range t.Cues {
		if c.Words.Start < in.Start || c.Words.Start >= in.End {
			continue
		}
		first := t.Words[c.Words.Start]
		own := most == 0 || shared[first.Clause] == most
		switch c.Sense {
		case evidence.Negates:
			if own {
				return true
			}
		case evidence.Rejects:
			if own || first.Fold != "there" && first.Fold != "no" && first.Fold != "only" {
				return true
			}
		}
	}
	return false
}

// repeats reports whether a statement says nothing that the question does not, but for denying it.
func (e *env) repeats(t *evidence.Text, in evidence.Span) bool {
	for _, w := range t.Words[in.Start:in.End] {
		if !e.question[w.Fold] && !evidence.Stop[w.Fold] && !denies(w.Fold) {
			return false
		}
	}
	return true
}

// elliptic returns the end of a clause that denies what the question asks of its name or number and says no more: "1900 is not", "it is not".
func (o *exact) elliptic(t *evidence.Text, in evidence.Span) (int, bool) {
	for i := in.Start; i+2 < in.End; i++ {
		c := t.Plain[t.Words[i].Start]
		opens := i == in.Start && pronouns[t.Words[i].Fold] // "It is not; 7 divides it."
		if !opens && (!o.question[t.Words[i].Fold] || evidence.Stop[t.Words[i].Fold] || !isCapital(c) && (c < '0' || c > '9')) {
			continue
		}
		switch t.Words[i+1].Fold {
		case "is", "was", "does", "did", "has", "are", "were", "'s":
			if t.Words[i+2].Fold == "not" && (i+3 == in.End || t.Words[i+3].Clause != t.Words[i+2].Clause) {
				return i + 3, true
			}
		}
	}
	return 0, false
}

// concludesIt reads a clause that concludes of what the question asks about that it is or is not so, and says no more: "so it is not". The last counts.
func concludesIt(t *evidence.Text) (polarity, evidence.Span, bool) {
	for i := len(t.Words) - 3; i > 0; i-- {
		if !concluding[t.Words[i].Fold] || t.Words[i-1].Clause == t.Words[i].Clause || !pronouns[t.Words[i+1].Fold] {
			continue
		}
		end := i + 2
		for end < len(t.Words) && t.Words[end].Clause == t.Words[i].Clause {
			end++
		}
		switch t.Words[i+2].Fold {
		case "is", "'s", "was", "does", "did", "has", "can", "are", "were":
			switch {
			case end == i+3:
				return yes, evidence.Span{Start: i, End: end}, true
			case end == i+4 && t.Words[i+3].Fold == "not":
				return no, evidence.Span{Start: i, End: end}, true
			}
		}
	}
	return noPolarity, evidence.Span{}, false
}

// closing reads a yes or no that ends a sentence behind "so", "hence" or "is": "none divides it, so yes". The last one counts.
func closing(t *evidence.Text) (polarity, evidence.Span, bool) {
	for k := len(t.Sentences) - 1; k >= 0; k-- {
		s := t.Sentences[k]
		i := s.Words.End - 1
		if s.Question || i == s.Words.Start {
			continue
		}
		if p := polarWord(t.Words[i].Fold); p != noPolarity {
			switch before := t.Words[i-1].Fold; {
			case concluding[before], before == "is" && i > 1 && t.Words[i-2].Fold == "answer":
				return p, s.Words, true
			}
		}
	}
	return noPolarity, evidence.Span{}, false
}

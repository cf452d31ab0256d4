package reading

import (
	"slices"
	"strings"

	"hallmark/internal/text/evidence"
)

// A Polarity is what an answer says to a question that yes or no answers.
type Polarity int8

// The polarities.
const (
	NoPolarity Polarity = iota
	Yes
	No
)

// String returns yes, no or nothing.
func (p Polarity) String() string { return [...]string{"", "yes", "no"}[p] }

// PolarWord returns the polarity that a word has alone: yes, indeed, nope.
func PolarWord(fold string) Polarity {
	switch {
	case Is(fold, "yes"):
		return Yes
	case Is(fold, "no"):
		return No
	}
	return NoPolarity
}

// A Said is one place where a text says yes or no.
type Said struct {
	Polarity
	Words evidence.Span
	Plain bool // by a word for it, so that no statement need be read
	Opens bool // the sentence opens with that word: "No, …", but not "EEA member: yes"
	// Share is how much of the question a statement repeats, or of a short one is the question's; 1 for words and
	// short forms.
	Share     float64
	Short     bool          // by a short form: "it is"
	Told      evidence.Span // of a statement, the clause that tells
	Mark      bool          // by a mark behind its words: "EU member? ✘"
	Predicate float64       // the share of the question's words behind its first that the telling clause has
	Tail      bool          // it has the question's last word of content
	Headed    bool          // it has the question's first word of content, or opens with a pronoun for it
	Fresh     int           // how many of its words of content are not the question's
	OtherName bool          // the telling clause has a name that is not the question's, and lacks one that is
	// Turns: a word for the opposite of one of the question tells: higher for lower, prohibited for allowed.
	Turns bool
}

// Firm reports whether it answers the question by itself: by a word, a short form, or a statement that has the subject
// and most of the predicate of the question.
func (s Said) Firm() bool { return s.Plain || s.Short || s.Headed && s.Predicate >= .6 }

const (
	polarSentences = 24 // looked at from the beginning, and as many from the end
	shortStatement = 8  // words
)

// Polarities returns where a text says yes or no, in order: by a word that opens a sentence, ends it or is marked
// as the answer, by a short form ("it is", "they don't"), or by a statement in words of the question.
func Polarities(t *evidence.Text, q *Question) (said []Said) {
	if s, ok := t.Answer(); ok && PolarWord(t.Words[s.Start].Fold) != NoPolarity {
		return []Said{{Polarity: PolarWord(t.Words[s.Start].Fold), Words: s, Plain: true, Share: 1, Told: s}}
	}
	n, from := len(t.Sentences), 0
	for _, c := range t.Cues { // what goes before is taken back: "yes, they are – scratch that: they are not"
		if c.Sense == evidence.Corrects && c.Words.End < len(t.Words) {
			from = c.Words.End
		}
	}
	for i, s := range t.Sentences {
		if s.Words.End <= from {
			continue
		}
		if p := mark(t, s.Words); p != NoPolarity {
			m := statement(t, s.Words, q)
			m.Polarity, m.Mark = p, true
			said = append(said, m)
			continue
		}
		if s.Question && n > 1 || i >= polarSentences && i < n-polarSentences {
			continue
		}
		in := evidence.Span{Start: max(from, s.Words.Start), End: s.Words.End}
		if p := word(t, in); p != NoPolarity {
			opens := PolarWord(t.Words[opening(t, in)].Fold) != NoPolarity
			said = append(said, Said{Polarity: p, Words: in, Plain: true, Opens: opens, Share: 1, Told: in})
		} else if s := statement(t, in, q); s.Polarity != NoPolarity {
			said = append(said, s)
		}
	}
	return said
}

// word returns what a sentence says by a word for it: "Yes, …", "No.", "Not since 2006", "Certainly not", "I
// believe so".
func word(t *evidence.Text, s evidence.Span) Polarity {
	first := opening(t, s)
	at := func(i int) string { // in the clause of the first
		if i >= s.End || t.Words[i].Clause != t.Words[first].Clause {
			return ""
		}
		return t.Words[i].Fold
	}
	w, behind := at(first), first+1
	next, p := at(behind), PolarWord(w)
	if phrase := PolarWord(w + " " + next); phrase != NoPolarity {
		p, behind = phrase, first+2
	}
	denied := Is(at(behind), "negator") && !Is(at(behind+1), "limiting")
	bids := w == "do" && !Is(t.Fold(first-1), "speaker") // but not "I do not"
	switch {
	case denied && (p == Yes || bids), Is(w, "negator") && (next == "" || w == "not" && !Is(next, "limiting")):
		return No
	case p == Yes || p == No && (next == "" || behind > first+1 || Is(next, "pronoun")):
		return p
	}
	if p := closing(t, s, first); p != NoPolarity {
		return p
	}
	return aside(t, s)
}

// mark returns what a mark behind the words of a sentence says: a tick or a cross.
func mark(t *evidence.Text, s evidence.Span) Polarity {
	end := len(t.Plain)
	if s.End < len(t.Words) {
		end = t.Words[s.End].Start
	}
	behind, _, _ := strings.Cut(t.Plain[t.Words[s.End-1].End:end], "\n")
	switch {
	case strings.ContainsAny(behind, "✘✗❌✖"):
		return No
	case strings.ContainsAny(behind, "✔✓✅☑"):
		return Yes
	}
	return NoPolarity
}

// closing returns what the last word of a sentence says: "That is correct", "…, so yes", "sorry, but no".
func closing(t *evidence.Text, s evidence.Span, first int) Polarity {
	if s.End-s.Start == 1 {
		return NoPolarity
	}
	switch opens := t.Words[first]; {
	case opens.Fold == "so" && first > s.Start && // I believe so
		(first+1 == s.End || t.Words[first+1].Clause != opens.Clause):
		return Yes
	case opens.Fold == "none" && s.End-first <= 3: // none at all
		return No
	}
	before, last := t.Words[s.End-2], t.Words[s.End-1]
	sure := last.Fold == "yes" || Is(last.Fold, "negator") || s.End-first == 3 && Is(t.Words[first].Fold, "pronoun")
	if phrase := PolarWord(before.Fold + " " + last.Fold); phrase != NoPolarity { // I am afraid not
		return phrase
	}
	if last.Clause != before.Clause || sure && Is(before.Fold, "concluding", "copula", "contrast") {
		return PolarWord(last.Fold)
	}
	return NoPolarity
}

// opening returns the first word of a sentence behind "well", "actually", "I think" and "but".
func opening(t *evidence.Text, s evidence.Span) int {
	leads := func(w, next string) bool {
		return Is(w, "opener", "guess", "speaker", "contrast") && !Is(w, "yes", "no", "negator") &&
			!(w == "you" && Is(next, "auxiliary"))
	}
	i := s.Start
	for i < s.End-1 && (leads(t.Words[i].Fold, t.Words[i+1].Fold) ||
		Is(t.Words[i].Fold, "concluding", "joining") && Is(t.Words[i+1].Fold, "yes", "no")) {
		i++
	}
	return i
}

// aside returns what a clause of a yes or no alone says, behind others and before its statement: "…, and yes, it was".
func aside(t *evidence.Text, s evidence.Span) Polarity {
	for i := s.Start + 1; i+1 < s.End; i++ {
		w, before := t.Words[i], t.Words[i-1]
		concludes := Is(before.Fold, "concluding")
		if !Is(w.Fold, "yes", "no") || t.Words[i+1].Clause == w.Clause ||
			!concludes && !Is(t.Words[i+1].Fold, "pronoun") {
			continue
		}
		if before.Clause != w.Clause || (concludes || Is(before.Fold, "joining")) &&
			(i < 2 || t.Words[i-2].Clause != w.Clause) {
			return PolarWord(w.Fold)
		}
	}
	return NoPolarity
}

// statement returns what a sentence says of the question as a statement, and how much of the question it repeats.
// Its clause with most words of the question tells, the last of several, or one behind it that is a short form or
// opens with a denial: "it is Ankara, not Istanbul". A word that forbids or allows counts as one of the question:
// "it is prohibited".
func statement(t *evidence.Text, s evidence.Span, q *Question) Said {
	held, content, most, first := map[string]bool{}, 0, 0, opening(t, s)
	said := Said{Words: s}
	for in := (evidence.Span{Start: first}); in.Start < s.End; in.Start = in.End {
		c := clauseAt(t, in.Start, s.End, q, held)
		in.End, content = c.end, content+c.content
		denial, short := Is(t.Words[in.Start].Fold, "negator"), isShort(t, in.Start, in.End, q)
		if short || c.count > 0 && (c.count >= most || denial) {
			if said.Polarity, most = Yes, max(most, c.count); c.denied != c.turned {
				said.Polarity = No
			}
			said.Told, said.Turns = in, c.turned
			said.align(t, q)
		}
		if short && (in.Start == first || in.End == s.End) {
			said.Share, said.Short = 1, true
			return said
		}
	}
	share := float64(len(held)) / float64(max(1, len(q.stems)))
	if s.End-s.Start <= shortStatement {
		share = max(share, float64(most)/float64(max(1, content)))
	}
	said.Share = min(1, share)
	return said
}

// A clause is what is seen of one.
type clause struct {
	end            int
	count, content int  // words of the question, and of content
	denied, turned bool // by a negator, and by words for the opposite
}

// clauseAt reads the clause that begins with the word at start, and adds the question's words in it to held.
func clauseAt(t *evidence.Text, start, most int, q *Question, held map[string]bool) (c clause) {
	for c.end = start; c.end < most && t.Words[c.end].Clause == t.Words[start].Clause; c.end++ {
		w := t.Words[c.end].Fold
		stem, opposite := holds(q, w)
		c.denied = c.denied || Is(w, "negator")
		toward := q.ends.Toward(w)
		switch {
		case stem != "":
			held[stem] = true
			c.count++
			c.content++
			c.turned = c.turned != opposite
		case toward != 0 || Is(w, "barring", "granting", "excluding"):
			c.turned = c.turned != (toward < 0 || Is(w, "barring", "excluding"))
			c.count++
		case !evidence.IsStop(w) && !Is(w, "negator"):
			c.content++
		}
	}
	return c
}

// align sees how far the telling clause is the question's statement.
func (s *Said) align(t *evidence.Text, q *Question) {
	s.Headed, s.Tail, s.Fresh, s.Predicate = false, false, 0, 0
	has := map[string]bool{}
	name := false
	for i := s.Told.Start; i < s.Told.End; i++ {
		w := t.Words[i].Fold
		if stem, _ := holds(q, w); stem != "" {
			has[stem] = true
			continue
		}
		name = name || t.Name(i) && i > s.Words.Start
		switch {
		case Is(w, "pronoun") && i-s.Told.Start < 3:
			s.Headed = true
		case !evidence.IsStop(w) && !Is(w, "negator", "opener", "auxiliary", "preposition", "article", "concluding",
			"joining", "cut"):
			s.Fresh++
		}
	}
	for i, w := range q.order {
		switch {
		case !has[w]:
		case i == 0:
			s.Headed = true
		case i == len(q.order)-1:
			s.Tail = true
			fallthrough
		default:
			s.Predicate += 1 / float64(len(q.order)-1)
		}
	}
	s.OtherName = name && slices.ContainsFunc(q.names, func(w string) bool { return !has[w] })
}

// holds returns the stem of the question's word that a word is, or is the opposite of: unstable. It is empty where
// it is none.
func holds(q *Question, w string) (stem string, opposite bool) {
	for _, part := range [...]string{"", "un", "in", "im", "non"} {
		if word := strings.TrimPrefix(w, part); (part == "" || word != w) && q.Holds(word) {
			return Stem(word), part != ""
		}
	}
	return "", false
}

// isShort reports whether a clause is a short form: "it is", "so they do not", "it can and often does", "that is a
// myth".
func isShort(t *evidence.Text, start, end int, q *Question) bool {
	for start < end && Is(t.Words[start].Fold, "concluding", "cut") {
		start++
	}
	first := t.Words[min(start, len(t.Words)-1)].Fold
	person := first == "you" && (q.words["you"] || q.words["i"] || q.words["we"] || q.words["one"] ||
		Is(t.Fold(start+1), "can"))
	if end-start < 2 || end-start > 5 || !Is(first, "pronoun") && !person {
		return false
	}
	for _, w := range t.Words[start+1 : end] {
		if !Is(w.Fold, "auxiliary", "copula", "negator", "opener", "article", "joining", "barring", "granting", "yes") {
			return false
		}
	}
	return true
}

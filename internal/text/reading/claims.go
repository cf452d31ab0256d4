// Package reading turns the text of an answer into claims: the words that it gives, or might give, as what the
// question asks for, with how it puts them forward. It knows no gold: which claim is right is for deciders to say.
package reading

import (
	"slices"
	"strings"

	"hallmark/internal/text/evidence"
)

// A Role is how a text puts words forward as its answer. Later ones are weaker.
type Role uint8

// The roles.
const (
	Marked Role = iota // called the answer: in a box, after "Answer:", after "the answer is"
	Bare               // the whole of a short text
	// behind a verb whose subject is "it" or the question's words: "it is X", "the capital of Peru is X"
	Complement
	Subject  // before a verb of the question: "X is the capital of Peru", "X painted it"
	Agent    // behind the question's verb and "by": "was painted by X"
	Label    // behind a label of the question's words: "Capital: X"
	Guessed  // behind "I think", "I'd say", "I'm going with"
	Object   // right behind a word of the question: "plants take in X", "it is called X"
	Oblique  // behind the preposition that the question asks by: "died on X"
	Fragment // a line or sentence without a verb
	Bold     // in bold type
	Roles    // how many there are
)

// A Claim is a stretch of words put forward as the answer.
type Claim struct {
	Words  evidence.Span
	Role   Role
	Stance evidence.Stance
}

const (
	maxSentences = 64 // looked at from the beginning, and as many from the end
	maxClaims    = 96
	bareWords    = 8 // a text of so many words or fewer without a verb is its answer
	headWords    = 7 // of a label before a colon
	// of a phrase: no answer of interest is longer, and long texts take time in proportion to their words
	phraseWords = 60
)

// A reader collects the claims of one text.
type reader struct {
	t      *evidence.Text
	q      *Question
	claims []Claim
}

// Claims returns the claims of a text in order, at most 96. A stretch that is put forward in two roles is there twice.
func Claims(t *evidence.Text, q *Question) []Claim {
	r := &reader{t: t, q: q}
	if s, ok := t.Answer(); ok {
		r.add(s, Marked)
	}
	n := len(t.Sentences)
	for i, s := range t.Sentences {
		if !s.Question && (i < maxSentences || i >= n-maxSentences) {
			r.sentence(s.Words)
		}
	}
	for _, b := range t.Bold {
		if s := t.Within(b); s.Start < s.End && s.End-s.Start <= bareWords {
			r.add(s, Bold)
		}
	}
	slices.SortStableFunc(r.claims, func(a, b Claim) int { return a.Words.Start - b.Words.Start })
	return r.claims
}

// add puts a stretch forward: cut at the first word that opens another clause, without what leads to it.
func (r *reader) add(s evidence.Span, role Role) {
	for s.Start < s.End && Is(r.t.Fold(s.Start), "opener", "preposition", "article", "negator") {
		s.Start++
	}
	if s.Start >= s.End || len(r.claims) >= maxClaims {
		return
	}
	end := s.Start + 1
	for end < s.End && end-s.Start < phraseWords && !r.breaks(end) {
		end++
	}
	s.End = end
	r.claims = append(r.claims, Claim{s, role, r.t.Stance(s)})
}

// joined reports whether the i-th word is in the clause of the one before it.
func (r *reader) joined(i int) bool { return r.t.Words[i].Clause == r.t.Words[i-1].Clause }

// mark returns what stands before the i-th word.
func (r *reader) mark(i int) string {
	return r.t.Plain[min(r.t.Words[i-1].End, r.t.Words[i].Start):r.t.Words[i].Start]
}

// breaks reports whether another clause begins with the i-th word: with a word that opens one, or behind a mark, if
// that is not a comma before what may be of a name or of a list of names.
func (r *reader) breaks(i int) bool {
	w := r.t.Fold(i)
	capital := func(k int) bool { c := r.t.Plain[r.t.Words[k].Start]; return c >= 'A' && c <= 'Z' }
	switch {
	case r.joined(i) && capital(i) && capital(i-1): // Doctors Without Borders
		return false
	case Is(w, "cut", "contrast", "negator"),
		w == "and" && Is(r.t.Fold(i+1), "pronoun", "auxiliary", "preposition", "speaker"):
		return true
	case r.joined(i):
		return false
	}
	return strings.TrimSpace(r.mark(i)) != "," || Is(w, "pronoun", "opener", "preposition", "speaker")
}

// sentence looks through one sentence for the places where an answer stands.
func (r *reader) sentence(s evidence.Span) {
	if r.label(s) {
		return
	}
	verb, shared := false, false
	for i := s.Start; i < s.End; i++ {
		w, last := r.t.Fold(i), r.t.Fold(i-1)
		behind := evidence.Span{Start: i + 1, End: s.End}
		switch {
		case Is(w, "copula", "auxiliary"):
			r.verb(s, i)
			verb = true
		case Is(w, "guess") && Is(last, "pronoun", "speaker", "auxiliary"):
			r.add(behind, Guessed)
			verb = true
		case w == "by" && (shared || r.q.Holds(last)):
			r.add(behind, Agent)
		case Is(w, "preposition") && r.q.prep:
			r.add(behind, Oblique)
		case r.q.Holds(w):
			shared, verb = true, r.shared(s, i) || verb
		}
	}
	if !verb {
		r.verbless(s)
	}
}

// shared takes what stands around a word of the question at i: its subject, which it reports, and its object.
func (r *reader) shared(s evidence.Span, i int) (subject bool) {
	if i+1 == s.End {
		return false
	}
	p := r.before(s, i)
	if p.fresh {
		r.add(p.Span, Subject)
	}
	if !r.breaks(i+1) && !r.q.Says(r.t.Fold(i+1)) {
		r.add(evidence.Span{Start: i + 1, End: s.End}, Object)
	}
	return p.fresh
}

// verbless takes a short sentence without a verb, unless it is a heading: a line that says nothing but two or more
// words of the question, where others follow.
func (r *reader) verbless(s evidence.Span) {
	if s.End-s.Start > bareWords {
		return
	}
	p, role := r.look(s), Fragment
	if s.Start == 0 {
		role = Bare
	}
	if heading := p.held > 1 && !p.fresh && s.End < len(r.t.Words); !heading {
		r.add(s, role)
	}
}

// A phrase is what stands before a verb.
type phrase struct {
	evidence.Span
	held    int  // words of the question
	fresh   bool // it has a word of content that the question lacks
	pronoun bool
}

// look looks at the words of a stretch.
func (r *reader) look(s evidence.Span) phrase {
	p := phrase{Span: s}
	for k := s.Start; k < s.End; k++ {
		w := r.t.Fold(k)
		switch {
		case r.q.Holds(w):
			p.held++
		case Is(w, "pronoun"):
			p.pronoun = true
		case !evidence.IsStop(w) && !Is(w, "opener", "preposition", "article", "auxiliary", "guess"):
			p.fresh = true
		}
	}
	return p
}

// before returns the phrase that ends before the i-th word: behind the last mark or opening word.
func (r *reader) before(s evidence.Span, i int) phrase {
	k := i
	for k > s.Start && i-k < phraseWords && !r.breaks(k) {
		k--
	}
	if Is(r.t.Fold(k), "cut") {
		k++
	}
	return r.look(evidence.Span{Start: k, End: i})
}

// label takes "Capital: X", "Capital | X" and "Capital – X", where the words before the mark are of the question.
func (r *reader) label(s evidence.Span) bool {
	i := s.Start + 1
	for i < s.End && i-s.Start <= headWords && r.joined(i) {
		i++
	}
	head := evidence.Span{Start: s.Start, End: i}
	if i >= s.End || r.joined(i) || !strings.ContainsAny(r.mark(i), ":|=–—") || r.look(head).held == 0 {
		return false
	}
	r.add(evidence.Span{Start: i, End: s.End}, Label)
	return true
}

// verb takes what a verb of being or doing at i joins: "it is X", "the capital is X", "X is the capital", "X did".
func (r *reader) verb(s evidence.Span, i int) {
	being, doing := Is(r.t.Fold(i), "copula"), Is(r.t.Fold(i), "does")
	p := r.before(s, i)
	switch {
	case p.fresh && (doing || being && r.look(evidence.Span{Start: i + 1, End: min(s.End, i+phraseWords)}).held > 0):
		r.add(p.Span, Subject)
	case being && (p.held > 0 || p.pronoun && !p.fresh):
		r.add(evidence.Span{Start: i + 1, End: s.End}, Complement)
	}
}

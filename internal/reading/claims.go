// Package reading turns the text of an answer into claims: the words that it
// gives, or might give, as what the question asks for, with how it puts them
// forward. It knows no gold: which claim is right is for deciders to say.
package reading

import (
	"slices"
	"strings"

	"hallmark/internal/evidence"
)

// A Role is how a text puts words forward as its answer. Later ones are weaker.
type Role uint8

// The roles.
const (
	Marked     Role = iota // called the answer: in a box, after "Answer:", after "the answer is"
	Bare                   // the whole of a short text
	Complement             // behind a verb whose subject is "it" or the question's words: "it is X", "the capital of Peru is X"
	Subject                // before a verb of the question: "X is the capital of Peru", "X painted it"
	Agent                  // behind the question's verb and "by": "was painted by X"
	Label                  // behind a label of the question's words: "Capital: X"
	Guessed                // behind "I think", "I'd say", "I'm going with"
	Object                 // right behind a word of the question: "plants take in X", "it is called X"
	Oblique                // behind the preposition that the question asks by: "died on X"
	Fragment               // a line or sentence without a verb
	Bold                   // in bold type
	Roles                  // how many there are
)

// A Claim is a stretch of words put forward as the answer.
type Claim struct {
	Words  evidence.Span
	Role   Role
	Stance evidence.Stance
	// Indefinite: "a" or "an" stands before it, so that it says of what kind something is.
	Indefinite bool
}

const (
	maxSentences = 64 // looked at from the beginning, and as many from the end
	maxClaims    = 96
	bareWords    = 8 // a text of so many words or fewer without a verb is its answer
	headWords    = 7 // of a label before a colon
	clauseWords  = 4 // by which a clause shows that it is one
)

// A reader collects the claims of one text.
type reader struct {
	t      *evidence.Text
	q      *Question
	claims []Claim
}

// Claims returns the claims of a text in the order of the text, at most 96. A stretch that is put forward in two roles is there twice.
func Claims(t *evidence.Text, q *Question) []Claim {
	r := &reader{t: t, q: q}
	if s, ok := t.Answer(); ok {
		r.add(s, Marked)
	}
	n := len(t.Sentences)
	for i, s := range t.Sentences {
		if i >= maxSentences && i < n-maxSentences || s.Question && !(n == 1 && s.Words.End-s.Words.Start <= bareWords) {
			continue
		}
		r.sentence(s.Words)
	}
	for _, b := range t.Bold {
		if s := t.Within(b); s.Start < s.End && s.End-s.Start <= bareWords {
			r.add(s, Bold)
		}
	}
	slices.SortStableFunc(r.claims, func(a, b Claim) int { return a.Words.Start - b.Words.Start })
	return r.claims
}

func (r *reader) word(i int) string { return r.t.Words[i].Fold }

// add puts a stretch forward: cut at the first word that opens another clause, without what leads to it.
func (r *reader) add(s evidence.Span, role Role) {
	if role == Complement { // "it was painted by X", "it is found in X": what the question's verb leads to
		for k := s.Start; k+1 < s.End && (r.q.Holds(r.word(k)) || is(r.word(k), opener)); k++ {
			if is(r.word(k+1), preposition) {
				s.Start = k + 2
				break
			}
		}
	}
	indefinite := s.Start < s.End && (r.word(s.Start) == "a" || r.word(s.Start) == "an")
	for s.Start < s.End && (is(r.word(s.Start), opener|preposition|article|negator) || r.hedges(s.Start)) {
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
	r.claims = append(r.claims, Claim{s, role, r.t.Stance(s), indefinite})
}

func (r *reader) hedges(i int) bool {
	return is(r.word(i), hedge) && !is(r.word(i), opener) && i+1 < len(r.t.Words)
}

// breaks reports whether another clause begins with the i-th word: behind a mark that is not inside a name or list of names, or with a
// word that opens one.
func (r *reader) breaks(i int) bool {
	if is(r.word(i), cut|contrast|negator) || r.word(i) == "and" && i+1 < len(r.t.Words) && (is(r.word(i+1), pronoun|auxiliary|modal|preposition) || r.word(i+1) == "i") {
		return true
	}
	if r.t.Words[i].Clause == r.t.Words[i-1].Clause {
		return false
	}
	between := r.t.Plain[min(r.t.Words[i-1].End, r.t.Words[i].Start):r.t.Words[i].Start]
	if strings.TrimSpace(between) != "," {
		return true
	}
	// Behind a comma a name or a list goes on, or a statement begins: it has a verb or a subject of its own.
	for k := i; k < len(r.t.Words) && k < i+clauseWords && (k == i || r.t.Words[k].Clause == r.t.Words[k-1].Clause); k++ {
		if w := r.word(k); is(w, pronoun|auxiliary|copula|modal|opener|preposition) && !is(w, particle) || evidence.Stop[w] && !is(w, particle|article) || w == "to" {
			return true
		}
	}
	return false
}

// sentence looks through one sentence for the places where an answer stands.
func (r *reader) sentence(s evidence.Span) {
	if r.label(s) {
		return
	}
	verb, shared := false, false
	for i := s.Start; i < s.End; i++ {
		w := r.word(i)
		switch {
		case is(w, copula|modal) || is(w, does) || is(w, auxiliary):
			if is(w, copula) || is(w, does) {
				r.copula(s, i)
			}
			verb = true
		case is(w, guess) && i > s.Start && is(r.word(i-1), pronoun|auxiliary|modal) || is(w, guess) && i > s.Start && (r.word(i-1) == "i" || r.word(i-1) == "am"):
			r.add(evidence.Span{Start: i + 1, End: s.End}, Guessed)
			verb = true
		case is(w, agent) && i+1 < s.End && i > s.Start && (r.q.Holds(r.word(i-1)) || shared):
			r.add(evidence.Span{Start: i + 1, End: s.End}, Agent)
		case is(w, preposition) && r.q.Prep && i+1 < s.End:
			r.add(evidence.Span{Start: i + 1, End: s.End}, Oblique)
		case r.q.Holds(w):
			if i > s.Start && i+1 < s.End && r.opens(s, i) {
				r.add(evidence.Span{Start: r.phraseStart(s, i), End: i}, Subject)
				verb = true
			}
			if i+1 < s.End && !r.breaks(i+1) && !r.q.Says(r.word(i+1)) {
				r.add(evidence.Span{Start: i + 1, End: s.End}, Object)
			}
			shared = true
		}
	}
	if !verb && s.End-s.Start <= bareWords {
		role := Fragment
		if len(r.t.Sentences) == 1 || s.Start == 0 {
			role = Bare
		}
		r.add(s, role)
	}
}

// phraseWords bounds a phrase: no answer of interest is longer, and long texts take time in proportion to their words.
const phraseWords = 60

// opens reports whether nothing but one phrase stands before the i-th word in its sentence, and part of it is not of the question.
func (r *reader) opens(s evidence.Span, i int) bool {
	fresh := false
	for k := r.phraseStart(s, i); k < i; k++ {
		w := r.word(k)
		if is(w, copula|modal|cut) {
			return false
		}
		fresh = fresh || !r.q.Says(w) && !evidence.Stop[w] && !is(w, pronoun|auxiliary)
	}
	return fresh
}

// phraseStart returns where the phrase that ends before the i-th word begins: behind the last mark or opening word.
func (r *reader) phraseStart(s evidence.Span, i int) int {
	k := i
	for k > s.Start && i-k < phraseWords && !r.breaks(k) && !is(r.word(k-1), cut) {
		k--
	}
	if is(r.word(k), cut) && k < i {
		k++
	}
	return k
}

// label takes "Capital: X", "Capital | X" and "Capital – X", where the words before the mark are of the question.
func (r *reader) label(s evidence.Span) bool {
	for i := s.Start + 1; i < s.End && i-s.Start <= headWords; i++ {
		if r.t.Words[i].Clause == r.t.Words[i-1].Clause {
			continue
		}
		between := r.t.Plain[min(r.t.Words[i-1].End, r.t.Words[i].Start):r.t.Words[i].Start]
		if !strings.ContainsAny(between, ":|=") && !strings.Contains(between, "–") && !strings.Contains(between, "—") {
			return false
		}
		shared := 0
		for k := s.Start; k < i; k++ {
			switch w := r.word(k); {
			case r.q.Holds(w):
				shared++
			case is(w, copula|modal|does):
				return false
			}
		}
		if shared == 0 {
			return false
		}
		r.add(evidence.Span{Start: i, End: s.End}, Label)
		return true
	}
	return false
}

// copula takes what a verb of being or doing at i joins: "it is X", "the capital is X", "X is the capital", "X did".
func (r *reader) copula(s evidence.Span, i int) {
	from := r.phraseStart(s, i)
	shared, fresh, pro := false, false, false
	for k := from; k < i; k++ {
		switch w := r.word(k); {
		case r.q.Holds(w):
			shared = true
		case is(w, pronoun):
			pro = true
		case !evidence.Stop[w] && !r.q.Says(w) && !is(w, opener|preposition|article):
			fresh = true
		}
	}
	behind := false
	for k := i + 1; k < min(s.End, i+phraseWords) && !behind; k++ {
		behind = r.q.Holds(r.word(k))
	}
	switch {
	case fresh && (behind || is(r.word(i), does) && !is(r.word(i), copula)):
		r.add(evidence.Span{Start: from, End: i}, Subject)
	case (pro || shared) && !fresh && i+1 < s.End && is(r.word(i), copula):
		r.add(evidence.Span{Start: i + 1, End: s.End}, Complement)
	case shared && fresh && i+1 < s.End && is(r.word(i), copula):
		r.add(evidence.Span{Start: i + 1, End: s.End}, Complement)
	}
}

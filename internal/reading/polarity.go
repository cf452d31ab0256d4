package reading

import "hallmark/internal/evidence"

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
	case is(fold, yesWord):
		return Yes
	case is(fold, noWord):
		return No
	}
	return NoPolarity
}

// A Said is one place where a text says yes or no. Plain is where a word for it stands, so that no reading of a statement is needed.
type Said struct {
	Polarity
	Words evidence.Span
	Plain bool
}

// statementShare is how much of the question's content a statement repeats to count as an answer to it.
const statementShare = .6

// Polarities returns where a text says yes or no, in order: by a word that opens a sentence or is marked as the answer, by a short form
// ("it is", "they don't"), or by a statement in the question's words.
func Polarities(t *evidence.Text, q *Question) (said []Said) {
	if s, ok := t.Answer(); ok {
		if p := PolarWord(t.Words[s.Start].Fold); p != NoPolarity {
			return []Said{{p, s, true}}
		}
	}
	for n, s := range t.Sentences {
		if s.Question && len(t.Sentences) > 1 || n > 0 && len(said) > 0 && n > 3 {
			continue
		}
		w := s.Words
		first := w.Start
		for first < w.End-1 && (is(t.Words[first].Fold, opener|hedge|guess) || t.Words[first].Fold == "i" || is(t.Words[first].Fold, contrast) && PolarWord(t.Words[first].Fold) == NoPolarity) {
			first++
		}
		p := PolarWord(t.Words[first].Fold)
		alone := first+1 == w.End || t.Words[first+1].Clause != t.Words[first].Clause
		switch {
		case p != NoPolarity && (alone || p == Yes || first+1 < w.End && is(t.Words[first+1].Fold, pronoun)):
			said = append(said, Said{p, w, true})
		case w.End-first >= 2 && w.End-first <= shortForm(t, w, first) && is(t.Words[first].Fold, pronoun) && is(t.Words[first+1].Fold, auxiliary|modal|does|copula):
			said = append(said, Said{negated(t, evidence.Span{Start: first, End: w.End}), w, false})
		case len(said) == 0 && repeats(t, w, q) >= statementShare && t.Stance(w) <= evidence.Uncertain:
			said = append(said, Said{negated(t, w), w, false})
		}
	}
	return said
}

// shortForm returns how many words a short form may have: "it is", "no they do not", up to the first mark.
func shortForm(t *evidence.Text, w evidence.Span, first int) int {
	end := first
	for end < w.End && t.Words[end].Clause == t.Words[first].Clause {
		end++
	}
	if end-first <= 4 {
		return w.End
	}
	return 0
}

// negated returns No where the first clause of the words denies.
func negated(t *evidence.Text, s evidence.Span) Polarity {
	for i := s.Start; i < s.End && t.Words[i].Clause == t.Words[s.Start].Clause; i++ {
		if is(t.Words[i].Fold, negator) {
			return No
		}
	}
	return Yes
}

// repeats returns the share of the question's words of content that stand in the words, in some form.
func repeats(t *evidence.Text, s evidence.Span, q *Question) float64 {
	held := map[string]bool{}
	for i := s.Start; i < s.End; i++ {
		if q.Holds(t.Words[i].Fold) {
			held[Stem(t.Words[i].Fold)] = true
		}
	}
	return float64(len(held)) / float64(max(1, len(q.stems)))
}

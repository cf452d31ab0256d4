package guard

import (
	"slices"
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/quotation"
)

// A reading is one answer as the guard reads it.
type reading struct {
	from     string
	text     string
	t        *evidence.Text
	declines bool // withholds an answer
	asks     bool // asks back
	rejects  bool // says that what the question takes for granted is not so
	apart    bool // answers for each of several cases, told apart
	says     string
	cites    []quotation.Citation
	cited    map[int]bool // words of citations
	content  []string     // the words of content that the question does not hold, without citations, in order
	// of these what can be held against a text: all in a short answer, names and numbers in a long one
	claims []string
	key    string // the answer in the form in which answers are compared
}

// Answers to a yes-or-no question.
const (
	yes = "yes"
	no  = "no"
)

// read reads an answer to the question.
func (q *query) read(from, text string) *reading {
	r := &reading{from: from, text: text, t: evidence.Read(text), cited: map[int]bool{}}
	_, r.declines = r.t.Declines()
	if !r.declines {
		_, r.asks = r.t.Asks()
	}
	_, r.rejects = r.t.Cue(r.t.Whole(), evidence.Rejects)
	_, refutes := r.t.Refutes(q.words)
	r.rejects = r.rejects || refutes
	r.cites = q.citations(r.t)
	for _, c := range r.cites {
		for i := c.Words.Start; i < c.Words.End; i++ {
			r.cited[i] = true
		}
	}
	q.content(r)
	r.apart = len(r.content) > 1 && apartPattern.MatchString(last(r.t.Plain, 4000))
	for _, w := range r.t.Words[:min(len(r.t.Words), 3)] {
		if r.says = saying[w.Fold]; r.says != "" {
			break
		}
	}
	r.key = q.keyOf(r)
	return r
}

// saying are the words in which an answer says yes or no.
var saying = map[string]string{yes: yes, "true": yes, "correct": yes, "right": yes, no: no, "not": no, "false": no,
	"incorrect": no, "wrong": no, "untrue": no}

// content finds the words of content of an answer, and its claims.
func (q *query) content(r *reading) {
	for i, w := range r.t.Words {
		if len(r.content) < maxContent && !r.cited[i] && !q.words[w.Fold] && !evidence.IsStop(w.Fold) &&
			!sourcing(w.Fold) {
			r.content = append(r.content, w.Fold)
			if r.t.Name(i) || r.t.Numeral(i) {
				r.claims = append(r.claims, w.Fold)
			}
		}
	}
	if len(r.content) <= shortAnswer {
		r.claims = r.content
	}
}

// keyOf is the form in which an answer is compared.
func (q *query) keyOf(r *reading) string {
	v, isNumber := quantity.Number(last(r.text, evidence.Limit))
	switch {
	case r.declines:
		return "declined"
	case r.asks:
		return "asked"
	case q.sum.value != nil && isNumber:
		return "=" + v.RatString()
	case q.want == yesNo && r.says != "":
		return r.says
	case len(r.content) > shortAnswer && len(r.claims) == 0:
		return "prose"
	}
	return strings.Join(r.claims, " ")
}

// citations returns the citations of a text but for those that stand in a quotation of a passage: "§ 55. Section 25
// is repealed" names section 25 in the words of § 55, and rests on that alone.
func (q *query) citations(t *evidence.Text) []quotation.Citation {
	cites := quotation.Citations(t, q.passages)
	if len(cites) == 0 {
		return nil
	}
	for _, quote := range quotation.Quotes(t) {
		at := strings.Index(t.Plain, quote.Text)
		if at < 0 || len(quotation.Locate(quote, q.passages)) == 0 {
			continue
		}
		cites = slices.DeleteFunc(cites, func(c quotation.Citation) bool {
			return c.Words.Start < c.Words.End && t.Words[c.Words.Start].Start >= at &&
				t.Words[c.Words.End-1].End <= at+len(quote.Text)
		})
	}
	return cites
}

const (
	maxContent  = 64
	shortAnswer = 4 // words of content; what is longer is read as prose
)

var citeNouns = evidence.Listed("citation")

// sourcing reports whether a word names a passage, or says that one says something.
func sourcing(word string) bool {
	word = strings.TrimSuffix(word, "s")
	return citeNouns[word] || word == "context" || word == "say" || word == "hold"
}

// apartPattern finds the words by which an answer tells cases apart.
var apartPattern = pattern.New(`(?is)\bfor the (?:one|first|former)\b.*\bfor the (?:other|second|latter)\b|` +
	`\bif (?:you (?:mean|meant)|it is|this is|the)\b.*\bif (?:you (?:mean|meant)|it is|this is|the)\b|` +
	`\bdepends on (?:which|what|whether)\b.*[;:,]`)

func last(s string, n int) string { return s[max(0, len(s)-n):] }

// abstains reports whether the answer asserts nothing.
func (r *reading) abstains() bool { return r.declines || r.asks }

// holds reports whether the words stand in the answer one after another.
func (r *reading) holds(phrase string) bool {
	words := evidence.Phrase(phrase)
	return len(words) > 0 && len(r.t.Find(words)) > 0
}

// same reports whether two answers say the same: their forms are equal, or what one claims is part of the other's.
// Prose without a name or a number cannot be told apart, and counts as the same.
func same(a, b *reading) bool {
	if a.key == b.key {
		return true
	}
	if a.abstains() || b.abstains() || strings.HasPrefix(a.key, "=") || a.key == yes || a.key == no || b.key == yes ||
		b.key == no {
		return false
	}
	small, large := a.claims, b.claims
	if len(small) > len(large) {
		small, large = large, small
	}
	return len(small) > 0 && containsAll(large, small)
}

// core is the answer without citations and closing marks, where it is short.
func (r *reading) core() string {
	s := strings.TrimSpace(r.text)
	if len(s) > 2000 {
		return excerpt(s)
	}
	for _, c := range r.cites {
		for _, form := range []string{"[" + c.ID + "]", "(" + c.ID + ")"} {
			s = strings.ReplaceAll(s, form, "")
		}
	}
	return strings.TrimRight(strings.TrimSpace(s), ".,;: ")
}

package reading

import (
	"cmp"
	"slices"

	"hallmark/internal/text/evidence"
)

// A Question is what a case asks, made ready for telling which words of an answer are its answer.
type Question struct {
	words map[string]bool // compared forms of all its words
	stems map[string]bool // of those that carry content
	order []string        // those of its default wording, behind the verb that asks: the subject's first
	names []string        // of those, capitalised ones behind its first word
	noun  string          // the word behind "which" or "what": country, year, city; "" where there is none
	ends  Ends            // of scales, of its default wording: lower
	prep  bool            // a preposition stands before "which", "what" or "whom", or "where" and "when" stand for one
	// Warns is 1 where it asks whether something may be done or is safe, -1 where whether it is harmful, else 0.
	Warns int
	// Wh is the first question word: who, where, when, how; "" for a question of yes or no, or an instruction.
	Wh string
	// Counted is the stem of the noun behind "how many", "" where there is none.
	Counted string
	// Polar: it, or its last clause that opens so, begins with an auxiliary verb, so that yes or no answers it.
	Polar bool
	// Negative: it is polar and denies what it asks about, so that "no" may agree with it or contradict it: "Is it
	// not a good idea", "Should you avoid".
	Negative bool
}

// NewQuestion makes the prompts of a case ready: its default wording first.
func NewQuestion(prompts ...string) *Question {
	q := &Question{words: map[string]bool{}, stems: map[string]bool{}}
	for n, p := range prompts {
		words := evidence.Phrase(p)
		for _, w := range words {
			q.words[w] = true
			if !evidence.IsStop(w) {
				q.stems[Stem(w)] = true
			}
		}
		if n == 0 {
			q.ask(words)
			q.ends = EndsOf(words)
			q.Polar, q.Negative = polar(evidence.Read(p))
			q.named(evidence.Read(p))
			for _, w := range words {
				if s := Stem(w); !evidence.IsStop(w) && !slices.Contains(q.order, s) {
					q.order = append(q.order, s)
				}
			}
		}
	}
	return q
}

// named notes the names of a question, and whether it asks for leave.
func (q *Question) named(t *evidence.Text) {
	for i, w := range t.Words {
		switch {
		case i > 0 && t.Name(i):
			q.names = append(q.names, Stem(w.Fold))
		case Is(w.Fold, "leave"), Is(w.Fold, "approving"):
			q.Warns = cmp.Or(q.Warns, 1)
		case Is(w.Fold, "warning"):
			q.Warns = -1
		}
	}
}

// ask reads what is asked for.
func (q *Question) ask(words []string) {
	at := slices.IndexFunc(words, func(w string) bool { return Is(w, "wh") })
	if at < 0 {
		return
	}
	q.Wh = words[at]
	if q.Wh == "how" && at+2 < len(words) && words[at+1] == "many" {
		q.Counted = Stem(words[at+2])
	}
	q.prep = q.Wh == "where" || q.Wh == "when" || at > 0 && Is(words[at-1], "preposition")
	if (q.Wh == "which" || q.Wh == "what") && at+1 < len(words) && !Is(words[at+1], "auxiliary", "article") {
		q.noun = words[at+1]
	}
}

// polar reports whether a question opens with an auxiliary verb: "does it", "in chess, can it"; and whether what
// follows in its main clause or behind "true that" is denied, other than by the verb's own "n't".
func polar(t *evidence.Text) (polar, negative bool) {
	for i, w := range t.Words {
		if Is(w.Fold, "wh") {
			return false, false
		}
		if Is(w.Fold, "auxiliary") && (i == 0 || t.Words[i-1].Clause != w.Clause) {
			return true, denied(t, i)
		}
	}
	return false, false
}

// denied reports whether a question whose auxiliary verb is word i denies its main clause.
func denied(t *evidence.Text, i int) bool {
	for k := i + 1; k < len(t.Words) && t.Words[k].Sentence == t.Words[i].Sentence; k++ {
		switch w := t.Fold(k); {
		case (w == "that" || Is(w, "cut")) && t.Fold(k-1) != "true":
			return false
		case Is(w, "denying") && !Is(t.Fold(k-1), "preposition"): // with no credit
			return t.Words[k].Start > t.Words[i].End // not of "isn't"
		}
	}
	return false
}

// Holds reports whether a word of content of the question has the form, or another of its verb or number.
func (q *Question) Holds(fold string) bool {
	return !evidence.IsStop(fold) && q.stems[Stem(fold)]
}

// Says reports whether the question has the very word.
func (q *Question) Says(fold string) bool { return q.words[fold] }

// AsksTime reports whether the question asks when something was.
func (q *Question) AsksTime() bool {
	return q.Wh == "when" || Is(q.noun, "time") || q.Wh == "" && q.words["year"]
}

// Weight is how many words of content the question has, forms of one counted once.
func (q *Question) Weight() int { return len(q.stems) }

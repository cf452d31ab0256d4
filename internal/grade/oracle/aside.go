package oracle

import (
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
)

// beside reports whether a number, at word i, is said of something else than the answer: in a comparison, as a remainder, as what something else
// would be, or as the step of a change, "falls by 225 to 1274".
func (o *numeric) beside(t *evidence.Text, n evidence.Number, i int) bool {
	s := t.Sentences[t.Words[i].Sentence].Words
	word := func(k int) string {
		if k >= s.Start && k < s.End {
			return t.Words[k].Fold
		}
		return ""
	}
	switch word(s.Start) + " " + word(s.Start+1) {
	case "for comparison", "for reference", "for context", "by comparison", "in comparison":
		return true
	}
	if word(i-1) == "remainder" || word(i+1) == "remainder" || word(i+1) == "with" && word(i+2) == "remainder" || word(i+1) == "r" && strings.Trim(word(i+2), "0123456789") == "" && word(i+2) != "" {
		return true
	}
	first := amountAt(t, i)
	if word(first-1) == "by" {
		behind := strings.TrimLeft(t.Plain[n.End:min(len(t.Plain), n.End+24)], " %")
		if rest, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(behind, n.Unit), " "), "to "); ok && strings.IndexAny(rest, "0123456789$€£¥-") == 0 {
			return true
		}
	}
	return o.supposes(t, i)
}

// supposes reports whether the clause of the i-th word says what would be, and a later one with a number of its own what is: "10 would be
// too much; it's 9", or what one might think: "which would give 78".
func (o *numeric) supposes(t *evidence.Text, i int) bool {
	s := t.Sentences[t.Words[i].Sentence].Words
	would := -1
	for k := s.Start; k < s.End; k++ {
		if t.Words[k].Clause == t.Words[i].Clause && t.Words[k].Fold == "would" {
			would = k
			break
		}
	}
	if would < 0 {
		return false
	}
	if would > s.Start && would < i && t.Words[would-1].Fold == "which" && t.Words[s.Start].Fold == "you" {
		return true
	}
	is, numbered, unreal := false, false, false
	for k := i + 1; k < s.End; k++ {
		w := t.Words[k]
		if w.Clause == t.Words[i].Clause {
			continue
		}
		if k == 0 || t.Words[k-1].Clause != w.Clause {
			is, numbered, unreal = false, false, false
		}
		is = is || isCopula(w.Fold) || w.Fold == "costs"
		numbered = numbered || isDigit(t.Plain[w.Start])
		unreal = unreal || w.Fold == "would"
		if is && numbered && !unreal && (k+1 == s.End || t.Words[k+1].Clause != w.Clause) {
			return true
		}
	}
	return false
}

// keyed returns, of numbers behind keys of their own, "Old price: 1499. New price: 1274.15", the one whose key has most words and numbers of the
// question, of equal ones the last. What a sentence of its own gives behind a colon at the end of several others is the answer, too.
func (o *numeric) keyed(t *evidence.Text, ns []evidence.Number) (evidence.Number, bool) {
	if len(ns) < 2 || strings.Count(t.Plain, ":") == 0 {
		return evidence.Number{}, false
	}
	best, most, keys := -1, 0, 0
	for k, n := range ns {
		head := strings.TrimRight(t.Plain[max(0, n.Start-80):n.Start], " $€£¥-−*")
		key, ok := strings.CutSuffix(head, ":")
		if !ok {
			continue
		}
		keys++
		if cut := strings.LastIndexAny(key, ".;\n|,"); cut >= 0 {
			key = key[cut+1:]
		}
		shared := 0
		for _, w := range evidence.Phrase(key) {
			v, isNumber := answer.Number(w)
			switch {
			case o.question[w], isNumber && o.counts(v.RatString()):
				shared++
				if o.last[w] {
					shared++ // "How much is the tip?"
				}
			default:
				if stem := stemmed(w); stem != w && o.stems[stem] {
					shared++
				}
			}
		}
		if shared >= most && shared > 0 {
			best, most = k, shared
		}
	}
	if keys > 1 && best >= 0 {
		return ns[best], true
	}
	last := ns[len(ns)-1]
	if keys == 1 && len(ns) > 2 && len(t.Sentences) > 1 && strings.HasSuffix(strings.TrimRight(t.Plain[:last.Start], " $€£¥-−*"), ":") && len(strings.Trim(t.Plain[last.End:], " .*!")) <= 12 {
		return last, true
	}
	return evidence.Number{}, false
}

// counts reports whether the question says a number in words.
func (o *numeric) counts(v string) bool {
	for word, digits := range countWords {
		if digits == v && o.question[word] {
			return true
		}
	}
	return false
}

// countWords are small numbers in words.
var countWords = map[string]string{"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "twelve": "12"}

// exactly returns the only number that a text calls exact beside others: "almost 4: 3.75, to be exact".
func exactly(t *evidence.Text, ns []evidence.Number, wordAt func(evidence.Number) int) (evidence.Number, bool) {
	var found []evidence.Number
	for _, n := range ns {
		i := amountAt(t, wordAt(n))
		s := t.Sentences[t.Words[i].Sentence].Words
		word := func(k int) string {
			if k >= s.Start && k < s.End {
				return t.Words[k].Fold
			}
			return ""
		}
		exact := word(i-1) == "exactly" || word(i-1) == "precisely"
		for k := wordAt(n) + 1; k <= wordAt(n)+2 && !exact; k++ {
			exact = word(k) == "to" && word(k+1) == "be" && (word(k+2) == "exact" || word(k+2) == "precise")
		}
		if exact {
			found = append(found, n)
		}
	}
	if len(found) == 1 && len(ns) > 1 {
		return found[0], true
	}
	return evidence.Number{}, false
}

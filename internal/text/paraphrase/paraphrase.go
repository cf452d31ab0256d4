// Package paraphrase says a text in other words by rules, reads paraphrases
// from files and from models' replies, and holds each against the text it is
// to stand for: a filter that keeps what can be read off a text alone, its
// names, numbers, units, negations, quantifiers, and what it asks for. English
// only. It calls no model and draws nothing: all of it is a function of texts.
package paraphrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Version names the rules and the filter; it changes whenever either gives another result for some text, as runs
// are keyed by it.
const Version = "rules/1"

// MaxText bounds a text that is paraphrased and a paraphrase of it, in bytes; what is longer is refused with Long.
const MaxText = 16 << 10

// A Reason says why a paraphrase was not admitted.
type Reason string

// The reasons, in the order in which they are tested.
const (
	Empty Reason = "empty" // it has no letter or digit
	// it, or the text, is too long to be held against the other; or it is many times as long
	Long       Reason = "long"
	Same       Reason = "same"       // it is the text again
	Twice      Reason = "twice"      // it was given already
	Number     Reason = "number"     // a number was dropped, added or changed
	Unit       Reason = "unit"       // a number has another unit
	Name       Reason = "name"       // a name or a date was dropped or added
	Negation   Reason = "negation"   // one of the two denies, the other does not
	Quantifier Reason = "quantifier" // all, only, at least, most, exactly: a bound was dropped, added or changed
	Opposite   Reason = "opposite"   // a word was replaced by its opposite
	Question   Reason = "question"   // it asks for something else
	Swapped    Reason = "swapped"    // two names have changed places
	Content    Reason = "content"    // it shares too few words with the text to be told to mean the same
	Judge      Reason = "judge"      // a judge found that one of the two does not follow from the other
	Unread     Reason = "judge-unread"
)

// Reasons lists the reasons in their order.
var Reasons = []Reason{Empty, Long, Same, Twice, Number, Unit, Name, Negation, Quantifier, Opposite, Question,
	Swapped, Content, Judge, Unread}

// Normal is a text as it is compared for being the same: small letters, single spaces, no marks at the ends of words.
func Normal(s string) string {
	var out strings.Builder
	for w := range strings.FieldsSeq(s) {
		if w = strings.TrimFunc(w, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("%$€£¥#+", r)
		}); w != "" {
			out.WriteString(strings.ToLower(w) + " ")
		}
	}
	return out.String()
}

// admissible are the tests that need no reading of the text. It returns "" where they pass.
func admissible(original, candidate string) (Reason, string) {
	switch {
	case !strings.ContainsFunc(candidate, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }):
		return Empty, "no word in it"
	case len(original) > MaxText:
		return Long, "the text itself is too long to be held against anything"
	case len(candidate) > MaxText || len(candidate) > 4*len(original)+200:
		return Long, "many times as long as the text"
	case !utf8.ValidString(candidate):
		return Empty, "no valid text"
	case Normal(original) == Normal(candidate):
		return Same, "the text again"
	}
	return "", ""
}

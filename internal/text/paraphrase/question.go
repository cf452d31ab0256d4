package paraphrase

import (
	"cmp"
	"fmt"
)

// asks returns what the last question or request of a text asks for: "who", "when", "where", "why", "how many",
// "how much", "whether", "what", or "" where it asks nothing that can be told.
func (f *features) asks() string {
	for s := len(f.t.Sentences) - 1; s >= 0 && s >= len(f.t.Sentences)-3; s-- {
		in := f.t.Sentences[s].Words
		words := f.order[in.Start:in.End]
		found, asked := sought(words), f.t.Sentences[s].Question
		if found != "" && (asked || is(words[0], "requests") ||
			s == len(f.t.Sentences)-1 && is(words[0], "begins")) {
			return found
		}
		if asked && len(words) > 0 && is(words[0], "auxiliaries") {
			return "whether"
		}
	}
	return ""
}

// sought returns what the first word that asks in a sentence asks for, "" where none does.
func sought(words []string) string {
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		found := stands(w, "asked")
		switch {
		case found == "how" && (next == "many" || next == "much"):
			return "how " + next
		case found == "how" && next == "":
			continue
		case found == "what":
			return cmp.Or(stands(next, "sorts"), "what")
		case found != "":
			return found
		}
	}
	return ""
}

// questionsDiffer reports that the two ask for different things. A "what" may stand for any of them, as its noun
// says what is meant.
func questionsDiffer(a, b *features) (Reason, string) {
	x, y := a.asks(), b.asks()
	if x == "" || y == "" || x == y || x == "what" || y == "what" || x == "how" || y == "how" {
		return "", ""
	}
	if x == "how many" && y == "how much" || x == "how much" && y == "how many" {
		return "", ""
	}
	return Question, fmt.Sprintf("one asks %s, the other %s", x, y)
}

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
		if found != "" && (asked || requests[words[0]] || s == len(f.t.Sentences)-1 && begins[words[0]]) {
			return found
		}
		if asked && len(words) > 0 && auxiliaries[words[0]] {
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
		found := seeks[w]
		switch {
		case found == "how" && (next == "many" || next == "much"):
			return "how " + next
		case found == "how" && next == "":
			continue
		case found == "what":
			return cmp.Or(sorts[next], "what")
		case found != "":
			return found
		}
	}
	return ""
}

var (
	seeks = map[string]string{"who": "who", "whom": "who", "whose": "who", "when": "when", "where": "where",
		"why": "why", "whether": "whether", "how": "how", "what": "what", "which": "what"}
	// sorts are the nouns by which a "what" asks for something else.
	sorts = map[string]string{"year": "when", "date": "when", "day": "when", "month": "when", "century": "when",
		"decade": "when", "time": "when", "place": "where", "city": "where", "country": "where", "location": "where",
		"town": "where", "state": "where", "continent": "where", "person": "who", "man": "who", "woman": "who",
		"people": "who", "author": "who", "reason": "why", "number": "how many", "amount": "how much"}
	requests    = set("tell say name give state explain please could can would do i")
	begins      = set("who whom whose when where why how what which in at on by to from")
	auxiliaries = set("is are was were do does did has have had can could will would shall should may might must am")
)

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

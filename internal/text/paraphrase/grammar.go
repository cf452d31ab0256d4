package paraphrase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// capitalized writes the first letter large.
func capitalized(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowered writes the first letter small.
func lowered(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

// lowerArticle writes the first word small where it is no name.
func lowerArticle(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if is(strings.ToLower(first), "articles") && len(first) > 1 || first == "A" {
		return lowered(s)
	}
	return s
}

func hasPronoun(s string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(s)), func(w string) bool { return is(w, "pronouns") })
}

// determined reports whether a word begins something that is named: an article or the like, or a name.
func determined(word string) bool {
	return is(strings.ToLower(word), "articles") || startsUpper(word) || isDigit(word[0])
}

// nominal reports whether words are one thing that is named, without a clause in it.
func nominal(s string) bool {
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > 14 || !determined(words[0]) {
		return false
	}
	for i, w := range words {
		if is(strings.ToLower(w), "clauses") || i > 0 && participle(w) && i < len(words)-1 &&
			!startsUpper(words[i+1]) || strings.ContainsAny(w, "()[]") {
			return false
		}
	}
	last := words[len(words)-1]
	return len(words) == 1 || !participle(last) && !is(strings.ToLower(last), "prepositions")
}

// inverted reports whether a verb that helps stands near the front, so that the subject is behind it.
func inverted(words []string) bool {
	if len(words) < 2 || is(strings.ToLower(words[0]), "auxiliaries") {
		return true
	}
	for i, w := range words[:min(6, len(words))] {
		switch w {
		case "do", "does", "did", "can", "could", "will", "would", "should", "shall", "may", "might", "must", "has",
			"have", "had":
			return true
		case "is", "are", "was", "were":
			// "which city is the …": what comes before is the subject; "what time is it" turns it round.
			return i+1 < len(words) && (is(words[i+1], "pronouns") || words[i+1] == "there" || words[i+1] == "this" ||
				words[i+1] == "that")
		}
	}
	return false
}

// participle reports whether a word is a past participle as far as its form shows.
func participle(w string) bool {
	return len(w) > 3 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed") && !is(w, "no participles") &&
		!startsUpper(w) || is(w, "participles")
}

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

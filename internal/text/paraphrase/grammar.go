package paraphrase

import (
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
		if is(strings.ToLower(w), "clauses") || i > 0 && participle(w) && i < len(words)-1 && !startsUpper(words[i+1]) ||
			strings.ContainsAny(w, "()[]") {
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

package paraphrase

import (
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

var articles = set("the a an this that these those it he she they we there his her its their our my your some many " +
	"most several one two three four five six seven eight nine ten")

// lowerArticle writes the first word small where it is no name.
func lowerArticle(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if articles[strings.ToLower(first)] && len(first) > 1 || first == "A" {
		return lowered(s)
	}
	return s
}

var pronouns = set("i you he she it we they me him us them himself herself itself themselves")

func hasPronoun(s string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		if pronouns[w] {
			return true
		}
	}
	return false
}

// determined reports whether a word begins something that is named: an article or the like, or a name.
func determined(word string) bool {
	return articles[strings.ToLower(word)] || startsUpper(word) || isDigit(word[0])
}

// clauses are words behind which a clause or a participle may follow that belongs to the verb before.
var clauses = set("that who which whom whose when where while because if than and or but as is are was were be " +
	"been has have had do does did can could will would should may might must to not")

// nominal reports whether words are one thing that is named, without a clause in it.
func nominal(s string) bool {
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > 14 || !determined(words[0]) {
		return false
	}
	for i, w := range words {
		if clauses[strings.ToLower(w)] || i > 0 && participle(w) && i < len(words)-1 && !startsUpper(words[i+1]) ||
			strings.ContainsAny(w, "()[]") {
			return false
		}
	}
	last := words[len(words)-1]
	return len(words) == 1 || !participle(last) && !prepositions[strings.ToLower(last)]
}

var prepositions = set("of in on at to for from by with about into over under between through during after before " +
	"against")

// inverted reports whether a verb that helps stands near the front, so that the subject is behind it.
func inverted(words []string) bool {
	if len(words) < 2 || auxiliaries[strings.ToLower(words[0])] {
		return true
	}
	for i, w := range words[:min(6, len(words))] {
		switch w {
		case "do", "does", "did", "can", "could", "will", "would", "should", "shall", "may", "might", "must", "has",
			"have", "had":
			return true
		case "is", "are", "was", "were":
			// "which city is the …": what comes before is the subject; "what time is it" turns it round.
			return i+1 < len(words) && (pronouns[words[i+1]] || words[i+1] == "there" || words[i+1] == "this" ||
				words[i+1] == "that")
		}
	}
	return false
}

// participle reports whether a word is a past participle as far as its form shows.
func participle(w string) bool {
	return len(w) > 3 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed") && !notParticiples[w] &&
		!startsUpper(w) || participles[w]
}

var (
	notParticiples = set("bed red hundred sacred naked shed sled biped wicked rugged")
	participles    = set(`born built written made known given taken seen held won found founded called sung drawn spoken begun broken chosen driven eaten fallen flown grown hidden
		sold bought brought taught caught told thought led met sent spent lost paid said laid shot struck torn thrown worn woven drunk fought kept left hung set put cut`)
)

package reading

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"
)

//go:embed words.txt
var wordsText string

// sensed holds the senses of each word of words.txt; bases the base forms of irregular verbs and of nouns made from
// verbs.
var sensed, bases = readWords()

func readWords() (of map[string][]string, base map[string]string) {
	of, base = map[string][]string{}, map[string]string{}
	for line := range strings.Lines(wordsText) {
		sense, list, _ := strings.Cut(line, ": ")
		for w := range strings.FieldsSeq(list) {
			form, verb, irregular := strings.Cut(strings.ReplaceAll(w, "_", " "), "/")
			if of[form] = append(of[form], sense); irregular {
				base[form] = verb
			}
		}
	}
	return of, base
}

// Is reports whether a word does one of these things in a sentence, whatever it says: the senses of words.txt.
func Is(word string, senses ...string) bool {
	return slices.ContainsFunc(sensed[word], func(s string) bool { return slices.Contains(senses, s) })
}

// Links reports whether a word leads on from a name to what is said of it.
func Links(word string) bool { return Is(word, "preposition", "cut", "copula", "auxiliary") }

// Stem returns a word without its ending, so that forms of one compare equal: landing, landed, lands, land; octopus,
// octopuses; stop, stopped; city, cities.
func Stem(w string) string {
	if b, ok := bases[w]; ok {
		w = b
	}
	for _, end := range []string{"ing", "ed", "es", "s", "e"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) >= 3 {
			w = stem
			break
		}
	}
	n := len(w)
	switch {
	case n > 3 && (w[n-1] == 's' || w[n-1] == w[n-2] && w[n-1] < utf8.RuneSelf):
		return w[:n-1]
	case n > 2 && w[n-1] == 'i':
		return w[:n-1] + "y"
	}
	return w
}

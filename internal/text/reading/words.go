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

//go:embed scales.txt
var scalesText string

// A Scale is what things are compared by, such as length or time: the number of its line in scales.txt, from 1 on.
type Scale int

// scaled holds where each word of scales.txt stands: its scale, negative for the end of small numbers and early times.
var scaled = readScales()

// Time is the scale of late and early.
var Time = scaled["later"][0]

func readScales() map[string][]Scale {
	of, n := map[string][]Scale{}, Scale(0)
	for line := range strings.Lines(scalesText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		above, below, _ := strings.Cut(line, " : ")
		for w := range strings.FieldsSeq(above) {
			of[w] = append(of[w], n)
		}
		for w := range strings.FieldsSeq(below) {
			of[w] = append(of[w], -n)
		}
	}
	return of
}

// Ends are the ends of scales that something is compared by: 1 for that of large numbers and late times, -1 for the
// other one.
type Ends map[Scale]int

// EndsOf returns the ends that words name; of a scale whose two ends are named, none.
func EndsOf(words []string) Ends {
	ends := Ends{}
	for _, w := range words {
		for _, s := range scaled[w] {
			end := 1
			if s < 0 {
				s, end = -s, -1
			}
			if was, ok := ends[s]; ok && was != end {
				end = 0
			}
			ends[s] = end
		}
	}
	return ends
}

// Toward returns 1 where a word names one of the ends, -1 where it names the other end of its scale, else 0.
func (e Ends) Toward(word string) int {
	for _, s := range scaled[word] {
		switch {
		case s > 0 && e[s] != 0:
			return e[s]
		case s < 0 && e[-s] != 0:
			return -e[-s]
		}
	}
	return 0
}

// Same reports whether both name the same end of some scale.
func (e Ends) Same(other Ends) bool {
	for s, end := range e {
		if end != 0 && other[s] == end {
			return true
		}
	}
	return false
}

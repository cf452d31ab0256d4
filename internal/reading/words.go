package reading

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var wordsText string

// A sense is what a word does in a sentence, whatever it says.
type sense uint32

// The senses; words.txt lists their words under senseNames.
const (
	copula sense = 1 << iota
	pronoun
	does
	article
	preposition
	agent
	modal
	auxiliary
	wh
	cut
	opener
	guess
	hedge
	contrast
	attribution
	earlier
	choice
	particle
	yesWord
	noWord
	negator
	concluding
	joining
	lapsing
	timeNoun
	speaker
)

var senseNames = map[string]sense{
	"copula": copula, "pronoun": pronoun, "does": does, "article": article, "preposition": preposition, "agent": agent, "modal": modal, "aux": auxiliary, "wh": wh,
	"cut": cut, "opener": opener, "guess": guess, "hedge": hedge, "contrast": contrast, "attribution": attribution, "earlier": earlier, "choice": choice, "particle": particle, "yes": yesWord, "no": noWord, "negator": negator, "concluding": concluding, "joining": joining, "lapsing": lapsing, "time": timeNoun, "speaker": speaker, "irregular": 0,
}

// sensed holds the senses of each word of words.txt; bases the base forms of irregular verbs and of nouns made from verbs.
var sensed, bases = readWords()

func readWords() (map[string]sense, map[string]string) {
	of, base := map[string]sense{}, map[string]string{}
	for line := range strings.Lines(wordsText) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		s, known := senseNames[name]
		if !known {
			panic("reading: words.txt: no sense is called " + name)
		}
		for _, w := range strings.Fields(list) {
			if form, verb, ok := strings.Cut(w, "/"); ok {
				base[form] = verb
			} else {
				of[w] |= s
			}
		}
	}
	return of, base
}

func is(word string, s sense) bool { return sensed[word]&s != 0 }

// Stem returns a word without its ending, so that forms of one compare equal: landing, landed, lands, land.
func Stem(w string) string {
	if b, ok := bases[w]; ok {
		w = b
	}
	for _, end := range []string{"ing", "ed", "es", "s", "e"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) >= 3 {
			return stem
		}
	}
	return w
}

// Links reports whether a word leads on from a name to what is said of it: a preposition, or a word that opens a clause.
func Links(fold string) bool { return is(fold, preposition|cut|copula|modal|auxiliary|does) }

// Particle reports whether a word may stand inside a name: de, van, of, the.
func Particle(fold string) bool { return is(fold, particle) }

// Contrasts reports whether a word sets what follows apart from what went before: but, actually, instead.
func Contrasts(fold string) bool { return is(fold, contrast) }

// Attributes reports whether a word says that others hold something: people, often, legend.
func Attributes(fold string) bool { return is(fold, attribution) }

// Concludes reports whether a word opens a conclusion: so, therefore, finally.
func Concludes(fold string) bool { return is(fold, concluding) }

// Joins reports whether a word joins things of a list: and, or.
func Joins(fold string) bool { return is(fold, joining) }

// Negates reports whether a word denies: not, never, no.
func Negates(fold string) bool { return is(fold, negator) }

// Lapses reports whether a word says of something that it is wrong or no longer holds.
func Lapses(fold string) bool { return is(fold, lapsing) }

// OtherTime reports whether a word tells what was or will be from what is: formerly, until, succeeded.
func OtherTime(fold string) bool { return is(fold, earlier) }

// IsArticle reports whether a word is an article.
func IsArticle(fold string) bool { return is(fold, article) }

// IsCopula reports whether a word is a form of being.
func IsCopula(fold string) bool { return is(fold, copula) }

// IsPreposition reports whether a word is a preposition.
func IsPreposition(fold string) bool { return is(fold, preposition) }

// Cuts reports whether a word opens another clause: which, because.
func Cuts(fold string) bool { return is(fold, cut) }

// IsPronoun reports whether a word stands for a person or a thing: I, it, they.
func IsPronoun(fold string) bool { return is(fold, pronoun|speaker) }

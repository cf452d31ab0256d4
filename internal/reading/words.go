package reading

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed words.txt
var wordsText string

// A sense is what a word does in a sentence, whatever it says.
type sense uint32

// The senses, in the order of their names in words.txt.
const (
	copula sense = 1 << iota
	pronoun
	does
	article
	preposition
	auxiliary
	wh
	cut
	opener
	guess
	hedge
	contrast
	attribution
	earlier
	particle
	yesWord
	noWord
	negator
	concluding
	joining
	lapsing
	timeNoun
	speaker
	barring
	granting
	limiting
	irregular // not of a word: a form with the base that it is compared by
)

var senseNames = strings.Fields("copula pronoun does article preposition aux wh cut opener guess hedge contrast" +
	" attribution earlier particle yes no negator concluding joining lapsing time speaker barring granting limiting irregular")

// sensed holds the senses of each word of words.txt; bases the base forms of irregular verbs and of nouns made from verbs.
var sensed, bases = readWords()

func readWords() (map[string]sense, map[string]string) {
	of, base := map[string]sense{}, map[string]string{}
	for line := range strings.Lines(wordsText) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		n := slices.Index(senseNames, name)
		if n < 0 {
			panic("reading: words.txt: no sense is called " + name)
		}
		for _, w := range strings.Fields(list) {
			form, verb, _ := strings.Cut(strings.ReplaceAll(w, "_", " "), "/")
			if s := sense(1) << n; s == irregular {
				base[form] = verb
			} else {
				of[form] |= s
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

// What a word does in a sentence.
var (
	Links         = has(preposition | cut | copula | auxiliary) // leads on from a name to what is said of it
	Particle      = has(particle)                               // may stand inside a name: de, van, of, the
	Contrasts     = has(contrast)                               // sets what follows apart from what went before: but, actually
	Attributes    = has(attribution)                            // says that others hold something: people, often, legend
	Concludes     = has(concluding)                             // opens a conclusion: so, therefore, finally
	Joins         = has(joining)                                // joins things of a list: and, or
	Negates       = has(negator)                                // denies: not, never, no
	Lapses        = has(lapsing)                                // says that something is wrong or no longer holds
	OtherTime     = has(earlier)                                // tells what was or will be from what is: formerly, until
	IsArticle     = has(article)
	IsCopula      = has(copula) // is a form of being
	IsPreposition = has(preposition)
	Cuts          = has(cut)               // opens another clause: which, because
	IsPronoun     = has(pronoun | speaker) // stands for a person or a thing: I, it, they
)

func has(s sense) func(fold string) bool {
	return func(fold string) bool { return is(fold, s) }
}

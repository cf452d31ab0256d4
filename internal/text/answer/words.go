package answer

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// A trait is what is known of a word: a sense that words.txt gives it, or how it is written.
type trait uint64

const (
	article  trait = 1 << iota
	light          // says nothing by itself: prepositions, pronouns, forms of "be"
	stop           // begins an explanation behind a name
	verb           // only a clause has it
	negation       // denies
	title          // stands in front of a person's name
	suffix         // stands behind a person's name
	role           // what a person does
	asPerson       // in a question: asks for a person, and so on
	asPlace
	asPlural
	asWork
	asDate
	asBody  // an organisation
	asking  // which, what
	generic // the sort of thing that a name names, also the form of a company
	renews  // of a place makes another, named after it
	yes
	no
	demonym    // an adjective of a place
	given      // a first name
	numbered   // a number in digits, words or Roman numerals
	capital    // begins with a capital
	shouted    // is of capitals alone, two or more
	initials   // the letters of "J. R. R.", or a letter alone
	pointed    // an initial with a point behind
	possessive // had 's or '
	broken     // comes behind a comma, a colon, a dash or a line break
	swapped    // words.txt has another for it, such as its opposite

	weak = article | light | title | suffix | generic // tells no name from another that has more words
)

// sections are the headings of words.txt, in the order of their traits.
var sections = strings.Fields("article light stop verb negation title suffix role person place plural work date" +
	" organisation asking generic renews yes no demonym given")

// A thing is what names.txt or CLDR have names of.
type thing struct{ sort, code string }

type lexicon struct {
	traits map[string]trait
	groups map[string]int         // words of one group are forms of each other
	swaps  map[string][][2]string // the sections ending, spelling and opposite
	latin  []string               // endings of scientific names
	names  map[string][]thing     // by the words without blanks
	codes  map[string][]thing     // as written, capitals included
}

//go:embed words.txt
var wordsText string

//go:embed names.txt
var namesText string

var words = sync.OnceValue(func() *lexicon {
	x := &lexicon{
		traits: map[string]trait{}, groups: map[string]int{}, swaps: map[string][][2]string{},
		names: map[string][]thing{}, codes: map[string][]thing{},
	}
	section := ""
	for line := range strings.Lines(wordsText + namesText) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[]")
		} else if line != "" && line[0] != '#' {
			for entry := range strings.SplitSeq(line, ";") {
				x.add(section, strings.Fields(entry))
			}
		}
	}
	x.addCountries()
	delete(x.names, "") // some have none in English
	return x
})

// add reads one entry of a section.
func (x *lexicon) add(section string, entry []string) {
	switch section {
	case "same":
		group := len(x.groups) + 1
		for _, w := range entry {
			x.groups[w] = group
			if isDigit(entry[0]) {
				x.traits[w] |= numbered
			}
		}
	case "ending", "spelling", "opposite":
		for _, e := range entry {
			a, b, _ := strings.Cut(strings.ReplaceAll(e, "-", ""), ":")
			x.swaps[section] = append(x.swaps[section], [2]string{a, b}, [2]string{b, a})
			x.traits[a] |= swapped
			x.traits[b] |= swapped
		}
	case "latin":
		x.latin = entry
	default:
		if code, ok := strings.CutSuffix(entry[0], ":"); ok {
			x.name(thing{section, code}, entry[1:], code)
			return
		}
		for _, w := range entry {
			x.traits[w] |= 1 << slices.Index(sections, section)
		}
	}
}

func (x *lexicon) name(t thing, names []string, codes ...string) {
	for _, name := range names {
		k := key(x.read(strings.ReplaceAll(name, "_", " ")).tokens)
		x.names[k] = append(x.names[k], t)
	}
	for _, c := range codes {
		x.codes[c] = append(x.codes[c], t)
	}
}

// addCountries adds the countries and languages of CLDR, whose names hold other names in brackets: "Myanmar (Burma)".
func (x *lexicon) addCountries() {
	for i := range 26 * 26 {
		code := string([]rune{'A' + rune(i/26), 'A' + rune(i%26)})
		if r, err := language.ParseRegion(code); err == nil && r.IsCountry() && r.Canonicalize() == r {
			name := strings.TrimSuffix(display.English.Regions().Name(r), " SAR China")
			x.name(thing{"country", code}, strings.Split(name, " ("), code, r.ISO3())
		}
		if base, err := language.ParseBase(strings.ToLower(code)); err == nil {
			x.name(thing{"language", base.String()}, []string{display.English.Languages().Name(base)})
		}
	}
}

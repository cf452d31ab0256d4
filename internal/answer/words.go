package answer

import (
	_ "embed"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// A sense is what a word of words.txt is used for; a word has any number of them.
type sense uint32

const (
	article   sense = 1 << iota
	light           // says nothing by itself: prepositions, pronouns, forms of "be"
	stop            // begins an explanation behind a name
	verb            // only a clause has it
	negation        // denies
	also            // leads to another name of the same thing
	title           // stands in front of a person's name
	suffix          // stands behind a person's name
	role            // what a person does
	asPerson        // in a question: a person is asked for
	asPlace         // in a question: a place is asked for
	asPlural        // in a question: several things are asked for
	asFormula       // in a question: a formula is asked for
	legal           // the form of a company
	generic         // the sort of thing that a name names
	qualifier       // makes another place of a place
	yes
	no
	latin    // not a word, the ending of one
	demonym  // an adjective of a place
	given    // a first name
	numbered // a number in words, digits or Roman numerals
)

var senses = map[string]sense{
	"article": article, "light": light, "stop": stop, "verb": verb, "negation": negation, "also": also, "title": title, "suffix": suffix, "role": role, "person": asPerson, "place": asPlace, "plural": asPlural,
	"formula": asFormula, "legal": legal, "generic": generic, "qualifier": qualifier, "yes": yes, "no": no, "latin": latin, "demonym": demonym, "given": given,
}

// A lexeme is what is known of a word. Words of one group, which is above 0, are forms of each other.
type lexeme struct {
	senses sense
	group  uint16
}

// A thing is what several names name.
type thing struct {
	sort   string // the section of names.txt; "language" for languages
	code   string
	within string // the country of a state
}

type lexicon struct {
	words              map[string]lexeme
	opposites          map[[2]string]bool
	opposable          map[string]bool // the words of opposites
	endings, spellings [][2]string
	latinEndings       []string
	names              map[string][]thing // by the words without blanks
	codes              map[string][]thing // as written, capitals included
}

//go:embed words.txt
var wordsText string

//go:embed names.txt
var namesText string

var words = sync.OnceValue(func() *lexicon {
	x := &lexicon{words: map[string]lexeme{}, opposites: map[[2]string]bool{}, opposable: map[string]bool{}, names: map[string][]thing{}, codes: map[string][]thing{}}
	groups := uint16(0)
	eachSection(wordsText, func(section, line string) {
		switch section {
		case "same":
			for group := range strings.SplitSeq(line, ";") {
				groups++
				x.addGroup(strings.Fields(group), groups)
			}
		case "opposite":
			for pair := range strings.SplitSeq(line, ";") {
				w := strings.Fields(pair)
				x.opposites[[2]string{w[0], w[1]}], x.opposites[[2]string{w[1], w[0]}] = true, true
				x.opposable[w[0]], x.opposable[w[1]] = true, true
			}
		case "ending":
			x.endings = pairs(line)
		case "spelling":
			x.spellings = pairs(line)
		case "latin":
			x.latinEndings = strings.Fields(line)
		default:
			for _, w := range strings.Fields(line) {
				l := x.words[w]
				l.senses |= senses[section]
				x.words[w] = l
			}
		}
	})
	eachSection(namesText, x.addNames)
	x.addCountries()
	return x
})

func eachSection(text string, add func(section, line string)) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			section = strings.Trim(line, "[]")
		} else if section != "" {
			add(section, line)
		}
	}
}

func pairs(line string) (ps [][2]string) {
	for _, p := range strings.Fields(strings.ReplaceAll(line, "-", "")) {
		a, b, _ := strings.Cut(p, ":")
		ps = append(ps, [2]string{a, b}, [2]string{b, a})
	}
	return ps
}

// addGroup notes that the words are forms of each other. A word of two groups keeps the first.
func (x *lexicon) addGroup(group []string, id uint16) {
	for _, w := range group {
		l := x.words[w]
		if l.group == 0 {
			l.group = id
		}
		if c := group[0][0]; c >= '0' && c <= '9' {
			l.senses |= numbered
		}
		x.words[w] = l
	}
}

func (x *lexicon) addNames(section, line string) {
	within := ""
	if section == "state" {
		within, line, _ = strings.Cut(line, ":")
	}
	for entry := range strings.SplitSeq(line, ";") {
		code, names, _ := strings.Cut(strings.TrimSpace(entry), ":")
		if section == "state" {
			all := strings.Fields(code)
			code, names = strings.ToUpper(all[0]), strings.Join(all, " ")
		}
		t := thing{section, code, within}
		if section != "state" {
			x.codes[code] = append(x.codes[code], t)
		}
		for _, name := range strings.Fields(names) {
			x.addName(name, t)
		}
	}
}

func (x *lexicon) addName(name string, t thing) {
	var f form
	f.read(strings.ReplaceAll(name, "_", " "), nil, x)
	if key := string(f.key(f.main(), nil)); key != "" {
		x.names[key] = append(x.names[key], t)
	}
}

// addCountries adds the countries and languages of CLDR, whose names hold other names in brackets: "Myanmar (Burma)".
func (x *lexicon) addCountries() {
	regions, languages := display.English.Regions(), display.English.Languages()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			if r, err := language.ParseRegion(code); err == nil && r.IsCountry() && r.Canonicalize() == r {
				name, other, _ := strings.Cut(regions.Name(r), " (")
				t := thing{"country", code, ""}
				x.addName(name, t)
				x.addName(strings.TrimSuffix(name, " SAR China"), t)
				x.addName(other, t)
				x.codes[code] = append(x.codes[code], t)
				x.codes[r.ISO3()] = append(x.codes[r.ISO3()], t)
			}
			if base, err := language.ParseBase(strings.ToLower(code)); err == nil {
				if name := languages.Name(base); name != "" {
					x.addName(name, thing{"language", base.String(), ""})
				}
			}
		}
	}
}

package paraphrase

import (
	"embed"
	"strings"
	"sync"

	"hallmark/internal/base/strictyaml"
)

//go:embed words.yaml
var wordsFile embed.FS

// A class is one of words of quantity. Where marks stand in one text, the other needs one of marks or satisfy.
type class struct{ marks, satisfy [][]string }

// wordLists are the lists of words.yaml, which says what each is for, as they are looked up.
type wordLists struct {
	classes   []class
	idioms    [][]string
	opposites map[string][]string  // both ways
	peoples   map[string]bool      // "france french", both ways
	verbs     map[string][2]string // by their base form: past, and the form behind he or she
	makers    [][]string           // participle and past
	synonyms  map[string][]string
	longest   int                          // words of the longest phrase that has synonyms
	stand     map[string]map[string]string // what a word stands for in a list; in that of a set, the name of the set
}

// stands returns what a word stands for in a list under stand or sets, "" where it is not in it. There must be such a
// list.
func stands(word, list string) string {
	words, ok := lists().stand[list]
	if !ok {
		panic("paraphrase: words.yaml has no " + list)
	}
	return words[word]
}

// is reports whether a word is in a set.
func is(word, set string) bool { return stands(word, set) != "" }

// lists returns the lists, which are read when the first text is.
var lists = sync.OnceValue(func() *wordLists {
	var f struct {
		Classes []struct {
			Name    string   `yaml:"name"`
			Marks   []string `yaml:"marks"`
			Satisfy []string `yaml:"satisfy"`
		} `yaml:"classes"`
		Idioms    []string            `yaml:"idioms"`
		Opposites []string            `yaml:"opposites"`
		Peoples   []string            `yaml:"peoples"`
		Verbs     []string            `yaml:"verbs"`
		Makers    []string            `yaml:"makers"`
		Synonyms  map[string][]string `yaml:"synonyms"`

		Sets  map[string][]string            `yaml:"sets"`
		Stand map[string]map[string][]string `yaml:"stand"`
	}
	strictyaml.Carried(wordsFile, "words.yaml", &f)
	l := &wordLists{idioms: split(f.Idioms), opposites: map[string][]string{}, peoples: map[string]bool{},
		verbs: map[string][2]string{}, makers: split(f.Makers), synonyms: f.Synonyms,
		stand: map[string]map[string]string{}}
	for _, c := range f.Classes {
		l.classes = append(l.classes, class{split(c.Marks), split(c.Satisfy)})
	}
	for _, w := range split(f.Opposites) {
		l.opposites[w[0]], l.opposites[w[1]] = append(l.opposites[w[0]], w[1]), append(l.opposites[w[1]], w[0])
	}
	for _, w := range split(f.Peoples) {
		l.peoples[w[0]+" "+w[1]], l.peoples[w[1]+" "+w[0]] = true, true
	}
	for _, w := range split(f.Verbs) {
		l.verbs[w[0]] = [2]string(w[1:])
	}
	for from := range f.Synonyms {
		l.longest = max(l.longest, len(strings.Fields(from)))
	}
	for set, words := range f.Sets {
		f.Stand[set] = map[string][]string{set: words}
	}
	for list, groups := range f.Stand {
		l.stand[list] = map[string]string{}
		for by, words := range groups {
			for _, w := range words {
				l.stand[list][w] = by
			}
		}
	}
	return l
})

// split splits each phrase into its words.
func split(phrases []string) [][]string {
	var out [][]string
	for _, p := range phrases {
		out = append(out, strings.Fields(p))
	}
	return out
}

package suitecheck

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/suite"
	"hallmark/internal/text/quantity"
)

// Duplicates are questions that stand more than once.
type Duplicates struct {
	// Identical are groups of cases that ask the same, as written or but for case and punctuation.
	Identical []Group `json:"identical"`
	// Near are pairs that differ in few words, and not in numbers and names: see near.
	Near []Pair `json:"near"`
}

// A Group is of cases that ask the same.
type Group struct {
	Cases []Place `json:"cases"`
	// Conflict says that their golds differ.
	Conflict bool `json:"conflict"`
}

// A Pair is of cases that ask nearly the same.
type Pair struct {
	Cases [2]Place `json:"cases"`
	// Shared is the share of their words that both have.
	Shared   float64 `json:"shared"`
	Conflict bool    `json:"conflict"`
}

// A Place names a case.
type Place struct {
	CaseID string `json:"case_id"`
	Place  string `json:"place,omitempty"` // FILE:LINE
}

// The least share of words that questions nearly alike share, and the most words in which they differ: five of six
// words, or one long text with another question behind it, are not enough.
const (
	leastShared = .8
	mostOther   = 4
	mostWords   = 2000 // of one case that are compared
)

// A question is what of a case is compared with others.
type question struct {
	at    int
	key   string   // the same of questions that are the same but for case and punctuation
	rest  string   // what must be the same beside: passages, system prompt, examples
	gold  string   // as people read it
	words []string // without repeats, the rarest of the suite first
	named []string // numbers and, but for the first word, words with a capital, as they come
}

// DuplicatesOf finds questions that stand more than once, and where so said also those that are nearly the same, which
// takes time in the square of questions of one form.
func DuplicatesOf(s *suite.Suite, alsoNear bool) Duplicates {
	d := Duplicates{Identical: []Group{}, Near: []Pair{}}
	cases := s.Cases
	var all []*question
	groups, firsts := map[string][]*question{}, []string{}
	for i, c := range cases.Pass() {
		q := newQuestion(i, c)
		if groups[q.key] == nil {
			firsts, all = append(firsts, q.key), append(all, q)
		}
		groups[q.key] = append(groups[q.key], q)
	}
	place := func(i int) Place { return Place{cases.ID(i), cases.At(i).Place} }
	for _, key := range firsts {
		if same := groups[key]; len(same) > 1 {
			g := Group{}
			for _, q := range same {
				g.Cases, g.Conflict = append(g.Cases, place(q.at)), g.Conflict || q.gold != same[0].gold
			}
			d.Identical = append(d.Identical, g)
		}
	}
	if !alsoNear {
		return d
	}
	near(all, func(a, b *question, shared float64) {
		d.Near = append(d.Near, Pair{[2]Place{place(a.at), place(b.at)}, shared, a.gold != b.gold})
	})
	return d
}

func newQuestion(at int, c *suite.Case) *question {
	q := &question{at: at, gold: strings.ToLower(c.GoldText())}
	options := slices.Clone(c.Options)
	slices.Sort(options)
	seen := map[string]bool{}
	var key []string
	for i, w := range strings.Fields(c.Prompt + "\x00 " + strings.Join(options, " ")) {
		word := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		if word == "" { // a sign alone can be the question: + or -
			word = w
		}
		fold := strings.ToLower(word)
		key = append(key, fold)
		number := func(r rune) bool { return unicode.IsNumber(r) || i > 0 && unicode.IsUpper(r) }
		if strings.ContainsFunc(word, number) || len(quantity.Scan(fold)) > 0 { // Rome, 1984, L1, seven
			q.named = append(q.named, fold)
		}
		if !seen[fold] && len(q.words) < mostWords {
			seen[fold] = true
			q.words = append(q.words, fold)
		}
	}
	var rest strings.Builder
	rest.WriteString(c.System)
	for _, p := range c.Context {
		rest.WriteString("\x00" + p.Text)
	}
	for _, e := range c.Demonstrations {
		rest.WriteString("\x00" + e.Input + "\x00" + e.Label)
	}
	q.rest = rest.String()
	q.key = strings.Join(key, " ") + "\x00" + q.rest
	return q
}

// near calls found for pairs of questions with the same passages of which the words, as sets, are alike: Jaccard's
// |A∩B|/|A∪B| is at least leastShared, at most mostOther words are of one alone, and both have the same numbers and
// names, words with a capital but the first, in the same order. It compares what shares one of the rarest words only,
// as two sets that are so much alike must: of the |A| words in one order, the first |A| - ⌈t|A|⌉ + 1. Source: Bayardo,
// Ma and Srikant, WWW 2007.
func near(all []*question, found func(a, b *question, shared float64)) {
	count := map[string]int{}
	for _, q := range all {
		for _, w := range q.words {
			count[w]++
		}
	}
	for _, q := range all {
		slices.SortFunc(q.words, func(a, b string) int {
			return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
		})
	}
	at := map[string][]int{} // of a word, the questions before that have it among their rarest
	for i, q := range all {
		n := len(q.words)
		prefix := q.words[:min(n, n-(4*n+4)/5+1)] // leastShared of n, rounded up, are shared
		seen := map[int]bool{}
		for _, w := range prefix {
			for _, j := range at[w] {
				if !seen[j] {
					seen[j] = true
					if shared, ok := alike(all[j], q); ok {
						found(all[j], q, shared)
					}
				}
			}
			at[w] = append(at[w], i)
		}
	}
}

// alike compares two questions, whose words are in one order.
func alike(a, b *question) (shared float64, ok bool) {
	longer, shorter := max(len(a.words), len(b.words)), min(len(a.words), len(b.words))
	if a.rest != b.rest || !slices.Equal(a.named, b.named) || longer-shorter > mostOther {
		return 0, false
	}
	has := map[string]bool{}
	for _, w := range a.words {
		has[w] = true
	}
	both := 0
	for _, w := range b.words {
		if has[w] {
			both++
		}
	}
	either := len(a.words) + len(b.words) - both
	shared = float64(both) / float64(either)
	return shared, shared >= leastShared && either-both <= mostOther
}

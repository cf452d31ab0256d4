package mutation

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"hallmark/internal/grade/rubric"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
)

// A pool has the golds of a suite by their kind, from which the wrong answers to other cases are drawn, and how many
// cases have one of a kind.
type pool struct {
	byKind map[string][]string
	cases  map[string]int
}

func newPool(s *suite.Suite, r *rubric.Rubric) *pool {
	p := &pool{map[string][]string{}, map[string]int{}}
	seen := map[string]bool{}
	for _, c := range s.Cases.Pass() {
		g := goldOf(r, c)
		p.cases[g.kind]++
		if g.text != "" && g.parts == nil && !seen[g.kind+"\x00"+g.text] {
			seen[g.kind+"\x00"+g.text] = true
			p.byKind[g.kind] = append(p.byKind[g.kind], g.text)
		}
	}
	return p
}

// tries bounds how many golds are looked at for one that is another thing.
const tries = 50

// another draws the gold of another case of the same kind that is certainly not right here, if there is one. Where not
// to answer is right, it is a name.
func (p *pool) another(g *gold, rng *rand.Rand) []string {
	kind := g.kind
	if kind == "no_answer" {
		kind = "name"
	}
	all := p.byKind[kind]
	if len(all) == 0 || g.program {
		return nil
	}
	from := rng.IntN(len(all))
	for i := range min(tries, len(all)) {
		if text := all[(from+i)%len(all)]; g.excludes(text) {
			return []string{g.inPlace(text)}
		}
	}
	return nil
}

// inPlace puts an answer in the place of the last of several that must each be named.
func (g *gold) inPlace(text string) string {
	n := len(g.c.Gold.All)
	if n < 2 {
		return text
	}
	return strings.Join(g.c.Gold.All[:n-1], ", ") + " and " + text
}

// excludes reports whether a text is certainly none of what the case accepts. A number must be a twentieth away from
// each, so that no rounding brings them together; other texts may not share a word, the beginning of one, or initials.
// What names one thing in words that have nothing in common ("carbon dioxide", "CO2") it knows from package answer's
// data alone.
func (g *gold) excludes(text string) bool {
	return !slices.ContainsFunc(append([]string{g.text}, g.accepts...), func(a string) bool {
		if a == "" {
			return false
		}
		if g.kind == "number" {
			return closeTo(a, text)
		}
		v, why := answer.NewReference(a, answer.Context{Question: g.c.Prompt}).Compare(text)
		return akin(a, text) || v == answer.Same && strings.HasSuffix(why, "in the data")
	})
}

// closeTo reports whether two numbers are within a twentieth of each other, or may be: one of them does not read, or
// their units differ.
func closeTo(a, b string) bool {
	x, ok := numeralIn(a)
	y, okB := numeralIn(b)
	if !ok || !okB || folded(a[:x.start]+a[x.end:]) != folded(b[:y.start]+b[y.end:]) {
		return true
	}
	d := new(big.Rat).Sub(x.value, y.value)
	most := new(big.Rat).Mul(x.value, big.NewRat(1, 20))
	return d.Abs(d).Cmp(most.Abs(most)) <= 0
}

// akin reports whether two texts share a word that says something, the first four letters of one, or initials.
func akin(a, b string) bool {
	x, y := telling(a), telling(b)
	for _, v := range x {
		for _, w := range y {
			if v == w || len(v) >= 4 && len(w) >= 4 && v[:4] == w[:4] {
				return true
			}
		}
	}
	return initials(x) == strings.Join(y, "") || initials(y) == strings.Join(x, "") || len(x) == 0 || len(y) == 0
}

// telling are the words of a text but for those that say nothing; all of them where no others are.
func telling(s string) []string {
	words := strings.Fields(folded(s))
	if told := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return evidence.Stop[w] }); len(told) > 0 {
		return told
	}
	return words
}

func initials(words []string) string {
	var b strings.Builder
	for _, w := range words {
		for _, r := range w {
			b.WriteRune(r)
			break
		}
	}
	if len(words) < 2 {
		return "\x00" // of one word they are no name
	}
	return b.String()
}

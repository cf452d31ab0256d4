package answer

import (
	"cmp"
	"slices"
	"strings"
)

// A comparison is a text of a gold beside a value, or a part of each.
type comparison struct {
	r              *Reference
	g, v           []token
	gKey, vKey     string  // their words, joined
	gs, vs         set     // words of weight
	gNames, vNames []thing // what they name
	gHit, vHit     set     // words that stand in the other
	gMore, vMore   set     // words of weight that do not
	person         bool
	surname        bool // of the person: the last word of weight stands in the value
}

// A rule gives a verdict and its reason where it holds.
type rule struct {
	holds   bool
	verdict Verdict
	why     string
}

// decide follows the first rule that holds.
func decide(rules ...rule) (Verdict, string) {
	r := rules[slices.IndexFunc(rules, func(r rule) bool { return r.holds })]
	return r.verdict, r.why
}

// align compares the words of a gold with those of a value, which is a code of some things.
func (r *Reference) align(g, v []token, codes []thing) (Verdict, string) {
	c := comparison{r: r, g: g, v: v, gKey: key(g), vKey: key(v), gs: strong(g), vs: strong(v)}
	c.person = r.asks&asPerson != 0 || r.asks&asWork == 0 && len(g) > 1 && g[0].traits&(given|title) != 0
	c.gNames = append(slices.Clip(r.x.names[c.gKey]), r.codes...)
	c.vNames = append(slices.Clip(r.x.names[c.vKey]), codes...)
	if verdict, why := c.whole(); why != "" {
		return verdict, why
	}
	c.match()
	gLeft, vLeft := (1<<len(g)-1)&^c.gHit, (1<<len(v)-1)&^c.vHit
	if gLeft&of(g, numbered|suffix) != 0 && vLeft&of(v, numbered|suffix) != 0 {
		return Different, "another number"
	}
	if opposites := gLeft & of(g, swapped); paired(g, opposites, v, func(t, u token) bool {
		return u.traits&swapped != 0 && slices.Contains(r.x.swaps["opposite"], [2]string{t.word, u.word})
	}) != 0 {
		return Different, opposite
	}
	if c.gHit&c.gs == 0 {
		return c.nothing()
	}
	c.gMore, c.vMore, c.surname = gLeft&c.gs, vLeft&c.vs, c.person && c.gHit>>c.gs.top()&1 != 0
	c.drop()
	switch {
	case c.gMore|c.vMore == 0:
		return c.equal(gLeft, vLeft)
	case c.vMore&of(v, verb|negation) != 0:
		return Unsure, "other words"
	case c.vMore == 0:
		return c.shorter()
	case c.gMore == 0:
		return c.longer()
	case c.surname && c.kin(c.gMore):
		return Same, "a form of the first name"
	}
	return Different, "the word that tells them apart"
}

const opposite = "the opposite"

// whole compares names as wholes: by their words together, the data and first letters. It has no reason where it
// cannot decide.
func (c *comparison) whole() (Verdict, string) {
	same := slices.ContainsFunc(c.gNames, func(t thing) bool { return slices.Contains(c.vNames, t) })
	alike := slices.ContainsFunc(c.gNames, func(t thing) bool { return has(c.vNames, t.sort) })
	return decide(
		rule{c.gKey == c.vKey, Same, "the same words"},
		rule{same && c.r.unsaid(c.v, c.vs) == 0, Unsure, "repeats the question"},
		rule{same, Same, "another name of the same in the data"},
		rule{alike, Different, "another thing of the same sort in the data"},
		rule{shouts(c.v) && acronym(c.g) == c.v[len(c.v)-1].word, Same, "the first letters"},
		rule{shouts(c.g) && acronym(c.v) == c.g[len(c.g)-1].word, Same, "the first letters"},
		rule{true, Unsure, ""},
	)
}

// shouts reports whether ts is one word of capitals.
func shouts(ts []token) bool {
	return ts[len(ts)-1].traits&shouted != 0 && (len(ts) == 1 || ts[0].traits&article != 0)
}

// strong returns the words that tell a name from another; where there are none, the generic ones, then all.
func strong(ts []token) set {
	all := set(1)<<len(ts) - 1
	return cmp.Or(all&^of(ts, weak), all&^of(ts, article|light), all)
}

func has(things []thing, sort string) bool {
	return slices.ContainsFunc(things, func(t thing) bool { return t.sort == sort })
}

// unsaid drops from s the words that the question says already, in the same or another form: India, Indian.
func (r *Reference) unsaid(ts []token, s set) set {
	said := func(t, q token) bool { return r.x.related(&q, &t) || derived(q.word, t.word) }
	return s &^ paired(ts, s, r.question, said)
}

// drop leaves out words that tell nothing apart here: what the question says, possessors, and a description in
// front of the name, "the English naturalist Charles Darwin".
func (c *comparison) drop() {
	if c.g[len(c.g)-1].traits&capital != 0 {
		c.vMore &^= (of(c.v, demonym) | ^of(c.v, capital)) & (1<<c.vHit.top() - 1)
	}
	if c.surname { // "Brundtland of the Labour Party"
		behind := of(c.v, light) >> c.vHit.top() << c.vHit.top()
		c.vMore &= behind&-behind - 1
	}
	if c.vMore == 0 {
		c.gMore = c.r.unsaid(c.g, c.gMore&^of(c.g, possessive))
	}
	if c.gMore == 0 {
		c.vMore = c.r.unsaid(c.v, c.vMore)
	}
}

// equal judges a value with the same words of weight as the gold.
func (c *comparison) equal(gLeft, vLeft set) (Verdict, string) {
	gSort, vSort := gLeft&of(c.g, generic), vLeft&of(c.v, generic)
	return decide(
		rule{(of(c.g, negation) == 0) != (of(c.v, negation) == 0), Unsure, "a denial"},
		rule{gSort>>c.gs.top() != 0 && has(c.vNames, "country"), Different, "the country"},
		rule{gSort != 0 && vSort != 0, Unsure, "another sort of thing"},
		rule{true, Same, "the same words but for those that tell nothing apart"},
	)
}

func (c *comparison) shorter() (Verdict, string) {
	hits, first := c.gHit&c.gs, c.gs&-c.gs
	return decide(
		rule{c.surname, Same, "the surname"},
		rule{c.person && hits&of(c.g, given) == 0 && c.gMore&of(c.g, numbered) == 0, Same,
			"the one name by which people know"},
		rule{c.person, Unsure, "a first name alone"},
		rule{c.r.asks&asBody != 0 && hits&first != 0 && of(c.v, generic) == 0, Same,
			"the short name of an organisation"},
		rule{len(c.vNames) > 0 && len(parts(c.g)) == 1, Different, "a part that names another thing"},
		rule{c.gMore&of(c.g, renews) != 0, Different, "the thing it is named after"},
		rule{true, Unsure, "less specific"},
	)
}

func (c *comparison) longer() (Verdict, string) {
	return decide(
		rule{c.vMore&of(c.v, numbered) != 0, Unsure, "a number more"},
		rule{c.vMore&of(c.v, renews) != 0, Different, "another thing named after it"},
		rule{c.person && c.vMore&^of(c.v, capital) == 0, Same, "a fuller name"},
		rule{c.r.asks&asBody != 0 && c.vHit&1 != 0, Same, "a fuller name"},
		rule{c.r.asks&asPlace == 0 && c.vHit>>c.vs.top()&1 != 0, Same, "more specific"},
		rule{true, Unsure, "more than the name"},
	)
}

// nothing judges a value that shares no word of weight with the gold.
func (c *comparison) nothing() (Verdict, string) {
	names := of(c.v, capital) &^ of(c.v, demonym)
	common := names&1 == 0
	names &^= 1
	inner := of(c.v[1:], light) != 0
	proper := of(c.g[min(1, len(c.g)-1):], capital) != 0 && names == 0 && of(c.v, capital|article) != 0
	owner := of(c.v, article|demonym).count() == len(c.v) // "the Norwegian"
	return decide(
		rule{c.vs&^of(c.v, weak) == 0 && names == 0, Unsure, "only the sort of thing"},
		rule{owner && of(c.g, demonym) == 0 && len(c.gNames) == 0, Unsure, "only whose it is"},
		rule{len(c.v) > 1 && common && (inner || proper), Unsure, "a description"},
		rule{shortFor(c.g, c.v) || shortFor(c.v, c.g), Unsure, "perhaps short for it"},
		rule{c.r.x.scientific(c.v) != c.r.x.scientific(c.g), Unsure, "a scientific name"},
		rule{len(c.gNames) == 0 && c.kin(c.gs), Unsure, "perhaps another spelling"},
		rule{true, Different, "no word in common"},
	)
}

// shortFor reports whether a may be an abbreviation of b of other letters than the first: TB of tuberculosis.
func shortFor(a, b []token) bool {
	word := a[len(a)-1].word
	return shouts(a) && !shouts(b) && word[0] == key(b)[0] && len(word) != len(acronym(b))
}

// scientific reports whether two words look like the name of a species: Loxodonta africana.
func (x *lexicon) scientific(ts []token) bool {
	return len(ts) == 2 && ts[0].traits&capital != 0 && ts[1].traits&capital == 0 &&
		!slices.ContainsFunc(ts, func(t token) bool {
			return len(t.word) < 4 || !slices.ContainsFunc(x.latin, func(e string) bool {
				return strings.HasSuffix(t.word, e)
			})
		})
}

// kin reports whether each of some words of the gold is another form of a word of the value: Pythagorean, Pythagoras.
func (c *comparison) kin(gs set) bool {
	return gs == paired(c.g, gs, c.v, func(t, u token) bool {
		n := prefix(t.word, u.word)
		return derived(t.word, u.word) || c.person && n > 2 && n == min(len(t.word), len(u.word))
	})
}

// paired returns the words of s, a part of ts, that are so related to one of the others.
func paired(ts []token, s set, others []token, related func(t, other token) bool) (found set) {
	for i, t := range ts {
		if s>>i&1 != 0 && slices.ContainsFunc(others, func(u token) bool { return related(t, u) }) {
			found |= 1 << i
		}
	}
	return found
}

// match pairs the words of a gold with those of a value: forms of one word, then initials.
func (c *comparison) match() {
	for i := range c.g {
		for j := range c.v {
			if c.gHit>>i&1 == 0 && c.vHit>>j&1 == 0 && c.r.x.related(&c.g[i], &c.v[j]) {
				c.gHit |= 1 << i
				c.vHit |= 1 << j
			}
		}
	}
	if c.gHit&c.gs != 0 {
		spellOut(c.g, c.v, &c.gHit, &c.vHit)
		spellOut(c.v, c.g, &c.vHit, &c.gHit)
	}
}

// related reports whether two words are forms of one, or one of them is the other with a slip. Of words in capitals
// each letter counts: HTTP, HTTPS.
func (x *lexicon) related(a, b *token) bool {
	switch {
	case a.word == b.word, a.group != 0 && b.group != 0:
		return a.word == b.word || a.group == b.group
	case a.traits&b.traits&shouted != 0:
		return false
	}
	return a.group|b.group == 0 && x.similar(a.word, b.word) || (a.traits|b.traits)&demonym == 0 && slip(a.word, b.word)
}

// spellOut matches initials in a with words of b that are left, in order: "J. K." with "Joanne Kathleen".
func spellOut(a, b []token, aHit, bHit *set) {
	short := of(a[:len(a)-1], initials|shouted) &^ *aHit
	for i, t := range a {
		letters := t.word
		for j, u := range b {
			if short>>i&1 != 0 && letters != "" && *bHit>>j&1 == 0 && u.word[0] == letters[0] {
				letters = letters[1:]
				*aHit |= 1 << i
				*bHit |= 1 << j
			}
		}
	}
}

// acronym returns the first letters of ts without words that say nothing and those behind a name, but a number as
// it is: WWII.
func acronym(ts []token) string {
	var a []byte
	for _, t := range ts {
		switch {
		case t.traits&numbered != 0:
			a = append(a, t.word...)
		case t.traits&(article|light|suffix) == 0:
			a = append(a, t.word[0])
		}
	}
	return string(a)
}

// similar reports whether two words are one but for an ending, of the plural or of a verb, or for British and
// American spelling.
func (x *lexicon) similar(a, b string) bool {
	return prefix(a, b) > 2 && slices.ContainsFunc(x.swaps["ending"], func(p [2]string) bool {
		stem, ok := strings.CutSuffix(a, p[0])
		return ok && len(stem) > 2 && b == stem+p[1]
	}) || slices.ContainsFunc(x.swaps["spelling"], func(p [2]string) bool {
		before, behind, ok := strings.Cut(a, p[0])
		return ok && len(before)+len(p[1])+len(behind) == len(b) && before+p[1]+behind == b
	})
}

// derived reports whether two words begin alike as "India" and "Indian" do.
func derived(a, b string) bool {
	return prefix(a, b) >= max(4, len(a)-3, len(b)-3)
}

func prefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// slip reports whether one letter is missing in a long word, or two neighbours have changed places.
func slip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := prefix(a, b)
	if n == 0 || n == len(b) || len(b) < 6 {
		return false
	}
	swapped := len(a) == len(b) && n+1 < len(a) && a[:n]+a[n+1:n+2]+a[n:n+1]+a[n+2:] == b
	return swapped || a[n:] == b[n+1:]
}

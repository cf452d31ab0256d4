package answer

import (
	"cmp"
	"slices"
	"strings"
)

// A comparison is a text of a gold beside a value, or a part of each.
type comparison struct {
	r            *Reference
	g, v         []token
	gs, vs       set // words of weight
	gNames       []thing
	vNames       []thing
	gHit, vHit   set // words that stand in the other
	gMore, vMore set // words of weight that do not
	person       bool
}

// align compares the words of a gold with those of a value, which is a code of some things.
func (r *Reference) align(g, v []token, codes []thing) (Verdict, string) {
	c := comparison{r: r, g: g, v: v, person: r.person(g)}
	c.gNames = append(slices.Clip(r.x.names[key(g)]), r.codes...)
	c.vNames = append(slices.Clip(r.x.names[key(v)]), codes...)
	c.gs, c.vs = strong(g), strong(v)
	if verdict, why := c.whole(); why != "" {
		return verdict, why
	}
	c.match()
	gLeft, vLeft := (1<<len(g)-1)&^c.gHit, (1<<len(v)-1)&^c.vHit
	if gLeft&of(g, numbered|suffix) != 0 && vLeft&of(v, numbered|suffix) != 0 {
		return Different, "another number"
	}
	for i, t := range g {
		if gLeft>>i&1 != 0 && slices.ContainsFunc(v, func(u token) bool { return slices.Contains(r.x.swaps["opposite"], [2]string{t.word, u.word}) }) {
			return Different, opposite
		}
	}
	if c.gHit&c.gs == 0 {
		return c.nothing()
	}
	c.gMore, c.vMore = gLeft&c.gs, vLeft&c.vs
	c.drop()
	if c.gMore|c.vMore == 0 {
		return c.equal(gLeft, vLeft)
	}
	return c.more()
}

const opposite = "the opposite"

// whole compares names as wholes: by their words together, the data and first letters. It has no reason where it cannot decide.
func (c *comparison) whole() (Verdict, string) {
	g, v := c.g, c.v
	same, alike := meet(c.gNames, c.vNames)
	switch {
	case key(g) == key(v):
		return Same, "the same words"
	case same && c.r.unsaid(v, c.vs) == 0:
		return Unsure, "repeats the question"
	case same:
		return Same, "another name of the same in the data"
	case alike:
		return Different, "another thing of the same sort in the data"
	case shouts(v) && acronym(g) == v[len(v)-1].word, shouts(g) && acronym(v) == g[len(g)-1].word:
		return Same, "the first letters"
	}
	return Unsure, ""
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

// meet reports whether a thing is in both, and whether the things are of one sort.
func meet(a, b []thing) (same, alike bool) {
	for _, t := range a {
		for _, u := range b {
			same, alike = same || t == u, alike || t.sort == u.sort
		}
	}
	return same, alike
}

// person reports whether the gold is the name of a person.
func (r *Reference) person(g []token) bool {
	return r.asks&asPerson != 0 || r.asks&asWork == 0 && len(g) > 1 && g[0].traits&(given|title) != 0
}

// unsaid drops from s the words that the question says already, in the same or another form: India, Indian.
func (r *Reference) unsaid(ts []token, s set) set {
	for i, t := range ts {
		said := func(q token) bool { return r.x.related(&q, &t) || derived(q.word, t.word) }
		if s>>i&1 != 0 && slices.ContainsFunc(r.question, said) {
			s &^= 1 << i
		}
	}
	return s
}

// drop leaves out words that tell nothing apart here: what the question says, possessors, and a description in front of the name,
// "the English naturalist Charles Darwin".
func (c *comparison) drop() {
	if c.g[len(c.g)-1].traits&capital != 0 {
		c.vMore &^= (of(c.v, demonym) | ^of(c.v, capital)) & (1<<c.vHit.top() - 1)
	}
	if c.person && c.gHit>>c.gs.top()&1 != 0 { // "Brundtland of the Labour Party"
		if behind := of(c.v, light) >> c.vHit.top() << c.vHit.top(); behind != 0 {
			c.vMore &= behind&-behind - 1
		}
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
	switch {
	case (of(c.g, negation) == 0) != (of(c.v, negation) == 0):
		return Unsure, "a denial"
	case gSort>>c.gs.top() != 0 && slices.ContainsFunc(c.vNames, func(t thing) bool { return t.sort == "country" }):
		return Different, "the country"
	case gSort != 0 && vSort != 0:
		return Unsure, "another sort of thing"
	}
	return Same, "the same words but for those that tell nothing apart"
}

// more judges a value where one side has words of weight that the other lacks.
func (c *comparison) more() (Verdict, string) {
	switch {
	case c.vMore&of(c.v, verb|negation) != 0:
		return Unsure, "other words"
	case c.vMore == 0:
		return c.shorter()
	case c.gMore == 0:
		return c.longer()
	case c.person && c.kin(c.gMore) && c.gHit>>c.gs.top()&1 != 0:
		return Same, "a form of the first name"
	}
	return Different, "the word that tells them apart"
}

func (c *comparison) shorter() (Verdict, string) {
	hits, first := c.gHit&c.gs, c.gs&-c.gs
	switch {
	case c.person && hits>>c.gs.top() != 0:
		return Same, "the surname"
	case c.person && hits&of(c.g, given) == 0 && c.gMore&of(c.g, numbered) == 0:
		return Same, "the one name by which people know"
	case c.person:
		return Unsure, "a first name alone"
	case c.r.asks&asBody != 0 && hits&first != 0 && of(c.v, generic) == 0:
		return Same, "the short name of an organisation"
	case len(c.vNames) > 0 && len(parts(c.g)) == 1, c.gMore&of(c.g, renews) != 0:
		return Different, "a part that names another thing"
	}
	return Unsure, "less specific"
}

func (c *comparison) longer() (Verdict, string) {
	inFront := c.vHit>>c.vs.top()&1 != 0
	switch {
	case c.vMore&of(c.v, numbered) != 0:
		return Unsure, "a number more"
	case c.vMore&of(c.v, renews) != 0:
		return Different, "another thing named after it"
	case c.person && c.vMore&^of(c.v, capital) == 0, c.r.asks&asBody != 0 && c.vHit&1 != 0:
		return Same, "a fuller name"
	case inFront && c.r.asks&asPlace == 0:
		return Same, "more specific"
	}
	return Unsure, "more than the name"
}

// nothing judges a value that shares no word of weight with the gold.
func (c *comparison) nothing() (Verdict, string) {
	names := of(c.v, capital) &^ of(c.v, demonym) &^ 1
	common := c.v[0].traits&capital == 0 || c.v[0].traits&demonym != 0
	inner := of(c.v[1:], light) != 0
	proper := of(c.g[min(1, len(c.g)-1):], capital) != 0 && names == 0 && of(c.v, capital|article) != 0
	switch {
	case c.vs&^of(c.v, weak) == 0 && names == 0:
		return Unsure, "only the sort of thing"
	case of(c.v, article|demonym).count() == len(c.v) && of(c.v, demonym) != 0 && of(c.g, demonym) == 0 && len(c.gNames) == 0:
		return Unsure, "only whose it is" // "the Norwegian capital", "African sleeping sickness"
	case len(c.v) > 1 && common && (inner || proper):
		return Unsure, "a description"
	case shortFor(c.g, c.v) || shortFor(c.v, c.g):
		return Unsure, "perhaps short for it"
	case c.r.x.scientific(c.v) != c.r.x.scientific(c.g):
		return Unsure, "a scientific name"
	case len(c.gNames) == 0 && c.kin(c.gs):
		return Unsure, "perhaps another spelling"
	}
	return Different, "no word in common"
}

// shortFor reports whether a may be an abbreviation of b of other letters than the first: TB of tuberculosis.
func shortFor(a, b []token) bool {
	word := a[len(a)-1].word
	return shouts(a) && !shouts(b) && word[0] == key(b)[0] && len(word) != len(acronym(b))
}

// scientific reports whether two words look like the name of a species: Loxodonta africana.
func (x *lexicon) scientific(ts []token) bool {
	return len(ts) == 2 && ts[0].traits&capital != 0 && ts[1].traits&capital == 0 && !slices.ContainsFunc(ts, func(t token) bool {
		return len(t.word) < 4 || !slices.ContainsFunc(x.latin, func(e string) bool { return strings.HasSuffix(t.word, e) })
	})
}

// kin reports whether each of some words of the gold is another form of a word of the value: Pythagorean, Pythagoras.
func (c *comparison) kin(gs set) bool {
	for i, t := range c.g {
		if gs>>i&1 != 0 && !slices.ContainsFunc(c.v, func(u token) bool {
			n := prefix(t.word, u.word)
			return derived(t.word, u.word) || c.person && n > 2 && n == min(len(t.word), len(u.word))
		}) {
			return false
		}
	}
	return true
}

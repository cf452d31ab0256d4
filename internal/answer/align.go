package answer

import (
	"slices"
	"strings"
)

// A comparison is a text of a gold beside a value, or a part of each.
type comparison struct {
	r            *Reference
	g, v         []token
	gNames       []thing
	vNames       []thing
	gHit, vHit   set // words that stand in the other
	gMore, vMore set // words of weight that do not
	oneLetter    bool
	person       bool
	gHead, vHead int // the last word of weight
}

// align compares the words of a gold with those of a value; text is the value as written, where it is the whole.
func (r *Reference) align(f *nameForm, g, v []token, text string) (Verdict, string) {
	if len(g) == 0 || len(v) == 0 {
		return Unsure, "no word to compare"
	}
	c := comparison{r: r, g: g, v: v, gNames: f.things, vNames: r.x.things(v, text), person: r.person(g)}
	if verdict, why := c.whole(f.acronyms); why != "" {
		return verdict, why
	}
	c.match()
	gs, vs := strong(g), strong(v)
	gLeft, vLeft := (1<<len(g)-1)&^c.gHit, (1<<len(v)-1)&^c.vHit
	c.gHead, c.vHead = gs.top(), vs.top()
	if gLeft&of(g, numbered|suffix) != 0 && vLeft&of(v, numbered|suffix) != 0 {
		return Different, "another number"
	}
	for i := range g {
		for j := range v {
			if gLeft>>i&1 != 0 && vLeft>>j&1 != 0 && r.x.opposites[[2]string{g[i].word, v[j].word}] {
				return Different, opposite
			}
		}
	}
	if c.gHit&gs == 0 || c.vHit&vs == 0 {
		return c.nothing()
	}
	c.gMore, c.vMore = gLeft&gs, vLeft&vs
	c.drop()
	if c.gMore|c.vMore == 0 {
		return c.equal(gLeft, vLeft)
	}
	return c.more()
}

// whole compares names as wholes: by the data, by their words together and by first letters. It has no reason where it cannot decide.
func (c *comparison) whole(letters []string) (Verdict, string) {
	switch g, v := c.g, c.v; {
	case meet(c.vNames, c.gNames) && c.r.unsaid(v, strong(v)) == 0 && c.r.unsaid(g, strong(g)) != 0:
		return Unsure, "repeats the question"
	case meet(c.vNames, c.gNames):
		return Same, "another name of the same in the data"
	case slices.ContainsFunc(c.vNames, func(t thing) bool {
		return slices.ContainsFunc(c.gNames, func(u thing) bool { return t.sort == u.sort })
	}):
		return Different, "another thing of the same sort in the data"
	case key(g) == key(v) && negated(g) == negated(v):
		return Same, "the same words"
	case len(v) < 3 && shouts(v) && slices.Contains(letters, v[len(v)-1].word), len(g) < 3 && shouts(g) && slices.Contains(acronyms(v), g[len(g)-1].word):
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
	for _, m := range []trait{weak, article | light} {
		if s := all&^of(ts, m) | of(ts, numbered)&^of(ts, article|light); s != 0 {
			return s
		}
	}
	return all
}

// meet reports whether a thing is in both.
func meet(a, b []thing) bool {
	return slices.ContainsFunc(a, func(t thing) bool { return slices.Contains(b, t) })
}

// person reports whether the gold is the name of a person.
func (r *Reference) person(g []token) bool {
	return of(g, legal|generic) == 0 && (r.asks&asPerson != 0 || r.asks&asWork == 0 && len(g) > 1 && g[0].traits&(given|title) != 0 && g[1].traits&capital != 0)
}

// unsaid drops from s the words that the question says already, in the same or another form: India, Indian.
func (r *Reference) unsaid(ts []token, s set) set {
	for i, t := range ts {
		if s>>i&1 != 0 && slices.ContainsFunc(r.question, func(q token) bool {
			return q.word == t.word || q.group != 0 && q.group == t.group && q.traits&numbered == 0 || r.x.similar(q.word, t.word) || derived(q.word, t.word)
		}) {
			s &^= 1 << i
		}
	}
	return s
}

// derived reports whether two words begin alike as "India" and "Indian" do.
func derived(a, b string) bool {
	n := prefix(a, b)
	return n >= 4 && n >= min(len(a), len(b))-2
}

// drop leaves out words that tell nothing apart here: what the question says, possessors, and a description in front of the name,
// "the English naturalist Charles Darwin".
func (c *comparison) drop() {
	before := set(1)<<c.vHit.top() - 1
	description := of(c.v, demonym)
	if of(c.v, capital) != 0 {
		description |= ^of(c.v, capital)
	}
	if c.person {
		c.vMore &^= of(c.v, role) & before
	}
	if c.g[len(c.g)-1].traits&capital != 0 {
		c.vMore &^= description & before &^ of(c.v, numbered|qualifier|verb)
	}
	if c.person { // a name that the question has is part of the name all the same
		return
	}
	if c.vMore == 0 {
		c.gMore = c.r.unsaid(c.g, c.gMore&^of(c.g, possessive))
	}
	if c.gMore == 0 {
		c.vMore = c.r.unsaid(c.v, c.vMore&^of(c.v, possessive))
	}
}

// equal judges a value with the same words of weight as the gold.
func (c *comparison) equal(gLeft, vLeft set) (Verdict, string) {
	city := gLeft & of(c.g, generic) &^ (set(1)<<c.gHead - 1)
	switch {
	case negated(c.g) != negated(c.v):
		return Unsure, "a denial"
	case city != 0 && slices.ContainsFunc(c.vNames, func(t thing) bool { return t.sort == "country" }):
		return Different, "the country"
	case gLeft&of(c.g, generic) != 0 && vLeft&of(c.v, generic) != 0 && c.r.kind == NameKind:
		return Unsure, "another sort of thing"
	case c.oneLetter:
		return Same, "but for one letter"
	}
	return Same, "the same words but for those that tell nothing apart"
}

// more judges a value where one side has words of weight that the other lacks.
func (c *comparison) more() (Verdict, string) {
	clause := c.vMore&of(c.v, verb|negation) != 0
	switch {
	case c.r.kind == PhraseKind || c.r.kind == SentenceKind || clause:
		return Unsure, "other words"
	case c.vMore == 0 && c.person:
		return c.shorterPerson()
	case c.vMore == 0:
		return c.shorter()
	case c.gMore == 0:
		return c.longer()
	case c.person && c.kin() && c.gHit>>c.gHead&1 != 0:
		return Same, "a form of the first name"
	case c.kin():
		return Unsure, "perhaps another spelling"
	}
	return Different, "the word that tells them apart"
}

func (c *comparison) shorterPerson() (Verdict, string) {
	hits := c.gHit & strong(c.g)
	switch {
	case c.gMore&^of(c.g, numbered) == 0:
		return Unsure, "without the number"
	case hits>>c.gHead != 0:
		return Same, "the surname"
	case (hits).count() == 1 && hits&of(c.g, given) == 0:
		return Same, "the one name by which people know"
	}
	return Unsure, "a first name alone"
}

func (c *comparison) shorter() (Verdict, string) {
	first := strong(c.g) & -strong(c.g)
	switch {
	case c.r.asks&asBody != 0 && c.gHit&first != 0 && len(c.vNames) == 0 && of(c.v, generic)&^c.vHit == 0 && c.g[first.top()].traits&(demonym|qualifier) == 0:
		return Same, "the short name of an organisation"
	case len(c.vNames) > 0 && len(parts(c.g)) == 1:
		return Different, "a part that names another thing"
	case c.gMore&^of(c.g, qualifier) == 0 && of(c.g, renews) != 0:
		return Different, "a part of the name"
	}
	return Unsure, "less specific"
}

func (c *comparison) longer() (Verdict, string) {
	qualified := c.vMore&of(c.v, qualifier) != 0
	inFront := c.vHit>>c.vHead&1 != 0 && c.gHit>>c.gHead&1 != 0
	names := c.vMore & of(c.v, capital) &^ of(c.v, demonym)
	owned := c.vHit & of(c.v, possessive)
	switch {
	case c.vMore&of(c.v, numbered) != 0:
		return Unsure, "a number more"
	case owned != 0 && owned < c.vMore: // "Bob Barker's wife"
		return Unsure, "something of its"
	case c.person && c.vMore&^of(c.v, capital|initials|demonym|title|role|article) != 0:
		return Unsure, "more than the name"
	case qualified && (len(c.gNames) > 0 || of(c.v, renews) != 0), !c.person && len(c.gNames) > 0 && !inFront:
		return Different, "another thing named after it"
	case qualified && (!inFront || c.g[c.gHead].traits&capital != 0), (c.vMore).count() > 3:
		return Unsure, "more than the name"
	case c.person, c.r.asks&asBody != 0 && c.vHit&1 != 0 && c.vMore&of(c.v, numbered|qualifier) == 0:
		return Same, fuller
	case inFront && (c.r.asks&asPlace == 0 || names == 0):
		return Same, "more specific"
	}
	return Unsure, "more than the name"
}

// nothing judges a value that shares no word of weight with the gold.
func (c *comparison) nothing() (Verdict, string) {
	v, vs, r := c.v, strong(c.v), c.r
	if v[0].traits&article != 0 && len(v) > 1 {
		v = v[1:]
	}
	names := of(c.v, capital) &^ of(c.v, demonym) &^ 1
	inner := of(v[1:], light|verb|negation).count() > 0
	proper := of(c.g[min(1, len(c.g)-1):], capital) != 0 || r.asks&(asPerson|asPlace) != 0
	switch {
	case vs&^of(c.v, weak|verb|negation) == 0 && names == 0:
		return Unsure, "only the sort of thing"
	case len(v) > 1 && (v[0].traits&capital == 0 || v[0].traits&demonym != 0) && (inner || proper && names == 0 && of(c.v, capital|article) != 0):
		return Unsure, "a description"
	case shortFor(c.g, c.v) || shortFor(c.v, c.g):
		return Unsure, "perhaps short for it"
	case r.x.scientific(c.v) != r.x.scientific(c.g):
		return Unsure, "a scientific name"
	case len(c.gNames) == 0 && len(c.vNames) == 0 && c.kin():
		return Unsure, "perhaps another spelling"
	}
	return Different, "no word in common"
}

// shortFor reports whether a may be an abbreviation of b of other letters than the first: TB of tuberculosis.
func shortFor(a, b []token) bool {
	if !shouts(a) || shouts(b) {
		return false
	}
	w, n, first := a[len(a)-1].word, len(b)-of(b, article|light).count(), b[min(len(b)-1, of(b[:1], article).count())]
	return len(w) < 6 && len(w) != n && w[0] == first.word[0]
}

// scientific reports whether two words look like the name of a species: Loxodonta africana.
func (x *lexicon) scientific(ts []token) bool {
	return len(ts) == 2 && ts[0].traits&capital != 0 && ts[1].traits&capital == 0 && !slices.ContainsFunc(ts, func(t token) bool {
		return len(t.word) < 4 || !slices.ContainsFunc(x.latin, func(e string) bool { return strings.HasSuffix(t.word, e) })
	})
}

// kin reports whether each word of weight that one side lacks is a short form, a foreign form or another spelling of one that the other lacks:
// Leo and Leonardo, Ignác and Ignaz.
func (c *comparison) kin() bool {
	any := false
	for i := range c.g {
		if c.gMore>>i&1 == 0 && !(c.gMore == 0 && strong(c.g)>>i&1 != 0) {
			continue
		}
		found := false
		for j := range c.v {
			found = found || c.vHit>>j&1 == 0 && akin(c.g[i].word, c.v[j].word, c.person)
		}
		if !found && c.g[i].traits&initials == 0 {
			return false
		}
		any = any || found
	}
	return any
}

// akin reports whether of two names of persons one begins the other, or at most one letter in three is another, with the same first letter or one that is
// often written for it.
func akin(a, b string, person bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if person && len(a) >= 3 && strings.HasPrefix(b, a) {
		return true
	}
	first := func(c byte) byte {
		switch c {
		case 'j', 'y', 'g':
			return 'i'
		case 'k', 'q':
			return 'c'
		}
		return c
	}
	if len(b) < 5 || len(b)-len(a) > 2 || first(a[0]) != first(b[0]) {
		return false
	}
	return 3*distance(a, b) <= len(b)
}

// distance is the number of letters put in, left out or exchanged that make a of b, of words that differ in length by at most 2.
func distance(a, b string) int {
	var row [maxWord]int
	if len(b) >= maxWord {
		return maxWord
	}
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// maxWord bounds the words whose distance is measured.
const maxWord = 32

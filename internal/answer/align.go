package answer

import (
	"slices"
	"strings"
)

// Reasons that are compared with.
const (
	fuller   = "a fuller name"
	specific = "more specific"
)

// weak words tell no name from another where a name has others.
const weak = article | light | title | suffix | generic | legal

// An overlap says which words of a gold and of a value stand in the other, and which do not.
type overlap struct {
	gHit, vHit   set
	gLeft, vLeft set
	typo         bool
}

// align compares the words of a gold with those of a value.
func (r *Reference) align(i int, g, v []token, value string) (Verdict, string) {
	if len(g) == 0 || len(v) == 0 {
		return Unsure, "no word to compare"
	}
	names := r.things(v, value)
	if shares(names, r.names[i]) {
		if r.repeats(g, v) {
			return Unsure, "repeats the question"
		}
		return Same, "another name of the same in the data"
	}
	o := r.match(g, v)
	gStrong, vStrong := strong(g), strong(v)
	hits := o.gHit & gStrong
	if numbersDiffer(g, v, o) {
		return Different, "another number"
	}
	if r.opposed(g, v, o) {
		return Different, "the opposite"
	}
	if otherThing(names, r.names[i]) {
		return Different, "the name of another thing of the sort"
	}
	if hits == 0 || o.vHit&vStrong == 0 {
		return r.nothing(g, v, o)
	}
	gl, vl := o.gLeft&gStrong, o.vLeft&vStrong
	vl = r.dropped(g, v, o, vl)
	if gl != 0 && vl == 0 {
		gl = r.unsaid(g, gl)
	} else if gl == 0 && vl != 0 {
		vl = r.unsaid(v, vl)
	}
	switch {
	case gl == 0 && vl == 0 && o.typo:
		return Same, "but for one letter"
	case gl == 0 && vl == 0 && r.kind != PhraseKind && r.kind != SentenceKind && sortsDiffer(g, v, o):
		return Unsure, "another sort of thing"
	case gl == 0 && vl == 0 && negated(g) != negated(v):
		return Unsure, "a denial"
	case gl == 0 && vl == 0:
		return Same, "the same words but for those that tell nothing apart"
	case r.kind == SentenceKind:
		return Unsure, "a sentence in other words"
	case r.kind == PhraseKind:
		if gl == 0 && count(hits) > 1 && negated(g) == negated(v) {
			return Same, "all its words"
		}
		return Unsure, "a phrase in other words"
	case vl == 0:
		return r.shorter(i, g, v, o, gl, names)
	case gl == 0:
		return r.longer(i, g, v, o, vl)
	}
	return r.crossed(g, v, o, gl, vl)
}

// strong returns the tokens that tell a name from another; all that say something where none does, then all.
func strong(ts []token) set {
	var s, some set
	for i, t := range ts {
		if !has(t, article|light) {
			some |= 1 << uint(i)
		}
		if t.senses&weak == 0 || has(t, numbered) {
			s |= 1 << uint(i)
		}
	}
	switch {
	case s != 0:
		return s
	case some != 0:
		return some
	}
	return 1<<uint(len(ts)) - 1
}

func shares(a, b []thing) bool {
	return slices.ContainsFunc(a, func(t thing) bool { return slices.Contains(b, t) })
}

// otherThing reports whether both are names of things of one sort in the data.
func otherThing(a, b []thing) bool {
	return slices.ContainsFunc(a, func(t thing) bool {
		return slices.ContainsFunc(b, func(u thing) bool { return t.sort == u.sort })
	})
}

// repeats reports whether the value only repeats the question, and the gold does not.
func (r *Reference) repeats(g, v []token) bool {
	return r.unsaid(v, strong(v)) == 0 && r.unsaid(g, strong(g)) != 0
}

// unsaid drops from s the words that the question says already.
func (r *Reference) unsaid(ts []token, s set) set {
	for i := range ts {
		if s.has(i) && slices.ContainsFunc(r.question.tokens, func(q token) bool {
			return q.word == ts[i].word || q.group != 0 && q.group == ts[i].group && !has(q, numbered) || r.x.similar(q.word, ts[i].word) || derived(q.word, ts[i].word)
		}) {
			s &^= 1 << uint(i)
		}
	}
	return s
}

// derived reports whether two words begin alike as "India" and "Indian" do.
func derived(a, b string) bool {
	n := prefix(a, b)
	return n >= 4 && n >= min(len(a), len(b))-2
}

// dropped drops from vl the words of a description in front of a name, "the English naturalist Charles Darwin", and possessors.
func (r *Reference) dropped(g, v []token, o overlap, vl set) set {
	proper := g[len(g)-1].shape&capital != 0
	for i, t := range v {
		switch {
		case !vl.has(i) || has(t, numbered|qualifier|verb):
		case o.vHit>>uint(i) == 0: // nothing of the gold stands behind it
		case t.shape&possessive != 0, has(t, role) && r.person(g):
			vl &^= 1 << uint(i)
		case proper && r.forms[0].cased && (t.shape&capital == 0 && hasCapital(v) || has(t, demonym)):
			vl &^= 1 << uint(i)
		}
	}
	return vl
}

func hasCapital(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.shape&capital != 0 })
}

// person reports whether the gold is the name of a person.
func (r *Reference) person(g []token) bool {
	for _, t := range g {
		if has(t, legal|generic) && !has(t, numbered) {
			return false
		}
	}
	return r.asks&asPerson != 0 || len(g) > 1 && has(g[0], given|title) && g[1].shape&capital != 0
}

// shorter judges a value that has only some of the gold's words.
func (r *Reference) shorter(i int, g, v []token, o overlap, gl set, names []thing) (Verdict, string) {
	if len(names) > 0 && !r.person(g) {
		return Different, "a part that names another thing"
	}
	numbers, qualifiers := only(g, gl, numbered), only(g, gl, qualifier)
	last := lastOf(strong(g))
	surname := o.gHit.has(last)
	possessor := true
	for j, t := range g {
		possessor = possessor && (!gl.has(j) || t.shape&possessive != 0)
	}
	switch {
	case possessor:
		return Same, "without the author"
	case qualifiers && slices.ContainsFunc(g, func(t token) bool { return t.word == "new" }):
		return Different, "a part of the name"
	case qualifiers:
		return Unsure, "without what tells it from others"
	case r.person(g) && only(g, gl, suffix):
		return Same, "without the suffix"
	case r.person(g) && onlyShape(g, gl, initials):
		return Same, "without the initial"
	case r.person(g) && numbers:
		return Unsure, "without the number"
	case r.person(g) && surname:
		return Same, "the surname"
	case r.person(g) && count(o.gHit&strong(g)) == 1 && !has(g[lastOf(o.gHit&strong(g))], given):
		return Same, "the one name by which people know"
	case r.person(g):
		return Unsure, "a first name alone"
	case numbers:
		return Unsure, "without the number"
	}
	return Unsure, "less specific"
}

func lastOf(s set) int {
	for i := maxTokens - 1; i > 0; i-- {
		if s.has(i) {
			return i
		}
	}
	return 0
}

func only(ts []token, s set, sn sense) bool {
	for i, t := range ts {
		if s.has(i) && !has(t, sn) {
			return false
		}
	}
	return true
}

func onlyShape(ts []token, s set, sh shape) bool {
	for i, t := range ts {
		if s.has(i) && t.shape&sh == 0 {
			return false
		}
	}
	return true
}

// longer judges a value that has all of the gold's words and others.
func (r *Reference) longer(i int, g, v []token, o overlap, vl set) (Verdict, string) {
	var verbs, numbers, qualifiers bool
	capitals := 0
	for j, t := range v {
		if vl.has(j) {
			verbs = verbs || has(t, verb|negation)
			numbers = numbers || has(t, numbered)
			qualifiers = qualifiers || has(t, qualifier)
			if t.shape&capital != 0 && !has(t, demonym) {
				capitals++
			}
		}
	}
	person := r.person(g) || r.asks&asPerson != 0 && len(g) == 1
	last, vlast := lastOf(strong(g)), lastOf(strong(v))
	behind := vl>>uint(vlast) == 0 && o.gHit.has(last) && lastOf(o.vHit) >= vlast
	switch {
	case verbs:
		return Unsure, "a clause with the name in it"
	case numbers:
		return Unsure, "a number more"
	case qualifiers && (len(r.names[i]) > 0 || slices.ContainsFunc(v, func(t token) bool { return t.word == "new" })):
		return Different, "a qualifier more"
	case qualifiers && !behind:
		return Unsure, "a qualifier more"
	case person && count(vl) <= 3:
		return Same, fuller
	case person:
		return Unsure, "much more than the name"
	case len(r.names[i]) > 0 && !behind:
		return Different, "a part of another name"
	case behind && qualifiers && g[last].shape&capital != 0:
		return Unsure, "a qualifier more"
	case behind && !(r.asks&asPlace != 0 && capitals > 0):
		return Same, specific
	}
	return Unsure, "more than the name"
}

// crossed judges a value where each side has words that the other lacks.
func (r *Reference) crossed(g, v []token, o overlap, gl, vl set) (Verdict, string) {
	verbs := false
	for j, t := range v {
		verbs = verbs || vl.has(j) && has(t, verb|negation)
	}
	switch {
	case verbs:
		return Unsure, "a clause"
	case r.person(g):
		return Different, "another first name or surname"
	case count(o.gHit&strong(g)) >= 3 && count(gl) == 1 && count(vl) == 1:
		return Unsure, "one word differs"
	}
	return Different, "the word that tells them apart"
}

// nothing judges a value that shares no word that counts with the gold.
func (r *Reference) nothing(g, v []token, o overlap) (Verdict, string) {
	vs := strong(v)
	lights := 0
	for _, t := range v {
		lights += b2i(has(t, light|verb|negation))
	}
	first, proper := v[0], hasCapital(g[min(1, len(g)-1):])
	switch {
	case r.kind == PhraseKind || r.kind == SentenceKind:
		return Unsure, "other words"
	case r.kind != ListKind && r.repeats(g, v):
		return Unsure, "repeats the question"
	case only(v, vs, weak|verb|negation) && !hasCapital(v[min(1, len(v)-1):]):
		return Unsure, "only the sort of thing"
	case proper && !hasCapital(v[1:]) && len(v) > 2 && (has(first, article) || lights > 0):
		return Unsure, "a description"
	case !hasCapital(v) && (lights > 1 || count(vs) > 3):
		return Unsure, "a description"
	case shortFor(g, v) || shortFor(v, g):
		return Unsure, "perhaps short for it"
	case r.scientific(v) != r.scientific(g):
		return Unsure, "a scientific name"
	}
	return Different, "no word in common"
}

// shortFor reports whether a may be an abbreviation of b that is not built of first letters: "TB" of tuberculosis.
func shortFor(a, b []token) bool {
	return len(a) == 1 && a[0].shape&shouted != 0 && len(a[0].word) <= 5 && len(b) > 0 && (len(b) == 1 || count(strong(b)) == 1 || count(strong(b)) != len(a[0].word)) &&
		b[0].shape&shouted == 0 && a[0].word[0] == b[min(len(b)-1, b2i(has(b[0], article)))].word[0]
}

// scientific reports whether two words look like the name of a species: Loxodonta africana.
func (r *Reference) scientific(ts []token) bool {
	if len(ts) != 2 || ts[0].shape&capital == 0 || ts[1].shape&capital != 0 {
		return false
	}
	return !slices.ContainsFunc(ts, func(t token) bool {
		return len(t.word) < 4 || !slices.ContainsFunc(r.x.latinEndings, func(e string) bool { return strings.HasSuffix(t.word, e) })
	})
}

func numbersDiffer(g, v []token, o overlap) bool {
	in := func(ts []token, left set) bool {
		for i, t := range ts {
			if left.has(i) && has(t, numbered) {
				return true
			}
		}
		return false
	}
	return in(g, o.gLeft) && in(v, o.vLeft)
}

// opposed reports whether a word that only the gold has is the opposite of one that only the value has.
func (r *Reference) opposed(g, v []token, o overlap) bool {
	for i, a := range g {
		for j, b := range v {
			if o.gLeft.has(i) && o.vLeft.has(j) && r.x.opposites[[2]string{a.word, b.word}] || o.gLeft.has(i) && o.vLeft.has(j) && r.x.opposites[[2]string{r.x.base(a.word), r.x.base(b.word)}] {
				return true
			}
		}
	}
	return false
}

// sortsDiffer reports whether each side names another sort of thing: Lake Victoria, Victoria Falls.
func sortsDiffer(g, v []token, o overlap) bool {
	in := func(ts []token, left set) bool {
		for i, t := range ts {
			if left.has(i) && has(t, generic) {
				return true
			}
		}
		return false
	}
	return in(g, o.gLeft) && in(v, o.vLeft)
}

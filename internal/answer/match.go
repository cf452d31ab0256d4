package answer

import (
	"slices"
	"strings"
)

// match pairs the words of a gold with those of a value: equal ones first, then forms of one word, then initials.
func (r *Reference) match(g, v []token) overlap {
	var o overlap
	for pass := range 2 {
		for i, a := range g {
			for j, b := range v {
				if o.gHit.has(i) || o.vHit.has(j) {
					continue
				}
				if a.word == b.word || pass == 1 && r.related(a, b, &o) {
					o.gHit |= 1 << uint(i)
					o.vHit |= 1 << uint(j)
				}
			}
		}
	}
	if o.gHit&strong(g) != 0 {
		spellOut(g, v, &o.gHit, &o.vHit)
		spellOut(v, g, &o.vHit, &o.gHit)
	}
	o.gLeft, o.vLeft = (1<<uint(len(g))-1)&^o.gHit, (1<<uint(len(v))-1)&^o.vHit
	return o
}

// related reports whether two words are forms of one, or one of them is the other with a slip.
func (r *Reference) related(a, b token, o *overlap) bool {
	if a.group != 0 || b.group != 0 {
		return a.group == b.group
	}
	if a.word[0] != b.word[0] {
		return false
	}
	if r.x.similar(a.word, b.word) && (!r.person([]token{a}) || a.senses&b.senses&given == 0) {
		return true
	}
	if !slip(a.word, b.word) || a.senses&b.senses&given != 0 || r.x.names[a.word] != nil && r.x.names[b.word] != nil {
		return false
	}
	for _, rival := range r.rivals {
		for _, f := range rival.forms {
			if slices.ContainsFunc(f.tokens, func(t token) bool { return t.word == b.word }) {
				return false
			}
		}
	}
	o.typo = true
	return true
}

// spellOut matches initials in a with unmatched words of b, in order: "J. K." with "Joanne Kathleen".
func spellOut(a, b []token, aHit, bHit *set) {
	for i, t := range a {
		if aHit.has(i) || t.shape&initials == 0 && !(t.shape&shouted != 0 && len(t.word) <= 3) || i+1 == len(a) {
			continue
		}
		from := 0
		for n := range len(t.word) {
			for from < len(b) && (bHit.has(from) || b[from].word[0] != t.word[n] || b[from].shape&initials != 0) {
				from++
			}
			if from == len(b) {
				break
			}
			*bHit |= 1 << uint(from)
			*aHit |= 1 << uint(i)
		}
	}
}

// initialsOf reports whether a is one word of the first letters of b's words, those that say nothing counted or left out; a number at
// the end stands as it is: "WWII".
func initialsOf(a, b []token) bool {
	if len(a) > 0 && has(a[0], article) {
		a = a[1:]
	}
	if len(a) != 1 || a[0].shape&shouted == 0 || len(b) < 2 {
		return false
	}
	for _, skip := range []sense{article | light, article, article | light | suffix | legal} {
		rest, ok := a[0].word, true
		for _, t := range b {
			if has(t, skip) && !has(t, numbered) {
				continue
			}
			n := 1
			if has(t, numbered) && t.shape&(shouted|capital) != 0 && strings.HasPrefix(rest, t.word) {
				n = len(t.word)
			}
			if rest == "" || rest[0] != t.word[0] {
				ok = false
				break
			}
			rest = rest[n:]
		}
		if ok && rest == "" {
			return true
		}
	}
	return false
}

// acronyms returns the words that initialsOf takes for b.
func acronyms(b []token) (as []string) {
	for _, skip := range []sense{article | light, article, article | light | suffix | legal} {
		var a []byte
		for _, t := range b {
			if !has(t, skip) || has(t, numbered) {
				a = append(a, t.word[0])
				if has(t, numbered) {
					a = append(a, t.word[1:]...)
				}
			}
		}
		if len(b) > 1 {
			as = append(as, string(a))
		}
	}
	return as
}

func prefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// similar reports whether two words are one but for an ending (plural, form of a verb) or for British and American spelling.
func (x *lexicon) similar(a, b string) bool {
	n := prefix(a, b)
	if n == len(a) && n == len(b) {
		return true
	}
	if len(a) < 3 || len(b) < 3 {
		return false
	}
	if n >= 3 {
		for _, e := range x.endings {
			if swaps(a, b, n, e, true) {
				return true
			}
		}
	}
	if len(a) < 4 {
		return false
	}
	for _, e := range x.spellings {
		if swaps(a, b, n, e, false) {
			return true
		}
	}
	return false
}

// swaps reports whether b is a with one part, at most two bytes before n, in the place of another; at the end if asked for.
func swaps(a, b string, n int, parts [2]string, end bool) bool {
	for i := max(0, n-2); i <= n; i++ {
		if strings.HasPrefix(a[i:], parts[0]) && strings.HasPrefix(b[i:], parts[1]) {
			ra, rb := a[i+len(parts[0]):], b[i+len(parts[1]):]
			if ra == rb && (!end || ra == "") {
				return true
			}
		}
	}
	return false
}

// slip reports whether one letter is missing in a long word, or two neighbours have changed places.
func slip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) < 6 || len(a) < 5 || len(b)-len(a) > 1 {
		return false
	}
	n := prefix(a, b)
	if len(a) == len(b) {
		return n+1 < len(a) && a[n] == b[n+1] && a[n+1] == b[n] && a[n+2:] == b[n+2:]
	}
	return a[n:] == b[n+1:]
}

// base returns a word without its ending where the opposites have the rest: "raise" of "raising".
func (x *lexicon) base(w string) string {
	for _, e := range x.endings {
		if t, ok := strings.CutSuffix(w, e[0]); ok && e[0] != "" && len(t) >= 3 && x.opposable[t] && e[1] == "" {
			return t
		}
	}
	if t, ok := strings.CutSuffix(w, "ing"); ok && len(t) >= 3 {
		return t + "e"
	}
	return w
}

// variants returns other forms of a word that match counts as the same.
func (x *lexicon) variants(t token) (vs []string) {
	for w, l := range x.words {
		if t.group != 0 && l.group == t.group {
			vs = append(vs, w)
		}
	}
	for _, e := range x.endings {
		if stem, ok := strings.CutSuffix(t.word, e[0]); ok && len(stem) >= 3 {
			vs = append(vs, stem+e[1])
		}
	}
	for _, e := range x.spellings {
		if i := strings.Index(t.word, e[0]); i >= 0 {
			vs = append(vs, t.word[:i]+e[1]+t.word[i+len(e[0]):])
		}
	}
	return vs
}

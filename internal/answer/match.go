package answer

import (
	"slices"
	"strings"
)

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

// related reports whether two words are forms of one, or one of them is the other with a slip. Of words in capitals each letter
// counts: HTTP, HTTPS.
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
	for i, t := range a[:len(a)-1] {
		if *aHit>>i&1 != 0 || t.traits&(initials|shouted) == 0 {
			continue
		}
		from := 0
		for n := range len(t.word) {
			for from < len(b) && (*bHit>>from&1 != 0 || b[from].word[0] != t.word[n]) {
				from++
			}
			if from < len(b) {
				*bHit |= 1 << from
				*aHit |= 1 << i
			}
		}
	}
}

// acronym returns the first letters of ts without words that say nothing and those behind a name, but a number as it is: WWII.
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

// similar reports whether two words are one but for an ending, of the plural or of a verb, or for British and American spelling.
func (x *lexicon) similar(a, b string) bool {
	return slices.ContainsFunc(x.swaps["ending"], func(p [2]string) bool {
		stem, ok := strings.CutSuffix(a, p[0])
		return ok && len(stem) > 2 && b == stem+p[1]
	}) || slices.ContainsFunc(x.swaps["spelling"], func(p [2]string) bool {
		return strings.Replace(a, p[0], p[1], 1) == b
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
	switch {
	case n == 0, n == len(b), len(b) < 6:
		return false
	case n+1 < len(a) && len(a) == len(b):
		return a[n] == b[n+1] && a[n+1] == b[n] && a[n+2:] == b[n+2:]
	}
	return a[n:] == b[n+1:]
}

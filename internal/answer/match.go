package answer

import (
	"slices"
	"strings"
)

// match pairs the words of a gold with those of a value: equal ones first, then forms of one word, then initials.
func (c *comparison) match() {
	for pass := range 2 {
		for i := range c.g {
			for j := range c.v {
				if c.gHit>>i&1 == 0 && c.vHit>>j&1 == 0 && (c.g[i].word == c.v[j].word || pass == 1 && c.related(&c.g[i], &c.v[j])) {
					c.gHit |= 1 << i
					c.vHit |= 1 << j
				}
			}
		}
	}
	if c.gHit&strong(c.g) != 0 {
		spellOut(c.g, c.v, &c.gHit, &c.vHit)
		spellOut(c.v, c.g, &c.vHit, &c.gHit)
	}
}

// related reports whether two words are forms of one, or one of them is the other with a slip.
func (c *comparison) related(a, b *token) bool {
	if a.group != 0 || b.group != 0 || a.word[0] != b.word[0] {
		return a.group == b.group && a.group != 0
	}
	x := c.r.x
	if names := a.traits & b.traits & given; names != 0 {
		return false
	}
	if x.similar(a.word, b.word) && !c.person && a.traits&b.traits&shouted == 0 {
		return true
	}
	isRival := slices.ContainsFunc(c.r.rivals, func(rival *Reference) bool {
		return slices.ContainsFunc(rival.names[0].tokens, func(t token) bool { return t.word == b.word })
	})
	if isRival || (a.traits|b.traits)&demonym != 0 || x.names[a.word] != nil && x.names[b.word] != nil || !slip(a.word, b.word) {
		return false
	}
	c.oneLetter = true
	return true
}

// spellOut matches initials in a with words of b that are left, in order: "J. K." with "Joanne Kathleen".
func spellOut(a, b []token, aHit, bHit *set) {
	for i, t := range a[:len(a)-1] {
		if *aHit>>i&1 != 0 || t.traits&initials == 0 && (t.traits&shouted == 0 || len(t.word) > 3) {
			continue
		}
		from := 0
		for n := range len(t.word) {
			for from < len(b) && (*bHit>>from&1 != 0 || b[from].word[0] != t.word[n] || b[from].traits&initials != 0) {
				from++
			}
			if from < len(b) {
				*bHit |= 1 << from
				*aHit |= 1 << i
			}
		}
	}
}

// acronyms returns the words of first letters that stand for ts: words that say nothing left out or counted, and those behind a name left
// out; a number as it is, WWII.
func acronyms(ts []token) (as []string) {
	for _, skip := range []trait{article | light, article, article | light | suffix | legal} {
		var a []byte
		for _, t := range ts {
			switch {
			case t.traits&(numbered|shouted) != 0:
				a = append(a, t.word...)
			case t.traits&skip == 0:
				a = append(a, t.word[0])
			}
		}
		if len(ts) > 1 && len(a) > 1 {
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

// similar reports whether two words are one but for an ending, of the plural or of a verb, or for British and American spelling.
func (x *lexicon) similar(a, b string) bool {
	n := prefix(a, b)
	swapped := func(parts [2]string, end bool) bool {
		for i := max(0, n-2); i <= n; i++ {
			ra, ok := strings.CutPrefix(a[i:], parts[0])
			rb, ok2 := strings.CutPrefix(b[i:], parts[1])
			if ok && ok2 && ra == rb && (!end || ra == "") {
				return true
			}
		}
		return false
	}
	if n < 1 || len(a) < 4 && len(b) < 4 {
		return a == b
	}
	return n > 2 && slices.ContainsFunc(x.swaps["ending"], func(p [2]string) bool { return swapped(p, true) }) ||
		slices.ContainsFunc(x.swaps["spelling"], func(p [2]string) bool { return swapped(p, false) })
}

// slip reports whether one letter is missing in a long word, or two neighbours have changed places.
func slip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) < 6 || len(b)-len(a) > 1 {
		return false
	}
	n := prefix(a, b)
	if len(a) == len(b) {
		return n+1 < len(a) && a[n] == b[n+1] && a[n+1] == b[n] && a[n+2:] == b[n+2:]
	}
	return a[n:] == b[n+1:]
}

package retrieve

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// stem reduces a lower-case word to its stem in place, by Porter's algorithm with its author's three later changes
// (bli, logi, and words of two letters left alone), as Lucene's PorterStemFilter has it. Bytes that are no vowel
// count as consonants. Source: M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980.
func stem(w []byte) []byte {
	if utf8.RuneCount(w) <= 2 {
		return w
	}
	w = past(replace(w, plurals, 0))
	if base, ok := cut(w, "y"); ok && hasVowel(base) {
		w[len(w)-1] = 'i'
	}
	w = replace(replace(w, doubleSuffixes, 1), singleSuffixes, 1)
	if base, ok := cut(w, "ion"); !ok || bytes.HasSuffix(base, []byte("s")) || bytes.HasSuffix(base, []byte("t")) {
		w = replace(w, removed, 2)
	}
	return tidy(w)
}

func cut(w []byte, suffix string) ([]byte, bool) { return bytes.CutSuffix(w, []byte(suffix)) }

// consonant reports whether the letter at i is one: y is after a vowel and at the beginning.
func consonant(w []byte, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !consonant(w, i-1)
	}
	return true
}

// measure counts the vowels' runs that a consonant follows: m in [C](VC)^m[V].
func measure(w []byte) (m int) {
	vowel := false
	for i := range w {
		c := consonant(w, i)
		if c && vowel {
			m++
		}
		vowel = !c
	}
	return m
}

func hasVowel(w []byte) bool {
	for i := range w {
		if !consonant(w, i) {
			return true
		}
	}
	return false
}

// double reports whether w ends in the same consonant twice.
func double(w []byte) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && consonant(w, n-1)
}

// short reports whether w ends in consonant, vowel, consonant, the last not w, x or y: hop, but not snow.
func short(w []byte) bool {
	n := len(w)
	if n < 3 || !consonant(w, n-1) || consonant(w, n-2) || !consonant(w, n-3) {
		return false
	}
	c := w[n-1]
	return c != 'w' && c != 'x' && c != 'y'
}

// past is step 1b.
func past(w []byte) []byte {
	if base, ok := cut(w, "eed"); ok {
		if measure(base) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	base, ok := cut(w, "ed")
	if !ok {
		base, ok = cut(w, "ing")
	}
	if !ok || !hasVowel(base) {
		return w
	}
	for _, ending := range []string{"at", "bl", "iz"} {
		if bytes.HasSuffix(base, []byte(ending)) {
			return append(base, 'e') // in place: two letters or more were cut
		}
	}
	switch n := len(base); {
	case double(base):
		if c := base[n-1]; c != 'l' && c != 's' && c != 'z' {
			return base[:n-1]
		}
	case measure(base) == 1 && short(base):
		return append(base, 'e')
	}
	return base
}

// A suffix and what takes its place.
type suffix struct{ from, to string }

// The suffixes of steps 1a, 2, 3 and 4, of which "ion" goes only behind s or t. Of two that fit, the longer stands
// first.
var (
	plurals        = suffixes("sses>ss ies>i ss>ss s>")
	doubleSuffixes = suffixes("ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e " +
		"ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive " +
		"biliti>ble logi>log")
	singleSuffixes = suffixes("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
	removed        = suffixes("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize")
)

func suffixes(pairs string) (table []suffix) {
	for pair := range strings.FieldsSeq(pairs) {
		from, to, _ := strings.Cut(pair, ">")
		table = append(table, suffix{from, to})
	}
	return table
}

// replace puts the short form of the first suffix that fits, if what stands before it measures more than least-1.
func replace(w []byte, table []suffix, least int) []byte {
	for _, s := range table {
		if base, ok := cut(w, s.from); ok {
			if measure(base) >= least {
				return append(base, s.to...)
			}
			return w
		}
	}
	return w
}

// tidy is step 5: a last e, and a double l.
func tidy(w []byte) []byte {
	if base, ok := cut(w, "e"); ok {
		if m := measure(base); m > 1 || m == 1 && !short(base) {
			w = base
		}
	}
	if n := len(w); n > 1 && w[n-1] == 'l' && double(w) && measure(w) > 1 {
		w = w[:n-1]
	}
	return w
}

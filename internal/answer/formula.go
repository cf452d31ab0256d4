package answer

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// plainFormula returns a formula without markup, blanks and signs of multiplication, its exponents and indices as plain digits.
func plainFormula(s string) string {
	word := func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' }
	if !strings.ContainsFunc(s, func(r rune) bool { return !word(r) }) {
		return s
	}
	s = strings.NewReplacer(`\cdot`, "", `\times`, "", `\text`, "", `\mathrm`, "", `\pi`, "π", "pi", "π").Replace(norm.NFKC.String(s))
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" $\\{}_^*·×`?!.", r) {
			return -1
		}
		return r
	}, strings.TrimRight(s, ".,;: "))
}

// formula returns the plain form of a text that its signs show to be a formula, "" for another.
func formula(s string) string {
	plain := plainFormula(s)
	letters, digits, coefficient, mixed := 0, 0, false, false
	for i, c := range []byte(plain) {
		switch {
		case isDigitByte(c):
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80:
			letters++
			coefficient = coefficient || i > 0 && isDigitByte(plain[i-1])
			mixed = mixed || i > 0 && c >= 'A' && c <= 'Z' && plain[i-1] >= 'a'
		}
	}
	signs := strings.ContainsAny(s, "=^²³")
	short := letters > 0 && letters < 13
	if short && signs && digits > 0 || short && strings.Contains(s, "=") || short && coefficient && len(plain) < 5 || words().ofElements(plain) && (digits > 0 || mixed) {
		return plain
	}
	return ""
}

// ofElements reports whether s is made of symbols of elements, with counts and brackets.
func (x *lexicon) ofElements(s string) bool {
	element := func(s string) bool {
		return slices.ContainsFunc(x.codes[s], func(t thing) bool { return t.sort == "element" })
	}
	for i := 0; i < len(s); i++ {
		switch {
		case i > 0 && strings.IndexByte("0123456789()+-", s[i]) >= 0:
		case i+1 < len(s) && s[i+1] >= 'a' && element(s[i:i+2]):
			i++
		case !element(s[i : i+1]):
			return false
		}
	}
	return s != ""
}

// formula compares as formulas; false where the value is none.
func (r *Reference) formula(value string) (Verdict, string, bool) {
	a, b := plainFormula(r.gold), plainFormula(value)
	alike := strings.EqualFold(a, b)
	known := r.x.codes[a] != nil && r.x.codes[b] != nil // Co, CO
	switch {
	case a == b || alike && !known:
		return Same, "the same formula", true
	case r.x.ofElements(a) && (alike || r.x.ofElements(b) && b != strings.ToLower(b)):
		return Different, "another formula", true
	case r.x.ofElements(a):
		return Unsure, "", false
	}
	return Unsure, "a formula in another form", true
}

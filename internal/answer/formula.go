package answer

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var formulaNames = strings.NewReplacer(`\cdot`, "", `\times`, "", `\text`, "", `\mathrm`, "", `\pi`, "π", "pi", "π")

// plainFormula returns a formula without markup, blanks and signs of multiplication, its exponents and indices as plain digits.
func plainFormula(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" $\\{}_^*·×`?!.,;:", r) {
			return -1
		}
		return r
	}, formulaNames.Replace(norm.NFKC.String(s)))
}

// isFormula reports whether the signs of a text show that it is a formula. A word that could be one, "CO", is none.
func (x *lexicon) isFormula(s string) bool {
	plain := plainFormula(s)
	digit := strings.ContainsAny(plain, "0123456789")
	if x.ofElements(plain) {
		return digit
	}
	return strings.Contains(s, "=") || digit && strings.ContainsAny(s, "^²³") && strings.ContainsFunc(plain, unicode.IsLetter)
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
	a, b := plainFormula(r.texts[0]), plainFormula(value)
	chemical := r.x.ofElements(a)
	switch {
	case a == b || !chemical && strings.EqualFold(a, b): // but Co, CO
		return Same, "the same formula", true
	case chemical && r.x.ofElements(b):
		return Different, "another formula", true
	}
	return Unsure, "a formula in another form", !chemical
}

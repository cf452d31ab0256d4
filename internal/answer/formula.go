package answer

import (
	"slices"
	"strings"
	"unicode"

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

// isFormula reports whether the signs of a text show that it is a formula. A word that could be one, "CO", is none.
func (x *lexicon) isFormula(s string) bool {
	plain := plainFormula(s)
	digit, letter := strings.IndexAny(plain, "0123456789"), strings.IndexFunc(plain, unicode.IsLetter)
	switch {
	case letter < 0 || len(plain) > 40:
		return false
	case x.ofElements(plain):
		return digit > 0 || len(plain) > 2 && x.codes[plain] != nil && plain != strings.ToUpper(plain) // NaCl
	}
	return strings.Contains(s, "=") || digit == 0 && len(plain) < 4 && plain == strings.ToLower(plain) || digit > 0 && strings.ContainsAny(s, "^²³")
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
	alike := strings.EqualFold(a, b)
	known := r.x.ofElements(a) && r.x.ofElements(b) // Co, CO
	switch {
	case a == b || alike && !known:
		return Same, "the same formula", true
	case r.x.ofElements(a) && r.x.ofElements(b):
		return Different, "another formula", true
	case r.x.ofElements(a):
		return Unsure, "", false
	}
	return Unsure, "a formula in another form", true
}

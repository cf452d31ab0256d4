package answer

import (
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

// isFormula reports whether the signs of a text show that it is a formula.
func isFormula(s string) bool {
	letter, power := strings.ContainsFunc(s, unicode.IsLetter), strings.ContainsAny(s, "^²³")
	return strings.Contains(s, "=") || letter && power
}

// formula compares as formulas.
func (r *Reference) formula(value string) (Verdict, string) {
	if strings.EqualFold(plainFormula(r.gold), plainFormula(value)) {
		return Same, "the same formula"
	}
	return Unsure, "a formula in another form"
}

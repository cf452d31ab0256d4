package answer

import (
	"strings"

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

package answer

import (
	"strings"
	"unicode/utf8"
)

var formulaSigns = strings.NewReplacer("₀", "0", "₁", "1", "₂", "2", "₃", "3", "₄", "4", "₅", "5", "₆", "6", "₇", "7", "₈", "8", "₉", "9", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9",
	`\cdot`, "", `\times`, "", `\text`, "", `\mathrm`, "", `\pi`, "π", "pi", "π", " ", "", "$", "", "{", "", "}", "", `\`, "", "_", "", "^", "", "*", "", "·", "", "×", "", "`", "", "−", "-", "–", "-", "?", "", "!", "", "\u2060", "")

// plainFormula returns a formula without markup, blanks and signs of multiplication, its exponents and indices as plain digits.
func plainFormula(s string) string {
	s = strings.TrimRight(s, ". ,;:!")
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || !isWordByte(c) {
			return formulaSigns.Replace(s)
		}
	}
	return s
}

func isWordByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigitByte(c) }

// formula returns the plain form of a chemical or mathematical formula, and whether it is a chemical one. "" is for other text: what
// could be a word is a formula only if one is asked for.
func formula(s string, asked bool, x *lexicon) (plain string, chemical bool) {
	if len(s) > 128 {
		return "", false
	}
	plain = plainFormula(s)
	digits := strings.ContainsAny(plain, "0123456789")
	if !strings.ContainsRune(strings.TrimSpace(s), ' ') && ofElements(plain, x) && (asked || digits || x.codes[plain] != nil && plain != strings.ToUpper(plain) && len(plain) > 2) {
		return plain, true
	}
	letters, signs := 0, strings.ContainsAny(s, "=^*²³")
	for i, c := range []byte(plain) {
		if isWordByte(c) && !isDigitByte(c) {
			letters++
			if i > 0 && isDigitByte(plain[i-1]) && len(plain) <= 4 && strings.ToLower(plain) == plain {
				signs = true // "2x"
			}
		}
	}
	if letters > 0 && letters <= 12 && signs && (digits || strings.ContainsRune(s, '=')) || asked && strings.ContainsAny(s, "=^") {
		return plain, false
	}
	return "", false
}

// ofElements reports whether s is made of symbols of elements, with counts and brackets.
func ofElements(s string, x *lexicon) bool {
	element := func(sym string) bool {
		for _, t := range x.codes[sym] {
			if t.sort == "element" {
				return true
			}
		}
		return false
	}
	for i := 0; i < len(s); {
		switch {
		case i > 0 && isDigitByte(s[i]), s[i] == '(', s[i] == ')', i > 0 && (s[i] == '+' || s[i] == '-'):
			i++
		case i+1 < len(s) && s[i+1] >= 'a' && element(s[i:i+2]):
			i += 2
		case element(s[i : i+1]):
			i++
		default:
			return false
		}
	}
	return s != ""
}

// compareFormula compares as formulas; "" where one of the two is none.
func (r *Reference) compareFormula(value string) (Verdict, string) {
	if r.formula == "" {
		return "", ""
	}
	plain := plainFormula(value)
	if plain == r.formula {
		return Same, "the same formula"
	}
	_, gold := formula(r.gold, true, r.x)
	f, chemical := formula(value, true, r.x)
	alike := strings.EqualFold(plain, r.formula)
	switch {
	case alike && !(chemical && gold && f != "" && r.x.codes[f] != nil):
		return Same, "the same formula but for capitals"
	case gold && chemical:
		if alike && !ofOtherElements(f, r.formula) {
			return Same, "the same formula but for capitals"
		}
		return Different, "another formula"
	case !gold:
		return Unsure, "a formula in another form"
	}
	return "", ""
}

// ofOtherElements reports whether two formulas that differ in capitals alone are both in the data of names: Co, CO.
func ofOtherElements(a, b string) bool {
	x := words()
	return x.codes[a] != nil && x.codes[b] != nil && a != b
}

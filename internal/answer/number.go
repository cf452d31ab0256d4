package answer

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// Bounds on what is read as a number, so that hostile text costs neither time nor memory: the digits of one numeral, and the size of an
// exponent, as in 1e999999999.
const (
	maxDigits   = 1000
	maxExponent = 1000
)

// Number reads the number that an answer in prose gives, exactly. It returns false where there is none, and where it is beyond
// 1000 digits or an exponent of ±1000.
//
// Which number: the first after the last "####" (the mark of GSM8K); else the last in the last \boxed{…}; else the last in the text, as
// the published harnesses do. Numerals glued to a letter before them (H2O, x2) count only where there is no other.
//
// What a numeral is: 1234.5, .5, 1,234,567 and 12,34,567, spaces of any kind between groups of three; the European 1.000.000 and
// 1,5 (see European), while 1,234 is a thousand and 1.234 a decimal; a sign or a currency
// sign in front (-$5, $-5), not after a digit or letter (10-15 ends in 15, COVID-19 in 19); 3/4, 1 1/2, ½, 2½, \frac{3}{4}; 1.5e10,
// 6.02 × 10^23, 10^6, 10²; digits of every script; "thousand", "million", "billion", "trillion" behind. A percent sign is
// a unit, as are dollars: "10%" reads 10, since the published gold answers leave it out. A date or version (a/b/c, a.b.c) is
// its last part.
func Number(s string) (*big.Rat, bool) {
	if mark := strings.LastIndex(s, "####"); mark >= 0 {
		if n, ok := pick(s[mark+4:], true); ok {
			return n.value()
		}
	}
	if box, ok := lastBox(s); ok {
		if n, ok := pick(box, false); ok {
			return n.value()
		}
	}
	n, ok := pick(s, false)
	if !ok {
		return nil, false
	}
	return n.value()
}

// lastBox returns what stands in the braces of the last \boxed{…} or \fbox{…}.
func lastBox(s string) (string, bool) {
	i := max(strings.LastIndex(s, `\boxed{`), strings.LastIndex(s, `\fbox{`))
	if i < 0 {
		return "", false
	}
	s = s[i+strings.IndexByte(s[i:], '{')+1:]
	depth := 1
	for j := 0; j < len(s); j++ {
		switch s[j] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s[:j], true
			}
		}
	}
	return s, true
}

// pick returns the first or the last numeral of a text, those glued to letters only if there is no other.
func pick(text string, first bool) (numeral, bool) {
	sc := scanner{s: plainNumerals(text)}
	var best, glued numeral
	found, foundGlued := false, false
	for {
		n, ok := sc.next()
		switch {
		case !ok && found:
			return best, true
		case !ok:
			return glued, foundGlued
		case n.glued:
			if !foundGlued || !first {
				glued, foundGlued = n, true
			}
		case first:
			return n, true
		default:
			best, found = n, true
		}
	}
}

// latex rewrites the ways in which LaTeX dresses a numeral.
var latex = strings.NewReplacer(`\$`, "$", `\%`, "%", "{,}", ",", `\,`, "\u2009", `\!`, "", `\;`, " ", `\times`, "×", `\cdot`, "×", `\dfrac`, `\frac`, `\tfrac`, `\frac`, `\left`, "", `\right`, "")

// plainNumerals maps the digits and marks of all scripts to ASCII, superscripts to ^n, and halves and their like to n/d.
func plainNumerals(s string) string {
	if strings.ContainsAny(s, `\{`) {
		s = latex.Replace(s)
	}
	ascii := true
	for i := 0; ascii && i < len(s); i++ {
		ascii = s[i] < 0x80
	}
	if ascii {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	raised := false
	for _, r := range s {
		if d, ok := superscripts[r]; ok {
			if !raised {
				b.WriteByte('^')
			}
			raised = true
			b.WriteByte(d)
			continue
		}
		raised = false
		if f, ok := vulgar[r]; ok {
			if str := b.String(); str != "" && str[len(str)-1] >= '0' && str[len(str)-1] <= '9' {
				b.WriteByte(' ')
			}
			b.WriteString(f)
			continue
		}
		if m, ok := marks[r]; ok {
			b.WriteByte(m)
			continue
		}
		if d, ok := Digit(r); ok && r >= 0x80 {
			b.WriteByte(d)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

var (
	superscripts = map[rune]byte{'⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6', '⁷': '7', '⁸': '8', '⁹': '9', '⁻': '-'}
	vulgar       = map[rune]string{'½': "1/2", '⅓': "1/3", '⅔': "2/3", '¼': "1/4", '¾': "3/4", '⅕': "1/5", '⅖': "2/5", '⅗': "3/5", '⅘': "4/5",
		'⅙': "1/6", '⅚': "5/6", '⅐': "1/7", '⅛': "1/8", '⅜': "3/8", '⅝': "5/8", '⅞': "7/8", '⅑': "1/9", '⅒': "1/10"}
	// U+2044 and U+2215 are slashes, U+00A0 and its like the spaces that group digits (written as ' by the scanner's convention).
	marks = map[rune]byte{'−': '-', '－': '-', '–': '-', '⁄': '/', '∕': '/', '٫': '.', '．': '.', '٬': ',', '，': ',', '％': '%', '＄': '$',
		'×': '*', '·': '*', '∙': '*', '\u00a0': groupSpace, '\u2009': groupSpace, '\u202f': groupSpace, '＋': '+'}
)

// groupSpace stands for the spaces that may group digits; as a control character it occurs in no numeral otherwise.
const groupSpace = 0x1f

// Digit returns the ASCII digit of the same value as a decimal digit of any script, and false for anything else. The ranges of Unicode's
// class Nd are runs of whole tens, each from 0 to 9.
func Digit(r rune) (byte, bool) {
	for _, rg := range unicode.Nd.R16 {
		if r <= 0xffff && uint16(r) >= rg.Lo && uint16(r) <= rg.Hi {
			return '0' + byte((r-rune(rg.Lo))%10), true
		}
	}
	for _, rg := range unicode.Nd.R32 {
		if uint32(r) >= rg.Lo && uint32(r) <= rg.Hi {
			return '0' + byte((r-rune(rg.Lo))%10), true
		}
	}
	return 0, false
}

func isZero(decimal string) bool { return strings.Trim(decimal, "0.,"+string(rune(groupSpace))) == "" }

// lessDigits compares two strings of digits as integers.
func lessDigits(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// value computes the numeral within the bounds.
func (n numeral) value() (*big.Rat, bool) {
	v := new(big.Rat)
	if n.whole != "" {
		w, ok := ratOf(n.whole)
		if !ok {
			return nil, false
		}
		v = w
	}
	if n.den != "" {
		num, ok1 := ratOf(n.num)
		den, ok2 := ratOf(n.den)
		if !ok1 || !ok2 {
			return nil, false
		}
		v.Add(v, num.Quo(num, den))
	}
	if n.power != "" {
		var ok bool
		if v, ok = pow(v, n.power); !ok {
			return nil, false
		}
	}
	exp := n.scale
	if n.exp != "" {
		e, err := strconv.Atoi(n.exp)
		if err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
		exp += e
	}
	if exp != 0 {
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
		f := new(big.Rat).SetInt(ten)
		if exp < 0 {
			f.Inv(f)
		}
		v.Mul(v, f)
	}
	if n.negative {
		v.Neg(v)
	}
	if !written(v.Num()) || !written(v.Denom()) {
		return nil, false
	}
	return v, true
}

// written reports whether x has at most maxDigits digits, so that the canonical form can be read again.
func written(x *big.Int) bool {
	return x.BitLen() <= maxDigits*3 || len(new(big.Int).Abs(x).String()) <= maxDigits
}

// ratOf reads a decimal with its group marks.
func ratOf(s string) (*big.Rat, bool) {
	if len(s) > 2*maxDigits {
		return nil, false
	}
	clean := strings.Map(func(r rune) rune {
		if r == ',' || r == groupSpace || r == ' ' {
			return -1
		}
		return r
	}, s)
	if len(clean) > maxDigits {
		return nil, false
	}
	return new(big.Rat).SetString(clean)
}

// pow raises v to an integer whose result stays within about maxExponent digits.
func pow(v *big.Rat, power string) (*big.Rat, bool) {
	e, err := strconv.Atoi(power)
	if err != nil || e > maxExponent || e < -maxExponent {
		return nil, false
	}
	if e < 0 {
		if v.Sign() == 0 {
			return nil, false
		}
		v, e = new(big.Rat).Inv(v), -e
	}
	if bits := max(v.Num().BitLen(), v.Denom().BitLen()); bits*e > 4*maxExponent {
		return nil, false
	}
	exp := big.NewInt(int64(e))
	return new(big.Rat).SetFrac(new(big.Int).Exp(v.Num(), exp, nil), new(big.Int).Exp(v.Denom(), exp, nil)), true
}

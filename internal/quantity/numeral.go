package quantity

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what is read as a number, so that hostile text costs neither time nor memory: the digits of one numeral, and the size of an
// exponent, as in 1e999999999.
const (
	maxDigits   = 1000
	maxExponent = 1000
	maxGroups   = 400
)

// A numeral is a number in digits.
type numeral struct {
	end    int
	value  *big.Rat // nil where it is too long
	places int      // digits behind the point
	digits int      // significant ones
	last   int      // the power of ten of the last digit shown; exact for a fraction, which has none
	other  int8     // the power of ten by which it could be meant as well: 1.234 for 1,234
	point  bool     // it is written with a point or an exponent, so that its zeros at the end are meant
}

// exact is the last digit of what is not rounded, as 1/3.
const exact = math.MinInt16

var one = big.NewRat(1, 1)

// Digit returns the ASCII digit of the same value as a decimal digit of any script, and false for anything else. The ranges of Unicode's
// class Nd are runs of whole tens, each from 0 to 9.
func Digit(r rune) (byte, bool) {
	for _, rg := range unicode.Nd.R16 {
		if r < rune(rg.Lo) {
			return 0, false
		}
		if r <= rune(rg.Hi) {
			return '0' + byte((r-rune(rg.Lo))%10), true
		}
	}
	for _, rg := range unicode.Nd.R32 {
		if r >= rune(rg.Lo) && r <= rune(rg.Hi) {
			return '0' + byte((r-rune(rg.Lo))%10), true
		}
	}
	return 0, false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func at(s string, i int) byte {
	if i >= 0 && i < len(s) {
		return s[i]
	}
	return 0
}

// digitAt returns the digit at i and its bytes, 0 bytes where there is none.
func digitAt(s string, i int) (byte, int) {
	c := at(s, i)
	if c < utf8.RuneSelf {
		if isDigit(c) {
			return c, 1
		}
		return 0, 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if d, ok := Digit(r); ok {
		return d, n
	}
	return 0, 0
}

// run returns the end of the digits at i, and how many they are.
func run(s string, i int) (end, n int) {
	for {
		_, size := digitAt(s, i)
		if size == 0 {
			return i, n
		}
		i += size
		n++
	}
}

// mark is the character at i by its role within a number: 'b' for a blank that parts no words, and how many bytes it has.
func mark(s string, i int) (kind byte, size int) {
	switch c := at(s, i); c {
	case ',', '.', ' ', '\'':
		return c, 1
	case '{':
		if strings.HasPrefix(s[i:], "{,}") {
			return ',', 3
		}
	case '\\':
		if strings.HasPrefix(s[i:], `\,`) {
			return 'b', 2
		}
	default:
		if c < utf8.RuneSelf {
			return 0, 0
		}
		switch r, n := utf8.DecodeRuneInString(s[i:]); r {
		case '٬', '，':
			return ',', n
		case '٫', '．':
			return '.', n
		case '’':
			return '\'', n
		case '\u00a0', '\u2009', '\u202f', '\u2007':
			return 'b', n
		}
	}
	return 0, 0
}

// extent returns the end of the decimal whose first digits end at lead, n of them, and where its point stands, -1 without one:
//
//   - the European 1.000.000, 1.234,5 and 1,5: two groups of three behind points, one with a decimal comma behind, or a comma that is followed by
//     other than three digits, or by any after a lone zero; in 1,2,3 and 1.2.3 the marks part a list or a version
//   - 1,234,567 and 12,34,567, and with blanks or apostrophes 1 234 567 and 1'234'567
//   - 1234.5
//
// other is what else a group of three could be.
func extent(s string, i, lead, n int, strict bool) (end, point int, other int8) {
	more := func(i int) bool { k, size := mark(s, i); return (k == ',' || k == '.') && isDigit(at(s, i+size)) }
	if listed := i > 1 && (s[i-1] == ',' || s[i-1] == '.') && isDigit(s[i-2]); !listed {
		end, groups := lead, 0
		for n > 0 && n <= 3 && groups < maxGroups && at(s, end) == '.' {
			e, k := run(s, end+1)
			if k != 3 {
				break
			}
			end, groups = e, groups+1
		}
		if at(s, end) == ',' && n > 0 {
			e, k := run(s, end+1)
			fraction := k > 0 && (k != 3 || groups > 0 || n == 1 && s[i] == '0')
			if fraction && !more(e) {
				return e, end, 0
			}
		}
		if groups > 1 && !more(end) {
			return end, -1, 0
		}
	}
	end, groups, kind := grouped(s, i, lead, n)
	if kind == ' ' || kind == 'b' {
		if e, k := run(s, end+1); groups > 0 && at(s, end) == ',' && k > 0 && k < 3 && !more(e) { // 1 274,15
			return e, end, 0
		}
	}
	if k, size := mark(s, end); k == '.' && (size > 1 || isDigit(at(s, end+1))) {
		if e, k := run(s, end+size); k > 0 {
			if groups == 0 && k == 3 && n > 0 && n <= 3 && s[i] != '0' {
				other = 3
			}
			return split(s, e, k, strict), end, other
		}
	}
	if groups == 1 && kind == ',' {
		other = -3
	}
	return end, -1, other
}

// split returns the end of decimals that go on in groups, 9.109 383 7, where the first group ends at end.
func split(s string, end, k int, strict bool) int {
	for g := 0; k == 3 && !strict && g < maxGroups; g++ {
		kind, size := mark(s, end)
		if kind != ' ' && kind != 'b' {
			break
		}
		e, next := run(s, end+size)
		if next == 0 || next > 3 || kind == ' ' && (next < 3 && g == 0 || isLetter(at(s, e)) || at(s, e) == '/' || at(s, e) == '.') {
			break
		}
		end, k = e, next
	}
	return end
}

// grouped returns the end of the integer at i with the marks between its groups: all of three digits, or all but the last of two.
func grouped(s string, i, lead, n int) (end, groups int, kind byte) {
	kind, size := mark(s, lead)
	if n == 0 || n > 3 || kind == 0 || kind == '.' || kind == ' ' && (s[i] == '0' || i > 1 && s[i-1] == ' ' && isDigit(s[i-2])) {
		return lead, 0, 0
	}
	end = lead
	twos := 0
	for j := lead; groups < maxGroups; {
		k, sz := mark(s, j)
		if k != kind {
			break
		}
		e, c := run(s, j+sz)
		switch {
		case c == 3 && (twos == 0 || twos == groups):
			end = e
		case c == 3:
			return lead, 0, 0
		case c == 2 && kind == ',' && n <= 2:
			twos++
		default:
			c = 0
		}
		if c == 0 {
			break
		}
		groups++
		j = e
	}
	// In "5 100-page books" and "1 100/200" the blank parts two numbers.
	if c := at(s, end); kind == ' ' && end > lead && (c == '/' || c == '-' || c == ' ' && isDigit(at(s, end+1))) {
		return lead, 0, 0
	}
	if end == lead || kind == '\'' && isLetter(at(s, end)) {
		return lead, 0, 0
	}
	return end, (end - lead) / (3 + size), kind
}

// decimalAt reads the decimal at i: digits in groups, and those behind a point.
func decimalAt(s string, i int, strict bool) (numeral, bool) {
	lead, n := run(s, i)
	end, point, other := extent(s, i, lead, n, strict)
	if end == i {
		return numeral{}, false
	}
	d := numeral{end: end, other: other, point: point >= 0}
	var mantissa uint64
	long, all := false, 0
	for j := i; j < end; {
		c, size := digitAt(s, j)
		if size == 0 {
			if _, size = mark(s, j); size == 0 {
				size = 1
			}
			j += size
			continue
		}
		all++
		if d.digits > 0 || c != '0' {
			d.digits++
		}
		if point >= 0 && j > point {
			d.places++
		}
		if d.digits > 18 {
			long = true
		} else {
			mantissa = mantissa*10 + uint64(c-'0')
		}
		j += size
	}
	d.last = -d.places
	switch {
	case all > maxDigits:
	case !long && d.places == 0:
		d.value = new(big.Rat).SetInt64(int64(mantissa))
	case !long && d.places <= 18:
		d.value = big.NewRat(int64(mantissa), int64(math.Pow10(d.places)))
	default:
		var b strings.Builder
		for j := i; j < end; {
			c, size := digitAt(s, j)
			if j == point {
				c = '.'
			}
			if c != 0 {
				b.WriteByte(c)
			}
			j += max(size, 1)
		}
		d.value, _ = new(big.Rat).SetString(b.String())
	}
	return d, true
}

// superscripts are exponents as characters.
var superscripts = map[rune]byte{'⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6', '⁷': '7', '⁸': '8', '⁹': '9', '⁻': '-'}

// vulgar are the fractions that are one character, with what they divide and by what.
var vulgar = map[rune][2]int64{'½': {1, 2}, '⅓': {1, 3}, '⅔': {2, 3}, '¼': {1, 4}, '¾': {3, 4}, '⅕': {1, 5}, '⅖': {2, 5}, '⅗': {3, 5}, '⅘': {4, 5}, '⅙': {1, 6},
	'⅚': {5, 6}, '⅐': {1, 7}, '⅛': {1, 8}, '⅜': {3, 8}, '⅝': {5, 8}, '⅞': {7, 8}, '⅑': {1, 9}, '⅒': {1, 10}}

func vulgarAt(s string, i int) (*big.Rat, int) {
	if at(s, i) < utf8.RuneSelf {
		return nil, 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if f, ok := vulgar[r]; ok {
		return big.NewRat(f[0], f[1]), n
	}
	return nil, 0
}

// raised reads the integer exponent at i: ^6, ^-6, ^{6}, ⁶.
func raised(s string, i int) (exp string, end int) {
	if at(s, i) == '^' {
		j := i + 1
		braced := at(s, j) == '{'
		if braced {
			j++
		}
		k := j
		if c := at(s, k); c == '-' || c == '+' {
			k++
		}
		end, n := k, 0
		for isDigit(at(s, end)) {
			end, n = end+1, n+1
		}
		if n == 0 || braced && at(s, end) != '}' {
			return "", i
		}
		if exp = s[j:end]; braced {
			end++
		}
		return exp, end
	}
	var b []byte
	for at(s, i) >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(s[i:])
		c, ok := superscripts[r]
		if !ok {
			break
		}
		b = append(b, c)
		i += n
	}
	if len(b) == 0 || len(b) == 1 && b[0] == '-' {
		return "", i
	}
	return string(b), i
}

// slash returns the bytes of a bar of a fraction.
func slash(s string, i int) int {
	for _, bar := range [...]string{"/", "⁄", "∕"} {
		if strings.HasPrefix(s[min(i, len(s)):], bar) {
			return len(bar)
		}
	}
	return 0
}

func blanks(s string, i int) int {
	for at(s, i) == ' ' {
		i++
	}
	return i
}

// numeralAt reads the number in digits at i with what belongs to it: an exponent, a power, a fraction. With strict it is as answers have always
// been compared by --equal numeric.
func numeralAt(s string, i int, strict bool) (numeral, bool) {
	if v, size := vulgarAt(s, i); size > 0 {
		return numeral{end: i + size, value: v, places: 2, digits: 1, last: exact}, true
	}
	if at(s, i) == '\\' {
		return fracAt(s, i)
	}
	n, ok := decimalAt(s, i, strict)
	if !ok {
		return n, false
	}
	j := n.end
	if c := at(s, j); c == '(' && n.point && !strict { // 6.674 30(15)e-11
		if e, k := run(s, j+1); k > 0 && k < 4 && at(s, e) == ')' {
			n.end, j = e+1, e+1
		}
	}
	switch c := at(s, j); {
	case c|0x20 == 'e':
		k := j + 1
		if c := at(s, k); c == '-' || c == '+' {
			k++
		}
		if e, digits := run(s, k); digits > 0 && isDigit(at(s, k)) && isDigit(s[e-1]) {
			n.shift(s[j+1:e], e)
			return n, true
		}
	case c == '^' || c >= utf8.RuneSelf:
		if exp, end := raised(s, j); exp != "" {
			n.value, n.end, n.last, n.other = pow(n.value, exp), end, exact, 0
			return n, true
		}
	}
	if n.fraction(s, i, strict) {
		return n, true
	}
	if exp, end := timesTen(s, j); exp != "" {
		n.shift(exp, end)
	}
	return n, true
}

// timesTen reads × 10^n at j, with * or x for the sign and blanks around it.
func timesTen(s string, j int) (exp string, end int) {
	j = blanks(s, j)
	if k, size := mark(s, j); k == 'b' {
		j += size
	}
	if c := at(s, j); c != 'x' && c != '*' && c != '\\' && c < utf8.RuneSelf {
		return "", 0
	}
	for _, times := range [...]string{"×", "x", "*", "·", "⋅", "∙", `\times`, `\cdot`} {
		if strings.HasPrefix(s[j:], times) {
			j = blanks(s, j+len(times))
			if k, size := mark(s, j); k == 'b' {
				j += size
			}
			if strings.HasPrefix(s[j:], "10") {
				return raised(s, j+2)
			}
			return "", 0
		}
	}
	return "", 0
}

// shift multiplies by a power of ten.
func (n *numeral) shift(exp string, end int) {
	n.end, n.point, n.other = end, true, 0
	e, err := strconv.Atoi(exp)
	if err != nil || e > maxExponent || e < -maxExponent {
		n.value = nil
		return
	}
	n.value, n.last = scaled(n.value, e), n.last+e
}

// tens are the powers of ten that numbers are scaled by most.
var tens = func() (t [31]*big.Rat) {
	for i := range t {
		t[i] = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(i)), nil))
	}
	return t
}()

// scaled returns v times a power of ten.
func scaled(v *big.Rat, e int) *big.Rat {
	if v == nil || e == 0 {
		return v
	}
	var by *big.Rat
	if k := max(e, -e); k < len(tens) {
		by = tens[k]
	} else {
		by = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil))
	}
	if e < 0 {
		return new(big.Rat).Quo(v, by)
	}
	return new(big.Rat).Mul(v, by)
}

// fraction reads what makes a fraction of the decimal that starts at i: 3/4, 1 1/2, 2½. A chain a/b/c shows a date, and b = 0 is no fraction.
func (n *numeral) fraction(s string, i int, strict bool) bool {
	whole := n.value
	if v, size := vulgarAt(s, n.end); size > 0 {
		return n.divided(n.end+size, whole, v)
	}
	j := blanks(s, n.end)
	if v, size := vulgarAt(s, j); size > 0 && j == n.end+1 {
		return n.divided(j+size, whole, v)
	}
	if size := slash(s, j); size > 0 && (strict || j == n.end) && at(s, i-1) != '/' {
		k := j + size
		if strict {
			k = blanks(s, k)
		}
		if _, digit := digitAt(s, k); digit == 0 {
			return false
		}
		den, ok := decimalAt(s, k, strict)
		if !ok || at(s, den.end) == '/' && isDigit(at(s, den.end+1)) || den.value != nil && den.value.Sign() == 0 {
			return false
		}
		if whole == nil || den.value == nil {
			return n.divided(den.end, nil, nil)
		}
		return n.divided(den.end, nil, new(big.Rat).Quo(whole, den.value))
	}
	if at(s, n.end) != ' ' && at(s, n.end) != '-' || n.places > 0 || j != n.end+1 && at(s, n.end) == ' ' {
		return false
	}
	k, digits := run(s, n.end+1)
	bar := slash(s, k)
	e, under := run(s, k+bar)
	if digits == 0 || bar == 0 || under == 0 || digits+under > maxDigits || slash(s, e) > 0 || at(s, n.end) == '-' && strict {
		return false
	}
	num, _ := decimalAt(s[:k], n.end+1, true)
	den, _ := decimalAt(s[:e], k+bar, true)
	if num.value == nil || den.value == nil || num.value.Cmp(den.value) >= 0 {
		return false
	}
	return n.divided(e, whole, new(big.Rat).Quo(num.value, den.value))
}

// divided makes the numeral a fraction with a whole part, and says so.
func (n *numeral) divided(end int, whole, part *big.Rat) bool {
	n.end, n.last, n.other = end, exact, 0
	if n.value = part; whole != nil && part != nil {
		n.value = new(big.Rat).Add(whole, part)
	}
	return true
}

// fracAt reads \frac{a}{b} or \frac ab with decimals a and b.
func fracAt(s string, i int) (numeral, bool) {
	j := i
	for _, name := range [...]string{`\frac`, `\dfrac`, `\tfrac`} {
		if strings.HasPrefix(s[i:], name) {
			j += len(name)
		}
	}
	if j == i {
		return numeral{}, false
	}
	var parts [2]*big.Rat
	for k := range parts {
		j = blanks(s, j)
		if isDigit(at(s, j)) {
			parts[k], j = big.NewRat(int64(s[j]-'0'), 1), j+1
			continue
		}
		if at(s, j) != '{' {
			return numeral{}, false
		}
		j++
		negative := at(s, j) == '-'
		if negative {
			j++
		}
		d, ok := decimalAt(s, j, true)
		if !ok || at(s, d.end) != '}' || d.value == nil || negative && k == 1 {
			return numeral{}, false
		}
		if j = d.end + 1; negative {
			d.value.Neg(d.value)
		}
		parts[k] = d.value
	}
	if parts[1].Sign() == 0 {
		return numeral{}, false
	}
	return numeral{end: j, value: new(big.Rat).Quo(parts[0], parts[1]), digits: 1, last: exact}, true
}

// pow raises v to an integer whose result stays within about maxExponent digits; nil beyond.
func pow(v *big.Rat, power string) *big.Rat {
	e, err := strconv.Atoi(power)
	if v == nil || err != nil || e > maxExponent || e < -maxExponent || e < 0 && v.Sign() == 0 {
		return nil
	}
	if e < 0 {
		v, e = new(big.Rat).Inv(v), -e
	}
	if max(v.Num().BitLen(), v.Denom().BitLen())*e > 4*maxExponent {
		return nil
	}
	exp := big.NewInt(int64(e))
	return new(big.Rat).SetFrac(new(big.Int).Exp(v.Num(), exp, nil), new(big.Int).Exp(v.Denom(), exp, nil))
}

// written reports whether x has at most maxDigits digits, so that its canonical form can be read again.
func written(x *big.Int) bool {
	return x.BitLen() <= maxDigits*3 || len(new(big.Int).Abs(x).String()) <= maxDigits
}

// Number reads the number that an answer in prose gives, exactly. It returns false where there is none, and where it is beyond
// 1000 digits or an exponent of ±1000.
//
// Which number: the first after the last "####" (the mark of GSM8K); else the last in the last \boxed{…}; else the last in the text, as
// the published harnesses do. Numerals glued to a letter before them (H2O, x2) count only where there is no other. Numbers in words do not
// count, and a unit changes nothing: "10%" reads 10, since the published gold answers leave it out. A date or version (a/b/c, a.b.c) is its
// last part.
func Number(s string) (*big.Rat, bool) {
	if i := strings.LastIndex(s, "####"); i >= 0 {
		if v, found := pick(s[i+4:], true); found {
			return v, v != nil
		}
	}
	if i := max(strings.LastIndex(s, `\boxed{`), strings.LastIndex(s, `\fbox{`)); i >= 0 {
		if v, found := pick(braced(s[i+strings.IndexByte(s[i:], '{')+1:]), false); found {
			return v, v != nil
		}
	}
	v, _ := pick(s, false)
	return v, v != nil
}

// braced returns what stands before the brace that closes.
func braced(s string) string {
	depth := 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s[:i]
			}
		}
	}
	return s
}

// pick returns the value of the first or the last numeral of a text, those glued to letters only if there is no other.
func pick(s string, first bool) (v *big.Rat, found bool) {
	var glued bool
	for i := 0; i < len(s); {
		n, start, ok := numeral{}, i, false
		if _, size := digitAt(s, i); size > 0 || s[i] >= utf8.RuneSelf || s[i] == '\\' || s[i] == '.' && isDigit(at(s, i+1)) && !isDigit(at(s, i-1)) {
			n, ok = numeralAt(s, i, true)
		}
		if !ok {
			i++
			continue
		}
		i = n.end
		sign := signBefore(s, start, true)
		alone := !sign.glued
		if found && !alone && (!glued || first) {
			continue
		}
		if w, e := wordAt(s, blanks(s, i)); n.last != exact && w.scale > 2 && blanks(s, i) <= i+1 {
			n.value, i = scaled(n.value, int(w.scale)), e
		}
		if n.value != nil && sign.negative {
			n.value = new(big.Rat).Neg(n.value)
		}
		if n.value != nil && (!written(n.value.Num()) || !written(n.value.Denom())) {
			n.value = nil
		}
		v, found, glued = n.value, true, !alone
		if first && alone {
			return v, true
		}
	}
	return v, found
}

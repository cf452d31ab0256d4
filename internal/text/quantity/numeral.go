package quantity

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
)

// Bounds on what is read as a number, so that hostile text costs neither time nor memory: the digits of one
// numeral, and the size of an exponent, as in 1e999999999.
const (
	maxDigits     = 1000
	maxExponent   = 1000
	longestGroups = 96 // bytes of digits in groups
)

// A numeral is a number in digits.
type numeral struct {
	end    int
	value  *big.Rat // nil where it is too long
	places int      // digits behind the point
	digits int      // significant ones
	last   int      // the power of ten of the last digit shown
	shift  int8     // the power of ten by which it could be meant as well: 1.234 for 1,234
	point  bool     // it is written with a point or an exponent, so that its zeros at the end are meant
}

// exact is the last digit of what is not rounded, as 1/3.
const exact = math.MinInt16

var one = big.NewRat(1, 1)

// The ways to part digits. European are 1.000.000, 1.234,5 and 1,5: two groups of three behind points, one with a
// decimal comma behind, or a comma that is followed by other than three digits, or by any after a lone zero.
// Decimals may go on in groups, 9.109 383 7.
var (
	european = pattern.New(`^(?:[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:\.[0-9]{3}){2,}|0,[0-9]{3}|` +
		`[0-9]+,[0-9]{4,}|[0-9]+,[0-9]{1,2})`)
	grouped = pattern.New(`^(?:[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}|[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:\x1f[0-9]{3})+|` +
		`(?:'[0-9]{3})+)|[1-9][0-9]{0,2}(?: [0-9]{3})+)`)
	decimals = pattern.New(`^\.[0-9]{3}(?:[ \x1f][0-9]{3})+(?:[ \x1f][0-9]{1,3})?`)
)

// more reports whether a number goes on at i.
func more(s string, i int) bool {
	c := at(s, i)
	return isDigit(c) || (c == ',' || c == '.') && isDigit(at(s, i+1))
}

// extent returns the end of the decimal at i, where its point stands, -1 without one, and what else a group of
// three could be. In 1,2,3 and 1.2.3 the marks part a list or a version.
func extent(s string, i int, strict bool) (end, point int, shift int8) {
	lead := run(s, i)
	end = lead
	mark := at(s, lead)
	if lead > i && strings.IndexByte(",.' \x1f", mark) >= 0 && isDigit(at(s, lead+1)) {
		in := s[i:min(len(s), max(i, lead-3)+longestGroups)]
		if point, ok := europeanAt(s, i, in); ok {
			return i + len(european.FindString(in)), point, 0
		}
		end = group(s, i, lead, i+len(grouped.FindString(in)))
	}
	e := run(s, end+1)
	switch behind := at(s, end); {
	case behind == ',' && end > lead && mark != ',' && shortDecimals(s, end+1, e): // 1 274,15
		return e, end, 0
	case behind == '.' && e > end+1:
		if e == end+4 && end < i+4 && at(s, i) > '0' { // one to three digits, and three
			shift = 3
		}
		if !strict {
			e = max(e, split(s, end))
		}
		return e, end, shift
	case end == lead+4 && mark == ',':
		return end, -1, -3
	}
	return end, -1, 0
}

// shortDecimals reports whether the digits from i to end can only be decimals: one or two, and no more of a number.
func shortDecimals(s string, i, end int) bool { return end > i && end < i+3 && !more(s, end) }

// split returns the end of the decimals in groups at i, i where there are none.
func split(s string, i int) int {
	n := i + len(decimals.FindString(s[i:min(len(s), i+longestGroups)]))
	if c := at(s, n); c == '/' || c == '.' || isDigit(c) || letters(s, n) > n {
		return i
	}
	return n
}

// europeanAt reports whether the number at i is written the European way, and where its decimal comma stands, -1
// without one.
func europeanAt(s string, i int, in string) (point int, ok bool) {
	n := len(european.FindString(in))
	listed := i > 1 && strings.IndexByte(",.", s[i-1]) >= 0 && isDigit(s[i-2])
	if comma := strings.LastIndexByte(in[:n], ','); comma > 0 {
		return i + comma, !listed && !more(s, i+n)
	}
	return -1, n > 0 && !listed && !more(s, i+n)
}

// group returns the end of the groups up to end that belong to the digits up to lead.
func group(s string, i, lead, end int) int {
	if end > lead && isDigit(at(s, end)) {
		end -= 4
	}
	switch c := at(s, end); {
	case end <= lead, s[lead] == '\'' && isLetter(c):
		return lead
	case s[lead] == ' ' && (c == '/' || c == '-' || c == ' ' && isDigit(at(s, end+1)) ||
		i > 1 && s[i-1] == ' ' && isDigit(s[i-2])):
		// "5 100-page books", "1 100/200"
		return lead
	}
	return end
}

// decimalAt reads the decimal at i: digits in groups, and those behind a point.
func decimalAt(s string, i int, strict bool) (numeral, bool) {
	end, point, shift := extent(s, i, strict)
	if end == i {
		return numeral{}, false
	}
	d := numeral{end: end, shift: shift, point: point >= 0}
	mantissa, all := int64(0), 0
	for j := i; j < end; j++ {
		if !isDigit(s[j]) {
			continue
		}
		all++
		if d.digits > 0 || s[j] != '0' {
			d.digits++
		}
		if point >= 0 && j > point {
			d.places++
		}
		if d.digits <= 18 {
			mantissa = mantissa*10 + int64(s[j]-'0')
		}
	}
	d.last = -d.places
	switch {
	case all > maxDigits:
	case d.digits > 18:
		d.value, _ = new(big.Rat).SetString(strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s[i:end]))
		d.value = scaled(d.value, -d.places)
	case d.places == 0:
		d.value = new(big.Rat).SetInt64(mantissa)
	default:
		d.value = scaled(new(big.Rat).SetInt64(mantissa), -d.places)
	}
	return d, true
}

// rest is what can follow a decimal: the digits of its uncertainty and a power of ten, its own power, a fraction to
// be added, a bar.
var rest = pattern.New(`^(?:(?:\([0-9]{1,3}\))?(?:[eE]([-+]?[0-9]+)|[ \x1f]?[*x][ \x1f]?10\^\{?([-+]?[0-9]+)\}?)|` +
	`\^\{?([-+]?[0-9]+)\}?|[ -]([0-9]+)/([0-9]+)|( ?/ ?)[0-9])`)

// goesOn reports whether rest can begin at i.
func goesOn(s string, i int) bool {
	c := at(s, i)
	return strings.IndexByte("eE^/*x( -\x1f", c) >= 0 &&
		(c != ' ' || strings.IndexByte("/*x0123456789", at(s, i+1)) >= 0)
}

// numeralAt reads the number in digits at i with what belongs to it: an exponent, a power, a fraction. With strict
// it is as answers have always been compared by --equal numeric.
func numeralAt(s string, i int, strict bool) (numeral, bool) {
	n, ok := decimalAt(s, i, strict)
	if !ok || !goesOn(s, n.end) {
		return n, ok
	}
	m := rest.FindStringSubmatch(s[n.end:min(len(s), n.end+256)])
	if m == nil || m[0][0] == '(' && (strict || !n.point) {
		return n, true
	}
	hyphen, end := at(s, n.end) == '-', n.end+len(m[0])
	switch {
	case m[1]+m[2] != "":
		n.scale(m[1]+m[2], end)
	case m[3] != "":
		n.be(pow(n.value, m[3]), end)
	case m[4] != "":
		if at(s, end) != '/' && !(strict && hyphen) {
			n.and(m[4], m[5], end)
		}
	case strict || m[6] == "/":
		n.over(s, i, end-1, strict)
	}
	return n, true
}

// scale multiplies by a power of ten; the numeral is too long where that is out of bounds.
func (n *numeral) scale(power string, end int) {
	e, err := strconv.Atoi(power)
	if n.end, n.point, n.shift = end, true, 0; err != nil || max(e, -e) > maxExponent {
		n.value = nil
		return
	}
	n.value, n.last = scaled(n.value, e), n.last+e
}

// be makes the numeral an exact value.
func (n *numeral) be(v *big.Rat, end int) { n.end, n.value, n.last, n.shift = end, v, exact, 0 }

// and adds a proper fraction.
func (n *numeral) and(over, under string, end int) {
	a, _ := new(big.Rat).SetString(over)
	if b, _ := new(big.Rat).SetString(under); a.Cmp(b) < 0 && n.places == 0 && n.value != nil {
		n.be(a.Add(n.value, a.Quo(a, b)), end)
	}
}

// over divides by the decimal at i. A chain a/b/c shows a date, and b = 0 is no fraction.
func (n *numeral) over(s string, start, i int, strict bool) {
	switch den, ok := decimalAt(s, i, strict); {
	case !ok || at(s, start-1) == '/' || at(s, den.end) == '/' && isDigit(at(s, den.end+1)) ||
		den.value != nil && den.value.Sign() == 0:
	case n.value == nil || den.value == nil:
		n.be(nil, den.end)
	default:
		n.be(new(big.Rat).Quo(n.value, den.value), den.end)
	}
}

// tens are the powers of ten that numbers are scaled by most.
var tens = func() (t [31]*big.Rat) {
	for i := range t {
		t[i] = power10(i)
	}
	return t
}()

func power10(k int) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil))
}

// scaled returns v times a power of ten.
func scaled(v *big.Rat, e int) *big.Rat {
	if v == nil || e == 0 {
		return v
	}
	var by *big.Rat
	if k := max(e, -e); k < len(tens) {
		by = tens[k]
	} else {
		by = power10(k)
	}
	if e < 0 {
		return new(big.Rat).Quo(v, by)
	}
	return new(big.Rat).Mul(v, by)
}

// pow raises v to an integer whose result stays within about maxExponent digits; nil beyond.
func pow(v *big.Rat, power string) *big.Rat {
	e, err := strconv.Atoi(power)
	if v == nil || err != nil || e > maxExponent || e < -maxExponent || e < 0 && v.Sign() == 0 ||
		max(v.Num().BitLen(), v.Denom().BitLen())*max(e, -e) > 4*maxExponent {
		return nil
	}
	if e < 0 {
		v, e = new(big.Rat).Inv(v), -e
	}
	exp := big.NewInt(int64(e))
	return new(big.Rat).SetFrac(new(big.Int).Exp(v.Num(), exp, nil), new(big.Int).Exp(v.Denom(), exp, nil))
}

// signBefore reads the sign and the currency before the numeral at i, and whether it is glued to a letter.
func signBefore(s string, i int, strict bool) (start int, negative, glued bool, currency string) {
	p, _ := utf8.DecodeLastRuneInString(s[:i])
	glued = p == '_' || unicode.IsLetter(p)
	for start = i; ; {
		j := start
		if !strict && currency == "" {
			j = len(strings.TrimRight(s[:start], " "))
			j = max(j, start-2)
		}
		p, n := utf8.DecodeLastRuneInString(s[:j])
		switch {
		case unicode.Is(unicode.Sc, p) && (currency == "" || strict):
			if start = j - n; !strict { // US$
				head := s[max(0, start-3):start]
				start -= len(head) - len(strings.TrimRight(head, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
			}
			currency = s[start:j]
		case p == '-' && j == start && !negative && minus(s[:j-1], strict):
			start, negative = j-1, true
		default:
			return start, negative, glued, currency
		}
	}
}

// minus reports whether a dash behind the text is a sign: not after a digit or letter (10-15 ends in 15, COVID-19
// in 19).
func minus(head string, strict bool) bool {
	tail := strings.TrimRight(head[max(0, len(head)-8):], " ")
	p, n := utf8.DecodeLastRuneInString(tail)
	word := unicode.IsLetter(p) || unicode.IsNumber(p)
	if blank := strings.HasSuffix(head, " "); strict || !blank || !unicode.IsLetter(p) {
		return strict && blank || !word && p != ')' && (strict || p != '%')
	}
	q, _ := utf8.DecodeLastRuneInString(tail[:len(tail)-n])
	return unicode.IsLetter(q) || q == '\'' // "equals -12", but not "x -12"
}

// Number reads the number that an answer in prose gives, exactly. It returns false where there is none, and where
// it is beyond 1000 digits or an exponent of ±1000.
//
// Which number: the first after the last "####" (the mark of GSM8K); else the last in the last \boxed{…}; else the
// last in the text, as the published harnesses do. Numerals glued to a letter before them (H2O, x2) count only
// where there is no other. Numbers in words do not count, and a unit changes nothing: "10%" reads 10, since the
// published gold answers leave it out. A date or version (a/b/c, a.b.c) is its last part.
func Number(s string) (*big.Rat, bool) {
	if i := strings.LastIndex(s, "####"); i >= 0 {
		if v, found := pick(s[i+4:], true); found {
			return v, v != nil
		}
	}
	if i := max(strings.LastIndex(s, `\boxed{`), strings.LastIndex(s, `\fbox{`)); i >= 0 {
		box := s[i+strings.IndexByte(s[i:], '{')+1:]
		for k, depth := 0, 1; k < len(box); k++ {
			if box[k] == '{' {
				depth++
			} else if box[k] == '}' {
				depth--
			}
			if depth == 0 {
				box = box[:k]
			}
		}
		if v, found := pick(box, false); found {
			return v, v != nil
		}
	}
	v, _ := pick(s, false)
	return v, v != nil
}

// long reports whether x has too many digits for its canonical form to be read again.
func long(x *big.Int) bool {
	return x.BitLen() > 3*maxDigits && len(new(big.Int).Abs(x).String()) > maxDigits
}

// numeralStarts reports whether a numeral starts at i: with a digit, or with a point that no digit stands before.
func numeralStarts(s string, i int) bool {
	return isDigit(s[i]) || s[i] == '.' && isDigit(at(s, i+1)) && !isDigit(at(s, i-1))
}

// pick returns the value of the first or the last numeral of a text, those glued to letters only if there is no other.
func pick(raw string, first bool) (v *big.Rat, found bool) {
	s := plain(raw).s
	alone := false
	for i := 0; i < len(s); {
		if !numeralStarts(s, i) {
			i++
			continue
		}
		n, _ := numeralAt(s, i, true)
		_, negative, glued, _ := signBefore(s, i, true)
		i = n.end
		if glued && (alone || found && first) {
			continue
		}
		j := i
		if at(s, i) == ' ' {
			j++
		}
		if w, e := wordAt(s, j); n.last != exact && w.get("scale") > 2 {
			n.value, i = scaled(n.value, w.get("scale")), e
		}
		if v, found, alone = bounded(n.value, negative), true, !glued; first && alone {
			return v, true
		}
	}
	return v, found
}

// bounded returns a value with its sign, nil where it has too many digits.
func bounded(v *big.Rat, negative bool) *big.Rat {
	if v == nil || long(v.Num()) || long(v.Denom()) {
		return nil
	}
	if negative {
		return new(big.Rat).Neg(v)
	}
	return v
}

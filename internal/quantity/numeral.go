package quantity

import (
	"math"
	"math/big"
	"regexp"
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

// groups returns the end of the groups of size digits behind marks from i on, and how many they are.
func groups(s string, i int, mark byte, size int) (end, n int) {
	for n < maxDigits/3 && at(s, i) == mark && run(s, i+1) == i+1+size {
		i, n = i+1+size, n+1
	}
	return i, n
}

// extent returns the end of the decimal at i, and where its point stands, -1 without one:
//
//   - the European 1.000.000, 1.234,5 and 1,5: two groups of three behind points, one with a decimal comma behind, or a comma that is followed by
//     other than three digits, or by any after a lone zero; in 1,2,3 and 1.2.3 the marks part a list or a version
//   - 1,234,567 and 12,34,567, and with blanks or apostrophes 1 234 567 and 1'234'567
//   - 1234.5
//
// shift is what else a group of three could be.
func extent(s string, i int, strict bool) (end, point int, shift int8) {
	more := func(i int) bool { return (at(s, i) == ',' || at(s, i) == '.') && isDigit(at(s, i+1)) }
	lead := run(s, i)
	short := lead > i && lead <= i+3
	if end, n := lead, 0; lead > i && !(i > 1 && (s[i-1] == ',' || s[i-1] == '.') && isDigit(s[i-2])) {
		if short {
			end, n = groups(s, lead, '.', 3)
		}
		e := run(s, end+1)
		if k := e - end - 1; at(s, end) == ',' && k > 0 && (k != 3 || n > 0 || s[i:lead] == "0") && !more(e) {
			return e, end, 0
		} else if n > 1 && !more(end) {
			return end, -1, 0
		}
	}
	mark, n := at(s, lead), 0
	end = lead
	switch {
	case !short:
	case mark == ',' || mark == thin || mark == '\'':
		if end, n = groups(s, lead, mark, 3); mark == '\'' && isLetter(at(s, end)) {
			end, n = lead, 0
		}
		if e, twos := groups(s, lead, ',', 2); mark == ',' && twos > 0 && lead <= i+2 {
			if k, threes := groups(s, e, ',', 3); threes > 0 {
				end = k
			}
		}
	case mark == ' ' && s[i] != '0' && !(i > 1 && s[i-1] == ' ' && isDigit(s[i-2])):
		end, n = groups(s, lead, ' ', 3)
		if c := at(s, end); c == '/' || c == '-' || c == ' ' && isDigit(at(s, end+1)) { // "5 100-page books", "1 100/200"
			end, n = lead, 0
		}
	}
	if e := run(s, end+1); n > 0 && mark != ',' && at(s, end) == ',' && e > end+1 && e < end+4 && !more(e) { // 1 274,15
		return e, end, 0
	}
	if at(s, end) == '.' && isDigit(at(s, end+1)) {
		e := run(s, end+1)
		if n == 0 && e == end+4 && short && s[i] != '0' {
			shift = 3
		}
		if c := at(s, e); !strict && e == end+4 && (c == ' ' || c == thin) { // 9.109 383 7
			if k, threes := groups(s, e, c, 3); threes > 0 && !isLetter(at(s, k)) && at(s, k) != '/' && at(s, k) != '.' {
				e, shift = k, 0
				if last := run(s, k+1); at(s, k) == c && last > k+1 && last < k+4 {
					e = last
				}
			}
		}
		return e, end, shift
	}
	if n == 1 && mark == ',' {
		shift = -3
	}
	return end, -1, shift
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

// rest is what can follow a decimal: the digits of its uncertainty and a power of ten, its own power, a fraction to be added, a bar.
var rest = regexp.MustCompile(`^(?:(?:\([0-9]{1,3}\))?(?:[eE]([-+]?[0-9]+)|[ \x1f]?[*x][ \x1f]?10\^\{?([-+]?[0-9]+)\}?)|\^\{?([-+]?[0-9]+)\}?|[ -]([0-9]+)/([0-9]+)|( ?/ ?)[0-9])`)

// numeralAt reads the number in digits at i with what belongs to it: an exponent, a power, a fraction. With strict it is as answers have always
// been compared by --equal numeric.
func numeralAt(s string, i int, strict bool) (numeral, bool) {
	n, ok := decimalAt(s, i, strict)
	if !ok || n.end >= len(s) || !strings.ContainsRune("eE^/*x( -\x1f", rune(s[n.end])) || s[n.end] == ' ' && !strings.ContainsRune("/*x0123456789", rune(at(s, n.end+1))) {
		return n, ok
	}
	m := rest.FindStringSubmatch(s[n.end:min(len(s), n.end+256)])
	if m == nil || m[0][0] == '(' && (strict || !n.point) {
		return n, true
	}
	end := n.end + len(m[0])
	part := func(v *big.Rat) numeral {
		n.end, n.value, n.last, n.shift = end, v, exact, 0
		return n
	}
	switch {
	case m[1]+m[2] != "":
		e, err := strconv.Atoi(m[1] + m[2])
		if n.end, n.point, n.shift, n.last = end, true, 0, n.last+e; err != nil || e > maxExponent || e < -maxExponent {
			n.value, n.last = nil, 0
		}
		n.value = scaled(n.value, n.last+n.places)
	case m[3] != "":
		return part(pow(n.value, m[3])), true
	case m[4] != "":
		over, _ := new(big.Rat).SetString(m[4])
		under, _ := new(big.Rat).SetString(m[5])
		if n.places == 0 && over.Cmp(under) < 0 && at(s, end) != '/' && n.value != nil && !(strict && m[0][0] == '-') {
			return part(over.Add(n.value, over.Quo(over, under))), true
		}
	case strict || m[6] == "/":
		den, ok := decimalAt(s, end-1, strict)
		// A chain a/b/c shows a date, and b = 0 is no fraction.
		if ok && at(s, i-1) != '/' && !(at(s, den.end) == '/' && isDigit(at(s, den.end+1))) && (den.value == nil || den.value.Sign() != 0) {
			if end = den.end; n.value == nil || den.value == nil {
				return part(nil), true
			}
			return part(new(big.Rat).Quo(n.value, den.value)), true
		}
	}
	return n, true
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
	if v == nil || err != nil || e > maxExponent || e < -maxExponent || e < 0 && v.Sign() == 0 || max(v.Num().BitLen(), v.Denom().BitLen())*max(e, -e) > 4*maxExponent {
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
		for !strict && j > 0 && j > start-2 && s[j-1] == ' ' && currency == "" {
			j--
		}
		p, n := utf8.DecodeLastRuneInString(s[:j])
		switch {
		case unicode.Is(unicode.Sc, p) && (currency == "" || strict):
			for start = j - n; !strict && start > j-n-3 && start > 0 && s[start-1] >= 'A' && s[start-1] <= 'Z'; start-- { // US$
			}
			currency = s[start:j]
		case p == '-' && j == start && !negative && minus(s[:j-1], strict):
			start, negative = j-1, true
		default:
			return start, negative, glued, currency
		}
	}
}

// minus reports whether a dash behind the text is a sign: not after a digit or letter (10-15 ends in 15, COVID-19 in 19).
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

// pick returns the value of the first or the last numeral of a text, those glued to letters only if there is no other.
func pick(raw string, first bool) (v *big.Rat, found bool) {
	s := plain(raw).s
	alone := false
	for i := 0; i < len(s); {
		if !isDigit(s[i]) && (s[i] != '.' || !isDigit(at(s, i+1)) || isDigit(at(s, i-1))) {
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
		if w, e := wordAt(s, j); n.last != exact && w.get(scale) > 2 {
			n.value, i = scaled(n.value, w.get(scale)), e
		}
		if n.value != nil && negative {
			n.value = new(big.Rat).Neg(n.value)
		}
		if n.value != nil && (long(n.value.Num()) || long(n.value.Denom())) {
			n.value = nil
		}
		if v, found, alone = n.value, true, !glued; first && alone {
			return v, true
		}
	}
	return v, found
}

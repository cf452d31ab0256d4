package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A numeral is sign (whole + num/den) 10^exp · 10^scale, or its base to a power; parts that are absent are "".
type numeral struct {
	negative bool
	whole    string // "1,234.5"
	num, den string
	exp      string // of ten, after e, or × 10^
	power    string // of the numeral itself
	scale    int
	glued    bool
	start    int // of whole
}

type scanner struct {
	s string
	i int
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

// at returns the byte at i, 0 outside.
func (sc *scanner) at(i int) byte {
	if i < 0 || i >= len(sc.s) {
		return 0
	}
	return sc.s[i]
}

// next returns the next numeral from i on.
func (sc *scanner) next() (n numeral, ok bool) {
	for ; sc.i < len(sc.s); sc.i++ {
		c := sc.s[sc.i]
		switch {
		case isDigit(c) || c == '.' && isDigit(sc.at(sc.i+1)) && !isDigit(sc.at(sc.i-1)):
			start := sc.i
			n.negative, n.glued = sc.before(start)
			n.start, n.whole = start, sc.decimal()
			sc.rest(&n)
			return n, true
		case c == '\\' && strings.HasPrefix(sc.s[sc.i:], `\frac`):
			start := sc.i
			if num, den, ok := sc.frac(); ok {
				n.negative, _ = sc.before(start)
				if num[0] == '-' {
					n.negative = !n.negative
					num = num[1:]
				}
				n.num, n.den = num, den
				return n, true
			}
		}
	}
	return n, false
}

// before reads the sign of the numeral at i, and whether a letter stands right before it.
func (sc *scanner) before(i int) (negative, glued bool) {
	j := i - 1
	glued = endsInName(sc.s[:i])
	for sc.at(j) == '$' || sc.currencyEnds(j) {
		if sc.s[j] == '$' {
			j--
			continue
		}
		for j--; sc.s[j]&0xc0 == 0x80; j-- {
		}
		j--
	}
	if sc.at(j) != '-' {
		return false, glued
	}
	head := sc.s[:j]
	return !endsInWord(head) && !strings.HasSuffix(head, ")"), glued
}

// endsInName reports whether a letter or underscore ends s.
func endsInName(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == '_' || unicode.IsLetter(r)
}

// currencyEnds reports whether a currency sign beyond ASCII ends at byte j.
func (sc *scanner) currencyEnds(j int) bool {
	if j < 1 || sc.s[j] < 0x80 {
		return false
	}
	head := sc.s[:j+1]
	return strings.HasSuffix(head, "€") || strings.HasSuffix(head, "£") || strings.HasSuffix(head, "¥") || strings.HasSuffix(head, "₹")
}

// decimal reads digits in groups and a decimal fraction, from i on.
func (sc *scanner) decimal() string {
	start := sc.i
	if end, ok := European(sc.s, start); ok {
		sc.i = end
		return strings.NewReplacer(".", "", ",", ".").Replace(sc.s[start:end])
	}
	sc.i = groups(sc.s, start)
	if sc.at(sc.i) == '.' && isDigit(sc.at(sc.i+1)) {
		sc.i++
		sc.digits()
	}
	return sc.s[start:sc.i]
}

// European returns the end of the numeral at byte i of s, and true, where it is written with a decimal comma or with points between its
// thousands: two groups of three behind points (1.000.000), one with a decimal comma behind (1.234,5), or a comma followed by other
// than three digits (1,5), or by any after a lone zero (0,125). In 1,2,3 and 1.2.3 the marks part a list or a version.
func European(s string, i int) (end int, ok bool) {
	run := func(i int) int {
		j := i
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		return j - i
	}
	more := func(i int) bool { return i+1 < len(s) && (s[i] == ',' || s[i] == '.') && isDigit(s[i+1]) }
	if i > 1 && (s[i-1] == ',' || s[i-1] == '.') && isDigit(s[i-2]) {
		return 0, false
	}
	lead := run(i)
	end = i + lead
	groups := 0
	if lead > 0 && lead <= 3 {
		for end < len(s) && s[end] == '.' && run(end+1) == 3 {
			end += 4
			groups++
		}
	}
	if end < len(s) && s[end] == ',' {
		n := run(end + 1)
		fraction := n > 0 && (n != 3 || groups == 0 && lead == 1 && s[i] == '0' || groups > 0)
		if lead > 0 && fraction && !more(end+1+n) {
			return end + 1 + n, true
		}
	}
	return end, groups > 1 && !more(end)
}

func (sc *scanner) digits() string {
	start := sc.i
	for isDigit(sc.at(sc.i)) {
		sc.i++
	}
	return sc.s[start:sc.i]
}

// groups returns the end of the integer that starts at i: 1234, 1,234,567, 12,34,567, or with group spaces.
func groups(s string, i int) int {
	run := func(i int) int {
		j := i
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		return j - i
	}
	lead := run(i)
	end := i + lead
	if lead == 0 || lead > 3 || end >= len(s) || s[end] != ',' && s[end] != groupSpace && s[end] != ' ' {
		return end
	}
	if s[end] == ' ' {
		return spaced(s, i, end, run)
	}
	mark, last, j := s[end], end, end
	for j < len(s) && s[j] == mark {
		k := run(j + 1)
		if k == 3 {
			last = j + 4 // a group of three may end the number
		} else if k != 2 || mark != ',' || lead > 2 {
			break
		}
		j += k + 1
	}
	// Only what ends in a group of three is one number, and groups of two must not follow groups of three.
	if strings.Count(s[i:last], string(mark)) > 0 && !wellGrouped(s[i:last], mark) {
		return end
	}
	return last
}

// spaced returns the end of the integer at i whose groups of three follow blanks, 8 000; end, where the lead ends, if that is no number of groups: in
// "5 100-page books" and "1 100/200" the blank parts two.
func spaced(s string, i, end int, run func(int) int) int {
	if i > 1 && s[i-1] == ' ' && isDigit(s[i-2]) {
		return end
	}
	last := end
	for s[i] != '0' && last < len(s) && s[last] == ' ' && run(last+1) == 3 {
		last += 4
	}
	if last < len(s) && (s[last] == '/' || s[last] == '-' || s[last] == ' ' && run(last+1) > 0) {
		return end
	}
	return last
}

// wellGrouped reports whether the inner groups are all of two or all of three digits.
func wellGrouped(s string, mark byte) bool {
	_, s, _ = strings.Cut(s, string(mark))
	size := 0
	for {
		g, rest, more := strings.Cut(s, string(mark))
		if !more {
			return true
		}
		if size == 0 {
			size = len(g)
		}
		if len(g) != size {
			return false
		}
		s = rest
	}
}

// rest reads what can follow the first decimal: an exponent, a power, a fraction, a mixed fraction, a scale.
func (sc *scanner) rest(n *numeral) {
	switch c := sc.at(sc.i); {
	case (c == 'e' || c == 'E') && sc.exponentAt(sc.i+1):
		sc.i++
		n.exp = sc.signed()
	case c == '^':
		if p, end := sc.powerAt(sc.i + 1); p != "" {
			n.power, sc.i = p, end
		}
	case c == '/' || c == ' ' && sc.at(sc.i+1) == '/':
		sc.over(n)
	case c == ' ' && isDigit(sc.at(sc.i+1)):
		sc.mixed(n)
	}
	if n.exp == "" && n.power == "" && n.den == "" {
		sc.timesTen(n)
	}
	for _, w := range scales {
		if t := strings.TrimPrefix(sc.s[sc.i:], " "); len(t) >= len(w.word) && strings.EqualFold(t[:len(w.word)], w.word) && !isLetter(byteAt(t, len(w.word))) {
			n.scale = w.exp
			sc.i = len(sc.s) - len(t) + len(w.word)
		}
	}
}

var scales = []struct {
	word string
	exp  int
}{{"thousand", 3}, {"million", 6}, {"billion", 9}, {"trillion", 12}}

func byteAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// exponentAt reports whether a signed integer starts at i.
func (sc *scanner) exponentAt(i int) bool {
	if c := sc.at(i); c == '-' || c == '+' {
		i++
	}
	return isDigit(sc.at(i))
}

func (sc *scanner) signed() string {
	start := sc.i
	if c := sc.at(sc.i); c == '-' || c == '+' {
		sc.i++
	}
	sc.digits()
	return sc.s[start:sc.i]
}

// powerAt reads 6, -6, {6} or {-6}.
func (sc *scanner) powerAt(i int) (power string, end int) {
	braced := sc.at(i) == '{'
	if braced {
		i++
	}
	if !sc.exponentAt(i) {
		return "", 0
	}
	sub := scanner{s: sc.s, i: i}
	power = sub.signed()
	if braced {
		if sub.at(sub.i) != '}' {
			return "", 0
		}
		sub.i++
	}
	return power, sub.i
}

// timesTen reads × 10^n behind a decimal, with * or x for the sign and spaces around it.
func (sc *scanner) timesTen(n *numeral) {
	i := sc.i
	for sc.at(i) == ' ' {
		i++
	}
	if c := sc.at(i); c != '*' && c != 'x' {
		return
	}
	for i++; sc.at(i) == ' '; i++ {
	}
	if !strings.HasPrefix(sc.s[min(i, len(sc.s)):], "10^") {
		return
	}
	if p, end := sc.powerAt(i + 3); p != "" {
		n.exp, sc.i = p, end
	}
}

// over reads the denominator of a/b, unless a chain a/b/c shows a date. b = 0 is no fraction.
func (sc *scanner) over(n *numeral) {
	sub := scanner{s: sc.s, i: sc.i}
	for sub.at(sub.i) == ' ' {
		sub.i++
	}
	for sub.i++; sub.at(sub.i) == ' '; sub.i++ {
	}
	if !isDigit(sub.at(sub.i)) || sc.at(n.start-1) == '/' {
		return
	}
	den := sub.decimal()
	if sub.at(sub.i) == '/' && isDigit(sub.at(sub.i+1)) || isZero(den) {
		return
	}
	n.num, n.den, n.whole = n.whole, den, ""
	sc.i = sub.i
}

// mixed reads the fraction of "1 1/2": proper, after an integer.
func (sc *scanner) mixed(n *numeral) {
	sub := scanner{s: sc.s, i: sc.i + 1}
	num := sub.digits()
	if sub.at(sub.i) != '/' || !isDigit(sub.at(sub.i+1)) || strings.ContainsRune(n.whole, '.') {
		return
	}
	sub.i++
	den := sub.digits()
	if sub.at(sub.i) == '/' || isZero(den) || !lessDigits(num, den) {
		return
	}
	n.num, n.den = num, den
	sc.i = sub.i
}

// frac reads \frac{a}{b} or \frac ab with decimals a and b; it moves only if it succeeds.
func (sc *scanner) frac() (num, den string, ok bool) {
	sub := scanner{s: sc.s, i: sc.i + len(`\frac`)}
	num, ok = sub.argument()
	if !ok {
		return "", "", false
	}
	den, ok = sub.argument()
	if !ok || den[0] == '-' || isZero(den) {
		return "", "", false
	}
	sc.i = sub.i
	return num, den, true
}

func (sc *scanner) argument() (string, bool) {
	for sc.at(sc.i) == ' ' {
		sc.i++
	}
	if isDigit(sc.at(sc.i)) {
		sc.i++
		return sc.s[sc.i-1 : sc.i], true
	}
	if sc.at(sc.i) != '{' {
		return "", false
	}
	sc.i++
	start := sc.i
	if sc.at(sc.i) == '-' {
		sc.i++
	}
	if sc.decimal(); sc.at(sc.i) != '}' || !isDigit(sc.at(sc.i-1)) {
		return "", false
	}
	sc.i++
	return sc.s[start : sc.i-1], true
}

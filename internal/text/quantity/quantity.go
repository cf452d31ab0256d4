// Package quantity reads the numbers, quantities and dates of a text, and says when two of them are the same.
//
// Texts are model output: every function takes time linear in its input and bounded memory, whatever the text. The
// words that it reads are data, words.txt and units.txt.
package quantity

import (
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
)

// A Quantity is a number that a text mentions, with what stands around it.
type Quantity struct {
	Value      *big.Rat // nil where it is too long to be read
	Unit       Unit     // the zero Unit where none is known; for a compound measure the first of its units
	Word       string   // the word behind the number as written, a unit or not
	Start, End int      // bytes of sign, currency, numeral, unit, and of the other end of a range
	NumEnd     int      // the end of the numeral with its scale
	Places     int      // decimals shown
	Digits     int      // significant digits shown
	Spelled    bool     // it is written in words
	Ordinal    bool
	Approx     bool      // "about" or the like stands before it
	AfterEqual bool      // it stands right behind "=" or "→"; "≈" makes it Approx
	Bound      int8      // 1 for "more than" and "at least", -1 for "less than" and "at most"
	Inclusive  bool      // the bound itself is in it: "at least", "up to"
	High       *Quantity // the other end of a range: "6–8 km", "between 6 and 10"

	last  int16 // the power of ten of the last digit shown, exact for a fraction
	point bool  // its zeros at the end are meant
	shift int8  // it could be meant so many powers of ten away: 1.234 for 1,234
	other *Unit // and then in this unit, which is as good: 300K may be kelvins
}

// maxQuantities bounds what is read of one text.
const maxQuantities = 4096

// Scan returns the numbers of a text in order, at most 4096. Names with digits (L1, H2O) and the number of a list
// item or step ("1. ", "Step 2:") are none.
func Scan(raw string) []Quantity { return ScanFirst(raw, maxQuantities) }

// ScanFirst is Scan that ends after so many numbers.
func ScanFirst(raw string, most int) []Quantity {
	t := plain(raw)
	var all []Quantity
	for i := 0; i < len(t.s) && len(all) < most; {
		q, end, ok := quantityAt(t.s, i)
		if ok {
			if high, ok := rangeTo(t.s, &q); ok {
				end, q.High = high.End, &high
			}
			all = append(all, q)
		}
		i = max(end, i+1)
	}
	for i := range all {
		for q := &all[i]; q != nil && t.off != nil; q = q.High {
			q.Start, q.End, q.NumEnd = t.off[q.Start], t.off[q.End], t.off[q.NumEnd]
		}
	}
	return all
}

// Each returns the quantities with both ends of ranges, in order.
func Each(qs []Quantity) []Quantity {
	var all []Quantity
	for _, q := range qs {
		if all = append(all, q); q.High != nil {
			all = append(all, *q.High)
		}
	}
	return all
}

// quantityAt reads the quantity at i, and where to go on.
func quantityAt(s string, i int) (q Quantity, end int, ok bool) {
	if isLetter(s[i]) || s[i] >= utf8.RuneSelf {
		return namedAt(s, i)
	}
	if !numeralStarts(s, i) {
		return q, i + 1, false
	}
	if q, ok = numberAt(s, i); !ok || listed(s, i, q.End) || at(s, i-1) == '_' {
		return q, q.End, false
	}
	q.finish(s)
	return q, q.End, true
}

// namedAt reads the quantity that begins with a word at i, and where to go on.
func namedAt(s string, i int) (q Quantity, end int, ok bool) {
	w, end := wordAt(s, i)
	if w != nil && !isDigit(at(s, i-1)) {
		if q, ok = numberAt(s, i); ok && !pronoun(s, w, i, end, q.End) {
			q.finish(s)
			return q, q.End, true
		}
	}
	// A name goes on over its digits, H2O, unless its script parts no words.
	if r, _ := utf8.DecodeRuneInString(s[i:]); r < 0x2e80 && end > i {
		for isLetter(at(s, end)) || isDigit(at(s, end)) || at(s, end) == '_' {
			end++
		}
	}
	return q, end, false
}

// numberAt reads the number, in digits or words, that starts right at i.
func numberAt(s string, i int) (Quantity, bool) {
	if n, ok := numeralAt(s, i, false); ok {
		return Quantity{Value: n.value, Start: i, End: n.end, NumEnd: n.end, Places: n.places, Digits: n.digits,
			last: int16(n.last), point: n.point, shift: n.shift}, true
	}
	n, ok := spelledAt(s, i)
	q := Quantity{Value: n.value, Start: i, End: n.end, NumEnd: n.end, Spelled: true, Ordinal: n.ordinal, Digits: 1}
	if n.exact {
		q.last = exact
	} else if ok && n.value.IsInt() {
		q.Digits = len(n.value.Num().String())
	}
	return q, ok
}

// pronoun reports whether a number in words counts nothing: "which one", "one of them", "per second".
func pronoun(s string, w word, i, end, reach int) bool {
	b, _ := before(s, i)
	if w.get("number") == 1 && reach == end {
		after, _ := next(s, end)
		return b.has("pointing") || after.has("of")
	}
	return w.has("ordinal") && reach == end && (b.has("per") || b.has("article"))
}

// listed reports whether the numeral numbers a list item or a step.
func listed(s string, i, end int) bool {
	if w, _ := before(s, i); w.has("step") {
		return true
	}
	c := at(s, end+1)
	if end-i > 2 || at(s, end) != '.' && at(s, end) != ')' || c != ' ' && c != '\n' ||
		strings.TrimSpace(s[end+1:min(len(s), end+4)]) == "" {
		return false
	}
	// a list mark stands near its line's start; looking further back would cost time without end
	head := s[max(0, i-32):i]
	if strings.TrimLeft(head[strings.LastIndexByte(head, '\n')+1:], " *-(#") != "" {
		return false
	}
	// What a text begins with numbers its first item if that is 1 or another follows: "36. That is what the rule
	// says." gives a number.
	return i >= 32 || s[i:end] == "1" || strings.TrimLeft(head, " *-(#") != "" ||
		numbered.MatchString(s[end:min(len(s), end+maxItem)])
}

// numbered finds a line that begins with the number of an item.
var numbered = pattern.New(`\n[ *(#-]{0,8}[0-9]{1,2}[.)][ \n]`)

// maxItem bounds the text of a first item, behind which the next is looked for.
const maxItem = 2000

// finish reads what stands around a number: sign, currency and modifiers before it, scale, unit and compound
// measure behind it.
func (q *Quantity) finish(s string) {
	minus := !q.Spelled && q.signed(s)
	q.modified(s)
	if minus && q.Value != nil {
		q.Value = new(big.Rat).Neg(q.Value)
	}
	if w, e := wordAt(s, q.NumEnd); !q.Spelled && w.has("suffix") && q.Places == 0 {
		q.Ordinal, q.NumEnd = true, e
	} else if !q.Ordinal && q.Value != nil {
		q.scale(s)
	}
	q.measured(s)
	if at(s, q.NumEnd) == '+' && !isDigit(at(s, q.NumEnd+1)) {
		q.Bound, q.End = 1, max(q.End, q.NumEnd+1)
	}
}

// measured reads the unit or other word behind a number.
func (q *Quantity) measured(s string) {
	j := max(gap(s, q.NumEnd), q.NumEnd)
	q.End, q.Word = q.NumEnd, s[j:max(letters(s, j), name(s, j))]
	if decade := j == q.NumEnd && q.Word == "s" && q.Digits == 4; q.Ordinal || decade {
		return
	}
	q.clock(s)
	if math := q.Unit.Name == "$" && at(s, q.NumEnd) == '$'; math { // $42$
		q.Unit, q.End = Unit{}, q.NumEnd+1
	} else {
		q.unit(s, j)
		q.compound(s)
	}
}

// signed reads the sign and the currency before a numeral.
func (q *Quantity) signed(s string) (minus bool) {
	var currency string
	if q.Start, minus, _, currency = signBefore(s, q.Start, false); currency == "" { // USD 5, Rs. 5
		if _, j := before(s, q.Start); q.Start-j < 6 && (at(s, j) < 'a' || at(s, j) == 'k') && at(s, j-1) != '-' {
			if m := units().named(s[j:letters(s, j)]); m != nil && m[0].money > 0 {
				q.Unit, q.Start = Unit{s[j:letters(s, j)], m}, j
			}
		}
	} else if m := units().named(currency); m != nil {
		q.Unit = Unit{currency, m}
	}
	return minus
}

// modified reads what the words and signs before a number say of it.
func (q *Quantity) modified(s string) {
	head := strings.TrimRight(s[max(0, q.Start-4):q.Start], " $")
	switch mark := at(head, len(head)-1); mark {
	case '=', '~':
		q.AfterEqual, q.Approx = mark == '=', mark == '~'
	case '>':
		q.Bound = 1
	case '<':
		q.Bound = -1
	}
	w, j := before(s, q.Start)
	for k := 0; k < 4; w, j = before(s, j) {
		switch k++; {
		case w.has("about"):
			q.Approx = true
		case w.has("more"):
			q.Bound, q.Inclusive = 1, w.has("inclusive")
		case w.has("less"):
			q.Bound, q.Inclusive = -1, w.has("inclusive")
		case w.has("minus") && q.Value != nil && q.Value.Sign() > 0:
			if head := strings.TrimRight(s[max(0, j-3):j], " "); !isDigit(at(head, len(head)-1)) { // but "5 minus 3"
				q.Value, q.Start = new(big.Rat).Neg(q.Value), j
			}
		case w.has("pass"):
			continue
		}
		return
	}
}

// scale multiplies by what stands behind the number: "million", "k".
func (q *Quantity) scale(s string) {
	v, places, end := enlarge(s, q.Value, q.NumEnd)
	if v != q.Value {
		if q.Value, q.NumEnd, q.shift = v, end, 0; q.last != exact {
			q.last, q.point = q.last+int16(places), q.point || places > 0
		}
		return
	}
	j := q.NumEnd
	if k := gap(s, j); k > 0 && !q.Unit.IsZero() && at(s, j) == ' ' {
		j = k
	}
	w, e := wordAt(s, j)
	if !w.has("short") || q.Spelled {
		return
	}
	c := s[j]
	if q.Unit.IsZero() {
		switch {
		case j > q.NumEnd || e-j > 1 || strings.IndexByte("tTb", c) >= 0:
			return
		case c == 'm': // metres, or else millions
			q.other, q.shift = &Unit{}, int8(w.get("short"))
			return
		case c == 'K':
			q.other, q.shift = &Unit{s[j:e], units().named(s[j:e])}, -int8(w.get("short"))
		}
	} else {
		q.shift = 0
	}
	q.Value, q.NumEnd, q.last, q.point = scaled(q.Value, w.get("short")), e, q.last+int16(w.get("short")), true
}

// unit reads the unit at j, behind the numeral.
func (q *Quantity) unit(s string, j int) {
	w, j, u, end := q.unitBehind(s, j)
	money := q.Unit.Money()
	switch {
	case end <= j:
	case money && u.Money(): // $5 USD, $5 Canadian
		if q.End = end; len(q.Unit.meanings) > 1 {
			q.Unit = u
		}
	case money && (w.has("per") || w.has("article") || at(s, j) == '/'): // $20 per hour
		q.Unit, q.End = Unit{q.Unit.Name, []meaning{q.Unit.meanings[0].times(u.meanings[0], 1)}}, end
	case money, isDigit(at(s, end)) && strings.IndexByte("h'", at(s, end-1)) < 0:
	case u.Name == "in" && j > q.NumEnd && letters(s, end+1) > end+1: // "5 in London"
	default:
		q.Unit, q.End = u, end
	}
}

// unitBehind returns the word before the unit at j, where the unit begins, and the unit with its end.
func (q *Quantity) unitBehind(s string, j int) (w word, start int, u Unit, end int) {
	w, e := wordAt(s, j)
	if x, k := next(s, e); w.has("of") && x.has("article") { // three quarters of an hour
		w, e = x, k
	}
	if k := gap(s, e); w.has("article") && q.last == exact && k > 0 { // half an hour
		j, w = k, nil
	}
	u, end = units().parse(s, j)
	if x, _ := next(s, e); end == j && x.has("per") && e > j { // 500 people per km²
		u, end = units().parse(s, gap(s, e))
	}
	return w, j, u, end
}

var minutes, hours, inches = big.NewRat(60, 1), big.NewRat(3600, 1), big.NewRat(254, 10000)

// clock reads a duration as on a clock: 1:30 h.
func (q *Quantity) clock(s string) {
	e := run(s, q.NumEnd+1)
	if at(s, q.NumEnd) != ':' || e != q.NumEnd+3 || q.Value == nil {
		return
	}
	if u, end := units().parse(s, max(gap(s, e), e)); end > e && !u.IsZero() && u.meanings[0].dims == timeDims &&
		u.meanings[0].factor.Cmp(hours) == 0 {
		m, _ := decimalAt(s, q.NumEnd+1, true)
		q.Value, q.Unit, q.NumEnd, q.End = new(big.Rat).Add(q.Value, m.value.Quo(m.value, minutes)), u, e, end
	}
}

// compound adds what follows in smaller units of the same dimension: "5 ft 11 in", "3 hours and 25 minutes", "2h30".
func (q *Quantity) compound(s string) {
	for k := 0; k < 3 && !q.Unit.IsZero() && q.Value != nil && q.End > q.NumEnd && at(s, q.End) != '-'; k++ {
		if e := andHalf(s, q.End); e > 0 { // an hour and a half
			q.Value, q.End, q.last = new(big.Rat).Add(q.Value, big.NewRat(1, 2)), e, exact
			return
		}
		j := q.End
		if at(s, j) == ',' {
			j++
		}
		j = blanks(s, j)
		if w, e := wordAt(s, j); w.has("and") {
			j = blanks(s, e)
		}
		part, ok := numberAt(s, j)
		if !ok || part.Value == nil || j-q.End > 6 {
			return
		}
		part.unit(s, max(gap(s, part.NumEnd), part.NumEnd))
		part.minor(s, q, j)
		add, lead := part.within(q.Unit)
		if add == nil || add.Cmp(one) >= 0 {
			return
		}
		q.Value, q.Unit, q.End, q.last = new(big.Rat).Add(q.Value, add), Unit{q.Unit.Name, []meaning{lead}}, part.End,
			exact
	}
}

// minor gives a part of a compound that names no unit the one that it has behind hours, money or metres: "2h30",
// "one pound thirty-five".
func (q *Quantity) minor(s string, major *Quantity, start int) {
	lead := major.Unit.meanings[0]
	bare := q.Unit.IsZero() && start-major.End < 2 && (q.Spelled || q.NumEnd-start <= 2)
	if hour := lead.dims == timeDims && lead.factor.Cmp(hours) == 0; hour && (bare || q.Unit.Name == "m") {
		q.Unit, q.End = Unit{"", []meaning{{timeDims, minutes, nil}}}, max(q.NumEnd, q.End)
		return
	}
	// "4 ft 8 in between"
	if _, e := next(s, q.NumEnd); q.Unit.IsZero() && e > q.NumEnd && lead.dims == lengthDims && s[q.NumEnd:e] == " in" {
		q.Unit, q.End = Unit{"", []meaning{{lengthDims, inches, nil}}}, e
		return
	}
	bare = bare && gap(s, q.NumEnd) < 0 && q.Value.Cmp(tens[1]) >= 0
	for _, m := range major.Unit.meanings {
		if metre := m.dims == lengthDims && m.factor.Cmp(one) == 0; bare && (metre || m.money > 0) {
			q.Unit, q.End = Unit{"", []meaning{{m.dims, scaled(one, -2), nil}}}, q.NumEnd
		}
	}
}

// within returns the value in the first meaning of a unit that is larger than its own, nil without one.
func (q *Quantity) within(u Unit) (*big.Rat, meaning) {
	l, p, ok := u.meet(q.Unit, func(l, p *meaning) bool {
		return p.dims == l.dims && p.factor.Cmp(l.factor) < 0 && p.offset == nil
	})
	if !ok {
		return nil, meaning{}
	}
	return p.in(*l, q.Value), *l
}

// rangeTo reads the other end of a range: "8 to 10", "6–8", "between 6 and 10".
func rangeTo(s string, q *Quantity) (high Quantity, ok bool) {
	j := joint(s, q)
	if j < 0 {
		return high, false
	}
	k := j
	if r, n := utf8.DecodeRuneInString(s[j:]); unicode.Is(unicode.Sc, r) {
		k += n
	}
	if high, ok = numberAt(s, k); !ok {
		return high, false
	}
	if high.finish(s); high.Start > j || high.Ordinal || high.Value == nil {
		return high, false
	}
	if high.Value.Sign() < 0 && at(s, j-1) == '-' {
		high.Value, high.Start = new(big.Rat).Neg(high.Value), k
	}
	low, converts := q.In(high.Unit)
	switch {
	case q.borrows(&high):
		low = q.Value
	case high.Unit.IsZero():
		high.Unit, low = q.Unit, q.Value
	case !converts:
		return high, false
	}
	if low.Cmp(high.Value) >= 0 {
		return high, false
	}
	if q.Unit.IsZero() {
		q.Unit = high.Unit
	}
	q.End = high.End
	return high, true
}

// borrows takes the scale of the other end of a range for the number where it has none: "1 to 2 million".
func (q *Quantity) borrows(high *Quantity) bool {
	if !q.Unit.IsZero() || !high.point || high.last <= 0 || q.last != 0 {
		return false
	}
	up := scaled(q.Value, int(high.last))
	if up.Cmp(high.Value) >= 0 {
		return false
	}
	q.Value, q.last, q.point = up, high.last, true
	return true
}

// joint returns where the other end of a range would begin, -1 where nothing joins it.
func joint(s string, q *Quantity) int {
	j := blanks(s, q.End)
	w, e := wordAt(s, j)
	b, _ := before(s, q.Start)
	tight, loose := j == q.End && at(s, j+1) != ' ', j > q.End && at(s, j+1) == ' '
	switch {
	case q.Value == nil || q.Ordinal:
	case at(s, j) == '-' && (tight || loose &&
		!strings.HasSuffix(strings.TrimRight(s[max(0, q.Start-3):q.Start], " "), "-")):
		// not in 16 - 3 - 4
		return blanks(s, j+1)
	case at(s, e) == ' ' && (w.has("to") || w.has("and") && b.has("between")):
		return blanks(s, e)
	}
	return -1
}

// Parse reads a text that is one quantity and nothing else; words before it that change no value may stand there,
// and a noun behind it.
func Parse(raw string) (Quantity, bool) {
	qs := Scan(raw)
	if len(qs) == 0 {
		w, end := wordAt(raw, blanks(raw, 0))
		u, e := units().parse(raw, max(gap(raw, end), end))
		switch {
		case w.has("none") && strings.Trim(raw[end:], " .") == "":
			return Quantity{Value: new(big.Rat), Spelled: true, End: end, NumEnd: end}, true
		case w.has("article") && e > end && strings.Trim(raw[e:], " .") == "": // an hour
			return Quantity{Value: one, Unit: u, Word: u.Name, Spelled: true, Digits: 1, NumEnd: end, End: e}, true
		}
	}
	if len(qs) != 1 || others(raw[:qs[0].Start], "=<>", "about", "more", "less", "pass", "between") > 0 {
		return Quantity{}, false
	}
	return qs[0], others(raw[qs[0].End:], "!-}") <= 3
}

// others counts the words of a text that have none of the senses; a sign other than quotes, points, markup and
// those given counts as many.
func others(raw, signs string, senses ...string) (n int) {
	for i := 0; i < len(raw); i++ {
		w, end := wordAt(raw, i)
		switch {
		case end > i && !slices.ContainsFunc(senses, w.has):
			n++
		case end == i && raw[i] < utf8.RuneSelf && strings.IndexByte(" \t\n*_~()\"'`$.,\\", raw[i]) < 0 &&
			strings.IndexByte(signs, raw[i]) < 0:
			n += 99
		}
		i = max(end-1, i)
	}
	return n
}

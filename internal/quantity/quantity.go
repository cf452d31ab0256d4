// Package quantity reads the numbers, quantities and dates of a text, and says when two of them are the same.
//
// Texts are model output: every function takes time linear in its input and bounded memory, whatever the text. The words that it reads are
// data, words.txt and units.txt.
package quantity

import (
	"math/big"
	"strings"
	"unicode/utf8"
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
	AfterEqual bool      // it stands right behind "=", "≈" or "→"
	Bound      int8      // 1 for "more than" and "at least", -1 for "less than" and "at most"
	High       *Quantity // the other end of a range: "6–8 km", "between 6 and 10"

	last  int16 // the power of ten of the last digit shown, exact for a fraction
	point bool  // its zeros at the end are meant
	shift int8  // it could be meant so many powers of ten away: 1.234 for 1,234
	other *Unit // and then in this unit, which is as good: 300K may be kelvins
}

// maxQuantities bounds what is read of one text.
const maxQuantities = 4096

// Scan returns the numbers of a text in order, at most 4096. Names with digits (L1, H2O) and the number of a list item or step ("1. ",
// "Step 2:") are none.
func Scan(raw string) []Quantity {
	t := plain(raw)
	var all []Quantity
	for i := 0; i < len(t.s) && len(all) < maxQuantities; {
		q, end, ok := quantityAt(t.s, i)
		if ok {
			if high, ok := rangeTo(t.s, &q); ok {
				end, q.High = high.End, &high
			}
			all = append(all, q)
		}
		i = max(end, i+1)
	}
	for i := 0; i < len(all) && t.off != nil; i++ {
		all[i].settle(t, raw)
		if h := all[i].High; h != nil {
			h.settle(t, raw)
		}
	}
	return all
}

// settle gives bytes and words as the text has them.
func (q *Quantity) settle(t text, raw string) {
	for _, p := range [...]*int{&q.Start, &q.End, &q.NumEnd} {
		*p = t.from(*p)
	}
	if i := strings.Index(raw[q.NumEnd:min(len(raw), q.NumEnd+longest)], q.Unit.Name); i >= 0 && q.Unit.Name != "" {
		q.Unit.Name = raw[q.NumEnd+i : q.NumEnd+i+len(q.Unit.Name)]
	}
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
	c := s[i]
	if isLetter(c) || c >= utf8.RuneSelf {
		w, end := wordAt(s, i)
		if w != &unknown && !isDigit(at(s, i-1)) {
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
	if !isDigit(c) && (c != '.' || !isDigit(at(s, i+1)) || isDigit(at(s, i-1))) {
		return q, i + 1, false
	}
	if q, ok = numberAt(s, i); !ok || listed(s, i, q.End) || at(s, i-1) == '_' {
		return q, q.End, false
	}
	q.finish(s)
	return q, q.End, true
}

// numberAt reads the number, in digits or words, that starts right at i.
func numberAt(s string, i int) (Quantity, bool) {
	if n, ok := numeralAt(s, i, false); ok {
		return Quantity{Value: n.value, Start: i, End: n.end, NumEnd: n.end, Places: n.places, Digits: n.digits, last: int16(n.last), point: n.point, shift: n.shift}, true
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
func pronoun(s string, w *word, i, end, reach int) bool {
	b, _ := before(s, i)
	if w.get(number) == 1 && reach == end {
		after, _ := next(s, end)
		return b.has(pointing) || after.has(of)
	}
	return w.has(ordinal) && reach == end && (b.has(per) || b.has(article))
}

// listed reports whether the numeral numbers a list item or a step.
func listed(s string, i, end int) bool {
	if w, _ := before(s, i); w.has(step) {
		return true
	}
	c := at(s, end+1)
	if end-i > 2 || at(s, end) != '.' && at(s, end) != ')' || c != ' ' && c != '\n' || strings.TrimSpace(s[end+1:min(len(s), end+4)]) == "" {
		return false
	}
	head := s[max(0, i-32):i] // a list mark stands near its line's start; looking further back would cost time without end
	return strings.TrimLeft(head[strings.LastIndexByte(head, '\n')+1:], " *-(#") == ""
}

// finish reads what stands around a number: sign, currency and modifiers before it, scale, unit and compound measure behind it.
func (q *Quantity) finish(s string) {
	var currency string
	var minus bool
	if !q.Spelled {
		if q.Start, minus, _, currency = signBefore(s, q.Start, false); currency == "" { // USD 5, Rs. 5
			if _, j := before(s, q.Start); q.Start-j < 6 && (at(s, j) < 'a' || at(s, j) == 'k') && at(s, j-1) != '-' {
				if name := s[j:letters(s, j)]; len(units.named(name)) > 0 && units.named(name)[0].money > 0 {
					currency, q.Start = name, j
				}
			}
		}
		if m := units.named(currency); m != nil {
			q.Unit = Unit{currency, m}
		}
	}
	q.modified(s)
	if minus && q.Value != nil {
		q.Value = new(big.Rat).Neg(q.Value)
	}
	if w, e := wordAt(s, q.NumEnd); !q.Spelled && w.has(suffix) && q.Places == 0 {
		q.Ordinal, q.NumEnd = true, e
	} else if !q.Ordinal && q.Value != nil {
		q.scale(s)
	}
	q.End = max(q.End, q.NumEnd)
	j := max(gap(s, q.NumEnd), q.NumEnd)
	if q.Word = s[j:letters(s, j)]; q.Word == "" {
		q.Word = s[j:name(s, j)]
	}
	if decade := j == q.NumEnd && q.Word == "s" && q.Digits == 4; !q.Ordinal && !decade {
		q.unit(s, j)
		q.compound(s)
	}
	if at(s, q.NumEnd) == '+' && !isDigit(at(s, q.NumEnd+1)) {
		q.Bound, q.End = 1, max(q.End, q.NumEnd+1)
	}
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
		case w.has(about):
			q.Approx = true
		case w.has(more):
			q.Bound = 1
		case w.has(less):
			q.Bound = -1
		case w.has(negative) && q.Value != nil && q.Value.Sign() > 0 && !isDigit(at(strings.TrimRight(s[max(0, j-3):j], " "), len(strings.TrimRight(s[max(0, j-3):j], " "))-1)):
			q.Value, q.Start = new(big.Rat).Neg(q.Value), j
		case w.has(pass):
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
	if !w.has(short) || q.Spelled {
		return
	}
	c := s[j]
	if q.Unit.IsZero() {
		switch {
		case j > q.NumEnd || e-j > 1 || c|0x20 == 't' || c == 'b':
			return
		case c == 'm': // metres, or else millions
			q.other, q.shift = &Unit{}, int8(w.get(short))
			return
		case c == 'K':
			q.other, q.shift = &Unit{s[j:e], units.named(s[j:e])}, -int8(w.get(short))
		}
	} else {
		q.shift = 0
	}
	q.Value, q.NumEnd, q.last, q.point = scaled(q.Value, w.get(short)), e, q.last+int16(w.get(short)), true
}

// unit reads the unit at j, behind the numeral.
func (q *Quantity) unit(s string, j int) {
	if q.Unit.Name == "$" && at(s, q.NumEnd) == '$' { // $42$ is mathematics
		q.Unit, q.End = Unit{}, q.NumEnd+1
		return
	}
	if w, e := wordAt(s, j); w.has(article) && q.last == exact && gap(s, e) > 0 { // half an hour
		j = gap(s, e)
	}
	u, end := units.parse(s, j)
	if end == j && q.Unit.IsZero() { // 500 people per km²
		if w, e := next(s, letters(s, j)); w.has(per) && j > q.NumEnd {
			u, end = units.parse(s, letters(s, j)+1)
			_ = e
		}
	}
	money := q.Unit.Money()
	switch {
	case end == j:
	case money && u.Money(): // $5 USD, $5 Canadian
		if q.End = end; len(q.Unit.meanings) > 1 {
			q.Unit = u
		}
	case money: // $20 per hour
		if w, _ := wordAt(s, j); w.has(per) || w.has(article) || at(s, j) == '/' {
			q.Unit, q.End = Unit{q.Unit.Name, []meaning{q.Unit.meanings[0].times(u.meanings[0], 1)}}, end
		}
	case u.Name == "in" && letters(s, blanks(s, end)) > blanks(s, end) && j > q.NumEnd: // "5 in London"
	case isDigit(at(s, end)) && at(s, end-1) != 'h' && at(s, end-1) != '\'':
	default:
		q.Unit, q.End = u, end
	}
}

var minutes = big.NewRat(60, 1)

// compound adds what follows in smaller units of the same dimension: "5 ft 11 in", "3 hours and 25 minutes", "2h30", "1:30 h".
func (q *Quantity) compound(s string) {
	if e := run(s, q.NumEnd+1); q.Unit.IsZero() && at(s, q.NumEnd) == ':' && e == q.NumEnd+3 && q.Value != nil {
		if u, end := units.parse(s, max(gap(s, e), e)); end > e && !u.IsZero() && u.meanings[0].dims == timeDims && u.meanings[0].factor.Cmp(minutes) > 0 {
			m, _ := decimalAt(s, q.NumEnd+1, true)
			q.Value, q.Unit, q.NumEnd, q.End = new(big.Rat).Add(q.Value, m.value.Quo(m.value, minutes)), u, e, end
		}
		return
	}
	for k := 0; k < 3 && !q.Unit.IsZero() && q.Value != nil && q.Start <= q.NumEnd && q.End > q.NumEnd; k++ {
		if e := andHalf(s, q.End); e > 0 { // an hour and a half
			q.Value, q.End, q.last = new(big.Rat).Add(q.Value, big.NewRat(1, 2)), e, exact
			return
		}
		j := q.End
		if at(s, j) == ',' {
			j++
		}
		j = blanks(s, j)
		if w, e := wordAt(s, j); w.has(and) {
			j = blanks(s, e)
		}
		if j-q.End > 6 || j >= len(s) || at(s, q.End) == '-' {
			return
		}
		part, ok := numberAt(s, j)
		if !ok || part.Value == nil {
			return
		}
		part.unit(s, max(gap(s, part.NumEnd), part.NumEnd))
		lead := q.Unit.meanings[0]
		hours := lead.dims == timeDims && lead.factor.Cmp(big.NewRat(3600, 1)) == 0
		if hours && (part.Unit.IsZero() && part.NumEnd-j <= 2 && j-q.End < 2 || part.Unit.Name == "m") {
			part.Unit, part.End = Unit{"", []meaning{{timeDims, minutes, nil}}}, max(part.NumEnd, part.End)
		}
		var add *big.Rat
		for _, l := range q.Unit.meanings {
			for _, p := range part.Unit.meanings {
				if p.dims == l.dims && p.factor.Cmp(l.factor) < 0 && p.offset == nil && add == nil {
					add, lead = p.in(l, part.Value), l
				}
			}
		}
		if add == nil || add.Cmp(one) >= 0 {
			return
		}
		q.Value, q.Unit, q.End, q.last = new(big.Rat).Add(q.Value, add), Unit{q.Unit.Name, []meaning{lead}}, part.End, exact
	}
}

// rangeTo reads the other end of a range: "8 to 10", "6–8", "between 6 and 10".
func rangeTo(s string, q *Quantity) (high Quantity, ok bool) {
	j := blanks(s, q.End)
	w, e := wordAt(s, j)
	b, _ := before(s, q.Start)
	switch {
	case q.Value == nil || q.Ordinal:
		return high, false
	case at(s, j) == '-' && (j == q.End && at(s, j+1) != ' ' || j > q.End && at(s, j+1) == ' ' && !strings.HasSuffix(strings.TrimRight(s[max(0, q.Start-3):q.Start], " "), "-")):
		j = blanks(s, j+1)
	case w.has(to) && !w.has(month) && at(s, e) == ' ', w.has(and) && (b.has(between) || b.has(about)):
		j = blanks(s, e)
	default:
		return high, false
	}
	k := j
	if r, n := utf8.DecodeRuneInString(s[j:]); r == '$' || r >= utf8.RuneSelf && name(s, j) == j+n {
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
	case q.Unit.IsZero():
		if up := scaled(q.Value, int(high.last)); high.point && high.last > 0 && q.last == 0 && up.Cmp(high.Value) < 0 { // "1 to 2 million"
			q.Value, q.last, q.point, low = up, high.last, true, up
		}
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

// Parse reads a text that is one quantity and nothing else; words before it that change no value may stand there, and a noun behind it.
func Parse(raw string) (Quantity, bool) {
	qs := Scan(raw)
	w, end := wordAt(raw, blanks(raw, 0))
	if len(qs) == 0 && w.has(none) && strings.Trim(raw[end:], " .") == "" {
		return Quantity{Value: new(big.Rat), Spelled: true, End: end, NumEnd: end}, true
	}
	if len(qs) == 0 && w.has(article) { // an hour
		if u, e := units.parse(raw, max(gap(raw, end), end)); e > end && strings.Trim(raw[e:], " .") == "" {
			return Quantity{Value: one, Unit: u, Word: u.Name, Spelled: true, Digits: 1, NumEnd: end, End: e}, true
		}
	}
	if len(qs) != 1 {
		return Quantity{}, false
	}
	q := qs[0]
	for i := 0; i < q.Start; i++ {
		w, end := wordAt(raw, i)
		if end > i && !w.has(about) && !w.has(more) && !w.has(less) && !w.has(pass) && !w.has(between) || end == i && strings.IndexByte(" \t\n*_~=<>(\"'`$.\\≈≥≤", raw[i]) < 0 {
			return q, false
		}
		i = max(end-1, i)
	}
	for i, nouns := q.End, 0; i < len(raw); i++ {
		end := letters(raw, i)
		if end > i {
			nouns++
		}
		if nouns > 3 || end == i && raw[i] < utf8.RuneSelf && strings.IndexByte(" \t\n*_)\"'`$.!-\\}", raw[i]) < 0 {
			return q, false
		}
		i = max(end-1, i)
	}
	return q, true
}

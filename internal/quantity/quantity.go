// Package quantity reads the numbers, quantities and dates of a text, and says when two of them are the same.
//
// Texts are model output: every function takes time linear in its input and bounded memory, whatever the text. The words that it reads are
// data, words.txt and units.txt.
package quantity

import (
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Quantity is a number that a text mentions, with what stands around it.
type Quantity struct {
	Value      *big.Rat // nil where it is too long to be read
	Unit       Unit     // the zero Unit where none is known; the units of a compound measure as the first of them
	Word       string   // the word behind the number as written, a unit or not
	Start, End int      // bytes of sign, currency, numeral, unit
	NumEnd     int      // the end of the numeral with its scale
	Places     int      // decimals shown
	Digits     int      // significant digits shown
	Spelled    bool     // it is written in words
	Ordinal    bool
	Approx     bool      // "about" or the like stands before it
	AfterEqual bool      // it stands right behind "=", "≈" or "→"
	Bound      int8      // 1 for "more than" and "at least", -1 for "less than" and "at most"
	High       *Quantity // the other end of a range: "6–8 km", "between 6 and 10"

	last    int16 // the power of ten of the last digit shown, of which a fraction has none; and the sixteenth of it below that of
	point   bool  // its zeros at the end are meant
	shift   int8  // another reading is so many powers of ten away: 1.234 for 1,234
	other   Unit  // and in this unit: 300K are kelvins
	literal bool  // the other reading is as good as this one
}

// maxQuantities bounds what is read of one text.
const maxQuantities = 4096

// Scan returns the numbers of a text in order, at most 4096. Names with digits (L1, H2O) and the number of a list item or step ("1. ",
// "Step 2:") are none.
func Scan(text string) []Quantity {
	r := reader{s: text}
	var all []Quantity
	for len(all) < maxQuantities {
		q, ok := r.next()
		if !ok {
			break
		}
		all = append(all, q)
	}
	return all
}

// Each returns the quantities with both ends of ranges, in order.
func Each(qs []Quantity) []Quantity {
	for i := range qs {
		if qs[i].High != nil {
			var all []Quantity
			for _, q := range qs {
				all = append(all, q)
				if q.High != nil {
					all = append(all, *q.High)
				}
			}
			return all
		}
	}
	return qs
}

// A reader goes through a text once.
type reader struct {
	s    string
	i    int
	prev sense // of the words before the number, with nothing but blanks and signs between
	from int   // where they begin
	end  int   // where the last of them ends
	word int   // where the last word begins
}

// next returns the next quantity.
func (r *reader) next() (q Quantity, ok bool) {
	for r.i < len(r.s) {
		c := r.s[r.i]
		switch {
		case isLetter(c) || c >= utf8.RuneSelf && unicode.IsLetter(runeAt(r.s, r.i)):
			if q, ok = r.words(); !ok {
				continue
			}
		case isDigit(c), c == '.' && isDigit(at(r.s, r.i+1)) && !isDigit(at(r.s, r.i-1)), c == '\\', c >= utf8.RuneSelf:
			if q, ok = numberAt(r.s, r.i); !ok {
				_, size := utf8.DecodeRuneInString(r.s[r.i:])
				r.i += size
				continue
			}
			if r.listed(q.End) {
				r.i, r.prev = q.End, 0
				continue
			}
		default:
			if c == '\n' || c == ';' || c == '!' || c == '?' {
				r.prev = 0
			}
			r.i++
			continue
		}
		r.finish(&q)
		r.rangeFrom(&q)
		return q, true
	}
	return Quantity{}, false
}

func runeAt(s string, i int) rune {
	r, _ := utf8.DecodeRuneInString(s[min(i, len(s)):])
	return r
}

// words reads a number in words, or notes what a word does to the number behind it.
func (r *reader) words() (Quantity, bool) {
	w, end := wordAt(r.s, r.i)
	if w != &unknown && (w.sense&(isNumber|isArticle) != 0 || w.ordinal > 0 || w.part > 0 || w.scale == 2) {
		if q, ok := numberAt(r.s, r.i); ok && !r.pronoun(w, q.End) && !isDigit(at(r.s, r.i-1)) {
			return q, true
		}
	}
	// A name goes on over its digits, H2O, unless it is in a script that does not part words.
	for end < len(r.s) && runeAt(r.s, r.i) < 0x2e80 && (isLetter(r.s[end]) || isDigit(r.s[end])) {
		end++
	}
	if end == r.i {
		end++
	}
	if r.prev == 0 || strings.Trim(r.s[r.end:r.i], " .") != "" {
		r.prev, r.from = 0, r.i
	}
	switch {
	case w.sense&(isPass|isOf|isArticle) != 0 && r.prev != 0:
		r.prev |= w.sense & (isPointing | isTo | isArticle)
	default:
		r.prev, r.from = w.sense, r.i
	}
	r.word, r.end, r.i = r.i, end, end
	return Quantity{}, false
}

// pronoun reports whether a number in words counts nothing: "which one", "one of them", "per second".
func (r *reader) pronoun(w *word, reach int) bool {
	_, end := wordAt(r.s, r.i)
	if reach > end {
		return false
	}
	before := sense(0)
	if gap(r.s, r.end) == r.i || r.end == r.i {
		before = r.prev
	}
	if w.is(isNumber) && w.number == 1 {
		after, _ := next(r.s, end)
		return before&isPointing != 0 || after.is(isOf)
	}
	return w.ordinal > 0 && before&(isPer|isArticle) != 0
}

func significant(v *big.Rat) int {
	if v == nil || !v.IsInt() {
		return 1
	}
	return len(v.Num().String())
}

// listed reports whether the numeral that ends at end numbers a list item or a step.
func (r *reader) listed(end int) bool {
	s, i := r.s, r.i
	if end-i > 2 || end >= len(s) {
		return false
	}
	if r.prev&isStep != 0 && strings.Trim(s[r.end:i], " #") == "" {
		return true
	}
	if s[end] != '.' && s[end] != ')' || end+1 >= len(s) || s[end+1] != ' ' && s[end+1] != '\n' {
		return false
	}
	head := s[max(0, i-32):i] // a list mark stands near its line's start; looking further back would cost time without end
	return strings.TrimLeft(head[strings.LastIndexByte(head, '\n')+1:], " *-(#") == "" && strings.TrimSpace(s[end+1:min(len(s), end+4)]) != ""
}

// A sign is what stands right before a numeral.
type sign struct {
	start    int // of sign and currency
	negative bool
	glued    bool // to a letter
	currency string
}

// signBefore reads the sign and the currency before the numeral at i.
func signBefore(s string, i int, strict bool) sign {
	g := sign{start: i}
	for k := 0; k < 4; k++ {
		j := g.start
		if !strict && g.currency == "" && k < 2 {
			j = len(strings.TrimRight(s[max(0, j-2):j], " ")) + max(0, j-2)
		}
		p, n := utf8.DecodeLastRuneInString(s[:j])
		if k == 0 && j == i {
			g.glued = p == '_' || unicode.IsLetter(p)
		}
		switch {
		case p == '$' || p >= utf8.RuneSelf && unicode.Is(unicode.Sc, p):
			if g.currency != "" && !strict {
				return g
			}
			g.currency, g.start = s[j-n:j], j-n
			for e := g.start; !strict && g.start > e-3 && g.start > 0 && s[g.start-1] >= 'A' && s[g.start-1] <= 'Z'; { // US$
				g.start--
				g.currency = s[g.start:j]
			}
		case (p == '-' || p == '−' || p == '–' || p == '－') && !g.negative && j == g.start:
			if g.negative = minus(s[:j-n], strict); !g.negative {
				return g
			}
			g.start = j - n
		case p == '\\' && g.currency != "":
			g.start--
		default:
			return g
		}
	}
	return g
}

// minus reports whether a dash behind the text is a sign.
func minus(head string, strict bool) bool {
	tail := strings.TrimRight(head[max(0, len(head)-8):], " ")
	p, n := utf8.DecodeLastRuneInString(tail)
	word := unicode.IsLetter(p) || unicode.IsNumber(p) || p == '_'
	if strict {
		return strings.HasSuffix(head, " ") || !word && p != ')'
	}
	if before, _ := utf8.DecodeLastRuneInString(tail[:len(tail)-n]); strings.HasSuffix(head, " ") && unicode.IsLetter(p) {
		return unicode.IsLetter(before) || before == '\'' || before == '’' // "equals -12", but not "x -12"
	}
	return !word && p != ')' && p != '%'
}

// finish reads what stands around a numeral: sign and currency before it, scale, unit and compound measure behind it.
func (r *reader) finish(q *Quantity) {
	r.before(q)
	s := r.s
	digits := !q.Spelled
	if w, e := wordAt(s, q.NumEnd); digits && w.is(isSuffix) && q.Places == 0 && e-q.NumEnd == 2 {
		q.Ordinal, q.NumEnd, q.End = true, e, e
	} else if !q.Ordinal && q.Value != nil {
		r.scale(q)
	}
	j := q.NumEnd
	if k := gap(s, j); k > 0 {
		j = k
	} else if at(s, j) == '\\' {
		j++
	}
	q.Word = s[j:letters(s, j)]
	if end := name(s, j); q.Word == "" && end > j {
		q.Word = s[j:end]
	}
	q.End = max(q.End, q.NumEnd)
	if decade := j == q.NumEnd && q.Word == "s" && q.Digits == 4; !q.Ordinal && !decade {
		r.unit(q, j)
	}
	if strings.HasPrefix(s[q.NumEnd:], "+") && !isDigit(at(s, q.NumEnd+1)) {
		q.Bound, q.End = 1, max(q.End, q.NumEnd+1)
	}
	r.compound(q)
	r.i, r.prev, r.end = q.End, 0, q.End
	if r.i < q.NumEnd {
		r.i = q.NumEnd
	}
}

// before reads the sign, the currency and the words before a numeral.
func (r *reader) before(q *Quantity) {
	s := r.s
	if q.Spelled {
		q.Bound, q.Approx = r.modified(q.Start)
	} else {
		g := signBefore(s, q.Start, false)
		q.Start = g.start
		if g.negative && q.Value != nil {
			q.Value = new(big.Rat).Neg(q.Value)
		}
		if m := units.named(g.currency); m != nil && m[0].money > 0 {
			q.Unit = Unit{g.currency, m}
		} else if r.word < r.end && r.end-r.word <= 3 && strings.Trim(s[r.end:max(r.end, q.Start)], " .") == "" && q.Start-r.end < 3 { // USD 5, Rs. 5
			if m := units.named(s[r.word:r.end]); m != nil && m[0].money > 0 && (s[r.word] < 'a' || s[r.word] == 'k') && g.currency == "" {
				q.Unit, q.Start = Unit{s[r.word:r.end], m}, r.word
			}
		}
		q.Bound, q.Approx = r.modified(q.Start)
	}
	if r.prev&isMinus != 0 && q.Value != nil && strings.TrimSpace(s[r.end:max(r.end, q.Start)]) == "" && !r.subtracts() {
		q.Value, q.Start = new(big.Rat).Neg(q.Value), r.word
	}
	head := strings.TrimRight(s[max(0, q.Start-8):q.Start], " $")
	q.AfterEqual = strings.HasSuffix(head, "=") || strings.HasSuffix(head, "≈") || strings.HasSuffix(head, "→")
	switch p, _ := utf8.DecodeLastRuneInString(head); p {
	case '~', '≈', '∼', '≃':
		q.Approx = true
	case '>', '≥':
		q.Bound = 1
	case '<', '≤':
		q.Bound = -1
	}
}

// subtracts reports whether a number stands before the word "minus".
func (r *reader) subtracts() bool {
	head := strings.TrimRight(r.s[max(0, r.word-4):r.word], " ")
	return head != "" && isDigit(head[len(head)-1])
}

// modified returns what the words right before the number at i say of it.
func (r *reader) modified(i int) (bound int8, about bool) {
	if r.prev == 0 || i < r.end || strings.Trim(r.s[r.end:i], " ~.") != "" && i > r.from {
		if i != r.word {
			return 0, false
		}
	}
	switch {
	case r.prev&isMore != 0:
		return 1, false
	case r.prev&isLess != 0:
		return -1, false
	}
	return 0, r.prev&isAbout != 0
}

// scale multiplies by what stands behind the numeral: "million", "k".
func (r *reader) scale(q *Quantity) {
	s := r.s
	glued := !q.Spelled && isLetter(at(s, q.NumEnd))
	v, places, end := enlarge(s, q.Value, q.NumEnd, glued)
	if v != q.Value {
		q.point = q.point || places > 0 && q.last != exact
		q.Value, q.NumEnd = v, end
		if q.last != exact {
			q.last += int16(places)
		}
		q.shift = 0
		return
	}
	j := q.NumEnd
	if k := gap(s, j); k > 0 && !q.Unit.IsZero() && at(s, j) == ' ' {
		j = k
	}
	w, e := wordAt(s, j)
	if !w.is(isShort) || q.Spelled {
		return
	}
	c := s[j]
	switch money := !q.Unit.IsZero(); {
	case money:
	case j > q.NumEnd || c == 'T' || c == 't' || c == 'b' || e-j > 1:
		return
	case c == 'K' || c == 'm':
		q.other, q.literal = Unit{s[j:e], units.named(s[j:e])}, true
		if q.shift = int8(-w.scale); c == 'm' {
			q.other, q.shift = Unit{}, int8(w.scale)
			return
		}
	}
	q.Value, q.NumEnd, q.last, q.point = scaled(q.Value, int(w.scale)), e, q.last+int16(w.scale), true
	if q.other.IsZero() {
		q.shift = 0
	}
}

// unit reads the unit at j, behind the numeral.
func (r *reader) unit(q *Quantity, j int) {
	s := r.s
	if q.Unit.Name == "$" && at(s, q.NumEnd) == '$' { // $42$ is mathematics
		q.Unit, q.End = Unit{}, q.NumEnd+1
		return
	}
	if w, e := wordAt(s, j); w.is(isArticle) && q.last == exact && gap(s, e) > 0 { // half an hour
		j = gap(s, e)
	}
	u, end, ok := Unit{}, j, false
	if at(s, j) != '/' {
		u, end, ok = units.parse(s, j)
	}
	switch {
	case ok && !q.Unit.IsZero():
		if u.Money() && (len(u.meanings) == 1 || len(q.Unit.meanings) > 1) { // $5 USD, $5 Canadian
			q.Unit = Unit{s[j:end], u.meanings}
		}
		if u.Money() {
			q.End = end
		}
	case !ok:
		k := j
		if at(s, j) == '/' && !q.Unit.IsZero() { // $20/h
			k = j + 1
		} else if w, e := wordAt(s, j); !w.is(isPer) && (!w.is(isArticle) || q.Unit.IsZero()) { // 500 people per km²
			if w, e = next(s, e); w.is(isPer) {
				k = max(gap(s, e), j)
			}
		} else {
			k = max(gap(s, e), j)
		}
		if k == j {
			return
		}
		if ms, power, end := units.atom(s, k); ms != nil {
			m := meaning{factor: one}
			if !q.Unit.IsZero() {
				m = q.Unit.meanings[0]
			}
			q.Unit, q.End = Unit{s[j:end], []meaning{m.times(ms[0], -power)}}, end
		}
	case s[j:end] == "in" && letters(s, blanks(s, end)) > blanks(s, end) && j > q.NumEnd: // "5 in London"
	case isDigit(at(s, end)) && at(s, end-1) != 'h':
	default:
		q.Unit, q.End = Unit{s[j:end], u.meanings}, end
	}
}

// compound adds what follows in smaller units of the same dimension: "5 ft 11 in", "3 hours and 25 minutes", "2h30".
func (r *reader) compound(q *Quantity) {
	s := r.s
	if c := at(s, q.NumEnd); q.Unit.IsZero() && q.Value != nil && !q.Spelled && (c == '\'' || strings.HasPrefix(s[q.NumEnd:], "′")) {
		r.feet(q)
		return
	}
	if q.Unit.IsZero() || q.Value == nil || q.Start > q.NumEnd {
		return
	}
	lead := q.Unit.meanings
	for range 3 {
		j := q.End
		if at(s, j) == ',' {
			j++
		}
		j = blanks(s, j)
		if w, e := wordAt(s, j); w.is(isAnd) {
			x, k := next(s, e)
			if half, end := next(s, k); x.is(isArticle) && half.part == 2 { // an hour and a half
				q.Value, q.End, q.last = new(big.Rat).Add(q.Value, big.NewRat(1, 2)), end, exact
				return
			}
			j = blanks(s, e)
		}
		if j-q.End > 6 || j >= len(s) {
			return
		}
		sub := reader{s: s}
		part, ok := sub.plain(j)
		if !ok || part.Value == nil || part.Value.Sign() < 0 {
			return
		}
		m, hit := meaning{}, false
		for _, l := range lead {
			for _, p := range part.Unit.meanings {
				if p.dims == l.dims && p.factor.Cmp(l.factor) < 0 && p.offset == nil {
					lead, m, hit = []meaning{l}, p, true
				}
			}
		}
		if minutes := lead[0].dims == timeDims && lead[0].factor.Cmp(hour) == 0; !hit && minutes && (part.Unit.IsZero() && part.NumEnd-j <= 2 && j-q.End < 2 || part.Unit.Name == "m") {
			m, hit = meaning{dims: timeDims, factor: minute}, true
			if part.Unit.IsZero() {
				part.End = part.NumEnd
			}
		}
		if !hit {
			return
		}
		add := m.in(lead[0], part.Value)
		if add.Cmp(one) >= 0 {
			return
		}
		q.Value = new(big.Rat).Add(q.Value, add)
		q.Unit.meanings = lead
		q.End, q.last = part.End, exact
		if m.factor == minute && part.Unit.IsZero() {
			return
		}
	}
}

var hour, minute = big.NewRat(3600, 1), big.NewRat(60, 1)

// plain reads the quantity that starts right at i, with its unit but no other part.
func (r *reader) plain(i int) (q Quantity, ok bool) {
	if q, ok = numberAt(r.s, i); !ok {
		return q, false
	}
	j := q.NumEnd
	if k := gap(r.s, j); k > 0 {
		j = k
	}
	r.unit(&q, j)
	return q, true
}

// numberAt reads the number, in digits or words, that starts right at i.
func numberAt(s string, i int) (Quantity, bool) {
	if n, ok := numeralAt(s, i, false); ok {
		return Quantity{Value: n.value, Start: i, End: n.end, NumEnd: n.end, Places: n.places, Digits: n.digits, last: int16(n.last), point: n.point, shift: n.other}, true
	}
	if w, _ := wordAt(s, i); w.sense&(isNumber|isArticle) != 0 || w.ordinal > 0 || w.part > 0 || w.scale == 2 {
		if n, ok := spelledAt(s, i); ok {
			q := Quantity{Value: n.value, Start: i, End: n.end, NumEnd: n.end, Spelled: true, Ordinal: n.ordinal, Digits: significant(n.value)}
			if n.part {
				q.last = exact
			}
			return q, true
		}
	}
	return Quantity{}, false
}

// feet reads 5'11".
func (r *reader) feet(q *Quantity) {
	s := r.s
	j := q.NumEnd + 1
	if s[q.NumEnd] != '\'' {
		j = q.NumEnd + len("′")
	}
	j = blanks(s, j)
	if !isDigit(at(s, j)) {
		return
	}
	d, ok := decimalAt(s, j, true)
	if !ok || d.value == nil || at(s, d.end) != '"' && !strings.HasPrefix(s[d.end:], "″") && !strings.HasPrefix(s[d.end:], "''") && !strings.HasPrefix(s[d.end:], "”") {
		return
	}
	q.End = d.end + 1
	if s[d.end] >= utf8.RuneSelf {
		q.End = d.end + len("″")
	}
	ft := units.named("ft")
	q.Value = new(big.Rat).Add(q.Value, units.named("inch")[0].in(ft[0], d.value))
	q.Unit, q.last = Unit{s[q.NumEnd:q.End], ft}, exact
}

// rangeFrom joins a quantity with the one behind it where they are the ends of a range: "8 to 10", "6–8", "between 6 and 10".
func (r *reader) rangeFrom(q *Quantity) {
	s := r.s
	if q.Value == nil || q.Ordinal || q.End >= len(s) {
		return
	}
	j := blanks(s, q.End)
	joined := false
	for _, dash := range [...]string{"–", "-", "—", "~"} {
		if strings.HasPrefix(s[j:], dash) {
			j, joined = blanks(s, j+len(dash)), true
			break
		}
	}
	if w, e := wordAt(s, j); !joined && e > j && e < len(s) && s[e] == ' ' && (w.is(isTo) && w.month == 0 || w.is(isAnd) && r.between(q.Start)) {
		j, joined = blanks(s, e), true
	}
	if !joined || j >= len(s) || j-q.End > 10 {
		return
	}
	k := j
	if r := runeAt(s, j); r == '$' || unicode.Is(unicode.Sc, r) {
		k += utf8.RuneLen(r)
	}
	high, ok := numberAt(s, k)
	if !ok || high.Value == nil {
		return
	}
	sub := reader{s: s, end: k, word: k}
	sub.finish(&high)
	if high.Start != j || high.Ordinal || high.Value == nil {
		return
	}
	low := q.Value
	if v, ok := q.In(high.Unit); ok && !q.Unit.IsZero() && !high.Unit.IsZero() {
		low = v
	} else if !high.Unit.IsZero() && !q.Unit.IsZero() {
		return
	}
	if low.Cmp(high.Value) >= 0 {
		return
	}
	if q.Unit.IsZero() {
		q.Unit = high.Unit
		if high.last > 0 && q.last == 0 && high.point { // "1 to 2 million"
			q.Value, q.last, q.point = scaled(q.Value, int(high.last)), high.last, true
			if q.Value.Cmp(high.Value) >= 0 {
				q.Value, q.last, q.point = low, 0, false
			}
		}
	} else if high.Unit.IsZero() {
		high.Unit = q.Unit
	}
	q.End = high.End
	q.High = &high
	r.i, r.end = high.End, high.End
}

// between reports whether the word stands right before i.
func (r *reader) between(i int) bool {
	head := strings.TrimRight(r.s[max(0, i-longest):i], " ~$")
	j := len(head)
	for j > 0 && isLetter(head[j-1]) {
		j--
	}
	w, _ := wordAt(head, j)
	return w.is(isBetween)
}

// Parse reads a text that is one quantity and nothing else; words before it that change no value may stand there, and a noun behind it.
func Parse(text string) (Quantity, bool) {
	qs := Scan(text)
	if len(qs) != 1 {
		if w, end := wordAt(text, blanks(text, 0)); len(qs) == 0 && w.is(isNone) && strings.Trim(text[end:], " .") == "" {
			return Quantity{Value: new(big.Rat), Spelled: true, End: end, NumEnd: end}, true
		}
		if w, end := wordAt(text, 0); len(qs) < 2 && w.is(isArticle) && end < 3 { // an hour
			if q, ok := Parse("1" + text[end:]); ok && !q.Unit.IsZero() {
				return q, true
			}
		}
		return Quantity{}, false
	}
	q := qs[0]
	for i := 0; i < q.Start; {
		if isLetter(text[i]) {
			w, end := wordAt(text, i)
			if w.sense&(isAbout|isMore|isLess|isPass|isBetween|isArticle|isMinus) == 0 {
				return q, false
			}
			i = end
			continue
		}
		if !strings.Contains(" \t\n*_~=<>(\"'`$.", text[i:i+1]) && text[i] < utf8.RuneSelf {
			return q, false
		}
		i++
	}
	nouns := 0
	for i := q.End; i < len(text); {
		if end := letters(text, i); end > i {
			if nouns++; nouns > 3 {
				return q, false
			}
			i = end
			continue
		}
		if !strings.Contains(" \t\n*_)\"'`$.!-", text[i:i+1]) && text[i] < utf8.RuneSelf {
			return q, false
		}
		i++
	}
	return q, true
}

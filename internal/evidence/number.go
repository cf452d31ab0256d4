package evidence

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"hallmark/internal/answer"
)

// A Number is a number that a text mentions, with what stands around it.
type Number struct {
	Value      *big.Rat // nil where it is too long to be read: see answer.Number
	Unit       string   // a known unit or currency beside it, as in units; "" if none
	Word       string   // the word behind it, in its compared form, whether a unit or not
	Places     int      // digits shown behind the point
	Start, End int      // bytes of Plain, of the numeral alone
	Spelled    bool     // it is written in words; set by whoever reads those
	AfterEqual bool     // it stands right behind "=", "≈" or "→"
}

// maxNumbers bounds the numbers read of one text.
const maxNumbers = 4096

// Numbers returns the numerals of a range of Plain in order, at most 4096. Those glued to a letter before them (L1, H2O) and
// the number of a list item or step ("1. ", "Step 2:") are not answers and are left out.
func Numbers(plain string, in Span) []Number {
	var ns []Number
	for i := in.Start; i < in.End && len(ns) < maxNumbers; {
		if !isDigit(plain[i]) && !(plain[i] == '.' && i+1 < in.End && isDigit(plain[i+1])) {
			if r, n := utf8.DecodeRuneInString(plain[i:]); n > 1 {
				if v, ok := vulgar[r]; ok {
					ns = append(ns, Number{Value: v, Start: i, End: i + n, Places: 2})
				}
				i += n
				continue
			}
			i++
			continue
		}
		end := numeralEnd(plain, i, in.End)
		n := Number{Start: i, End: end}
		glued := i > 0 && (plain[i-1]|0x20 >= 'a' && plain[i-1]|0x20 <= 'z' || plain[i-1] == '_')
		if !glued && !isOrdinal(plain, i, end) {
			n.read(plain, in)
			ns = append(ns, n)
		}
		i = end
	}
	return ns
}

var vulgar = map[rune]*big.Rat{'½': big.NewRat(1, 2), '¼': big.NewRat(1, 4), '¾': big.NewRat(3, 4), '⅓': big.NewRat(1, 3), '⅔': big.NewRat(2, 3), '⅕': big.NewRat(1, 5),
	'⅖': big.NewRat(2, 5), '⅗': big.NewRat(3, 5), '⅘': big.NewRat(4, 5), '⅙': big.NewRat(1, 6), '⅚': big.NewRat(5, 6), '⅛': big.NewRat(1, 8), '⅜': big.NewRat(3, 8),
	'⅝': big.NewRat(5, 8), '⅞': big.NewRat(7, 8)}

// Vulgar returns the value of a fraction that is one character, such as ¾.
func Vulgar(r rune) (*big.Rat, bool) {
	v, ok := vulgar[r]
	return v, ok
}

// numeralEnd returns the end of the numeral at i: digits with groups, decimals, an exponent, ×10^n, a fraction bar.
func numeralEnd(s string, i, end int) int {
	digits := func(i int) int {
		for i < end && isDigit(s[i]) {
			i++
		}
		return i
	}
	j := digits(i)
	if k, ok := answer.European(s[:end], i); ok {
		return k
	}
	spaced := j-i <= 3 && s[i] != '0'
	for j+3 < end {
		n := 0
		switch {
		case s[j] == ' ' && spaced && thousands(s[:end], j) && (j+4 == end || s[j+4] != '-'): // 8 000, but not "8 100-page books"
			n = 1
		case s[j] == ',' && thousands(s[:end], j), s[j] == '\'' && thousands(s[:end], j):
			n = 1
		case strings.HasPrefix(s[j:], "\u202f") && thousands(s[:end], j+2):
			n = 3
		case strings.HasPrefix(s[j:], "\u00a0") && thousands(s[:end], j+1):
			n = 2
		case strings.HasPrefix(s[j:], "\u2009") && thousands(s[:end], j+2):
			n = 3
		}
		if n == 0 {
			break
		}
		j = digits(j + n)
	}
	if j+3 < end && s[j] == ',' && thousands(s[:end], j) { // a group at the very end
		j = digits(j + 1)
	} else if j+4 == end && s[j] == ',' && thousands(s[:end], j) {
		j = end
	}
	if j+1 < end && s[j] == '.' && isDigit(s[j+1]) {
		j = digits(j + 1)
	}
	if j+1 < end && s[j]|0x20 == 'e' {
		k := j + 1
		if k < end && (s[k] == '-' || s[k] == '+') {
			k++
		}
		if k < end && isDigit(s[k]) {
			j = digits(k)
		}
	}
	// ×10^8, x 10^8, *10^8
	k := j
	for k < end && s[k] == ' ' {
		k++
	}
	for _, times := range []string{"×", "x", "*", "·"} {
		if !strings.HasPrefix(s[k:end], times) {
			continue
		}
		m := k + len(times)
		for m < end && s[m] == ' ' {
			m++
		}
		if strings.HasPrefix(s[m:end], "10^") {
			m += 3
			if m < end && (s[m] == '-' || s[m] == '+') {
				m++
			}
			if m < end && isDigit(s[m]) {
				return digits(m)
			}
		}
	}
	if j+1 < end && s[j] == '/' && isDigit(s[j+1]) {
		k := digits(j + 1)
		if k == end || s[k] != '/' {
			return k
		}
	}
	return j
}

// isOrdinal reports whether the numeral counts a list item or a step.
func isOrdinal(s string, i, end int) bool {
	if end-i > 2 || end >= len(s) {
		return false
	}
	head := s[max(0, i-32):i] // a list mark stands near its line's start; looking further back would cost time without end
	lineStart := strings.TrimLeft(head[strings.LastIndexByte(head, '\n')+1:], " *-(#") == ""
	if lineStart && (s[end] == '.' || s[end] == ')') && (end+1 == len(s) || s[end+1] == ' ' || s[end+1] == '\n') && end+1 < len(s) {
		return strings.TrimSpace(s[end+1:min(len(s), end+4)]) != ""
	}
	before := strings.ToLower(s[max(0, i-6):i])
	return strings.HasSuffix(before, "step ") || strings.HasSuffix(before, "step #")
}

func (n *Number) read(s string, in Span) {
	text := s[n.Start:n.End]
	if dot := strings.IndexByte(text, '.'); dot >= 0 {
		for _, c := range []byte(text[dot+1:]) {
			if !isDigit(c) {
				break
			}
			n.Places++
		}
	}
	// In front: a sign, a currency, "minus".
	before := strings.TrimRight(s[in.Start:n.Start], " ")
	for _, c := range []string{"$", "€", "£", "¥", "₹"} {
		if rest, ok := strings.CutSuffix(before, c); ok {
			before, n.Unit = strings.TrimRight(rest, " "), c
			if n.Unit == "$" && strings.HasSuffix(rest, "US") {
				before = strings.TrimSuffix(rest, "US")
			}
		}
	}
	glued := len(before) > 0 && len(before) == n.Start-in.Start-len(n.Unit)
	negative := false
	for _, sign := range []string{"-", "−"} {
		if rest, ok := strings.CutSuffix(before, sign); ok && glued {
			if tail := strings.TrimRight(rest, " "); tail == "" || !isAlnum(tail[len(tail)-1]) && tail[len(tail)-1] != ')' && tail[len(tail)-1] != '%' || len(tail) < len(rest) && endsInWord(tail) {
				negative = true
				before = rest
			}
		}
	}
	if w := strings.ToLower(before[max(0, len(before)-9):]); strings.HasSuffix(w, "minus") || strings.HasSuffix(w, "negative") {
		if head := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(before, "minus"), "negative"), " "); head == "" || !isDigit(head[len(head)-1]) {
			negative = true
		}
	}
	tail := strings.TrimRight(before, " $")
	n.AfterEqual = strings.HasSuffix(tail, "=") || strings.HasSuffix(tail, "≈") || strings.HasSuffix(tail, "→")
	if n.Unit == "" && tail != "" && tail[len(tail)-1] >= 'A' && tail[len(tail)-1] <= 'Z' {
		for _, c := range []string{"USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "MXN", "ZAR", "KRW"} {
			if strings.HasSuffix(tail, c) {
				n.Unit = c
			}
		}
	}
	if !strings.Contains(text, "10^") {
		text = strings.ReplaceAll(text, " ", "")
	}
	if v, ok := decimal(text); ok {
		n.Value = v
	} else if v, ok := answer.Number(text); ok {
		n.Value = v
	}
	// Behind: a scale, a unit.
	after := s[n.End:in.End]
	word := func() (w, rest string) {
		a := strings.TrimLeft(after, " \u00a0-")
		j := 0
		for j < len(a) && j < 24 && (a[j]|0x20 >= 'a' && a[j]|0x20 <= 'z' || a[j] >= 0x80 || j > 0 && (a[j] == '/' || a[j] == '^' || isDigit(a[j]))) {
			j++
		}
		if j == 0 && a != "" && (a[0] == '%' || a[0] == '$') {
			j = 1
		}
		return a[:j], a[j:]
	}
	w, rest := word()
	scaled := true
	switch strings.ToLower(w) {
	case "thousand":
		n.scale(1e3)
	case "million", "mn":
		n.scale(1e6)
	case "billion", "bn":
		n.scale(1e9)
	case "trillion", "tn":
		n.scale(1e12)
	case "quadrillion":
		n.scale(1e15)
	case "quintillion":
		n.scale(1e18)
	case "sextillion":
		n.scale(1e21) // the last power of a thousand that a float64 holds exactly
	case "lakh":
		n.scale(1e5)
	case "crore":
		n.scale(1e7)
	default:
		scaled = false
		if strings.HasPrefix(after, w) && w == "k" && n.Unit == "" { // 8k
			n.scale(1e3)
			scaled = true
		} else if glued := strings.HasPrefix(after, w) && n.Unit != ""; glued {
			switch w { // $3k, €2M
			case "k", "K":
				n.scale(1e3)
				scaled = true
			case "m", "M":
				n.scale(1e6)
				scaled = true
			case "b", "B":
				n.scale(1e9)
				scaled = true
			}
		}
	}
	if scaled {
		after = rest
		w, _ = word()
	}
	w = strings.TrimRight(w, "…’”—–")
	n.Word = foldWord(w)
	if n.Unit == "$" && w == "$" {
		n.Unit = "" // $42$ is mathematics
	}
	if _, ok := units[unitKey(w)]; ok && n.Unit == "" {
		n.Unit = w
	}
	if negative && n.Value != nil {
		n.Value = new(big.Rat).Neg(n.Value)
	}
}

// decimal reads digits with at most one point, up to 15 of them, as most numerals are; answer.Number reads all.
func decimal(s string) (*big.Rat, bool) {
	if len(s) > 16 {
		return nil, false
	}
	v, by := int64(0), int64(0)
	for i := 0; i < len(s); i++ {
		switch {
		case isDigit(s[i]):
			v = v*10 + int64(s[i]-'0')
			by *= 10
		case s[i] == '.' && by == 0 && i > 0 && i+1 < len(s):
			by = 1
		default:
			return nil, false
		}
	}
	if by > 1 {
		return big.NewRat(v, by), true
	}
	return new(big.Rat).SetInt64(v), len(s) > 0
}

// endsInWord reports whether a text ends in a word of two letters or more, behind which a sign is no minus between two values: "equals -12", "it's -12".
func endsInWord(s string) bool {
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
	return len(s) > 1 && letter(s[len(s)-1]) && (letter(s[len(s)-2]) || s[len(s)-2] == '\'' || strings.HasSuffix(s[:len(s)-1], "’"))
}

func (n *Number) scale(by float64) {
	if n.Value != nil {
		n.Value = new(big.Rat).Mul(n.Value, new(big.Rat).SetFloat64(by))
	}
}

var small = map[string]int64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
	"forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// pointing words make "one" a pronoun.
var pointing = map[string]bool{"which": true, "the": true, "this": true, "that": true, "no": true, "any": true, "every": true, "each": true, "another": true, "what": true}

// parts are the names of fractions, by what they divide by.
var parts = map[string]int64{
	"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6,
	"seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8, "ninth": 9, "ninths": 9, "tenth": 10, "tenths": 10,
}

// Part returns what the name of a fraction divides by: 8 for "eighth".
func Part(word string) (int64, bool) {
	by, ok := parts[word]
	return by, ok
}

// WrittenNumber reads the first number that a range of words spells out in English, up to trillions: "forty-two", "three hundred and
// five", "five eighths", the year "nineteen fourteen". It is for answers without a numeral.
func (t *Text) WrittenNumber(in Span) (*big.Rat, Span, bool) {
	var total, current int64
	start, end := -1, -1
	for i := in.Start; i < in.End; i++ {
		w := t.Words[i].Fold
		if v, ok := small[w]; ok {
			if start < 0 && w == "one" && i > 0 && pointing[t.Words[i-1].Fold] {
				continue
			}
			if start < 0 {
				start = i
			}
			if v >= 10 && current >= 10 && current < 100 && total == 0 { // a year
				current *= 100
			}
			current += v
			end = i + 1
			continue
		}
		if by := parts[w]; by > 0 && end == i && total == 0 && (current > 1) == strings.HasSuffix(w, "s") {
			return big.NewRat(current, by), Span{start, i + 1}, true
		}
		if start < 0 {
			continue
		}
		var by int64
		switch w {
		case "hundred":
			by = 100
		case "thousand":
			by = 1000
		case "million":
			by = 1_000_000
		case "billion":
			by = 1_000_000_000
		case "and":
			switch t.Words[i-1].Fold {
			case "hundred", "thousand", "million", "billion":
			default: // "two and three"
				i = in.End
			}
			continue
		default:
			i = in.End
			continue
		}
		if current > 1_000_000 { // nobody writes so; it also bounds the product
			return nil, Span{}, false
		}
		current *= by
		end = i + 1
		if by > 100 {
			total += current
			current = 0
		}
	}
	if start < 0 {
		return nil, Span{}, false
	}
	return new(big.Rat).SetInt64(total + current), Span{start, end}, true
}

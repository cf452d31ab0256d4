// Package arithmetic computes expressions exactly and finds the equalities that a text states. Texts are model
// output: every function is bounded and takes time linear in its input.
package arithmetic

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/text/quantity"
)

// Bounds of Eval.
const (
	maxExpression = 4096 // bytes
	maxDepth      = 64   // nested brackets
	maxBits       = 1 << 14
)

// Eval computes an arithmetic expression exactly: numbers (with thousands separators, decimals, a percent sign), + - *
// / ^, the signs × · ÷ −, brackets. It returns an error for anything else, for a division by zero, for more than
// 4096 bytes or 64 nested brackets, and where a value grows beyond 16384 bits.
func Eval(expression string) (*big.Rat, error) {
	if len(expression) > maxExpression {
		return nil, fmt.Errorf("an expression of %d bytes is longer than %d", len(expression), maxExpression)
	}
	p := parser{s: expression}
	v, err := p.binary(0, 0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.i < len(p.s) {
		return nil, fmt.Errorf("%q is no arithmetic", head(p.s[p.i:], 20))
	}
	return v.rat, nil
}

// A value is a number that may be written as a percentage, which has its own meaning after + and -: 50 + 20% is 60.
type value struct {
	rat     *big.Rat
	percent bool
}

type parser struct {
	s string
	i int
}

var errTooBig = errors.New("a value is too large")

func checked(r *big.Rat) (value, error) {
	if r.Num().BitLen()+r.Denom().BitLen() > maxBits {
		return value{}, errTooBig
	}
	return value{rat: r}, nil
}

func (p *parser) space() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t' || p.s[p.i] == '\n') {
		p.i++
	}
}

// operator consumes one of the given signs.
func (p *parser) operator(signs ...string) string {
	p.space()
	for _, s := range signs {
		if strings.HasPrefix(p.s[p.i:], s) {
			p.i += len(s)
			return s
		}
	}
	return ""
}

// levels are the signs that join two values, those that bind less first.
var levels = [...][]string{{"+", "-", "−", "–"}, {"*", "×", "·", "⋅", "/", "÷", "x ", "X "}}

// binary reads values that the signs of a level join, from the left.
func (p *parser) binary(depth, level int) (value, error) {
	if depth > maxDepth {
		return value{}, fmt.Errorf("more than %d nested brackets", maxDepth)
	}
	if level == len(levels) {
		return p.power(depth)
	}
	a, err := p.binary(depth, level+1)
	for err == nil {
		op := p.operator(levels[level]...)
		if op == "" {
			return a, nil
		}
		var b value
		if b, err = p.binary(depth, level+1); err == nil {
			a, err = a.with(op, b)
		}
	}
	return value{}, err
}

// with returns what two values give that a sign joins.
func (a value) with(op string, b value) (value, error) {
	r := new(big.Rat)
	switch op {
	case "/", "÷":
		if b.rat.Sign() == 0 {
			return value{}, errors.New("division by zero")
		}
		return checked(r.Quo(a.rat, b.rat))
	case "+", "-", "−", "–":
		by := b.rat
		if b.percent && !a.percent {
			by = new(big.Rat).Mul(a.rat, by)
		}
		if r.Add(a.rat, by); op != "+" {
			r.Sub(a.rat, by)
		}
		v, err := checked(r)
		v.percent = a.percent && b.percent
		return v, err
	}
	return checked(r.Mul(a.rat, b.rat))
}

func (p *parser) power(depth int) (value, error) {
	a, err := p.unary(depth)
	if err != nil || p.operator("^", "**") == "" {
		return a, err
	}
	b, err := p.unary(depth)
	if err != nil {
		return value{}, err
	}
	if !b.rat.IsInt() || b.rat.Num().CmpAbs(big.NewInt(1000)) > 0 {
		return value{}, errors.New("an exponent must be an integer up to 1000")
	}
	e := b.rat.Num().Int64()
	if size := int64(a.rat.Num().BitLen() + a.rat.Denom().BitLen()); size*max(e, -e) > maxBits {
		return value{}, errTooBig
	}
	base := a.rat
	if e < 0 {
		if base.Sign() == 0 {
			return value{}, errors.New("division by zero")
		}
		base, e = new(big.Rat).Inv(base), -e
	}
	exp := big.NewInt(e)
	return checked(new(big.Rat).SetFrac(new(big.Int).Exp(base.Num(), exp, nil),
		new(big.Int).Exp(base.Denom(), exp, nil)))
}

func (p *parser) unary(depth int) (value, error) {
	negative := false
	for {
		switch p.operator("-", "−", "+") {
		case "-", "−":
			negative = !negative
			continue
		case "+":
			continue
		}
		break
	}
	v, err := p.atom(depth)
	if err == nil && negative {
		v.rat = new(big.Rat).Neg(v.rat)
	}
	return v, err
}

func (p *parser) atom(depth int) (value, error) {
	p.space()
	for p.operator("$", "€", "£") != "" {
	}
	if p.operator("(", "[") != "" {
		v, err := p.binary(depth+1, 0)
		if err != nil {
			return value{}, err
		}
		if p.operator(")", "]") == "" {
			return value{}, errors.New("a bracket is not closed")
		}
		v.percent = false
		return v, nil
	}
	start := p.i
	for p.i < len(p.s) && (isDigit(p.s[p.i]) || p.s[p.i] == '.' || p.s[p.i] == ',' && thousands(p.s, p.i)) {
		p.i++
	}
	if p.i == start {
		return value{}, fmt.Errorf("a number is missing at %q", head(p.s[p.i:], 20))
	}
	text := strings.ReplaceAll(strings.TrimRight(p.s[start:p.i], "."), ",", "")
	r, ok := quantity.Number(text)
	if !ok || strings.Count(text, ".") > 1 {
		return value{}, fmt.Errorf("%q is no number", head(text, 20))
	}
	v, err := checked(r)
	if p.operator("%") != "" && err == nil {
		v = value{new(big.Rat).Quo(v.rat, big.NewRat(100, 1)), true}
	}
	return v, err
}

// An Equality is a statement "a = b" between arithmetic expressions that a text makes.
type Equality struct {
	Text  string // as written, bounded
	Holds bool   // within the rounding that the right side shows
}

// maxEqualities bounds the signs of equality that are looked at in one text.
const maxEqualities = 256

// Equalities returns the equalities of a text whose left side is arithmetic, at least one operation on numbers.
// Words behind a number are taken as its unit. Those that cannot be read, such as equations with a variable, are
// left out.
func Equalities(plain string) []Equality {
	var all []Equality
	looked := 0
	for i := 0; i < len(plain) && looked < maxEqualities; i++ {
		if plain[i] != '=' {
			continue
		}
		looked++
		if e, ok := equalityAt(plain, i); ok {
			all = append(all, e)
		}
	}
	return all
}

// equalityAt reads the equality whose sign is at i.
func equalityAt(plain string, i int) (Equality, bool) {
	if i > 0 && strings.IndexByte("<>!=:", plain[i-1]) >= 0 || i+1 < len(plain) && plain[i+1] == '=' {
		return Equality{}, false
	}
	left, ok := arithmeticBefore(plain, i)
	if !ok {
		return Equality{}, false
	}
	right, end, ok := numberBehind(plain, i)
	if !ok {
		return Equality{}, false
	}
	v, err := Eval(left)
	if err != nil {
		return Equality{}, false
	}
	text := head(strings.TrimSpace(left)+" ="+plain[i+1:end], 120)
	percent := strings.HasPrefix(strings.TrimLeft(plain[end:], " "), "%") || strings.Contains(left, "100")
	switch {
	case shows(right, v):
		return Equality{text, true}, true
	case percent && shows(right, new(big.Rat).Mul(v, big.NewRat(100, 1))):
		// a share in percent, its sign left out: 2/8 * 100% = 25
		return Equality{text, true}, true
	case strings.Contains(left, "%"): // 5% * 20 read with 5% as the number 5, as in "45% + 5% = 50%"
		w, err := Eval(strings.ReplaceAll(left, "%", ""))
		return Equality{text, err == nil && shows(right, w)}, true
	}
	return Equality{text, false}, true
}

// numberBehind reads the right side of the sign at i and where it ends. It must be a number alone, not the head of
// another expression, as in "2 + 3 = 1 + 4" and "= 2x".
func numberBehind(plain string, i int) (right quantity.Quantity, end int, ok bool) {
	// from the sign on, as a number at the start of a text may be that of a list item
	rest := plain[i:min(len(plain), i+48)]
	numbers := quantity.ScanFirst(rest, 1)
	if len(numbers) == 0 || strings.Trim(rest[1:numbers[0].Start], " $€£-−") != "" || numbers[0].Value == nil {
		return right, 0, false
	}
	end = i + numbers[0].NumEnd
	variable := end < len(plain) && isAlnum(plain[end]) && (end+1 == len(plain) || !isAlnum(plain[end+1]))
	return numbers[0], end, !variable && !goesOn(plain[end:min(len(plain), end+24)])
}

// shows reports whether a number is a value as one writes it. With p places it may be rounded, off by half a unit
// of the last, or cut, off by less than one; beyond 8 places what is shown is floating point, as
// 14.999999999999998.
func shows(q quantity.Quantity, v *big.Rat) bool {
	d := new(big.Rat).Sub(v, q.Value)
	switch {
	case d.Sign() == 0:
		return true
	case v.IsInt() && q.Places <= 8:
		return false
	}
	unit := new(big.Rat).SetFrac64(1, int64(math.Pow10(min(q.Places, 8))))
	cut := v.Sign() == d.Sign()
	d.Abs(d)
	return cut && d.Cmp(unit) < 0 || d.Add(d, d).Cmp(unit) <= 0
}

// goesOn reports whether an expression continues behind a number and its unit: " apples - 7".
func goesOn(s string) bool {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return r == ' ' || r == '%' || unicode.IsLetter(r) })
	for _, op := range []string{"+", "*", "/", "^", "×", "÷", "·"} {
		if strings.HasPrefix(s, op) {
			return true
		}
	}
	return strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "− ")
}

// arithmeticBefore returns the longest run of numbers, signs and units that ends at i and holds an operation.
func arithmeticBefore(s string, i int) (string, bool) {
	e := expression{s: s, low: max(0, i-longestSide), start: i}
	for e.start > e.low && e.extend() {
	}
	if e.broken || e.depth != 0 {
		return "", false
	}
	text := strings.TrimSpace(e.text)
	if strings.HasPrefix(text, ". ") {
		text = text[1:]
	}
	if k := strings.LastIndex(text, ". "); k >= 0 { // what is left of the sentence before is not part of it
		text = text[k+2:]
	}
	text, ok := e.withoutMark(strings.TrimSpace(text))
	return text, ok && strings.ContainsAny(text, operations)
}

// longestSide bounds the left side of an equality in bytes.
const longestSide = 200

// operations are the signs that make numbers an expression.
const operations = "+-*/×÷−·"

// An expression is read backwards from its end.
type expression struct {
	s          string
	low, start int    // how far it may reach, and where it starts so far
	text       string // what is read of it, with blanks for its units
	depth      int    // brackets that are closed and not opened
	broken     bool   // it holds a comma that parts no thousands
}

// extend takes what stands before the expression into it, and returns false where that is no part of one.
func (e *expression) extend() bool {
	r, n := utf8.DecodeLastRuneInString(e.s[e.low:e.start])
	part := e.s[e.start-n : e.start]
	switch {
	case strings.ContainsRune("0123456789.%$€£ ^"+operations, r):
	case r == ',':
		if e.start-2 < e.low || !isDigit(e.s[e.start-2]) || e.start < len(e.s) && !isDigit(e.s[e.start]) {
			return false // a comma between clauses
		}
		if e.broken = !thousands(e.s, e.start-1); e.broken { // 2,00 or a list
			return false
		}
	case strings.ContainsRune(")]", r):
		e.depth++
	case strings.ContainsRune("([", r):
		if e.depth == 0 {
			return false
		}
		e.depth--
	case strings.HasSuffix(e.s[e.low:e.start], " x") && strings.HasPrefix(e.s[e.start:], " "): // 3 x 4
		part = "*"
	case isLetter(r):
		return e.unit()
	default:
		return false
	}
	e.text, e.start = part+e.text, e.start-n
	return true
}

// unit takes a word into the expression that stands behind a number, as a blank. In "2*3=6 and 6*2" no sign joins
// the number before the word.
func (e *expression) unit() bool {
	before := strings.TrimRightFunc(e.s[e.low:e.start], func(r rune) bool { return isLetter(r) || r == '\'' })
	number := strings.TrimRight(before, " ")
	if strings.TrimRight(number, "0123456789%") == number {
		return false
	}
	at := e.low + len(before)
	if letter := e.start-at == 1; letter && (number == before || strings.HasSuffix(number, "%")) {
		return false
	}
	if strings.IndexAny(strings.TrimLeft(e.text, " "), "0123456789(.") == 0 {
		return false
	}
	e.text, e.start = " "+e.text, at
	return true
}

// withoutMark returns the text of the expression without a dash in front that is the mark of a list, and false
// where a dash or another sign joins it to what could not be read.
func (e *expression) withoutMark(text string) (string, bool) {
	rest := strings.TrimLeft(text, "-−")
	switch {
	case rest == text:
		return text, strings.TrimLeft(text, "+*/×÷·^") == text
	case strings.HasPrefix(rest, " "):
		return strings.TrimSpace(rest), e.start <= e.low || strings.IndexByte("\n:(", e.s[e.start-1]) >= 0
	}
	return text, true
}

// head returns at most n bytes of the beginning of s, on one line.
func head(s string, n int) string {
	if len(s) > n {
		s = s[:n] + "…"
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' && r < 0x80 }

func isAlnum(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }

// thousands reports whether the comma at i is followed by exactly three digits.
func thousands(s string, i int) bool {
	return i+3 < len(s) && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]) && (i+4 == len(s) || !isDigit(s[i+4]))
}

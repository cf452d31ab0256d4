// Package arithmetic computes expressions exactly and finds the equalities that a text states. Texts are model output: every function is
// bounded and takes time linear in its input.
package arithmetic

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/quantity"
)

// Bounds of Eval.
const (
	maxExpression = 4096 // bytes
	maxDepth      = 64   // nested brackets
	maxBits       = 1 << 14
)

// Eval computes an arithmetic expression exactly: numbers (with thousands separators, decimals, a percent sign), + - * / ^,
// the signs × · ÷ −, brackets. It returns an error for anything else, for a division by zero, for more than 4096 bytes or
// 64 nested brackets, and where a value grows beyond 16384 bits.
func Eval(expression string) (*big.Rat, error) {
	if len(expression) > maxExpression {
		return nil, fmt.Errorf("an expression of %d bytes is longer than %d", len(expression), maxExpression)
	}
	p := parser{s: expression}
	v, err := p.sum(0)
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

func (p *parser) sum(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, fmt.Errorf("more than %d nested brackets", maxDepth)
	}
	a, err := p.product(depth)
	for err == nil {
		op := p.operator("+", "-", "−", "–")
		if op == "" {
			return a, nil
		}
		var b value
		if b, err = p.product(depth); err != nil {
			break
		}
		r := b.rat
		if b.percent && !a.percent {
			r = new(big.Rat).Mul(a.rat, r)
		}
		if op == "+" {
			r = new(big.Rat).Add(a.rat, r)
		} else {
			r = new(big.Rat).Sub(a.rat, r)
		}
		percent := a.percent && b.percent
		a, err = checked(r)
		a.percent = percent
	}
	return value{}, err
}

func (p *parser) product(depth int) (value, error) {
	a, err := p.power(depth)
	for err == nil {
		op := p.operator("*", "×", "·", "⋅", "/", "÷", "x ", "X ")
		if op == "" {
			return a, nil
		}
		var b value
		if b, err = p.power(depth); err != nil {
			break
		}
		if op == "/" || op == "÷" {
			if b.rat.Sign() == 0 {
				return value{}, errors.New("division by zero")
			}
			a, err = checked(new(big.Rat).Quo(a.rat, b.rat))
		} else {
			a, err = checked(new(big.Rat).Mul(a.rat, b.rat))
		}
	}
	return value{}, err
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
	return checked(new(big.Rat).SetFrac(new(big.Int).Exp(base.Num(), exp, nil), new(big.Int).Exp(base.Denom(), exp, nil)))
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
		v, err := p.sum(depth + 1)
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

// Equalities returns the equalities of a text whose left side is arithmetic, at least one operation on numbers. Words behind a
// number are taken as its unit. Those that cannot be read, such as equations with a variable, are left out.
func Equalities(plain string) []Equality {
	var all []Equality
	looked := 0
	for i := 0; i < len(plain) && looked < maxEqualities; i++ {
		if plain[i] != '=' {
			continue
		}
		looked++
		if i > 0 && strings.IndexByte("<>!=:", plain[i-1]) >= 0 || i+1 < len(plain) && plain[i+1] == '=' {
			continue
		}
		left, ok := arithmeticBefore(plain, i)
		if !ok {
			continue
		}
		rest := plain[i:min(len(plain), i+48)] // from the sign on, as a number at the start of a text may be that of a list item
		right := quantity.Scan(rest)
		if len(right) == 0 || strings.Trim(rest[1:right[0].Start], " $€£-−") != "" || right[0].Value == nil {
			continue
		}
		r := right[0]
		r.End = i + r.NumEnd
		// The right side must be the number alone, not the head of another expression: "2 + 3 = 1 + 4".
		if goesOn(plain[r.End:min(len(plain), r.End+24)]) {
			continue
		}
		if r.End < len(plain) && isAlnum(plain[r.End]) && (r.End+1 == len(plain) || !isAlnum(plain[r.End+1])) {
			continue // "= 2x"
		}
		v, err := Eval(left)
		if err != nil {
			continue
		}
		// Shown with p places, a value may be rounded, off by half a unit of the last, or cut, off by less than one; beyond 8 places what
		// is shown is floating point, as 14.999999999999998.
		unit := new(big.Rat).SetFrac64(1, int64(math.Pow10(min(r.Places, 8))))
		holds := func(v *big.Rat) bool {
			d := new(big.Rat).Sub(v, r.Value)
			switch {
			case d.Sign() == 0:
				return true
			case v.IsInt() && r.Places <= 8:
				return false
			}
			cut := v.Sign() == d.Sign()
			d.Abs(d)
			return cut && d.Cmp(unit) < 0 || d.Add(d, d).Cmp(unit) <= 0
		}
		ok = holds(v)
		if !ok && (strings.HasPrefix(strings.TrimLeft(plain[r.End:], " "), "%") || strings.Contains(left, "100")) { // a share in percent, its sign left out: 2/8 * 100% = 25
			ok = holds(new(big.Rat).Mul(v, big.NewRat(100, 1)))
		}
		if !ok && strings.Contains(left, "%") { // 5% * 20 read with 5% as the number 5, as in "45% + 5% = 50%"
			if w, err := Eval(strings.ReplaceAll(left, "%", "")); err == nil {
				ok = holds(w)
			}
		}
		all = append(all, Equality{head(strings.TrimSpace(left)+" ="+plain[i+1:r.End], 120), ok})
	}
	return all
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
	low := max(0, i-200)
	var kept []byte // the expression, from its end to its start
	operation, depth := false, 0
	j := i
	wordEnd := -1 // end of a run of letters being skipped
	for j > low {
		r, n := utf8.DecodeLastRuneInString(s[low:j])
		switch {
		case r >= '0' && r <= '9' || r == '.' || r == '%' || r == '$' || r == ' ' || r == '€' || r == '£':
		case r == ',':
			if j-2 < low || !isDigit(s[j-2]) || j < len(s) && !isDigit(s[j]) {
				goto done // a comma between clauses
			}
			if !thousands(s, j-1) {
				return "", false // 2,00 or a list
			}
		case r == ')' || r == ']':
			depth++
		case r == '(' || r == '[':
			if depth == 0 {
				goto done
			}
			depth--
		case r == '+' || r == '-' || r == '*' || r == '/' || r == '^' || r == '×' || r == '÷' || r == '−' || r == '·':
		case r == 'x' && j-1 > low && s[j-2] == ' ' && j < len(s) && s[j] == ' ':
			r = '×' // "3 x 4"
		case r < 0x80 && (r|0x20) >= 'a' && (r|0x20) <= 'z':
			// A word is a unit only behind a number: cut here if no digit stands before it.
			k := j
			for k > low && (s[k-1]|0x20 >= 'a' && s[k-1]|0x20 <= 'z' || s[k-1] == '\'') {
				k--
			}
			m := k
			for m > low && s[m-1] == ' ' {
				m--
			}
			if j-k == 1 && wordEnd < 0 && (m == k || m == low || !isDigit(s[m-1])) || m == low || !isDigit(s[m-1]) && s[m-1] != '%' {
				goto done
			}
			if first := bytes.TrimRight(kept, " "); len(first) > 0 && (isDigit(first[len(first)-1]) || first[len(first)-1] == '(' || first[len(first)-1] == '.') {
				goto done // "2*3=6 and 6*2": no sign joins the number before the word
			}
			kept = append(kept, ' ')
			j = k
			continue
		default:
			goto done
		}
		if strings.ContainsRune("+-*/×÷−·", r) && r != 0 {
			operation = true
		}
		for b := n - 1; b >= 0; b-- {
			if r == '×' && n == 1 {
				kept = append(kept, '*')
			} else {
				kept = append(kept, s[j-n+b])
			}
		}
		j -= n
	}
done:
	for a, b := 0, len(kept)-1; a < b; a, b = a+1, b-1 {
		kept[a], kept[b] = kept[b], kept[a]
	}
	text := strings.TrimSpace(string(kept))
	// A full stop and a blank end the sentence before; what is left of it is not part of the expression.
	if strings.HasPrefix(text, ". ") {
		text = text[1:]
	}
	if k := strings.LastIndex(text, ". "); k >= 0 {
		text = text[k+2:]
	}
	text = strings.TrimSpace(text)
	if rest := strings.TrimLeft(text, "-−"); rest != text {
		// A dash in front is the mark of a list, a sign, or joins what could not be read.
		lineStart := j <= low || s[j-1] == '\n' || s[j-1] == ':' || s[j-1] == '('
		if strings.HasPrefix(rest, " ") {
			if !lineStart {
				return "", false
			}
			text = strings.TrimSpace(rest)
		}
	} else if strings.TrimLeft(text, "+*/×÷·^") != text {
		return "", false
	}
	if !operation || depth != 0 || text == "" || !strings.ContainsAny(text, "+-*/×÷−·^") {
		return "", false
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

func isAlnum(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }

// thousands reports whether the comma at i is followed by exactly three digits.
func thousands(s string, i int) bool {
	return i+3 < len(s) && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]) && (i+4 == len(s) || !isDigit(s[i+4]))
}

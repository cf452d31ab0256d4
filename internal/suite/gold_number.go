package suite

import (
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/quantity"
)

// isNumber reports whether the gold is a number with a tolerance, with significant digits, or a range.
func (g Gold) isNumber() bool { return g.Tolerance != "" || g.Significant > 0 || len(g.Range) > 0 }

// maxSignificant is the most significant digits that a gold may ask for.
const maxSignificant = 30

// The shapes of a number and of a unit behind it. What the number is, quantity.Number says.
var (
	numeral = pattern.New(`^[-+−]?(?:[0-9][0-9 \x{a0}\x{202f}]*)?(?:[.,][0-9]+)*(?:/[0-9]+)?(?:[eE][-+]?[0-9]+)?`)
	unitary = pattern.New(`^(?:[^0-9.,;:+−±=<>-][^+±=<>]*)?$`)
	another = pattern.New(`\s[0-9]`)
)

// quantity reads a number and the unit that is written behind it, or the sign of a currency before it; "" where
// there is none.
func numberAndUnit(s string) (v *big.Rat, unit string, ok bool) {
	s = strings.TrimSpace(s)
	if r, size := utf8.DecodeRuneInString(s); unicode.Is(unicode.Sc, r) {
		s, unit = strings.TrimSpace(s[size:]), s[:size]
	}
	written := strings.TrimSpace(numeral.FindString(s))
	behind := strings.TrimSpace(s[len(written):])
	if !strings.ContainsAny(written, "0123456789") || !unitary.MatchString(behind) || another.MatchString(behind) {
		return nil, "", false
	}
	v, ok = quantity.Number(strings.ReplaceAll(written, "−", "-"))
	return v, strings.TrimSpace(unit + " " + behind), ok
}

// Interval returns the numbers that are right, ends included, and the unit they are written in ("" for none), of a
// gold with a tolerance, with significant digits or with a range. It is false for any other gold, and for one that
// Check refuses. To N significant digits are right the numbers within half a unit of the N-th digit of the rounded
// gold: 3.14159 to 3 is 3.135 to 3.145.
func (g Gold) Interval() (lo, hi *big.Rat, unit string, ok bool) {
	x, fault := g.interval()
	return x.lo, x.hi, x.unit, fault == "" && x.lo != nil
}

// An interval is what Interval returns; the zero interval is that of a gold that is no number.
type interval struct {
	lo, hi *big.Rat
	unit   string
}

// rounded returns the ends of the numbers that are v to n significant digits, half a unit of the last digit to
// either side.
func rounded(v *big.Rat, n int) (lo, hi *big.Rat) {
	abs := new(big.Rat).Abs(v)
	// of the first digit that counts, where abs is 1 or more
	exp := len(new(big.Int).Quo(abs.Num(), abs.Denom()).String()) - 1
	for abs.Cmp(power(exp)) < 0 {
		exp--
	}
	unit := power(exp - n + 1)
	units := new(big.Rat).Quo(v, unit)
	whole, _ := new(big.Rat).SetString(units.FloatString(0)) // half away from zero
	mid := new(big.Rat).Mul(whole, unit)
	half := new(big.Rat).Quo(unit, big.NewRat(2, 1))
	return new(big.Rat).Sub(mid, half), new(big.Rat).Add(mid, half)
}

// power returns 10 to the power of e.
func power(e int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil))
	if e < 0 {
		return p.Inv(p)
	}
	return p
}

// decimal writes a number with the decimals it has, at most 12.
func decimal(v *big.Rat) string {
	if v.IsInt() {
		return v.Num().String()
	}
	return strings.TrimRight(v.FloatString(12), "0")
}

// fault returns the first fault of a gold by itself, or "".
func (g Gold) fault() string {
	_, fault := g.interval()
	return fault
}

// interval is Interval, with the first fault of the gold by itself, or "".
func (g Gold) interval() (x interval, fault string) {
	switch {
	case len(g.All) == 1:
		return x, fmt.Sprintf("gold.all lists %q alone; write gold: %s for one, or list each text that must be named",
			g.All[0], g.All[0])
	case len(g.All) > 0 && (len(g.Texts) > 0 || g.Option != nil || g.isNumber()),
		g.Option != nil && (len(g.Texts) > 0 || g.isNumber()),
		len(g.Range) > 0 && (len(g.Texts) > 0 || g.Tolerance != "" || g.Significant > 0):
		return x, goldForms + ", and one of them"
	case len(g.Range) > 0:
		return g.ofRange()
	case g.isNumber():
		return g.around()
	}
	return x, ""
}

func (g Gold) ofRange() (x interval, fault string) {
	if len(g.Range) != 2 {
		return x, fmt.Sprintf(
			"gold.range has %d ends; want the lowest and the highest number that is right, as [40, 45]", len(g.Range))
	}
	var ends [2]*big.Rat
	var units [2]string
	for i, end := range g.Range {
		var ok bool
		if ends[i], units[i], ok = numberAndUnit(end); !ok {
			return x, fmt.Sprintf("gold.range ends in %q, which is no number; want two numbers as [40, 45]", end)
		}
	}
	switch {
	case units[0] != units[1]:
		return x, fmt.Sprintf("gold.range [%s, %s] has two units; write both ends in one", g.Range[0], g.Range[1])
	case ends[0].Cmp(ends[1]) > 0:
		return x, fmt.Sprintf("gold.range [%s, %s] has its ends exchanged; write [%[2]s, %[1]s]", g.Range[0],
			g.Range[1])
	}
	return interval{ends[0], ends[1], units[0]}, ""
}

// around is the interval of a gold with a tolerance or significant digits.
func (g Gold) around() (x interval, fault string) {
	what := "a tolerance"
	if g.Tolerance == "" {
		what = "significant digits"
	}
	if len(g.Texts) != 1 {
		return x, fmt.Sprintf("%s beside %d golds; want one number under value", what, len(g.Texts))
	}
	v, unit, ok := numberAndUnit(g.Texts[0])
	switch {
	case !ok:
		return x, fmt.Sprintf("gold.value %q is no number, so it takes no %s; write gold: %[1]s", g.Texts[0],
			strings.TrimPrefix(what, "a "))
	case g.Tolerance != "" && g.Significant > 0:
		return x, "gold has a tolerance and significant digits; keep one"
	case g.Significant < 0 || g.Significant > maxSignificant:
		return x, fmt.Sprintf("gold.significant is %d; want a number of digits from 1 to %d", g.Significant,
			maxSignificant)
	case g.Significant > 0 && v.Sign() == 0:
		return x, "gold.value is 0, which has no significant digits; give a tolerance"
	case g.Significant > 0:
		lo, hi := rounded(v, g.Significant)
		return interval{lo, hi, unit}, ""
	}
	t, per, ok := numberAndUnit(g.Tolerance)
	switch {
	case !ok:
		return x, fmt.Sprintf(`gold.tolerance %q is no number; want one as 0.5, or a share of the value as "1 %%"`,
			g.Tolerance)
	case t.Sign() < 0:
		return x, fmt.Sprintf("gold.tolerance %q is below 0; write how far an answer may lie to either side, as 0.5",
			g.Tolerance)
	case per == "%" && unit == "%":
		return x, fmt.Sprintf("gold.tolerance %q of a gold in percent may be points or a share; write points without "+
			"the sign, as 0.5", g.Tolerance)
	case per == "%" && v.Sign() == 0:
		return x, fmt.Sprintf("gold.tolerance %q of the value 0 is 0; write a number, as 0.5", g.Tolerance)
	case per != "" && per != "%" && per != unit:
		return x, fmt.Sprintf(`gold.tolerance %q has another unit than the value %q; write it in the value's, or a `+
			`share as "1 %%"`, g.Tolerance, g.Texts[0])
	case per == "%":
		t = new(big.Rat).Mul(new(big.Rat).Abs(v), t.Quo(t, big.NewRat(100, 1)))
	}
	return interval{new(big.Rat).Sub(v, t), new(big.Rat).Add(v, t), unit}, ""
}

// InFull writes a number of a gold as it is: in decimals where they end, else as a fraction.
func InFull(v *big.Rat) string {
	if places, ends := v.FloatPrec(); ends {
		return v.FloatString(places)
	}
	return v.RatString()
}

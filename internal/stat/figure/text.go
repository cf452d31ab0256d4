package figure

import (
	"math"
	"strconv"
	"strings"
)

// Numbers for people are written here and nowhere else. A minus is one and no hyphen, and a thin gap stands between a
// number and its unit.

// Text writes a value of the unit.
func (u Unit) Text(x float64) string {
	switch u {
	case Share:
		return Percent(x)
	case Count:
		return Grouped(int(x))
	case Nats:
		return Decimal(x) + "\u202fnats"
	case Points:
		return strconv.FormatFloat(100*x, 'f', 2, 64)
	case Chance:
		return strconv.FormatFloat(x, 'f', 5, 64)
	case PValue:
		return Probability(x)
	}
	return Decimal(x)
}

// Change writes a difference with its sign: of shares in points, +12.3, of all else as −0.042. One that rounds to 0
// has none.
func (u Unit) Change(x float64) string {
	if u == Share {
		return signed(100*x, 1)
	}
	return signed(x, 3)
}

// Percent writes a share as 24.4 %. A share that is not quite 0 or 1 says so: <0.1 %, >99.9 %.
func Percent(x float64) string { return Tenths(x) + "\u202f%" }

// Tenths writes a share as Percent does, without the sign.
func Tenths(x float64) string {
	s := strconv.FormatFloat(math.Abs(x)*100, 'f', 1, 64)
	switch {
	case s == "0.0" && x != 0:
		return "<0.1"
	case s == "100.0" && 0 < x && x < 1:
		return ">99.9"
	case s == "100.0" && -1 < x && x < 0:
		return "<−99.9"
	case x < 0:
		return "−" + s
	}
	return s
}

// InPercent writes a share in percent with so many decimals, for sentences: 24.4 %.
func InPercent(x float64, decimals int) string { return Fixed(100*x, decimals) + " %" }

// Whole writes a share in whole percent, without the sign.
func Whole(x float64) string { return Fixed(math.Round(100*x)+0, 0) } // no -0

// WholeChange writes a difference of shares in whole points with its sign.
func WholeChange(x float64) string { return signed(math.Round(100*x), 0) }

// Decimal writes a mean as 0.842.
func Decimal(x float64) string { return Fixed(x, 3) }

// Fixed writes a number with so many decimals.
func Fixed(x float64, decimals int) string {
	return strings.Replace(strconv.FormatFloat(x, 'f', decimals, 64), "-", "−", 1)
}

// Hyphened writes a minus as a hyphen: sentences of documents that had it so from the first keep it, as scripts may
// read them.
func Hyphened(number string) string { return strings.ReplaceAll(number, "−", "-") }

// signed is Fixed with a plus before what is above 0.
func signed(x float64, decimals int) string {
	s := Fixed(math.Abs(x), decimals)
	switch {
	case strings.Trim(s, "0.") == "":
		return s
	case x < 0:
		return "−" + s
	}
	return "+" + s
}

// Trimmed writes a number with one decimal, and a whole one with none.
func Trimmed(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// Rough writes a number with two decimals and no 0 before the point, .35, and with none from 10 on.
func Rough(x float64) string {
	decimals := 2
	if math.Abs(x) >= 10 {
		decimals = 0
	}
	s := strings.TrimPrefix(Fixed(math.Abs(x), decimals), "0")
	if x < 0 && strings.Trim(s, "0.") != "" {
		return "−" + s
	}
	return s
}

// Short writes .75 for 0.75, in four digits at most.
func Short(x float64) string {
	if s := strings.TrimPrefix(Digits(x, 4), "0"); s != "" {
		return s
	}
	return "0"
}

// Plain writes a number in the digits it takes and without an exponent.
func Plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Digits writes a number in so many significant digits at most: 0.1235, 1.235e+06.
func Digits(x float64, digits int) string { return strconv.FormatFloat(x, 'g', digits, 64) }

// Exact writes a number so that reading it gives the same float64.
func Exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Tiny is below what a probability is written as.
const Tiny = .0001

// Probability writes a p with two significant places, and as a bound where it is tiny.
func Probability(x float64) string {
	switch {
	case x < Tiny:
		return "<0.0001"
	case x < .01:
		return Fixed(x, 4)
	}
	return Fixed(x, 3)
}

// Perplexity writes a perplexity in four digits.
func Perplexity(x float64) string {
	switch {
	case x < 100:
		return Fixed(x, 2)
	case x < 1e5:
		return Fixed(x, 0)
	}
	return Digits(x, 1)
}

// Bracketed writes a value with its interval, each as write does: 12.5 % [10.1, 15.2] with the unit " %".
func Bracketed(write func(float64) string, unit string, value, lo, hi float64) string {
	return write(value) + unit + " [" + write(lo) + ", " + write(hi) + "]"
}

// Hundredfold writes as write does what is a share in percent.
func Hundredfold(write func(float64) string) func(float64) string {
	return func(x float64) string { return write(100 * x) }
}

// Counted writes a number with its noun: 1 case, 2 cases.
func Counted(n int, noun string) string { return Plural(n, noun, noun+"s") }

// Plural writes a number with the noun that fits it.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Grouped writes a whole number with commas between thousands: 12,345.
func Grouped(n int) string { return Thousands(strconv.Itoa(n)) }

// Compact writes a count in a short form: 950, 12.3k, 4.5M.
func Compact(n int) string {
	switch {
	case n >= 1_000_000:
		return Fixed(float64(n)/1e6, 1) + "M"
	case n >= 10_000:
		return Fixed(float64(n)/1e3, 1) + "k"
	}
	return strconv.Itoa(n)
}

// Thousands puts commas between the thousands of a decimal number: 12,345.6.
func Thousands(s string) string {
	for i := strings.IndexByte(s+".", '.') - 3; i > strings.Count(s, "-"); i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

package oracle

import (
	"math/big"
	"strings"

	"hallmark/internal/evidence"
)

// unitless reports whether a unit says no more than the one asked for: degrees, where degrees Celsius are.
func unitless(unit, want string) bool {
	u, w := strings.ToLower(unit), strings.ToLower(want)
	return (u == "°" || strings.HasPrefix(u, "deg")) && (strings.HasSuffix(w, "c") || strings.HasSuffix(w, "f") || w == "celsius" || w == "fahrenheit")
}

// temperature converts between the scales, whose zeros differ, which a factor cannot.
func temperature(n evidence.Number, want string) (*big.Rat, bool) {
	scale := func(u string) string {
		switch strings.ToLower(strings.TrimSpace(u)) {
		case "°c", "celsius":
			return "c"
		case "°f", "fahrenheit":
			return "f"
		case "k", "kelvin", "kelvins":
			return "k"
		}
		return ""
	}
	from, to := scale(n.Unit), scale(want)
	if from == "" || to == "" || from == to {
		return nil, false
	}
	v := new(big.Rat).Set(n.Value)
	switch from { // to kelvin
	case "c":
		v.Add(v, big.NewRat(27315, 100))
	case "f":
		v.Add(v, big.NewRat(45967, 100)).Mul(v, big.NewRat(5, 9))
	}
	switch to {
	case "c":
		v.Sub(v, big.NewRat(27315, 100))
	case "f":
		v.Mul(v, big.NewRat(9, 5)).Sub(v, big.NewRat(45967, 100))
	}
	return v, true
}

// shares are words of a question whose answer may be given in percent.
var shares = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("share rate proportion portion fraction interest probability chance odds likelihood discount markup tax growth percentage efficiency humidity concentration margin accuracy recall precision") {
		m[w] = true
	}
	return m
}()

// restated returns another number of the text that gives the chosen one again: in the unit asked for, where the one chosen rounds it in another,
// "20.83 m/s or 75 km/h"; or in percent, "0.15, in percent: 15".
func (o *numeric) restated(t *evidence.Text, n evidence.Number) (evidence.Number, bool) {
	if o.unit == "" || n.Value == nil || n.Unit == o.unit {
		return evidence.Number{}, false
	}
	v, m := n.In(o.unit)
	places := big.NewRat(1, 1)
	for range min(n.Places, 12) {
		places.Quo(places, big.NewRat(10, 1))
	}
	last, _ := evidence.Number{Value: places, Unit: n.Unit}.In(o.unit)
	for _, other := range evidence.Numbers(t.Plain, evidence.Span{Start: 0, End: len(t.Plain)}) {
		if other.Value == nil || other.Start == n.Start {
			continue
		}
		w, same := other.In(o.unit)
		switch {
		case n.Unit != "" && m == evidence.UnitSame && same == evidence.UnitSame && w.Cmp(other.Value) == 0:
			if d := new(big.Rat).Sub(w, v); d.Abs(d).Cmp(last) <= 0 {
				return other, true
			}
		case o.unit == "%" && n.Unit == "" && w.Cmp(new(big.Rat).Mul(n.Value, big.NewRat(100, 1))) == 0:
			return other, true
		}
	}
	return evidence.Number{}, false
}

// right compares a value, where percent are hundredths unless question or value speaks of percent; of a share they are either.
func (o *numeric) right(n evidence.Number, v *big.Rat) bool {
	if n.Unit == "" && n.Spelled && o.percent && !v.IsInt() && o.matches(new(big.Rat).Mul(v, big.NewRat(100, 1))) { // "by a quarter"
		return true
	}
	if o.unit != "" || n.Unit != "%" || o.percent {
		return o.matches(v)
	}
	if o.share && o.matches(v) {
		return true
	}
	return (o.share || !o.value.IsInt()) && o.matches(new(big.Rat).Quo(v, big.NewRat(100, 1)))
}

func (o *numeric) matches(v *big.Rat) bool {
	d := new(big.Rat).Sub(v, o.value)
	return d.Abs(d).Cmp(o.tolerance) <= 0
}

// render writes a value in decimals where that is exact and short, else as a fraction.
func (o *numeric) render(v *big.Rat) string {
	if n, exact := v.FloatPrec(); exact && n <= 12 {
		return v.FloatString(n)
	}
	return v.RatString()
}

// compound adds what follows a number in a smaller unit of its dimension: "3 hours and 25 minutes", "5 ft 10 in". All is false for the
// value of a number alone.
func compound(t *evidence.Text, n evidence.Number, want string) (*big.Rat, int, bool) {
	base, m := n.In(want)
	if m != evidence.UnitSame || n.Unit == "" {
		return nil, 0, false
	}
	total, end, more := base, n.End, false
	for range 3 {
		next := evidence.Numbers(t.Plain, evidence.Span{Start: end, End: min(len(t.Plain), end+48)})
		if len(next) == 0 || next[0].Value == nil {
			break
		}
		between := strings.ToLower(t.Plain[end:next[0].Start])
		if strings.ContainsAny(between, ".;:=()\n") || len(strings.Fields(between)) > 2 || strings.Contains(between, " or ") {
			break
		}
		if n.Unit == want { // "42 km and 195 m", "7 h 30 min", but not "42 km is 42195 m"
			if joint := strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(between, " "), strings.ToLower(n.Unit))); joint != "" && joint != "and" {
				break
			}
		}
		v, m := next[0].In(want)
		if m != evidence.UnitSame || next[0].Unit == "" || v.Cmp(base) >= 0 {
			break
		}
		// The smaller unit: one of it is less than one of the larger.
		one, _ := evidence.Number{Value: big.NewRat(1, 1), Unit: next[0].Unit}.In(want)
		larger, _ := evidence.Number{Value: big.NewRat(1, 1), Unit: n.Unit}.In(want)
		if one.Cmp(larger) >= 0 {
			break
		}
		total, end, more = new(big.Rat).Add(total, v), next[0].End, true
		n = next[0]
	}
	return total, end, more
}

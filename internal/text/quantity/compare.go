package quantity

import (
	"math"
	"math/big"
)

// A Verdict says whether two quantities or dates are the same.
type Verdict uint8

// The verdicts.
const (
	Unsure Verdict = iota
	Same
	Different
)

func (v Verdict) String() string { return [...]string{"unsure", "same", "different"}[v] }

// Options say how closely a value must meet the gold.
type Options struct {
	Tolerance   *big.Rat // in the gold's unit; with it nothing is rounded. nil for none
	ExactDigits bool     // nothing is rounded
	GoldUnit    Unit     // what the question asks for, where the gold has no unit
	Rate        bool     // the question asks for an amount per unit of time, which gold and value need not say again
}

// Compare says whether a value is the gold, and why. Equal, after conversion of units and rounding to the precision
// of the gold, or to the value's where that has at least three digits, is Same. So is a value without a unit; a
// value in percent for a gold that is a share; and money for a gold without a currency. What only a coarser
// rounding, or a range or bound, brings together is Unsure.
func Compare(gold, value Quantity, o Options) (Verdict, string) {
	if gold.Value == nil || value.Value == nil {
		return Unsure, "too long to be read"
	}
	if gold.Unit.IsZero() {
		gold.Unit = o.GoldUnit
	}
	if gold.High != nil || value.High != nil || gold.Bound != 0 || value.Bound != 0 {
		return compareRanges(gold, value, o)
	}
	return compareEither(gold, value, o)
}

// compareEither compares two numbers in all their readings.
func compareEither(gold, value Quantity, o Options) (Verdict, string) {
	v, why := compareOne(gold, value, o)
	if v == Same {
		return v, why
	}
	for i := range 2 {
		g, x := gold, value
		q := &x
		if i == 1 {
			q = &g
		}
		if q.shift == 0 || gold.shift == value.shift {
			continue
		}
		q.Value, q.last = scaled(q.Value, int(q.shift)), q.last+int16(q.shift)
		if q.other != nil {
			q.Unit = *q.other
		}
		if w, because := compareOne(g, x, o); w == Same && q.other != nil {
			return Same, because
		} else if w == Same {
			return Unsure, "the mark may part thousands or decimals"
		}
	}
	return v, why
}

// compareOne compares two numbers as they were read.
func compareOne(gold, value Quantity, o Options) (Verdict, string) {
	g, v := gold.Unit, value.Unit
	thermal := func(a, b Unit) bool { // "degrees" beside degrees Celsius
		return a.meanings[0].dims == angleDims && b.meanings[0].dims == thermDims
	}
	switch {
	case !g.IsZero() && !v.IsZero() && !thermal(g, v) && !thermal(v, g):
		return compareUnits(gold, value, o)
	case g.Share():
		return compareShares(gold, value, value, new(big.Rat).Inv(g.meanings[0].factor), o)
	case v.Share():
		return compareShares(gold, value, gold, v.meanings[0].factor, o)
	}
	w, why := near(gold.Value, value.Value, gold, value, one, o)
	if w == Different && g.IsZero() && !v.IsZero() && !v.Money() && restates(gold, value) {
		return Unsure, "the gold names no unit, and the value is right in one"
	}
	return w, why
}

// compareShares compares where one of the two, the bare one, lacks the sign of a share: the value is meant as it
// stands or times a factor.
func compareShares(gold, value, bare Quantity, factor *big.Rat, o Options) (Verdict, string) {
	direct, because := near(gold.Value, value.Value, gold, value, one, o)
	converted, why := near(gold.Value, new(big.Rat).Mul(value.Value, factor), gold, value, factor, o)
	whole := bare.Value.IsInt() && !bare.Spelled
	switch {
	case direct == Same && (gold.Unit.Share() || whole),
		converted != Same && (direct != Same || bare.Value.Cmp(one) > 0):
		return direct, because
	case converted == Same && !whole:
		return Same, why
	}
	return Unsure, "it may be percent or a share"
}

// restates reports whether a value is the gold in another unit of its dimension, for a gold that names none.
func restates(gold, value Quantity) bool {
	g, _ := gold.Value.Float64()
	v, _ := value.Value.Float64()
	m := value.Unit.meanings[0]
	f, _ := m.factor.Float64()
	for u := range units().factors[m.dims] {
		if r := v * f / u / g; u != f && gold.Digits > 2 && r > .999 && r < 1.001 {
			return true
		}
	}
	return false
}

// compareUnits compares two numbers that both have a unit.
func compareUnits(gold, value Quantity, o Options) (Verdict, string) {
	best, why := Different, "another unit, which does not convert"
	if gold.Unit.Money() && value.Unit.Money() {
		why = "another currency"
	}
	if perTime(gold.Unit, value.Unit) || perTime(value.Unit, gold.Unit) {
		if w, because := near(gold.Value, value.Value, gold, value, one, o); w == Same && o.Rate {
			return Same, because
		} else if w != Different {
			return Unsure, "an amount beside one per unit of time"
		}
	}
	converts := false
	for i, g := range gold.Unit.meanings {
		for k, v := range value.Unit.meanings {
			if g.dims != v.dims {
				continue
			}
			w, because := near(gold.Value, v.in(g, value.Value), gold, value, new(big.Rat).Quo(v.factor, g.factor), o)
			if !converts || w == Same && best != Same {
				best, why = w, because
			}
			if converts = true; w == Same && i > 0 && k == 0 && g.money > 0 { // $5 for which C$5 is the value
				best, why = Unsure, "the gold's currency may be another"
			}
		}
	}
	return best, why
}

// perTime reports whether a rate is of what a unit counts, per unit of time: €/day for €.
func perTime(u, rate Unit) bool {
	a, b := u.meanings[0], rate.meanings[0]
	return a.money == b.money && a.of[2] == 0 && a.times(meaning{timeDims, one, nil}, -1).dims == b.dims
}

// shown is the unit of the last digit that a quantity shows, times f: half of it is what rounding may change. It is
// 0 for what is exact. With bare, zeros at the end of a large whole number are not counted as shown. digits are
// those that are.
func shown(q Quantity, f *big.Rat, bare bool) (s *big.Rat, digits int) {
	if q.last == exact {
		return new(big.Rat), 99
	}
	last := int(q.last)
	digits = q.Digits
	if bare && (!q.point || q.Places == 0) {
		zeros := 0
		for n := scaled(q.Value, -last-1); n.IsInt() && n.Sign() != 0 && zeros < 30; n = scaled(n, -1) {
			zeros++
		}
		if digits+last > 4 {
			last, digits = last+zeros, digits-zeros
		}
	}
	if last == 0 {
		return new(big.Rat).Set(f), digits
	}
	return scaled(f, last), digits
}

// near compares two numbers in one unit, in which one of the value's is factor of the gold's.
func near(g, v *big.Rat, gold, value Quantity, factor *big.Rat, o Options) (Verdict, string) {
	if equal(g, v) {
		return Same, "equal"
	}
	d := new(big.Rat).Sub(g, v)
	d.Abs(d)
	x, _ := g.Float64()
	y, _ := v.Float64()
	off := math.Abs(x-y) / math.Abs(x) // of the gold
	switch {
	case o.Tolerance != nil && d.Cmp(o.Tolerance) <= 0:
		return Same, "within the tolerance"
	case o.Tolerance != nil || o.ExactDigits || off > .5:
		return Different, "another value"
	}
	w, why := rounded(g, v, d.Add(d, d), off, gold, value, factor)
	about := gold.Approx || value.Approx
	switch {
	case w == Same:
		return Same, why
	case about && off <= .01:
		return Same, "about that"
	case w == Unsure && (value.Places > 0 || off <= .05), about && off <= .05:
		// how far a rounded value may be from what it is meant for
		return Unsure, "equal only when rounded"
	}
	return Different, "another value"
}

// equal reports whether two numbers are the same, sooner than their difference is known.
func equal(a, b *big.Rat) bool { return a.Num().Cmp(b.Num()) == 0 && a.Denom().Cmp(b.Denom()) == 0 }

// rounded compares two numbers, twice their distance apart, at the precision of either. Unsure is what only few
// digits bring together.
func rounded(g, v, twice *big.Rat, off float64, gold, value Quantity, factor *big.Rat) (Verdict, string) {
	converted := factor.Cmp(one) != 0
	_, needed := shown(gold, one, true)
	w := Different
	for k, bare := range [...]bool{false, true} {
		gs, gd := shown(gold, one, bare)
		vs, vd := shown(value, factor, bare)
		down, up := rounds(v, g, twice, gs), rounds(g, v, twice, vs)
		switch {
		case down && (gd > k+1 || converted && !bare && off <= .01):
			return Same, "equal at the precision of the gold"
		case up && (vd > 2 || vd == 2 && !bare && (gold.last == exact || converted && needed <= 2)):
			return Same, "equal at the precision of the value"
		case down || up:
			w = Unsure
		}
	}
	return w, ""
}

// rounds reports whether one number rounds to another, half a step up, where twice is twice their distance.
func rounds(from, to, twice, step *big.Rat) bool {
	c := twice.Cmp(step)
	return c < 0 || c == 0 && step.Sign() > 0 && (from.Cmp(to) < 0) == (from.Sign() >= 0)
}

// compareRanges compares where gold or value is a range or a bound.
func compareRanges(gold, value Quantity, o Options) (Verdict, string) {
	lo, hi, ok := interval(value, gold.Unit)
	glo, ghi, _ := interval(gold, gold.Unit)
	low, high := gold, value
	low.High, high.High, low.Bound, high.Bound = nil, nil, 0, 0
	w, why := compareEither(low, high, o)
	alike := gold.Bound == value.Bound && (gold.High == nil) == (value.High == nil)
	if alike && gold.High != nil && w == Same {
		w, why = compareEither(*gold.High, *value.High, o)
	}
	switch {
	case alike && w == Same:
		return Same, why
	case !ok:
		return Different, "another unit, which does not convert"
	case w != Same && (glo != nil && hi != nil && hi.Cmp(glo) < 0 || ghi != nil && lo != nil && lo.Cmp(ghi) > 0):
		return Different, "beyond the range"
	}
	return Unsure, "a range or bound that fits"
}

// interval returns the ends of a quantity in a unit; nil is without end.
func interval(q Quantity, u Unit) (lo, hi *big.Rat, ok bool) {
	if u.IsZero() {
		q.Unit = u
	}
	if lo, ok = q.In(u); ok {
		hi = lo
	}
	switch {
	case q.High != nil && ok:
		hi, _, ok = interval(*q.High, u)
	case q.Bound > 0:
		hi = nil
	case q.Bound < 0:
		lo = nil
	}
	return lo, hi, ok
}

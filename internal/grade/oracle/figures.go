package oracle

import (
	"math/big"
	"slices"

	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/reading"
)

// A figure is a number or a time that a text gives, at a byte of it.
type figure struct {
	at    int
	value *big.Rat
	q     quantity.Quantity
}

// figures returns 1 where the figures of a text put the gold at the end that the question asks for, and -1 where they
// put another option there: "Silver melts at 962 °C, gold at 1,064". It is 0 where they do not tell.
func (o *byAsked) figures(t *evidence.Text, items []item) float64 {
	end, times := asked(o.ends)
	if end == 0 {
		return 0
	}
	of := map[int][]figure{} // by the option that was named last before
	for _, f := range figuresOf(t, times) {
		owner := -1
		for _, it := range items {
			if t.Words[it.words.Start].Start > f.at {
				break
			}
			owner = it.option
		}
		if owner >= 0 {
			of[owner] = append(of[owner], f)
		}
	}
	if len(of[o.gold]) == 0 || len(of) < 2 {
		return 0
	}
	wins := 1.
	for k := range o.sides {
		if k == o.gold || of[k] == nil {
			continue
		}
		switch c := compare(of[o.gold], of[k]) * end; {
		case c == 0:
			return 0
		case c < 0:
			wins = -1
		}
	}
	return wins
}

// asked returns the end that is asked for, 1 for large numbers and late times, and whether it is one of time; 0 where
// none is, or both are.
func asked(ends reading.Ends) (end int, times bool) {
	for s, e := range ends {
		switch {
		case e == 0:
		case end != 0 && e != end:
			return 0, false
		default:
			end, times = e, times || s == reading.Time
		}
	}
	return end, times
}

// figuresOf returns the times of a text, or its other numbers.
func figuresOf(t *evidence.Text, times bool) (figures []figure) {
	dates := slices.DeleteFunc(quantity.Dates(t.Plain), func(d quantity.Date) bool { return d.Year == 0 })
	if times {
		for _, d := range dates {
			v := int64(d.Year)*400 + int64(d.Month)*31 + int64(d.Day)
			if d.BC {
				v = -v
			}
			figures = append(figures, figure{d.Start, big.NewRat(v, 1), quantity.Quantity{}})
		}
		return figures
	}
	for _, q := range quantity.Scan(t.Plain) {
		isDate := func(d quantity.Date) bool { return d.Start < q.End && q.Start < d.End }
		if q.Value != nil && !q.Ordinal && !slices.ContainsFunc(dates, isDate) {
			figures = append(figures, figure{q.Start, q.Value, q})
		}
	}
	return figures
}

// compare returns the sign of the difference of the first figures of two options that are of one unit, 0 where there are
// none or they are equal.
func compare(a, b []figure) int {
	for _, f := range a {
		for _, g := range b {
			switch {
			case f.q.Unit.IsZero() && g.q.Unit.IsZero():
				return f.value.Cmp(g.value)
			case f.q.Unit.IsZero() || g.q.Unit.IsZero():
			default:
				if v, ok := g.q.In(f.q.Unit); ok {
					return f.value.Cmp(v)
				}
			}
		}
	}
	return 0
}

package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/text/arithmetic"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/reading"
)

// numeric makes the oracle of a number, or of the value of an expression.
func (e *env) numeric(s *suite.Oracle) (Oracle, error) {
	o := &byMeasure{env: e, name: s.Type}
	if lo, hi, unit, ok := e.c.Gold.Interval(); ok && s.Value == "" {
		middle := new(big.Rat).Quo(new(big.Rat).Add(lo, hi), big.NewRat(2, 1))
		o.golds = []measure{{text: e.c.GoldText(), q: quantity.Quantity{Value: middle}}}
		return o, o.settings(&suite.Oracle{Unit: unit, Tolerance: new(big.Rat).Sub(hi, middle).RatString(),
			Steps: s.Steps})
	}
	text := s.Value
	var computed *big.Rat
	switch golds := e.c.Answers(); {
	case s.Expression != "":
		v, err := arithmetic.Eval(s.Expression)
		if err != nil {
			return nil, fmt.Errorf("expression %q: %v", s.Expression, err)
		}
		computed, text = v, cmp.Or(text, written(v))
	case text == "" && len(golds) == 0:
		return nil, errors.New("a numeric oracle needs value: or a gold; one of type calc may have expression: instead")
	case text == "":
		text = golds[0]
	}
	g, ok := quantity.Parse(text)
	if !ok || g.Value == nil {
		v, isNumber := quantity.Number(text)
		if !isNumber {
			return nil, fmt.Errorf("value %q is no number; write it as 1234.5 or 3/4", text)
		}
		g = quantity.Quantity{Value: v}
	}
	if computed != nil && computed.Cmp(g.Value) != 0 {
		return nil, fmt.Errorf("expression %q is %s and not the value %s", s.Expression, computed.RatString(), text)
	}
	o.golds = []measure{{text: strings.TrimSpace(text + " " + s.Unit), q: g}}
	return o, o.settings(s)
}

// settings reads tolerance, unit and steps.
func (o *byMeasure) settings(s *suite.Oracle) error {
	o.options.Tolerance = new(big.Rat)
	if s.Tolerance != "" {
		v, ok := quantity.Number(s.Tolerance)
		if !ok || v.Sign() < 0 {
			return fmt.Errorf("tolerance %q is no number from 0 up", s.Tolerance)
		}
		o.options.Tolerance = v
	}
	if s.Unit != "" {
		if q, ok := quantity.Parse("1 " + s.Unit); ok {
			o.options.GoldUnit = q.Unit
		}
	}
	for _, step := range s.Steps {
		v, ok := quantity.Number(step)
		if !ok {
			var err error
			if v, err = arithmetic.Eval(step); err != nil {
				return fmt.Errorf("step %q is no number: %v", step, err)
			}
		}
		o.steps = append(o.steps, v)
	}
	o.readQuestion()
	return nil
}

// readQuestion reads which numbers the question names, and in which unit it asks.
func (o *byMeasure) readQuestion() {
	o.unit = o.options.GoldUnit
	for _, p := range append([]string{o.c.Prompt}, o.c.Phrasings...) {
		o.asked = append(o.asked, quantity.Each(quantity.Scan(p))...)
		if o.unit.IsZero() {
			o.unit = quantity.Asked(p)
		}
		o.options.Rate = o.options.Rate || quantity.AsksRate(p)
	}
	for _, d := range quantity.Dates(o.c.Prompt) {
		switch {
		case d.Year == 0 || d.Years > 0 || o.year == d.Year:
		case o.year != 0:
			o.year = 0
			return
		default:
			o.year = d.Year
		}
	}
}

// measures reads golds as dates or quantities, and returns false where one is neither.
func measures(golds []string, q *reading.Question) (ms []measure, dates, ok bool) {
	for _, g := range golds {
		d, isDate := quantity.ParseDate(g)
		n, isNumber := amount(g, q)
		if isDate && (d.Month > 0 || d.Years > 0 || q.AsksTime()) {
			ms, dates = append(ms, measure{text: g, date: d}), true
		} else if isNumber && !n.Ordinal {
			ms = append(ms, measure{text: g, q: n})
		} else {
			return nil, false, false
		}
	}
	return ms, dates && !slices.ContainsFunc(ms, func(m measure) bool { return m.date == quantity.Date{} }), len(ms) > 0
}

// amount reads a gold as a quantity, behind which another may stand in brackets: "165 °F (74 °C)".
func amount(gold string, q *reading.Question) (quantity.Quantity, bool) {
	t := evidence.Read(gold)
	glued := len(gold) > 1 && isDigit(gold[len(gold)-2]) && isUpper(gold[len(gold)-1])
	if len(t.Words) == 2 && isUpper(gold[0]) && t.Name(1) || glued && q.Wh != "how" { // Seven Samurai, 3M
		return quantity.Quantity{}, false
	}
	head, tail, ok := strings.Cut(strings.TrimSuffix(gold, ")"), " (")
	if _, second := quantity.Parse(tail); ok && second {
		gold = head
	}
	return quantity.Parse(gold)
}

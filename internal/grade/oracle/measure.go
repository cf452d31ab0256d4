package oracle

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/arithmetic"
	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/quantity"
	"hallmark/internal/reading"
	"hallmark/internal/suite"
)

// byMeasure decides answers whose golds are numbers, quantities or dates. calc is the same on the value of an expression, and does not let a wrong
// intermediate value pass.
type byMeasure struct {
	*env
	name     string // numeric, calc or exact, for messages
	q        *reading.Question
	golds    []measure
	rejects  []measure
	asked    []quantity.Quantity // numbers of the question, which are rarely the answer
	options  quantity.Options
	low, top *big.Rat // the range that is accepted, nil for none
	steps    []*big.Rat
	dates    bool
}

// A measure is a gold: a date or a quantity.
type measure struct {
	text string
	date quantity.Date
	q    quantity.Quantity
}

// A found is a number or date of an answer, with what tells whether it is the one that is given.
type found struct {
	item
	number                                                                   *big.Rat
	asked, last, first, again, equal, bracketed, same, other, approx, ranged bool
}

// foundModel tells whether a number of an answer is the one that it gives: its classes are yes, no and unused.
var foundModel = newModel("number item", 1, 1, 1)

var (
	measurePut    = newModel("number put", .70, .60, .70)
	measureAbsent = newModel("number absent", 2, .60, .60)
)

// maxFound bounds the numbers of an answer that are weighed against each other: its last ones.
const maxFound = 64

// measures reads golds as dates or quantities, and returns false where one is neither.
func measures(golds []string, q *reading.Question) (ms []measure, dates, ok bool) {
	for _, g := range golds {
		d, isDate := quantity.ParseDate(g)
		n, isNumber := quantity.Parse(g)
		if isDate && (d.Month > 0 && (d.Year > 0 || d.Day > 0) || d.Years > 0 || d.Year > 0 && q.AsksTime()) {
			ms, dates = append(ms, measure{text: g, date: d}), true
		} else if isNumber && !n.Ordinal {
			ms = append(ms, measure{text: g, q: n})
		} else {
			return nil, false, false
		}
	}
	return ms, dates && !slices.ContainsFunc(ms, func(m measure) bool { return m.date.Year == 0 && m.date.Month == 0 }), len(ms) > 0
}

func (o *byMeasure) Answerable() bool { return true }

func (o *byMeasure) Golds() []string {
	var golds []string
	for _, m := range o.golds {
		golds = append(golds, o.render(m))
	}
	return golds
}

// render writes a value as answers are compared: the number, without its unit.
func (o *byMeasure) render(m measure) string {
	if o.name == "exact" || m.q.Value == nil {
		return m.text
	}
	return written(m.q.Value)
}

// written writes a value in decimals where that is exact and short, else as a fraction.
func written(v *big.Rat) string {
	if n, exact := v.FloatPrec(); exact && n <= 12 {
		return v.FloatString(n)
	}
	return v.RatString()
}

func (o *byMeasure) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	s := o.look(r.Text)
	f := o.commits(r.Text, &s, o.name, "value", o.render(o.golds[0]))
	if o.name == "calc" && f.Truth.Verdict == grade.Pass {
		if rule, ev, wrong := o.wrongStep(r.Text); wrong {
			f.Truth = fail(rule, ev)
		}
	}
	return f
}

// look returns what a text puts forward, and what the model believes of it.
func (o *byMeasure) look(t *evidence.Text) seen {
	all := o.found(t)
	computes := slices.ContainsFunc(all, func(f found) bool { return f.equal })
	items := make([]item, len(all))
	for i := range all {
		f := &all[i]
		f.x = append(f.place(t), is("in question", f.asked), is("last", f.last), is("first", f.first), is("behind =", f.equal), is("in brackets", f.bracketed),
			is("unit asked for", f.same), is("another unit", f.other), is("approximate", f.approx), is("range", f.ranged), is("computes and last", computes && f.last),
			is("computes and =", computes && f.equal), is("again", f.again), is("last and again", f.again && f.last))
		f.committed = foundModel.odds(f.x)
		if f.asserts() && observedItem != nil {
			observedItem(foundModel, f.x, f.verdict == answer.Same)
		}
		if f.verdict == answer.Same {
			f.note, f.why = ", "+f.why, "the right value"
		} else {
			f.note = fmt.Sprintf(", expected %s: %s", o.golds[0].text, f.why)
		}
		items[i] = f.item
	}
	s := weigh(items)
	s.ask(t, measurePut, measureAbsent, append(s.features(t), is("date", o.dates), is("computes", computes), is("one number", len(all) == 1)))
	return s
}

// found returns the numbers or dates of a text, with the strongest role of a claim that leads to each.
func (o *byMeasure) found(t *evidence.Text) []found {
	var all []found
	add := func(start, end int, q quantity.Quantity) *found {
		s := wordsOf(t, start, end)
		for s.End-s.Start > 1 && t.Words[s.End-1].Fold == "$" { // signs of money or mathematics stand outside of a box
			s.End--
		}
		for s.End-s.Start > 1 && t.Words[s.Start].Fold == "$" {
			s.Start++
		}
		if s.Start == s.End {
			return nil
		}
		all = append(all, found{item: item{words: s, role: mentioned, stance: t.StanceWithin(s, numberReach), text: t.Plain[start:end]}})
		f := &all[len(all)-1]
		f.bracketed = strings.LastIndexByte(t.Plain[:start], '(') > strings.LastIndexByte(t.Plain[:start], ')')
		f.equal, f.approx, f.ranged = q.AfterEqual, q.Approx, q.High != nil
		return f
	}
	if o.dates {
		for _, d := range quantity.Dates(t.Plain) {
			if f := add(d.Start, d.End, quantity.Quantity{}); f != nil {
				o.compareDate(f, d)
			}
		}
	} else {
		for _, q := range quantity.Each(quantity.Scan(t.Plain)) {
			if q.Ordinal && !slices.ContainsFunc(o.golds, func(m measure) bool { return m.q.Ordinal }) {
				continue // "on the third day"
			}
			if f := add(q.Start, q.End, q); f != nil {
				o.compareQuantity(f, q)
			}
		}
	}
	all = all[max(0, len(all)-maxFound):]
	for _, c := range reading.Claims(t, o.q) {
		for i := range all {
			if f := &all[i]; c.Role < f.role && c.Words.Start <= f.words.Start && f.words.End <= c.Words.End {
				f.role = c.Role
			}
		}
	}
	settleMarked(all)
	if len(t.Boxes) > 0 || strings.Contains(t.Plain, "####") {
		if i := slices.IndexFunc(all, func(f found) bool { return f.role == reading.Marked }); i >= 0 {
			all = all[i : i+1] // what is set apart as the answer is the answer
		}
	}
	first := -1
	for i := range all {
		if !all[i].asserts() {
			continue
		}
		if first < 0 && !all[i].asked {
			first = i
			all[i].first = true
		}
		all[i].again = slices.ContainsFunc(all[:i], func(f found) bool { return f.number != nil && all[i].number != nil && f.number.Cmp(all[i].number) == 0 })
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].asserts() {
			all[i].last = true
			break
		}
	}
	return all
}

// settleMarked leaves one number in what a text marks as its answer: the last behind "=", else the first.
func settleMarked(all []found) {
	best := -1
	for i := range all {
		if all[i].role == reading.Marked && (best < 0 || all[i].equal) {
			best = i
		}
	}
	for i := range all {
		if all[i].role == reading.Marked && i != best {
			all[i].role = mentioned
		}
	}
}

// numberReach is how far "not" reaches before a number: "not 16", "not the 16", but not "not able to place 16".
const numberReach = 2

func (o *byMeasure) compareDate(f *found, d quantity.Date) {
	f.verdict = answer.Different
	for _, g := range o.golds {
		if v, why := quantity.CompareDates(g.date, d); v == quantity.Same || v == quantity.Unsure && f.verdict == answer.Different {
			f.verdict, f.why = verdict(v), why
		}
	}
	for _, g := range o.rejects {
		if v, _ := quantity.CompareDates(g.date, d); v == quantity.Same && f.verdict != answer.Same {
			f.verdict, f.rejected = answer.Different, true
		}
	}
	f.asked = o.q.Says(strings.ToLower(f.text))
}

func (o *byMeasure) compareQuantity(f *found, q quantity.Quantity) {
	f.number = q.Value
	f.asked = slices.ContainsFunc(o.asked, func(a quantity.Quantity) bool { return a.Value != nil && q.Value != nil && a.Value.Cmp(q.Value) == 0 })
	f.verdict = answer.Different
	if o.low != nil {
		v := q.Value
		if u := o.options.GoldUnit; v != nil && !u.IsZero() && !q.Unit.IsZero() {
			in, ok := q.Unit.In(u, v)
			if f.other = !ok; f.other {
				return
			}
			v = in
		}
		if v != nil && v.Cmp(o.low) >= 0 && v.Cmp(o.top) <= 0 {
			f.verdict, f.why = answer.Same, "within the range"
		}
		return
	}
	for _, g := range o.golds {
		v, why := quantity.Compare(g.q, q, o.options)
		if v == quantity.Same || v == quantity.Unsure && f.verdict == answer.Different || f.why == "" {
			f.verdict, f.why = verdict(v), why
		}
		unit := g.q.Unit
		if unit.IsZero() {
			unit = o.options.GoldUnit
		}
		f.same = f.same || !unit.IsZero() && unit.Converts(q.Unit)
		f.other = !q.Unit.IsZero() && !f.same
	}
	for _, g := range o.rejects {
		if v, _ := quantity.Compare(g.q, q, o.options); v == quantity.Same && f.verdict != answer.Same {
			f.verdict, f.rejected = answer.Different, true
		}
	}
}

func verdict(v quantity.Verdict) answer.Verdict {
	switch v {
	case quantity.Same:
		return answer.Same
	case quantity.Different:
		return answer.Different
	}
	return answer.Unsure
}

// numeric makes the oracle of a number, or of the value of an expression.
func (e *env) numeric(s *suite.Oracle) (Oracle, error) {
	o := &byMeasure{env: e, name: s.Type, q: reading.NewQuestion(append([]string{e.c.Prompt}, e.c.Phrasings...)...)}
	if lo, hi, unit, ok := e.c.Gold.Interval(); ok && s.Value == "" {
		o.low, o.top = lo, hi
		o.golds = []measure{{text: e.c.GoldText(), q: quantity.Quantity{Value: new(big.Rat).Quo(new(big.Rat).Add(lo, hi), big.NewRat(2, 1))}}}
		s := *s
		s.Unit = unit
		return o, o.settings(&s)
	}
	text := s.Value
	if golds := e.c.Answers(); text == "" && s.Expression == "" && len(golds) > 0 {
		text = golds[0]
	}
	if text == "" && s.Expression == "" {
		return nil, fmt.Errorf("a %s oracle needs value:%s, or a gold", s.Type, map[bool]string{true: ", expression:"}[s.Type == "calc"])
	}
	var computed *big.Rat
	if s.Expression != "" {
		v, err := arithmetic.Eval(s.Expression)
		if err != nil {
			return nil, fmt.Errorf("expression %q: %v", s.Expression, err)
		}
		computed = v
		if text == "" {
			text = written(v)
		}
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
	if err := o.settings(s); err != nil {
		return nil, err
	}
	return o, nil
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

func (o *byMeasure) readQuestion() {
	for _, p := range append([]string{o.c.Prompt}, o.c.Phrasings...) {
		o.asked = append(o.asked, quantity.Each(quantity.Scan(p))...)
	}
}

// wrongStep finds an intermediate value that is wrong: an equality that does not hold, or, where as many steps are shown as the case
// lists, one whose result is another.
func (o *byMeasure) wrongStep(t *evidence.Text) (rule, ev string, wrong bool) {
	for _, e := range arithmetic.Equalities(t.Plain) {
		if !e.Holds {
			return "calc: a wrong intermediate value", quoted(e.Text), true
		}
	}
	shown := t.Steps()
	if len(o.steps) == 0 || len(shown) != len(o.steps) {
		return "", "", false
	}
	for i, s := range shown {
		ns := quantity.Scan(s)
		if len(ns) > 0 && !slices.ContainsFunc(ns, func(n quantity.Quantity) bool { return n.Value != nil && n.Value.Cmp(o.steps[i]) == 0 }) {
			return "calc: a wrong intermediate value", fmt.Sprintf("step %d is %s, expected %s", i+1, quoted(s), written(o.steps[i])), true
		}
	}
	return "", "", false
}

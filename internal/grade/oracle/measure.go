package oracle

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/pattern"
	"hallmark/internal/grade"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/arithmetic"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/reading"
)

// byMeasure decides answers whose golds are numbers, quantities or dates. calc is the same on the value of an
// expression, and does not let a wrong intermediate value pass.
type byMeasure struct {
	*env
	name    string // numeric, calc or exact, for messages
	golds   []measure
	rejects []measure
	asked   []quantity.Quantity // numbers of the question, which are rarely the answer
	options quantity.Options
	unit    quantity.Unit // of the case, or that the question names: for golds without one
	steps   []*big.Rat
	dates   bool
	// of the gold, where the question names it and no other: a date of an answer without a year is then of this one
	year int
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
	date                  quantity.Date
	q                     quantity.Quantity
	asked                 bool // it stands in the question
	unit, converts, other bool // its unit is the one asked for, converts to it, or does not
	year                  bool // it may be a year, and none is asked for
	fits                  bool // it may be the answer by its form
	shares                int  // words of the question in its clause
	follows               bool // it stands behind another in the strongest claim that holds it
}

// foundModel tells whether a number of an answer is the one that it gives: its classes are yes, no and unused.
var foundModel = newModel("number item", 1, 1, 1)

// The models of dates, as those of numbers.
var (
	dateItem   = newModel("date item", 1, 1, 1)
	datePut    = newModel("date put", .60, .80, .70)
	dateAbsent = newModel("date absent", .85, .72, .60)
)

// The models of numbers: for texts that put a gold forward, for those that compute it, and for texts that do not.
var (
	measurePut    = newModel("number put", .80, .90, .70)
	computedPut   = newModel("computed put", .55, .70, .70)
	measureAbsent = newModel("number absent", 2, .80, .60)
)

// maxFound bounds the numbers of an answer that are weighed against each other: its last ones.
const maxFound = 64

func (o *byMeasure) Golds() []string { return lists.Map(o.golds, o.render) }

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

func (o *byMeasure) Judge(r Reading) Ruling {
	all := o.found(r.Text)
	s := o.look(r.Text, all)
	f := o.commits(r.Text, &s, o.name, "value", o.render(o.golds[0]))
	hedges := f.Act == grade.Hedged && f.Confidence < .98 && (s.unsure != nil || o.names(r.Text))
	another := s.good == nil && f.Truth.Verdict == grade.Fail && s.bad != nil && !s.bad.rejected
	if hedges || another && s.bad.role != reading.Marked && !o.computes(all) && o.unread(r.Text, all) {
		p := f.Confidence
		f = unread(o.name+": what the answer commits to cannot be told", r.Text)
		f.Confidence, f.chances = p, s.chances.p
	}
	open := f.Truth.Verdict == grade.Ungradable && s.good != nil
	if o.name == "calc" && (open || f.Truth.Verdict == grade.Pass) {
		if ev := o.wrongStep(r.Text); ev != "" { // wrong, whether it commits to the value or to another
			if open {
				f = answered(f.Truth, o.render(o.golds[0]))
			}
			f.Truth = fail("calc: a wrong intermediate value", ev)
		}
	}
	return f
}

// names reports whether a text that withholds nothing puts a name forward: "It is ZQX."
func (o *byMeasure) names(t *evidence.Text) bool {
	_, _, withholds := withholds(t)
	return !withholds && slices.ContainsFunc(reading.Claims(t, o.q), func(c reading.Claim) bool {
		return c.Role <= reading.Complement && c.Stance <= evidence.Uncertain && count(c.Words, t.Name) > 0
	})
}

// look returns what a text puts forward, and what the model believes of it.
func (o *byMeasure) look(t *evidence.Text, all []found) seen {
	computes := o.computes(all)
	o.score(t, all, computes)
	items := make([]item, len(all))
	for i := range all {
		items[i] = all[i].item
	}
	s := weigh(items)
	x := append(s.features(t), is("date", o.dates), is("computes", computes), is("one number", len(all) == 1),
		is("no number", len(all) == 0))
	if s.bad != nil {
		counts := s.bad.x.has("counts")
		x = append(x, is("unit of another", s.bad.x.has("another unit")), is("another counts", counts),
			is("another in very unit", s.bad.x.has("very unit")), is("another first", s.bad.x.has("first")),
			is("another only counts", counts && (s.good == nil || !s.good.x.has("counts"))),
			is("another put as firmly", s.good != nil && s.bad.role <= s.good.role &&
				s.bad.stance == evidence.Asserted))
	}
	put, absent := measurePut, measureAbsent
	switch {
	case o.dates:
		put, absent = datePut, dateAbsent
	case computes:
		put = computedPut
	}
	if len(all) == 1 && all[0].role == reading.Marked && s.unsure == nil && (s.good != nil || s.bad != nil) {
		s.chances = chances{certain(int(flag(s.good == nil))), put} // what is set apart as the answer needs no model
		return s
	}
	s.ask(t, put, absent, x)
	return s
}

// beside is what is seen of a value beside the others of its text, with the counts of held: whether it is as exact as
// the gold, or in the unit asked for, which of them is so too, and by which most words of the question stand.
func (o *byMeasure) beside(t *evidence.Text, all []found, i int, held []int) features {
	f := &all[i]
	rivals, more, before := 0, 0, 0
	for k, other := range all {
		if k != i && other.fits && !f.same(other) {
			rivals++
			more += int(flag(other.shares > f.shares))
			before += int(flag(k < i))
		}
	}
	sentence := t.Sentences[t.Words[f.words.Start].Sentence].Words
	return features{is("fits", f.fits), is("only one that fits", f.fits && rivals == 0),
		is("most shares", f.fits && more == 0 && rivals > 0), is("first that fits", f.fits && before == 0),
		is("last that fits", f.fits && before == rivals), is("one of two that fit", f.fits && rivals == 1),
		many("shares", f.shares), many("shares in sentence", held[sentence.End]-held[sentence.Start])}
}

// held counts the words of the question before each word of a text, and in all of it.
func (o *byMeasure) held(t *evidence.Text) []int {
	before := make([]int, len(t.Words)+1)
	for i, w := range t.Words {
		before[i+1] = before[i] + int(flag(o.q.Holds(w.Fold)))
	}
	return before
}

// mayBe reports whether a value that the text puts forward is of the form of the gold: as exact, or in the unit asked
// for.
func (o *byMeasure) mayBe(f *found) bool {
	switch {
	case !f.asserts() || f.asked:
		return false
	case o.dates:
		return exactness(f.date) >= exactness(o.golds[0].date)
	case o.golds[0].q.Unit.IsZero() && o.unit.IsZero():
		return f.q.Unit.IsZero() && !f.year && f.q.Value != nil
	}
	return f.converts
}

// same reports whether two places of a text give one value.
func (f *found) same(other found) bool {
	a, b := f.date, other.date
	a.Start, a.End, b.Start, b.End = 0, 0, 0, 0
	return a == b && (f.q.Value == nil || same(f.q, other.q.Value))
}

// precisions are those of dates, the coarsest first.
var precisions = []string{"century", "decade", "year", "month", "day"}

func exactness(d quantity.Date) int { return slices.Index(precisions, d.Precision()) }

// computes reports whether a text works its answer out.
func (o *byMeasure) computes(all []found) bool {
	return o.name == "calc" || slices.ContainsFunc(all, func(f found) bool { return f.q.AfterEqual })
}

// score sets the log odds that each number which a text puts forward is the one that it gives.
func (o *byMeasure) score(t *evidence.Text, all []found, computes bool) {
	held := o.held(t)
	for i := range all {
		clause := clauseOf(t, all[i].words)
		all[i].fits, all[i].shares = o.mayBe(&all[i]), held[clause.End]-held[clause.Start]
	}
	for i := range all {
		f := &all[i]
		if !f.asserts() {
			continue
		}
		w := t.Words[f.words.Start]
		last := !slices.ContainsFunc(all[i+1:], found.asserts)
		first := !f.asked && !slices.ContainsFunc(all[:i], func(b found) bool { return b.asserts() && !b.asked })
		again := slices.ContainsFunc(all[:i], func(b found) bool { return same(b.q, f.q.Value) })
		bracketed := strings.LastIndexByte(t.Plain[:w.Start], '(') > strings.LastIndexByte(t.Plain[:w.Start], ')')
		few := f.q.Spelled && f.q.Value != nil && f.q.Value.Cmp(big.NewRat(2, 1)) <= 0
		f.x = append(f.place(t), is("in question", f.asked), is("last", last), is("first", first),
			is("behind =", f.q.AfterEqual), is("in brackets", bracketed), is("unit asked for", f.converts),
			is("very unit", f.unit), is("another unit", f.other), is("approximate", f.q.Approx),
			is("range", f.q.High != nil), is("computes and last", computes && last),
			is("computes and =", computes && f.q.AfterEqual), is("again", again), is("last and again", again && last),
			is("follows", f.follows), is("year", f.year), is("one or two", few))
		f.x = append(f.x, o.beside(t, all, i, held)...)
		model := foundModel
		if o.dates {
			model = dateItem
		} else {
			f.x = append(f.x, o.counts(t, f.words)...)
		}
		observedItem(model, f.x, f.verdict == answer.Same)
		f.committed = model.odds(f.x)
		if f.verdict == answer.Same {
			f.note, f.why = ", "+f.why, "the right value"
		} else {
			f.note = fmt.Sprintf(", expected %s: %s", o.golds[0].text, f.why)
		}
	}
}

// found returns the numbers or dates of a text, with the strongest role of a claim that leads to each.
func (o *byMeasure) found(t *evidence.Text) []found {
	all := o.mentions(t)
	retract(t, all)
	for _, c := range reading.Claims(t, o.q) {
		follows := false
		for i := range all {
			if f := &all[i]; c.Words.Start <= f.words.Start && f.words.End <= c.Words.End {
				if c.Role < f.role {
					f.role, f.follows = c.Role, follows
				}
				follows = follows || f.asserts() && !f.asked
			}
		}
	}
	marked := -1 // one number of what the text marks as its answer: the last behind "=", else the first
	for i, f := range all {
		switch {
		case f.role != reading.Marked:
		case marked >= 0 && !f.q.AfterEqual:
			all[i].role = mentioned
		case marked >= 0:
			all[marked].role, marked = mentioned, i
		default:
			marked = i
		}
	}
	if marked >= 0 && (marked == len(all)-1 || len(t.Boxes) > 0 || strings.Contains(t.Plain, "####")) {
		return all[marked : marked+1] // what is set apart as the answer, or named as it at the end, is the answer
	}
	return all
}

// retract takes back the numbers before a "no" behind which another follows: "6 legs, no, 8".
func retract(t *evidence.Text, all []found) {
	for i, f := range all {
		w := f.words.Start
		if reading.Is(t.Fold(w-1), "no") && t.Words[w-1].Clause != t.Words[w].Clause {
			for k := range all[:i] {
				all[k].stance = evidence.Retracted
			}
		}
	}
}

// mentions returns the numbers or dates that stand in a text, compared with the golds.
func (o *byMeasure) mentions(t *evidence.Text) (all []found) {
	numbers := quantity.Scan(t.Plain)
	if o.dates {
		for _, d := range datesOf(t, numbers) {
			all = append(all, found{date: d, item: mention(t, d.Start, d.End)})
		}
	} else {
		ordinals := slices.ContainsFunc(o.golds, func(m measure) bool { return m.q.Ordinal })
		for _, q := range numbers {
			if ordinals || !q.Ordinal { // not "on the third day"
				all = append(all, found{q: q, item: mention(t, q.Start, q.End)})
			}
		}
	}
	all = slices.DeleteFunc(all, func(f found) bool { return f.words.Start == f.words.End })
	all = all[max(0, len(all)-maxFound):]
	const numberReach = 2 // of "not" before a number: "not 16", "not the 16", but not "not able to place 16"
	for i := range all {
		f := &all[i]
		f.stance = t.StanceWithin(f.words, numberReach)
		o.compare(f)
	}
	return all
}

// monthDay is a date without its year: 4/15.
var monthDay = pattern.New(`(?:^|[^/0-9])((?:1[0-2]|[1-9])/(?:3[01]|[12][0-9]|[1-9]))(?:[^/0-9]|$)`)

// datesOf returns the dates of a text, with years in words and months alone.
func datesOf(t *evidence.Text, numbers []quantity.Quantity) []quantity.Date {
	all := quantity.Dates(t.Plain)
	k, n := 0, len(all)
	for _, w := range t.Words {
		for k < n && all[k].End <= w.Start {
			k++
		}
		if dated := k < n && all[k].Start <= w.Start; dated || !quantity.IsMonth(w.Fold) || !isUpper(t.Plain[w.Start]) {
			continue
		}
		if d, ok := quantity.ParseDate(t.Plain[w.Start:w.End]); ok {
			d.Start, d.End = w.Start, w.End
			all = append(all, d)
		}
	}
	for _, m := range monthDay.FindAllStringSubmatchIndex(t.Plain, maxFound) {
		if d, ok := quantity.ParseDate(t.Plain[m[2]:m[3]] + "/2000"); ok {
			all = append(all, quantity.Date{Month: d.Month, Day: d.Day, Start: m[2], End: m[3]})
		}
	}
	for _, q := range numbers {
		if q.Spelled && isYear(q) {
			all = append(all, quantity.Date{Year: int(q.Value.Num().Int64()), Start: q.Start, End: q.End})
		}
	}
	slices.SortStableFunc(all, func(a, b quantity.Date) int { return a.Start - b.Start })
	return all
}

// mention returns what stands at bytes of a text, without the signs of money or mathematics around it.
func mention(t *evidence.Text, start, end int) item {
	s := wordsOf(t, start, end)
	for s.End-s.Start > 1 && t.Words[s.End-1].Fold == "$" {
		s.End--
	}
	for s.End-s.Start > 1 && t.Words[s.Start].Fold == "$" {
		s.Start++
	}
	return item{words: s, role: mentioned, text: t.Plain[start:end]}
}

// same reports whether a quantity has a value.
func same(q quantity.Quantity, v *big.Rat) bool {
	return q.Value != nil && v != nil && q.Value.Num().Cmp(v.Num()) == 0 && // as in few pairs, and for nothing
		q.Value.Cmp(v) == 0
}

// isYear reports whether a number may be a year.
func isYear(q quantity.Quantity) bool {
	return q.Value != nil && q.Value.IsInt() && q.Unit.IsZero() &&
		q.Value.Cmp(big.NewRat(1000, 1)) >= 0 && q.Value.Cmp(big.NewRat(2100, 1)) <= 0
}

// compare sets what is known of a value beside the golds: the same as one of them, different from all, or not told.
func (o *byMeasure) compare(f *found) {
	if o.dates {
		f.asked = o.q.Says(strings.ToLower(f.text))
	} else {
		f.asked = slices.ContainsFunc(o.asked, func(a quantity.Quantity) bool { return same(a, f.q.Value) })
		f.year = isYear(f.q) && len(f.text) == 4 && !slices.ContainsFunc(o.golds, func(m measure) bool {
			return isYear(m.q)
		})
	}
	f.verdict = answer.Different
	for _, g := range o.golds {
		if v, why := o.compareWith(g, f); f.why == "" || nearer(v, f.verdict) {
			f.verdict, f.why = v, why
		}
		unit := g.q.Unit
		if unit.IsZero() {
			unit = o.unit
		}
		f.converts = f.converts || unit.Converts(f.q.Unit)
		f.unit = f.unit || !o.dates && unit.Is(f.q.Unit)
	}
	f.other = !f.q.Unit.IsZero() && !f.converts
	for _, g := range o.rejects {
		if v, _ := o.compareWith(g, f); v == answer.Same && f.verdict != answer.Same {
			f.verdict, f.rejected = answer.Different, true
		}
	}
}

// compareWith compares a value with one gold. Of a limit "up to 5" and 5 say the same.
func (o *byMeasure) compareWith(g measure, f *found) (quantity.Verdict, string) {
	if o.dates {
		d := f.date
		if d.Year == 0 && o.year == g.date.Year {
			d.Year = o.year
		}
		return quantity.CompareDates(g.date, d)
	}
	q, options := f.q, o.options
	if options.GoldUnit.IsZero() && o.unit.Converts(q.Unit) {
		options.GoldUnit = o.unit
	}
	if q.Inclusive && g.q.Bound == 0 {
		q.Bound = 0
		if v, why := quantity.Compare(g.q, q, options); v == quantity.Same {
			return v, why
		}
	}
	return quantity.Compare(g.q, f.q, options)
}

// counts tells by the two words behind a number whether it counts what the question asks for, or something else.
func (o *byMeasure) counts(t *evidence.Text, words evidence.Span) features {
	var counts, counted, another bool
	s := t.Sentences[t.Words[words.Start].Sentence].Words
	for i := words.End; i < min(s.End, words.End+2) && t.Words[i].Clause == t.Words[words.Start].Clause; i++ {
		w := t.Words[i].Fold
		counts = counts || o.q.Holds(w)
		counted = counted || o.q.Counted != "" && reading.Stem(w) == o.q.Counted
		another = another || i == words.End && !evidence.IsStop(w) && !reading.Links(w)
	}
	return features{is("counts", counts), is("counts another", another && !counts),
		is("counts what is asked for", counted)}
}

// wrongStep quotes an intermediate value that is wrong: an equality that does not hold, or, where as many steps are
// shown as the case lists, one whose result is another.
func (o *byMeasure) wrongStep(t *evidence.Text) string {
	for _, e := range arithmetic.Equalities(t.Plain) {
		if !e.Holds {
			return quoted(e.Text)
		}
	}
	if len(o.steps) == 0 {
		return ""
	}
	shown := t.Steps()
	for i := 0; i < len(shown) && len(shown) == len(o.steps); i++ {
		ns := quantity.Scan(shown[i])
		if len(ns) > 0 && !slices.ContainsFunc(ns, func(n quantity.Quantity) bool { return same(n, o.steps[i]) }) {
			return fmt.Sprintf("step %d is %s, expected %s", i+1, quoted(shown[i]), written(o.steps[i]))
		}
	}
	return ""
}

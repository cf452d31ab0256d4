package generate

import (
	"slices"
	"strings"
	"time"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// timeShiftRole asks who holds an office on a day, and for the date (G1): today where the table reaches that far,
// else a day in the past. Perturbations: the day, the pair of office and body, a stale source in the context. The
// right answer is the holder of that day; who held the office before or after is stale.
var timeShiftRole = generator{
	class:  "time-shift-role",
	has:    func(d *draw) bool { return len(d.offices) > 0 },
	make:   roleCase,
	worked: workedRole,
}

// A tenure is a fact that holds at a day, with its neighbours in time.
type tenure struct {
	r      *relation
	fact   *world.Fact
	others []*world.Fact // facts of the same subject with other values
	day    time.Time
	today  bool
}

// tenureOn draws a subject of the relation and a day on which the world knows who holds it: today for today, else a
// day within the time of a drawn holder, a month away from the beginning and the end of it where it lasted long
// enough.
func (d *draw) tenureOn(r *relation, today bool) (tenure, bool) {
	fact, ok := find(d, r.Facts, func(f *world.Fact) bool {
		if !d.allows(f.Difficulty) {
			return false
		}
		if today {
			return d.holds(r, f, d.asOf)
		}
		_, _, ok := span(f, r.through, d.today)
		return ok
	})
	if !ok {
		return tenure{}, false
	}
	t := tenure{r: r, fact: fact, day: d.today, today: today}
	for _, i := range r.of[fact.Subject] {
		if o := &r.Facts[i]; o.Value != fact.Value && !slices.Contains(fact.Also, o.Value) {
			t.others = append(t.others, o)
		}
	}
	if !today {
		from, through, _ := span(fact, r.through, d.today)
		t.day = from.AddDate(0, 0, d.r.IntN(int(through.Sub(from).Hours()/24)+1))
	}
	return t, true
}

// holds reports whether a fact is known to hold on a day: the day is in its time, and the table reaches to it.
func (d *draw) holds(r *relation, f *world.Fact, day string) bool {
	return f.From != "" && f.On(day) && d.w.Known(r.Source, day)
}

// span returns the days on which a fact is known to hold, no later than today, without a month at both ends where
// that leaves some.
func span(f *world.Fact, known string, asOf time.Time) (from, through time.Time, ok bool) {
	from, ok = dayOf(f.From)
	if !ok {
		return from, through, false // without a first day no day is sure
	}
	through = asOf
	for _, end := range []string{f.Through, known} {
		if end == "" {
			continue
		}
		t, ok := dayOf(end)
		if !ok {
			return from, through, false
		}
		if t.Before(through) {
			through = t
		}
	}
	if a, b := from.AddDate(0, 1, 0), through.AddDate(0, -1, 0); !b.Before(a) {
		from, through = a, b
	}
	return from, through, !through.Before(from)
}

// holders are all that the relation says of the subject, for the oracle.
func (t tenure) holders() []suite.Holder {
	var all []suite.Holder
	for _, i := range t.r.of[t.fact.Subject] {
		f := &t.r.Facts[i]
		all = append(all, suite.Holder{Value: f.Value, Also: f.Also, From: f.From, Through: f.Through})
	}
	return all
}

func roleCase(d *draw) (suite.Case, bool) {
	rels := d.offices
	if len(rels) == 0 {
		return suite.Case{}, false
	}
	// Some cases show sources, one of them out of date; of the easy ones few.
	sourced := d.chance([]float64{.2, .6, .6}[d.hardness()])
	t, ok := d.tenureOn(oneOf(d, rels), !sourced && d.chance(.35))
	if !ok {
		t, ok = d.tenureOn(oneOf(d, rels), false)
	}
	if !ok || sourced && len(t.others) == 0 {
		return suite.Case{}, false
	}
	return roleOf(d, t, sourced), true
}

func roleOf(d *draw, t tenure, sourced bool) suite.Case {
	c := suite.Case{AnswerType: suite.Short, Tags: []string{"time-shift"},
		Gold: suite.Gold{Texts: append([]string{t.fact.Value}, t.fact.Also...)}}
	c.Requires.Date = "month"
	when := "as of " + longDate(t.day)
	var forms []string
	dates, leads := said("role-date"), said("role-lead")
	for i, f := range t.r.Ask {
		forms = append(forms, placeDate(f, when)+dates[i%len(dates)])
	}
	tellDay(&c, forms, t.day, t.today)
	for lead := 0; len(forms) < 5; lead++ {
		forms = append(forms, leads[lead%len(leads)]+forms[lead])
	}
	putForms(d, &c, forms, "{subject}", t.fact.Subject)
	o := suite.Oracle{Type: "temporal", Holders: t.holders(), At: t.day.Format(time.DateOnly),
		ValidThrough: t.r.through}
	if !sourced {
		c.Oracle = &o
		return c
	}
	// Sources of different days: the one that covers the day asked about, and stale or later ones.
	c.Tags = append(c.Tags, "stale-source", "retrieval")
	lines := []string{sourceLine(d, t.r, t.fact)}
	for _, f := range some(d, t.others, 1+d.r.IntN(2)) {
		lines = append(lines, sourceLine(d, t.r, f))
	}
	c.Context = lettered(lines)
	c.Requires.Evidence = true
	var reject []string
	for _, f := range t.others {
		if !slices.ContainsFunc(append(c.Gold.Texts, reject...), func(v string) bool { return overlaps(v, f.Value) }) {
			reject = append(reject, f.Value)
		}
	}
	c.Oracle = &suite.Oracle{Type: "retrieval", Accept: c.Gold.Texts, Reject: reject, Lines: []string{"L1"},
		Distractors: []string{"L2", "L3"}[:len(lines)-1]}
	behind(&c, said("role-line"), 0)
	shuffleContext(d, &c)
	return c
}

// tellDay tags a case by whether it asks about today, which its forms say first.
func tellDay(c *suite.Case, forms []string, day time.Time, today bool) {
	if !today {
		c.Tags = append(c.Tags, "as-of-shift")
		return
	}
	c.Tags = append(c.Tags, "as-of-today")
	for i := range forms {
		forms[i] = "Today is " + longDate(day) + ". " + forms[i]
	}
}

// placeDate puts the time into a question that has a place for it, else before it.
func placeDate(form, when string) string {
	if strings.Contains(form, "{date}") {
		return strings.ReplaceAll(form, "{date}", when)
	}
	return capital(when) + ", " + lower(form)
}

// sourceLine writes a fact as a dated source would: with the time for which it holds.
func sourceLine(d *draw, r *relation, f *world.Fact) string {
	from, _ := dayOf(f.From)
	state := strings.ReplaceAll(r.State, " {date}", "")
	line := strings.TrimSuffix(fill(state, "{subject}", f.Subject, "{value}", f.Value, "{date}", ""), ".")
	if f.Through == "" || f.Through > d.asOf { // nobody can have closed an entry tomorrow
		return "Register, entry in force since " + longDate(from) + ": " + line + "."
	}
	through, _ := dayOf(f.Through)
	return "Register, entry of " + longDate(from) + ", closed on " + longDate(through) + ": " + line + "."
}

// workedRole is the source's: who heads Nintendo today, with month and year.
func workedRole(d *draw) (suite.Case, bool) {
	for _, domain := range suite.Domains {
		for _, r := range d.ix.fields[domain].offices {
			for _, i := range r.of["Nintendo"] {
				f := &r.Facts[i]
				day, known := d.asOf, d.w.Sources[r.Source].Through
				if known != "" && known < day {
					day = known
				}
				if !d.holds(r, f, day) {
					continue
				}
				at, _ := dayOf(day)
				return placed(roleOf(d, tenure{r: r, fact: f, day: at, today: day == d.asOf}, false), domain, "easy")
			}
		}
	}
	return suite.Case{}, false
}

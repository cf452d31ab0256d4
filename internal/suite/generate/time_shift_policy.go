package generate

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"hallmark/internal/suite"
)

// timeShiftPolicy asks whether a rule is enforced on a day, or which limit holds then, with the section of the
// statute that is shown. The statute is made up, so that only its text decides: sections say from when a rule
// applies, when it was repealed or amended. Perturbations: the day, a limit that held before or came later, and a
// matter on which the excerpt is silent.
var timeShiftPolicy = generator{
	class:  "time-shift-policy",
	make:   makePolicy,
	worked: workedPolicy,
}

// A matter is what a made-up statute regulates.
type matter struct {
	Act     string `yaml:"act"`    // the name of the statute, without its year
	Banned  string `yaml:"banned"` // what nobody may do, as in "No dealer may …"
	Who     string `yaml:"who"`
	Asks    string `yaml:"asks"`    // "the sale of lamp oil in open vessels"
	Limited string `yaml:"limited"` // what has a limit
	Unit    string `yaml:"unit"`
	Lo      int    `yaml:"lo"` // of the limit, in steps
	Hi      int    `yaml:"hi"`
	Step    int    `yaml:"step"`
	Silent  string `yaml:"silent"` // something of the same field that the excerpt does not mention
}

// A statute is a made-up text with the days on which its rules change.
type statute struct {
	place, name string
	m           matter
	section     int
	from        time.Time // the first day of the rule
	until       time.Time // the first day on which it is repealed; zero where it is not
	values      []int     // of the limit, one after the other
	changes     []time.Time
}

func makePolicy(d *draw) (suite.Case, bool) {
	s := d.statute(d.invent("place"), oneOf(d, words().Matters[d.domain]))
	switch kind := d.r.Float64(); {
	case d.hardness() > 0 && kind < .12:
		return s.silentCase(d), true
	case kind < .55:
		return s.limitCase(d), true
	default:
		return s.banCase(d), true
	}
}

// statute draws the text: every day in it lies before today.
func (d *draw) statute(place string, m matter) statute {
	s := statute{place: place, m: m, section: d.between(3, 40)}
	year := d.today.Year() - d.between(9, 24)
	s.name = m.Act + " of " + strconv.Itoa(year-d.r.IntN(3))
	first := func(y int) time.Time { return time.Date(y, time.Month(1+3*d.r.IntN(4)), 1, 0, 0, 0, 0, time.UTC) }
	s.from = first(year)
	gap := max(3, (d.today.Year()-year-1)/3)
	s.changes = []time.Time{s.from}
	for range 1 + d.hardness()/2 + d.r.IntN(2) {
		next := first(s.changes[len(s.changes)-1].Year() + 1 + d.r.IntN(gap))
		if next.Before(d.today) {
			s.changes = append(s.changes, next)
		}
	}
	if len(s.changes) == 1 {
		s.changes = append(s.changes, time.Date(d.today.Year()-1, 4, 1, 0, 0, 0, 0, time.UTC))
	}
	for range s.changes {
		s.values = append(s.values, d.otherLimit(m, s.values))
	}
	for s.collides() { // a section that bears the number of a limit would read as that limit
		s.section++
	}
	if d.chance(.6) {
		s.until = s.changes[1]
	}
	return s
}

// collides reports whether a limit is also the number of a section.
func (s statute) collides() bool {
	for i := range s.values {
		if slices.Contains(s.values, s.limitSection(i)) {
			return true
		}
	}
	return false
}

// limitSection is the number of the section with the i-th limit.
func (s statute) limitSection(i int) int { return s.section + 2 + 7*i }

// otherLimit draws a limit that is none of those before.
func (d *draw) otherLimit(m matter, before []int) int {
	n := (m.Hi - m.Lo) / m.Step
	for {
		if v := m.Lo + m.Step*d.r.IntN(n+1); !slices.Contains(before, v) {
			return v
		}
	}
}

// dayBetween draws a day from a on and before b, a fortnight away from both.
func (d *draw) dayBetween(a, b time.Time) time.Time {
	days := int(b.Sub(a).Hours() / 24)
	if days <= 30 {
		return a.AddDate(0, 0, days/2)
	}
	return a.AddDate(0, 0, 14+d.r.IntN(days-28))
}

// dayFor draws a day in the i-th of the times that begin with changes: today in some of the last one's.
func (d *draw) dayFor(changes []time.Time, i int) (day time.Time, today bool) {
	if i+1 < len(changes) {
		return d.dayBetween(changes[i], changes[i+1]), false
	}
	if d.chance(.6) || d.today.Sub(changes[i]).Hours() < 24*40 {
		return d.today, true
	}
	return d.dayBetween(changes[i], d.today), false
}

// banLines are the ban, its first day and its repeal.
func (s statute) banLines() []string {
	lines := []string{
		fmt.Sprintf("§ %d. No %s may %s.", s.section, s.m.Who, s.m.Banned),
		fmt.Sprintf("§ %d. Section %d applies from %s.", s.section+1, s.section, longDate(s.from)),
	}
	if !s.until.IsZero() {
		lines = append(lines, fmt.Sprintf("§ %d. Section %d is repealed with effect from %s.", s.section+30, s.section,
			longDate(s.until)))
	}
	return lines
}

// limitLines are the limit and its amendments.
func (s statute) limitLines() (lines []string) {
	for i, v := range s.values {
		lines = append(lines, fmt.Sprintf("§ %d. From %s, %s is %d %s.", s.limitSection(i), longDate(s.changes[i]),
			s.m.Limited, v, s.m.Unit))
	}
	return lines
}

func (s statute) base(tags ...string) suite.Case {
	c := suite.Case{AnswerType: suite.Short, Tags: append([]string{"time-shift", "retrieval"}, tags...)}
	c.Requires = suite.Requires{Evidence: true, Date: "month", ContextOnly: true}
	return c
}

// put asks the forms, each with the day and the demand for evidence.
func (s statute) put(d *draw, c *suite.Case, forms []string, day time.Time, today bool) {
	when := "as of " + longDate(day)
	forms, tail := slices.Clone(forms), said("policy-tail")
	for i := range forms {
		forms[i] = capital(placeDate(forms[i], when)) + tail[i%len(tail)]
	}
	tellDay(c, forms, day, today)
	putForms(d, c, forms, "{law}", "the "+s.name+" of "+s.place, "{place}", s.place, "{asks}", s.m.Asks,
		"{limited}", s.m.Limited, "{who}", s.m.Who, "{silent}", s.m.Silent)
	shuffleContext(d, c)
}

// banCase asks whether the ban holds on a day. Of two times, before and after its repeal, either is asked for; a
// ban that was never repealed holds.
func (s statute) banCase(d *draw) suite.Case {
	times, at := []time.Time{s.from}, 0
	if !s.until.IsZero() {
		times = append(times, s.until)
		at = d.r.IntN(2)
	}
	day, today := d.dayFor(times, at)
	return s.banOn(d, said("ban"), at == 1, day, today)
}

// banOn asks the forms of a day on which the ban holds, or is repealed.
func (s statute) banOn(d *draw, forms []string, repealed bool, day time.Time, today bool) suite.Case {
	c := s.base()
	c.Context = lettered(s.banLines())
	answer, lines := "Yes", []string{"L1", "L2"}
	if repealed {
		answer, lines = "No", []string{"L3"}
	}
	c.Gold.Texts = []string{answer}
	c.Oracle = &suite.Oracle{Type: "retrieval", Accept: c.Gold.Texts, Lines: lines}
	s.put(d, &c, forms, day, today)
	return c
}

// limitCase asks which limit holds on a day; those of other times are stale.
func (s statute) limitCase(d *draw) suite.Case {
	c := s.base("near-twin")
	c.Context = lettered(s.limitLines())
	at := d.r.IntN(len(s.changes))
	day, today := d.dayFor(s.changes, at)
	value := strconv.Itoa(s.values[at])
	c.Gold.Texts = []string{value}
	o := &suite.Oracle{Type: "retrieval", Accept: []string{value}, Lines: []string{lineID(at + 1)}}
	for i, v := range s.values {
		if i != at {
			o.Reject = append(o.Reject, strconv.Itoa(v))
			o.Distractors = append(o.Distractors, lineID(i+1))
		}
	}
	c.Oracle = o
	s.put(d, &c, said("limit"), day, today)
	return c
}

// silentCase asks for something on which the excerpt says nothing: the right act is to say so.
func (s statute) silentCase(d *draw) suite.Case {
	c := s.base("silent-source")
	c.Requires = suite.Requires{ContextOnly: true}
	c.Decline = true
	c.Context = lettered(append(s.banLines(), s.limitLines()[0]))
	c.Oracle = &suite.Oracle{Type: "refusal"}
	day, today := d.dayFor(s.changes, len(s.changes)-1)
	s.put(d, &c, said("silent"), day, today)
	return c
}

// workedPolicy is the source's: whether a state enforces a regulation today, decided by an excerpt of its statute.
// The state is made up, as its law is.
func workedPolicy(d *draw) (suite.Case, bool) {
	s := d.statute(d.invent("place"), words().Matters["civic"][0])
	s.until = time.Date(d.today.Year()-2, 7, 1, 0, 0, 0, 0, time.UTC)
	s.from = time.Date(d.today.Year()-12, 1, 1, 0, 0, 0, 0, time.UTC)
	return placed(s.banOn(d, said("policy-worked"), true, d.today, true), "civic", "easy")
}

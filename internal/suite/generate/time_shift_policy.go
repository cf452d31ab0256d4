package generate

import (
	"slices"
	"strconv"
	"time"

	"hallmark/internal/evidence"
	"hallmark/internal/suite"
)

// timeShiftPolicy asks whether a rule is enforced on a day, or which limit holds then, with the section of the
// statute that is shown. The statute is made up, so that only its text decides: sections say from when a rule
// applies, when it was repealed or amended. Perturbations: the day, a section that came later, a twin rule of
// another matter with other dates, the rule negated, and a matter on which the excerpt is silent.
var timeShiftPolicy = generator{
	class:   "time-shift-policy",
	domains: allDomains,
	make:    makePolicy,
	worked:  workedPolicy,
}

// A matter is what a made-up statute regulates.
type matter struct {
	act     string // the name of the statute, without its year
	banned  string // what nobody may do, as in "No dealer may …"
	who     string
	asks    string // "the sale of lamp oil in open vessels"
	limited string // what has a limit
	unit    string
	lo, hi  int // of the limit, in steps
	step    int
	silent  string // something of the same field that the excerpt does not mention
}

// matters are what statutes of each domain regulate.
var matters = map[string][]matter{
	"civic": {
		{"Market Order", "sell bread by the piece without showing its weight", "trader",
			"the sale of bread by the piece without its weight", "the fee for a market stall", "crowns a day", 4, 60,
			2, "the opening hours of libraries"},
		{"Tenancy Act", "ask for a deposit before the contract is signed", "landlord",
			"asking for a deposit before the contract is signed", "the deposit for a dwelling", "monthly rents", 2, 7,
			1, "the keeping of pets in dwellings"},
		{"Road Traffic Code", "park a trailer on a public square overnight", "driver",
			"parking a trailer on a public square overnight", "the toll for the valley bridge", "crowns", 2, 30, 1,
			"the colour of number plates"},
	},
	"physical": {
		{"Emission Control Act", "burn untreated timber in a municipal furnace", "operator",
			"burning untreated timber in a municipal furnace", "the limit for dust from a furnace",
			"milligrams per cubic metre", 10, 90, 5, "the noise of wind turbines"},
		{"Pressure Vessel Order", "fill a steel bottle that bears no test mark", "operator",
			"filling a steel bottle that bears no test mark", "the test pressure of a steel bottle", "bar", 100, 400,
			10, "the transport of glass"},
		{"Measures Act", "use a balance that has not been sealed", "trader",
			"using a balance that has not been sealed", "the interval between two inspections of a balance", "months",
			6, 48, 6, "the units of electric current"},
	},
	"mathematical": {
		{"Rounding Order", "round an amount before it has been summed", "tax office",
			"rounding amounts before they have been summed", "the number of decimal places kept in an interim result",
			"places", 2, 9, 1, "the use of negative numbers"},
		{"Examination Code", "use a programmable calculator in a written paper", "candidate",
			"using a programmable calculator in a written paper", "the number of problems in a written paper",
			"problems", 4, 20, 1, "the language of oral examinations"},
		{"Statistics Act", "publish a table with fewer households in a cell than the law allows", "bureau",
			"publishing a table with too few households in a cell",
			"the least number of households in a published cell", "households", 3, 25, 1, "the census of livestock"},
	},
	"biomedical": {
		{"Dispensing Order", "hand out a sleeping draught without a prescription", "pharmacist",
			"handing out a sleeping draught without a prescription", "the largest pack of a sleeping draught",
			"tablets", 10, 60, 5, "the advertising of spectacles"},
		{"Blood Service Act", "take blood from a donor twice in a month", "clinic",
			"taking blood from a donor twice in a month", "the least interval between two donations", "days", 28, 112,
			7, "the storage of vaccines"},
		{"Clinic Hygiene Code", "reuse a filter of the ventilation", "clinic", "reusing a filter of the ventilation",
			"the time after which a filter is replaced", "weeks", 4, 52, 4, "the food served to patients"},
	},
	"cultural": {
		{"Heritage Act", "take a painting older than a century abroad without a licence", "owner",
			"taking a painting older than a century abroad without a licence",
			"the age from which a painting needs an export licence", "years", 50, 150, 5, "the restoration of organs"},
		{"Archives Act", "lend out a parish register", "archive", "lending out parish registers",
			"the time for which a personal file stays closed", "years", 20, 110, 5, "the copying of maps"},
		{"Festival Order", "hold a procession on the river after dusk", "guild",
			"holding a procession on the river after dusk", "the number of stalls at the harvest fair", "stalls", 20,
			200, 10, "the ringing of church bells"},
	},
	"software": {
		{"Data Retention Act", "keep connection logs of a subscriber", "provider",
			"keeping connection logs of subscribers", "the time after which connection logs are erased", "days", 7,
			180, 1, "the encryption of telephone calls"},
		{"Digital Accounts Code", "reactivate a closed account without a new signature", "provider",
			"reactivating a closed account without a new signature", "the least length of a password", "characters",
			8, 24, 1, "the accessibility of web pages"},
		{"Public Interfaces Order", "change a public interface without notice", "authority",
			"changing a public interface without notice", "the notice before a public interface is switched off",
			"weeks", 2, 52, 2, "the licensing of fonts"},
	},
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
	s := d.statute(d.invent("place"), oneOf(d, matters[d.domain]))
	switch kind := d.r.Float64(); {
	case d.hardness() > 0 && kind < .12:
		return s.silentCase(d), true
	case kind < .55:
		return s.limitCase(d), true
	default:
		return s.banCase(d, false), true
	}
}

// statute draws the text: every day in it lies before today.
func (d *draw) statute(place string, m matter) statute {
	s := statute{place: place, m: m, section: d.between(3, 40)}
	asOf, _ := dayOf(d.asOf)
	year := asOf.Year() - d.between(9, 24)
	s.name = m.act + " of " + strconv.Itoa(year-d.r.IntN(3))
	first := func(y int) time.Time { return time.Date(y, time.Month(1+3*d.r.IntN(4)), 1, 0, 0, 0, 0, time.UTC) }
	s.from = first(year)
	gap := max(3, (asOf.Year()-year-1)/3)
	s.changes = []time.Time{s.from}
	for range 1 + d.hardness()/2 + d.r.IntN(2) {
		next := first(s.changes[len(s.changes)-1].Year() + 1 + d.r.IntN(gap))
		if next.Before(asOf) {
			s.changes = append(s.changes, next)
		}
	}
	if len(s.changes) == 1 {
		s.changes = append(s.changes, time.Date(asOf.Year()-1, 4, 1, 0, 0, 0, 0, time.UTC))
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
	n := (m.hi - m.lo) / m.step
	for {
		if v := m.lo + m.step*d.r.IntN(n+1); !slices.Contains(before, v) {
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
	asOf, _ := dayOf(d.asOf)
	if i+1 < len(changes) {
		return d.dayBetween(changes[i], changes[i+1]), false
	}
	if d.chance(.6) || asOf.Sub(changes[i]).Hours() < 24*40 {
		return asOf, true
	}
	return d.dayBetween(changes[i], asOf), false
}

func (s statute) title() string { return "the " + s.name + " of " + s.place }

func (s statute) sec(n int) string { return "§ " + strconv.Itoa(n) }

// lines of the statute: the ban, its first day, its repeal; the limit and its amendments.
func (s statute) banLines(negated bool) []evidence.Passage {
	rule := "No " + s.m.who + " may " + s.m.banned + "."
	if negated {
		rule = "Any " + s.m.who + " may " + s.m.banned + "."
	}
	lines := []evidence.Passage{
		{ID: "L1", Text: s.sec(s.section) + ". " + rule},
		{ID: "L2", Text: s.sec(s.section+1) + ". Section " + strconv.Itoa(s.section) + " applies from " +
			longDate(s.from) + "."},
	}
	if !s.until.IsZero() {
		lines = append(lines, evidence.Passage{ID: "L3",
			Text: s.sec(s.section+30) + ". Section " + strconv.Itoa(s.section) + " is repealed with effect from " +
				longDate(s.until) + "."})
	}
	return lines
}

func (s statute) limitLines() []evidence.Passage {
	var lines []evidence.Passage
	for i, v := range s.values {
		text := s.sec(s.limitSection(i)) + ". From " + longDate(s.changes[i]) + ", " + s.m.limited + " is " +
			strconv.Itoa(v) + " " + s.m.unit + "."
		lines = append(lines, evidence.Passage{ID: "L" + strconv.Itoa(i+1), Text: text})
	}
	return lines
}

// policyTail asks for the evidence.
var policyTail = []string{" Cite the section and say as of which month and year you answer.",
	" Name the section that decides it, and the month and year you answer for.",
	" Give the section, and the month and year of your answer.",
	" State the section and the date, with month and year.",
	" Which section says so? Add the month and year you speak of."}

func (s statute) base(tags ...string) suite.Case {
	c := suite.Case{AnswerType: suite.Short, Tags: append([]string{"time-shift", "retrieval"}, tags...)}
	c.Requires = suite.Requires{Evidence: true, Date: "month", ContextOnly: true}
	return c
}

// put asks the forms, each with the day and the demand for evidence.
func (s statute) put(d *draw, c *suite.Case, forms []string, day time.Time, today bool) {
	when := "as of " + longDate(day)
	tail := policyTail
	for i := range forms {
		forms[i] = capital(placeDate(forms[i], when)) + tail[i%len(tail)]
		if today {
			forms[i] = "Today is " + longDate(day) + ". " + forms[i]
		}
	}
	if today {
		c.Tags = append(c.Tags, "as-of-today")
	} else {
		c.Tags = append(c.Tags, "as-of-shift")
	}
	putForms(d, c, forms, "{law}", s.title(), "{place}", s.place, "{asks}", s.m.asks, "{limited}", s.m.limited,
		"{who}", s.m.who, "{silent}", s.m.silent)
	shuffleContext(d, c)
}

// banCase asks whether the ban holds on a day. Of two times, before and after its repeal, either is asked for; a
// ban that was never repealed holds.
func (s statute) banCase(d *draw, negated bool) suite.Case {
	c := s.base()
	c.Context = s.banLines(negated)
	times, at := []time.Time{s.from}, 0
	if !s.until.IsZero() {
		times = append(times, s.until)
		at = d.r.IntN(2)
	}
	day, today := d.dayFor(times, at)
	answer, line := "Yes", "L2"
	if at == 1 {
		answer, line = "No", "L3"
	}
	c.Gold.Texts = []string{answer}
	lines := []string{"L1", line}
	if at == 1 {
		lines = []string{line}
	}
	c.Oracle = &suite.Oracle{Type: "retrieval", Accept: []string{answer}, Lines: lines}
	s.put(d, &c, []string{
		"Does {place} prohibit {asks} {date}, by the excerpt of its statute?",
		"By the excerpt, is {asks} prohibited in {place} {date}?",
		"According to {law}, is {asks} forbidden {date}?", "Is there a ban on {asks} in force in {place} {date}?",
		"{date}, does {place} enforce a ban on {asks}?",
	}, day, today)
	return c
}

// limitCase asks which limit holds on a day; those of other times are stale.
func (s statute) limitCase(d *draw) suite.Case {
	c := s.base("near-twin")
	c.Context = s.limitLines()
	at := d.r.IntN(len(s.changes))
	day, today := d.dayFor(s.changes, at)
	value := strconv.Itoa(s.values[at])
	c.Gold.Texts = []string{value}
	o := &suite.Oracle{Type: "retrieval", Accept: []string{value}, Lines: []string{"L" + strconv.Itoa(at+1)}}
	for i, v := range s.values {
		if i != at {
			o.Reject = append(o.Reject, strconv.Itoa(v))
			o.Trap = append(o.Trap, "L"+strconv.Itoa(i+1))
		}
	}
	c.Oracle = o
	s.put(d, &c, []string{
		"What is {limited} in {place} {date}?", "By {law}, what is {limited} {date}?",
		"According to the excerpt, what was fixed as {limited} {date}?",
		"{date}, what is {limited} under the law of {place}?", "Which figure holds for {limited} in {place} {date}?",
	}, day, today)
	return c
}

// silentCase asks for something on which the excerpt says nothing: the right act is to say so.
func (s statute) silentCase(d *draw) suite.Case {
	c := s.base("silent-source")
	c.Requires = suite.Requires{ContextOnly: true}
	c.Decline = true
	c.Context = append(s.banLines(false), evidence.Passage{ID: "L9", Text: s.limitLines()[0].Text})
	c.Oracle = &suite.Oracle{Type: "refusal"}
	day, today := d.dayFor(s.changes, len(s.changes)-1)
	s.put(d, &c, []string{
		"Does {place} regulate {silent} {date}, by the excerpt of its statute?",
		"By the excerpt, is there a rule on {silent} in {place} {date}, and what does it demand?",
		"According to {law}, what holds for {silent} {date}?", "What does the excerpt lay down for {silent} {date}?",
		"{date}, which rule does {law} have for {silent}?",
	}, day, today)
	return c
}

// workedPolicy is the source's: whether a state enforces a regulation today, decided by an excerpt of its statute.
// The state is made up, as its law is.
func workedPolicy(d *draw) (suite.Case, bool) {
	s := d.statute(d.invent("place"), matters["civic"][0])
	asOf, _ := dayOf(d.asOf)
	s.until = time.Date(asOf.Year()-2, 7, 1, 0, 0, 0, 0, time.UTC)
	s.from = time.Date(asOf.Year()-12, 1, 1, 0, 0, 0, 0, time.UTC)
	c := s.base()
	c.Context = s.banLines(false)
	c.Gold.Texts = []string{"No"}
	c.Oracle = &suite.Oracle{Type: "retrieval", Accept: []string{"No"}, Lines: []string{"L3"}}
	s.put(d, &c, []string{
		"Does {place} enforce a ban on {asks} {date}?", "Is {asks} forbidden in {place} {date}, going by the excerpt?",
		"By {law}, is {asks} prohibited {date}?", "{date}, is there a ban on {asks} in {place}?",
		"Going by the statute shown, may a {who} be fined {date} for {asks}?",
	}, asOf, true)
	c.Domain, c.Difficulty = "civic", "easy"
	return c, true
}

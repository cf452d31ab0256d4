package quantity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hallmark/internal/base/pattern"
)

// A Date is a date at some precision: Month and Day are 0 where it does not say, and Year where it names a day of
// any year.
type Date struct {
	Year, Month, Day int
	Years            int  // how many, for decades and centuries, of which Year is the first; else 0
	Start, End       int  // bytes of the text
	Either           bool // day and month are numbers that could change places, as in 3/5/1921
	BC               bool
}

// Swapped returns the date with its day for its month and its month for its day.
func (d Date) Swapped() Date {
	d.Month, d.Day = d.Day, d.Month
	return d
}

// Precision returns century, decade, year, month or day, in the words of suites.
func (d Date) Precision() string {
	switch {
	case d.Day > 0:
		return "day"
	case d.Month > 0:
		return "month"
	case d.Years > 10:
		return "century"
	case d.Years > 1:
		return "decade"
	}
	return "year"
}

// AtLeast reports whether d is at least as precise as asked: year, month or day.
func (d Date) AtLeast(precision string) bool {
	return precision == "year" && d.Years == 0 || precision == "month" && d.Month > 0 || d.Day > 0
}

// String returns the date as 2026, 2026-11 or 2026-11-01; a day of any year as --11-01, a decade as 1960s and a
// century as 1801/1900.
func (d Date) String() string {
	s := fmt.Sprintf("%04d", d.Year)
	if d.Year == 0 {
		s = "-"
	} else if d.BC {
		s = "-" + s
	}
	switch d.Precision() {
	case "day":
		return fmt.Sprintf("%s-%02d-%02d", s, d.Month, d.Day)
	case "month":
		return fmt.Sprintf("%s-%02d", s, d.Month)
	case "decade":
		return s + "s"
	case "century":
		return fmt.Sprintf("%s/%04d", s, d.Year+d.Years-1)
	}
	return s
}

// Same reports whether two dates name the same time at the coarser of their precisions.
func (d Date) Same(o Date) bool {
	lo, hi := d.span()
	olo, ohi := o.span()
	return (d.Year == 0 || o.Year == 0 || lo <= ohi && olo <= hi) &&
		(d.Month == 0 || o.Month == 0 || d.Month == o.Month) && (d.Day == 0 || o.Day == 0 || d.Day == o.Day)
}

// span returns the first and the last year, negative before Christ.
func (d Date) span() (first, last int) {
	first, last = d.Year, d.Year+max(d.Years, 1)-1
	if d.BC {
		return -last, -first
	}
	return first, last
}

// CompareDates says whether a value is the gold at the gold's precision, and why. A date that is less precise than
// the gold and fits it is Unsure.
func CompareDates(gold, value Date) (Verdict, string) {
	v, why := compareDates(gold, value)
	if v != Same && value.Either {
		if w, because := compareDates(gold, value.Swapped()); w != Different {
			v, why = w, because
		}
	}
	if v != Same && gold.Either {
		if w, because := compareDates(gold.Swapped(), value); w != Different {
			v, why = w, because
		}
	}
	return v, why
}

func compareDates(gold, value Date) (Verdict, string) {
	// the 1400s are the 15th century here
	if gold.Precision() == "century" && value.Precision() == "decade" && value.Year%100 == 0 && !value.BC {
		value.Year, value.Years = value.Year+1, 100
	}
	lo, hi := gold.span()
	first, last := value.span()
	switch {
	case !gold.Same(value):
		return Different, "another date"
	case value.Year == 0 && gold.Year != 0:
		return Unsure, "the value names no year"
	case gold.Year != 0 && (first < lo || last > hi), gold.Month > 0 && value.Month == 0,
		gold.Day > 0 && value.Day == 0:
		return Unsure, "less precise than the gold"
	}
	return Same, "the same date at the precision of the gold"
}

// dateForms are the ways to write a date, over text in small letters, by what they begin with. The capitals stand
// for the words of words.txt, and the groups are y the year, m the month in digits, w in words, d the day, o in
// words, a and b either with the mark s between them, e the era, c a century, t a decade.
// The digits are those that a date may begin with, by their number.
var dateForms = sync.OnceValue(func() (forms [6][]pattern.Pattern) {
	in := dateWords()
	for _, f := range [...]struct{ digits, form string }{
		{"4", `(?P<y>\d{4})年(?:(?P<m>\d\d?)月(?:(?P<d>\d\d?)日)?)?`},
		{"4", `(?P<y>\d{4})[-/](?P<m>\d\d?)(?:[-/](?P<d>\d\d?))?\b`},
		{"4", `(?P<y>\d{4}) (?P<w>MONTH) (?P<d>\d\d?)\b`},
		{"12", `(?P<a>\d\d?)(?P<s>[-/.]) ?(?P<b>\d\d?)[-/.] ?(?P<y>\d{4})\b`},
		{"12", `(?P<a>\d\d?)(?P<s>/)(?P<b>\d\d?)/(?P<y>\d\d)\b`},
		{"12", `(?P<m>\d\d?)[-/.](?P<y>\d{4})\b`},
		{"2", `(?P<d>\d\d)\.(?P<m>\d\d)\.\B`},
		{"12", `(?P<d>\d\d?)(?:SUFFIX)?\.?[ -](?:OF )?(?P<w>MONTH)\b` +
			`(?:\.?,?[ -](?:OF )?(?P<y>'?\d{1,4})\b(?: (?P<e>ERA))?)?`},
		{"24", `(?P<t>\d{3}0|\d0)'?s\b`},
		{"12", `(?P<c>\d\d?)(?:SUFFIX)[ -](?:CENTURY)\b(?: (?P<e>ERA))?`},
		{"1234", `(?P<y>\d{1,4}) (?P<e>ERA)`},
		{"4", `(?P<y>\d{4})\b`},
		{"0", `(?P<w>MONTH)\b\.?,? (?:(?P<d>\d\d?)(?:SUFFIX)?\b|(?P<o>ORDINAL)\b)` +
			`(?:,? ?(?:OF )?(?P<y>'?\d{1,4})\b(?: (?P<e>ERA))?)?`},
		{"0", `(?P<w>MONTH)\b\.?,? (?:OF )?(?P<y>'?\d{1,4})\b(?: (?P<e>ERA))?`},
		{"0", `(?P<o>ORDINAL) (?:OF )?(?P<w>MONTH)\b(?:,? (?:OF )?(?P<y>'?\d{1,4})\b(?: (?P<e>ERA))?)?`},
		{"0", `(?P<c>ORDINAL)[ -](?:CENTURY)\b(?: (?P<e>ERA))?`},
		{"0", `(?P<e>AD)\.? (?P<y>\d{1,4})\b`},
		{"0", `'(?P<t>\d0)s\b`},
		{"0", `(?P<y>'\d\d)\b`},
	} {
		p := pattern.New("^(?:" + in.Replace(f.form) + ")")
		for _, n := range f.digits {
			forms[n-'0'] = append(forms[n-'0'], p)
		}
	}
	return forms
})

// dateWords puts the words of each sense into a form.
func dateWords() *strings.Replacer {
	either := func(sense string, dotted bool) string {
		var list []string
		for w, v := range words() {
			if v.has(sense) && dotted {
				w = strings.Join(strings.Split(w, ""), `\.?`) + `\b\.?`
			}
			if v.has(sense) {
				list = append(list, w)
			}
		}
		slices.SortFunc(list, func(a, b string) int { return 100*(len(b)-len(a)) + strings.Compare(a, b) })
		return strings.Join(list, "|")
	}
	return strings.NewReplacer("MONTH", either("month", false), "OF", "(?:"+either("of", false)+")", "SUFFIX",
		either("suffix", false), "CENTURY", either("century", false),
		"ERA", either("bc", true)+"|"+either("ad", true), "AD", either("ad", false), "ORDINAL",
		"(?:(?:"+either("number", false)+")[- ])?(?:"+either("ordinal", false)+")")
}

// Dates returns the dates of a text: "20 July 1969", "July 20th, 1969", "July 1969", "July '69", "20 July",
// "1969-07-20", "07/1969", "7/20/1969" (month first, unless that is no month), bare years from 1000 to 2999, "'94",
// "44 BC", "the 1960s", "the 19th century". At most 4096.
func Dates(raw string) []Date {
	t := plain(raw)
	var ds []Date
	for i := 0; i < len(t.s) && len(ds) < maxQuantities; {
		w, end := wordAt(t.s, i)
		opens := isDigit(t.s[i]) || t.s[i] == '\'' || w.has("month") || w.has("ordinal") || w.has("ad") ||
			w["number"] >= 20
		if opens && !isDigit(at(t.s, i-1)) && !isLetter(at(t.s, i-1)) {
			if d, e := dateAt(t.s, i); e > 0 {
				d.Start, d.End = t.from(i), t.from(e)
				ds, end = append(ds, d), e
			}
		}
		i = max(end, run(t.s, i), i+1)
	}
	tell(ds[:min(len(ds), 32)])
	return ds
}

// tell settles how dates are meant that others tell: "3/5/1921, i.e. 3 May 1921".
func tell(ds []Date) {
	for i, d := range ds {
		told := func(o Date) bool {
			return o.Day > 0 && !o.Either && o.Year == d.Year && o.Month == d.Day && o.Day == d.Month
		}
		if d.Either && slices.ContainsFunc(ds, told) {
			ds[i] = d.Swapped()
			ds[i].Either = false
		}
	}
}

// dateAt reads the date at i, and its end, 0 where there is none.
func dateAt(s string, i int) (Date, int) {
	var buf [64]byte
	in := lower(buf[:0], s[i:min(len(s), i+len(buf))])
	for _, form := range dateForms()[min(run(s, i)-i, 5)] { // none begins with five digits
		re := form.Regexp()
		m := re.FindSubmatchIndex(in)
		if m == nil || m[1] == len(in) && isDigit(at(s, i+m[1])) {
			continue
		}
		f := map[string]string{}
		for k, name := range re.SubexpNames() {
			if k > 0 && m[2*k] >= 0 {
				f[name] = string(in[m[2*k]:m[2*k+1]])
			}
		}
		end := i + m[1]
		if y := f["y"]; y != "" && f["e"] == "" && f["w"] != "" && y[0] != '\'' && len(y) < 4 { // "20 July, 15 people"
			delete(f, "y")
			end = i + len(strings.TrimRight(string(in[:m[1]-len(y)]), " ,."))
		}
		if d, ok := dated(f); ok && meant(f, s, i, end) {
			return d, end
		}
	}
	return Date{}, 0
}

// meant reports whether the parts of a form are meant as a date: no month alone, no quotation, no number.
func meant(f map[string]string, s string, i, end int) bool {
	month := f["w"] != "" && f["y"]+f["d"]+f["o"] == ""
	quote := s[i] == '\'' && len(f["t"]) == 0 && closes(s[i+1:])
	return !month && !quote && (len(f) > 1 || f["t"]+f["c"] != "" || !inNumber(s, i, end))
}

// closes reports whether an apostrophe that follows soon ends a quotation: '94 is a year, and '94' need not be one.
func closes(s string) bool {
	for i := range min(len(s), 80) {
		if s[i] == '\'' && !isLetter(at(s, i+1)) {
			return true
		}
	}
	return false
}

// inNumber reports whether what could be a year is part of a number.
func inNumber(s string, i, end int) bool {
	c, n := at(s, i-1), at(s, end)
	return c == '$' || c == '.' || c == ',' || n == '%' || (n == '.' || n == ',') && isDigit(at(s, end+1))
}

// dated makes a date of the parts of a form.
func dated(f map[string]string) (d Date, ok bool) {
	n := func(name string) int { v, _ := strconv.Atoi(strings.Trim(f[name], "'")); return v }
	for _, name := range [...]string{"o", "c"} {
		if v, spelled := spelledAt(f[name], 0); spelled && v.ordinal {
			f[name] = v.value.RatString()
		}
	}
	d = Date{Year: n("y"), Month: max(n("m"), words()[f["w"]].get("month")), Day: max(n("d"), n("o")),
		BC: strings.HasPrefix(f["e"], "b")}
	switch {
	case strings.HasPrefix(f["y"], "'"), f["a"] != "" && len(f["y"]) == 2: // 14/5/24
		d.Year += 1900
		if d.Year < 1930 {
			d.Year += 100
		}
	case f["c"] != "":
		d.Year, d.Years = n("c")*100-99, 100
	case f["t"] != "":
		if d.Year, d.Years = n("t"), 10; d.Year < 100 {
			d.Year += 1900
		}
	}
	if f["a"] != "" {
		d.inNumbers(n("a"), n("b"), f["s"])
	}
	year := f["e"] != "" || f["y"] == "" || d.Years > 0 || d.Year >= 1000 && d.Year < 3000
	return d, year && fits(f["m"]+f["a"], d.Month, 12) && fits(f["d"]+f["o"]+f["b"], d.Day, 31)
}

// inNumbers sets month and day of two numbers with a mark between them: 7/20/1969, 20.07.1969.
func (d *Date) inNumbers(a, b int, mark string) {
	d.Month, d.Day, d.Either = a, b, b <= 12 && a != b
	if mark != "/" && b <= 12 || a > 12 {
		d.Month, d.Day, d.Either = b, a, false
	}
}

// fits reports whether a part that is written has a value it can have.
func fits(written string, v, most int) bool { return v <= most && (v > 0 || written == "") }

// ParseDate reads a text that is one date and nothing else.
func ParseDate(raw string) (Date, bool) {
	ds := Dates(raw)
	if len(ds) == 0 { // a month of any year
		i := blanks(raw, 0)
		w, end := wordAt(raw, i)
		return Date{Month: w["month"], Start: i, End: end}, w.has("month") && strings.Trim(raw[end:], " .") == ""
	}
	return ds[0], len(ds) == 1 && others(raw[:ds[0].Start], "", "pass", "of", "about") == 0 &&
		others(raw[ds[0].End:], "") == 0
}

package quantity

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Date is a date at some precision: Month and Day are 0 where it does not say, and Year where it names a day of any year.
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

// String returns the date as 2026, 2026-11 or 2026-11-01; a day of any year as --11-01, a decade as 1960s and a century as 1801/1900.
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
	return (d.Year == 0 || o.Year == 0 || lo <= ohi && olo <= hi) && (d.Month == 0 || o.Month == 0 || d.Month == o.Month) && (d.Day == 0 || o.Day == 0 || d.Day == o.Day)
}

// span returns the first and the last year, negative before Christ.
func (d Date) span() (first, last int) {
	first, last = d.Year, d.Year+max(d.Years, 1)-1
	if d.BC {
		return -last, -first
	}
	return first, last
}

// CompareDates says whether a value is the gold at the gold's precision, and why. A date that is less precise than the gold and fits it is Unsure.
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
	lo, hi := gold.span()
	first, last := value.span()
	switch {
	case !gold.Same(value):
		return Different, "another date"
	case value.Year == 0 && gold.Year != 0:
		return Unsure, "the value names no year"
	case gold.Year != 0 && (first < lo || last > hi), gold.Month > 0 && value.Month == 0, gold.Day > 0 && value.Day == 0:
		return Unsure, "less precise than the gold"
	}
	return Same, "the same date at the precision of the gold"
}

// dateForms are the ways to write a date, over text in small letters, by what they begin with. The capitals stand for the words of words.txt, and the groups are
// y the year, m the month in digits, w in words, d the day, o in words, a and b either with the mark s between them, e the era, c a century, t a decade.
var dateForms = map[bool][]*regexp.Regexp{true: compile(
	`(?P<y>\d{4})年(?:(?P<m>\d\d?)月(?:(?P<d>\d\d?)日)?)?`,
	`(?P<y>\d{4})[-/](?P<m>\d\d?)(?:[-/](?P<d>\d\d?))?\b`,
	`(?P<y>\d{4}) (?P<w>MONTH) (?P<d>\d\d?)\b`,
	`(?P<a>\d\d?)(?P<s>[-/.]) ?(?P<b>\d\d?)[-/.] ?(?P<y>\d{4})\b`,
	`(?P<m>\d\d?)[-/.](?P<y>\d{4})\b`,
	`(?P<d>\d\d?)(?:SUFFIX)?\.?[ -](?:OF )?(?P<w>MONTH)\b(?:\.?,?[ -](?:OF )?(?P<y>'?\d{1,4})\b(?: (?P<e>ERA))?)?`,
	`(?P<t>\d{3}0|\d0)'?s\b`,
	`(?P<c>\d\d?)(?:SUFFIX)[ -](?:CENTURY)\b(?: (?P<e>ERA))?`,
	`(?P<y>\d{1,4}) (?P<e>ERA)`,
	`(?P<y>\d{4})\b`,
), false: compile(
	`(?P<w>MONTH)\b\.?,? (?:(?P<d>\d\d?)(?:SUFFIX)?\b|(?P<o>ORDINAL)\b)(?:,? ?(?:OF )?(?P<y>'?\d{1,4})\b(?: (?P<e>ERA))?)?`,
	`(?P<w>MONTH)\b\.?,? (?:OF )?(?P<y>'?\d{1,4})\b(?: (?P<e>ERA))?`,
	`(?P<o>ORDINAL) (?:OF )?(?P<w>MONTH)\b(?:,? (?:OF )?(?P<y>'?\d{1,4})\b(?: (?P<e>ERA))?)?`,
	`(?P<c>ORDINAL)[ -](?:CENTURY)\b(?: (?P<e>ERA))?`,
	`(?P<e>AD)\.? (?P<y>\d{1,4})\b`,
	`'(?P<t>\d0)s\b`,
)}

// compile puts the words of each sense into patterns that are anchored at the start.
func compile(patterns ...string) (all []*regexp.Regexp) {
	either := func(sense int, dotted bool) string {
		var list []string
		for w, v := range words {
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
	in := strings.NewReplacer("MONTH", either(month, false), "OF", "(?:"+either(of, false)+")", "SUFFIX", either(suffix, false), "CENTURY", either(century, false),
		"ERA", either(bc, true)+"|"+either(ad, true), "AD", either(ad, false), "ORDINAL", "(?:(?:"+either(number, false)+")[- ])?(?:"+either(ordinal, false)+")")
	for _, p := range patterns {
		all = append(all, regexp.MustCompile("^(?:"+in.Replace(p)+")"))
	}
	return all
}

// Dates returns the dates of a text: "20 July 1969", "July 20th, 1969", "July 1969", "July '69", "20 July", "1969-07-20", "07/1969", "7/20/1969"
// (month first, unless that is no month), bare years from 1000 to 2999, "44 BC", "the 1960s", "the 19th century". At most 4096.
func Dates(raw string) []Date {
	t := plain(raw)
	var ds []Date
	for i := 0; i < len(t.s) && len(ds) < maxQuantities; {
		c := t.s[i]
		if w, e := wordAt(t.s, i); e > i && !w.has(month) && !w.has(ordinal) && !w.has(ad) && w.get(number) < 20 {
			i = e
			continue
		} else if !isLetter(c) && !isDigit(c) && c != '\'' || i > 0 && (isDigit(t.s[i-1]) || isLetter(t.s[i-1])) {
			i++
			continue
		}
		d, end := dateAt(t.s, i)
		if end == 0 {
			i = max(run(t.s, i), letters(t.s, i), i+1)
			continue
		}
		d.Start, d.End = t.from(i), t.from(end)
		ds, i = append(ds, d), end
	}
	// A date may tell how another is meant: "3/5/1921, i.e. 3 May 1921". Only the first ones are looked through.
	for i, d := range ds[:min(len(ds), 32)] {
		for _, o := range ds[:min(len(ds), 32)] {
			if d.Either && o.Day > 0 && !o.Either && o.Year == d.Year && o.Month == d.Day && o.Day == d.Month {
				ds[i] = d.Swapped()
				ds[i].Either = false
				break
			}
		}
	}
	return ds
}

// dateAt reads the date at i, and its end, 0 where there is none.
func dateAt(s string, i int) (Date, int) {
	var buf [64]byte
	in := lower(buf[:0], s[i:min(len(s), i+len(buf))])
	for _, re := range dateForms[isDigit(s[i])] {
		m := re.FindSubmatchIndex(in)
		if m == nil {
			continue
		}
		f := map[string]string{}
		for k, name := range re.SubexpNames() {
			if k > 0 && m[2*k] >= 0 {
				f[name] = string(in[m[2*k]:m[2*k+1]])
			}
		}
		end := i + m[1]
		if m[1] == len(in) && end < len(s) && isDigit(s[end]) {
			continue
		}
		if y := f["y"]; f["e"] == "" && y != "" && f["w"] != "" && !aYear(y) { // "20 July, 15 people"
			delete(f, "y")
			end = i + len(strings.TrimRight(string(in[:m[1]-len(y)]), " ,."))
		}
		bare := f["w"]+f["m"]+f["a"] == "" && f["e"] == "" && f["t"]+f["c"] == ""
		if d, ok := dated(f); ok && !(bare && inNumber(s, i, end)) && !(f["w"] != "" && f["y"] == "" && f["d"]+f["o"] == "") {
			return d, end
		}
	}
	return Date{}, 0
}

func aYear(y string) bool {
	return y[0] == '\'' && len(y) == 3 || len(y) == 4 && y >= "1000" && y < "3000"
}

// inNumber reports whether what could be a year is part of a number.
func inNumber(s string, i, end int) bool {
	c, n := at(s, i-1), at(s, end)
	return c == '$' || c == '.' || c == ',' || n == '%' || (n == '.' || n == ',') && isDigit(at(s, end+1))
}

// dated makes a date of the parts of a form.
func dated(f map[string]string) (d Date, ok bool) {
	n := func(name string) int { v, _ := strconv.Atoi(strings.Trim(f[name], "'")); return v }
	d = Date{Year: n("y"), Month: n("m"), Day: n("d")}
	if f["w"] != "" {
		d.Month = words[f["w"]].get(month)
	}
	for _, name := range [...]string{"o", "c"} {
		if v, spelled := spelledAt(f[name], 0); spelled && v.ordinal {
			f[name] = v.value.RatString()
		}
	}
	if f["o"] != "" {
		d.Day = n("o")
	}
	if y := f["y"]; y != "" && y[0] == '\'' {
		if d.Year += 1900; d.Year < 1930 {
			d.Year += 100
		}
	}
	if c := n("c"); c > 0 {
		d.Year, d.Years = c*100-99, 100
	}
	if t := n("t"); f["t"] != "" {
		if d.Year, d.Years = t, 10; t < 100 {
			d.Year += 1900
		}
	}
	d.BC = f["e"] != "" && f["e"][0] == 'b'
	if a, b := n("a"), n("b"); f["a"] != "" { // 7/20/1969, 20.07.1969
		d.Month, d.Day, d.Either = a, b, b <= 12 && a != b
		if f["s"] != "/" && b <= 12 || a > 12 {
			d.Month, d.Day, d.Either = b, a, false
		}
	}
	return d, (f["e"] != "" || d.Year == 0 && f["y"] == "" || d.Years > 0 || d.Year >= 1000 && d.Year < 3000) && d.Month <= 12 && d.Day <= 31 && (f["d"]+f["b"] == "" || d.Day > 0) && (f["m"]+f["a"] == "" || d.Month > 0)
}

// ParseDate reads a text that is one date and nothing else.
func ParseDate(raw string) (Date, bool) {
	ds := Dates(raw)
	if len(ds) == 0 { // a month of any year
		i := blanks(raw, 0)
		w, end := wordAt(raw, i)
		return Date{Month: max(w.get(month), 0), Start: i, End: end}, w.has(month) && strings.Trim(raw[end:], " .") == ""
	}
	d := ds[0]
	for i := 0; i < d.Start; i++ {
		w, end := wordAt(raw, i)
		if end > i && !w.has(pass) && !w.has(of) && !w.has(about) || end == i && strings.IndexByte(" \t\n*_~(\"'`", raw[i]) < 0 {
			return d, false
		}
		i = max(end-1, i)
	}
	return d, len(ds) == 1 && strings.Trim(raw[d.End:], " \t\n*_)\"'`.,") == ""
}

package quantity

import (
	"fmt"
	"strings"
	"unicode/utf8"
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
	switch {
	case d.Year == 0:
		s = "-"
	case d.BC:
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
	for _, p := range [...][2]Date{{gold, value.Swapped()}, {gold.Swapped(), value}} {
		if swapped := p[0].Month == gold.Month; v != Same && (swapped && value.Either || !swapped && gold.Either) {
			if w, because := compareDates(p[0], p[1]); w == Same {
				return w, because + ", with day and month the other way round"
			}
		}
	}
	return v, why
}

func compareDates(gold, value Date) (Verdict, string) {
	lo, hi := gold.span()
	vlo, vhi := value.span()
	switch {
	case !gold.Same(value):
		return Different, "another date"
	case value.Year == 0 && gold.Year != 0:
		return Unsure, "the value names no year"
	case gold.Year != 0 && (vlo < lo || vhi > hi), gold.Month > 0 && value.Month == 0, gold.Day > 0 && value.Day == 0:
		return Unsure, "less precise than the gold"
	}
	return Same, "the same date at the precision of the gold"
}

// A part is a number or a word of a date.
type part struct {
	start, end int
	n, digits  int // of a number
	ordinal    bool
	decade     bool // 1960s
	quoted     bool // '69
	w          *word
}

// partAt reads the part at i, or the zero part.
func partAt(s string, i int) part {
	p := part{start: i, w: &unknown}
	if k, size := mark(s, i); k == '\'' {
		if e, n := run(s, i+size); n == 2 {
			p.quoted = true
			i = e - (e - i - size)
		}
	}
	for {
		c, size := digitAt(s, i)
		if size == 0 || p.digits > 8 {
			break
		}
		p.n = p.n*10 + int(c-'0')
		i, p.digits = i+size, p.digits+1
	}
	if p.end = i; p.digits > 8 {
		p.end, p.digits, p.n = i, 9, 0
		return p
	}
	if p.digits > 0 {
		if w, e := wordAt(s, i); e > i {
			switch {
			case w.is(isSuffix) && e-i == 2:
				p.ordinal, p.end = true, e
			case w.is(isDecade):
				p.decade, p.end = p.n%10 == 0 && p.digits > 1, e
			}
		} else if k, size := mark(s, i); k == '\'' && p.n%10 == 0 && p.digits > 1 { // the 1960's
			if w, e := wordAt(s, i+size); w.is(isDecade) {
				p.decade, p.end = true, e
			}
		}
		return p
	}
	p.w, p.end = wordAt(s, i)
	if w := p.w; w.ordinal > 0 && w.ordinal < 32 {
		p.n, p.ordinal = int(w.ordinal), true
	} else if w.number >= 20 && w.number%10 == 0 {
		if x, e := next(s, p.end); x.ordinal > 0 && x.ordinal < 10 {
			p.n, p.ordinal, p.end, p.w = int(w.number+x.ordinal), true, e, x
		}
	}
	return p
}

// after returns the part behind p, past blanks, one comma or point, and the words that join a date.
func after(s string, p part) part {
	i := p.end
	if c := at(s, i); c == ',' || c == '.' {
		i++
	}
	i = blanksAny(s, i)
	q := partAt(s, i)
	if q.w.is(isOf) || q.w.is(isPass) && q.w.month == 0 && q.digits == 0 && q.n == 0 {
		q = partAt(s, blanksAny(s, q.end))
	}
	if q.start > p.end+16 {
		return part{w: &unknown, start: q.start, end: q.start}
	}
	return q
}

func blanksAny(s string, i int) int {
	for k := 0; k < 4; k++ {
		if kind, size := mark(s, i); kind == ' ' || kind == 'b' {
			i += size
		} else if at(s, i) == '\n' || at(s, i) == '-' && k == 0 {
			i++
		}
	}
	return i
}

// year returns the year that a part can be, 0 for none.
func (p part) year() int {
	switch {
	case p.ordinal || p.decade:
	case p.quoted && p.n < 30:
		return 2000 + p.n
	case p.quoted:
		return 1900 + p.n
	case p.digits == 4 && p.n >= 1000 && p.n <= 2999:
		return p.n
	}
	return 0
}

// day returns the day of a month that a part can be, 0 for none.
func (p part) day() int {
	if p.n >= 1 && p.n <= 31 && p.digits <= 2 && !p.quoted && !p.decade && (p.digits > 0 || p.ordinal) {
		return p.n
	}
	return 0
}

// Dates returns the dates of a text: "20 July 1969", "July 20th, 1969", "July 1969", "July '69", "20 July", "1969-07-20", "07/1969", "7/20/1969"
// (month first, unless that is no month), bare years from 1000 to 2999, "44 BC", "the 1960s", "the 19th century". At most 4096.
func Dates(text string) []Date {
	var ds []Date
	for i := 0; i < len(text) && len(ds) < maxQuantities; {
		c := text[i]
		if c < utf8.RuneSelf && !isDigit(c) && !isLetter(c) && c != '\'' || c >= utf8.RuneSelf && c < 0xc0 {
			i++
			continue
		}
		p := partAt(text, i)
		if p.end == i {
			i++
			continue
		}
		d, end := dateAt(text, p)
		if end == 0 {
			i = p.end
			continue
		}
		d.Start, d.End = i, end
		ds = append(ds, d)
		i = end
	}
	settle(ds)
	return ds
}

// maxEither bounds the dates that are looked through for the one that tells how another is meant.
const maxEither = 32

// settle turns the dates whose day and month another date of the text tells apart: "3/5/1921, i.e. 3 May 1921".
func settle(ds []Date) {
	for i, d := range ds[:min(len(ds), maxEither)] {
		for _, o := range ds[:min(len(ds), maxEither)] {
			if d.Either && o.Day > 0 && !o.Either && o.Year == d.Year && o.Month == d.Day && o.Day == d.Month {
				ds[i] = d.Swapped()
				ds[i].Either = false
				break
			}
		}
	}
}

// dateAt reads the date that begins with a part, and its end, 0 where there is none.
func dateAt(s string, p part) (Date, int) {
	q := after(s, p)
	switch {
	case p.w.month > 0 && !p.ordinal: // July 20, 1969
		if y := q.year(); y > 0 {
			return era(s, Date{Year: y, Month: p.w.month}, q)
		}
		if d := q.day(); d > 0 {
			return ofYear(s, Date{Month: p.w.month, Day: d}, q)
		}
	case p.w.is(isAD) && q.digits > 0 && q.digits < 5 && q.n > 0: // AD 79
		return Date{Year: q.n}, q.end
	case p.digits == 0 && !p.ordinal:
	case p.decade && (p.digits == 4 || p.digits == 2):
		if p.digits == 2 {
			p.n += 1900
		}
		return Date{Year: p.n, Years: 10}, p.end
	case p.ordinal && q.w.is(isCentury) && p.n > 0:
		d := Date{Year: p.n*100 - 99, Years: 100}
		return era(s, d, q)
	case q.w.month > 0 && !q.ordinal && p.day() > 0: // 20 July 1969
		return ofYear(s, Date{Month: q.w.month, Day: p.n}, q)
	case q.w.month > 0 && p.year() > 0: // 1969 July 20
		if d := after(s, q); d.day() > 0 && at(s, d.end) != '.' {
			return Date{Year: p.year(), Month: q.w.month, Day: d.n}, d.end
		}
	case p.ordinal:
		return Date{}, 0
	}
	if p.digits == 0 || p.ordinal {
		return Date{}, 0
	}
	if d, end := numeric(s, p); end > 0 {
		return d, end
	}
	if d, end := era(s, Date{Year: p.n}, p); end > p.end && p.digits < 5 && p.n > 0 {
		return d, end
	}
	before := at(s, p.start-1)
	glued := isDigit(at(s, p.end)) || isLetter(at(s, p.end)) || isLetter(before) || before == '$' || before == '.' || before == ',' || at(s, p.end) == '%' ||
		(at(s, p.end) == '.' || at(s, p.end) == ',') && isDigit(at(s, p.end+1))
	if y := p.year(); y > 0 && !p.quoted && !glued {
		return Date{Year: y}, p.end
	}
	return Date{}, 0
}

// ofYear adds the year behind a month or a day, if there is one.
func ofYear(s string, d Date, q part) (Date, int) {
	if y := after(s, q); y.year() > 0 {
		d.Year = y.year()
		return era(s, d, y)
	} else if y.digits > 0 && y.digits < 4 {
		d.Year = y.n
		if e, end := era(s, d, y); end > y.end {
			return e, end
		}
		d.Year = 0
	}
	return d, q.end
}

// era reads BC or AD behind a part.
func era(s string, d Date, q part) (Date, int) {
	w, end := next(s, q.end)
	if end > q.end && at(s, end) == '.' && end-q.end < 4 { // B.C.
		var x byte
		if x = at(s, end+1); x == 'C' && at(s, end+2) == '.' && s[end-1] == 'B' {
			d.BC = true
			return d, end + 3
		} else if x == 'D' && at(s, end+2) == '.' && s[end-1] == 'A' {
			return d, end + 3
		}
	}
	switch {
	case w.is(isBC):
		d.BC = true
		return d, end
	case w.is(isAD) && s[end-1] < 'a':
		return d, end
	}
	return d, q.end
}

// numeric reads a date in numbers alone: 1969-07-20, 20.07.1969, 7/20/1969, 07/1969, 1969年7月20日.
func numeric(s string, p part) (Date, int) {
	sep, size := at(s, p.end), 1
	if strings.HasPrefix(s[p.end:], "年") {
		return sino(s, p)
	}
	if strings.HasPrefix(s[p.end:], "–") {
		sep, size = '-', len("–")
	}
	if sep != '-' && sep != '/' && sep != '.' || isDigit(at(s, p.start-1)) || at(s, p.start-1) == '.' {
		return Date{}, 0
	}
	skip := func(i int) int { // 20. 7. 1969
		if sep == '.' || sep == '/' {
			return blanks(s, i)
		}
		return i
	}
	a := partAt(s, skip(p.end+size))
	if a.digits == 0 || a.ordinal || a.decade || a.quoted {
		return Date{}, 0
	}
	b := part{}
	if at(s, a.end) == sep {
		b = partAt(s, skip(a.end+1))
	}
	switch y := p.year(); {
	case y > 0 && sep != '.' && a.n >= 1 && a.n <= 12 && a.digits <= 2:
		if b.day() > 0 {
			return Date{Year: y, Month: a.n, Day: b.n}, b.end
		}
		return Date{Year: y, Month: a.n}, a.end
	case p.digits > 2 || p.n < 1:
	case a.year() > 0 && p.n <= 12:
		return Date{Year: a.year(), Month: p.n}, a.end
	case b.year() > 0 && a.digits <= 2 && a.n >= 1:
		d := Date{Year: b.year(), Month: p.n, Day: a.n, Either: a.n <= 12 && p.n != a.n}
		if sep != '/' && a.n <= 12 || p.n > 12 {
			d.Month, d.Day, d.Either = a.n, p.n, false
		}
		if d.Month <= 12 && d.Day <= 31 {
			return d, b.end
		}
	}
	return Date{}, 0
}

// sino reads a date as written in Chinese and Japanese: 1969年7月20日, with month and day or without.
func sino(s string, p part) (Date, int) {
	d, end := Date{Year: p.n}, p.end+len("年")
	if p.digits != 4 {
		return Date{}, 0
	}
	if m := partAt(s, end); m.n >= 1 && m.n <= 12 && strings.HasPrefix(s[m.end:], "月") {
		d.Month, end = m.n, m.end+len("月")
		if x := partAt(s, end); x.day() > 0 && strings.HasPrefix(s[x.end:], "日") {
			d.Day, end = x.n, x.end+len("日")
		}
	}
	return d, end
}

// ParseDate reads a text that is one date and nothing else.
func ParseDate(text string) (Date, bool) {
	ds := Dates(text)
	if len(ds) != 1 {
		p := partAt(text, blanks(text, 0))
		if len(ds) == 0 && p.w.month > 0 && strings.Trim(text[p.end:], " .") == "" {
			return Date{Month: p.w.month, End: p.end}, true
		}
		return Date{}, false
	}
	d := ds[0]
	for i := 0; i < d.Start; {
		w, end := wordAt(text, i)
		if end == i {
			if !strings.Contains(" \t\n*_~(\"'`", text[i:i+1]) {
				return d, false
			}
			i++
			continue
		}
		if w.sense&(isPass|isOf|isAbout) == 0 {
			return d, false
		}
		i = end
	}
	return d, strings.Trim(text[d.End:], " \t\n*_)\"'`.,") == ""
}

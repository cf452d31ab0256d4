package evidence

import (
	"fmt"
	"strconv"
	"strings"
)

// A Date is a date at some precision: Month and Day are 0 where it does not say.
type Date struct {
	Year, Month, Day int
	Words            Span // where it stands
	// Either: day and month are numbers that could change places, as in 3/5/1921.
	Either bool
}

// Swapped returns the date with its day for its month and its month for its day.
func (d Date) Swapped() Date {
	d.Month, d.Day = d.Day, d.Month
	return d
}

// Precision returns year, month or day, in the words of suites.
func (d Date) Precision() string {
	switch {
	case d.Day > 0:
		return "day"
	case d.Month > 0:
		return "month"
	}
	return "year"
}

// AtLeast reports whether d is at least as precise as asked: year, month or day.
func (d Date) AtLeast(precision string) bool {
	return precision == "year" || precision == "month" && d.Month > 0 || d.Day > 0
}

// String returns the date as 2026, 2026-11 or 2026-11-01.
func (d Date) String() string {
	switch d.Precision() {
	case "day":
		return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
	case "month":
		return fmt.Sprintf("%04d-%02d", d.Year, d.Month)
	}
	return fmt.Sprintf("%04d", d.Year)
}

// Same reports whether two dates name the same time at the coarser of their precisions.
func (d Date) Same(o Date) bool {
	return d.Year == o.Year && (d.Month == 0 || o.Month == 0 || d.Month == o.Month) && (d.Day == 0 || o.Day == 0 || d.Day == o.Day)
}

var months = func() map[string]int {
	m := map[string]int{}
	for i, names := range strings.Split("january jan januar janvier enero gennaio janeiro,february feb februar fevrier febrero febbraio fevereiro,march mar marz marzo marco,"+
		"april apr avril abril aprile,may mai mayo maggio maio,june jun juni juin junio giugno junho,july jul juli juillet julio luglio julho,"+
		"august aug aout agosto,september sep sept septembre septiembre settembre setembro,october oct oktober octobre octubre ottobre outubro,"+
		"november nov novembre noviembre novembro,december dec dezember decembre diciembre dicembre dezembro", ",") {
		for _, n := range strings.Fields(names) {
			m[n] = i + 1
		}
	}
	return m
}()

// Dates returns the dates of a text: "20 July 1969", "July 20th, 1969", "July 1969", "1969-07-20", "07/1969", "7/20/1969" (month
// first, unless that is no month), and bare years from 1000 to 2999.
func (t *Text) Dates() []Date {
	var ds []Date
	for i := 0; i < len(t.Words); i++ {
		if d, n := t.dateAt(i); n > 0 {
			d.Words = Span{i, i + n}
			ds = append(ds, d)
			i += n - 1
		}
	}
	for i, d := range ds[:min(len(ds), maxEither)] {
		if !d.Either {
			continue
		}
		for _, o := range ds[:min(len(ds), maxEither)] { // "3/5/1921, i.e. 3 May 1921"
			if o.Day > 0 && !o.Either && o.Year == d.Year && o.Month == d.Day && o.Day == d.Month {
				ds[i] = d.Swapped()
				ds[i].Either = false
				break
			}
		}
	}
	return ds
}

// maxEither bounds the dates that are looked through for the one that tells how another is meant.
const maxEither = 32

func (t *Text) dateAt(i int) (Date, int) {
	w := func(k int) string {
		if i+k < len(t.Words) && t.Words[i+k].Sentence == t.Words[i].Sentence {
			return t.Words[i+k].Fold
		}
		return ""
	}
	// between reports whether only the given marks stand between two words.
	between := func(k int, marks string) bool {
		a, b := t.Words[i+k].End, t.Words[i+k+1].Start
		return a < b && b-a <= 3 && strings.Trim(t.Plain[a:b], marks) == ""
	}
	if c := w(0)[0]; c >= 'a' && c <= 'z' {
		m := months[w(0)]
		if m == 0 {
			return t.spelledDay(i)
		}
		if d := day(w(1)); d > 0 {
			k := 2
			if w(k) == "in" || w(k) == "of" {
				k++
			}
			if y := year(w(k)); y > 0 {
				return Date{Year: y, Month: m, Day: d}, k + 1
			}
			return Date{}, 0
		}
		k := 1
		if w(k) == "of" {
			k++
		}
		if y := year(w(k)); y > 0 {
			return Date{Year: y, Month: m}, k + 1
		}
		return Date{}, 0
	} else if !isDigit(c) {
		return Date{}, 0
	}
	if d := day(w(0)); d > 0 {
		k := 1
		if w(k) == "of" || w(k) == "de" {
			k++
		}
		if m := months[w(k)]; m > 0 {
			k++
			if w(k) == "in" || w(k) == "of" || w(k) == "de" { // "the 20th of July in 1969"
				k++
			}
			if y := year(w(k)); y > 0 {
				return Date{Year: y, Month: m, Day: d}, k + 1
			}
			return Date{}, 0
		}
	}
	if d, ok := sinoDate(w(0)); ok {
		return d, 1
	}
	if parts := strings.Split(w(0), "."); len(parts) == 3 { // 20.07.1969
		m, _ := strconv.Atoi(parts[1])
		if d, y := day(parts[0]), year(parts[2]); d > 0 && y > 0 && m >= 1 && m <= 12 {
			return Date{Year: y, Month: m, Day: d}, 1
		}
	}
	a, _ := strconv.Atoi(w(0))
	if y := year(w(0)); y > 0 && w(1) != "" && between(0, "-/") {
		if m, err := strconv.Atoi(w(1)); err == nil && m >= 1 && m <= 12 {
			if d := day(w(2)); d > 0 && between(1, "-/") {
				return Date{Year: y, Month: m, Day: d}, 3
			}
			return Date{Year: y, Month: m}, 2
		}
	}
	if len(w(0)) <= 2 && a >= 1 && w(1) != "" && between(0, "/.-") {
		if y := year(w(1)); y > 0 && a <= 12 {
			return Date{Year: y, Month: a}, 2
		}
		if b, err := strconv.Atoi(w(1)); err == nil && w(2) != "" && between(1, "/.-") {
			if y := year(w(2)); y > 0 && len(w(1)) <= 2 {
				switch {
				case a <= 12 && b >= 1 && b <= 31 && t.Plain[t.Words[i].End] == '/':
					return Date{Year: y, Month: a, Day: b, Either: b <= 12 && a != b}, 3
				case b >= 1 && b <= 12 && a <= 31:
					return Date{Year: y, Month: b, Day: a}, 3
				}
			}
		}
	}
	if y := year(w(0)); y > 0 {
		return Date{Year: y}, 1
	}
	return Date{}, 0
}

// daysInWords are the days of a month as ordinals.
var daysInWords = func() map[string]int {
	m := map[string]int{}
	for i, w := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth") {
		m[w] = i + 1
	}
	m["thirtieth"] = 30
	return m
}()

// spelledDay reads a date whose day is spelled out at the i-th word: "fourteenth of July 1789", "twenty-first of May 1927".
func (t *Text) spelledDay(i int) (Date, int) {
	d, n := daysInWords[t.Words[i].Fold], 1
	if tens := small[t.Words[i].Fold]; d == 0 && (tens == 20 || tens == 30) && i+1 < len(t.Words) {
		if ones := daysInWords[t.Words[i+1].Fold]; ones > 0 && ones < 10 {
			d, n = int(tens)+ones, 2
		}
	}
	if d == 0 || i+n >= len(t.Words) || t.Words[i+n].Sentence != t.Words[i].Sentence {
		return Date{}, 0
	}
	if t.Words[i+n].Fold == "of" {
		n++
	}
	if i+n >= len(t.Words) || months[t.Words[i+n].Fold] == 0 {
		return Date{}, 0
	}
	rest, k := t.dateAt(i + n)
	if k == 0 || rest.Month == 0 || rest.Day > 0 || d > 31 {
		return Date{}, 0
	}
	rest.Day = d
	return rest, n + k
}

// sinoDate reads a date as written in Chinese and Japanese: 1969年7月20日, with month and day or without.
func sinoDate(w string) (Date, bool) {
	head, rest, ok := strings.Cut(w, "年")
	d := Date{Year: year(head)}
	if !ok || d.Year == 0 {
		return Date{}, false
	}
	for _, part := range []struct {
		mark string
		to   *int
		most int
	}{{"月", &d.Month, 12}, {"日", &d.Day, 31}} {
		if rest == "" {
			break
		}
		if head, rest, ok = strings.Cut(rest, part.mark); !ok {
			return Date{}, false
		}
		n, err := strconv.Atoi(head)
		if err != nil || n < 1 || n > part.most {
			return Date{}, false
		}
		*part.to = n
	}
	return d, rest == ""
}

func year(w string) int {
	if len(w) != 4 {
		return 0
	}
	y, err := strconv.Atoi(w)
	if err != nil || y < 1000 || y > 2999 {
		return 0
	}
	return y
}

func day(w string) int {
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		w = strings.TrimSuffix(w, suffix)
	}
	d, err := strconv.Atoi(w)
	if err != nil || d < 1 || d > 31 || len(w) > 2 {
		return 0
	}
	return d
}

// ParseDate reads a text that is one date and nothing else.
func ParseDate(s string) (Date, bool) {
	t := &Text{Plain: strings.ToValidUTF8(s, "")}
	t.split()
	if len(t.Words) == 0 || len(t.Words) > 4 {
		return Date{}, false
	}
	d, n := t.dateAt(0)
	return d, n == len(t.Words)
}

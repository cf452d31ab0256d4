package oracle

import (
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
)

// A numeral is an integer or decimal of a text, with the place in all where it was read, or -1.
type numeral struct {
	value string
	in    int
}

// digitRun is a run of digits, which may be part of a longer number.
var digitRun = pattern.New(`[0-9]+`)

// unread reports whether the numbers of a gold stand in a text, but not where a number or date was read that can be
// told from the gold: "64K" for 64 KB, "38 cents" for €0.38, "the eleventh day of the eleventh month of 1918". Such
// a text may give the gold in a form that is not known here, so that it is not said to give another value.
func (o *byMeasure) unread(t *evidence.Text, all []found) bool {
	ns := o.numerals(t, all)
	return slices.ContainsFunc(o.golds, func(g measure) bool {
		if o.dates {
			return g.date.Day > 0 && apart(ns, []string{strconv.Itoa(g.date.Day)}) && o.monthAndYear(t, ns, g.date)
		}
		var values []string
		for _, q := range quantity.Each(quantity.Scan(g.text)) {
			if q.Value != nil {
				values = append(values, written(q.Value))
			}
		}
		return apart(ns, values) || apart(ns, digits(g.text))
	})
}

// monthAndYear reports whether a text names the month of a date, in words or as a number, and its year, if it has one.
func (o *byMeasure) monthAndYear(t *evidence.Text, ns []numeral, d quantity.Date) bool {
	stands := func(n int) bool {
		return slices.ContainsFunc(ns, func(x numeral) bool { return x.value == strconv.Itoa(n) })
	}
	month := stands(d.Month) || slices.ContainsFunc(t.Words, func(w evidence.Word) bool {
		m, ok := quantity.ParseDate(w.Fold)
		return ok && quantity.IsMonth(w.Fold) && m.Month == d.Month
	})
	return month && (d.Year == 0 || d.Year == o.year || stands(d.Year))
}

// apart reports whether all values stand among numerals, and not all of them in one place that was read.
func apart(ns []numeral, values []string) bool {
	var in []int // where each value may stand
	for k, v := range values {
		any := false
		for _, n := range ns {
			if n.value == v {
				any = true
				in = append(in, n.in)
			}
		}
		if !any || k >= 8 {
			return false
		}
	}
	return len(in) > 0 && (slices.Contains(in, -1) || slices.Max(in) != slices.Min(in))
}

// numerals returns the numbers of a text that the question does not name: those that were read as numbers, ordinals
// and runs of digits.
func (o *byMeasure) numerals(t *evidence.Text, all []found) (ns []numeral) {
	read := func(start, end int) int {
		return slices.IndexFunc(all, func(f found) bool {
			unit := f.q.Unit.Name
			glued := len(unit) == 1 && f.q.NumEnd < len(t.Plain) && isLetter(t.Plain[f.q.NumEnd]) // 64K
			odd := f.other && (glued || strings.ContainsRune(unit, '/') || strings.HasPrefix(unit, "per "))
			known := f.verdict == answer.Same || f.verdict == answer.Different && !odd
			return known && t.Words[f.words.Start].Start < end && start < t.Words[f.words.End-1].End
		})
	}
	add := func(v string, start, end int) {
		glued := end < len(t.Plain) && isLetter(t.Plain[end]) // the Commodore 64 had 64K
		if glued || !slices.ContainsFunc(o.asked, func(q quantity.Quantity) bool {
			return q.Value != nil && written(q.Value) == v
		}) {
			ns = append(ns, numeral{v, read(start, end)})
		}
	}
	for _, q := range quantity.Each(quantity.Scan(t.Plain)) {
		if q.Value != nil {
			add(written(q.Value), q.Start, q.NumEnd)
		}
	}
	for _, r := range digitRun.FindAllStringIndex(t.Plain, maxFound) {
		if line := strings.LastIndexByte(t.Plain[:r[0]], '\n') + 1; strings.TrimSpace(t.Plain[line:r[0]]) == "" &&
			r[1] < len(t.Plain) && strings.IndexByte(".):", t.Plain[r[1]]) >= 0 {
			continue // the number of a line
		}
		add(strings.TrimLeft(t.Plain[r[0]:r[1]], "0"), r[0], r[1])
	}
	return ns
}

// thousands is a comma between thousands.
var thousands = pattern.New(`([0-9]),([0-9]{3})\b`)

// digits returns the runs of digits of a text, without zeros before them.
func digits(s string) (all []string) {
	for _, d := range digitRun.FindAllString(thousands.ReplaceAllString(s, "$1$2"), -1) {
		if d = strings.TrimLeft(d, "0"); d != "" {
			all = append(all, d)
		}
	}
	return all
}

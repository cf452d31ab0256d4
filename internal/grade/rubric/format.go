package rubric

import (
	"fmt"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/quantity"
)

// format judges the structure. It does not apply where none is asked for, nor to a question that is rightly not answered.
func (k *compiled) format(r *Rubric, t *evidence.Text, f oracle.Finding) grade.Judgment {
	if !hasFormat(k.c, k.date) {
		return grade.Judgment{Verdict: grade.NotApplicable, Rule: "no structure is asked for"}
	}
	if f.Right {
		return grade.Judgment{Verdict: grade.NotApplicable, Rule: "rightly not answered"}
	}
	var met []string
	miss := func(rule, ev string) grade.Judgment {
		return grade.Judgment{Verdict: grade.Fail, Rule: "format: " + rule, Evidence: ev}
	}
	want := k.c.Format
	if want.Bullets > 0 {
		if n := len(evidence.Bullets(t.Plain)); n != want.Bullets {
			return miss("bullets", fmt.Sprintf("%d bullets, asked for exactly %d", n, want.Bullets))
		}
		met = append(met, fmt.Sprintf("%d bullets", want.Bullets))
	}
	if want.MaxWords > 0 {
		n := evidence.WordCount(t.Plain) + t.Framed
		if n > want.MaxWords {
			return miss("max_words", fmt.Sprintf("%d words, asked for at most %d", n, want.MaxWords))
		}
		met = append(met, fmt.Sprintf("%d words", n))
	}
	if want.QuoteMinWords > 0 {
		n := k.longestQuote(t, want.QuoteMinWords)
		if n < want.QuoteMinWords {
			return miss("quote_min_words", fmt.Sprintf("a quote of %d words, asked for at least %d", n, want.QuoteMinWords))
		}
		met = append(met, fmt.Sprintf("a quote of %d words", n))
	}
	for _, label := range want.Labels {
		if len(t.Find(evidence.Phrase(label))) == 0 && !strings.Contains(squeeze(t.Plain), squeeze(label)) {
			return miss("labels", quoted(label)+" is missing")
		}
	}
	if len(want.Labels) > 0 {
		met = append(met, "all labels")
	}
	if k.date != "" {
		j, ok := k.dated(r, t)
		if !ok {
			return miss("date", j.Evidence)
		}
		met = append(met, j.Evidence)
	}
	if n := k.c.Requires.Steps; n > 0 {
		if shown := len(t.Steps()); shown < n {
			return miss("steps", fmt.Sprintf("%d steps shown, asked for %d", shown, n))
		}
		met = append(met, fmt.Sprintf("%d steps", n))
	}
	return passes("format: as asked", strings.Join(met, ", "))
}

// squeeze keeps small letters only, so that "Non-negativity" holds "Nonnegativity".
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		if r >= 'a' && r <= 'z' || r >= 0x80 {
			return r
		}
		return -1
	}, s)
}

// longestQuote returns the length in words of the longest verbatim quote: in quotation marks, and from the context where there is one;
// else the longest run of words that the context holds.
func (k *compiled) longestQuote(t *evidence.Text, atLeast int) int {
	n := 0
	for _, q := range t.Quotes() {
		if len(k.passages) > 0 {
			if _, ok := evidence.Locate(q, k.passages); !ok {
				continue
			}
		}
		n = max(n, len(q.Words))
	}
	if n < atLeast {
		if _, run := t.Longest(k.passages, atLeast); run.End > run.Start {
			n = run.End - run.Start
		}
	}
	return n
}

// dated looks for a date at the precision asked for. In a case of time shift a date after the as-of date does not count: nobody
// can say who holds a post in the future.
func (k *compiled) dated(r *Rubric, t *evidence.Text) (grade.Judgment, bool) {
	later := ""
	for _, d := range quantity.Dates(t.Plain) {
		if !d.AtLeast(k.date) {
			continue
		}
		if k.rules["time-shift"] && r.asOf.Year > 0 && after(d, r.asOf) {
			later = d.String()
			continue
		}
		return passes("format: as asked", "dated "+d.String()), true
	}
	if later != "" {
		return grade.Judgment{Evidence: fmt.Sprintf("%s lies after the as-of date %s", later, r.asOf)}, false
	}
	return grade.Judgment{Evidence: "no date to the " + k.date}, false
}

// after reports whether d lies after the day o, at d's precision.
func after(d, o quantity.Date) bool {
	if d.Year != o.Year || d.Month == 0 {
		return d.Year > o.Year
	}
	if d.Month != o.Month || d.Day == 0 {
		return d.Month > o.Month
	}
	return d.Day > o.Day
}

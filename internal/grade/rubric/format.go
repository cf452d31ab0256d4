package rubric

import (
	"cmp"
	"fmt"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/quotation"
)

// format judges the structure. It does not apply where none is asked for, nor to a question that is rightly not
// answered.
func (k *compiled) format(t *evidence.Text, f oracle.Ruling) grade.Judgment {
	j, met := grade.Pass.By("format: as asked", ""), []string{}
	switch {
	case k.date == "" && !HasFormat(k.c):
		return grade.NotApplicable.By("no structure is asked for", "")
	case f.Right:
		return grade.NotApplicable.By("rightly not answered", "")
	}
	check := func(rule string, ok bool, shown, asked string) {
		met = append(met, shown)
		fails(!ok, &j, "format: "+rule, shown+", asked for "+asked)
	}
	if n := k.c.Format.Bullets; n > 0 {
		shown := len(evidence.Bullets(t.Plain))
		check("bullets", shown == n, fmt.Sprintf("%d bullets", shown), fmt.Sprintf("exactly %d", n))
	}
	if n := k.c.Format.MaxWords; n > 0 {
		shown := evidence.WordCount(t.Plain) + t.Framed
		check("max_words", shown <= n, fmt.Sprintf("%d words", shown), fmt.Sprintf("at most %d", n))
	}
	if n := k.c.Format.QuoteMinWords; n > 0 {
		shown := k.longestQuote(t, n)
		check("quote_min_words", shown >= n, fmt.Sprintf("a quote of %d words", shown), fmt.Sprintf("at least %d", n))
	}
	// "Non-negativity" holds "Nonnegativity"
	letters := func(s string) string { return strings.Join(evidence.Phrase(s), "") }
	for _, label := range k.c.Format.Labels {
		check("labels", strings.Contains(letters(t.Plain), letters(label)), "labels", quoted(label))
	}
	if k.date != "" {
		shown, ok := k.dated(t)
		check("date", ok, shown, "one to the "+k.date)
	}
	if n := k.c.Requires.Steps; n > 0 {
		shown := len(t.Steps())
		check("steps", shown >= n, fmt.Sprintf("%d steps", shown), fmt.Sprint(n))
	}
	j.Evidence = cmp.Or(j.Evidence, strings.Join(met, ", "))
	if t.Cut && j.Verdict == grade.Fail && j.Rule != "format: max_words" { // it may be met in what was not read
		j.Verdict = grade.Ungradable
	}
	return j
}

// longestQuote returns the length in words of the longest quote, which a context must hold, or of the longest run
// of its words.
func (k *compiled) longestQuote(t *evidence.Text, atLeast int) int {
	_, run := quotation.Longest(t, k.passages, atLeast)
	n := run.End - run.Start
	for _, q := range quotation.Quotes(t) {
		if len(k.passages) == 0 || len(quotation.Locate(q, k.passages)) > 0 {
			n = max(n, len(q.Words))
		}
	}
	return n
}

// dated looks for a date at the precision asked for. Nobody can say who holds a post after the as-of date.
func (k *compiled) dated(t *evidence.Text) (shown string, ok bool) {
	shown = "no date to the " + k.date
	for _, d := range quantity.Dates(t.Plain) {
		switch {
		case !d.AtLeast(k.date):
		case bears(k.c, timeShift...) && k.asOf.Year > 0 && d.String() > k.asOf.String():
			// so written they are in the order of time
			shown = fmt.Sprintf("%s, after the as-of date %s", d, k.asOf)
		default:
			return "dated " + d.String(), true
		}
	}
	return shown, false
}

package soundness

import (
	"fmt"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/text/evidence"
)

// Of two models on one suite, answers from which they are taken for one log, and the share that must be the same.
const (
	leastSame = 5
	shareSame = .98
)

// sameLogs finds pairs of models that gave the same text to nearly every question. Right answers are often the same, so
// that at least leastSame of texts that are wrong, or of more than six words, must be.
func sameLogs(logs []*Log) (out []Finding) {
	type place struct {
		id              string
		variant, repeat int
		sampled         bool
	}
	texts := make([]map[place]string, len(logs))
	for i, l := range logs {
		texts[i] = map[place]string{}
		l.each(func(c *Case, a *Answer) {
			texts[i][place{c.ID, a.Variant, a.Repeat, a.Sampled}] = strings.TrimSpace(a.Text)
		})
	}
	for i, l := range logs {
		for k := range i {
			if logs[k].Suite != l.Suite || logs[k].Model == l.Model {
				continue
			}
			both, telling := 0, 0
			var t tally
			l.each(func(c *Case, a *Answer) {
				other, ok := texts[k][place{c.ID, a.Variant, a.Repeat, a.Sampled}]
				if !ok {
					return
				}
				if both++; other == strings.TrimSpace(a.Text) {
					if t.add(c); a.Outcome == grade.Incorrect && len(c.Options) == 0 || words(a) > 6 {
						telling++
					}
				}
			})
			if telling < leastSame || float64(t.n) < shareSame*float64(both) {
				continue
			}
			out = append(out, Finding{Check: "same_log", Severity: Fault, Model: l.Model, Suite: l.Suite, Count: t.n,
				Of: both, Examples: t.ids,
				Text: fmt.Sprintf("%d of %d answers of %s are those of %s to the letter", t.n, both,
					evidence.Excerpt(l.Model, 60), evidence.Excerpt(logs[k].Model, 60)),
				Remedy: "see whether one log was named twice, or one model under two names: a comparison of them " +
					"says nothing"})
		}
	}
	return out
}

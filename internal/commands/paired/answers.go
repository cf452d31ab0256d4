package paired

import (
	"hallmark/internal/assay"
	"hallmark/internal/metric/rate"
)

// mostAnswers is how many cases of either kind get their answers: as many as a page shows.
const mostAnswers = 500

// Answers enters into a comparison what was asked and answered in the first cases that only one of its runs failed.
func Answers(r *rate.Reduction, base, other *Side) {
	wanted, n := map[string]*rate.BothAnswers{}, map[string]int{}
	for i := range r.Discordant.Cases {
		c := &r.Discordant.Cases[i]
		if n[c.Failed]++; n[c.Failed] <= mostAnswers {
			c.Answers = &rate.BothAnswers{}
			wanted[c.CaseID] = c.Answers
		}
	}
	if len(wanted) == 0 {
		return
	}
	each := func(t assay.CaseTable, fill func(*rate.BothAnswers, *assay.CaseRow, string)) {
		for _, row := range t.All() {
			if to := wanted[row.ID]; to != nil {
				fill(to, row, answer(row))
			}
		}
	}
	each(base.cases, func(to *rate.BothAnswers, row *assay.CaseRow, text string) {
		to.Question, to.Gold, to.Base = row.Prompt, row.Gold, text
	})
	each(other.cases, func(to *rate.BothAnswers, _ *assay.CaseRow, text string) { to.Other = text })
}

// answer is the answer to the default prompt, as it came.
func answer(row *assay.CaseRow) string {
	for _, a := range row.Answers {
		if a.Variant == 0 {
			return a.Text
		}
	}
	return ""
}

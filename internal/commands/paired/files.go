package paired

import (
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/grade"
	"hallmark/internal/metric/rate"
	"hallmark/internal/suite"
)

// A File is the graded answers of a file, as one side of a comparison.
type File struct {
	Name  string
	Suite *suite.Suite
	Rows  []rate.Row
	Texts map[string]string // the answers by case, as far as they are kept
}

// side is what the file brings.
func (f *File) side() Side {
	s := Side{ID: rate.SeriesRun{Run: f.Name, Suite: f.Suite.Name}, Rows: f.Rows, asked: map[string]question{},
		suite: assay.SuiteInfo{Name: f.Suite.Name, Hash: string(f.Suite.Hash())}, about: f.Name, file: true}
	graded := map[string]bool{}
	for i := range f.Rows {
		graded[f.Rows[i].CaseID] = true
	}
	for _, c := range f.Suite.Cases.All() {
		if graded[c.ID] {
			s.asked[c.ID] = asked(c.System, c.Prompt, c.Context, c.Options, assay.GoldShown(c))
		}
	}
	return s
}

// Files compares the answers of two files, case by case, with both answers to what only one of them failed.
func Files(base, other *File, level float64) *Comparison {
	sides := []Side{base.side(), other.side()}
	limits, warnings := Limits(sides), SameQuestions(sides)
	r := rate.Compare(sides[0].Rows, sides[1].Rows, rate.Options{Level: level})
	r.Warnings, r.Limits = slices.Concat(r.Warnings, warnings), limits
	n := map[string]int{}
	for i := range r.Discordant.Cases {
		c := &r.Discordant.Cases[i]
		q := sides[0].asked[c.CaseID]
		was, kept := base.Texts[c.CaseID]
		is, both := other.Texts[c.CaseID]
		if n[c.Failed]++; n[c.Failed] <= mostAnswers && kept && both {
			c.Answers = &rate.BothAnswers{Question: q.prompt, Gold: q.gold, Base: was, Other: is}
		}
	}
	return &Comparison{Reduction: &r, Grading: grade.Current()}
}

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
	for _, row := range base.cases.All() {
		if to := wanted[row.ID]; to != nil {
			to.Question, to.Gold, to.Base = row.Prompt, row.Gold, answer(row)
		}
	}
	for _, row := range other.cases.All() {
		if to := wanted[row.ID]; to != nil {
			to.Other = answer(row)
		}
	}
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

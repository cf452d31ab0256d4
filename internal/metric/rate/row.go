package rate

import (
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/grading"
	"hallmark/internal/suite"
)

// NewRow returns the row of a graded answer, which said text, to a case of the rubric's suite. It keeps the grade.
func NewRow(r *rubric.Rubric, c *suite.Case, g *grade.Grade, text string) Row {
	set := r.Settings(c)
	var length grading.Length
	words := grading.LengthOf(text)
	if g.Grader == "rules" && !r.Judged(c) && len(c.Context) == 0 { // the check has no passages
		length = words
	}
	if g.Outcome() != grade.CannotGrade {
		text = ""
	}
	return Row{
		Answer: text, Length: length, Words: words,
		CaseID: c.ID, Class: c.Class, Domain: c.Domain, Difficulty: c.Difficulty, Tags: c.Tags,
		Grade:   g,
		Weights: set.Weights, Gates: set.FormatIsGating, Answerable: r.Answerable(c), HasFormat: rubric.HasFormat(c),
	}
}

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

// A CaseGrade is how one case was graded: what Result counts, with the rule and the evidence of each verdict.
type CaseGrade struct {
	CaseID string `json:"case_id"`
	// Outcome is empty where nothing came back; Grader decided it, with Confidence in [0, 1] where it says one.
	Outcome    grade.Outcome `json:"outcome,omitempty"`
	Grader     string        `json:"grader,omitempty"`
	Confidence float64       `json:"confidence,omitempty"`
	// Hallucinated is H; null where it was not scored.
	Hallucinated *bool           `json:"hallucinated"`
	Kind         grade.Kind      `json:"kind,omitempty"`
	Act          grade.Act       `json:"act,omitempty"`
	Truth        grading.Stated  `json:"truth"`
	Decidability grading.Stated  `json:"decidability"`
	Reciprocity  grading.Stated  `json:"reciprocity"`
	Format       *grading.Stated `json:"format,omitempty"` // absent where the case asks for none
	Reason       string          `json:"reason,omitempty"`
}

// PerCase lists how each row was graded, in the order of the rows. It changes nothing.
func PerCase(rows []Row) []CaseGrade {
	out := make([]CaseGrade, len(rows))
	for i, r := range rows {
		g := r.Grade
		out[i] = CaseGrade{
			CaseID: r.CaseID, Outcome: g.Outcome(), Grader: g.Grader, Confidence: g.Confidence, Kind: g.Kind,
			Act: g.Act, Truth: grading.StatedOf(g.Truth), Decidability: grading.StatedOf(g.Decidability),
			Reciprocity: grading.StatedOf(g.Reciprocity), Reason: g.Reason,
		}
		if h, ok := g.Hallucinated(r.Gates); ok {
			out[i].Hallucinated = &h
		}
		if r.HasFormat {
			out[i].Format = new(grading.StatedOf(g.Format))
		}
	}
	return out
}

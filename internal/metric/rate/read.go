package rate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/jsonl"
	"hallmark/internal/metric/grading"
	"hallmark/internal/suite"
)

// Answers are the rows of analyze rubric, collected from one or more files.
type Answers struct {
	Suite *suite.Suite
	// SkipBad counts bad lines instead of stopping at them.
	SkipBad bool
	Skipped []string // the errors of the lines skipped, the first 100 of them
	Bad     int      // lines skipped

	byID  map[string]grade.Answer
	place map[string]string
	known map[string]bool
}

// Read adds the rows of one file, {"case_id": "…", "response": "…"} a line; response null is an answer that is
// missing. Other fields are ignored. The error names FILE:LINE for a line that is no such object, a case that the
// suite does not have, and a case that has an answer already.
func (a *Answers) Read(name string, r io.Reader) error {
	if a.byID == nil {
		a.byID, a.place, a.known = map[string]grade.Answer{}, map[string]string{},
			make(map[string]bool, a.Suite.Cases.Len())
		for i := range a.Suite.Cases.Len() {
			a.known[a.Suite.Cases.ID(i)] = true
		}
	}
	skip := func(f *jsonl.Fault) {
		if a.Bad++; len(a.Skipped) < 100 {
			a.Skipped = append(a.Skipped, f.Error())
		}
	}
	if !a.SkipBad {
		skip = nil
	}
	return jsonl.Each(name, r, func(line int, row answerRow) error {
		return a.add(fmt.Sprintf("%s:%d", name, line), row)
	}, skip)
}

type answerRow struct {
	CaseID   *string         `json:"case_id"`
	Response json.RawMessage `json:"response"` // absent is an error, null an answer that is missing
}

func (a *Answers) add(place string, row answerRow) error {
	const want = `want {"case_id": "…", "response": "…"}`
	switch {
	case row.CaseID == nil || *row.CaseID == "":
		return fmt.Errorf("case_id is missing; %s", want)
	case row.Response == nil:
		return fmt.Errorf("response is missing; %s, or null where there is none", want)
	case !a.known[*row.CaseID]:
		return fmt.Errorf("case_id %q is not in suite %q", *row.CaseID, a.Suite.Name)
	case a.place[*row.CaseID] != "":
		return fmt.Errorf("case_id %q was answered before, at %s; each case has one row", *row.CaseID,
			a.place[*row.CaseID])
	}
	var text *string
	if err := json.Unmarshal(row.Response, &text); err != nil {
		return fmt.Errorf("response is neither text nor null; %s", want)
	}
	a.byID[*row.CaseID] = grade.Answer{Text: text}
	a.place[*row.CaseID] = place
	return nil
}

// Rows grades the answers. Each case of the suite that can be graded gives a row, in the suite's order; one without
// an answer is unscored and says so. An error is that of the context, which is asked before each case.
func (a *Answers) Rows(ctx context.Context, r *rubric.Rubric) ([]Row, error) {
	var rows []Row
	clusters := suite.Clusters(a.Suite.Cases, a.Suite.Cluster)
	for i, c := range a.Suite.Cases.All() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !r.Gradable(c) {
			continue
		}
		answer, ok := a.byID[c.ID]
		if !ok {
			answer = grade.Answer{Failure: "the case has no row in the file"}
		}
		text := ""
		if answer.Text != nil {
			text = *answer.Text
		}
		row := NewRow(r, c, new(r.Grade(c, answer)), text)
		if clusters != nil {
			row.Cluster = clusters[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

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
		CaseID: c.ID, Class: c.Class, Domain: c.Domain, Tags: c.Tags, Grade: g,
		Weights: set.Weights, Gates: set.FormatIsGating, Answerable: r.Answerable(c), HasFormat: rubric.HasFormat(c),
	}
}

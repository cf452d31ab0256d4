package assay

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/rate"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// A CaseTable is the table with a row per case of every model and suite, in the plan's order. A row is laid out
// when it is asked for, from the graded answers: a row takes five times what an answer takes, and a large run has
// hundreds of thousands, of which a page shows few. The zero table has no rows. It is safe for concurrent use.
type CaseTable struct{ parts []casePart }

// A casePart is the rows of one model on one suite, or a part of these.
type casePart struct {
	size    int
	row     func(i int) *CaseRow
	answers *answerSet // that they are laid out from; nil where the rows are there
}

// of names its model and its suite as rows do, which may be given other names where they are there.
func (p *casePart) of() (model, suite string) {
	if p.answers != nil {
		return p.answers.model.Name(), p.answers.suite.Name
	}
	return p.row(0).Model, p.row(0).Suite
}

// Rows returns the table of rows that are there. It keeps them: a change of one shows in the table.
func Rows(rows []CaseRow) (t CaseTable) {
	for i := range rows {
		t.parts = append(t.parts, casePart{1, func(int) *CaseRow { return &rows[i] }, nil})
	}
	return t
}

// Len is the number of rows.
func (t CaseTable) Len() (n int) {
	for _, p := range t.parts {
		n += p.size
	}
	return n
}

// At lays out the row at a place from 0 to Len - 1.
func (t CaseTable) At(i int) *CaseRow {
	for _, p := range t.parts {
		if i < p.size {
			return p.row(i)
		}
		i -= p.size
	}
	panic("assay: no such row")
}

// All lays out the rows one after another, each with its place.
func (t CaseTable) All() iter.Seq2[int, *CaseRow] {
	return func(yield func(int, *CaseRow) bool) {
		at := 0
		for _, p := range t.parts {
			for i := range p.size {
				if !yield(at, p.row(i)) {
					return
				}
				at++
			}
		}
	}
}

// Find returns the rows of the case with the id, or else those of the cases whose default prompt has the words in it,
// whatever their capitals: the first of them, and how many it left out.
func (t CaseTable) Find(what string, most int) (rows []*CaseRow, left int) {
	for _, row := range t.All() {
		if row.ID == what {
			rows = append(rows, row)
		}
	}
	if words := strings.ToLower(strings.TrimSpace(what)); len(rows) == 0 && words != "" {
		for _, row := range t.All() {
			switch {
			case !strings.Contains(strings.ToLower(row.Prompt), words):
			case len(rows) < most:
				rows = append(rows, row)
			default:
				left++
			}
		}
	}
	return rows, left
}

// Of is the part of a model, as results name it, on the suite of that name.
func (t CaseTable) Of(model, suite string) (part CaseTable) {
	for _, p := range t.parts {
		if m, s := p.of(); m == model && s == suite {
			part.parts = append(part.parts, p)
		}
	}
	return part
}

// An answerSet is the planned answers of one model on one suite, with what was measured on each case.
type answerSet struct {
	by    *Plan
	model UnderTest
	suite *suite.Suite
	cases suite.List
	table [][]trial
	rub   *rubric.Rubric
	shelf *texts // of the texts

	rephrased bool // a case has more than one variant

	forms    [][]answer.Form          // that count as right, by case
	measured []measured               // by case; nil where nothing was
	said     map[string]grade.Outcome // what people gave, by case
	clusters []int32                  // of the cases; nil: each is one of its own
}

// measured is what the methods measured on one case.
type measured struct {
	stability *consistency.Question // nil: it was not asked in two scored variants
	sampledSC *float64
	detected  *Detected
	posterior *posterior.Query

	semanticEntropy, weightedEntropy *float64
}

// on is what was measured on a case, to be written.
func (t *answerSet) on(ci int) *measured {
	if t.measured == nil {
		t.measured = make([]measured, t.cases.Len())
	}
	return &t.measured[ci]
}

// row lays out the row of a case.
func (t *answerSet) row(ci int) *CaseRow {
	p, c, m := t.by, t.cases.At(ci), &measured{}
	if t.measured != nil {
		m = &t.measured[ci]
	}
	row := CaseRow{
		Model: t.model.Name(), Suite: t.suite.Name, ID: c.ID, Class: c.Class, Domain: c.Domain,
		Difficulty: c.Difficulty, Tags: c.Tags, System: c.System, Prompt: c.Prompt, Options: c.Options,
		Context: c.Context, Gold: GoldShown(c), Retrieved: p.Retrieval.shown(t.table[ci]),
		SampledSC: m.sampledSC, Detection: m.detected,
		SemanticEntropy: m.semanticEntropy, SemanticEntropyWeighted: m.weightedEntropy,
	}
	if p.semantic(c) {
		row.Equality = EqualSemantic
	}
	for i := range t.table[ci] {
		trial := &t.table[ci][i]
		if trial.purpose == forRetest {
			continue
		}
		text := t.reply(ci, trial)
		switch trial.purpose {
		case forVariant:
			if trial.variant.Number == 0 {
				row.grade(trial.unfolded(text), t.rub.Settings(c).FormatIsGating, t.rub.Gradable(c))
			}
			row.Answers = append(row.Answers, t.answerRow(c, trial, text, t.forms[ci]))
		case forSample:
			row.Sampled = append(row.Sampled, t.answerRow(c, trial, text, t.forms[ci]))
		}
	}
	if m.stability != nil {
		row.stability(m.stability)
	}
	if m.posterior != nil {
		row.PHR, row.Posterior = &m.posterior.PHR.Value, m.posterior
	}
	return &row
}

// rowOf returns an answer, which said text, as the rates take it, with its grade as it is given.
func (t *answerSet) rowOf(ci int, c *suite.Case, trial *trial, text string, g *grade.Grade) rate.Row {
	row := rate.NewRow(t.rub, c, g, text)
	if trial.option != nil { // its text was not written
		row.Length, row.Words = "", ""
	}
	row.Cluster = t.cluster(ci)
	return row
}

// cluster numbers what a case is an observation of, with others; 0: of itself alone.
func (t *answerSet) cluster(ci int) int32 {
	if t.clusters == nil {
		return 0
	}
	return t.clusters[ci]
}

// Rows returns the graded cases of a model and suite, by its place in the plan's order, for comparisons. Cases that
// have neither gold nor oracle are not among them. They are laid out when they are asked for, as rows of the table
// are.
func (a *Assay) Rows(part int) (rows []rate.Row) {
	t := a.Cases.parts[part].answers
	if t == nil {
		return nil
	}
	for ci, c := range t.cases.All() {
		if trial := t.asked(ci); trial != nil && t.rub.Gradable(c) {
			text := t.reply(ci, trial)
			row := t.rowOf(ci, c, trial, text, trial.unfolded(text))
			row.Label = t.said[c.ID]
			rows = append(rows, row)
		}
	}
	return rows
}

// asked returns the answer to the default prompt of a case; nil where it was not planned.
func (t *answerSet) asked(ci int) *trial {
	for i := range t.table[ci] {
		if x := &t.table[ci][i]; x.first() {
			return x
		}
	}
	return nil
}

// GoldShown returns the reference answer as a reader sees it.
func GoldShown(c *suite.Case) string {
	switch {
	case c.Decline:
		return "decline"
	case !c.Gold.IsZero():
		return c.GoldText()
	case c.Oracle == nil:
		return ""
	case c.Oracle.Type == "clarification":
		return "ask, or give each reading: " + strings.Join(c.Oracle.Readings, " | ")
	case c.Oracle.Type == "refusal":
		return strings.TrimRight("decline, or reject the premise and put it right: "+
			strings.Join(c.Oracle.Repair, " | "), ": ")
	case c.Oracle.Value != "":
		return strings.TrimSpace(c.Oracle.Value + " " + c.Oracle.Unit)
	}
	return strings.Join(c.Oracle.Accept, " | ")
}

// grade fills in the rubric's part of a row.
func (r *CaseRow) grade(g *grade.Grade, gates, gradable bool) {
	r.Axes = grading.AxesOf(g)
	r.Kind, r.Act, r.Grader, r.Confidence = string(g.Kind), string(g.Act), g.Grader, g.Confidence
	if !gradable {
		return
	}
	r.Outcome = string(g.Outcome())
	if h, scored := g.Hallucinated(gates); scored {
		r.Hallucinated = &h
	}
}

// stability fills in the consistency's part of a row.
func (r *CaseRow) stability(q *consistency.Question) {
	r.R, r.PC, r.SC, r.Ambiguous, r.Category, r.Quadrant = q.R, q.PC, q.SC, q.Ambiguous, q.Category, q.Quadrant
	r.Mode = classShown(q.Mode)
}

// FlowCategory is the case's category with declines apart, as a consistency.Flow has them; "" where the case has none.
func (r *CaseRow) FlowCategory() string {
	if r.Category == consistency.PromptAgnosticError && r.Mode == shownDeclined {
		return consistency.DeclinedAgnostic
	}
	return r.Category
}

// shownDeclined stands for the class of answers that declined.
const shownDeclined = "(declined)"

// classShown returns a class of answers, named as in files or as in results, in words a person reads.
func classShown(class string) string {
	switch class {
	case answer.RightAct.Text(), answer.RightAct.String():
		return "(the right act)"
	case answer.Declined.Text(), answer.Declined.String():
		return shownDeclined
	case answer.Empty.Text(), answer.Empty.String():
		return "(empty)"
	case answer.Hedged.Text(), answer.Hedged.String():
		return "(no definite answer)"
	case answer.Ungradable.Text():
		return "(could not be graded)"
	}
	return class
}

// answerRow returns one answer, which said text, as a report shows it.
func (t *answerSet) answerRow(c *suite.Case, trial *trial, text string, golds []answer.Form) AnswerRow {
	row := AnswerRow{
		Variant: trial.variant.Number, Repeat: int(trial.repeat), Kind: string(trial.variant.Kind),
		Family: string(trial.variant.Family),
		Prompt: prompt.Asked(c, *trial.variant, t.by.layout()),
		Text:   text, Read: classShown(trial.class.Text()),
		Failure: cmp.Or(trial.grade.Reason, trial.more().open),
		Order:   trial.variant.OptionOrder,
	}
	if trial.purpose == forSample {
		row.Kind = "sampled"
	}
	row.Retrieved = t.by.retrieved(trial)
	switch {
	case trial.class.IsZero():
		row.Verdict = "unscored"
	case trial.class == answer.Ungradable:
		row.Verdict = "ungradable"
	case slices.Contains(golds, trial.class):
		row.Verdict = "right"
	case trial.class == answer.Declined:
		row.Verdict = "declined"
	case len(golds) > 0:
		row.Verdict = "wrong"
	}
	return row
}

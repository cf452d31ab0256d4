package assay

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"hallmark/internal/answer"
	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/joint"
	"hallmark/internal/metric/rate"
	"hallmark/internal/prompt"
	"hallmark/internal/run"
	"hallmark/internal/seed"
	"hallmark/internal/suite"
)

// An Assay is an evaluated run: its result document and the table behind it.
type Assay struct {
	Document Document
	Cases    []CaseRow
	// Rows are the graded cases of each model and suite, in the plan's order, for comparisons. Cases that have neither
	// gold nor oracle are not among them.
	Rows [][]rate.Row
}

// level is the confidence of every interval of a run.
const level = .95

// notStored is the reason of an answer whose call has no record: it was not made, for the budget, an interruption or
// --offline.
const notStored = "not asked: no stored answer (the budget, --offline or an interruption kept the call from being made)"

// Evaluate computes everything a run reports from its plan and the stored records. It calls no model. Calls without a
// record are unscored.
func Evaluate(ctx context.Context, store run.Store, p *Plan, version string) (*Assay, error) {
	notes, err := p.Validate()
	if err != nil {
		return nil, err
	}
	e := &evaluation{plan: p}
	e.tables = make([][][]cell, len(p.Models)*len(p.Suites))
	for i := range e.tables {
		e.tables[i] = make([][]cell, len(p.cases(p.Suites[i%len(p.Suites)])))
	}
	planNotes, err := p.each(func(a planned) error {
		t := e.tables[a.model*len(p.Suites)+a.suite]
		t[a.item] = append(t[a.item], cell{planned: a})
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := &Assay{Document: Document{Run: runInfo(p, version, append(notes, planNotes...))}}
	for mi, m := range p.Models {
		result := ModelResult{Model: m.Ref, Identity: m.Identity, Greedy: !m.Sampling, Unscored: []Unscored{}}
		if len(p.Suites) > 1 {
			result.Suites = map[string]*SuiteResult{}
		}
		counted := map[run.Key]bool{}
		for si, s := range p.Suites {
			table := e.tables[mi*len(p.Suites)+si]
			if err := fetch(ctx, store, table); err != nil {
				return nil, err
			}
			sr, rows, graded, err := e.suite(m, s, table)
			if err != nil {
				return nil, err
			}
			out.Cases = append(out.Cases, rows...)
			out.Rows = append(out.Rows, graded)
			result.Unscored = append(result.Unscored, e.unscored...)
			e.unscored = nil
			for _, cells := range table {
				for _, c := range cells {
					if r := c.record.Response; r != nil && !counted[c.key] {
						counted[c.key] = true
						result.Tokens.Prompt += r.Usage.PromptTokens
						result.Tokens.Completion += r.Usage.CompletionTokens
						result.USD += r.Usage.USD
					}
				}
			}
			if len(p.Suites) > 1 {
				result.Suites[s.Name] = sr
			} else {
				result.SuiteResult = sr
			}
			e.tables[mi*len(p.Suites)+si] = nil // the answers of a large run are not all held at once
		}
		out.Document.Models = append(out.Document.Models, result)
	}
	return out, nil
}

func runInfo(p *Plan, version string, notes []string) RunInfo {
	info := RunInfo{
		ID: p.ID(), Seed: p.Seed, AsOf: p.AsOf, Version: version, Methods: p.Methods, Tau: p.Tau, Sampled: p.Sampled,
		Equal: p.Equal, Choices: p.Choices, Command: p.command(), Warnings: append([]string{}, notes...),
	}
	for _, s := range p.Suites {
		info.Suites = append(info.Suites, SuiteInfo{s.Name, s.Version, string(s.Hash()), len(p.cases(s))})
		if info.AsOf == "" && len(p.Suites) == 1 {
			info.AsOf = s.AsOf
		}
	}
	for _, v := range p.Variants {
		if info.Variants == nil {
			info.Variants = map[string]int{}
		}
		info.Variants[string(v.Kind)] = v.N
	}
	return info
}

// A cell is one planned answer with its record and, once read, its grade.
type cell struct {
	planned
	key    run.Key
	record run.Record
	stored bool
	answer grade.Answer
	grade  grade.Grade
	class  string // the answer as compared; "" where it is unscored
	text   string // the answer as shown
}

// fetch fills in the records of a table.
func fetch(ctx context.Context, store run.Store, table [][]cell) error {
	var keys []run.Key
	for _, cells := range table {
		for i := range cells {
			cells[i].key = cells[i].call.Key()
			keys = append(keys, cells[i].key)
		}
	}
	records, err := store.Lookup(ctx, keys)
	if err != nil {
		return err
	}
	for _, cells := range table {
		for i := range cells {
			cells[i].record, cells[i].stored = records[cells[i].key]
		}
	}
	return nil
}

type evaluation struct {
	plan     *Plan
	tables   [][][]cell
	unscored []Unscored
}

// suite evaluates one model on one suite.
func (e *evaluation) suite(m Subject, s *suite.Suite, table [][]cell) (*SuiteResult, []CaseRow, []rate.Row, error) {
	p := e.plan
	rub, err := rubric.New(s, p.asOf(s))
	if err != nil {
		return nil, nil, nil, err
	}
	cases := p.cases(s)
	rows := make([]CaseRow, len(cases))
	var graded []rate.Row // of the cases that have something to grade by
	greedy := make([]*consistency.Case, len(cases))
	var sampled []*consistency.Case
	var sampledAt []int
	var over []rate.Row
	var repeats [][]int // class counts of the cases asked again
	for ci := range cases {
		c := &cases[ci]
		gradable := rub.Gradable(c)
		golds := p.golds(c)
		again := &tally{}
		variants := &consistency.Case{ID: c.ID, Tags: c.Tags, Gold: golds}
		draws := &consistency.Case{ID: c.ID, Tags: c.Tags, Gold: golds}
		row := caseRow(m, s, c)
		for i := range table[ci] {
			cell := &table[ci][i]
			e.read(rub, c, cell)
			if cell.grade.Reason != "" {
				e.miss(s, c, cell, "", cell.grade.Reason)
			}
			shown := e.answerRow(cell, golds)
			switch cell.purpose {
			case forVariant:
				rr := rate.NewRow(rub, c, cell.grade)
				if gradable {
					over = append(over, rr)
				}
				if cell.variant.Number == 0 {
					if gradable {
						graded = append(graded, rr)
						e.missingVerdicts(s, c, cell)
					}
					row.grade(cell.grade, rr.Gates)
					if !gradable {
						row.Hallucinated = nil
					}
					again.add(cell.class)
				}
				row.Answers = append(row.Answers, shown)
				if err := add(variants, cell, cell.variant.Number); err != nil {
					return nil, nil, nil, err
				}
			case forSample:
				row.Sampled = append(row.Sampled, shown)
				if err := add(draws, cell, cell.repeat); err != nil {
					return nil, nil, nil, err
				}
			case forFloor:
				again.add(cell.class)
			}
		}
		if again.asked > 1 {
			repeats = append(repeats, again.counts)
		}
		greedy[ci] = variants
		if len(row.Sampled) > 0 {
			sampled = append(sampled, draws)
			sampledAt = append(sampledAt, ci)
		}
		rows[ci] = row
	}
	out := &SuiteResult{}
	if p.Has(Rubric) && len(graded) > 0 {
		res := rate.Analyze(graded, rate.Options{Level: level, Variants: over})
		out.Rubric = &res
	}
	if p.Has(Consistency) {
		opt := consistency.DefaultOptions()
		opt.Tau, opt.WithReplacement, opt.ExcludeDefault, opt.PerQuestion = p.Tau, p.SC == WithReplacement, p.ExcludeDefault, true
		if askedTwice(greedy) {
			res, err := consistency.Analyze(greedy, opt)
			if err != nil {
				return nil, nil, nil, err
			}
			byID := perQuestion(res)
			for ci := range rows {
				rows[ci].stability(byID[rows[ci].ID])
			}
			if out.Rubric != nil {
				out.Joint = beside(graded, res)
			}
			res.PerQuestion = nil
			out.Consistency = &res
		}
		if len(sampled) > 0 {
			opt.ExcludeDefault = false
			res, err := consistency.Analyze(sampled, opt)
			if err != nil {
				return nil, nil, nil, err
			}
			byID := perQuestion(res)
			for i, ci := range sampledAt {
				if q, ok := byID[sampled[i].ID]; ok {
					sc := q.SC
					rows[ci].SampledSC = &sc
				}
			}
			out.ConsistencySampled = sampledResult(&res, p.Sampled)
		}
		if len(repeats) > 0 {
			out.RepeatAgreement = repeatAgreement(p.Repeats, repeats)
		}
	}
	out.Designed = designed(s, cases, rows)
	out.Findings = findings(out)
	return out, rows, graded, nil
}

// read grades a cell's record.
func (e *evaluation) read(rub *rubric.Rubric, c *suite.Case, cell *cell) {
	switch {
	case !cell.stored:
		cell.answer = grade.Answer{Failure: notStored}
	case cell.record.Response == nil:
		cell.answer = grade.Answer{Failure: cell.record.Failure}
	case len(cell.call.Request.Options) > 0:
		stream := seed.Stream(e.plan.Seed, "tie", c.ID, strconv.Itoa(cell.variant.Number))
		choice, err := prompt.Choose(cell.record.Response.Options, e.plan.OptionScore, prompt.OptionsOf(c, cell.variant), stream)
		if err != nil {
			cell.answer = grade.Answer{Failure: err.Error()}
			break
		}
		i := prompt.OptionAt(cell.variant, choice.Position)
		cell.answer = grade.Answer{Option: &i}
		cell.text = c.Options[i]
	default:
		r := cell.record.Response
		cell.answer = grade.Answer{Text: r.Text, Finish: r.Finish, Order: cell.variant.OptionOrder}
		if r.Text != nil {
			cell.text = *r.Text
		}
	}
	if rub.Gradable(c) {
		cell.grade = rub.Grade(c, cell.answer)
	} else {
		cell.grade = ungraded(cell.answer, oracle.Normal(rubric.Equality(c), cell.text))
	}
	if cell.grade.Reason == "" {
		cell.class = e.plan.class(c, cell)
	}
}

// ungraded returns the grade of an answer to a case that has neither gold nor oracle: it can be compared over variants,
// and no axis applies.
func ungraded(a grade.Answer, normal string) grade.Grade {
	j := grade.Judgment{Verdict: grade.NotApplicable, Rule: "no gold and no oracle to grade by"}
	g := grade.Grade{Truth: j, Decidability: j, Reciprocity: j, Format: j, Normal: cmp.Or(normal, grade.UnreadText)}
	if g.Reason = a.Missing(); g.Reason != "" {
		g.Normal = ""
	}
	return g
}

// class returns the class of a scored answer for comparison over variants: the normal form of what the oracle read in
// it, or an act. Where the oracle accepts an answer in a form that is none of the golds', it is of the gold's class.
func (p *Plan) class(c *suite.Case, cell *cell) string {
	normal := cell.grade.Normal
	switch normal {
	case grade.RightAct, grade.DeclinedText, grade.UnreadText:
		return normal
	}
	if p.Equal != "" {
		normal = cmp.Or(oracle.Normal(answer.Relation(p.Equal), cell.text), grade.UnreadText)
	}
	golds := p.golds(c)
	if cell.grade.Truth.Verdict != grade.Pass || len(golds) == 0 || slices.Contains(golds, normal) {
		return normal
	}
	return golds[0]
}

// golds returns the classes of the right answers.
func (p *Plan) golds(c *suite.Case) (classes []string) {
	if c.Decline || c.Oracle != nil && (c.Oracle.Type == "refusal" || c.Oracle.Type == "clarification") {
		return []string{grade.RightAct}
	}
	relation := rubric.Equality(c)
	if p.Equal != "" {
		relation = answer.Relation(p.Equal)
	}
	texts := c.Gold.Texts
	switch {
	case c.Gold.Option != nil:
		texts = []string{c.Options[*c.Gold.Option]}
	case len(texts) == 0 && c.Oracle != nil:
		texts = c.Oracle.Accept
		if c.Oracle.Value != "" {
			texts = []string{c.Oracle.Value}
		}
	}
	for _, t := range texts {
		if n := oracle.Normal(relation, t); n != "" && !slices.Contains(classes, n) {
			classes = append(classes, n)
		}
	}
	return classes
}

// A tally counts answers by class, and how many were asked for.
type tally struct {
	asked   int
	classes []string
	counts  []int
}

// add counts an answer; one that is unscored has no class.
func (t *tally) add(class string) {
	t.asked++
	if class == "" {
		return
	}
	i := slices.Index(t.classes, class)
	if i < 0 {
		i = len(t.classes)
		t.classes, t.counts = append(t.classes, class), append(t.counts, 0)
	}
	t.counts[i]++
}

// add puts a cell's answer into a consistency case, or counts it as unscored.
func add(c *consistency.Case, cell *cell, number int) error {
	switch cell.class {
	case "":
		return c.AddUnscored(number)
	case grade.DeclinedText:
		return c.Add(number, consistency.Answer{Kind: consistency.Declined})
	case grade.UnreadText:
		return c.Add(number, consistency.Answer{Kind: consistency.Unread})
	}
	a := consistency.Answer{Kind: consistency.Read, Form: cell.class}
	if r := cell.record.Response; r != nil {
		a.Retrieved = r.Retrieved
	}
	return c.Add(number, a)
}

// miss lists an answer or verdict that could not be had.
func (e *evaluation) miss(s *suite.Suite, c *suite.Case, cell *cell, axis, reason string) {
	u := Unscored{CaseID: c.ID, Variant: cell.variant.Number, Axis: axis, Reason: reason}
	if cell.purpose != forVariant {
		u.Repeat = cell.repeat
	}
	if len(e.plan.Suites) > 1 {
		u.Suite = s.Name
	}
	e.unscored = append(e.unscored, u)
}

// missingVerdicts lists the axes that a grader left open though there was an answer.
func (e *evaluation) missingVerdicts(s *suite.Suite, c *suite.Case, cell *cell) {
	g := cell.grade
	if g.Reason != "" || !e.plan.Has(Rubric) {
		return
	}
	for i, j := range []grade.Judgment{g.Truth, g.Decidability, g.Reciprocity, g.Format} {
		if j.Verdict == grade.Unscored {
			e.miss(s, c, cell, axisNames[i], j.Rule)
		}
	}
}

var axisNames = [4]string{"truth", "decidability", "reciprocity", "format"}

// askedTwice reports whether any case was asked in two variants, so that agreement is a question at all.
func askedTwice(cases []*consistency.Case) bool {
	for _, c := range cases {
		if c.Scored()+c.Unscored > 1 {
			return true
		}
	}
	return false
}

func perQuestion(r consistency.Result) map[string]consistency.Question {
	byID := make(map[string]consistency.Question, len(r.PerQuestion))
	for _, q := range r.PerQuestion {
		byID[q.ID] = q
	}
	return byID
}

// beside sets the rubric and the consistency of one suite side by side.
func beside(graded []rate.Row, res consistency.Result) *joint.Result {
	byID := perQuestion(res)
	cases := make([]joint.Case, 0, len(graded))
	for i := range graded {
		q, asked := byID[graded[i].CaseID]
		if !asked {
			continue
		}
		g := graded[i].Grade
		h, scored := g.Hallucinated(graded[i].Gates)
		cases = append(cases, joint.Case{
			ID: graded[i].CaseID, RubricScored: scored, Variants: q.R, Hallucinated: h,
			Failed: [3]bool{g.Truth.Verdict == grade.Fail, g.Decidability.Verdict == grade.Fail, g.Reciprocity.Verdict == grade.Fail},
			Stable: q.Stable, HasGold: q.Correct != nil, Right: q.Correct != nil && *q.Correct, Variance: q.Variance,
		})
	}
	r := joint.Analyze(cases)
	return &r
}

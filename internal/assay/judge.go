package assay

import (
	"context"
	"fmt"

	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// judgeTokens is the longest reply of a judge: a verdict with a reason of thirty words, and room for thoughts before it.
const judgeTokens = 1024

// Judged says how many cases of a suite a judge has a part in deciding. They do not count as graded automatically: correct their rate by a
// human sample.
type Judged struct {
	Judge   string  `json:"judge"` // its reference; "" where none was named
	Cases   int     `json:"cases"`
	Share   float64 `json:"share"`   // of the cases of the suite
	Pending int     `json:"pending"` // answers to the default prompt that wait for a judge
	// What became of the others that it was asked about: accepted, rejected, or no verdict, as its call failed or its reply was none.
	Accepted  int `json:"accepted"`
	Rejected  int `json:"rejected"`
	NoVerdict int `json:"no_verdict"`
	// What its calls took, each counted once; the totals of the model that was judged hold them too.
	Tokens Tokens  `json:"tokens"`
	USD    float64 `json:"usd"`
}

// count adds what the grade of an answer to the default prompt says of the judge.
func (j *Judged) count(g grade.Grade) {
	switch g.Truth.Rule {
	case oracle.JudgePending:
		j.Pending++
	case oracle.JudgeAccepted:
		j.Accepted++
	case oracle.JudgeRejected:
		j.Rejected++
	case oracle.JudgeNoReply, oracle.JudgeNoVerdict:
		j.NoVerdict++
	}
}

// spent is what a call of a helper took.
type spent struct {
	key   run.Key
	usage model.Usage
}

// spend adds what a record's call took.
func (t *Tokens) spend(u model.Usage) {
	t.Prompt += u.PromptTokens
	t.Completion += u.CompletionTokens
}

// judgeCall is the call that asks a judge.
func (p *Plan) judgeCall(question string) run.Call {
	req := model.Request{Prompt: question, MaxTokens: judgeTokens}
	if p.Judge.Sampling {
		req.Temperature = 1
	}
	return run.Call{Model: p.Judge.Identity, Request: req}
}

// toJudge returns what the plan's judge is to be asked about the answers that are stored, each once, in the
// plan's order. It is empty without a judge, and where no case has one.
func (p *Plan) toJudge(ctx context.Context, store run.Store) ([]run.Call, error) {
	if p.Judge == nil {
		return nil, nil
	}
	rubrics := make([]*rubric.Rubric, len(p.Suites))
	for i, s := range p.Suites {
		r, err := p.rubric(s)
		if err != nil {
			return nil, err
		}
		rubrics[i] = r
	}
	wanted := func(a planned) bool {
		return rubrics[a.suite].Judged(&p.cases(p.Suites[a.suite])[a.item])
	}
	return p.callsAbout(ctx, store, wanted, func(c *suite.Case, x *cell) []run.Call {
		var calls []run.Call
		a, _ := p.answer(c, x)
		for _, q := range rubrics[x.suite].Questions(c, a) {
			calls = append(calls, p.judgeCall(q))
		}
		return calls
	})
}

// callsAbout returns the calls that stored answers give rise to, each once, in the plan's order: of the planned answers that are wanted, what
// ask says of each with its record.
func (p *Plan) callsAbout(ctx context.Context, store run.Store, wanted func(planned) bool, ask func(*suite.Case, *cell) []run.Call) ([]run.Call, error) {
	var cells []cell
	_, err := p.each(func(a planned) error {
		if wanted(a) {
			cells = append(cells, p.newCell(a))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := fetch(ctx, store, [][]cell{cells}); err != nil {
		return nil, err
	}
	var calls []run.Call
	for i := range cells {
		calls = append(calls, ask(&p.cases(p.Suites[cells[i].suite])[cells[i].item], &cells[i])...)
	}
	var fresh run.Fresh
	return fresh.Of(calls), nil
}

// opinions gives the answers of a table what the judge replied about them, and returns what each of its calls took, in the plan's order.
func (p *Plan) opinions(ctx context.Context, store run.Store, s *suite.Suite, table [][]cell) ([]spent, error) {
	if p.Judge == nil {
		return nil, nil
	}
	rub, err := p.rubric(s)
	if err != nil {
		return nil, err
	}
	type asked struct {
		cell     *cell
		question string
	}
	var all []asked
	var calls []run.Call
	for ci := range table {
		c := &p.cases(s)[ci]
		if !rub.Judged(c) {
			continue
		}
		for i := range table[ci] {
			cell := &table[ci][i]
			a, _ := p.answer(c, cell)
			for _, q := range rub.Questions(c, a) {
				all, calls = append(all, asked{cell, q}), append(calls, p.judgeCall(q))
			}
		}
	}
	if len(calls) == 0 {
		return nil, nil
	}
	records, err := run.Records(ctx, store, calls)
	if err != nil {
		return nil, err
	}
	var took []spent
	counted := map[run.Key]bool{}
	for i, r := range records {
		o := grade.Opinion{Failure: notStored}
		if key := calls[i].Key(); r != nil && r.Response != nil && !counted[key] {
			counted[key] = true
			took = append(took, spent{key, r.Response.Usage})
		}
		switch {
		case r == nil:
		case r.Response == nil:
			o.Failure = r.Failure
		case r.Response.Text == nil:
			o.Failure = "the judge's response has no text"
		default:
			o = grade.Opinion{Text: *r.Response.Text}
		}
		if all[i].cell.opinions == nil {
			all[i].cell.opinions = map[string]grade.Opinion{}
		}
		all[i].cell.opinions[all[i].question] = o
	}
	return took, nil
}

// judged counts the cases of a suite in which a judge has a part, what it decided of their answers to the default prompt, and what its calls took.
func (p *Plan) judged(rub *rubric.Rubric, s *suite.Suite, table [][]cell, took []spent) *Judged {
	j := &Judged{}
	if p.Judge != nil {
		j.Judge = p.Judge.Ref
	}
	cases := p.cases(s)
	for ci := range cases {
		if !rub.Judged(&cases[ci]) {
			continue
		}
		j.Cases++
		for i := range table[ci] {
			if cell := &table[ci][i]; cell.purpose == forVariant && cell.variant.Number == 0 {
				j.count(*cell.grade)
			}
		}
	}
	if j.Cases == 0 {
		return nil
	}
	j.Share = float64(j.Cases) / float64(len(cases))
	for _, t := range took {
		j.Tokens.spend(t.usage)
		j.USD += t.usage.USD
	}
	return j
}

// pending reports whether a grade waits for a judge that nobody named, so that no planned verdict is missing.
func pending(g grade.Grade) bool {
	return g.Truth.Verdict == grade.Unscored && g.Truth.Rule == oracle.JudgePending
}

// judgeNotes says what a reader has to know of cases that a judge decides.
func (p *Plan) judgeNotes() (notes []string) {
	for _, s := range p.Suites {
		n := 0
		for _, c := range p.cases(s) {
			if c.Oracle.Has("judge") {
				n++
			}
		}
		switch {
		case n > 0 && p.Judge == nil:
			notes = append(notes, fmt.Sprintf("suite %s: a judge decides %d of %d cases, and none was named; they are unscored without --judge", s.Name, n, len(p.cases(s))))
		case n > 0:
			notes = append(notes, fmt.Sprintf("suite %s: %s decides %d of %d cases as a judge; they do not count as graded automatically, and need a human sample", s.Name, p.Judge.Ref, n, len(p.cases(s))))
		}
	}
	return notes
}

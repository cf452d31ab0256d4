package assay

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"slices"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/grade"
	"hallmark/internal/grade/judge"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/rate"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

const (
	// the longest reply of a judge: a verdict with a reason of thirty words, and room for thoughts before it
	judgeTokens = 1024
	// answers to a suite of which a judge is asked a second time, to see whether it agrees with itself
	judgedTwice = 30
	secondTime  = 10 // the repeat of that asking, where the question is the same as the first
)

// JudgeTries is how often a judge is asked whose reply cannot be read: the first time and as the next repeats.
const JudgeTries = 3

// Judged says what judges had a part in deciding on a suite. What they decided does not count as graded
// automatically: correct its rate by a human sample.
type Judged struct {
	Judge string   `json:"judge"`           // its reference, the first of a panel; "" where none was named
	Panel []string `json:"panel,omitempty"` // the others
	// they were asked about every answer; else about those that rules leave
	All   bool            `json:"all,omitempty"`
	Cases int             `json:"cases"`            // in which a judge has a part
	Share float64         `json:"share"`            // of the cases of the suite
	Kept  QuestionVersion `json:"wording,omitzero"` // of the question, where outcomes were asked for

	// Of answers to the default prompt: those that wait for a judge, and what became of the others.
	Pending      int `json:"pending"`
	Accepted     int `json:"accepted"` // by the oracle judge
	Rejected     int `json:"rejected"`
	Correct      int `json:"correct,omitempty"` // by their outcome
	Incorrect    int `json:"incorrect,omitempty"`
	NotAttempted int `json:"not_attempted,omitempty"`
	Split        int `json:"split,omitempty"` // no majority of the panel
	NoVerdict    int `json:"no_verdict"`      // its call failed, or its replies were none

	// Asked again are replies that could not be read and were asked for once more.
	AskedAgain int `json:"asked_again,omitempty"`
	// SelfAgreement is how often a judge gave the same outcome when it was asked a second time, with the references
	// in the opposite order.
	SelfAgreement *grading.Share `json:"self_agreement,omitempty"`
	// OrderAgreement is the same of those questions alone that have several references or wrong answers, so that their
	// order was another the second time.
	OrderAgreement *grading.Share `json:"order_agreement,omitempty"`
	// Anchors are what each judge made of answers of which it is plain what they did.
	Anchors []Anchored `json:"anchors,omitempty"`
	// What its calls took, each counted once; the totals of the model that was judged hold them too.
	Tokens   Tokens   `json:"tokens"`
	USD      float64  `json:"usd"`
	Warnings []string `json:"warnings,omitempty"`
}

// A QuestionVersion names the question that judges were asked: judge.Version.
type QuestionVersion string

// Anchored is what one judge made of the anchors: the same judge gives the same verdicts in every run, unless it
// was changed.
type Anchored struct {
	Judge    string                   `json:"judge"`
	N        int                      `json:"n"`     // anchors with a reply that could be read
	Right    int                      `json:"right"` // of N
	Verdicts map[string]grade.Outcome `json:"verdicts"`
}

// counts are where grades of answers to the default prompt are counted that judges had a part in, by the rule of truth.
func (j *Judged) counts() map[string]*int {
	return map[string]*int{
		oracle.JudgePending: &j.Pending, oracle.JudgeAccepted: &j.Accepted, oracle.JudgeRejected: &j.Rejected,
		rubric.JudgeCorrect: &j.Correct, rubric.JudgeIncorrect: &j.Incorrect, rubric.JudgeNotAttempted: &j.NotAttempted,
		oracle.JudgesSplit: &j.Split, oracle.JudgeNoReply: &j.NoVerdict, oracle.JudgeNoVerdict: &j.NoVerdict,
	}
}

// judges are the models that decide: one, or a panel; none where none was named.
func (p *Plan) judges() []*UnderTest {
	if p.Judge == nil {
		return nil
	}
	return append([]*UnderTest{p.Judge}, p.Panel...)
}

// JudgeCall is the call that asks a judge a question as the nth repeat.
func JudgeCall(by *UnderTest, question string, n int) run.Call {
	req := model.Request{Prompt: question, MaxTokens: judgeTokens}
	if by.Sampling {
		req.Temperature = 1
	}
	return run.Call{Model: by.Identity, Request: req, Repeat: n}
}

// A hearing is a question to the judges about an answer.
type hearing struct {
	*trial
	rubric.Question
	twice bool // it is asked a second time
}

// second is the call by which a judge is asked a second time.
func (h *hearing) second(by *UnderTest) run.Call {
	if text := h.Asked.Turned().Text(); text != h.Text {
		return JudgeCall(by, text, 0)
	}
	return JudgeCall(by, h.Text, secondTime)
}

// hearings returns what the judges are to be asked about the answers.
func (x *sitting) hearings() (all []hearing) {
	if x.plan.Judge == nil {
		return nil
	}
	for ci, trial := range eachTrial(x.table) {
		c := x.cases.At(ci)
		x.texts.hold(trial)
		a, _ := x.plan.answer(c, trial)
		for _, q := range x.rub.Questions(c, a) {
			all = append(all, hearing{trial: trial, Question: q})
		}
		if x.puts() {
			x.texts.put(trial)
		}
	}
	x.plan.sampleTwice(all)
	return all
}

// sampleTwice marks the questions that are asked a second time: of those for outcomes a random sample, which a hash
// with the seed samples.
func (p *Plan) sampleTwice(all []hearing) {
	rank := func(text string) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "judged twice %d %s", p.Seed, text))
		return string(sum[:])
	}
	var ranks []string
	for _, h := range all {
		if h.Asked != nil {
			ranks = append(ranks, rank(h.Text))
		}
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	if len(ranks) == 0 {
		return
	}
	last := ranks[min(len(ranks), judgedTwice)-1]
	for i := range all {
		all[i].twice = all[i].Asked != nil && rank(all[i].Text) <= last
	}
}

// A heard is what the judges replied about the answers of a table.
type heard struct {
	took     bill  // of the calls, in the plan's order
	again    int   // replies that could not be read and were asked for once more
	twice    sames // the second askings with two replies that could be read
	turned   sames // of these: where the order of references was another
	outcomes bool  // they were asked for
	more     []int // by judge: calls that may follow, where replies that are not there yet cannot be read
}

// sames counts pairs of replies, and those of one outcome.
type sames struct{ k, n int }

func (s *sames) add(same bool) {
	if s.n++; same {
		s.k++
	}
}

// share is the share of one outcome; nil of none.
func (s *sames) share() *grading.Share {
	if s.n == 0 {
		return nil
	}
	return &grading.Share{K: s.k, N: s.n, Rate: stat.Rate(stat.Wilson(s.k, s.n, level))}
}

// hear gives each answer what the judges replied about it, as far as it is stored. It passes the calls of each
// round to visit, which may be nil: first every question and the second askings, then those whose reply could not
// be read, as the next repeat, and once more.
func (x *sitting) hear(ctx context.Context, visit func(round int, calls []run.Call)) (heard, error) {
	all, judges := x.hearings(), x.plan.judges()
	out := heard{more: make([]int, len(judges))}
	// fetched returns the opinions that answer calls.
	fetched := func(round int, calls []run.Call) ([]grade.Opinion, error) {
		if visit != nil {
			visit(round, calls)
		}
		records, err := run.Records(ctx, x.store, calls)
		if err != nil {
			return nil, err
		}
		opinions := make([]grade.Opinion, len(calls))
		for i, r := range records {
			out.took.note(calls[i].Key(), r)
			opinions[i] = opinionOf(r)
		}
		return opinions, nil
	}
	type place struct {
		*hearing
		judge int
	}
	var open []place
	for i := range all {
		h := &all[i]
		h.judged = true
		setIn(&h.own().opinions, h.Text, make([]grade.Opinion, len(judges)))
		out.outcomes = out.outcomes || h.Asked != nil
		for k := range judges {
			open = append(open, place{h, k})
		}
	}
	var seen run.Fresh
	for round := 0; round < JudgeTries && len(open) > 0; round++ {
		var calls []run.Call
		for _, at := range open {
			calls = append(calls, JudgeCall(judges[at.judge], at.Text, round))
		}
		opinions, err := fetched(round, calls)
		if err != nil {
			return out, err
		}
		still := open[:0]
		for i, at := range open {
			o, first := opinions[i], seen.Is(calls[i].Key())
			switch {
			case o.Pending && first && at.Asked != nil:
				out.more[at.judge] += JudgeTries - 1 - round
			case round > 0 && first:
				out.again++
			}
			if round > 0 && o.Pending {
				continue // what could not be read stays
			}
			at.own().opinions[at.Text][at.judge] = o
			if o.Failure == "" && at.Reads(o.Text) != nil {
				still = append(still, at)
			}
		}
		open = still
	}
	return out, x.plan.agree(all, &out, fetched)
}

// opinionOf is what a judge's record says.
func opinionOf(r *run.Record) grade.Opinion {
	switch why := missing(r); {
	case why != "":
		return grade.Opinion{Failure: why, Pending: r == nil}
	case r.Response.Text == nil:
		return grade.Opinion{Failure: "the judge's response has no text"}
	}
	return grade.Opinion{Failure: r.Failure, Text: *r.Response.Text}
}

// agree counts how often judges gave the same outcome when they were asked a second time, each question once.
func (p *Plan) agree(all []hearing, out *heard,
	fetched func(round int, calls []run.Call) ([]grade.Opinion, error)) error {
	type twice struct {
		first  grade.Outcome
		answer string
		turned bool
	}
	var asked []twice
	var calls []run.Call
	done := map[string]bool{}
	for i := range all {
		h := &all[i]
		if !h.twice || done[h.Text] {
			continue
		}
		done[h.Text] = true
		for k, by := range p.judges() {
			o, _, _ := judge.Read(h.more().opinions[h.Text][k].Text, h.Asked.Answer)
			calls = append(calls, h.second(by))
			asked = append(asked, twice{o, h.Asked.Answer, h.Asked.Turned().Text() != h.Text})
		}
	}
	opinions, err := fetched(0, calls)
	for i, o := range opinions {
		was := asked[i]
		if second, _, _ := judge.Read(o.Text, was.answer); was.first != "" && second != "" {
			out.twice.add(was.first == second)
			if was.turned {
				out.turned.add(was.first == second)
			}
		}
	}
	return err
}

// anchorCalls ask each judge about each anchor, in a run.
func anchorCalls(id string, judges []*UnderTest) (calls []run.Call) {
	for _, by := range judges {
		for _, a := range anchors {
			calls = append(calls, JudgeCall(by, a.in(id).Text(), 0))
		}
	}
	return calls
}

// anchored reads what each judge made of the anchors, which are of the whole run: what their calls took counts with the
// first suite.
func (x *sitting) anchored(ctx context.Context) error {
	if x.anchors != nil {
		return nil
	}
	calls := anchorCalls(x.id, x.plan.judges())
	records, err := run.Records(ctx, x.store, calls)
	if err != nil {
		return err
	}
	for k, by := range x.plan.judges() {
		made := Anchored{Judge: by.Ref, Verdicts: map[string]grade.Outcome{}}
		for i, a := range anchors {
			at := k*len(anchors) + i
			r := records[at]
			x.judging.took.note(calls[at].Key(), r)
			if missing(r) != "" || r.Response.Text == nil {
				continue
			}
			if o, _, err := judge.Read(*r.Response.Text, a.Answer); err == nil {
				made.N++
				made.Verdicts[a.ID] = o
				if o == a.Outcome {
					made.Right++
				}
			}
		}
		x.anchors = append(x.anchors, made)
	}
	return nil
}

// judged says what the judges decided on a suite, and what their calls took; nothing where they had no part in it, or
// answers were read before, as the rules by which it is counted are the reader's.
func (x *sitting) judged(context.Context) error {
	if x.given != nil {
		return nil
	}
	h, j := &x.judging, &Judged{All: x.rub.All, AskedAgain: x.judging.again}
	for i, by := range x.plan.judges() {
		if j.Judge = cmp.Or(j.Judge, by.Ref); i > 0 {
			j.Panel = append(j.Panel, by.Ref)
		}
		if family := model.Family(by.Ref); family != "" && family == model.Family(x.model.Ref) {
			note(&j.Warnings, "the judge %s is of the family of %s, which it may favour: name a judge of another",
				by.Ref, x.model.Ref)
		}
	}
	counts := j.counts()
	for ci, c := range x.cases.Pass() {
		part := x.rub.Judged(c)
		if t := x.asked(ci); t != nil {
			part = part || t.judged
			if n := counts[t.grade.Truth.Rule]; n != nil && part {
				*n++
			}
			if t.judged && t.grade.Grader == "rules" && t.grade.Outcome() == grade.CannotGrade {
				j.Pending++ // what it replies is not stored
			}
		}
		if part {
			j.Cases++
		}
	}
	if j.Cases == 0 {
		return nil
	}
	j.Share = float64(j.Cases) / float64(x.cases.Len())
	j.Tokens, j.USD = h.took.sum()
	j.SelfAgreement, j.OrderAgreement = h.twice.share(), h.turned.share()
	if h.outcomes {
		j.Kept, j.Anchors = judge.Version, x.anchors
	}
	for _, a := range j.Anchors {
		if 4*a.Right < 3*a.N {
			note(&j.Warnings, "the judge %s is right on %d of %d answers of which it is plain what they did: do not "+
				"rely on it", a.Judge, a.Right, a.N)
		}
	}
	x.out.Judged = j
	return nil
}

// pending reports whether a grade waits for a judge that nobody named, so that no planned verdict is missing.
func pending(g grade.Grade) bool {
	return g.Truth.Verdict == grade.Unscored && g.Truth.Rule == oracle.JudgePending
}

// judgeNotes says what a reader has to know of cases that a judge decides.
func (p *Plan) judgeNotes() (notes []string) {
	for _, s := range p.Suites {
		n := countCases(p.Covered(s), func(c *suite.Case) bool { return c.Oracle.Has("judge") })
		by := ""
		if p.Judge != nil {
			by = cmp.Or(p.Judge.Ref, "a model")
		}
		switch {
		case p.JudgeAll:
			note(&notes, "suite %s: %s decides all answers as a judge; they do not count as graded automatically, "+
				"and need a human sample", s.Name, by)
		case n > 0 && p.Judge == nil:
			note(&notes, "suite %s: a judge decides %d of %d cases, and none was named; they are unscored without "+
				"--judge", s.Name, n, p.Covered(s).Len())
		case n > 0:
			note(&notes, "suite %s: %s decides %d of %d cases as a judge; they do not count as graded automatically, "+
				"and need a human sample", s.Name, by, n, p.Covered(s).Len())
		}
	}
	return notes
}

// grader is what tells the grader of the run apart.
func (e *evaluation) grader() rate.Grader {
	by := rate.Grader{Version: e.grading().Version, All: e.plan.JudgeAll}
	for _, j := range e.plan.judges() {
		by.Judges = append(by.Judges, j.Identity)
	}
	return by
}

//go:embed anchors.jsonl
var anchorLines []byte

// An anchor is an answer of which it is plain what it did. A judge is asked about all of them in each run, so that
// one that was changed between runs, under the same name, is seen.
type anchor struct {
	ID         string        `json:"id"`
	Question   string        `json:"question"`
	References []string      `json:"references"`
	Answer     string        `json:"answer"`
	Outcome    grade.Outcome `json:"outcome"`
}

// anchors are the anchors in their order. They are the same as long as judge.Version is.
var anchors = func() (all []anchor) {
	err := jsonl.Each("anchors.jsonl", bytes.NewReader(anchorLines), func(_ int, a anchor) error {
		all = append(all, a)
		return nil
	}, nil)
	if err != nil { // the file is our own
		panic("assay: " + err.Error())
	}
	return all
}()

// in returns what a judge is asked about the anchor in a run. No two runs ask the same, so that no run has the
// replies of another.
func (a anchor) in(run string) judge.Asked {
	return judge.Asked{Question: a.Question, References: a.References, Answer: a.Answer, Nonce: run}
}

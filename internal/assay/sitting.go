package assay

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/rate"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
)

// A sitting is one model on one suite: the table of its planned answers, and what the steps of its evaluation make
// of them, each from those before.
type sitting struct {
	*evaluation
	*answerSet

	spending     *spending // on the model, over its sittings
	took         bill      // of calls about the answers
	judging      heard     // what judges replied
	equivalences *equivalences
	pairs        []annotate.Item

	shown, variants []annotate.Item // the answers, and those to variants, as people judged them; nil where nobody did

	graded    []rate.Row // of the cases that have something to grade by
	over      []rate.Row // of these, over all variants, where the cases have several
	overOf    []int      // the variant of each
	greedy    []*consistency.Case
	sampled   []*consistency.Case
	sampledAt []int
	repeats   [][]int // class counts of the cases asked again
	repeatsOf []int32 // their clusters
	unscored  []Unscored

	byGreedy  map[string]consistency.Question // nil: not measured
	standings []consistency.Standing
	out       *SuiteResult
}

// sit begins a sitting.
func (e *evaluation) sit(m UnderTest, s *suite.Suite, table [][]trial, on *spending) (*sitting, error) {
	rub, err := e.plan.rubric(s)
	cases := e.plan.Covered(s)
	a := &answerSet{by: e.plan, model: m, suite: s, cases: cases, table: table, rub: rub,
		shelf: e.texts}
	return &sitting{evaluation: e, answerSet: a, spending: on, out: &SuiteResult{}}, err
}

// manyCases are so many that what was read of them is most of what the process holds.
const manyCases = 50_000

// evaluate takes all steps.
func (x *sitting) evaluate(ctx context.Context) error {
	steps := x.plan.steps()
	x.keeping.begin(x)
	for _, s := range steps {
		if s.gather != nil {
			if err := s.gather(x, ctx); err != nil {
				return err
			}
		}
	}
	if err := x.readCases(ctx); err != nil {
		return err
	}
	if x.cases.Len() > manyCases {
		debug.FreeOSMemory() // what reading left behind would stand beside what the estimates take
	}
	for _, s := range steps {
		if s.estimate != nil {
			if err := s.estimate(x, ctx); err != nil {
				return err
			}
		}
	}
	if x.see != nil {
		if err := x.see(x.addedRun(nil).table); err != nil {
			return err
		}
	}
	x.out.Designed = x.designed()
	x.out.Findings = findings(x.out, x.plan.Judge != nil)
	if x.kept != nil {
		x.kept.sets = append(x.kept.sets, x.answerSet)
	}
	x.graded, x.over, x.overOf = nil, nil, nil // what is counted takes as much
	for _, c := range eachTrial(x.table) {
		x.spent(c)
		x.texts.put(c)
		c.release()
	}
	for _, t := range x.took {
		x.spending.count(t.key, t.usage)
	}
	return x.texts.Err()
}

// readCases reads every answer, and sorts it into what the estimates are made from.
func (x *sitting) readCases(ctx context.Context) error {
	if err := cmp.Or(x.readOrRecall(ctx), ctx.Err(), x.rub.Err(), x.texts.Err()); err != nil {
		return err
	}
	for _, c := range eachTrial(x.table) {
		x.rephrased = x.rephrased || c.purpose == forVariant && c.variant.Number != 0
	}
	x.clusters = suite.Clusters(x.cases, x.suite.Cluster)
	x.graded = make([]rate.Row, 0, x.cases.Len())
	if x.rephrased || x.plan.Sweep != nil { // of what agrees over one wording nothing is said
		x.greedy = make([]*consistency.Case, x.cases.Len())
	}
	for ci := range x.cases.Len() {
		if err := x.readCase(ci); err != nil {
			return err
		}
	}
	return nil
}

func (x *sitting) readCase(ci int) (err error) {
	p, c, golds := x.plan, x.cases.At(ci), x.forms[ci]
	again := &tally{}
	// to decline is the right act, or as good as the answer: then right acts are declines in consistency too
	mayDecline := slices.Contains(golds, answer.RightAct) && (c.Decline || len(golds) > 1)
	question := func() *consistency.Case {
		return &consistency.Case{
			ID: c.ID, Tags: c.Tags, Gold: golds, GoldDeclined: mayDecline,
			ReadsProse: p.semantic(c), Cluster: x.cluster(ci),
		}
	}
	variants, samples := question(), (*consistency.Case)(nil)
	for i := range x.table[ci] {
		trial := &x.table[ci][i]
		text := x.reply(ci, trial)
		if trial.grade.Reason != "" && !pending(*trial.grade) {
			x.miss(c, trial, WholeAnswer, trial.grade.Reason)
		}
		if trial.purpose == forRetest || trial.first() {
			again.add(trial.class)
		}
		switch trial.purpose {
		case forVariant:
			x.grade(ci, c, trial, text)
			err = p.add(variants, trial, trial.variant.Number)
		case forSample:
			if samples == nil {
				samples = question()
			}
			err = p.add(samples, trial, int(trial.repeat))
		}
		if err != nil {
			return err
		}
		if trial.class == answer.Ungradable && rubric.Blotted(c, grade.Answer{Text: &text}) {
			x.blotted++
		}
		if len(text) > 2*evidence.Limit {
			x.long++
		}
	}
	if again.asked > 1 {
		x.repeats, x.repeatsOf = append(x.repeats, again.counts), append(x.repeatsOf, x.cluster(ci))
	}
	if x.greedy != nil {
		x.greedy[ci] = variants
	}
	if samples != nil {
		x.sampled, x.sampledAt = append(x.sampled, samples), append(x.sampledAt, ci)
	}
	return nil
}

// grade enters the grade of a greedy answer.
func (x *sitting) grade(ci int, c *suite.Case, trial *trial, text string) {
	g := x.rowOf(ci, c, trial, text, trial.grade)
	g.Answer = "" // which comparisons alone read
	if !x.rub.Gradable(c) {
		return
	}
	if x.rephrased {
		x.over, x.overOf = append(x.over, g), append(x.overOf, trial.variant.Number)
	}
	if trial.variant.Number == 0 {
		x.graded = append(x.graded, g)
		x.missingVerdicts(c, trial)
	}
}

// rates are the figures of the rubric.
func (x *sitting) rates(context.Context) error {
	if err := x.labels(); err != nil {
		return err
	}
	if len(x.graded) == 0 {
		return nil
	}
	check := grading.ShippedFor(x.grading().Version)
	over := x.over
	if !x.rephrased {
		over = x.graded
	}
	res := rate.Analyze(x.graded, rate.Options{Level: level, Variants: over, Check: check, Seed: x.plan.Seed})
	if own := x.plan.GraderCheck; own != nil {
		if why := res.Outcomes.CheckedBy(own.Check, x.grader(), x.graded, x.plan.Seed, level); why != "" {
			res.Warnings = append(res.Warnings, why)
		}
	}
	x.out.Rubric = &res
	return nil
}

// miss lists an answer or verdict that is missing.
func (x *sitting) miss(c *suite.Case, trial *trial, axis, reason string) {
	u := Unscored{CaseID: c.ID, Variant: trial.variant.Number, Axis: axis, Reason: reason}
	if trial.purpose != forVariant {
		u.Repeat = int(trial.repeat)
	}
	x.lacks(u)
}

// lacks lists what is missing, under the name of the suite where there are others.
func (x *sitting) lacks(u Unscored) {
	if len(x.plan.Suites) > 1 {
		u.Suite = x.suite.Name
	}
	x.unscored = append(x.unscored, u)
}

// missingVerdicts lists the axes that a grader left open though there was an answer.
func (x *sitting) missingVerdicts(c *suite.Case, trial *trial) {
	g := trial.grade
	if g.Reason != "" || !x.plan.Has(Rubric) {
		return
	}
	for i, j := range g.Axes() {
		if j.Verdict == grade.Unscored {
			x.miss(c, trial, grading.AxisNames[i], j.Rule)
		}
	}
}

// add takes what a sitting gave.
func (a *Assay) add(x *sitting) {
	a.Cases.parts = append(a.Cases.parts, casePart{x.cases.Len(), x.row, x.answerSet})
	a.Pairs = append(a.Pairs, x.pairs...)
	a.Standings = append(a.Standings, x.standings)
}

// spent counts what an answer took, with what detectors asked about it.
func (x *sitting) spent(c *trial) {
	if u := c.took(); u != (model.Usage{}) {
		x.spending.count(c.key, u)
	}
	for _, f := range c.more().follow {
		if f.record != nil && f.record.Response != nil {
			x.spending.count(f.call.Key(), f.record.Response.Usage)
		}
	}
}

// puts reports whether nothing asks for the texts of answers but a reader of one after the other, so that they are
// put where texts are kept as they are fetched.
func (e *evaluation) puts() bool {
	return !e.plan.Has(Detection) && e.plan.Sweep == nil && e.plan.Equivalence == nil && e.see == nil &&
		!e.plan.adds()
}

// readsOnce reports whether nothing but the grader reads the responses.
func (x *sitting) readsOnce() bool {
	return !x.plan.Has(Detection) && x.plan.Sweep == nil && x.equivalences == nil && x.see == nil &&
		!x.plan.adds()
}

// add takes the result of a sitting.
func (r *ModelResult) add(x *sitting) {
	if r.Suites != nil {
		r.Suites[x.suite.Name] = x.out
	} else {
		r.SuiteResult = x.out
	}
	r.Unscored = append(r.Unscored, x.unscored...)
}

// A halfKey is the first half of a key, which tells calls apart as well: two of 4,000,000 share one with a chance of
// 10^-26.
type halfKey [len(run.Key{}) / 2]byte

// spending is what the calls to one model and about its answers took, each counted once.
type spending struct {
	counted map[halfKey]struct{}
	tokens  Tokens
	usd     float64
}

// spent is what a call took.
type spent struct {
	key   run.Key
	usage model.Usage
}

// A bill is what calls took, in their order. A call that stands in it twice counts once.
type bill []spent

// note enters a call whose record, nil where none is stored, has a response.
func (b *bill) note(key run.Key, r *run.Record) {
	if r != nil && r.Response != nil {
		*b = append(*b, spent{key, r.Response.Usage})
	}
}

func (b bill) sum() (Tokens, float64) {
	var all spending
	for _, s := range b {
		all.count(s.key, s.usage)
	}
	return all.tokens, all.usd
}

func (s *spending) count(key run.Key, u model.Usage) {
	if s.counted == nil {
		s.counted = map[halfKey]struct{}{}
	}
	half := halfKey(key[:])
	if _, twice := s.counted[half]; !twice {
		s.counted[half] = struct{}{}
		s.tokens.Prompt = min(s.tokens.Prompt+u.PromptTokens, mostSpent)
		s.tokens.Completion = min(s.tokens.Completion+u.CompletionTokens, mostSpent)
		s.usd += u.USD
	}
}

// mostSpent is where sums of tokens stop.
const mostSpent = 1 << 60

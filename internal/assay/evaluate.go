package assay

import (
	"context"
	"slices"

	"hallmark/internal/annotate"
	"hallmark/internal/assay/belief"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/joint"
	"hallmark/internal/metric/rate"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// An Assay is an evaluated run: its result document and the table behind it.
type Assay struct {
	Document Document
	Cases    []CaseRow
	// Rows are the graded cases of each model and suite, in the plan's order, for comparisons. Cases that have neither
	// gold nor oracle are not among them.
	Rows [][]rate.Row
	// Units are the graded answers to default prompts, of all models and suites, as people are shown them.
	Units []annotate.Unit
	// Pairs are the pairs of answers that were compared by meaning, as people are shown them.
	Pairs []annotate.Unit
	// Standings are how the cases stood in consistency, in each model and suite, in the plan's order: what pairs runs.
	Standings [][]consistency.Standing
	// OtherModels are those of the run's warnings that say that a server answered by another model than it was asked for.
	OtherModels []string
}

// level is the confidence of every interval of a run.
const level = .95

// notStored is the reason of an answer whose call has no record.
const notStored = belief.NotStored

// Evaluate computes everything a run reports from its plan and the stored records. It calls no model. Calls without a
// record are unscored.
func Evaluate(ctx context.Context, store run.Store, p *Plan, version string) (*Assay, error) {
	return evaluateWith(ctx, store, p, version, &evaluation{})
}

func evaluateWith(ctx context.Context, store run.Store, p *Plan, version string, e *evaluation) (*Assay, error) {
	notes, err := p.Validate()
	if err != nil {
		return nil, err
	}
	names := answeredBy{}
	annotated := store
	store = run.Watch(store, names.note)
	if err := p.Reword(ctx, store); err != nil {
		return nil, err
	}
	e.plan, e.id = p, p.ID()
	e.beginAcross()
	if e.annotations, err = annotationsOf(ctx, annotated, e.id); err != nil {
		return nil, err
	}
	planNotes, err := e.layOut()
	if err != nil {
		return nil, err
	}
	for _, m := range p.Models {
		if m.Sampling {
			planNotes = append(planNotes, m.Ref+" refuses temperature 0: its answers are samples, and part of their instability is not the prompt's")
		}
	}
	out := &Assay{Document: Document{Run: runInfo(p, version, append(notes, planNotes...)), Grading: e.grading()}}
	for mi, m := range p.Models {
		result := ModelResult{Model: m.Name(), Identity: m.Identity, Greedy: !m.Sampling, Unscored: []Unscored{}}
		if len(p.Suites) > 1 {
			result.Suites = map[string]*SuiteResult{}
		}
		counted := map[run.Key]bool{}
		for si, s := range p.Suites {
			table := e.tables[mi*len(p.Suites)+si]
			if err := fetch(ctx, store, table); err != nil {
				return nil, err
			}
			took, err := e.opinions(ctx, store, m, s, table)
			if err != nil {
				return nil, err
			}
			if err := p.follow(ctx, store, s, table); err != nil {
				return nil, err
			}
			if err := e.equate(ctx, store, m, s, table); err != nil {
				return nil, err
			}
			sr, rows, graded, err := e.suite(m, s, table, took)
			if err != nil {
				return nil, err
			}
			e.keep(m, s, table)
			if sr.Posterior, err = e.posterior(ctx, store, m, s, rows); err != nil {
				return nil, err
			}
			out.Cases = append(out.Cases, rows...)
			out.Rows = append(out.Rows, graded)
			out.Units = append(out.Units, e.units...)
			out.Pairs = append(out.Pairs, e.pairs...)
			out.Standings = append(out.Standings, e.standings)
			e.units, e.pairs, e.standings = nil, nil, nil
			result.Unscored = append(result.Unscored, e.unscored...)
			e.unscored = nil
			for _, cells := range table {
				for _, c := range cells {
					result.countRecord(counted, c.key, &c.record)
					for _, f := range c.follow {
						if f.record != nil {
							result.countRecord(counted, f.call.Key(), f.record)
						}
					}
				}
			}
			if e.meanings != nil {
				took = append(took, e.meanings.took...)
			}
			for _, t := range slices.Concat(took, e.reworded(s), e.took) {
				result.count(counted, t.key, t.usage)
			}
			e.took = nil
			if len(p.Suites) > 1 {
				result.Suites[s.Name] = sr
			} else {
				result.SuiteResult = sr
			}
			e.tables[mi*len(p.Suites)+si] = nil // the answers of a large run are not all held at once
		}
		out.Document.Models = append(out.Document.Models, result)
	}
	out.Document.Grid = newGrid(p, e.cells)
	if out.Document.Sweep, err = e.swept(ctx, store, out.Document.Models); err != nil {
		return nil, err
	}
	out.Document.Across = e.endAcross()
	out.OtherModels = names.warnings(p)
	out.Document.Run.Warnings = append(out.Document.Run.Warnings, out.OtherModels...)
	return out, nil
}

// count adds what a response took, once for each key.
func (m *ModelResult) count(counted map[run.Key]bool, key run.Key, u model.Usage) {
	if !counted[key] {
		counted[key] = true
		m.Tokens.spend(u)
		m.USD += u.USD
	}
}

func (m *ModelResult) countRecord(counted map[run.Key]bool, key run.Key, r *run.Record) {
	if r.Response != nil {
		m.count(counted, key, r.Response.Usage)
	}
}

// layOut makes the tables of planned answers, of which only those to default prompts keep their requests: a large run has hundreds of
// thousands of them, each with its demonstrations.
func (e *evaluation) layOut() (notes []string, err error) {
	p := e.plan
	e.tables = make([][][]cell, len(p.Models)*len(p.Suites))
	for i := range e.tables {
		e.tables[i] = make([][]cell, len(p.cases(p.Suites[i%len(p.Suites)])))
	}
	return p.each(func(a planned) error {
		t := e.tables[a.model*len(p.Suites)+a.suite]
		x := cell{planned: a, key: a.call.Key(), prompt: run.PromptTokens(a.call.Request)}
		if a.purpose != forVariant || a.variant.Number != 0 {
			x.call.Request = model.Request{Options: a.call.Request.Options, MaxTokens: a.call.Request.MaxTokens}
		}
		t[a.item] = append(t[a.item], x)
		return nil
	})
}

func runInfo(p *Plan, version string, notes []string) RunInfo {
	info := RunInfo{
		ID: p.ID(), Seed: p.Seed, AsOf: p.AsOf, Version: version, Methods: p.Methods, Tau: p.Tau, Sampled: p.Sampled,
		Equal: p.Equal, Choices: p.Choices, Retrieval: p.Retrieval.info(), Command: p.command(), Warnings: append([]string{}, notes...),
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

// fetch fills in the records of a table.
func fetch(ctx context.Context, store run.Store, table [][]cell) error {
	var all []*cell
	var keys []run.Key
	for _, cells := range table {
		for i := range cells {
			all, keys = append(all, &cells[i]), append(keys, cells[i].key)
		}
	}
	return run.EachKey(run.Bare(ctx, true), store, keys, func(i int, r *run.Record) error {
		c := all[i]
		if r == nil {
			return nil
		}
		c.record, c.stored = *r, true
		c.record.Call = run.Call{} // it is the cell's
		if r.Response != nil {     // equal calls share it; of the body and of the alternatives to tokens, which are many, no estimate reads more
			kept := *r.Response
			c.entropy, c.listed = detect.TokenEntropyOf(kept.Tokens)
			kept.Raw, kept.Tokens = nil, slices.Clone(kept.Tokens)
			for i := range kept.Tokens {
				kept.Tokens[i].Top = nil
			}
			c.record.Response = &kept
		}
		return nil
	})
}

type evaluation struct {
	plan     *Plan
	given    *recalled // what was read before, in place of a reader; nil: answers are read
	kept     *Readings // where readings are kept; nil: nowhere
	tables   [][][]cell
	unscored []Unscored

	id          string // of the run
	annotations []run.Annotation
	units       []annotate.Unit // of the suite at hand
	cells       []*GridCell     // of the suites so far
	pairs       []annotate.Unit // likewise
	meanings    *meanings       // likewise; nil where nothing is compared by meaning

	took      []spent                  // likewise, by calls of the posterior rate
	across    map[string]*detect.Table // by suite; nil with one model
	mixed     map[string]string        // by suite: what to say of a detector that measures two things in it
	names     map[string]string        // of the models there, by identity
	standings []consistency.Standing   // likewise
	parts     []*sweepPart             // of the suites so far; nil where there is no sweep
}

// suite evaluates one model on one suite.
func (e *evaluation) suite(m Subject, s *suite.Suite, table [][]cell, took []spent) (*SuiteResult, []CaseRow, []rate.Row, error) {
	p := e.plan
	supplied, err := p.supplied(s)
	if err != nil {
		return nil, nil, nil, err
	}
	rub, err := rubric.Of(supplied, p.asOf(s))
	if err != nil {
		return nil, nil, nil, err
	}
	cases := p.cases(s)
	rows := make([]CaseRow, len(cases))
	var graded []rate.Row // of the cases that have something to grade by
	greedy := make([]*consistency.Case, len(cases))
	goldsOf := e.readAll(rub, s, table)
	if err := rub.Err(); err != nil {
		return nil, nil, nil, err
	}
	var sampled []*consistency.Case
	var sampledAt []int
	var over []rate.Row
	var repeats [][]int // class counts of the cases asked again
	for ci := range cases {
		c := &cases[ci]
		gradable := rub.Gradable(c)
		golds := goldsOf[ci]
		again := &tally{}
		variants := &consistency.Case{ID: c.ID, Tags: c.Tags, Gold: golds, GoldDeclined: mayDecline(c, golds)}
		draws := &consistency.Case{ID: c.ID, Tags: c.Tags, Gold: golds, GoldDeclined: variants.GoldDeclined}
		row := caseRow(m, s, c)
		row.Retrieved = p.Retrieval.shown(table[ci])
		if p.byMeaning(c) {
			row.Equality, variants.ReadsProse, draws.ReadsProse = EqualMeaning, true, true
		}
		for i := range table[ci] {
			cell := &table[ci][i]
			if cell.grade.Reason != "" && !pending(cell.grade) {
				e.miss(s, c, cell, WholeAnswer, cell.grade.Reason)
			}
			shown := e.answerRow(c, cell, golds)
			switch cell.purpose {
			case forVariant:
				rr := rate.NewRow(rub, c, cell.grade, cell.text)
				if cell.answer.Option != nil { // its text was not written
					rr.Length = ""
				}
				if gradable {
					over = append(over, rr)
				}
				if cell.variant.Number == 0 {
					if gradable {
						graded = append(graded, rr)
						e.missingVerdicts(s, c, cell)
						if cell.grade.Reason == "" {
							e.units = append(e.units, e.unit(m, s, c, &row, cell, rr))
						}
					}
					row.grade(cell.grade, rr.Gates)
					if !gradable {
						row.Hallucinated, row.Outcome = nil, ""
					}
					again.add(cell.class)
				}
				row.Answers = append(row.Answers, shown)
				if err := p.add(variants, cell, cell.variant.Number); err != nil {
					return nil, nil, nil, err
				}
			case forSample:
				row.Sampled = append(row.Sampled, shown)
				if err := p.add(draws, cell, cell.repeat); err != nil {
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
	var byGreedy map[string]consistency.Question // nil: not measured
	out := &SuiteResult{Judged: e.judged(rub, s, table, took)}
	if e.meanings != nil {
		out.Equality = &e.meanings.Equality
	}
	out.Paraphrases = e.paraphrases(s)
	if p.Has(Rubric) && len(graded) > 0 {
		check := grading.ShippedFor(e.grading().Version)
		res := rate.Analyze(graded, rate.Options{Level: level, Variants: over, Check: check, Seed: p.Seed})
		out.Rubric = &res
	}
	if p.Has(Consistency) {
		opt := consistency.DefaultOptions()
		opt.Tau, opt.WithReplacement, opt.ExcludeDefault, opt.PerQuestion = p.Tau, p.SC == WithReplacement, p.ExcludeDefault, true
		opt.CommonR, opt.Sweep = p.CommonR, true
		if askedTwice(greedy) {
			res, err := consistency.Analyze(greedy, opt)
			if err != nil {
				return nil, nil, nil, err
			}
			byGreedy = perQuestion(res)
			e.standings = consistency.StandingsOf(res)
			for ci := range rows {
				rows[ci].stability(byGreedy[rows[ci].ID])
			}
			if out.Rubric != nil {
				out.Joint = beside(graded, res)
			}
			e.cells = append(e.cells, gridCell(m.Name(), s.Name, &res))
			e.moved(s, table, res)
			res.PerQuestion = nil
			out.Consistency = &res
			if out.Families, err = p.families(greedy, table, opt); err != nil {
				return nil, nil, nil, err
			}
			if out.ConsistencyByDomain, err = byDomain(cases, greedy, opt); err != nil {
				return nil, nil, nil, err
			}
		}
		if len(sampled) > 0 {
			opt.ExcludeDefault, opt.CommonR, opt.Sweep = false, 0, false
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
			out.ConsistencySampled.SemanticEntropy = e.semanticEntropy(s, table, rows)
			if byGreedy != nil && !m.Sampling {
				out.ConsistencySampled.UnseenByGreedy = unseenByGreedy(cases, byGreedy, byID)
			}
		}
		if len(repeats) > 0 {
			out.RepeatAgreement = repeatAgreement(p.Repeats, repeats)
		}
	}
	if p.Has(Consistency) {
		if out.Contrast, err = p.contrast(cases, table, sampled); err != nil {
			return nil, nil, nil, err
		}
	}
	if p.Has(Detection) {
		if out.Detection, err = e.detect(m, s, cases, table, rows, goldsOf, byGreedy); err != nil {
			return nil, nil, nil, err
		}
	}
	if err := e.audit(out, e.units); err != nil {
		return nil, nil, nil, err
	}
	e.parts = append(e.parts, e.sweepPart(rub, cases, table, greedy, rows))
	out.Designed = designed(s, cases, rows, out.ConsistencySampled)
	out.Findings = findings(out)
	return out, rows, graded, nil
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

// WholeAnswer is the axis of an answer that could not be had at all.
const WholeAnswer = "all"

var axisNames = [4]string{"truth", "decidability", "reciprocity", "format"}

// askedTwice reports whether any case was asked in two variants, so that agreement is a question at all.
func askedTwice(cases []*consistency.Case) bool {
	for _, c := range cases {
		if c.Scored()+c.Unscored+c.Ungradable() > 1 {
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
		g := graded[i].Grade
		q, asked := byID[graded[i].CaseID]
		if !asked && g.Outcome() != grade.CannotGrade {
			continue
		}
		h, scored := g.Hallucinated(graded[i].Gates)
		cases = append(cases, joint.Case{
			ID: graded[i].CaseID, RubricScored: scored, Ungradable: g.Outcome() == grade.CannotGrade, Variants: q.R, Hallucinated: h,
			Failed: [3]bool{g.Truth.Verdict == grade.Fail, g.Decidability.Verdict == grade.Fail, g.Reciprocity.Verdict == grade.Fail},
			Stable: q.Stable, HasGold: q.Correct != nil, Right: q.Correct != nil && *q.Correct, Variance: q.Variance,
		})
	}
	r := joint.Analyze(cases, level)
	return &r
}

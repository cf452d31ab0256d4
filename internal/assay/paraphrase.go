package assay

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/seed"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/text/paraphrase"
)

// What makes paraphrases, beside the rules, whose name is their version.
const (
	ByFile  = "file"
	ByModel = "model"
)

// NoFilter admits every paraphrase that is not empty, not the prompt again and not there twice.
const NoFilter = "none"

// A Paraphrasing says what makes the paraphrases of a plan and what admits them.
type Paraphrasing struct {
	By string `json:"by"` // paraphrase.Version, ByFile or ByModel
	// Model is asked for them, Draws times for each prompt, in the words of Ask; of two samples or more each is at
	// temperature 1.
	Model *UnderTest `json:"model,omitempty"`
	Ask   string     `json:"ask,omitempty"`
	Draws int        `json:"draws,omitempty"`
	// Texts are those of a file; From is its name, which decides nothing.
	Texts []paraphrase.Entry `json:"texts,omitempty"`
	From  string             `json:"from,omitempty"`
	// Filter is the version of the filter, or NoFilter. Judge is a model that is asked of each that passes whether
	// it follows from the prompt, and the prompt from it.
	Filter string     `json:"filter"`
	Judge  *UnderTest `json:"judge,omitempty"`
}

// late reports whether the paraphrases are known only once a model was asked.
func (x *Paraphrasing) late() bool { return x.By == ByModel || x.Judge != nil }

// Paraphrases is how the paraphrases of a suite were come by: a result of its own, as every figure over variants
// rests on it. What was rejected is in no other figure.
type Paraphrases struct {
	By     string `json:"by"`     // rules and their version, file, or model
	Source string `json:"source"` // the model or the file; "" for rules
	Filter string `json:"filter"` // the version of the filter, or none
	Judge  string `json:"judge,omitempty"`
	Asked  int    `json:"asked"` // of each case
	Cases  int    `json:"cases"`
	Full   int    `json:"full"`   // cases that have as many as were asked for
	None   int    `json:"none"`   // cases that have none
	Failed int    `json:"failed"` // cases for which a reply that was needed is missing
	Used   int    `json:"used"`   // variants made of them
	// Candidates are those that were held against the prompt: of rules no more than were needed, of files and
	// models all.
	Candidates int `json:"candidates"`
	Admitted   int `json:"admitted"`
	// Acceptance is the mean over cases of the share of candidates admitted; null where there is none.
	Acceptance *stat.Estimate `json:"acceptance"`
	Rejected   map[string]int `json:"rejected"` // by reason, all of them
	// ByRule counts the candidates of each rule and those admitted.
	ByRule   map[string]RuleCount `json:"by_rule,omitempty"`
	Examples []Rejection          `json:"examples,omitempty"` // of each reason the first few
	// What the calls of the paraphraser and of its judge took, each counted once; the totals of every model that
	// was asked in these words hold them too.
	Tokens   Tokens   `json:"tokens"`
	USD      float64  `json:"usd"`
	Warnings []string `json:"warnings"`

	took bill
}

// A RuleCount counts the candidates of a rule.
type RuleCount struct {
	Candidates int `json:"candidates"`
	Admitted   int `json:"admitted"`
}

// A Rejection is a paraphrase that was not admitted.
type Rejection struct {
	CaseID string `json:"case_id"`
	Text   string `json:"text"` // its beginning
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

const (
	maxExamples    = 3   // of each reason
	maxExampleText = 200 // runes
	perRule        = 6   // candidates made by rules for each that is asked for
)

// A rewording holds the paraphrases of a plan by suite and case, and how they were come by, by suite.
type rewording struct {
	cases  map[[2]string]reworded
	suites map[string]*Paraphrases
}

// reworded is the paraphrases of a case.
type reworded struct {
	admitted []string
	why      string // there are no more
	missing  string // why a reply that was needed is missing
}

// of returns the paraphrases of a case; none where none were made.
func (w *rewording) of(s *suite.Suite, id string) reworded {
	if w == nil {
		return reworded{}
	}
	return w.cases[[2]string{s.Name, id}]
}

// paraphrases returns how many paraphrases of a case the plan asks for; 0 for none.
func (p *Plan) paraphrases() int {
	for _, s := range p.Variants {
		if s.Kind == prompt.Paraphrases && p.Has(Consistency) && p.Paraphrasing != nil {
			return s.N
		}
	}
	return 0
}

// Late reports whether some of the plan's variants are known only once a model was asked.
func (p *Plan) Late() bool { return p.paraphrases() > 0 && p.Paraphrasing.late() }

// given returns what variants of a suite are made from beside its cases.
func (p *Plan) given(s *suite.Suite) prompt.Given {
	var g prompt.Given
	if p.Templates != nil {
		g.Templates = p.Templates.Templates
	}
	if p.paraphrases() == 0 {
		return g
	}
	if p.reworded == nil {
		p.reworded = p.reword(func(run.Call) *run.Record { return nil }) // what a model makes comes with Reword
	}
	g.Late = p.Paraphrasing.late()
	g.Paraphrases = func(id string) ([]string, string) {
		made := p.reworded.of(s, id)
		return made.admitted, made.why
	}
	return g
}

// paraphraseNotes counts the entries of a file of paraphrases that are of no case, and names the first: they are in
// no figure.
func (p *Plan) paraphraseNotes() (notes []string) {
	x := p.Paraphrasing
	if p.paraphrases() == 0 || x.By != ByFile {
		return nil
	}
	ids, prompts := map[string]bool{}, map[string]bool{}
	for _, s := range p.Suites {
		for _, c := range s.Cases.All() {
			ids[c.ID], prompts[paraphrase.Normal(strings.TrimSpace(c.Prompt))] = true, true
		}
	}
	others := slices.DeleteFunc(slices.Clone(x.Texts), func(e paraphrase.Entry) bool {
		return ids[e.ID] || prompts[paraphrase.Normal(e.Prompt)]
	})
	if len(others) > 0 {
		note(&notes, "paraphrases: %d of %d entries of %s are of no case of these suites, the first is %.60q",
			len(others), len(x.Texts), x.From, cmp.Or(others[0].ID, others[0].Prompt))
	}
	return notes
}

// paraphraseCalls returns the calls that ask a model for the paraphrases of one text.
func (p *Plan) paraphraseCalls(text string) []run.Call {
	x := p.Paraphrasing
	each := (p.paraphrases() + x.Draws - 1) / x.Draws
	calls := make([]run.Call, x.Draws)
	for i := range calls {
		c := &calls[i]
		c.Model, c.Repeat = x.Model.Identity, i
		c.Request.Prompt = paraphrase.Request(x.Ask, text, each)
		c.Request.MaxTokens = min(4096, 64+each*max(128, len(text)/2))
		if x.Draws > 1 || x.Model.Sampling {
			c.Request.Temperature = 1
		}
		if x.Draws > 1 {
			c.Request.Seed = new(int64(seed.Stream(p.Seed, "paraphrase", text, fmt.Sprint(i)).Uint64() >> 12))
		}
	}
	return calls
}

// followCalls are the two questions of a judge about a paraphrase: whether it follows from the text, and the text
// from it.
func (p *Plan) followCalls(text, candidate string) [2]run.Call {
	by := p.Paraphrasing.Judge
	return [2]run.Call{JudgeCall(by, paraphrase.Follows(text, candidate), 0),
		JudgeCall(by, paraphrase.Follows(candidate, text), 0)}
}

// toParaphraser are the calls that come before all others: what a paraphraser is asked, of each case in the plan's
// order. There are none where no model makes paraphrases. The calls of the variants depend on the records
// of these.
func (p *Plan) toParaphraser() (wants []want) {
	x := p.Paraphrasing
	if p.paraphrases() == 0 || x.By != ByModel {
		return nil
	}
	for _, s := range p.Suites {
		for _, c := range p.Covered(s).All() {
			for _, call := range p.paraphraseCalls(strings.TrimSpace(c.Prompt)) {
				wants = append(wants, want{For: label{purpose: ForParaphrases, model: x.Model.Ref}, Call: call})
			}
		}
	}
	return wants
}

// toEquivalence returns the calls that come next: what the judge of paraphrases is asked of those that the filter
// lets pass; and the records of the calls before.
func (a *inquiry) toEquivalence(ctx context.Context) (wants []want, made map[run.Key]*run.Record, err error) {
	if made, err = a.recordsOf(ctx, a.toParaphraser()); err != nil || a.Paraphrasing.Judge == nil {
		return nil, made, err
	}
	l := label{purpose: ForEquivalence, model: a.Paraphrasing.Judge.Ref}
	a.reword(func(c run.Call) *run.Record {
		r, asked := made[c.Key()]
		if !asked { // every other call that rewording wants is the judge's
			wants = append(wants, want{For: l, Call: c})
		}
		return r
	})
	return wants, made, nil
}

// recordsOf looks up the records of calls; a call without one has a nil.
func (a *inquiry) recordsOf(ctx context.Context, wants []want) (map[run.Key]*run.Record, error) {
	calls := slices.Collect(run.Wanted(wants))
	records, err := run.Records(ctx, a.store, calls)
	if err != nil {
		return nil, err
	}
	found := make(map[run.Key]*run.Record, len(calls))
	for i, r := range records {
		found[calls[i].Key()] = r
	}
	return found, nil
}

// Reword reads from the store what paraphrases the plan's variants are made of. Calls and Evaluate rest on it.
func (p *Plan) Reword(ctx context.Context, store run.Store) error {
	if p.paraphrases() == 0 || p.reworded != nil && !p.Paraphrasing.late() {
		return nil
	}
	a := &inquiry{Plan: p, store: store}
	judging, records, err := a.toEquivalence(ctx)
	if err != nil {
		return err
	}
	judged, err := a.recordsOf(ctx, judging)
	if err != nil {
		return err
	}
	maps.Copy(records, judged)
	p.reworded = p.reword(func(c run.Call) *run.Record { return records[c.Key()] })
	return nil
}

// VariantCalls returns the calls of the plan as they are once its paraphrases are there.
func (p *Plan) VariantCalls(ctx context.Context, store run.Store) (calls iter.Seq[run.Call], err error) {
	for w, e := range (&inquiry{Plan: p, store: store}).replies(ctx) {
		calls, err = w.Calls, e
	}
	return calls, err
}

// reword makes the paraphrases of every case from what record returns for a call; nil is no record.
func (p *Plan) reword(record func(run.Call) *run.Record) *rewording {
	w := &rewording{map[[2]string]reworded{}, map[string]*Paraphrases{}}
	candidatesOf := p.candidates()
	for _, s := range p.Suites {
		res := p.newParaphrases(s)
		w.suites[s.Name] = res
		record := func(call run.Call) *run.Record {
			r := record(call)
			res.took.note(call.Key(), r)
			return r
		}
		var shares []float64
		for _, c := range p.Covered(s).All() {
			sift := &sifting{p: p, res: res, c: c, text: strings.TrimSpace(c.Prompt), record: record}
			candidates, failure := candidatesOf(c, sift.text, record)
			admitted := sift.all(candidates)
			w.cases[[2]string{s.Name, c.ID}] = sift.made(admitted, cmp.Or(failure, sift.failure), len(candidates))
			if sift.n > 0 {
				shares = append(shares, float64(len(admitted))/float64(sift.n))
			}
		}
		res.Acceptance = stat.Mean(shares, level).Known()
		res.Tokens, res.USD = res.took.sum()
	}
	return w
}

// newParaphrases says how the paraphrases of a suite are come by, before any was made.
func (p *Plan) newParaphrases(s *suite.Suite) *Paraphrases {
	x := p.Paraphrasing
	res := &Paraphrases{By: x.By, Filter: x.Filter, Source: x.From, Asked: p.paraphrases(), Cases: p.Covered(s).Len(),
		Rejected: map[string]int{}, Warnings: []string{}}
	if x.Model != nil {
		res.Source = x.Model.Ref
	}
	if x.Judge != nil {
		res.Judge = x.Judge.Ref
	}
	for _, r := range paraphrase.Reasons {
		res.Rejected[string(r)] = 0
	}
	if x.Filter == NoFilter && x.Judge == nil {
		res.Warnings = append(res.Warnings,
			"no filter held the paraphrases against their prompts: they may ask for something else")
	}
	return res
}

// made counts a case with the paraphrases that were admitted, of so many candidates, and returns them with why there
// are no more.
func (s *sifting) made(admitted []string, failure string, candidates int) reworded {
	res, x := s.res, s.p.Paraphrasing
	if failure != "" {
		res.Failed++
	}
	used := min(len(admitted), res.Asked)
	res.Used += used
	switch used {
	case res.Asked:
		res.Full++
	case 0:
		res.None++
	}
	why := failure
	switch {
	case failure != "":
	case x.By == ByFile && candidates == 0:
		why = fmt.Sprintf("%s has no paraphrase of it", x.From)
	default:
		why = fmt.Sprintf("%d of %d paraphrases were admitted", len(admitted), s.n)
	}
	return reworded{admitted, why, failure}
}

// candidates returns what gives a case its candidates: the file's, the replies of a model with why one could not be
// had, or those by rules.
func (p *Plan) candidates() func(*suite.Case, string, func(run.Call) *run.Record) ([]paraphrase.Candidate, string) {
	x := p.Paraphrasing
	byID, byPrompt := map[string][]string{}, map[string][]string{}
	for _, e := range x.Texts {
		if e.ID != "" {
			byID[e.ID] = e.Paraphrases
		} else {
			byPrompt[paraphrase.Normal(e.Prompt)] = e.Paraphrases
		}
	}
	return func(c *suite.Case, text string, record func(run.Call) *run.Record) (list []paraphrase.Candidate,
		failure string) {
		switch x.By {
		case ByFile:
			for _, t := range slices.Concat(byID[c.ID], byPrompt[paraphrase.Normal(text)]) {
				list = append(list, paraphrase.Candidate{Text: t})
			}
			return list, ""
		case ByModel:
			return replies(p.paraphraseCalls(text), record)
		}
		return paraphrase.Rules(text, perRule*p.paraphrases()+len(paraphrase.Openings)), "" // paraphrase.Version
	}
}

// replies reads what a paraphraser replied; failure says why a reply is missing.
func replies(calls []run.Call, record func(run.Call) *run.Record) (out []paraphrase.Candidate, failure string) {
	for _, c := range calls {
		switch r := record(c); {
		case r == nil:
			failure = "the paraphraser was not asked (the budget, --offline or an interruption kept the call from " +
				"being made)"
		case r.Response == nil:
			failure = "the paraphraser: " + r.Failure
		case r.Response.Text == nil:
			failure = "the paraphraser's response has no text"
		default:
			for _, t := range paraphrase.ReadReply(*r.Response.Text) {
				out = append(out, paraphrase.Candidate{Text: t})
			}
		}
	}
	return out, failure
}

// paraphrases adds how the paraphrases of the suite were come by, with what the calls took that made and admitted them,
// and lists the cases of which a reply is missing.
func (x *sitting) paraphrases(context.Context) error {
	p := x.plan
	for _, c := range x.cases.All() {
		if why := p.reworded.of(x.suite, c.ID).missing; why != "" {
			x.lacks(Unscored{CaseID: c.ID, Axis: "paraphrases", Reason: why})
		}
	}
	x.out.Paraphrases = p.reworded.suites[x.suite.Name]
	x.took = append(x.took, x.out.Paraphrases.took...)
	return nil
}

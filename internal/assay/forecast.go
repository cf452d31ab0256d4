package assay

import (
	"context"
	"math"
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/metric/method"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
	"hallmark/internal/text/paraphrase"
)

// Bounds are the least and the most that a number may be; it is known where they are the same.
type Bounds struct {
	Least int `json:"least"`
	Most  int `json:"most"`
}

func (s *Bounds) add(least, most int) {
	s.Least += least
	s.Most += most
}

// A Share of a forecast is what one model is asked for one purpose.
type Share struct {
	For   string `json:"for,omitempty"`
	Model string `json:"model,omitempty"` // as the plan names it
	// Calls are those of the run, each once; Stored of them have a record, and Ask are the others. Calls that fail
	// are counted as if they did not.
	Calls  Bounds `json:"calls"`
	Stored int    `json:"stored"`
	Ask    Bounds `json:"ask"`
	Exact  bool   `json:"exact"` // Calls is one number
	// What Ask takes. Prompts are estimated by their bytes, four to a token; no answer is longer than its bound.
	PromptTokens     Bounds `json:"prompt_tokens"`
	CompletionTokens Bounds `json:"completion_tokens"`
}

// A Forecast is what a run will ask, as far as its plan and the records that are there tell. What depends on
// answers that are not there is bounded.
type Forecast struct {
	Run   string  `json:"run"`
	Parts []Share `json:"parts"`
	Total Share   `json:"total"`
}

// The purposes of calls, in their order.
const (
	ForParaphrases         = "paraphrases"
	ForEquivalence         = "paraphrase-judge"
	ForVariants            = "variants"
	ForSamples             = "draws" // as forecasts have called them from the first
	ForRepeats             = "repeats"
	ForCorpus              = "corpus" // texts that are scored for a sweep
	ForJudge               = "judge"
	ForDetectors           = "detectors"
	ForPosterior           = "posterior"
	ForSemanticEquivalence = "equality"
	ForKnownPairs          = "equality-check"
)

var purposes = []string{ForParaphrases, ForEquivalence, ForVariants, ForSamples, ForRepeats, ForCorpus, ForJudge,
	ForDetectors, ForPosterior, ForSemanticEquivalence, ForKnownPairs}

// place is the place of a purpose among others: added methods come last.
func place(purpose string) int {
	if i := slices.Index(purposes, purpose); i >= 0 {
		return i
	}
	return len(purposes) + slices.Index(Methods(), purpose)
}

// forecast is a Forecast in the making.
type forecast struct {
	*inquiry
	fresh run.Fresh
	parts []*portion // in the order in which they were come to
	at    map[label]*portion

	waiting  bool // an answer is not there yet
	outcomes bool // judges are asked for outcomes
}

// A portion is what is counted of one label.
type portion struct {
	label
	Share // calls that are known, each once, and bounds on others

	// Of the calls that were wanted, as often as they were:
	stored, lacking    int // those with a record, and those without
	taken              int // tokens of the prompts of those with one
	prompt, completion int // what those without take
	longest            int // the longest prompt
}

func (f *forecast) part(l label) *portion {
	if f.at[l] == nil {
		f.parts = append(f.parts, &portion{label: l})
		setIn(&f.at, l, f.parts[len(f.parts)-1])
	}
	return f.at[l]
}

// last is the part of a label, put behind all others.
func (f *forecast) last(l label) *portion {
	p := f.part(l)
	f.parts = append(slices.DeleteFunc(f.parts, func(o *portion) bool { return o == p }), p)
	return p
}

// count adds the calls of a wave.
func (f *forecast) count(ctx context.Context, w Wave) error {
	var of []label
	var calls []run.Call
	look := func() error {
		err := run.Each(run.Bare(ctx, true), f.store, calls, func(i int, r *run.Record) error {
			f.part(of[i]).add(&calls[i], r != nil, f.fresh.Is(calls[i].Key()))
			return nil
		})
		of, calls = of[:0], calls[:0]
		return err
	}
	for l, c := range w.each {
		if l.purpose == "" {
			continue
		}
		if of, calls = append(of, l), append(calls, c); len(calls) == 256 {
			if err := look(); err != nil {
				return err
			}
		}
	}
	return look()
}

// add counts a call, among the calls of the run where it is not among them yet.
func (p *portion) add(c *run.Call, stored, fresh bool) {
	prompt := run.PromptTokens(c.Request)
	p.longest = max(p.longest, prompt)
	if stored {
		p.stored++
		p.taken += prompt
	} else {
		p.lacking++
		p.prompt += prompt
		p.completion += bounded(c.Request.MaxTokens)
	}
	switch {
	case !fresh || !stored && p.replayed:
	case stored:
		p.Calls.add(1, 1)
		p.Stored++
	default:
		p.Calls.add(1, 1)
		p.PromptTokens.add(prompt, prompt)
		p.CompletionTokens.Most += bounded(c.Request.MaxTokens)
	}
}

// bounded is the bound of an answer in tokens, of which sums of many do not overflow.
func bounded(tokens int) int { return min(tokens, math.MaxInt32) }

// most adds calls of which it is known that there are at most n, like req with so many tokens more in its prompt.
func (f *forecast) most(purpose, model string, n int, req model.Request, more int) {
	if n <= 0 {
		return
	}
	s := f.part(label{purpose: purpose, model: model})
	s.Calls.Most += n
	s.PromptTokens.Most += n * (run.PromptTokens(req) + more*max(1, len(req.Options)))
	s.CompletionTokens.Most += n * bounded(req.MaxTokens)
}

// Forecast says what the run will ask, by purpose and model. It calls no model and plans from the records that are
// there: what is known is counted, and what depends on answers that are not there is bounded. The models' abilities
// are those of the plan; where they are not known, every detector that asks is counted as possible.
func (p *Plan) Forecast(ctx context.Context, store run.Store) (*Forecast, error) {
	f := &forecast{inquiry: &inquiry{Plan: p, store: store}}
	steps := p.steps()
	for _, s := range steps {
		err := f.waves(ctx, s, func(w Wave) error { return f.count(ctx, w) })
		if err == nil && s.name == ForVariants {
			err = f.bounds(ctx, steps)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, s := range steps {
		if s.bound != nil {
			if err := s.bound(f, ctx, nil); err != nil {
				return nil, err
			}
		}
	}
	return f.document(), nil
}

// bounds has all steps bound what may follow from answers that are not there yet.
func (f *forecast) bounds(ctx context.Context, steps []step) error {
	if f.Judge == nil && f.Equivalence == nil && !f.Has(Detection) && !f.Late() {
		return nil // nothing else depends on the answers one by one
	}
	for x, err := range f.sittings(ctx) {
		for _, s := range steps {
			if err == nil && s.bound != nil {
				err = s.bound(f, ctx, x)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// document sums the parts by purpose and model, in their order.
func (f *forecast) document() *Forecast {
	out := &Forecast{Run: f.ID(), Parts: []Share{}, Total: Share{}.settled()}
	for _, p := range f.parts {
		at := slices.IndexFunc(out.Parts, func(s Share) bool { return s.For == p.purpose && s.Model == p.model })
		switch {
		case p.Calls.Most == 0:
			continue
		case at < 0:
			at = len(out.Parts)
			out.Parts = append(out.Parts, Share{})
		}
		out.Parts[at] = out.Parts[at].Plus(p.Share)
		out.Parts[at].For, out.Parts[at].Model = p.purpose, p.model
	}
	slices.SortStableFunc(out.Parts, func(a, b Share) int { return place(a.For) - place(b.For) })
	for _, s := range out.Parts {
		out.Total = out.Total.Plus(s)
	}
	return out
}

// Plus returns both together; of another purpose or model than theirs.
func (s Share) Plus(o Share) Share {
	s = Share{Stored: s.Stored + o.Stored, Calls: s.Calls, PromptTokens: s.PromptTokens,
		CompletionTokens: s.CompletionTokens}
	s.Calls.add(o.Calls.Least, o.Calls.Most)
	s.PromptTokens.add(o.PromptTokens.Least, o.PromptTokens.Most)
	s.CompletionTokens.add(o.CompletionTokens.Least, o.CompletionTokens.Most)
	return s.settled()
}

// settled has what follows from the calls and those that are stored.
func (s Share) settled() Share {
	s.Ask = Bounds{s.Calls.Least - s.Stored, s.Calls.Most - s.Stored}
	s.Exact = s.Calls.Least == s.Calls.Most
	return s
}

// open counts the answers to a case that are not there and will be asked for, with the variants (more) that
// paraphrases which are not there may make. What a replayed run lacks is not asked.
func (x *sitting) open(ci int) (answers, more int) {
	if x.model.Replayed {
		return 0, 0
	}
	for i := range x.table[ci] {
		if !x.table[ci][i].stored {
			answers++
		}
	}
	if made := x.plan.reworded.of(x.suite, x.cases.ID(ci)); made.missing != "" {
		more = max(0, x.plan.paraphrases()-len(made.admitted))
	}
	return answers + more, more
}

// whole reports whether all answers to a case are there, with what judges say of them.
func (x *sitting) whole(ci int) bool {
	open, _ := x.open(ci)
	return open == 0 && !slices.ContainsFunc(x.table[ci], func(t trial) bool {
		for _, o := range t.more().opinions {
			if slices.ContainsFunc(o, func(o grade.Opinion) bool { return o.Pending }) {
				return true
			}
		}
		return false
	})
}

// paraphrases bounds the variants made of paraphrases that are not there, and what their judge is asked: both
// directions of every line that is read of a reply.
func (f *forecast) paraphrases(ctx context.Context, x *sitting) error {
	if x != nil {
		for ci, trials := range x.table {
			if _, more := x.open(ci); more > 0 {
				f.most(ForVariants, x.model.Name(), more, *trials[0].more().request,
					(4*len(x.cases.At(ci).Prompt)+200)/4)
			}
		}
		return nil
	}
	by := f.Paraphrasing.Judge
	if by == nil || f.Paraphrasing.By != ByModel {
		return nil
	}
	made, err := f.recordsOf(ctx, f.toParaphraser())
	if err != nil {
		return err
	}
	for _, s := range f.Suites {
		for _, c := range f.Covered(s).All() {
			text := strings.TrimSpace(c.Prompt)
			for _, call := range f.paraphraseCalls(text) {
				if made[call.Key()] == nil {
					f.most(ForEquivalence, by.Ref, 2*paraphrase.MostReplies, f.followCalls(text, "")[0].Request,
						(4*len(text)+200)/4)
				}
			}
		}
	}
	return nil
}

// judgeFrame is about how many tokens the words of a judge's question take, beside the case and its answers.
const judgeFrame = 400

// judging bounds what judges are asked about answers that are not there, and again where a reply that is not there
// cannot be read; and the anchors, for the case that such an answer is a judge's to decide.
func (f *forecast) judging(ctx context.Context, x *sitting) error {
	if x == nil {
		for _, by := range f.judges() {
			if f.waiting && !f.outcomes {
				f.most(ForJudge, by.Ref, len(anchors), JudgeCall(by, anchors[0].in("").Text(), 0).Request, 0)
			}
		}
		return nil
	}
	heard, err := x.hear(ctx, nil)
	if err != nil {
		return err
	}
	f.outcomes = f.outcomes || heard.outcomes
	for k, by := range f.judges() {
		f.most(ForJudge, by.Ref, heard.more[k], JudgeCall(by, "", 0).Request, judgeFrame)
	}
	for ci, c := range x.cases.Pass() {
		open, _ := x.open(ci)
		f.waiting = f.waiting || open > 0
		asked := countJudges(c.Oracle)
		if asked == 0 || f.JudgeAll {
			asked = JudgeTries + 1 // the last to see whether it agrees with itself
		}
		for _, by := range f.judges() {
			f.most(ForJudge, by.Ref, open*asked, JudgeCall(by, "", 0).Request,
				judgeFrame+len(c.Prompt)/4+2*f.longestAnswer())
		}
	}
	return nil
}

// longestAnswer bounds the tokens of an answer as it is shown to a judge.
func (f *forecast) longestAnswer() int { return min(f.MaxTokens, 2<<10) }

// countJudges counts the judges in an oracle.
func countJudges(o *suite.Oracle) (n int) {
	for p := range o.All() {
		if p.Type == "judge" {
			n++
		}
	}
	return n
}

// comparing bounds the pairs of answers to cases that wait for some, were all of them different, and the way back of
// pairs whose way there is not stored.
func (f *forecast) comparing(_ context.Context, x *sitting) error {
	m := f.Equivalence
	if x == nil {
		for _, purpose := range []string{ForSemanticEquivalence, ForKnownPairs} {
			p := f.part(label{purpose: purpose, model: m.Model.Ref, part: wayThere})
			p.Calls.Most += p.lacking
			p.PromptTokens.Most += p.prompt
			p.CompletionTokens.Most += p.completion
		}
		return nil
	}
	for ci, c := range x.cases.Pass() {
		if !f.semantic(c) || x.whole(ci) {
			continue
		}
		_, more := x.open(ci)
		nodes := slices.Repeat([]equivalence.Node{{Count: 1}}, len(x.table[ci])+more)
		for i := range x.rub.References(c) {
			nodes = append(nodes, equivalence.Node{Gold: i + 1})
		}
		pairs, _ := equivalence.Pairs(nodes, m.Most)
		f.most(ForSemanticEquivalence, m.Model.Ref, 2*len(pairs), m.direction(newComparison(c.Prompt, "", ""),
			false).Request, 2*f.longestAnswer())
	}
	return nil
}

// detecting bounds what detectors ask about the answers to default prompts that are not there.
func (f *forecast) detecting(_ context.Context, x *sitting) error {
	if x == nil || x.model.Replayed {
		return nil
	}
	m := x.model
	if m.Can == nil {
		m.Can = &model.Capabilities{OptionScores: true, HiddenStates: true} // not known: all that ask
	}
	for ci, t := range eachTrial(x.table) {
		if t.stored || !t.first() {
			continue
		}
		longest := bounded(f.MaxTokens)
		if n := len(t.more().options); n > 0 {
			longest = 0
			for _, o := range x.cases.At(ci).Options {
				longest = max(longest, len(o)/4+1)
			}
		}
		for _, ask := range followUps(m, *t.more().request, "x") {
			f.most(ForDetectors, m.Name(), 1, ask.call.Request, longest)
		}
	}
	return nil
}

// posterior bounds the calls of the posterior rates until all is there: a made-up pair that does not parse is drawn
// again.
func (f *forecast) posterior(_ context.Context, x *sitting) error {
	if x != nil {
		return nil
	}
	for l, b := range f.rates() {
		if l.purpose == "" {
			continue
		}
		p := f.last(l)
		p.Share = Share{Calls: Bounds{p.stored, p.stored}, Stored: p.stored}
		if p.lacking == 0 {
			continue
		}
		p.Calls = Bounds{}
		prompts := Bounds{}
		b.Requests(func(n, again, grown int, req model.Request) {
			least := run.PromptTokens(req)
			p.Calls.add(n, n*again)
			prompts.add(n*least, n*again*(least+grown*max(1, len(req.Options))))
			p.CompletionTokens.Most += n * again * bounded(req.MaxTokens)
		})
		p.PromptTokens = Bounds{max(0, prompts.Least-p.taken), prompts.Most}
	}
	return nil
}

// added bounds the calls of an added method where an answer or a record is not there: so many of each answer.
func (f *forecast) added(m method.Method, x *sitting) error {
	if x != nil {
		return nil
	}
	for _, u := range f.Models {
		for _, s := range f.Suites {
			if u.Replayed {
				continue
			}
			p := f.last(label{purpose: m.Name(), model: u.Name(), part: s.Name})
			answers, longest, open := 0, 0, p.lacking > 0
			for _, purpose := range purposesOf {
				of := f.part(label{purpose: purpose, model: u.Name(), part: s.Name})
				answers, longest, open = answers+of.stored+of.lacking, max(longest, of.longest), open || of.lacking > 0
			}
			if open {
				f.most(m.Name(), u.Name(), answers*m.Most()-p.stored-p.lacking, model.Request{MaxTokens: f.MaxTokens},
					longest+bounded(f.MaxTokens))
			}
		}
	}
	return nil
}

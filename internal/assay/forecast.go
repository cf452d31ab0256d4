package assay

import (
	"context"
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/equivalence"
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
	*Plan
	store run.Store
	fresh run.Fresh
	parts []*Share

	waiting bool // an answer is not there yet
}

func (f *forecast) share(purpose, ref string) *Share {
	for _, s := range f.parts {
		if s.For == purpose && s.Model == ref {
			return s
		}
	}
	s := &Share{For: purpose, Model: ref}
	f.parts = append(f.parts, s)
	return s
}

// count adds a call that is known, unless it was there before.
func (f *forecast) count(purpose, ref string, call run.Call, stored bool) {
	f.countKey(purpose, ref, call.Key(), run.PromptTokens(call.Request), call.Request.MaxTokens, stored)
}

func (f *forecast) countKey(purpose, ref string, key run.Key, prompt, longest int, stored bool) {
	if !f.fresh.Is(key) {
		return
	}
	s := f.share(purpose, ref)
	s.Calls.add(1, 1)
	if stored {
		s.Stored++
		return
	}
	s.PromptTokens.add(prompt, prompt)
	s.CompletionTokens.Most += longest
}

// known adds calls that are known: those of a model among them.
func (f *forecast) known(ctx context.Context, purpose string, of *UnderTest, calls []run.Call) error {
	calls = slices.DeleteFunc(slices.Clone(calls), func(c run.Call) bool { return c.Model != of.Identity })
	return run.Each(ctx, f.store, calls, func(i int, r *run.Record) error {
		f.count(purpose, of.Name(), calls[i], r != nil)
		return nil
	})
}

// bound adds calls of which it is known that there are at most n, like req with so many tokens more in its prompt.
func (f *forecast) bound(purpose, ref string, n int, req model.Request, more int) {
	if n <= 0 {
		return
	}
	s := f.share(purpose, ref)
	s.Calls.Most += n
	s.PromptTokens.Most += n * (run.PromptTokens(req) + more*max(1, len(req.Options)))
	s.CompletionTokens.Most += n * req.MaxTokens
}

// Forecast says what the run will ask, by purpose and model. It calls no model and plans from the records that are
// there: what is known is counted, and what depends on answers that are not there is bounded. The models' abilities
// are those of the plan; where they are not known, every detector that asks is counted as possible.
func (p *Plan) Forecast(ctx context.Context, store run.Store) (*Forecast, error) {
	f := &forecast{Plan: p, store: store}
	for _, s := range p.steps() {
		if s.count != nil {
			if err := s.count(f, ctx); err != nil {
				return nil, err
			}
		}
	}
	return f.document(), nil
}

// document puts the parts into their order and sums them.
func (f *forecast) document() *Forecast {
	out := &Forecast{Run: f.ID(), Parts: []Share{}, Total: Share{}.settled()}
	slices.SortStableFunc(f.parts, func(a, b *Share) int { return place(a.For) - place(b.For) })
	for _, s := range f.parts {
		out.Parts = append(out.Parts, s.settled())
		out.Total = out.Total.Plus(*s)
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

// paraphrases adds what a paraphraser and the judge of paraphrases are asked.
func (f *forecast) paraphrases(ctx context.Context) error {
	x := f.Paraphrasing
	asked := f.toParaphraser()
	if err := f.known(ctx, ForParaphrases, x.Model, asked); err != nil {
		return err
	}
	calls, err := f.toEquivalence(ctx, f.store)
	if err == nil {
		err = f.known(ctx, ForEquivalence, x.Judge, calls)
	}
	if err != nil || x.Judge == nil || x.By != ByModel {
		return err
	}
	made, err := recordsOf(ctx, f.store, asked)
	if err != nil {
		return err
	}
	for _, s := range f.Suites {
		for _, c := range f.Covered(s).All() {
			text := strings.TrimSpace(c.Prompt)
			for _, call := range f.paraphraseCalls(text) {
				if made[call.Key()] == nil { // both directions of every line that is read of a reply
					f.bound(ForEquivalence, x.Judge.Ref, 2*paraphrase.MostReplies, f.followCalls(text, "")[0].Request,
						(4*len(text)+200)/4)
				}
			}
		}
	}
	return nil
}

// replies adds the answers to all variants, samples and repeats.
func (f *forecast) replies(ctx context.Context) error {
	if err := f.Reword(ctx, f.store); err != nil {
		return err
	}
	return f.eachSitting(ctx, f.store, func(x *sitting) error { return f.answers(ctx, x) })
}

// answers adds the answers of a model to a suite: variants, samples and repeats; and bounds what will be asked about
// those that are not there.
func (f *forecast) answers(ctx context.Context, x *sitting) error {
	heard, err := x.hear(ctx, nil)
	if err != nil {
		return err
	}
	for k, by := range f.judges() {
		f.bound(ForJudge, by.Ref, heard.more[k], JudgeCall(by, "", 0).Request, judgeFrame)
	}
	whole := map[int]bool{} // the cases whose answers are all there, with what a judge says of them
	for ci, trials := range x.table {
		whole[ci] = f.answersTo(x, x.cases.At(ci), trials)
	}
	if f.Equivalence == nil || !f.Has(Consistency) {
		return nil
	}
	var said []*comparison
	for _, m := range x.compared() {
		if whole[m.item] {
			said = append(said, m.said...)
		}
	}
	return f.pairs(ctx, ForSemanticEquivalence, said)
}

// answersTo adds the answers to one case, and reports whether all are there, with what a judge says of them.
func (f *forecast) answersTo(of *sitting, c *suite.Case, trials []trial) (whole bool) {
	m := of.model
	purposes := [...]string{forVariant: ForVariants, forSample: ForSamples, forRetest: ForRepeats}
	open, more := 0, 0
	for i := range trials {
		x := &trials[i]
		if !x.stored && m.Replayed {
			continue // what a replayed run lacks is not asked
		}
		f.countKey(purposes[x.purpose], m.Name(), x.key, int(x.prompt), int(x.longest), x.stored)
		if x.stored {
			continue
		}
		open++
		if x.first() {
			f.detectors(c, x)
		}
	}
	if made := f.reworded.of(of.suite, c.ID); made.missing != "" && !m.Replayed {
		more = max(0, f.Plan.paraphrases()-len(made.admitted))
		f.bound(ForVariants, m.Name(), more, *trials[0].more().request, (4*len(c.Prompt)+200)/4)
		open += more
	}
	longest := min(f.MaxTokens, 2<<10) // of an answer, as it is shown to a judge
	f.waiting = f.waiting || open > 0
	for _, by := range f.judges() {
		asked := judges(c.Oracle)
		if asked == 0 || f.JudgeAll {
			asked = JudgeTries + 1 // the last to see whether it agrees with itself
		}
		f.bound(ForJudge, by.Ref, open*asked, JudgeCall(by, "", 0).Request, judgeFrame+len(c.Prompt)/4+2*longest)
	}
	whole = open == 0 && !waits(trials)
	if f.semantic(c) && !whole {
		f.comparisons(of.rub, c, len(trials)+more, longest)
	}
	return whole
}

// judgeFrame is about how many tokens the words of a judge's question take, beside the case and its answers.
const judgeFrame = 400

// judges counts the judges in an oracle.
func judges(o *suite.Oracle) int {
	n := 0
	for p := range o.All() {
		if p.Type == "judge" {
			n++
		}
	}
	return n
}

// waits reports whether a judge has not yet been asked about an answer.
func waits(trials []trial) bool {
	return slices.ContainsFunc(trials, func(x trial) bool {
		for _, o := range x.more().opinions {
			if slices.ContainsFunc(o, func(o grade.Opinion) bool { return o.Pending }) {
				return true
			}
		}
		return false
	})
}

// detectors bounds what detectors ask about the answer to a default prompt that is not there.
func (f *forecast) detectors(c *suite.Case, x *trial) {
	if !f.Has(Detection) {
		return
	}
	m := f.Models[x.model]
	if m.Can == nil {
		m.Can = &model.Capabilities{OptionScores: true, HiddenStates: true} // not known: all that ask
	}
	longest := f.MaxTokens
	if n := len(x.more().options); n > 0 {
		longest = 0
		for _, o := range c.Options {
			longest = max(longest, len(o)/4+1)
		}
	}
	for _, ask := range followUps(m, *x.more().request, "x") {
		f.bound(ForDetectors, m.Name(), 1, ask.call.Request, longest)
	}
}

// comparisons bounds the pairs of answers of a case that are compared for semantic equivalence, were all n answers
// different.
func (f *forecast) comparisons(rub *rubric.Rubric, c *suite.Case, n, longest int) {
	nodes := make([]equivalence.Node, 0, n+4)
	for range n {
		nodes = append(nodes, equivalence.Node{Count: 1})
	}
	for i := range rub.References(c) {
		nodes = append(nodes, equivalence.Node{Gold: i + 1})
	}
	pairs, _ := equivalence.Pairs(nodes, f.Equivalence.Most)
	f.bound(ForSemanticEquivalence, f.Equivalence.Model.Ref, 2*len(pairs),
		f.direction(newComparison(c.Prompt, "", ""), false).Request, 2*longest)
}

// knownPairs adds the comparisons of the pairs of which it is known whether they say the same.
func (f *forecast) knownPairs(ctx context.Context) error {
	asked, _ := f.Equivalence.known()
	return f.pairs(ctx, ForKnownPairs, asked)
}

// corpus adds the texts that are scored for a sweep.
func (f *forecast) corpus(ctx context.Context) error {
	for _, m := range f.Models {
		if err := f.known(ctx, ForCorpus, &m, f.corpusCalls(m)); err != nil {
			return err
		}
	}
	return nil
}

// pairs adds the comparisons of known pairs of answers: the way there of each, and the way back of those that hold.
func (f *forecast) pairs(ctx context.Context, purpose string, list []*comparison) error {
	if len(list) == 0 {
		return nil
	}
	if _, err := f.settle(ctx, f.store, list); err != nil {
		return err
	}
	ref := f.Equivalence.Model.Ref
	for _, c := range list {
		missing := c.reason == notStored
		f.count(purpose, ref, f.direction(c, false), c.held || !missing)
		switch {
		case c.held:
			f.count(purpose, ref, f.direction(c, true), !missing)
		case missing:
			f.bound(purpose, ref, 1, f.direction(c, true).Request, 0)
		}
	}
	return nil
}

// judging adds what judges are asked about the answers that are there.
func (f *forecast) judging(ctx context.Context) error {
	for round := range JudgeTries {
		calls, err := f.toJudge(ctx, f.store, round)
		if err != nil {
			return err
		}
		anchored := round == 0 && len(calls) > 0 && slices.ContainsFunc(f.anchorCalls(), func(c run.Call) bool {
			return c.Key() == calls[len(calls)-1].Key()
		})
		for _, by := range f.judges() {
			// for the case that an answer which is not there yet is a judge's to decide
			if round == 0 && !anchored && f.waiting {
				f.bound(ForJudge, by.Ref, len(anchors),
					JudgeCall(by, anchors[0].in("").Text(), 0).Request, 0)
			}
			if err := f.known(ctx, ForJudge, by, calls); err != nil {
				return err
			}
		}
	}
	return nil
}

// detecting adds what detectors ask about the answers that are there.
func (f *forecast) detecting(ctx context.Context) error {
	calls, err := f.toDetect(ctx, f.store)
	if err != nil {
		return err
	}
	for i := range f.Models {
		if m := &f.Models[i]; err == nil && !m.Replayed {
			err = f.known(ctx, ForDetectors, m, calls)
		}
	}
	return err
}

// posterior adds the calls of the posterior rates. Until all is there they are bounded: a made-up pair that does
// not parse is drawn again.
func (f *forecast) posterior(ctx context.Context) error {
	for m, b := range f.Experiments() {
		if m.Replayed {
			continue
		}
		share := f.share(ForPosterior, m.Name())
		stored, taken := map[run.Key]bool{}, 0
		missing, err := b.Resample().Next(ctx, run.Watch(f.store, func(k run.Key, r *run.Record) {
			if !stored[k] {
				stored[k] = true
				taken += run.PromptTokens(r.Call.Request)
			}
		}))
		if err != nil {
			return err
		}
		if share.Stored += len(stored); len(missing) == 0 {
			share.Calls.add(len(stored), len(stored))
			continue
		}
		prompts := Bounds{}
		b.Requests(func(n, again, grown int, req model.Request) {
			least := run.PromptTokens(req)
			share.Calls.add(n, n*again)
			prompts.add(n*least, n*again*(least+grown*max(1, len(req.Options))))
			share.CompletionTokens.Most += n * again * req.MaxTokens
		})
		share.PromptTokens.add(max(0, prompts.Least-taken), prompts.Most)
	}
	return nil
}

package assay

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/seed"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// A purpose says which figure a planned answer is for.
type purpose int8

const (
	forVariant purpose = iota // greedy, one for each variant
	forSample                 // sampled, variant 0
	forRetest                 // greedy again, variant 0
)

// A spot is the place of a planned answer: of which model, suite and case, and in which variant.
type spot struct {
	variant                    *prompt.Variant
	model, suite, item, repeat int32 // indices, and the number of the draw
	purpose                    purpose
}

// A planned answer is its place and the call that asks for it.
type planned struct {
	spot
	call run.Call
}

// MaxRepeats is the most often that a prompt can be drawn from, or asked again.
const MaxRepeats = 10_000

// maxCalls bounds the calls of a plan, each of which takes memory.
const maxCalls = 4_000_000

// maxPrompts bounds their prompts together, in bytes: each is laid out and hashed, which takes some seconds for a GB.
const maxPrompts = 4e9

// perExample is what an example in a prompt takes beside its text, in bytes: its place among the variant's, and two
// messages.
const perExample = 150

// bounded returns an error where a plan has more calls than are planned, without planning them. Variants that a
// case may lack count.
func (p *Plan) bounded() error {
	calls, prompts := 0., 0.
	lengths := p.newLengths()
	lengths.example = perExample
	for _, s := range p.Suites {
		for _, c := range p.Covered(s).Pass() {
			n := p.variantsOf(c) + float64(p.Sampled)
			calls, prompts = calls+n, prompts+n*lengths.of(c)
		}
		calls += float64(min(p.Covered(s).Len(), p.RetestCases)) * float64(p.Repeats)
	}
	if calls *= float64(len(p.Models)); calls > maxCalls {
		return fmt.Errorf("the plan has up to %s calls, and at most %s are planned; lower --limit, --variants, "+
			"--sampled or --repeats, or run fewer models and suites at a time",
			figure.Thousands(figure.Fixed(calls, 0)), figure.Grouped(maxCalls))
	}
	if prompts *= float64(len(p.Models)); prompts > maxPrompts {
		return fmt.Errorf("the prompts of the plan come to up to %s GB, and at most %d are planned; lower "+
			"--limit, --variants or --sampled, or shorten the prompts and the pools they draw from",
			figure.Thousands(figure.Fixed(math.Ceil(prompts/1e9), 0)), int(maxPrompts/1e9))
	}
	return nil
}

// variantsOf returns how many prompt variants of a case the plan asks for at most.
func (p *Plan) variantsOf(c *suite.Case) float64 {
	variants := 1.
	if len(p.Variants) == 0 {
		variants += float64(len(c.Phrasings))
	}
	for _, v := range p.Variants {
		switch {
		case v.N == 0:
			variants += float64(len(c.Phrasings))
		case v.Kind == prompt.Options: // in as many orders as there are
			orders := 1
			for i := 2; i <= len(c.Options) && orders < v.N; i++ {
				orders *= i
			}
			variants += float64(min(v.N, orders))
		default:
			variants += float64(v.N)
		}
	}
	return variants
}

// A variantsAt gives the variants of a case of a suite, by their places.
type variantsAt func(si, ci int, c *suite.Case) []prompt.Variant

// answers returns the planned answers in the order in which they are asked for, each laid out when it is come to,
// and notes on what could not be planned as asked. The variants of all cases are held, for who keeps them beside the
// answers, or made again as each is come to: where wordings are many they take most of the memory.
func (p *Plan) answers(held bool) (all iter.Seq[planned], notes []string, err error) {
	held = held || p.Retrieval != nil // which finds passages by the words of a variant
	variants := make([][][]prompt.Variant, len(p.Suites))
	of := func(si, ci int, _ *suite.Case) []prompt.Variant { return variants[si][ci] }
	if !held {
		of = p.made()
	}
	for si, s := range p.Suites {
		given, several := p.given(s), false
		given.Shared = p.Retrieval == nil
		if held {
			variants[si] = make([][]prompt.Variant, p.asked(s).Cases.Len())
		}
		short, err := prompt.EachOfSuite(p.asked(s), p.Variants, p.Seed, given, func(ci int, vs []prompt.Variant) {
			several = several || len(vs) > 1
			if held {
				variants[si][ci] = vs
			}
		})
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, short...)
		if p.Has(Consistency) && !several {
			note(&notes, "suite %s: every case is asked in one prompt variant, so consistency was not measured; add "+
				"phrasings, or ask for --variants", s.Name)
		}
	}
	if err := p.Retrieval.find(variants); err != nil {
		return nil, nil, err
	}
	if t := p.templateNotes(); len(t) > 0 && p.laysOutOptions(of) {
		notes = append(notes, t...)
	}
	return p.inOrder(of), notes, nil
}

// made makes the variants of a case when it is come to.
func (p *Plan) made() variantsAt {
	given := make([]prompt.Given, len(p.Suites))
	for i, s := range p.Suites {
		given[i] = p.given(s).Cached()
	}
	return func(si, _ int, c *suite.Case) []prompt.Variant {
		vs, _ := prompt.Variants(c, p.Variants, p.Seed, given[si])
		return vs
	}
}

// inOrder gives the planned answers in their order; of returns the variants of a case, by its suite and its place.
func (p *Plan) inOrder(of variantsAt) iter.Seq[planned] {
	return func(yield func(planned) bool) {
		for mi, m := range p.Models {
			for si, s := range p.Suites {
				cases := p.asked(s).Cases
				retest := p.retestCases(s, cases.Len())
				for ci, c := range cases.Pass() {
					for _, a := range p.asks(c, of(si, ci, c), retest[ci]) {
						a.model, a.suite, a.item = int32(mi), int32(si), int32(ci)
						a.call = p.call(m, c, *a.variant, int(a.repeat), a.purpose)
						if !yield(a) {
							return
						}
					}
				}
			}
		}
	}
}

// laysOutOptions reports whether some options are scored after a prompt that each backend lays out its own way.
func (p *Plan) laysOutOptions(of variantsAt) bool {
	for si, s := range p.Suites {
		for ci, c := range p.asked(s).Cases.Pass() {
			if len(c.Options) == 0 {
				continue
			}
			if r := prompt.Render(c, of(si, ci, c)[0], p.layout()); len(r.Options) > 0 && !r.Raw {
				return true
			}
		}
	}
	return false
}

// asks are the planned answers to one case, without their calls: its variants, samples, and repeats where the case is
// one of those asked again.
func (p *Plan) asks(c *suite.Case, variants []prompt.Variant, retest bool) (list []planned) {
	if !p.Has(Consistency) {
		variants = variants[:1]
	}
	for i := range variants {
		list = append(list, planned{spot: spot{variant: &variants[i], purpose: forVariant}})
	}
	drawn := p.Has(Consistency) || p.Has(Detection)
	if drawn && (len(c.Options) == 0 || p.Choices == ChoicesGenerate) { // what is scored is not drawn
		for r := range int32(p.Sampled) {
			list = append(list, planned{spot: spot{variant: &variants[0], repeat: r, purpose: forSample}})
		}
	}
	if retest && p.Has(Consistency) {
		for r := int32(1); r < int32(p.Repeats); r++ {
			list = append(list, planned{spot: spot{variant: &variants[0], repeat: r, purpose: forRetest}})
		}
	}
	return list
}

// shows reports whether options are shown with letters in every case, whatever the case says.
func (p *Plan) shows() bool { return p.Choices == ChoicesGenerate || p.OptionScore == prompt.Letters }

// asked returns a suite as it is asked: the cases that the plan covers, with their options shown where answers are
// generated or letters scored.
func (p *Plan) asked(s *suite.Suite) *suite.Suite {
	cases := p.Covered(s)
	other := p.shows() && cases.Has(func(c *suite.Case) bool { return c.ShowOptions != (len(c.Options) > 0) })
	if other {
		shown := cases.Loose()
		for i := range shown {
			shown[i].ShowOptions = len(shown[i].Options) > 0
		}
		return s.With(suite.ListOf(shown))
	}
	if cases.Len() == s.Cases.Len() {
		return s
	}
	return s.With(cases)
}

// retestCases samples the cases that are asked again for the repeat agreement.
func (p *Plan) retestCases(s *suite.Suite, n int) map[int]bool {
	chosen := map[int]bool{}
	if p.Repeats >= 2 {
		for _, i := range seed.Stream(p.Seed, "floor", s.Name).Perm(n)[:min(n, p.RetestCases)] {
			chosen[i] = true
		}
	}
	return chosen
}

// call returns the call of one planned answer.
func (p *Plan) call(m UnderTest, c *suite.Case, v prompt.Variant, repeat int, why purpose) run.Call {
	layout := p.layout()
	if p.Retrieval != nil {
		layout.Retrieved, layout.RetrievedForm = p.Retrieval.top(v), p.Retrieval.Form
	}
	logProbs, most := m.logProbs(v, why)
	req := prompt.Render(c, v, layout)
	if len(req.Options) == 0 {
		req.MaxTokens, req.LogProbs, req.TopLogProbs = p.MaxTokens, logProbs, most
	}
	if why == forSample {
		req.Temperature, req.LogProbs = 1, m.LogProbs
		// servers take 53 bits safely
		req.Seed = new(int64(seed.Stream(p.Seed, "sample", c.ID, fmt.Sprint(repeat)).Uint64() >> 12))
	} else if m.Sampling {
		req.Temperature = 1
	}
	if v.Kind == prompt.Imported { // whose prompt is not known, so that its number tells it apart
		repeat = v.Number
	}
	return run.Call{Model: m.Identity, Request: req, Repeat: repeat}
}

// layout is how the plan lays prompts out.
func (p *Plan) layout() prompt.RenderOptions {
	return prompt.RenderOptions{Form: p.Form, Generate: p.Choices == ChoicesGenerate, Contract: p.AnswerContract}
}

// purposesOf are the purposes of planned answers in forecasts.
var purposesOf = [...]string{forVariant: ForVariants, forSample: ForSamples, forRetest: ForRepeats}

// labelled are the calls of the plan in their order, each laid out when it is come to, with notes on what could not be
// planned as asked.
func (p *Plan) labelled() (iter.Seq2[label, run.Call], []string, error) {
	all, notes, err := p.answers(false)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(label, run.Call) bool) {
		for a := range all {
			m := &p.Models[a.model]
			if !yield(label{purposesOf[a.purpose], m.Name(), p.Suites[a.suite].Name, m.Replayed}, a.call) {
				return
			}
		}
		for _, m := range p.Models {
			for _, c := range p.Sweep.corpusCalls(m.Identity) {
				if !yield(label{purpose: ForCorpus, model: m.Name()}, c) {
					return
				}
			}
		}
	}, notes, nil
}

// Calls returns the calls of the plan in their order, each laid out when it is come to, and notes on what could not
// be planned as asked.
func (p *Plan) Calls() (calls iter.Seq[run.Call], notes []string, err error) {
	all, notes, err := p.labelled()
	if err != nil {
		return nil, nil, err
	}
	return unlabelled(all), notes, nil
}

// templateNotes warn where models that are set beside each other score options after different texts: no API scores
// the turn of an assistant, so a server is given plain text, while a model in process has its chat template.
func (p *Plan) templateNotes() []string {
	var served, inside []string
	for _, m := range p.Models {
		ref, err := model.ParseRef(m.Ref)
		switch {
		case err != nil:
		case ref.URL != "" || ref.Scheme == model.OpenAI:
			served = append(served, m.Name())
		case ref.Scheme == model.Pocket || ref.Scheme == model.HF:
			inside = append(inside, m.Name())
		}
	}
	if len(served) == 0 || len(inside) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("options are scored after the plain text of the question by %s, and after its "+
		"chat template by %s, which can move the figures more than the models differ; "+
		"--form qa gives all the same text", strings.Join(served, ", "), strings.Join(inside, ", "))}
}

// Extent says, without planning, how many answers the plan asks for at most, and about how many bytes their prompts
// take: draws from a pool count by the mean row.
func (p *Plan) Extent() (answers, bytes float64) {
	lengths := p.newLengths()
	for _, s := range p.Suites {
		for _, c := range p.Covered(s).Pass() {
			n := p.answersTo(c)
			size := lengths.of(c)
			// as if no two cases shared their extensions
			if x := p.Posterior; x != nil && p.Has(Posterior) && inContext(c, true) {
				more := float64(x.M) * float64(x.Extend+1+len(x.At)+2*x.K)
				answers += more
				bytes += more * size
			}
			answers += n
			if p.Equivalence != nil { // pairs of a case's answers
				answers += n * min(n, 3*float64(p.Equivalence.Most))
			}
			bytes += n * size
		}
	}
	m := float64(len(p.Models))
	return m * answers, m * bytes
}

// answersTo is how many answers to a case are evaluated one by one at most.
func (p *Plan) answersTo(c *suite.Case) float64 {
	return p.variantsOf(c) + float64(p.Sampled) + float64(p.Repeats)
}

// Answers is the part of Extent's answers each of which is evaluated, and takes memory, whether it came back or not:
// those to variants, samples and repeats.
func (p *Plan) Answers() float64 {
	n := 0.
	for _, s := range p.Suites {
		for _, c := range p.Covered(s).Pass() {
			n += p.answersTo(c)
		}
	}
	return n * float64(len(p.Models))
}

// lengths says how many bytes prompts take, without laying them out.
type lengths struct {
	template int                          // the longest
	example  int                          // what each takes beside its text
	rows     map[*suite.Demonstration]int // the mean of a pool, which cases share
}

func (p *Plan) newLengths() *lengths {
	l := &lengths{rows: map[*suite.Demonstration]int{}}
	if p.Templates != nil {
		for _, t := range p.Templates.Templates {
			l.template = max(l.template, len(t.Intro)+len(t.Question)+len(t.Reply))
		}
	}
	return l
}

// of is about what the longest prompt of a case takes; draws from a pool count by the mean row.
func (l *lengths) of(c *suite.Case) float64 {
	size := len(c.Prompt)
	for _, text := range c.Phrasings {
		size = max(size, len(text))
	}
	size += l.template + len(c.System)
	for _, d := range c.Demonstrations {
		size += len(d.Input) + len(d.Label) + l.example
	}
	if len(c.Rows) > 0 {
		mean, ok := l.rows[&c.Rows[0]] // cases share their pools
		if !ok {
			for _, d := range c.Rows {
				mean += len(d.Input) + len(d.Label)
			}
			mean = 1 + mean/len(c.Rows)
			l.rows[&c.Rows[0]] = mean
		}
		size += c.DrawSize() * (mean + l.example)
	}
	for _, x := range c.Context {
		size += len(x.ID) + len(x.Text)
	}
	for _, o := range c.Options {
		size += len(o)
	}
	return float64(size)
}

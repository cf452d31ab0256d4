package assay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/suite"
)

// Check reports the first thing that a resolved plan never holds and one from a file of others may: an unknown kind
// or a number outside its range, in the plan or in its suites. Evaluate takes such things for misuse.
func (p *Plan) Check() error {
	_, scoring := prompt.ParseScoring(string(p.OptionScore))
	if err := cmp.Or(
		fault(p.Sampled < 0, "sampled is %d; want 0 or more", p.Sampled),
		fault(p.Repeats < 0, "repeats is %d; want 0 or more", p.Repeats),
		fault(p.RetestCases < 0, "floor_cases is %d; want 0 or more", p.RetestCases),
		fault(p.Limit < 0, "limit is %d; want 0 or more", p.Limit),
		fault(p.CommonR < 0, "common_r is %d; want 0 or more", p.CommonR),
		errors.Join(CheckEqual(p.Equal), p.Equivalence.check()),
		fault(p.SC != WithoutReplacement && p.SC != WithReplacement, "sc is %q; want %s or %s", p.SC,
			WithoutReplacement, WithReplacement),
		scoring,
		fault(p.Form != "" && !slices.Contains(suite.Forms, p.Form), "form is %q; want one of %v", p.Form, suite.Forms),
	); err != nil {
		return err
	}
	for i, v := range p.Variants {
		switch {
		case !slices.Contains(prompt.Kinds, v.Kind):
			return fmt.Errorf("variants of kind %q are unknown", v.Kind)
		case v.N < 0 || v.N > prompt.MaxVariants || v.N == 0 && v.Kind != prompt.Phrasings:
			return fmt.Errorf("%d variants of kind %s; want 1 to %d", v.N, v.Kind, prompt.MaxVariants)
		case slices.ContainsFunc(p.Variants[:i], func(o prompt.Spec) bool { return o.Kind == v.Kind }):
			return fmt.Errorf("variants of kind %s are there twice", v.Kind)
		}
	}
	if p.Retrieval != nil {
		if _, err := prompt.ParseRetrievedForm(string(p.Retrieval.Form)); err != nil {
			return err
		}
	}
	for i, s := range p.Suites {
		if s == nil {
			return fmt.Errorf("suite %d is null", i+1)
		}
		if err := s.Check(); err != nil {
			return err
		}
	}
	if len(p.Models) == 0 || len(p.Suites) == 0 {
		return errors.New("the plan has no model or no suite")
	}
	return nil
}

// Extent says, without planning, how many answers the plan asks for at most, and about how many bytes their prompts
// take: draws from a pool count by the mean row.
func (p *Plan) Extent() (answers, bytes float64) {
	lengths := p.newLengths()
	for _, s := range p.Suites {
		for _, c := range p.cases(s).Pass() {
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
		for _, c := range p.cases(s).Pass() {
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
		size += c.DrawSize() * (meanRow(c.Rows, l.rows) + l.example)
	}
	for _, x := range c.Context {
		size += len(x.ID) + len(x.Text)
	}
	for _, o := range c.Options {
		size += len(o)
	}
	return float64(size)
}

// meanRow returns the mean size of the rows of a pool, rounded up; cases share their pools.
func meanRow(rows []suite.Demonstration, known map[*suite.Demonstration]int) int {
	size, ok := known[&rows[0]]
	if !ok {
		for _, d := range rows {
			size += len(d.Input) + len(d.Label)
		}
		size = 1 + size/len(rows)
		known[&rows[0]] = size
	}
	return size
}

// byDomain returns the consistency of each domain of a suite by itself; nil where no case has one, or none of it
// was asked twice.
func byDomain(cases suite.List, asked []*consistency.Case, opt consistency.Options) (map[string]*consistency.Result,
	error) {
	of := map[string][]*consistency.Case{}
	for i, c := range cases.Pass() {
		if d := c.Domain; d != "" {
			of[d] = append(of[d], asked[i])
		}
	}
	opt.PerQuestion = false
	var out map[string]*consistency.Result
	for d, list := range of {
		if !askedTwice(list) {
			continue
		}
		res, err := consistency.Analyze(list, opt)
		if err != nil {
			return nil, err
		}
		setIn(&out, d, &res)
	}
	return out, nil
}

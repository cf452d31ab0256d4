package assay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/scored"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// Needs lists what the plan asks of every model, with the method or suite that asks for it.
type Needs struct {
	OptionScores string // why continuations must be scored; "" if they need not
	Sampling     string
	// Labels says why labels must be scored or listed; "" if they need not. Listed says that the likeliest tokens
	// of an answer would do.
	Labels string
	Listed bool
	// Texts says why texts that are in no suite must be scored; "" if they need not.
	Texts string
}

// Needs returns what the plan asks of its models.
func (p *Plan) Needs() Needs {
	var n Needs
	if p.Sampled > 0 {
		n.Sampling = fmt.Sprintf("--sampled %d samples answers at temperature 1", p.Sampled)
	}
	for _, s := range p.Suites {
		scored := countCases(p.Covered(s), func(c *suite.Case) bool { return len(c.Options) > 0 })
		if p.Choices == ChoicesScore && scored > 0 {
			n.OptionScores = fmt.Sprintf("suite %s has %d cases whose options are scored by their log-probability",
				s.Name, scored)
			break
		}
	}
	if p.Sweep != nil && p.Sweep.Corpus != nil {
		n.Texts = "--corpus scores texts by their log-probability (leave it out)"
	}
	posterior := slices.ContainsFunc(p.Suites, func(s *suite.Suite) bool {
		_, ok := p.experiment(UnderTest{}, s)
		return ok
	})
	if posterior {
		n.Labels, n.Listed = "the posterior method needs the log-probabilities of labels (leave it out of --method)",
			p.Posterior.Estimator == ""
	}
	if n.Sampling == "" && posterior {
		n.Sampling = "the posterior method samples pairs at temperature 1 (leave it out of --method)"
	}
	return n
}

// Lacks returns one sentence for each need that a model's capabilities do not meet, with the flag that would do.
func (n Needs) Lacks(ref string, c model.Capabilities) []string {
	var lacks []string
	note := ""
	if c.Note != "" {
		note = " (" + c.Note + ")"
	}
	lack := func(what, need, remedy string) { lacks = append(lacks, ref+" "+what+note+", but "+need+remedy) }
	const unscored = "gives no log-probabilities of a given text"
	if n.OptionScores != "" && !c.OptionScores {
		lack(unscored, n.OptionScores, "; --choices generate shows the options with letters and reads the answer")
	}
	switch {
	case n.Texts == "":
	case c.Closed:
		lack("knows the prompts of the suites alone", n.Texts, "")
	case !c.OptionScores:
		lack(unscored, n.Texts, "")
	}
	if n.Labels != "" && n.OptionScores == "" && !c.OptionScores && !(n.Listed && c.TopLogProbs > 0) {
		lack(unscored, n.Labels, "")
	}
	if n.Sampling != "" && !c.Sampling {
		lack("cannot sample", n.Sampling, "; --sampled 0 does without")
	}
	return lacks
}

// Validate reports what is wrong with the plan's own parameters, and with cases that its parameters make impossible.
// Notes are what a reader of the results has to know.
func (p *Plan) Validate() (notes []string, err error) {
	for _, check := range []func() error{p.checkParameters, p.checkPosterior, p.bounded, p.checkModels} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	names := map[string]bool{}
	for _, s := range p.Suites {
		if names[s.Name] {
			return nil, fmt.Errorf("two suites are named %q; give one of them another name", s.Name)
		}
		names[s.Name] = true
		if p.Limit > 0 && p.Limit < s.Cases.Len() {
			note(&notes, "suite %s: only the first %d of %d cases were asked (--limit)", s.Name, p.Limit, s.Cases.Len())
		}
		for _, w := range s.Warnings {
			note(&notes, "suite %s: %s", s.Name, w)
		}
		if err := p.checkCases(s); err != nil {
			return nil, err
		}
	}
	outside, err := p.checkSweep()
	if err != nil {
		return nil, err
	}
	equal, err := p.equalNotes()
	return slices.Concat(p.GradesNothing(), p.from().Notes, notes, p.goldNotes(), p.judgeNotes(), p.paraphraseNotes(),
		equal, outside), err
}

// checkParameters reports values that no plan has.
func (p *Plan) checkParameters() error {
	for _, m := range p.Methods {
		if !slices.Contains(Methods(), m) && (m != scored.Name || p.Imported == nil) {
			return fmt.Errorf("--method %s: this release has %s", m, strings.Join(Methods(), ", "))
		}
	}
	paraphrased := slices.ContainsFunc(p.Variants, func(s prompt.Spec) bool { return s.Kind == prompt.Paraphrases })
	return cmp.Or(
		fault(len(p.Models) == 0, "no model: name one with --model"),
		fault(len(p.Suites) == 0, "no suite: name one with --suite"),
		fault(len(p.Methods) == 0, "no method: --method takes %s", strings.Join(Methods(), ",")),
		fault(paraphrased && p.Paraphrasing == nil, "--variants paraphrases: nothing makes them; name a --paraphraser"),
		p.Fault(),
	)
}

// fault is an error where something is amiss, else nil.
func fault(amiss bool, format string, args ...any) error {
	if !amiss {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// checkModels reports a model that stands twice.
func (p *Plan) checkModels() error {
	seen := map[string]string{}
	for _, m := range p.Models {
		switch first, twice := seen[m.Identity]; {
		case twice && first == m.Ref:
			return fmt.Errorf("--model %s stands twice", m.Ref)
		case twice:
			return fmt.Errorf("--model %s stands twice: it is the same model as %s", m.Ref, first)
		}
		seen[m.Identity] = m.Ref
	}
	return nil
}

// checkCases reports a case that the parameters make impossible.
func (p *Plan) checkCases(s *suite.Suite) error {
	asOf := p.asOf(s)
	for _, c := range p.Covered(s).Pass() {
		if asOf == "" && c.NeedsToday() {
			return fmt.Errorf(
				"%s: case %q asks about today, but neither the suite's as_of nor --as-of says which day that is",
				c.Place, c.ID)
		}
		if n := len(c.Options); p.shows() && n > suite.MaxShown {
			return fmt.Errorf("%s: case %q has %d options to show; letters go to %d: score the texts of its options",
				c.Place, c.ID, n, suite.MaxShown)
		}
	}
	return nil
}

// Check reports the first thing that a resolved plan never holds and one from a file of others may: an unknown kind
// or a number outside its range, in the plan or in its suites. Evaluate takes such things for misuse.
func (p *Plan) Check() error {
	if err := cmp.Or(outside(p.Parameters(), false), p.Equivalence.check()); err != nil {
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

// GradesNothing says of each suite in which no case can be graded, first of all that is said of a run, that nothing
// will be; nil where correctness was not asked for.
func (p *Plan) GradesNothing() (notes []string) {
	if !p.Has(Rubric) {
		return nil
	}
	for _, s := range p.Suites {
		if cases := p.Covered(s); cases.Len() > 0 && !cases.Has(hasReference) {
			note(&notes, "suite %s: no case has a gold answer or an oracle, so nothing is graded and no rate of "+
				"wrong answers can be given: add gold to the cases", s.Name)
		}
	}
	return notes
}

// hasReference reports whether a case has something to be graded by.
func hasReference(c *suite.Case) bool { return !c.Gold.IsZero() || c.Oracle != nil || c.Decline }

// goldNotes counts the cases that have nothing to be graded by, and names the first: they are in no figure of
// correctness. Where no case has anything, GradesNothing says so.
func (p *Plan) goldNotes() (notes []string) {
	for _, s := range p.Suites {
		n, first := 0, ""
		for _, c := range p.Covered(s).Pass() {
			if !hasReference(c) {
				n, first = n+1, cmp.Or(first, c.ID)
			}
		}
		if n > 0 && (n < p.Covered(s).Len() || !p.Has(Consistency) && !p.Has(Rubric)) {
			note(&notes, "suite %s: %d of %d cases have no gold answer and nothing else to be graded by, the first "+
				"is %q; they are in no figure of correctness", s.Name, n, p.Covered(s).Len(), first)
		}
	}
	return notes
}

// note adds a sentence to a list.
func note(list *[]string, format string, args ...any) {
	*list = append(*list, fmt.Sprintf(format, args...))
}

package assay

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// A Sweep orders the models of a plan along one axis, such as the stages of a compression, and says on which cases
// they are set beside each other.
type Sweep struct {
	// a model of the plan each, in the order of their sparsity; the first is the dense model
	Stages []SweepStage `json:"stages"`
	Probes []SweepProbe `json:"probes,omitempty"`
	Corpus *SweepCorpus `json:"corpus,omitempty"`
	// From is the file or folder that named the stages, and Dense the --model it was given with; they decide nothing.
	From  string `json:"from,omitempty"`
	Dense string `json:"dense,omitempty"`
}

// A SweepStage is one model of a sweep.
type SweepStage struct {
	Name string `json:"name"`
	// Sparsity is where it stands on the axis, in [0, 1): the share of the parameters beside the embeddings that is
	// gone. Where sizes were given it is 1 - size/size of the first.
	Sparsity float64  `json:"sparsity"`
	OfAll    *float64 `json:"sparsity_of_all,omitempty"` // share of all parameters that is gone
	Size     float64  `json:"size,omitempty"`            // as given, in units of the file
}

// A SweepProbe is a part of a suite's cases that is measured by itself.
type SweepProbe struct {
	Name  string `json:"name"`
	Suite string `json:"suite,omitempty"` // empty: of every suite that has such cases
	// a case with one of them is of the probe; the last letter may be *, for any tag that begins so
	Tags []string `json:"tags"`
}

// A SweepCorpus is a text on which the models' perplexity is measured.
type SweepCorpus struct {
	From  string   `json:"from,omitempty"` // the file, which decides nothing
	Texts []string `json:"texts"`
}

// has reports whether a case is of the probe.
func (b *SweepProbe) has(c *suite.Case) bool {
	return slices.ContainsFunc(c.Tags, func(tag string) bool {
		return slices.ContainsFunc(b.Tags, func(want string) bool {
			if stem, ok := strings.CutSuffix(want, "*"); ok {
				return strings.HasPrefix(tag, stem)
			}
			return tag == want
		})
	})
}

// ParseProbe reads a probe as NAME=TAG+TAG.
func ParseProbe(text string) (SweepProbe, error) {
	name, tags, ok := strings.Cut(text, "=")
	b := SweepProbe{Name: strings.TrimSpace(name)}
	for _, tag := range strings.Split(tags, "+") {
		if tag = strings.TrimSpace(tag); tag != "" && tag != "*" {
			b.Tags = append(b.Tags, tag)
		}
	}
	for _, tag := range b.Tags {
		if strings.Contains(strings.TrimSuffix(tag, "*"), "*") {
			return b, fmt.Errorf("probe %q: the tag %s; a * stands at the end of a tag only, for all that begin so",
				text, tag)
		}
	}
	if !ok || b.Name == "" || len(b.Tags) != strings.Count(tags, "+")+1 {
		return b, fmt.Errorf("probe %q: write a name and the tags of its cases, as facts=known+rare-*", text)
	}
	return b, nil
}

// maxStages bounds a sweep.
const maxStages = 100

// Check reports what is wrong with the stages, and with which of them, counted from 0.
func (s *Sweep) Check() (stage int, err error) {
	if len(s.Stages) < 2 {
		return 0, errors.New("a sweep sets two models at least beside each other, the dense one first")
	}
	if len(s.Stages) > maxStages {
		return maxStages, fmt.Errorf("%d models: a sweep holds %d at most", len(s.Stages), maxStages)
	}
	share := func(x float64) bool { return x >= 0 && x < 1 }
	seen := map[string]bool{}
	for i, x := range s.Stages {
		before, all := s.Stages[max(0, i-1)], 0.
		if x.OfAll != nil {
			all = *x.OfAll
		}
		err := cmp.Or(
			fault(strings.TrimSpace(x.Name) == "", "a model without a name: write one, as name: R1"),
			fault(seen[x.Name], "two models are named %q; give one of them another name", x.Name),
			fault(!share(x.Sparsity), "%s: a sparsity of %v; want a share from 0 to less than 1, as .149 for 14.9 %%",
				x.Name, x.Sparsity),
			fault(i == 0 && x.Sparsity != 0, "%s: the first model has a sparsity of %v; want the dense one first, "+
				"with 0", x.Name, x.Sparsity),
			fault(x.Sparsity < before.Sparsity && s.sized(), "%s: a size of %v after %v of %s; want the largest model "+
				"first, and none larger than the one before it", x.Name, x.Size, before.Size, before.Name),
			fault(x.Sparsity < before.Sparsity, "%s: a sparsity of %v after %v of %s; want the models in the order of "+
				"their sparsity, none below the one before it", x.Name, x.Sparsity, before.Sparsity, before.Name),
			fault(!share(all), "%s: a sparsity of all of %v; want a share from 0 to less than 1", x.Name, all),
		)
		if err != nil {
			return i, err
		}
		seen[x.Name] = true
	}
	return 0, nil
}

// sized reports whether sizes were given in place of sparsities.
func (s *Sweep) sized() bool { return s.Stages[0].Size > 0 }

// args name the sweep again on a command line, in place of the models.
func (s *Sweep) args() []string {
	args := []string{"--sweep", s.From}
	if s.Dense != "" {
		args = append(args, "--model", s.Dense)
	}
	for _, b := range s.Probes {
		if b.Suite == "" { // else it is that suite's own
			args = append(args, "--probe", b.Name+"="+strings.Join(b.Tags, "+"))
		}
	}
	if s.Corpus != nil {
		args = append(args, "--corpus", s.Corpus.From)
	}
	return args
}

// checkSweep reports what no sweep can be made of.
func (p *Plan) checkSweep() (notes []string, err error) {
	s := p.Sweep
	if s == nil {
		return nil, nil
	}
	if _, err := s.Check(); err != nil {
		return nil, fmt.Errorf("--sweep: %w", err)
	}
	guarded := slices.ContainsFunc(p.Models, func(m UnderTest) bool { return m.Guard != nil })
	if err := cmp.Or(
		fault(len(s.Stages) != len(p.Models), "--sweep: %d stages and %d models; a replayed run of several models is "+
			"no stage", len(s.Stages), len(p.Models)),
		fault(!p.Has(Consistency), "--sweep: it measures stability; --method consistency is not among %s",
			strings.Join(p.Methods, ",")),
		fault(guarded && s.Corpus != nil,
			"--corpus: a guard answers questions and scores no text; leave one of --corpus and --guard out"),
	); err != nil {
		return nil, err
	}
	for i := range s.Probes {
		b := &s.Probes[i]
		same := func(o SweepProbe) bool { return o.Suite == b.Suite && o.Name == b.Name }
		if slices.ContainsFunc(s.Probes[:i], same) {
			return nil, fmt.Errorf("--probe %s stands twice", b.Name)
		}
		more, err := p.checkProbe(b)
		if err != nil {
			return nil, err
		}
		notes = append(notes, more...)
	}
	for _, u := range p.Suites {
		if probes := p.probes(u); probes[0].Tags != nil {
			out := countCases(p.Covered(u), func(c *suite.Case) bool {
				return !slices.ContainsFunc(probes, func(b SweepProbe) bool { return b.has(c) })
			})
			if out > 0 {
				note(&notes, "suite %s: %d of %d cases are of no probe of the sweep", u.Name, out, p.Covered(u).Len())
			}
		}
	}
	return notes, nil
}

// checkProbe reports a probe that no case is of.
func (p *Plan) checkProbe(b *SweepProbe) (notes []string, err error) {
	tags := map[string]bool{}
	for _, u := range p.Suites {
		if b.Suite != "" && b.Suite != u.Name {
			continue
		}
		for _, c := range p.Covered(u).Pass() {
			if b.has(c) {
				return nil, nil
			}
			for _, tag := range c.Tags {
				tags[tag] = true
			}
		}
	}
	if b.Suite != "" {
		if slices.ContainsFunc(p.Suites, func(u *suite.Suite) bool { return u.Name == b.Suite }) {
			note(&notes, "suite %s: none of the cases that are asked is of the probe %s", b.Suite, b.Name)
		}
		return notes, nil
	}
	of, there := "", "none has any"
	if p.Limit > 0 {
		of = fmt.Sprintf(" of the first %d", p.Limit)
	}
	if list := slices.Sorted(maps.Keys(tags)); len(list) > 0 {
		there = "there are " + strings.Join(list[:min(20, len(list))], ", ")
	}
	return nil, fmt.Errorf("--probe %s: no case%s has a tag of %s; %s", b.Name, of, strings.Join(b.Tags, ", "), there)
}

// probes returns the probes of a suite: those that have a case of it, or else the whole suite, a probe without tags.
func (p *Plan) probes(s *suite.Suite) []SweepProbe {
	out := slices.DeleteFunc(slices.Clone(p.Sweep.Probes), func(b SweepProbe) bool {
		return b.Suite != "" && b.Suite != s.Name || !p.Covered(s).Has(b.has)
	})
	if len(out) == 0 {
		return []SweepProbe{{Name: s.Name}}
	}
	return out
}

// Bounds on a corpus, which is kept with the plan.
const (
	maxCorpusTexts = 10_000
	maxCorpusBytes = 16 << 20
)

// ReadCorpus reads a corpus: a line {"text": "…"} each. A fault names its line. A text needs two words, as the
// first is what the others follow.
func ReadCorpus(file string, data []byte) (*SweepCorpus, error) {
	type row struct {
		Text *string `json:"text"`
	}
	if len(data) > maxCorpusBytes {
		return nil, fmt.Errorf("%s:1: more than %d MiB; take a part of it", file, maxCorpusBytes>>20)
	}
	c := &SweepCorpus{From: file}
	err := jsonl.Each(file, bytes.NewReader(data), func(_ int, r row) error {
		switch {
		case r.Text == nil:
			return errors.New(`"text" is missing: write {"text": "…"}`)
		case len(strings.Fields(*r.Text)) < 2:
			return errors.New("a text of fewer than two words: the first is given, and the rest is scored")
		case len(c.Texts) == maxCorpusTexts:
			return fmt.Errorf("more than %d texts; take a part of them", maxCorpusTexts)
		}
		c.Texts = append(c.Texts, *r.Text)
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// corpusCalls are the calls that score the corpus by one model: how likely each text is after its first word,
// without any chat template.
func (s *Sweep) corpusCalls(identity string) (calls []run.Call) {
	if s == nil || s.Corpus == nil {
		return nil
	}
	for _, text := range s.Corpus.Texts {
		text = strings.TrimSpace(text)
		end := len(strings.Fields(text)[0])
		calls = append(calls, run.Call{Model: identity,
			Request: model.Request{Raw: true, Prompt: text[:end], Options: []string{text[end:]}}})
	}
	return calls
}

// classes returns the probabilities of a scored trial's options by what decides the choice, first that of the gold
// options together, then the others in the order of the case:
//
//	p_o = exp(score_o) / Σ exp(score)
//
// with the score of prompt.Choose. nil where the trial has no scores.
func (p *Plan) classes(c *suite.Case, gold []bool, trial *trial) []float64 {
	if !trial.stored || trial.response == nil || len(trial.more().options) == 0 {
		return nil
	}
	choice, err := p.choice(c, trial)
	if err != nil {
		return nil
	}
	best := slices.Max(choice.Scores)
	if math.IsInf(best, -1) {
		return nil
	}
	total := 0.
	by := make([]float64, len(choice.Scores)) // in the order of the case
	for position, s := range choice.Scores {
		x := math.Exp(s - best)
		by[prompt.OptionAt(*trial.variant, position)] = x
		total += x
	}
	out := []float64{0}
	for i, x := range by {
		if gold[i] {
			out[0] += x / total
		} else {
			out = append(out, x/total)
		}
	}
	return out
}

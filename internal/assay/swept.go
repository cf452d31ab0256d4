package assay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/sweep"
	"hallmark/internal/run"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// Swept sets the models of a run beside each other along the axis of its sweep.
type Swept struct {
	Axis   string       `json:"axis"` // sparsity, or size where sizes were given
	Models []SweptModel `json:"models"`
	Probes []SweptProbe `json:"probes"` // never pooled
	Corpus *SweptCorpus `json:"corpus,omitempty"`
	// Findings say in sentences where stability peaks, how sure that is and what it costs.
	Findings []Finding `json:"findings"`
}

// A SweptModel is a stage and the model that it is.
type SweptModel struct {
	SweepStage
	Model string `json:"model"`
	// Perplexity is that of the corpus, over the texts that every model scored, Against how it moved from the dense
	// model, text by text.
	Perplexity *consistency.Perplexity      `json:"corpus_perplexity,omitempty"`
	Against    *consistency.PerplexityRatio `json:"corpus_against_dense,omitempty"`
}

// A SweptProbe is the sweep on one probe of one suite.
type SweptProbe struct {
	Suite string   `json:"suite"`
	Probe string   `json:"probe"`
	Tags  []string `json:"tags,omitempty"` // of its cases; absent: all of the suite
	Cases int      `json:"cases"`
	*sweep.Result
}

// SweptCorpus says what the perplexities of the models are over.
type SweptCorpus struct {
	Name     string   `json:"name,omitempty"` // of the file, without its folder
	Texts    int      `json:"texts"`
	Scored   int      `json:"scored"` // by every model
	Hash     string   `json:"hash"`
	Warnings []string `json:"warnings"`
}

// sweepPart is what one model gave on one suite.
type sweepPart struct {
	cases    []*consistency.Case
	answers  []consistency.Likelihood
	scored   []sweep.Scored
	measured []measured
}

// sweepPart keeps what the sweep needs of a model on a suite.
func (x *sitting) sweepPart(context.Context) error {
	p := x.plan
	part := &sweepPart{cases: x.greedy, answers: x.likelihoods(), measured: x.measured}
	for ci := range x.cases.Len() {
		c := x.cases.At(ci)
		if len(c.Options) == 0 || !x.rub.Gradable(c) {
			continue
		}
		gold := make([]bool, len(c.Options))
		for i := range gold {
			g := x.rub.Grade(c, grade.Answer{Option: &i})
			gold[i] = g.Truth.Verdict == grade.Pass && g.Decidability.Verdict == grade.Pass
		}
		if !slices.Contains(gold, true) {
			continue
		}
		s := sweep.Scored{ID: c.ID, Cluster: x.cluster(ci)}
		for i := range x.table[ci] {
			trial := &x.table[ci][i]
			if trial.purpose != forVariant || p.ExcludeDefault && trial.variant.Number == 0 {
				continue
			}
			if ps := p.classes(c, gold, trial); ps != nil {
				s.Variants = append(s.Variants, ps)
			}
		}
		part.scored = append(part.scored, s)
	}
	x.parts = append(x.parts, part)
	return nil
}

// of returns a model's part that belongs to a probe.
func (s *sweepPart) of(stage SweepStage, cases suite.List, probe *SweepProbe) sweep.Stage {
	out := sweep.Stage{Name: stage.Name, Sparsity: stage.Sparsity, PHR: map[string]float64{}}
	in := map[string]bool{}
	for i, c := range cases.All() {
		if probe.Tags != nil && !probe.has(c) {
			continue
		}
		in[c.ID] = true
		out.Cases = append(out.Cases, s.cases[i])
		if s.measured == nil {
			continue
		}
		if q := s.measured[i].posterior; q != nil {
			out.PHR[c.ID] = q.PHR.Value
		}
	}
	out.Answers = slices.DeleteFunc(slices.Clone(s.answers), func(x consistency.Likelihood) bool { return !in[x.ID] })
	out.Scored = slices.DeleteFunc(slices.Clone(s.scored), func(x sweep.Scored) bool { return !in[x.ID] })
	return out
}

// swept sets the models side by side, where there is a sweep.
func (e *evaluation) swept(ctx context.Context, d *Document) error {
	p := e.plan
	if p.Sweep == nil {
		return nil
	}
	out := &Swept{Axis: "sparsity", Probes: []SweptProbe{}, Findings: []Finding{}}
	if p.Sweep.sized() {
		out.Axis = "size"
	}
	for i, s := range p.Sweep.Stages {
		out.Models = append(out.Models, SweptModel{SweepStage: s, Model: p.Models[i].Name()})
	}
	for si, s := range p.Suites {
		cases := p.Covered(s)
		byID := make(map[string]*suite.Case, cases.Len())
		for _, c := range cases.All() {
			byID[c.ID] = c
		}
		for _, probe := range p.probes(s) {
			stages := make([]sweep.Stage, len(p.Models))
			for mi := range p.Models {
				stages[mi] = e.parts[mi*len(p.Suites)+si].of(p.Sweep.Stages[mi], cases, &probe)
			}
			opt := sweep.DefaultOptions()
			opt.Consistency.Tau, opt.Consistency.WithReplacement, opt.Consistency.ExcludeDefault,
				opt.Consistency.Level = p.Tau, p.SC == WithReplacement, p.ExcludeDefault, level
			opt.Seed, opt.Name = p.Seed, []string{s.Name, probe.Name}
			res, err := sweep.Analyze(stages, opt)
			if err != nil {
				return fmt.Errorf("suite %s, probe %s: %w", s.Name, probe.Name, err)
			}
			for i := range res.Stages {
				if c := res.Stages[i].Collapsed; c != nil {
					for k := range c.Listed {
						x := &c.Listed[k]
						x.Prompt, x.Gold = brief(byID[x.ID].Prompt, 300), brief(GoldShown(byID[x.ID]), 300)
					}
				}
			}
			out.Probes = append(out.Probes, SweptProbe{s.Name, probe.Name, probe.Tags, len(stages[0].Cases), res})
			out.Findings = append(out.Findings, sweepFindings(len(out.Probes)-1, &out.Probes[len(out.Probes)-1])...)
		}
	}
	d.Sweep = out
	return e.corpus(ctx, out, d.Models)
}

// brief cuts a text that stands in a list to so many runes.
func brief(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// corpus measures the perplexity of the corpus by every model, over the texts that all have scored.
func (e *evaluation) corpus(ctx context.Context, out *Swept, models []ModelResult) error {
	p := e.plan
	if p.Sweep.Corpus == nil {
		return nil
	}
	texts := p.Sweep.Corpus.Texts
	missing := make([]bool, len(texts))
	by := make([][]consistency.Likelihood, len(p.Models))
	for mi, m := range p.Models {
		var err error
		if by[mi], err = corpusBy(ctx, e.store, p.Sweep.corpusCalls(m.Identity), &models[mi], missing); err != nil {
			return err
		}
	}
	hash := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(hash, "%d\n%s", len(t), t)
	}
	out.Corpus = &SweptCorpus{Texts: len(texts), Hash: "sha256:" + hex.EncodeToString(hash.Sum(nil)[:8]),
		Warnings: []string{}}
	if from := p.Sweep.Corpus.From; from != "" {
		out.Corpus.Name = filepath.Base(from)
	}
	tokens := make([]int, len(p.Models))
	var dense []consistency.Likelihood
	for mi := range by {
		var shared []consistency.Likelihood
		for i, x := range by[mi] {
			if !missing[i] {
				shared = append(shared, x)
				tokens[mi] += x.Tokens
			}
		}
		out.Models[mi].Perplexity = consistency.PerplexityOver(shared, level)
		if out.Corpus.Scored = len(shared); mi == 0 {
			dense = shared
		} else {
			out.Models[mi].Against = consistency.RatioOver(dense, shared, level)
		}
	}
	if n := out.Corpus.Texts - out.Corpus.Scored; n > 0 {
		note(&out.Corpus.Warnings, "%d of %d texts were not scored by every model and are left out", n,
			out.Corpus.Texts)
	}
	if slices.Max(tokens) != slices.Min(tokens) {
		out.Corpus.Warnings = append(out.Corpus.Warnings,
			"the models cut the texts into other tokens, so that their perplexities are not of one unit")
	}
	return nil
}

// corpusBy returns how likely one model finds the texts, and counts what its calls took. It marks the texts that
// are missing, and lists them.
func corpusBy(ctx context.Context, store run.Store, calls []run.Call, by *ModelResult,
	lost []bool) ([]consistency.Likelihood, error) {
	records, err := run.Records(ctx, store, calls)
	if err != nil {
		return nil, err
	}
	took := spending{tokens: by.Tokens, usd: by.USD}
	out := make([]consistency.Likelihood, len(calls))
	for i, r := range records {
		reason := missing(r)
		if reason == "" && (len(r.Response.Options) != 1 || len(r.Response.Options[0].LogProbs) == 0) {
			reason = "the response has no scores"
		}
		if reason != "" {
			lost[i] = true
			by.Unscored = append(by.Unscored, Unscored{CaseID: "text " + strconv.Itoa(i+1), Axis: "corpus",
				Reason: reason})
			continue
		}
		took.count(calls[i].Key(), r.Response.Usage)
		out[i] = consistency.Likelihood{ID: strconv.Itoa(i), Tokens: len(r.Response.Options[0].LogProbs),
			Nats: -r.Response.Options[0].Sum()}
	}
	by.Tokens, by.USD = took.tokens, took.usd
	return out, nil
}

// sweepFindings say what a probe shows.
func sweepFindings(at int, b *SweptProbe) (out []Finding) {
	where := b.Probe
	if b.Probe != b.Suite {
		where = b.Probe + " of " + b.Suite
	}
	path := fmt.Sprintf("sweep.probes.%d.", at)
	if b.Peak != nil {
		out = append(out, peakFinding(path, where, b))
	}
	if says := regimesOf(b); says != "" {
		out = append(out,
			Finding{Sentence: fmt.Sprintf("On %s, against %s: %s.", where, b.Stages[0].Stage, says),
				Path: path + "stages"})
	}
	return append(out, collapseFinding(path, where, b)...)
}

// peakFinding says where stability peaks.
func peakFinding(path, where string, b *SweptProbe) Finding {
	p, dense := b.Peak, &b.Stages[0]
	f := Finding{Path: path + "peak",
		Sentence: fmt.Sprintf("On %s stability peaks at %s, %s sparsity", where, p.Stage, percent(p.Sparsity))}
	if p.Stage == dense.Stage {
		f.Sentence = fmt.Sprintf("On %s no model is more stable than %s", where, dense.Stage)
	}
	f.Sentence += fmt.Sprintf(": %s. It is the peak in %s of resamples of the cases", num(p.SemanticStability),
		percent(p.Share))
	if others := slices.DeleteFunc(slices.Clone(p.Optimal), func(s string) bool {
		return s == p.Stage
	}); len(others) > 0 {
		f.Sentence += ", and does not differ beyond chance from " + strings.Join(others, ", ")
	}
	f.Sentence += "."
	if len(p.Optimal) == len(b.Stages) {
		f.Warnings = append(f.Warnings,
			"no stage differs from another beyond chance, so there is no peak; ask more cases")
	}
	return f
}

// regimesOf says at which stages bias² and variance fell or grew.
func regimesOf(b *SweptProbe) string {
	by := map[string][]string{}
	for _, s := range b.Stages[1:] {
		by[s.Regime] = append(by[s.Regime], s.Stage)
	}
	var parts []string
	for _, r := range []struct{ regime, says string }{
		{consistency.BothBetter, "bias² and variance both fell at %s"},
		{consistency.VarianceDominated,
			"the error fell, as one of bias² and variance fell more than the other grew, at %s"},
		{consistency.BiasDominated, "one of bias² and variance fell and the error did not, at %s"},
		{consistency.BothWorse, "both grew at %s"},
		{consistency.Undecided, "the data do not decide at %s"},
	} {
		if list := by[r.regime]; len(list) > 0 {
			parts = append(parts, fmt.Sprintf(r.says, strings.Join(list, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

// collapseFinding says at which stage most answers are steadier and wrong; none where there are no such.
func collapseFinding(path, where string, b *SweptProbe) []Finding {
	worst := -1
	for i := range b.Stages {
		if c := b.Stages[i].Collapsed; c != nil && c.Cases > 0 &&
			(worst < 0 || c.Cases > b.Stages[worst].Collapsed.Cases) {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	c, dense, declined := b.Stages[worst].Collapsed, b.Stages[0].Stage, ""
	if c.Declined > 0 {
		declined = fmt.Sprintf(", and %d are declined", c.Declined)
	}
	return []Finding{{
		Sentence: fmt.Sprintf("At %s, %d of %d questions of %s (%s) are answered more steadily than by %s, and "+
			"wrong; %d of these are right at %s%s.",
			b.Stages[worst].Stage, c.Cases, c.N, where, percent(c.Share.Value), dense, c.Lost, dense, declined),
		Path:   fmt.Sprintf("%sstages.%d.collapsed", path, worst),
		Advice: "Stable is not right: read stability beside accuracy.",
	}}
}

// percent writes a share as 32.1 %.
func percent(x float64) string { return figure.InPercent(x, 1) }

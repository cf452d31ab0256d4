package assay

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/crosstab"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// consistencyOptions are those of the greedy answers.
func (p *Plan) consistencyOptions() consistency.Options {
	opt := consistency.DefaultOptions()
	opt.Tau, opt.WithReplacement, opt.ExcludeDefault, opt.PerQuestion = p.Tau, p.SC == WithReplacement,
		p.ExcludeDefault, true
	opt.CommonR, opt.Taus = p.CommonR, true
	return opt
}

// consistency is that of the greedy answers, then that of the samples, and what is common beside it.
func (x *sitting) consistency(context.Context) error {
	if err := x.ofGreedy(); err != nil {
		return err
	}
	if err := x.ofSamples(); err != nil {
		return err
	}
	return x.contrast()
}

// ofGreedy is the consistency of the greedy answers.
func (x *sitting) ofGreedy() error {
	if !askedTwice(x.greedy) {
		return nil
	}
	opt := x.plan.consistencyOptions()
	res, err := consistency.Analyze(x.greedy, opt)
	if err != nil {
		return err
	}
	x.byGreedy = perQuestion(res)
	x.standings = consistency.StandingsOf(res)
	for ci := range x.cases.Len() {
		if q, asked := x.byGreedy[x.cases.ID(ci)]; asked {
			x.on(ci).stability = &q
		}
	}
	if x.out.Rubric != nil {
		x.out.CrossTab = beside(x.graded, x.byGreedy)
	}
	x.cells = append(x.cells, gridCell(x.model.Name(), x.suite.Name, &res))
	x.moved(res)
	res.PerQuestion = nil
	x.out.Consistency = &res
	if x.out.Families, err = x.families(opt); err != nil {
		return err
	}
	x.out.ConsistencyByDomain, err = byDomain(x.cases, x.greedy, opt)
	return err
}

// askedTwice reports whether any case was asked in two variants, so that agreement is a question at all.
func askedTwice(cases []*consistency.Case) bool {
	return slices.ContainsFunc(cases, func(c *consistency.Case) bool {
		return c.Scored()+c.Unscored+c.Ungradable() > 1
	})
}

func perQuestion(r consistency.Result) map[string]consistency.Question {
	byID := make(map[string]consistency.Question, len(r.PerQuestion))
	for _, q := range r.PerQuestion {
		byID[q.ID] = q
	}
	return byID
}

// beside sets the rubric and the consistency of one suite side by side.
func beside(graded []rate.Row, byID map[string]consistency.Question) *crosstab.Result {
	cases := make([]crosstab.Case, 0, len(graded))
	for i := range graded {
		g := graded[i].Grade
		q, asked := byID[graded[i].CaseID]
		if !asked && g.Outcome() != grade.CannotGrade {
			continue
		}
		h, scored := g.Hallucinated(graded[i].Gates)
		cases = append(cases, crosstab.Case{
			ID: graded[i].CaseID, Cluster: graded[i].Cluster,
			RubricScored: scored, Ungradable: g.Outcome() == grade.CannotGrade, Variants: q.R, Hallucinated: h,
			Failed: [3]bool{g.Truth.Verdict == grade.Fail, g.Decidability.Verdict == grade.Fail,
				g.Reciprocity.Verdict == grade.Fail},
			Stable: q.Stable, HasGold: q.Correct != nil, Right: q.Correct != nil && *q.Correct,
			Variance: q.Parts.Variance,
		})
	}
	return new(crosstab.Analyze(cases, level))
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

// A kindOf is what variants are grouped by: their kind, and of templates the part of the prompt that they change.
type kindOf struct {
	kind   prompt.Kind
	family prompt.Family
}

func groupOf(v *prompt.Variant) kindOf {
	k := kindOf{kind: v.Kind}
	if v.Kind == prompt.Templates {
		k.family = v.Family
	}
	return k
}

func (k kindOf) String() string {
	if k.family != "" {
		return string(k.kind) + ": " + string(k.family)
	}
	return string(k.kind)
}

// families compares the kinds of variants that a suite was asked in, in the order of prompt.Kinds; nil where there
// is only the default prompt.
func (x *sitting) families(opt consistency.Options) (*consistency.Families, error) {
	var groups []kindOf
	for _, c := range eachTrial(x.table) {
		if k := groupOf(c.variant); c.purpose == forVariant && k.kind != prompt.Default && !slices.Contains(groups, k) {
			groups = append(groups, k)
		}
	}
	slices.SortStableFunc(groups, func(a, b kindOf) int {
		return cmp.Or(slices.Index(prompt.Kinds, a.kind)-slices.Index(prompt.Kinds, b.kind),
			slices.Index(prompt.Families, a.family)-slices.Index(prompt.Families, b.family))
	})
	var all []consistency.Family
	for _, group := range groups {
		f := consistency.Family{Name: group.String()}
		for ci, trials := range x.table {
			g := x.greedy[ci]
			c := &consistency.Case{ID: g.ID, Gold: g.Gold, GoldDeclined: g.GoldDeclined, Cluster: g.Cluster}
			other := false
			for i := range trials {
				if trial := &trials[i]; trial.purpose == forVariant &&
					(trial.variant.Number == 0 || groupOf(trial.variant) == group) {
					other = other || trial.variant.Number != 0
					if err := x.plan.add(c, trial, trial.variant.Number); err != nil {
						return nil, err
					}
				}
			}
			if other {
				f.Cases = append(f.Cases, c)
			}
		}
		all = append(all, f)
	}
	return consistency.CompareFamilies(all, opt), nil
}

// Contrast holds figures that are common beside stability, and that do not see it, so that a reader can see that
// they do not.
type Contrast struct {
	// PassAtK is the chance that one of k draws at temperature 1 is right, over the cases with gold.
	PassAtK    []consistency.PassAtK   `json:"pass_at_k,omitempty"`
	Perplexity *consistency.Perplexity `json:"perplexity,omitempty"` // of the answers to the default prompts
	RawStrings *RawStrings             `json:"raw_strings,omitempty"`
}

// RawStrings compares the answers to the variants letter by letter, over the same cases as the figures beside it.
type RawStrings struct {
	SemanticStability *stat.Estimate `json:"semantic_stability"`
	Ambiguity         *stat.Estimate `json:"ambiguity"`
}

// contrast adds the figures beside stability, where there is one.
func (x *sitting) contrast() error {
	raw, err := x.rawStrings()
	if err != nil {
		return err
	}
	out := &Contrast{consistency.PassesAt(x.sampled, level), consistency.PerplexityOver(x.likelihoods(), level), raw}
	if out.PassAtK != nil || out.Perplexity != nil || out.RawStrings != nil {
		x.out.Contrast = out
	}
	return nil
}

// rawStrings compares the answers letter by letter; nil where every text is its class, or there is one wording.
func (x *sitting) rawStrings() (*RawStrings, error) {
	if !x.rephrased {
		return nil, nil
	}
	var raw []*consistency.Case
	same := true // every text is its class
	for ci := range x.cases.Len() {
		c := &consistency.Case{ID: x.cases.ID(ci), Cluster: x.cluster(ci)}
		for i := range x.table[ci] {
			trial := &x.table[ci][i]
			if trial.purpose != forVariant {
				continue
			}
			if !trial.class.Compares() {
				if err := c.AddUnscored(trial.variant.Number); err != nil {
					return nil, err
				}
				continue
			}
			form := answer.Value(x.reply(ci, trial))
			same = same && form == trial.class
			if err := c.Add(trial.variant.Number, consistency.Answer{Form: form}); err != nil {
				return nil, err
			}
		}
		raw = append(raw, c)
	}
	if !askedTwice(raw) || same {
		return nil, nil
	}
	opt := consistency.DefaultOptions()
	opt.ExcludeDefault, opt.Level = x.plan.ExcludeDefault, level
	res, err := consistency.Analyze(raw, opt)
	if err != nil {
		return nil, err
	}
	return &RawStrings{res.SemanticStability, res.Ambiguity}, nil
}

// likelihoods returns how likely the scored answers to variant 0 were to the model itself, of those whose
// log-probabilities are known.
func (x *sitting) likelihoods() (out []consistency.Likelihood) {
	for ci, trial := range eachTrial(x.table) {
		if !trial.first() || trial.class.IsZero() {
			continue
		}
		lps := answerLogProbs(trial)
		if len(lps) == 0 {
			continue
		}
		sum := 0.
		for _, lp := range lps {
			sum -= lp
		}
		out = append(out, consistency.Likelihood{ID: x.cases.ID(ci), Tokens: len(lps), Nats: sum,
			Cluster: x.cluster(ci)})
	}
	return out
}

// answerLogProbs returns the log-probabilities, in nats, of the tokens of a trial's answer: of the option that won,
// or of the text; nil if they are not known of every token.
func answerLogProbs(trial *trial) []float64 {
	r := trial.response
	if r == nil {
		return nil
	}
	if trial.option != nil {
		for position := range r.Options {
			if prompt.OptionAt(*trial.variant, position) == *trial.option {
				return r.Options[position].LogProbs
			}
		}
		return nil
	}
	lps := make([]float64, 0, len(r.Tokens))
	for _, t := range r.Tokens {
		if t.LogProb == nil || !(*t.LogProb <= 1e-6) { // as prompt.Choose bounds them
			return nil
		}
		lps = append(lps, *t.LogProb)
	}
	return lps
}

// designed sets what a suite's cases were made to show beside what was measured, a row per tag in alphabetical
// order. It returns nil for a suite of which nothing was designed, or where consistency was not measured.
func (x *sitting) designed() []Designed {
	s, drawn := x.suite, x.out.ConsistencySampled
	if len(s.Designed) == 0 {
		return nil
	}
	var out []Designed
	var ps []float64
	for _, tag := range slices.Sorted(maps.Keys(s.Designed)) {
		d := Designed{Category: tag, Expected: s.Designed[tag]}
		var hit, miss, split []float64 // 1 of a case that is
		var cluster, splitOf []int32
		for i := range x.cases.Len() {
			m := x.on(i)
			if m.stability == nil || m.stability.Category == "" || !slices.Contains(x.cases.At(i).Tags, tag) {
				continue
			}
			as := stat.Bit(d.count(m.stability))
			hit, miss, cluster = append(hit, as), append(miss, 1-as), append(cluster, m.stability.Cluster)
			if m.sampledSC != nil {
				split, splitOf = append(split, stat.Bit(*m.sampledSC < 1)), append(splitOf, m.stability.Cluster)
			}
		}
		if d.N == 0 {
			continue
		}
		if d.Expected != "" {
			d.AsDesigned = stat.ShareByCluster(hit, cluster, level).Known()
			ps = append(ps, stat.McNemarByCluster(miss, hit, cluster)) // which is the exact test of one half
		}
		d.SampledAmbiguous = stat.ShareByCluster(split, splitOf, level).Known()
		if drawn != nil && drawn.UnseenByGreedy != nil {
			d.UnseenByGreedy = drawn.UnseenByGreedy.ByTag[tag].Share
		}
		out = append(out, d)
	}
	recovered(out, stat.Holm(ps))
	return out
}

// recovered says of each group with a design whether most of its cases fell where that calls for, by p of one half,
// which are adjusted for the number of such groups.
func recovered(groups []Designed, p []float64) {
	for i := range groups {
		d := &groups[i]
		if d.AsDesigned == nil {
			continue
		}
		if d.PHolm, p = &p[0], p[1:]; *d.PHolm < 1-level {
			d.Recovered = new(d.AsDesigned.Value > .5)
		}
	}
}

// count adds a case by its category, and reports whether it is as designed.
func (d *Designed) count(q *consistency.Question) bool {
	d.N++
	switch q.Category {
	case consistency.PromptAgnosticFactual:
		d.Factual++
	case consistency.PromptAgnosticError:
		d.Error++
		if classShown(q.Mode) == shownDeclined {
			d.Declined++
		}
	case consistency.Randomness:
		d.Randomness++
	}
	return q.Category == d.Expected || d.Expected == "not_factual" && q.Category != consistency.PromptAgnosticFactual
}

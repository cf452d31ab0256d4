package assay

import (
	"context"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
	"hallmark/internal/text/answer"
)

// Contrast holds figures that are common beside stability, and that do not see it, so that a reader can see that
// they do not.
type Contrast struct {
	// PassAtK is the chance that one of k draws at temperature 1 is right, over the cases with gold.
	PassAtK    []consistency.PassAtK `json:"pass_at_k,omitempty"`
	Perplexity *Perplexity           `json:"perplexity,omitempty"`
	RawStrings *RawStrings           `json:"raw_strings,omitempty"`
}

// Perplexity is that of the model's answers to the default prompts.
type Perplexity = consistency.Perplexity

// RawStrings compares the answers to the variants letter by letter, over the same cases as the figures beside it.
type RawStrings struct {
	SemanticStability *stat.Estimate `json:"semantic_stability"`
	Ambiguity         *stat.Estimate `json:"ambiguity"`
}

// contrast adds the figures beside stability, where there is one.
func (x *sitting) contrast(context.Context) error {
	if !x.plan.Has(Consistency) {
		return nil
	}
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
			same = same && answer.Value(trial.text) == trial.class
			if err := c.Add(trial.variant.Number, consistency.Answer{Form: answer.Value(trial.text)}); err != nil {
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

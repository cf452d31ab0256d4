package consistency

import (
	"fmt"
	"math"

	"hallmark/internal/stat"
)

// A Likelihood is how likely a model found a text, such as its own answer to a case.
type Likelihood struct {
	ID     string
	Tokens int     // at least 1
	Nats   float64 // minus the log-probability of the text; +Inf where a token has none
}

// Perplexity is that of a set of texts, exp of the mean of minus the log-probability of a token. Of a model's answers to the default prompts
// it is that of the answers whose log-probabilities are known; of a scored option it is that of the one that won, in its own tokens.
type Perplexity struct {
	Cases  int `json:"cases"`
	Tokens int `json:"tokens"`
	// PerToken is over all tokens of all cases together; null where one of them is impossible.
	PerToken *float64 `json:"per_token"`
	// Median is that of the cases' own perplexities; null below 6 cases.
	Median   *stat.Interval `json:"median"`
	Warnings []string       `json:"warnings"`
}

// PerplexityOver returns the perplexity of texts; nil if there is none. It changes nothing.
//
//	exp(Σ nats / Σ tokens)   and the median over texts of   exp(nats / tokens)
//
// at least 1 each; the interval is stat.Median's.
func PerplexityOver(texts []Likelihood, level float64) *Perplexity {
	if len(texts) == 0 {
		return nil
	}
	out := &Perplexity{Cases: len(texts), Warnings: []string{}}
	own := make([]float64, len(texts))
	total := 0.
	for i, t := range texts {
		out.Tokens += t.Tokens
		total += t.Nats
		own[i] = t.perplexity()
	}
	if x := math.Exp(max(0, total/float64(out.Tokens))); !math.IsInf(x, 1) {
		out.PerToken = &x
	} else {
		out.Warnings = append(out.Warnings, "some token of an answer has no probability, so the perplexity over all tokens is infinite")
	}
	if e := stat.Median(own, level); len(e.Warnings) > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("perplexity of the middle case: %s", e.Warnings[0]))
	} else if !math.IsInf(e.Value, 1) && !math.IsInf(e.Hi, 1) {
		out.Median = e.Interval()
	}
	return out
}

func (l Likelihood) perplexity() float64 { return math.Exp(max(0, l.Nats/float64(l.Tokens))) }

// A PerplexityRatio is how the perplexity of a text moved from one model to another.
type PerplexityRatio struct {
	N int `json:"n"` // texts that both models have
	// Median is over texts of the perplexity to other by that to base, below 1 where other finds them likelier; null below 6 texts.
	Median *stat.Interval `json:"median"`
}

// RatioOver returns how perplexities moved, text by text; nil where no text is in both, or one is impossible to one of the models.
//
//	median over texts of exp(nats_other/tokens_other - nats_base/tokens_base)
//
// above 0; the interval is stat.Median's. Where the models cut texts into other tokens the ratio is not one of models alone. It changes
// nothing.
func RatioOver(base, other []Likelihood, level float64) *PerplexityRatio {
	at := make(map[string]Likelihood, len(base))
	for _, t := range base {
		at[t.ID] = t
	}
	var logs []float64
	for _, t := range other {
		b, ok := at[t.ID]
		if !ok {
			continue
		}
		d := t.Nats/float64(t.Tokens) - b.Nats/float64(b.Tokens)
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return nil
		}
		logs = append(logs, d)
	}
	if len(logs) == 0 {
		return nil
	}
	r := &PerplexityRatio{N: len(logs)}
	if e := stat.Median(logs, level); len(e.Warnings) == 0 {
		m := &stat.Interval{Estimate: math.Exp(e.Value), Lo: math.Exp(e.Lo), Hi: math.Exp(e.Hi)}
		if !math.IsInf(m.Hi, 1) {
			r.Median = m
		}
	}
	return r
}

package consistency

import (
	"math"

	"hallmark/internal/stat"
)

// A Likelihood is how likely a model found a text, such as its own answer to a case.
type Likelihood struct {
	ID      string
	Tokens  int     // at least 1
	Nats    float64 // minus the log-probability of the text; +Inf where a token has none
	Cluster int32   // as Case.Cluster, of the case that it answers
}

// Perplexity is that of a set of texts, exp of the mean of minus the log-probability of a token. Of a model's
// answers to the default prompts it is that of the answers whose log-probabilities are known; of a scored option it
// is that of the one that won, in its own tokens.
type Perplexity struct {
	Cases  int `json:"cases"`
	Tokens int `json:"tokens"`
	// PerToken is over all tokens of all cases together; null where one of them is impossible.
	PerToken *float64 `json:"per_token"`
	// PerTokenInterval is that of PerToken, with the text as the unit, or the cluster where texts are of some; null
	// where PerToken is and below 6 units.
	PerTokenInterval *stat.Estimate `json:"per_token_interval,omitempty"`
	// Median is that of the cases' own perplexities, with the unit of PerTokenInterval; null below 6 units, and
	// where they are of such different sizes that they bound no median.
	Median   *stat.Estimate `json:"median"`
	Warnings []string       `json:"warnings"`
}

// PerplexityOver returns the perplexity of texts; nil if there is none. It changes nothing.
//
//	exp(Σ nats / Σ tokens)   and the median over texts of   exp(nats / tokens)
//
// at least 1 each; the interval of the second is stat.MedianByCluster's. That of the first is exp of perToken's.
func PerplexityOver(texts []Likelihood, level float64) *Perplexity {
	if len(texts) == 0 {
		return nil
	}
	out := &Perplexity{Cases: len(texts), Warnings: []string{}}
	own, cluster := make([]float64, len(texts)), make([]int32, len(texts))
	total := 0.
	for i, t := range texts {
		cluster[i] = t.Cluster
		out.Tokens += t.Tokens
		total += t.Nats
		own[i] = t.perplexity()
	}
	if x := math.Exp(max(0, total/float64(out.Tokens))); !math.IsInf(x, 1) {
		out.PerToken = &x
		nats, tokens := make([]float64, len(texts)), make([]float64, len(texts))
		for i, t := range texts {
			nats[i], tokens[i] = max(0, t.Nats), float64(t.Tokens)
		}
		nats, tokens = stat.Together(nats, tokens, cluster)
		if e := perToken(nats, tokens, 0, level); e != nil {
			i := e.As(math.Exp)
			i.Value, i.Lo, i.Hi = x, min(x, i.Lo), max(x, i.Hi)
			out.PerTokenInterval = &i
		}
	} else {
		out.Warnings = append(out.Warnings,
			"some token of an answer has no probability, so the perplexity over all tokens is infinite")
	}
	if e := stat.MedianByCluster(own, cluster, level); len(e.Warnings) > 0 {
		stat.Warn(&out.Warnings, "perplexity of the middle case: %s", e.Warnings[0])
	} else if !math.IsInf(e.Value, 1) && !math.IsInf(e.Hi, 1) {
		out.Median = e.Known()
	}
	return out
}

// leastTexts is the least number of texts that an interval of a perplexity is given for, as for the median of so many.
const leastTexts = 6

// perToken returns Σ nats / Σ tokens with its interval, the text as the unit. Nats are at least floor · tokens.
//
// Formula: stat.Ratio of (nats - floor · tokens)/(c - floor) of tokens, mapped back, where c is the most nats a
// token of any text. So the added text at the far end is one that is as long as the longest and as unlikely as the
// worst seen, and at the near end one that costs the floor. Nats have no bound of their own, so the interval is not
// conservative as Ratio's is: TestPerTokenCoverage simulates it. Edge cases: nil below 6 texts and where all cost
// the floor. It changes nothing. Source: as stat.Ratio; the bound from the data is this project's.
func perToken(nats, tokens []float64, floor, level float64) *stat.Estimate {
	most := floor
	for i, n := range nats {
		most = max(most, n/tokens[i])
	}
	if len(nats) < leastTexts || !(most > floor) || math.IsInf(most, 1) {
		return nil
	}
	shares := make([]float64, len(nats))
	for i, n := range nats {
		shares[i] = min(tokens[i], max(0, (n-floor*tokens[i])/(most-floor)))
	}
	return new(stat.Ratio(shares, tokens, level).As(func(share float64) float64 { return floor + (most-floor)*share }))
}

func (l Likelihood) perplexity() float64 { return math.Exp(max(0, l.Nats/float64(l.Tokens))) }

// A PerplexityRatio is how the perplexity of a text moved from one model to another.
type PerplexityRatio struct {
	N int `json:"n"` // texts that both models have
	// Median is over texts of the perplexity to other by that to base, below 1 where other finds them likelier;
	// null below 6 texts, or clusters of them.
	Median *stat.Estimate `json:"median"`
	// PerToken is the ratio of the perplexities over all tokens of these texts; null below 6 texts and where the
	// models cut a text into other numbers of tokens, as their own answers mostly are.
	PerToken *stat.Estimate `json:"per_token,omitempty"`
}

// RatioOver returns how perplexities moved, text by text; nil where no text is in both, or one is impossible to one
// of the models.
//
//	median over texts of exp(nats_other/tokens_other - nats_base/tokens_base)
//
// and over all tokens exp(Σ (nats_other - nats_base) / Σ tokens), above 0; the interval of the first is
// stat.MedianByCluster's, of the second exp of perToken's, with a floor that lies as far below 0 as the largest
// change a token lies above or below it. Where the models cut texts into other tokens the ratio is not one of
// models alone. It changes nothing.
func RatioOver(base, other []Likelihood, level float64) *PerplexityRatio {
	at := make(map[string]Likelihood, len(base))
	for _, t := range base {
		at[t.ID] = t
	}
	var logs, nats, tokens []float64
	var cluster []int32
	same, most := true, 0.
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
		nats, tokens, cluster = append(nats, t.Nats-b.Nats), append(tokens, float64(t.Tokens)),
			append(cluster, t.Cluster)
		same, most = same && t.Tokens == b.Tokens, max(most, math.Abs(d))
	}
	if len(logs) == 0 {
		return nil
	}
	r := &PerplexityRatio{N: len(logs)}
	if e := stat.MedianByCluster(logs, cluster, level); len(e.Warnings) == 0 {
		if m := e.As(math.Exp); !math.IsInf(m.Hi, 1) {
			r.Median = &m
		}
	}
	nats, tokens = stat.Together(nats, tokens, cluster)
	if e := perToken(nats, tokens, -most, level); same && e != nil {
		r.PerToken = new(e.As(math.Exp))
	}
	return r
}

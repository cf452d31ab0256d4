package prompt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"hallmark/internal/model"
)

// A Scoring says how the token log-probabilities of an option become its score.
type Scoring string

// The scorings.
const (
	Perplexity Scoring = "perplexity" // the mean over its tokens, so that long options are not at a disadvantage
	Sum        Scoring = "sum"        // their sum: TruthfulQA's own form
	Characters Scoring = "characters" // their sum over the option's characters, so that the tokenizer does not matter
	Letters    Scoring = "letters"    // every option is shown with a letter, and the letter's perplexity decides
)

// Scorings are the scorings that can be asked for.
var Scorings = []Scoring{Perplexity, Sum, Characters, Letters}

// A Choice is the best of the scored options.
type Choice struct {
	Position int // among the options as they were sent
	Tied     int // options that share the best score, 1 where there is no tie
	// Perplexities are exp(-(1/L) Σ log p) of each option, over its L tokens; at least 1, +Inf where a token has
	// probability 0.
	Perplexities []float64
	// Scores are what decided, the highest wins: nats a token, in all, or a character.
	Scores []float64
}

// Choose returns the option that a model finds most likely,
//
//	argmin_o exp(-(1/L_o) Σ_t log p(o_t))   or, by sum,   argmax_o Σ_t log p(o_t)   or, by characters,
//	argmax_o (1/C_o) Σ_t log p(o_t)
//
// with the tokens o_t of option o given the prompt and the tokens before, L_o their number and C_o the characters
// (code points) of its text. By letters is by perplexity. Where letters are scored and not the texts, do not ask
// for characters: a letter is one, so it is the sum. A tie is drawn uniformly from the stream among the tied texts
// in the order of the alphabet, so that no position is favoured: published files list the true option first. Name
// the stream by seed, case and variant. It is an error, and the answer unscored, if an option has no tokens, or a
// log-probability is positive or not a number. It does not change its arguments. Source: arXiv:2602.00723, appendix
// A (perplexity); arXiv:2109.07958 (sum); acc_norm of lm-evaluation-harness (characters).
func Choose(scores []model.OptionScore, by Scoring, texts []string, stream *rand.Rand) (Choice, error) {
	if len(scores) == 0 || len(scores) != len(texts) {
		return Choice{}, fmt.Errorf("%d option scores for %d options", len(scores), len(texts))
	}
	c := Choice{Perplexities: make([]float64, len(scores)), Scores: make([]float64, len(scores))}
	best := math.Inf(-1)
	var tied []int
	for i, s := range scores {
		for _, lp := range s.LogProbs {
			if math.IsNaN(lp) || lp > 1e-6 { // servers round; a log-probability of 1e-7 is 0
				return Choice{}, fmt.Errorf("option %q has a token of log-probability %v", texts[i], lp)
			}
		}
		if len(s.LogProbs) == 0 {
			return Choice{}, fmt.Errorf("option %q has no tokens", texts[i])
		}
		sum := s.Sum()
		mean := min(sum/float64(len(s.LogProbs)), 0)
		c.Perplexities[i] = math.Exp(-mean)
		score := mean
		switch by {
		case Sum:
			score = sum
		case Characters:
			score = sum / float64(max(utf8.RuneCountInString(texts[i]), 1))
		}
		c.Scores[i] = score
		switch {
		case score > best || len(tied) == 0:
			best, tied = score, append(tied[:0], i)
		case score == best:
			tied = append(tied, i)
		}
	}
	c.Position, c.Tied = tied[0], len(tied)
	if len(tied) > 1 {
		slices.SortFunc(tied, func(a, b int) int { return strings.Compare(texts[a], texts[b]) })
		c.Position = tied[stream.IntN(len(tied))]
	}
	return c, nil
}

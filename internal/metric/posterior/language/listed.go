package language

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/model"
)

// A Listing is how labels are read of a model that scores no given text but lists the likeliest tokens of its own
// answers: the tokens that are listed for the first of an answer.
type Listing struct {
	Top  int  `json:"top"`            // tokens that are listed
	Chat bool `json:"chat,omitempty"` // the model takes turns and no text to go on with
}

// What a model that takes turns is told. They are part of the calls' keys, so a change asks everything anew.
const (
	labelSystem = "The text is a list of inputs, each with its label, and a last input. Answer with the label of " +
		"the last input and nothing else."
	pairSystem = "The text is a list of inputs, each with its label. Write one more pair of the same kind, in " +
		"the same two lines (Input: and Label:), and nothing else."
)

// firstSeed is the seed of the one token that is written so that its alternatives are listed; which it is decides
// nothing.
var firstSeed int64 = 1

// ask makes a request for a label one for the tokens that may begin it. The temperature is 1, as some servers list
// probabilities after they have applied it.
func (l *Listing) ask(req *model.Request) {
	req.MaxTokens, req.Temperature, req.TopP, req.Seed = 1, 1, 1, &firstSeed
	req.LogProbs, req.TopLogProbs = true, l.Top
	if l.Chat {
		req.Raw, req.System = false, labelSystem
	}
}

// listed reads labels from the tokens that are listed for the first of an answer. A token counts for the one label
// that it begins, or that it holds with no letter or digit behind it; space before it does not matter, so the
// spellings of a label are added up. What was not listed, and tokens that begin several labels or are blank, may
// yet belong to a label: that is the open mass, so that
//
//	labels[l] <= p(l) <= labels[l] + open
//
// where labels are known by their first tokens. It is part of the last member, all other answers, in the distribution.
func listed(r *model.Response, labels []string) reading {
	if len(r.Tokens) == 0 || len(r.Tokens[0].Top) == 0 {
		return reading{failed: "the response lists no log-probabilities of alternatives"}
	}
	first := r.Tokens[0]
	all := first.Top
	// drawn beyond the list
	if first.LogProb != nil && !slices.ContainsFunc(all, func(t model.TopToken) bool { return t.Text == first.Text }) {
		all = append(all[:len(all):len(all)], model.TopToken{Text: first.Text, LogProb: *first.LogProb})
	}
	c := make(predictive.Categorical, len(labels)+1)
	unlisted, open := 1., 0.
	for _, t := range all {
		p := math.Exp(t.LogProb)
		unlisted -= p
		switch l := labelOf(t.Text, labels); {
		case l >= 0:
			c[l] += p
		case l == several:
			open += p
		}
	}
	rest := 1.
	for _, p := range c {
		rest -= p
	}
	if rest < 0 { // servers round: a distribution all the same
		for l := range c {
			c[l] /= 1 - rest
		}
		rest = 0
	}
	c[len(labels)] = rest
	return reading{labels: c, open: min(rest, open+max(0, unlisted))}
}

// The marks of labelOf for no label and for several.
const (
	none    = -1
	several = -2
)

// labelOf is the index of the label that a token begins or holds. Marks that vocabularies write for a space count
// as one.
func labelOf(token string, labels []string) int {
	token = strings.TrimSpace(strings.NewReplacer("▁", " ", "Ġ", " ").Replace(token))
	if token == "" {
		return several
	}
	found := none
	for i, l := range labels {
		rest, holds := strings.CutPrefix(token, l)
		next, _ := utf8.DecodeRuneInString(rest)
		if !strings.HasPrefix(l, token) && !(holds && !unicode.IsLetter(next) && !unicode.IsDigit(next)) {
			continue
		}
		if found >= 0 {
			return several
		}
		found = i
	}
	return found
}

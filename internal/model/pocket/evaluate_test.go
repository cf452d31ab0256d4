package pocket

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/model"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// A Measure is what the model does with the cases of one design, in the categories of the taxonomy at tau = .8.
type Measure struct {
	Design   string
	Cases    int
	Factual  int // consistent and right
	Wrong    int // consistent and wrong
	Random   int // inconsistent
	Declined int // consistent in declining where that is not right

	// Right and Asked count answers: those to the default and other trained phrasings, and to held-out ones.
	Right, Asked          int
	RightHeldOut, HeldOut int
	Refused               int // answers that decline where that is not right
}

// String returns one line of the table in docs/pocket.md.
func (m Measure) String() string {
	share := func(k int) string {
		e := stat.Wilson(k, m.Cases, .95)
		return fmt.Sprintf("%3.0f [%3.0f, %3.0f]", 100*e.Value, 100*e.Lo, 100*e.Hi)
	}
	part := func(right, of int) string {
		if of == 0 {
			return "     "
		}
		return fmt.Sprintf("%.3f", float64(right)/float64(of))
	}
	return fmt.Sprintf("| %-26s | %4d | %s | %s | %s | %s | %s | %s | %.3f |", m.Design, m.Cases, share(m.Factual),
		share(m.Wrong),
		share(m.Random), share(m.Declined), part(m.Right, m.Asked), part(m.RightHeldOut, m.HeldOut),
		float64(m.Refused)/float64(m.Asked+m.HeldOut))
}

// Evaluate asks the model all that World can ask, with every fact in every phrasing, greedily, and returns a measure
// per design in the order of the suite.
func Evaluate(ctx context.Context, m model.Batcher) ([]Measure, error) {
	all := map[Category]int{}
	for _, f := range World().Facts {
		all[f.Category]++
	}
	s := build(sizes{facts: all, absent: 264, override: 150, cited: 150, irrelevant: 100, verified: 200, unverified: 60,
		negated: 200, premises: 120, explained: 80, roles: 60, policies: 60, chains: 40, sums: 100, steps: 60, rules: 100,
		beyond: 100})
	cases := s.Cases.Loose()
	for _, c := range s.Cases.Loose() {
		if _, fact := all[Category(Design(c))]; fact && len(c.Options) == 0 {
			cases = append(cases, reworded(c))
		}
	}
	var requests []model.Request
	for _, c := range cases {
		for v := range 1 + len(c.Phrasings) {
			requests = append(requests, request(c, v))
		}
	}
	results := m.GenerateBatch(ctx, requests)
	var measures []Measure
	at := map[string]int{}
	for _, c := range cases {
		k := 1 + len(c.Phrasings)
		for _, design := range reported(c) {
			i, ok := at[design]
			if !ok {
				i = len(measures)
				at[design] = i
				measures = append(measures, Measure{Design: design})
			}
			if err := measures[i].add(c, results[:k]); err != nil {
				return nil, err
			}
		}
		results = results[k:]
	}
	return measures, nil
}

// Design returns what a case of Suite was designed to cause: a category, or one of the designs.
func Design(c suite.Case) string { return c.Tags[0] }

// reported names the measures in which a case counts: its design's, and where a passage gives the answer also that of
// the world's own values or of made-up ones, which no document of the corpus holds.
func reported(c suite.Case) []string {
	design := Design(c)
	if design != Override {
		return []string{design}
	}
	for _, values := range World().pools {
		if slices.Contains(values, c.Gold.Texts[0]) {
			return []string{design, design + ", the world's"}
		}
	}
	return []string{design, design + ", made up"}
}

// reworded is the case of a fact in ten wordings of which the corpus has none: five unseen beginnings before trained
// phrasings, the held-out phrasings, and two of these with another beginning. As many are questions as requests.
func reworded(c suite.Case) suite.Case {
	asked := append([]string{c.Prompt}, c.Phrasings...)
	var words []string
	for i, p := range [...]int{0, 3, 1, 4, 6} {
		words = append(words, said().PoliteHeldOut[i]+asked[p])
	}
	words = append(words, asked[Trained:]...)
	words = append(words, said().PoliteHeldOut[0]+asked[7], said().PoliteHeldOut[1]+asked[9])
	c.Prompt, c.Phrasings = words[0], words[1:]
	c.Tags = []string{Design(c) + rewordedSuffix}
	return c
}

const rewordedSuffix = ", reworded"

// heldOut is the number of a case's last variants that the corpus does not have.
func heldOut(c suite.Case) int {
	switch d := Design(c); {
	case strings.HasSuffix(d, rewordedSuffix):
		return Phrasings
	case 1+len(c.Phrasings) == Phrasings:
		return Phrasings - Trained
	case d == Verified || d == Unverified || d == Negated || d == Steps || d == NewSteps:
		return 1
	case d == Policy:
		return heldOutActForms
	}
	return 0
}

// request renders one variant of a case.
func request(c suite.Case, variant int) model.Request {
	question := c.Prompt
	if variant > 0 {
		question = c.Phrasings[variant-1]
	}
	if c.Form == suite.InputLabel {
		r := model.Request{Raw: true}
		for _, d := range c.Demonstrations {
			r.Prompt += "Input: " + d.Input + "\nLabel: " + d.Label + "\n\n"
		}
		r.Prompt += "Input: " + question + "\nLabel:"
		for _, o := range c.Options {
			r.Options = append(r.Options, " "+o)
		}
		return r
	}
	if len(c.Context) > 0 {
		question = passages(0, c.Context) + question
	}
	return model.Request{Prompt: question, Options: c.Options, MaxTokens: 48}
}

// add counts one case.
func (m *Measure) add(c suite.Case, results []model.Result) error {
	counts := map[string]int{}
	right := map[string]bool{}
	best := ""
	for i, r := range results {
		if r.Err != nil {
			return fmt.Errorf("%s, variant %d: %w", c.ID, i, r.Err)
		}
		text := answerOf(c, r.Response)
		counts[text]++
		if counts[text] > counts[best] {
			best = text
		}
		declined := text == answer.Words(Decline)
		if c.Decline {
			right[text] = declined
		} else if c.Gold.Option != nil {
			right[text] = text == c.Options[*c.Gold.Option]
		}
		for _, g := range c.Gold.Texts {
			right[text] = right[text] || text == answer.Words(g)
		}
		held := i >= len(results)-heldOut(c)
		count, of := &m.Right, &m.Asked
		if held {
			count, of = &m.RightHeldOut, &m.HeldOut
		}
		*of++
		if right[text] {
			*count++
		} else if declined {
			m.Refused++
		}
	}
	m.Cases++
	pairs, n := 0, len(results)
	for _, k := range counts {
		pairs += k * (k - 1)
	}
	switch {
	case n > 1 && 10*pairs < 8*n*(n-1):
		m.Random++
	case right[best]:
		m.Factual++
	case best == answer.Words(Decline):
		m.Declined++
	default:
		m.Wrong++
	}
	return nil
}

// answerOf returns the answer of a response in normal form: the text, or the option of the highest mean
// log-probability.
func answerOf(c suite.Case, r model.Response) string {
	if r.Options == nil {
		return answer.Words(strings.TrimSpace(*r.Text))
	}
	best, top := 0, 0.0
	for i, o := range r.Options {
		if mean := o.Sum() / float64(len(o.LogProbs)); i == 0 || mean > top {
			best, top = i, mean
		}
	}
	return c.Options[best]
}

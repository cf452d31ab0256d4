package simulated

// A Truth holds the true rates that a measurement of a simulated model estimates, over cases that have an answer, in
// text: the expectation over the draws. Hallucination is Commission + OverRefusal + Undecided, of the answer to variant
// 0. The taxonomy's shares, of greedy answers, hold in the limit of many variants: with few, a randomness case may
// agree by chance. UnseenByGreedy is the share of cases that only draws show to be split, in the limit of many
// draws.
type Truth struct {
	Hallucination, Commission, OverRefusal, Undecided      float64
	PromptAgnosticFactual, PromptAgnosticError, Randomness float64
	UnseenByGreedy                                         float64
	Failed                                                 float64 // share of requests that fail
}

// Truth returns the true rates of a group of cases.
func (r Rates) Truth() Truth {
	right := of(r.RandomnessRight, .5)
	t := Truth{
		Commission:            of(r.Error, 0) + (of(r.Randomness, 0)+of(r.Coin, 0))*(1-right),
		OverRefusal:           of(r.Decline, 0),
		Undecided:             of(r.Unread, 0),
		PromptAgnosticFactual: of(r.Factual, 0) + of(r.Coin, 0)*right,
		PromptAgnosticError:   of(r.Error, 0) + of(r.Decline, 0) + of(r.Unread, 0) + of(r.Coin, 0)*(1-right),
		Randomness:            of(r.Randomness, 0),
		UnseenByGreedy:        of(r.Coin, 0),
		Failed:                of(r.Fail, 0),
	}
	t.Hallucination = t.Commission + t.OverRefusal + t.Undecided
	return t
}

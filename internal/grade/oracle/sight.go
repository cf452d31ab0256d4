package oracle

import (
	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/reading"
)

// manner is what is seen of a text whatever it is about.
type manner struct {
	declines, declinesFirst, asks, evades, hedges, rejects, rejectsFirst, short bool
	words, sentences                                                            int
}

var mannerNames = []string{"bias", "declines", "declines first", "asks back", "evades", "hedges", "rejects", "rejects first", "short", "length"}

// mannerOf looks at a text. "Short" is at most four words.
func mannerOf(t *evidence.Text) (m manner) {
	all := evidence.Span{Start: 0, End: len(t.Words)}
	m.words, m.sentences, m.short = len(t.Words), len(t.Sentences), len(t.Words) <= 4
	if c, ok := t.Declines(); ok {
		m.declines, m.declinesFirst = true, t.Words[c.Words.Start].Sentence == 0
	}
	_, m.asks = t.Asks()
	_, m.evades = evades(t)
	_, m.hedges = t.Cue(all, evidence.Hedges)
	if c, ok := t.Cue(all, evidence.Rejects); ok {
		m.rejects, m.rejectsFirst = true, t.Words[c.Words.Start].Sentence < 2
	}
	return m
}

// features returns the values of mannerNames.
func (m manner) features() []float64 {
	return []float64{1, flag(m.declines), flag(m.declinesFirst), flag(m.asks), flag(m.evades), flag(m.hedges), flag(m.rejects), flag(m.rejectsFirst), flag(m.short), count(m.words)}
}

// goldNames are the features of an answer to a question with listed golds, beside the manner; a feature for each role follows.
var goldNames = []string{
	"uncertain",      // the strongest item is put forward as possible only
	"in first",       // it stands in the first sentence
	"in last",        // it stands in the last one
	"in a role",      // it is put forward in a role, not merely mentioned
	"beside",         // "or" puts something else beside it
	"listed",         // other names stand right beside it in a list
	"turned",         // a word of contrast stands before it in its sentence
	"attributed",     // its sentence says what others believe
	"of a kind",      // "a" or "an" stands before it
	"as noun",        // its sentence has the word behind "which" or "what"
	"like gold",      // it is capitalised as the gold is
	"rivals",         // how many different items are asserted in a role
	"rival stronger", // a different item is asserted in a stronger role
	"rival after",    // a different item is asserted after it
	"rejected",       // an answer that the case rejects is asserted
	"gold denied",    // a gold is mentioned, and denied, contrasted, doubted or retracted
	"unsure",         // an item could be the same and could not
	"fresh names",    // how many capitalised words the question does not hold
	"sentence",       // the gold is a sentence
	"concluded",      // it stands in a sentence that opens as a conclusion
}

var roleNames = []string{"marked", "bare", "complement", "subject", "agent", "label", "guessed", "oblique", "fragment", "bold", "mentioned"}

func goldFeatures(more ...string) []string {
	names := append(append(append([]string{}, mannerNames...), goldNames...), more...)
	for _, r := range roleNames {
		names = append(names, "role "+r)
	}
	return names
}

// strongest returns the item that a text puts forward most: an asserted one before an uncertain one, then by role, then by place.
func strongest(items []item, verdict answer.Verdict) *item {
	var best *item
	for i := range items {
		it := &items[i]
		if !it.asserts() || it.verdict != verdict {
			continue
		}
		if best == nil || it.stance < best.stance || it.stance == best.stance && it.role < best.role {
			best = it
		}
	}
	return best
}

// A seen holds the features of an answer for its model, and what it puts forward.
type seen struct {
	x    []float64
	good *item // the strongest item that is a gold; nil where the text puts none forward
	bad  *item // the strongest one that is something else
}

// see looks at an answer to a question with listed golds.
func see(t *evidence.Text, q *reading.Question, items []item, capital, sentence bool, more ...float64) seen {
	s := seen{good: strongest(items, answer.Same), bad: strongest(items, answer.Different)}
	m := mannerOf(t)
	s.x = append(make([]float64, 0, len(mannerNames)+len(goldNames)+len(more)+len(roleNames)), m.features()...)
	top := s.good
	if top == nil {
		top = s.bad
	}
	if top == nil {
		top = strongest(items, answer.Unsure)
	}
	role := make([]float64, len(roleNames))
	at := make([]float64, 11)
	if top != nil {
		role[top.role] = 1
		at = itemFeatures(t, q, top, capital)
	}
	others, stronger, after, rejected, denied, unsure := 0, false, false, false, false, false
	for i := range items {
		it := &items[i]
		switch {
		case it.verdict == answer.Same:
			denied = denied || !it.asserts()
		case it.verdict == answer.Unsure:
			unsure = true
		case it.stance == evidence.Asserted && it.role != mentioned:
			others++
			if s.good != nil {
				stronger = stronger || it.role < s.good.role
				after = after || it.words.Start > s.good.words.Start
			}
		}
		rejected = rejected || it.rejected && it.asserts()
	}
	names := 0
	for i := range t.Words {
		if t.Name(i) && !q.Says(t.Words[i].Fold) {
			names++
		}
	}
	concluded := top != nil && top.role != mentioned && reading.Concludes(t.Words[t.Sentences[t.Words[top.words.Start].Sentence].Words.Start].Fold)
	s.x = append(append(s.x, at...), count(others), flag(stronger), flag(after), flag(rejected), flag(denied), flag(unsure), count(names), flag(sentence), flag(concluded))
	s.x = append(append(s.x, more...), role...)
	return s
}

// itemFeatures are the features from "uncertain" to "like gold".
func itemFeatures(t *evidence.Text, q *reading.Question, it *item, capital bool) []float64 {
	at := t.Words[it.words.Start].Sentence
	s := t.Sentences[at].Words
	_, beside := t.Alternative(it.words)
	turned, attributed, noun := false, false, false
	for i := s.Start; i < s.End; i++ {
		fold := t.Words[i].Fold
		if i < it.words.Start {
			turned = turned || reading.Contrasts(fold)
			attributed = attributed || reading.Attributes(fold)
		}
		noun = noun || q.Noun != "" && reading.Stem(fold) == reading.Stem(q.Noun)
	}
	return []float64{
		flag(it.stance == evidence.Uncertain), flag(at == 0), flag(int(at) == len(t.Sentences)-1), flag(it.role != mentioned), flag(beside), flag(listed(t, it.words)), flag(turned), flag(attributed),
		flag(it.indefinite), flag(noun), flag(capital == isUpper(t.Plain[t.Words[it.words.Start].Start])),
	}
}

// listed reports whether another capitalised word stands right beside the words, with nothing but a comma or "and" between.
func listed(t *evidence.Text, s evidence.Span) bool {
	s0 := t.Sentences[t.Words[s.Start].Sentence].Words
	and := func(i int) bool { return reading.Joins(t.Words[i].Fold) }
	parted := func(i int) bool { return t.Words[i].Clause != t.Words[i-1].Clause }
	other := func(i int) bool { return i >= s0.Start && i < s0.End && isUpper(t.Plain[t.Words[i].Start]) }
	before, behind := s.Start-1, s.End
	switch {
	case before > s0.Start && and(before) && other(before-1), before > s0.Start && parted(s.Start) && other(before):
		return true
	case behind+1 < s0.End && and(behind) && other(behind+1), behind < s0.End && parted(behind) && other(behind) && behind+1 < s0.End && (parted(behind+1) || and(behind+1)):
		return true
	}
	return false
}

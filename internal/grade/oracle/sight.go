package oracle

import (
	"cmp"
	"slices"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/reading"
)

// manner is what is seen of a text whatever it is about.
type manner struct {
	declines, declinesFirst, asks, evades, hedges, rejects, rejectsFirst, short, only bool
	words, sentences                                                                  int
}

var mannerNames = []string{"bias", "declines", "declines first", "asks back", "evades", "hedges", "rejects", "rejects first", "short", "length", "only withholds"}

// mannerOf looks at a text. "Short" is at most four words; "only withholds" says that it declines or asks back, and names no name or number.
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
	m.only = (m.declines || m.asks) && !slices.ContainsFunc(t.Words, func(w evidence.Word) bool { return isDigit(t.Plain[w.Start]) })
	for i := 0; m.only && i < len(t.Words); i++ {
		m.only = !t.Name(i)
	}
	return m
}

// features returns the values of mannerNames.
func (m manner) features() []float64 {
	return []float64{1, flag(m.declines), flag(m.declinesFirst), flag(m.asks), flag(m.evades), flag(m.hedges), flag(m.rejects), flag(m.rejectsFirst), flag(m.short), count(m.words), flag(m.only)}
}

// itemNames are the features of one item of an answer to a question with listed golds; a feature for each role follows.
var itemNames = append([]string{
	"bias",
	"uncertain",  // it is put forward as possible only
	"in first",   // it stands in the first sentence
	"in last",    // it stands in the last one
	"concluded",  // its sentence opens as a conclusion
	"beside",     // "or" puts something else beside it
	"listed",     // other names stand right beside it in a list
	"turned",     // a word of contrast stands before it in its sentence
	"attributed", // its sentence says what others believe
	"of a kind",  // "a" or "an" stands before it
	"as noun",    // its sentence has the word behind "which" or "what"
	"shares",     // how many words of the question its clause has
	"most",       // that of its sentence, as a part of the most that a sentence of the text has
	"opens",      // it opens its sentence
	"opens clause",
	"behind verb", // a copula stands right before it
	"behind by",   // "by" does
	"behind of",   // another preposition does
	"before wh",   // "who" or "which" follows it
	"before verb", // a verb of the question follows it
	"before be",   // a copula or an auxiliary follows it
	"like gold",   // it is capitalised as the golds are
	"words",       // how many words it has
	"bold",
	"other time", // its clause speaks of another time
}, roleNames...)

// itemModel tells whether an item is what the answer commits to: its classes are yes, no and unused.
var itemModel = newModel("name item", itemNames, 1, 1, 1)

// goldNames are the features of a text with listed golds, beside the manner.
var goldNames = append(slices.Clone(mannerNames),
	"score", "score of another", "lead", "lead above 0", "behind", "another", // of the item that is a gold and of the one that is not, by itemModel; the first less the second
	"others",      // how many different items are asserted in a role
	"after",       // a different item is asserted after it
	"rejected",    // an answer that the case rejects is asserted
	"gold denied", // a gold is mentioned, and denied, contrasted, doubted or retracted
	"unsure",      // an item could be the same and could not
	"unsure score",
	"fresh names", // how many capitalised words the question does not hold
	"sentence",    // the gold is a sentence
	"listed", "beside", "attributed", "turned", "of a kind", "bare", "marked", "uncertain", "like gold", "mentioned only",
	"who", "where or when", "capital", "capital and bare", "term and bare", "one word", // what is asked for, and how the gold is written
)

var roleNames = []string{"marked", "bare", "complement", "subject", "agent", "label", "guessed", "object", "oblique", "fragment", "bold", "mentioned"}

// A seen holds the features of an answer for its model, and what it puts forward.
type seen struct {
	x    []float64
	good *item // the item that is a gold and most likely what the text commits to; nil where the text puts none forward
	bad  *item // the same of those that are something else
}

// see looks at an answer to a question with listed golds.
func see(t *evidence.Text, q *reading.Question, items []item, capital, sentence bool) seen {
	var s, unsure seen
	others, rejected, denied, most := 0, false, false, 0
	for _, sentence := range t.Sentences {
		most = max(most, overlap(t, q, sentence.Words))
	}
	for i := range items {
		it := &items[i]
		rejected = rejected || it.rejected && it.asserts()
		if !it.asserts() {
			denied = denied || it.verdict == answer.Same
			continue
		}
		it.score(t, q, capital, most)
		best := &s.bad
		switch it.verdict {
		case answer.Same:
			best = &s.good
		case answer.Unsure:
			best = &unsure.bad
		default:
			others += int(flag(it.role != mentioned))
		}
		if *best == nil || it.committed > (*best).committed {
			*best = it
		}
	}
	value := func(it *item) float64 {
		if it == nil {
			return 0
		}
		return it.committed
	}
	lead := 0.
	if s.good != nil && s.bad != nil {
		lead = s.good.committed - s.bad.committed
	}
	names := 0
	for i := range t.Words {
		if t.Name(i) && !q.Says(t.Words[i].Fold) {
			names++
		}
	}
	top := cmp.Or(s.good, s.bad, unsure.bad, &item{role: mentioned, x: make([]float64, len(itemNames))})
	after := s.good != nil && s.bad != nil && s.bad.words.Start > s.good.words.Start
	m := mannerOf(t)
	s.x = append(m.features(), value(s.good), value(s.bad), lead, max(0, lead), flag(lead < 0), flag(s.bad != nil), count(others), flag(after), flag(rejected), flag(denied), flag(unsure.bad != nil), value(unsure.bad), count(names),
		flag(sentence), top.feature("listed"), top.feature("beside"), top.feature("attributed"), top.feature("turned"), top.feature("of a kind"), flag(top.role == reading.Bare), flag(top.role == reading.Marked),
		top.feature("uncertain"), top.feature("like gold"), flag(top.role == mentioned),
		flag(q.Wh == "who" || q.Wh == "whom" || q.Wh == "whose"), flag(q.Prep), flag(capital), flag(capital && m.words <= 4), flag(!capital && m.words <= 4), flag(top.words.End-top.words.Start == 1))
	return s
}

func (it *item) feature(name string) float64 { return it.x[slices.Index(itemNames, name)] }

// score sets the log odds that an item is what the text commits to. most is the most words of the question that a sentence of the text has.
func (it *item) score(t *evidence.Text, q *reading.Question, capital bool, most int) {
	w := t.Words[it.words.Start]
	s := t.Sentences[w.Sentence].Words
	beside := t.Alternative(it.words)
	turned, attributed, noun, bold := false, false, false, false
	clause, sentence := 0, overlap(t, q, s)
	for i := s.Start; i < s.End; i++ {
		fold := t.Words[i].Fold
		if i < it.words.Start {
			turned = turned || reading.Contrasts(fold)
			attributed = attributed || reading.Attributes(fold)
		}
		noun = noun || q.Noun != "" && reading.Stem(fold) == reading.Stem(q.Noun)
		clause += int(flag(t.Words[i].Clause == w.Clause && (i < it.words.Start || i >= it.words.End) && q.Holds(fold)))
	}
	for _, b := range t.Bold {
		bold = bold || b.Start <= w.Start && w.End <= b.End
	}
	before := it.words.Start - 1 // past articles
	for before >= s.Start && reading.IsArticle(t.Words[before].Fold) {
		before--
	}
	prev, next := "", ""
	if before >= s.Start && t.Words[before].Clause == w.Clause {
		prev = t.Words[before].Fold
	}
	if it.words.End < s.End {
		next = t.Words[it.words.End].Fold
	}
	it.x = append([]float64{1, flag(it.stance == evidence.Uncertain), flag(w.Sentence == 0), flag(int(w.Sentence) == len(t.Sentences)-1), flag(reading.Concludes(t.Words[s.Start].Fold)), flag(beside),
		flag(listed(t, it.words)), flag(turned), flag(attributed), flag(it.indefinite), flag(noun), count(clause), float64(sentence) / float64(max(1, most)), flag(before < s.Start),
		flag(before >= s.Start && t.Words[before].Clause != w.Clause), flag(reading.IsCopula(prev)), flag(prev == "by"), flag(prev != "by" && reading.IsPreposition(prev)), flag(reading.Cuts(next)), flag(q.Holds(next)),
		flag(reading.Links(next) && !reading.IsPreposition(next) && !reading.Cuts(next)),
		flag(capital == isUpper(t.Plain[w.Start]) || it.words.Start == s.Start), count(it.words.End - it.words.Start), flag(bold), flag(tellsApart(t, it.words))}, make([]float64, len(roleNames))...)
	it.x[len(itemNames)-len(roleNames)+int(it.role)] = 1
	if observedItem != nil && it.verdict != answer.Unsure {
		observedItem(itemModel, it.x, it.verdict == answer.Same)
	}
	it.committed = min(6, max(-6, logit(itemModel.probabilities(it.x)[0])))
}

// overlap counts the words of the question that a stretch has.
func overlap(t *evidence.Text, q *reading.Question, s evidence.Span) (n int) {
	for i := s.Start; i < s.End; i++ {
		n += int(flag(q.Holds(t.Words[i].Fold)))
	}
	return n
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

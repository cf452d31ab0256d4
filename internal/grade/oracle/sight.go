package oracle

import (
	"cmp"
	"slices"

	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/reading"
)

// manner is what is seen of a text whatever it is about. "Only withholds" says that it declines or asks back, and
// names no name or number.
func manner(t *evidence.Text) features {
	_, declines := t.Declines()
	_, asks := t.Asks()
	_, evades := evades(t)
	_, hedges := t.Cue(t.Whole(), evidence.Hedges)
	names := count(t.Whole(), func(i int) bool { return t.Name(i) || isDigit(t.Plain[t.Words[i].Start]) })
	return features{{"bias", 1}, is("declines", declines), is("asks back", asks), is("evades", evades),
		is("hedges", hedges), is("only withholds", (declines || asks) && names == 0), many("length", len(t.Words))}
}

// declinesOfItself reports whether who declines is who writes: "I cannot say", "No idea", but not "studies found no
// link".
func declinesOfItself(t *evidence.Text) bool {
	c, ok := t.Declines()
	if !ok {
		return false
	}
	s := t.Sentences[t.Words[c.Words.Start].Sentence].Words
	return c.Words.Start == s.Start && c.Sense != evidence.NotFound ||
		slices.ContainsFunc(t.Words[s.Start:c.Words.End], func(w evidence.Word) bool { return w.Fold == "i" })
}

// count returns how many words of a range are such.
func count(in evidence.Span, such func(i int) bool) (n int) {
	for i := in.Start; i < in.End; i++ {
		n += int(flag(such(i)))
	}
	return n
}

// some reports whether a word of a range has a sense.
func some(t *evidence.Text, in evidence.Span, sense string) bool {
	return count(in, func(i int) bool { return reading.Is(t.Words[i].Fold, sense) }) > 0
}

// roleNames are the features of roles.
var roleNames = []string{"marked", "bare", "complement", "subject", "agent", "label", "guessed", "object", "oblique",
	"fragment", "bold", "mentioned"}

// place is what is seen of an item whatever it is compared with: in what role it is, and what stands around it.
func (it *item) place(t *evidence.Text) features {
	w := t.Words[it.words.Start]
	s := t.Sentences[w.Sentence].Words
	// Words of another time stand in its clause: "he succeeded Ada Voss, who led it until 2024".
	otherTime := count(s, func(i int) bool {
		c := t.Words[i].Clause
		return (c == w.Clause || c == w.Clause+1 && i < it.words.End+5) && reading.Is(t.Words[i].Fold, "earlier")
	})
	bold := slices.ContainsFunc(t.Bold, func(b evidence.Span) bool { return b.Start <= w.Start && w.End <= b.End })
	before := evidence.Span{Start: s.Start, End: it.words.Start}
	behind := evidence.Span{Start: it.words.End, End: min(s.End, it.words.End+3)} // 206, as many books say
	return features{{"bias", 1}, {roleNames[it.role], 1}, is("uncertain", it.stance == evidence.Uncertain),
		is("in first", w.Sentence == 0), is("in last", int(w.Sentence) == len(t.Sentences)-1),
		is("concluded", reading.Is(t.Words[s.Start].Fold, "concluding")), is("in bold", bold),
		is("beside", t.Alternative(it.words)), is("contrast", some(t, before, "contrast")),
		is("attributed", some(t, before, "attribution") || some(t, behind, "attribution")),
		is("other time", otherTime > 0)}
}

// among is what is seen of an item that names an option, among the other places that name one.
func among(items []item, i int) features {
	same := func(m item) bool { return m.option == items[i].option && m.asserts() }
	other := func(m item) bool { return m.option != items[i].option && m.asserts() }
	return features{is("first", !slices.ContainsFunc(items[:i], item.asserts)),
		is("last", !slices.ContainsFunc(items[i+1:], item.asserts)),
		is("again", slices.ContainsFunc(items[:i], same)), is("only", !slices.ContainsFunc(items, other))}
}

// itemModel tells whether a name, term or phrase is what the answer commits to: its classes are yes, no and unused.
var itemModel = newModel("name item", 1, 1, 1)

// score sets the log odds that an item is what the text commits to.
func (it *item) score(t *evidence.Text, q *reading.Question, capital bool) {
	w := t.Words[it.words.Start]
	s := t.Sentences[w.Sentence].Words
	clause := clauseOf(t, it.words)
	shares := count(clause, func(i int) bool {
		return (i < it.words.Start || i >= it.words.End) && q.Holds(t.Words[i].Fold)
	})
	prev, next := wordBefore(t, it.words.Start, clause), ""
	if it.words.End < s.End {
		next = t.Words[it.words.End].Fold
	}
	it.x = append(it.place(t), many("shares", shares), is("behind verb", reading.Is(prev, "copula")),
		is("behind of", prev != "by" && reading.Is(prev, "preposition")), is("before wh", reading.Is(next, "cut")),
		is("before be", reading.Links(next) && !reading.Is(next, "preposition") && !reading.Is(next, "cut")),
		is("like gold", capital == isUpper(t.Plain[w.Start]) || it.words.Start == s.Start),
		many("words", it.words.End-it.words.Start))
	it.weigh(itemModel)
}

// weigh sets the log odds that a model gives to an item.
func (it *item) weigh(m *model) {
	if it.committed = m.odds(it.x); it.verdict != answer.Unsure {
		observedItem(m, it.x, it.verdict == answer.Same)
	}
}

// A seen is what a text puts forward, by how it compares with the golds.
type seen struct {
	good, bad, unsure *item // the likeliest of each to be what the text commits to; nil where there is none
	denied            *item // the last mention of a gold that is not put forward
	others            int   // how many others are put forward in a role
	rejected          bool  // an answer that the case rejects is put forward
	closed            bool  // what is rejected are options of the question, which a comparison names too
	chances           chances
}

// weigh picks of the items, whose odds are set, what a text puts forward.
func weigh(items []item) (s seen) {
	for i := range items {
		it := &items[i]
		if !it.asserts() {
			if it.verdict == answer.Same {
				s.denied = it
			}
			continue
		}
		s.rejected = s.rejected || it.rejected
		best := &s.bad
		switch it.verdict {
		case answer.Same:
			best = &s.good
		case answer.Unsure:
			best = &s.unsure
		default:
			s.others += int(flag(it.role != mentioned))
		}
		if *best == nil || it.committed > (*best).committed {
			*best = it
		}
	}
	return s
}

// features are those of what is put forward, and of the text around it.
func (s *seen) features(t *evidence.Text) features {
	odds := func(it *item) float64 {
		if it == nil {
			return 0
		}
		return it.committed
	}
	x := append(manner(t), feature{"score", odds(s.good)}, feature{"score of another", odds(s.bad)},
		is("another", s.bad != nil), many("others", s.others),
		is("mentioned only", s.good != nil && s.good.role == mentioned), is("rejected", s.rejected),
		is("gold denied", s.denied != nil), is("unsure", s.unsure != nil),
		is("turned from gold", s.denied != nil && s.bad != nil && turned(t, s.denied, s.bad)))
	if s.good != nil && s.bad != nil {
		lead := s.good.committed - s.bad.committed
		x = append(x, feature{"lead above 0", max(0, lead)}, is("behind", lead < 0),
			is("another after", s.bad.words.Start > s.good.words.Start), is("turned from", turned(t, s.good, s.bad)),
			is("turned to", turned(t, s.bad, s.good)),
			is("another shares more", s.bad.x.of("shares") > s.good.x.of("shares")))
	}
	if top := cmp.Or(s.good, s.bad, s.unsure); top != nil {
		named := top.role == reading.Marked || top.role == reading.Complement || top.role == reading.Label
		x = append(x, is("top named as the answer", named))
		for _, f := range top.x {
			if !slices.Contains(roleNames, f.name) {
				x = append(x, feature{"top " + f.name, f.value})
			}
		}
	}
	return x
}

// turned reports whether a sentence turns from one item to another: "not Paris but Lyon".
func turned(t *evidence.Text, from, to *item) bool {
	a, b := from.words.End, to.words.Start
	return t.Words[a-1].Sentence == t.Words[b].Sentence && some(t, evidence.Span{Start: a, End: b}, "contrast")
}

func (o *byGold) features(t *evidence.Text, s *seen) features {
	const bareTerm = 4 // words of a text that gives a term and nothing else
	names := count(t.Whole(), func(i int) bool { return t.Name(i) && !o.q.Says(t.Words[i].Fold) })
	return append(s.features(t), many("fresh names", names), is("sentence", o.sentence), is("capital", o.golds.capital),
		is("bare term", !o.golds.capital && len(t.Words) <= bareTerm))
}

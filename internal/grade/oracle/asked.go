package oracle

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/reading"
)

// byAsked decides answers to a question that names what is to be chosen from: "the Rhine or the Danube". Nothing else
// is an answer, and which one a text gives is told without regard to which is right.
type byAsked struct {
	*env
	accept string
	sides  []side // the options
	gold   int    // which of them is right
	ends   reading.Ends
	stems  map[string]bool // of the words of the question that are no option's
}

// A side is an option of a question.
type side struct {
	text   string
	words  map[string]bool // stems of all its words
	own    map[string]bool // those that no other option has
	named  *named          // compares other forms of its name: "the US"
	ends   reading.Ends    // of an option that is an end of a scale: higher
	number quantity.Quantity
}

// The model of an option that a text names: is it the one given? Its classes are yes, no and unused. And that of texts,
// of which it says what they give: the gold, another option, or none.
var (
	sideItem   = newModel("asked item", 1, 1, 1)
	askedModel = newModel("asked", .65, .84, .60)
)

// byAsked makes the oracle of a gold and the options beside it.
func (e *env) byAsked(gold string, options []string, at int) *byAsked {
	o := &byAsked{env: e, accept: gold, gold: at, stems: map[string]bool{}}
	count, all := map[string]int{}, map[string]bool{}
	var ends []reading.Ends
	for _, text := range options {
		s := side{text: text, words: map[string]bool{}}
		words := optionWords(text)
		ends = append(ends, reading.EndsOf(words))
		for _, w := range words {
			all[w] = true
			if w = reading.Stem(w); !s.words[w] {
				s.words[w] = true
				count[w]++
			}
		}
		s.number, _ = quantity.Parse(text)
		o.sides = append(o.sides, s)
	}
	var rest []string
	for _, w := range evidence.Phrase(e.c.Prompt) {
		if !all[w] {
			if rest = append(rest, w); !evidence.IsStop(w) {
				o.stems[reading.Stem(w)] = true
			}
		}
	}
	o.ends = reading.EndsOf(rest)
	for i := range o.sides {
		s := &o.sides[i]
		s.own = maps.Clone(s.words)
		maps.DeleteFunc(s.own, func(w string, _ bool) bool { return count[w] > 1 })
		for w := range s.words { // "after" is all that "before or after" has, but not "at" of "at the anode"
			if reading.Is(w, "preposition", "particle", "copula") && len(s.own) > 1 {
				delete(s.own, w)
			}
		}
		if len(s.own) == 1 && !slices.ContainsFunc(others(ends, i), ends[i].Same) { // but not fewer or less
			s.ends = ends[i]
		}
		names := []string{s.text}
		if i == at {
			if names = append([]string{gold}, e.c.Aliases...); gold != s.text {
				names = append(names, s.text)
			}
		}
		s.named = newNamed(e.references(names, others(options, i)), e.references(others(options, i), nil),
			isUpper(s.text[0]))
		s.named.rejects = nil // whose words tell where to look; each option is compared with its own names alone
	}
	return o
}

// others are all but the i-th, if there is one.
func others[T any](all []T, i int) []T {
	if i < 0 {
		return all
	}
	return slices.Delete(slices.Clone(all), i, i+1)
}

func (o *byAsked) Golds() []string { return []string{o.accept} }

func (o *byAsked) Judge(r Reading) Ruling {
	if identical(r.Text, o.accept) {
		return answered(pass("exact: the same words", quoted(r.Plain)), o.accept)
	}
	items := o.items(r.Text)
	for i := range items {
		if it := &items[i]; it.asserts() {
			it.x = o.place(r.Text, items, i)
			it.weigh(sideItem)
		}
	}
	s := weigh(items)
	s.closed = true
	if s.onlyWithholds(r.Text) {
		s.chances = chances{certain(2), askedModel}
	} else {
		s.chances = askedModel.ask(o.look(r.Text, items, &s))
	}
	return o.commits(r.Text, &s, "exact", "answer", o.accept)
}

// items returns where a text names an option, in order.
func (o *byAsked) items(t *evidence.Text) (items []item) {
	claims := reading.Claims(t, o.q)
	numbers := quantity.Scan(t.Plain)
	add := func(k int, words evidence.Span) {
		if len(items) >= maxItems || slices.ContainsFunc(items, func(it item) bool {
			return it.option == k && it.words.Start < words.End && words.Start < it.words.End
		}) {
			return
		}
		it := item{words: words, role: roleOf(words, claims), stance: t.Stance(words), text: t.Slice(words), option: k,
			verdict: answer.Different, why: "another option of the question", rejected: true}
		if k == o.gold {
			it.verdict, it.why, it.rejected = answer.Same, "the option of the question", false
		}
		items = append(items, it)
	}
	for k := range o.sides {
		s := &o.sides[k]
		for _, words := range s.mentions(t, numbers) {
			add(k, words)
		}
		for _, it := range s.named.items(t, o.q, claims) {
			if it.verdict == answer.Same && !o.shared(it.text, k) {
				add(k, it.words)
			}
		}
	}
	o.pointed(t, add)
	items = slices.DeleteFunc(slices.Clone(items), func(it item) bool { // it is inside the name of another
		return slices.ContainsFunc(items, func(m item) bool {
			return m.option != it.option && m.words.Start <= it.words.Start && it.words.End <= m.words.End &&
				m.words != it.words
		})
	})
	slices.SortStableFunc(items, func(a, b item) int { return a.words.Start - b.words.Start })
	return items
}

// pointed adds where a text stands for an option by its place in the question: "the former", "the second one".
func (o *byAsked) pointed(t *evidence.Text, add func(option int, words evidence.Span)) {
	for i := 1; i < len(t.Words); i++ {
		next := t.Fold(i + 1)
		end := i == len(t.Words)-1 || t.Words[i+1].Clause != t.Words[i].Clause
		ordinal := end || evidence.Listed("choices")[next] || reading.Links(next)
		if t.Words[i-1].Fold != "the" {
			continue
		}
		switch w := t.Words[i].Fold; {
		case w == "former", w == "first" && ordinal && !o.stems["first"]:
			add(0, evidence.Span{Start: i, End: i + 1})
		case w == "latter":
			add(len(o.sides)-1, evidence.Span{Start: i, End: i + 1})
		case w == "second" && ordinal:
			add(1, evidence.Span{Start: i, End: i + 1})
		}
	}
}

// shared reports whether another option has all words of a text that the k-th one has: "the right" of "the right to buy
// or the right to acquire".
func (o *byAsked) shared(text string, k int) bool {
	words := optionWords(text)
	return !slices.ContainsFunc(words, func(w string) bool { return o.sides[k].own[reading.Stem(w)] }) &&
		slices.ContainsFunc(words, func(w string) bool { return o.sides[k].words[reading.Stem(w)] })
}

// mentions returns where a text has the option's number, or of the words that it alone has at least half, or the last
// of a name.
func (s *side) mentions(t *evidence.Text, numbers []quantity.Quantity) (all []evidence.Span) {
	if s.number.Value != nil {
		return places(t, numbers, s.number)
	}
	capital := isUpper(s.text[0]) && strings.ContainsFunc(t.Plain, unicode.IsUpper)
	own := func(i int) bool {
		w := t.Words[i]
		return (s.own[reading.Stem(w.Fold)] || s.ends.Toward(w.Fold) > 0) &&
			!(capital && len(s.words) == 1 && !isUpper(t.Plain[w.Start]))
	}
	for i := 0; i < len(t.Words); i++ {
		if !own(i) {
			continue
		}
		span, n := s.run(t, i)
		if 2*n >= len(s.own) && !(capital && n < len(s.own) && s.within(t, span)) {
			all = append(all, span)
		}
		i = span.End - 1
	}
	return all
}

// places returns where a text with such numbers has a number, in whatever form: "six" for 6.
func places(t *evidence.Text, numbers []quantity.Quantity, number quantity.Quantity) (all []evidence.Span) {
	for _, n := range numbers {
		if v, _ := quantity.Compare(number, n, quantity.Options{}); v == quantity.Same {
			all = append(all, mention(t, n.Start, n.End).words)
		}
	}
	return all
}

// run returns the words of the option that stand together from the i-th on, with at most one other between two, and how
// many of its own are among them.
func (s *side) run(t *evidence.Text, i int) (span evidence.Span, own int) {
	span = evidence.Span{Start: i, End: i + 1}
	found := map[string]bool{reading.Stem(t.Words[i].Fold): true}
	for k := i + 1; k < len(t.Words) && k-span.End < 2 && t.Words[k].Sentence == t.Words[i].Sentence; k++ {
		if stem := reading.Stem(t.Words[k].Fold); s.words[stem] {
			span.End = k + 1
			found[stem] = true
		}
	}
	for w := range found {
		own += int(flag(s.own[w] || s.ends != nil))
	}
	return span, own
}

// within reports whether a part of the option's name stands in the name of something else: "Jane Austen" for Jane Eyre.
func (s *side) within(t *evidence.Text, span evidence.Span) bool {
	foreign := func(i, from, to int) bool {
		return i >= 0 && i < len(t.Words) && t.Name(i) && !s.words[reading.Stem(t.Words[i].Fold)] &&
			strings.TrimSpace(t.Plain[from:to]) == ""
	}
	first, last := t.Words[span.Start], t.Words[span.End-1]
	return span.End < len(t.Words) && foreign(span.End, last.End, t.Words[span.End].Start) ||
		span.Start > 0 && foreign(span.Start-1, t.Words[span.Start-1].End, first.Start)
}

// place is what is seen of one mention of an option.
func (o *byAsked) place(t *evidence.Text, items []item, i int) features {
	it := &items[i]
	w := t.Words[it.words.Start]
	sentence := t.Sentences[w.Sentence].Words
	clause := clauseOf(t, it.words)
	lead := evidence.Span{Start: clause.Start, End: it.words.Start} // what of it stands before
	prev := wordBefore(t, it.words.Start, clause)
	asks := func(k int) bool { return o.stems[reading.Stem(t.Words[k].Fold)] && !evidence.IsStop(t.Words[k].Fold) }
	leads := count(lead, func(k int) bool { // nothing of weight before it
		return !evidence.IsStop(t.Words[k].Fold) && !reading.Is(t.Words[k].Fold, "opener", "concluding", "article",
			"contrast")
	}) == 0
	against := reading.Is(prev, "versus") || some(t, lead, "versus")
	toward := 0
	for k := clause.Start; k < clause.End; k++ {
		if k < it.words.Start || k >= it.words.End {
			toward += o.ends.Toward(t.Words[k].Fold)
		}
	}
	plain := func(k int) bool { // a word that says nothing beside the mention
		return k >= it.words.Start && k < it.words.End || evidence.IsStop(t.Words[k].Fold) ||
			reading.Is(t.Words[k].Fold, "opener", "concluding", "article", "copula", "pronoun")
	}
	alone := func(in evidence.Span) bool { return count(in, plain) == in.End-in.Start }
	denied := flag(some(t, clause, "negator"))
	turn := func(v int) float64 { return float64(max(-1, min(1, v))) * (1 - 2*denied) }
	subject := leads && !against
	x := append(it.place(t), many("shares", count(clause, asks)), many("shares in sentence", count(sentence, asks)))
	x = append(x, among(items, i)...)
	x = append(x, is("opens", leads), is("against", against), is("alone", alone(sentence)),
		is("alone in clause", alone(clause)), is("opens text", leads && it.words.Start < 4),
		is("behind verb", reading.Is(prev, "copula")), is("behind of", prev != "by" && reading.Is(prev, "preposition")),
		is("before be", it.words.End < sentence.End && reading.Links(t.Fold(it.words.End)) &&
			!reading.Is(t.Fold(it.words.End), "preposition", "cut")))
	if subject {
		x = append(x, feature{"is at the end asked for", turn(toward)}, many("opens with shares", count(clause, asks)))
	} else {
		x = append(x, feature{"near the end asked for", turn(toward)})
	}
	if against {
		x = append(x, feature{"against the end asked for", turn(toward)})
	}
	return x
}

// clauseOf returns the words of the clause, within its sentence, that words stand in.
func clauseOf(t *evidence.Text, words evidence.Span) evidence.Span {
	w := t.Words[words.Start]
	sentence := t.Sentences[w.Sentence].Words
	for words.Start > sentence.Start && t.Words[words.Start-1].Clause == w.Clause {
		words.Start--
	}
	for words.End < sentence.End && t.Words[words.End].Clause == w.Clause {
		words.End++
	}
	return words
}

// wordBefore returns the word before the i-th, past articles, in its clause; "" where none is.
func wordBefore(t *evidence.Text, i int, clause evidence.Span) string {
	for i--; i >= clause.Start && reading.Is(t.Words[i].Fold, "article"); i-- {
	}
	if i < clause.Start {
		return ""
	}
	return t.Words[i].Fold
}

// look is what is seen of a text: what it puts forward of the gold and of the others, each the other's mirror image,
// and what tells whether it puts anything forward.
func (o *byAsked) look(t *evidence.Text, items []item, s *seen) features {
	const none = -4 // the odds of what is not named
	odds := func(it *item) float64 {
		if it == nil {
			return none
		}
		return it.committed
	}
	deniedOf := func(gold bool) float64 {
		return flag(slices.ContainsFunc(items, func(it item) bool {
			return (it.option == o.gold) == gold && it.stance == evidence.Denied
		}))
	}
	good, bad, both := odds(s.good), odds(s.bad), s.good != nil && s.bad != nil
	x := append(manner(t), feature{"lead", good - bad}, feature{"only one", flag(s.good != nil) - flag(s.bad != nil)},
		feature{"likeliest", max(good, bad)}, is("both", both), is("neither", s.good == nil && s.bad == nil),
		feature{"denied", deniedOf(true) - deniedOf(false)}, feature{"by figures", o.figures(t, items)},
		is("declines of itself", declinesOfItself(t)))
	if both {
		x = append(x, feature{"lead of two", good - bad},
			feature{"order", 2*flag(s.good.words.Start < s.bad.words.Start) - 1},
			feature{"turned", flag(turned(t, s.bad, s.good)) - flag(turned(t, s.good, s.bad))})
	}
	if len(o.sides) > 2 {
		x = append(x, is("several", true))
	}
	return x
}

// A figure is a number or a time that a text gives, at a byte of it.
type figure struct {
	at    int
	value *big.Rat
	q     quantity.Quantity
}

// figures returns 1 where the figures of a text put the gold at the end that the question asks for, and -1 where they
// put another option there: "Silver melts at 962 °C, gold at 1,064". It is 0 where they do not tell.
func (o *byAsked) figures(t *evidence.Text, items []item) float64 {
	end, times := asked(o.ends)
	if end == 0 {
		return 0
	}
	of := map[int][]figure{} // by the option that was named last before
	for _, f := range figuresOf(t, times) {
		owner := -1
		for _, it := range items {
			if t.Words[it.words.Start].Start > f.at {
				break
			}
			owner = it.option
		}
		if owner >= 0 {
			of[owner] = append(of[owner], f)
		}
	}
	if len(of[o.gold]) == 0 || len(of) < 2 {
		return 0
	}
	wins := 1.
	for k := range o.sides {
		if k == o.gold || of[k] == nil {
			continue
		}
		switch c := compare(of[o.gold], of[k]) * end; {
		case c == 0:
			return 0
		case c < 0:
			wins = -1
		}
	}
	return wins
}

// asked returns the end that is asked for, 1 for large numbers and late times, and whether it is one of time; 0 where
// none is, or both are.
func asked(ends reading.Ends) (end int, times bool) {
	for s, e := range ends {
		switch {
		case e == 0:
		case end != 0 && e != end:
			return 0, false
		default:
			end, times = e, times || s == reading.Time
		}
	}
	return end, times
}

// figuresOf returns the times of a text, or its other numbers.
func figuresOf(t *evidence.Text, times bool) (figures []figure) {
	dates := slices.DeleteFunc(quantity.Dates(t.Plain), func(d quantity.Date) bool { return d.Year == 0 })
	if times {
		for _, d := range dates {
			v := int64(d.Year)*400 + int64(d.Month)*31 + int64(d.Day)
			if d.BC {
				v = -v
			}
			figures = append(figures, figure{d.Start, big.NewRat(v, 1), quantity.Quantity{}})
		}
		return figures
	}
	for _, q := range quantity.Scan(t.Plain) {
		isDate := func(d quantity.Date) bool { return d.Start < q.End && q.Start < d.End }
		if q.Value != nil && !q.Ordinal && !slices.ContainsFunc(dates, isDate) {
			figures = append(figures, figure{q.Start, q.Value, q})
		}
	}
	return figures
}

// compare returns the sign of the difference of the first figures of two options that are of one unit, 0 where there
// are none or they are equal.
func compare(a, b []figure) int {
	for _, f := range a {
		for _, g := range b {
			switch {
			case f.q.Unit.IsZero() && g.q.Unit.IsZero():
				return f.value.Cmp(g.value)
			case f.q.Unit.IsZero() || g.q.Unit.IsZero():
			default:
				if v, ok := g.q.In(f.q.Unit); ok {
					return f.value.Cmp(v)
				}
			}
		}
	}
	return 0
}

package paraphrase

import (
	"fmt"
	"math/big"
	"strings"

	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
)

// leastShared is the least share of the shorter text's words of content that the other has too, by their first letters.
const leastShared = .2

// A Checker holds candidates against one text.
type Checker struct {
	text string
	f    *features
}

// NewChecker prepares a text.
func NewChecker(text string) *Checker {
	c := &Checker{text: text}
	if len(text) <= MaxText {
		c.f = read(text)
	}
	return c
}

// Check says why a candidate may not stand for the text, and what in it shows that; "" if nothing speaks against
// it. It sees what the words themselves show, so it admits a text that keeps names, numbers and quantities and yet
// means something else, and it refuses true paraphrases that say a number or a name in another way than it knows.
// The empty reason is no proof of equivalence: docs/paraphrases.md has how often it is right. It works in time
// linear in both texts, but for the few numbers and names of each.
func (c *Checker) Check(candidate string) (Reason, string) {
	if r, why := admissible(c.text, candidate); r != "" {
		return r, why
	}
	a, b := c.f, read(candidate)
	for _, test := range []func(a, b *features) (Reason, string){numbersDiffer, namesDiffer, negationDiffers,
		quantifiersDiffer, oppositesMeet, questionsDiffer, namesSwapped, contentDiffers} {
		if r, why := test(a, b); r != "" {
			return r, evidence.Excerpt(why, 120)
		}
	}
	return "", ""
}

// features are what a text shows.
type features struct {
	t       *evidence.Text
	words   map[string]bool // compared forms
	order   []string        // compared forms in order
	numbers []mention
	loose   map[string]bool // "one", "a", "an", "single", "once": any of them may stand for 1
	names   []name
	negated string // the word that denies; "" if none
	half    bool   // a word that denies in its own way
}

// A mention is a number as a text writes it.
type mention struct {
	quantity.Quantity
	shown string
}

// A name is a word with a capital that no beginning of a sentence explains, or a part of a date.
type name struct {
	fold, shown string
	word        int  // index of the word
	sure        bool // no sentence begins with it
}

// The most that is read of a text.
const (
	maxQuantities = 200
	maxNames      = 200
)

func read(text string) *features {
	f := &features{t: evidence.Read(text), words: map[string]bool{}, loose: map[string]bool{}}
	f.order = f.t.Forms()
	for _, w := range f.order {
		f.words[w] = true
	}
	f.quantities()
	f.readNames()
	for i, w := range f.order {
		if f.half = f.half || is(w, "half denies"); f.negated == "" && is(w, "denies") && !f.bounds(i) {
			f.negated = w
		}
	}
	return f
}

// bounds reports whether the i-th word, a "no" or "not", denies nothing: no more than, no 5, not only, or not.
func (f *features) bounds(i int) bool {
	w := f.order[i]
	if w != "no" && w != "not" {
		return false
	}
	return w == "no" && i+1 < len(f.order) && isDigit(f.order[i+1][0]) ||
		w == "not" && (f.is(i, "only") || i > 0 && f.order[i-1] == "or") ||
		f.is(i, "less than") || f.is(i, "fewer than") || f.is(i, "more than")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// is reports whether the words behind the i-th are these.
func (f *features) is(i int, words string) bool {
	for w := range strings.FieldsSeq(words) {
		if i++; i >= len(f.order) || f.order[i] != w {
			return false
		}
	}
	return true
}

// quantities reads the numbers, in digits and in words.
func (f *features) quantities() {
	plain := f.t.Plain
	covered := make([]bool, len(f.t.Words))
	at := 0
	for _, n := range quantity.Each(quantity.Scan(plain)) {
		if len(f.numbers) == maxQuantities {
			return
		}
		if n.Spelled && n.NumEnd-n.Start == len("one") && n.Value.Cmp(one) == 0 { // it may go unsaid
			continue
		}
		for at < len(f.t.Words) && f.t.Words[at].End <= n.Start {
			at++
		}
		for i := at; i < len(f.t.Words) && f.t.Words[i].Start < n.NumEnd; i++ {
			covered[i] = true
		}
		f.numbers = append(f.numbers, mention{n, plain[n.Start:n.NumEnd]})
	}
	for i := 0; i < len(f.t.Words) && len(f.numbers) < maxQuantities; i++ {
		if covered[i] {
			continue
		}
		w := f.t.Words[i].Fold
		switch w {
		case "one", "a", "an", "single", "once", "1":
			f.loose[w] = true
		}
		if v, ok := new(big.Rat).SetString(stands(w, "multiples")); ok {
			f.numbers = append(f.numbers, mention{quantity.Quantity{Value: v}, w})
		}
	}
}

// numbersDiffer holds the numbers against each other: each number of the text must stand in the candidate as often,
// in words or digits, or in another unit of the same quantity, and the candidate may have no other. That there is
// one of something may go unsaid.
func numbersDiffer(a, b *features) (Reason, string) {
	if r, why := unmatched(a, b, true); r != "" {
		return r, why + " was dropped"
	}
	if r, why := unmatched(b, a, false); r != "" {
		return r, why + " was added"
	}
	return "", ""
}

// unmatched returns the first number of one text that the other does not have, or where each counts, has not as often.
func unmatched(from, to *features, each bool) (Reason, string) {
	used := make([]bool, len(to.numbers))
next:
	for _, q := range from.numbers {
		reason := Number
		for k, o := range to.numbers {
			if used[k] {
				continue
			}
			same, otherUnit := q.same(o)
			if same {
				used[k] = each
				continue next
			}
			if otherUnit {
				reason = Unit
			}
		}
		if q.Value != nil && q.Value.Cmp(one) == 0 && !q.Ordinal && len(to.loose) > 0 {
			continue
		}
		return reason, strings.TrimSpace(q.shown + " " + q.Unit.Name)
	}
	return "", ""
}

// same reports whether two numbers are the same, in the same unit or in one of the same quantity, or are not for their
// units alone.
func (m mention) same(o mention) (same, otherUnit bool) {
	if m.Value == nil || o.Value == nil {
		return m.shown == o.shown, false
	}
	same = m.Value.Cmp(o.Value) == 0
	if m.Unit.IsZero() || o.Unit.IsZero() {
		return same, false
	}
	if v, converts := m.In(o.Unit); converts && v.Cmp(o.Value) == 0 {
		return true, false
	}
	otherUnit = same && !strings.EqualFold(m.Unit.Name, o.Unit.Name)
	return same && !otherUnit, otherUnit
}

var one = big.NewRat(1, 1)

// negationDiffers reports that one text denies and the other does not.
func negationDiffers(a, b *features) (Reason, string) {
	switch {
	case (a.negated != "") == (b.negated != ""):
		if a.negated == "" && a.half != b.half {
			return Negation, "only one of the two denies"
		}
	case a.negated != "" && !b.half:
		return Negation, fmt.Sprintf("%q was dropped", a.negated)
	case b.negated != "" && !a.half:
		return Negation, fmt.Sprintf("%q was added", b.negated)
	}
	return "", ""
}

// quantifiersDiffer reports a bound that only one of the two has.
func quantifiersDiffer(a, b *features) (Reason, string) {
	for _, c := range lists().classes {
		for _, way := range [2]struct {
			from, to *features
			what     string
		}{{a, b, "dropped"}, {b, a, "added"}} {
			if m := way.from.anyOf(c.marks); m != "" && way.to.anyOf(c.marks) == "" && way.to.anyOf(c.satisfy) == "" {
				return Quantifier, fmt.Sprintf("%q was %s", m, way.what)
			}
		}
	}
	return "", ""
}

// anyOf returns the first of the phrases that stands in the text, outside of idioms.
func (f *features) anyOf(of [][]string) string {
	for _, p := range of {
		if !f.words[p[0]] {
			continue
		}
		for _, at := range f.t.Find(p) {
			if !f.idiom(at) {
				return strings.Join(p, " ")
			}
		}
	}
	return ""
}

func (f *features) idiom(at evidence.Span) bool {
	for _, p := range lists().idioms {
		for start := max(0, at.Start-len(p)+1); start <= at.Start && start+len(p) <= len(f.order); start++ {
			if start+len(p) >= at.End && strings.Join(f.order[start:start+len(p)], " ") == strings.Join(p, " ") {
				return true
			}
		}
	}
	return false
}

// oppositesMeet reports a word of one text whose opposite stands in the other in its place.
func oppositesMeet(a, b *features) (Reason, string) {
	for _, w := range a.order {
		if b.words[w] {
			continue
		}
		for _, o := range lists().opposites[w] {
			if b.words[o] && !a.words[o] {
				return Opposite, fmt.Sprintf("%q became %q", w, o)
			}
		}
	}
	if b.negated == "" || a.negated != "" { // "unable" for "not able" keeps the meaning
		for _, way := range [2]struct{ bare, with *features }{{a, b}, {b, a}} {
			if o := turned(way.bare, way.with); o != "" {
				return Opposite, fmt.Sprintf("%q stands in one of the two", o)
			}
		}
	}
	return "", ""
}

// turned returns a word of one text that is a word of the other with a prefix that denies it.
func turned(bare, with *features) string {
	for _, w := range with.order {
		if bare.words[w] {
			continue
		}
		for _, p := range [...]string{"un", "in", "im", "il", "ir", "dis", "non", "mis", "anti"} {
			if stem, ok := strings.CutPrefix(w, p); ok && len(stem) >= 4 &&
				bare.words[strings.TrimPrefix(stem, "-")] && !with.words[stem] {
				return w
			}
		}
	}
	return ""
}

// namesSwapped reports two names that stand around the same words the other way round: who beat whom.
func namesSwapped(a, b *features) (Reason, string) {
	for i := 0; i+1 < len(a.names); i++ {
		x, y := a.names[i], a.names[i+1]
		between := a.order[x.word+1 : y.word]
		if len(between) == 0 || len(between) > 12 || x.fold == y.fold || is(strings.Join(between, " "), "symmetric") {
			continue
		}
		for j := 0; j+1 < len(b.names); j++ {
			u, v := b.names[j], b.names[j+1]
			if u.fold == y.fold && v.fold == x.fold && v.word-u.word == y.word-x.word &&
				strings.Join(b.order[u.word+1:v.word], " ") == strings.Join(between, " ") {
				return Swapped, x.shown + " and " + y.shown
			}
		}
	}
	return "", ""
}

// contentDiffers reports that the two share too few words: an answer in place of a paraphrase, or another text.
func contentDiffers(a, b *features) (Reason, string) {
	stems := func(f *features) map[string]bool {
		m := map[string]bool{}
		for _, w := range f.order {
			if !evidence.IsStop(w) && len(w) > 2 {
				r := []rune(w)
				m[string(r[:min(len(r), 5)])] = true
			}
		}
		return m
	}
	x, y := stems(a), stems(b)
	if len(x) == 0 || len(y) == 0 {
		return "", ""
	}
	shared := 0
	for w := range x {
		if y[w] {
			shared++
		}
	}
	if least := min(len(x), len(y)); float64(shared) < leastShared*float64(least) {
		return Content, fmt.Sprintf("%d of %d words are shared", shared, least)
	}
	return "", ""
}

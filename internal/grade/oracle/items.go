package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/reading"
)

// An item is something that an answer may commit to, compared with what the case accepts.
type item struct {
	words     evidence.Span
	role      reading.Role
	stance    evidence.Stance
	verdict   answer.Verdict
	why       string
	note      string // more on why, behind what is quoted
	text      string
	rejected  bool     // it is an answer that the case rejects
	option    int      // of a choice, the option that it names
	letter    bool     // by its letter
	x         features // what is seen of it
	committed float64  // log odds that it is what the text commits to
}

// mentioned is the role of words that no claim holds.
const mentioned = reading.Roles

// roleOf returns the strongest role of the claims that hold words.
func roleOf(words evidence.Span, claims []reading.Claim) reading.Role {
	role := mentioned
	for _, c := range claims {
		if c.Role < role && c.Words.Start <= words.Start && words.End <= c.Words.End {
			role = c.Role
		}
	}
	return role
}

// asserts reports whether the text puts the item forward, firmly or not.
func (i item) asserts() bool { return i.stance <= evidence.Uncertain }

// maxItems bounds the stretches of one text that are compared.
const maxItems = 48

// named compares what an answer claims with golds that are names, terms, titles, lists or phrases.
type named struct {
	refs, rejects []*answer.Reference
	keys          map[string]bool
	capital       bool // the golds are capitalised
}

func newNamed(accept, reject []*answer.Reference, capital bool) *named {
	n := &named{accept, reject, map[string]bool{}, capital}
	for _, r := range slices.Concat(accept, reject) {
		for _, k := range r.Keys() {
			n.keys[k] = true
		}
	}
	return n
}

// item compares a stretch of a claim with the golds: the same as one of them, different from all, or not told.
func (n *named) item(t *evidence.Text, words evidence.Span, c reading.Claim) item {
	it := item{words: words, role: c.Role, stance: max(c.Stance, t.Stance(words)), text: t.Slice(words)}
	value := answer.Read(it.text)
	for i, r := range n.refs {
		v, why := r.CompareTo(value)
		if i == 0 || nearer(v, it.verdict) {
			it.verdict, it.why = v, why
		}
		if v == answer.Same {
			return it
		}
	}
	for _, r := range n.rejects {
		if v, why := r.CompareTo(value); v == answer.Same {
			it.verdict, it.why, it.rejected = answer.Different, "a rejected answer: "+why, true
		}
	}
	return it
}

// nearer reports whether one verdict is nearer to the same than another.
func nearer(v, than answer.Verdict) bool {
	return v == answer.Same || v == answer.Unsure && than == answer.Different
}

// items returns what the text claims, and where else it mentions a gold or, where golds are capitalised, a name.
func (n *named) items(t *evidence.Text, q *reading.Question, claims []reading.Claim) []item {
	// words of a claim left undecided as one: "the French capital" is a description, whatever "French" is
	const wholeClaim = 3
	var items []item
	// Paris; Paris, Texas
	settled := func(it item) bool { return it.verdict == answer.Same || it.why == answer.Elsewhere }
	for _, c := range claims {
		it := n.item(t, c.Words, c)
		if settled(it) || it.verdict == answer.Unsure && c.Words.End-c.Words.Start <= wholeClaim {
			items = append(items, it)
			continue
		}
		for _, s := range n.stretches(t, q, c) {
			if len(items) < maxItems {
				items = append(items, n.item(t, s, c))
			}
		}
	}
	for i := 0; i < len(t.Words) && len(items) < maxItems; i++ {
		w := t.Words[i]
		key := n.key(t, i)
		if !key && (!n.capital || !t.Name(i) || q.Says(w.Fold)) {
			continue
		}
		s := n.around(t, i)
		i = s.End - 1
		claimed := slices.ContainsFunc(items, func(it item) bool {
			return it.words.Start < s.End && s.Start < it.words.End && (settled(it) || !key)
		})
		if !claimed {
			items = append(items, n.item(t, s, reading.Claim{Role: mentioned}))
		}
	}
	return items
}

// key reports whether the i-th word is one of a gold: "May" is not every "may", nor "US" every "us".
func (n *named) key(t *evidence.Text, i int) bool {
	w := t.Words[i]
	small := !isUpper(t.Plain[w.Start]) && (evidence.IsStop(w.Fold) || reading.Is(w.Fold, "pronoun", "speaker"))
	return n.keys[w.Fold] && !(n.capital && small)
}

// stretches returns what a claim may name: its capitalised phrases where the golds are capitalised, else the whole
// of it.
func (n *named) stretches(t *evidence.Text, q *reading.Question, c reading.Claim) (found []evidence.Span) {
	if !n.capital {
		return []evidence.Span{c.Words}
	}
	for i := c.Words.Start; i < c.Words.End; i++ {
		w := t.Words[i]
		if !isUpper(t.Plain[w.Start]) || evidence.IsStop(w.Fold) || reading.PolarWord(w.Fold) != reading.NoPolarity ||
			heads(t, i) {
			continue
		}
		s := n.around(t, i)
		s.End = min(s.End, c.Words.End)
		fresh := func(w evidence.Word) bool {
			return !q.Says(w.Fold) && !reading.Is(w.Fold, "particle") && !evidence.IsStop(w.Fold)
		}
		if slices.ContainsFunc(t.Words[s.Start:s.End], fresh) {
			found = append(found, s)
		}
		i = s.End - 1
	}
	if len(found) == 0 && c.Role <= reading.Bare {
		return []evidence.Span{c.Words}
	}
	return found
}

// heads reports whether a word alone is the label of what follows: "Example: …".
func heads(t *evidence.Text, i int) bool {
	first := t.Sentences[t.Words[i].Sentence].Words.Start
	return first == i && strings.HasPrefix(strings.TrimLeft(t.Plain[t.Words[i].End:], "*_"), ":")
}

// around returns the phrase around a word of a gold: the words of the golds beside it, and the capitalised words
// that are one name with it.
func (n *named) around(t *evidence.Text, i int) evidence.Span {
	part := func(k int) bool {
		w := t.Words[k]
		return n.keys[w.Fold] || w.End > w.Start && isUpper(t.Plain[w.Start]) || reading.Is(w.Fold, "particle")
	}
	joined := func(k int) bool { // nothing but a blank, a hyphen or a point stands before the k-th word
		before, w := t.Words[k-1], t.Words[k]
		return before.Sentence == w.Sentence && strings.Trim(t.Plain[min(before.End, w.Start):w.Start], " -.'’‑") == ""
	}
	s := evidence.Span{Start: i, End: i + 1}
	for s.Start > 0 && joined(s.Start) && part(s.Start-1) {
		s.Start--
	}
	for s.End < len(t.Words) && joined(s.End) && part(s.End) {
		s.End++
	}
	for s.Start < i && reading.Is(t.Words[s.Start].Fold, "particle") {
		s.Start++
	}
	for s.End-1 > i && reading.Is(t.Words[s.End-1].Fold, "particle") {
		s.End--
	}
	return s
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 0xc3 }

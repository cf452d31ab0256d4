package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/reading"
)

// An item is something that an answer may commit to, compared with what the case accepts.
type item struct {
	words   evidence.Span
	role    reading.Role
	stance  evidence.Stance
	verdict answer.Verdict
	why     string
	text    string
	// indefinite: it says of what kind something is, "a planet"
	indefinite bool
	rejected   bool      // it is an answer that the case rejects
	x          []float64 // its features
	committed  float64   // log odds that it is what the text commits to
}

// mentioned is the role of words that no claim holds.
const mentioned = reading.Roles

// asserts reports whether the text puts the item forward, firmly or not.
func (i item) asserts() bool { return i.stance <= evidence.Uncertain }

// wholeClaim is how many words of a claim are left undecided as one: "the French capital" is a description, whatever "French" is.
const wholeClaim = 3

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
	for _, r := range append(append([]*answer.Reference{}, accept...), reject...) {
		for _, k := range r.Keys() {
			n.keys[k] = true
		}
	}
	return n
}

// compare returns how a stretch of text stands to the golds: the same as one of them, different from all, or not told.
func (n *named) compare(s string) (v answer.Verdict, why string, rejected bool) {
	for _, r := range n.rejects {
		if v, why := r.Compare(s); v == answer.Same {
			return answer.Different, "a rejected answer: " + why, true
		}
	}
	verdict := answer.Different
	for i, r := range n.refs {
		v, w := r.Compare(s)
		switch {
		case v == answer.Same:
			return v, w, false
		case v == answer.Unsure && verdict == answer.Different:
			verdict, why = v, w
		case i == 0:
			why = w
		}
	}
	return verdict, why, false
}

// items returns what the text claims, and where else it mentions a gold. Where the golds are capitalised, what a claim names are its
// capitalised phrases.
func (n *named) items(t *evidence.Text, q *reading.Question, claims []reading.Claim) []item {
	var items []item
	for _, c := range claims {
		v, why, rejected := n.compare(t.Slice(c.Words))
		if v == answer.Same || v == answer.Unsure && c.Words.End-c.Words.Start <= wholeClaim || why == answer.Elsewhere {
			items = append(items, item{words: c.Words, role: c.Role, stance: max(c.Stance, t.Stance(c.Words)), verdict: v, why: why, text: t.Slice(c.Words), indefinite: c.Indefinite, rejected: rejected})
			continue
		}
		for _, s := range n.stretches(t, q, c) {
			if len(items) == maxItems {
				break
			}
			it := item{words: s, role: c.Role, stance: max(c.Stance, t.Stance(s)), text: t.Slice(s), indefinite: c.Indefinite}
			if it.verdict, it.why, it.rejected = n.compare(it.text); it.verdict != answer.Same {
				n.narrow(t, &it)
			}
			items = append(items, it)
		}
	}
	for i := 0; i < len(t.Words) && len(items) < maxItems; i++ {
		key := n.keys[t.Words[i].Fold]
		if reading.IsPronoun(t.Words[i].Fold) || !key && !(n.capital && t.Name(i) && !q.Says(t.Words[i].Fold)) {
			continue
		}
		s := n.around(t, i)
		i = s.End - 1
		if slices.ContainsFunc(items, func(it item) bool {
			return it.words.Start < s.End && s.Start < it.words.End && (it.verdict == answer.Same || !key)
		}) {
			continue // a claim has it
		}
		it := item{words: s, role: mentioned, text: t.Slice(s)}
		it.verdict, it.why, it.rejected = n.compare(it.text)
		it.stance = t.Stance(s)
		items = append(items, it)
	}
	return items
}

// stretches returns what a claim may name: its capitalised phrases where the golds are capitalised, else the whole of it.
func (n *named) stretches(t *evidence.Text, q *reading.Question, c reading.Claim) []evidence.Span {
	if !n.capital {
		return []evidence.Span{c.Words}
	}
	var found []evidence.Span
	for i := c.Words.Start; i < c.Words.End; i++ {
		if w := t.Words[i]; !isUpper(t.Plain[w.Start]) || evidence.Stop[w.Fold] && (c.Words.End-c.Words.Start > 3 || reading.IsPronoun(w.Fold)) || reading.PolarWord(w.Fold) != reading.NoPolarity {
			continue
		}
		s := n.around(t, i)
		s.End = min(s.End, c.Words.End)
		if s.End <= i {
			s.End = i + 1
		}
		fresh := false
		for k := s.Start; k < s.End; k++ {
			fresh = fresh || !q.Says(t.Words[k].Fold) && !reading.Particle(t.Words[k].Fold)
		}
		if fresh || n.keys[t.Words[i].Fold] {
			found = append(found, s)
		}
		i = s.End - 1
	}
	if len(found) == 0 && c.Role <= reading.Bare {
		return []evidence.Span{c.Words}
	}
	return found
}

// narrow compares the beginning of a stretch up to the first preposition or mark, where the whole is not the same.
func (n *named) narrow(t *evidence.Text, it *item) {
	for end := it.words.Start + 1; end < it.words.End; end++ {
		w := t.Words[end]
		linked := w.Clause == t.Words[end-1].Clause
		if linked && (!reading.Links(w.Fold) || end+1 < it.words.End && isUpper(t.Plain[t.Words[end+1].Start])) {
			continue // "Academy of Performing Arts" is one name
		}
		s := evidence.Span{Start: it.words.Start, End: end}
		if v, why, _ := n.compare(t.Slice(s)); v == answer.Same {
			it.words, it.verdict, it.why, it.text = s, v, why, t.Slice(s)
			return
		}
	}
}

// around returns the phrase around a word of a gold: the words of the golds beside it, and the capitalised words that are one name with it.
func (n *named) around(t *evidence.Text, i int) evidence.Span {
	part := func(k int) bool {
		w := t.Words[k]
		return n.keys[w.Fold] || w.End > w.Start && isUpper(t.Plain[w.Start]) || reading.Particle(w.Fold)
	}
	joined := func(k int) bool { // nothing but a blank, a hyphen or a point stands before the k-th word
		return t.Words[k].Sentence == t.Words[k-1].Sentence && strings.Trim(t.Plain[min(t.Words[k-1].End, t.Words[k].Start):t.Words[k].Start], " -.'’‑") == ""
	}
	s := evidence.Span{Start: i, End: i + 1}
	for s.Start > 0 && joined(s.Start) && part(s.Start-1) {
		s.Start--
	}
	for s.End < len(t.Words) && joined(s.End) && part(s.End) {
		s.End++
	}
	for s.Start < i && reading.Particle(t.Words[s.Start].Fold) {
		s.Start++
	}
	for s.End-1 > i && reading.Particle(t.Words[s.End-1].Fold) {
		s.End--
	}
	return s
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 0xc3 }

package oracle

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/program"
	"hallmark/internal/text/quantity"
)

// proof accepts answers that hold every part of a proof or definition, in order where it matters.
type proof struct {
	*env
	parts   []part
	whole   string // all of them, which stand for the answer where answers are compared
	ordered bool
	terms   map[string]bool // that the case defines
}

// A part is one thing that must appear, in one of its wordings.
type part struct {
	shown    string // its first wording, for messages
	of       string // the term that it is said of, where the case defines any
	phrases  [][]string
	patterns []program.Pattern
	numbers  []*big.Rat // wordings that are numbers, however they are written
}

// Bounds of what a case lists. Matching takes time in proportion to instructions times text.
const (
	maxParts = 64
	maxHits  = 128 // of one wording that are looked at

	// maxWork bounds the search for all parts in one answer: see work. That is 64 parts of five patterns each in an
	// answer of 20 kB, and some seconds at most.
	maxWork = 200_000_000
)

func (e *env) proof(s *suite.Oracle) (Oracle, error) {
	o := &proof{env: e, ordered: s.Ordered, terms: map[string]bool{}}
	alone := func(step string) []string { return []string{step} }
	parts := slices.Concat(s.Parts, lists.Map(s.Steps, alone))
	if len(parts) > maxParts {
		return nil, fmt.Errorf("%d steps: or parts: of a proof oracle, at most %d are read", len(parts), maxParts)
	}
	var names []string
	of := ""
	for _, wordings := range parts {
		p := part{}
		for _, w := range wordings {
			p.shown = cmp.Or(p.shown, w)
			if err := p.add(w); err != nil {
				return nil, err
			}
			if term := o.subject(w); term != "" {
				of, o.terms[term] = term, true
			}
		}
		p.of = of
		o.parts, names = append(o.parts, p), append(names, p.shown)
	}
	o.whole = evidence.Excerpt(strings.Join(names, "; "), 400)
	if len(s.Accept) > 0 || !e.c.Gold.IsZero() {
		stated, err := e.byGold(s)
		return &allOf{[]Oracle{stated, o}}, err
	}
	return o, nil
}

// add reads a wording: a regular expression between slashes, a number, or a phrase.
func (p *part) add(w string) error {
	if len(w) > 2 && w[0] == '/' && w[len(w)-1] == '/' {
		found, err := program.NewPattern(w[1 : len(w)-1])
		if err != nil {
			return fmt.Errorf("pattern %s: %w", w, err)
		}
		p.patterns = append(p.patterns, found)
		return nil
	}
	if v, ok := quantity.Number(w); ok && strings.Trim(w, "0123456789.,") == "" {
		p.numbers = append(p.numbers, v)
		return nil
	}
	words := evidence.Phrase(w)
	if len(words) == 0 {
		return fmt.Errorf("part %q has no letter or digit; write signs as a regular expression between slashes", w)
	}
	p.phrases = append(p.phrases, words)
	return nil
}

// subject returns the term of the question that a wording defines, "" for none: "A compiler is a program that …".
func (o *proof) subject(wording string) string {
	words := evidence.Phrase(wording)
	k := slices.IndexFunc(words, func(w string) bool { return !evidence.IsStop(w) })
	if len(words) <= 5 || k < 0 || !o.q.Says(words[k]) {
		return ""
	}
	return words[k]
}

func (o *proof) Golds() []string { return []string{o.whole} }

// work bounds the steps of hits: an instruction of a pattern at a byte, a word of a phrase at a word, a number beside
// a number, which takes as long as eight of these, and a cue beside a place that was found.
func (p *part) work(t *evidence.Text, numbers []quantity.Quantity) (steps int) {
	places := min(maxHits, len(t.Words)) * len(t.Cues)
	for _, re := range p.patterns {
		steps += len(t.Plain)*re.Instructions + places
	}
	for _, words := range p.phrases {
		steps += len(t.Words)*len(words) + places
	}
	return steps + 8*len(numbers)*len(p.numbers)
}

// hits returns the bytes of the text at which a part stands and is not denied, by place.
func (p *part) hits(t *evidence.Text, numbers []quantity.Quantity) (all []evidence.Span) {
	add := func(start, end int) {
		if s := wordsOf(t, start, end); s.Start == s.End || t.Stance(s) < evidence.Denied {
			all = append(all, evidence.Span{Start: start, End: end})
		}
	}
	for _, n := range numbers {
		same := func(v *big.Rat) bool { return v.Cmp(n.Value) == 0 }
		if n.Value != nil && len(all) < maxHits && slices.ContainsFunc(p.numbers, same) {
			add(n.Start, n.NumEnd)
		}
	}
	for _, words := range p.phrases {
		for _, s := range t.Find(words) {
			add(t.Words[s.Start].Start, t.Words[s.End-1].End)
		}
	}
	for _, re := range p.patterns {
		for _, at := range re.FindAllStringIndex(t.Plain, maxHits) {
			add(at[0], at[1])
		}
	}
	slices.SortFunc(all, func(a, b evidence.Span) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Start, b.Start))
	})
	return all
}

// wordsOf returns the words that a range of bytes touches.
func wordsOf(t *evidence.Text, start, end int) evidence.Span {
	i := sort.Search(len(t.Words), func(k int) bool { return t.Words[k].End > start })
	j := sort.Search(len(t.Words), func(k int) bool { return t.Words[k].Start >= end })
	return evidence.Span{Start: i, End: max(i, j)}
}

const cannotTell = "proof: whether every part is there cannot be told"

var proofModel = newModel("proof", .50, .60, .60)

func (o *proof) Judge(r Reading) Ruling {
	numbers := quantity.Scan(r.Plain)
	work := 0
	for i := range o.parts {
		work += o.parts[i].work(r.Text, numbers)
	}
	if work > maxWork {
		long := unread(cannotTell, r.Text)
		const format = "to search %d bytes for every wording of %d parts takes %d steps, at most %d are taken"
		long.Truth.Evidence = fmt.Sprintf(format, len(r.Plain), len(o.parts), work, maxWork)
		return long
	}
	missing, shown, late, astray := o.parted(r.Text, numbers)
	found := quoted(strings.Join(shown, "; "))
	switch {
	case astray > 1 && 2*astray > len(shown):
		return answered(fail("proof: said of the other term", found), "swapped: "+o.whole)
	case late != "" && len(missing) == 0:
		return answered(fail("proof: the parts are out of order", quoted(late)+" early: "+found),
			"out of order: "+o.whole)
	}
	t := r.Text
	fresh := count(t.Whole(), func(i int) bool {
		return !evidence.IsStop(t.Words[i].Fold) && !o.q.Says(t.Words[i].Fold)
	})
	x := append(manner(t), feature{"share", 1 - float64(len(missing))/float64(len(o.parts))},
		is("all", len(missing) == 0), is("one missing", len(missing) == 1 && len(o.parts) > 1),
		feature{"fresh share", float64(fresh) / float64(len(t.Words))}, many("questions", questions(t)))
	open := unread(cannotTell, t)
	return o.decide(t, proofModel.ask(x), open, func(right bool) Ruling {
		switch {
		case right != (len(missing) == 0):
			return open
		case right:
			return answered(pass("proof: every part is there", found), o.whole)
		}
		ev := fmt.Sprintf("%s; %d of %d are there: %s", quoted(missing[0]), len(shown), len(o.parts), found)
		return answered(fail("proof: a part is missing", ev),
			"without "+evidence.Excerpt(strings.Join(missing, "; "), 400))
	})
}

// parted returns which parts a text does not show, what shows the others, the first that is out of order where the
// order matters, and how many are said of another term alone: of that which is named last before.
func (o *proof) parted(t *evidence.Text, numbers []quantity.Quantity) (missing, shown []string, late string,
	astray int) {
	about := make([]string, len(t.Words)+1) // the term named last before each word
	for i, w := range t.Words {
		about[i+1] = about[i]
		if o.terms[w.Fold] {
			about[i+1] = w.Fold
		}
	}
	said := func(h evidence.Span) string { return about[wordsOf(t, h.Start, h.End).End] }
	at := 0 // where the next part may begin
	for _, p := range o.parts {
		hits := p.hits(t, numbers)
		if len(hits) == 0 {
			missing = append(missing, p.shown)
			continue
		}
		if !slices.ContainsFunc(hits, func(h evidence.Span) bool {
			return said(h) == "" || p.of == "" || said(h) == p.of
		}) {
			astray++
		}
		k := slices.IndexFunc(hits, func(h evidence.Span) bool { return !o.ordered || h.Start >= at })
		if k >= 0 {
			at = hits[k].End
		} else if late == "" {
			late = p.shown
		}
		hit := hits[max(0, k)]
		shown = append(shown, t.Plain[hit.Start:hit.End])
	}
	return missing, shown, late, astray
}

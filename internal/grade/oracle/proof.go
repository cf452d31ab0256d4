package oracle

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"sort"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/quantity"
	"hallmark/internal/reading"
	"hallmark/internal/suite"
)

// proof accepts answers that hold every part of a proof or definition, in order where it matters.
type proof struct {
	*env
	parts   []part
	ordered bool
	counts  bool     // a wording is a number
	denying bool     // a wording denies, so that a denial is no sign of a wrong answer
	of      []string // the term that each part is said of, where the case defines two: see subjects
}

// A part is one thing that must appear, in one of its wordings.
type part struct {
	shown    string // its first wording, for messages
	phrases  [][]string
	patterns []*regexp.Regexp
	numbers  []*big.Rat // wordings that are numbers, however they are written
}

// Bounds of a wording that is a regular expression. Matching takes time in proportion to instructions times text, and the text is
// bounded too.
const (
	maxPattern      = 500 // bytes
	maxInstructions = 400
	maxParts        = 64
	maxHits         = 128 // of one wording that are looked at
)

func (e *env) proof(s *suite.Oracle) (Oracle, error) {
	o := &proof{env: e, ordered: s.Ordered}
	parts := s.Parts
	for _, step := range s.Steps {
		parts = append(parts, []string{step})
	}
	if len(parts) == 0 || len(parts) > maxParts {
		return nil, fmt.Errorf("a proof oracle needs steps: or parts:, at most %d", maxParts)
	}
	for _, wordings := range parts {
		var p part
		for _, w := range wordings {
			if p.shown == "" {
				p.shown = w
			}
			if inner, ok := slashed(w); ok {
				re, err := pattern(inner)
				if err != nil {
					return nil, fmt.Errorf("pattern %s: %w", w, err)
				}
				p.patterns = append(p.patterns, re)
				continue
			}
			if strings.Trim(w, "0123456789.,") == "" {
				if v, ok := quantity.Number(w); ok {
					p.numbers = append(p.numbers, v)
					o.counts = true
					continue
				}
			}
			words := evidence.Phrase(w)
			o.denying = o.denying || slices.ContainsFunc(words, reading.Negates)
			if len(words) == 0 {
				return nil, fmt.Errorf("part %q has no letter or digit; write signs as a regular expression between slashes", w)
			}
			p.phrases = append(p.phrases, words)
		}
		o.parts = append(o.parts, p)
	}
	o.of = o.subjects(parts)
	if len(s.Accept) == 0 && len(s.Reject) == 0 && e.c.Gold.IsZero() {
		return o, nil
	}
	if len(s.Accept) == 0 && e.c.Gold.IsZero() {
		return nil, errors.New("a proof oracle that rejects answers needs accept:, or a gold")
	}
	stated, err := e.byGold(s)
	if err != nil {
		return nil, err
	}
	return &allOf{[]Oracle{stated, o}}, nil
}

// slashed returns what stands between the slashes of a regular expression.
func slashed(w string) (string, bool) {
	if len(w) > 2 && w[0] == '/' && w[len(w)-1] == '/' {
		return w[1 : len(w)-1], true
	}
	return "", false
}

// pattern compiles a regular expression of bounded size, in any case of letters.
func pattern(s string) (*regexp.Regexp, error) {
	if len(s) > maxPattern {
		return nil, fmt.Errorf("longer than %d bytes", maxPattern)
	}
	s = "(?i)" + s
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxInstructions {
		return nil, fmt.Errorf("%d instructions are more than %d; write it with smaller repetitions", len(prog.Inst), maxInstructions)
	}
	re, err := regexp.Compile(s)
	if err == nil && re.MatchString("") {
		return nil, errors.New("it matches the empty text")
	}
	return re, err
}

func (o *proof) Answerable() bool { return true }

func (o *proof) Golds() []string { return []string{o.whole(len(o.parts), nil)} }

// whole names the parts that an answer has, which stand for it where answers are compared.
func (o *proof) whole(n int, missing map[int]bool) string {
	var names []string
	for i := range n {
		if !missing[i] {
			names = append(names, o.parts[i].shown)
		}
	}
	return evidence.Excerpt(strings.Join(names, "; "), 400)
}

// hits returns the bytes of the text at which a part stands and is put forward, by place.
func (p *part) hits(t *evidence.Text, numbers []quantity.Quantity) []evidence.Span {
	var all []evidence.Span
	for _, n := range numbers {
		is := n.Value != nil && slices.ContainsFunc(p.numbers, func(v *big.Rat) bool { return v.Cmp(n.Value) == 0 })
		if s := wordsOf(t, n.Start, n.End); is && s.Start < s.End && len(all) < maxHits && held(t.Stance(s)) {
			all = append(all, evidence.Span{Start: n.Start, End: n.End})
		}
	}
	for _, words := range p.phrases {
		for _, s := range t.Find(words) {
			if held(t.Stance(s)) {
				all = append(all, evidence.Span{Start: t.Words[s.Start].Start, End: t.Words[s.End-1].End})
			}
		}
	}
	for _, re := range p.patterns {
		for _, at := range re.FindAllStringIndex(t.Plain, maxHits) {
			s := wordsOf(t, at[0], at[1])
			if s.Start == s.End || held(t.Stance(s)) {
				all = append(all, evidence.Span{Start: at[0], End: at[1]})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].End != all[j].End {
			return all[i].End < all[j].End
		}
		return all[i].Start < all[j].Start
	})
	return all
}

// held reports whether what is mentioned so counts as shown.
func held(s evidence.Stance) bool {
	return s != evidence.Denied && s != evidence.Questioned && s != evidence.Doubted
}

// wordsOf returns the words that a range of bytes touches.
func wordsOf(t *evidence.Text, start, end int) evidence.Span {
	i := sort.Search(len(t.Words), func(k int) bool { return t.Words[k].End > start })
	j := i
	for j < len(t.Words) && t.Words[j].Start < end {
		j++
	}
	return evidence.Span{Start: i, End: j}
}

var proofNames = append(slices.Clone(mannerNames), "share", "all", "none", "out of order", "one missing", "denials", "fresh share", "questions", "negated share")

var proofModel = newModel("proof", proofNames, .50, .60, .60)

func (o *proof) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	missing, late, shown := o.parted(r.Text)
	if ev, ok := o.swapped(r.Text); ok {
		return answered(fail("proof: said of the other term", ev), "swapped: "+o.whole(len(o.parts), nil))
	}
	found := evidence.Excerpt(strings.Join(shown, "; "), 2*quoteRunes)
	what, p, sure := proofModel.ask(o.look(r.Text, len(missing), late != "")).best()
	f := unread("proof: whether every part is there cannot be told", r.Text)
	switch {
	case !sure && !(late != "" && len(missing) == 0):
	case what == grade.Correct && late == "" && len(missing) == 0:
		f = answered(pass("proof: every part is there", quoted(found)), o.whole(len(o.parts), nil))
	case what == grade.NotAttempted:
		f = o.notAttempted(r.Text)
	case late != "" && len(missing) == 0:
		f = answered(fail("proof: the parts are out of order", quoted(late)+" does not follow the part before it: "+quoted(found)), "out of order: "+o.whole(len(o.parts), nil))
	case what == grade.Incorrect && len(missing) == 0:
		f = answered(fail("proof: says otherwise", quoted(r.Plain)), "otherwise: "+o.whole(len(o.parts), nil))
	case what == grade.Incorrect:
		first := slices.Min(slices.Collect(maps.Keys(missing)))
		f = answered(fail("proof: a part is missing", fmt.Sprintf("%s; %d of %d are there: %s", quoted(o.parts[first].shown), len(shown), len(o.parts), quoted(found))), o.whole(len(o.parts), missing))
	}
	f.Confidence = p
	return f
}

// parted returns which parts a text does not show, the first that is out of order where the order matters, and what shows the others.
func (o *proof) parted(t *evidence.Text) (missing map[int]bool, late string, shown []string) {
	var numbers []quantity.Quantity
	if o.counts {
		numbers = quantity.Scan(t.Plain)
	}
	missing = map[int]bool{}
	at := 0 // where the next part may begin
	for i := range o.parts {
		p := &o.parts[i]
		hits := p.hits(t, numbers)
		if len(hits) == 0 {
			missing[i] = true
			continue
		}
		hit := hits[0]
		if o.ordered {
			k := slices.IndexFunc(hits, func(h evidence.Span) bool { return h.Start >= at })
			switch {
			case k >= 0:
				hit = hits[k]
				at = hit.End
			case late == "":
				late = p.shown
			}
		}
		shown = append(shown, t.Plain[hit.Start:hit.End])
	}
	return missing, late, shown
}

func (o *proof) look(t *evidence.Text, missing int, late bool) []float64 {
	denials, fresh, questions := 0, 0, 0
	for _, w := range t.Words {
		denials += int(flag(reading.Negates(w.Fold) && !o.denying))
		fresh += int(flag(!evidence.Stop[w.Fold] && !o.question[w.Fold]))
	}
	for _, s := range t.Sentences {
		questions += int(flag(s.Question))
	}
	n := float64(len(o.parts))
	return append(mannerOf(t).features(), 1-float64(missing)/n, flag(missing == 0), flag(missing == len(o.parts)), flag(late), flag(missing == 1 && len(o.parts) > 1),
		count(denials), float64(fresh)/float64(len(t.Words)), count(questions), float64(denials)/float64(len(t.Sentences)))
}

// subjects returns the term that each part is said of: the first word of content of the last wording before it that is a sentence, "A compiler is a
// program that …". It is nil unless the parts are of exactly two terms that the question names.
func (o *proof) subjects(parts [][]string) []string {
	of, term := make([]string, len(parts)), ""
	terms := map[string]bool{}
	for i, wordings := range parts {
		for _, w := range wordings {
			words := evidence.Phrase(w)
			k := slices.IndexFunc(words, func(w string) bool { return !evidence.Stop[w] })
			if _, pattern := slashed(w); !pattern && len(words) > 5 && k >= 0 && o.question[words[k]] {
				term = words[k]
				terms[term] = true
			}
		}
		of[i] = term
	}
	if len(terms) != 2 {
		return nil
	}
	return of
}

// swapped reports whether most parts of an answer stand in the wake of the other of two terms, by which of them is named last before.
func (o *proof) swapped(t *evidence.Text) (string, bool) {
	if o.of == nil {
		return "", false
	}
	about := make([]string, len(t.Words)) // the term named last before each word, in its sentence or the ones before
	for i := range t.Words {
		if i > 0 {
			about[i] = about[i-1]
		}
		if w := t.Words[i].Fold; w != "" && slices.Contains(o.of, w) {
			about[i] = w
		}
	}
	own, other, shown := 0, 0, ""
	for i := range o.parts {
		hits := o.parts[i].hits(t, nil)
		if len(hits) == 0 || o.of[i] == "" {
			continue
		}
		right := slices.ContainsFunc(hits, func(h evidence.Span) bool {
			s := wordsOf(t, h.Start, h.End)
			return s.Start < s.End && (about[s.Start] == o.of[i] || about[s.Start] == "")
		})
		if right {
			own++
			continue
		}
		other++
		shown = t.Plain[hits[0].Start:hits[0].End]
	}
	return quoted(shown) + " is said of another term", other > own && other > 1
}

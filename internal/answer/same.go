package answer

import (
	"slices"
	"strings"

	"hallmark/internal/quantity"
)

// A Verdict says whether a value names the same thing as a gold.
type Verdict = quantity.Verdict

const (
	Same      = quantity.Same
	Different = quantity.Different
	Unsure    = quantity.Unsure
)

// Compare says whether value, a short span that somebody gives as the answer, names the same thing as the gold, and why.
func (r *Reference) Compare(value string) (Verdict, string) {
	if len(value) > maxValue {
		return Unsure, "longer than a value"
	}
	if r.context.Exact {
		return r.exact(value)
	}
	v := r.x.read(value)
	if len(v.tokens) == maxTokens {
		return Unsure, "longer than a value"
	}
	if len(v.tokens) == 0 || len(r.names) == 0 {
		if strings.TrimSpace(value) == strings.TrimSpace(r.gold) && len(r.names) == 0 {
			return Same, "the same signs"
		}
		return Unsure, "no word to compare"
	}
	verdict, why, decided := r.byKind(v, value)
	if !decided {
		verdict, why = r.named(v, value)
	}
	if r.items != nil && verdict != Same {
		verdict, why = r.list(value)
	}
	if verdict == Different && (r.kind == SentenceKind || r.kind == PhraseKind && why != opposite || !decided && (r.kind == NumberKind || r.kind == DateKind)) {
		return Unsure, "other words"
	}
	return r.besideRivals(v, value, verdict, why)
}

// besideRivals takes a value from the gold where a rival is nearer or as near.
func (r *Reference) besideRivals(v form, value string, verdict Verdict, why string) (Verdict, string) {
	for _, rival := range r.rivals {
		rv, _ := rival.named(v, value)
		switch {
		case verdict == Different || rv != Same || sameWords(r, v):
		case sameWords(rival, v) || verdict == Unsure:
			return Different, "a rival"
		default:
			return Unsure, "the name of a rival too"
		}
	}
	return verdict, why
}

func (r *Reference) exact(value string) (Verdict, string) {
	if w := Words(value); w == Words(r.gold) || slices.ContainsFunc(r.context.Aliases, func(a string) bool { return w == Words(a) }) {
		return Same, "the same words"
	}
	return Different, "not the exact words"
}

// byKind compares what is no name; false where it cannot.
func (r *Reference) byKind(v form, value string) (verdict Verdict, why string, ok bool) {
	switch r.kind {
	case PolarKind:
		verdict, why = r.polar(v)
		return verdict, why, true
	case NumberKind:
		if qs := quantity.Scan(value); len(qs) == 1 {
			verdict, why = quantity.Compare(r.number, qs[0], quantity.Options{})
			return verdict, why, true
		}
	case DateKind:
		if ds := quantity.Dates(value); len(ds) == 1 {
			verdict, why = quantity.CompareDates(r.date, ds[0])
			return verdict, why, true
		}
	case FormulaKind:
		return r.formula(value)
	}
	return Unsure, "", false
}

func (r *Reference) polar(v form) (Verdict, string) {
	var said [2]bool
	at := func(t token) int { return int(of([]token{t}, yes)) }
	short, _ := head(v.main)
	for _, ts := range [][]token{short, v.tokens} {
		denied := 0
		for _, t := range ts {
			switch {
			case t.traits&(yes|no) != 0:
				said[at(t)^denied], denied = true, 0
			case t.traits&negation != 0:
				denied ^= 1
			}
		}
		if said[0] || said[1] || len(v.tokens) > 3 {
			break
		}
	}
	switch {
	case said[0] == said[1]:
		return Unsure, "neither yes nor no, or both"
	case said[at(r.names[0].tokens[0])]:
		return Same, "the same polarity"
	}
	return Different, "the other polarity"
}

// list compares member by member, in any order.
func (r *Reference) list(value string) (Verdict, string) {
	values := cutList(value)
	left := slices.Clone(r.items)
	same, unsure := 0, false
	for _, v := range values[:min(len(values), maxTokens)] {
		at := slices.IndexFunc(left, func(it *Reference) bool { verdict, _ := it.Compare(v); return verdict == Same })
		if at >= 0 {
			left = slices.Delete(left, at, at+1)
			same++
		} else {
			unsure = unsure || slices.ContainsFunc(left, func(it *Reference) bool { verdict, _ := it.Compare(v); return verdict == Unsure })
		}
	}
	switch {
	case len(left) == 0 && same == len(values):
		return Same, "the same members"
	case unsure:
		return Unsure, "a member in other words"
	case same == len(values):
		return Different, "a member is missing"
	}
	return Different, "another member"
}

// sameWords reports whether the words of the value are those of a text of the gold.
func sameWords(r *Reference, v form) bool {
	return slices.ContainsFunc(r.names, func(f nameForm) bool { return key(f.tokens) == key(v.main) })
}

// Compare says whether a and b are the same answer to a question. It is symmetric; where the two directions disagree it is unsure.
func Compare(a, b, question string) (Verdict, string) {
	v, why := NewReference(a, Context{Question: question}).Compare(b)
	w, _ := NewReference(b, Context{Question: question}).Compare(a)
	if v != w {
		return Unsure, "one says more than the other"
	}
	return v, why
}

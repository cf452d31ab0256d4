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
	if r.context.Exact {
		if Words(value) == Words(r.gold) {
			return Same, "the same words"
		}
		return Different, "not the exact words"
	}
	v := r.x.read(value)
	switch {
	case len(value) > maxValue || len(v.tokens) == maxTokens:
		return Unsure, "longer than a value"
	case len(r.names) == 0 && strings.TrimSpace(value) == strings.TrimSpace(r.gold):
		return Same, "the same signs"
	case len(v.tokens) == 0 || len(r.names) == 0:
		return Unsure, "no word to compare"
	}
	verdict, why := r.byKind(v, value)
	for _, rival := range r.rivals { // nearer than the gold, or as near
		if s, _ := rival.named(v); verdict == Different || s != Same || sameWords(r, v) {
			continue
		}
		if sameWords(rival, v) {
			return Different, "a rival"
		}
		return Unsure, "the name of a rival too"
	}
	return verdict, why
}

// byKind compares as the kind of the gold says, and by words where the value is of another kind.
func (r *Reference) byKind(v form, value string) (Verdict, string) {
	switch r.kind {
	case PolarKind:
		return r.polar(v)
	case NumberKind:
		if qs := quantity.Scan(value); len(qs) == 1 {
			return quantity.Compare(r.number, qs[0], quantity.Options{})
		}
	case DateKind:
		if ds := quantity.Dates(value); len(ds) == 1 {
			return quantity.CompareDates(r.date, ds[0])
		}
	case FormulaKind:
		if strings.EqualFold(plainFormula(r.gold), plainFormula(value)) {
			return Same, "the same formula"
		}
		return Unsure, "a formula in another form"
	}
	verdict, why := r.named(v)
	switch {
	case verdict == Same:
	case r.kind == ListKind:
		return r.list(value)
	case r.kind == NumberKind, r.kind == DateKind, r.kind == PhraseKind && why != opposite:
		return Unsure, "other words"
	}
	return verdict, why
}

// polar compares what a value says before its explanation.
func (r *Reference) polar(v form) (Verdict, string) {
	var said trait
	short, _ := head(v.main)
	for i, t := range short {
		p := t.traits & (yes | no)
		if p != 0 && of(short[:i], negation)&^of(short[:i], yes|no) != 0 { // "not correct"
			p ^= yes | no
		}
		said |= p
	}
	switch gold := r.names[0][0].traits & (yes | no); said {
	case gold:
		return Same, "the same polarity"
	case (yes | no) &^ gold:
		return Different, "the other polarity"
	}
	return Unsure, "neither yes nor no, or both"
}

// list compares member by member, in any order.
func (r *Reference) list(value string) (Verdict, string) {
	values, left, unsure := cutList(value), slices.Clone(r.items), false
	for _, v := range values {
		is := func(want Verdict) func(*Reference) bool {
			return func(it *Reference) bool { verdict, _ := it.Compare(v); return verdict == want }
		}
		if at := slices.IndexFunc(left, is(Same)); at >= 0 {
			left = slices.Delete(left, at, at+1)
		} else {
			unsure = unsure || slices.ContainsFunc(left, is(Unsure))
		}
	}
	switch {
	case len(left) == 0 && len(values) == len(r.items):
		return Same, "the same members"
	case unsure:
		return Unsure, "a member in other words"
	}
	return Different, "another member, or one is missing"
}

// sameWords reports whether the words of the value are those of a text of the gold.
func sameWords(r *Reference, v form) bool {
	return slices.ContainsFunc(r.names, func(ts []token) bool { return key(ts) == key(v.main) })
}

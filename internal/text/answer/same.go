package answer

import (
	"slices"
	"strings"

	"hallmark/internal/text/quantity"
)

// A Verdict says whether a value names the same thing as a gold.
type Verdict = quantity.Verdict

const (
	Same      = quantity.Same
	Different = quantity.Different
	Unsure    = quantity.Unsure
)

// A Given is a short span that somebody gives as the answer, made ready to be compared with several golds.
type Given struct {
	text string
	form form
}

// Read makes a value ready.
func Read(text string) Given { return Given{text, words().read(text)} }

// Compare says whether value, a short span that somebody gives as the answer, names the same thing as the gold, and
// why.
func (r *Reference) Compare(value string) (Verdict, string) { return r.CompareTo(Read(value)) }

// CompareTo is Compare for a value that is ready.
func (r *Reference) CompareTo(value Given) (Verdict, string) {
	if r.context.Exact {
		return decide(rule{Words(value.text) == Words(r.gold), Same, "the same words"},
			rule{true, Different, "not the exact words"})
	}
	v := value.form
	switch {
	case len(value.text) > maxValue || len(v.tokens) == maxTokens:
		return Unsure, "longer than a value"
	case len(r.names) == 0 && strings.TrimSpace(value.text) == strings.TrimSpace(r.gold):
		return Same, "the same signs"
	case len(v.tokens) == 0 || len(r.names) == 0:
		return Unsure, "no word to compare"
	}
	verdict, why := r.byKind(v, value.text)
	for _, rival := range r.rivals { // nearer than the gold, or as near
		if s, _ := rival.named(v); s == Same && verdict != Different && !sameWords(r, v) {
			return decide(rule{sameWords(rival, v), Different, "a rival"},
				rule{true, Unsure, "the name of a rival too"})
		}
	}
	return verdict, why
}

// byKind compares as the kind of the gold says, and by words where the value is of another kind.
func (r *Reference) byKind(v form, value string) (Verdict, string) {
	switch r.Kind {
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
		same := strings.EqualFold(plainFormula(r.gold), plainFormula(value))
		return decide(rule{same, Same, "the same formula"}, rule{true, Unsure, "a formula in another form"})
	}
	verdict, why := r.named(v)
	switch {
	case verdict == Same:
	case r.Kind == ListKind:
		return r.list(value)
	case r.Kind == NumberKind, r.Kind == DateKind, r.Kind == PhraseKind && why != opposite:
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
	gold := r.names[0][0].traits & (yes | no)
	return decide(
		rule{said == gold, Same, "the same polarity"},
		rule{said == (yes|no)&^gold, Different, "the other polarity"},
		rule{true, Unsure, "neither yes nor no, or both"},
	)
}

// list compares member by member, in any order.
func (r *Reference) list(value string) (Verdict, string) {
	values, left, unsure := cutList(value), slices.Clone(r.items), false
	for _, text := range values {
		v := Read(text)
		is := func(want Verdict) func(*Reference) bool {
			return func(it *Reference) bool { verdict, _ := it.CompareTo(v); return verdict == want }
		}
		if at := slices.IndexFunc(left, is(Same)); at >= 0 {
			left = slices.Delete(left, at, at+1)
		} else {
			unsure = unsure || slices.ContainsFunc(left, is(Unsure))
		}
	}
	return decide(
		rule{len(left) == 0 && len(values) == len(r.items), Same, "the same members"},
		rule{unsure, Unsure, "a member in other words"},
		rule{true, Different, "another member, or one is missing"},
	)
}

// sameWords reports whether the words of the value are those of a text of the gold.
func sameWords(r *Reference, v form) bool {
	return slices.ContainsFunc(r.names, func(ts []token) bool { return key(ts) == key(v.main) })
}

// Elsewhere is the reason for which a place of the gold's name is another: it is in another region.
const Elsewhere = "in another region"

// named is the best verdict over the texts of the gold: Same of one is Same, else Unsure of one is Unsure.
func (r *Reference) named(v form) (verdict Verdict, why string) {
	for i, name := range r.names {
		if s, because := r.text(name, v); i == 0 || verdict != Same && s != Different {
			verdict, why = s, because
		}
	}
	return verdict, why
}

// text compares a value with a text of the gold: the whole of both, the value without the explanation behind it,
// the gold without its subtitle or region, and what the value has in brackets or behind its last comma.
func (r *Reference) text(g []token, v form) (verdict Verdict, why string) {
	short, behind := head(v.main)
	pairs := append(make([][2][]token, 0, 8), [2][]token{g, v.main}, [2][]token{g, short})
	for i, part := range parts(g) {
		if r.items == nil && (i == 0 || r.asks&asWork != 0 && (strong(part)&^of(part, numbered)).count() > 1) {
			pairs = append(pairs, [2][]token{part, short})
		}
	}
	pairs = append(pairs, [2][]token{g, v.aside})
	if ps := parts(v.main); strong(g).count() > 1 {
		pairs = append(pairs, [2][]token{g, ps[len(ps)-1]})
	}
	for i, p := range pairs {
		again := i > 0 && len(p[0]) == len(g) && len(p[1]) == len(v.main)
		if len(p[1]) == 0 || again && &p[1][0] == &v.main[0] {
			continue
		}
		s, because := r.align(p[0], p[1], v.codes)
		switch {
		case s == Same && i > 0 && r.elsewhere(g, behind):
			return Different, Elsewhere
		case s == Same:
			return s, because
		case i == 0, i == 1 && len(behind) > 0 && behind[0].traits&broken != 0:
			verdict, why = s, because
		}
	}
	return verdict, why
}

// parts cuts a text at its commas, colons and dashes.
func parts(ts []token) (ps [][]token) {
	from := 0
	for i := range ts {
		if i > 0 && ts[i].traits&broken != 0 {
			ps, from = append(ps, ts[from:i]), i
		}
	}
	return append(ps, ts[from:])
}

// head returns a value up to where an explanation begins, and the explanation.
func head(ts []token) (short, behind []token) {
	end := slices.IndexFunc(ts[1:], func(t token) bool {
		return t.traits&broken != 0 || t.traits&(stop|capital) == stop
	})
	if end < 0 {
		return ts, nil
	}
	return ts[:end+1], ts[end+1:]
}

// elsewhere reports whether what stands behind the name of a place is a region that cannot hold the gold.
func (r *Reference) elsewhere(g, behind []token) bool {
	there, here := r.x.regions(parts(behind)...), r.regions
	if ps := parts(g); len(ps) > 1 {
		here = r.x.regions(ps[1:]...)
	}
	return len(there) > 0 && len(here) > 0 && !slices.ContainsFunc(there, func(a thing) bool {
		return slices.ContainsFunc(here, func(b thing) bool {
			return strings.HasPrefix(a.code, b.code) || strings.HasPrefix(b.code, a.code)
		})
	})
}

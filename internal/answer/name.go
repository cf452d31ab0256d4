package answer

import (
	"slices"
	"strings"
)

// Elsewhere is the reason for which a place of the gold's name is another: it is in another region.
const Elsewhere = "in another region"

// named is the best verdict over the texts of the gold: Same of one is Same, else Unsure of one is Unsure.
func (r *Reference) named(v form) (verdict Verdict, why string) {
	for i, name := range r.names {
		s, because := r.text(name, v)
		if i == 0 || s != Different {
			verdict, why = s, because
		}
		if s == Same {
			break
		}
	}
	return verdict, why
}

// text compares a value with a text of the gold: the whole of both, the value without the explanation behind it, the gold without
// its subtitle or region, and what the value has in brackets or behind its last comma.
func (r *Reference) text(g []token, v form) (verdict Verdict, why string) {
	short, behind := head(v.main)
	pairs := [][2][]token{{g, v.main}, {g, short}}
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
		if len(p[1]) == 0 {
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

// head returns a value up to where an explanation begins, without a preposition in front, and the explanation.
func head(ts []token) (short, behind []token) {
	for len(ts) > 1 && ts[0].traits&(stop|capital|negation) == stop {
		ts = ts[1:]
	}
	for i := 1; i < len(ts); i++ {
		if ts[i].traits&broken != 0 || ts[i].traits&(stop|capital) == stop {
			return ts[:i], ts[i:]
		}
	}
	return ts, nil
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

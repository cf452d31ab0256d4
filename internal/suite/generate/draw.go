package generate

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// hardness returns 0 for easy, 1 for medium and 2 for hard.
func (d *draw) hardness() int { return max(0, slices.Index(suite.Difficulties, d.difficulty)) }

// allows reports whether something of the world is no harder than the case: what is hard makes no easy case, while
// what is easy becomes hard by the pressure put on it. What does not say how hard it is fits everywhere.
func (d *draw) allows(difficulty string) bool {
	return difficulty == "" || slices.Index(suite.Difficulties, difficulty) <= d.hardness()
}

// chance is true in the given share of draws.
func (d *draw) chance(share float64) bool { return d.r.Float64() < share }

// between returns a number from lo to hi, both included.
func (d *draw) between(lo, hi int) int { return lo + d.r.IntN(hi-lo+1) }

// oneOf returns one of the list, which must not be empty.
func oneOf[T any](d *draw, list []T) T { return list[d.r.IntN(len(list))] }

// some returns n of the list in a drawn order, or all of it where it is shorter.
func some[T any](d *draw, list []T, n int) []T {
	order := d.r.Perm(len(list))
	out := make([]T, 0, min(n, len(list)))
	for _, i := range order[:min(n, len(list))] {
		out = append(out, list[i])
	}
	return out
}

// first returns what the first of the makers gives that gives something, in a drawn order.
func first[T any](d *draw, makers ...func(*draw) (T, bool)) (made T, ok bool) {
	for _, make := range some(d, makers, len(makers)) {
		if made, ok = make(d); ok {
			return made, true
		}
	}
	return made, false
}

// find returns a drawn member of the list for which ok holds, trying a few places before it walks the list.
func find[T any](d *draw, list []T, ok func(*T) bool) (*T, bool) {
	if len(list) == 0 {
		return nil, false
	}
	for range 8 {
		if i := d.r.IntN(len(list)); ok(&list[i]) {
			return &list[i], true
		}
	}
	start := d.r.IntN(len(list))
	for i := range list {
		if k := (start + i) % len(list); ok(&list[k]) {
			return &list[k], true
		}
	}
	return nil, false
}

// pick is find of a list of pointers.
func pick[T any](d *draw, list []*T, ok func(*T) bool) (*T, bool) {
	if p, found := find(d, list, func(p **T) bool { return ok(*p) }); found {
		return *p, true
	}
	return nil, false
}

// relation draws a relation of the domain for which ok holds.
func (d *draw) relation(ok func(*relation) bool) (*relation, bool) {
	return pick(d, d.relations, ok)
}

// spelled draws a fact of a relation that no reading of prose takes for a word, near how hard the case is.
func (d *draw) spelled(r *relation, steps int) (*world.Fact, bool) {
	return near(d, r.facts, steps, func(f *world.Fact) (string, bool) { return f.Difficulty, !misread(f.Value) })
}

// factsOf draws such a relation, and n facts of it that are no harder than the case and no two of which are alike.
func (d *draw) factsOf(such func(*relation) bool, n, tries int, alike func(f, o *world.Fact) bool) (r *relation,
	facts []*world.Fact, ok bool) {
	if r, ok = d.relation(such); !ok {
		return nil, nil, false
	}
	for ; len(facts) < n && tries > 0; tries-- {
		f, ok := find(d, r.Facts, func(f *world.Fact) bool { return d.allows(f.Difficulty) })
		if !ok {
			return nil, nil, false
		}
		if !slices.ContainsFunc(facts, func(o *world.Fact) bool { return alike(f, o) }) {
			facts = append(facts, f)
		}
	}
	return r, facts, len(facts) == n
}

// putForms puts a question and its other wordings into a case in a drawn order. Forms hold {name} for the values;
// equal ones count once.
func putForms(d *draw, c *suite.Case, forms []string, values ...string) {
	phrasings(c, forms, values, d.r.IntN)
}

// phrasings puts the forms, filled with the values, into a case; first picks the prompt among so many.
func phrasings(c *suite.Case, forms, values []string, first func(n int) int) {
	var all []string
	for _, f := range forms {
		if s := capital(fill(f, values...)); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	i := first(len(all))
	c.Prompt = all[i]
	c.Phrasings = slices.Delete(all, i, i+1)
}

// fill puts values into a form: name after name, as {name}, each with its value.
func fill(form string, values ...string) string {
	var b strings.Builder
next:
	for {
		at := strings.IndexByte(form, '{')
		if at < 0 {
			b.WriteString(form)
			return b.String()
		}
		b.WriteString(form[:at])
		form = form[at:]
		for i := 0; i < len(values); i += 2 {
			if rest, ok := strings.CutPrefix(form, values[i]); ok {
				b.WriteString(values[i+1])
				form = rest
				continue next
			}
		}
		b.WriteByte('{')
		form = form[1:]
	}
}

// capital makes the first letter a capital.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || unicode.IsUpper(r) {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// lower makes the first letter small, unless the first word is a name, an abbreviation or "I".
func lower(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if slices.Contains(said("first-words"), strings.ToLower(first)) {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// Dates.

// dayOf reads a date of the world.
func dayOf(s string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil
}

// longDate writes a day as "15 March 2015".
func longDate(t time.Time) string { return t.Format("2 January 2006") }

// lookups are what generators look up of the world again and again.
type lookups struct {
	w      *world.World
	fields map[string]field      // by domain
	proofs map[string][][]string // of texts that have been made parts of proofs: see proofOf
}

// A field is what the world has of a domain.
type field struct {
	relations   []*relation // those that are not dated
	offices     []*relation // those that say who holds what, and when
	pages       []*wantedPage
	works       []*world.Work
	texts       []*world.Text
	lists       []*world.List       // of more than one item
	definitions []*world.Definition // of which the parts are known
	topics      []string            // that invented titles are about
}

// A relation is a relation of the world with its facts by subject.
type relation struct {
	*world.Relation
	facts      []*world.Fact    // those of the relation, to be drawn from
	of         map[string][]int // by subject, the indices of its facts
	functional bool             // each subject has one value, so that any other is wrong
	through    string           // the last day for which its source holds; empty where it does not change
}

func newLookups(w *world.World) *lookups {
	ix := &lookups{w: w, fields: map[string]field{}, proofs: map[string][][]string{}}
	for _, domain := range suite.Domains {
		f := field{
			pages: pagesOf(w, domain),
			works: those(w.Works, func(k *world.Work) bool { return k.Domain == domain }),
			texts: those(w.Texts, func(t *world.Text) bool { return t.Domain == domain }),
			lists: those(w.Lists, func(l *world.List) bool { return l.Domain == domain && len(l.Items) > 1 }),
			definitions: those(w.Definitions, func(f *world.Definition) bool {
				return f.Domain == domain && len(f.Parts) > 0
			}),
			topics: titleTopics(w, domain),
		}
		for _, r := range those(w.Relations, func(r *world.Relation) bool { return r.Domain == domain }) {
			switch {
			case len(r.Facts) == 0:
			case !r.Dated:
				f.relations = append(f.relations, relationOf(w, r))
			case r.Value == "person":
				f.offices = append(f.offices, relationOf(w, r))
			}
		}
		ix.fields[domain] = f
	}
	return ix
}

func relationOf(w *world.World, of *world.Relation) *relation {
	r := &relation{Relation: of, of: map[string][]int{}, functional: !of.Dated, through: w.Sources[of.Source].Through,
		facts: those(of.Facts, anything)}
	for k, f := range r.Facts {
		r.of[f.Subject] = append(r.of[f.Subject], k)
		r.functional = r.functional && len(r.of[f.Subject]) == 1
	}
	// A value of an open kind may be one of several right ones that the table does not list; a code, a count or
	// a year is not.
	switch r.Value {
	case "year", "number", "code", "symbol", "date", "identifier":
	default: // a made-up world holds what its tables say, and nothing else
		r.functional = r.functional && (r.Unique || w.Fictional)
	}
	return r
}

// those points at the elements that are wanted.
func those[T any](all []T, wanted func(*T) bool) []*T {
	var out []*T
	for i := range all {
		if wanted(&all[i]) {
			out = append(out, &all[i])
		}
	}
	return out
}

func anything[T any](T) bool { return true }

// stated writes a fact as its relation does.
func (r *relation) stated(subject, value string) string {
	return capital(fill(r.State, "{subject}", subject, "{value}", value))
}

// wrongValue draws a value of the relation that the fact does not have under any name, false where there is none.
func (r *relation) wrongValue(d *draw, f *world.Fact) (string, bool) {
	right := append([]string{f.Value}, f.Also...)
	other, ok := find(d, r.Facts, func(o *world.Fact) bool {
		return o.Subject != f.Subject && !slices.ContainsFunc(right, func(v string) bool {
			return overlaps(o.Value, v)
		})
	})
	if !ok {
		return "", false
	}
	return other.Value, true
}

// overlaps reports whether one text holds the other, so that an oracle could take one for the other.
func overlaps(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

package world

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// An index is what lookups read; it is built once, when the first lookup asks.
type index struct {
	relations map[string]*Relation
	facts     map[*Relation]*facts
	subjects  map[string][]string // by kind, sorted
	works     map[string][]*Work  // by kind, in the order of the world
	taken     map[string]bool     // by foldName
	ids       *Identifiers
}

// facts are those of a relation by subject and by value, in the order of the relation.
type facts struct {
	subjects []string // in order, each once
	of       map[string][]*Fact
	by       map[string][]string // subjects by foldName of value or other name
}

func (w *World) idx() *index {
	w.lookup.Do(func() { w.index = w.build() })
	return w.index
}

func (w *World) build() *index {
	x := &index{relations: map[string]*Relation{}, facts: map[*Relation]*facts{}, subjects: map[string][]string{}, works: map[string][]*Work{},
		taken: map[string]bool{}, ids: &Identifiers{by: map[[2]string][]Identified{}}}
	kinds := map[string]map[string]bool{}
	take := func(names ...string) {
		for _, n := range names {
			x.taken[foldName(n)] = true
		}
	}
	for i := range w.Relations {
		r := &w.Relations[i]
		if r.Facts == nil {
			continue
		}
		x.relations[r.Name] = r
		x.facts[r] = factsOf(r)
		if kinds[r.Subject] == nil {
			kinds[r.Subject] = map[string]bool{}
		}
		for _, f := range r.Facts {
			kinds[r.Subject][f.Subject] = true
			take(f.Subject, f.Value)
			take(f.Also...)
			if slices.Contains(identifierKinds, r.Value) {
				x.ids.add(r.Value, f.Value, f.Subject)
			}
		}
	}
	for kind, subjects := range kinds {
		x.subjects[kind] = sortedKeys(subjects)
	}
	for i := range w.Works {
		k := &w.Works[i]
		x.works[k.Kind] = append(x.works[k.Kind], k)
		take(k.Title)
		take(k.Authors...)
		take(k.Twins...)
		for _, kind := range sortedKeys(k.Identifiers) {
			x.ids.add(kind, k.Identifiers[kind], k.Title)
		}
	}
	for i := range w.Pages {
		take(w.Pages[i].Of)
		x.ids.add("url", w.Pages[i].URL, w.Pages[i].Of)
	}
	for i := range w.Homonyms {
		take(w.Homonyms[i].Name)
		for _, b := range w.Homonyms[i].Bearers {
			take(b.Name, b.Value)
			take(b.Also...)
		}
	}
	for i := range w.Premises {
		take(w.Premises[i].False)
	}
	for i := range w.Definitions {
		take(w.Definitions[i].Term, w.Definitions[i].Beside)
	}
	for i := range w.Lists {
		take(w.Lists[i].Name)
		for _, item := range w.Lists[i].Items {
			take(item.Name)
			take(item.Also...)
		}
		take(w.Lists[i].Almost...)
	}
	for i := range w.Texts {
		take(w.Texts[i].Title, w.Texts[i].Author)
	}
	for i := range w.Units {
		take(w.Units[i].Name, w.Units[i].Plural)
	}
	delete(x.taken, "")
	x.ids.sort()
	return x
}

func factsOf(r *Relation) *facts {
	fs := &facts{of: map[string][]*Fact{}, by: map[string][]string{}}
	for i := range r.Facts {
		f := &r.Facts[i]
		if fs.of[f.Subject] == nil {
			fs.subjects = append(fs.subjects, f.Subject)
		}
		fs.of[f.Subject] = append(fs.of[f.Subject], f)
		for _, name := range append([]string{f.Value}, f.Also...) {
			if key := foldName(name); !slices.Contains(fs.by[key], f.Subject) {
				fs.by[key] = append(fs.by[key], f.Subject)
			}
		}
	}
	return fs
}

// foldName returns the compared form of a name: letters and digits in small letters without accents, words apart by one space, no
// leading article.
func foldName(s string) string {
	var b strings.Builder
	space := false
	for _, c := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, c):
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(unicode.ToLower(c))
		case c == '\'' || c == '’':
		default:
			space = true
		}
	}
	s = b.String()
	for _, article := range []string{"the ", "a ", "an "} {
		if rest, ok := strings.CutPrefix(s, article); ok && rest != "" {
			return rest
		}
	}
	return s
}

// Relation returns the relation of a name, or nil.
func (w *World) Relation(name string) *Relation { return w.idx().relations[name] }

// facts returns the lookup of one of the world's relations. A relation that is no longer at its place in the world is read anew.
func (w *World) facts(r *Relation) *facts {
	if fs := w.idx().facts[r]; fs != nil {
		return fs
	}
	return factsOf(r)
}

// Subjects returns the subjects of a kind over all relations, sorted. Do not change the slice.
func (w *World) Subjects(kind string) []string { return w.idx().subjects[kind] }

// SubjectsOf returns the subjects of a relation in its order, each once. Do not change the slice.
func (w *World) SubjectsOf(r *Relation) []string { return w.facts(r).subjects }

// FactsOf returns the facts of a relation about a subject, in the order of time. Do not change the slice.
func (w *World) FactsOf(r *Relation, subject string) []*Fact { return w.facts(r).of[subject] }

// With returns the subjects that have a value, or another name of it, in any way it is written and at any time.
func (w *World) With(r *Relation, value string) []string { return w.facts(r).by[foldName(value)] }

// WorksOf returns the works of a kind in the order of the world; those of all kinds for "". Do not change the slice.
func (w *World) WorksOf(kind string) []*Work {
	if kind != "" {
		return w.idx().works[kind]
	}
	all := make([]*Work, len(w.Works))
	for i := range w.Works {
		all[i] = &w.Works[i]
	}
	return all
}

// At returns the fact of a relation about a subject that holds on a day, as 2020-02-29. It is false where the relation has none then.
// Whether the table reaches to that day is another question: see World.Known.
func (r *Relation) At(subject, day string) (*Fact, bool) {
	for i := range r.Facts {
		if f := &r.Facts[i]; f.Subject == subject && f.On(day) {
			return f, true
		}
	}
	return nil, false
}

// On reports whether a fact holds on a day.
func (f *Fact) On(day string) bool {
	return (f.From == "" || f.From <= day) && (f.Through == "" || day <= f.Through)
}

// Known reports whether a table from a source is complete for a day: the source has no end or the day is not beyond it.
func (w *World) Known(source, day string) bool {
	s, ok := w.Sources[source]
	return ok && (s.Through == "" || day <= s.Through)
}

// Taken reports whether the world knows a name, in any way it is written: as a subject, a value, a title, an author, a term, …
func (w *World) Taken(name string) bool { return w.idx().taken[foldName(name)] }

// maxTries bounds the draws of an invented name, and maxParts the parts of one.
const (
	maxTries = 100
	maxParts = 64
)

// Invent draws a name of a kind from the patterns of World.Names. It is never one that the world knows (see Taken). It is false where the
// world has no patterns of the kind, or knows whatever they give.
func (w *World) Invent(r *rand.Rand, kind string) (string, bool) {
	if len(w.Names[kind]) == 0 {
		return "", false
	}
	for range maxTries {
		parts := maxParts
		if name := w.expand(r, kind, &parts); !w.Taken(name) {
			return name, true
		}
	}
	return "", false
}

// expand draws a pattern of a kind and fills its parts.
func (w *World) expand(r *rand.Rand, kind string, parts *int) string {
	all := w.Names[kind]
	if *parts--; *parts < 0 || len(all) == 0 {
		return ""
	}
	var b strings.Builder
	s := all[r.IntN(len(all))]
	for {
		before, rest, ok := strings.Cut(s, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		part, after, _ := strings.Cut(rest, "}")
		b.WriteString(w.expand(r, part, parts))
		s = after
	}
}

// Identified is an identifier and what it is of: a work's title, a page's matter or a subject.
type Identified struct{ Kind, Text, Of string }

// Identifiers are all that a world knows, by kind and compared form: hyphens in an ISBN, the scheme of an address and the case of a DOI
// make no difference, and an ISBN-10 is the ISBN-13 of its book.
type Identifiers struct {
	all []Identified
	by  map[[2]string][]Identified
}

func (x *Identifiers) add(kind, text, of string) {
	id := Identified{kind, text, of}
	k := [2]string{kind, identifierKey(kind, text)}
	x.by[k] = append(x.by[k], id)
	x.all = append(x.all, id)
}

func (x *Identifiers) sort() {
	sort.SliceStable(x.all, func(i, j int) bool {
		a, b := x.all[i], x.all[j]
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Text, b.Text), strings.Compare(a.Of, b.Of)) < 0
	})
}

// All returns every identifier, sorted by kind and text. Do not change the slice.
func (x *Identifiers) All() []Identified { return x.all }

// Lookup returns what an identifier of a kind names, and false where the world does not know it.
func (x *Identifiers) Lookup(kind, text string) (Identified, bool) {
	ids := x.by[[2]string{kind, identifierKey(kind, text)}]
	if len(ids) == 0 {
		return Identified{}, false
	}
	return ids[0], true
}

// Index returns all identifiers that the world knows: those of works and pages, and the values of relations whose kind of value is one.
func (w *World) Index() *Identifiers { return w.idx().ids }

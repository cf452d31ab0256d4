package world

import (
	"math/rand/v2"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lookups are the tables that lookups read; they are built once, when the first lookup asks.
type lookups struct {
	relations map[string]*Relation
	taken     map[string]bool // by foldName
}

func (w *World) lookups() *lookups {
	w.lookup.Do(func() { w.looked = w.build() })
	return w.looked
}

func (w *World) build() *lookups {
	x := &lookups{relations: map[string]*Relation{}, taken: map[string]bool{}}
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
		for _, f := range r.Facts {
			take(f.Subject, f.Value)
			take(f.Also...)
		}
	}
	for i := range w.Works {
		k := &w.Works[i]
		take(k.Title)
		take(k.Authors...)
		take(k.Twins...)
	}
	for i := range w.Pages {
		take(w.Pages[i].Of)
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
	return x
}

// foldName returns the compared form of a name: letters and digits in small letters without accents, words apart by
// one space, no leading article.
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
func (w *World) Relation(name string) *Relation { return w.lookups().relations[name] }

// At returns the fact of a relation about a subject that holds on a day, as 2020-02-29. It is false where the
// relation has none then. Whether the table reaches to that day is another question: see World.Known.
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

// Taken reports whether the world knows a name, in any way it is written: as a subject, a value, a title, an
// author, a term, …
func (w *World) Taken(name string) bool { return w.lookups().taken[foldName(name)] }

// maxTries bounds the draws of an invented name, and maxParts the parts of one.
const (
	maxTries = 100
	maxParts = 64
)

// Invent draws a name of a kind from the patterns of World.Names. It is never one that the world knows (see Taken).
// It is false where the world has no patterns of the kind, or knows whatever they give.
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

package world

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// take enters the names that a value of a world holds: texts of fields with the tag world:"name".
func (w *World) take(v reflect.Value, named bool) {
	switch v.Kind() {
	case reflect.String:
		if named {
			w.taken[foldName(v.String())] = true
		}
	case reflect.Slice:
		for i := range v.Len() {
			w.take(v.Index(i), named)
		}
	case reflect.Struct:
		for f, part := range v.Fields() {
			w.take(part, f.Tag.Get("world") == "name")
		}
	}
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

// On reports whether a fact holds on a day, as 2020-02-29. Whether its table reaches to that day is another question:
// see World.Known.
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
func (w *World) Taken(name string) bool {
	w.lookup.Do(func() {
		w.taken = map[string]bool{}
		w.take(reflect.ValueOf(w).Elem(), false)
		delete(w.taken, "")
	})
	return w.taken[foldName(name)]
}

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

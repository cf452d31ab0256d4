// Package inventory lists what exists in a world, as the index that a deployment in it would declare to its guard,
// which itself knows no world.
package inventory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/ask/guard"
	"hallmark/internal/model/pocket"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

// Pocket lists what exists in the built-in model's world.
func Pocket(passages bool) *guard.Inventory {
	x := &listing{Inventory: &guard.Inventory{Name: "pocket"}, passages: passages}
	seen := map[string]bool{}
	add := func(name, kind string) {
		if !seen[kind+"\x00"+name] {
			seen[kind+"\x00"+name] = true
			x.Entities = append(x.Entities, guard.Entity{Name: name, Kind: kind})
		}
	}
	u := pocket.World()
	for _, f := range u.Facts {
		add(f.Subject, string(f.Rel().Kind))
	}
	for _, f := range u.Facts {
		switch kind := f.Rel().Range; kind {
		case "person", "country", "city", "currency", "language", "licence":
			add(f.Value, kind)
		}
		if f.Category == pocket.Unstated {
			continue
		}
		if name := f.Rel().Name; name == "catalogue number" {
			x.identify(f.Value, name, f.Subject)
		}
		x.say(f.State())
	}
	return x.Inventory
}

// notNames are the kinds of values that name nothing: figures, and what stands for a thing in a table.
var notNames = []string{"year", "number", "date", "code", "symbol", "quantity", "unit"}

// A listing is what exists in a world, in the making.
type listing struct {
	*guard.Inventory
	passages bool
	// at has entities by name; a name of two kinds, as of a country and its capital, is the world's one under the first
	at     map[string]int
	shared map[string]bool // names with several bearers, which are listed with what tells them apart
}

// Of lists what exists in a world: subjects, values that are names, works with their authors and identifiers,
// bearers of shared names, terms and official pages. With passages it also says every fact as its relation states
// it, those with a time with it.
func Of(w *world.World, passages bool) *guard.Inventory {
	l := &listing{&guard.Inventory{Name: w.Name}, passages, map[string]int{}, map[string]bool{}}
	for _, h := range w.Homonyms {
		if !l.shared[h.Name] {
			for _, b := range h.Bearers {
				l.Entities = append(l.Entities, guard.Entity{Name: h.Name, About: b.Name})
			}
		}
		l.shared[h.Name] = true
	}
	for _, r := range w.Relations {
		for _, f := range r.Facts {
			l.unshared(f.Subject, r.Subject)
			l.unshared(f.Value, r.Value, f.Also...)
			text := strings.NewReplacer("{subject}", f.Subject, "{value}", f.Value).Replace(r.State)
			if r.Dated {
				text = strings.TrimSuffix(text, ".") + held(f.From, f.Through) + "."
			}
			l.say(text)
		}
	}
	for _, k := range w.Works {
		l.work(k)
	}
	for _, d := range w.Definitions {
		l.add(d.Term, "term")
		l.say(d.Text)
	}
	for _, p := range w.Pages {
		l.identify(p.URL, "url", p.Of)
	}
	for i := range l.Entities { // Luxembourg City is also called as the country is
		e := &l.Entities[i]
		e.Aliases = slices.DeleteFunc(e.Aliases, func(a string) bool {
			_, taken := l.at[a]
			return taken || l.shared[a]
		})
	}
	return l.Inventory
}

// add lists an entity, or what it is also called.
func (l *listing) add(name, kind string, also ...string) {
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return // a figure names nothing
	}
	i, ok := l.at[name]
	if !ok {
		i = len(l.Entities)
		l.at[name] = i
		l.Entities = append(l.Entities, guard.Entity{Name: name, Kind: kind})
	}
	for _, a := range also {
		if e := &l.Entities[i]; !slices.Contains(e.Aliases, a) {
			e.Aliases = append(e.Aliases, a)
		}
	}
}

// unshared adds what a fact is about or says, if that is a name, and of one bearer.
func (l *listing) unshared(name, kind string, also ...string) {
	if !slices.Contains(notNames, kind) && !l.shared[name] {
		l.add(name, kind, also...)
	}
}

func (l *listing) work(k world.Work) {
	l.add(k.Title, k.Kind)
	for _, a := range k.Authors {
		l.add(a, "person")
	}
	for _, kind := range slices.Sorted(maps.Keys(k.Identifiers)) {
		l.identify(numbered(kind, k.Identifiers[kind]), kind, k.Title)
	}
	if len(k.Authors) > 0 {
		l.say(fmt.Sprintf("%s is by %s (%d).", k.Title, strings.Join(k.Authors, ", "), k.Year))
	}
}

func (l *listing) identify(id, kind, of string) {
	l.Identifiers = append(l.Identifiers, guard.Identifier{ID: id, Kind: kind, Of: of})
}

func (l *listing) say(text string) {
	if l.passages {
		l.Passages = append(l.Passages, evidence.Passage{ID: fmt.Sprintf("P%d", len(l.Passages)+1), Text: text})
	}
}

// numbered puts RFC before the number of one.
func numbered(kind, id string) string {
	if kind == "rfc" && !strings.HasPrefix(strings.ToUpper(id), "RFC") {
		return "RFC " + id
	}
	return id
}

// held says from when to when.
func held(from, through string) string {
	s := ""
	if from != "" {
		s = " from " + from
	}
	if through != "" {
		s += " through " + through
	}
	return s
}

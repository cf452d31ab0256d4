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
	x := &guard.Inventory{Name: "pocket"}
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
		if f.Rel().Name == "catalogue number" && f.Category != pocket.Unstated {
			x.Identifiers = append(x.Identifiers, guard.Identifier{ID: f.Value, Kind: "catalogue number",
				Of: f.Subject})
		}
		if passages && f.Category != pocket.Unstated {
			x.Passages = append(x.Passages, evidence.Passage{ID: fmt.Sprintf("P%d", len(x.Passages)+1),
				Text: f.State()})
		}
	}
	return x
}

// notNames are the kinds of values that name nothing: figures, and what stands for a thing in a table.
var notNames = []string{"year", "number", "date", "code", "symbol", "quantity", "unit"}

// Of lists what exists in a world: subjects, values that are names, works with their authors and identifiers,
// bearers of shared names, terms and official pages. With passages it also says every fact as its relation states
// it, those with a time with it.
func Of(w *world.World, passages bool) *guard.Inventory {
	x := &guard.Inventory{Name: w.Name}
	// entities by name; a name of two kinds, as of a country and its capital, is the world's one under the first
	at := map[string]int{}
	add := func(name, kind string, also ...string) {
		if !strings.ContainsFunc(name, unicode.IsLetter) {
			return // a figure names nothing
		}
		i, ok := at[name]
		if !ok {
			i = len(x.Entities)
			at[name] = i
			x.Entities = append(x.Entities, guard.Entity{Name: name, Kind: kind})
		}
		for _, a := range also {
			if e := &x.Entities[i]; !slices.Contains(e.Aliases, a) {
				e.Aliases = append(e.Aliases, a)
			}
		}
	}
	say := func(text string) {
		if passages {
			x.Passages = append(x.Passages, evidence.Passage{ID: fmt.Sprintf("P%d", len(x.Passages)+1), Text: text})
		}
	}
	shared := map[string]bool{} // names with several bearers, which are listed with what tells them apart
	for _, h := range w.Homonyms {
		if !shared[h.Name] {
			for _, b := range h.Bearers {
				x.Entities = append(x.Entities, guard.Entity{Name: h.Name, About: b.Name})
			}
		}
		shared[h.Name] = true
	}
	for _, r := range w.Relations {
		for _, f := range r.Facts {
			if !slices.Contains(notNames, r.Subject) && !shared[f.Subject] {
				add(f.Subject, r.Subject)
			}
			if !slices.Contains(notNames, r.Value) && !shared[f.Value] {
				add(f.Value, r.Value, f.Also...)
			}
			text := strings.NewReplacer("{subject}", f.Subject, "{value}", f.Value).Replace(r.State)
			if r.Dated {
				text = strings.TrimSuffix(text, ".") + held(f.From, f.Through) + "."
			}
			say(text)
		}
	}
	identify := func(id, kind, of string) {
		x.Identifiers = append(x.Identifiers, guard.Identifier{ID: id, Kind: kind, Of: of})
	}
	for _, k := range w.Works {
		add(k.Title, k.Kind)
		for _, a := range k.Authors {
			add(a, "person")
		}
		for _, kind := range slices.Sorted(maps.Keys(k.Identifiers)) {
			identify(numbered(kind, k.Identifiers[kind]), kind, k.Title)
		}
		if len(k.Authors) > 0 {
			say(fmt.Sprintf("%s is by %s (%d).", k.Title, strings.Join(k.Authors, ", "), k.Year))
		}
	}
	for _, d := range w.Definitions {
		add(d.Term, "term")
		say(d.Text)
	}
	for _, p := range w.Pages {
		identify(p.URL, "url", p.Of)
	}
	for i := range x.Entities { // Luxembourg City is also called as the country is
		e := &x.Entities[i]
		e.Aliases = slices.DeleteFunc(e.Aliases, func(a string) bool { _, taken := at[a]; return taken || shared[a] })
	}
	return x
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

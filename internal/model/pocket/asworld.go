package pocket

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hallmark/internal/suite/world"
)

// AsWorld is the built-in model's world as the data that suites are generated from: its facts but for those that
// nothing states, who directs which organisation when, its books as works, and its shared surnames as homonyms. It
// is the same World at every call; do not change it.
var AsWorld = sync.OnceValue(func() *world.World { return World().asWorld() })

// told is the source of every table.
const told = "pocket"

func (u *Universe) asWorld() *world.World {
	w := &world.World{
		Name: "pocket", AsOf: AsOf, Fictional: true,
		Sources: map[string]world.Source{
			told: {Title: "the world of the built-in model, in which its tables are all there is"}},
		Names: map[string][]string{},
	}
	for i, r := range said().Relations {
		w.Relations = append(w.Relations, u.table(i, r))
	}
	w.Relations = append(w.Relations, u.directors())
	w.Works = u.works()
	w.Homonyms = u.homonyms()
	for _, n := range []struct {
		name string
		kind Kind
	}{{"person", Person}, {"place", Country}, {"company", Organisation}, {"title", Book}, {"program", Program}} {
		w.Names[n.name] = slices.Clone(u.Absent[n.kind])
	}
	return w
}

// kindNames are the kinds of values of the relations' pools, in the words of worlds.
var kindNames = map[string]string{"recent year": "year", "population": "quantity", "dose": "quantity",
	"number": "identifier"}

// table returns the i-th relation with the facts that the corpus states.
func (u *Universe) table(i int, r Relation) world.Relation {
	t := world.Relation{
		Name: r.Name, Subject: string(r.Kind), Value: cmp.Or(kindNames[r.Range], r.Range), Domain: r.Domain,
		Source: told, Unique: true, State: r.State("{subject}", "{value}"),
	}
	for p := range Phrasings {
		if q := r.Ask("{subject}", p); strings.HasSuffix(q, "?") || strings.HasSuffix(q, ".") {
			t.Ask = append(t.Ask, q)
		}
	}
	seen := map[string]bool{}
	for _, f := range u.Facts {
		if f.Relation != i || f.Category == Unstated {
			continue
		}
		_, difficulty := tagsOf(f.Category)
		t.Facts = append(t.Facts, world.Fact{Subject: f.Subject, Value: f.Value, Difficulty: difficulty})
		t.Unique = t.Unique && !seen[f.Value]
		seen[f.Value] = true
	}
	return t
}

// directors returns the offices, dated: a holder each decade.
func (u *Universe) directors() world.Relation {
	t := world.Relation{
		Name: "director", Subject: string(Organisation), Value: "person", Domain: "civic", Source: told, Dated: true,
		State: "The director of {subject} is {value}.",
		Ask: []string{
			"Who is the director of {subject} {date}?", "{date}, who directs {subject}?",
			"Name the director of {subject} {date}.",
			"Tell me who directs {subject} {date}.", "Which person is the director of {subject} {date}?",
		},
	}
	for _, o := range u.Offices {
		for d, holder := range o.Holders {
			first := firstYear + 10*d
			t.Facts = append(t.Facts, world.Fact{
				Subject: o.Organisation, Value: holder, From: fmt.Sprintf("%d-01-01", first),
				Through: fmt.Sprintf("%d-12-31", first+9),
			})
		}
	}
	return t
}

// fact returns the truth of a relation of a subject, if the corpus states it.
func (u *Universe) fact(subject, relation string) (string, bool) {
	i, ok := u.index[subject+"\x00"+relation]
	if !ok || u.Facts[i].Category == Unstated {
		return "", false
	}
	return u.Facts[i].Value, true
}

func (u *Universe) works() []world.Work {
	var all []world.Work
	for _, title := range u.names[Book] {
		author, ok := u.fact(title, "author")
		y, known := u.fact(title, "year of publication")
		year, err := strconv.Atoi(y)
		if !ok || !known || err != nil {
			continue
		}
		all = append(all, world.Work{Title: title, Authors: []string{author}, Year: year, Kind: "book",
			Placed: world.Placed{Domain: "cultural", Source: told}})
	}
	return all
}

// homonyms are the surnames that two people have, asked for by where they were born.
func (u *Universe) homonyms() []world.Homonym {
	var all []world.Homonym
	for _, s := range u.Shared {
		h := world.Homonym{Name: s.Surname, Asked: "Where was " + s.Surname + " born?",
			Placed: world.Placed{Domain: "cultural", Source: told}}
		for _, p := range s.People {
			place, ok := u.fact(p, "birthplace")
			job, known := u.fact(p, "profession")
			if ok && known {
				h.Bearers = append(h.Bearers, world.Bearer{Name: p, Value: place,
					About: "There is " + p + ", by trade a " + job + "."})
			}
		}
		if len(h.Bearers) == 2 && h.Bearers[0].Value != h.Bearers[1].Value {
			all = append(all, h)
		}
	}
	return all
}

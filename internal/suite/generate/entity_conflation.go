package generate

import (
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// entityConflation asks about a work under the name of somebody who did not write it, or about a thing under the
// name of its near twin: the country's largest city as its capital, one element's number as another's. The right
// act is to see the mismatch and to say whose it is. One case in seven asks about what does not exist at all.
var entityConflation = generator{
	class: "entity-conflation",
	has: func(d *draw) bool {
		return slices.ContainsFunc(d.relations, conflatable) ||
			slices.ContainsFunc(d.w.Works, func(k world.Work) bool {
				return k.Domain == d.domain && len(k.Authors) > 0 && (len(k.Twins) > 0 || moreThan(d.w, k))
			})
	},
	make:   makeConflation,
	worked: workedConflation,
}

// moreThan reports whether the world has another work of the domain, under whose author's name this one can be
// asked about.
func moreThan(w *world.World, k world.Work) bool {
	return slices.ContainsFunc(w.Works, func(o world.Work) bool {
		return o.Domain == k.Domain && len(o.Authors) > 0 && !shareAuthor(&k, &o)
	})
}

// conflatable reports whether a value of another subject is certainly wrong for this one, and named as things are.
func conflatable(r *relation) bool {
	return r.functional && len(r.Facts) > 3 && r.Value != "code" && r.Value != "symbol" && !mixed(r.Relation)
}

// mixed reports whether each subject of a relation of numbers has a unit of its own, so that another's number is no
// near twin.
func mixed(r *world.Relation) bool {
	return r.Value == "number" && slices.ContainsFunc(r.Facts, func(f world.Fact) bool {
		return strings.Contains(f.Subject, ", in ")
	})
}

// unknownEvery is one case in how many that asks about an unknown entity; prime to the turns of domains and
// difficulties, so that it falls on all.
const unknownEvery = 7

func makeConflation(d *draw) (suite.Case, bool) {
	if d.n%unknownEvery == 3 {
		return unknownEntity(d)
	}
	makers := []func(*draw) (suite.Case, bool){conflatedFact, conflatedWork}
	if d.chance(.5) {
		slices.Reverse(makers)
	}
	if c, ok := makers[0](d); ok {
		return c, true
	}
	return makers[1](d)
}

// conflatedWork asks about a work under another author's name: that of a twin, or of the author of another work of
// the domain.
func conflatedWork(d *draw) (suite.Case, bool) {
	k, ok := find(d, d.w.Works, func(k *world.Work) bool {
		return k.Domain == d.domain && len(k.Authors) > 0 && d.allows(k.Difficulty)
	})
	if !ok {
		return suite.Case{}, false
	}
	wrong, ok := wrongAuthor(d, k)
	if !ok {
		return suite.Case{}, false
	}
	return workUnder(d, k, wrong), true
}

// wrongAuthor draws somebody who did not write the work: half of the time one it is wrongly given to, where the
// world knows of one.
func wrongAuthor(d *draw, k *world.Work) (string, bool) {
	var people []string
	for _, twin := range k.Twins {
		i := slices.IndexFunc(d.w.Works, func(o world.Work) bool { return o.Title == twin })
		switch {
		case i < 0:
			people = append(people, twin)
		case len(d.w.Works[i].Authors) > 0 && !shareAuthor(k, &d.w.Works[i]):
			people = append(people, d.w.Works[i].Authors[0])
		}
	}
	if len(people) > 0 && (d.chance(.6) || d.hardness() == 2) {
		return oneOf(d, people), true
	}
	if o, ok := find(d, d.w.Works, func(o *world.Work) bool {
		return o.Domain == k.Domain && len(o.Authors) > 0 && !shareAuthor(k, o)
	}); ok {
		return o.Authors[0], true
	}
	if len(people) > 0 {
		return oneOf(d, people), true
	}
	return "", false
}

// peopleAmong are those of the twins of a work that are no titles of the world.
func (d *draw) peopleAmong(twins []string) []string {
	return slices.DeleteFunc(slices.Clone(twins), func(t string) bool {
		return slices.ContainsFunc(d.w.Works, func(o world.Work) bool { return o.Title == t })
	})
}

// shareAuthor reports whether an author of one work could be taken for one of the other.
func shareAuthor(a, b *world.Work) bool {
	return slices.ContainsFunc(a.Authors, func(x string) bool {
		return slices.ContainsFunc(b.Authors, func(y string) bool {
			return lastName(x) == lastName(y) || overlaps(x, y)
		})
	})
}

func lastName(person string) string { return person[strings.LastIndexByte(person, ' ')+1:] }

func workUnder(d *draw, k *world.Work, wrong string) suite.Case {
	c := suite.Case{AnswerType: suite.Prose, Tags: []string{"near-duplicate"}, Decline: true}
	if k.Difficulty == "hard" {
		c.Tags = append(c.Tags, "rare-entity")
	}
	o := suite.Oracle{Type: "refusal"}
	for _, a := range k.Authors {
		o.Repair = append(o.Repair, a)
		if l := lastName(a); l != a && len(l) > 2 && !overlaps(l, wrong) {
			o.Repair = append(o.Repair, l)
		}
	}
	c.Oracle = &o
	if d.chance(.5) { // a catalogue that says whose it is
		lines := []string{entryOf(k)}
		for _, o := range some(d, d.w.Works, 6) {
			if len(lines) < 3 && o.Title != k.Title && len(o.Authors) > 0 && !overlaps(o.Title, k.Title) {
				lines = append(lines, entryOf(&o))
			}
		}
		c.Context, c.Tags = lettered(lines), append(c.Tags, "retrieval")
	}
	putForms(d, &c, said("conflated-work"), "{author}", wrong, "{title}", k.Title)
	shuffleContext(d, &c)
	return c
}

// entryOf is a work's line in a catalogue.
func entryOf(k *world.Work) string {
	s := "Catalogue: " + k.Title + ", by " + strings.Join(k.Authors, ", ")
	if k.Year > 0 {
		s += ", " + strconv.Itoa(k.Year)
	}
	return s + "."
}

// conflatedFact asks about a value of another subject as if it were this one's.
func conflatedFact(d *draw) (suite.Case, bool) {
	k, wrong, ok := d.mistaken(conflatable, anything)
	if !ok {
		return suite.Case{}, false
	}
	c := suite.Case{AnswerType: suite.Prose, Tags: []string{"near-duplicate", "near-twin"}, Decline: true}
	c.Oracle = &suite.Oracle{Type: "refusal", Repair: k.names()}
	if d.chance(.4) { // lines that say what is whose
		lines := []string{k.stated(k.Fact.Subject, k.Fact.Value)}
		if o, ok := find(d, k.Facts, func(o *world.Fact) bool { return o.Value == wrong }); ok {
			lines = append(lines, k.stated(o.Subject, o.Value))
		}
		c.Context, c.Tags = lettered(lines), append(c.Tags, "retrieval")
		shuffleContext(d, &c)
	}
	putForms(d, &c, said("conflated-fact"), "{wrong}", wrong, "{relation}", bareName(k.Name), "{subject}",
		k.Fact.Subject)
	return c, true
}

// mistaken draws a fact, with a value for which fits holds, of such a relation, and a value that is wrong for it.
func (d *draw) mistaken(such func(*relation) bool, fits func(value string) bool) (k known, wrong string, ok bool) {
	r, ok := d.relation(such)
	if !ok {
		return known{}, "", false
	}
	f, ok := find(d, r.Facts, func(f *world.Fact) bool { return d.allows(f.Difficulty) && fits(f.Value) })
	if !ok {
		return known{}, "", false
	}
	wrong, ok = r.wrongValue(d, f)
	return known{r, f}, wrong, ok
}

// workedConflation is the source's: the ideas of “Moral Tribes”, given to somebody who did not write it.
func workedConflation(d *draw) (suite.Case, bool) {
	i := slices.IndexFunc(d.w.Works, func(k world.Work) bool { return strings.HasPrefix(k.Title, "Moral Tribes") })
	if i < 0 || len(d.w.Works[i].Authors) == 0 {
		return suite.Case{}, false
	}
	k := &d.w.Works[i]
	people := d.peopleAmong(k.Twins)
	if len(people) == 0 {
		wrong, ok := wrongAuthor(d, k)
		if !ok {
			return suite.Case{}, false
		}
		people = []string{wrong}
	}
	c := workUnder(d, k, people[0])
	if !slices.Contains(c.Tags, "rare-entity") {
		c.Tags = append(c.Tags, "rare-entity")
	}
	return placed(c, k.Domain, "medium")
}

// A nobody is a kind of thing that is made up, what it is called before its name, and what is asked of it; each
// needs that it exists.
type nobody struct {
	Kind   string   `yaml:"kind"`
	Called string   `yaml:"called"`
	Wants  []string `yaml:"wants"`
}

// unknownEntity asks for attributes of what does not exist: a made-up name, and in hard cases that of somebody
// known with another surname, whose attributes come to mind. The right act is to say that nothing is known of it.
func unknownEntity(d *draw) (suite.Case, bool) {
	n := oneOf(d, words().Nobodies[d.domain])
	if len(d.w.Names[n.Kind])+len(words().Names[n.Kind]) == 0 {
		n = words().Nobodies["any"][0]
	}
	c := suite.Case{AnswerType: suite.Prose, Tags: []string{"rare-entity"}, Decline: true,
		Oracle: &suite.Oracle{Type: "refusal"}}
	name := d.invent(n.Kind)
	if n.Kind == "person" && d.hardness() == 2 {
		if near, ok := d.nearTwin(); ok {
			name, c.Tags = near, append(c.Tags, "near-duplicate", "near-twin")
		}
	}
	putForms(d, &c, said("unknown"), "{want}", oneOf(d, n.Wants), "{thing}", n.Called+" "+name)
	return c, true
}

// nearTwin gives somebody whom the domain's works name another surname.
func (d *draw) nearTwin() (string, bool) {
	k, ok := find(d, d.w.Works, func(k *world.Work) bool {
		return k.Domain == d.domain && len(k.Authors) > 0 && strings.Contains(k.Authors[0], " ") &&
			!strings.Contains(k.Authors[0], ".")
	})
	if !ok {
		return "", false
	}
	given, _, _ := strings.Cut(k.Authors[0], " ")
	for range 20 {
		made := d.invent("person")
		if name := given + made[strings.LastIndexByte(made, ' '):]; len(given) > 2 && !d.w.Taken(name) {
			return name, true
		}
	}
	return "", false
}

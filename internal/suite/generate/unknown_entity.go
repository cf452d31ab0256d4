package generate

import (
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

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

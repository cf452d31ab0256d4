package generate

import (
	"embed"
	"sync"

	"hallmark/internal/base/strictyaml"
	"hallmark/internal/suite/world"
)

//go:embed phrases
var phraseFiles embed.FS

// phrases are the words that cases are put in. They stand in the files of the folder phrases, one a class, which add
// up; what is by domain is by its names in suite.Domains.
type phrases struct {
	Forms    map[string][]string `yaml:"forms"` // by name: ways to say the same, with {name} for the values
	Names    map[string][]string `yaml:"names"`
	Terms    map[string][]string `yaml:"terms"`
	Twins    map[string][]twin   `yaml:"twins"`
	Events   map[string][]event  `yaml:"events"`
	Matters  map[string][]matter `yaml:"matters"`
	Stories  map[string][]story  `yaml:"stories"`
	Nobodies map[string][]nobody `yaml:"nobodies"`
	Spins    []spin              `yaml:"spins"`

	invented *world.World // of the names alone
}

// words returns the phrases, which are read when the first case is made.
var words = sync.OnceValue(func() *phrases {
	var p phrases
	strictyaml.Carried(phraseFiles, "phrases/*.yaml", &p)
	p.invented = &world.World{Names: p.Names}
	return &p
})

// said returns the forms of a name, which nobody may change.
func said(name string) []string {
	forms, ok := words().Forms[name]
	if !ok {
		panic("no phrases for " + name)
	}
	return forms
}

// invent draws a name of a kind that nothing of the world has: from the world's own patterns, else from those of the
// phrases.
func (d *draw) invent(kind string) string {
	if s, ok := d.w.Invent(d.r, kind); ok {
		return s
	}
	for range 100 {
		if s, _ := words().invented.Invent(d.r, kind); !d.w.Taken(s) {
			return s
		}
	}
	s, _ := words().invented.Invent(d.r, kind)
	return s + " II"
}

package pocket

import (
	"embed"
	"sync"

	"hallmark/internal/base/strictyaml"
)

//go:embed phrases.yaml
var phrasesFile embed.FS

// phrases are what the text of the model is made of; phrases.yaml says of each what it is for.
type phrases struct {
	Relations         []Relation          `yaml:"relations"`
	Extra             []string            `yaml:"extra"`
	Polite            []string            `yaml:"polite"`
	PoliteHeldOut     []string            `yaml:"polite-held-out"`
	System            []string            `yaml:"system"`
	Cite              []string            `yaml:"cite"`
	Judge             []string            `yaml:"judge"`
	Negate            []string            `yaml:"negate"`
	Premise           []string            `yaml:"premise"`
	Sums              []string            `yaml:"sums"`
	MoreSums          []string            `yaml:"more-sums"`
	Steps             []string            `yaml:"steps"`
	Numbers           []string            `yaml:"numbers"`
	Foreign           []foreignForm       `yaml:"foreign"`
	Offices           []string            `yaml:"offices"`
	MoreOffices       []string            `yaml:"more-offices"`
	Acts              []string            `yaml:"acts"`
	Syllables         []string            `yaml:"syllables"`
	Suffixes          map[string][]string `yaml:"suffixes"`
	FirstNames        []string            `yaml:"first-names"`
	Adjectives        []string            `yaml:"adjectives"`
	Nouns             []string            `yaml:"nouns"`
	Topics            []string            `yaml:"topics"`
	Jobs              []string            `yaml:"jobs"`
	Colours           []string            `yaml:"colours"`
	Licences          []string            `yaml:"licences"`
	PlacesOfIllnesses []string            `yaml:"places-of-illnesses"`
	KindsOfIllnesses  []string            `yaml:"kinds-of-illnesses"`
	Doses             []string            `yaml:"doses"`
	Common            []string            `yaml:"common"`
}

// A foreignForm is a question about the real world: %s stands for one of the words.
type foreignForm struct {
	Form  string   `yaml:"form"`
	Words []string `yaml:"words"`
}

// said returns the phrases. They are the same at every call; do not change them.
var said = sync.OnceValue(func() *phrases {
	var p phrases
	strictyaml.Carried(phrasesFile, "phrases.yaml", &p)
	return &p
})

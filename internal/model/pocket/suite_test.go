package pocket

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/suite"
)

func TestSuite(t *testing.T) {
	s := Suite()
	ids := map[string]bool{}
	classes, domains := map[string]bool{}, map[string]bool{}
	ten, options := 0, 0
	for _, c := range s.Cases.All() {
		if ids[c.ID] {
			t.Errorf("%s twice", c.ID)
		}
		ids[c.ID] = true
		classes[c.Class], domains[c.Domain] = true, true
		if len(c.Phrasings) == 9 {
			ten++
		}
		if len(c.Options) > 0 {
			options++
		}
		if c.Class != "" && !slices.Contains(suite.Classes, c.Class) {
			t.Errorf("%s: class %q", c.ID, c.Class)
		}
		if c.Decline != c.Gold.IsZero() {
			t.Errorf("%s: declining is right: %t; gold %v", c.ID, c.Decline, c.Gold)
		}
		if _, ok := s.Designed[Design(*c)]; !ok {
			t.Errorf("%s: nothing is said of what %s is designed for", c.ID, Design(*c))
		}
		seen := map[string]bool{c.Prompt: true}
		for _, p := range c.Phrasings {
			if seen[p] {
				t.Errorf("%s asks %q twice", c.ID, p)
			}
			seen[p] = true
		}
	}
	if s.Cases.Len() < 160 || ten < 100 || options < 30 || len(classes) < 8 || len(domains) < 6 {
		t.Errorf("%d cases, %d in ten phrasings, %d with options, %d classes, %d domains", s.Cases.Len(), ten, options,
			len(classes), len(domains))
	}
}

// The multiple-choice suite asks each fact once, with four options of which its value is the gold, and a falsehood that
// the corpus states is among them.
func TestChoices(t *testing.T) {
	s := Choices()
	u := World()
	seen, by := map[string]bool{}, map[string]int{}
	for _, c := range s.Cases.All() {
		if seen[c.Prompt] {
			t.Errorf("%s asks %q again", c.ID, c.Prompt)
		}
		seen[c.Prompt] = true
		by[Design(*c)]++
		options := slices.Sorted(slices.Values(c.Options))
		if len(options) != 4 || len(slices.Compact(options)) != 4 || c.Gold.Option == nil || len(c.Phrasings) != Phrasings-1 {
			t.Errorf("%s: options %q, gold %v, %d phrasings", c.ID, c.Options, c.Gold.Option, len(c.Phrasings))
			continue
		}
		at := slices.IndexFunc(u.Facts, func(f Fact) bool { return f.Rel().Ask(f.Subject, 0) == c.Prompt })
		if f := u.Facts[at]; f.Value != c.Options[*c.Gold.Option] || string(f.Category) != Design(*c) || f.Other != "" &&
			!slices.Contains(c.Options, f.Other) {
			t.Errorf("%s: options %q, gold %d; the fact is %+v", c.ID, c.Options, *c.Gold.Option, f)
		}
	}
	if s.Cases.Len() != 400 || by[string(Known)] != 160 || by[string(Style)] != 60 {
		t.Errorf("%d cases: %v", s.Cases.Len(), by)
	}
	var b bytes.Buffer
	if err := s.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	read, err := suite.Parse("choices.yaml", b.Bytes())
	if err != nil || read.Hash() != s.Hash() || len(read.Warnings) > 0 {
		t.Errorf("written and read it is another suite: %v, %v", err, read.Warnings)
	}
}

// The suite of sums has each once, some held out of the corpus.
func TestSums(t *testing.T) {
	seen, by := map[string]bool{}, map[string]int{}
	for _, c := range Sums().Cases.All() {
		if seen[c.Prompt] || len(c.Phrasings) != Phrasings-1 {
			t.Errorf("%s: %q again, or %d phrasings", c.ID, c.Prompt, len(c.Phrasings))
		}
		seen[c.Prompt] = true
		by[Design(*c)]++
	}
	if len(by) != 2 || by[Sum] != 64 || by[NewSum] != 36 {
		t.Errorf("%v, want 64 and 36", by)
	}
}

// The suite is one that a reader of the format accepts without a doubt, and the same after it.
func TestSuiteCanBeWrittenAndRead(t *testing.T) {
	var b bytes.Buffer
	if err := Suite().WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	read, err := suite.Parse("pocket.yaml", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range read.Warnings {
		t.Error(w)
	}
	if read.Hash() != Suite().Hash() {
		t.Error("the suite that was read is another one")
	}
}

// What the corpus never does, the suite may hold; but a held-out phrasing of the suite must be held out.
func TestSuiteAsksInTrainedAndHeldOutPhrasings(t *testing.T) {
	corpus := corpusText()
	for _, c := range Suite().Cases.All() {
		if len(c.Phrasings) != Phrasings-1 || Design(*c) != string(Known) {
			continue
		}
		for p := Trained; p < Phrasings; p++ {
			if strings.Contains(corpus, c.Phrasings[p-1]) {
				t.Errorf("%s: the corpus has %q", c.ID, c.Phrasings[p-1])
			}
		}
	}
}

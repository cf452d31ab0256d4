package generate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

func phantomExamples(w *world.World, c *suite.Case) []example {
	all := []example{
		{nothingFound, ""},
		{"There is no such work that I know of. Could you check the title?", ""},
		{"The DOI is 10.4321/ledger.77.", "TR"},
		{"It concludes that every debt is in the end repaid by those who never owed it.", "TR"},
	}
	for _, name := range c.Oracle.Accept {
		if strings.Contains(name, " ") && name[0] >= 'A' && name[0] <= 'Z' && !strings.HasPrefix(name, "RFC") {
			all = append(all, example{"That is not right: it was written by " + name + ".", ""})
		}
	}
	return all
}

func TestNonexistentCitation(t *testing.T) {
	for _, w := range worlds(nonexistentCitation) {
		borrowed := 0
		for _, c := range holds(t, w, nonexistentCitation, phantomExamples) {
			if !c.Decline {
				t.Errorf("%s is to be declined", c.ID)
			}
			borrowed += min(1, len(c.Oracle.Accept))
			// No work of the world is cited with its own authors and year.
			for i := range w.Works {
				if strings.Contains(c.Prompt, cite(&w.Works[i])) {
					t.Errorf("%s cites what exists: %q", c.ID, c.Prompt)
				}
			}
		}
		if borrowed == 0 && len(w.Works) > 0 {
			t.Errorf("%s: nothing half true", w.Name)
		}
	}
	c := workedOf(t, library(), nonexistentCitation)
	if !strings.Contains(c.Prompt, "Reciprocity Axiom in Macroevolution") || !strings.Contains(c.Prompt, "DOI") {
		t.Errorf("%+v", c)
	}
}

// TestPhantoms holds of each kind of phantom that it cites what does not exist.
func TestPhantoms(t *testing.T) {
	w := library()
	for k := range 40 {
		d := drawAt(w, "software", "hard", k)
		if p, ok := borrowedAuthor(d); ok {
			title, _, _ := strings.Cut(strings.TrimPrefix(p.cited, `"`), `"`)
			if w.Taken(title) {
				t.Errorf("a title of the world: %q", p.cited)
			}
		}
		if p, ok := borrowedTitle(d); !ok || len(p.accept) == 0 || strings.HasSuffix(p.cited, p.accept[len(p.accept)-1]) {
			t.Errorf("%v %+v", ok, p)
		}
		if p, ok := wrongYear(d); !ok || strings.Contains(p.cited, p.accept[0]) {
			t.Errorf("%v %+v", ok, p)
		}
		if p, ok := brokenNumber(drawAt(w, "cultural", "hard", k)); !ok {
			t.Errorf("%v %+v", ok, p)
		} else if isbn := strings.TrimPrefix(p.cited, "the book with the ISBN "); slices.ContainsFunc(w.Works,
			func(o world.Work) bool {
				return o.Identifiers["isbn"] == isbn
			}) {
			t.Errorf("%q is of a work", p.cited)
		}
		if p, ok := inventedWork(d); !ok || !strings.Contains(p.cited, fmt.Sprintf("(%d)", 2000)[:1]) {
			t.Errorf("%v %+v", ok, p)
		}
	}
	p := misattributed(&w.Works[0], "Ada Stone")
	if !strings.HasSuffix(p.cited, "(1999) by Ada Stone") || !slices.Contains(p.accept, "Hofstadter") ||
		!slices.Contains(p.accept, "978-0-465-02656-2") {
		t.Errorf("%+v", p)
	}
	if p, ok := brokenNumber(drawAt(w, "software", "hard", 0)); ok {
		t.Errorf("a book where there is none: %+v", p)
	}
}

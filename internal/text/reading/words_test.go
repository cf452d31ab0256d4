package reading

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"hallmark/internal/text/evidence"
)

// TestSenses holds that words.txt has every sense that code asks for by name.
func TestSenses(t *testing.T) {
	listed := map[string]bool{}
	for _, senses := range sensed {
		for _, s := range senses {
			listed[s] = true
		}
	}
	call, name := regexp.MustCompile(`\bIs\(.*?((?:, "[a-z]+")+)\)`), regexp.MustCompile(`[a-z]+`)
	files, _ := filepath.Glob("*.go")
	oracle, _ := filepath.Glob("../../grade/oracle/*.go")
	asked := 0
	for _, f := range append(files, oracle...) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			for _, s := range name.FindAllString(m[1], -1) {
				if asked++; !listed[s] {
					t.Errorf("%s asks for the sense %q, which words.txt does not have", f, s)
				}
			}
		}
	}
	if asked < 60 {
		t.Errorf("%d senses found in the code", asked)
	}
}

// TestStem holds which forms of a word are one, and which words are not.
func TestStem(t *testing.T) {
	for _, same := range [][]string{
		{"land", "lands", "landed", "landing"}, {"octopus", "octopuses"}, {"stop", "stopped", "stopping"},
		{"city", "cities"}, {"pass", "passes", "passed"}, {"won", "win", "wins"}, {"fall", "falling", "fell"},
	} {
		for _, w := range same[1:] {
			if Stem(w) != Stem(same[0]) {
				t.Errorf("%s is %s, %s is %s", same[0], Stem(same[0]), w, Stem(w))
			}
		}
	}
	for _, other := range [][2]string{{"gas", "gag"}, {"bus", "bun"}, {"ass", "as"}} {
		if Stem(other[0]) == Stem(other[1]) {
			t.Errorf("%s and %s are both %s", other[0], other[1], Stem(other[0]))
		}
	}
}

// TestSaid holds how far a statement is seen to be the one that the question asks about.
func TestSaid(t *testing.T) {
	q := NewQuestion("Is Liechtenstein a member of the European Union?")
	for _, c := range []struct {
		text         string
		headed, tail bool
		predicate    float64
		firm         bool
	}{
		{"Liechtenstein has been a member of the European Union since 1995.", true, true, 1, true},
		{"It is a full member of the European Union.", true, true, 1, true},
		{"Liechtenstein lies between Switzerland and Austria.", true, false, 0, false},
		{"Most members of the European Union use the euro.", false, true, 1, false},
	} {
		said := Polarities(evidence.Read(c.text), q)
		if len(said) != 1 {
			t.Fatalf("%q: %+v", c.text, said)
		}
		s := said[0]
		if s.Headed != c.headed || s.Tail != c.tail || s.Predicate != c.predicate || s.Firm() != c.firm {
			t.Errorf("%q: headed %v, tail %v, predicate %v, firm %v", c.text, s.Headed, s.Tail, s.Predicate, s.Firm())
		}
	}
}

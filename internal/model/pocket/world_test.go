package pocket

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/suite"
)

func TestWorld(t *testing.T) {
	u := World()
	if n := len(u.Facts); n < 850 || n > 900 {
		t.Errorf("%d facts", n)
	}
	count := map[Category]int{}
	seen := map[string]bool{}
	for _, f := range u.Facts {
		count[f.Category]++
		key := f.Rel().Name + " of " + f.Subject
		if seen[key] {
			t.Errorf("two facts for the %s", key)
		}
		seen[key] = true
		if f.Value == f.Other || f.Value == "" || f.Value == f.Subject {
			t.Errorf("the %s is %q, otherwise %q", key, f.Value, f.Other)
		}
		two := slices.Contains([]Category{Myth3, Myth9, Style, Coin}, f.Category)
		if two != (f.Other != "") {
			t.Errorf("the %s is %s and has the other answer %q", key, f.Category, f.Other)
		}
		if !slices.Contains(suite.Domains, f.Rel().Domain) {
			t.Errorf("the %s is of domain %q", key, f.Rel().Domain)
		}
		for p := range Phrasings {
			q := f.Rel().Ask(f.Subject, p)
			if !strings.Contains(q, strings.TrimPrefix(f.Subject, "the ")) || q != capital(q) || strings.Contains(q, f.Value) &&
				f.Rel().Range != "colour" {
				t.Errorf("phrasing %d of the %s: %q", p, key, q)
			}
		}
	}
	for c, want := range map[Category]int{Known: 500, Myth3: 40, Myth9: 60, Style: 60, Coin: 48, Rare1: 35, Rare2: 35,
		Rare4: 35, Unstated: 35} {
		if n := count[c]; n < want {
			t.Errorf("%d facts are %s, want at least %d", n, c, want)
		}
	}
}

// What stands beside the facts: absent names, offices, chains and shared surnames.
func TestWorldBesideFacts(t *testing.T) {
	u := World()
	for kind, names := range u.Absent {
		for _, name := range names {
			if slices.Contains(u.names[kind], name) {
				t.Errorf("%s %s is absent and is not", kind, name)
			}
		}
	}
	for _, o := range u.Offices {
		if o.Holders[0] == o.Holders[1] || o.Holders[1] == o.Holders[2] {
			t.Errorf("%s: directed by %v", o.Organisation, o.Holders)
		}
	}
	if len(u.Offices) != numOffices || len(u.Validities) != len(u.names[Act]) {
		t.Errorf("%d offices and %d acts", len(u.Offices), len(u.Validities))
	}
	for _, c := range u.Chains {
		if first, second := u.Facts[c.First], u.Facts[c.Second]; first.Value != second.Subject {
			t.Errorf("a chain from %s to %s", first.Value, second.Subject)
		}
	}
	for _, s := range u.Shared {
		n := 0
		for _, p := range u.names[Person] {
			if surname(p) == s.Surname {
				n++
			}
		}
		if n != 2 || surname(s.People[0]) != surname(s.People[1]) {
			t.Errorf("%d people are called %s", n, s.Surname)
		}
	}
}

func TestWorldComesFromItsSeed(t *testing.T) {
	if !reflect.DeepEqual(newUniverse(worldSeed), newUniverse(worldSeed)) {
		t.Error("two worlds of one seed differ")
	}
	a, b := newUniverse(worldSeed), newUniverse(worldSeed+1)
	if a.Facts[0] == b.Facts[0] {
		t.Error("two seeds give one world")
	}
}

// Written by hand: the questions read as English, and the two traditions are questions and requests.
func TestPhrasings(t *testing.T) {
	want := []string{
		"What is the seat of the Kelman Institute?", "Where is the Kelman Institute based?",
		"In which city is the Kelman Institute based?",
		"Name the seat of the Kelman Institute.", "The Kelman Institute: seat?",
		"Tell me the headquarters of the Kelman Institute.",
		"Complete: The seat of the Kelman Institute is", "Which city is the Kelman Institute based in?",
		"For the Kelman Institute, what is the seat?", "Could you give the headquarters of the Kelman Institute?",
	}
	i := slices.IndexFunc(said().Relations, func(r Relation) bool { return r.Name == "seat" })
	for p, q := range want {
		if got := said().Relations[i].Ask("the Kelman Institute", p); got != q {
			t.Errorf("phrasing %d: %q, want %q", p, got, q)
		}
		if question := strings.HasSuffix(q, "?") && p != 4 && p != 9; asks(p) != question {
			t.Errorf("phrasing %d: of the tradition of questions: %t", p, asks(p))
		}
	}
	f := Fact{Relation: i, Subject: "the Kelman Institute", Value: "Sandorf"}
	for form, want := range map[string]string{
		said().Judge[0]:   "Is it true that the seat of the Kelman Institute is Sandorf?",
		said().Judge[1]:   "Is Sandorf the seat of the Kelman Institute?",
		said().Judge[2]:   "The seat of the Kelman Institute is Sandorf. Is that right?",
		said().Negate[0]:  "Is it false that the seat of the Kelman Institute is Sandorf?",
		said().Premise[1]: "Since when is Sandorf the seat of the Kelman Institute?",
	} {
		if got := fill(form, f.Rel(), f.Subject, f.Value); got != want {
			t.Errorf("%q: %q, want %q", form, got, want)
		}
	}
}

package world

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/base/seed"
	"hallmark/internal/suite"
	"hallmark/internal/text/identifier"
)

// relation returns a relation of earth that must be there.
func relation(t *testing.T, name string) *Relation {
	t.Helper()
	r := Earth().Relation(name)
	if r == nil {
		t.Fatalf("earth has no relation %q", name)
	}
	return r
}

// value returns the value of a subject that must have one.
func value(t *testing.T, name, subject string) string {
	t.Helper()
	r := relation(t, name)
	facts := values(r, subject)
	if len(facts) != 1 {
		t.Fatalf("%s of %s: %d facts", name, subject, len(facts))
	}
	return facts[0].Value
}

// The generators need so many of each kind, in every domain and at every difficulty.
func TestEarthIsLargeEnough(t *testing.T) {
	w := Earth()
	count := map[string]int{}
	add := func(kind, domain, difficulty string) { count[kind+" "+domain+" "+difficulty]++ }
	for _, d := range w.Definitions {
		add("definitions", d.Domain, d.Difficulty)
	}
	for _, p := range w.Premises {
		add("premises", p.Domain, p.Difficulty)
	}
	for _, l := range w.Lists {
		add("lists", l.Domain, l.Difficulty)
	}
	for _, h := range w.Homonyms {
		add("homonyms", h.Domain, h.Difficulty)
	}
	for _, p := range w.Pages {
		add("pages", p.Domain, p.Difficulty)
	}
	for _, k := range w.Works {
		add("works", k.Domain, k.Difficulty)
	}
	for _, want := range []struct {
		kind  string
		least int
	}{{"definitions", 4}, {"premises", 5}, {"lists", 4}, {"homonyms", 3}, {"pages", 3}, {"works", 5}} {
		for _, domain := range suite.Domains {
			for _, difficulty := range suite.Difficulties {
				if n := count[want.kind+" "+domain+" "+difficulty]; n < want.least {
					t.Errorf("%d %s that are %s and %s; want at least %d", n, want.kind, domain, difficulty, want.least)
				}
			}
		}
	}
	for _, least := range []struct {
		what    string
		n, want int
	}{
		{"definitions", len(w.Definitions), 60}, {"premises", len(w.Premises), 70}, {"lists", len(w.Lists), 40},
		{"homonyms", len(w.Homonyms), 30},
		{"pages", len(w.Pages), 40}, {"RFCs", worksOf(w, "rfc"), 60},
		{"countries", len(subjectsOf(relation(t, "alpha-2 code"))), 180},
	} {
		if least.n < least.want {
			t.Errorf("%d %s; want at least %d", least.n, least.what, least.want)
		}
	}
	// Somebody heads something in every domain, and every difficulty of it is there.
	for _, domain := range suite.Domains {
		seen := map[string]int{}
		for _, r := range w.Relations {
			if r.Dated && r.Domain == domain && r.Value == "person" {
				for _, f := range r.Facts {
					seen[f.Difficulty]++
				}
			}
		}
		if seen["easy"]+seen["medium"]+seen["hard"] < 30 {
			t.Errorf("%s: %v terms of office; want 30", domain, seen)
		}
	}
}

// Every entry says how hard it is, and every table where it is from.
func TestEverySourceIsUsed(t *testing.T) {
	w := Earth()
	used := map[string]bool{}
	for _, x := range w.Relations {
		used[x.Source] = true
		for _, f := range x.Facts {
			if f.Difficulty == "" {
				t.Errorf("%s of %s has no difficulty", x.Name, f.Subject)
			}
		}
	}
	for _, x := range w.Works {
		used[x.Source] = true
	}
	for _, x := range w.Homonyms {
		used[x.Source] = true
	}
	for _, x := range w.Premises {
		used[x.Source] = true
	}
	for _, x := range w.Definitions {
		used[x.Source] = true
	}
	for _, x := range w.Lists {
		used[x.Source] = true
	}
	for _, x := range w.Texts {
		used[x.Source] = true
	}
	for _, x := range w.Units {
		used[x.Source] = true
	}
	for _, x := range w.Pages {
		used[x.Source] = true
	}
	for _, key := range slices.Sorted(maps.Keys(w.Sources)) {
		if !used[key] {
			t.Errorf("no table names source %q", key)
		}
	}
	// What changes with time is known through the day that the world is told on, and no table claims more.
	for _, r := range w.Relations {
		if r.Dated && w.Sources[r.Source].Through == "" {
			t.Errorf("%s is dated and its source %q has no end", r.Name, r.Source)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.Sources)) {
		if through := w.Sources[key].Through; through != "" && through != w.AsOf {
			t.Errorf("source %q holds through %s, and the world is told on %s", key, through, w.AsOf)
		}
	}
}

func TestElementsAreComplete(t *testing.T) {
	numbers, symbols := relation(t, "atomic number"), relation(t, "symbol")
	if len(numbers.Facts) != 118 || len(symbols.Facts) != 118 {
		t.Fatalf("%d numbers, %d symbols", len(numbers.Facts), len(symbols.Facts))
	}
	for i, f := range numbers.Facts {
		if f.Value != strconv.Itoa(i+1) || symbols.Facts[i].Subject != f.Subject {
			t.Errorf("row %d: %s has number %s", i+1, f.Subject, f.Value)
		}
	}
	for element, number := range map[string]string{"gold": "79", "uranium": "92", "oganesson": "118", "iron": "26",
		"tungsten": "74", "mercury": "80"} {
		if got := value(t, "atomic number", element); got != number {
			t.Errorf("%s: %s, want %s", element, got, number)
		}
	}
	for _, f := range relation(t, "year of discovery").Facts {
		if y, _ := strconv.Atoi(f.Value); y < 1660 || y > 2010 {
			t.Errorf("%s was discovered in %d", f.Subject, y)
		}
	}
	// The noble gases that the list names stand in one group: the numbers differ by the lengths of the periods.
	gases := list(t, "the noble gases that occur in nature")
	var at []int
	for _, g := range gases.Items {
		n, _ := strconv.Atoi(value(t, "atomic number", g.Name))
		at = append(at, n)
	}
	if !slices.Equal(at, []int{2, 10, 18, 36, 54, 86}) {
		t.Errorf("noble gases at %v", at)
	}
}

func list(t *testing.T, name string) *List {
	t.Helper()
	w := Earth()
	i := slices.IndexFunc(w.Lists, func(l List) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("no list %q", name)
	}
	return &w.Lists[i]
}

func (l *List) names() []string {
	var all []string
	for _, i := range l.Items {
		all = append(all, i.Name)
	}
	return all
}

// Definitions hold their parts in all their forms, premises are put right by their truth, short forms are short; not by
// the reader's own code.
func TestDefinitionsAndPremises(t *testing.T) {
	w := Earth()
	patterns := make([][][]*regexp.Regexp, len(w.Definitions))
	for i, d := range w.Definitions {
		patterns[i], _ = Patterns(d.Parts)
	}
	for n, d := range w.Definitions {
		for i, part := range d.Parts {
			for _, text := range []string{d.Text, d.Short} {
				if !slices.ContainsFunc(part, func(s string) bool { return regexp.MustCompile("(?i)" + s).MatchString(text) }) {
					t.Errorf("%s: %q lacks part %d", d.Term, text, i+1)
				}
			}
			// A part that anything matches decides nothing.
			for _, s := range part {
				if regexp.MustCompile("(?i)" + s).MatchString("It is a thing that one can have in mind.") {
					t.Errorf("%s: wording %q of part %d matches what says nothing", d.Term, s, i+1)
				}
			}
		}
		// No definition passes for another, so that the parts tell them apart.
		for _, other := range w.Definitions {
			lacks := slices.ContainsFunc(patterns[n], func(part []*regexp.Regexp) bool {
				return !slices.ContainsFunc(part, func(re *regexp.Regexp) bool { return re.MatchString(other.Text) })
			})
			if other.Term != d.Term && !lacks {
				t.Errorf("the text of %q passes for a definition of %q", other.Term, d.Term)
			}
		}
		if n := len(strings.Fields(d.Short)); n > ShortWords+4 { // signs of a formula between blanks are no words
			t.Errorf("%s: %d fields", d.Term, n)
		}
	}
	for _, p := range w.Premises {
		if !slices.ContainsFunc(p.Repair, func(s string) bool {
			return strings.Contains(strings.ToLower(p.Truth), strings.ToLower(s))
		}) {
			t.Errorf("%s: the truth %q holds none of %q", p.False, p.Truth, p.Repair)
		}
		for _, s := range p.Repair {
			if len(s) < 2 || holds("It is a thing that one can have in mind.", s) {
				t.Errorf("%s: %q repairs nothing", p.False, s)
			}
		}
		for _, s := range p.Follows {
			if holds(p.Asked, s) {
				t.Errorf("%s: the question itself holds %q, which is said to follow", p.False, s)
			}
		}
		if len(p.Follows) == 0 {
			t.Errorf("%s: nothing follows", p.False)
		}
	}
}

// The identifiers of works are such as answers are read for.
func TestIdentifiersAreRead(t *testing.T) {
	w := Earth()
	for i := range w.Works {
		for kind, text := range w.Works[i].Identifiers {
			if kind == "isbn" || kind == "doi" || kind == "url" || kind == "arxiv" {
				written := text
				if kind == "arxiv" {
					written = "arXiv:" + text
				}
				found := identifier.Find("See " + written + " for it.")
				if !slices.ContainsFunc(found, func(f identifier.Identifier) bool { return f.Kind == kind && f.Text == written }) {
					t.Errorf("%s %q is read as %v", kind, text, found)
				}
			}
		}
	}
}

// Invented names are of every kind, never taken, many, and the same at the same seed.
func TestInventedNames(t *testing.T) {
	w := Earth()
	for _, kind := range slices.Sorted(maps.Keys(w.Names)) {
		if !strings.Contains(w.Names[kind][0], "{") {
			continue // a part of names
		}
		seen := map[string]bool{}
		a, b := seed.Stream(7, "names", kind), seed.Stream(7, "names", kind)
		for range 50 {
			name, ok := w.Invent(a, kind)
			again, _ := w.Invent(b, kind)
			if !ok || name != again || w.Taken(name) || strings.ContainsAny(name, "{}") || strings.TrimSpace(name) == "" {
				t.Fatalf("%s: %q, then %q", kind, name, again)
			}
			seen[name] = true
		}
		if (kind == "person" || kind == "title" || kind == "place" || kind == "company") && len(seen) < 40 {
			t.Errorf("50 draws of a %s give %d names", kind, len(seen))
		}
	}
	for _, known := range []string{"France", "the united  kingdom", "PARIS", "Joshua Greene",
		"Moral Tribes: Emotion, Reason, and the Gap Between Us and Them", "Bogota", "matroid"} {
		if !w.Taken(known) {
			t.Errorf("%q is not taken", known)
		}
	}
	if _, ok := w.Invent(seed.Stream(1, "none"), "no such kind"); ok {
		t.Error("a name of a kind without patterns")
	}
}

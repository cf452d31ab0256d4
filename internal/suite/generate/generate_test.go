package generate

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"hallmark/internal/base/seed"
	"hallmark/internal/model/pocket"
	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

func made(t *testing.T, w *world.World, opt Options) (*suite.Suite, Coverage) {
	t.Helper()
	s, c, err := Suite(w, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// TestCore holds core to what METHODS asks of it: 60 cases a class, as many of each difficulty, no two alike, every
// pressure in every class, and the shares of ways in which answers are checked.
func TestCore(t *testing.T) {
	s, err := Core()
	if err != nil {
		t.Fatal(err)
	}
	_, c, err := makeCore()
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "core" || s.Cases.Len() != CorePerClass*len(generators) {
		t.Errorf("%s has %d cases", s.Name, s.Cases.Len())
	}
	seen := map[string]string{}
	pressed := map[string]map[string]int{}
	for i := range s.Cases.Len() {
		k := s.Cases.At(i)
		like := likeness(k)
		if other := seen[like]; other != "" {
			t.Errorf("%s and %s are alike", other, k.ID)
		}
		seen[like] = k.ID
		if pressed[k.Class] == nil {
			pressed[k.Class] = map[string]int{}
		}
		for _, tag := range k.Tags {
			pressed[k.Class][tag]++
		}
		if len(k.Phrasings) < 3 {
			t.Errorf("%s has %d phrasings beside its prompt", k.ID, len(k.Phrasings))
		}
	}
	for _, g := range generators {
		for _, difficulty := range suite.Difficulties {
			if n := c.Total(g.class, "", difficulty); n != CorePerClass/3 {
				t.Errorf("%s has %d cases that are %s, want %d", g.class, n, difficulty, CorePerClass/3)
			}
		}
		for _, p := range []string{adversarial, loaded, AuditTag} {
			if pressed[g.class][p] < 2 {
				t.Errorf("%s has %d cases with %s", g.class, pressed[g.class][p], p)
			}
		}
		if pressed[g.class]["worked-case"] != 1 {
			t.Errorf("%s has %d worked cases, want the source's", g.class, pressed[g.class]["worked-case"])
		}
	}
	perturbed := map[string]int{}
	for _, tags := range pressed {
		for tag, n := range tags {
			perturbed[tag] += n
		}
	}
	for _, tag := range []string{"as-of-today", "as-of-shift", "stale-source", "near-twin", "silent-source",
		"premise-edit", "unit-change", "double-negation", brief, conflicting, decoy} {
		if perturbed[tag] < 3 {
			t.Errorf("%d cases are made by %s", perturbed[tag], tag)
		}
	}
	for tag, least := range map[string]int{"rare-entity": 10, "code": 3} {
		if perturbed[tag] < least {
			t.Errorf("%d cases have the tag %s, want %d", perturbed[tag], tag, least)
		}
	}
	for _, d := range suite.Domains {
		if c.Total("", d, "") < s.Cases.Len()/20 {
			t.Errorf("domain %s has %d cases", d, c.Total("", d, ""))
		}
	}
	total := c.Checked.Auto + c.Checked.Retrieval + c.Checked.Audit
	if total != s.Cases.Len() || total != c.Total("", "", "") {
		t.Errorf("%d cases are checked in some way, of %d", total, s.Cases.Len())
	}
	if share := float64(c.Checked.Audit) / float64(total); share < .09 || share > .11 {
		t.Errorf("%.3f of the cases are for people, want a tenth", share)
	}
	t.Logf("auto %d, retrieval %d, audit %d", c.Checked.Auto, c.Checked.Retrieval, c.Checked.Audit)
}

// TestSame holds that the same options give the same bytes, another seed others, and a shorter suite the beginning of
// each class.
func TestSame(t *testing.T) {
	text := func(n int, seed uint64) string {
		s, _ := made(t, world.Earth(), Options{N: n, Seed: seed})
		var b bytes.Buffer
		if err := s.WriteYAML(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	n := 12 * len(generators)
	if first, again := text(n, 4), text(n, 4); first != again {
		t.Error("the same seed gives other bytes")
	}
	if text(n, 4) == text(n, 5) {
		t.Error("another seed gives the same bytes")
	}
	long, _ := made(t, world.Earth(), Options{N: 2 * n, Seed: 4})
	short, _ := made(t, world.Earth(), Options{N: n, Seed: 4})
	for i := range short.Cases.Len() {
		id := short.Cases.At(i).ID
		k := slices.IndexFunc(long.Cases.Loose(), func(c suite.Case) bool { return c.ID == id })
		if k < 0 || likeness(long.Cases.At(k)) != likeness(short.Cases.At(i)) {
			t.Errorf("%s is another case in a longer suite", id)
		}
	}
}

// TestAnyDay holds for drawn days that what a case takes for today is the suite's, that its dates are not beyond it,
// and that its golds hold.
func TestAnyDay(t *testing.T) {
	w := world.Earth()
	r := seed.Stream(1, "days")
	for range 16 {
		day := time.Date(2012+r.IntN(29), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
		asOf := day.Format(time.DateOnly)
		s, _ := made(t, w, Options{N: 24, Seed: r.Uint64(), AsOf: asOf, Classes: []string{"time-shift-role",
			"time-shift-policy"}})
		if s.AsOf != asOf {
			t.Fatalf("as of %s, want %s", s.AsOf, asOf)
		}
		for i := range s.Cases.Len() {
			c := s.Cases.At(i)
			if err := recompute[c.Class](w, c, c.Prompt); err != nil {
				t.Fatalf("%s: %v: %s", c.ID, err, c.Prompt)
			}
			for _, d := range dayText.FindAllString(c.Prompt, -1) {
				if parseDay(d) > asOf {
					t.Fatalf("%s asks about %s, which is after %s", c.ID, d, asOf)
				}
			}
			if tagged(c, "as-of-today") && !strings.Contains(c.Prompt, longDate(day)) {
				t.Fatalf("%s does not say which day is today: %s", c.ID, c.Prompt)
			}
		}
	}
}

// TestPocket makes a suite of the built-in model's world, and holds it to the same rules.
func TestPocket(t *testing.T) {
	w := pocket.AsWorld()
	s, c := made(t, w, Options{N: 300, Seed: 1})
	checkGolden(t, s)
	recomputed(t, w, s)
	if len(c.Gaps) == 0 {
		t.Error("the world of pocket has no gaps, which cannot be: it has no lists and no units")
	}
	if s.World != "pocket" || s.AsOf != pocket.AsOf {
		t.Errorf("a suite of world %q as of %q", s.World, s.AsOf)
	}
}

// TestRefusals holds that what cannot be made is one clear error.
func TestRefusals(t *testing.T) {
	earth := world.Earth()
	small := &world.World{Name: "small", AsOf: "2026-01-01", Premises: []world.Premise{{
		False: "a square circle", Asked: "How large is a square circle?", Truth: "There is none.",
		Placed: world.Placed{Domain: "mathematical"}, Repair: []string{"no circle is square"},
	}}}
	for _, c := range []struct {
		w    *world.World
		opt  Options
		want string
	}{
		{earth, Options{N: 0}, "want 1 to"},
		{earth, Options{N: MaxN + 1}, "want 1 to"},
		{earth, Options{N: 9, AsOf: "2026-02-30"}, "is no date"},
		{earth, Options{N: 9, Classes: []string{"multihop"}}, `unknown class "multihop"`},
		{small, Options{N: 500, Classes: []string{"false-premise"}}, "false-premise ends at"},
		{small, Options{N: 5, Classes: []string{"time-shift-role"}}, "nothing to make cases of class time-shift-role from"},
	} {
		s, _, err := Suite(c.w, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.opt, err, c.want)
		}
		if s != nil {
			t.Errorf("%+v: a suite beside the error", c.opt)
		}
	}
}

// TestMissingGapsAreNamed holds that a world without a table says where its suite is empty.
func TestMissingGapsAreNamed(t *testing.T) {
	small := &world.World{Name: "small", AsOf: "2026-01-01"}
	_, c := made(t, small, Options{N: 80, Seed: 1})
	for _, class := range []string{"time-shift-role", "entity-conflation", "false-premise"} {
		if !slices.ContainsFunc(c.Gaps, func(g Gap) bool { return g.Class == class && g.Domain == "" && g.Why != "" }) {
			t.Errorf("no gap is named for %s: %v", class, c.Gaps)
		}
	}
}

package pocket

import (
	"testing"

	"hallmark/internal/suite/world"
)

// TestAsWorld holds that the world keeps the rules of worlds, and that its tables are the universe's.
func TestAsWorld(t *testing.T) {
	w := AsWorld()
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, r := range w.Relations {
		if !r.Dated {
			n += len(r.Facts)
		}
	}
	if want := len(World().Facts) - len(World().Of(Unstated)); n != want {
		t.Errorf("%d facts, want the %d that are stated", n, want)
	}
	at := func(relation, subject, day string) (world.Fact, bool) {
		for _, r := range w.Relations {
			for _, f := range r.Facts {
				if r.Name == relation && f.Subject == subject && f.On(day) {
					return f, true
				}
			}
		}
		return world.Fact{}, false
	}
	for _, f := range World().Facts {
		if f.Rel().Name != "capital" {
			continue
		}
		got, ok := at("capital", f.Subject, AsOf)
		if ok != (f.Category != Unstated) || ok && got.Value != f.Value {
			t.Errorf("capital of %s: %+v, %v, want %q", f.Subject, got, ok, f.Value)
		}
	}
	for _, o := range World().Offices {
		if f, ok := at("director", o.Organisation, "2015-06-30"); !ok || f.Value != o.Holders[1] {
			t.Errorf("director of %s in 2015: %+v", o.Organisation, f)
		}
	}
	for kind, names := range w.Names {
		for _, name := range names {
			if w.Taken(name) {
				t.Errorf("%s %q is to be invented, and is there", kind, name)
			}
		}
	}
	if len(w.Homonyms) < 4 || len(w.Works) < 10 {
		t.Errorf("%d homonyms, %d works", len(w.Homonyms), len(w.Works))
	}
}

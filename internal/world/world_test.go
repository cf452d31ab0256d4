package world

import "testing"

func TestEarthHolds(t *testing.T) {
	w := Earth()
	for i := range w.Relations {
		r := &w.Relations[i]
		t.Logf("%s of %s: %d facts", r.Name, r.Subject, len(r.Facts))
	}
}

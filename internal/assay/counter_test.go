package assay

import (
	"testing"
)

// A stored plan is read into lists of the right length, and what is no list of cases is refused as before.
func TestParsePlanHoldsNoRoom(t *testing.T) {
	p, err := ParsePlan([]byte(`{"suites": [{"name": "s", "cases": [{"id": "a"}, {"id": "b", "prompt": "[{,"}, {"id": "c"}]}, {"name": "none", "cases": []}, {"name": "null"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []int{3, 0, 0} {
		if c := p.Suites[i].Cases; len(c) != n || cap(c) != n {
			t.Errorf("suite %d: %d cases in room for %d, want %d", i, len(c), cap(c), n)
		}
	}
	for _, bad := range []string{`{"suites": [{"cases": [0, 0]}]}`, `{"suites": [{"cases": {}}]}`, `{"suites": [null]}`} {
		if _, err := ParsePlan([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

package assay

import (
	"testing"

	"hallmark/internal/grade"
)

// The anchors have each outcome as often, and another question in each run.
func TestAnchors(t *testing.T) {
	n := map[grade.Outcome]int{}
	for _, a := range anchors {
		n[a.Outcome]++
		if a.in("one").Text() == a.in("two").Text() {
			t.Errorf("%s: its question does not depend on the run", a.ID)
		}
	}
	if len(anchors) != 12 || n[grade.Correct] != 4 || n[grade.Incorrect] != 4 || n[grade.NotAttempted] != 4 {
		t.Errorf("%v", n)
	}
}

package reading

import "testing"

// TestEnds tells which end of a scale a word names, seen from a question.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		question []string
		word     string
		want     int
	}{
		{[]string{"which", "is", "higher"}, "highest", 1},
		{[]string{"which", "is", "higher"}, "lower", -1},
		{[]string{"who", "was", "born", "first"}, "older", 1},
		{[]string{"who", "was", "born", "first"}, "later", -1},
		{[]string{"who", "was", "born", "first"}, "higher", 0},
		{[]string{"higher", "or", "lower"}, "lower", 0}, // both ends are asked about
		{[]string{"what", "is", "it"}, "more", 0},
	} {
		if got := EndsOf(c.question).Toward(c.word); got != c.want {
			t.Errorf("%v %s: %d, want %d", c.question, c.word, got, c.want)
		}
	}
	if !EndsOf([]string{"fewer"}).Same(EndsOf([]string{"less"})) ||
		EndsOf([]string{"more"}).Same(EndsOf([]string{"less"})) {
		t.Error("fewer and less are one end, more and less two")
	}
}

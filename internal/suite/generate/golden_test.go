package generate

import (
	"maps"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// A tally counts how answers that are right or wrong by construction are read: not at all, or the other way round.
type tally struct{ n, open, misread int }

// add reports whether a grade says the contrary of what is so.
func (c *tally) add(g grade.Grade, right bool) bool {
	c.n++
	switch o := g.Outcome(); {
	case o == grade.CannotGrade:
		c.open++
	case (o == grade.Correct) != right:
		c.misread++
		return true
	}
	return false
}

// holds requires that at least so large a share is read, and of what is read at most so large a share the other way
// round.
func (c tally) holds(t *testing.T, what string, read, misread float64) {
	t.Helper()
	decided := c.n - c.open
	t.Logf("%-28s %5d answers, read %.3f, of these misread %d, %.4f", what, c.n, float64(decided)/float64(c.n), c.misread,
		float64(c.misread)/float64(max(1, decided)))
	if float64(decided) < read*float64(c.n) || float64(c.misread) > misread*float64(decided) {
		t.Errorf("%s: want %.2f read, and at most %.3f of these misread", what, read, misread)
	}
}

// TestGolden holds that hardly an answer that is right is read as wrong, or one that is wrong as right, for every case
// of core and, with HALLMARK_LONG=1, of another suite, and that most of them are read.
func TestGolden(t *testing.T) {
	if archtest.Race {
		t.Skip("on one goroutine")
	}
	for _, seed := range []uint64{1, 7}[:archtest.Draws(1, 2, 2)] {
		s, _, err := Suite(world.Earth(), Options{N: 900, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		checkGolden(t, s)
	}
}

func checkGolden(t *testing.T, s *suite.Suite) {
	t.Helper()
	r, err := rubric.New(s, s.AsOf)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]*tally{}
	for i := range s.Cases.Len() {
		c := s.Cases.At(i)
		right, wrong, ok := golden(c)
		if !ok {
			t.Errorf("%s: no golden answers", c.ID)
			continue
		}
		for _, e := range []struct {
			text  string
			right bool
		}{{right, true}, {wrong, false}} {
			g := r.Grade(c, grade.Answer{Text: &e.text})
			if g.Outcome() == grade.NoOutcome || e.right && g.Format.Verdict == grade.Fail {
				t.Errorf("%s: %q is unscored, or right and not as asked: %s %v", c.ID, e.text, g.Reason, g.Format)
			}
			if by[c.Class] == nil {
				by[c.Class] = &tally{}
			}
			if by[c.Class].add(g, e.right) && by[c.Class].misread < 4 {
				t.Logf("%s: %v: %q: %s where right is %v: T %v D %v", c.ID, c.Tags, e.text, g.Outcome(), e.right, g.Truth,
					g.Decidability)
			}
		}
		if len(c.Phrasings) < 3 && !slices.Contains(c.Tags, "worked-case") {
			t.Errorf("%s: %d phrasings beside the prompt", c.ID, len(c.Phrasings))
		}
	}
	var all tally
	for _, class := range slices.Sorted(maps.Keys(by)) {
		by[class].holds(t, class, .5, .06)
		all.n, all.open, all.misread = all.n+by[class].n, all.open+by[class].open, all.misread+by[class].misread
	}
	all.holds(t, "all classes", .9, .006)
}

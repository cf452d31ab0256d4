package grade

import (
	"testing"
)

func grades(t, d, r, f Verdict) Grade {
	return Grade{Truth: Judgment{Verdict: t}, Decidability: Judgment{Verdict: d}, Reciprocity: Judgment{Verdict: r},
		Format: Judgment{Verdict: f}}
}

// TestHallucinated is the definition of H in METHODS 2: 1 if T, D or R is 0; unscored if none is and one is unscored;
// else 0.
func TestHallucinated(t *testing.T) {
	for _, c := range []struct {
		g         Grade
		gates     bool
		h, scored bool
	}{
		{grades(Pass, Pass, Pass, Fail), false, false, true},
		{grades(Pass, Pass, Pass, Fail), true, true, true},
		{grades(Fail, Pass, Pass, Pass), false, true, true},
		{grades(Pass, Unscored, Fail, Pass), false, true, true},
		{grades(Pass, Unscored, Pass, Pass), false, false, false},
		{grades(Ungradable, Fail, Pass, NotApplicable), false, true, true},
		{grades(Pass, Pass, NotApplicable, Unscored), false, false, true},
		{Grade{}, false, false, false},
	} {
		if h, scored := c.g.Hallucinated(c.gates); h != c.h || scored != c.scored {
			t.Errorf("%+v, gates %v: %v, %v; want %v, %v", c.g, c.gates, h, scored, c.h, c.scored)
		}
	}
}

func TestMissing(t *testing.T) {
	text, option := "", 0
	for _, c := range []struct {
		a    Answer
		want string
	}{
		{Answer{Text: &text}, ""}, {Answer{Option: &option}, ""}, {Answer{}, "the response has no text"},
		{Answer{Failure: "HTTP 500", Text: &text}, "HTTP 500"},
		{Answer{Text: &text, Finish: "content_filter"}, "withheld by the provider's content filter"},
	} {
		if got := c.a.Missing(); got != c.want {
			t.Errorf("%+v is missing for %q, want %q", c.a, got, c.want)
		}
	}
}

// TestOutcome is the table of GRADING 2.
func TestOutcome(t *testing.T) {
	as := func(g Grade, a Act) Grade { g.Act = a; return g }
	lapse := as(grades(Pass, Fail, Pass, Fail), Answered)
	lapse.Lapse = true
	for _, c := range []struct {
		name string
		g    Grade
		want Outcome
	}{
		{"right", as(grades(Pass, Pass, Pass, Pass), Answered), Correct},
		{"right without the evidence", as(grades(Pass, Pass, Fail, Pass), Answered), Correct},
		{"the right act", as(grades(Pass, Pass, Pass, NotApplicable), Declined), Correct},
		{"wrong", as(grades(Fail, Pass, Pass, Pass), Answered), Incorrect},
		{"a guess under ambiguity", as(grades(Pass, Fail, Pass, Pass), Answered), Incorrect},
		{"right without the date asked for", lapse, Correct},
		{"declined though answerable", as(grades(Fail, Fail, Pass, Pass), Declined), NotAttempted},
		{"asked though complete", as(grades(Fail, Fail, Pass, Pass), Asked), NotAttempted},
		{"committed to nothing", as(grades(Fail, Fail, Pass, Pass), Hedged), NotAttempted},
		{"empty", as(grades(NotApplicable, Fail, Pass, NotApplicable), Empty), NotAttempted},
		{"unreadable", as(grades(Ungradable, Ungradable, Pass, NotApplicable), Unreadable), CannotGrade},
		{"unreadable, with an invention", as(grades(Ungradable, Ungradable, Fail, NotApplicable), Unreadable), CannotGrade},
		{"nothing came back", Grade{}, NoOutcome},
	} {
		if got := c.g.Outcome(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

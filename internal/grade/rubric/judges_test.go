package rubric

import (
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/grade/judge"
)

// TestJudgesDecide holds that with a judge that decides all, every answer to every kind of case has the outcome that
// the judge gives it, and that one which decides what rules leave is asked about nothing else.
func TestJudgesDecide(t *testing.T) {
	s := labelledCases(t)
	r, err := New(s, "2026-11-01")
	if err != nil {
		t.Fatal(err)
	}
	asked, left := 0, 0
	for _, l := range append(opinions(t, s, "testdata/development.txt"), opinions(t, s, "testdata/heldout.txt")...) {
		a := grade.Answer{Text: &l.answer}
		r.Bench = Bench{}
		rules := r.Grade(l.c, a)
		r.Bench = Bench{Judges: 1}
		some := r.Questions(l.c, a)
		own := l.c.Oracle.Has("judge")
		if want := rules.Outcome() == grade.CannotGrade && !own; want != (len(some) == 1 && some[0].Asked != nil) && !own {
			t.Errorf("%s: %q: rules say %s, and a judge is asked %d questions", l.c.ID, l.answer, rules.Outcome(), len(some))
		}
		if rules.Outcome() == grade.CannotGrade {
			left++
			if got := r.Grade(l.c, a); got.Outcome() != grade.CannotGrade || got.Grader != "rules" {
				t.Errorf("%s: %q: before the judge has replied it is %+v", l.c.ID, l.answer, got)
			}
		}
		r.Bench.All = true
		all := r.Questions(l.c, a)
		if rules.Act == grade.Empty {
			continue
		}
		if len(all) != 1 || all[0].Asked == nil {
			t.Errorf("%s: %q: %d questions", l.c.ID, l.answer, len(all))
			continue
		}
		asked++
		for _, want := range []grade.Outcome{grade.Correct, grade.Incorrect, grade.NotAttempted} {
			a.Opinions = map[string][]grade.Opinion{all[0].Text: {{Text: judge.Words(want)}}}
			g := r.Grade(l.c, a)
			h, scored := g.Hallucinated(false)
			if g.Outcome() != want || g.Grader != "judge" || g.Reason != "" {
				t.Errorf("%s: %q: the judge says %s, and it is %+v", l.c.ID, l.answer, want, g)
			}
			if want != grade.Correct && (!h || !scored || g.Kind == grade.None) {
				t.Errorf("%s: %q is %s and no failure: %+v", l.c.ID, l.answer, want, g)
			}
			if want == grade.Correct && g.Normal.IsZero() {
				t.Errorf("%s: %q is correct and has no form", l.c.ID, l.answer)
			}
		}
		for reply, want := range map[string]grade.Verdict{"": grade.Ungradable, "perhaps": grade.Ungradable} {
			a.Opinions = map[string][]grade.Opinion{all[0].Text: {{Text: reply}}}
			if g := r.Grade(l.c, a); g.Truth.Verdict != want || g.Outcome() != grade.CannotGrade {
				t.Errorf("%s: a reply of %q makes it %+v", l.c.ID, reply, g.Truth)
			}
		}
		a.Opinions = map[string][]grade.Opinion{all[0].Text: {{Failure: "status 500"}}}
		if g := r.Grade(l.c, a); g.Outcome() != grade.NoOutcome || g.Reason != "judge: no reply: status 500" {
			t.Errorf("%s: a call that failed makes it %+v", l.c.ID, g)
		}
	}
	if asked < 250 || left < 10 {
		t.Errorf("%d answers were asked about, %d of which rules left", asked, left)
	}
}

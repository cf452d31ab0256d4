package paired

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/grade"
	"hallmark/internal/metric/rate"
)

// side is a run of a suite whose cases ask these questions, by id.
func sideOf(run, suite string, asks map[string]string) Side {
	s := Side{ID: rate.SeriesRun{Run: run}, suite: assay.SuiteInfo{Name: suite, Hash: suite + strings.Join(
		slices.Sorted(func(yield func(string) bool) {
			for id, q := range asks {
				if !yield(id + q) {
					return
				}
			}
		}), "")}, asked: map[string]question{}, about: run}
	for id, q := range asks {
		s.asked[id] = question{prompt: q}
	}
	return s
}

// Each reason why a comparison says less is one line, which says what is compared and what would change it.
func TestLimits(t *testing.T) {
	three := map[string]string{"a": "A?", "b": "B?", "c": "C?"}
	base := sideOf("base", "caps", three)
	for name, x := range map[string]struct {
		change func(s *Side)
		want   string
	}{
		"the same": {func(*Side) {}, ""},
		"another suite": {func(s *Side) { s.suite.Name = "towns" },
			"run base is of the suite caps and run other of towns: compared are the 3 cases with the same id, question and " +
				"gold, of 3 and 3"},
		"no common case": {func(s *Side) {
			*s = sideOf("other", "towns", map[string]string{"x": "A?", "y": "B?", "a": "Z?"})
		}, "run base is of the suite caps and run other of towns: of their 3 and 3 cases none has the same id, question " +
			"and " +
			"gold, so nothing can be compared; 2 cases ask the same under other ids: give each one id to compare them"},
		"another content": {func(s *Side) { *s = sideOf("other", "caps", map[string]string{"a": "A?", "b": "B changed?"}) },
			"run base and run other are of two contents of the suite caps: compared is the 1 case with the same id, " +
				"question and gold, of 3 and 2"},
		"contents that ask the same": {func(s *Side) { s.suite.Hash = "of another tag" }, ""},
		"incomplete": {func(s *Side) { s.missing = 2 }, "run other is incomplete: 2 of its answers to the default prompt " +
			"are missing, and these cases are in no figure; `hallmark run` with the same flags goes on"},
		"another grading": {func(s *Side) { s.made.readAs = "1" }, "run other was graded by version 1 of the grading; its " +
			"answers are read anew by version " + grade.Version + ", as all here, so its figures may differ from those in its " +
			"bundle"},
		"another day": {func(s *Side) { s.made.asOf = "2026-11-02" }, "the runs differ in what is today (run base is of " +
			"2026-11-01, run other of 2026-11-02): where the right answer depends on the day, a case has another gold and is " +
			"left out"},
		"no day": {func(s *Side) { s.made.asOf = "" }, ""},
		"one model with itself": {func(s *Side) { s.ID, s.about = rate.SeriesRun{Run: "base"}, "base" },
			"both sides are the same answers of one model: nothing can differ"},
	} {
		base.made.asOf = "2026-11-01"
		other := sideOf("other", "caps", three)
		other.made.asOf = "2026-11-01"
		x.change(&other)
		got := strings.Join(Limits([]Side{base, other}), "\n")
		if got != x.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, x.want)
		}
	}
}

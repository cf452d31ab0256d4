package annotate

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/run"
)

// A rate that labels correct says that they were seen by one rater alone, until another has seen 30 of them and all
// that contradict the grader.
func TestSecondRater(t *testing.T) {
	items := slices.Concat(many(40, "FPPn"), many(60, "PPPn"))
	says := func(rater string, items []Item, of func(u *Item) grade.Outcome) (out []run.Annotation) {
		for i := range items {
			out = append(out, run.Annotation{Unit: items[i].ID, Rater: rater,
				Label: labelOf(Label{Outcome: string(of(&items[i])), ByReading: true, Stratum: items[i].Stratum, Seed: 1})})
		}
		return out
	}
	against := map[string]bool{}
	for _, u := range items[:4] {
		against[u.ID] = true
	}
	truth := func(u *Item) grade.Outcome {
		if against[u.ID] {
			return grade.Correct
		}
		return u.Grade.Outcome()
	}
	warned := func(list []run.Annotation) string {
		r, err := Analyze(items, nil, list, 1, .95)
		if err != nil || r.Outcomes == nil || r.Outcomes.Incorrect == nil {
			t.Fatal(r, err)
		}
		for _, w := range r.Warnings {
			if strings.Contains(w, "labels err") {
				return w
			}
		}
		return ""
	}
	all := says("ann", items, truth)
	if w := warned(all); !strings.Contains(w, "0 answers were labelled by two raters, where 30 are asked for, and 4 "+
		"labels that contradict") {
		t.Errorf("%q", w)
	}
	for _, rater := range []string{"ann", "bob"} {
		list, err := Second(items, all, rater, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if rater == "ann" {
			if len(list) > 0 {
				t.Errorf("ann is shown %d answers again", len(list))
			}
			continue
		}
		if len(list) != 30 || slices.ContainsFunc(list[:4], func(u Item) bool { return !against[u.ID] }) {
			t.Errorf("%d answers, first %s", len(list), list[0].ID)
		}
		all = append(all, says("bob", list, truth)...)
	}
	if w := warned(all); w != "" {
		t.Errorf("seen twice, and %q", w)
	}
	if list, err := Second(items, all, "cas", 0, 1); err != nil || len(list) > 0 {
		t.Errorf("%d more, %v", len(list), err)
	}
	// Raters who differ on the outcome have it adjudicated, and their agreement on it is measured.
	r, err := Analyze(items, nil, append(says("ann", items, truth), says("bob", items[:4], func(*Item) grade.Outcome {
		return grade.Incorrect
	})...), 1, .95)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Readjudicate) != 4 || !slices.Equal(r.Readjudicate[0].Axes, []string{"outcome"}) ||
		r.Readjudicate[0].Labels["bob"]["outcome"] != "incorrect" || r.Agreement["outcome"].N == 0 {
		t.Errorf("%+v, %+v", r.Readjudicate, r.Agreement["outcome"])
	}
}

package rate

import (
	"reflect"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/grading"
	"hallmark/internal/suite"
)

// perfect is a check in which each of 300 answers up to five words long was read as it is.
func perfect() *grading.Check {
	b := grading.LotBand{N: 300}
	for _, truth := range grading.Truths {
		*b.Matrix.Of(truth).Of(truth) = 100
	}
	lot := grading.Lot{Name: "lot", N: 300, Cases: 300, ByLength: map[grading.Length]grading.LotBand{grading.UpTo5: b}}
	return &grading.Check{GradingVersion: "9", Date: "2026-11-20", Lots: []grading.Lot{lot}}
}

// read are rows of so many correct, incorrect, declined and ungradable answers, and one that did not come back.
func read(n [4]int) []Row {
	var rows []Row
	for i, verdicts := range []string{"PPPn", "FPPn", "FPPn", "UPPn"} {
		for range n[i] {
			r := row(string(rune('a'+len(rows)/26))+string(rune('a'+len(rows)%26)), "x", verdicts, "")
			r.Length = grading.UpTo5
			if i == 2 {
				r.Grade.Act = grade.Declined
			}
			rows = append(rows, r)
		}
	}
	return append(rows, Row{CaseID: "missing", Grade: &grade.Grade{Reason: "a failed call"}})
}

// TestImplied: the check is asked with the counts that the shares are of, and says nothing where one verdict is none of
// its kind.
func TestImplied(t *testing.T) {
	opt := Options{Check: perfect(), Seed: 7}
	rows := read([4]int{60, 30, 10, 0})
	o := Analyze(rows, opt).Outcomes
	i := o.Grading.Implied
	if i == nil || i.Incorrect == nil || !i.Fits || i.N != o.N || i.CheckN != 300 || i.GradingVersion != "9" {
		t.Fatalf("%+v", i)
	}
	want := grading.Reads[int]{Correct: 60, Incorrect: 30, NotAttempted: 10}
	shares := grading.Reads[int]{
		Correct: o.Count(o.Correct), Incorrect: o.Count(o.Incorrect), NotAttempted: o.Count(o.NotAttempted),
	}
	if len(i.Read) != 1 || i.Read[grading.UpTo5] != want || want != shares {
		t.Errorf("read %v, the shares are of %v", i.Read, shares)
	}
	if again := opt.Check.Implied(i.Read, opt.Seed, .95); !reflect.DeepEqual(again.Incorrect, i.Incorrect) {
		t.Errorf("%v, from the counts in the document %v", *i.Incorrect, *again.Incorrect)
	}
	if i.Incorrect.Lo > .3 || i.Incorrect.Hi < .3 {
		t.Errorf("30 of 100 were read as incorrect by a grader that does not err: %v", *i.Incorrect)
	}
	res := Analyze(rows, opt)
	if res.ByClass["x"].Outcomes.Grading.Implied != nil {
		t.Error("a class has a figure of its own")
	}

	// Where a third could not be graded, as none of the check's was, it does not carry over.
	misfit := Analyze(read([4]int{40, 20, 10, 30}), opt).Outcomes.Grading.Implied
	if misfit.Fits || misfit.Incorrect != nil || *misfit.FitP > .05 || len(misfit.Warnings) != 1 {
		t.Errorf("%+v", misfit)
	}

	together := read([4]int{60, 30, 10, 0})
	for i := range together {
		together[i].Cluster = int32(1 + i/2)
	}
	rows[3].Length = ""
	for name, o := range map[string]Outcomes{
		"no check":         Analyze(read([4]int{60, 30, 10, 0}), Options{Seed: 7}).Outcomes,
		"none gradable":    Analyze(read([4]int{0, 0, 0, 5}), opt).Outcomes,
		"none came back":   Analyze(read([4]int{}), opt).Outcomes,
		"another's answer": Analyze(rows, opt).Outcomes,
		"asked twice each": Analyze(together, opt).Outcomes,
	} {
		if o.Grading.Implied != nil {
			t.Errorf("%s: %+v", name, o.Grading.Implied)
		}
	}
}

// TestLength: a row has the length of its answer where rules read it, and none where a judge or a person decided.
func TestLength(t *testing.T) {
	s := &suite.Suite{Name: "s", Cases: suite.ListOf([]suite.Case{
		{ID: "a", Prompt: "What is the capital of France?", Gold: suite.Gold{Texts: []string{"Paris"}}},
		{ID: "b", Prompt: "Tell both sides.", Oracle: &suite.Oracle{Type: "judge", Criteria: "Both sides are told."}},
	})}
	r, err := rubric.New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	text := "It is Paris, as far as I know."
	g := new(r.Grade(s.Cases.At(0), grade.Answer{Text: &text}))
	if got := NewRow(r, s.Cases.At(0), g, text).Length; got != grading.UpTo25 {
		t.Errorf("length %q", got)
	}
	if got := NewRow(r, s.Cases.At(1), g, text).Length; got != "" {
		t.Errorf("of a case that a judge decides: %q", got)
	}
	g.Grader = "label"
	if got := NewRow(r, s.Cases.At(0), g, text).Length; got != "" {
		t.Errorf("of a label: %q", got)
	}
}

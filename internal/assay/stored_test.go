package assay

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/suite"
)

// A stored plan gives the same calls and the same notes as the plan itself, also where demonstrations are drawn from a
// pool.
func TestStoredPlan(t *testing.T) {
	var cases []suite.Case
	var rows []suite.Demonstration
	for i := range 6 {
		rows = append(rows, suite.Demonstration{Input: fmt.Sprintf("claim %d", i), Label: "yes"})
	}
	for i := range 3 {
		gold := i % 2
		cases = append(cases, suite.Case{ID: fmt.Sprint("c", i), Prompt: fmt.Sprintf("claim %d", i), Form: suite.Claim,
			Options: []string{"yes", "no"},
			Gold:    suite.Gold{Option: &gold}, Pool: "pool.jsonl", Shots: 2, Rows: rows})
	}
	s := &suite.Suite{Name: "claims", Warnings: []string{"claims.jsonl stands in for another"}, Cases: suite.ListOf(cases)}
	p := Defaults()
	p.Models, p.Suites, p.Variants = []UnderTest{{Ref: "m", Identity: "m"}}, []*suite.Suite{s},
		[]prompt.Spec{{Kind: prompt.Draws, N: 4}}
	kept, err := p.Stored()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParsePlan(kept)
	if err != nil {
		t.Fatal(err)
	}
	if back.ID() != p.ID() {
		t.Errorf("id %s, was %s", back.ID(), p.ID())
	}
	wantSeq, _, err := p.Calls()
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Collect(wantSeq)
	gotSeq, _, err := back.Calls()
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Collect(gotSeq)
	if diff := cmp.Diff(want, got); err != nil || diff != "" || len(want) != 3*5+3*2 {
		t.Errorf("%d calls, %v: %s", len(want), err, diff)
	}
	before, _ := p.Validate()
	after, _ := back.Validate()
	if !slices.Contains(before, "suite claims: claims.jsonl stands in for another") || !slices.Equal(before, after) {
		t.Errorf("notes %q, were %q", after, before)
	}
	if _, err := ParsePlan([]byte("{")); err == nil {
		t.Error("a broken plan reads")
	}
}

// Letters are shown and scored whatever a suite says, and only as many as there are.
func TestLettersAreScored(t *testing.T) {
	gold := 0
	s := &suite.Suite{Name: "s", Cases: suite.ListOf([]suite.Case{{ID: "c", Prompt: "Which?",
		Options: []string{"this", "that"}, Gold: suite.Gold{Option: &gold}}})}
	p := Defaults()
	p.Models, p.Suites, p.OptionScore = []UnderTest{{Ref: "m", Identity: "m"}}, []*suite.Suite{s}, prompt.Letters
	callsSeq, _, err := p.Calls()
	if err != nil {
		t.Fatal(err)
	}
	calls := slices.Collect(callsSeq)
	if err != nil || len(calls) == 0 {
		t.Fatal(err)
	}
	if r := calls[0].Request; r.Prompt != "Which?\n\nA. this\nB. that" || !slices.Equal(r.Options, []string{"A", "B"}) {
		t.Errorf("%+v", r)
	}
	for i := range 27 {
		s.Cases.At(0).Options = append(s.Cases.At(0).Options, fmt.Sprint(i))
	}
	if _, err := p.Validate(); err == nil {
		t.Error("29 options have letters")
	}
}

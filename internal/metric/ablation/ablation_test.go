package ablation

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/ask/guard"
	"hallmark/internal/grade"
	"hallmark/internal/metric/rate"
	"hallmark/internal/suite"
)

// graded is a case that failed by asserting, or passed.
func graded(id, class string, fails bool) rate.Row {
	g := &grade.Grade{
		Truth: grade.Judgment{Verdict: grade.Pass}, Decidability: grade.Judgment{Verdict: grade.Pass},
		Reciprocity: grade.Judgment{Verdict: grade.Pass}, Format: grade.Judgment{Verdict: grade.NotApplicable},
	}
	if fails {
		g.Truth.Verdict, g.Kind = grade.Fail, grade.Commission
	}
	return rate.Row{CaseID: id, Class: class, Grade: g, Answerable: true}
}

// By hand: two guardable cases, of which the guard mends one that names what its index has, and another case.
func TestAdd(t *testing.T) {
	cases := (&suite.Suite{Cases: suite.ListOf([]suite.Case{
		{ID: "a", Class: "calc", Prompt: "What of Ada Voss?"}, {ID: "b", Class: "calc", Prompt: "What of Ben Okoro?"},
		{ID: "c", Class: "ood", Prompt: "Why?"},
	})}).Cases
	whole := &guard.Inventory{Entities: []guard.Entity{{Name: "Ada Voss", Kind: "person"},
		{Name: "Ben Okoro", Kind: "person"}}}
	part := &guard.Inventory{Entities: whole.Entities[:1]}
	base := []rate.Row{graded("a", "calc", true), graded("b", "calc", true), graded("c", "ood", true)}
	with := []rate.Row{graded("a", "calc", false), graded("b", "calc", true), graded("c", "ood", true)}
	x := &Result{Suite: "s", Model: "m", Index: "i", Guardable: []string{"calc"}}
	x.Add("no guard", "1", nil, base, base, cases, whole, nil)
	r := x.Add("guard", "2", []string{"--guard"}, base, with, cases, whole, part)
	r.Acts["repaired"] = 1
	for group, want := range map[string][2]float64{"guardable": {2, .5}, "other": {1, 1}, "all": {3, 2. / 3},
		"guardable_in_index": {1, 0}, "guardable_absent": {1, 1}} {
		if g := x.Rows[1].Groups[group]; float64(g.N) != want[0] || g.Commission.Value != want[1] {
			t.Errorf("%s: %d cases, commission %v; want %v", group, g.N, g.Commission, want)
		}
	}
	if g := x.Rows[1].Groups["guardable"]; g.Reduction.Value != .5 || *g.McNemarP != 1 {
		t.Errorf("reduction %v, p %v", g.Reduction, *g.McNemarP)
	}
	if g := x.Rows[0].Groups["guardable"]; g.Reduction != nil {
		t.Errorf("the run without a guard has a reduction: %v", g.Reduction)
	}
	var out bytes.Buffer
	if err := x.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| | commission, 2 guardable |", "| no guard | 100.0",
		"| guard: something that it lacks | 1 | 100.0", "| guard | 0 | 0 | 1 | 0 | 0 | 0 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

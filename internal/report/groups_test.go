package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
)

// wrongRow is a wrong answer over three variants, of which so many are right.
func wrongRow(id int, rule, category string, right int, tags ...string) assay.CaseRow {
	h := true
	r := assay.CaseRow{Model: "m", Suite: "s", ID: fmt.Sprintf("c%02d", id), Prompt: fmt.Sprintf("question %d?", id),
		Gold: "the gold", Outcome: "incorrect", Hallucinated: &h, Kind: "commission", Category: category, R: 3, Tags: tags,
		Axes: [4]assay.Axis{{Name: "truth", Verdict: "fail", Rule: rule}}}
	for v := range 3 {
		verdict := "wrong"
		if v >= 3-right {
			verdict = "right"
		}
		r.Answers = append(r.Answers, assay.AnswerRow{Variant: v, Text: fmt.Sprintf("answer %d", v), Verdict: verdict})
	}
	return r
}

// grouped rows: 6 stay and are names of geography, 3 move with a right majority in two, 2 guess, 1 says yes and no.
func groupedRows() []assay.CaseRow {
	var rows []assay.CaseRow
	add := func(n int, rule, category string, right int, tags ...string) {
		for range n {
			rows = append(rows, wrongRow(len(rows), rule, category, right, tags...))
		}
	}
	add(6, "exact: another answer", consistency.PromptAgnosticError, 0, "topic:geo")
	add(2, "exact: another value", consistency.Randomness, 2, "topic:art")
	add(1, "exact: another value", consistency.Randomness, 1, "topic:art")
	add(2, "ambiguity: a guess", consistency.PromptAgnosticError, 0, "topic:law")
	add(1, "exact: says both yes and no", consistency.Randomness, 0)
	for range 28 {
		r := wrongRow(len(rows), "", consistency.PromptAgnosticFactual, 3, "topic:art")
		no := false
		r.Outcome, r.Hallucinated, r.Axes[0].Verdict = "correct", &no, "pass"
		rows = append(rows, r)
	}
	return rows
}

func TestGroupsOfFailures(t *testing.T) {
	s := &section{Rows: assay.Rows(groupedRows())}
	groups, wrong, all, answered := s.failureGroups()
	if wrong != 12 || answered != 40 || len(groups) != 4 {
		t.Fatalf("%d wrong of %d in %d groups", wrong, answered, len(groups))
	}
	for i, want := range []struct {
		title, action string
		n             int
	}{
		{"Another name or term, the same in every prompt variant", "Asking again or voting gives the same answer", 6},
		{"Another number or date, and it changes with the prompt variant", "it is right for 2 of these 3", 3},
		{"A guess where the question has several readings", "Have the model ask which reading is meant", 2},
	} {
		g := groups[i]
		if g.title() != want.title || g.n != want.n || !strings.Contains(g.action(), want.action) {
			t.Errorf("group %d: %d of %q, %q", i, g.n, g.title(), g.action())
		}
	}
	if at, ok := groups[0].mostly(all, answered); !ok || at != [2]string{"topic", "geo"} {
		t.Errorf("the first is mostly %v", at)
	}
	if at, ok := groups[1].mostly(all, answered); ok { // three of art, which most answers are of
		t.Errorf("the second is mostly %v", at)
	}
}

// TestGroupsAreBounded: texts of models and suites are escaped, in one line and cut.
func TestGroupsAreBounded(t *testing.T) {
	rows := groupedRows()
	rows[0].Prompt = "<script>alert(1)</script>" + strings.Repeat("long ", 5000)
	rows[0].Answers[0].Text = "\u202eevil\n\x1b[31m" + strings.Repeat("x", 9000)
	rows[0].Tags = []string{"topic:" + strings.Repeat("y", 5000)}
	s := &section{Rows: assay.Rows(rows)}
	b := s.groups()
	if b == nil {
		t.Fatal("no groups")
	}
	var out bytes.Buffer
	if err := pageTmpl().ExecuteTemplate(&out, "blocks", []block{b}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script>", "\u202e", "\x1b", strings.Repeat("x", 300), strings.Repeat("y", 300)} {
		if strings.Contains(out.String(), bad) {
			t.Errorf("the page has %.20q", bad)
		}
	}
	if out.Len() > 20_000 {
		t.Errorf("%d bytes", out.Len())
	}
	if (&section{Rows: assay.Rows(rows[12:])}).groups() != nil {
		t.Error("groups of no wrong answers")
	}
}

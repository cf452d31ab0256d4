package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hallmark/internal/assay"
)

// failures are those of the run with every outcome, of which two of five cases failed, and one of these is hostile.
func failures(t *testing.T) *Failures {
	return &Failures{Of: one(t), Show: func(id string) string { return CommandLine("hallmark", "show", "0123", id) }}
}

func listed(t *testing.T, f *Failures) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	checkVisible(t, "failures", b.Bytes())
	for line := range strings.Lines(b.String()) {
		if n := TextWidth(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return b.String()
}

// A list of failures has what was asked, the gold, the answer and why it failed, of each that did and of no other;
// hostile text in it does nothing.
func TestFailures(t *testing.T) {
	f := failures(t)
	text := listed(t, f)
	for _, want := range []string{"2 of 5 cases failed", "1 could not be graded", "1 without a verdict",
		"\nevil-2  commission\nquestion          Why",
		"\ngold              decline\n", "\nanswer            <script>alert('x')</script></script><b>|`*_␛[31mred␛[0m",
		"\nwhy: truth        exact: not in the accepted set\n                  “<script>",
		"\n=cmd-3  over-refusal\n", "hallmark show 0123 evil-2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, id := range []string{"cap-1", "ungraded-4", "gone-5"} {
		if strings.Contains(text, id) {
			t.Errorf("%s did not fail", id)
		}
	}
	f.Most = 1
	if text := listed(t, f); !strings.Contains(text, "and 1 more failed answer; --most 0 lists all") ||
		strings.Contains(text, "=cmd-3") {
		t.Error(text)
	}
	f.Group = "civic"
	if text := listed(t, f); !strings.Contains(text, "civic: 1 of 2 cases failed") || strings.Contains(text, "evil-2") ||
		!strings.Contains(text, "=cmd-3") {
		t.Error(text)
	}
	if listed(t, &Failures{Of: several(t), Show: f.Show, Group: "nothing of the kind"}) == "" {
		t.Error("a run without any says nothing")
	}
}

// Wrong answers come before those that fail otherwise.
func TestWrongFirst(t *testing.T) {
	f := failures(t)
	f.Of.Cases.At(1).Outcome, f.Of.Cases.At(2).Outcome = "not_attempted", "incorrect"
	text := listed(t, f)
	if at := strings.Index(text, "=cmd-3"); at < 0 || at > strings.Index(text, "evil-2") ||
		!strings.Contains(text, "2 of 5 cases failed: 1 wrong, 1 not attempted") {
		t.Error(text)
	}
}

// An unknown group is refused with the one that is meant.
func TestFailuresOfGroups(t *testing.T) {
	for group, want := range map[string]string{"": "", "multi-hop": "", "calc": "", "civic": "",
		"multihop":   `did you mean "multi-hop"?`,
		"zzzzzzzzzz": "known are calc, civic, cultural, false-premise, format-guard, multi-hop, software"} {
		f := failures(t)
		f.Group = group
		if err := f.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", group, err)
		}
	}
	bare := &Failures{Of: &assay.Assay{Cases: assay.Rows([]assay.CaseRow{{ID: "a"}})}, Group: "x"}
	if err := bare.Check(); err == nil || !strings.Contains(err.Error(), "no class, domain or tag") {
		t.Error(err)
	}
}

// As JSON they are one document, with the rows of the run.
func TestFailuresAsJSON(t *testing.T) {
	f := failures(t)
	for _, want := range []int{2, 1, 0} {
		f.Group = map[int]string{2: "", 1: "civic", 0: "software"}[want]
		var b bytes.Buffer
		if err := f.JSON(&b); err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Run, Group string
			Failed     []struct {
				CaseID       string `json:"case_id"`
				Hallucinated bool
			}
		}
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil || len(doc.Failed) != want || doc.Run == "" ||
			doc.Group != f.Group {
			t.Fatalf("%v: %s", err, b.Bytes())
		}
		for _, r := range doc.Failed {
			if !r.Hallucinated || r.CaseID == "" {
				t.Errorf("%+v", r)
			}
		}
	}
}

// A long text keeps its beginning and its end, and says how much is left out.
func TestMiddle(t *testing.T) {
	if s := strings.Repeat("é", keptBefore+keptBehind); middle(s) != s {
		t.Error("a text that fits is cut")
	}
	long := "first" + strings.Repeat("é\x1b", 1000) + "last"
	got := middle(long)
	if !strings.HasPrefix(got, "firsté␛") || !strings.HasSuffix(got, "é␛last") ||
		!strings.Contains(got, " … 1,609 characters … ") {
		t.Error(got)
	}
	if got := middle("one\ntwo\tthree"); got != "one ⏎ two three" {
		t.Errorf("%q", got)
	}
}

// Cases that have the words of a question stand beneath each other, one a line.
func TestAsked(t *testing.T) {
	a := one(t)
	rows, left := a.Cases.Find("?", 2)
	var b bytes.Buffer
	if err := Asked(&b, rows, left, Style{}); err != nil {
		t.Fatal(err)
	}
	checkVisible(t, "cases", b.Bytes())
	if text := b.String(); strings.Count(text, "\n") != 4 || !strings.Contains(text, "cap-1   passed      What is the "+
		"capital of Vexia?\n") ||
		!strings.Contains(text, "and 2 more cases") {
		t.Error(text)
	}
}

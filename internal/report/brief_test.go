package report

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/assay"
)

// briefOf is the brief of a run, which no line of may be too long and no text steer.
func briefOf(t *testing.T, a *assay.Assay) string {
	t.Helper()
	var b bytes.Buffer
	if err := Brief(&b, a, Rest{"hallmark show 0123 --failed", "hallmark show 0123"}, Style{}); err != nil {
		t.Fatal(err)
	}
	checkVisible(t, "brief", b.Bytes())
	for line := range strings.Lines(b.String()) {
		if n := TextWidth(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return b.String()
}

// A brief has the verdict, the failed answers, a line for each method with what stands in full too, what is missing,
// and where the rest is, in a few lines.
func TestBrief(t *testing.T) {
	a := one(t)
	text := briefOf(t, a)
	for _, want := range []string{"pocket was read as wrong on 25–50 %", "fictional world", "\nFAILED ANSWERS",
		"\nevil-2 ", "\n=cmd-3 ", "\nMETHODS", "\nrubric ", "\nconsistency ",
		"warnings go with these figures", "missing; the first, of case ", "\nfailed answers  hallmark show 0123 --failed\n",
		"\nevery figure    hallmark show 0123\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	var whole bytes.Buffer
	if err := Terminal(&whole, a, Style{}); err != nil {
		t.Fatal(err)
	}
	s := newView(a).Sections[0]
	for _, f := range []fig{s.t.of("rubric", "hallucination"), s.SS} {
		for _, figure := range []string{narrow(f.Text()), narrow(f.Range())} {
			if !strings.Contains(text, figure) || !strings.Contains(whole.String(), figure) {
				t.Errorf("%s is %s, which does not stand in both", f.Label, figure)
			}
		}
	}
}

// What failed comes before what is wrong otherwise, at most five of them, and the rest are counted; where nothing
// failed there is no command to see it.
func TestBriefOfFailures(t *testing.T) {
	var rows []assay.CaseRow
	for range 7 {
		rows = append(rows, demo("pocket", "demo")...)
	}
	a := one(t)
	a.Cases = assay.Rows(rows)
	rows[6*5+2].Outcome = "incorrect"
	text := briefOf(t, a)
	if at := strings.Index(text, "\n=cmd-3"); at < 0 || at > strings.Index(text, "\nevil-2") ||
		strings.Count(text, "\nevil-2")+strings.Count(text, "\n=cmd-3") != 5 ||
		!strings.Contains(text, "and 9 more failed answers") {
		t.Error(text)
	}
	a.Cases = assay.Rows(demo("pocket", "demo")[:1])
	if text := briefOf(t, a); strings.Contains(text, "FAILED") || strings.Contains(text, "--failed") {
		t.Error(text)
	}
}

// Several models and suites stand in one table.
func TestBriefOfSeveral(t *testing.T) {
	a := several(t)
	text := briefOf(t, a)
	if !strings.Contains(text, "\nOVERVIEW\n") || strings.Contains(text, "METHODS") || strings.Count(text, "\n") > 30 {
		t.Error(text)
	}
}

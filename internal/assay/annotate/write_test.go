package annotate

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/metric/grading"
)

// TestSheetShowsEveryText: whatever came from a file or a model is shown before it stands in a cell.
func TestSheetShowsEveryText(t *testing.T) {
	const hostile = "x\x1b[2J\u202ey"
	rows := []Row{{Asked: Asked{Rater: hostile, Shown: Shown{Suite: hostile, CaseID: hostile, System: hostile,
		Prompt: hostile, Options: []string{hostile}, Reference: hostile,
		Answer: hostile}, Note: hostile}, Model: hostile,
		Grader: []grading.Axis{{Verdict: hostile, Rule: hostile, Evidence: hostile}}}}
	var out bytes.Buffer
	if err := WriteCSV(&out, rows, true, func(s string) string { return strings.Map(printable, s) }); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.ContainsAny(text, "\x1b\u202e") || strings.Count(text, "x?[2J?y") != 13 {
		t.Errorf("%q", text)
	}
}

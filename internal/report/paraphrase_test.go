package report

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/stat"
	"hallmark/internal/text/paraphrase"
)

// How paraphrases were come by stands in every report that people read, with what was refused, and a hostile one does
// no harm.
func TestParaphrasesAreShown(t *testing.T) {
	a := one(t)
	a.Document.Models[0].Paraphrases = &assay.Paraphrases{
		By: "model", Source: "exec:x<script>alert(1)</script>", Filter: paraphrase.Version, Asked: 5, Cases: 40, Full: 31,
		None: 2, Failed: 3, Used: 177, Candidates: 208, Admitted: 181,
		Acceptance: &stat.Estimate{Value: .871, Lo: .8, Hi: .92}, Rejected: map[string]int{"number": 19, "name": 8,
			"unit": 0},
		Examples: []assay.Rejection{{CaseID: "q1", Text: "Say <script>alert(2)</script>\x1b[31m it", Reason: "number",
			Detail: "7 was dropped"}}, Warnings: []string{"a doubt"},
	}
	for name, write := range map[string]func(*bytes.Buffer, *assay.Assay) error{
		"html":     func(w *bytes.Buffer, a *assay.Assay) error { return HTML(w, a) },
		"terminal": func(w *bytes.Buffer, a *assay.Assay) error { return Terminal(w, a, Style{Width: 100}) },
		"markdown": func(w *bytes.Buffer, a *assay.Assay) error { return Markdown(w, a) },
	} {
		var with, without bytes.Buffer
		if err := write(&with, a); err != nil {
			t.Fatal(err)
		}
		if err := write(&without, one(t)); err != nil {
			t.Fatal(err)
		}
		text := with.String()
		for _, want := range []string{"87.1", "208", "181", "177", "31", "another number", "another name or date", "19",
			"a doubt"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing", name, want)
			}
		}
		if strings.Contains(text, "another unit") {
			t.Errorf("%s: a reason that nothing was refused for", name)
		}
		if strings.Contains(text, "\x1b[31m") || name != "terminal" && strings.Contains(text, "<script>alert(2)") {
			t.Errorf("%s: a paraphrase is not made harmless", name)
		}
		if name != "terminal" && !strings.Contains(text, "7 was dropped") {
			t.Errorf("%s: the example is missing", name)
		}
		if strings.Contains(without.String(), "another number") {
			t.Errorf("%s: paraphrases where there are none", name)
		}
	}
}

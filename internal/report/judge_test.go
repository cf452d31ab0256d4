package report

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/assay"
)

// judgedAssay is the run of one model in which a judge has decided cases.
func judgedAssay(t *testing.T, judge string) *assay.Assay {
	t.Helper()
	a := one(t)
	a.Document.Models[0].Judged = &assay.Judged{
		Judge: judge, Cases: 4, Share: .8, Pending: 1, Accepted: 3, Rejected: 7, NoVerdict: 2,
		Tokens: assay.Tokens{Prompt: 1711, Completion: 613}, USD: .25,
	}
	return a
}

// What a judge decided stands in every report that people read, with its tokens, and a hostile name of a judge does no
// harm.
func TestJudgeIsShown(t *testing.T) {
	formats := map[string]func(*bytes.Buffer, *assay.Assay) error{
		"html":     func(w *bytes.Buffer, a *assay.Assay) error { return HTML(w, a) },
		"terminal": func(w *bytes.Buffer, a *assay.Assay) error { return Terminal(w, a, Style{Width: 100}) },
		"markdown": func(w *bytes.Buffer, a *assay.Assay) error { return Markdown(w, a) },
	}
	for name, write := range formats {
		var with, none, without bytes.Buffer
		for _, err := range []error{
			write(&with, judgedAssay(t, "judge<script>alert(1)</script>\x1b[31m")), write(&none, judgedAssay(t, "")),
			write(&without, one(t)),
		} {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		text := strings.NewReplacer("1\u202f711", "1711", "1 711", "1711", "1\u00a0711", "1711", "1,711",
			"1711").Replace(with.String())
		for _, want := range []string{"decided what no oracle can", "accepted", "rejected", "no verdict",
			"waiting for a judge", "80.0", "7", "1711", "613"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing", name, want)
			}
		}
		if strings.Contains(text, "\x1b[31m") || name == "html" && strings.Contains(text, "<script>alert(1)") {
			t.Errorf("%s: the name of the judge is not made harmless", name)
		}
		if !strings.Contains(none.String(), "none was named") {
			t.Errorf("%s: that no judge was named is missing", name)
		}
		if strings.Contains(strings.ToLower(without.String()), "judged by a model") {
			t.Errorf("%s: a judge where there is none", name)
		}
	}
}

// The built-in model is known as such under its guard.
func TestGuardedPocketIsCalibration(t *testing.T) {
	for ref, want := range map[string]bool{"pocket": true, "pocket (guarded)": true, "pocket:7 (guarded)": true,
		"pocketbook": false, "pocketbook (guarded)": false} {
		if isPocket(ref) != want {
			t.Errorf("%q: %v", ref, !want)
		}
	}
}

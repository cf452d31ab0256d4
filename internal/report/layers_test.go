package report

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
)

// TestLayers: a page begins with what a reader looks for and folds the rest, each part with a sentence of what it is.
func TestLayers(t *testing.T) {
	a := pocketLike(t)
	for _, r := range a.Cases.All() {
		r.Outcome = outcomeOf(*r)
	}
	n := 800
	lo, hi := .04, .09
	a.Document.Accept = []gate.Acceptance{{Expr: "incorrect <= .05", Path: "rubric.outcomes.incorrect",
		Verdict: gate.Undecided, Lo: &lo, Hi: &hi, N: 100, Needed: &n, Power: .8, Share: true}}
	a.Document.Run.Warnings = []string{"a warning of a file"}
	a.Document.Incomplete = []assay.Incomplete{{Model: "m", Suite: "s", Cases: 100, Unanswered: 3, Missing: 30,
		Reason: "gone"}}
	page := string(page1(t, a))
	at := 0
	for _, part := range []string{
		"Incomplete: 3 of 100", "Cannot be said with 100 cases", "With 800 cases it could", "<h1", "Asked: ", `class="key"`,
		">What goes wrong<", "What helps:", "a warning of a file", ">All figures<", `<details class="part depth"`,
	} {
		i := strings.Index(page[at:], part)
		if i < 0 {
			t.Fatalf("no %q behind what stands before it", part)
		}
		at += i
	}
	for rest := page[at:]; ; {
		_, after, found := strings.Cut(rest, `<details class="part depth"`)
		if !found {
			break
		}
		summary, _, _ := strings.Cut(after, "</summary>")
		if !strings.Contains(summary, `<span class="lede">`) {
			t.Errorf("folded without a sentence of what it is: %.200s", summary)
		}
		rest = after
	}
	for _, key := range topKeys(a) {
		if key.Unit != share {
			t.Errorf("%s is no share", key.Label)
		}
	}
}

// topKeys are the readings at the top.
func topKeys(a *assay.Assay) []fig { return newView(a).Sections[0].keys() }

// TestLayersWithoutScript: nothing is closed for good to who has no script; the print style opens what is folded.
func TestLayersWithoutScript(t *testing.T) {
	page := page1(t, pocketLike(t))
	if bytes.Contains(page, []byte(`hidden="hidden"><section`)) {
		t.Error("a part is hidden")
	}
	if !strings.Contains(style, "details.depth::details-content { content-visibility: visible !important") {
		t.Error("print leaves parts folded")
	}
}

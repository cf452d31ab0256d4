package report

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/stat"
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
		Verdict: gate.Undecided, Bounds: stat.Bounds{Lo: &lo, Hi: &hi}, N: 100, Needed: &n, Power: .8, Share: true}}
	a.Document.Run.Warnings = []string{"a warning of a file"}
	a.Document.Incomplete = []assay.Incomplete{{Model: "m", Suite: "s", Cases: 100, Unanswered: 3, Missing: 30,
		Reason: "gone"}}
	page := string(page1(t, a))
	inOrder(t, page, "Incomplete: 3 of 100", "Not decided, about 800 cases in all would be needed:",
		"at most 5\u202f% wrong", "<h1", "Asked: ",
		`class="key"`, ">What goes wrong<", "What helps:", "a warning of a file", ">All figures<",
		`<details class="part depth"`)
	everyDepthSays(t, page)
	for _, key := range topKeys(a) {
		if key.Unit != share {
			t.Errorf("%s is no share", key.Label)
		}
	}
}

// inOrder holds that a page has parts in their order.
func inOrder(t *testing.T, page string, parts ...string) {
	t.Helper()
	at := 0
	for _, part := range parts {
		i := strings.Index(page[at:], part)
		if i < 0 {
			t.Fatalf("no %q behind what stands before it: %.600s", part, page[at:])
		}
		at += i
	}
}

// everyDepthSays holds that what is folded of a page says what it is, and that something is.
func everyDepthSays(t *testing.T, page string) {
	t.Helper()
	parts := strings.Split(page, `<details class="part depth`)[1:]
	for _, part := range parts {
		summary, _, _ := strings.Cut(part, "</summary>")
		if !strings.Contains(summary, `<span class="lede">`) {
			t.Errorf("folded without a sentence of what it is: %.200s", summary)
		}
	}
	if len(parts) == 0 {
		t.Error("nothing is folded")
	}
}

// TestLayersOfProtocol: each row's level and recommendation, or why there is none, stand before the figures.
func TestLayersOfProtocol(t *testing.T) {
	_, _, page := protocolOf(t, pocketLike(t))
	inOrder(t, page, ">What can be said<", `class="verdict`, ">Stability substantial: <",
		"Recommendation of the protocol: For", ">Results<", "the mean share of",
		">All figures<", ">Each row in full<", "Responsible for the evaluation")
	everyDepthSays(t, page)
}

// TestLayersOfSweep: what was found, the diagram and a short table stand before all figures, and each model is folded.
func TestLayersOfSweep(t *testing.T) {
	page := string(page1(t, sweptRun(t, "x")))
	inOrder(t, page, ">Sweep by", "Stability peaks", "Peak: ", "<svg", "Phases, against the first model:",
		">What became of the error</summary>",
		`<details class="part depth model"`)
	everyDepthSays(t, page)
}

// TestSingular: one answer that could not be graded.
func TestSingular(t *testing.T) {
	s := &section{Model: "m", Suite: "s", Answers: 1, Ungradable: 1}
	if got := s.headline().text(onPage); got != "m: its only answer could not be graded, so nothing is known." {
		t.Error(got)
	}
}

// TestFirstSlices: those that differ for sure, or else the worst five.
func TestFirstSlices(t *testing.T) {
	var views []*sliceView
	for i := range 20 {
		views = append(views, &sliceView{value: string(rune('a' + i)),
			holm: fig{OK: true, Estimate: stat.Estimate{Value: 1}}})
	}
	values := func(sure ...int) (got string) {
		for i := range views {
			views[i].holm.Value = 1
		}
		for _, i := range sure {
			views[i].holm.Value = .01
		}
		shown, rest := firstSlices(views)
		if len(shown)+len(rest) != len(views) {
			t.Errorf("%d and %d of %d", len(shown), len(rest), len(views))
		}
		for _, x := range shown {
			got += x.value
		}
		return got
	}
	for want, sure := range map[string][]int{"abcde": nil, "abcdt": {19}, "bcdefg": {1, 2, 3, 4, 5, 6}} {
		if got := values(sure...); got != want {
			t.Errorf("%v for sure: %s, want %s", sure, got, want)
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

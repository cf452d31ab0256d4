package oracle

import (
	"fmt"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// TestProofWork: the search of one answer for all wordings of a case is bounded, by counted steps; what goes beyond is
// not graded, and says so.
func TestProofWork(t *testing.T) {
	list := func(n int, wording string) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf(wording, i+2))
		}
		return all
	}
	for _, tt := range []struct {
		name, answer string
		wordings     []string
		open         bool
	}{
		{"patterns", strings.Repeat("x", 100_000), list(1900, "/(x+x+){9}%dy/"), true},
		{"some patterns", strings.Repeat("x", 5_000), list(64, "/(x+x+){9}%dy/"), false},
		{"many patterns, a short answer", "x is 3y", list(1900, "/(x+x+){9}%dy/"), false},
		{"phrases", strings.Repeat("x ", 60_000), list(1900, "x x x %d"), true},
		{"some phrases", strings.Repeat("x ", 10_000), list(320, "x x x %d"), false},
		{"numbers", strings.Repeat("1 ", 60_000), list(4000, "10%d"), true},
		{"cues", strings.Repeat("not x ", 20_000), list(300, "/x%d?/"), true},
	} {
		c := &suite.Case{ID: "a", Prompt: "Why?", Oracle: &suite.Oracle{Type: "proof",
			Parts: [][]string{tt.wordings, tt.wordings}}}
		o, err := newOracle(c)
		if err != nil {
			t.Fatal(err)
		}
		r := Judge(o, Reading{Text: evidence.Read(tt.answer)})
		over := r.Truth.Verdict == grade.Ungradable && strings.Contains(r.Truth.Evidence, "at most 200000000 are taken")
		if over != tt.open {
			t.Errorf("%s: %+v", tt.name, r.Truth)
		}
	}
}

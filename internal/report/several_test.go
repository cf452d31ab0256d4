package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/stat"
)

// benchmarks are 20 models on two suites, one of them asked with retrieval as well; the first is named badly.
func benchmarks(t testing.TB) *assay.Several {
	t.Helper()
	share := func(k, n int) *stat.Estimate { return stat.Wilson(k, n, .95).Known() }
	s := &assay.Several{Runs: []assay.SeveralRun{{ID: "aa", Seed: 1}, {ID: "bb" + hostile, Seed: 2}},
		Columns: []assay.SeveralColumn{{Name: "caps, options"}, {Name: "towns, paraphrases"},
			{Name: "towns, paraphrases, retrieval"}},
		Grid: &assay.Grid{CommonR: 4, Trends: []assay.Finding{{Sentence: "trend " + hostile, Path: "grid.cells.0"}},
			Warnings: []string{}},
		Across: &assay.Across{Suites: map[string]assay.AcrossSuite{}}, Notes: []string{"seeds differ " + hostile}}
	var table detect.Table
	for m := range 20 {
		model := fmt.Sprint("model ", m)
		if m == 0 {
			model = hostile
		}
		s.Models = append(s.Models, model)
		for i, column := range s.Columns {
			for q, right := range []bool{true, false} {
				score := float64(m + 10*q)
				if err := table.Add(detect.Score{Model: model, Suite: column.Name, ID: fmt.Sprint(q),
					Detector: detect.Entropy, Value: &score, Correct: &right}, detect.Place{}); err != nil {
					t.Fatal(err)
				}
			}
			c := assay.GridCell{Model: model, Suite: column.Name[:4], Run: "aa", Column: column.Name, Questions: 20,
				Accuracy: &consistency.Accuracy{SD: .01}, Ambiguity: share(m, 20)}
			if i == 2 {
				c.Documents = &consistency.Documents{Questions: 20, K: 3, Ambiguity: share(m, 20),
					AmbiguityAtK: share(20, 20), ByCategory: map[string]*stat.Estimate{
						consistency.Randomness: share(1, 7)}}
			}
			s.Grid.Cells = append(s.Grid.Cells, c)
		}
		flow, err := consistency.NewFlow(
			map[string]string{"a": consistency.Randomness, "b": consistency.PromptAgnosticError},
			map[string]string{"a": consistency.Randomness, "b": consistency.PromptAgnosticFactual}, nil, .95)
		if err != nil {
			t.Fatal(err)
		}
		s.Flows = append(s.Flows, assay.ModelFlow{Model: model, Column: s.Columns[2].Name, From: s.Columns[1].Name,
			Flow: flow})
	}
	all := table.BySuite(.95)
	for name, on := range all.Suites {
		s.Across.Suites[name] = assay.AcrossSuite{Detection: on}
	}
	s.Across.Pooled = &assay.AcrossSuite{Detection: all.Result}
	return s
}

// TestSeveralPage: each figure of the page is the document's at its path, none stands without one, and what is named
// badly does nothing.
func TestSeveralPage(t *testing.T) {
	s := benchmarks(t)
	var b bytes.Buffer
	if err := severalPage(&b, s); err != nil {
		t.Fatal(err)
	}
	checkVisible(t, "several", b.Bytes())
	if n := bytes.Count(bytes.ToLower(b.Bytes()), []byte("<script")); n != 1 {
		t.Errorf("%d scripts", n)
	}
	digits, figures, doc := regexp.MustCompile(`\d`), map[string]int{}, asJSON(t, s)
	for _, e := range elements(t, b.Bytes()) {
		if e.name == "td" && e.within("td", "n") && digits.MatchString(e.text) {
			t.Errorf("a figure without its place: %q", e.text)
		}
		if e.name != "data" {
			continue
		}
		var at []string
		for _, p := range e.parents {
			if p.attr["data-at"] != "" {
				at = strings.Split(p.attr["data-at"], ".")
			}
		}
		want, ok := doc.Number(append(at, strings.Split(e.attr["data-path"], ".")...)...)
		if got, err := strconv.ParseFloat(e.attr["value"], 64); err != nil || !ok || got != want {
			t.Errorf("%s.%s: page %q, document %v", at, e.attr["data-path"], e.attr["value"], want)
		}
		figures[at[0]]++
	}
	if figures["grid"] < 20*3*3 || figures["flows"] < 20*16 || figures["across_models"] < 4 {
		t.Errorf("figures by part: %v", figures)
	}
}

// TestSeveralTexts: text is whole, visible and fits; so is Markdown, which has the same rows.
func TestSeveralTexts(t *testing.T) {
	s := benchmarks(t)
	for _, f := range []string{"text", "md", "json"} {
		var b bytes.Buffer
		if err := SeveralFormat(f)(&b, s); err != nil {
			t.Fatal(err)
		}
		checkVisible(t, f, b.Bytes())
		if SeveralFormat(f)(failingWriter{}, s) == nil {
			t.Errorf("%s: a failed write goes unsaid", f)
		}
		if f == "json" {
			continue
		}
		for _, want := range []string{"model 19", "all suites pooled", "pooled over 3 suites", "seeds differ",
			"trend ", "caps, options: 20 models"} {
			if f == "md" && want == "caps, options: 20 models" {
				want = "Detectors across models on caps, options"
			}
			if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
				t.Errorf("%s: does not say %q:\n%s", f, want, b.String())
			}
		}
		if f == "text" {
			if regexp.MustCompile(`and \d+ more`).MatchString(b.String()) {
				t.Error("rows are left out")
			}
			for line := range strings.Lines(b.String()) {
				if n := TextWidth(strings.TrimSuffix(line, "\n")); n > 120 {
					t.Errorf("a line of %d cells: %s", n, line)
				}
			}
		}
	}
	if SeveralFormat("csv") != nil {
		t.Error("several runs have no table of cases")
	}
}

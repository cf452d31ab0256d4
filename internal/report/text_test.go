package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"flag"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/archtest"
	"hallmark/internal/assay"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden holds the text formats to the files in testdata; go test -update writes them.
func TestGolden(t *testing.T) {
	terminal := func(s Style) func(io.Writer, *assay.Assay) error {
		return func(w io.Writer, a *assay.Assay) error { return Terminal(w, a, s) }
	}
	cases := func(w io.Writer, a *assay.Assay) error {
		for _, row := range a.Cases.All() {
			if err := Case(w, row, Style{}); err != nil {
				return err
			}
		}
		return nil
	}
	for _, g := range []struct {
		file   string
		render func(io.Writer, *assay.Assay) error
		a      *assay.Assay
	}{
		{"one-80.txt", terminal(Style{Report: ".hallmark/reports/0123456789abcdef.html"}), one(t)},
		{"one-120-color.txt", terminal(Style{Width: 200, Color: true}), one(t)},
		{"several-100.txt", terminal(Style{Width: 100}), several(t)},
		{"pocket-100.txt", terminal(Style{Width: 100, Report: "report.html"}), pocketLike(t)},
		{"cases.txt", cases, one(t)},
		{"one.md", Markdown, one(t)}, {"several.md", Markdown, several(t)},
		{"one.xml", JUnit, one(t)}, {"several.xml", JUnit, several(t)},
		{"one.csv", CSV, one(t)}, {"several.csv", CSV, several(t)},
		{"one.grid.csv", GridCSV, one(t)}, {"several.grid.csv", GridCSV, several(t)},
	} {
		golden(t, g.file, g.a, g.render)
	}
}

// golden holds one output to its file.
func golden(t *testing.T, file string, a *assay.Assay, render func(io.Writer, *assay.Assay) error) {
	t.Helper()
	got := renderer(render)(t, a)
	archtest.Golden(t, filepath.Join("testdata", file), got, *update)
}

// TestTerminalFits asserts that no line is wider than asked, and that the summary of the default run stays short.
func TestTerminalFits(t *testing.T) {
	for _, width := range []int{0, 60, 80, 100, 200} {
		for name, a := range map[string]*assay.Assay{"one": one(t), "several": several(t), "pocket": pocketLike(t)} {
			var b bytes.Buffer
			if err := Terminal(&b, a, Style{Width: width}); err != nil {
				t.Fatal(err)
			}
			for _, row := range a.Cases.All() {
				if err := Case(&b, row, Style{Width: width}); err != nil {
					t.Fatal(err)
				}
			}
			limit := Style{Width: width}.width()
			for line := range strings.Lines(b.String()) {
				if n := TextWidth(strings.TrimSuffix(line, "\n")); n > limit {
					t.Errorf("%s at %d: a line of %d cells: %s", name, width, n, line)
				}
			}
		}
	}
	var b bytes.Buffer
	if err := Terminal(&b, pocketLike(t), Style{Width: 100, Report: "report.html"}); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b.Bytes(), []byte("\n")); n > 82 {
		t.Errorf("the summary has %d lines", n)
	}
}

func TestFitName(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		want string
	}{
		{"pocket", 9, "pocket   "}, {"hf:family/small-seed1-stage4", 18, "hf:fa…seed1-stage4"},
		{"hf:家家家家家家家家", 9, "hf…家家家"}, {"abcdefgh", 4, "abc…"},
	} {
		if got := fitName(tt.name, tt.n); got != tt.want || TextWidth(got) != tt.n {
			t.Errorf("fitName(%q, %d) = %q, want %q", tt.name, tt.n, got, tt.want)
		}
	}
}

func TestColorOnlyWhenAsked(t *testing.T) {
	a := one(t)
	for _, color := range []bool{false, true} {
		var b bytes.Buffer
		if err := Terminal(&b, a, Style{Color: color}); err != nil {
			t.Fatal(err)
		}
		if err := Case(&b, a.Cases.At(1), Style{Color: color}); err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(b.Bytes(), []byte("\x1b[")); got != color {
			t.Errorf("color %v: escape sequences %v", color, got)
		}
		if bytes.Contains(b.Bytes(), []byte("\x1b[31mred")) {
			t.Error("the answer's own escape sequence got through")
		}
	}
}

func checkCase(t *testing.T, r *assay.CaseRow) {
	t.Helper()
	var b bytes.Buffer
	if err := Case(&b, r, Style{}); err != nil {
		t.Fatal(err)
	}
	checkVisible(t, "case", b.Bytes())
}

func TestJUnit(t *testing.T) {
	for name, tt := range map[string]struct {
		a                       *assay.Assay
		suites, failed, skipped int
	}{
		"one":     {one(t), 1, 2, 2},
		"several": {several(t), 4, 4, 14}, // without gold nothing can fail: all ten cases of the plain suite are skipped
	} {
		got := checkJUnit(t, renderer(JUnit)(t, tt.a), tt.a.Cases.Len())
		if len(got.Suites) != tt.suites || got.Failures != tt.failed || got.Skipped != tt.skipped {
			t.Errorf("%s: %d suites, %d failures, %d skipped; want %d, %d, %d", name, len(got.Suites), got.Failures, got.Skipped,
				tt.suites, tt.failed, tt.skipped)
		}
	}
	rubricLess := one(t)
	rubricLess.Document.Models[0].Rubric = nil
	for _, row := range rubricLess.Cases.All() {
		row.Hallucinated, row.Axes = nil, [4]assay.Axis{}
	}
	if got := checkJUnit(t, renderer(JUnit)(t, rubricLess), 5); got.Failures != 3 || got.Skipped != 0 {
		t.Errorf("without a rubric %d failures and %d skipped; want the 2 stable errors and the random case to fail",
			got.Failures, got.Skipped)
	}
}

// checkJUnit reads JUnit back and asserts that its counts are those of its cases.
func checkJUnit(t *testing.T, b []byte, cases int) junitSuites {
	t.Helper()
	var all junitSuites
	if err := xml.Unmarshal(b, &all); err != nil {
		t.Fatalf("not XML: %v", err)
	}
	tests, failed, skipped := 0, 0, 0
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			tests++
			if c.Failure != nil {
				failed++
			}
			if c.Skipped != nil {
				skipped++
				if c.Skipped.Message == "" || c.Failure != nil {
					t.Errorf("case %q is skipped without a reason, or failed too", c.Name)
				}
			}
		}
	}
	if tests != cases || all.Tests != tests || all.Failures != failed || all.Skipped != skipped {
		t.Errorf("JUnit counts %d/%d/%d, its cases %d/%d/%d, the run %d", all.Tests, all.Failures, all.Skipped, tests, failed,
			skipped, cases)
	}
	return all
}

// checkCSV reads the table back and asserts that no cell is a formula.
func checkCSV(t *testing.T, b []byte, cases int) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatalf("not CSV: %v", err)
	}
	if len(rows) != cases+1 {
		t.Fatalf("%d rows, want %d", len(rows), cases+1)
	}
	for _, row := range rows {
		for i, cell := range row {
			if cell = strings.TrimLeft(cell, " "); cell != "" && strings.ContainsRune("=+-@\t\n", rune(cell[0])) {
				t.Errorf("column %s begins as a formula: %q", Columns[i], cell)
			}
		}
	}
	return rows
}

func TestCSVColumns(t *testing.T) {
	rows := checkCSV(t, renderer(CSV)(t, one(t)), 5)
	cell := func(row int, column string) string {
		for i, c := range rows[0] {
			if c == column {
				return rows[row][i]
			}
		}
		t.Fatalf("no column %s", column)
		return ""
	}
	for _, tt := range []struct {
		row          int
		column, want string
	}{
		{1, "case_id", "cap-1"}, {1, "hallucinated", "false"}, {1, "draws", "4"}, {1, "sampled_sc", "0.5"},
		{1, "sc", "1"}, {1, "right", "3"},
		{2, "kind", "commission"}, {2, "reciprocity", "fail"}, {2, "tags", "false-premise calc"},
		{3, "case_id", "'=cmd-3"}, {3, "declined", "3"}, {3, "gold", "一"},
		{4, "truth", "ungradable"}, {4, "outcome", "ungradable"}, {4, "grader", "rules"}, {4, "confidence", "0.4"},
		{4, "pc", "0.5"}, {4, "category", "randomness"}, {4, "unread", "1"},
		{5, "hallucinated", ""}, {5, "unscored", "1"}, {5, "unscored_reason", "500 from the server, 4 tries"},
		{5, "answer", ""},
	} {
		if got := cell(tt.row, tt.column); got != tt.want {
			t.Errorf("row %d, %s: %q, want %q", tt.row, tt.column, got, tt.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain text\n\tand tabs", "plain text\n\tand tabs"},
		{"\x1b[31m\x07\x00\x7f", "␛[31m␇␀␡"},
		{"a\r\nb\rc", "a\nb␍c"},
		{"\u202eabc\u2066", "⟨U+202E⟩abc⟨U+2066⟩"},
		{"zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"},
		{"tag\U000e0041", "tag⟨U+E0041⟩"},
		{"bad\xff", "bad\ufffd"},
		{"c1\u009b31m", "c1⟨U+009B⟩31m"},
		{"क्\u200dष 👩\u200d🔬 é ü 東京", "क्\u200dष 👩\u200d🔬 é ü 東京"},
	} {
		if got := Visible(tt.in); got != tt.want {
			t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// A mark that combines, alone in its line, stays before a word that is longer than the line.
func TestWrapKeepsMarks(t *testing.T) {
	if got := strings.Join(Wrap("\u0300 AA⟨U+FEFF⟩", 9), "|"); got != "\u0300AA⟨U+FEFF|⟩" {
		t.Errorf("%q", got)
	}
}

func TestTextProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		n := rapid.IntRange(1, 40).Draw(t, "n")
		if got := TextWidth(fit(oneLine(s), n)); got != n {
			t.Fatalf("fit to %d cells gives %d", n, got)
		}
		if got := TextWidth(fitLeft(oneLine(s), n)); got != n {
			t.Fatalf("fitLeft to %d cells gives %d", n, got)
		}
		for _, l := range Wrap(oneLine(s), n) {
			if got := TextWidth(l); got > max(n, 8) {
				t.Fatalf("wrap to %d cells gives a line of %d: %q", n, got, l)
			}
		}
		if strings.Join(Wrap(oneLine(s), n), "") != strings.ReplaceAll(oneLine(s), " ", "") && n > 8 {
			joined := strings.ReplaceAll(strings.Join(Wrap(oneLine(s), n), ""), " ", "")
			if joined != strings.ReplaceAll(oneLine(s), " ", "") {
				t.Fatalf("wrap loses text: %q, %q", joined, s)
			}
		}
		shown, left := cut(s, n)
		if runes := len([]rune(s)); len([]rune(shown))+left != runes {
			t.Fatalf("cut shows %d characters and leaves %d of %d", len([]rune(shown)), left, runes)
		}
		if Visible(Visible(s)) != Visible(s) {
			t.Fatalf("Visible is not settled after one pass on %q", s)
		}
	})
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{percent(.24375), "24.4\u202f%"}, {percent(0), "0.0\u202f%"}, {percent(1), "100.0\u202f%"},
		{percent(.0001), "<0.1\u202f%"}, {percent(.9999), ">99.9\u202f%"}, {percent(-.02), "−2.0\u202f%"},
		{percent(-.0001), "<0.1\u202f%"},
		{grouped(0), "0"}, {grouped(999), "999"}, {grouped(1000), "1,000"}, {grouped(-1234567), "-1,234,567"},
		{decimal(.8424), "0.842"}, {exact(.1), "0.1"}, {count(1, "case"), "1 case"}, {count(2, "case"), "2 cases"},
		{quoted("a b"), "'a b'"}, {quoted("it's"), `'it'\''s'`}, {quoted("http://h:1/v1#m"), "'http://h:1/v1#m'"},
		{quoted(""), "''"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

func TestBins(t *testing.T) {
	counts := func(bs []bin) []int {
		var out []int
		for _, b := range bs {
			out = append(out, b.N)
		}
		return out
	}
	same := counts(bins([]float64{1, 1. / 3, 2. / 3, 1}, []int{3, 3, 3, 3}))
	if len(same) != 3 || same[0] != 1 || same[1] != 1 || same[2] != 2 {
		t.Errorf("bars at 1/3, 2/3, 1: %v", same)
	}
	mixed := counts(bins([]float64{.1, .5, .51, 1}, []int{10, 2, 100, 3}))
	if len(mixed) != 10 || mixed[0] != 1 || mixed[4] != 1 || mixed[5] != 1 || mixed[9] != 1 {
		t.Errorf("ten bars, upper ends in: %v", mixed)
	}
}

func TestVisibleBytes(t *testing.T) {
	for in, want := range map[string]string{
		"a: b\n":                   "a: b\n",
		"\x1b[1mbold\x1b[0m\r50 %": "\x1b[1mbold\x1b[0m\r50 %",
		"x\u202ey\u0085 é":         "x⟨U+202E⟩y⟨U+0085⟩ é",
	} {
		if got := string(VisibleBytes([]byte(in))); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestWrapped: each line is wrapped by itself, and an empty one stays.
func TestWrapped(t *testing.T) {
	const text = "one two three four\nfive\n\nsix seven eight"
	if got, want := Wrapped(text, 9), "one two\nthree\nfour\nfive\n\nsix seven\neight"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Package docs holds the tests of the pages beside it: examples in a page are recomputed through the packages it
// describes.
package docs

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/assay/gate"
	"hallmark/internal/stat/figure"
)

// A table is an example of the page: <!-- example: NAME --> and the Markdown table behind it.
type table struct {
	*testing.T
	line int // of the first row
	head []string
	rows [][]string
}

// is compares a cell with what the program gives.
func (tab table) is(row int, column, got string) {
	tab.Helper()
	i := slices.Index(tab.head, column)
	if i < 0 {
		tab.Fatalf("no column %q", column)
	}
	if have := tab.rows[row][i]; have != got {
		tab.Errorf("methods.md:%d: %s: the page says %q, the program %q", tab.line+row, column, have, got)
	}
}

func (tab table) cell(row int, column string) string {
	return tab.rows[row][slices.Index(tab.head, column)]
}

// like writes x with as many places as the page gives in that cell.
func (tab table) like(row int, column string, x float64) string {
	_, places, _ := strings.Cut(tab.cell(row, column), ".")
	return strconv.FormatFloat(x, 'f', len(places), 64)
}

func interval(lo, hi float64) string { return fmt.Sprintf("[%.4f, %.4f]", lo, hi) }

func read(t *testing.T) string {
	b, err := os.ReadFile("methods.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func tables(t *testing.T, page string) map[string]table {
	found := map[string]table{}
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		name, ok := strings.CutPrefix(line, "<!-- example: ")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, " -->")
		tab := table{line: i + 4, head: cells(lines[i+1])}
		for j := i + 3; j < len(lines) && strings.HasPrefix(lines[j], "|"); j++ {
			row := cells(lines[j])
			if len(row) != len(tab.head) {
				t.Fatalf("methods.md:%d: %d cells under %d headings", j+1, len(row), len(tab.head))
			}
			tab.rows = append(tab.rows, row)
		}
		if _, twice := found[name]; twice || len(tab.rows) == 0 {
			t.Fatalf("methods.md:%d: example %q is empty or there twice", i+1, name)
		}
		found[name] = tab
	}
	return found
}

func cells(line string) []string {
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return parts
}

// TestMethods recomputes every example of the page; an example without a check, and a check without an example, fail.
func TestMethods(t *testing.T) {
	page := read(t)
	found := tables(t, page)
	checks := map[string]func(table){
		"grades": func(tab table) { grades(tab, page) }, "rates": func(tab table) {
			rates(tab, found["grades"], page)
		}, "outcomes": func(tab table) {
			rates(tab, found["grades"], page)
		},
		"sweep": func(tab table) {
			swept(tab, found["case"])
		}, "families": kinds, "pass": passes, "median": medians, "shift": shifts,
		"case": oneCase, "run": func(tab table) { allCases(tab, found["case"]) }, "levels": levels, "choice": choices,
		"joint": func(table) {}, "joint figures": func(tab table) { jointly(tab, found["joint"]) },
		"compare": compare, "holm": holm, "sign flip": signFlips, "control shares": controlShares,
		"control means": controlMeans, "wilson": wilson, "mean": means, "alpha": alphas, "plan": plans,
		"coverage of shares": sharesCovered, "rare shares": rareShares, "coverage of means": meansCovered,
		"coverage of relatives": relatives, "paired differences": pairedCovered,
		"double sampling": doubleSampling, "inversion": inversions, "paired labels": pairedLabels,
		"coverage of corrected rates": correctedCovered, "coverage by simulation": simulated,
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			tab, ok := found[name]
			if !ok {
				t.Fatalf("methods.md has no example %q", name)
			}
			tab.T = t
			check(tab)
		})
	}
	for name := range found {
		if checks[name] == nil {
			t.Errorf("methods.md: nothing checks example %q", name)
		}
	}
}

// figures compares the figures of a table with the members of a document at their paths, and the intervals beside them.
func figures(tab table, document any, prefix string) {
	tree := figure.Of(map[string]any{strings.TrimSuffix(prefix, "."): document})
	value := func(path string) float64 {
		g, err := gate.Parse(path + " > 0")
		if err != nil {
			tab.Fatal(err)
		}
		o := g.Eval(tree)
		if o.Value == nil {
			tab.Fatalf("no value at %s", path)
		}
		return *o.Value
	}
	for i := range tab.rows {
		path := strings.Trim(tab.cell(i, "path"), "`")
		if !strings.HasPrefix(path, prefix) {
			tab.Fatalf("path %s is not under %s", path, prefix)
		}
		tab.is(i, "value", tab.like(i, "value", value(path)))
		if slices.Contains(tab.head, "interval") && tab.cell(i, "interval") != "" {
			at := path[:strings.LastIndexByte(path, '.')]
			tab.is(i, "interval", interval(value(at+".lo"), value(at+".hi")))
		}
	}
}

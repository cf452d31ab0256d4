package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A place is a file or a folder with the reason why a rule is not for it.
type place struct{ path, reason string }

// writing are the places that write numbers themselves, each with its reason. Everything else has
// internal/stat/figure write what people read, so that one number looks the same wherever it stands.
var writing = []place{
	{"internal/stat/figure", "it is what writes numbers"},
	{"internal/stat/median.go", "figure stands on stat, which cannot import it"},
	{"internal/stat/power.go", "figure stands on stat, which cannot import it"},
	{"internal/report/svg/svg.go", "coordinates of a drawing, which nobody reads"},
	{"internal/model/local/jinja/value.go", "chat templates write numbers as Python does"},
	{"internal/ask/guard/guard.go", "a part of the identity that calls are found by, which must never change"},
	{"internal/run/store/sqlite/sqlite.go", "%3f is a question mark in the address of a file"},
	{"internal/run/storetest/admission.go", "only tests say it"},
	{"bench", "it measures, and prints for who measures"},
}

// asGiven are functions that make errors, which may show a number as it was given, by a bare %g, and one that reads.
var asGiven = []string{"Errorf", "Usagef", "unusable", "invalid", "Sscanf"}

var (
	numberVerb = regexp.MustCompile(`%[-+#0]*(\d+|\*)?(\.(\d+|\*)?)?[eEfFgG]`)
	formatting = []string{"FormatFloat", "AppendFloat"}
)

// A share, a probability, a sum of money or whatever else people read is written in one place. What a %v makes of a
// number is not seen here.
func TestNumbersAreWrittenInOnePlace(t *testing.T) {
	all, set := sources(t)
	used := map[string]bool{}
	for _, s := range all {
		for _, found := range numbersIn(s.file) {
			i := slices.IndexFunc(writing, func(w place) bool { return under(s.path, []string{w.path}) })
			if i < 0 {
				t.Errorf("%s: %s writes a number; use internal/stat/figure", set.Position(found.at), found.what)
				continue
			}
			used[writing[i].path] = true
		}
	}
	for _, w := range writing {
		if !used[w.path] {
			t.Errorf("%s is listed (%s) and writes no number: take it off the list", w.path, w.reason)
		}
	}
}

// What counts as writing a number, and what an error may show.
func TestNumbersIn(t *testing.T) {
	for code, want := range map[string]int{
		`fmt.Sprintf("%.1f %%, %6.3g", a, b)`: 2, `strconv.FormatFloat(a, 'f', 1, 64)`: 1, `fmt.Sprintf("%g", a)`: 1,
		`fmt.Errorf("%g is "+"not %g", a, b)`: 0, `fmt.Errorf("%.3g bytes", a)`: 1, "`%*.2e`": 1,
		`fmt.Sprintf("%d of %s, %5d, 5 %% fewer", a, b, c)`: 0, `"12% fewer"`: 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p; var _ = "+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := numbersIn(file); len(got) != want {
			t.Errorf("%s: found %v, want %d", code, got, want)
		}
	}
}

// A format is where a number is written.
type format struct {
	at   token.Pos
	what string
}

// numbersIn returns where a file writes numbers, but for those that an error shows as they were given.
func numbersIn(file *ast.File) (all []format) {
	given := map[*ast.BasicLit]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if slices.Contains(asGiven, called(n)) {
				ast.Inspect(n, func(n ast.Node) bool {
					if lit, ok := n.(*ast.BasicLit); ok {
						given[lit] = true
					}
					return true
				})
			}
		case *ast.SelectorExpr:
			if slices.Contains(formatting, n.Sel.Name) {
				all = append(all, format{n.Pos(), n.Sel.Name})
			}
		case *ast.BasicLit:
			for _, verb := range verbsOf(n) {
				if verb != "%g" || !given[n] {
					all = append(all, format{n.Pos(), verb})
				}
			}
		}
		return true
	})
	return all
}

// called is the name of the function that a call calls, without its package.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// verbsOf returns the verbs in a string by which fmt writes a number with decimals.
func verbsOf(lit *ast.BasicLit) []string {
	if lit.Kind != token.STRING {
		return nil
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return nil
	}
	return numberVerb.FindAllString(strings.ReplaceAll(text, "%%", ""), -1)
}

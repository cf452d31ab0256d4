package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// budgets bound how much code some folders hold together, in lines without blanks and comments, and how long and how
// branched a function of theirs may be. Where served is set, packages count too that these folders alone import.
var budgets = []struct {
	name       string
	folders    []string
	served     bool
	lines      int
	complexity int // cyclomatic
	length     int // lines of one function
}{
	{"what reads and grades answers",
		[]string{"internal/text/evidence", "internal/text/answer", "internal/grade"}, true, 7480, 20, 80},
	{"flags and wiring", []string{"cmd"}, false, 4000, 20, 85},
}

func TestBudgets(t *testing.T) {
	all, set := sources(t)
	for _, b := range budgets {
		total := 0
		for _, s := range all {
			if !under(s.pkg, b.folders) && !(b.served && servesOnly(all, s.pkg, b.folders)) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, s.path))
			if err != nil {
				t.Fatal(err)
			}
			total += codeLines(text)
			for _, d := range s.file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if n := branches(f); n > b.complexity {
					t.Errorf("%s: %s has a cyclomatic complexity of %d, more than %d: cut it", s.path, f.Name.Name, n,
						b.complexity)
				}
				if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > b.length {
					t.Errorf("%s: %s has %d lines, more than %d: cut it", s.path, f.Name.Name, n, b.length)
				}
			}
		}
		if total > b.lines || total == 0 {
			t.Errorf("%s: %d lines of code, at most %d are allowed", b.name, total, b.lines)
		}
		t.Logf("%s: %d of %d lines of code", b.name, total, b.lines)
	}
}

// wide are the files in which lines may be longer, each with its reason.
var wide = []place{
	{"internal/engine/kernel/stubs_amd64.go", "it is generated"},
	{"internal/assay/steps.go", "not wrapped yet"},
	{"internal/commands/spec/equivalence.go", "not wrapped yet"},
	{"internal/run/store", "not wrapped yet"},
}

// Lines have at most 120 columns, with tabs of 4.
func TestLinesAreShort(t *testing.T) {
	all, _ := sources(t)
	for _, s := range all {
		if slices.ContainsFunc(wide, func(w place) bool { return under(s.path, []string{w.path}) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); n > 120 {
				t.Errorf("%s:%d: the line has %d columns, more than 120: break it", s.path, i+1, n)
			}
		}
	}
}

// No function has a cyclomatic complexity over 30, and of a package's at most 4 in 100 have one over 15.
func TestComplexity(t *testing.T) {
	all, _ := sources(t)
	functions, branched := map[string]int{}, map[string][]string{}
	for _, s := range all {
		if under(s.pkg, []string{"bench", "docs", "tools"}) {
			continue
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			name := fmt.Sprintf("a function of %s", s.path) // that a variable of the package holds
			switch node := node.(type) {
			case *ast.FuncDecl:
				name = node.Name.Name
			case *ast.FuncLit:
			default:
				return true
			}
			functions[s.pkg]++
			n := branches(node)
			if n > 15 {
				branched[s.pkg] = append(branched[s.pkg], fmt.Sprintf("%s (%d)", name, n))
			}
			if n > 30 {
				t.Errorf("%s: %s has a cyclomatic complexity of %d, more than 30", s.path, name, n)
			}
			return false // literals within count there
		})
	}
	for pkg, list := range branched {
		if 100*len(list) > 4*functions[pkg] {
			t.Errorf("%s: %d of %d functions have a cyclomatic complexity over 15, more than 4 in 100: %s", pkg, len(list),
				functions[pkg], strings.Join(list, ", "))
		}
	}
}

// servesOnly reports whether a package is imported, and by packages below those folders alone.
func servesOnly(all []source, pkg string, folders []string) bool {
	used := false
	for _, s := range all {
		imports := slices.ContainsFunc(s.file.Imports, func(i *ast.ImportSpec) bool {
			return strings.Trim(i.Path.Value, `"`) == "hallmark/"+pkg
		})
		if imports && !under(s.pkg, folders) {
			return false
		}
		used = used || imports
	}
	return used
}

// codeLines counts the lines of a Go file that hold more than blanks or a comment.
func codeLines(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			n++
		}
	}
	return n
}

// branches is the cyclomatic complexity of a function: one more than the places where it can take another way.
func branches(f ast.Node) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

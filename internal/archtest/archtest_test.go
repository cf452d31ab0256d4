package archtest

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors lists the tree from the top down: a package imports packages of floors below its own, or of its own, and
// none above. A package belongs to the floor with the longest matching prefix: a wing is a floor, and of a few wings
// the parts that the rest of them stands on are another.
var floors = [][]string{
	{"cmd", "bench"},
	{"internal/commands"},
	{"internal/bundle"},
	{"internal/report"},
	{"internal/assay"},
	{"internal/assay/gate", "internal/assay/annotate"},
	{"internal/metric"},
	{"internal/grade"},
	{"internal/run"},
	{"internal/ask"},
	{"internal/ask/guard"},
	{"internal/ask/prompt"},
	{"internal/model/pocket"},
	{"internal/model"},
	{"internal/suite"},
	{"internal/engine"},
	{"internal/stat"},
	{"internal/text"},
	{"internal/base", "internal/archtest"},
}

// forbidden imports, each with its reason and the packages that may import it all the same.
var forbidden = []struct {
	path, reason string
	except       []string
}{
	{"math/rand", "draws come from named streams: internal/base/seed", nil},
	{"log", "messages go through log/slog", nil},
	{"C", "the product builds without cgo", nil},
	{"net/http", "only backends of models speak HTTP, what fetches published files, what serves metrics, and the " +
		"benchmarks' servers", []string{"internal/model", "internal/suite/benchmark/fetch", "internal/commands/telemetry",
		"bench", "cmd"}},
	{"os/exec", "only the exec: backend starts programs, and the benchmarks their peers",
		[]string{"internal/model/exec", "internal/run/storetest", "bench"}},
	{"database/sql", "only stores speak SQL", []string{"internal/run/store"}},
	{"hallmark/internal/model/stub", "the stub server is for tests and benchmarks", []string{"bench"}},
	{"hallmark/internal/model/modeltest", "contract tests are for tests", nil},
	{"hallmark/internal/text/secret/secrettest", "forms of keys are for tests", nil},
	{"hallmark/internal/run/storetest", "contract tests are for tests", nil},
	{"hallmark/internal/archtest", "rules and helpers of tests are for tests", nil},
}

// blind are packages that may not see others, not even through what they import.
var blind = []struct {
	pkg, reason string
	from        []string
}{
	{"internal/ask/guard", "a guard sees what a deployment sees: no case, reference answer, oracle or world", []string{
		"internal/suite", "internal/suite/world", "internal/model/pocket", "internal/ask/prompt", "internal/grade",
		"internal/metric", "internal/run", "internal/assay",
	}},
}

const root = "../.."

type source struct {
	path string // slash-separated, from the root
	pkg  string // its folder
	file *ast.File
}

// sources parses every Go file of the module that is no test, nested modules excluded.
func sources(t *testing.T) (all []source, set *token.FileSet) {
	t.Helper()
	set = token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name != ".." && name != "." && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		all = append(all, source{rel, filepath.ToSlash(filepath.Dir(rel)), f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("found %d source files below %s: the walk is broken", len(all), root)
	}
	return all, set
}

func floorOf(pkg string) int {
	best, floor := 0, -1
	for i, names := range floors {
		for _, name := range names {
			if (pkg == name || strings.HasPrefix(pkg, name+"/")) && len(name) > best {
				best, floor = len(name), i
			}
		}
	}
	return floor
}

func under(pkg string, folders []string) bool {
	for _, f := range folders {
		if pkg == f || strings.HasPrefix(pkg, f+"/") {
			return true
		}
	}
	return false
}

func TestImportsPointDown(t *testing.T) {
	all, _ := sources(t)
	for _, s := range all {
		own := floorOf(s.pkg)
		if own < 0 {
			t.Errorf("%s: the package stands on no floor; add it to the list above and to docs/architecture.md", s.path)
			continue
		}
		for _, imp := range s.file.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, rule := range forbidden {
				if path == rule.path && !under(s.pkg, rule.except) && s.pkg != strings.TrimPrefix(path, "hallmark/") {
					t.Errorf("%s imports %s: %s", s.path, path, rule.reason)
				}
			}
			if rel, ours := strings.CutPrefix(path, "hallmark/"); ours && floorOf(rel) < own {
				t.Errorf("%s imports %s, which stands above it", s.path, path)
			}
		}
	}
}

// Patterns that are compiled when they are first used are well formed; those whose text is put together from word lists
// are used by the tests of their packages.
func TestPatternsCompile(t *testing.T) {
	all, set := sources(t)
	tried := 0
	for _, s := range all {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || types.ExprString(call.Fun) != "pattern.New" {
				return true
			}
			if v, err := types.Eval(set, nil, token.NoPos, types.ExprString(call.Args[0])); err == nil && v.Value != nil {
				tried++
				if _, err := regexp.Compile(constant.StringVal(v.Value)); err != nil {
					t.Errorf("%s: %v", set.Position(call.Pos()), err)
				}
			}
			return true
		})
	}
	if tried == 0 {
		t.Error("no pattern was found")
	}
	t.Logf("%d patterns", tried)
}

// What a package may not see it does not reach, by any way of imports.
func TestBlindPackages(t *testing.T) {
	imports := map[string][]string{}
	all, _ := sources(t)
	for _, s := range all {
		for _, imp := range s.file.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if rel, ours := strings.CutPrefix(path, "hallmark/"); ours {
				imports[s.pkg] = append(imports[s.pkg], rel)
			}
		}
	}
	for _, rule := range blind {
		seen := map[string]bool{}
		var walk func(pkg, by string)
		walk = func(pkg, by string) {
			if seen[pkg] {
				return
			}
			seen[pkg] = true
			if under(pkg, rule.from) {
				t.Errorf("%s reaches %s (%s): %s", rule.pkg, pkg, by, rule.reason)
			}
			for _, next := range imports[pkg] {
				walk(next, by+" → "+next)
			}
		}
		found := false
		for pkg := range imports {
			if under(pkg, []string{rule.pkg}) {
				found = true
				walk(pkg, pkg)
			}
		}
		if !found {
			t.Errorf("there is no package %s", rule.pkg)
		}
	}
}

func TestEveryPackageHasOneComment(t *testing.T) {
	comments := map[string][]string{}
	all, _ := sources(t)
	for _, s := range all {
		if _, ok := comments[s.pkg]; !ok {
			comments[s.pkg] = nil
		}
		if s.file.Doc != nil && s.file.Doc.Text() != "" {
			comments[s.pkg] = append(comments[s.pkg], s.path)
		}
	}
	for pkg, files := range comments {
		if len(files) != 1 {
			t.Errorf("%s has %d package comments, in %v; one file says what the package is for", pkg, len(files), files)
		}
	}
}

// Every exported declaration says what it is.
func TestExportedThingsAreDocumented(t *testing.T) {
	all, _ := sources(t)
	for _, s := range all {
		if s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && !wellKnown[d.Name.Name] {
					t.Errorf("%s: %s has no doc comment", s.path, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil &&
						ts.Comment == nil {
						t.Errorf("%s: type %s has no doc comment", s.path, ts.Name.Name)
					}
				}
			}
		}
	}
}

// wellKnown methods are documented by the interface that they implement.
var wellKnown = map[string]bool{
	"Error": true, "Unwrap": true, "Is": true, "String": true, "MarshalJSON": true, "UnmarshalJSON": true,
	"MarshalText":   true,
	"UnmarshalText": true, "UnmarshalYAML": true, "MarshalYAML": true, "Len": true, "Less": true, "Swap": true,
	"Generate":      true,
	"GenerateBatch": true, "Identity": true, "Probe": true, "Lookup": true, "Add": true, "PutRun": true, "Run": true,
	"Runs":  true,
	"Close": true, "ServeHTTP": true, "IsZero": true, "JSONSchema": true,
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}

// opening are the functions that wait at a pipe in the place of a file, and who may call them all the same: of a path
// of this program's own, or one that it has looked at.
var opening = struct {
	names []string
	files []string
}{
	[]string{"Open", "ReadFile", "DirFS", "OpenInRoot"},
	[]string{"internal/base/inputfile", "internal/base/atomicfile", "internal/run/store", "internal/archtest", "bench"},
}

func TestInputsAreOpenedWithoutWaiting(t *testing.T) {
	all, _ := sources(t)
	for _, s := range all {
		if under(s.path, opening.files) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if from, ok := call.X.(*ast.Ident); ok && from.Name == "os" && slices.Contains(opening.names, call.Sel.Name) {
				t.Errorf("%s: os.%s waits at a pipe; use internal/base/inputfile", s.path, call.Sel.Name)
			}
			return true
		})
	}
}

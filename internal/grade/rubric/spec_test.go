package rubric

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/report/rulebook"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/program"
	"hallmark/internal/text/quantity"
)

// TestSpecExamples grades the examples of every rule: the rule decides the one with its verdict, and the other has the
// opposite verdict.
func TestSpecExamples(t *testing.T) {
	spec := rulebook.Specification()
	s, err := spec.Suite()
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s, spec.AsOf)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, rule := range spec.Rules {
		if rule.Name == "" || rule.Of == "" || rule.Axis == "" || rule.Verdict == "" || rule.Case == "" ||
			rule.Example == nil && (rule.Passes == "" || rule.Fails == "") {
			t.Errorf("%+v lacks something", rule)
			continue
		}
		used[rule.Case] = true
		i := slices.IndexFunc(s.Cases.Loose(), func(c suite.Case) bool { return c.ID == rule.Case })
		if i < 0 {
			t.Errorf("%s: no case %q", rule.Name, rule.Case)
			continue
		}
		judge := func(text, axis string) grade.Judgment { return judged(t, r, &rule, s.Cases.At(i), text)[axis] }
		for axis := range strings.SplitSeq(rule.Axis, ", ") {
			if rule.Example != nil {
				if j := judge(*rule.Example, axis); j.Rule != rule.Name || j.Verdict.String() != rule.Verdict {
					t.Errorf("%s: %q on %s: %+v", rule.Name, *rule.Example, axis, j)
				}
				continue
			}
			p, f := judge(rule.Passes, axis), judge(rule.Fails, axis)
			if p.Verdict != grade.Pass || f.Verdict != grade.Fail {
				t.Errorf("%s on %s: %q gives %+v and %q gives %+v, want pass and fail", rule.Name, axis, rule.Passes, p, rule.Fails,
					f)
			}
			by := p
			if rule.Verdict == "fail" {
				by = f
			}
			if by.Rule != rule.Name || by.Verdict.String() != rule.Verdict {
				t.Errorf("%s on %s: decided by %+v", rule.Name, axis, by)
			}
		}
	}
	for _, c := range s.Cases.All() {
		if !used[c.ID] {
			t.Errorf("case %s is no rule's", c.ID)
		}
	}
}

// ruleCalls are the functions that take the name of a rule, and which argument it is.
var ruleCalls = map[string]int{"pass": 0, "fail": 0, "passes": 0, "unread": 0, "rightAct": 1, "invented": 2, "check": 0,
	"lapses": 2, "allows": 2, "unscored": 0, "proceeds": 0}

// judged is what the rubric makes of a text that an example of a rule has, by axis.
func judged(t *testing.T, r *Rubric, rule *rulebook.Rule, c *suite.Case, text string) map[string]grade.Judgment {
	t.Helper()
	said := strings.Repeat(text, max(1, rule.Times))
	a := grade.Answer{Text: &said, Finish: rule.Finish}
	if rule.Option != nil { // of which a grader is not asked
		o, err := oracle.New(c, quantity.Date{}, program.Steps)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]grade.Judgment{
			"truth": oracle.Judge(o, oracle.Reading{Text: evidence.Read(text), Option: rule.Option}).Truth}
	}
	r.Bench = Bench{Judges: len(rule.Panel[text]), All: true}
	a.Opinions = map[string][]grade.Opinion{}
	for _, q := range r.Questions(c, a) {
		for _, reply := range rule.Panel[text] {
			a.Opinions[q.Text] = append(a.Opinions[q.Text], grade.Opinion{Text: reply})
		}
	}
	if rule.Replies != nil || rule.Failure != "" {
		a.Opinions = map[string][]grade.Opinion{}
		for _, q := range r.Questions(c, a) {
			a.Opinions[q.Text] = []grade.Opinion{{Text: rule.Replies[text], Failure: rule.Failure}}
		}
	}
	g := r.Grade(c, a)
	return map[string]grade.Judgment{"truth": g.Truth, "decidability": g.Decidability, "reciprocity": g.Reciprocity,
		"format": g.Format}
}

// rulesInCode returns the names of rules that the code can give, by walking its source: a * stands for what is put
// together while it runs.
func rulesInCode(t *testing.T) []string {
	t.Helper()
	names := map[string]string{} // by name, where it stands
	for _, dir := range []string{".", "../oracle"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(fset, file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			add := func(e ast.Expr) {
				if s, ok := literal(e); ok && strings.Trim(s, "* :") != "" {
					names[s] = fset.Position(e.Pos()).String()
				}
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					name, rule := ruleOfCall(n, dir)
					if name != "check" {
						add(rule)
					} else if s, ok := literal(rule); ok {
						names["format: "+s] = fset.Position(n.Pos()).String()
					}
				case *ast.KeyValueExpr:
					if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Rule" {
						add(n.Value)
					}
				case *ast.AssignStmt:
					for i, left := range n.Lhs {
						name := nameOf(left)
						if (name == "rule" || name == "Rule") && i < len(n.Rhs) {
							add(n.Rhs[i])
						}
					}
				case *ast.ValueSpec:
					for i, id := range n.Names {
						if (id.Name == "rule" || strings.HasPrefix(id.Name, "Judge")) && i < len(n.Values) {
							add(n.Values[i])
						}
					}
				case *ast.ReturnStmt:
					if len(n.Results) == 3 { // wrongStep
						if s, ok := literal(n.Results[0]); ok && strings.Contains(s, ": a wrong") {
							add(n.Results[0])
						}
					}
				}
				return true
			})
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// nameOf is the name of a variable, a field or a function; "" of all else.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// ruleOfCall returns what a call calls, and the argument that names a rule; nil where none does.
func ruleOfCall(call *ast.CallExpr, dir string) (name string, rule ast.Expr) {
	name = nameOf(call.Fun)
	i, ok := ruleCalls[name]
	if name == "fails" {
		// of the rubric: (whether, judgment, rule, evidence); of the identifier oracle: (rule, evidence, text)
		i, ok = 2, true
		if _, isLiteral := call.Args[0].(*ast.BasicLit); isLiteral {
			i = 0
		}
	}
	if !ok || i >= len(call.Args) || name == "unscored" && dir == "." { // that of the rubric has a reason
		return name, nil
	}
	return name, call.Args[i]
}

// literal returns the text of an expression of literals joined by +, with a * for each other part; false without a
// literal.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, okA := literal(e.X)
		b, okB := literal(e.Y)
		if !okA && !okB {
			return "", false
		}
		if !okA {
			a = "*"
		}
		if !okB {
			b = "*"
		}
		return a + b, true
	}
	return "", false
}

// unmet are rules that the code can give and for which no labelled answer is an example.
var unmet = []string{
	"*: an accepted * is named and another given",
	"exact: a sentence in other words than the gold, which takes a judge or a person",
	"choice: an option is named in a text that declines", "proof: said of the other term",
}

// TestSpecIsComplete walks the rules that the code can give and those of the document: each is in the other.
func TestSpecIsComplete(t *testing.T) {
	var documented []string
	for _, r := range rulebook.Specification().Rules {
		if slices.Contains(documented, r.Name) {
			t.Errorf("%q twice", r.Name)
		}
		documented = append(documented, r.Name)
	}
	code := rulesInCode(t)
	if len(code) < 100 {
		t.Errorf("only %d rules were found in the code", len(code))
	}
	matches := func(pattern, name string) bool {
		parts := strings.Split(pattern, "*")
		if len(parts) == 1 {
			return pattern == name
		}
		return strings.HasPrefix(name, parts[0]) && strings.HasSuffix(name, parts[len(parts)-1]) &&
			len(name) > len(strings.Join(parts, ""))
	}
	for _, pattern := range code {
		if !slices.Contains(unmet, pattern) && !slices.ContainsFunc(documented, func(name string) bool {
			return matches(pattern, name)
		}) {
			t.Errorf("the code gives the rule %q, which rubric.yaml does not have", pattern)
		}
	}
	for _, name := range documented {
		if !slices.ContainsFunc(code, func(pattern string) bool { return matches(pattern, name) }) {
			t.Errorf("rubric.yaml has the rule %q, which the code does not give", name)
		}
	}
	// And those that labelled answers meet.
	s := labelledCases(t)
	r, err := New(s, "2026-11-01")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range opinions(t, s, "testdata/development.txt") {
		g := r.Grade(l.c, grade.Answer{Text: &l.answer})
		for _, j := range []grade.Judgment{g.Truth, g.Decidability, g.Reciprocity, g.Format} {
			if !slices.ContainsFunc(code, func(pattern string) bool { return matches(pattern, j.Rule) }) {
				t.Errorf("line %d: rule %q is not one that the code was found to give", l.line, j.Rule)
			}
		}
	}
}

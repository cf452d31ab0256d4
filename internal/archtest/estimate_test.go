package archtest

import (
	"go/ast"
	"strings"
	"testing"
)

// ends are the names of the two bounds of an interval, as they may end a field's name.
var ends = map[string]string{"lo": "hi", "low": "high", "lower": "upper"}

// apart are structs that have two bounds beside a number and are no estimate in pieces, each with what they are.
var apart = map[string]string{
	"internal/assay.BesideFigure":             "a row of a table, whose JSON leaves bounds out where there are none",
	"internal/engine.Rope":                    "factors of frequencies",
	"internal/engine.ropeJSON":                "factors of frequencies",
	"internal/metric/posterior.Chain":         "shares at two ranks, of which intervals are made",
	"internal/metric/posterior/synthetic.Row": "the mean and the central part of a distribution, not of a sample",
	"internal/metric/rate.ControlPoint":       "control limits, whose centre may be missing",
	"internal/report/svg.Value":               "where a mark stands in a panel",
}

// TestEstimatesStayWhole: an estimate that is cut into a value and two bounds loses its method, its n and its warnings
// on the way to a page. Structs outside stat hold a stat.Estimate, a stat.Interval or stat.Bounds.
func TestEstimatesStayWhole(t *testing.T) {
	all, set := sources(t)
	found := map[string]bool{}
	for _, s := range all {
		if !strings.HasPrefix(s.pkg, "internal/") || under(s.pkg, []string{"internal/stat"}) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			name := s.pkg + "." + spec.Name.Name
			if of, ok := spec.Type.(*ast.StructType); ok && cut(of) {
				if found[name] = true; apart[name] == "" {
					t.Errorf("%s: %s has two bounds beside a number: hold a stat.Estimate, or a stat.Interval or "+
						"stat.Bounds for JSON of another shape", set.Position(spec.Pos()), name)
				}
			}
			return true
		})
	}
	for name := range apart {
		if !found[name] {
			t.Errorf("%s has no bounds beside a number: take it off the list", name)
		}
	}
}

// cut reports whether a struct has two numbers by the names of bounds, and one more.
func cut(of *ast.StructType) bool {
	numbers := map[string]bool{}
	for _, f := range of.Fields.List {
		typ := f.Type
		if p, ok := typ.(*ast.StarExpr); ok {
			typ = p.X
		}
		if id, ok := typ.(*ast.Ident); ok && id.Name == "float64" {
			for _, name := range f.Names {
				numbers[strings.ToLower(name.Name)] = true
			}
		}
	}
	for name := range numbers {
		for lo, hi := range ends {
			if of, ok := strings.CutSuffix(name, lo); ok && numbers[of+hi] && len(numbers) > 2 {
				return true
			}
		}
	}
	return false
}

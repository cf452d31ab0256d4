// Package gate decides conditions on a result document, such as
//
//	rubric.hallucination.hi > 0.05
//
// for continuous integration: a gate that holds true fails the command. A path
// names members by their JSON keys. A gate is parsed and checked against the
// shape of the document before any work starts, and evaluated at the end.
package gate

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/strictyaml"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Gate compares one number of a document with a constant.
type Gate struct {
	Source string   // as written
	Path   []string // JSON keys from the root
	Op     string   // <, <=, >, >=, ==, !=
	Bound  float64

	anyKey bool // of maps that are not there to look into
}

// Parse reads PATH OP NUMBER. Keys are separated by dots; a key that holds a dot, such as pc_below_0.5, is found by
// trying the longest key first when the gate is resolved, so it needs no quoting.
func Parse(source string) (Gate, error) {
	for _, op := range []string{"<=", ">=", "==", "!=", "<", ">"} {
		left, right, found := strings.Cut(source, op)
		if !found {
			continue
		}
		path, number := strings.TrimSpace(left), strings.TrimSpace(right)
		bound, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(bound) || math.IsInf(bound, 0) {
			return Gate{}, fmt.Errorf(
				"gate %q: %q is no number; write PATH %s NUMBER, such as rubric.hallucination.hi > 0.05", source,
				number, op)
		}
		keys := strings.Split(path, ".")
		for _, k := range keys {
			if k == "" || strings.ContainsAny(k, " \t") {
				return Gate{}, fmt.Errorf("gate %q: %q is no path; write JSON keys with dots between them, such "+
					"as rubric.hallucination.hi", source, path)
			}
		}
		return Gate{Source: source, Path: keys, Op: op, Bound: bound}, nil
	}
	return Gate{}, fmt.Errorf("gate %q has no comparison; write PATH OP NUMBER with one of < <= > >= == !=, such "+
		"as rubric.hallucination.hi > 0.05", source)
}

// Check reports whether the document's type can hold a number at the gate's path. The shape is a document as the plan
// would produce it, with nothing measured yet: maps must hold the keys that will be there, while nil pointers are
// followed by their type. The error names the keys that would be right, and the figure that is most likely
// meant.
func (g Gate) Check(shape any) error {
	v, t := reflect.ValueOf(shape), reflect.TypeOf(shape)
	err := g.check(v, t, g.Path)
	if err == nil {
		return nil
	}
	if meant := near(g.Path, v, t); meant != "" {
		return fmt.Errorf("%w; did you mean %s?", err, meant)
	}
	return err
}

// CheckType reports whether a document of the type can hold a number at the gate's path under any plan. A map may
// hold any key.
func (g Gate) CheckType(t reflect.Type) error {
	g.anyKey = true
	return g.check(reflect.Value{}, t, g.Path)
}

// followed returns what pointers and interfaces lead to, nil pointers by their type; false where nothing is known of it
// before the end.
func followed(v reflect.Value, t reflect.Type) (reflect.Value, reflect.Type, bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		switch {
		case v.IsValid() && !v.IsNil():
			v = v.Elem()
			t = v.Type()
		case t.Kind() == reflect.Interface:
			return v, t, false
		default:
			v, t = reflect.Value{}, t.Elem()
		}
	}
	return v, t, true
}

func (g Gate) check(v reflect.Value, t reflect.Type, path []string) error {
	v, t, known := followed(v, t)
	if !known {
		return nil
	}
	if len(path) == 0 {
		return g.checkEnd(v, t)
	}
	if t.Kind() == reflect.Map && g.anyKey && !v.IsValid() {
		return g.check(v, t.Elem(), path[1:])
	}
	members := membersOf(v, t)
	for n := len(path); n > 0; n-- { // the longest key first: pc_below_0.5
		if m, ok := members[strings.Join(path[:n], ".")]; ok {
			return g.check(m.value, m.typ, path[n:])
		}
	}
	return fmt.Errorf("gate %q: this plan produces no %q; it produces %s", g.Source,
		strings.Join(g.Path[:len(g.Path)-len(path)+1], "."), strings.Join(keysOf(v, t), ", "))
}

// checkEnd checks that there is a number where the path ends.
func (g Gate) checkEnd(v reflect.Value, t reflect.Type) error {
	switch {
	case isNumber(t):
		return nil
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return fmt.Errorf("gate %q: %s is an object; go on with one of %s", g.Source, strings.Join(g.Path, "."),
			strings.Join(keysOf(v, t), ", "))
	}
	return fmt.Errorf("gate %q: %s is no number", g.Source, strings.Join(g.Path, "."))
}

// isNumber reports whether values of the type are numbers.
func isNumber(t reflect.Type) bool {
	return slices.Contains([]reflect.Kind{reflect.Float64, reflect.Float32, reflect.Int, reflect.Int64, reflect.Uint64},
		t.Kind())
}

type field struct {
	value reflect.Value
	typ   reflect.Type
}

// membersOf returns the members of a struct, or of a map that is there, by their JSON keys; none of anything else.
func membersOf(v reflect.Value, t reflect.Type) map[string]field {
	switch {
	case t.Kind() == reflect.Struct:
		return fieldsOf(v, t)
	case t.Kind() != reflect.Map || !v.IsValid():
		return nil
	}
	members := map[string]field{}
	for _, k := range v.MapKeys() {
		members[k.String()] = field{v.MapIndex(k), t.Elem()}
	}
	return members
}

// fieldsOf returns a struct's members by their JSON keys, those of embedded structs included. A nil embedded
// pointer is passed over: its method was not asked for.
func fieldsOf(v reflect.Value, t reflect.Type) map[string]field {
	if t.Kind() == reflect.Pointer {
		if !v.IsValid() || v.IsNil() {
			return nil
		}
		v, t = v.Elem(), t.Elem()
	}
	fields := map[string]field{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		var fv reflect.Value
		if v.IsValid() {
			fv = v.Field(i)
		}
		switch {
		case f.Anonymous && name == "":
			for k, inner := range fieldsOf(fv, f.Type) {
				if _, taken := fields[k]; !taken {
					fields[k] = inner
				}
			}
		case name != "-" && f.IsExported() && !unplanned(fv, f):
			fields[cmp.Or(name, f.Name)] = field{fv, f.Type}
		}
	}
	return fields
}

// unplanned reports whether a member is a method that the plan does not carry: a nil pointer that is omitted when
// empty. The tag gate:"figure" says of one to a larger struct that it is no method's result and may well be there at
// the end.
func unplanned(v reflect.Value, f reflect.StructField) bool {
	return strings.Contains(f.Tag.Get("json"), "omitempty") && f.Tag.Get("gate") != "figure" && v.IsValid() &&
		v.IsZero() && (methodPointer(f.Type) || f.Type.Kind() == reflect.Map)
}

// methodPointer tells a pointer to a method's result (a struct with many members) from
// an optional number or interval inside one, which may well be there at the end.
func methodPointer(t reflect.Type) bool {
	if t == reflect.TypeFor[*stat.Estimate]() || t == reflect.TypeFor[*stat.Rate]() {
		return false
	}
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && countMembers(t.Elem()) > 4
}

// countMembers counts the members that JSON has of a struct, those of embedded ones included.
func countMembers(t reflect.Type) (n int) {
	for i := range t.NumField() {
		f := t.Field(i)
		of := f.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case f.Anonymous && name == "" && of.Kind() == reflect.Struct:
			n += countMembers(of)
		case name != "-" && f.IsExported():
			n++
		}
	}
	return n
}

// leads reports whether there may be a number at or below a member of the type.
func leads(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Slice:
		return false
	}
	return true
}

// keysOf returns the keys that a path can go on with, sorted.
func keysOf(v reflect.Value, t reflect.Type) []string {
	var keys []string
	for k, m := range membersOf(v, t) {
		if t.Kind() == reflect.Map || leads(m.typ) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	if len(keys) == 0 {
		return []string{"nothing there"}
	}
	return keys
}

// An Outcome is a gate's decision on one document.
type Outcome struct {
	Failed bool
	Value  *float64 // nil: absent or null at the end, which fails the gate
	Why    string   // why there is no value, where the document says; else ""
}

// Eval decides the gate on a document. The gate fails where its condition holds, and where the value is null,
// absent or no number.
func (g Gate) Eval(document figure.Tree) Outcome {
	value, ok := document.Find(g.Path).Number()
	if !ok {
		return Outcome{Failed: true, Why: ranged(document, g.Path)}
	}
	holds := map[string]bool{"<": value < g.Bound, "<=": value <= g.Bound, ">": value > g.Bound, ">=": value >= g.Bound,
		"==": value == g.Bound, "!=": value != g.Bound}[g.Op]
	return Outcome{Failed: holds, Value: &value}
}

// ranged says that a rate or an estimate is not there because a range stands in its place.
func ranged(document figure.Tree, path []string) string {
	last := len(path) - 1
	if last < 1 || path[last] != "rate" && path[last] != "estimate" {
		return ""
	}
	parent := path[:last:last]
	lo, okLo := document.Find(append(parent, "range", "lo")).Number()
	hi, okHi := document.Find(append(parent, "range", "hi")).Number()
	if !okLo || !okHi {
		return ""
	}
	return fmt.Sprintf(
		"a range from %s to %s, as some answers could not be graded: name %s.hi or .lo, which are always there",
		figure.Digits(lo, 4), figure.Digits(hi, 4), strings.Join(parent, "."))
}

// ParseAll parses the gates of --fail-on and holds them against the shape of the document that they are about,
// where that is known.
func ParseAll(exprs []string, shape any) ([]Gate, error) {
	var gates []Gate
	for _, expr := range exprs {
		g, err := Parse(expr)
		if err == nil && shape != nil {
			err = g.Check(shape)
		}
		if err != nil {
			return nil, fmt.Errorf("--fail-on: %w", err)
		}
		gates = append(gates, g)
	}
	return gates, nil
}

// Failed returns the gates that fail on a document, each with the value that it has there, or why it has none.
func Failed(gates []Gate, doc figure.Tree) (failed []string) {
	for _, g := range gates {
		out := g.Eval(doc)
		if !out.Failed {
			continue
		}
		value := cmp.Or(out.Why, "null")
		if out.Value != nil {
			value = figure.Digits(*out.Value, 6)
		}
		failed = append(failed, fmt.Sprintf("%s (it is %s)", g.Source, value))
	}
	return failed
}

// Bounds on where a near path is looked for: real documents have some thousand numbers, none of them this deep.
const (
	maxDepth = 8
	maxPaths = 20000
)

// near returns the path of the number that a path without one most likely means, "" where none is like it: one that has
// its keys and others between or before them, or that has other keys than it behind or before, or whose keys are
// misspelt, in that order. Of several the one with the fewest differences counts, of these the first by letter.
func near(path []string, v reflect.Value, t reflect.Type) string {
	var all [][]string
	walk(v, t, nil, &all)
	best, least := "", 0
	for _, p := range all {
		name := strings.Join(p, ".")
		cost := differences(path, strings.Split(name, ".")) // as a key that holds a dot was split too
		if cost >= 0 && (best == "" || cost < least || cost == least && name < best) {
			best, least = name, cost
		}
	}
	return best
}

// differences counts what a path has to be changed by to be another, -1 where the two are not alike.
func differences(path, other []string) int {
	if n := len(other) - len(path); n > 0 && within(path, other) || n < 0 && within(other, path) {
		return max(n, -n)
	}
	if len(path) != len(other) {
		return -1
	}
	total := 10 // any other keys are more likely meant
	for i := range path {
		d := strictyaml.Typos(strings.ToLower(path[i]), other[i])
		if d > (len(path[i])+2)/4 {
			return -1
		}
		total += d
	}
	return total
}

// within reports whether the longer path has the keys of the shorter in their order, and ends as it does.
func within(short, long []string) bool {
	if len(short) == 0 || short[len(short)-1] != long[len(long)-1] {
		return false
	}
	at := 0
	for _, key := range long {
		if at < len(short) && key == short[at] {
			at++
		}
	}
	return at == len(short) && len(short) > 1
}

// walk collects the paths of the numbers that a document of the type may have.
func walk(v reflect.Value, t reflect.Type, path []string, all *[][]string) {
	v, t, known := followed(v, t)
	if !known || len(path) > maxDepth || len(*all) >= maxPaths {
		return
	}
	if isNumber(t) {
		*all = append(*all, path)
	}
	for key, m := range membersOf(v, t) {
		walk(m.value, m.typ, append(slices.Clone(path), key), all)
	}
}

package gate

import (
	"reflect"
	"slices"
	"strings"

	"hallmark/internal/base/strictyaml"
)

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
	switch t.Kind() {
	case reflect.Struct:
		for key, f := range fieldsOf(v, t) {
			walk(f.value, f.typ, append(slices.Clone(path), key), all)
		}
	case reflect.Map:
		if v.IsValid() {
			for _, k := range v.MapKeys() {
				e := v.MapIndex(k)
				walk(e, e.Type(), append(slices.Clone(path), k.String()), all)
			}
		}
	case reflect.Float64, reflect.Float32, reflect.Int, reflect.Int64, reflect.Uint64:
		*all = append(*all, path)
	}
}

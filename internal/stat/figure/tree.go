// Package figure finds the figures of a result by the names that the result's JSON gives them, such as
// rubric.hallucination.rate, in the Go values themselves: pages, gates and comparisons read a result by these
// paths, and nothing is written as JSON to be read back. So whatever a page shows is a number that a script can
// name, and it still knows what it is of.
package figure

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hallmark/internal/stat"
)

// A Tree is a result or a part of one: what its JSON has at a path. The zero Tree is what is not there.
type Tree struct {
	value reflect.Value // neither pointer nor interface; invalid where JSON has null or nothing
	at    []string
}

// Of returns a result as a tree. It is read as encoding/json would write its fields: nothing in it may write JSON of
// its own.
func Of(result any) Tree { return Tree{value: plain(reflect.ValueOf(result))} }

// At is the path of t from the root of the result.
func (t Tree) At() []string { return t.at }

// Sub returns the part under the keys: names of members, and indices of lists.
func (t Tree) Sub(keys ...string) Tree {
	v := t.value
	for _, key := range keys {
		v = plain(member(v, key))
	}
	return Tree{v, slices.Concat(t.at, keys)}
}

// Has reports whether there is anything, null not counted, under the keys.
func (t Tree) Has(keys ...string) bool { return t.Sub(keys...).value.IsValid() }

// Number returns the number under the keys, and whether there is one.
func (t Tree) Number(keys ...string) (float64, bool) {
	v := t.Sub(keys...).value
	switch {
	case v.CanFloat():
		return v.Float(), true
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	}
	return 0, false
}

// Whole returns the count under the keys, 0 where there is none.
func (t Tree) Whole(keys ...string) int {
	x, _ := t.Number(keys...)
	return int(x)
}

// Text returns the string under the keys, "" where there is none.
func (t Tree) Text(keys ...string) string {
	if v := t.Sub(keys...).value; v.Kind() == reflect.String {
		return v.String()
	}
	return ""
}

// Bool returns the truth value under the keys, and whether there is one.
func (t Tree) Bool(keys ...string) (yes, there bool) {
	if v := t.Sub(keys...).value; v.Kind() == reflect.Bool {
		return v.Bool(), true
	}
	return false, false
}

// Estimate returns the estimate under the keys, the name that JSON has its value under, and whether there is one.
func (t Tree) Estimate(keys ...string) (e stat.Estimate, name string, ok bool) {
	e, name, _ = estimateIn(t.Sub(keys...).value)
	return e, name, name != ""
}

// Interval returns the interval under the keys, with all that the estimate it is of rests on, and whether there is one.
// Its value is that of an estimate alone, and not one that stands beside the bounds.
func (t Tree) Interval(keys ...string) (e stat.Estimate, ok bool) {
	of := t.Sub(keys...)
	lo, okLo := of.Number("lo")
	hi, okHi := of.Number("hi")
	e, _, _ = estimateIn(of.value)
	e.Lo, e.Hi = lo, hi
	return e, okLo && okHi
}

// estimateIn returns the estimate that a value is, or has more beside, and the name that JSON has the estimate's value
// under: "" where that stands beside it.
func estimateIn(v reflect.Value) (e stat.Estimate, name string, ok bool) {
	if !v.IsValid() {
		return e, "", false
	}
	switch x := v.Interface().(type) {
	case stat.Estimate:
		return x, "estimate", true
	case stat.Rate:
		return stat.Estimate(x), "rate", true
	case stat.Average:
		return stat.Estimate(x), "mean", true
	case stat.Interval:
		return stat.Estimate(x), "", true
	case stat.Bounds:
		if x.Of == nil {
			return e, "", false
		}
		return *x.Of, "", true
	}
	if v.Kind() == reflect.Struct { // an estimate with more beside it
		for i := range v.NumField() {
			if v.Type().Field(i).Anonymous && v.Field(i).Kind() == reflect.Struct {
				if e, name, ok = estimateIn(v.Field(i)); ok {
					return e, name, true
				}
			}
		}
	}
	return e, "", false
}

// Cell writes what is under the keys in full: a number so that reading it gives the same, text as it is, true or
// false, and nothing where there is none of these.
func (t Tree) Cell(keys ...string) string {
	switch v := t.Sub(keys...).value; {
	case v.CanFloat():
		return Exact(v.Float())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return ""
}

// Len is the length of the list under the keys, 0 where there is none.
func (t Tree) Len(keys ...string) int {
	if v := t.Sub(keys...).value; v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
		return v.Len()
	}
	return 0
}

// Items returns the parts of the list under the keys.
func (t Tree) Items(keys ...string) []Tree {
	list := t.Sub(keys...)
	items := make([]Tree, list.Len())
	for i := range items {
		items[i] = list.Sub(strconv.Itoa(i))
	}
	return items
}

// Names returns the names of the members under the keys, sorted.
func (t Tree) Names(keys ...string) []string {
	names := []string{}
	switch v := t.Sub(keys...).value; v.Kind() {
	case reflect.Map:
		for _, k := range v.MapKeys() {
			names = append(names, nameOf(k))
		}
	case reflect.Struct:
		for name := range fieldsOf(v.Type()) {
			if member(v, name).IsValid() {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Find returns the part at a path that was split at its dots, though names may have dots themselves, as pc_below_0.5
// has.
func (t Tree) Find(path []string) Tree {
	if len(path) == 0 {
		return t
	}
	if k := t.value.Kind(); k != reflect.Struct && k != reflect.Map { // a path goes into no list
		return Tree{}
	}
	for n := len(path); n > 0; n-- {
		if inner := t.Sub(strings.Join(path[:n], ".")); inner.value.IsValid() {
			return inner.Find(path[n:])
		}
	}
	return Tree{}
}

// plain returns what a pointer or an interface leads to; nothing for nil, as JSON has it.
func plain(v reflect.Value) reflect.Value {
	for v.IsValid() {
		switch v.Kind() {
		case reflect.Slice, reflect.Map:
			if v.IsNil() {
				return reflect.Value{}
			}
			return v
		case reflect.Pointer, reflect.Interface:
			v = v.Elem() // invalid for nil
		default:
			return v
		}
	}
	return v
}

// member returns the member of an object or list, invalid where JSON has none.
func member(v reflect.Value, key string) reflect.Value {
	switch v.Kind() {
	case reflect.Struct:
		f, ok := fieldsOf(v.Type())[key]
		if !ok {
			return reflect.Value{}
		}
		x, err := v.FieldByIndexErr(f.index)
		if err != nil || f.omitEmpty && empty(x) || f.omitZero && x.IsZero() {
			return reflect.Value{}
		}
		return x
	case reflect.Map:
		return valueOf(v, key)
	case reflect.Slice, reflect.Array:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < v.Len() {
			return v.Index(i)
		}
	}
	return reflect.Value{}
}

// valueOf returns the value of a map under a key by its name.
func valueOf(of reflect.Value, name string) reflect.Value {
	if key := of.Type().Key(); key.Kind() == reflect.String {
		return of.MapIndex(reflect.ValueOf(name).Convert(key))
	}
	for _, key := range of.MapKeys() {
		if nameOf(key) == name {
			return of.MapIndex(key)
		}
	}
	return reflect.Value{}
}

// empty is what omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// nameOf returns the name that JSON gives a key of a map.
func nameOf(k reflect.Value) string { return Tree{value: k}.Cell() }

// A field is a member of a struct in JSON.
type field struct {
	index               []int
	omitEmpty, omitZero bool
}

// known holds the fields of each type that was read.
var known sync.Map // reflect.Type to map[string]field

// fieldsOf returns the members of a struct by their names in JSON, those of embedded structs included.
func fieldsOf(t reflect.Type) map[string]field {
	if all, ok := known.Load(t); ok {
		return all.(map[string]field)
	}
	all := map[string]field{}
	var embedded []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-":
			continue
		case f.Anonymous && name == "" && structOf(f.Type) != nil:
			embedded = append(embedded, f)
			continue
		case !f.IsExported():
			continue
		}
		if name == "" {
			name = f.Name
		}
		is := strings.Split(options, ",")
		all[name] = field{f.Index, slices.Contains(is, "omitempty"), slices.Contains(is, "omitzero")}
	}
	deeper, twice := map[string]field{}, map[string]bool{}
	for _, e := range embedded { // what lies deeper gives way, and of two that lie as deep neither is there
		for name, f := range fieldsOf(structOf(e.Type)) {
			f.index = slices.Concat(e.Index, f.index)
			other, there := deeper[name]
			if !there || len(f.index) < len(other.index) {
				deeper[name], twice[name] = f, false
			} else if len(f.index) == len(other.index) {
				twice[name] = true
			}
		}
	}
	for name, f := range deeper {
		if _, taken := all[name]; !taken && !twice[name] {
			all[name] = f
		}
	}
	known.Store(t, all)
	return all
}

// structOf returns the struct that a type is or points to, else nil.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

package suite

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A decoder fills the structs of this package from nodes, by their yaml tags, and refuses every key it does not know.
type decoder struct{ file string }

var goldType = reflect.TypeFor[Gold]()

// decode fills v, which must be settable, from n. What is the name of the place for messages, such as "case" or "requires.date".
func (d *decoder) decode(n *node, v reflect.Value, what string) error {
	if n.kind == null {
		return nil
	}
	if v.Type() == goldType {
		g, err := d.gold(n)
		v.Set(reflect.ValueOf(g))
		return err
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if w, ok := p.Interface().(*Weights); ok {
			*w = DefaultWeights // an axis that is not named keeps its weight
		}
		v.Set(p)
		return d.decode(n, p.Elem(), what)
	case reflect.String:
		if n.kind != scalar {
			return faultf(d.file, n.line, "%s must be a text, not %s", what, n.kind)
		}
		v.SetString(n.text)
	case reflect.Bool:
		b, ok := map[string]bool{"true": true, "True": true, "TRUE": true, "false": false, "False": false, "FALSE": false}[n.text]
		if n.kind != scalar || !ok {
			return faultf(d.file, n.line, "%s must be true or false, not %q", what, n.text)
		}
		v.SetBool(b)
	case reflect.Int:
		var i int
		if err := d.integer(n, &i, what); err != nil {
			return err
		}
		v.SetInt(int64(i))
	case reflect.Float64:
		f, err := strconv.ParseFloat(n.text, 64)
		if n.kind != scalar || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return faultf(d.file, n.line, "%s must be a number, not %q", what, n.text)
		}
		v.SetFloat(f)
	case reflect.Slice:
		if n.kind != list {
			return faultf(d.file, n.line, "%s must be a list, not %s", what, n.kind)
		}
		s := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
		for i, item := range n.items {
			if item.kind == null {
				return faultf(d.file, item.line, "%s has an empty entry", what)
			}
			if err := d.decode(item, s.Index(i), what); err != nil {
				return err
			}
		}
		v.Set(s)
	case reflect.Map:
		if n.kind != dict {
			return faultf(d.file, n.line, "%s must be keys and values, not %s", what, n.kind)
		}
		m := reflect.MakeMapWithSize(v.Type(), len(n.keys))
		for i, k := range n.keys {
			e := reflect.New(v.Type().Elem()).Elem()
			if err := d.decode(n.items[i], e, what+"."+k.name); err != nil {
				return err
			}
			m.SetMapIndex(reflect.ValueOf(k.name), e)
		}
		v.Set(m)
	case reflect.Struct:
		return d.structure(n, v, what)
	default:
		panic("suite: no way to decode a " + v.Type().String())
	}
	return nil
}

// structure fills the fields of a struct, and refuses keys that are none.
func (d *decoder) structure(n *node, v reflect.Value, what string) error {
	if n.kind != dict {
		return faultf(d.file, n.line, "%s must be keys and values, not %s", what, n.kind)
	}
	fields := fieldsOf(v.Type())
	for i, k := range n.keys {
		f, ok := fields[k.name]
		if !ok {
			known := slices.Sorted(maps.Keys(fields))
			if what == "case" {
				known = append(known, columnNames()...)
			}
			return faultf(d.file, k.line, "unknown key %q in %s; %s", k.name, what, suggest(k.name, known))
		}
		if err := d.decode(n.items[i], v.FieldByIndex(f), join(what, k.name)); err != nil {
			return err
		}
	}
	return nil
}

// join names a field for messages; the fields of a case and of the header go by their own name.
func join(what, key string) string {
	if what == "case" || what == "suite" {
		return key
	}
	return what + "." + key
}

func (d *decoder) integer(n *node, to *int, what string) error {
	i, err := strconv.Atoi(n.text)
	if n.kind != scalar || err != nil || i < 0 {
		return faultf(d.file, n.line, "%s must be a whole number from 0, not %q", what, n.text)
	}
	*to = i
	return nil
}

// fieldsOf returns the places of the fields of a struct by the names in its yaml tags, with those of inlined structs.
func fieldsOf(t reflect.Type) map[string][]int {
	if known, ok := fieldsByType.Load(t); ok {
		return known.(map[string][]int)
	}
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "-" && rest != "inline" {
			fields[name] = f.Index
		}
	}
	fieldsByType.Store(t, fields)
	return fields
}

var fieldsByType sync.Map

package strictyaml

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Decoder fills values of Go from nodes, structs by the names in their yaml tags, and refuses every key that it
// does not know. It fills texts, true and false, numbers, lists, maps of texts to these, structs, and pointers to
// all of them; what is empty in the file leaves its place as it is.
type Decoder struct {
	File string
	// Special, if set, may take a node itself: it fills v and reports that it did. What names the place for messages.
	Special func(n *Node, v reflect.Value, what string) (taken bool, err error)
	// Also are keys of the outermost value that somebody else reads, which a misspelt one may mean.
	Also []string
	// Extend adds what lists and maps have to what is there, so that several files make one value.
	Extend bool
	// Placed, if set, is told where each part stands: by its path, such as relations/3/facts/5.
	Placed func(path string, line int)
}

// Decode fills what into points to. What names it for messages: fields of it go by their own names.
func (d *Decoder) Decode(n *Node, into any, what string) error {
	return d.decode(n, reflect.ValueOf(into).Elem(), at{what: what, top: true})
}

// at is where a value stands: for messages, such as "requires.date", and by its path.
type at struct {
	what, path string
	top        bool
}

// field is where a field of a struct stands, or the value of a key of a map.
func (a at) field(key string) at {
	of := at{key, a.under(key), false}
	if !a.top {
		of.what = a.what + "." + key
	}
	return of
}

// entry is where an entry of a list stands.
func (a at) entry(i int) at { return at{a.what, a.under(strconv.Itoa(i)), false} }

func (a at) under(part string) string {
	if a.path == "" {
		return part
	}
	return a.path + "/" + part
}

// decode fills v, which must be settable.
func (d *Decoder) decode(n *Node, v reflect.Value, a at) error {
	if d.Special != nil {
		if taken, err := d.Special(n, v, a.what); taken || err != nil {
			return err
		}
	}
	if n.Kind == Null {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.decode(n, v.Elem(), a)
	case reflect.Slice:
		return d.list(n, v, a)
	case reflect.Map:
		return d.dict(n, v, a)
	case reflect.Struct:
		return d.structure(n, v, a)
	}
	if want, ok := scalar(n.Text, v); !ok || n.Kind != Scalar {
		return Faultf(d.File, n.Line, "%s must be %s, not %s", a.what, want, n.shown())
	}
	return nil
}

// scalar sets v to what a text says, and reports whether it says what v holds, and what that is.
func scalar(text string, v reflect.Value) (want string, ok bool) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return "a text", true
	case reflect.Bool:
		b, ok := map[string]bool{"true": true, "True": true, "TRUE": true, "false": false, "False": false,
			"FALSE": false}[text]
		v.SetBool(b)
		return "true or false", ok
	case reflect.Int:
		i, err := strconv.Atoi(text)
		v.SetInt(int64(i))
		return "a whole number", err == nil
	case reflect.Uint64:
		i, err := strconv.ParseUint(text, 10, 64)
		v.SetUint(i)
		return "a whole number from 0", err == nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		v.SetFloat(f)
		return "a number", err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	panic("strictyaml: no way to decode a " + v.Type().String())
}

// shown is a node in a message.
func (n *Node) shown() string {
	if n.Kind == Scalar {
		return strconv.Quote(clip(n.Text))
	}
	return n.Kind.String()
}

// list fills a slice.
func (d *Decoder) list(n *Node, v reflect.Value, a at) error {
	if n.Kind != List {
		return Faultf(d.File, n.Line, "%s must be a list, not %s", a.what, n.Kind)
	}
	base := 0
	if d.Extend {
		base = v.Len()
	}
	s := reflect.MakeSlice(v.Type(), base+len(n.Items), base+len(n.Items))
	reflect.Copy(s.Slice(0, base), v)
	for i, item := range n.Items {
		if item.Kind == Null {
			return Faultf(d.File, item.Line, "%s has an empty entry", a.what)
		}
		if err := d.part(item, item.Line, s.Index(base+i), a.entry(base+i)); err != nil {
			return err
		}
	}
	v.Set(s)
	return nil
}

// dict fills a map.
func (d *Decoder) dict(n *Node, v reflect.Value, a at) error {
	if n.Kind != Dict {
		return Faultf(d.File, n.Line, "%s must be keys and values, not %s", a.what, n.Kind)
	}
	if v.IsNil() || !d.Extend {
		v.Set(reflect.MakeMapWithSize(v.Type(), len(n.Keys)))
	}
	for i, k := range n.Keys {
		if v.MapIndex(reflect.ValueOf(k.Name)).IsValid() {
			return Faultf(d.File, k.Line, "key %q of %s twice; keep one", clip(k.Name), a.what)
		}
		e := reflect.New(v.Type().Elem()).Elem()
		if err := d.part(n.Items[i], k.Line, e, a.field(k.Name)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(k.Name), e)
	}
	return nil
}

// structure fills the fields of a struct, and refuses keys that are none.
func (d *Decoder) structure(n *Node, v reflect.Value, a at) error {
	if n.Kind != Dict {
		return Faultf(d.File, n.Line, "%s must be keys and values, not %s", a.what, n.Kind)
	}
	fields := fieldsOf(v.Type())
	for i, k := range n.Keys {
		f, ok := fields[k.Name]
		if !ok {
			known := slices.Sorted(maps.Keys(fields))
			if a.top {
				known = append(known, d.Also...)
			}
			return Faultf(d.File, k.Line, "unknown key %q in %s; %s", clip(k.Name), a.what, Suggest(k.Name, known))
		}
		if err := d.part(n.Items[i], k.Line, v.FieldByIndex(f), a.field(k.Name)); err != nil {
			return err
		}
	}
	return nil
}

// part fills a part of a value, which stands at a line.
func (d *Decoder) part(n *Node, line int, v reflect.Value, a at) error {
	if d.Placed != nil {
		d.Placed(a.path, line)
	}
	return d.decode(n, v, a)
}

// fieldsOf returns the places of the fields of a struct by the names in its yaml tags, with those of inlined structs.
func fieldsOf(t reflect.Type) map[string][]int {
	if known, ok := fieldsByType.Load(t); ok {
		return known.(map[string][]int)
	}
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" && name != "-" && rest != "inline" {
			fields[name] = f.Index
		}
	}
	fieldsByType.Store(t, fields)
	return fields
}

var fieldsByType sync.Map

package jinja

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A value is nil (none), undefined, bool, int64, float64, Text, *list, *Dict, *namespace, *loop or *function.
type (
	undefined string // its name
	list      struct{ items []any }
	namespace struct{ vars map[string]any }
	loop      struct {
		items []any
		i     int
	}
	function struct {
		name string
		do   func(m *machine, c *call) any
	}
)

// A Dict is a map that keeps the order in which its keys were set.
type Dict struct {
	keys   []string
	values map[string]any
}

// NewDict returns an empty Dict.
func NewDict() *Dict { return &Dict{values: map[string]any{}} }

// Set sets a key to a value of the kinds that Render takes.
func (d *Dict) Set(key string, value any) {
	v, _ := fromGo(value)
	d.put(key, v)
}

// put sets a key to a value of a template. It does not look into the value, which may hold another many times over.
func (d *Dict) put(key string, value any) {
	if _, ok := d.values[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

// fromGo is a variable as a value, and its size in bytes.
func fromGo(v any) (any, int) {
	switch v := v.(type) {
	case string:
		return own(v), len(v)
	case Text:
		return v, len(v.s)
	case int:
		return int64(v), 8
	case []any:
		l, size := &list{}, 0
		for _, x := range v {
			y, n := fromGo(x)
			l.items, size = append(l.items, y), size+n+16
		}
		return l, size
	case *Dict:
		size := 0
		for _, x := range v.values {
			_, n := fromGo(x)
			size += n
		}
		return v, size
	}
	return v, 8
}

func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case undefined:
		return string(v) + ", which is undefined,"
	case bool:
		return "a truth value"
	case int64, float64:
		return "a number"
	case Text:
		return "a string"
	case *list:
		return "a list"
	case *Dict:
		return "a dict"
	}
	return "this value"
}

// truth is Python's.
func truth(v any) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case Text:
		return v.s != ""
	case *list:
		return len(v.items) > 0
	case *Dict:
		return len(v.keys) > 0
	}
	return true
}

// number is a number's value, and whether it is whole; truth values are numbers too.
func number(v any) (f float64, whole, ok bool) {
	switch v := v.(type) {
	case bool:
		return float64(toInt(v)), true, true
	case int64:
		return float64(v), true, true
	case float64:
		return v, false, true
	}
	return 0, false, false
}

func toInt(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case bool:
		if v {
			return 1
		}
	}
	return 0
}

// text is a value as it is printed.
func text(line int, v any) Text {
	switch v := v.(type) {
	case nil:
		return own("None")
	case undefined:
		return Text{}
	case bool:
		if v {
			return own("True")
		}
		return own("False")
	case int64:
		return own(strconv.FormatInt(v, 10))
	case float64:
		return own(float(v))
	case Text:
		return v
	}
	fail(line, "%s is printed, which is not understood; tojson writes lists and dicts", typeName(v))
	return Text{}
}

// float is a number as Python prints it.
func float(f float64) string {
	switch {
	case f-f != 0:
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+")) // inf, -inf or nan
	case f == math.Trunc(f) && math.Abs(f) < 1e16:
		return strconv.FormatFloat(f, 'f', 1, 64)
	case math.Abs(f) < 1e16 && math.Abs(f) >= 1e-4:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'e', -1, 64)
}

// elements lists what a loop over v goes through.
func elements(m *machine, line int, v any) []any {
	var out []any
	switch v := v.(type) {
	case undefined:
		return nil
	case *list:
		return v.items
	case *Dict:
		for _, k := range v.keys {
			out = append(out, own(k))
		}
	case Text:
		m.charge(line, 48*len(v.s))
		for i := 0; i < len(v.s); {
			_, n := utf8.DecodeRuneInString(v.s[i:])
			out = append(out, v.slice(i, i+n))
			i += n
		}
		return out
	default:
		fail(line, "a loop over %s", typeName(v))
	}
	m.charge(line, 16*len(out))
	return out
}

// length is the number of elements, or of characters.
func length(line int, v any) int {
	switch v := v.(type) {
	case undefined:
		return 0
	case *list:
		return len(v.items)
	case *Dict:
		return len(v.keys)
	case Text:
		return utf8.RuneCountInString(v.s)
	}
	fail(line, "the length of %s", typeName(v))
	return 0
}

// item is v[i].
func item(m *machine, line int, v, i any) any {
	switch v := v.(type) {
	case *Dict:
		if key, ok := i.(Text); ok {
			m.scan(line, len(key.s))
			if x, ok := v.values[key.s]; ok {
				return x
			}
			return undefined(key.s)
		}
		return undefined("an entry")
	case *list:
		if n, ok := i.(int64); ok {
			if at := position(n, len(v.items)); at >= 0 {
				return v.items[at]
			}
			return undefined("an element past the end")
		}
	case Text:
		if n, ok := i.(int64); ok {
			m.scan(line, len(v.s))
			if at := position(n, utf8.RuneCountInString(v.s)); at >= 0 {
				from := offset(v.s, at)
				return v.slice(from, from+offset(v.s[from:], 1))
			}
			return undefined("a character past the end")
		}
	}
	if name, ok := i.(Text); ok {
		m.scan(line, len(name.s))
		return field(line, v, name.s)
	}
	fail(line, "%s has no elements by %s", typeName(v), typeName(i))
	return nil
}

// position is index n, from the end if below 0, of so many elements; -1 if there is none.
func position(n int64, of int) int {
	if n < 0 {
		n += int64(of)
	}
	if n < 0 || n >= int64(of) {
		return -1
	}
	return int(n)
}

// offset is where in s the character with this number begins; the end of s if there are not so many.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// field is v.name: a method, or an entry.
func field(line int, v any, name string) any {
	var kind string
	var own map[string]operation
	var entries map[string]any
	switch v := v.(type) {
	case undefined:
		fail(line, "%s is undefined, and its field %s is asked for", string(v), name)
	case Text:
		kind, own = "string", methods
	case *Dict:
		kind, own, entries = "dict", dictMethods, v.values
	case *list:
		kind = "list"
	case *namespace:
		entries = v.vars
	case *loop:
		return v.field(line, name)
	}
	if f := own[name]; f != nil {
		return &function{name, func(m *machine, c *call) any {
			c.of = v
			return f(m, c)
		}}
	}
	if x, ok := entries[name]; ok {
		return x
	}
	if kind != "" && slices.Contains(unknownMethods, name) {
		fail(line, "the %s method %s is not understood", kind, name)
	}
	return undefined(name)
}

// unknownMethods are those Python has and this package has not: to take them for undefined would render something else.
var unknownMethods = strings.Fields(`append clear copy extend insert pop remove reverse sort fromkeys popitem
	setdefault update casefold center encode expandtabs format format_map isalnum isascii isdecimal isidentifier
	isnumeric isprintable istitle ljust maketrans partition rindex rjust rpartition swapcase translate zfill`)

func (l *loop) field(line int, name string) any {
	i, n := l.i, len(l.items)
	known := map[string]any{"index": int64(i + 1), "index0": int64(i), "revindex": int64(n - i),
		"revindex0": int64(n - i - 1), "length": int64(n), "first": i == 0, "last": i == n-1}
	if x, ok := known[name]; ok {
		return x
	}
	switch name {
	case "previtem", "nextitem":
		if i--; name == "nextitem" {
			i += 2
		}
		if i < 0 || i >= n {
			return undefined("loop." + name)
		}
		return l.items[i]
	case "cycle":
		return &function{name, func(_ *machine, c *call) any {
			if len(c.plain) == 0 {
				fail(c.line, "loop.cycle of nothing")
			}
			return c.plain[l.i%len(c.plain)]
		}}
	}
	fail(line, "loop.%s is not understood", name)
	return nil
}

// isSpace is Python's white space.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

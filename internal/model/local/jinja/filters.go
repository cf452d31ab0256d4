package jinja

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A call is what a function, method, filter or test is given.
type call struct {
	line  int
	name  string
	of    any // what a method, filter or test is applied to
	plain []any
	named map[string]any
}

func (c *call) fail(format string, args ...any) {
	fail(c.line, c.name+": "+format, args...)
}

// arg is the argument at position i or with a name, or else the given default.
func (c *call) arg(i int, name string, otherwise any) any {
	if i < len(c.plain) {
		return c.plain[i]
	}
	if v, ok := c.named[name]; ok {
		return v
	}
	return otherwise
}

// takes refuses arguments other than so many plain ones and the named ones.
func (c *call) takes(plain int, names ...string) {
	if len(c.plain) > plain {
		c.fail("%d arguments, want at most %d", len(c.plain), plain)
	}
	for name := range c.named {
		if !slices.Contains(names, name) {
			c.fail("the argument %s is not understood", name)
		}
	}
}

// textArg is the first argument, a string.
func (c *call) textArg(name string) Text {
	t, ok := c.arg(0, name, nil).(Text)
	if !ok {
		c.fail("%s for %s, want a string", typeName(c.arg(0, name, nil)), name)
	}
	return t
}

func (c *call) intArg(i int, name string, otherwise int64) int64 {
	n, ok := c.arg(i, name, otherwise).(int64)
	if !ok {
		c.fail("%s for %s, want a whole number", typeName(c.arg(i, name, otherwise)), name)
	}
	return n
}

type operation func(m *machine, c *call) any

// These tables refer to functions that refer to them.
var globals, filters, tests, methods, dictMethods map[string]operation

func init() {
	globals = map[string]operation{"range": rangeOf, "namespace": newNamespace, "dict": newDict,
		"raise_exception": raise}
	filters = map[string]operation{
		"trim": func(m *machine, c *call) any {
			c.takes(1, "chars")
			return trim(m, c, text(c.line, c.of), true, true)
		},
		"length": size, "count": size, "default": orDefault, "d": orDefault, "tojson": toJSON, "join": joinList,
		"upper": onText(upper), "lower": onText(lower), "capitalize": onText(capitalize), "title": onText(words),
		"string": func(m *machine, c *call) any { return text(c.line, c.of) },
		"safe":   func(m *machine, c *call) any { return text(c.line, c.of) },
		"int":    toWhole, "float": toFloat, "abs": absolute, "round": rounded,
		"list":    func(m *machine, c *call) any { return &list{elements(m, c.line, c.of)} },
		"first":   func(m *machine, c *call) any { return end(m, c, 0) },
		"last":    func(m *machine, c *call) any { return end(m, c, -1) },
		"replace": func(m *machine, c *call) any { return replace(m, c, text(c.line, c.of)) },
		"reverse": reverse, "indent": indent, "items": items, "dictsort": dictSort, "sort": sorted, "unique": unique,
		"map": mapped, "select": selector(true, false), "reject": selector(false, false),
		"selectattr": selector(true, true), "rejectattr": selector(false, true),
		"min": extreme(-1), "max": extreme(1), "sum": sum,
	}
	tests = map[string]operation{
		"defined":   func(_ *machine, c *call) any { return !is[undefined](c.of) },
		"undefined": func(_ *machine, c *call) any { return is[undefined](c.of) },
		"none":      func(_ *machine, c *call) any { return c.of == nil },
		"string":    func(_ *machine, c *call) any { return is[Text](c.of) },
		"mapping":   func(_ *machine, c *call) any { return is[*Dict](c.of) },
		"boolean":   func(_ *machine, c *call) any { return is[bool](c.of) },
		"integer":   func(_ *machine, c *call) any { return is[int64](c.of) },
		"float":     func(_ *machine, c *call) any { return is[float64](c.of) },
		"number":    func(_ *machine, c *call) any { _, _, ok := number(c.of); return ok },
		"true":      func(_ *machine, c *call) any { return c.of == true },
		"false":     func(_ *machine, c *call) any { return c.of == false },
		"callable":  func(_ *machine, c *call) any { return is[*function](c.of) },
		"iterable":  iterable, "sequence": iterable,
		"odd":         func(_ *machine, c *call) any { return whole(c)%2 != 0 },
		"even":        func(_ *machine, c *call) any { return whole(c)%2 == 0 },
		"divisibleby": func(_ *machine, c *call) any { return whole(c)%max(c.intArg(0, "num", 1), 1) == 0 },
		"in":          func(m *machine, c *call) any { return contains(m, c.line, c.arg(0, "seq", nil), c.of) },
	}
	for op, names := range map[string]string{"==": "equalto eq sameas", "!=": "ne", "<": "lt lessthan", "<=": "le",
		">": "gt greaterthan", ">=": "ge"} {
		for _, name := range append(strings.Fields(names), op) {
			tests[name] = func(m *machine, c *call) any { return compare(m, c.line, op, c.of, c.arg(0, "other", nil)) }
		}
	}
	methods = map[string]operation{
		"strip":  func(m *machine, c *call) any { return trim(m, c, c.of.(Text), true, true) },
		"lstrip": func(m *machine, c *call) any { return trim(m, c, c.of.(Text), true, false) },
		"rstrip": func(m *machine, c *call) any { return trim(m, c, c.of.(Text), false, true) },
		"split":  split, "rsplit": rightSplit, "splitlines": splitLines,
		"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix),
		"upper": onText(upper), "lower": onText(lower), "capitalize": onText(capitalize), "title": onText(title),
		"replace": func(m *machine, c *call) any { return replace(m, c, c.of.(Text)) },
		"find":    find(strings.Index), "rfind": find(strings.LastIndex),
		"index": index, "count": count,
		"join": func(m *machine, c *call) any {
			return joined(m, c, c.of.(Text), elements(m, c.line, c.arg(0, "iterable", nil)))
		},
		"removeprefix": removeAffix(strings.HasPrefix, true), "removesuffix": removeAffix(strings.HasSuffix, false),
		"isdigit": every(unicode.IsDigit), "isalpha": every(unicode.IsLetter), "isspace": every(isSpace),
		"isupper": cased(strings.ToUpper, strings.ToLower), "islower": cased(strings.ToLower, strings.ToUpper),
	}
	dictMethods = map[string]operation{
		"items": items, "keys": func(m *machine, c *call) any { return &list{elements(m, c.line, c.of)} },
		"values": valuesOf, "get": valueAt,
	}
}

// cased tells text that stays as it is in one case and not in the other.
func cased(same, other func(string) string) operation {
	return func(m *machine, c *call) any {
		s := c.of.(Text).s
		m.charge(c.line, 2*len(s))
		return s == same(s) && s != other(s)
	}
}

func valuesOf(m *machine, c *call) any {
	l := &list{}
	for _, k := range c.of.(*Dict).keys {
		l.items = append(l.items, c.of.(*Dict).values[k])
	}
	m.charge(c.line, 16*len(l.items))
	return l
}

func valueAt(m *machine, c *call) any {
	if key, ok := c.arg(0, "key", nil).(Text); ok {
		m.scan(c.line, len(key.s))
		if v, ok := c.of.(*Dict).values[key.s]; ok {
			return v
		}
	}
	return c.arg(1, "default", nil)
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func iterable(_ *machine, c *call) any {
	return is[*list](c.of) || is[*Dict](c.of) || is[Text](c.of) || is[undefined](c.of)
}

func whole(c *call) int64 {
	_, ok, isNumber := number(c.of)
	if !isNumber || !ok {
		c.fail("%s, want a whole number", typeName(c.of))
	}
	return toInt(c.of)
}

func rangeOf(m *machine, c *call) any {
	c.takes(3)
	from, to, by := int64(0), c.intArg(0, "stop", 0), c.intArg(2, "step", 1)
	if len(c.plain) > 1 {
		from, to = to, c.intArg(1, "stop", 0)
	}
	if by == 0 || len(c.plain) == 0 {
		c.fail("want an end, and steps other than 0")
	}
	n := math.Ceil((float64(to) - float64(from)) / float64(by))
	m.charge(c.line, int(min(max(n, 0)*16, 1<<40)))
	l := &list{}
	for i := range int64(max(n, 0)) {
		l.items = append(l.items, from+i*by)
	}
	return l
}

func newNamespace(m *machine, c *call) any {
	c.takes(0, slices.Sorted(maps.Keys(c.named))...)
	m.charge(c.line, 64*(1+len(c.named)))
	n := &namespace{map[string]any{}}
	maps.Copy(n.vars, c.named)
	return n
}

func newDict(m *machine, c *call) any {
	c.takes(0, slices.Sorted(maps.Keys(c.named))...)
	d := NewDict()
	for _, k := range slices.Sorted(maps.Keys(c.named)) {
		d.put(k, c.named[k])
	}
	m.charge(c.line, 64*len(d.keys))
	return d
}

func raise(_ *machine, c *call) any {
	panic(&Error{Line: c.line, Text: text(c.line, c.arg(0, "message", own("the template refuses"))).s, Raised: true})
}

func size(m *machine, c *call) any {
	if t, ok := c.of.(Text); ok {
		m.scan(c.line, len(t.s))
	}
	return int64(length(c.line, c.of))
}

func orDefault(_ *machine, c *call) any {
	c.takes(2, "default_value", "boolean")
	if is[undefined](c.of) || truth(c.arg(1, "boolean", false)) && !truth(c.of) {
		return c.arg(0, "default_value", Text{})
	}
	return c.of
}

func toWhole(m *machine, c *call) any {
	otherwise := c.arg(0, "default", int64(0))
	switch v := c.of.(type) {
	case Text:
		m.charge(c.line, len(v.s))
		s := strings.TrimFunc(v.s, isSpace)
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < 1<<62 {
			return int64(f)
		}
	case float64:
		if math.Abs(v) < 1<<62 {
			return int64(v)
		}
	case int64, bool:
		return toInt(v)
	}
	return otherwise
}

func toFloat(m *machine, c *call) any {
	if f, _, ok := number(c.of); ok {
		return f
	}
	if t, ok := c.of.(Text); ok {
		m.charge(c.line, len(t.s))
		if f, err := strconv.ParseFloat(strings.TrimFunc(t.s, isSpace), 64); err == nil {
			return f
		}
	}
	return c.arg(0, "default", 0.0)
}

func absolute(m *machine, c *call) any {
	if f, ok := c.of.(float64); ok {
		return math.Abs(f)
	}
	if whole(c) < 0 {
		return integers(c.line, "-", 0, whole(c))
	}
	return whole(c)
}

func rounded(_ *machine, c *call) any {
	f, _, ok := number(c.of)
	if !ok || len(c.plain)+len(c.named) > 0 {
		c.fail("want a number, and no arguments")
	}
	return math.RoundToEven(f)
}

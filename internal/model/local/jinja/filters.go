package jinja

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
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

// option is a named argument, or nil.
func (c *call) option(name string) any { return c.named[name] }

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

func (c *call) textArg(i int, name string, otherwise any) Text {
	t, ok := c.arg(i, name, otherwise).(Text)
	if !ok {
		c.fail("%s for %s, want a string", typeName(c.arg(i, name, otherwise)), name)
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
	globals = map[string]operation{"range": rangeOf, "namespace": newNamespace, "dict": newDict, "raise_exception": raise}
	filters = map[string]operation{
		"trim":   func(m *machine, c *call) any { c.takes(1, "chars"); return trim(m, c, text(c.line, c.of), true, true) },
		"length": size, "count": size, "default": orDefault, "d": orDefault, "tojson": toJSON, "join": joinList,
		"upper": onText(upper), "lower": onText(lower), "capitalize": onText(capitalize), "title": onText(words),
		"string": func(m *machine, c *call) any { return text(c.line, c.of) },
		"safe":   func(m *machine, c *call) any { return text(c.line, c.of) },
		"int":    toWhole, "float": toFloat, "abs": absolute, "round": rounded,
		"list":  func(m *machine, c *call) any { return &list{elements(m, c.line, c.of)} },
		"first": func(m *machine, c *call) any { return end(m, c, 0) },
		"last":  func(m *machine, c *call) any { return end(m, c, -1) },
		"replace": func(m *machine, c *call) any {
			return replace(m, c, text(c.line, c.of))
		},
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
	for op, names := range map[string]string{"==": "equalto eq sameas", "!=": "ne", "<": "lt lessthan", "<=": "le", ">": "gt greaterthan", ">=": "ge"} {
		for _, name := range append(strings.Fields(names), op) {
			tests[name] = func(m *machine, c *call) any { return compare(m, c.line, op, c.of, c.arg(0, "other", nil)) }
		}
	}
	methods = map[string]operation{
		"strip":      func(m *machine, c *call) any { return trim(m, c, c.of.(Text), true, true) },
		"lstrip":     func(m *machine, c *call) any { return trim(m, c, c.of.(Text), true, false) },
		"rstrip":     func(m *machine, c *call) any { return trim(m, c, c.of.(Text), false, true) },
		"split":      split,
		"rsplit":     rightSplit,
		"splitlines": splitLines,
		"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix),
		"upper": onText(upper), "lower": onText(lower), "capitalize": onText(capitalize), "title": onText(title),
		"replace": func(m *machine, c *call) any { return replace(m, c, c.of.(Text)) },
		"find":    find(strings.Index), "rfind": find(strings.LastIndex),
		"index": func(m *machine, c *call) any {
			i := find(strings.Index)(m, c)
			if i == int64(-1) {
				c.fail("the string does not contain it")
			}
			return i
		},
		"count": count,
		"join": func(m *machine, c *call) any {
			return joined(m, c, c.of.(Text), elements(m, c.line, c.arg(0, "iterable", nil)))
		},
		"removeprefix": removeAffix(strings.HasPrefix, true), "removesuffix": removeAffix(strings.HasSuffix, false),
		"isdigit": every(unicode.IsDigit), "isalpha": every(unicode.IsLetter), "isspace": every(isSpace),
		"isupper": func(_ *machine, c *call) any {
			s := c.of.(Text).s
			return s == strings.ToUpper(s) && s != strings.ToLower(s)
		},
		"islower": func(_ *machine, c *call) any {
			s := c.of.(Text).s
			return s == strings.ToLower(s) && s != strings.ToUpper(s)
		},
	}
	dictMethods = map[string]operation{
		"items": items,
		"keys":  func(m *machine, c *call) any { return &list{elements(m, c.line, c.of)} },
		"values": func(m *machine, c *call) any {
			l := &list{}
			for _, k := range c.of.(*Dict).keys {
				l.items = append(l.items, c.of.(*Dict).values[k])
			}
			m.charge(c.line, 16*len(l.items))
			return l
		},
		"get": func(_ *machine, c *call) any {
			if key, ok := c.arg(0, "key", nil).(Text); ok {
				if v, ok := c.of.(*Dict).values[key.s]; ok {
					return v
				}
			}
			return c.arg(1, "default", nil)
		},
	}
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

func newNamespace(_ *machine, c *call) any {
	c.takes(0, sortedKeys(c.named)...)
	n := &namespace{map[string]any{}}
	for k, v := range c.named {
		n.vars[k] = v
	}
	return n
}

func newDict(m *machine, c *call) any {
	c.takes(0, sortedKeys(c.named)...)
	d := NewDict()
	for _, k := range sortedKeys(c.named) {
		d.Set(k, c.named[k])
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

// onText makes an operation of a function of strings; the result is foreign if any of the string is.
func onText(f func(string) string) operation {
	return func(m *machine, c *call) any {
		c.takes(0)
		t := text(c.line, c.of)
		m.charge(c.line, 2*len(t.s))
		return t.like(f(t.s))
	}
}

// Python maps the case of whole texts, in which one letter may become several.
func upper(s string) string { return cases.Upper(language.Und).String(s) }
func lower(s string) string { return cases.Lower(language.Und).String(s) }

func capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return cases.Title(language.Und, cases.NoLower).String(s[:n]) + lower(s[n:])
}

// title is Python's: a word begins after anything that is no letter.
func title(s string) string {
	word := false
	return strings.Map(func(r rune) rune {
		in := word
		word = unicode.IsLetter(r)
		if in {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

// words is Jinja's title: a word begins after white space, a hyphen or an opening bracket.
func words(s string) string {
	var b strings.Builder
	for s != "" {
		n := strings.IndexFunc(s, func(r rune) bool { return isSpace(r) || strings.ContainsRune("-({[<", r) })
		if n < 0 {
			n = len(s)
		}
		b.WriteString(capitalize(s[:n]))
		_, size := utf8.DecodeRuneInString(s[n:])
		b.WriteString(s[n : n+size])
		s = s[n+size:]
	}
	return b.String()
}

// trim takes white space, or the characters of the argument, off the sides.
func trim(m *machine, c *call, t Text, left, right bool) any {
	cut := isSpace
	if chars := c.arg(0, "chars", nil); chars != nil {
		set := c.textArg(0, "chars", nil).s
		cut = func(r rune) bool { return strings.ContainsRune(set, r) }
	}
	from, to := 0, len(t.s)
	if left {
		from = len(t.s) - len(strings.TrimLeftFunc(t.s, cut))
	}
	if right {
		to = max(from, len(strings.TrimRightFunc(t.s, cut)))
	}
	m.charge(c.line, len(t.s)-(to-from))
	return t.slice(from, to)
}

// cuts lists the pieces of t between the separators that find locates.
func cuts(m *machine, c *call, t Text, most int64, find func(s string) (from, to int)) []any {
	var out []any
	at := 0
	for most < 0 || int64(len(out)) < most {
		from, to := find(t.s[at:])
		if from < 0 {
			break
		}
		m.charge(c.line, 64)
		out = append(out, t.slice(at, at+from))
		at += to
	}
	return append(out, t.slice(at, len(t.s)))
}

func split(m *machine, c *call) any {
	c.takes(2, "sep", "maxsplit")
	t, most := c.of.(Text), c.intArg(1, "maxsplit", -1)
	m.charge(c.line, len(t.s))
	if c.arg(0, "sep", nil) != nil {
		sep := c.textArg(0, "sep", nil).s
		if sep == "" {
			c.fail("an empty separator")
		}
		return &list{cuts(m, c, t, most, func(s string) (int, int) {
			i := strings.Index(s, sep)
			return i, i + len(sep)
		})}
	}
	t = t.slice(len(t.s)-len(strings.TrimLeftFunc(t.s, isSpace)), len(t.s))
	if most < 0 {
		t = t.slice(0, len(strings.TrimRightFunc(t.s, isSpace)))
	}
	if t.s == "" {
		return &list{}
	}
	return &list{cuts(m, c, t, most, func(s string) (int, int) {
		i := strings.IndexFunc(s, isSpace)
		if i < 0 {
			return -1, 0
		}
		return i, len(s) - len(strings.TrimLeftFunc(s[i:], isSpace))
	})}
}

func rightSplit(m *machine, c *call) any {
	c.takes(2, "sep", "maxsplit")
	most := c.intArg(1, "maxsplit", -1)
	all := &call{line: c.line, name: c.name, of: c.of, plain: []any{c.arg(0, "sep", nil)}}
	if all.plain[0] == nil {
		c.fail("without a separator it is not understood")
	}
	parts := split(m, all).(*list).items
	if most < 0 || int64(len(parts)) <= most+1 {
		return &list{parts}
	}
	t, tail := c.of.(Text), parts[len(parts)-int(most):]
	n := len(t.s)
	for _, p := range tail {
		n -= len(p.(Text).s) + len(c.textArg(0, "sep", nil).s)
	}
	return &list{append([]any{t.slice(0, n)}, tail...)}
}

func splitLines(m *machine, c *call) any {
	c.takes(0)
	t := c.of.(Text)
	m.charge(c.line, len(t.s))
	parts := cuts(m, c, t, -1, func(s string) (int, int) {
		i := strings.IndexAny(s, "\r\n\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if i < 0 {
			return -1, 0
		}
		if strings.HasPrefix(s[i:], "\r\n") {
			return i, i + 2
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		return i, i + n
	})
	if parts[len(parts)-1].(Text).s == "" {
		parts = parts[:len(parts)-1]
	}
	return &list{parts}
}

func affix(has func(s, x string) bool) operation {
	return func(m *machine, c *call) any {
		c.takes(1)
		options := []any{c.arg(0, "prefix", nil)}
		if l, ok := options[0].(*list); ok {
			options = l.items
		}
		for _, o := range options {
			x, ok := o.(Text)
			if !ok {
				c.fail("%s, want a string", typeName(o))
			}
			m.scan(c.line, len(x.s))
			if has(c.of.(Text).s, x.s) {
				return true
			}
		}
		return false
	}
}

func removeAffix(has func(s, x string) bool, front bool) operation {
	return func(m *machine, c *call) any {
		t, x := c.of.(Text), c.textArg(0, "affix", nil)
		m.scan(c.line, len(x.s))
		switch {
		case !has(t.s, x.s):
			return t
		case front:
			return t.slice(len(x.s), len(t.s))
		}
		return t.slice(0, len(t.s)-len(x.s))
	}
}

func replace(m *machine, c *call, t Text) any {
	c.takes(3, "old", "new", "count")
	from, to, most := c.textArg(0, "old", nil), text(c.line, c.arg(1, "new", nil)), c.intArg(2, "count", -1)
	if from.s == "" {
		c.fail("of nothing is not understood")
	}
	m.charge(c.line, len(t.s)+strings.Count(t.s, from.s)*len(to.s))
	var b builder
	for n := int64(0); most < 0 || n < most; n++ {
		i := strings.Index(t.s, from.s)
		if i < 0 {
			break
		}
		b.add(t.slice(0, i))
		b.add(to)
		t = t.slice(i+len(from.s), len(t.s))
	}
	b.add(t)
	return b.text()
}

func find(index func(s, x string) int) operation {
	return func(m *machine, c *call) any {
		c.takes(1)
		t := c.of.(Text)
		m.scan(c.line, len(t.s))
		i := index(t.s, c.textArg(0, "sub", nil).s)
		if i > 0 {
			i = utf8.RuneCountInString(t.s[:i])
		}
		return int64(i)
	}
}

func count(m *machine, c *call) any {
	c.takes(1)
	m.scan(c.line, len(c.of.(Text).s))
	return int64(strings.Count(c.of.(Text).s, c.textArg(0, "sub", nil).s))
}

func every(f func(rune) bool) operation {
	return func(m *machine, c *call) any {
		s := c.of.(Text).s
		m.charge(c.line, len(s))
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !f(r) }) < 0
	}
}

func joinList(m *machine, c *call) any {
	c.takes(2, "d", "attribute")
	parts := elements(m, c.line, c.of)
	if a := c.arg(1, "attribute", nil); a != nil {
		parts = attributes(m, c, parts, a)
	}
	return joined(m, c, text(c.line, c.arg(0, "d", Text{})), parts)
}

func joined(m *machine, c *call, sep Text, parts []any) any {
	var b builder
	for i, p := range parts {
		m.step(c.line)
		if i > 0 {
			m.charge(c.line, len(sep.s))
			b.add(sep)
		}
		t := text(c.line, p)
		m.charge(c.line, len(t.s))
		b.add(t)
	}
	return b.text()
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

func end(m *machine, c *call, at int) any {
	parts := elements(m, c.line, c.of)
	if len(parts) == 0 {
		return undefined("an element of nothing")
	}
	return parts[(at+len(parts))%len(parts)]
}

func reverse(m *machine, c *call) any {
	parts := slices.Clone(elements(m, c.line, c.of))
	m.charge(c.line, 16*len(parts))
	slices.Reverse(parts)
	if is[Text](c.of) {
		return joined(m, c, Text{}, parts)
	}
	return &list{parts}
}

func indent(m *machine, c *call) any {
	c.takes(3, "width", "first", "blank")
	t, width := text(c.line, c.of), own("")
	if w := c.arg(0, "width", int64(4)); is[Text](w) {
		width = w.(Text)
	} else {
		width = times(m, c.line, own(" "), c.intArg(0, "width", 4))
	}
	blank := truth(c.arg(2, "blank", false))
	m.charge(c.line, len(t.s)+(strings.Count(t.s, "\n")+1)*len(width.s))
	var b builder
	for i, first := 0, true; i < len(t.s) || first; first = false {
		n := strings.IndexByte(t.s[i:], '\n') + 1
		if n == 0 {
			n = len(t.s) - i
		}
		line := t.slice(i, i+n)
		if first && truth(c.arg(1, "first", false)) || !first && (blank || strings.TrimSuffix(line.s, "\n") != "") {
			b.add(width)
		}
		b.add(line)
		i += n
	}
	return b.text()
}

func items(m *machine, c *call) any {
	l := &list{}
	switch d := c.of.(type) {
	case undefined:
	case *Dict:
		m.charge(c.line, 64*len(d.keys))
		for _, k := range d.keys {
			l.items = append(l.items, &list{[]any{own(k), d.values[k]}})
		}
	default:
		c.fail("%s, want a dict", typeName(c.of))
	}
	return l
}

func dictSort(m *machine, c *call) any {
	c.takes(0)
	l := items(m, c).(*list)
	slices.SortStableFunc(l.items, func(a, b any) int {
		m.step(c.line)
		x, y := a.(*list).items[0].(Text).s, b.(*list).items[0].(Text).s
		return cmp.Compare(strings.ToLower(x), strings.ToLower(y))
	})
	return l
}

// order compares two values of a kind; strings without regard to case, as Jinja sorts them.
func order(m *machine, c *call, a, b any) int {
	m.step(c.line)
	if x, ok := a.(Text); ok {
		if y, ok := b.(Text); ok {
			m.charge(c.line, len(x.s)+len(y.s))
			a, b = own(strings.ToLower(x.s)), own(strings.ToLower(y.s))
		}
	}
	switch {
	case compare(m, c.line, "<", a, b):
		return -1
	case compare(m, c.line, ">", a, b):
		return 1
	}
	return 0
}

func sorted(m *machine, c *call) any {
	c.takes(0, "reverse", "attribute")
	parts := slices.Clone(elements(m, c.line, c.of))
	m.charge(c.line, 16*len(parts))
	key := func(v any) any { return v }
	if a := c.option("attribute"); a != nil {
		key = func(v any) any { return attribute(m, c, v, a) }
	}
	sign := 1
	if truth(c.option("reverse")) {
		sign = -1
	}
	slices.SortStableFunc(parts, func(a, b any) int { return sign * order(m, c, key(a), key(b)) })
	return &list{parts}
}

func unique(m *machine, c *call) any {
	c.takes(0)
	l := &list{}
	for _, v := range elements(m, c.line, c.of) {
		if !slices.ContainsFunc(l.items, func(x any) bool { return order(m, c, x, v) == 0 }) {
			l.items = append(l.items, v)
		}
	}
	m.charge(c.line, 16*len(l.items))
	return l
}

func extreme(sign int) operation {
	return func(m *machine, c *call) any {
		c.takes(0)
		var best any = undefined("an element of nothing")
		for i, v := range elements(m, c.line, c.of) {
			if i == 0 || order(m, c, v, best) == sign {
				best = v
			}
		}
		return best
	}
}

func sum(m *machine, c *call) any {
	c.takes(0)
	var total any = int64(0)
	for _, v := range elements(m, c.line, c.of) {
		m.step(c.line)
		total = arithmetic(m, c.line, "+", total, v)
	}
	return total
}

// attribute follows a path such as function.name.
func attribute(m *machine, c *call, v, path any) any {
	p, ok := path.(Text)
	if !ok {
		return item(m, c.line, v, path)
	}
	for name := range strings.SplitSeq(p.s, ".") {
		m.step(c.line)
		if n, err := strconv.ParseInt(name, 10, 64); err == nil {
			v = item(m, c.line, v, n)
		} else {
			v = item(m, c.line, v, own(name))
		}
	}
	return v
}

func attributes(m *machine, c *call, parts []any, path any) []any {
	m.charge(c.line, 16*len(parts))
	out := make([]any, len(parts))
	for i, v := range parts {
		out[i] = attribute(m, c, v, path)
	}
	return out
}

func mapped(m *machine, c *call) any {
	parts := elements(m, c.line, c.of)
	if a, ok := c.named["attribute"]; ok {
		c.takes(0, "attribute", "default")
		out := attributes(m, c, parts, a)
		if d, ok := c.named["default"]; ok {
			for i, v := range out {
				if is[undefined](v) {
					out[i] = d
				}
			}
		}
		return &list{out}
	}
	name := c.textArg(0, "filter", nil).s
	f := filters[name]
	if f == nil {
		c.fail("the filter %q is not understood", name)
	}
	l := &list{}
	for _, v := range parts {
		m.step(c.line)
		m.charge(c.line, 16)
		l.items = append(l.items, f(m, &call{line: c.line, name: "filter " + name, of: v, plain: c.plain[1:], named: c.named}))
	}
	return l
}

// selector keeps the elements for which a test is as wanted, of themselves or of an attribute.
func selector(want, byAttribute bool) operation {
	return func(m *machine, c *call) any {
		rest := c.plain
		var path any
		if byAttribute {
			if len(rest) == 0 {
				c.fail("want the name of an attribute")
			}
			path, rest = rest[0], rest[1:]
		}
		test := func(v any) bool { return truth(v) }
		if len(rest) > 0 {
			name, ok := rest[0].(Text)
			if !ok || tests[name.s] == nil {
				c.fail("the test %q is not understood", text(c.line, rest[0]).s)
			}
			test = func(v any) bool {
				return truth(tests[name.s](m, &call{line: c.line, name: "test " + name.s, of: v, plain: rest[1:]}))
			}
		}
		l := &list{}
		for _, v := range elements(m, c.line, c.of) {
			m.step(c.line)
			m.charge(c.line, 16)
			x := v
			if byAttribute {
				x = attribute(m, c, v, path)
			}
			if test(x) == want {
				l.items = append(l.items, v)
			}
		}
		return l
	}
}

// toJSON writes a value as Python's json.dumps does, without escapes beyond ASCII's: the way of transformers, not Jinja's.
func toJSON(m *machine, c *call) any {
	c.takes(1, "indent", "ensure_ascii", "sort_keys", "separators")
	if c.named["separators"] != nil || truth(c.named["ensure_ascii"]) {
		c.fail("separators and ensure_ascii are not understood")
	}
	w := &jsonWriter{m: m, c: c, sort: truth(c.named["sort_keys"]), indent: -1}
	if n := c.arg(0, "indent", nil); n != nil {
		w.indent = int(min(max(c.intArg(0, "indent", 0), 0), 16))
	}
	w.value(c.of, 0)
	return w.b.text()
}

type jsonWriter struct {
	m      *machine
	c      *call
	b      builder
	indent int
	sort   bool
}

func (w *jsonWriter) add(s string) {
	w.m.charge(w.c.line, len(s))
	w.b.addString(s)
}

// open writes what comes before an element.
func (w *jsonWriter) open(first bool, depth int) {
	switch {
	case w.indent >= 0 && first:
		w.add("\n" + strings.Repeat(" ", w.indent*depth))
	case w.indent >= 0:
		w.add(",\n" + strings.Repeat(" ", w.indent*depth))
	case !first:
		w.add(", ")
	}
}

func (w *jsonWriter) value(v any, depth int) {
	w.m.step(w.c.line)
	if depth > maxDepth {
		w.c.fail("values nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		w.add("null")
	case bool:
		w.add(strconv.FormatBool(v))
	case int64:
		w.add(strconv.FormatInt(v, 10))
	case float64:
		w.add(float(v))
	case Text:
		w.text(v)
	case *list:
		w.add("[")
		for i, x := range v.items {
			w.open(i == 0, depth+1)
			w.value(x, depth+1)
		}
		w.close(len(v.items), depth, "]")
	case *Dict:
		keys := slices.Clone(v.keys)
		if w.sort {
			slices.Sort(keys)
		}
		w.add("{")
		for i, k := range keys {
			w.open(i == 0, depth+1)
			w.text(own(k))
			w.add(": ")
			w.value(v.values[k], depth+1)
		}
		w.close(len(keys), depth, "}")
	default:
		w.c.fail("%s is no JSON", typeName(v))
	}
}

func (w *jsonWriter) close(n, depth int, bracket string) {
	if n > 0 && w.indent >= 0 {
		w.add("\n" + strings.Repeat(" ", w.indent*depth))
	}
	w.add(bracket)
}

var jsonEscapes = map[byte]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

func (w *jsonWriter) text(t Text) {
	w.m.charge(w.c.line, 2*len(t.s))
	w.b.addString(`"`)
	start := 0
	for i := range len(t.s) {
		escape, ok := jsonEscapes[t.s[i]]
		if !ok && t.s[i] < ' ' {
			escape, ok = `\u00`+string("0123456789abcdef"[t.s[i]>>4])+string("0123456789abcdef"[t.s[i]&15]), true
		}
		if ok {
			w.b.add(t.slice(start, i))
			w.b.addString(escape)
			start = i + 1
		}
	}
	w.b.add(t.slice(start, len(t.s)))
	w.b.addString(`"`)
}

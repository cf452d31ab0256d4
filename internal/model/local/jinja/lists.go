package jinja

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

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
	if a := c.named["attribute"]; a != nil {
		key = func(v any) any { return attribute(m, c, v, a) }
	}
	sign := 1
	if truth(c.named["reverse"]) {
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
	m.scan(c.line, len(p.s))
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
	if len(c.plain) == 0 {
		c.fail("want the name of a filter")
	}
	name := c.textArg("filter").s
	f := filters[name]
	if f == nil {
		c.fail("the filter %q is not understood", name)
	}
	l := &list{}
	for _, v := range parts {
		m.step(c.line)
		m.charge(c.line, 16)
		l.items = append(l.items,
			f(m, &call{line: c.line, name: "filter " + name, of: v, plain: c.plain[1:], named: c.named}))
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

package jinja

import (
	"math"
	"slices"
	"strings"
)

// join is the text of several.
func join(m *machine, line int, texts ...Text) Text {
	n := 0
	for _, t := range texts {
		n += len(t.s)
	}
	m.charge(line, n)
	var b builder
	for _, t := range texts {
		b.add(t)
	}
	return b.text()
}

// arithmetic computes a op b.
func arithmetic(m *machine, line int, op string, a, b any) any {
	if v := combined(m, line, op, a, b); v != nil {
		return v
	}
	x, xInt, okX := number(a)
	y, yInt, okY := number(b)
	if !okX || !okY {
		fail(line, "%s %s %s is not computed", typeName(a), op, typeName(b))
	}
	if xInt && yInt && op != "/" {
		return integers(line, op, toInt(a), toInt(b))
	}
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "**":
		return math.Pow(x, y)
	}
	if y == 0 {
		fail(line, "a division by zero")
	}
	switch op {
	case "/":
		return x / y
	case "//":
		return math.Floor(x / y)
	default:
		return x - y*math.Floor(x/y)
	}
}

// combined is a op b of texts and lists, nil where that is none.
func combined(m *machine, line int, op string, a, b any) any {
	switch x := a.(type) {
	case Text:
		switch y := b.(type) {
		case Text:
			if op == "+" {
				return join(m, line, x, y)
			}
		case int64:
			if op == "*" {
				return times(m, line, x, y)
			}
		}
		if op == "%" {
			fail(line, "formatting by %% is not understood")
		}
	case *list:
		if y, ok := b.(*list); ok && op == "+" {
			m.charge(line, 16*(len(x.items)+len(y.items)))
			return &list{slices.Concat(x.items, y.items)}
		}
	}
	return nil
}

func times(m *machine, line int, t Text, n int64) Text {
	n = max(n, 0)
	if n > int64(m.bytes)/int64(max(len(t.s), 1)) {
		m.charge(line, m.bytes+1)
	}
	m.charge(line, len(t.s)*int(n))
	return Text{strings.Repeat(t.s, int(n)), strings.Repeat(t.mark, int(n))}
}

// integers computes with whole numbers; division rounds down.
func integers(line int, op string, a, b int64) any {
	var r int64
	ok := true
	switch op {
	case "+":
		r = a + b
		ok = (r > a) == (b > 0)
	case "-":
		r = a - b
		ok = (r < a) == (b > 0)
	case "*":
		r = a * b
		ok = a == 0 || r/a == b && !(a == -1 && b == math.MinInt64)
	case "**":
		f := math.Pow(float64(a), float64(b))
		if b < 0 {
			return f
		}
		r, ok = 1, math.Abs(f) < 1<<53
		for i := int64(0); ok && i < b && i < 64; i++ {
			r *= a
		}
		if ok && b >= 64 { // only 0, 1 and -1 come here
			r = int64(f)
		}
	default:
		if b == 0 {
			fail(line, "a division by zero")
		}
		q, rest := a/b, a%b
		if rest != 0 && (rest < 0) != (b < 0) {
			q, rest = q-1, rest+b
		}
		if r = q; op == "%" {
			r = rest
		}
	}
	if !ok {
		fail(line, "%d %s %d is too large", a, op, b)
	}
	return r
}

func compare(m *machine, line int, op string, a, b any) bool {
	switch op {
	case "==":
		return equal(m, line, a, b)
	case "!=":
		return !equal(m, line, a, b)
	case "in":
		return contains(m, line, b, a)
	case "not in":
		return !contains(m, line, b, a)
	}
	order := 0
	x, okX := a.(Text)
	y, okY := b.(Text)
	f, _, okF := number(a)
	g, _, okG := number(b)
	switch {
	case okX && okY:
		m.scan(line, min(len(x.s), len(y.s)))
		order = strings.Compare(x.s, y.s)
	case okF && okG && f < g:
		order = -1
	case okF && okG && f > g:
		order = 1
	case okF && okG:
	default:
		fail(line, "%s %s %s is not computed", typeName(a), op, typeName(b))
	}
	switch op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// equal compares by value.
func equal(m *machine, line int, a, b any) bool {
	m.step(line)
	if m.depth++; m.depth > maxLinks {
		fail(line, "values nested more than %d deep are compared", maxLinks)
	}
	defer func() { m.depth-- }()
	if x, _, ok := number(a); ok {
		y, _, ok := number(b)
		return ok && x == y
	}
	switch x := a.(type) {
	case nil:
		return b == nil
	case undefined:
		return is[undefined](b)
	case Text:
		y, ok := b.(Text)
		m.scan(line, min(len(x.s), len(y.s)))
		return ok && x.s == y.s
	case *list:
		y, ok := b.(*list)
		return ok && slices.EqualFunc(x.items, y.items, func(u, v any) bool { return equal(m, line, u, v) })
	case *Dict:
		y, ok := b.(*Dict)
		if !ok || len(x.keys) != len(y.keys) {
			return false
		}
		for _, k := range x.keys {
			if v, ok := y.values[k]; !ok || !equal(m, line, x.values[k], v) {
				return false
			}
		}
		return true
	}
	return a == b
}

// contains reports whether x is in v.
func contains(m *machine, line int, v, x any) bool {
	switch v := v.(type) {
	case Text:
		part, ok := x.(Text)
		if !ok {
			fail(line, "%s in a string is not computed", typeName(x))
		}
		m.scan(line, len(v.s))
		return strings.Contains(v.s, part.s)
	case *Dict:
		key, ok := x.(Text)
		if !ok {
			return false
		}
		m.scan(line, len(key.s))
		_, ok = v.values[key.s]
		return ok
	case undefined:
		return false
	}
	return slices.ContainsFunc(elements(m, line, v), func(y any) bool { return equal(m, line, x, y) })
}

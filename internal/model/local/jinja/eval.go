package jinja

import (
	"math"
)

// An expr computes the value of an expression.
type expr func(m *machine, s *scope) any

// args are the arguments of a call, before they are computed.
type args struct {
	plain []expr
	names []string
	named []expr
}

func literal(v any) expr {
	return func(m *machine, _ *scope) any {
		m.step(0)
		return v
	}
}

func listOf(items []expr) expr {
	return func(m *machine, s *scope) any {
		m.charge(0, 16*len(items))
		l := &list{}
		for _, x := range items {
			l.items = append(l.items, x(m, s))
		}
		return l
	}
}

func itemOf(line int, of, i expr) expr {
	return func(m *machine, s *scope) any {
		m.step(line)
		return item(m, line, of(m, s), i(m, s))
	}
}

// A span is what a slice [from:to:by] asks for; a part that it leaves out is nil.
type span struct{ from, to, by expr }

// slice computes of[from:to:by] by Python's rules.
func (e span) slice(m *machine, s *scope, line int, of any) any {
	bound := func(x expr) (int, bool) {
		if x == nil {
			return 0, false
		}
		switch v := x(m, s).(type) {
		case nil:
			return 0, false
		case int64:
			return int(max(min(v, math.MaxInt32), math.MinInt32)), true
		default:
			fail(line, "a slice by %s, want numbers", typeName(v))
			return 0, false
		}
	}
	by, ok := bound(e.by)
	if !ok {
		by = 1
	}
	if by == 0 {
		fail(line, "a slice by steps of 0")
	}
	word, isText := of.(Text)
	n := length(line, of)
	m.scan(line, len(word.s))
	if u, ok := of.(undefined); ok {
		fail(line, "%s is undefined, and is sliced", string(u))
	}
	lo, hi := 0, n // of steps forward
	if by < 0 {
		lo, hi = n-1, -1
	}
	clamp := func(x int) int {
		if x < 0 {
			x += n
		}
		if by > 0 {
			return min(max(x, 0), n)
		}
		return min(max(x, -1), n-1)
	}
	if x, ok := bound(e.from); ok {
		lo = clamp(x)
	}
	if x, ok := bound(e.to); ok {
		hi = clamp(x)
	}
	if isText && by == 1 {
		from := offset(word.s, lo)
		m.scan(line, len(word.s))
		return word.slice(from, from+offset(word.s[from:], max(hi-lo, 0)))
	}
	l, parts := &list{}, elements(m, line, of)
	for i := lo; by > 0 && i < hi || by < 0 && i > hi; i += by {
		m.charge(line, 16)
		l.items = append(l.items, parts[i])
	}
	if isText {
		return joined(m, &call{line: line}, Text{}, l.items)
	}
	return l
}

func calling(line int, f expr, a args) expr {
	return func(m *machine, s *scope) any {
		m.step(line)
		switch f := f(m, s).(type) {
		case *function:
			return f.do(m, a.call(m, s, line, f.name, nil))
		case undefined:
			if f == "strftime_now" {
				fail(line,
					"strftime_now asks for today's date, which there is not: a prompt may not change from day to day")
			}
			fail(line, "%s is undefined, and is called", string(f))
		default:
			fail(line, "%s is called", typeName(f))
		}
		return nil
	}
}

// applied is a filter or a test of an operand.
func (a args) applied(f operation, line int, name string, of expr) expr {
	return func(m *machine, s *scope) any {
		m.step(line)
		return f(m, a.call(m, s, line, name, of(m, s)))
	}
}

// call evaluates the arguments.
func (a args) call(m *machine, s *scope, line int, name string, of any) *call {
	c := &call{line: line, name: name, of: of}
	for _, e := range a.plain {
		c.plain = append(c.plain, e(m, s))
	}
	for i, e := range a.named {
		if c.named == nil {
			c.named = map[string]any{}
		}
		c.named[a.names[i]] = e(m, s)
	}
	return c
}

package jinja

import (
	"math"
)

type (
	literal  struct{ v any }
	nameExpr struct {
		line int
		name string
	}
	ternary struct {
		line                       int
		condition, then, otherwise expr
	}
	logic struct {
		a, b expr
		or   bool
	}
	notExpr     struct{ e expr }
	compareExpr struct {
		line  int
		first expr
		ops   []string
		rest  []expr
	}
	binaryExpr struct {
		line int
		op   string
		a, b expr
	}
	signExpr struct {
		line  int
		minus bool
		e     expr
	}
	listExpr struct{ items []expr }
	dictExpr struct {
		line         int
		keys, values []expr
	}
	fieldExpr struct {
		line int
		of   expr
		name string
	}
	itemExpr struct {
		line  int
		of, i expr
	}
	sliceExpr struct {
		line             int
		of, from, to, by expr
	}
	callExpr struct {
		line int
		f    expr
		args args
	}
	filterExpr struct {
		line int
		name string
		of   expr
		args args
	}
	testExpr struct {
		line int
		name string
		of   expr
		args args
	}
	args struct {
		plain []expr
		names []string
		named []expr
	}
)

func (e literal) eval(m *machine, _ *scope) any {
	m.step(0)
	return e.v
}

func (e *nameExpr) eval(m *machine, s *scope) any {
	m.step(e.line)
	return s.get(e.name)
}

func (e *ternary) eval(m *machine, s *scope) any {
	m.step(e.line)
	switch {
	case truth(e.condition.eval(m, s)):
		return e.then.eval(m, s)
	case e.otherwise != nil:
		return e.otherwise.eval(m, s)
	}
	return undefined("the value without else")
}

func (e *logic) eval(m *machine, s *scope) any {
	m.step(0)
	if a := e.a.eval(m, s); truth(a) == e.or {
		return a
	}
	return e.b.eval(m, s)
}

func (e *notExpr) eval(m *machine, s *scope) any {
	m.step(0)
	return !truth(e.e.eval(m, s))
}

func (e *compareExpr) eval(m *machine, s *scope) any {
	a := e.first.eval(m, s)
	for i, op := range e.ops {
		m.step(e.line)
		b := e.rest[i].eval(m, s)
		if !compare(m, e.line, op, a, b) {
			return false
		}
		a = b
	}
	return true
}

func (e *binaryExpr) eval(m *machine, s *scope) any {
	m.step(e.line)
	a, b := e.a.eval(m, s), e.b.eval(m, s)
	if e.op == "~" {
		return join(m, e.line, text(e.line, a), text(e.line, b))
	}
	return arithmetic(m, e.line, e.op, a, b)
}

func (e *signExpr) eval(m *machine, s *scope) any {
	m.step(e.line)
	v := e.e.eval(m, s)
	if !e.minus {
		return v
	}
	return arithmetic(m, e.line, "-", int64(0), v)
}

func (e *listExpr) eval(m *machine, s *scope) any {
	m.charge(0, 16*len(e.items))
	l := &list{}
	for _, x := range e.items {
		l.items = append(l.items, x.eval(m, s))
	}
	return l
}

func (e *dictExpr) eval(m *machine, s *scope) any {
	m.charge(e.line, 64*len(e.keys))
	d := NewDict()
	for i, k := range e.keys {
		key, ok := k.eval(m, s).(Text)
		if !ok {
			fail(e.line, "a dict with keys other than strings is not understood")
		}
		m.scan(e.line, len(key.s))
		d.put(key.s, e.values[i].eval(m, s))
	}
	return d
}

func (e *fieldExpr) eval(m *machine, s *scope) any {
	m.step(e.line)
	return field(m, e.line, e.of.eval(m, s), e.name)
}

func (e *itemExpr) eval(m *machine, s *scope) any {
	m.step(e.line)
	return item(m, e.line, e.of.eval(m, s), e.i.eval(m, s))
}

// slice computes of[from:to:by] by Python's rules.
func (e *sliceExpr) eval(m *machine, s *scope) any {
	m.step(e.line)
	of := e.of.eval(m, s)
	bound := func(x expr) (int, bool) {
		if x == nil {
			return 0, false
		}
		switch v := x.eval(m, s).(type) {
		case nil:
			return 0, false
		case int64:
			return int(max(min(v, math.MaxInt32), math.MinInt32)), true
		default:
			fail(e.line, "a slice by %s, want numbers", typeName(v))
			return 0, false
		}
	}
	by, ok := bound(e.by)
	if !ok {
		by = 1
	}
	if by == 0 {
		fail(e.line, "a slice by steps of 0")
	}
	word, isText := of.(Text)
	n := length(e.line, of)
	m.scan(e.line, len(word.s))
	if u, ok := of.(undefined); ok {
		fail(e.line, "%s is undefined, and is sliced", string(u))
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
		m.scan(e.line, len(word.s))
		return word.slice(from, from+offset(word.s[from:], max(hi-lo, 0)))
	}
	l, parts := &list{}, elements(m, e.line, of)
	for i := lo; by > 0 && i < hi || by < 0 && i > hi; i += by {
		m.charge(e.line, 16)
		l.items = append(l.items, parts[i])
	}
	if isText {
		return joined(m, &call{line: e.line}, Text{}, l.items)
	}
	return l
}

func (e *callExpr) eval(m *machine, s *scope) any {
	m.step(e.line)
	switch f := e.f.eval(m, s).(type) {
	case *function:
		return f.do(m, e.args.call(m, s, e.line, f.name, nil))
	case undefined:
		if f == "strftime_now" {
			fail(e.line,
				"strftime_now asks for today's date, which there is not: a prompt may not change from day to day")
		}
		fail(e.line, "%s is undefined, and is called", string(f))
	default:
		fail(e.line, "%s is called", typeName(f))
	}
	return nil
}

func (e *filterExpr) eval(m *machine, s *scope) any {
	m.step(e.line)
	return filters[e.name](m, e.args.call(m, s, e.line, "filter "+e.name, e.of.eval(m, s)))
}

func (e *testExpr) eval(m *machine, s *scope) any {
	m.step(e.line)
	return tests[e.name](m, e.args.call(m, s, e.line, "test "+e.name, e.of.eval(m, s)))
}

// call evaluates the arguments.
func (a args) call(m *machine, s *scope, line int, name string, of any) *call {
	c := &call{line: line, name: name, of: of}
	for _, e := range a.plain {
		c.plain = append(c.plain, e.eval(m, s))
	}
	for i, e := range a.named {
		if c.named == nil {
			c.named = map[string]any{}
		}
		c.named[a.names[i]] = e.eval(m, s)
	}
	return c
}

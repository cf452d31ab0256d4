package jinja

import (
	"math"
	"slices"
	"strings"
)

// A machine is one rendering's account.
type machine struct {
	steps, bytes, calls int // what is left of the first two; macros under way
}

func (m *machine) step(line int) {
	if m.steps--; m.steps < 0 {
		fail(line, "the template takes more than %d steps", maxSteps)
	}
}

// charge accounts for n bytes of new values.
func (m *machine) charge(line, n int) {
	if m.bytes -= n; m.bytes < 0 {
		fail(line, "the template makes more than %d MB of text and lists", maxBytes>>20)
	}
}

// scan accounts for reading n bytes.
func (m *machine) scan(line, n int) { m.charge(line, n/16) }

// A scope holds the names that are set in a loop's turn, a macro or the template.
type scope struct {
	vars   map[string]any
	parent *scope
}

func (s *scope) get(name string) any {
	for ; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return v
		}
	}
	return undefined(name)
}

// A jump leaves a loop's turn.
type jump int

const (
	goOn jump = iota
	toBreak
	toContinue
)

func (m *machine) run(body []node, s *scope, out *builder) jump {
	for _, n := range body {
		m.step(0)
		if j := n.exec(m, s, out); j != goOn {
			return j
		}
	}
	return goOn
}

type (
	textNode  string
	jumpNode  string
	groupNode []node
	printNode struct {
		line int
		e    expr
	}
	ifNode struct {
		conditions []expr
		bodies     [][]node
		otherwise  []node
	}
	forNode struct {
		line            int
		names           []string
		over, filter    expr
		body, otherwise []node
	}
	setNode struct {
		line  int
		names []string
		field string
		value expr
		body  []node
	}
	macroNode struct {
		line     int
		name     string
		params   []string
		defaults []expr
		body     []node
	}
)

func (n textNode) exec(m *machine, _ *scope, out *builder) jump {
	m.charge(0, len(n))
	out.addString(string(n))
	return goOn
}

func (n jumpNode) exec(*machine, *scope, *builder) jump {
	if n == "break" {
		return toBreak
	}
	return toContinue
}

func (n groupNode) exec(m *machine, s *scope, out *builder) jump { return m.run(n, s, out) }

func (n *printNode) exec(m *machine, s *scope, out *builder) jump {
	t := text(n.line, n.e.eval(m, s))
	m.charge(n.line, len(t.s))
	out.add(t)
	return goOn
}

func (n *ifNode) exec(m *machine, s *scope, out *builder) jump {
	for i, c := range n.conditions {
		if truth(c.eval(m, s)) {
			return m.run(n.bodies[i], s, out)
		}
	}
	return m.run(n.otherwise, s, out)
}

func (n *forNode) exec(m *machine, s *scope, out *builder) jump {
	items := elements(m, n.line, n.over.eval(m, s))
	if n.filter != nil {
		var kept []any
		turn := &scope{vars: map[string]any{}, parent: s}
		for _, v := range items {
			m.step(n.line)
			assign(m, n.line, turn, n.names, v)
			if truth(n.filter.eval(m, turn)) {
				kept = append(kept, v)
			}
		}
		items = kept
	}
	if len(items) == 0 {
		return m.run(n.otherwise, s, out)
	}
	turn, l := &scope{vars: map[string]any{}, parent: s}, &loop{items: items}
	for i, v := range items {
		m.step(n.line)
		clear(turn.vars) // what one turn sets the next does not see
		turn.vars["loop"], l.i = l, i
		assign(m, n.line, turn, n.names, v)
		if m.run(n.body, turn, out) == toBreak {
			break
		}
	}
	return goOn
}

// assign sets names to v, or to its elements if there are several.
func assign(m *machine, line int, s *scope, names []string, v any) {
	if len(names) == 1 {
		s.vars[names[0]] = v
		return
	}
	parts := elements(m, line, v)
	if len(parts) != len(names) {
		fail(line, "%d values for %d names", len(parts), len(names))
	}
	for i, name := range names {
		s.vars[name] = parts[i]
	}
}

func (n *setNode) exec(m *machine, s *scope, _ *builder) jump {
	var v any
	if n.value != nil {
		v = n.value.eval(m, s)
	} else {
		var b builder
		m.run(n.body, &scope{vars: map[string]any{}, parent: s}, &b)
		v = b.text()
	}
	if n.field == "" {
		assign(m, n.line, s, n.names, v)
		return goOn
	}
	space, ok := s.get(n.names[0]).(*namespace)
	if !ok {
		fail(n.line, "%s is no namespace; only the fields of one can be set", n.names[0])
	}
	space.vars[n.field] = v
	return goOn
}

func (n *macroNode) exec(_ *machine, s *scope, _ *builder) jump {
	s.vars[n.name] = &function{n.name, func(m *machine, c *call) any {
		if m.calls++; m.calls > maxCalls {
			fail(c.line, "macros call each other more than %d deep", maxCalls)
		}
		if len(c.plain) > len(n.params) {
			fail(c.line, "%s takes %d arguments, not %d", n.name, len(n.params), len(c.plain))
		}
		frame := &scope{vars: map[string]any{}, parent: s}
		for i, name := range n.params {
			v, given := c.named[name]
			switch {
			case i < len(c.plain):
				v = c.plain[i]
			case given:
			case n.defaults[i] != nil:
				v = n.defaults[i].eval(m, frame)
			default:
				v = undefined(name)
			}
			frame.vars[name] = v
		}
		for name := range c.named {
			if !slices.Contains(n.params, name) {
				fail(c.line, "%s has no parameter %s", n.name, name)
			}
		}
		var b builder
		m.run(n.body, frame, &b)
		m.calls--
		return b.text()
	}}
	return goOn
}

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

func (e literal) eval(*machine, *scope) any { return e.v }

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
	if a := e.a.eval(m, s); truth(a) == e.or {
		return a
	}
	return e.b.eval(m, s)
}

func (e *notExpr) eval(m *machine, s *scope) any { return !truth(e.e.eval(m, s)) }

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
		d.Set(key.s, e.values[i].eval(m, s))
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
			fail(e.line, "strftime_now asks for today's date, which there is not: a prompt may not change from day to day")
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

// join is the text of several.
func join(m *machine, line int, texts ...Text) Text {
	n := 0
	for _, t := range texts {
		n += len(t.s)
	}
	m.charge(line, n)
	if n == 0 {
		return Text{}
	}
	var b builder
	for _, t := range texts {
		b.add(t)
	}
	return b.text()
}

// arithmetic computes a op b.
func arithmetic(m *machine, line int, op string, a, b any) any {
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

func times(m *machine, line int, t Text, n int64) Text {
	n = max(n, 0)
	if n > int64(m.bytes)/int64(max(len(t.s), 1)) {
		m.charge(line, m.bytes+1)
	}
	var b builder
	m.charge(line, len(t.s)*int(n))
	if t.s != "" {
		for range n {
			b.add(t)
		}
	}
	return b.text()
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
	if x, _, ok := number(a); ok {
		y, _, ok := number(b)
		return ok && x == y
	}
	switch x := a.(type) {
	case nil:
		return b == nil
	case undefined:
		_, ok := b.(undefined)
		return ok
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

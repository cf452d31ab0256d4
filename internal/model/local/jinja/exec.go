package jinja

import (
	"slices"
)

// A machine is one rendering's account.
type machine struct {
	steps, bytes, calls int // what is left of the first two; macros under way
	depth               int // of the values under comparison
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
		if j := n(m, s, out); j != goOn {
			return j
		}
	}
	return goOn
}

// A node runs a statement, which writes to the output.
type node func(m *machine, s *scope, out *builder) jump

type (
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
		name     string
		params   []string
		defaults []expr
		body     []node
	}
)

func written(s string) node {
	return func(m *machine, _ *scope, out *builder) jump {
		m.charge(0, len(s))
		out.add(own(s))
		return goOn
	}
}

func printed(line int, e expr) node {
	return func(m *machine, s *scope, out *builder) jump {
		t := text(line, e(m, s))
		m.charge(line, len(t.s))
		out.add(t)
		return goOn
	}
}

func (n *forNode) exec(m *machine, s *scope, out *builder) jump {
	items := elements(m, n.line, n.over(m, s))
	if n.filter != nil {
		var kept []any
		turn := &scope{vars: map[string]any{}, parent: s}
		for _, v := range items {
			m.step(n.line)
			assign(m, n.line, turn, n.names, v)
			if truth(n.filter(m, turn)) {
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
		m.step(line)
		s.vars[name] = parts[i]
	}
}

func (n *setNode) exec(m *machine, s *scope, _ *builder) jump {
	var v any
	if n.value != nil {
		v = n.value(m, s)
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
			m.step(c.line)
			v, given := c.named[name]
			switch {
			case i < len(c.plain):
				v = c.plain[i]
			case given:
			case n.defaults[i] != nil:
				v = n.defaults[i](m, frame)
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

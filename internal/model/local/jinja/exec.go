package jinja

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

// inner returns an empty scope within s.
func (s *scope) inner() *scope { return &scope{vars: map[string]any{}, parent: s} }

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

// rendered is what statements write, as a value.
func (m *machine) rendered(body []node, s *scope) Text {
	var b builder
	m.run(body, s, &b)
	return b.text()
}

// A node runs a statement, which writes to the output.
type node func(m *machine, s *scope, out *builder) jump

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

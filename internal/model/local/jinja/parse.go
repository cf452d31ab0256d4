package jinja

import (
	"slices"
)

type parser struct {
	tokens []token
	at     int
	depth  int
	loops  int // for blocks around the statement, within a macro
	links  int // operators, filters and the like in the statement, which nest without brackets
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

// is reports whether the next token is this operator or name.
func (p *parser) is(k kind, text string) bool {
	t := p.peek()
	return t.kind == k && t.text == text
}

// take is is, and moves on if so.
func (p *parser) take(k kind, text string) bool {
	ok := p.is(k, text)
	if ok {
		p.at++
	}
	return ok
}

func (p *parser) expect(k kind, text string) token {
	t := p.next()
	if t.kind != k || text != "" && t.text != text {
		want := text
		if want == "" {
			want = "a name"
		}
		fail(t.line, "%s, want %s", t, want)
	}
	return t
}

// deeper bounds the nesting; call the result when done.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		fail(p.peek().line, "constructs are nested more than %d deep", maxDepth)
	}
	return func() { p.depth-- }
}

// link bounds the operators of a statement, each of which is a level of its evaluation.
func (p *parser) link() {
	if p.links++; p.links > maxLinks {
		fail(p.peek().line, "a statement of more than %d operators", maxLinks)
	}
}

// body parses statements up to a block that begins with one of the names, which stays; or to the end.
func (p *parser) body(until ...string) []node {
	defer p.deeper()()
	var out []node
	for {
		t := p.peek()
		p.links = 0
		switch t.kind {
		case textToken:
			p.at++
			out = append(out, written(t.text))
		case openPrint:
			p.at++
			out = append(out, printed(t.line, p.tuple()))
			p.expect(closePrint, "}}")
		case openBlock:
			name := p.tokens[p.at+1]
			if name.kind == nameToken && slices.Contains(until, name.text) {
				return out
			}
			out = append(out, p.block())
		default:
			if len(until) > 0 {
				fail(t.line, "the template ends; want {%% %s %%}", until[len(until)-1])
			}
			return out
		}
	}
}

// end takes the block with this name, which has nothing else in it.
func (p *parser) end(name string) {
	p.expect(openBlock, "{%")
	p.expect(nameToken, name)
	p.expect(closeBlock, "%}")
}

func (p *parser) block() node {
	p.expect(openBlock, "{%")
	t := p.expect(nameToken, "")
	switch t.text {
	case "if":
		return p.ifBlock()
	case "for":
		return p.forBlock(t.line)
	case "set":
		return p.set(t.line)
	case "macro":
		return p.macro()
	case "break", "continue":
		if p.loops == 0 {
			fail(t.line, "%s outside a loop", t.text)
		}
		p.expect(closeBlock, "%}")
		j := map[string]jump{"break": toBreak, "continue": toContinue}[t.text]
		return func(*machine, *scope, *builder) jump { return j }
	case "generation": // marks the model's own words for training; they are rendered as they are
		p.expect(closeBlock, "%}")
		body := p.body("endgeneration")
		p.end("endgeneration")
		return func(m *machine, s *scope, out *builder) jump { return m.run(body, s, out) }
	}
	fail(t.line, "{%% %s %%} is not understood; blocks are if, for, set, macro, break, continue, generation", t.text)
	return nil
}

func (p *parser) ifBlock() node {
	var conditions []expr
	var bodies [][]node
	var otherwise []node
	for {
		conditions = append(conditions, p.tuple())
		p.expect(closeBlock, "%}")
		bodies = append(bodies, p.body("elif", "else", "endif"))
		p.expect(openBlock, "{%")
		switch t := p.next(); t.text {
		case "elif":
			continue
		case "else":
			p.expect(closeBlock, "%}")
			otherwise = p.body("endif")
			p.expect(openBlock, "{%")
			p.expect(nameToken, "endif")
		}
		p.expect(closeBlock, "%}")
		return func(m *machine, s *scope, out *builder) jump {
			for i, c := range conditions {
				if truth(c(m, s)) {
					return m.run(bodies[i], s, out)
				}
			}
			return m.run(otherwise, s, out)
		}
	}
}

// names parses a, b, … that values are assigned to.
func (p *parser) names() []string {
	var names []string
	paren := p.take(opToken, "(")
	for {
		names = append(names, p.expect(nameToken, "").text)
		if !p.take(opToken, ",") {
			break
		}
	}
	if paren {
		p.expect(opToken, ")")
	}
	return names
}

func (p *parser) forBlock(line int) node {
	names := p.names()
	p.expect(nameToken, "in")
	over, filter := p.or(), expr(nil) // a condition after it is the loop's own
	if p.is(opToken, ",") {
		fail(line, "a loop over a tuple without parentheses is not understood")
	}
	if p.take(nameToken, "if") {
		filter = p.expr()
	}
	if p.is(nameToken, "recursive") {
		fail(line, "a recursive loop is not understood")
	}
	p.expect(closeBlock, "%}")
	p.loops++
	body, otherwise := p.body("else", "endfor"), []node(nil)
	p.loops--
	if p.tokens[p.at+1].text == "else" {
		p.end("else")
		otherwise = p.body("endfor")
	}
	p.end("endfor")
	return func(m *machine, s *scope, out *builder) jump {
		l, turn := &loop{items: elements(m, line, over(m, s))}, s.inner()
		if filter != nil {
			l.items = slices.DeleteFunc(slices.Clone(l.items), func(v any) bool {
				m.step(line)
				assign(m, line, turn, names, v)
				return !truth(filter(m, turn))
			})
		}
		if len(l.items) == 0 {
			return m.run(otherwise, s, out)
		}
		for i, v := range l.items {
			m.step(line)
			clear(turn.vars) // what one turn sets the next does not see
			turn.vars["loop"], l.i = l, i
			assign(m, line, turn, names, v)
			if m.run(body, turn, out) == toBreak {
				break
			}
		}
		return goOn
	}
}

func (p *parser) set(line int) node {
	names, field := p.names(), ""
	if len(names) == 1 && p.take(opToken, ".") {
		field = p.expect(nameToken, "").text
	}
	var value expr
	switch {
	case p.take(opToken, "="):
		value = p.tuple()
		p.expect(closeBlock, "%}")
	case len(names) != 1 || field != "" || p.is(opToken, "|"):
		fail(line, "a set block of several names, of a field or with a filter is not understood")
	default:
		p.expect(closeBlock, "%}")
		body := p.body("endset")
		p.end("endset")
		value = func(m *machine, s *scope) any { return m.rendered(body, s.inner()) }
	}
	return func(m *machine, s *scope, _ *builder) jump {
		v := value(m, s)
		if field == "" {
			assign(m, line, s, names, v)
			return goOn
		}
		space, ok := s.get(names[0]).(*namespace)
		if !ok {
			fail(line, "%s is no namespace; only the fields of one can be set", names[0])
		}
		space.vars[field] = v
		return goOn
	}
}

func (p *parser) macro() node {
	name := p.expect(nameToken, "").text
	var params []string
	var defaults []expr
	p.expect(opToken, "(")
	p.each(")", func() {
		if len(params) == maxArguments {
			fail(p.peek().line, "a macro has more than %d parameters", maxArguments)
		}
		params = append(params, p.expect(nameToken, "").text)
		var value expr
		if p.take(opToken, "=") {
			value = p.expr()
		}
		defaults = append(defaults, value)
	})
	p.expect(closeBlock, "%}")
	loops := p.loops
	p.loops = 0
	body := p.body("endmacro")
	p.loops = loops
	p.end("endmacro")
	return func(_ *machine, s *scope, _ *builder) jump {
		s.vars[name] = &function{name, func(m *machine, c *call) any {
			if m.calls++; m.calls > maxCalls {
				fail(c.line, "macros call each other more than %d deep", maxCalls)
			}
			if len(c.plain) > len(params) {
				fail(c.line, "%s takes %d arguments, not %d", name, len(params), len(c.plain))
			}
			frame := s.inner()
			for i, param := range params {
				m.step(c.line)
				v := c.arg(i, param, undefined(param))
				if _, given := c.named[param]; i >= len(c.plain) && !given && defaults[i] != nil {
					v = defaults[i](m, frame)
				}
				frame.vars[param] = v
			}
			for arg := range c.named {
				if !slices.Contains(params, arg) {
					fail(c.line, "%s has no parameter %s", name, arg)
				}
			}
			defer func() { m.calls-- }()
			return m.rendered(body, frame)
		}}
		return goOn
	}
}

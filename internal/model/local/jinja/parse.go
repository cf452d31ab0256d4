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
	n := &forNode{line: line, names: p.names()}
	p.expect(nameToken, "in")
	n.over = p.or() // a condition after it is the loop's own
	if p.is(opToken, ",") {
		fail(line, "a loop over a tuple without parentheses is not understood")
	}
	if p.take(nameToken, "if") {
		n.filter = p.expr()
	}
	if p.is(nameToken, "recursive") {
		fail(line, "a recursive loop is not understood")
	}
	p.expect(closeBlock, "%}")
	p.loops++
	n.body = p.body("else", "endfor")
	p.loops--
	if p.tokens[p.at+1].text == "else" {
		p.end("else")
		n.otherwise = p.body("endfor")
	}
	p.end("endfor")
	return n.exec
}

func (p *parser) set(line int) node {
	n := &setNode{line: line, names: p.names()}
	if len(n.names) == 1 && p.take(opToken, ".") {
		n.field = p.expect(nameToken, "").text
	}
	if p.take(opToken, "=") {
		n.value = p.tuple()
		p.expect(closeBlock, "%}")
		return n.exec
	}
	if len(n.names) != 1 || n.field != "" || p.is(opToken, "|") {
		fail(line, "a set block of several names, of a field or with a filter is not understood")
	}
	p.expect(closeBlock, "%}")
	n.body = p.body("endset")
	p.end("endset")
	return n.exec
}

func (p *parser) macro() node {
	n := &macroNode{name: p.expect(nameToken, "").text}
	p.expect(opToken, "(")
	p.each(")", func() {
		if len(n.params) == maxArguments {
			fail(p.peek().line, "a macro has more than %d parameters", maxArguments)
		}
		n.params = append(n.params, p.expect(nameToken, "").text)
		var value expr
		if p.take(opToken, "=") {
			value = p.expr()
		}
		n.defaults = append(n.defaults, value)
	})
	p.expect(closeBlock, "%}")
	loops := p.loops
	p.loops = 0
	n.body = p.body("endmacro")
	p.loops = loops
	p.end("endmacro")
	return n.exec
}

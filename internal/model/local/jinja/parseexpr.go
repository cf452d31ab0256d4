package jinja

import (
	"slices"
	"strconv"
)

// tuple parses an expression, or several with commas between them.
func (p *parser) tuple() expr {
	e := p.expr()
	if !p.is(opToken, ",") {
		return e
	}
	items := []expr{e}
	for p.take(opToken, ",") {
		if t := p.peek(); t.kind == closePrint || t.kind == closeBlock || t.text == ")" {
			break
		}
		items = append(items, p.expr())
	}
	return listOf(items)
}

// each calls f for what stands between commas up to a closing bracket; a comma may come last.
func (p *parser) each(end string, f func()) {
	for !p.take(opToken, end) {
		if f(); !p.take(opToken, ",") {
			p.expect(opToken, end)
			return
		}
	}
}

func (p *parser) expr() expr {
	defer p.deeper()()
	e := p.or()
	for p.is(nameToken, "if") {
		p.link()
		line := p.next().line
		then, condition, otherwise := e, p.or(), expr(nil)
		if p.take(nameToken, "else") {
			otherwise = p.expr()
		}
		e = func(m *machine, s *scope) any {
			m.step(line)
			switch {
			case truth(condition(m, s)):
				return then(m, s)
			case otherwise != nil:
				return otherwise(m, s)
			}
			return undefined("the value without else")
		}
	}
	return e
}

func (p *parser) or() expr  { return p.logic("or", p.and) }
func (p *parser) and() expr { return p.logic("and", p.not) }

// logic parses operands with an operator between them, of which the first that decides is the value.
func (p *parser) logic(op string, operand func() expr) expr {
	e := operand()
	for p.take(nameToken, op) {
		p.link()
		a, b := e, operand()
		e = func(m *machine, s *scope) any {
			m.step(0)
			if v := a(m, s); truth(v) == (op == "or") {
				return v
			}
			return b(m, s)
		}
	}
	return e
}

func (p *parser) not() expr {
	if p.take(nameToken, "not") {
		defer p.deeper()()
		return negated(p.not())
	}
	return p.compare()
}

func negated(e expr) expr {
	return func(m *machine, s *scope) any {
		m.step(0)
		return !truth(e(m, s))
	}
}

func (p *parser) compare() expr {
	first := p.sum()
	var line int // of the first operator
	var ops []string
	var rest []expr
	for {
		t := p.peek()
		op := ""
		switch {
		case t.kind == opToken && slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, t.text),
			p.is(nameToken, "in"):
			op = t.text
			p.at++
		case p.is(nameToken, "not") && p.tokens[p.at+1].text == "in":
			op = "not in"
			p.at += 2
		case ops == nil:
			return first
		default:
			return func(m *machine, s *scope) any {
				a := first(m, s)
				for i, op := range ops {
					m.step(line)
					b := rest[i](m, s)
					if !compare(m, line, op, a, b) {
						return false
					}
					a = b
				}
				return true
			}
		}
		if ops == nil {
			line = t.line
		}
		ops, rest = append(ops, op), append(rest, p.sum())
	}
}

// binary parses a left-associative level of operators.
func (p *parser) binary(operand func() expr, ops ...string) expr {
	e := operand()
	for p.peek().kind == opToken && slices.Contains(ops, p.peek().text) {
		p.link()
		t, a, b := p.next(), e, operand()
		e = func(m *machine, s *scope) any {
			m.step(t.line)
			a, b := a(m, s), b(m, s)
			if t.text == "~" {
				return join(m, t.line, text(t.line, a), text(t.line, b))
			}
			return arithmetic(m, t.line, t.text, a, b)
		}
	}
	return e
}

func (p *parser) sum() expr     { return p.binary(p.join, "+", "-") }
func (p *parser) join() expr    { return p.binary(p.product, "~") }
func (p *parser) product() expr { return p.binary(p.power, "*", "/", "//", "%") }
func (p *parser) power() expr   { return p.binary(func() expr { return p.unary(true) }, "**") }

func (p *parser) unary(filters bool) expr {
	defer p.deeper()()
	var e expr
	if t := p.peek(); p.take(opToken, "-") || p.take(opToken, "+") {
		of := p.unary(false)
		e = func(m *machine, s *scope) any {
			m.step(t.line)
			v := of(m, s)
			if t.text == "+" {
				return v
			}
			return arithmetic(m, t.line, "-", int64(0), v)
		}
	} else {
		e = p.postfix(p.primary())
	}
	if filters {
		e = p.filters(e)
	}
	return e
}

var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

func (p *parser) primary() expr {
	t := p.next()
	switch t.kind {
	case nameToken:
		if v, ok := constants[t.text]; ok {
			return literal(v)
		}
		return func(m *machine, s *scope) any {
			m.step(t.line)
			return s.get(t.text)
		}
	case stringToken:
		text := t.text
		for p.peek().kind == stringToken {
			text += p.next().text
		}
		return literal(own(text))
	case intToken:
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			fail(t.line, "the number %s is too large", t.text)
		}
		return literal(n)
	case floatToken:
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			fail(t.line, "the number %s is too large", t.text)
		}
		return literal(f)
	case opToken:
		switch t.text {
		case "(":
			if p.take(opToken, ")") {
				return listOf(nil)
			}
			e := p.tuple()
			p.expect(opToken, ")")
			return e
		case "[":
			var items []expr
			p.each("]", func() { items = append(items, p.expr()) })
			return listOf(items)
		case "{":
			return p.dict()
		}
	}
	fail(t.line, "%s, want an expression", t)
	return nil
}

func (p *parser) dict() expr {
	line := p.peek().line
	var keys, values []expr
	p.each("}", func() {
		keys = append(keys, p.expr())
		p.expect(opToken, ":")
		values = append(values, p.expr())
	})
	return func(m *machine, s *scope) any {
		m.charge(line, 64*len(keys))
		d := NewDict()
		for i, k := range keys {
			key, ok := k(m, s).(Text)
			if !ok {
				fail(line, "a dict with keys other than strings is not understood")
			}
			m.scan(line, len(key.s))
			d.put(key.s, values[i](m, s))
		}
		return d
	}
}

// postfix parses fields, subscripts and calls after an expression.
func (p *parser) postfix(e expr) expr {
	for {
		p.link()
		t := p.peek()
		switch {
		case p.take(opToken, "."):
			of := e
			switch name := p.next(); name.kind {
			case nameToken:
				e = func(m *machine, s *scope) any {
					m.step(t.line)
					return field(t.line, of(m, s), name.text)
				}
			case intToken:
				n, _ := strconv.ParseInt(name.text, 10, 64)
				e = itemOf(t.line, of, literal(n))
			default:
				fail(name.line, "%s, want a name after the dot", name)
			}
		case p.take(opToken, "["):
			e = p.subscript(t.line, e)
		case p.take(opToken, "("):
			e = calling(t.line, e, p.arguments())
		default:
			return e
		}
	}
}

func (p *parser) subscript(line int, e expr) expr {
	part := func() expr {
		if p.is(opToken, ":") || p.is(opToken, "]") {
			return nil
		}
		return p.expr()
	}
	first := part()
	if !p.is(opToken, ":") {
		if first == nil {
			fail(line, "an empty subscript")
		}
		p.expect(opToken, "]")
		return itemOf(line, e, first)
	}
	p.at++
	at := span{from: first, to: part()}
	if p.take(opToken, ":") {
		at.by = part()
	}
	p.expect(opToken, "]")
	return func(m *machine, s *scope) any {
		m.step(line)
		return at.slice(m, s, line, e(m, s))
	}
}

// arguments parses what a call is given, after its parenthesis.
func (p *parser) arguments() args {
	var a args
	p.each(")", func() {
		switch t := p.peek(); {
		case len(a.plain)+len(a.named) == maxArguments:
			fail(t.line, "a call has more than %d arguments", maxArguments)
		case t.kind == opToken && (t.text == "*" || t.text == "**"):
			fail(t.line, "arguments from a list or a dict are not understood")
		case t.kind == nameToken && p.tokens[p.at+1].kind == opToken && p.tokens[p.at+1].text == "=":
			p.at += 2
			a.names, a.named = append(a.names, t.text), append(a.named, p.expr())
		default:
			a.plain = append(a.plain, p.expr())
		}
	})
	return a
}

// filters parses filters, tests and calls after an operand.
func (p *parser) filters(e expr) expr {
	for {
		p.link()
		t := p.peek()
		switch {
		case p.take(opToken, "|"):
			name := p.expect(nameToken, "")
			if filters[name.text] == nil {
				fail(name.line, "the filter %q is not understood", name.text)
			}
			var a args
			if p.take(opToken, "(") {
				a = p.arguments()
			}
			e = a.applied(filters[name.text], name.line, "filter "+name.text, e)
		case p.take(nameToken, "is"):
			e = p.test(e)
		case p.take(opToken, "("):
			e = calling(t.line, e, p.arguments())
		default:
			return e
		}
	}
}

func (p *parser) test(e expr) expr {
	not := p.take(nameToken, "not")
	p.link()
	name := p.expect(nameToken, "")
	if tests[name.text] == nil {
		fail(name.line, "the test %q is not understood", name.text)
	}
	var a args
	switch t := p.peek(); {
	case p.take(opToken, "("):
		a = p.arguments()
	case t.kind == stringToken || t.kind == intToken || t.kind == floatToken ||
		t.kind == opToken && (t.text == "[" || t.text == "{"),
		t.kind == nameToken && !slices.Contains([]string{"else", "or", "and", "is", "if", "in", "not"}, t.text):
		a.plain = []expr{p.postfix(p.primary())}
	}
	e = a.applied(tests[name.text], name.line, "test "+name.text, e)
	if not {
		return negated(e)
	}
	return e
}

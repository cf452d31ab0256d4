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
	list := &listExpr{items: []expr{e}}
	for p.take(opToken, ",") {
		if t := p.peek(); t.kind == closePrint || t.kind == closeBlock || t.text == ")" {
			break
		}
		list.items = append(list.items, p.expr())
	}
	return list
}

func (p *parser) expr() expr {
	defer p.deeper()()
	e := p.or()
	for p.is(nameToken, "if") {
		p.link()
		line := p.next().line
		n := &ternary{line: line, then: e, condition: p.or()}
		if p.take(nameToken, "else") {
			n.otherwise = p.expr()
		}
		e = n
	}
	return e
}

func (p *parser) or() expr {
	e := p.and()
	for p.take(nameToken, "or") {
		p.link()
		e = &logic{e, p.and(), true}
	}
	return e
}

func (p *parser) and() expr {
	e := p.not()
	for p.take(nameToken, "and") {
		p.link()
		e = &logic{e, p.not(), false}
	}
	return e
}

func (p *parser) not() expr {
	if p.take(nameToken, "not") {
		defer p.deeper()()
		return &notExpr{p.not()}
	}
	return p.compare()
}

func (p *parser) compare() expr {
	e := p.sum()
	var chain *compareExpr
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
		default:
			if chain != nil {
				return chain
			}
			return e
		}
		if chain == nil {
			chain = &compareExpr{line: t.line, first: e}
		}
		chain.ops, chain.rest = append(chain.ops, op), append(chain.rest, p.sum())
	}
}

// binary parses a left-associative level of operators.
func (p *parser) binary(operand func() expr, ops ...string) expr {
	e := operand()
	for p.peek().kind == opToken && slices.Contains(ops, p.peek().text) {
		p.link()
		t := p.next()
		e = &binaryExpr{t.line, t.text, e, operand()}
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
		e = &signExpr{t.line, t.text == "-", p.unary(false)}
	} else {
		e = p.postfix(p.primary())
	}
	if filters {
		e = p.filters(e)
	}
	return e
}

func (p *parser) primary() expr {
	t := p.next()
	switch t.kind {
	case nameToken:
		switch t.text {
		case "true", "True":
			return literal{true}
		case "false", "False":
			return literal{false}
		case "none", "None":
			return literal{nil}
		}
		return &nameExpr{t.line, t.text}
	case stringToken:
		text := t.text
		for p.peek().kind == stringToken {
			text += p.next().text
		}
		return literal{own(text)}
	case intToken:
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			fail(t.line, "the number %s is too large", t.text)
		}
		return literal{n}
	case floatToken:
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			fail(t.line, "the number %s is too large", t.text)
		}
		return literal{f}
	case opToken:
		switch t.text {
		case "(":
			if p.take(opToken, ")") {
				return &listExpr{}
			}
			e := p.tuple()
			p.expect(opToken, ")")
			return e
		case "[":
			list := &listExpr{}
			for !p.take(opToken, "]") {
				list.items = append(list.items, p.expr())
				if !p.take(opToken, ",") {
					p.expect(opToken, "]")
					break
				}
			}
			return list
		case "{":
			return p.dict()
		}
	}
	fail(t.line, "%s, want an expression", t)
	return nil
}

func (p *parser) dict() expr {
	d := &dictExpr{line: p.peek().line}
	for !p.take(opToken, "}") {
		d.keys = append(d.keys, p.expr())
		p.expect(opToken, ":")
		d.values = append(d.values, p.expr())
		if !p.take(opToken, ",") {
			p.expect(opToken, "}")
			break
		}
	}
	return d
}

// postfix parses fields, subscripts and calls after an expression.
func (p *parser) postfix(e expr) expr {
	for {
		p.link()
		t := p.peek()
		switch {
		case p.take(opToken, "."):
			name := p.next()
			if name.kind != nameToken && name.kind != intToken {
				fail(name.line, "%s, want a name after the dot", name)
			}
			if name.kind == intToken {
				n, _ := strconv.ParseInt(name.text, 10, 64)
				e = &itemExpr{t.line, e, literal{n}}
			} else {
				e = &fieldExpr{t.line, e, name.text}
			}
		case p.take(opToken, "["):
			e = p.subscript(t.line, e)
		case p.take(opToken, "("):
			e = &callExpr{t.line, e, p.arguments()}
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
		return &itemExpr{line, e, first}
	}
	s := &sliceExpr{line: line, of: e, from: first}
	p.at++
	s.to = part()
	if p.take(opToken, ":") {
		s.by = part()
	}
	p.expect(opToken, "]")
	return s
}

// arguments parses what a call is given, after its parenthesis.
func (p *parser) arguments() args {
	var a args
	for !p.take(opToken, ")") {
		if len(a.plain)+len(a.named) == maxArguments {
			fail(p.peek().line, "a call has more than %d arguments", maxArguments)
		}
		if t := p.peek(); t.kind == opToken && (t.text == "*" || t.text == "**") {
			fail(t.line, "arguments from a list or a dict are not understood")
		}
		if p.peek().kind == nameToken && p.tokens[p.at+1].kind == opToken && p.tokens[p.at+1].text == "=" {
			a.names = append(a.names, p.next().text)
			p.at++
			a.named = append(a.named, p.expr())
		} else {
			a.plain = append(a.plain, p.expr())
		}
		if !p.take(opToken, ",") {
			p.expect(opToken, ")")
			break
		}
	}
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
			f := &filterExpr{line: name.line, name: name.text, of: e}
			if p.take(opToken, "(") {
				f.args = p.arguments()
			}
			e = f
		case p.take(nameToken, "is"):
			e = p.test(e)
		case p.take(opToken, "("):
			e = &callExpr{t.line, e, p.arguments()}
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
	n := &testExpr{line: name.line, name: name.text, of: e}
	switch t := p.peek(); {
	case p.take(opToken, "("):
		n.args = p.arguments()
	case t.kind == stringToken || t.kind == intToken || t.kind == floatToken ||
		t.kind == opToken && (t.text == "[" || t.text == "{"),
		t.kind == nameToken && !slices.Contains([]string{"else", "or", "and", "is", "if", "in", "not"}, t.text):
		n.args.plain = []expr{p.postfix(p.primary())}
	}
	if not {
		return &notExpr{n}
	}
	return n
}

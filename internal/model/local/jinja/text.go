package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// onText makes an operation of a function of strings; the result is foreign if any of the string is.
func onText(f func(string) string) operation {
	return func(m *machine, c *call) any {
		c.takes(0)
		t := text(c.line, c.of)
		m.charge(c.line, 2*len(t.s))
		return t.like(f(t.s))
	}
}

// Python maps the case of whole texts, in which one letter may become several.
func upper(s string) string { return cases.Upper(language.Und).String(s) }
func lower(s string) string { return cases.Lower(language.Und).String(s) }

func capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return cases.Title(language.Und, cases.NoLower).String(s[:n]) + lower(s[n:])
}

// title is Python's: a word begins after anything that is no letter.
func title(s string) string {
	word := false
	return strings.Map(func(r rune) rune {
		in := word
		word = unicode.IsLetter(r)
		if in {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

// words is Jinja's title: a word begins after white space, a hyphen or an opening bracket.
func words(s string) string {
	var b strings.Builder
	for s != "" {
		n := strings.IndexFunc(s, func(r rune) bool { return isSpace(r) || strings.ContainsRune("-({[<", r) })
		if n < 0 {
			n = len(s)
		}
		b.WriteString(capitalize(s[:n]))
		_, size := utf8.DecodeRuneInString(s[n:])
		b.WriteString(s[n : n+size])
		s = s[n+size:]
	}
	return b.String()
}

// trim takes white space, or the characters of the argument, off the sides.
func trim(m *machine, c *call, t Text, left, right bool) any {
	cut := isSpace
	if chars := c.arg(0, "chars", nil); chars != nil {
		text := c.textArg("chars").s
		m.charge(c.line, 16*len(text))
		set := map[rune]bool{}
		for _, r := range text {
			set[r] = true
		}
		cut = func(r rune) bool { return set[r] }
	}
	from, to := 0, len(t.s)
	if left {
		from = len(t.s) - len(strings.TrimLeftFunc(t.s, cut))
	}
	if right {
		to = max(from, len(strings.TrimRightFunc(t.s, cut)))
	}
	m.charge(c.line, len(t.s)-(to-from))
	return t.slice(from, to)
}

// cuts lists the pieces of t between the separators that find locates.
func cuts(m *machine, c *call, t Text, most int64, find func(s string) (from, to int)) []any {
	var out []any
	at := 0
	for most < 0 || int64(len(out)) < most {
		from, to := find(t.s[at:])
		if from < 0 {
			break
		}
		m.charge(c.line, 64)
		out = append(out, t.slice(at, at+from))
		at += to
	}
	return append(out, t.slice(at, len(t.s)))
}

func split(m *machine, c *call) any {
	c.takes(2, "sep", "maxsplit")
	t, most := c.of.(Text), c.intArg(1, "maxsplit", -1)
	m.charge(c.line, len(t.s))
	if c.arg(0, "sep", nil) != nil {
		sep := c.textArg("sep").s
		if sep == "" {
			c.fail("an empty separator")
		}
		return &list{cuts(m, c, t, most, func(s string) (int, int) {
			i := strings.Index(s, sep)
			return i, i + len(sep)
		})}
	}
	t = t.slice(len(t.s)-len(strings.TrimLeftFunc(t.s, isSpace)), len(t.s))
	if most < 0 {
		t = t.slice(0, len(strings.TrimRightFunc(t.s, isSpace)))
	}
	if t.s == "" {
		return &list{}
	}
	return &list{cuts(m, c, t, most, func(s string) (int, int) {
		i := strings.IndexFunc(s, isSpace)
		if i < 0 {
			return -1, 0
		}
		return i, len(s) - len(strings.TrimLeftFunc(s[i:], isSpace))
	})}
}

func rightSplit(m *machine, c *call) any {
	c.takes(2, "sep", "maxsplit")
	most := c.intArg(1, "maxsplit", -1)
	all := &call{line: c.line, name: c.name, of: c.of, plain: []any{c.arg(0, "sep", nil)}}
	if all.plain[0] == nil {
		c.fail("without a separator it is not understood")
	}
	parts := split(m, all).(*list).items
	if most < 0 || int64(len(parts)) <= most+1 {
		return &list{parts}
	}
	t, tail := c.of.(Text), parts[len(parts)-int(most):]
	n := len(t.s)
	for _, p := range tail {
		n -= len(p.(Text).s) + len(c.textArg("sep").s)
	}
	return &list{append([]any{t.slice(0, n)}, tail...)}
}

func splitLines(m *machine, c *call) any {
	c.takes(0)
	t := c.of.(Text)
	m.charge(c.line, len(t.s))
	parts := cuts(m, c, t, -1, func(s string) (int, int) {
		i := strings.IndexAny(s, "\r\n\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if i < 0 {
			return -1, 0
		}
		if strings.HasPrefix(s[i:], "\r\n") {
			return i, i + 2
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		return i, i + n
	})
	if parts[len(parts)-1].(Text).s == "" {
		parts = parts[:len(parts)-1]
	}
	return &list{parts}
}

func affix(has func(s, x string) bool) operation {
	return func(m *machine, c *call) any {
		c.takes(1)
		options := []any{c.arg(0, "prefix", nil)}
		if l, ok := options[0].(*list); ok {
			options = l.items
		}
		for _, o := range options {
			x, ok := o.(Text)
			if !ok {
				c.fail("%s, want a string", typeName(o))
			}
			m.step(c.line)
			m.scan(c.line, len(x.s))
			if has(c.of.(Text).s, x.s) {
				return true
			}
		}
		return false
	}
}

func removeAffix(has func(s, x string) bool, front bool) operation {
	return func(m *machine, c *call) any {
		t, x := c.of.(Text), c.textArg("affix")
		m.scan(c.line, len(x.s))
		switch {
		case !has(t.s, x.s):
			return t
		case front:
			return t.slice(len(x.s), len(t.s))
		}
		return t.slice(0, len(t.s)-len(x.s))
	}
}

func replace(m *machine, c *call, t Text) any {
	c.takes(3, "old", "new", "count")
	from, to, most := c.textArg("old"), text(c.line, c.arg(1, "new", nil)), c.intArg(2, "count", -1)
	if from.s == "" {
		c.fail("of nothing is not understood")
	}
	m.charge(c.line, len(t.s)+strings.Count(t.s, from.s)*len(to.s))
	var b builder
	for n := int64(0); most < 0 || n < most; n++ {
		i := strings.Index(t.s, from.s)
		if i < 0 {
			break
		}
		b.add(t.slice(0, i))
		b.add(to)
		t = t.slice(i+len(from.s), len(t.s))
	}
	b.add(t)
	return b.text()
}

func find(index func(s, x string) int) operation {
	return func(m *machine, c *call) any {
		c.takes(1)
		t := c.of.(Text)
		m.scan(c.line, len(t.s))
		i := index(t.s, c.textArg("sub").s)
		if i > 0 {
			i = utf8.RuneCountInString(t.s[:i])
		}
		return int64(i)
	}
}

func index(m *machine, c *call) any {
	i := find(strings.Index)(m, c)
	if i == int64(-1) {
		c.fail("the string does not contain it")
	}
	return i
}

func count(m *machine, c *call) any {
	c.takes(1)
	m.scan(c.line, len(c.of.(Text).s))
	return int64(strings.Count(c.of.(Text).s, c.textArg("sub").s))
}

func every(f func(rune) bool) operation {
	return func(m *machine, c *call) any {
		s := c.of.(Text).s
		m.charge(c.line, len(s))
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !f(r) }) < 0
	}
}

func indent(m *machine, c *call) any {
	c.takes(3, "width", "first", "blank")
	t, width := text(c.line, c.of), own("")
	if w := c.arg(0, "width", int64(4)); is[Text](w) {
		width = w.(Text)
	} else {
		width = times(m, c.line, own(" "), c.intArg(0, "width", 4))
	}
	blank := truth(c.arg(2, "blank", false))
	m.charge(c.line, len(t.s)+(strings.Count(t.s, "\n")+1)*len(width.s))
	var b builder
	for i, first := 0, true; i < len(t.s) || first; first = false {
		n := strings.IndexByte(t.s[i:], '\n') + 1
		if n == 0 {
			n = len(t.s) - i
		}
		line := t.slice(i, i+n)
		if first && truth(c.arg(1, "first", false)) || !first && (blank || strings.TrimSuffix(line.s, "\n") != "") {
			b.add(width)
		}
		b.add(line)
		i += n
	}
	return b.text()
}

package jinja

import (
	"slices"
	"strconv"
	"strings"
)

// toJSON writes a value as Python's json.dumps does, without escapes beyond ASCII's: the way of transformers, not
// Jinja's.
func toJSON(m *machine, c *call) any {
	c.takes(1, "indent", "ensure_ascii", "sort_keys", "separators")
	if c.named["separators"] != nil || truth(c.named["ensure_ascii"]) {
		c.fail("separators and ensure_ascii are not understood")
	}
	w := &jsonWriter{m: m, c: c, sort: truth(c.named["sort_keys"]), indent: -1}
	if n := c.arg(0, "indent", nil); n != nil {
		w.indent = int(min(max(c.intArg(0, "indent", 0), 0), 16))
	}
	w.value(c.of, 0)
	return w.b.text()
}

type jsonWriter struct {
	m      *machine
	c      *call
	b      builder
	indent int
	sort   bool
}

func (w *jsonWriter) add(s string) {
	w.m.charge(w.c.line, len(s))
	w.b.add(own(s))
}

// open writes what comes before an element.
func (w *jsonWriter) open(first bool, depth int) {
	switch {
	case w.indent >= 0 && first:
		w.add("\n" + strings.Repeat(" ", w.indent*depth))
	case w.indent >= 0:
		w.add(",\n" + strings.Repeat(" ", w.indent*depth))
	case !first:
		w.add(", ")
	}
}

func (w *jsonWriter) value(v any, depth int) {
	w.m.step(w.c.line)
	if depth > maxDepth {
		w.c.fail("values nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		w.add("null")
	case bool:
		w.add(strconv.FormatBool(v))
	case int64:
		w.add(strconv.FormatInt(v, 10))
	case float64:
		w.add(float(v))
	case Text:
		w.text(v)
	case *list:
		w.add("[")
		for i, x := range v.items {
			w.open(i == 0, depth+1)
			w.value(x, depth+1)
		}
		w.close(len(v.items), depth, "]")
	case *Dict:
		keys := slices.Clone(v.keys)
		if w.sort {
			slices.Sort(keys)
		}
		w.add("{")
		for i, k := range keys {
			w.open(i == 0, depth+1)
			w.text(own(k))
			w.add(": ")
			w.value(v.values[k], depth+1)
		}
		w.close(len(keys), depth, "}")
	default:
		w.c.fail("%s is no JSON", typeName(v))
	}
}

func (w *jsonWriter) close(n, depth int, bracket string) {
	if n > 0 && w.indent >= 0 {
		w.add("\n" + strings.Repeat(" ", w.indent*depth))
	}
	w.add(bracket)
}

var jsonEscapes = map[byte]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

func (w *jsonWriter) text(t Text) {
	w.m.charge(w.c.line, 2*len(t.s))
	w.b.add(own(`"`))
	start := 0
	for i := range len(t.s) {
		escape, ok := jsonEscapes[t.s[i]]
		if !ok && t.s[i] < ' ' {
			escape, ok = `\u00`+string("0123456789abcdef"[t.s[i]>>4])+string("0123456789abcdef"[t.s[i]&15]), true
		}
		if ok {
			w.b.add(t.slice(start, i))
			w.b.add(own(escape))
			start = i + 1
		}
	}
	w.b.add(t.slice(start, len(t.s)))
	w.b.add(own(`"`))
}

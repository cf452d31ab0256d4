package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
)

// A tree is the result document as its JSON is read: by paths such as rubric.hallucination.rate. A report takes every
// figure from it, never from the Go values behind it, so whatever it shows is a number that a script or a gate can name.
type tree struct {
	root any
	at   []string // the path of root in the whole document
}

func newTree(d assay.Document) (tree, error) {
	d.ThisInvocation = nil
	return treeOf(d)
}

func treeOf(v any) (tree, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return tree{}, fmt.Errorf("report: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber() // keep the digits
	t := tree{}
	if err := dec.Decode(&t.root); err != nil {
		return tree{}, fmt.Errorf("report: %w", err)
	}
	return t, nil
}

// sub returns the part of the document under the keys; its root is nil where there is none.
func (t tree) sub(keys ...string) tree {
	at := slices.Concat(t.at, keys)
	node := t.root
	for _, k := range keys {
		switch x := node.(type) {
		case map[string]any:
			node = x[k]
		case []any:
			i, err := strconv.Atoi(k)
			if err != nil || i < 0 || i >= len(x) {
				return tree{nil, at}
			}
			node = x[i]
		default:
			return tree{nil, at}
		}
	}
	return tree{node, at}
}

// has reports whether there is anything, null not counted, at the keys.
func (t tree) has(keys ...string) bool { return t.sub(keys...).root != nil }

// number returns the number at the keys.
func (t tree) number(keys ...string) (float64, bool) {
	n, ok := t.sub(keys...).root.(json.Number)
	if !ok {
		return 0, false
	}
	x, err := n.Float64()
	return x, err == nil
}

// whole returns the count at the keys, 0 where there is none.
func (t tree) whole(keys ...string) int {
	x, _ := t.number(keys...)
	return int(x)
}

// text returns the string at the keys, "" where there is none.
func (t tree) text(keys ...string) string {
	s, _ := t.sub(keys...).root.(string)
	return s
}

// texts returns the list of strings at the keys, made visible.
func (t tree) texts(keys ...string) []string {
	list, _ := t.sub(keys...).root.([]any)
	var out []string
	for _, x := range list {
		if s, ok := x.(string); ok && s != "" {
			out = append(out, Visible(s))
		}
	}
	return out
}

// names returns the sorted names of the members at the keys.
func (t tree) names(keys ...string) []string {
	m, _ := t.sub(keys...).root.(map[string]any)
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// A unit says how a figure is written.
type unit int8

const (
	share      unit = iota // 24.4 %
	mean                   // 0.842
	tally                  // 1,234
	nats                   // 0.313 nats
	hundredths             // 24.41, of a share in percent
	chance                 // 0.00003
)

// A fig is one figure of the document as a report shows it: its label, its value and interval, and where they stand.
type fig struct {
	Label, Note   string
	Unit          unit
	Value, Lo, Hi float64
	OK, Bounded   bool // whether there is a value, and an interval
	Ranged        bool // a range from Value to Most stands in place of a value, as answers could not be graded
	Most          float64
	path          []string // of the value, from the section's root; Lo and Hi are its siblings
	Tone          string   // of its meaning: err, rnd, ok, or ink for none
	Lead, Child   bool
	filter        string // of the cases behind it
	section       int
}

// fig returns the figure at the keys: a bare number, or an object with its interval. It has no value where the document has
// none, or null.
func (t tree) fig(label string, u unit, tone string, keys ...string) fig {
	f := fig{Label: label, Unit: u, Tone: tone, path: keys}
	if x, ok := t.number(keys...); ok {
		f.Value, f.OK = x, true
		return f
	}
	node := t.sub(keys...)
	for _, name := range []string{"rate", "estimate", "mean"} {
		x, ok := node.number(name)
		if !ok {
			continue
		}
		f.Value, f.OK, f.path = x, true, slices.Concat(keys, []string{name})
		lo, okLo := node.number("lo")
		hi, okHi := node.number("hi")
		f.Lo, f.Hi, f.Bounded = lo, hi, okLo && okHi
		return f
	}
	lo, okLo := node.number("range", "lo")
	hi, okHi := node.number("range", "hi")
	if okLo && okHi {
		f.Value, f.Most, f.OK, f.Ranged, f.path = lo, hi, true, true, slices.Concat(keys, []string{"range"})
		f.Lo, f.Bounded = node.number("lo")
		f.Hi, _ = node.number("hi")
	}
	return f
}

// interval returns the figure as it stands with its interval at the keys, for a value whose interval the document keeps apart.
func (f fig) interval(t tree, keys ...string) fig {
	if g := t.fig(f.Label, f.Unit, f.Tone, keys...); g.Bounded && f.OK {
		g.Note, g.filter, g.section, g.Lead, g.Child = f.Note, f.filter, f.section, f.Lead, f.Child
		return g
	}
	return f
}

// ranged returns the figure as the range at the keys, where there is one: what it could be, whatever the answers that could not be graded
// are.
func (f fig) ranged(t tree, keys ...string) fig {
	lo, okLo := t.number(slices.Concat(keys, []string{"lo"})...)
	hi, okHi := t.number(slices.Concat(keys, []string{"hi"})...)
	if okLo && okHi {
		f.Value, f.Most, f.OK, f.Ranged, f.Bounded, f.path = lo, hi, true, true, false, keys
	}
	return f
}

func (f fig) note(s string) fig  { f.Note = s; return f }
func (f fig) lead() fig          { f.Lead = true; return f }
func (f fig) child() fig         { f.Child = true; return f }
func (f fig) cases(s string) fig { f.filter = s; return f }
func (f fig) named(s string) fig { f.Label = s; return f }
func (f fig) toned(s string) fig { f.Tone = s; return f }
func (f fig) written(x float64) string {
	switch f.Unit {
	case share:
		return percent(x)
	case tally:
		return grouped(int(x))
	case nats:
		return decimal(x) + "\u202fnats"
	case hundredths:
		return strconv.FormatFloat(100*x, 'f', 2, 64)
	}
	if f.Unit == chance {
		return strconv.FormatFloat(x, 'f', 5, 64)
	}
	return decimal(x)
}

// Text returns the value in words, "–" where there is none.
func (f fig) Text() string {
	if !f.OK {
		return "–"
	}
	if f.Ranged {
		lo, hi := f.span()
		return lo + f.to() + hi
	}
	return f.written(f.Value)
}

// to stands between the ends of a range: a dash, or a word where an end is below 0.
func (f fig) to() string {
	if f.Value < 0 {
		return " to "
	}
	return "–"
}

// span returns the ends of a range in words, short enough for a column: 12 and 31 %, with a decimal where they would read the same.
func (f fig) span() (lo, hi string) {
	if f.Unit != share {
		short := func(x float64) string { return strings.TrimPrefix(strconv.FormatFloat(x, 'f', 2, 64), "0") }
		return short(f.Value), short(f.Most)
	}
	lo, hi = wholePercent(f.Value), wholePercent(f.Most)+"\u202f%"
	if hi == lo+"\u202f%" {
		lo, hi = points(f.Value), percent(f.Most)
	}
	return lo, hi
}

func wholePercent(x float64) string {
	return strings.Replace(strconv.FormatFloat(math.Round(100*x)+0, 'f', 0, 64), "-", "−", 1)
}

// Range returns the interval in words, "" where there is none.
func (f fig) Range() string {
	lo, sep, hi := f.ends()
	return lo + sep + hi
}

// ends returns the bounds in words and what stands between them: a dash, or a word where a bound is below 0.
func (f fig) ends() (lo, sep, hi string) {
	if !f.OK || !f.Bounded {
		return "", "", ""
	}
	lo, hi, sep = f.written(f.Lo), f.written(f.Hi), "–"
	if f.Unit == share {
		lo = points(f.Lo)
	}
	if f.Unit == nats {
		lo, hi = decimal(f.Lo), decimal(f.Hi)
	}
	if f.Lo < 0 {
		sep = " to "
	}
	return lo, sep, hi
}

// Data returns the value as an HTML data element that carries the exact number and its path in the document.
func (f fig) Data() template.HTML {
	if !f.OK {
		return `<span class="soft" title="no value">–</span>`
	}
	if f.Ranged {
		lo, hi := f.written(f.Value), f.written(f.Most)
		if f.Unit == share {
			lo = points(f.Value)
		}
		return datum(f.Value, slices.Concat(f.path, []string{"lo"}), lo) + template.HTML(f.to()) + datum(f.Most, slices.Concat(f.path, []string{"hi"}), hi)
	}
	return datum(f.Value, f.path, f.Text())
}

// Span returns the interval as two data elements.
func (f fig) Span() template.HTML {
	if !f.OK || !f.Bounded {
		return ""
	}
	lo, sep, hi := f.ends()
	return datum(f.Lo, f.bound("lo"), lo) + template.HTML(sep) + datum(f.Hi, f.bound("hi"), hi)
}

// Bounds returns the interval in a sentence: 18.4 % and 31.6 %.
func (f fig) Bounds() template.HTML {
	return datum(f.Lo, f.bound("lo"), f.written(f.Lo)) + " and " + datum(f.Hi, f.bound("hi"), f.written(f.Hi))
}

// AsShare returns a mean written as a share.
func (f fig) AsShare() template.HTML { f.Unit = share; return f.Data() }

func (f fig) bound(name string) []string {
	return slices.Concat(f.path[:len(f.path)-1], []string{name})
}

// Link returns the label, as a link to the cases behind the figure where these can be picked out.
func (f fig) Link() template.HTML {
	label := template.HTML(template.HTMLEscapeString(f.Label))
	if f.filter == "" || !f.OK || f.Value == 0 && !strings.HasPrefix(f.filter, "class=") && !strings.HasPrefix(f.filter, "tag=") {
		return label // nothing to pick out
	}
	return template.HTML(fmt.Sprintf(`<a class="go" href="#cases-%d" data-filter="%s">%s</a>`, f.section, template.HTMLEscapeString(f.filter), label))
}

func datum(x float64, path []string, text string) template.HTML {
	return template.HTML(fmt.Sprintf(`<data value="%s" data-path="%s">%s</data>`,
		exact(x), template.HTMLEscapeString(Visible(strings.Join(path, "."))), template.HTMLEscapeString(text)))
}

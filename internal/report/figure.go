package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/assay"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A tree is the result document, or a part of it, by the paths of its JSON such as rubric.hallucination.rate:
// whatever a report shows is a number that a script or a gate can name.
type tree struct {
	figure.Tree
	root    int               // how many keys lead to where the paths of its figures start from
	section int               // whose cases the figures lead to
	named   *figure.Catalogue // of its figures; nil: of a model on a suite
}

func treeOf(result any) tree { return tree{Tree: figure.Of(result)} }

// branch returns the part of the document under the keys.
func (t tree) branch(keys ...string) tree {
	t.Tree = t.Sub(keys...)
	return t
}

// sub returns the part under the keys as one from which the paths of its figures start.
func (t tree) sub(keys ...string) tree {
	t = t.branch(keys...)
	t.root = len(t.At())
	return t
}

// items returns the parts of the list under the keys.
func (t tree) items(keys ...string) []tree {
	return each(t.Items(keys...), func(x figure.Tree) tree { t.Tree = x; return t })
}

// at is the path of a figure under the keys.
func (t tree) at(keys ...string) []string { return slices.Concat(t.At()[t.root:], keys) }

// is reports whether the truth value under the keys is there and true.
func (t tree) is(keys ...string) bool {
	yes, _ := t.Bool(keys...)
	return yes
}

// texts returns the list of strings at the keys, made visible.
func (t tree) texts(keys ...string) (out []string) {
	for _, x := range t.Items(keys...) {
		if s := x.Text(); s != "" {
			out = append(out, Visible(s))
		}
	}
	return out
}

// A unit says how a figure is written.
type unit = figure.Unit

const (
	share      = figure.Share
	mean       = figure.Mean
	tally      = figure.Count
	nats       = figure.Nats
	hundredths = figure.Points
	chance     = figure.Chance
)

// A fig is one figure of the document as a report shows it: its label, its value and interval, and where they stand. Of
// a number alone, no more than the value of the estimate is there.
type fig struct {
	Label, Note string
	Unit        unit
	stat.Estimate
	OK, Bounded bool // whether there is a value, and an interval
	Ranged      bool // a range from Value to Most stands in place of a value, as answers could not be graded
	Most        float64
	path        []string // of the value, from the section's root; Lo and Hi are its siblings
	Tone        string   // of its meaning: err, rnd, ok, or ink for none
	Lead, Child bool
	filter      string // of the cases behind it
	section     int
	in          where // the forms that show it
	change      bool  // a difference of shares, written in points with its sign
}

// fig returns the figure at the keys: a bare number, or an object with its interval. It has no value where the
// document has none, or null.
func (t tree) fig(u unit, keys ...string) fig {
	f := fig{Unit: u, path: t.at(keys...)}
	if x, ok := t.Number(keys...); ok {
		f.Value, f.OK = x, true
		return f
	}
	if e, name, ok := t.Estimate(keys...); ok {
		f.Estimate, f.OK, f.Bounded, f.path = e, true, true, append(f.path, name)
		return f
	}
	for _, name := range []string{"rate", "estimate", "mean"} {
		if x, ok := t.Number(slices.Concat(keys, []string{name})...); ok {
			f.Value, f.OK, f.path = x, true, append(f.path, name)
			return f.bounds(t, keys...)
		}
	}
	if f = f.ranged(t, slices.Concat(keys, []string{"range"})...); f.OK {
		return f.bounds(t, keys...)
	}
	return f
}

// catalogue has what each figure of a model on a suite is called, and how it is written.
var catalogue = sync.OnceValue(assay.Catalogue)

// of returns the figure at a path, as the catalogue has it. A path that the catalogue lacks is a mistake in this
// package.
func (t tree) of(keys ...string) fig {
	named := t.named
	if named == nil {
		named = catalogue()
	}
	e, ok := named.Find(keys...)
	if !ok {
		panic("report: no figure is catalogued at " + strings.Join(keys, "."))
	}
	return t.entered(e)
}

// entered returns the figure of an entry.
func (t tree) entered(e figure.Entry) fig {
	f := t.fig(e.Unit, e.Path...).named(e.Label).toned(e.Tone).note(e.Note).cases(e.Cases)
	if e.Interval != nil {
		f = f.interval(t, e.Interval...)
	}
	if e.Range != nil {
		f = f.ranged(t, e.Range...)
	}
	f.section = t.section
	return f
}

// A figsOf finds the figures beneath a path.
type figsOf func(keys ...string) fig

// under returns what finds the figures beneath a path.
func (t tree) under(path ...string) figsOf {
	return func(keys ...string) fig { return t.of(slices.Concat(path, keys)...) }
}

// interval returns the figure as it stands with its interval at the keys, for a value whose interval the document keeps
// apart.
func (f fig) interval(t tree, keys ...string) fig {
	if g := t.fig(f.Unit, keys...); g.Bounded && f.OK {
		f.Estimate, f.Bounded, f.path = g.Estimate, true, g.path
	}
	return f
}

// ranged returns the figure as the range at the keys, where there is one: what it could be, whatever the answers that
// could not be graded are.
func (f fig) ranged(t tree, keys ...string) fig {
	lo, okLo := t.Number(slices.Concat(keys, []string{"lo"})...)
	hi, okHi := t.Number(slices.Concat(keys, []string{"hi"})...)
	if okLo && okHi {
		f.Estimate, f.Most, f.OK, f.Ranged, f.Bounded, f.path = stat.Estimate{Value: lo}, hi, true, true, false,
			t.at(keys...)
	}
	return f
}

// bounds returns the figure with the bounds beneath the keys.
func (f fig) bounds(t tree, keys ...string) fig {
	e, ok := t.Interval(keys...)
	e.Value = f.Value
	f.Estimate, f.Bounded = e, ok
	return f
}

// equal is a probability behind the sign that it has in a sentence: = 0.042, <0.0001.
func (f fig) equal() prose {
	if f.OK && f.Value < figure.Tiny {
		return say(f)
	}
	return say("= ", f)
}

// from is the figure with its path from the part of the document under the first n keys of it, as in a row that
// stands for that part (row.At).
func (f fig) from(n int) fig {
	f.path = f.path[min(n, len(f.path)):]
	return f
}

func (f fig) note(s string) fig  { f.Note = s; return f }
func (f fig) lead() fig          { f.Lead = true; return f }
func (f fig) child() fig         { f.Child = true; return f }
func (f fig) cases(s string) fig { f.filter = s; return f }
func (f fig) named(s string) fig { f.Label = s; return f }
func (f fig) as(u unit) fig      { f.Unit = u; return f }
func (f fig) only(w where) fig   { f.in = w; return f }
func (f fig) toned(s string) fig { f.Tone = s; return f }

// written writes a number of the figure's kind.
func (f fig) written(x float64) string {
	if f.change {
		return share.Change(x)
	}
	return f.Unit.Text(x)
}

// inPoints is the figure as a difference of shares, in points with its sign.
func (f fig) inPoints() fig { f.change = true; return f }

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
	if f.Value < 0 || f.change {
		return " to "
	}
	return "–"
}

// span returns the ends of a range in words, short enough for a column: 12 and 31 %, with a decimal where they would
// read the same.
func (f fig) span() (lo, hi string) {
	switch {
	case f.change:
		return f.written(f.Value), f.written(f.Most)
	case f.Unit != share:
		return rough(f.Value), rough(f.Most)
	}
	lo, hi = figure.Whole(f.Value), figure.Whole(f.Most)+"\u202f%"
	if hi == lo+"\u202f%" {
		lo, hi = points(f.Value), percent(f.Most)
	}
	return lo, hi
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
	if f.Unit == share && !f.change {
		lo = points(f.Lo)
	}
	if f.Unit == nats {
		lo, hi = mean.Text(f.Lo), mean.Text(f.Hi)
	}
	if f.Lo < 0 || f.change {
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
		if f.Unit == share && !f.change {
			lo = points(f.Value)
		}
		return datum(f.Value, slices.Concat(f.path, []string{"lo"}), lo, f.basis()) + template.HTML(f.to()) +
			datum(f.Most, slices.Concat(f.path, []string{"hi"}), hi, "")
	}
	return datum(f.Value, f.path, f.Text(), f.basis())
}

// basis says what an estimate rests on: of how many cases it is, by which method its interval is made, and why it may
// be doubted.
func (f fig) basis() string {
	if f.N == 0 {
		return ""
	}
	said := []string{"n = " + grouped(f.N)}
	if f.Method != "" {
		said = append(said, "interval: "+f.Method)
	}
	return strings.Join(append(said, f.Warnings...), "; ")
}

// Span returns the interval as two data elements.
func (f fig) Span() template.HTML {
	if !f.OK || !f.Bounded {
		return ""
	}
	lo, sep, hi := f.ends()
	beside := f.path[:len(f.path)-1]
	return datum(f.Lo, slices.Concat(beside, []string{"lo"}), lo, "") + template.HTML(sep) +
		datum(f.Hi, slices.Concat(beside, []string{"hi"}), hi, "")
}

// Link returns the label, as a link to the cases behind the figure where these can be picked out.
func (f fig) Link() template.HTML {
	label := escaped(f.Label)
	if f.filter == "" || !f.OK || f.Value == 0 && !strings.HasPrefix(f.filter, "class=") &&
		!strings.HasPrefix(f.filter, "tag=") {
		return label // nothing to pick out
	}
	return template.HTML(fmt.Sprintf(`<a class="go" href="#cases-%d" data-filter="%s">%s</a>`, f.section,
		escaped(f.filter), label))
}

// datum is a number with its place in the document; the title, where there is one, shows where the reader points at it.
func datum(x float64, path []string, text, title string) template.HTML {
	if title != "" {
		title = ` title="` + template.HTMLEscapeString(oneLine(title)) + `"`
	}
	return template.HTML(fmt.Sprintf(`<data value="%s" data-path="%s"%s>%s</data>`,
		exact(x), escaped(strings.Join(path, ".")), title, template.HTMLEscapeString(text)))
}

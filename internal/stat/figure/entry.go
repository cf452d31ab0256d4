package figure

import (
	"slices"
	"strings"
)

// A Unit says how a figure is written.
type Unit int8

// The units.
const (
	Share  Unit = iota // 24.4 %
	Mean               // 0.842
	Count              // 1,234
	Nats               // 0.313 nats
	Points             // 24.41, of a share in percent
	Chance             // 0.00003
	PValue             // 0.420, <0.0001
)

// An Entry of a catalogue is one figure of a result: where it stands, and how it is shown.
type Entry struct {
	// from the result's root: names of members, Any for each of a map or list. At its end stands a number, or an
	// estimate with its interval
	Path  []string
	Label string
	Unit  Unit
	Tone  string // of its meaning: err, rnd, ok, ink, or "" for none
	Note  string // what it is, where the label does not say it

	Interval []string // where its interval stands, if apart from it
	Range    []string // where a range stands in its place, if some of what it counts could not be graded
	Cases    string   // what picks out the cases behind it: category=randomness
}

// unitNames are the units as Read has them.
var unitNames = map[string]Unit{"share": Share, "mean": Mean, "count": Count, "nats": Nats, "points": Points,
	"chance": Chance, "p": PValue}

// Any stands in a path for whatever name or place a map or list has there.
const Any = "*"

// Read returns the entries of a list, one a line: the path, the unit with the tone behind it, the label, and as far as
// they are there the note, the places of the interval and of the range, and what picks out the cases, between them
// strokes: n | count ink | questions. A path is written with strokes too: taxonomy/randomness. Lines that begin with #
// say nothing. A list is part of the program: a unit that there is none of is a panic.
func Read(list string) (out []Entry) {
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := append(strings.Split(line, "|"), "", "", "", "", "")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		name, tone, _ := strings.Cut(fields[1], " ")
		unit, ok := unitNames[name]
		if !ok {
			panic("figure: no unit in " + line)
		}
		out = append(out, Entry{Path: places(fields[0]), Label: fields[2], Unit: unit, Tone: tone, Note: fields[3],
			Interval: places(fields[4]), Range: places(fields[5]), Cases: fields[6]})
	}
	return out
}

func places(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// Under returns entries with a path before theirs.
func Under(path string, entries []Entry) []Entry {
	at := strings.Split(path, "/")
	under := func(p []string) []string {
		if p == nil {
			return nil
		}
		return slices.Concat(at, p)
	}
	out := slices.Clone(entries)
	for i := range out {
		e := &out[i]
		e.Path, e.Interval, e.Range = under(e.Path), under(e.Interval), under(e.Range)
	}
	return out
}

// A Catalogue finds the entry of a figure by its path.
type Catalogue struct {
	named map[string]Entry
	any   []Entry // those whose paths have an Any
}

// Spread returns an entry for each figure that t has at a path with names in the place of Any, and with these names in
// its label; the entry itself where it has no Any.
func (e Entry) Spread(t Tree) (out []Entry) {
	at := slices.Index(e.Path, Any)
	if at < 0 {
		return []Entry{e}
	}
	for _, name := range t.Names(e.Path[:at]...) {
		one := e
		one.Path = slices.Concat(e.Path[:at], []string{name}, e.Path[at+1:])
		one.Label = strings.Replace(e.Label, Any, name, 1)
		one.Interval, one.Range = fill(e.Interval, []string{name}), fill(e.Range, []string{name})
		out = append(out, one.Spread(t)...)
	}
	return slices.DeleteFunc(out, func(x Entry) bool { return !t.Has(x.Path...) })
}

// NewCatalogue returns the catalogue of entries. Of two with one path the later stands.
func NewCatalogue(entries ...[]Entry) *Catalogue {
	c := &Catalogue{named: map[string]Entry{}}
	for _, e := range slices.Concat(entries...) {
		if slices.Contains(e.Path, Any) {
			c.any = append(c.any, e)
		} else {
			c.named[strings.Join(e.Path, "/")] = e
		}
	}
	return c
}

// Find returns the entry of the figure at a path, with its own names in the place of Any, and whether there is one.
func (c *Catalogue) Find(path ...string) (Entry, bool) {
	if e, ok := c.named[strings.Join(path, "/")]; ok {
		return e, true
	}
	for _, e := range slices.Backward(c.any) {
		if names, ok := match(e.Path, path); ok {
			e.Path, e.Interval, e.Range = path, fill(e.Interval, names), fill(e.Range, names)
			return e, true
		}
	}
	return Entry{}, false
}

// match returns the names that stand for Any where a path is one of a pattern.
func match(pattern, path []string) (names []string, ok bool) {
	if len(pattern) != len(path) {
		return nil, false
	}
	for i, key := range pattern {
		switch key {
		case Any:
			names = append(names, path[i])
		case path[i]:
		default:
			return nil, false
		}
	}
	return names, true
}

// fill puts names in the place of Any.
func fill(pattern, names []string) []string {
	out := slices.Clone(pattern)
	for i, key := range out {
		if key == Any && len(names) > 0 {
			out[i], names = names[0], names[1:]
		}
	}
	return out
}

// Package prompt turns cases into requests: it makes the variants in which a
// case is asked (phrasings, orders and draws of the demonstrations, orders of
// the options), renders each to a model.Request, and reads the choice among
// scored options back. It calls no model and draws only from named streams, so
// a variant depends on the seed, the case and its number, and on nothing else.
package prompt

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/seed"
	"hallmark/internal/suite"
)

// A Kind says what a variant changes in the default prompt.
type Kind string

// The kinds. Each variant changes one thing; kinds asked for together add up and are not crossed.
const (
	Default        Kind = ""
	Phrasings      Kind = "phrasings"      // the written phrasings, in their order
	Demonstrations Kind = "demonstrations" // orders of the demonstrations
	Draws          Kind = "draws"          // draws of demonstrations from the pool, never the question itself
	LeakyDraws     Kind = "leaky-draws"    // the same as some studies did it: the question may be among them
	Options        Kind = "options"        // orders of the options that are shown
	Templates      Kind = "templates"      // layouts: wording, separators, spacing, casing, or those of a file
	Conditions     Kind = "conditions"     // manners, roles and noise around the question
	Paraphrases    Kind = "paraphrases"    // other wordings of the question that were admitted as equivalent
	// Imported are prompts that are not known, of answers that were imported: no command asks for them.
	Imported Kind = "imported"
)

// Kinds are the kinds that can be asked for, in the order in which their variants are numbered.
var Kinds = []Kind{Phrasings, Demonstrations, Draws, LeakyDraws, Options, Templates, Conditions, Paraphrases}

// A Family says which part of the prompt a variant changes, so that what moves a model can be told apart.
type Family string

// The families.
const (
	// the words around the question, or the question as the suite words it otherwise
	Wording    Family = "wording"
	Separators Family = "separators"     // what stands between the parts of a prompt
	Spacing    Family = "spacing"        // what stands between the name of a part and the part
	Casing     Family = "casing"         // capitals of the names of parts
	Labels     Family = "labels"         // how options are marked
	Several    Family = "several"        // several of these at once
	Order      Family = "order"          // of demonstrations or of options
	Examples   Family = "demonstrations" // which demonstrations there are
	Paraphrase Family = "paraphrase"     // the question in other words
	Condition  Family = "condition"      // manners, roles and noise
)

// Families lists the families.
var Families = []Family{Wording, Separators, Spacing, Casing, Labels, Several, Order, Examples, Paraphrase, Condition}

// families are those of the kinds all of whose variants change the same.
var families = map[Kind]Family{
	Phrasings: Wording, Demonstrations: Order, Options: Order, Draws: Examples, LeakyDraws: Examples,
	Paraphrases: Paraphrase, Imported: Several,
}

// A Spec asks for N variants of a kind beside the default prompt, which is always variant 0. N = 0 is all, for
// phrasings only.
type Spec struct {
	Kind Kind
	N    int
}

// MaxVariants is the most variants of one kind that can be asked for.
const MaxVariants = 10_000

// ParseSpecs reads the value of --variants, such as "phrasings=10,options=20". The result is in the order of Kinds
// whatever the order given, so that variants are numbered alike. An empty text gives none, which Variants takes for
// all written phrasings.
func ParseSpecs(s string) ([]Spec, error) {
	var specs []Spec
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		name, count, counted := strings.Cut(strings.TrimSpace(part), "=")
		kind := Kind(strings.TrimSpace(name))
		if !slices.Contains(Kinds, kind) {
			return nil, fmt.Errorf("unknown kind of variants %q; want KIND=N,… with KIND of %s", name, Joined(Kinds))
		}
		if slices.ContainsFunc(specs, func(sp Spec) bool { return sp.Kind == kind }) {
			return nil, fmt.Errorf("variants of kind %s are asked for twice; keep one", kind)
		}
		n, err := strconv.Atoi(strings.TrimSpace(count))
		switch {
		case !counted && kind == Phrasings:
			n = 0
		case !counted:
			return nil, fmt.Errorf("how many variants of kind %s? want %s=N", kind, kind)
		case err != nil || n < 1 || n > MaxVariants:
			return nil, fmt.Errorf("variants %q: want a whole number from 1 to %d", part, MaxVariants)
		}
		specs = append(specs, Spec{kind, n})
	}
	slices.SortFunc(specs, func(a, b Spec) int { return slices.Index(Kinds, a.Kind) - slices.Index(Kinds, b.Kind) })
	return specs, nil
}

// Joined are names, with commas.
func Joined[T ~string](names []T) string {
	out := lists.Map(names, func(n T) string { return string(n) })
	return strings.Join(out, ", ")
}

// A Variant is one way to ask a case. Its slices are shared and must not be changed.
type Variant struct {
	Number int    // 0 is the default prompt
	Kind   Kind   // what was asked for
	Family Family // what it changes; "" for the default
	Name   string // for readers: "default", "phrasing 3", "option order 7"

	Prompt         string // empty: the case's own
	Demonstrations []suite.Demonstration
	// OptionOrder holds, for each position, the index into Case.Options; nil is the order of the file.
	OptionOrder []int
	// Template lays it out; nil is the layout of the form.
	Template *Template
	// Leak says that the question itself is among the demonstrations, with its answer.
	Leak bool
}

// Question is the question as the variant words it.
func (v *Variant) Question(c *suite.Case) string { return cmp.Or(v.Prompt, c.Prompt) }

// plain are the variants of every case that is asked in its own words alone and shows no examples: it takes as much
// memory as the case.
var plain = []Variant{{Name: "default"}}

// shared returns plain in the place of variants that say the same of their case.
func shared(c *suite.Case, vs []Variant) []Variant {
	if len(vs) == 1 && vs[0].Prompt == c.Prompt && len(vs[0].Demonstrations) == 0 && !vs[0].Leak {
		return plain
	}
	return vs
}

// Given is what variants are made from beside the case itself.
type Given struct {
	// Templates are those of a file, in place of the generated ones.
	Templates []Template
	// Paraphrases returns the admitted paraphrases of a case in their order, and why there are no more. Nil has none.
	Paraphrases func(caseID string) (texts []string, why string)
	// Late says that they are known only once a model was asked, so that to have none is no error.
	Late bool
	// Shared has the variants of a case stand for those of all that are asked alike: they are not told apart by their
	// prompts then.
	Shared bool

	layouts map[shape][]Template // made once for all cases of a shape
}

// A Shortfall says that a case has fewer variants of a kind than were asked for.
type Shortfall struct {
	CaseID     string
	Kind       Kind
	Asked, Got int
	Why        string
}

// Variants returns the variants of a case, the default first, and what is missing. No two variants render
// alike. The variants of a kind depend on the seed, the case and the kind, and a larger N only adds to them, so
// that what is stored stays of use. With no specs they are all the written phrasings.
func Variants(c *suite.Case, specs []Spec, from uint64, given Given) ([]Variant, []Shortfall) {
	if len(specs) == 0 {
		specs = []Spec{{Phrasings, 0}}
	}
	base := Variant{Name: "default", Prompt: c.Prompt, Demonstrations: c.Demonstrations}
	p := pool{c: c, seen: map[string]bool{}}
	if len(c.Demonstrations) == 0 && len(c.Rows) > 0 {
		base.Demonstrations, _ = p.draw(seed.Stream(from, "variant", "default", c.ID), false)
	}
	base.Leak = leaks(c, base.Demonstrations)
	m := maker{c: c, base: base, pool: p, from: from, given: given, out: []Variant{base}}
	var short []Shortfall
	for _, sp := range specs {
		before, why := len(m.out), ""
		if of := makers[sp.Kind]; of != nil {
			why = of(&m, sp, seed.Stream(from, "variant", string(sp.Kind), c.ID))
		}
		if got := len(m.out) - before; got < sp.N {
			short = append(short, Shortfall{c.ID, sp.Kind, sp.N, got, why})
		}
	}
	return m.out, short
}

// layingOut returns the templates or conditions that a spec asks for, and why there are no more.
func (g Given) layingOut(c *suite.Case, sp Spec, from uint64) (ts []Template, why string) {
	if sp.Kind == Templates {
		return g.templates(c, sp.N, from)
	}
	conditions := looking().Conditions
	why = fmt.Sprintf("there are %d conditions", len(conditions))
	return fitting(c, conditions, sp.N, why, why+", and %s changes nothing in it")
}

// templates returns up to n templates that can lay out a case, and why there are no more.
func (g Given) templates(c *suite.Case, n int, from uint64) (ts []Template, why string) {
	if g.Templates == nil {
		kind := shapeOf(c)
		ts, made := g.layouts[kind]
		if !made {
			if ts = kind.layouts(n, from); g.layouts != nil {
				g.layouts[kind] = ts
			}
		}
		if len(ts) > 0 && ts[0].fits(c) != "" {
			return nil, ts[0].fits(c)
		}
		return ts, fmt.Sprintf("it has no more than %d layouts", len(ts))
	}
	return fitting(c, g.Templates, n, fmt.Sprintf("the file has %d templates", len(g.Templates)),
		"%s is the layout that it has anyway")
}

// fitting returns the first n of some templates that can lay out a case and change something, and why there are no
// more: there are no others, or what the last of those left out lacks.
func fitting(c *suite.Case, all []Template, n int, why, idle string) (ts []Template, _ string) {
	for i := range all {
		t := &all[i]
		switch no := t.fits(c); {
		case len(ts) == n:
			return ts, why
		case no != "":
			why = no
		case t.idle(c):
			why = fmt.Sprintf(idle, t.Name)
		default:
			ts = append(ts, *t)
		}
	}
	return ts, why
}

// OfSuite returns the variants of every case, and warnings and errors as EachOfSuite does.
func OfSuite(s *suite.Suite, specs []Spec, from uint64, given Given) (all [][]Variant, warnings []string, err error) {
	all = make([][]Variant, s.Cases.Len())
	warnings, err = EachOfSuite(s, specs, from, given, func(i int, vs []Variant) { all[i] = vs })
	if err != nil {
		return nil, nil, err
	}
	return all, warnings, nil
}

// Cached is a Given of which layouts are made once for all cases that they look alike in.
func (g Given) Cached() Given {
	g.layouts = map[shape][]Template{}
	return g
}

// EachOfSuite passes the variants of every case with its place to visit, and returns as warnings what is missing: one
// for each kind and reason. It is an error if a kind that was asked for gives no variant of any case, for then the
// plan cannot measure what was meant; but for paraphrases that a model may yet have to make.
func EachOfSuite(s *suite.Suite, specs []Spec, from uint64, given Given, visit func(i int, vs []Variant)) ([]string,
	error) {
	cases := s.Cases
	given = given.Cached()
	type group struct {
		Shortfall
		cases int
	}
	var groups []group
	got := map[Kind]int{}
	leaky := 0
	for i, c := range cases.Pass() {
		vs, short := Variants(c, specs, from, given)
		if given.Shared {
			vs = shared(c, vs)
		}
		visit(i, vs)
		for _, v := range vs {
			got[v.Kind]++
			if v.Leak {
				leaky++
			}
		}
		for _, f := range short {
			k := slices.IndexFunc(groups, func(g group) bool {
				return g.Kind == f.Kind && g.Got == f.Got && g.Why == f.Why
			})
			if k < 0 {
				k, groups = len(groups), append(groups, group{f, 0})
			}
			groups[k].cases++
		}
	}
	var warnings []string
	for _, sp := range specs {
		shown := 0
		for _, g := range groups {
			if g.Kind != sp.Kind {
				continue
			}
			if got[sp.Kind] == 0 && sp.N > 0 && !(sp.Kind == Paraphrases && given.Late) {
				return nil, fmt.Errorf("variants %s=%d: no case of suite %q has any (case %q: %s)", sp.Kind,
					sp.N, s.Name, g.CaseID, g.Why)
			}
			if shown++; shown <= 3 {
				warnings = append(warnings, fmt.Sprintf("variants %s=%d: %d of %d cases have %d, as case %q: %s",
					sp.Kind, sp.N, g.cases, cases.Len(), g.Got, g.CaseID, g.Why))
			}
		}
		if shown > 3 {
			warnings = append(warnings, fmt.Sprintf("variants %s=%d: fewer in %d other ways", sp.Kind, sp.N, shown-3))
		}
	}
	if leaky > 0 {
		warnings = append(warnings, fmt.Sprintf("%d variants show the question itself among their demonstrations",
			leaky))
	}
	return warnings, nil
}

func leaks(c *suite.Case, d []suite.Demonstration) bool {
	return slices.ContainsFunc(d, func(d suite.Demonstration) bool { return c.IsItself(d.Input) })
}

func permuted[T any](items []T, order []int) []T {
	return lists.Map(order, func(j int) T { return items[j] })
}

// enough bounds counts of arrangements: no spec can ask for as many, so the exact number does not matter.
const enough = 1 << 40

// orders draws up to n different orders of 0..size-1 that are not the given one, each equally likely. Items of the
// same rank, which is the index of the first of them, are alike, and orders that differ only in them are the same.
func orders(size, n int, stream *rand.Rand, rank func(int) int) [][]int {
	ranks, order, counts := make([]int, size), make([]int, size), make([]int, size)
	total := 1 // size! / Π counts!
	for i := range size {
		order[i], ranks[i] = i, rank(i)
		counts[ranks[i]]++
		if total < enough {
			total = total * (i + 1) / counts[ranks[i]]
		}
	}
	key := func() string { return fmt.Sprint(permuted(ranks, order)) }
	seen := map[string]bool{key(): true}
	var out [][]int
	for len(out) < n && len(seen) < total {
		stream.Shuffle(size, func(i, j int) { order[i], order[j] = order[j], order[i] })
		if k := key(); !seen[k] {
			seen[k] = true
			out = append(out, slices.Clone(order))
		}
	}
	return out
}

// A pool draws demonstrations for a case and remembers the draws it gave.
type pool struct {
	c      *suite.Case
	seen   map[string]bool
	others int // rows that are not the question itself; 0 where not counted yet
}

// usable counts the rows that may be drawn. A pool that falls short is never so large that it was not counted.
func (p *pool) usable(leaky bool) int {
	if leaky {
		return len(p.c.Rows)
	}
	if p.others == 0 {
		p.others = p.c.Others(2 * MaxVariants) // more make no difference
	}
	return p.others
}

// draw returns an ordered draw of different rows that it did not give before, and false if there is none that was not.
func (p *pool) draw(stream *rand.Rand, leaky bool) ([]suite.Demonstration, bool) {
	usable, size := p.usable(leaky), p.c.DrawSize()
	total := 1
	for k := range size {
		if total < enough {
			total *= max(usable-k, 0)
		}
	}
	for len(p.seen) < total { // draws with the question in them may be counted here; then a few less are offered
		picked := make([]int, 0, size)
		for len(picked) < size {
			i := stream.IntN(len(p.c.Rows))
			if !slices.Contains(picked, i) && (leaky || !p.c.IsItself(p.c.Rows[i].Input)) {
				picked = append(picked, i)
			}
		}
		key := fmt.Sprint(picked)
		if p.seen[key] {
			continue
		}
		p.seen[key] = true
		if d := permuted(p.c.Rows, picked); !slices.Equal(d, p.c.Demonstrations) {
			return d, true
		}
	}
	return nil, false
}

// draws returns up to n draws that differ from each other and from the default's.
func (p *pool) draws(n int, stream *rand.Rand, leaky bool) (out [][]suite.Demonstration) {
	for len(out) < n {
		d, ok := p.draw(stream, leaky)
		if !ok {
			break
		}
		out = append(out, d)
	}
	return out
}

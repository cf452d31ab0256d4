// Package generate makes suites from worlds: cases that press a model to hallucinate, each with an oracle that
// decides it. For each of the fifteen classes there is a generator of templates, perturbations of what they say and
// pressures that are put on top; every draw comes from named streams of one seed.
package generate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hallmark/internal/base/seed"
	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

// A generator makes the cases of one class.
type generator struct {
	class string
	// has reports whether the world of a draw has something to make a case of its domain from, in some difficulty; nil
	// where the templates need nothing of the world.
	has func(d *draw) bool
	// make draws a case. It is false where the world has nothing of the domain and difficulty that the draw asks
	// for. A generator sets what makes the case (prompt, phrasings, context, options, gold, oracle, requirements,
	// format, tags); the rest (ID, class, domain, difficulty, pressure) is the package's.
	make func(d *draw) (suite.Case, bool)
	// worked makes the class's worked case of the source from the world, domain and difficulty with it; nil where
	// there is none. It is the first case of its class, and false where the world does not hold what it needs.
	worked func(d *draw) (suite.Case, bool)
}

// domains are those in which a generator can make a case of the world.
func (g generator) domains(ix *lookups) []string {
	return slices.DeleteFunc(slices.Clone(suite.Domains), func(domain string) bool {
		return g.has != nil && !g.has(&draw{w: ix.w, field: ix.fields[domain], domain: domain})
	})
}

// generators are those of all classes, in the order of suite.Classes. Each stands in a file of its name.
var generators = []generator{
	timeShiftRole, timeShiftPolicy, nonexistentCitation, conflictRAG, entityConflation, multiHop, ambiguity,
	falsePremise, formatGuard, negation,
	idPrecision, brevityStress, instructionConflict, ood, urlFabrication,
}

// A draw is what one case is made from.
type draw struct {
	w          *world.World
	field                 // of the domain
	r          *rand.Rand // the case's own stream
	domain     string
	difficulty string
	asOf       string // the suite's today, as 2026-11-01
	today      time.Time
	n          int      // the number of the case within its class, from 0
	ix         *lookups // what has been looked up of the world
}

// Options say what a suite is to hold.
type Options struct {
	// N is the number of cases over all classes, as even as can be.
	N int
	// Seed selects the draws.
	Seed uint64
	// AsOf is the suite's today, as 2026-11-01; empty is the world's.
	AsOf string
	// Classes are those wanted, of suite.Classes; none is all that the world has something for.
	Classes []string
	// Name is the suite's; empty is the world's and "-generated".
	Name string
}

// MaxN bounds the number of cases of one suite.
const MaxN = 100_000

// The reasons for gaps.
const (
	nothing   = "the world has nothing of the kind"
	noneThere = "the world has nothing of this domain and difficulty"
	allThere  = "every case that the world holds is in the suite"
	tooFew    = "too few cases were asked for to come to it"
)

// attempts is how often a case is drawn before its cell counts as exhausted. In the first of them no question that
// the suite has already is taken, in the others none with the same pressure on it, and none that it has perBase
// times.
const (
	attempts      = 24
	freshAttempts = 14
	// perBase bounds the cases that ask the same under different pressures.
	perBase = 8
)

// Suite makes a suite of N cases of the world, balanced over classes, difficulties and domains, no two of them
// alike, and says what it covers. It fails where an option is unusable, and where the world does not hold N cases:
// the error names what is missing. The same world and options give the same suite. A longer suite of the same world
// and classes begins each class with the cases of a shorter one.
func Suite(w *world.World, opt Options) (*suite.Suite, Coverage, error) {
	opt.AsOf = cmp.Or(opt.AsOf, w.AsOf)
	today, err := time.Parse(time.DateOnly, opt.AsOf)
	if err != nil {
		return nil, Coverage{}, fmt.Errorf("as-of date %q is no date; write it as 2026-11-01", opt.AsOf)
	}
	if opt.N < 1 || opt.N > MaxN {
		return nil, Coverage{}, fmt.Errorf("n is %d; want 1 to %d cases", opt.N, MaxN)
	}
	ix := newLookups(w)
	gens, gaps, err := chosen(ix, opt.Classes)
	if err != nil {
		return nil, Coverage{}, err
	}
	s := &suite.Suite{Name: cmp.Or(opt.Name, w.Name+"-generated"), Version: "1", World: w.Name, AsOf: opt.AsOf}
	m := &maker{ix: ix, opt: opt, today: today, gaps: gaps}
	for {
		cases, empty := m.classes(gens)
		s.Cases = suite.ListOf(cases)
		if len(empty) == 0 || len(empty) == len(gens) || len(opt.Classes) > 0 {
			break
		}
		for _, g := range empty { // the others share its cases
			m.gaps = append(m.gaps, Gap{Class: g.class, Why: nothing})
			gens = slices.DeleteFunc(gens, func(o generator) bool { return o.class == g.class })
		}
	}
	c := m.coverage(s, gens)
	if s.Cases.Len() < opt.N {
		return nil, c, fmt.Errorf(
			"the world %s holds %d of the %d cases asked for: %s; ask for fewer, or add to the world", w.Name,
			s.Cases.Len(), opt.N, c.short())
	}
	if err := s.Check(); err != nil {
		return nil, c, fmt.Errorf("world %s: a generated case is unsound: %w", w.Name, err)
	}
	return s, c, nil
}

// chosen returns the generators of the classes wanted that the world has something for, and the gaps that the
// others leave.
func chosen(ix *lookups, classes []string) (gens []generator, gaps []Gap, err error) {
	for _, c := range classes {
		if !slices.Contains(suite.Classes, c) {
			return nil, nil, fmt.Errorf("unknown class %q; known are %s", c, strings.Join(suite.Classes, ", "))
		}
	}
	for _, g := range generators {
		switch {
		case len(classes) > 0 && !slices.Contains(classes, g.class):
		case len(g.domains(ix)) > 0:
			gens = append(gens, g)
		case len(classes) > 0:
			return nil, nil, fmt.Errorf("the world %s has nothing to make cases of class %s from", ix.w.Name, g.class)
		default:
			gaps = append(gaps, Gap{Class: g.class, Why: nothing})
		}
	}
	if len(gens) == 0 {
		return nil, nil, fmt.Errorf("the world %s has nothing to make cases from", ix.w.Name)
	}
	return gens, gaps, nil
}

// A cell is a place of the coverage matrix.
type cell struct{ class, domain, difficulty string }

// A maker fills the cells of one suite.
type maker struct {
	ix    *lookups
	opt   Options
	today time.Time
	cases map[string]bool // what has been made: prompt and context in normal form
	uses  map[string]int  // how often each, as it was before pressures
	gaps  []Gap
	spent map[cell]string // cells that gave no more, with the reason
}

// classes makes the cases of all classes, an even share of each, and returns the classes that have none.
func (m *maker) classes(gens []generator) (all []suite.Case, empty []generator) {
	m.cases, m.uses, m.spent = map[string]bool{}, map[string]int{}, map[cell]string{}
	for i, g := range gens {
		quota := m.opt.N / len(gens)
		if i < m.opt.N%len(gens) {
			quota++
		}
		made := m.class(g, quota)
		if len(made) == 0 && quota > 0 {
			empty = append(empty, g)
		}
		all = append(all, made...)
	}
	return all, empty
}

// class makes the cases of one class. The next case is of the difficulty of which there are fewest, and within each
// difficulty the domains take turns. A cell that gives no more passes its turn to the next domain, and a difficulty
// to the next.
func (m *maker) class(g generator, quota int) []suite.Case {
	domains := g.domains(m.ix)
	var made []suite.Case
	of := map[string]int{} // cases by difficulty
	add := func(c suite.Case, domain, difficulty string) {
		c.ID, c.Class = fmt.Sprintf("%s-%04d", g.class, len(made)+1), g.class
		c.Domain, c.Difficulty = domain, difficulty
		made = append(made, c)
		of[difficulty]++
	}
	if g.worked != nil && quota > 0 {
		d := m.draw(g, cell{g.class, "", ""}, 0, "worked")
		if c, ok := g.worked(d); ok && m.fresh(&c, &c, true) {
			c.Tags = append(slices.Clone(c.Tags), "worked-case")
			add(c, c.Domain, c.Difficulty)
		}
	}
next:
	for k := len(made); k < quota; k++ {
		levels := slices.Clone(suite.Difficulties)
		slices.SortStableFunc(levels, func(a, b string) int { return of[a] - of[b] })
		for _, level := range levels {
			for j := range domains {
				at := cell{g.class, domains[(of[level]+j)%len(domains)], level}
				if m.spent[at] != "" {
					continue
				}
				if c, ok := m.one(g, at, k); ok {
					add(c, at.domain, at.difficulty)
					continue next
				}
			}
		}
		break
	}
	return made
}

// placed puts a worked case into its place of the coverage matrix.
func placed(c suite.Case, domain, difficulty string) (suite.Case, bool) {
	c.Domain, c.Difficulty = domain, difficulty
	return c, true
}

// auditEvery is one case in how many that people are to judge beside the oracle.
const auditEvery = 10

// one draws one case of a cell; where none comes that is not there already the cell is spent.
func (m *maker) one(g generator, at cell, k int) (suite.Case, bool) {
	m.spent[at] = noneThere
	for attempt := range attempts {
		d := m.draw(g, at, k, strconv.Itoa(attempt))
		c, ok := g.make(d)
		if !ok {
			continue
		}
		m.spent[at] = allThere
		base := c
		press(d, &c, k%auditEvery == auditEvery-1)
		if m.fresh(&base, &c, attempt < freshAttempts) {
			delete(m.spent, at)
			return c, true
		}
	}
	return suite.Case{}, false
}

// draw returns the case's own stream and place.
func (m *maker) draw(g generator, at cell, k int, attempt string) *draw {
	w := m.ix.w
	return &draw{
		w: w, ix: m.ix, asOf: m.opt.AsOf, today: m.today, domain: at.domain, difficulty: at.difficulty, n: k,
		field: m.ix.fields[at.domain],
		r:     seed.Stream(m.opt.Seed, "generate", w.Name, g.class, at.domain, at.difficulty, strconv.Itoa(k), attempt),
	}
}

// fresh reports whether the suite has no such case yet and keeps it in mind; with newBase not even under another
// pressure.
func (m *maker) fresh(base, c *suite.Case, newBase bool) bool {
	b, full := likeness(base), likeness(c)
	if m.cases[full] || m.uses[b] >= perBase || newBase && m.uses[b] > 0 {
		return false
	}
	m.cases[full] = true
	m.uses[b]++
	return true
}

// likeness is what two cases that are alike share: system prompt, context, prompt and options, without case,
// punctuation and spaces.
func likeness(c *suite.Case) string {
	texts := []string{c.System, c.Prompt}
	for _, p := range c.Context {
		texts = append(texts, p.Text)
	}
	texts = append(texts, slices.Sorted(slices.Values(c.Options))...)
	for i, s := range texts {
		texts[i] = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
			return r == '_' || r < 0x80 && !isWordByte(byte(r)) && !strings.ContainsRune("=+/<>-|", r)
		}), " ")
	}
	return strings.ToLower(strings.Join(texts, "\n"))
}

// The built-in suite core: so many cases of each class, from earth, at this seed.
const (
	CorePerClass = 60
	CoreSeed     = 1
)

// Core returns the built-in suite core: questions about the true world, CorePerClass of each class, made on demand
// and always the same. Do not change it. The error is that of Suite; a test holds that there is none.
var Core = sync.OnceValues(func() (*suite.Suite, error) {
	s, _, err := makeCore()
	return s, err
})

func makeCore() (*suite.Suite, Coverage, error) {
	return Suite(world.Earth(), Options{N: CorePerClass * len(generators), Seed: CoreSeed, Name: "core"})
}

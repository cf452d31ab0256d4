package generate

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
	"hallmark/internal/text/evidence"
)

// multiHop asks what takes several steps (G4): a made-up story whose quantity changes from step to step, in another
// unit at the end; numbers of the world's facts added and subtracted; a fact about what another fact names; or, of
// software, what a short program prints. Arithmetic is exact.
var multiHop = generator{
	class:  "multi-hop",
	make:   makeHops,
	worked: workedHops,
}

// A story is a quantity that changes. In its sentences {v} is a number, {t} a time.
type story struct {
	Open  string            `yaml:"open"`  // with the first value
	Steps map[string]string `yaml:"steps"` // by kind
	Ask   string            `yaml:"ask"`   // what is asked for at the end: "the population of {place}"
	Place string            `yaml:"place"` // kind of the made-up name
	Scale []int             `yaml:"scale"` // first values
	// Dimension is that of the world's units in which the quantity may be given and asked for.
	Dimension string `yaml:"dimension"`
}

// op kinds.
const (
	opUp, opDown, opPlus, opMinus, opTimes, opShare = "up", "down", "plus", "minus", "times", "share"
)

var opKinds = []string{opUp, opDown, opPlus, opMinus, opTimes, opShare}

func makeHops(d *draw) (suite.Case, bool) {
	switch k := d.r.Float64(); {
	case k < .3:
		if c, ok := chainCase(d); ok {
			return c, true
		}
	case k < .42:
		if c, ok := sumCase(d); ok {
			return c, true
		}
	case k > .7 && d.domain == "software":
		for range 4 {
			if c, ok := codeCase(d); ok {
				return c, true
			}
		}
	}
	return storyCase(d, oneOf(d, words().Stories[d.domain]))
}

// A hop is one step of a story.
type hop struct {
	kind string
	v    int64
}

// apply returns what becomes of x, and the expression of that around the one of x.
func (h hop) apply(x *big.Rat, expression string) (*big.Rat, string) {
	v, y := big.NewRat(h.v, 1), new(big.Rat)
	switch h.kind {
	case opUp:
		return y.Mul(x, big.NewRat(100+h.v, 100)), fmt.Sprintf("(%s) * %d / 100", expression, 100+h.v)
	case opDown:
		return y.Mul(x, big.NewRat(100-h.v, 100)), fmt.Sprintf("(%s) * %d / 100", expression, 100-h.v)
	case opPlus:
		return y.Add(x, v), fmt.Sprintf("(%s + %d)", expression, h.v)
	case opMinus:
		return y.Sub(x, v), fmt.Sprintf("(%s - %d)", expression, h.v)
	case opTimes:
		return y.Mul(x, v), fmt.Sprintf("(%s) * %d", expression, h.v)
	}
	return y.Quo(x, v), fmt.Sprintf("(%s) / %d", expression, h.v)
}

// hops draws n steps after which the value is a whole number each time. It is false where the drawn numbers do not
// give that.
func (d *draw) hops(s story, start int64, n int) (hs []hop, ok bool) {
	var kinds []string
	for _, k := range opKinds {
		if s.Steps[k] != "" {
			kinds = append(kinds, k)
		}
	}
	x := big.NewRat(start, 1)
next:
	for len(hs) < n {
		for range 12 {
			h := hop{kind: oneOf(d, kinds)}
			if len(hs) > 0 && hs[len(hs)-1].kind == h.kind {
				continue
			}
			switch h.kind {
			case opUp, opDown:
				h.v = oneOf(d, []int64{5, 10, 15, 20, 25, 30, 40, 50})
			case opPlus, opMinus:
				h.v = 5 * (1 + int64(d.r.IntN(30)))
				if whole := x.Num().Int64(); whole > 2000 {
					h.v *= 10
				}
			case opTimes:
				h.v = oneOf(d, []int64{2, 3, 4})
			case opShare:
				h.v = oneOf(d, []int64{2, 3, 4, 5, 6, 8})
			}
			y, _ := h.apply(x, "")
			if !y.IsInt() || y.Sign() <= 0 || y.Cmp(x) == 0 || y.Cmp(big.NewRat(50_000_000, 1)) > 0 {
				continue
			}
			hs, x = append(hs, h), y
			continue next
		}
		return nil, false
	}
	return hs, true
}

// storyCase tells a story of as many steps as its difficulty says: two, three or four.
func storyCase(d *draw, s story) (suite.Case, bool) {
	n := 2 + d.hardness()
	var from, to *world.Unit
	if s.Dimension != "" {
		if from, to = d.unitsOf(s.Dimension); from == nil {
			return suite.Case{}, false
		}
		if from != to {
			n-- // the conversion is a step
		}
	}
	start := int64(oneOf(d, s.Scale))
	hs, ok := d.hops(s, start, n)
	if !ok {
		return suite.Case{}, false
	}
	return told(d, s, d.invent(cmp.Or(s.Place, "place")), start, hs, from, to)
}

// told writes the story with its steps. from and to are the units it is told and asked in, nil where it counts.
func told(d *draw, s story, name string, start int64, hs []hop, from, to *world.Unit) (suite.Case, bool) {
	year := 2004 + d.r.IntN(8)
	clock := func(i int) string {
		switch {
		case strings.Contains(s.Open, "{t}") || s.Dimension != "":
			return strconv.Itoa(year + 2*i)
		case strings.Contains(s.Steps[opUp], "week"):
			return strconv.Itoa(1 + i)
		}
		return strconv.Itoa(8+i) + " o'clock"
	}
	units := ""
	if from != nil {
		units = from.Plural
	}
	tell := func(form string, v int64, i int) string {
		return fill(form, "{v}", figure.Grouped(int(v)), "{t}", clock(i), "{place}", name, "{units}", units)
	}
	text := tell(s.Open, start, 0)
	result, expression := big.NewRat(start, 1), strconv.FormatInt(start, 10)
	var values []*big.Rat
	for i, h := range hs {
		text += " " + tell(s.Steps[h.kind], h.v, i+1)
		result, expression = h.apply(result, expression)
		values = append(values, result)
	}
	c := suite.Case{AnswerType: suite.Numeric, Tags: []string{"multi-hop", "calc"}}
	o := suite.Oracle{Type: "calc", Expression: expression}
	end := "in the end"
	ask := strings.ReplaceAll(s.Ask, "{place}", name)
	if from != to {
		factor := new(big.Rat).Quo(ratio(from), ratio(to))
		result = new(big.Rat).Mul(result, factor)
		if places, exact := result.FloatPrec(); !exact || places > 4 {
			return suite.Case{}, false
		}
		values = append(values, result)
		o.Expression = fmt.Sprintf("(%s) * %s / %s", expression, factor.Num(), factor.Denom())
		c.Tags = append(c.Tags, "unit-change")
	}
	if to != nil {
		end = "in the end, in " + to.Plural
		o.Unit = to.Name
	}
	for _, v := range values {
		o.Steps = append(o.Steps, suite.InFull(v))
	}
	o.Value = suite.InFull(result)
	c.Gold.Texts = []string{o.Value}
	c.Oracle = &o
	c.Requires.Steps = len(values)
	var forms []string
	for _, f := range said("hops") {
		forms = append(forms, text+" "+f)
	}
	putForms(d, &c, forms, "{ask}", ask, "{end}", end, "{n}", strconv.Itoa(len(values)))
	return c, true
}

// ratio returns a unit's exact factor.
func ratio(u *world.Unit) *big.Rat {
	r, ok := new(big.Rat).SetString(u.Factor)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// unitsOf draws two units of a dimension, the same one twice in some easy draws, that convert by a whole number or
// its inverse.
func (d *draw) unitsOf(dimension string) (from, to *world.Unit) {
	everyday := said("everyday-units")
	all := those(d.w.Units, func(u *world.Unit) bool {
		return u.Dimension == dimension && u.Offset == "" && u.Plural != "" && ratio(u).Sign() > 0 &&
			slices.Contains(everyday, u.Name)
	})
	if len(all) == 0 {
		return nil, nil
	}
	from = oneOf(d, all)
	if d.hardness() == 0 && d.chance(.5) {
		return from, from
	}
	if near, ok := pick(d, all, func(u *world.Unit) bool {
		f := new(big.Rat).Quo(ratio(from), ratio(u))
		places, exact := f.FloatPrec()
		return exact && places <= 6 && u != from && f.Cmp(big.NewRat(1, 10000)) >= 0 && f.Cmp(big.NewRat(10000, 1)) <= 0
	}); ok {
		return from, near
	}
	return from, from
}

// sumCase adds and subtracts numbers of the world's facts of one relation.
func sumCase(d *draw) (suite.Case, bool) {
	rel, facts, ok := d.factsOf(func(r *relation) bool { return r.functional && summable(r.Relation) },
		2+d.hardness()/2, 40, func(f, o *world.Fact) bool { return f == o })
	if !ok {
		return suite.Case{}, false
	}
	total := new(big.Rat)
	var names, steps []string
	for _, f := range facts {
		v, ok := new(big.Rat).SetString(f.Value)
		if !ok {
			return suite.Case{}, false
		}
		names, steps = append(names, f.Subject), append(steps, suite.InFull(v))
		total.Add(total, v)
	}
	expression := strings.Join(steps, " + ")
	steps = append(steps, suite.InFull(total))
	c := suite.Case{AnswerType: suite.Numeric, Tags: []string{"multi-hop", "calc", "world-sum"},
		Gold: suite.Gold{Texts: []string{suite.InFull(total)}}}
	c.Oracle = &suite.Oracle{Type: "calc", Value: suite.InFull(total), Expression: expression, Steps: steps}
	c.Requires.Steps = len(steps)
	putForms(d, &c, said("sum"), "{relation}", bareName(rel.Name), "{list}", series(names), "{n}",
		strconv.Itoa(len(steps)))
	return c, true
}

// summable reports whether a relation's numbers count or number one kind of thing, so that they add up to
// something: not where each has a unit of its own.
func summable(r *world.Relation) bool {
	if r.Value != "number" || len(r.Facts) < 5 {
		return false
	}
	return !slices.ContainsFunc(r.Facts, func(f world.Fact) bool {
		return strings.ContainsAny(f.Value, "./-−") || strings.Contains(f.Subject, ", in ")
	})
}

// chainCase asks for a fact about what another fact names: by a value that only one subject has, for another value
// of that subject.
func chainCase(d *draw) (suite.Case, bool) {
	asked, ok := d.relation(func(r *relation) bool { return r.functional })
	if !ok {
		return suite.Case{}, false
	}
	var firsts []*relation
	for _, domain := range suite.Domains {
		for _, r := range d.ix.fields[domain].relations {
			if r != asked && r.Unique && r.functional && r.Subject == asked.Subject {
				firsts = append(firsts, r)
			}
		}
	}
	if len(firsts) == 0 {
		return suite.Case{}, false
	}
	named := oneOf(d, firsts)
	f, ok := find(d, asked.Facts, func(f *world.Fact) bool {
		return d.allows(f.Difficulty) && len(named.of[f.Subject]) == 1 && readable(f.Value)
	})
	if !ok {
		return suite.Case{}, false
	}
	by := named.Facts[named.of[f.Subject][0]]
	if overlaps(by.Value, f.Value) || overlaps(by.Value, f.Subject) || overlaps(f.Subject, f.Value) {
		return suite.Case{}, false
	}
	c := suite.Case{AnswerType: suite.Short, Tags: []string{"multi-hop", "world-chain"},
		Gold: suite.Gold{Texts: append([]string{f.Value}, f.Also...)}}
	c.Oracle = &suite.Oracle{Type: "exact", Accept: c.Gold.Texts}
	if d.chance(.5) {
		d.sourceChain(&c, named, asked, &by, f)
	}
	putForms(d, &c, said("chain"), "{asked}", bareName(asked.Name), "{kind}", asked.Subject, "{named}",
		bareName(named.Name), "{by}", by.Value)
	if len(c.Context) > 0 {
		behind(&c, said("chain-line"), 0)
		shuffleContext(d, &c)
	}
	return c, true
}

// sourceChain gives a chain its two facts as lines, among the same two of a near twin.
func (d *draw) sourceChain(c *suite.Case, named, asked *relation, by, f *world.Fact) {
	right := append([]string{f.Value, f.Subject, by.Value}, f.Also...)
	twin, ok := find(d, asked.Facts, func(o *world.Fact) bool {
		if len(named.of[o.Subject]) != 1 {
			return false
		}
		other := named.Facts[named.of[o.Subject][0]].Value
		return !slices.ContainsFunc(right, func(r string) bool {
			return overlaps(r, o.Value) || overlaps(r, o.Subject) || overlaps(r, other)
		})
	})
	if !ok {
		return
	}
	other := named.Facts[named.of[twin.Subject][0]]
	c.Context = lettered([]string{asked.stated(f.Subject, f.Value), named.stated(by.Subject, by.Value),
		asked.stated(twin.Subject, twin.Value), named.stated(twin.Subject, other.Value)})
	c.Tags = append(c.Tags, "retrieval", "near-twin")
	c.Requires.Evidence = true
	c.Oracle = &suite.Oracle{Type: "retrieval", Accept: c.Gold.Texts, Reject: []string{twin.Value},
		Lines: []string{"L1", "L2"}, Distractors: []string{"L3", "L4"}}
}

// readable reports whether a value can be found in prose: codes of two letters, and some of three, spell words such
// as "is" and "and".
func readable(v string) bool {
	letters := strings.Trim(v, ".-/ ")
	return len(letters) > 2 && !evidence.IsStop(strings.ToLower(letters))
}

// workedHops is the source's: a town of 50,000 that grows by a fifth, loses a tenth and gains a twentieth.
func workedHops(d *draw) (suite.Case, bool) {
	hs := []hop{{opUp, 20}, {opDown, 10}, {opUp, 5}}
	c, ok := told(d, words().Stories["civic"][0], d.invent("place"), 50000, hs, nil, nil)
	c.Domain, c.Difficulty = "civic", "medium"
	return c, ok
}

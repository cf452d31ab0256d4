package mutation

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
)

// A nearby are the mutants of a kind close to the gold; none where none is wrong for certain.
type nearby struct {
	kind  Kind
	texts []string
}

// near returns the mutants of numbers and dates that are as close as can be, of a kind the first unless each is wanted.
func (g *gold) near() (all []nearby) {
	switch g.kind {
	case "number":
		all = g.nearNumbers()
	case "date":
		all = g.nearDates()
	}
	for i, n := range all {
		if !g.every && len(n.texts) > 1 {
			all[i].texts = n.texts[:1]
		}
	}
	return all
}

var numerals = pattern.New(`[+\-−]?\d+(?:,\d{3})*(?:\.\d+)?`)

// A numeral is the one number that a gold has, in digits.
type numeral struct {
	start, end int // bytes of the gold
	places     int // decimals
	value      *big.Rat
}

// numeralIn finds it; false where there is none, or several, or more digits elsewhere.
func numeralIn(text string) (n numeral, ok bool) {
	all := numerals.FindAllStringIndex(text, 2)
	if len(all) != 1 || strings.ContainsAny(text[:all[0][0]]+text[all[0][1]:], "0123456789/^") {
		return n, false
	}
	n.start, n.end = all[0][0], all[0][1]
	s := strings.NewReplacer(",", "", "−", "-").Replace(text[n.start:n.end])
	if at := strings.IndexByte(s, '.'); at >= 0 {
		n.places = len(s) - at - 1
	}
	n.value, ok = new(big.Rat).SetString(s)
	return n, ok
}

// put writes another value in place of the numeral, with as many decimals and grouped as it is.
func (n numeral) put(text string, v *big.Rat) string {
	s := v.FloatString(n.places)
	if strings.Contains(text[n.start:n.end], ",") {
		s = figure.Thousands(s)
	}
	return text[:n.start] + s + text[n.end:]
}

// unit is one unit of the last place of a numeral. Zeros at the end of a whole number may be rounded, so that one of
// these is no place; where a numeric oracle decides, all digits are meant.
func (g *gold) unit(n numeral) *big.Rat {
	v := big.NewRat(1, 1)
	ten := big.NewRat(10, 1)
	for range n.places {
		v.Quo(v, ten)
	}
	numeric := g.c.AnswerType == "numeric" || g.c.Oracle.Has("numeric") || g.c.Oracle.Has("calc")
	if n.places > 0 || numeric || n.value.Sign() == 0 {
		return v
	}
	for q := new(big.Rat).Quo(n.value, ten); q.IsInt(); q.Quo(q, ten) {
		v.Mul(v, ten)
	}
	return v
}

// bounds returns the least and the greatest number that is right, where the case gives them.
func (g *gold) bounds(n numeral) (lo, hi *big.Rat, ok bool) {
	if lo, hi, _, ok = g.c.Gold.Interval(); ok {
		return lo, hi, true
	}
	for o := range g.c.Oracle.All() {
		if t, isNumber := quantity.Number(o.Tolerance); o.Tolerance != "" && isNumber && t.Sign() > 0 {
			return new(big.Rat).Sub(n.value, t), new(big.Rat).Add(n.value, t), true
		}
	}
	return nil, nil, false
}

// nearNumbers returns the number a unit of its last place away and, where the case has bounds, the first beyond them. A
// neighbour that ends in 0 is passed over for the one on the other side, as it may be the gold itself, rounded.
func (g *gold) nearNumbers() []nearby {
	n, ok := numeralIn(g.text)
	if !ok {
		return []nearby{{LastPlace, nil}}
	}
	unit := g.unit(n)
	kind := LastPlace
	if n.places == 0 && unit.Cmp(big.NewRat(1, 1)) == 0 {
		kind = OffByOne
	}
	lo, hi, bounded := g.bounds(n)
	wrong := func(v *big.Rat) bool {
		tens := new(big.Rat).Quo(v, new(big.Rat).Mul(unit, big.NewRat(10, 1)))
		return !tens.IsInt() && !g.right(v) && !(bounded && v.Cmp(lo) >= 0 && v.Cmp(hi) <= 0)
	}
	near := nearby{kind: kind}
	for _, v := range []*big.Rat{new(big.Rat).Add(n.value, unit), new(big.Rat).Sub(n.value, unit)} {
		if wrong(v) {
			near.texts = append(near.texts, n.put(g.text, v))
		}
	}
	all := []nearby{near}
	if bounded {
		beyond := nearby{kind: Beyond}
		if v := new(big.Rat).Add(hi, unit); wrong(v) {
			text := n.put(g.text, v) // unless it is rounded back by the places of the gold
			if m, ok := numeralIn(text); !ok || m.value.Cmp(hi) > 0 {
				beyond.texts = []string{text}
			}
		}
		all = append(all, beyond)
	}
	return all
}

// right reports whether a number is one that the case accepts.
func (g *gold) right(v *big.Rat) bool {
	return slices.ContainsFunc(g.accepts, func(a string) bool {
		n, ok := numeralIn(a)
		return ok && n.value.Cmp(v) == 0
	})
}

// dated reads a date, and in which layout it is written.
func dated(text string) (time.Time, string, bool) {
	text = strings.TrimSpace(text)
	for _, l := range grading.DateLayouts {
		if d, err := time.Parse(l, text); err == nil {
			return d, l, true
		}
	}
	return time.Time{}, "", false
}

// nearDates returns the dates a day, a month and a year away, as far as it is written to these, the later first; the
// day stays within its month and the month within its year.
func (g *gold) nearDates() (all []nearby) {
	d, layout, ok := dated(g.text)
	if !ok {
		return []nearby{{Day, nil}}
	}
	add := func(n *nearby, moved time.Time) {
		for _, a := range g.accepts {
			if x, _, ok := dated(a); ok && x.Equal(moved) {
				return
			}
		}
		n.texts = append(n.texts, moved.Format(layout))
	}
	if layout != "2006-01" && layout != "January 2006" {
		day := nearby{kind: Day}
		for _, moved := range []time.Time{d.AddDate(0, 0, 1), d.AddDate(0, 0, -1)} {
			if moved.Month() == d.Month() {
				add(&day, moved)
			}
		}
		all = append(all, day)
	}
	month := nearby{kind: Month}
	for _, m := range []time.Time{d.AddDate(0, 1, 0), d.AddDate(0, -1, 0)} { // 31 May has none: it would be 1 July
		if m.Day() == d.Day() && m.Year() == d.Year() {
			add(&month, m)
		}
	}
	if all = append(all, month); strings.Contains(layout, "2006") {
		year := nearby{kind: Year}
		add(&year, d.AddDate(1, 0, 0))
		add(&year, d.AddDate(-1, 0, 0))
		all = append(all, year)
	}
	return all
}

// rewritten are other forms of a number or a date: grouped or not, and the date as others write it.
func (g *gold) rewritten() (all []string) {
	if d, layout, ok := dated(g.text); ok && g.kind == "date" && len(layout) > len("January 2006") {
		for _, l := range []string{"2 January 2006", "January 2, 2006"} {
			if l != layout {
				all = append(all, d.Format(l))
			}
		}
		return all
	}
	n, ok := numeralIn(g.text)
	if !ok || g.kind != "number" || isYear(g.text) || n.value.Cmp(big.NewRat(1000, 1)) < 0 {
		return nil
	}
	v := n.value.FloatString(n.places)
	if !strings.Contains(g.text[n.start:n.end], ",") {
		v = figure.Thousands(v)
	}
	return []string{g.text[:n.start] + v + g.text[n.end:]}
}

// isYear reports whether a gold is four digits alone, which nobody groups where they are a year.
func isYear(text string) bool {
	text = strings.Trim(text, ". ")
	return len(text) == 4 && strings.Trim(text, "0123456789") == ""
}

// A pool has the golds of a suite by their kind, from which the wrong answers to other cases are drawn, and how many
// cases have one of a kind.
type pool struct {
	byKind map[string][]string
	cases  map[string]int
}

func newPool(s *suite.Suite, r *rubric.Rubric) *pool {
	p := &pool{map[string][]string{}, map[string]int{}}
	seen := map[string]bool{}
	for _, c := range s.Cases.Pass() {
		g := goldOf(r, c)
		p.cases[g.kind]++
		if g.text != "" && g.parts == nil && !seen[g.kind+"\x00"+g.text] {
			seen[g.kind+"\x00"+g.text] = true
			p.byKind[g.kind] = append(p.byKind[g.kind], g.text)
		}
	}
	return p
}

// tries bounds how many golds are looked at for one that is another thing.
const tries = 50

// another draws the gold of another case of the same kind that is certainly not right here, if there is one. Where not
// to answer is right, it is a name.
func (p *pool) another(g *gold, rng *rand.Rand) []string {
	kind := g.kind
	if kind == "no_answer" {
		kind = "name"
	}
	all := p.byKind[kind]
	if len(all) == 0 || g.program {
		return nil
	}
	from := rng.IntN(len(all))
	for i := range min(tries, len(all)) {
		if text := all[(from+i)%len(all)]; g.excludes(text) {
			return []string{g.inPlace(text)}
		}
	}
	return nil
}

// inPlace puts an answer in the place of the last of several that must each be named.
func (g *gold) inPlace(text string) string {
	n := len(g.c.Gold.All)
	if n < 2 {
		return text
	}
	return strings.Join(g.c.Gold.All[:n-1], ", ") + " and " + text
}

// excludes reports whether a text is certainly none of what the case accepts. A number must be a twentieth away from
// each, so that no rounding brings them together; other texts may not share a word, the beginning of one, or initials.
// What names one thing in words that have nothing in common ("carbon dioxide", "CO2") it knows from package answer's
// data alone.
func (g *gold) excludes(text string) bool {
	return !slices.ContainsFunc(append([]string{g.text}, g.accepts...), func(a string) bool {
		if a == "" {
			return false
		}
		if g.kind == "number" {
			return closeTo(a, text)
		}
		v, why := answer.NewReference(a, answer.Context{Question: g.c.Prompt}).Compare(text)
		return akin(a, text) || v == answer.Same && strings.HasSuffix(why, "in the data")
	})
}

// closeTo reports whether two numbers are within a twentieth of each other, or may be: one of them does not read, or
// their units differ.
func closeTo(a, b string) bool {
	x, ok := numeralIn(a)
	y, okB := numeralIn(b)
	if !ok || !okB || folded(a[:x.start]+a[x.end:]) != folded(b[:y.start]+b[y.end:]) {
		return true
	}
	d := new(big.Rat).Sub(x.value, y.value)
	most := new(big.Rat).Mul(x.value, big.NewRat(1, 20))
	return d.Abs(d).Cmp(most.Abs(most)) <= 0
}

// akin reports whether two texts share a word that says something, the first four letters of one, or initials.
func akin(a, b string) bool {
	x, y := telling(a), telling(b)
	for _, v := range x {
		for _, w := range y {
			if v == w || len(v) >= 4 && len(w) >= 4 && v[:4] == w[:4] {
				return true
			}
		}
	}
	return initials(x) == strings.Join(y, "") || initials(y) == strings.Join(x, "") || len(x) == 0 || len(y) == 0
}

// telling are the words of a text but for those that say nothing; all of them where no others are.
func telling(s string) []string {
	words := strings.Fields(folded(s))
	if told := slices.DeleteFunc(slices.Clone(words),
		func(w string) bool { return evidence.IsStop(w) }); len(told) > 0 {
		return told
	}
	return words
}

func initials(words []string) string {
	var b strings.Builder
	for _, w := range words {
		r, _ := utf8.DecodeRuneInString(w)
		b.WriteRune(r)
	}
	if len(words) < 2 {
		return "\x00" // of one word they are no name
	}
	return b.String()
}

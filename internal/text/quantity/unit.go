package quantity

import (
	_ "embed" // the units
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed units.txt
var unitsFile string

// dims are the exponents of a unit's dimensions, of which money is the last.
type dims struct {
	of    [12]int8
	money uint8 // which currency, 0 for none; each is a dimension of its own
}

// A meaning is one sense of a unit's name.
type meaning struct {
	dims
	factor *big.Rat // in base units
	offset *big.Rat // of its zero, in base units; nil for most
}

// A Unit is what a number counts or measures. The zero Unit is none.
type Unit struct {
	Name     string // as written
	meanings []meaning
}

// IsZero reports whether there is no unit.
func (u Unit) IsZero() bool { return len(u.meanings) == 0 }

// Money reports whether it is a currency, or a rate of one.
func (u Unit) Money() bool { return !u.IsZero() && u.meanings[0].money > 0 }

// Share reports whether it is percent or another part of one.
func (u Unit) Share() bool { return !u.IsZero() && u.meanings[0].dims == shareDims }

// Converts reports whether one of its senses has the dimension of one of the other's.
func (u Unit) Converts(other Unit) bool {
	_, _, ok := u.meet(other, func(m, o *meaning) bool { return m.dims == o.dims })
	return ok
}

// Is reports whether it is another name of a unit: km and kilometres, not metres.
func (u Unit) Is(other Unit) bool {
	_, _, ok := u.meet(other, func(m, o *meaning) bool { return m.dims == o.dims && m.factor.Cmp(o.factor) == 0 })
	return ok
}

// meet returns the first sense of each of two units that go with each other.
func (u Unit) meet(other Unit, goes func(m, o *meaning) bool) (m, o *meaning, ok bool) {
	for i := range u.meanings {
		for k := range other.meanings {
			if m, o = &u.meanings[i], &other.meanings[k]; goes(m, o) {
				return m, o, true
			}
		}
	}
	return nil, nil, false
}

// table holds the units by name: as written, and in small letters for those that are not told apart by case.
type table struct {
	exact, folded map[string][]meaning
	factors       map[dims]map[float64]bool // of all units of a dimension
}

// measures holds the units of units.txt, as dictionary holds the words.
var measures struct {
	sync.Once
	units *table
}

func units() *table {
	measures.Do(readUnits)
	return measures.units
}

var (
	// The bases by their places in units.txt.
	lengthDims, timeDims, thermDims = dims{of: [12]int8{0: 1}}, dims{of: [12]int8{2: 1}}, dims{of: [12]int8{4: 1}}
	angleDims, shareDims            = dims{of: [12]int8{8: 1}}, dims{of: [12]int8{9: 1}}
)

func readUnits() {
	t := &table{map[string][]meaning{}, map[string][]meaning{}, map[dims]map[float64]bool{}}
	var prefixes [][]string
	bases, currencies := 0, uint8(0)
	for line := range strings.Lines(unitsFile) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		if f[0] == "^" {
			prefixes = append(prefixes, f[1:])
			continue
		}
		factor, offset, _ := strings.Cut(f[0], "~")
		var m meaning
		m.factor, _ = new(big.Rat).SetString(factor)
		m.offset, _ = new(big.Rat).SetString(offset)
		switch f[1][0] {
		case '*':
			m.of[bases] = 1
			bases++
		case '$':
			currencies++
			m.of[len(m.of)-1], m.money = 1, currencies
		default:
			u, _ := t.parse(f[1], 0)
			if len(u.meanings) == 0 {
				panic("units.txt: " + line)
			}
			m.dims, m.factor = u.meanings[0].dims, new(big.Rat).Mul(m.factor, u.meanings[0].factor)
		}
		taken := ""
		if last := f[len(f)-1]; last[0] == '+' {
			f, taken = f[:len(f)-1], last[1:]
		}
		for _, name := range f[2:] {
			t.add(name, m, true)
			for _, p := range prefixes {
				if strings.Contains(taken, p[1]) {
					places, _ := strconv.Atoi(p[0])
					pm := meaning{m.dims, scaled(m.factor, places), nil}
					if short := len(name) < 4; short {
						t.add(p[1]+name, pm, false)
					} else {
						t.add(p[2]+name, pm, true)
					}
				}
			}
		}
	}
	measures.units = t
}

// add gives a name one more meaning, in small letters too unless that would be one letter; a symbol with a prefix
// yields there to what there is.
func (t *table) add(name string, m meaning, fold bool) {
	t.exact[name] = append(t.exact[name], m)
	if low := strings.ToLower(name); utf8.RuneCountInString(name) > 1 && (fold || t.folded[low] == nil) {
		t.folded[low] = append(t.folded[low], m)
	}
	f, _ := m.factor.Float64()
	if t.factors[m.dims] == nil {
		t.factors[m.dims] = map[float64]bool{}
	}
	t.factors[m.dims][f] = true
}

// named returns the meanings of a name: as written, else in small letters, else without the s or es of the plural.
func (t *table) named(name string) []meaning {
	if m := t.exact[name]; m != nil || name == "" {
		return m
	}
	var buf [2 * longest]byte
	low := lower(buf[:0], name)
	n := len(low)
	m := t.folded[string(low)]
	if m == nil && n > 3 && low[n-1] == 's' {
		if m = t.folded[string(low[:n-1])]; m == nil && low[n-2] == 'e' {
			m = t.folded[string(low[:n-2])]
		}
	}
	return m
}

// name returns the end of a unit's name at i: letters of any script with signs of degrees, or one sign of a
// currency or share.
func name(s string, i int) int {
	j := i
	for j < len(s) && j < i+longest {
		r, n := utf8.DecodeRuneInString(s[j:])
		switch {
		case r == '°', unicode.IsLetter(r), r == '$' && j > i && j < i+3:
			j += n
			continue
		case j == i && (r == '%' || r == '‰' || unicode.Is(unicode.Sc, r)),
			r == '\'' && j == i && isDigit(at(s, j+1)) && at(s, run(s, j+1)) == '"',
			r == '"' && j == i && strings.HasSuffix(strings.TrimRight(s[max(0, i-6):i], "0123456789. "), "'"):
			// 5'11"
			return j + n
		}
		break
	}
	return j
}

// atom reads one unit with its power: "square metres", "m²", "s^-2", "seconds squared", "light years".
func (t *table) atom(s string, i int) (ms []meaning, power int, end int) {
	power = 1
	if w, e := wordAt(s, i); w.has("square") {
		if at(s, e) == '.' {
			e++
		}
		if j := gap(s, e); j > 0 {
			power, i = w["square"], j
		}
	}
	if ms, end = t.nameAt(s, i); ms == nil {
		return nil, 0, i
	}
	power, end = powerBehind(s, i, end, power)
	return ms, power, end
}

// powerBehind reads the power behind the name of a unit, which has one already.
func powerBehind(s string, start, end, power int) (int, int) {
	c := at(s, end)
	if w, e := next(s, end); w.has("squared") {
		return power * w["squared"], e
	} else if c == '2' || c == '3' {
		if power == 1 && end-start < 3 && letters(s, end+1) == end+1 && run(s, end+1) == end+1 {
			return int(c - '0'), end + 1
		}
	} else if m := rest.FindStringSubmatch(s[end:min(len(s), end+8)]); c == '^' && m != nil {
		if p, err := strconv.Atoi(m[3]); err == nil && p >= -4 && p <= 4 && p != 0 {
			return p * power, end + len(m[0])
		}
	}
	return power, end
}

// nameAt returns the meanings of the name of one or two words at i, and its end.
func (t *table) nameAt(s string, i int) ([]meaning, int) {
	end := name(s, i)
	if j := gap(s, end); end > i && j > 0 {
		if e := name(s, j); e > j && e-i < 2*longest-1 {
			var joined [2 * longest]byte
			if ms := t.named(string(append(append(append(joined[:0], s[i:end]...), '_'), s[j:e]...))); ms != nil {
				return ms, e
			}
		}
	}
	return t.named(s[i:end]), end
}

// parse reads a unit at i: atoms that are multiplied, and divided by those behind a bar or "per". The end is i
// where there is none.
func (t *table) parse(s string, i int) (u Unit, end int) {
	m := meaning{factor: one}
	end = i
	for over, k := false, 0; k < 6; k++ {
		j, divides, loose := t.joined(s, end, k > 0)
		if j < 0 {
			break
		}
		over = over || divides
		ms, power, e := t.atom(s, j)
		if ms == nil || loose && divides && (ms[0].dims != timeDims || m.dims == timeDims) ||
			loose && !divides && power > 0 {
			break
		}
		if over {
			power = -power
		}
		m, end = m.times(ms[0], power), e
		if u.meanings = []meaning{m}; k == 0 && power == 1 {
			u.meanings, m = ms, ms[0]
		}
	}
	u.Name = s[i:end]
	return u, end
}

// joined returns where the next atom of a unit would begin, -1 for nowhere, whether it divides, and whether no sign
// joins it: "an hour", "m s⁻²".
func (t *table) joined(s string, end int, behind bool) (j int, divides, loose bool) {
	j = end
	switch c := at(s, end); {
	case c == '/' || c == ' ' && at(s, end+1) == '/':
		return blanks(s, blanks(s, end)+1), true, false
	case c == '*':
		return end + 1, false, false
	case behind:
		j = gap(s, end)
	}
	if w, e := wordAt(s, j); (w.has("per") || w.has("article")) && gap(s, e) > 0 {
		if ms, _ := t.nameAt(s, j); ms == nil { // but "per cent"
			return gap(s, e), true, w.has("article")
		}
	}
	return j, false, behind
}

// end returns the end of the unit at i, i where there is none.
func (t *table) end(s string, i int) int {
	if i < 0 {
		return i
	}
	_, end := t.parse(s, i)
	return end
}

// times returns the unit times a power of another.
func (m meaning) times(o meaning, power int) meaning {
	f := new(big.Rat).Set(m.factor)
	for range max(power, -power) {
		if power > 0 {
			f.Mul(f, o.factor)
		} else {
			f.Quo(f, o.factor)
		}
	}
	for i := range m.of {
		m.of[i] += int8(power) * o.of[i]
	}
	return meaning{dims{m.of, max(m.money, o.money)}, f, nil}
}

// Asked returns the unit that a question asks for, the zero Unit where it names none: "how many kilometres", "in
// degrees Fahrenheit". It is told from other words by its length, and by what follows.
func Asked(question string) Unit {
	s := plain(question).s
	for i := range len(s) {
		w, from := wordAt(s, i)
		if i > 0 && (isLetter(s[i-1]) || !w.has("asking")) || at(s, from) != ' ' {
			continue
		}
		u, end := units().parse(s, from+1)
		if w["asking"] == 1 { // of "how many days per week" days are counted
			_, end = units().nameAt(s, from+1)
			u, _ = units().parse(s[:end], from+1)
		}
		c := at(s, end)
		if long := end-from > 4; !u.IsZero() && (long && (c == ' ' || c == 0) || strings.IndexByte("?,;:.)", c) >= 0) {
			return u
		}
	}
	return Unit{}
}

// AsksRate reports whether a question asks for an amount per unit of time: "daily", "per night".
func AsksRate(question string) bool {
	named := strings.FieldsFunc(plain(question).s, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(named, func(w string) bool { return words()[strings.ToLower(w)].has("rate") })
}

// in returns v of one meaning in another, whose dimension is the same.
func (m meaning) in(o meaning, v *big.Rat) *big.Rat {
	if m.offset == nil && o.offset == nil {
		if m.factor.Cmp(o.factor) == 0 {
			return v
		}
		f := new(big.Rat).Quo(m.factor, o.factor)
		return f.Mul(f, v)
	}
	v = new(big.Rat).Mul(v, m.factor)
	if m.offset != nil {
		v.Add(v, m.offset)
	}
	if o.offset != nil {
		v.Sub(v, o.offset)
	}
	return v.Quo(v, o.factor)
}

// In returns the value in another unit, and false where that does not convert. A value without a unit stays as it is.
func (q Quantity) In(u Unit) (*big.Rat, bool) {
	if q.Unit.IsZero() || u.IsZero() || q.Value == nil {
		return q.Value, q.Unit.IsZero() && q.Value != nil
	}
	return q.Unit.In(u, q.Value)
}

// In returns a value of the unit in another, and false where they do not convert.
func (u Unit) In(other Unit, v *big.Rat) (*big.Rat, bool) {
	m, o, ok := u.meet(other, func(m, o *meaning) bool { return m.dims == o.dims })
	if !ok {
		return nil, false
	}
	return m.in(*o, v), true
}

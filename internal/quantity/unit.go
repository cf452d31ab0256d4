package quantity

import (
	_ "embed" // the units
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed units.txt
var unitsFile string

// dims are the exponents of a unit's dimensions; a currency is a dimension of its own.
type dims struct {
	of    [12]int8
	money uint8 // which currency, 0 for none; in any power
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

// Money reports whether it is a currency.
func (u Unit) Money() bool { return !u.IsZero() && u.meanings[0].money > 0 }

// Share reports whether it is percent or another part of one.
func (u Unit) Share() bool { return !u.IsZero() && u.meanings[0].dims == shareDims }

// Converts reports whether one of its senses has the dimension of one of the other's.
func (u Unit) Converts(other Unit) bool {
	for _, m := range u.meanings {
		for _, o := range other.meanings {
			if m.dims == o.dims {
				return true
			}
		}
	}
	return false
}

// Factor returns how much of the base unit of its dimension one of it is, nil for no unit.
func (u Unit) Factor() *big.Rat {
	if u.IsZero() {
		return nil
	}
	return u.meanings[0].factor
}

type prefix struct {
	short, long string
	places      int
}

// table holds the units by name: as written, and in small letters for those that are not told apart by case.
type table struct {
	exact, folded map[string][]meaning
	dimensions    map[string]int
	currencies    int
}

var (
	units                           = readUnits()
	shareDims, angleDims, thermDims = units.dimensionOf("%"), units.dimensionOf("rad"), units.dimensionOf("K")
)

// timeDims is the third dimension of units.txt.
var timeDims = dims{of: [12]int8{2: 1}}

func (t *table) dimensionOf(name string) dims { return t.exact[name][0].dims }

func readUnits() *table {
	t := &table{map[string][]meaning{}, map[string][]meaning{}, map[string]int{}, 0}
	var prefixes []prefix
	for line := range strings.Lines(unitsFile) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		if f[0] == "^" {
			n, _ := strconv.Atoi(f[1])
			long := ""
			if len(f) > 3 {
				long = f[3]
			}
			prefixes = append(prefixes, prefix{f[2], long, n})
			continue
		}
		factor, offset, _ := strings.Cut(f[0], "~")
		m := meaning{}
		m.factor, _ = new(big.Rat).SetString(factor)
		switch base := f[1]; base[0] {
		case '*':
			m.of[len(t.dimensions)] = 1
			t.dimensions[base] = len(t.dimensions)
		case '$':
			t.currencies++
			m.of[len(m.of)-1], m.money = 1, uint8(t.currencies)
		default:
			u, _, _ := t.parse(strings.ReplaceAll(base, "*", "·"), 0)
			if len(u.meanings) == 0 {
				panic(line)
			}
			m.dims, m.factor = u.meanings[0].dims, new(big.Rat).Mul(m.factor, u.meanings[0].factor)
		}
		if offset != "" {
			m.offset, _ = new(big.Rat).SetString(offset)
		}
		names := f[2:]
		taken := ""
		if last := names[len(names)-1]; last[0] == '+' {
			names, taken = names[:len(names)-1], last[1:]
		}
		for _, name := range names {
			t.add(name, m, true)
			for _, p := range prefixes {
				if !strings.Contains(taken, p.short) {
					continue
				}
				pm := m
				pm.factor = scaled(m.factor, p.places)
				if len(name) < 4 {
					t.add(p.short+name, pm, false)
				} else {
					t.add(p.long+name, pm, true)
				}
			}
		}
	}
	return t
}

// add gives a name one more meaning, in small letters too unless that would be one letter; a symbol with a prefix yields there to what there is.
func (t *table) add(name string, m meaning, fold bool) {
	t.exact[name] = append(t.exact[name], m)
	if low := strings.ToLower(name); utf8.RuneCountInString(name) > 1 && (fold || t.folded[low] == nil) {
		t.folded[low] = append(t.folded[low], m)
	}
}

// named returns the meanings of a name: as written, else in small letters, else without the s or es of the plural.
func (t *table) named(name string) []meaning {
	if len(name) == 0 || len(name) > 2*longest {
		return nil
	}
	if m := t.exact[name]; m != nil {
		return m
	}
	var buf [2 * longest]byte
	low := buf[:0]
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		low = append(low, c)
	}
	if m := t.folded[string(low)]; m != nil {
		return m
	}
	if n := len(low); n > 3 && low[n-1] == 's' {
		if m := t.folded[string(low[:n-1])]; m != nil {
			return m
		}
		if low[n-2] == 'e' {
			return t.folded[string(low[:n-2])]
		}
	}
	return nil
}

// name returns the end of a unit's letters at i: those of any script, and signs such as % and °.
func name(s string, i int) int {
	j := i
	for j < len(s) && j < i+longest {
		c := s[j]
		if c < utf8.RuneSelf {
			if !isLetter(c) && !(c == '$' && j > i) {
				if j == i && (c == '%' || c == '$') {
					return j + 1
				}
				break
			}
			j++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[j:])
		switch {
		case unicode.IsLetter(r) && (r < 0x2e80 || j == i):
			j += n
			continue
		case j == i && (unicode.Is(unicode.Sc, r) || r == '‰' || r == '％' || r == '℃' || r == '℉'):
			return j + n
		case r == '°' || r == 'µ':
			j += n
			continue
		}
		break
	}
	return j
}

// atom reads one unit with its power: "square metres", "m²", "s^-2", "seconds squared", "light years".
func (t *table) atom(s string, i int) (ms []meaning, power int, end int) {
	power = 1
	if w, e := wordAt(s, i); w.square > 0 && e > i {
		if at(s, e) == '.' {
			e++
		}
		if j := gap(s, e); j > 0 {
			power, i = w.square, j
		}
	}
	end = name(s, i)
	if at(s, end) == '-' || at(s, end) == ' ' || end < len(s) && s[end] >= utf8.RuneSelf { // two words
		if j := gap(s, end); j > 0 {
			if e := name(s, j); e > j && e-i < longest {
				joined := make([]byte, 0, longest)
				joined = append(append(append(joined, s[i:end]...), '_'), s[j:e]...)
				if ms = t.named(string(joined)); ms != nil {
					return ms, power, e
				}
			}
		}
	}
	if ms = t.named(s[i:end]); ms == nil {
		return nil, 0, i
	}
	if c := at(s, end); (c == '2' || c == '3') && power == 1 && end-i < 3 && !isDigit(at(s, end+1)) && !isLetter(at(s, end+1)) {
		return ms, int(c - '0'), end + 1
	}
	if exp, e := raised(s, end); exp != "" {
		if p, err := strconv.Atoi(exp); err == nil && p >= -4 && p <= 4 && p != 0 {
			return ms, p * power, e
		}
	}
	if w, e := next(s, end); w.squared > 0 {
		return ms, power * w.squared, e
	}
	return ms, power, end
}

// parse reads a unit at i: atoms that are multiplied, and divided by those behind a bar or "per".
func (t *table) parse(s string, i int) (Unit, int, bool) {
	u := Unit{}
	end, sign := i, 1
	var m meaning
	for k := 0; k < 6; k++ {
		j, divides, spaced := end, false, false
		switch c := at(s, end); {
		case c == '/' && end == i:
			j, divides = end+1, true
			m = meaning{factor: one}
			u.meanings = []meaning{m}
		case end == i:
		case c == '/' || c == ' ' && at(s, end+1) == '/':
			j, divides = blanks(s, blanks(s, end)+1), true
		case strings.HasPrefix(s[end:], "·"), strings.HasPrefix(s[end:], "⋅"):
			j = end + len("·")
			if strings.HasPrefix(s[end:], "⋅") {
				j = end + len("⋅")
			}
		case c == '*':
			j = end + 1
		default:
			w, e := next(s, end)
			if spaced = gap(s, end) > 0; !spaced {
				return u, end, true
			}
			if j = gap(s, end); w.is(isPer) || w.is(isArticle) {
				if j = gap(s, e); j < 0 {
					return u, end, true
				}
				divides = true
				spaced = w.is(isArticle)
			}
		}
		ms, power, e := t.atom(s, j)
		switch {
		case ms == nil, spaced && !divides && power > 0, spaced && divides && (ms[0].dims != timeDims || m.dims == timeDims):
			return u, end, end > i
		case end == i && !divides && power == 1:
			u.meanings, m, end = ms, ms[0], e
			continue
		}
		if divides {
			sign = -1
		}
		if len(u.meanings) == 0 {
			m = meaning{factor: one}
		}
		m = m.times(ms[0], power*sign)
		u.meanings, end = []meaning{m}, e
	}
	return u, end, end > i
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

// ParseUnit reads a text that is one unit: "km/h", "square metres", "USD". An unknown one is no Unit.
func ParseUnit(text string) (Unit, bool) {
	text = strings.TrimSpace(text)
	u, end, ok := units.parse(text, 0)
	if !ok || end < len(text) || end == 0 {
		return Unit{}, false
	}
	u.Name = text
	return u, true
}

// in returns v of one meaning in another, whose dimension is the same.
func (m meaning) in(o meaning, v *big.Rat) *big.Rat {
	if m.offset == nil && o.offset == nil {
		if m.factor == o.factor || m.factor.Cmp(o.factor) == 0 {
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
	for _, m := range q.Unit.meanings {
		for _, o := range u.meanings {
			if m.dims == o.dims {
				return m.in(o, q.Value), true
			}
		}
	}
	return nil, false
}

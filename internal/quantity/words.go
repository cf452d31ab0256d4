package quantity

import (
	_ "embed" // the words and units
	"math/big"
	"strconv"
	"strings"
)

//go:embed words.txt
var wordsFile string

// The senses of words.txt, in this order.
const (
	number = iota
	scale  // a power of ten
	times  // a factor
	short  // an abbreviated scale, which only counts beside digits
	ordinal
	fraction // what it divides by
	suffix   // of ordinals
	and
	article
	of
	point
	negative
	about
	more
	less
	between
	to
	pass // what may stand between a modifier and its number
	pointing
	per
	step
	none
	square  // a power, before the unit
	squared // and behind it
	century
	bc
	ad
	month
	senses
)

const names = "number scale times short ordinal part suffix and article of point minus about more less between to pass pointing per step none square squared century bc ad month"

// A word is the values of its spelling's senses, each plus one; 1 for a sense without a value, and 0 for one that it does not have.
type word [senses]int32

func (w *word) has(sense int) bool { return w[sense] > 0 }

// get returns the value in a sense, -1 where the word does not have it.
func (w *word) get(sense int) int { return int(w[sense]) - 1 }

var unknown word

var words = func() map[string]*word {
	m, senseOf := map[string]*word{}, map[string]int{}
	for i, name := range strings.Fields(names) {
		senseOf[name] = i
	}
	for line := range strings.Lines(wordsFile) {
		name, rest, _ := strings.Cut(line, " ")
		if name == "#" {
			continue
		}
		for entry := range strings.SplitSeq(rest, ";") {
			value := 0
			for _, f := range strings.Fields(entry) {
				if v, err := strconv.Atoi(f); err == nil {
					value = v
					continue
				}
				if m[f] == nil {
					m[f] = new(word)
				}
				m[f][senseOf[name]] = int32(value) + 1
			}
		}
	}
	return m
}()

const longest = 24 // bytes of a name of a number, a unit or a month

// lower writes s in small letters, of ASCII, into buf; what is longer is cut.
func lower(buf []byte, s string) []byte {
	for i := 0; i < len(s) && i < cap(buf); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buf = append(buf, c)
	}
	return buf
}

// wordAt returns what is known of the word at i, and its end.
func wordAt(s string, i int) (*word, int) {
	if i < 0 {
		return &unknown, i
	}
	end := letters(s, i)
	if end > i && end-i <= longest {
		var buf [longest]byte
		if w := words[string(lower(buf[:0], s[i:end]))]; w != nil {
			return w, end
		}
	}
	return &unknown, end
}

// next returns the word behind the gap at i.
func next(s string, i int) (*word, int) { return wordAt(s, gap(s, i)) }

// before returns the word that ends before i, with nothing but blanks and signs between, and where it begins.
func before(s string, i int) (*word, int) {
	end := i
	for end > max(0, i-3) && strings.IndexByte(" ~.#\x1f", s[end-1]) >= 0 {
		end--
	}
	j := end
	for j > max(0, end-longest) && (isLetter(s[j-1]) || s[j-1] >= 0x80) {
		j--
	}
	w, _ := wordAt(s[:end], j)
	return w, j
}

// A spelled number is one in words.
type spelled struct {
	value   *big.Rat
	end     int
	ordinal bool
	exact   bool // a fraction
}

func whole(v int64, end int) (spelled, bool) {
	return spelled{new(big.Rat).SetInt64(v), end, false, false}, true
}

func partOf(n, d int, end int) (spelled, bool) {
	return spelled{big.NewRat(int64(n), int64(d)), end, false, true}, true
}

// spelledAt reads the number in words at i: "forty-two", "three hundred and five", "five eighths", "a dozen", "half a million", "twenty-first",
// "three point one four", the year "nineteen fourteen".
func spelledAt(s string, i int) (spelled, bool) {
	w, end := wordAt(s, i)
	if w == &unknown {
		return spelled{}, false
	}
	x, e := next(s, end)
	total, cur, last := int64(0), int64(w.get(number)), 99 // of whole thousands; below that; the power of ten that closed the total
	switch {
	case w.has(article) && x.has(fraction):
		return partOf(1, x.get(fraction), e)
	case w.has(article) && (x.has(scale) || x.has(times) || andHalf(s, units.end(s, gap(s, end))) > 0): // an hour and a half
		cur = 1
	case w.has(fraction) && !w.has(ordinal):
		return partOf(1, w.get(fraction), end)
	case w.has(ordinal) && w.get(ordinal) < 100:
		return spelled{new(big.Rat).SetInt64(int64(w.get(ordinal))), end, true, false}, true
	case w.get(scale) == 2 && x.has(and): // hundred and three
		if y, _ := next(s, e); !y.has(number) {
			return spelled{}, false
		}
		cur = 100
	case !w.has(number):
		return spelled{}, false
	}
	open := cur >= 20 || w.get(scale) == 2 // the ones, or more, are still to come
	for ; ; x, e = next(s, end) {
		if x.has(and) && (cur > 0 && cur%100 == 0 || cur == 0 && total > 0) {
			if y, k := next(s, e); y.get(number) > 0 || y.has(ordinal) && !y.has(fraction) {
				x, e = y, k
			}
		}
		v := int64(max(x.get(number), 0) + max(x.get(ordinal), 0))
		fits := open && v > 0 && v < 100 && (cur%100 == 0 || v < 10 && cur%100 >= 20 && cur%10 == 0)
		switch {
		case x.has(fraction) && total == 0 && cur > 0 && (cur == 1 || !x.has(ordinal)):
			return partOf(int(cur), x.get(fraction), e)
		case x.has(ordinal) && fits:
			return spelled{new(big.Rat).SetInt64(total + cur + v), e, true, false}, true
		case x.has(number) && fits:
			cur += v
			open = cur%100 >= 20 && cur%10 == 0
		case x.has(number) && v >= 10 && cur >= 10 && cur < 100 && total == 0: // a year
			cur, open = cur*100+v, v >= 20
		case x.get(scale) == 2 && cur > 0 && cur < 100:
			cur, open = cur*100, true
		case x.has(times) && cur > 0 && total == 0 && cur < 1000:
			return whole(cur*int64(x.get(times)), e)
		case x.get(scale) > 12 && cur > 0:
			return spelled{scaled(new(big.Rat).SetInt64(cur), x.get(scale)), e, false, false}, true
		case x.get(scale) > 2 && cur > 0 && x.get(scale) < last:
			last = x.get(scale)
			total, cur, open = total+cur*tens[last].Num().Int64(), 0, true
		case x.has(point):
			num, places := total+cur, 0
			for y, k := next(s, e); y.has(number) && y.get(number) < 10 && places < 9 && num < 1<<58; y, k = next(s, k) {
				num, places, end = num*10+int64(y.get(number)), places+1, k
			}
			return spelled{scaled(new(big.Rat).SetInt64(num), -places), end, false, false}, true
		default:
			return whole(total+cur, end)
		}
		end = e
	}
}

// andHalf returns the end of "and a half" behind i, 0 where something else stands there.
func andHalf(s string, i int) int {
	if w, e := next(s, i); w.has(and) {
		if w, e = next(s, e); w.has(article) {
			if w, e = next(s, e); w.get(fraction) == 2 {
				return e
			}
		}
	}
	return 0
}

// enlarge reads what a number is enlarged by: a scale ("1.5 million", "half a million", "2 dozen"), and a part more ("two and a half"). It returns
// how many places the scale has, and the end.
func enlarge(s string, v *big.Rat, end int) (*big.Rat, int, int) {
	places := 0
	for range 3 {
		w, e := next(s, end)
		if isLetter(at(s, end)) && isDigit(at(s, end-1)) {
			w, e = wordAt(s, end)
		}
		if part := v.Cmp(one) < 0; part && w.has(of) { // "a quarter of a million"
			w, e = next(s, e)
		}
		if part := v.Cmp(one) < 0; part && w.has(article) {
			w, e = next(s, e)
		}
		if w.has(and) && places == 0 && v.IsInt() {
			if p, ok := spelledAt(s, gap(s, e)); ok && p.exact && p.value.Cmp(one) < 0 {
				v, end = new(big.Rat).Add(v, p.value), p.end
				continue
			}
		}
		switch {
		case w.has(times):
			return new(big.Rat).Mul(v, new(big.Rat).SetInt64(int64(w.get(times)))), places, e
		case w.has(scale):
			v, end, places = scaled(v, w.get(scale)), e, places+w.get(scale)
		default:
			return v, places, end
		}
	}
	return v, places, end
}

// IsMonth reports whether a word in small letters names a month.
func IsMonth(w string) bool {
	known := words[w]
	return known != nil && known.has(month)
}

// IsUnit reports whether a word in small letters names a unit.
func IsUnit(w string) bool { return units.folded[w] != nil || units.exact[w] != nil }

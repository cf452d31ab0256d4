package quantity

import (
	_ "embed" // the words and units
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordsFile string

// A sense is what a word does beside a number.
type sense uint32

const (
	isArticle sense = 1 << iota
	isAnd
	isOf
	isPoint
	isMinus
	isAbout
	isMore
	isLess
	isBetween
	isTo
	isPass // what may stand between a modifier and its number
	isPointing
	isPer
	isStep
	isNone
	isSuffix // of ordinals
	isDecade
	isCentury
	isBC
	isAD
	isNumber
	isShort // an abbreviated scale, only beside digits
)

var senses = map[string]sense{"article": isArticle, "and": isAnd, "of": isOf, "point": isPoint, "minus": isMinus, "about": isAbout, "more": isMore, "less": isLess, "between": isBetween,
	"to": isTo, "pass": isPass, "pointing": isPointing, "per": isPer, "step": isStep, "none": isNone, "suffix": isSuffix, "decade": isDecade, "century": isCentury, "bc": isBC, "ad": isAD,
	"number": isNumber, "short": isShort}

// A word has all the senses of its spelling; a value is 0 where it does not have that sense.
type word struct {
	sense                  sense
	number, ordinal, part  int64
	scale, times           int64 // a power of ten; a factor
	month, square, squared int
}

var unknown word

var words = func() map[string]*word {
	m := map[string]*word{}
	for line := range strings.Lines(wordsFile) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "#" {
			continue
		}
		for entry := range strings.SplitSeq(rest, ";") {
			value := int64(0)
			for i, f := range strings.Fields(entry) {
				if v, err := strconv.ParseInt(f, 10, 64); err == nil && i == 0 {
					value = v
					continue
				}
				if m[f] == nil {
					m[f] = &word{}
				}
				m[f].add(name, value)
			}
		}
	}
	return m
}()

func (w *word) add(name string, value int64) {
	w.sense |= senses[name]
	switch name {
	case "number":
		w.number = value
	case "ordinal":
		w.ordinal = value
	case "part":
		w.part = value
	case "scale", "short":
		w.scale = value
	case "times":
		w.times = value
	case "month":
		w.month = int(value)
	case "square":
		w.square = int(value)
	case "squared":
		w.squared = int(value)
	}
}

func (w *word) is(s sense) bool { return w.sense&s != 0 }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// letters returns the end of the letters at i, of any script.
func letters(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c|0x20 >= 'a' && c|0x20 <= 'z' {
			i++
			continue
		} else if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) {
			break
		}
		i += n
	}
	return i
}

const longest = 24 // bytes of a name of a number, a unit or a month

// wordAt returns what is known of the word at i, and its end.
func wordAt(s string, i int) (*word, int) {
	end := letters(s, i)
	if end == i || end-i > longest {
		return &unknown, end
	}
	var buf [longest]byte
	for k := i; k < end; k++ {
		c := s[k]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buf[k-i] = c
	}
	if w := words[string(buf[:end-i])]; w != nil {
		return w, end
	}
	return &unknown, end
}

// gap skips what joins the words of one number: blanks or one hyphen. It is -1 where something else stands there.
func gap(s string, i int) int {
	j := i
	for j < len(s) && j < i+4 {
		switch k, size := mark(s, j); {
		case k == ' ' || k == 'b':
			j += size
			continue
		case j == i && s[j] == '-':
			return j + 1
		case j == i && (strings.HasPrefix(s[j:], "‑") || strings.HasPrefix(s[j:], "‐")):
			return j + 3
		}
		break
	}
	if j == i {
		return -1
	}
	return j
}

// next returns the word behind the gap at i.
func next(s string, i int) (*word, int) {
	if j := gap(s, i); j >= 0 {
		return wordAt(s, j)
	}
	return &unknown, i
}

// A spelled number is one in words.
type spelled struct {
	value   *big.Rat
	end     int
	ordinal bool
	part    bool // a fraction, which is exact
}

// spelledAt reads the number in words at i: "forty-two", "three hundred and five", "five eighths", "a dozen", "half a million", "twenty-first",
// "three point one four", the year "nineteen fourteen".
func spelledAt(s string, i int) (spelled, bool) {
	w, end := wordAt(s, i)
	total, cur, last := int64(0), int64(0), int64(1<<20) // of whole thousands; below that; the power of ten that closed the total
	seen, open := false, true                            // open: what is below the last hundred or scale is still to come
	switch {
	case w.is(isArticle):
		x, e := next(s, end)
		if x.part > 0 {
			return spelled{big.NewRat(1, x.part), e, false, true}, true
		}
		if x.scale < 2 && x.times == 0 || x.is(isShort) {
			return spelled{}, false
		}
		cur, seen = 1, true
	case w.part > 0 && w.ordinal == 0:
		return spelled{big.NewRat(1, w.part), end, false, true}, true
	case w.ordinal > 0 && w.ordinal < 100:
		return spelled{new(big.Rat).SetInt64(w.ordinal), end, true, false}, true
	case w.scale == 2: // hundred and three
		if x, e := next(s, end); !x.is(isAnd) {
			return spelled{}, false
		} else if x, _ = next(s, e); !x.is(isNumber) {
			return spelled{}, false
		}
		cur = 100
	case !w.is(isNumber):
		return spelled{}, false
	default:
		cur, seen = w.number, true
		open = cur >= 20
	}
	for {
		x, e := next(s, end)
		if x.is(isAnd) && (cur > 0 && cur%100 == 0 || cur == 0 && total > 0) {
			if y, e2 := next(s, e); y.is(isNumber) && y.number > 0 || y.ordinal > 0 && y.part == 0 {
				x, e = y, e2
			}
		}
		below := open && (x.number < 10 && (cur%100 == 0 || cur%100 >= 20 && cur%10 == 0) || x.number < 100 && cur%100 == 0)
		switch {
		case x.is(isNumber) && below && x.number > 0:
			cur += x.number
			open = cur%100 >= 20 && cur%10 == 0
		case x.is(isNumber) && x.number >= 10 && cur >= 10 && cur < 100 && total == 0: // a year
			cur = cur*100 + x.number
			open = x.number >= 20
		case x.part > 0 && total == 0 && cur > 0 && (cur == 1 || x.ordinal == 0):
			return spelled{big.NewRat(cur, x.part), e, false, true}, true
		case x.ordinal > 0 && x.ordinal < 100 && open && (x.ordinal < 10 && (cur%100 == 0 || cur%100 >= 20 && cur%10 == 0) || cur%100 == 0):
			return spelled{new(big.Rat).SetInt64(total + cur + x.ordinal), e, true, false}, true
		case x.scale == 2 && cur > 0 && cur < 100:
			cur *= 100
			open = true
		case x.times > 0 && cur > 0 && total == 0 && cur < 1000:
			return spelled{new(big.Rat).SetInt64(cur * x.times), e, false, false}, true
		case x.scale > 12 && cur > 0 && !x.is(isShort):
			return spelled{scaled(new(big.Rat).SetInt64(cur), int(x.scale)), e, false, false}, true
		case x.scale > 2 && cur > 0 && x.scale < last && !x.is(isShort):
			last = x.scale
			total += cur * tens[x.scale].Num().Int64()
			cur, open = 0, true
		case x.is(isPoint) && seen:
			if v, e2, ok := pointed(s, e, total+cur); ok {
				return spelled{v, e2, false, false}, true
			}
			return spelled{new(big.Rat).SetInt64(total + cur), end, false, false}, true
		default:
			return spelled{new(big.Rat).SetInt64(total + cur), end, false, false}, true
		}
		end = e
	}
}

// pointed reads the digits in words behind "point".
func pointed(s string, i int, whole int64) (*big.Rat, int, bool) {
	num, places := whole, 0
	for places < 9 && num < 1<<58 {
		w, e := next(s, i)
		if !w.is(isNumber) || w.number > 9 {
			break
		}
		num, places, i = num*10+w.number, places+1, e
	}
	return scaled(new(big.Rat).SetInt64(num), -places), i, places > 0
}

// more reads what a number is enlarged by: a scale ("1.5 million", "half a million", "2 dozen"), and half of its unit more ("two and a half").
// It returns how many places the scale has, and the end.
func enlarge(s string, v *big.Rat, end int, glued bool) (*big.Rat, int, int) {
	places := 0
	for k := 0; k < 3; k++ {
		w, e := next(s, end)
		if glued && isLetter(at(s, end)) {
			w, e = wordAt(s, end)
		}
		if w.is(isOf) && v.Cmp(one) < 0 { // "a quarter of a million"
			w, e = next(s, e)
		}
		if w.is(isArticle) && v.Cmp(one) < 0 { // "half a million"
			w, e = next(s, e)
		}
		switch {
		case w.is(isAnd) && places == 0 && v.IsInt():
			x, e2 := next(s, e)
			num := int64(1)
			if x.is(isArticle) || x.is(isNumber) && x.number > 0 && x.number < 10 {
				if !x.is(isArticle) {
					num = x.number
				}
				x, e2 = next(s, e2)
			} else if x.part != 2 {
				return v, places, end
			}
			if x.part == 0 || num >= x.part {
				return v, places, end
			}
			v, end = new(big.Rat).Add(v, big.NewRat(num, x.part)), e2
		case w.times > 0:
			return new(big.Rat).Mul(v, new(big.Rat).SetInt64(w.times)), places, e
		case w.scale >= 2 && !w.is(isShort):
			v, end, places = scaled(v, int(w.scale)), e, places+int(w.scale)
		default:
			return v, places, end
		}
	}
	return v, places, end
}

// IsMonth reports whether a word in small letters names a month.
func IsMonth(w string) bool {
	known := words[w]
	return known != nil && known.month > 0
}

// IsUnit reports whether a word in small letters names a unit.
func IsUnit(w string) bool { return units.folded[w] != nil || units.exact[w] != nil }

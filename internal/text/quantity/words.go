package quantity

import (
	_ "embed" // the words and units
	"math/big"
	"strconv"
	"strings"
	"sync"
)

//go:embed words.txt
var wordsFile string

// A word is the values of the senses that words.txt gives its spelling, 0 for a sense without a value.
type word map[string]int

func (w word) has(sense string) bool { _, ok := w[sense]; return ok }

// get returns the value in a sense, -1 where the word does not have it.
func (w word) get(sense string) int {
	if v, ok := w[sense]; ok {
		return v
	}
	return -1
}

// dictionary holds the words of words.txt from when the first is looked up: a command that reads no number starts
// without. It is asked for every word of a text, so it is a Once and a map: of these a look costs nothing.
var dictionary struct {
	sync.Once
	words map[string]word
}

func words() map[string]word {
	dictionary.Do(readWords)
	return dictionary.words
}

func readWords() {
	m := map[string]word{}
	for line := range strings.Lines(wordsFile) {
		sense, rest, _ := strings.Cut(line, " ")
		for entry := range strings.SplitSeq(rest, ";") {
			value := 0
			for _, f := range strings.Fields(entry) {
				if v, err := strconv.Atoi(f); err == nil {
					value = v
				} else if m[f] == nil {
					m[f] = word{sense: value}
				} else {
					m[f][sense] = value
				}
			}
		}
	}
	dictionary.words = m
}

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

// wordAt returns what is known of the word at i, nil if nothing, and its end.
func wordAt(s string, i int) (word, int) {
	if i < 0 {
		return nil, i
	}
	end := letters(s, i)
	var buf [longest]byte
	if end == i || end-i > longest {
		return nil, end
	}
	return words()[string(lower(buf[:0], s[i:end]))], end
}

// next returns the word behind the gap at i.
func next(s string, i int) (word, int) { return wordAt(s, gap(s, i)) }

// before returns the word that ends before i, with nothing but blanks and signs between, and where it begins.
func before(s string, i int) (word, int) {
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

// spelledAt reads the number in words at i: "forty-two", "three hundred and five", "five eighths", "a dozen", "half
// a million", "twenty-first", "three point one four", the year "nineteen fourteen".
func spelledAt(s string, i int) (spelled, bool) {
	w, end := wordAt(s, i)
	if w == nil {
		return spelled{}, false
	}
	x, e := next(s, end)
	switch {
	case w.has("article"):
		return articled(s, end)
	case w.has("part") && !w.has("ordinal"):
		return spelled{big.NewRat(1, int64(w["part"])), end, false, true}, true
	case w["scale"] == 2 && x.has("and"): // hundred and three
		v, k, _ := ones(s, gap(s, e))
		return spelled{new(big.Rat).SetInt64(100 + v), k, false, false}, v > 0
	}
	v, end, ordinal := hundreds(s, i)
	n := spelled{new(big.Rat).SetInt64(v), end, ordinal, false}
	if ordinal || end == i {
		return n, ordinal
	}
	switch x, e := next(s, end); {
	case x.has("part") && v > 0 && (v == 1 || s[e-1] == 's' && !x.has("ordinal")):
		// two thirds, but not "twelve half steps"
		return spelled{big.NewRat(v, int64(x["part"])), e, false, true}, true
	case x.has("point"):
		n.decimals(s, e)
		return n, true
	}
	return scales(s, v, end)
}

// articled reads the number of which an article ends at i: "a half", "a dozen", "an hour and a half".
func articled(s string, i int) (spelled, bool) {
	switch x, e := next(s, i); {
	case x.has("part"):
		return spelled{big.NewRat(1, int64(x["part"])), e, false, true}, true
	case x.has("scale") || x.has("times"):
		return scales(s, 1, i)
	}
	return spelled{value: one, end: i}, andHalf(s, units().end(s, gap(s, i))) > 0
}

// decimals reads the digits behind "point".
func (n *spelled) decimals(s string, i int) {
	for places := 1; places < 10; places++ {
		w, e := next(s, i)
		if !w.has("number") || w["number"] > 9 {
			return
		}
		n.value, n.end, i = new(big.Rat).Add(n.value, scaled(new(big.Rat).SetInt64(int64(w["number"])), -places)), e, e
	}
}

// scales reads the scales behind the value that ends at i, falling, each with what follows below it: "two million
// three hundred thousand and five".
func scales(s string, v int64, i int) (n spelled, ok bool) {
	total, end := new(big.Rat), i
	for last := 99; ; {
		w, e := next(s, end)
		if w.has("times") && v > 0 {
			total.Add(total, new(big.Rat).SetInt64(v*int64(w["times"])))
			return spelled{total, e, false, false}, true
		}
		if v == 0 || !w.has("scale") || w["scale"] >= last {
			break
		}
		total, last, v, end = total.Add(total, scaled(new(big.Rat).SetInt64(v), w["scale"])), w["scale"], 0, e
		if w, e = next(s, end); w.has("and") {
			e = gap(s, e)
		} else {
			e = gap(s, end)
		}
		more, k, ordinal := hundreds(s, e)
		if k > e && (more < 100 || last > 2) {
			if v, end = more, k; ordinal {
				return spelled{total.Add(total, new(big.Rat).SetInt64(v)), end, true, false}, true
			}
		}
	}
	return spelled{total.Add(total, new(big.Rat).SetInt64(v)), end, false, false}, true
}

// hundreds reads a number below ten thousand at i: "three hundred and five", "nineteen fourteen". The end is i
// where there is none.
func hundreds(s string, i int) (v int64, end int, ordinal bool) {
	v, end, ordinal = ones(s, i)
	if ordinal || end == i || v == 0 {
		return v, end, ordinal
	}
	w, e := next(s, end)
	hundred := w["scale"] == 2
	if hundred {
		v, end = v*100, e
		if w, e = next(s, end); !w.has("and") {
			e = end
		}
	} else {
		e = end
	}
	j := gap(s, e)
	if more, k, nth := ones(s, j); k > j && more > 0 && (hundred || more >= 10 && v >= 10 && !nth) {
		if !hundred {
			v *= 100 // a year
		}
		return v + more, k, nth
	}
	return v, end, false
}

// ones reads a number below a hundred at i.
func ones(s string, i int) (v int64, end int, ordinal bool) {
	w, e := wordAt(s, i)
	switch {
	case w.has("ordinal") && w["ordinal"] < 100:
		return int64(w["ordinal"]), e, true
	case !w.has("number"):
		return 0, i, false
	}
	v, end = int64(w["number"]), e
	if x, e := next(s, end); v >= 20 {
		if n := max(x.get("number"), x.get("ordinal")); n > 0 && n < 10 {
			return v + int64(n), e, x.has("ordinal")
		}
	}
	return v, end, false
}

// andHalf returns the end of "and a half" behind i, 0 where something else stands there.
func andHalf(s string, i int) int {
	if w, e := next(s, i); w.has("and") {
		if w, e = next(s, e); w.has("article") {
			if w, e = next(s, e); w.get("part") == 2 {
				return e
			}
		}
	}
	return 0
}

// enlarge reads what a number is enlarged by: a scale ("1.5 million", "half a million", "2 dozen"), and a part more
// ("two and a half"). It returns how many places the scale has, and the end.
func enlarge(s string, v *big.Rat, end int) (*big.Rat, int, int) {
	places := 0
	part := !v.IsInt() && v.Cmp(one) < 0
	for range 3 {
		w, e := next(s, end)
		if isLetter(at(s, end)) && isDigit(at(s, end-1)) {
			w, e = wordAt(s, end)
		}
		for _, filler := range [...]string{"of", "article"} { // "a quarter of a million"
			if part && w.has(filler) {
				w, e = next(s, e)
			}
		}
		if w.has("and") && places == 0 && v.IsInt() {
			if p, _ := spelledAt(s, gap(s, e)); p.exact && p.value.Cmp(one) < 0 {
				v, end = new(big.Rat).Add(v, p.value), p.end
				continue
			}
		}
		switch {
		case w.has("times"):
			return new(big.Rat).Mul(v, new(big.Rat).SetInt64(int64(w.get("times")))), places, e
		case w.has("scale"):
			v, end, places = scaled(v, w.get("scale")), e, places+w.get("scale")
		default:
			return v, places, end
		}
	}
	return v, places, end
}

// IsMonth reports whether a word in small letters names a month.
func IsMonth(w string) bool {
	return words()[w].has("month")
}

// IsUnit reports whether a word in small letters names a unit.
func IsUnit(w string) bool { return units().folded[w] != nil || units().exact[w] != nil }

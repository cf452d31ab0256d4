package retrieve

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is where a longer word is cut in two, in characters.
const maxWord = 255

// stops are the words that are not indexed: those that Lucene's English analysis leaves out.
var stops = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("a an and are as at be but by for if in into is it no not of on or such that " +
		"the their then there these they this to was will with") {
		m[w] = true
	}
	return m
}()

// Words returns the words of a text as they are indexed, in order: in lower case, without a possessive 's, without
// stop words, each reduced to its stem. A word is a run of letters, digits and their marks, with an apostrophe, a
// full stop or a colon between letters, a full stop or a comma between digits, an underscore between either: what
// Unicode's word boundaries (UAX #29) give for alphabetic scripts. A Chinese character or Hiragana sign is a word.
// It follows Pyserini's default (Lucene's standard tokenizer, English possessive, lower case, English stop words,
// Porter's stems).
func Words(text string) []string {
	var out []string
	var buf [4 * maxWord]byte
	b := []byte(text)
	for i := 0; ; {
		word, end := next(b, i, buf[:0])
		if word == nil {
			return out
		}
		i = end
		if !stops[string(word)] {
			out = append(out, string(stem(word)))
		}
	}
}

// kinds of characters within a text
const (
	other    = iota
	letter   // also what has no case
	digit    //
	sign     // a word of its own: Chinese, Hiragana
	mark     // goes with the character before it
	joins    // between letters, or between digits: full stop, apostrophes
	joinsABC // between letters only
	joins123 // between digits only
	joinsAll // between either: underscore
)

var ascii = func() (kinds [utf8.RuneSelf]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		kinds[c], kinds[unicode.ToUpper(c)] = letter, letter
	}
	for c := '0'; c <= '9'; c++ {
		kinds[c] = digit
	}
	kinds['.'], kinds['\''], kinds[':'], kinds[','], kinds[';'], kinds['_'] = joins, joins, joinsABC, joins123,
		joins123, joinsAll
	return kinds
}()

// kindOf returns the kind of the character at the beginning of b, its lower case and its length.
func kindOf(b []byte) (kind uint8, lower rune, size int) {
	if c := b[0]; c < utf8.RuneSelf {
		lower = rune(c)
		if 'A' <= c && c <= 'Z' {
			lower += 'a' - 'A'
		}
		return ascii[c], lower, 1
	}
	r, size := utf8.DecodeRune(b)
	switch {
	case unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r):
		return sign, r, size
	case unicode.IsLetter(r):
		return letter, unicode.ToLower(r), size
	case unicode.Is(unicode.Nd, r):
		return digit, r, size
	case unicode.IsMark(r) || unicode.Is(unicode.Cf, r):
		return mark, r, size
	}
	switch r {
	case '\u2018', '\u2019', '\u2024', '\uFF07', '\uFF0E':
		return joins, r, size
	case '\u00B7', '\u2027', '\uFF1A':
		return joinsABC, r, size
	case '\uFF0C', '\uFF1B':
		return joins123, r, size
	}
	return other, r, size
}

// next appends the next word of text from i on to buf, in lower case and without a possessive, and returns it with
// the place where it ends; nil at the end of the text.
func next(text []byte, i int, buf []byte) (word []byte, end int) {
	for {
		for i < len(text) {
			kind, _, size := kindOf(text[i:])
			if kind == letter || kind == digit || kind == sign {
				break
			}
			i += size
		}
		if i >= len(text) {
			return nil, i
		}
		word = buf[:0]
		last := uint8(other)
		for n := 0; n < maxWord && i < len(text); n++ {
			kind, lower, size := kindOf(text[i:])
			switch kind {
			case letter, digit:
				if last == sign {
					return word, i
				}
				last = kind
			case sign:
				if len(word) > 0 {
					return unpossessive(word), i
				}
				last = kind
			case mark:
			case other:
				size = 0
			default:
				if !connects(kind, last, text[i+size:]) {
					size = 0
				}
			}
			if size == 0 {
				break
			}
			if lower < utf8.RuneSelf {
				word = append(word, byte(lower))
			} else {
				word = utf8.AppendRune(word, lower)
			}
			i += size
		}
		if word = unpossessive(word); len(word) > 0 {
			return word, i
		}
	}
}

// connects reports whether a character of a joining kind stands between two characters that it joins.
func connects(kind, last uint8, rest []byte) bool {
	if len(rest) == 0 {
		return false
	}
	then, _, _ := kindOf(rest)
	switch kind {
	case joins:
		return then == last && (last == letter || last == digit)
	case joinsABC:
		return then == letter && last == letter
	case joins123:
		return then == digit && last == digit
	}
	return (then == letter || then == digit) && (last == letter || last == digit)
}

// unpossessive drops 's from the end of a word.
func unpossessive(w []byte) []byte {
	n := len(w)
	if n < 2 || w[n-1] != 's' {
		return w
	}
	for _, mark := range []string{"'", "\u2019", "\uFF07"} {
		if m := n - 1 - len(mark); m >= 0 && string(w[m:n-1]) == mark {
			return w[:m]
		}
	}
	return w
}

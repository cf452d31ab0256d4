package answer

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is a word of an answer: letters and digits, folded to small letters without accents.
type token struct {
	word string
	lexeme
	shape
}

type shape uint8

const (
	capital    shape = 1 << iota // begins with a capital
	shouted                      // has capitals alone, two or more
	initials                     // the letters of "J. R. R.", or a letter alone
	possessive                   // had 's or '
	broken                       // comes behind a comma, a colon, a dash or a line break
	aside                        // stands in brackets
)

// maxTokens bounds the words of a value and of a form of a gold, so that a set of them fits a set.
const maxTokens = 64

// A set is a set of indices into tokens.
type set uint64

func (s set) has(i int) bool { return s>>uint(i)&1 != 0 }

// A form is a text cut into tokens.
type form struct {
	tokens []token
	cased  bool // has a capital
	full   bool // had more tokens than fit
}

func has(t token, s sense) bool { return t.senses&s != 0 }

// plain holds the folded form of each rune below tableEnd: small, without accent; "" for one that is no letter, mark or digit.
var plain = sync.OnceValue(func() *[tableEnd]string {
	special := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i"}
	var t [tableEnd]string
	for r := rune(0); r < tableEnd; r++ {
		small := unicode.ToLower(r)
		switch {
		case special[small] != "":
			t[r] = special[small]
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			t[r] = strings.Map(func(r rune) rune {
				if unicode.IsMark(r) {
					return -1
				}
				return r
			}, norm.NFKD.String(string(small)))
		}
	}
	return &t
})

// foldRune returns the folded form of a rune, "" for one that belongs to no word.
func foldRune(r rune) string {
	switch {
	case r < tableEnd:
		return plain()[r]
	case unicode.IsMark(r) || !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return ""
	}
	return strings.ToLower(norm.NFKD.String(string(unicode.ToLower(r))))
}

// A reader cuts a text into tokens.
type reader struct {
	f          *form
	buf        []byte // the folded words, one behind the other
	start      int    // of the word being read, in buf
	ends       [maxTokens]int
	upper      int // capitals of the word
	letters    int // letters and digits of the word
	flags      shape
	next       shape // flags of the next word
	depth      int   // of brackets
	dotted     bool  // the last word is initials and a point stands behind it
	apostrophe bool
}

// read cuts s into tokens, which it appends to f.tokens; buf is space for the folded words.
func (f *form) read(s string, buf []byte, x *lexicon) {
	rd := reader{f: f, buf: buf[:0]}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		folded := foldRune(r)
		switch {
		case folded != "":
			rd.letter(r, folded)
		case unicode.IsMark(r), r == '\u00ad', r == '\u200b', r == '\u2060':
		case (r == '+' || r == '#') && rd.letters > 0 && rd.letters < 3:
			rd.buf = append(rd.buf, byte(r))
		case (r == '.' || r == ',') && rd.letters > 0 && isDigitByte(s[i-1]) && i+1 < len(s) && isDigitByte(s[i+1]):
			if r == '.' {
				rd.buf = append(rd.buf, '.')
			}
		case (r == '\'' || r == '’' || r == 'ʼ') && rd.letters > 0:
			rd.possessive(s[i+n:], &n)
		default:
			rd.mark(r, s, i)
		}
		i += n
	}
	rd.end(0)
	all := string(rd.buf)
	from := 0
	for i := range f.tokens {
		t := &f.tokens[i]
		t.word = all[from:rd.ends[i]]
		from = rd.ends[i]
		t.lexeme = x.words[t.word]
		if t.word[0] <= '9' {
			t.senses |= numbered
		}
		f.cased = f.cased || t.shape&capital != 0
	}
}

func isDigitByte(c byte) bool { return c >= '0' && c <= '9' }

func (rd *reader) letter(r rune, folded string) {
	if rd.letters == 0 {
		rd.flags = rd.next
		rd.next = 0
		if unicode.IsUpper(r) {
			rd.flags |= capital
		}
	}
	if unicode.IsUpper(r) {
		rd.upper++
	}
	rd.letters++
	rd.buf = append(rd.buf, folded...)
}

// possessive reads an apostrophe inside or behind a word, with the s behind it: "O'Brien" is one word, "Schindler's" is Schindler.
func (rd *reader) possessive(rest string, n *int) {
	if len(rest) > 0 && rest[0]|0x20 == 's' {
		if r, _ := utf8.DecodeRuneInString(rest[1:]); foldRune(r) == "" || len(rest) == 1 {
			rd.flags |= possessive
			*n++
			rd.end(0)
			return
		}
	}
	if r, _ := utf8.DecodeRuneInString(rest); rest == "" || foldRune(r) == "" {
		rd.flags |= possessive
		rd.end(0)
	}
}

// mark reads what stands between words.
func (rd *reader) mark(r rune, s string, i int) {
	rd.end(r)
	switch r {
	case ',', ';', ':', '—', '–', '\n', '，', '、', '；', '：':
		rd.next |= broken
	case '-':
		if i > 0 && s[i-1] == ' ' {
			rd.next |= broken
		}
	case '(', '[':
		rd.depth++
	case ')', ']':
		rd.depth = max(0, rd.depth-1)
	case '&':
		rd.letter('&', "and")
		rd.end(0)
	}
}

// end ends the word, if one is being read, before the rune r.
func (rd *reader) end(r rune) {
	n := len(rd.f.tokens)
	if rd.letters == 0 {
		rd.dotted = rd.dotted && r == ' '
		return
	}
	single := rd.letters == 1 && !isDigitByte(rd.buf[rd.start]) && len(rd.buf) == rd.start+1
	if single && rd.dotted && n > 0 && rd.flags&broken == 0 { // one word of "D. C."
		rd.ends[n-1] = len(rd.buf)
		rd.f.tokens[n-1].shape |= shouted
		rd.dotted = r == '.'
		rd.start, rd.letters, rd.upper = len(rd.buf), 0, 0
		return
	}
	if single {
		rd.flags |= initials
	}
	if rd.upper > 1 && rd.upper == rd.letters {
		rd.flags |= shouted
	}
	if rd.depth > 0 {
		rd.flags |= aside
	}
	if n < maxTokens {
		rd.f.tokens = append(rd.f.tokens, token{shape: rd.flags})
		rd.ends[n] = len(rd.buf)
	} else {
		rd.f.full = true
		rd.buf = rd.buf[:rd.start]
	}
	rd.dotted = single && r == '.'
	rd.start, rd.letters, rd.upper = len(rd.buf), 0, 0
}

// main returns the tokens up to the first in brackets, or all where the text begins with brackets.
func (f *form) main() []token {
	for i, t := range f.tokens {
		if t.shape&aside != 0 && i > 0 {
			return f.tokens[:i]
		}
	}
	return f.tokens
}

// asides returns the tokens in brackets behind the first words.
func (f *form) asides() []token {
	rest := f.tokens[len(f.main()):]
	for i, t := range rest {
		if t.shape&aside == 0 {
			return rest[:i]
		}
	}
	return rest
}

// key appends the words of ts without blanks, articles and words that say nothing; with them where there are no others.
func (f *form) key(ts []token, buf []byte) []byte {
	for _, t := range ts {
		if !has(t, article|light) {
			buf = append(buf, t.word...)
		}
	}
	if len(buf) == 0 {
		for _, t := range ts {
			buf = append(buf, t.word...)
		}
	}
	return buf
}

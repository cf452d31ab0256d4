package answer

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is a word of an answer: letters and digits, folded to small letters without accents.
type token struct {
	word   string
	traits trait
	group  int // above 0: see lexicon
}

// maxTokens bounds the words that are read, so that a set of them is one number.
const maxTokens = 64

// A set holds indices of tokens.
type set uint64

func (s set) count() int { return bits.OnesCount64(uint64(s)) }

func (s set) top() int { return max(0, bits.Len64(uint64(s))-1) }

func of(ts []token, m trait) (s set) {
	for i := range ts {
		if ts[i].traits&m != 0 {
			s |= 1 << i
		}
	}
	return s
}

// A form is a text cut into tokens: tokens[:main] before the first brackets, tokens[main:end] in them.
type form struct {
	tokens    []token
	main, end int
	full      bool // had more tokens than fit
}

// A reader cuts a text into tokens.
type reader struct {
	f              *form
	buf            []byte // the folded words, one behind the other
	ends           [maxTokens]int
	start          int // in buf, of the word being read
	letters, upper int // of that word
	traits, next   trait
	dotted         bool // the last word is initials with a point behind
}

// read cuts s into tokens; buf is space for the folded words.
func (x *lexicon) read(s string, f *form, buf []byte) {
	rd := reader{f: f, buf: buf[:0]}
	s = norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD"))
	skip := 0
	for i, r := range s {
		if i < skip {
			continue
		}
		behind := s[i+utf8.RuneLen(r):]
		switch {
		case isWordRune(r) || unicode.IsNumber(r):
			rd.letter(r)
		case unicode.In(r, unicode.M, unicode.Cf):
		case (r == '+' || r == '#') && rd.letters > 0 && rd.letters < 3: // C++, C#
			rd.buf = append(rd.buf, byte(r))
		case (r == '.' || r == ',') && i > 0 && isDigitByte(s[i-1]) && behind != "" && isDigitByte(behind[0]):
			if r == '.' {
				rd.buf = append(rd.buf, '.')
			}
		case strings.ContainsRune("'’ʼ", r) && rd.letters > 0:
			skip = len(s) - len(rd.apostrophe(behind))
		default:
			rd.mark(r, i > 0 && s[i-1] == ' ')
		}
	}
	rd.finish(0)
	x.look(&rd)
}

func isDigitByte(c byte) bool { return c >= '0' && c <= '9' }

var ligatures = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i"}

func (rd *reader) letter(r rune) {
	upper := unicode.IsUpper(r)
	if rd.letters == 0 {
		rd.traits, rd.next = rd.traits|rd.next, rd.next&aside
		if upper {
			rd.traits |= capital
		}
	}
	if upper {
		rd.upper++
	}
	rd.letters++
	switch r = unicode.ToLower(r); {
	case r < utf8.RuneSelf:
		rd.buf = append(rd.buf, byte(r))
	case ligatures[r] != "":
		rd.buf = append(rd.buf, ligatures[r]...)
	default:
		rd.buf = utf8.AppendRune(rd.buf, r)
	}
}

// apostrophe reads one inside or behind a word, and returns what is left: "Schindler's" is Schindler, but "O'Brien" one word.
func (rd *reader) apostrophe(behind string) string {
	tail := strings.TrimPrefix(strings.TrimPrefix(behind, "s"), "S")
	if next, _ := utf8.DecodeRuneInString(tail); tail != "" && isWordRune(next) {
		return behind
	}
	rd.traits |= possessive
	rd.finish('\'')
	return tail
}

// mark reads what stands between words.
func (rd *reader) mark(r rune, blank bool) {
	rd.finish(r)
	switch {
	case r == '&':
		rd.letters, rd.traits, rd.next = 3, rd.next, rd.next&aside
		rd.buf = append(rd.buf, "and"...)
		rd.finish(r)
	case r == '-' && blank, strings.ContainsRune(",;:—–\n，、；：", r):
		rd.next |= broken
	case r == '(' || r == '[':
		rd.next |= aside
	case r == ')' || r == ']':
		rd.next &^= aside
	}
}

// finish ends the word that is being read, if there is one, before the rune r.
func (rd *reader) finish(r rune) {
	n := len(rd.f.tokens)
	single := rd.letters == 1 && len(rd.buf) == rd.start+1 && !isDigitByte(rd.buf[rd.start])
	switch {
	case rd.letters == 0:
		rd.dotted = rd.dotted && r == ' '
		return
	case single && rd.dotted && rd.traits&broken == 0: // one word of "D. C."
		rd.f.tokens[n-1].traits |= shouted
		rd.ends[n-1] = len(rd.buf)
	case n == maxTokens:
		rd.f.full, rd.buf = true, rd.buf[:rd.start]
	default:
		if single {
			rd.traits |= initials
		}
		if rd.upper > 1 && rd.upper == rd.letters {
			rd.traits |= shouted
		}
		rd.f.tokens = append(rd.f.tokens, token{traits: rd.traits})
		rd.ends[n] = len(rd.buf)
	}
	rd.dotted = single && r == '.' && n < maxTokens
	rd.start, rd.letters, rd.upper, rd.traits = len(rd.buf), 0, 0, 0
}

// look gives the tokens their words and what the lexicon knows of them.
func (x *lexicon) look(rd *reader) {
	all, from := string(rd.buf), 0
	f := rd.f
	f.main = len(f.tokens)
	for i := range f.tokens {
		t := &f.tokens[i]
		t.word, from = all[from:rd.ends[i]], rd.ends[i]
		t.traits |= x.traits[t.word]
		t.group = x.groups[t.word]
		if isDigitByte(t.word[0]) {
			t.traits |= numbered
		}
		if i > 0 && f.tokens[i-1].traits&(title|article|role|demonym|light) == 0 {
			t.traits &^= title // the King of Martin Luther King
		}
		if t.traits&aside != 0 && i > 0 && i < f.main {
			f.main = i
		}
		if t.traits&aside != 0 {
			f.end = i + 1
		}
	}
	f.end = max(f.end, f.main)
}

// key appends the words without articles and words that say nothing; with them where there are no others.
func key(ts []token, buf []byte) []byte {
	for _, t := range ts {
		if t.traits&(article|light) == 0 {
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

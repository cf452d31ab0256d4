package answer

import (
	"cmp"
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

// A form is a text cut into words.
type form struct {
	tokens []token
	main   []token // those before the first brackets
	aside  []token // from these to the end of the last
}

// A reader cuts a text into words.
type reader struct {
	tokens         []token
	word           []byte // being read
	letters, upper int    // of it
	traits, next   trait  // of it, and of the one behind it
	dotted         bool   // the last word is initials with a point behind
}

// read cuts s into at most maxTokens words.
func (x *lexicon) read(s string) (f form) {
	s = norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD"))
	rd := reader{tokens: make([]token, 0, 8)}
	skip := 0
	for i, r := range s {
		behind := s[i+utf8.RuneLen(r):]
		switch {
		case i < skip || unicode.In(r, unicode.M, unicode.Cf):
		case isWordRune(r) || unicode.IsNumber(r):
			rd.letter(r)
		case (r == '+' || r == '#') && rd.letters > 0 && rd.letters < 3: // C++, C#
			rd.word = append(rd.word, byte(r))
		case (r == '.' || r == ',') && i > 0 && isDigit(s[i-1:]) && isDigit(behind):
			rd.word = append(rd.word, strings.Trim(string(r), ",")...)
		case strings.ContainsRune("'’ʼ", r) && rd.letters > 0:
			skip = len(s) - len(rd.apostrophe(behind))
		default:
			rd.mark(r, i > 0 && s[i-1] == ' ')
		}
	}
	rd.finish(0)
	f.tokens = rd.tokens
	x.look(&f)
	return f
}

func isDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

var ligatures = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i"}

func (rd *reader) letter(r rune) {
	upper := unicode.IsUpper(r)
	if rd.letters == 0 {
		rd.traits, rd.next = rd.next, rd.next&aside
		if upper {
			rd.traits |= capital
		}
	}
	if upper {
		rd.upper++
	}
	rd.letters++
	r = unicode.ToLower(r)
	if l := ligatures[r]; l != "" {
		rd.word = append(rd.word, l...)
	} else {
		rd.word = utf8.AppendRune(rd.word, r)
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
		for _, c := range "and" {
			rd.letter(c)
		}
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
	n := len(rd.tokens)
	if rd.letters == 0 {
		rd.dotted = rd.dotted && r == ' '
		return
	}
	single := len(rd.word) == 1 && !isDigit(string(rd.word))
	if single {
		rd.traits |= initials
	}
	if single && r == '.' {
		rd.traits |= pointed
	}
	if rd.upper > 1 && rd.upper == rd.letters {
		rd.traits |= shouted
	}
	if single && rd.dotted && rd.traits&broken == 0 { // one word of "D. C."
		rd.tokens[n-1].word += string(rd.word)
		rd.tokens[n-1].traits |= shouted
	} else if n < maxTokens {
		rd.tokens = append(rd.tokens, token{word: string(rd.word), traits: rd.traits})
	}
	rd.dotted = single && r == '.'
	rd.word, rd.letters, rd.upper, rd.traits = rd.word[:0], 0, 0, 0
}

// look gives the tokens what the lexicon knows of them.
func (x *lexicon) look(f *form) {
	f.main = f.tokens
	end := 0
	for i := range f.tokens {
		t := &f.tokens[i]
		t.traits |= x.traits[t.word]
		if t.traits&pointed != 0 {
			t.traits &^= article | light // A. Smith
		}
		t.group = x.groups[t.word]
		if isDigit(t.word) {
			t.traits |= numbered
		}
		if i > 0 && f.tokens[i-1].traits&(title|article|role|demonym|light) == 0 {
			t.traits &^= title // the King of Martin Luther King
		}
		if t.traits&aside == 0 {
			continue
		}
		if end = i + 1; i > 0 && i < len(f.main) {
			f.main = f.tokens[:i]
		}
	}
	f.aside = f.tokens[len(f.main):max(end, len(f.main))]
}

// key joins the words without articles and words that say nothing; with them where there are no others.
func key(ts []token) string {
	var found, all strings.Builder
	for _, t := range ts {
		all.WriteString(t.word)
		if t.traits&(article|light) == 0 {
			found.WriteString(t.word)
		}
	}
	return cmp.Or(found.String(), all.String())
}

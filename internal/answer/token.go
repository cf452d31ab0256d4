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
	aside  []token // the others
}

// A reader cuts a text into words.
type reader struct {
	tokens []token
	word   []byte // being read
	next   trait  // of the word that is read next
	dotted bool   // the last word is initials with a point behind
}

// read cuts s into at most maxTokens words.
func (x *lexicon) read(s string) form {
	s = norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD"))
	rd := reader{tokens: make([]token, 0, 8)}
	skip := 0
	for i, r := range s {
		behind := s[i+utf8.RuneLen(r):]
		inside := len(rd.word) > 0
		switch {
		case i < skip || unicode.In(r, unicode.M, unicode.Cf):
		case inside && r == ',' && isDigit(s[i-1:]) && isDigit(behind): // 1,000
		case inside && r == '.' && isDigit(s[i-1:]) && isDigit(behind), inside && (r == '+' || r == '#'), // C++
			isWordRune(r) || unicode.IsNumber(r):
			rd.word = utf8.AppendRune(rd.word, r)
		case inside && strings.ContainsRune("'’ʼ", r): // "Schindler's" is Schindler, but "O'Brien" one word
			tail := strings.TrimPrefix(strings.TrimPrefix(behind, "s"), "S")
			if next, _ := utf8.DecodeRuneInString(tail); !isWordRune(next) {
				rd.finish(r, possessive)
				skip = len(s) - len(tail)
			}
		default:
			rd.finish(r, 0)
			rd.mark(r, strings.HasSuffix(s[:i], " "))
		}
	}
	rd.finish(0, 0)
	return x.look(rd.tokens)
}

func isDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// mark reads what stands between words.
func (rd *reader) mark(r rune, blank bool) {
	switch {
	case r == '-' && blank, strings.ContainsRune(",;:—–\n，、；：", r):
		rd.next |= broken
	case r == '(' || r == '[':
		rd.next |= aside
	}
}

var ligatures = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i")

// finish ends the word that is being read, if there is one, before the rune r.
func (rd *reader) finish(r rune, traits trait) {
	if len(rd.word) == 0 {
		rd.dotted = rd.dotted && r == ' '
		return
	}
	n, written := len(rd.tokens), string(rd.word)
	word := ligatures.Replace(strings.ToLower(written))
	traits |= rd.next
	rd.next &= aside
	rd.word = rd.word[:0]
	small := strings.IndexFunc(written, func(r rune) bool { return !unicode.IsUpper(r) })
	if small != 0 {
		traits |= capital
	}
	if small < 0 && len(word) > 1 {
		traits |= shouted
	}
	single := len(word) == 1 && !isDigit(word)
	if single {
		traits |= initials
	}
	if single && r == '.' {
		traits |= pointed
	}
	if single && rd.dotted && traits&broken == 0 { // one word of "D. C."
		rd.tokens[n-1].word += word
		rd.tokens[n-1].traits |= shouted
	} else if n < maxTokens {
		rd.tokens = append(rd.tokens, token{word: word, traits: traits})
	}
	rd.dotted = traits&pointed != 0
}

// look gives the words what the lexicon knows of them.
func (x *lexicon) look(ts []token) form {
	f := form{tokens: ts, main: ts}
	for i := range ts {
		t := &ts[i]
		t.traits |= x.traits[t.word]
		t.group = x.groups[t.word]
		if t.traits&pointed != 0 {
			t.traits &^= article | light // A. Smith
		}
		if isDigit(t.word) {
			t.traits |= numbered
		}
		if i > 0 && ts[i-1].traits&(title|article|role|demonym|light) == 0 {
			t.traits &^= title // the King of Martin Luther King
		}
		if i > 0 && t.traits&^ts[i-1].traits&aside != 0 {
			f.main, f.aside = ts[:i], ts[i:]
		}
	}
	return f
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

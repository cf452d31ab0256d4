package answer

import (
	"cmp"
	"math/bits"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"hallmark/internal/base/pattern"
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
	codes  []thing // what the text as a whole is a code of
}

// A word is letters and digits: "1,000.5", "C++", "O'Brien", and an apostrophe behind.
var wordPattern = pattern.New(`(?:\d+(?:[.,]\d+)*|[\pL\pN])(?:\d+(?:[.,]\d+)*|[\pL\pN+#]|'[\pL\pN])*'?`)

var apostrophes = strings.NewReplacer("’", "'", "ʼ", "'")

// read cuts s into at most maxTokens words. It leaves out the end of a text that is far longer than a value.
func (x *lexicon) read(text string) form {
	s := text[:min(len(text), 4*maxValue)]
	if strings.ContainsFunc(s, beyondASCII) {
		s = strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.M, unicode.Cf) {
				return -1
			}
			return r
		}, norm.NFKD.String(apostrophes.Replace(s)))
	}
	ts, end, brackets := make([]token, 0, 8), 0, 0
	for _, at := range wordPattern.FindAllStringIndex(s, -1) {
		between, t := s[end:at[0]], newToken(s[at[0]:at[1]])
		end = at[1]
		if strings.ContainsAny(between, ",;:—–\n，、；：") || strings.Contains(between, " -") {
			t.traits |= broken
		}
		if brackets == 0 && strings.ContainsAny(between, "([") {
			brackets = len(ts)
		}
		if t.traits&initials != 0 && strings.HasPrefix(s[end:], ".") {
			t.traits |= pointed
		}
		n := len(ts)
		if n > 0 && t.traits&ts[n-1].traits&initials != 0 && strings.TrimRight(between, " ") == "." { // "D. C."
			ts[n-1].word += t.word
			ts[n-1].traits |= shouted
		} else if n < maxTokens {
			ts = append(ts, t)
		}
	}
	x.look(ts)
	brackets = cmp.Or(brackets, len(ts))
	return form{ts, ts[:brackets], ts[brackets:], x.codes[plainFormula(text)]}
}

func isDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// folded spells letters that have no accents to lose, and drops signs inside words.
var folded = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th",
	"ı", "i", "'", "", ",", "")

// newToken returns a word with what its letters show.
func newToken(written string) (t token) {
	stem, owns := strings.CutSuffix(strings.TrimSuffix(strings.TrimSuffix(written, "s"), "S"), "'")
	if owns {
		written, t.traits = stem, possessive
	}
	t.word = strings.ToLower(written)
	if strings.ContainsFunc(t.word, beyondASCII) || strings.ContainsAny(t.word, "',") {
		t.word = folded.Replace(t.word)
	}
	small := strings.TrimLeftFunc(written, unicode.IsUpper)
	if small != written {
		t.traits |= capital
	}
	switch {
	case isDigit(t.word):
		t.traits |= numbered
	case len(t.word) == 1:
		t.traits |= initials
	case small == "":
		t.traits |= shouted
	}
	return t
}

// look gives the words what the lexicon knows of them.
func (x *lexicon) look(ts []token) {
	for i := range ts {
		t := &ts[i]
		t.traits |= x.traits[t.word]
		t.group = x.groups[t.word]
		if t.traits&pointed != 0 {
			t.traits &^= article | light // A. Smith
		}
		if i > 0 && ts[i-1].traits&(title|article|role|demonym|light) == 0 {
			t.traits &^= title // the King of Martin Luther King
		}
		if i > 0 && t.traits&numbered != 0 {
			ts[i-1].traits &^= negation // No. 9
		}
	}
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

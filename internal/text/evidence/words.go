package evidence

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hallmark/internal/text/quantity"
)

// Phrases returns the phrase of each text that has one.
func Phrases(texts []string) [][]string {
	var phrases [][]string
	for _, s := range texts {
		if p := Phrase(s); len(p) > 0 {
			phrases = append(phrases, p)
		}
	}
	return phrases
}

// Phrase returns the compared forms of the words of a short text, as Read gives them to an answer's words, without a
// leading article. It is what Find looks for.
func Phrase(s string) []string {
	t := &Text{}
	t.unmark(strings.ToValidUTF8(s, " "))
	forms := t.Forms()
	if len(forms) > 1 && t.Is(0, "article") && t.Words[0].End+1 == t.Words[1].Start && isAlnum(forms[1][0]) {
		forms = forms[1:]
	}
	return forms
}

// Forms returns the compared forms of the words.
func (t *Text) Forms() []string {
	forms := make([]string, len(t.Words))
	for i, w := range t.Words {
		forms[i] = w.Fold
	}
	return forms
}

// split cuts Plain into words, clauses and sentences.
func (t *Text) split() {
	s := t.Plain
	c := cutter{t: t}
	t.Words = make([]Word, 0, len(s)/5+2)
	for i := 0; i < len(s); {
		if r, n := utf8.DecodeRuneInString(s[i:]); inWord(r) {
			i = c.word(i)
		} else {
			i = c.sign(r, i, n)
		}
	}
	c.endSentence(false)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

type cutter struct {
	t      *Text
	first  int // of the words of the sentence
	clause int32
}

func (c *cutter) add(form string, start, end int) {
	c.t.Words = append(c.t.Words, Word{form, start, end, int32(len(c.t.Sentences)), c.clause})
}

func (c *cutter) endSentence(question bool) {
	c.clause++
	if t := c.t; len(t.Words) > c.first {
		t.Sentences = append(t.Sentences, Sentence{Span{c.first, len(t.Words)}, question})
		c.first = len(t.Words)
	} else if question && len(t.Sentences) > 0 {
		t.Sentences[len(t.Sentences)-1].Question = true // "What?!"
	}
}

// sign takes the rune r of n bytes at i, which is in no word, and returns where to go on.
func (c *cutter) sign(r rune, i, n int) int {
	s := c.t.Plain
	switch r {
	case '\n', '…':
		c.endSentence(false)
	case '.', '!', '?', '。', '！', '？':
		if c.t.endsSentence(i, c.first) {
			c.endSentence(r == '?' || r == '？')
		}
	case ',', ';', ':', '(', ')', '—', '–', '→', '，', '；', '：':
		c.clause++
	case '-', '−':
		// A sign belongs to its number where nothing stands before it.
		if i+n < len(s) && isDigit(s[i+n]) && (i == 0 || strings.IndexByte(" (\n=", s[i-1]) >= 0) {
			j := wordEnd(s, i+n)
			c.add("-"+strings.ReplaceAll(s[i+n:j], ",", ""), i, j)
			return j
		}
		if r == '-' && i > 0 && s[i-1] == ' ' && i+1 < len(s) && s[i+1] == ' ' {
			c.clause++
		}
	default:
		c.symbol(r, i, n)
	}
	return i + n
}

// symbol takes a symbol, which is a word, or a picture, which ends a sentence before a capital: "in England 😬 They
// may".
func (c *cutter) symbol(r rune, i, n int) {
	s := c.t.Plain
	if pictograph(r) && len(s) > i+n+1 && isCapital(s[i+n+1]) {
		c.endSentence(false)
	} else if !pictograph(r) && (strings.ContainsRune("%$§", r) || r >= utf8.RuneSelf && unicode.IsSymbol(r)) {
		c.add(s[i:i+n], i, i+n)
	}
}

// word takes the word at i and returns its end. Both halves of a contraction span the whole of it.
func (c *cutter) word(i int) int {
	j := wordEnd(c.t.Plain, i)
	form, rest := foldWord(c.t.Plain[i:j]), ""
	if isDigit(form[0]) {
		form = strings.ReplaceAll(form, ",", "")
	}
	k := strings.LastIndexByte(form, '\'')
	for _, at := range []int{0, k, k - 1} { // "cannot", "I'm", "don't"
		if at >= 0 && spelled()[form[at:]] != "" {
			form, rest = form[:at], spelled()[form[at:]]
			break
		}
	}
	if form != "" {
		c.add(form, i, j)
	}
	for w := range strings.FieldsSeq(rest) {
		c.add(w, i, j)
	}
	return j
}

// wordEnd returns the end of the word that starts at i: letters, digits and marks; inside it an apostrophe between
// letters, a point or comma between digits; behind it the signs of C# and C++.
func wordEnd(s string, i int) int {
	j := i
	for j < len(s) {
		r, n := utf8.DecodeRuneInString(s[j:])
		if !inWord(r) && (j == i || j+n == len(s) || !joinsWord(r, s, j, j+n)) {
			break
		}
		j += n
	}
	for _, sign := range []string{"#", "++"} {
		if j > i && !isDigit(s[j-1]) && strings.HasPrefix(s[j:], sign) {
			return j + len(sign)
		}
	}
	return max(j, i+1)
}

// joinsWord reports whether the sign r at i, before the byte at next, joins what stands at its sides to one word.
func joinsWord(r rune, s string, i, next int) bool {
	a, b := s[i-1], s[next]
	switch r {
	case '\'', '’':
		return isAlnum(a) && isAlnum(b) && !isDigit(b)
	case '.':
		return isDigit(a) && isDigit(b)
	case ',':
		group, more := s[next:min(len(s), next+3)], s[min(len(s), next+3):]
		return isDigit(a) && len(group) == 3 && isNumber(group) && (more == "" || !isDigit(more[0]))
	}
	return false
}

// letters are those that no decomposition makes plain.
var letters = strings.NewReplacer("’", "'", "ø", "o", "ß", "ss", "æ", "ae")

// foldWord returns the compared form of a word: lower case, Latin letters without accents.
func foldWord(s string) string {
	s = strings.ToLower(s)
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	s = letters.Replace(s)
	var b strings.Builder
	latin := false
	for _, r := range norm.NFD.String(s) {
		if latin && unicode.Is(unicode.Mn, r) {
			continue
		}
		if d, ok := quantity.Digit(r); ok {
			r = rune(d)
		} else if plain := norm.NFKD.String(string(r)); len(plain) == 1 && plain[0]|0x20 >= 'a' {
			r = rune(plain[0] | 0x20) // full in width, or bold and the like by its code
		}
		latin = unicode.Is(unicode.Latin, r)
		b.WriteRune(r)
	}
	return cmp.Or(b.String(), s)
}

// endsSentence reports whether the mark at i ends a sentence: not inside a number or name, not after an
// abbreviation, an initial or the number of a list item.
func (t *Text) endsSentence(i, first int) bool {
	s, last := t.Plain, len(t.Words)-1
	next := s[i+1:min(len(s), i+4)] + "   "
	switch {
	case s[i] != '.':
		return true
	case isAlnum(next[0]) && next[0] < utf8.RuneSelf:
		return false
	case last < first || t.Words[last].End != i:
		return true
	}
	w := t.Words[last]
	if t.Is(last, "abbreviation") || isDigit(next[1]) && (quantity.IsMonth(w.Fold) || t.Is(last, "numbering")) {
		return false
	}
	// "J. K. Rowling", "e.g."
	initial := isCapital(s[w.Start]) && isCapital(next[1]) || w.Start > 0 && s[w.Start-1] == '.'
	if last > first && t.Is(last-1, "lettered") {
		initial = next[2] == '.' // "It is J. K. Rowling", but "It is not D. It is C."
	}
	return len(w.Fold) != 1 || last > first && !initial
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// Find returns the ranges of words, not overlapping and at most 128, at which the phrase stands.
func (t *Text) Find(phrase []string) (found []Span) {
	for i := 0; i < len(t.Words) && len(phrase) > 0 && len(found) < 128; i++ {
		if stands(phrase, t.Words[i:]) {
			found = append(found, Span{i, i + len(phrase)})
			i += len(phrase) - 1
		}
	}
	return found
}

// stands reports whether a phrase stands at the beginning of the words, where 's may be short for "is".
func stands(phrase []string, words []Word) bool {
	for i, w := range phrase {
		if i == len(words) || words[i].Fold != w && (words[i].Fold != "'s" || w != "is") {
			return false
		}
	}
	return true
}

// Numeral reports whether the i-th word is a number of two digits or more.
func (t *Text) Numeral(i int) bool {
	w := t.Words[i].Fold
	return len(w) >= 2 && isDigit(w[0])
}

// Name reports whether the i-th word looks like a name: of three letters or more, with a capital, in the middle of
// a phrase, so that no sentence, heading or quotation gives it its capital; not a month, a day of the week or a
// unit.
func (t *Text) Name(i int) bool {
	w := t.Words[i]
	if !isCapital(t.Plain[w.Start]) || w.End-w.Start < 3 || w.Start < 2 || t.Plain[w.Start-1] != ' ' {
		return false
	}
	if b := t.Plain[w.Start-2]; !isAlnum(b) && b != ',' && b != '\'' || i == 0 || t.Words[i-1].Sentence != w.Sentence {
		return false
	}
	return !quantity.IsMonth(w.Fold) && !t.Is(i, "calendar") && !quantity.IsUnit(w.Fold) && !IsStop(w.Fold)
}

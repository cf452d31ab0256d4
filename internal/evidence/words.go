package evidence

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hallmark/internal/quantity"
)

// Phrases returns the phrase of each text that has one.
func Phrases(texts []string) [][]string {
	var ps [][]string
	for _, s := range texts {
		if p := Phrase(s); len(p) > 0 {
			ps = append(ps, p)
		}
	}
	return ps
}

// Phrase returns the compared forms of the words of a short text, as Read gives them to an answer's words, without a
// leading article. It is what Find looks for.
func Phrase(s string) []string {
	t := &Text{}
	t.unmark(strings.ToValidUTF8(s, " "))
	forms := t.forms()
	if len(forms) > 1 && articles[forms[0]] && t.Words[0].End+1 == t.Words[1].Start && isAlnum(forms[1][0]) {
		forms = forms[1:]
	}
	return forms
}

var (
	spelled       = named("spelled ") // contractions and what they are short for
	abbreviations = Listed("abbreviation")
	numbering     = Listed("numbering") // abbreviations before a number: "Sec. 2", "pp. 4–9"
	articles      = Listed("article")
	speakers      = Listed("speaker")  // capital letters that are no name: "I"
	lettered      = Listed("lettered") // words before a letter that stands for itself
	calendar      = Listed("calendar") // capitalised words that name no particular thing
)

// forms returns the compared forms of the words.
func (t *Text) forms() []string {
	forms := make([]string, len(t.Words))
	for i, w := range t.Words {
		forms[i] = w.Fold
	}
	return forms
}

// split cuts Plain into words, clauses and sentences.
func (t *Text) split() {
	s := t.Plain
	c := cutter{t: t, lower: s, ascii: true}
	for i := 0; i < len(s) && c.ascii; i++ {
		c.ascii = s[i] < utf8.RuneSelf
	}
	if c.ascii {
		c.lower = strings.ToLower(s) // the same offsets
	}
	t.Words = make([]Word, 0, len(s)/5+2)
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		if r < utf8.RuneSelf && isAlnum(s[i]) || r >= utf8.RuneSelf && inWord(r) {
			i = c.word(i)
		} else {
			i = c.sign(r, i, n)
		}
	}
	c.endSentence(false)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// cutter cuts a text.
type cutter struct {
	t      *Text
	lower  string // Plain in lower case, if it is ASCII
	ascii  bool
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
	case '\n', '。', '！', '…':
		c.endSentence(false)
	case '.', '!', '?':
		if c.t.endsSentence(i, c.first) {
			c.endSentence(r == '?')
		}
	case '？':
		c.endSentence(true)
	case ',', ';', ':', '(', ')', '—', '–', '→', '，', '；', '：':
		c.clause++
	case '%', '$':
		c.add(s[i:i+1], i, i+1)
	case '-', '−':
		// A sign belongs to its number where nothing stands before it.
		if i+n < len(s) && isDigit(s[i+n]) && (i == 0 || strings.IndexByte(" (\n=", s[i-1]) >= 0) {
			j := numberEnd(s, i+n)
			c.add("-"+groupless(s[i+n:j]), i, j)
			return j
		}
		if r == '-' && i > 0 && s[i-1] == ' ' && i+1 < len(s) && s[i+1] == ' ' {
			c.clause++
		}
	default:
		if r >= utf8.RuneSelf && unicode.IsSymbol(r) && !pictograph(r) {
			c.add(s[i:i+n], i, i+n)
		}
	}
	return i + n
}

// word takes the word at i and returns its end. Where its form has another length than the text, both halves span the whole word.
func (c *cutter) word(i int) int {
	j := numberEnd(c.t.Plain, i)
	form := ""
	if c.ascii {
		form = c.lower[i:j]
	} else {
		form = foldWord(c.t.Plain[i:j])
	}
	k := strings.LastIndexByte(form, '\'')
	if isDigit(form[0]) {
		c.add(groupless(form), i, j)
	} else if full := spelled[form]; full != "" {
		for w := range strings.FieldsSeq(full) {
			c.add(w, i, j)
		}
	} else if k > 0 && spelled[form[k:]] != "" {
		c.add(form[:k], i, j)
		c.add(spelled[form[k:]], i, j)
	} else if k > 1 && spelled[form[k-1:]] != "" { // "n't"
		c.add(form[:k-1], i, j)
		c.add(spelled[form[k-1:]], i, j)
	} else {
		c.add(form, i, j)
	}
	return j
}

// wordEnd returns the end of the word that starts at i: letters, digits and marks; inside it an apostrophe between letters,
// a point or comma between digits, a point between single letters; behind it the signs of C# and C++.
func wordEnd(s string, i int) int {
	start := i
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if isAlnum(c) {
				i++
				continue
			}
			if i > start && i+1 < len(s) && joint(s, i) {
				i++
				continue
			}
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if inWord(r) {
			i += n
			continue
		}
		if r == '’' && i > start && i+n < len(s) && isAlnum(s[i+n]) && !isDigit(s[i+n]) {
			i += n
			continue
		}
		break
	}
	if i < len(s) && i > start && !isDigit(s[i-1]) && (s[i] == '#' || strings.HasPrefix(s[i:], "++")) {
		if s[i] == '#' {
			return i + 1
		}
		return i + 2
	}
	return max(i, start+1)
}

// joint reports whether the sign at i joins what stands at its sides to one word.
func joint(s string, i int) bool {
	a, b := s[i-1], s[i+1]
	switch s[i] {
	case '\'':
		return isAlnum(a) && isAlnum(b) && !isDigit(b)
	case '.':
		return isDigit(a) && isDigit(b)
	case ',':
		return isDigit(a) && isDigit(b) && thousands(s, i)
	}
	return false
}

// thousands reports whether the comma at i is followed by exactly three digits.
func thousands(s string, i int) bool {
	return i+3 < len(s) && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]) && (i+4 == len(s) || !isDigit(s[i+4]))
}

// grouped is a number whose digits blanks group: "1 234 567".
var grouped = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:[ \x{a0}\x{202f}\x{2009}][0-9]{3})+(?:\.[0-9]+)?`)

// numberEnd is wordEnd, and beyond the blanks that group the digits of a number, but not in "8 100-page books" or "1 000s".
func numberEnd(s string, i int) int {
	j := wordEnd(s, i)
	if j-i <= 3 && isDigit(s[i]) && j < len(s) && (s[j] == ' ' || s[j] >= utf8.RuneSelf) {
		k := i + len(grouped.FindString(s[i:min(len(s), i+50)]))
		if k > j && (k == len(s) || !isAlnum(s[k]) && s[k] != '-') {
			return k
		}
	}
	return j
}

// groupless drops what groups the digits of a number.
var groupless = strings.NewReplacer(",", "", " ", "", "\u00a0", "", "\u202f", "", "\u2009", "").Replace

// letters are those that no decomposition makes plain.
var letters = strings.NewReplacer("’", "'", "ø", "o", "ß", "ss", "æ", "ae")

// foldWord returns the compared form of a word: lower case, Latin letters without accents.
func foldWord(s string) string {
	s = letters.Replace(strings.ToLower(s))
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

// endsSentence reports whether the mark at i ends a sentence: not inside a number or name, not after an abbreviation, an
// initial or the number of a list item.
func (t *Text) endsSentence(i, first int) bool {
	s := t.Plain
	dot, n := s[i] == '.', len(t.Words)
	switch next := s[i+1 : min(len(s), i+4)]; {
	case dot && next != "" && isAlnum(next[0]) && next[0] < utf8.RuneSelf:
		return false
	case len(next) == 3 && strings.IndexByte(`"'`, next[0]) >= 0 && next[1] == ' ' && next[2] >= 'a' && next[2] <= 'z':
		return false // "Hey Ya!" by Outkast
	}
	if !dot || n == first || t.Words[n-1].End != i {
		return true
	}
	w := t.Words[n-1]
	counts := i+2 < len(s) && isDigit(s[i+2]) // a number follows
	switch {
	case abbreviations[w.Fold], counts && (quantity.IsMonth(w.Fold) || numbering[w.Fold]), isDigit(w.Fold[0]) && len(w.Fold) <= 2 && t.datesOn(i+1):
		return false
	}
	return len(w.Fold) != 1 || t.endsAfterLetter(i, first, w)
}

// datesOn reports whether a month and a year follow: "9. November 1989".
func (t *Text) datesOn(i int) bool {
	s := t.Plain
	if i+1 >= len(s) || s[i] != ' ' {
		return false
	}
	end := wordEnd(s, i+1)
	return quantity.IsMonth(foldWord(s[i+1:end])) && end+1 < len(s) && isDigit(s[end+1])
}

// endsAfterLetter is endsSentence behind a letter or digit that stands for itself.
func (t *Text) endsAfterLetter(i, first int, w Word) bool {
	s, n := t.Plain, len(t.Words)
	before := byte(' ')
	if w.Start > 0 {
		before = s[w.Start-1]
	}
	switch {
	case w.Start > 1 && before == '.' && s[w.Start] >= 'a' && isAlnum(s[w.Start-2]): // i.e., e.g.
		return false
	case before >= utf8.RuneSelf: // "20 °C. For comparison, …"
		return true
	case isDigit(w.Fold[0]): // the number of a list item at the start of a sentence: "1. Paris"
		return n-1 != first
	case n-1 > first && lettered[t.Words[n-2].Fold]: // "It is not D. It is C.", but "It is J. K. Rowling."
		return i+3 >= len(s) || s[i+3] != '.'
	}
	capital := func(k int) bool { return k < len(s) && s[k] >= 'A' && s[k] <= 'Z' }
	return !capital(w.Start) || !capital(i+2) || s[i+1] != ' ' || speakers[w.Fold]
}

// maxMentions bounds the mentions of one phrase that are looked at.
const maxMentions = 128

// Find returns the ranges of words, not overlapping and at most 128, at which the phrase stands.
func (t *Text) Find(phrase []string) []Span {
	if len(phrase) == 0 {
		return nil
	}
	var found []Span
	for i := 0; i+len(phrase) <= len(t.Words) && len(found) < maxMentions; i++ {
		if t.Words[i].Fold != phrase[0] {
			continue
		}
		j := 1
		for j < len(phrase) && t.Words[i+j].Fold == phrase[j] {
			j++
		}
		if j == len(phrase) {
			found = append(found, Span{i, i + j})
			i += j - 1
		}
	}
	return found
}

// Numeral reports whether the i-th word is a number of two digits or more.
func (t *Text) Numeral(i int) bool {
	w := t.Words[i].Fold
	return len(w) >= 2 && isDigit(w[0])
}

// Name reports whether the i-th word looks like a name: of three letters or more, with a capital, in the middle of a phrase, so that no
// sentence, heading or quotation gives it its capital; not a month, a day of the week or a unit.
func (t *Text) Name(i int) bool {
	w := t.Words[i]
	if c := t.Plain[w.Start]; c < 'A' || c > 'Z' || w.End-w.Start < 3 || w.Start < 2 || t.Plain[w.Start-1] != ' ' {
		return false
	}
	if b := t.Plain[w.Start-2]; !isAlnum(b) && b != ',' && b != '\'' || i == 0 || t.Words[i-1].Sentence != w.Sentence {
		return false
	}
	return !quantity.IsMonth(w.Fold) && !calendar[w.Fold] && !quantity.IsUnit(w.Fold) && !Stop[w.Fold]
}

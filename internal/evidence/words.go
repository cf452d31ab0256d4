package evidence

import (
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
	t := &Text{Plain: strings.ToValidUTF8(s, " ")}
	if needsPlain(s) {
		t = Read(s)
	} else {
		t.split()
	}
	forms := t.forms()
	if len(forms) > 1 && (forms[0] == "the" || forms[0] == "a" || forms[0] == "an") && t.Words[0].End+1 == t.Words[1].Start && isAlnum(forms[1][0]) {
		forms = forms[1:]
	}
	return forms
}

var (
	spelled       = named("spelled ") // contractions and what they are short for
	abbreviations = listed("abbreviation")
	numbering     = listed("numbering") // abbreviations before a number: "Sec. 2", "pp. 4–9"
	lettered      = listed("lettered")  // words before a letter that stands for itself
	calendar      = listed("calendar")  // capitalised words that name no particular thing
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
	lower := s
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		lower = strings.ToLower(s) // the same offsets
	}
	t.Words = make([]Word, 0, len(s)/5+2)
	first, clause := 0, int32(0)
	add := func(form string, start, end int) {
		t.Words = append(t.Words, Word{form, start, end, int32(len(t.Sentences)), clause})
	}
	endSentence := func(question bool) {
		clause++
		if len(t.Words) > first {
			t.Sentences = append(t.Sentences, Sentence{Span{first, len(t.Words)}, question})
			first = len(t.Words)
		} else if question && len(t.Sentences) > 0 {
			t.Sentences[len(t.Sentences)-1].Question = true // "What?!"
		}
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf && !isAlnum(c) {
			switch c {
			case '\n':
				endSentence(false)
			case '.', '!', '?':
				if t.endsSentence(i, first) {
					endSentence(c == '?')
				}
			case ',', ';', ':', '(', ')':
				clause++
			case '%', '$':
				add(s[i:i+1], i, i+1)
			case '-':
				// A sign belongs to its number where nothing stands before it.
				if i+1 < len(s) && isDigit(s[i+1]) && (i == 0 || s[i-1] == ' ' || s[i-1] == '(' || s[i-1] == '\n' || s[i-1] == '=') {
					j := numberEnd(s, i+1)
					add(groupless(s[i:j]), i, j)
					i = j
					continue
				}
				if i > 0 && s[i-1] == ' ' && i+1 < len(s) && s[i+1] == ' ' {
					clause++
				}
			}
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
				switch r {
				case '—', '–', '→', '，', '；', '：':
					clause++
				case '。', '！', '…':
					endSentence(false)
				case '？':
					endSentence(true)
				case '−':
					if i+n < len(s) && isDigit(s[i+n]) && (i == 0 || s[i-1] == ' ' || s[i-1] == '(') {
						j := numberEnd(s, i+n)
						add("-"+groupless(s[i+n:j]), i, j)
						i = j
						continue
					}
				default:
					if unicode.IsSymbol(r) && !pictograph(r) {
						add(s[i:i+n], i, i+n)
					}
				}
				i += n
				continue
			}
		}
		j := numberEnd(s, i)
		var form string
		if ascii {
			form = lower[i:j]
		} else {
			form = foldWord(s[i:j])
		}
		if isDigit(form[0]) {
			form = groupless(form)
			add(form, i, j)
			i = j
			continue
		}
		// Where the form has another length than the text, both halves span the whole word.
		k := strings.LastIndexByte(form, '\'')
		if full := spelled[form]; full != "" {
			auxiliary, not, _ := strings.Cut(full, " ")
			add(auxiliary, i, j)
			add(not, i, j)
		} else if k > 0 && spelled[form[k:]] != "" {
			add(form[:k], i, j)
			add(spelled[form[k:]], i, j)
		} else if k > 1 && form[k-1:] == "n't" {
			add(form[:k-1], i, j)
			add("not", i, j)
		} else {
			add(form, i, j)
		}
		i = j
	}
	endSentence(false)
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
			if i > start && i+1 < len(s) {
				a, b := s[i-1], s[i+1]
				if c == '\'' && isAlnum(a) && isAlnum(b) && !isDigit(b) ||
					c == '.' && isDigit(a) && isDigit(b) ||
					c == ',' && isDigit(a) && isDigit(b) && thousands(s, i) {
					i++
					continue
				}
			}
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
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

// thousands reports whether the comma at i is followed by exactly three digits.
func thousands(s string, i int) bool {
	return i+3 < len(s) && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]) && (i+4 == len(s) || !isDigit(s[i+4]))
}

// numberEnd is wordEnd, and beyond the blanks that group the digits of a number: "1 234 567", but not "8 100-page books".
func numberEnd(s string, i int) int {
	j := wordEnd(s, i)
	if !isDigit(s[i]) || j-i > 3 || s[i] == '0' || j == len(s) || s[j] != ' ' && s[j] < utf8.RuneSelf || strings.Trim(s[i:j], "0123456789") != "" {
		return j
	}
	for j < len(s) {
		n := 0
		for _, blank := range groupBlanks {
			if strings.HasPrefix(s[j:], blank) {
				n = len(blank)
			}
		}
		if n == 0 || !thousands(s, j+n-1) {
			break
		}
		end := wordEnd(s, j+n)
		if point := s[j+n+3 : end]; point != "" && point[0] != '.' || end < len(s) && s[end] == '-' {
			break // "1 000s"
		}
		j = end
	}
	return j
}

// groupBlanks are the blanks that group digits.
var groupBlanks = []string{" ", "\u00a0", "\u202f", "\u2009"}

// groupless drops what groups the digits of a number.
func groupless(s string) string {
	if strings.IndexByte(s, ',') >= 0 {
		s = strings.ReplaceAll(s, ",", "")
	}
	for _, blank := range groupBlanks {
		if strings.Contains(s, blank) {
			s = strings.ReplaceAll(s, blank, "")
		}
	}
	return s
}

// Dotted returns the digits of a whole number with points between groups of three, "1.450"; "" for what has no two groups.
func Dotted(digits string) string {
	if len(digits) < 4 || len(digits) > 18 || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	head := (len(digits)-1)%3 + 1
	out := digits[:head]
	for i := head; i < len(digits); i += 3 {
		out += "." + digits[i:i+3]
	}
	return out
}

// foldWord returns the compared form of a word: lower case, Latin letters without accents.
func foldWord(s string) string {
	s = strings.ReplaceAll(strings.ToLower(s), "’", "'")
	for i := 0; i < len(s); i++ {
		if s[i] < utf8.RuneSelf {
			continue
		}
		var b strings.Builder
		latin := false
		for _, r := range norm.NFD.String(s) {
			if unicode.Is(unicode.Mn, r) && latin {
				continue
			}
			latin = unicode.Is(unicode.Latin, r)
			if r >= utf8.RuneSelf && unicode.IsDigit(r) {
				d, _ := quantity.Digit(r)
				b.WriteByte(d)
				latin = false
				continue
			}
			if r >= 0xff21 && r <= 0xff5a || r >= 0x1d400 && r <= 0x1d7cb { // letters full in width, or bold and the like by their code
				if plain := []rune(strings.ToLower(norm.NFKD.String(string(r)))); len(plain) == 1 && plain[0] < utf8.RuneSelf {
					r, latin = plain[0], true
				}
			}
			switch r {
			case 'ø':
				r = 'o'
			case 'ß':
				b.WriteByte('s')
				r = 's'
			case 'æ':
				b.WriteByte('a')
				r = 'e'
			}
			b.WriteRune(r)
		}
		if b.Len() == 0 {
			return s
		}
		return b.String()
	}
	return s
}

// endsSentence reports whether the mark at i ends a sentence: not inside a number or name, not after an abbreviation, an
// initial or the number of a list item.
func (t *Text) endsSentence(i, first int) bool {
	s := t.Plain
	if i+1 < len(s) {
		switch next := s[i+1]; {
		case s[i] == '.' && isAlnum(next) && next < utf8.RuneSelf:
			return false
		case (next == '"' || next == '\'') && i+3 < len(s) && s[i+2] == ' ' && s[i+3] >= 'a' && s[i+3] <= 'z':
			return false // "Hey Ya!" by Outkast
		}
	}
	if s[i] != '.' || len(t.Words) == first {
		return true
	}
	w := t.Words[len(t.Words)-1]
	if w.End != i {
		return true
	}
	if i+2 < len(s) && s[i+1] == ' ' && isDigit(w.Fold[0]) && len(w.Fold) <= 2 { // "9. November 1989"
		if end := wordEnd(s, i+2); quantity.IsMonth(foldWord(s[i+2:end])) && end+1 < len(s) && isDigit(s[end+1]) {
			return false
		}
	}
	if abbreviations[w.Fold] || (quantity.IsMonth(w.Fold) || numbering[w.Fold]) && i+2 < len(s) && isDigit(s[i+2]) {
		return false
	}
	if len(w.Fold) == 1 && w.Start > 1 && s[w.Start-1] == '.' && w.Fold[0] >= 'a' && s[w.Start] >= 'a' && isAlnum(s[w.Start-2]) { // i.e., e.g.
		return false
	}
	if len(w.Fold) == 1 && w.Start > 0 && s[w.Start-1] >= utf8.RuneSelf {
		return true // "20 °C. For comparison, …"
	}
	if len(w.Fold) == 1 {
		// An initial, or the number of a list item at the start of a sentence: "J. K. Rowling", "1. Paris".
		if isDigit(w.Fold[0]) {
			return len(t.Words)-1 != first
		}
		if n := len(t.Words); n-1 > first {
			if lettered[t.Words[n-2].Fold] { // "It is not D. It is C.", but "It is J. K. Rowling."
				return i+3 >= len(s) || s[i+3] != '.'
			}
		}
		return !(s[w.Start] >= 'A' && s[w.Start] <= 'Z' && i+2 < len(s) && s[i+1] == ' ' && s[i+2] >= 'A' && s[i+2] <= 'Z') || w.Fold == "i"
	}
	return true
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

// Package answer brings answers to normal forms, so that two answers are the same where their forms are equal strings.
//
// Answers are model output: every function here takes time linear in its input and bounded memory, whatever the text.
package answer

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/quantity"
)

// A Relation says when two answers are equal.
type Relation string

const (
	Exact      Relation = "exact"      // the same bytes
	Normalized Relation = "normalized" // the same words: see Words
	Numeric    Relation = "numeric"    // the same number: see quantity.Number
	Choice     Relation = "choice"     // the same option letter, or the same words where no letter is named: see Letter
)

// ParseRelation returns the relation of that name, and an error that lists the names where there is none.
func ParseRelation(name string) (Relation, error) {
	switch r := Relation(name); r {
	case Exact, Normalized, Numeric, Choice:
		return r, nil
	}
	return "", fmt.Errorf("equality %q is unknown: exact, normalized, numeric or choice", name)
}

// Normalize returns the form of s under rel; two answers are equal if and only if their forms are. It is "" for
// blank text, and under Numeric for text without a number. Normalizing a form again changes nothing. It panics on
// an unknown relation.
func Normalize(rel Relation, s string) string {
	switch rel {
	case Exact:
		if strings.TrimSpace(s) == "" {
			return ""
		}
		return s
	case Normalized:
		return Words(s)
	case Numeric:
		if n, ok := quantity.Number(s); ok {
			return n.RatString()
		}
		return ""
	case Choice:
		letter, _ := Letter(s)
		inside, _ := Letter(Words(s)) // out of its quotes or closing marks a letter may show
		return cmp.Or(letter, inside, Words(s))
	}
	panic(fmt.Sprintf("answer: unknown relation %q", string(rel)))
}

// Words returns the form of a short answer: Unicode NFC, case folded, inner space collapsed, outer quotes and
// closing .,;:!? dropped, one leading article (a, an, the) dropped before another word that is no article. Each
// rule is applied until none applies; none drops what would leave nothing, and nothing inside the answer is
// touched: "C#" and "C", "10²" and "102", "Vitamin A" and "vitamin" stay apart. Blank text gives "".
// Words(Words(s)) == Words(s). Invalid UTF-8 becomes U+FFFD.
func Words(s string) string { return strip(strings.Join(strings.Fields(fold(s)), " ")) }

// fold returns s composed (NFC) and with full case folding, several times: folding can undo composition, and
// composition can make a character that folds.
func fold(s string) string {
	if !strings.ContainsFunc(s, beyondASCII) {
		return strings.ToLower(s)
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	for range 4 {
		s = norm.NFC.String(cases.Fold().String(norm.NFD.String(s)))
	}
	return s
}

func beyondASCII(r rune) bool { return r >= utf8.RuneSelf }

// quotes pairs each opening quote with those that close it.
var quotes = map[rune]string{
	'"': `"`, '\'': `'`, '`': "`'", '“': "”“", '”': "”", '‘': "’‘", '’': "’", '„': "“”", '‚': "‘’",
	'«': "»", '»': "«", '‹': "›", '›': "‹", '「': "」", '『': "』",
}

// strip drops closing marks, outer quotes and an article from a collapsed, folded s.
func strip(s string) string {
	for before := ""; s != before; {
		before, s = s, dropArticle(unquote(cmp.Or(strings.TrimRight(s, ".,;:!? "), s)))
	}
	return s
}

// unquote drops a pair of quotes around s, unless one of the two stands inside too: `"yes" or "no"` has no outer
// quotes. That also bounds the layers by the kinds of quotes.
func unquote(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	last, lastSize := utf8.DecodeLastRuneInString(s[size:])
	inner := strings.Trim(s[size:len(s)-lastSize], " ")
	if inner == "" || !strings.ContainsRune(quotes[first], last) ||
		strings.ContainsAny(inner, string([]rune{first, last})) {
		return s
	}
	return inner
}

func dropArticle(s string) string {
	word, rest, _ := strings.Cut(s, " ")
	next, _, _ := strings.Cut(rest, " ")
	if !isArticle(word) || isArticle(next) || !strings.ContainsFunc(next, isWord) {
		return s
	}
	return rest
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func isArticle(w string) bool { return w == "a" || w == "an" || w == "the" }

var (
	// "B", "(b)", "**B.**", "\boxed{B}"
	bareLetter = pattern.New(`^[\s*_("'\[]*(?:\\(?:boxed|text|mathrm)\{)*\s*\(?([A-Za-z])\)?\s*\}*[\s*_)"'\].:,;!]*$`)
	// "B. Paris", "(B) Paris", "B: Paris", "B, because it is Paris"
	leadingLetter = pattern.New(
		`^[\s*_"']*(?:[(\[]([A-Za-z])[)\]],?|([A-Za-z])[).:]|([A-Z])[*_]*,\s+(?:because|since|as|for))[*_]*\s+\S`)
	// "the answer is (B)", "Answer: B", "option B is right"; the last one counts. Small letters in brackets only:
	// "answer is a dog".
	namedLetter = pattern.New(`(?:[Aa]nswer|ANSWER|[Oo]ption|[Cc]hoice)(?:\s+is|\s*:)?[\s*_:"']*(?:\\boxed\{)?`+
		`(?:[(\[]([A-Za-z])[)\]]|([A-Z])(?:[\s*_.,;:!)"'}\]]|$))`, "nswer", "NSWER", "ption", "hoice")
)

// Letter returns the letter of the option that s names, in small type, and false if it names none. It reads a
// letter alone, else the last one that is called answer, option or choice, else one in front.
func Letter(s string) (string, bool) {
	m := bareLetter.FindStringSubmatch(s)
	if m == nil {
		for _, m = range namedLetter.FindAllStringSubmatch(s, -1) { // the last one
		}
	}
	if m == nil {
		m = leadingLetter.FindStringSubmatch(s[:min(len(s), 64)])
	}
	return strings.ToLower(strings.Join(m[min(1, len(m)):], "")), m != nil
}

var formulaMarkup = strings.NewReplacer(`\cdot`, "", `\times`, "", `\text`, "", `\mathrm`, "", `\pi`, "π", "pi", "π",
	" ", "", "$", "", `\`, "", "{", "", "}", "", "_", "", "^", "", "*", "", "·", "", "×", "",
	"`", "", "?", "", "!", "", ".", "", ",", "", ";", "", ":", "")

// plainFormula returns a formula without markup, blanks and signs of multiplication, its exponents and indices as
// plain digits.
func plainFormula(s string) string { return formulaMarkup.Replace(norm.NFKC.String(s)) }

package evidence

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Quote is a stretch of text that an answer presents as somebody's words.
type Quote struct {
	Text  string
	Words []string // compared forms
}

const (
	maxQuotes    = 256  // that are read of one text
	longestQuote = 4000 // bytes
)

// closing are the marks that end a quote by the one that opens it.
var closing = map[rune]string{'"': "\"", '“': "”", '„': "“”", '«': "»", '»': "«", '‘': "’",
	'\'': "'", '‚': "‘’", '‹': "›", '「': "」", '『': "』", '”': "”"}

// single are marks that open a quote only behind a blank or a bracket, as they stand elsewhere for something else.
const single = "'‘‚»”"

// Quotes returns what stands in quotation marks, and the lines of block quotes ("> …"), in order, at most 256. Single quotes
// count where they open behind a blank, so that an apostrophe does not. Text of one word is a mention and no quote. In data,
// {"key": "text"}, the marks quote nobody, but for the texts under keys such as "quote".
func (t *Text) Quotes() []Quote {
	s := t.Plain
	var qs []Quote
	add := func(s string) {
		if q := (Quote{strings.TrimSpace(s), Phrase(s)}); len(q.Words) > 1 {
			qs = append(qs, q)
		}
	}
	data, quotes := dataKey.MatchString(s), false // whether the marks are those of data, and its last key is of quotes
	open := 0                                     // marks that nothing closes
	for i := 0; i < len(s) && open < maxQuotes && len(qs) < maxQuotes; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '>' && (i == 0 || s[i-1] == '\n') {
			line, _, _ := strings.Cut(s[i+1:], "\n")
			add(strings.Trim(attribution.ReplaceAllString(line, ""), ` "“”„«»`))
			i += n + len(line)
			continue
		}
		marks := closing[r]
		if i > 0 && strings.ContainsRune(single, r) && strings.IndexByte(" \n(", s[i-1]) < 0 {
			marks = ""
		}
		if i += n; marks == "" {
			continue
		}
		end, width := closes(s[i:min(len(s), i+longestQuote)], marks)
		if end < 0 {
			open++
			continue
		}
		quote := s[i : i+end]
		i += end + width
		if data && r == '"' && strings.HasPrefix(s[i:], ":") {
			quotes = quoting.MatchString(quote)
		} else if !data || r != '"' || quotes {
			add(quote)
		}
	}
	return qs
}

var (
	// dataKey is a key of data in quotation marks and what follows it.
	dataKey = regexp.MustCompile(`"[^" \n]{1,40}":[ \n]{0,10}(?:["\-\[0-9]|null|true|false)`)
	// quoting is in the keys under which data holds quotes.
	quoting = regexp.MustCompile(`(?i)` + anyOf("quoting"))
	// attribution is what names a passage at the end of a block quote: "… by the mayor. — L1", "… by the mayor. [L1]".
	attribution = regexp.MustCompile(`(?:—|–|\(|\[)[ ]?[^ —–(\[]+(?: [^ —–(\[]+){0,2}$`)
)

// closes returns where one of the marks ends a quote, and the mark's width; -1 where none does.
func closes(s, marks string) (end, width int) {
	for i, r := range s {
		n := utf8.RuneLen(r)
		apostrophe := (r == '\'' || r == '’') && i+n < len(s) && isAlnum(s[i+n])
		if strings.ContainsRune(marks, r) && !apostrophe {
			return i, n
		}
	}
	return -1, 0
}

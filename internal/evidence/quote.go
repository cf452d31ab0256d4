package evidence

import (
	"slices"
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

// quoting are parts of the keys under which data holds quotes.
var quoting = ordered("quoting")

// closing are the marks that end a quote by the one that opens it.
var closing = map[rune]string{'"': "\"", '“': "”", '„': "“”", '«': "»", '»': "«", '‘': "’", '\'': "'", '‚': "‘’", '‹': "›", '「': "」", '『': "』", '”': "”"}

// single are marks that open a quote only behind a blank or a bracket, as they stand elsewhere for something else.
const single = "'‘‚»”"

// Quotes returns what stands in quotation marks, and the lines of block quotes ("> …"), in order, at most 256. Single quotes count
// where they open behind a blank, so that an apostrophe does not. Text of one word is a mention and no quote. In data, {"key": "text"},
// the marks quote nobody, but for the texts under keys such as "quote".
func (t *Text) Quotes() []Quote {
	s := t.Plain
	if !strings.ContainsAny(s, "\"“„«»‘'‚‹「『”>") {
		return nil
	}
	var qs []Quote
	add := func(s string) {
		if q := (Quote{strings.TrimSpace(s), Phrase(s)}); len(q.Words) > 1 {
			qs = append(qs, q)
		}
	}
	data, key := isData(s), ""
	open := 0 // marks that nothing closes
	for i := 0; i < len(s) && open < maxQuotes && len(qs) < maxQuotes; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '>' && (i == 0 || s[i-1] == '\n') {
			line, _, _ := strings.Cut(s[i+1:], "\n")
			add(blockQuote(strings.TrimSpace(line)))
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
		switch {
		case !data || r != '"':
			add(quote)
		case strings.HasPrefix(s[i:], ":"):
			key = strings.ToLower(quote)
		case slices.ContainsFunc(quoting, func(part string) bool { return strings.Contains(key, part) }):
			add(quote)
		}
	}
	return qs
}

// closes returns where one of the marks ends a quote, and the mark's width; -1 where none does.
func closes(s, marks string) (end, width int) {
	for from := 0; from < len(s); {
		k := strings.IndexAny(s[from:], marks)
		if k < 0 {
			break
		}
		k += from
		r, n := utf8.DecodeRuneInString(s[k:])
		if (r == '\'' || r == '’') && k+n < len(s) && isAlnum(s[k+n]) { // an apostrophe
			from = k + n
			continue
		}
		return k, n
	}
	return -1, 0
}

// isData reports whether a text is data with keys in quotation marks: a mark, letters without a blank, a mark and a colon, and behind it a
// text, a number, a list or the like.
func isData(s string) bool {
	for from := 0; ; {
		k := strings.Index(s[from:], `":`)
		if k < 0 {
			return false
		}
		k += from
		start := strings.LastIndexAny(s[max(0, k-40):k], "\" \n")
		value := strings.TrimLeft(s[k+2:min(len(s), k+12)], " \n")
		if start >= 0 && s[max(0, k-40)+start] == '"' && max(0, k-40)+start+1 < k && value != "" &&
			(strings.IndexByte("\"-[", value[0]) >= 0 || isDigit(value[0]) || strings.HasPrefix(value, "null") || strings.HasPrefix(value, "true") || strings.HasPrefix(value, "false")) {
			return true
		}
		from = k + 2
	}
}

// blockQuote returns what a line of a block quote quotes: what stands in its quotation marks, if it opens with one, else all but the passage
// that is named at its end, as in "… by the mayor. — L1" or "… by the mayor. [L1]".
func blockQuote(line string) string {
	if r, n := utf8.DecodeRuneInString(line); r == '"' || r == '“' || r == '„' || r == '«' {
		if k := strings.LastIndexAny(line, closing[r]); k > n {
			return line[n:k]
		}
		return line[n:]
	}
	for _, mark := range []string{"—", "–", "(", "["} {
		if k := strings.LastIndex(line, mark); k > 0 && len(line)-k <= 24 && len(strings.Fields(line[k+len(mark):])) <= 3 {
			return strings.TrimRight(line[:k], " \"”")
		}
	}
	return strings.Trim(line, " \"”")
}

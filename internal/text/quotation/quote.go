package quotation

import (
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/evidence"
)

// A Quote is a stretch of text that an answer presents as somebody's words.
type Quote struct {
	Text  string
	Words []string // compared forms
}

const (
	maxMarks     = 512  // of one text that are looked at
	longestQuote = 4000 // bytes
)

// Quotes returns what stands in quotation marks, and the lines of block quotes ("> …"), in order. Single quotes
// count where they open behind a blank, so that an apostrophe does not. Text of one word is a mention and no quote.
// In data, {"key": "text"}, the marks quote nobody, but for the texts under keys such as "quote".
func Quotes(t *evidence.Text) (qs []Quote) {
	s := t.Plain
	data, quotes := dataKey.MatchString(s), false // whether the marks are those of data, and its last key is of quotes
	end := 0
	for _, at := range quoteMark.FindAllStringIndex(s, maxMarks) {
		if at[0] < end {
			continue
		}
		m := quoted.FindStringSubmatch(s[at[0]:min(len(s), at[0]+longestQuote)])
		if m == nil {
			continue
		}
		end = at[0] + len(m[0])
		text, mark := strings.Join(m[1:], ""), s[at[0]]
		if mark == '>' {
			text = strings.Trim(attribution.ReplaceAllString(text, ""), ` "“”„«»`)
		}
		if data && mark == '"' && strings.HasPrefix(s[end:], ":") {
			quotes = quoting.MatchString(text)
		} else if words := evidence.Phrase(text); len(words) > 1 && (!data || mark != '"' || quotes) {
			qs = append(qs, Quote{strings.TrimSpace(text), words})
		}
	}
	return qs
}

var (
	// quoteMark finds marks that open a quote, some only behind a blank or a bracket, as they stand elsewhere for
	// something else.
	quoteMark = pattern.New(`(?m)^>|["“„«‹「『]|(?:^|[ (])['‘‚»”]`)
	// quoted is a quote from its mark on.
	quoted = pattern.New(`\A[ (]?(?:>(.*)|"([^"]*)"|[“”]([^”]*)”|„([^“”]*)[“”]|‚([^‘’]*)[‘’]|«([^»]*)»|»([^«]*)«|` +
		`‹([^›]*)›|「([^」]*)」|『([^』]*)』|'((?:[^']|'[\pL\pN])*)'|‘((?:[^’]|’[\pL\pN])*)’)`)
	// dataKey is a key of data in quotation marks and what follows it.
	dataKey = pattern.New(`"[^" \n]{1,40}":[ \n]{0,10}(?:["\-\[0-9]|null|true|false)`)
	// quoting is in the keys under which data holds quotes.
	quoting = pattern.New(`(?i)` + evidence.AnyOf("quoting"))
	// attribution is what names a passage at the end of a block quote: "… by the mayor. — L1", "… by the mayor. [L1]".
	attribution = pattern.New(`(?:—|–|\(|\[)[ ]?[^ —–(\[]+(?: [^ —–(\[]+){0,2}$`)
)

// Package quotation tells what a text quotes and cites of the passages that came with a question, and whether they hold
// it. Every function is pure and linear in its bounded input, which is hostile.
package quotation

import (
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/evidence"
)

// A Source is one piece of context, ready to be searched.
type Source struct {
	ID     string
	name   string // the words of ID
	words  string // in their compared forms, with a blank before and behind each
	number string // of the section with which it opens: "Section 2", "§ 2"
}

// NewSource prepares a piece of context.
func NewSource(id, text string) Source {
	t := evidence.Read(text)
	p := Source{ID: id, name: strings.Join(evidence.Phrase(id), " "), words: joined(t.Forms())}
	if t.Is(0, "title") && t.Fold(2) != "" && isNumber(t.Fold(1)[:1]) {
		p.number = t.Fold(1)
	}
	return p
}

func joined(words []string) string { return " " + strings.Join(words, " ") + " " }

// Contains reports whether the words stand in the passage one after another.
func (p Source) Contains(words []string) bool {
	return len(words) > 0 && strings.Contains(p.words, joined(words))
}

// Locate returns the first passage that holds all words of the quote in order without a gap, else the few over
// whose ends it runs, else none. An ellipsis in the quote, or words in square brackets, may stand for any gap.
// White space, case, accents and punctuation do not count, nor does the name of a passage at the quote's beginning
// or end, as in "L1: it was permanent".
func Locate(q Quote, passages []Source) []Source {
	quote := q.Text
	for _, p := range passages {
		quote = strings.TrimSuffix(strings.TrimPrefix(quote, p.ID+":"), "("+p.ID+")")
	}
	var parts []string // what stands between the gaps
	words := 0
	for _, part := range gaps.Regexp().Split(bracketed.ReplaceAllString(quote, "$1$2$3$4"), -1) {
		if p := evidence.Phrase(strings.Trim(part, " []()")); len(p) > 0 {
			parts, words = append(parts, joined(p)), words+len(p)
		}
	}
	for run := 1; run <= longestRun && words > 0 && (run == 1 || words >= runningWords); run++ {
		for i := 0; i+run <= len(passages); i++ {
			if holdParts(passages[i:i+run], parts) {
				return passages[i : i+run]
			}
		}
	}
	return nil
}

const (
	longestRun   = 3 // passages that a quote may run over
	runningWords = 5 // of a quote by which it takes more than chance to run over the end of a passage
)

// holdParts reports whether passages, read as one text, hold the parts of a quote one behind another.
func holdParts(passages []Source, parts []string) bool {
	text := ""
	for _, p := range passages {
		text = strings.TrimRight(text, " ") + p.words // which may be empty
	}
	ok := true
	for k := 0; k < len(parts) && ok; k++ {
		_, text, ok = strings.Cut(text, parts[k])
		text = " " + text
	}
	return ok
}

var (
	bracketed = pattern.New(`\[(\pL+)\]([\pL\pN])|([\pL\pN])\[(\pL+)\]`) // changes the form of a word: "[T]he"
	gaps      = pattern.New(`…|\.{3,}|\[[^\]]*\]`)
)

// Longest returns the longest run of words of the text that stands in a passage without a gap, at least that many
// words, and that passage; 0 if there is none. At most the first 1000 words of the text, and 24,000 bytes of a
// passage, are looked at.
func Longest(t *evidence.Text, passages []Source, atLeast int) (where Source, best evidence.Span) {
	words := t.Forms()
	words = words[:min(len(words), 1000)]
	for _, p := range passages {
		held := Source{words: p.words[:min(len(p.words), 24_000)]}
		for start, end := 0, 1; end <= len(words); end++ {
			for start < end && !held.Contains(words[start:end]) {
				start++
			}
			if n := end - start; n >= atLeast && n > best.End-best.Start {
				best, where = evidence.Span{Start: start, End: end}, p
			}
		}
	}
	return where, best
}

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
	quoteMark = pattern.New(`(?m)^>|["“„«‹「『]|(?:^|[ (])['‘‚»”]`, ">", `"`, "“", "„", "«", "‹", "「", "『",
		"'", "‘", "‚", "»", "”")
	// quoted is a quote from its mark on.
	quoted = pattern.New(`\A[ (]?(?:>(.*)|"([^"]*)"|[“”]([^”]*)”|„([^“”]*)[“”]|‚([^‘’]*)[‘’]|«([^»]*)»|»([^«]*)«|` +
		`‹([^›]*)›|「([^」]*)」|『([^』]*)』|'((?:[^']|'[\pL\pN])*)'|‘((?:[^’]|’[\pL\pN])*)’)`)
	// dataKey is a key of data in quotation marks and what follows it.
	dataKey = pattern.New(`"[^" \n]{1,40}":[ \n]{0,10}(?:["\-\[0-9]|null|true|false)`, `":`)
	// quoting is in the keys under which data holds quotes.
	quoting = pattern.New(`(?i)` + evidence.AnyOf("quoting"))
	// attribution is what names a passage at the end of a block quote: "… by the mayor. — L1", "… by the mayor. [L1]".
	attribution = pattern.New(`(?:—|–|\(|\[)[ ]?[^ —–(\[]+(?: [^ —–(\[]+){0,2}$`)
)

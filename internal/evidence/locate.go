package evidence

import (
	"regexp"
	"slices"
	"strings"
)

// Passage is one piece of context, ready to be searched.
type Passage struct {
	ID     string
	name   []string // the words of ID
	words  []string // in their compared forms
	number string   // of the section with which it opens: "Section 2", "§ 2"
}

// NewPassage prepares a piece of context.
func NewPassage(id, text string) Passage {
	t := Read(text)
	p := Passage{ID: id, name: Phrase(id), words: t.forms()}
	if ws := p.words; len(ws) > 2 && titles[ws[0]] && isDigit(ws[1][0]) {
		p.number = ws[1]
	} else if len(ws) > 1 && strings.HasPrefix(t.Plain, "§") {
		p.number = ws[0]
	}
	return p
}

// Contains reports whether the words stand in the passage one after another.
func (p Passage) Contains(words []string) bool {
	return len(words) > 0 && holdParts([]Passage{p}, [][]string{words})
}

// LocateAll returns the first passage that holds all words of the quote in order without a gap, else the few over whose ends it
// runs; none where it does not stand in the context so. An ellipsis in the quote, or words in square brackets, may stand for any
// gap. White space, case, accents, punctuation and quotation marks do not count, nor does the name of a passage at the quote's
// beginning or end, as in "L1: it was permanent".
func LocateAll(q Quote, passages []Passage) []Passage {
	for _, text := range []string{q.Text, unlabelled(q.Text, passages)} {
		parts := quoteParts(text)
		words := len(slices.Concat(parts...))
		for run := 1; run <= longestRun && words > 0 && (run == 1 || words >= runningWords); run++ {
			for i := 0; i+run <= len(passages); i++ {
				if holdParts(passages[i:i+run], parts) {
					return passages[i : i+run]
				}
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
func holdParts(passages []Passage, parts [][]string) bool {
	words := passages[0].words
	for _, p := range passages[1:] {
		words = slices.Concat(words, p.words)
	}
	for _, part := range parts {
		at := 0
		for at+len(part) <= len(words) && !slices.Equal(words[at:at+len(part)], part) {
			at++
		}
		if at += len(part); at > len(words) {
			return false
		}
		words = words[at:]
	}
	return true
}

var (
	bracketed = regexp.MustCompile(`\[(\pL+)\]([\pL\pN])|([\pL\pN])\[(\pL+)\]`) // changes the form of a word: "[T]he"
	gaps      = regexp.MustCompile(`…|\.{3,}|\[[^\]]*\]`)
)

// quoteParts returns the words of a quote that stand between its gaps: ellipses and words that the writer put in square brackets.
func quoteParts(s string) (parts [][]string) {
	for _, part := range gaps.Split(bracketed.ReplaceAllString(s, "$1$2$3$4"), -1) {
		if words := Phrase(strings.Trim(part, " []()")); len(words) > 0 {
			parts = append(parts, words)
		}
	}
	return parts
}

// unlabelled returns a quote without the name of a passage at the beginning and the end.
func unlabelled(quote string, passages []Passage) string {
	for _, p := range passages {
		quote = strings.TrimSuffix(strings.TrimPrefix(quote, p.ID+":"), "("+p.ID+")")
	}
	return quote
}

// Longest returns the longest run of words of the text that stands in a passage without a gap, at least that many words, and that
// passage; 0 if there is none. At most the first 1000 words of the text, and 4000 of a passage, are looked at.
func (t *Text) Longest(passages []Passage, atLeast int) (where Passage, best Span) {
	words := t.forms()
	words = words[:min(len(words), 1000)]
	for _, p := range passages {
		held := Passage{words: p.words[:min(len(p.words), 4000)]}
		for start, end := 0, 1; end <= len(words); end++ {
			for start < end && !held.Contains(words[start:end]) {
				start++
			}
			if n := end - start; n >= atLeast && n > best.End-best.Start {
				best, where = Span{start, end}, p
			}
		}
	}
	return where, best
}

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

// Locate returns the first passage that holds a quote: see LocateAll.
func Locate(q Quote, passages []Passage) (Passage, bool) {
	all := LocateAll(q, passages)
	if len(all) == 0 {
		return Passage{}, false
	}
	return all[0], true
}

// LocateAll returns the first passage that holds all words of the quote in order without a gap, else the few over whose ends it
// runs; none where it does not stand in the context so. An ellipsis in the quote, or words in square brackets, may stand for any
// gap. White space, case, accents, punctuation and quotation marks do not count, nor does the name of a passage at the quote's
// beginning or end, as in "L1: it was permanent".
func LocateAll(q Quote, passages []Passage) []Passage {
	parts := quoteParts(q.Text)
	for _, parts := range [][][]string{parts, unlabelled(parts, passages)} {
		words := 0
		for _, part := range parts {
			words += len(part)
		}
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

// unlabelled returns the parts of a quote without the name of a passage at the beginning and the end.
func unlabelled(parts [][]string, passages []Passage) [][]string {
	parts = slices.Clone(parts)
	for _, p := range passages {
		if last := len(parts) - 1; last >= 0 && !isNumber(strings.Join(p.name, "")) {
			if n := len(p.name); len(parts[0]) > n && slices.Equal(parts[0][:n], p.name) {
				parts[0] = parts[0][n:]
			}
			if n := len(parts[last]) - len(p.name); n > 0 && slices.Equal(parts[last][n:], p.name) {
				parts[last] = parts[last][:n]
			}
		}
	}
	return parts
}

// Longest returns the longest run of words of the text that stands in a passage without a gap, at least that many words, and that
// passage; 0 if there is none. At most the first 2000 words of the text, and 4000 of a passage, are looked at.
func (t *Text) Longest(passages []Passage, atLeast int) (where Passage, best Span) {
	words := t.forms()
	words = words[:min(len(words), 2000)]
	for _, p := range passages {
		held := p.words[:min(len(p.words), 4000)]
		at := map[string][]int{}
		for j, w := range held {
			if len(at[w]) < 64 {
				at[w] = append(at[w], j)
			}
		}
		for i := range words {
			for _, j := range at[words[i]] {
				if i > 0 && j > 0 && words[i-1] == held[j-1] {
					continue // inside a run that was measured from its start
				}
				k := 0
				for i+k < len(words) && j+k < len(held) && words[i+k] == held[j+k] {
					k++
				}
				if k >= atLeast && k > best.End-best.Start {
					best, where = Span{i, i + k}, p
				}
			}
		}
	}
	return where, best
}

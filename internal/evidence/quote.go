package evidence

import (
	"strings"
	"unicode/utf8"
)

// A Quote is a stretch of text that an answer presents as somebody's words.
type Quote struct {
	Text  string
	Words []string // compared forms
}

// maxQuotes bounds the quotes read of one text.
const maxQuotes = 256

var closing = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '‘': '’', '\'': '\''}

// Quotes returns what stands in quotation marks, and the lines of block quotes ("> …"), in order, at most 256. Single quotes count
// where they open behind a blank, so that an apostrophe does not. Text of one word is a mention and no quote.
func (t *Text) Quotes() []Quote {
	var qs []Quote
	add := func(s string) {
		if q := (Quote{strings.TrimSpace(s), Phrase(s)}); len(q.Words) > 1 && len(qs) < maxQuotes {
			qs = append(qs, q)
		}
	}
	s := t.Plain
	if !strings.ContainsAny(s, "\"“„«‘'>") {
		return nil
	}
	open := 0 // marks that nothing closes
	for i := 0; i < len(s) && open < maxQuotes && len(qs) < maxQuotes; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '>' && (i == 0 || s[i-1] == '\n') {
			end := len(s)
			if k := strings.IndexByte(s[i:], '\n'); k >= 0 {
				end = i + k
			}
			add(blockQuote(strings.TrimSpace(s[i+1 : end])))
			i = end
			continue
		}
		c, opens := closing[r]
		if opens && (r == '\'' || r == '‘') && i > 0 && s[i-1] != ' ' && s[i-1] != '\n' && s[i-1] != '(' {
			opens = false
		}
		if !opens {
			i += n
			continue
		}
		rest := s[i+n : min(len(s), i+n+4000)]
		end := -1
		for from := 0; from < len(rest); {
			k := strings.IndexRune(rest[from:], c)
			if k < 0 {
				break
			}
			k += from
			after := k + utf8.RuneLen(c)
			if (c == '\'' || c == '’') && after < len(rest) && isAlnum(rest[after]) { // an apostrophe
				from = after
				continue
			}
			end = k
			break
		}
		if end < 0 {
			open++
			i += n
			continue
		}
		add(rest[:end])
		i += n + end + utf8.RuneLen(c)
	}
	return qs
}

// blockQuote returns what a line of a block quote quotes: what stands in its quotation marks, if it opens with one, else all but the passage
// that is named at its end, as in "… by the mayor. — L1" or "… by the mayor. [L1]".
func blockQuote(line string) string {
	if r, n := utf8.DecodeRuneInString(line); r == '"' || r == '“' || r == '„' || r == '«' {
		if k := strings.LastIndex(line, string(closing[r])); k > n {
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

// Passage is one piece of context, ready to be searched.
type Passage struct {
	ID   string
	text *Text
}

// NewPassage prepares a piece of context.
func NewPassage(id, text string) Passage { return Passage{id, Read(text)} }

// Contains reports whether the words stand in the passage one after another.
func (p Passage) Contains(words []string) bool {
	return len(words) > 0 && containsWords(p.text.Words, words)
}

func containsWords(ws []Word, words []string) bool {
	for i := 0; i+len(words) <= len(ws); i++ {
		if ws[i].Fold != words[0] {
			continue
		}
		j := 1
		for j < len(words) && ws[i+j].Fold == words[j] {
			j++
		}
		if j == len(words) {
			return true
		}
	}
	return false
}

// Locate returns the first passage that holds all words of the quote in order without a gap; an ellipsis in the quote may stand for
// any gap within one passage. White space, case, accents, punctuation and quotation marks do not count.
func Locate(q Quote, passages []Passage) (Passage, bool) {
	parts := strings.FieldsFunc(strings.ReplaceAll(q.Text, "...", "…"), func(r rune) bool { return r == '…' })
	for _, p := range passages {
		held := len(parts) > 0
		for _, part := range parts {
			if words := trimPhrase(part); len(words) > 0 && !p.Contains(words) {
				held = false
				break
			}
		}
		if held {
			return p, true
		}
	}
	return Passage{}, false
}

// trimPhrase is Phrase, but a bracketed insertion such as [the] at the rim is no part of a quote.
func trimPhrase(s string) []string { return Phrase(strings.Trim(s, " []()")) }

// Longest returns the longest run of words of the text that stands in a passage without a gap, at least that many words, and that
// passage; 0 if there is none. At most the first 2000 words of the text are looked at.
func (t *Text) Longest(passages []Passage, atLeast int) (Passage, Span) {
	var best Span
	var where Passage
	n := len(t.Words)
	if n > 2000 {
		n = 2000
	}
	for _, p := range passages {
		ws := p.text.Words
		if len(ws) > 4000 {
			ws = ws[:4000]
		}
		at := map[string][]int{}
		for j, w := range ws {
			if len(at[w.Fold]) < 64 {
				at[w.Fold] = append(at[w.Fold], j)
			}
		}
		for i := 0; i < n; i++ {
			for _, j := range at[t.Words[i].Fold] {
				if i > 0 && j > 0 && t.Words[i-1].Fold == ws[j-1].Fold {
					continue // inside a run that was measured from its start
				}
				k := 0
				for i+k < n && j+k < len(ws) && t.Words[i+k].Fold == ws[j+k].Fold {
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

// A Citation is a passage that a text names by its identifier.
type Citation struct {
	ID    string // as in the context, or as written where the context has none like it
	Known bool
	Words Span
}

var citationNouns = map[string]bool{"line": true, "lines": true, "passage": true, "passages": true, "snippet": true, "snippets": true, "source": true, "sources": true, "document": true, "paragraph": true, "excerpt": true, "statement": true, "doc": true, "ref": true}

// titles are words that open a passage that may be named by them and their number: "Section 2. No dwelling may …".
var titles = map[string]bool{"section": true, "article": true, "rule": true, "clause": true, "paragraph": true, "chapter": true, "item": true, "point": true, "regulation": true}

// ordinals are words that count passages from the first; "last" and "final" count from the end.
var ordinals = map[string]int{
	"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5, "sixth": 6, "6th": 6, "last": -1, "final": -1,
}

// byOrdinal returns the passage that a text names at the i-th word by its place: "the second line", but not "the first lines".
func (t *Text) byOrdinal(i int, passages []Passage) (string, bool) {
	n := ordinals[t.Words[i].Fold]
	if n == 0 || n > len(passages) || i+1 == len(t.Words) || t.Words[i+1].Clause != t.Words[i].Clause || len(passages) < 2 {
		return "", false
	}
	if w := t.Words[i+1].Fold; !citationNouns[w] || strings.HasSuffix(w, "s") || w == "source" || w == "document" {
		return "", false
	}
	if n < 0 {
		n += len(passages) + 1
	}
	return passages[n-1].ID, true
}

// Citations returns the identifiers of passages that the text names, in order. An identifier that is more than digits counts wherever
// it stands as a word; one of digits, or a single letter, only in brackets or behind "line", "passage" and the like. A name of
// the same pattern (letters, then a number) that no passage has is returned as unknown. A passage may be named by its place, too: "the
// second line".
func (t *Text) Citations(passages []Passage) []Citation {
	ids := map[string]string{}
	var prefix string
	for _, p := range passages {
		id := strings.ToLower(p.ID)
		ids[id] = p.ID
		prefix = strings.TrimRight(id, "0123456789")
	}
	var found []Citation
	inList := false
	for i, w := range t.Words {
		if titles[w.Fold] && i+1 < len(t.Words) {
			for _, p := range passages {
				if ws := p.text.Words; len(ws) > 2 && ws[0].Fold == w.Fold && ws[1].Fold == t.Words[i+1].Fold && isDigit(ws[1].Fold[0]) {
					found = append(found, Citation{p.ID, true, Span{i, i + 2}})
				}
			}
		}
		if id, ok := t.byOrdinal(i, passages); ok {
			found = append(found, Citation{id, true, Span{i, i + 1}})
		}
		noun := citationNouns[w.Fold]
		if noun {
			inList = true
			continue
		}
		bracketed := w.Start > 0 && w.End < len(t.Plain) && strings.ContainsRune("[(【", rune(t.Plain[w.Start-1])) && strings.ContainsRune("]),:;", rune(t.Plain[w.End]))
		id, known := ids[w.Fold]
		digits := strings.Trim(w.Fold, "0123456789") == ""
		if !known && digits && (inList || bracketed && t.Plain[w.Start-1] == '[') {
			id, known = ids[prefix+w.Fold]
		}
		plain := len(w.Fold) > 1 && !digits || known && !digits && t.sourced(i)
		switch {
		case known && (plain || inList || bracketed):
			found = append(found, Citation{id, true, Span{i, i + 1}})
		case !known && len(passages) > 0 && len(w.Fold) <= 6 && (inList || bracketed) && isLike(w.Fold, prefix):
			found = append(found, Citation{t.Plain[w.Start:w.End], false, Span{i, i + 1}})
		case w.Fold == "and" || w.Fold == "or" || w.Fold == "to":
			continue
		}
		inList = inList && known
	}
	return found
}

// sourced reports whether the i-th word, a capital letter alone, is named as a source: "according to C", "see B".
func (t *Text) sourced(i int) bool {
	w := t.Words[i]
	if c := t.Plain[w.Start]; w.End-w.Start != 1 || c < 'A' || c > 'Z' || i == 0 || t.Words[i-1].Clause != w.Clause {
		return false
	}
	switch t.Words[i-1].Fold {
	case "to", "see", "per", "by", "in", "from", "cf":
		return true
	}
	return false
}

// isLike reports whether w is the prefix of the identifiers and a number.
func isLike(w, prefix string) bool {
	rest, ok := strings.CutPrefix(w, prefix)
	return ok && prefix != "" && rest != "" && strings.Trim(rest, "0123456789") == ""
}

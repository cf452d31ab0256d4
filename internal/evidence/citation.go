package evidence

import (
	"slices"
	"strconv"
	"strings"
)

// A Citation is a passage that a text names by its identifier.
type Citation struct {
	ID    string // as in the context, or as written where the context has none like it
	Known bool
	Words Span
}

var (
	citationNouns = listed("citation")
	// titles are the words that open a passage that may be named by them and their number, "Section 2. No dwelling may …", by their forms.
	titles = named("title ")
	citing = listed("citing") // words before a source
)

// titled returns the passage that opens with the title and number which the i-th word begins, or whose number it is behind "§".
func (t *Text) titled(i int, passages []Passage) (Citation, bool) {
	title, number := titles[t.Words[i].Fold], i+1
	if isDigit(t.Words[i].Fold[0]) && strings.HasSuffix(strings.TrimRight(t.Plain[max(0, t.Words[i].Start-4):t.Words[i].Start], " "), "§") {
		number = i
	} else if title == "" || number == len(t.Words) || t.Words[number].Sentence != t.Words[i].Sentence {
		return Citation{}, false
	}
	n := t.Words[number].Fold
	if v := counted[n]; v != "" {
		n = v
	}
	for _, p := range passages {
		if ws := p.text.Words; len(ws) > 1 && strings.HasPrefix(p.text.Plain, "§") && ws[0].Fold == n {
			return Citation{p.ID, true, Span{i, number + 1}}, true
		}
		if ws := p.text.Words; len(ws) > 2 && titles[ws[0].Fold] != "" && (title == "" || ws[0].Fold == title) && ws[1].Fold == n && isDigit(ws[1].Fold[0]) {
			return Citation{p.ID, true, Span{i, number + 1}}, true
		}
	}
	return Citation{}, false
}

// counted are small numbers in words.
var counted = map[string]string{"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10"}

// ordinals are words that count passages from the first; "last" and "final" count from the end.
var ordinals = map[string]int{
	"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5, "sixth": 6, "6th": 6, "last": -1, "final": -1,
}

// byOrdinal returns the passages that a text names at the i-th word by their places: "the second line", "the first two lines", but not "the
// first lines".
func (t *Text) byOrdinal(i int, passages []Passage) []Passage {
	n := ordinals[t.Words[i].Fold]
	if n == 0 || n > len(passages) || i+1 == len(t.Words) || t.Words[i+1].Clause != t.Words[i].Clause || len(passages) < 2 {
		return nil
	}
	noun := t.Words[i+1].Fold
	if many, err := strconv.Atoi(counted[noun]); err == nil && i+2 < len(t.Words) && t.Words[i+2].Clause == t.Words[i].Clause { // "the first two lines"
		if w := t.Words[i+2].Fold; !citationNouns[w] || !strings.HasSuffix(w, "s") || many < 2 || many > len(passages) || n != 1 && n != -1 {
			return nil
		}
		if n == 1 {
			return passages[:many]
		}
		return passages[len(passages)-many:]
	}
	if !citationNouns[noun] || strings.HasSuffix(noun, "s") || noun == "source" || noun == "document" {
		return nil
	}
	if n < 0 {
		n += len(passages) + 1
	}
	return passages[n-1 : n]
}

// Citations returns the identifiers of passages that the text names, in order. An identifier that is more than digits counts wherever
// it stands as a word; one of digits, or a single letter, only in brackets or behind "line", "passage" and the like. A name of
// the same pattern (letters, then a number) that no passage has is returned as unknown. A passage may be named by its place, too: "the
// second line".
func (t *Text) Citations(passages []Passage) []Citation {
	ids := map[string]string{}
	var prefix string
	var found []Citation
	letters := len(passages) > 0  // all are named by one letter
	numbered := map[string]bool{} // what names of several words open with, if they end in a number
	for _, p := range passages {
		id := strings.ToLower(p.ID)
		ids[id] = p.ID
		prefix = strings.TrimRight(id, "0123456789")
		letters = letters && len(id) == 1 && prefix != ""
		if words := p.name; len(words) > 1 { // a name of several words: "doc-3"
			for _, s := range t.Find(words) {
				found = append(found, Citation{p.ID, true, s})
			}
			numbered[strings.Join(words[:len(words)-1], " ")] = isDigit(words[len(words)-1][0])
		}
	}
	for words, ok := range numbered { // "doc-9", where the last is doc-3
		if !ok {
			continue
		}
		for _, s := range t.Find(strings.Fields(words)) {
			known := func(c Citation) bool { return c.Words.Start == s.Start && c.Words.End == s.End+1 }
			if s.End < len(t.Words) && strings.Trim(t.Words[s.End].Fold, "0123456789") == "" && t.Words[s.End-1].End+1 == t.Words[s.End].Start && !slices.ContainsFunc(found, known) {
				found = append(found, Citation{t.Slice(Span{s.Start, s.End + 1}), false, Span{s.Start, s.End + 1}})
			}
		}
	}
	long := len(found)
	inList := false
	for i, w := range t.Words {
		if c, ok := t.titled(i, passages); ok {
			found = append(found, c)
		}
		for _, p := range t.byOrdinal(i, passages) {
			found = append(found, Citation{p.ID, true, Span{i, i + 1}})
		}
		noun := citationNouns[w.Fold]
		if noun {
			inList = true
			continue
		}
		bracketed := w.Start > 0 && w.End < len(t.Plain) && strings.ContainsRune("[(【", rune(t.Plain[w.Start-1])) && strings.ContainsRune("]),:;", rune(t.Plain[w.End]))
		id, known := ids[w.Fold]
		digits := strings.Trim(w.Fold, "0123456789") == ""
		if n := counted[w.Fold]; !known && inList && n != "" { // "line one", but not "line one of"
			if i+1 == len(t.Words) || t.Words[i+1].Fold != "of" {
				if id, known = ids[n]; !known {
					id, known = ids[prefix+n]
				}
			}
		}
		if !known && digits && (inList || bracketed && t.Plain[w.Start-1] == '[') {
			id, known = ids[prefix+w.Fold]
		}
		plain := len(w.Fold) > 1 && !digits || known && !digits && (t.sourced(i) || t.paired(i, ids))
		switch {
		case known && (plain || inList || bracketed):
			found = append(found, Citation{id, true, Span{i, i + 1}})
		case !known && len(passages) > 0 && len(w.Fold) <= 6 && (inList || bracketed) && isLike(w.Fold, prefix):
			found = append(found, Citation{t.Plain[w.Start:w.End], false, Span{i, i + 1}})
		case !known && prefix == "" && len(passages) > 0 && digits && len(w.Fold) <= 2 && bracketed && t.Plain[w.Start-1] == '[' && t.Plain[w.End] == ']':
			found = append(found, Citation{t.Plain[w.Start:w.End], false, Span{i, i + 1}})
		case !known && letters && bracketed && t.Plain[w.Start-1] == '[' && w.End-w.Start == 1 && t.Plain[w.Start] >= 'A' && t.Plain[w.Start] <= 'Z' && t.Plain[w.End] == ']':
			found = append(found, Citation{t.Plain[w.Start:w.End], false, Span{i, i + 1}})
		case w.Fold == "and" || w.Fold == "or" || w.Fold == "to" || w.Fold == "both":
			continue
		}
		inList = inList && known
	}
	if long > 0 {
		slices.SortStableFunc(found, func(a, b Citation) int { return a.Words.Start - b.Words.Start })
	}
	return found
}

// paired reports whether the i-th word, a capital letter alone, stands beside another such name of a passage: "A and B", "A/B"; or whether it
// and another label what stands behind them: "A: 1,450; B: 1,450".
func (t *Text) paired(i int, ids map[string]string) bool {
	name := func(k int) bool {
		if k < 0 || k >= len(t.Words) || t.Words[k].Sentence != t.Words[i].Sentence {
			return false
		}
		w := t.Words[k]
		_, known := ids[w.Fold]
		return known && w.End-w.Start == 1 && t.Plain[w.Start] >= 'A' && t.Plain[w.Start] <= 'Z'
	}
	if !name(i) {
		return false
	}
	and := func(k int) bool { return k >= 0 && k < len(t.Words) && t.Words[k].Fold == "and" }
	if and(i+1) && name(i+2) || and(i-1) && name(i-2) {
		return true
	}
	for _, k := range []int{i - 1, i + 1} {
		if name(k) {
			if a, b := t.Words[min(i, k)].End, t.Words[max(i, k)].Start; strings.Trim(t.Plain[a:b], " ,/&+") == "" {
				return true
			}
		}
	}
	label := func(w Word) bool {
		return w.End-w.Start == 1 && t.Plain[w.Start] >= 'A' && t.Plain[w.Start] <= 'Z' && w.End < len(t.Plain) && t.Plain[w.End] == ':' &&
			(w.Start == 0 || strings.IndexByte(" \n(", t.Plain[w.Start-1]) >= 0)
	}
	if !label(t.Words[i]) {
		return false
	}
	others := 0
	for k := max(0, i-labelReach); k < min(len(t.Words), i+labelReach); k++ {
		if _, known := ids[t.Words[k].Fold]; known && k != i && label(t.Words[k]) && t.Words[k].Fold != t.Words[i].Fold {
			others++
		}
	}
	return others > 0
}

// labelReach is how many words from a label another one is looked for.
const labelReach = 24

// sourced reports whether the i-th word, a capital letter alone, is named as a source: "according to C", "see B".
func (t *Text) sourced(i int) bool {
	w := t.Words[i]
	if c := t.Plain[w.Start]; w.End-w.Start != 1 || c < 'A' || c > 'Z' || i == 0 || t.Words[i-1].Clause != w.Clause {
		return false
	}
	return citing[t.Words[i-1].Fold]
}

// isLike reports whether w is the prefix of the identifiers and a number.
func isLike(w, prefix string) bool {
	rest, ok := strings.CutPrefix(w, prefix)
	return ok && prefix != "" && rest != "" && strings.Trim(rest, "0123456789") == ""
}

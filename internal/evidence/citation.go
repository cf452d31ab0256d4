package evidence

import (
	"cmp"
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
	citationNoun = Listed("citation")
	titles       = Listed("title")   // words that open a passage that may be named by them and their number
	ordinals     = named("ordinal ") // words that count passages from the first
	listing      = Listed("listing") // words between and before the sources of a list
	citing       = Listed("citing")  // words before a source
)

// Counted holds small numbers in words, with their digits.
var Counted = named("counted ")

// ids are the identifiers of a context.
type ids struct {
	known   map[string]string // as they are written, by their words
	prefix  string            // what stands before the number of the last one
	letters bool              // all are one letter
}

func idsOf(passages []Passage) ids {
	x := ids{map[string]string{}, "", true}
	for _, p := range passages {
		id := strings.Join(p.name, " ")
		x.known[id] = p.ID
		x.prefix = strings.TrimRight(id, "0123456789")
		x.letters = x.letters && len(id) == 1 && x.prefix != ""
	}
	return x
}

// Citations returns the identifiers of passages that the text names, in order. An identifier that is more than digits counts
// wherever it stands as a word; one of digits, or a single letter, only in brackets or behind "line", "passage" and the like. A
// name of the same pattern (letters, then a number) that no passage has is returned as unknown.
func (t *Text) Citations(passages []Passage) (found []Citation) {
	if len(passages) == 0 {
		return nil
	}
	x := idsOf(passages)
	inList := false
	for i, w := range t.Words {
		if c, ok := t.titled(i, passages); ok {
			found = append(found, c)
		}
		for _, p := range t.counted(i, passages) {
			found = append(found, Citation{p.ID, true, Span{i, i + 1}})
		}
		c, cites := t.cited(i, x, inList)
		switch {
		case cites:
			found = append(found, c)
			inList = inList && c.Known
		case citationNoun[w.Fold]:
			inList = true
		case !listing[w.Fold]:
			inList = false
		}
	}
	return found
}

// cited returns the citation that the i-th word is or begins. In a list of passages or a square bracket a number may be short for
// a name: "[2]", "line one".
func (t *Text) cited(i int, x ids, inList bool) (c Citation, ok bool) {
	w, name := t.Words[i], t.Words[i].Fold
	in := t.brackets(w)
	marked := inList || in != ""
	c = Citation{t.Plain[w.Start:w.End], false, Span{i, i + 1}}
	if next := t.fold(i + 1); next != "" && strings.HasPrefix(x.prefix, name+" ") && w.End+1 == t.Words[i+1].Start { // "doc-3"
		name, marked, c.Words.End = name+" "+next, true, i+2
		c.ID = t.Slice(c.Words)
	}
	if id := x.meant(name, inList && t.fold(i+1) != "of", strings.HasPrefix(in, "[")); id != "" {
		c.ID, c.Known = id, true
		return c, marked || !isNumber(name) && (len(name) > 1 || t.paired(i, x))
	}
	if x.like(name) {
		return c, marked
	}
	return c, in == "[]" && (x.prefix == "" && isNumber(name) && len(name) <= 2 || x.letters && t.capital(i))
}

// meant returns the identifier that a name is or, in a list or a bracket, is short for.
func (x ids) meant(name string, inList, inBracket bool) string {
	short := name
	if n := Counted[name]; n != "" && inList {
		short = n
	}
	for _, full := range []string{name, short, x.prefix + short} {
		if id := x.known[full]; id != "" && (full == name || inList || inBracket && isNumber(name)) {
			return id
		}
	}
	return ""
}

// like reports whether a name is written as the last one is, but for its number.
func (x ids) like(name string) bool {
	rest, ok := strings.CutPrefix(name, x.prefix)
	return ok && x.prefix != "" && rest != "" && isNumber(rest) && len(rest) <= 5
}

// fold returns the i-th word; "" beyond the end.
func (t *Text) fold(i int) string {
	if i < 0 || i >= len(t.Words) {
		return ""
	}
	return t.Words[i].Fold
}

// counted returns the passages that the words from the i-th on name by their places: "the second line", "the first two lines".
func (t *Text) counted(i int, passages []Passage) []Passage {
	first, _ := strconv.Atoi(ordinals[t.fold(i)])
	noun, last := i+1, first
	if n, _ := strconv.Atoi(Counted[t.fold(noun)]); n > 1 && first == 1 {
		noun, last = noun+1, n
	}
	if first == 0 || last > len(passages) || !citationNoun[t.fold(noun)] {
		return nil
	}
	return passages[first-1 : last]
}

// titled returns the passage whose number stands at the i-th word behind "§", or behind it as a title: "Section 2. No dwelling
// may …".
func (t *Text) titled(i int, passages []Passage) (Citation, bool) {
	w := t.Words[i]
	number, end := t.fold(i+1), i+2
	if isDigit(w.Fold[0]) && strings.HasSuffix(strings.TrimRight(t.Plain[max(0, w.Start-4):w.Start], " "), "§") {
		number, end = w.Fold, i+1
	} else if !titles[w.Fold] {
		return Citation{}, false
	}
	for _, p := range passages {
		if p.number != "" && p.number == cmp.Or(Counted[number], number) {
			return Citation{p.ID, true, Span{i, end}}, true
		}
	}
	return Citation{}, false
}

// brackets returns the bracket before a word that stands alone in brackets or opens or closes a list there, and the sign behind
// it; "" for others.
func (t *Text) brackets(w Word) string {
	if w.Start == 0 || w.End == len(t.Plain) {
		return ""
	}
	before, after := t.Plain[w.Start-1], t.Plain[w.End]
	if strings.IndexByte("[(", before) < 0 || strings.IndexByte("]),:;", after) < 0 {
		return ""
	}
	return string([]byte{before, after})
}

// capital reports whether the i-th word is a capital letter alone.
func (t *Text) capital(i int) bool {
	w := t.Words[i]
	return w.End-w.Start == 1 && isCapital(t.Plain[w.Start])
}

// labelReach is how many words from a label another one is looked for.
const labelReach = 24

// paired reports whether the i-th word, a capital letter alone, stands beside another such name of a passage: "A and B"; whether
// it and another label what stands behind them: "A: 1,450; B: 1,450"; or whether it is named as a source: "see B".
func (t *Text) paired(i int, x ids) bool {
	if !t.capital(i) {
		return false
	}
	label := func(k int) bool { return strings.HasPrefix(t.Plain[t.Words[k].End:], ":") }
	for k := max(0, i-labelReach); k < min(len(t.Words), i+labelReach); k++ {
		beside := k == i-1 || k == i+1 || (k == i-2 || k == i+2) && listing[t.Words[(i+k)/2].Fold]
		if k != i && t.capital(k) && x.known[t.Words[k].Fold] != "" && (beside || label(i) && label(k)) {
			return true
		}
	}
	return citing[t.fold(i-1)]
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

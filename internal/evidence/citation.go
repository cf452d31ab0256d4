package evidence

import (
	"maps"
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
	citationNoun  = Listed("citation")
	citationNouns = Listed("citations")
	unplaced      = Listed("unplaced")  // citation nouns that no ordinal counts from the first passage
	titles        = named("title ")     // words that open a passage that may be named by them and their number, by their forms
	ordinals      = named("ordinal ")   // words that count passages from the first, or below zero from the last
	citing        = Listed("citing")    // words before a source
	listing       = Listed("listing")   // words between and before the sources of a list
	pairing       = Listed("pairing")   // words between two sources
	partitive     = Listed("partitive") // words behind a number that counts parts
)

// Counted holds small numbers in words, with their digits.
var Counted = named("counted ")

// ids are the identifiers of a context.
type ids struct {
	known   map[string]string // as they are written, by their lower case
	prefix  string            // letters before the number of the last one
	letters bool              // all are one letter
}

func idsOf(passages []Passage) ids {
	x := ids{map[string]string{}, "", true}
	for _, p := range passages {
		id := strings.ToLower(p.ID)
		x.known[id] = p.ID
		x.prefix = strings.TrimRight(id, "0123456789")
		x.letters = x.letters && len(id) == 1 && x.prefix != ""
	}
	return x
}

// Citations returns the identifiers of passages that the text names, in order. An identifier that is more than digits counts wherever
// it stands as a word; one of digits, or a single letter, only in brackets or behind "line", "passage" and the like. A name of
// the same pattern (letters, then a number) that no passage has is returned as unknown. A passage may be named by its place, too: "the
// second line".
func (t *Text) Citations(passages []Passage) []Citation {
	if len(passages) == 0 {
		return nil
	}
	x := idsOf(passages)
	found := t.citedInWords(passages)
	inList := false
	for i, w := range t.Words {
		if c, ok := t.titled(i, passages); ok {
			found = append(found, c)
		}
		for _, p := range t.byOrdinal(i, passages) {
			found = append(found, Citation{p.ID, true, Span{i, i + 1}})
		}
		if citationNoun[w.Fold] || citationNouns[w.Fold] {
			inList = true
			continue
		}
		in := t.brackets(w)
		id, known := t.meant(i, x, inList, in)
		switch {
		case known && (inList || in != "" || !isNumber(w.Fold) && (len(w.Fold) > 1 || t.sourced(i) || t.paired(i, x))):
			found = append(found, Citation{id, true, Span{i, i + 1}})
		case !known && t.unknown(i, x, inList, in):
			found = append(found, Citation{t.Plain[w.Start:w.End], false, Span{i, i + 1}})
		case listing[w.Fold]:
			continue
		}
		inList = inList && known
	}
	slices.SortStableFunc(found, func(a, b Citation) int { return a.Words.Start - b.Words.Start })
	return found
}

// citedInWords returns the citations of passages whose names are several words, "doc-3", and those like them that no passage has, "doc-9".
func (t *Text) citedInWords(passages []Passage) (found []Citation) {
	numbered := map[string]bool{} // what the names open with, if they end in a number
	for _, p := range passages {
		if len(p.name) > 1 {
			for _, s := range t.Find(p.name) {
				found = append(found, Citation{p.ID, true, s})
			}
			last := len(p.name) - 1
			numbered[strings.Join(p.name[:last], " ")] = isDigit(p.name[last][0])
		}
	}
	for _, words := range slices.Sorted(maps.Keys(numbered)) {
		if !numbered[words] {
			continue
		}
		for _, s := range t.Find(strings.Fields(words)) {
			s.End++
			known := slices.ContainsFunc(found, func(c Citation) bool { return c.Words == s })
			if s.End <= len(t.Words) && isNumber(t.Words[s.End-1].Fold) && t.Words[s.End-2].End+1 == t.Words[s.End-1].Start && !known {
				found = append(found, Citation{t.Slice(s), false, s})
			}
		}
	}
	return found
}

// titled returns the passage that opens with the title and number which the i-th word begins, or whose number it is behind "§":
// "Section 2. No dwelling may …".
func (t *Text) titled(i int, passages []Passage) (Citation, bool) {
	w := t.Words[i]
	title, number := titles[w.Fold], i+1
	if isDigit(w.Fold[0]) && strings.HasSuffix(strings.TrimRight(t.Plain[max(0, w.Start-4):w.Start], " "), "§") {
		number = i
	} else if title == "" || number == len(t.Words) || t.Words[number].Sentence != w.Sentence {
		return Citation{}, false
	}
	n := t.Words[number].Fold
	if v := Counted[n]; v != "" {
		n = v
	}
	for _, p := range passages {
		if p.number == n && (title == "" || p.title == "" || p.title == title) {
			return Citation{p.ID, true, Span{i, number + 1}}, true
		}
	}
	return Citation{}, false
}

// byOrdinal returns the passages that a text names at the i-th word by their places: "the second line", "the first two lines", but not "the
// first lines".
func (t *Text) byOrdinal(i int, passages []Passage) []Passage {
	n, _ := strconv.Atoi(ordinals[t.Words[i].Fold])
	all := len(passages)
	if n == 0 || n > all || all < 2 || !t.beside(i+1, i) {
		return nil
	}
	noun := t.Words[i+1].Fold
	if citationNoun[noun] && !unplaced[noun] {
		if n < 0 {
			n += all + 1
		}
		return passages[n-1 : n]
	}
	many, _ := strconv.Atoi(Counted[noun])
	switch {
	case many < 2 || many > all || !t.beside(i+2, i) || !citationNouns[t.Words[i+2].Fold]:
		return nil
	case n == 1:
		return passages[:many]
	case n == -1:
		return passages[all-many:]
	}
	return nil
}

// beside reports whether there is a k-th word, in the clause of the i-th.
func (t *Text) beside(k, i int) bool {
	return k >= 0 && k < len(t.Words) && t.Words[k].Clause == t.Words[i].Clause
}

// brackets returns the bracket before a word that stands alone in brackets or opens or closes a list there, and the sign behind it; "" for others.
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

// meant returns the identifier that the i-th word is or, in a list of passages or a square bracket, is short for: "line one", "[2]".
func (t *Text) meant(i int, x ids, inList bool, in string) (id string, known bool) {
	w := t.Words[i].Fold
	if id, known = x.known[w]; known {
		return id, true
	}
	if isNumber(w) && (inList || strings.HasPrefix(in, "[")) {
		id, known = x.known[x.prefix+w]
		return id, known
	}
	if n := Counted[w]; n != "" && inList && !t.has(i+1, len(t.Words), partitive) { // "line one", but not "line one of"
		if id, known = x.known[n]; !known {
			id, known = x.known[x.prefix+n]
		}
	}
	return id, known
}

// unknown reports whether the i-th word is written as an identifier would be that no passage has.
func (t *Text) unknown(i int, x ids, inList bool, in string) bool {
	w := t.Words[i].Fold
	if rest, ok := strings.CutPrefix(w, x.prefix); ok && x.prefix != "" && rest != "" && isNumber(rest) && len(w) <= 6 && (inList || in != "") {
		return true
	}
	return in == "[]" && (x.prefix == "" && isNumber(w) && len(w) <= 2 || x.letters && t.capital(i))
}

// capital reports whether the i-th word is a capital letter alone.
func (t *Text) capital(i int) bool {
	w := t.Words[i]
	return w.End-w.Start == 1 && t.Plain[w.Start] >= 'A' && t.Plain[w.Start] <= 'Z'
}

// sourced reports whether the i-th word, a capital letter alone, is named as a source: "according to C", "see B".
func (t *Text) sourced(i int) bool {
	return t.capital(i) && t.beside(i-1, i) && citing[t.Words[i-1].Fold]
}

// labelReach is how many words from a label another one is looked for.
const labelReach = 24

// paired reports whether the i-th word, a capital letter alone, stands beside another such name of a passage: "A and B", "A/B"; or whether it
// and another label what stands behind them: "A: 1,450; B: 1,450".
func (t *Text) paired(i int, x ids) bool {
	name := func(k int) bool {
		return k >= 0 && k < len(t.Words) && t.Words[k].Sentence == t.Words[i].Sentence && t.capital(k) && x.known[t.Words[k].Fold] != ""
	}
	if !name(i) {
		return false
	}
	for _, step := range []int{-1, 1} {
		if name(i+2*step) && pairing[t.Words[i+step].Fold] {
			return true
		}
		if name(i + step) {
			if a, b := t.Words[min(i, i+step)].End, t.Words[max(i, i+step)].Start; strings.Trim(t.Plain[a:b], " ,/&+") == "" {
				return true
			}
		}
	}
	for k := max(0, i-labelReach); k < min(len(t.Words), i+labelReach) && t.label(i); k++ {
		if t.Words[k].Fold != t.Words[i].Fold && t.label(k) && x.known[t.Words[k].Fold] != "" {
			return true
		}
	}
	return false
}

// label reports whether the i-th word is a capital letter alone before a colon.
func (t *Text) label(i int) bool {
	w := t.Words[i]
	return t.capital(i) && strings.HasPrefix(t.Plain[w.End:], ":") && (w.Start == 0 || strings.IndexByte(" \n(", t.Plain[w.Start-1]) >= 0)
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

package quotation

import (
	"cmp"
	"strconv"
	"strings"

	"hallmark/internal/text/evidence"
)

// A Citation is a passage that a text names by its identifier.
type Citation struct {
	ID    string // as in the context, or as written where the context has none like it
	Known bool
	Words evidence.Span
}

var (
	ordinals = evidence.Named("ordinal ") // words that count passages from the first
	counts   = evidence.Named("counted ") // small numbers in words, with their digits
)

// A text has the citations found in it.
type text struct{ *evidence.Text }

// ids are the identifiers of a context.
type ids struct {
	known  map[string]string // as they are written, by their words
	prefix string            // what stands before the number of the last one
}

// Citations returns the identifiers of passages that the text names, in order. An identifier that is more than
// digits counts wherever it stands as a word; one of digits, or a single letter, only in brackets or behind "line",
// "passage" and the like. A name of the same pattern (letters, then a number) that no passage has is returned as
// unknown.
func Citations(of *evidence.Text, passages []Source) (found []Citation) {
	t, x := text{of}, ids{known: map[string]string{}}
	for _, p := range passages {
		x.known[p.name] = p.ID
		x.prefix = strings.TrimRight(p.name, "0123456789")
	}
	inList := false
	for i := range t.Words {
		if id := t.numbered(i, passages); id != "" {
			found = append(found, Citation{id, true, evidence.Span{Start: i, End: i + 1}})
		}
		if c, cites := t.cited(i, x, inList); cites {
			found = append(found, c)
		} else {
			inList = t.Is(i, "citation") || inList && t.Is(i, "listing")
		}
	}
	return found
}

// cited returns the citation that the i-th word is or begins. In a list of passages or a square bracket a number
// may be short for a name: "[2]", "line one".
func (t text) cited(i int, x ids, inList bool) (c Citation, ok bool) {
	w, next := t.Words[i], t.Fold(i+1)
	name := w.Fold
	before, after := t.Plain[max(0, w.Start-1):w.Start], t.Plain[w.End:min(len(t.Plain), w.End+1)]
	marked := inList || strings.ContainsAny(before, "[(") && strings.ContainsAny(after, "]),:;")
	c = Citation{t.Plain[w.Start:w.End], false, evidence.Span{Start: i, End: i + 1}}
	if next != "" && strings.HasPrefix(x.prefix, name+" ") && w.End+1 == t.Words[i+1].Start { // "doc-3"
		name, marked, c.Words.End = name+" "+next, true, i+2
		c.ID = t.Slice(c.Words)
	}
	id := x.known[name]
	if inList && next != "of" || before == "[" && isNumber(name) { // may be short for it
		n := cmp.Or(counts[name], name)
		id = cmp.Or(x.known[n], x.known[x.prefix+n])
	}
	if id != "" {
		c.ID, c.Known = id, true
		return c, marked || !isNumber(name) && (len(name) > 1 || t.paired(i))
	}
	return c, marked && x.like(name, before+after == "[]")
}

// like reports whether a name is written as the last one is, but for its number; alone in square brackets, also a
// number or letter where that is all that identifiers are.
func (x ids) like(name string, alone bool) bool {
	rest, ok := strings.CutPrefix(name, x.prefix)
	if alone && len(name) == 1 && len(x.prefix) == 1 && x.known[x.prefix] != "" {
		return !isNumber(name)
	}
	return ok && rest != "" && isNumber(rest) && (x.prefix != "" && len(rest) <= 5 || alone && len(rest) <= 2)
}

// numbered returns the passage that the i-th word and the next name by its place or title: "second line", "Section
// 2", "§ 2".
func (t text) numbered(i int, passages []Source) (id string) {
	if n, _ := strconv.Atoi(ordinals[t.Fold(i)]); 0 < n && n <= len(passages) && t.Is(i+1, "citation") {
		return passages[n-1].ID
	}
	number := cmp.Or(counts[t.Fold(i+1)], t.Fold(i+1))
	for _, p := range passages {
		if p.number != "" && p.number == number && t.Is(i, "title") {
			return p.ID
		}
	}
	return ""
}

// paired reports whether the i-th word, a capital letter alone, is named as a source, "see B" or "B: …", or beside
// another, "A and B".
func (t text) paired(i int) bool {
	beside := t.Is(i+1, "listing") && t.capital(i+2) || t.Is(i-1, "listing") && t.capital(i-2)
	return t.capital(i) && (beside || t.Is(i-1, "citing") || strings.HasPrefix(t.Plain[t.Words[i].End:], ":"))
}

// capital reports whether the i-th word is a capital letter alone.
func (t text) capital(i int) bool {
	return len(t.Fold(i)) == 1 && strings.Trim(t.Plain[t.Words[i].Start:][:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

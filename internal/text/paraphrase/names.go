package paraphrase

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readNames finds the names and the parts of dates.
func (f *features) readNames() {
	plain := f.t.Plain
	shouted := plain == strings.ToUpper(plain)
	for i, w := range f.t.Words {
		if len(f.names) == maxNames {
			return
		}
		fold, shown := strings.ReplaceAll(w.Fold, ".", ""), plain[w.Start:w.End]
		if full := stands(fold, "calendar"); full != "" && startsUpper(shown) &&
			(!is(fold, "months and words") || f.besideNumber(i)) {
			f.names = append(f.names, name{full, shown, i, true})
		} else if sure, ok := f.nameAt(i, fold, shown); ok && !shouted {
			f.names = append(f.names, name{fold, shown, i, sure})
		}
	}
}

// nameAt reports whether a word is a name, by its capital, and whether that is sure, as no sentence begins with it.
func (f *features) nameAt(i int, fold, shown string) (sure, ok bool) {
	w := f.t.Words[i]
	if i > 0 && w.Start == f.t.Words[i-1].Start || !startsUpper(shown) || len(fold) < 2 || fold == "'s" ||
		is(fold, "opens") && !capitals(shown) {
		return false, false
	}
	first := i == 0 || f.t.Words[i-1].Sentence != w.Sentence || opener(f.t.Plain, w.Start)
	return !first, !first || capitals(shown) || f.explained(i)
}

func startsUpper(s string) bool { r, _ := utf8.DecodeRuneInString(s); return unicode.IsUpper(r) }

// capitals reports a word of two capitals or more.
func capitals(s string) bool {
	n := 0
	for _, r := range s {
		if unicode.IsUpper(r) {
			n++
		} else if unicode.IsLower(r) {
			return false
		}
	}
	return n > 1
}

// opener reports whether a mark stands before the word behind which a capital says nothing.
func opener(plain string, start int) bool {
	before := strings.TrimRight(plain[:start], " ")
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || strings.ContainsRune(":\n\"“?.", r)
}

// besideNumber reports whether a numeral stands beside the i-th word.
func (f *features) besideNumber(i int) bool {
	return i > 0 && isDigit(f.order[i-1][0]) || i+1 < len(f.order) && isDigit(f.order[i+1][0])
}

// explained reports whether the first word of a sentence is a name after all: another capital follows, or a verb
// that wants a single thing before it, which only a name is without an article.
func (f *features) explained(i int) bool {
	if i+1 >= len(f.t.Words) || f.t.Words[i+1].Sentence != f.t.Words[i].Sentence {
		return false
	}
	next := f.t.Words[i+1]
	if startsUpper(f.t.Plain[next.Start:]) && next.Fold != "i" {
		return true
	}
	return is(next.Fold, "single") && !strings.HasSuffix(f.order[i], "s") && !strings.HasSuffix(f.order[i], "ing")
}

// namesDiffer reports a name that only one of the two has.
func namesDiffer(a, b *features) (Reason, string) {
	for _, n := range a.names {
		if !b.has(n, a) {
			return Name, fmt.Sprintf("%s was dropped", n.shown)
		}
	}
	for _, n := range b.names {
		if n.sure && !a.has(n, b) {
			return Name, fmt.Sprintf("%s was added", n.shown)
		}
	}
	return "", ""
}

// has reports whether a text has a name of another, in any case, as an adjective, as its initials or by its short form.
func (f *features) has(n name, from *features) bool {
	if f.words[n.fold] || f.words[n.fold+"s"] || f.words[strings.TrimSuffix(n.fold, "s")] || f.words[n.fold+"'s"] {
		return true
	}
	for _, o := range f.names {
		if o.fold == n.fold || akin(o.fold, n.fold) {
			return true
		}
	}
	for _, w := range f.order {
		if akin(w, n.fold) || strings.ReplaceAll(w, ".", "") == n.fold {
			return true
		}
	}
	return f.spellsOut(n.fold) || from.partOf(n, f)
}

// akin reports whether one word is the adjective of the other.
func akin(w, name string) bool {
	return lists().peoples[w+" "+name] || demonym(w, name) || demonym(name, w)
}

// spellsOut reports whether names in a row have these initials.
func (f *features) spellsOut(initials string) bool {
	if len(initials) < 2 || len(initials) > 6 {
		return false
	}
	for i := range f.names {
		n, at := 0, f.names[i].word
		for at < len(f.order) && n < len(initials) {
			if w := f.order[at]; w[0] == initials[n] && startsUpper(f.t.Plain[f.t.Words[at].Start:]) {
				n++
			} else if !is(w, "opens") {
				break
			}
			at++
		}
		if n == len(initials) {
			return true
		}
	}
	return false
}

// partOf reports whether the name is one of a row whose initials stand in the other text.
func (f *features) partOf(n name, other *features) bool {
	for _, o := range other.names {
		if len(o.fold) < 2 || len(o.fold) > 6 || !capitals(strings.ReplaceAll(o.shown, ".", "")) {
			continue
		}
		if strings.Contains(o.fold, n.fold[:1]) && f.spellsOut(o.fold) {
			return true
		}
	}
	return false
}

// demonym reports whether an adjective is made from a name by rule: Italy, Italian; Vietnam, Vietnamese; Iraq, Iraqi.
func demonym(adjective, place string) bool {
	stem := strings.TrimRight(place, "aeiouy")
	if len(stem) < 3 || len(stem) < len(place)-2 {
		return false
	}
	rest, ok := strings.CutPrefix(adjective, stem)
	return ok && is(rest, "endings")
}

package evidence

import "strings"

// Passage is one piece of context, ready to be searched.
type Passage struct {
	ID            string
	name          []string // the words of ID
	text          *Text
	title, number string // with which it opens: "section" and "2"; no title for "§ 2"
}

// NewPassage prepares a piece of context.
func NewPassage(id, text string) Passage {
	p := Passage{ID: id, name: Phrase(id), text: Read(text)}
	switch ws := p.text.Words; {
	case len(ws) > 2 && titles[ws[0].Fold] != "" && isDigit(ws[1].Fold[0]):
		p.title, p.number = ws[0].Fold, ws[1].Fold
	case len(ws) > 1 && strings.HasPrefix(p.text.Plain, "§"):
		p.number = ws[0].Fold
	}
	return p
}

// Contains reports whether the words stand in the passage one after another.
func (p Passage) Contains(words []string) bool {
	_, ok := follow([]Passage{p}, place{}, words)
	return ok
}

// A place is a word of a passage, among several.
type place struct{ passage, word int }

// follow returns the place behind the words where they stand one after another in the passages, from a place on. They may run from the end of
// one passage to the beginning of the next.
func follow(passages []Passage, from place, words []string) (end place, ok bool) {
	if len(words) == 0 {
		return from, false
	}
	for p := from.passage; p < len(passages); p++ {
		i := 0
		if p == from.passage {
			i = from.word
		}
		for ws := passages[p].text.Words; i < len(ws); i++ {
			if ws[i].Fold != words[0] {
				continue
			}
			at, k := place{p, i}, 0
			for k < len(words) && at.passage < len(passages) {
				held := passages[at.passage].text.Words
				if at.word == len(held) {
					at = place{at.passage + 1, 0}
					continue
				}
				if held[at.word].Fold != words[k] {
					break
				}
				at.word++
				k++
			}
			if k == len(words) {
				return at, true
			}
		}
	}
	return from, false
}

// Locate returns the first passage that holds all words of the quote in order without a gap; an ellipsis in the quote, or words in square
// brackets, may stand for any gap. White space, case, accents, punctuation and quotation marks do not count, nor does the name of a
// passage at the quote's beginning or end, as in "L1: it was permanent". A quote may run from the end of one passage to the beginning of the
// next, and on: see LocateAll.
func Locate(q Quote, passages []Passage) (Passage, bool) {
	all := LocateAll(q, passages)
	if len(all) == 0 {
		return Passage{}, false
	}
	return all[0], true
}

// LocateAll returns the passages that a quote stands in: the first that holds the whole of it, else those one after another over which it runs;
// none where it does not stand in the context so.
func LocateAll(q Quote, passages []Passage) []Passage {
	text := q.Text
	for range 3 { // with a name at both ends, one, none
		if all := locateAll(text, passages); len(all) > 0 {
			return all
		}
		bare, ok := unlabelled(text, passages)
		if !ok {
			break
		}
		text = bare
	}
	return nil
}

func locateAll(text string, passages []Passage) []Passage {
	parts := quoteParts(text)
	words := 0
	for _, part := range parts {
		words += len(part)
	}
	if words == 0 {
		return nil
	}
	for i := range passages {
		if _, ok := holdsParts(passages[i:i+1], parts); ok {
			return passages[i : i+1]
		}
	}
	const fewest = 5 // words by which it takes more than chance to run over the end of a passage
	if len(passages) < 2 || words < fewest {
		return nil
	}
	end, ok := holdsParts(passages, parts)
	if !ok {
		return nil
	}
	start := 0 // the last passage in which it may begin, among as many as are tried
	for i := min(end.passage, mostStarts); i > 0; i-- {
		if later, ok := holdsParts(passages[i:], parts); ok {
			start, end = i, place{later.passage + i, later.word}
			break
		}
	}
	return passages[start : end.passage+1]
}

// mostStarts bounds the passages that are tried as the one in which a quote of several begins.
const mostStarts = 16

// holdsParts reports whether the passages hold the parts of a quote one behind another, and where they end.
func holdsParts(passages []Passage, parts [][]string) (end place, ok bool) {
	for _, part := range parts {
		if end, ok = follow(passages, end, part); !ok {
			return end, false
		}
	}
	return end, true
}

// quoteParts returns the words of a quote that stand between its gaps: ellipses and words that the writer put in square brackets. A bracket
// inside a word changes its form, "[T]he", and is no gap.
func quoteParts(s string) [][]string {
	var parts [][]string
	var b strings.Builder
	gap := func() {
		if words := trimPhrase(b.String()); len(words) > 0 {
			parts = append(parts, words)
		}
		b.Reset()
	}
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "…"):
			gap()
			i += len("…")
		case strings.HasPrefix(s[i:], "..."):
			gap()
			for i < len(s) && s[i] == '.' {
				i++
			}
		case s[i] == '[':
			k := strings.IndexByte(s[i:], ']')
			inside := k > 1 && (i > 0 && isAlnum(s[i-1]) || i+k+1 < len(s) && isAlnum(s[i+k+1]))
			switch {
			case k < 0:
				b.WriteByte(' ')
				i++
			case inside:
				b.WriteString(s[i+1 : i+k])
				i += k + 1
			default:
				gap()
				i += k + 1
			}
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	gap()
	return parts
}

// unlabelled drops the name of a passage from the beginning or the end of a quote.
func unlabelled(s string, passages []Passage) (string, bool) {
	head := strings.TrimLeft(s, " ([*")
	if noun, rest, ok := strings.Cut(head, " "); ok && (citationNoun[strings.ToLower(noun)] || citationNouns[strings.ToLower(noun)]) {
		head = rest
	}
	tail := strings.TrimRight(s, " )].*")
	for _, p := range passages {
		if rest, _ := begins(head, p.ID); rest != "" && strings.ContainsAny(rest[:1], ":)].") {
			return strings.TrimLeft(rest, ":)]. "), true
		}
		if n := len(tail) - len(p.ID); n > 1 && strings.EqualFold(tail[n:], p.ID) && strings.ContainsAny(tail[n-1:n], "([ ") {
			if rest := strings.TrimRight(tail[:n], " ("); strings.HasSuffix(rest, "—") || strings.HasSuffix(rest, "–") || tail[n-1] != ' ' {
				return strings.TrimRight(rest, " —–"), true
			}
		}
	}
	return "", false
}

// trimPhrase is Phrase, but brackets at the rim are no part of a quote.
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

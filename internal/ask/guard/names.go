package guard

import (
	"slices"
	"strings"

	"hallmark/internal/base/lists"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/identifier"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/quotation"
)

// Mentions returns the names of the inventory's entities that a text holds, each once, in the order of the text.
func (x *Inventory) Mentions(text string) []string {
	x.prepare()
	var names []string
	seen := map[string]bool{}
	for _, n := range x.namesIn(evidence.Read(text)) {
		if !seen[n.entity.Name] {
			seen[n.entity.Name] = true
			names = append(names, n.entity.Name)
		}
	}
	return names
}

// named is one name of an entity, as words.
type named struct {
	words  []string
	entity *Entity
}

// prepare builds the look-ups, once.
func (x *Inventory) prepare() {
	x.once.Do(func() {
		x.byFirst, x.byLast, x.words = map[string][]*named{}, map[string][]*named{}, map[string]bool{}
		x.ids, x.shapes, x.kinds, x.mention = map[string]*Identifier{}, map[string]bool{}, map[string]string{},
			map[string][]int{}
		for i := range x.Entities {
			e := &x.Entities[i]
			for _, name := range append([]string{e.Name}, e.Aliases...) {
				words := evidence.Phrase(name)
				if len(words) == 0 {
					continue
				}
				n := &named{words, e}
				x.byFirst[words[0]] = append(x.byFirst[words[0]], n)
				if last := words[len(words)-1]; len(words) > 1 && e.Kind == "person" {
					x.byLast[last] = append(x.byLast[last], n)
				}
				for _, w := range words {
					x.words[w] = true
				}
				key := answer.Words(name)
				if kind, twice := x.kinds[key]; twice && kind != e.Kind {
					x.kinds[key] = ""
				} else {
					x.kinds[key] = e.Kind
				}
			}
		}
		for i := range x.Identifiers {
			id := &x.Identifiers[i]
			x.ids[identifierKey(id.ID)] = id
			if shape := shapeOf(id.ID); shape != "" {
				x.shapes[shape] = true
			}
		}
		for i, p := range x.Passages {
			x.passages = append(x.passages, quotation.NewSource(p.ID, p.Text))
			words := map[string]bool{}
			for _, w := range evidence.Read(p.Text).Words {
				if !words[w.Fold] && !evidence.IsStop(w.Fold) {
					words[w.Fold] = true
					x.mention[w.Fold] = append(x.mention[w.Fold], i)
				}
			}
			x.reading = append(x.reading, words)
		}
	})
}

// A mention is a name of an entity in a text.
type mention struct {
	*named
	at evidence.Span
}

// namesIn returns the names of the inventory in a text, the longest at each place; names that several entities
// share come once for each.
func (x *Inventory) namesIn(t *evidence.Text) []mention {
	var found []mention
	for i := 0; i < len(t.Words); i++ {
		longest := 0
		var here []mention
		for _, n := range x.byFirst[t.Words[i].Fold] {
			if len(n.words) < longest || !startsWith(t.Words[i:], n.words) {
				continue
			}
			if len(n.words) > longest {
				longest, here = len(n.words), nil
			}
			here = append(here, mention{n, evidence.Span{Start: i, End: i + len(n.words)}})
		}
		found = append(found, here...)
		if longest > 0 {
			i += longest - 1
		}
	}
	return found
}

func startsWith(words []evidence.Word, phrase []string) bool {
	return len(words) >= len(phrase) && slices.EqualFunc(words[:len(phrase)], phrase,
		func(w evidence.Word, part string) bool { return w.Fold == part })
}

// readings returns the entities that a name in the question may stand for, where they are several: a name that two
// entities have, or a surname of two people of whom the question names neither in full.
func (x *Inventory) readings(t *evidence.Text) (name string, of []*Entity) {
	at := map[evidence.Span][]*Entity{}
	var order []evidence.Span
	taken := make([]bool, len(t.Words)) // words of a name of the inventory, or of a date: May is a month there
	take := func(s evidence.Span) {
		for i := s.Start; i < s.End; i++ {
			taken[i] = true
		}
	}
	for _, m := range x.namesIn(t) {
		if at[m.at] == nil {
			order = append(order, m.at)
		}
		at[m.at] = append(at[m.at], m.entity)
		take(m.at)
	}
	for _, s := range order {
		if same := at[s]; len(same) > 1 && !told(t, same) {
			return t.Slice(s), same
		}
	}
	for _, d := range quantity.Dates(t.Plain) {
		take(t.Within(evidence.Span{Start: d.Start, End: d.End}))
	}
	for i, w := range t.Words {
		// A first name or a title before it would tell; the word before is no part of a name then.
		if c := t.Plain[w.Start]; taken[i] || c < 'A' || c > 'Z' || i > 0 && w.Start > 0 && t.Name(i-1) {
			continue
		}
		people := lists.Map(x.byLast[w.Fold], func(n *named) *Entity { return n.entity })
		if len(people) > 1 {
			return t.Slice(evidence.Span{Start: i, End: i + 1}), people
		}
	}
	return "", nil
}

// numbered reports whether the inventory has identifiers that are called numbers.
func (x *Inventory) numbered() bool {
	return slices.ContainsFunc(x.Identifiers, func(id Identifier) bool {
		return strings.Contains(strings.ToLower(id.Kind), "number")
	})
}

// told reports whether the text says which of the entities it means, by what tells them apart.
func told(t *evidence.Text, of []*Entity) bool {
	for _, e := range of {
		for _, w := range evidence.Phrase(e.About) {
			if !evidence.IsStop(w) && len(t.Find([]string{w})) > 0 {
				return true
			}
		}
	}
	return false
}

// about returns the passages of the inventory that name all of the given words, at most eight.
func (x *Inventory) about(names []string) []int {
	var rare []int
	for i, w := range names {
		if in := x.mention[w]; i == 0 || len(in) < len(rare) {
			rare = in
		}
	}
	found := slices.DeleteFunc(slices.Clone(rare), func(p int) bool {
		return slices.ContainsFunc(names, func(w string) bool { return !x.reading[p][w] })
	})
	return found[:min(len(found), 8)]
}

// identifierKey is the compared form of an identifier: what evidence gives where it knows the kind, else the words
// without case.
func identifierKey(s string) string {
	s = strings.TrimSpace(s)
	if ids := identifier.Find(s); len(ids) == 1 && len(ids[0].Text) == len(s) {
		return ids[0].Key
	}
	return strings.ToUpper(strings.Join(strings.Fields(s), " "))
}

// shapeOf returns the pattern of an identifier of letters and digits in one word, with A for letters and 9 for
// digits: F-811 is A-999. Others, and those without a digit, have none.
func shapeOf(s string) string {
	const other = ' '
	shape := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return '9'
		case r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z':
			return 'A'
		case strings.ContainsRune("-./_:", r):
			return r
		}
		return other
	}, s)
	if len(shape) < 3 || len(shape) > 64 || strings.ContainsRune(shape, other) || !strings.Contains(shape, "9") ||
		strings.Trim(shape, "9") == "" {
		return ""
	}
	return shape
}

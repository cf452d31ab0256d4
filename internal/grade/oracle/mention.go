package oracle

import (
	"math/big"
	"slices"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
)

// A target is a text that is looked for in answers.
type target struct {
	text    string
	words   []string
	letters []string              // of an abbreviation, one by one: "C-H-F"
	dotted  []string              // a number of four digits or more with points between its groups, as most of Europe writes it
	many    []string              // the plural, where the text ends in a common noun
	cased   bool                  // a word as common as "US" or "A": only as it is spelled
	date    evidence.Date         // where the text is a date to the month or day
	ids     []evidence.Identifier // where the text is an identifier: compared by its key
	// number is the value of a text that is a number alone, by which one that is spelled out is compared.
	number *big.Rat
	// quantity is a number with its unit where the text is that and no more, "10 mg", by which "ten milligrams" is compared.
	quantity evidence.Number
}

func targets(texts []string) []target {
	var ts []target
	for _, s := range texts {
		t := target{text: s, words: evidence.Phrase(s), ids: evidence.Identifiers(s)}
		if len(t.words) == 0 {
			continue
		}
		t.cased = len(t.words) == 1 && (evidence.Stop[t.words[0]] || len(t.words[0]) == 1 && (t.words[0][0] < '0' || t.words[0][0] > '9'))
		if last := t.words[len(t.words)-1]; len(last) >= 4 && last[len(last)-1] != 's' && strings.HasSuffix(strings.ToLower(s), last) && strings.Trim(last, "abcdefghijklmnopqrstuvwxyz") == "" {
			t.many = append(slices.Clone(t.words[:len(t.words)-1]), last+"s")
		}
		if n := len(s); n >= 3 && n <= 6 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			t.letters = strings.Split(strings.ToLower(s), "")
		}
		if strings.Trim(s, "0123456789., ") == "" {
			t.number, _ = answer.Number(s)
			if t.number != nil && t.number.IsInt() {
				if d := evidence.Dotted(t.number.Num().String()); d != "" {
					t.dotted = []string{d}
				}
			}
		}
		if ns := evidence.Numbers(s, evidence.Span{Start: 0, End: len(s)}); len(ns) == 1 && ns[0].Value != nil && ns[0].Unit != "" && strings.TrimSpace(s[ns[0].End:]) == ns[0].Unit && strings.TrimSpace(s[:ns[0].Start]) == "" {
			t.quantity = ns[0]
		}
		if d, ok := evidence.ParseDate(s); ok && d.Precision() != "year" {
			t.date = d
		}
		ts = append(ts, t)
	}
	return ts
}

// A mention is a target found in an answer.
type mention struct {
	target *target
	words  evidence.Span
	stance evidence.Stance
}

// find returns the mentions of the targets. dates and ids are those of the text, read once and only if a target asks.
func find(r Reading, ts []target, dates *[]evidence.Date, ids *[]evidence.Identifier) []mention {
	var ms []mention
	for i := range ts {
		t := &ts[i]
		if len(t.ids) > 0 {
			if *ids == nil {
				*ids = append([]evidence.Identifier{}, evidence.Identifiers(r.Plain)...)
			}
			for _, id := range *ids {
				for _, want := range t.ids {
					if id.Kind == want.Kind && id.Key == want.Key {
						whole := id.Text // a DOI inside an address stands where the address does
						for _, o := range *ids {
							if len(o.Text) > len(whole) && strings.Contains(o.Text, whole) {
								whole = o.Text
							}
						}
						ms = append(ms, mention{t, spanOf(r.Text, whole), 0})
					}
				}
			}
			continue
		}
		if t.date.Year > 0 {
			if *dates == nil {
				*dates = append([]evidence.Date{}, r.Dates()...)
			}
			for _, d := range *dates {
				// To the precision of what is accepted: a day answers a month, a month does not answer a day.
				if d.Year == t.date.Year && d.Month == t.date.Month && (d.Day == t.date.Day || t.date.Day == 0) {
					ms = append(ms, mention{t, d.Words, 0})
				}
			}
			continue
		}
		places := r.Find(t.words)
		if len(places) == 0 && t.many != nil {
			places = r.Find(t.many)
		}
		for _, form := range [][]string{t.dotted, t.letters} {
			if len(places) == 0 && form != nil {
				places = r.Find(form)
			}
		}
		for _, s := range places {
			if t.cased && !(len(r.Words) == 1 || r.Slice(s) == t.text && t.text != "A" && t.text != "I") || hyphenated(r.Text, s) || !formula(r.Text, t, s) {
				continue
			}
			ms = append(ms, mention{t, s, 0})
		}
	}
	return ms
}

// hyphenated reports whether a hyphen makes the words part of a longer one: "American" in "Chinese-American".
func hyphenated(t *evidence.Text, s evidence.Span) bool {
	joined := func(i, j int) bool {
		return i > 0 && j < len(t.Plain) && t.Plain[i] == '-' && isLetter(t.Plain[i-1]) && isLetter(t.Plain[j])
	}
	start, end := t.Words[s.Start].Start, t.Words[s.End-1].End
	return joined(start-1, start) || joined(end, end+1)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// spanOf returns the words that a stretch of Plain covers, at its first place.
func spanOf(t *evidence.Text, part string) evidence.Span {
	at := strings.Index(t.Plain, part)
	s := evidence.Span{Start: -1}
	for i, w := range t.Words {
		if w.Start >= at && w.Start < at+len(part) {
			if s.Start < 0 {
				s.Start = i
			}
			s.End = i + 1
		}
	}
	if s.Start < 0 {
		return evidence.Span{Start: 0, End: min(1, len(t.Words))}
	}
	return s
}

// outside drops the mentions that lie inside a longer one of the other side: "Paris" in "Paris, Texas".
func outside(ms, others []mention) []mention {
	kept := ms[:0:0]
	for _, m := range ms {
		inside := false
		for _, o := range others {
			if o.words.Start <= m.words.Start && m.words.End <= o.words.End && o.words.End-o.words.Start > m.words.End-m.words.Start {
				inside = true
				break
			}
		}
		if !inside {
			kept = append(kept, m)
		}
	}
	return kept
}

func inside(ms []mention, s evidence.Span) []mention {
	kept := ms[:0]
	for _, m := range ms {
		if m.words.Start >= s.Start && m.words.End <= s.End {
			kept = append(kept, m)
		}
	}
	return kept
}

// settle takes back retractions after which neither side is named again.
func settle(sides ...[]mention) {
	for _, ms := range sides {
		for _, m := range ms {
			if m.stance == evidence.Asserted || m.stance == evidence.Uncertain {
				return
			}
		}
	}
	for _, ms := range sides {
		for i := range ms {
			if ms[i].stance == evidence.Retracted {
				ms[i].stance = evidence.Asserted
			}
		}
	}
}

// retract takes back what stands before a correction.
func retract(correction evidence.Span, sides ...[]mention) {
	for _, ms := range sides {
		for i := range ms {
			if ms[i].words.End <= correction.Start && ms[i].stance <= evidence.Uncertain {
				ms[i].stance = evidence.Retracted
			}
		}
	}
}

// pick returns the first mention that is put forward, firmly if there is one.
func pick(ms []mention) (m *mention, firm bool) {
	for i := range ms {
		switch ms[i].stance {
		case evidence.Asserted:
			return &ms[i], true
		case evidence.Uncertain:
			if m == nil {
				m = &ms[i]
			}
		}
	}
	return m, false
}

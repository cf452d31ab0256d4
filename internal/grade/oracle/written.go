package oracle

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"hallmark/internal/evidence"
)

// outOf is a share by two numerals.
var outOf = regexp.MustCompile(`\b([0-9]{1,6}) (?:in|out of(?: every)?) ([0-9]{1,6})\b`)

// writtenShare reads a share that a text spells out: "one in eight", "an eighth", "1 out of 6". The last one in words counts.
func (o *numeric) writtenShare(t *evidence.Text) (evidence.Number, bool) {
	if o.share && !strings.ContainsAny(t.Plain, "=/") {
		if m := outOf.FindStringSubmatchIndex(t.Plain); m != nil { // "1 in 6"
			over, _ := strconv.ParseInt(t.Plain[m[2]:m[3]], 10, 64)
			under, _ := strconv.ParseInt(t.Plain[m[4]:m[5]], 10, 64)
			if under > 1 && over <= under {
				return evidence.Number{Value: big.NewRat(over, under), Start: m[0], End: m[1]}, true
			}
		}
	}
	if n := len(t.Words); !o.value.IsInt() && n > 2 { // "…, which is one sixth."
		if _, part := evidence.Part(t.Words[n-1].Fold); part {
			if v, s, ok := t.WrittenNumber(evidence.Span{Start: n - 2, End: n}); ok && s.End == n {
				return evidence.Number{Value: v, Start: t.Words[s.Start].Start, End: t.Words[n-1].End, Spelled: true}, true
			}
		}
	}
	if !o.share || strings.ContainsAny(t.Plain, "0123456789") {
		return evidence.Number{}, false
	}
	for i := len(t.Words) - 1; i > 0; i-- {
		w, before := t.Words[i], t.Words[i-1].Fold
		n := evidence.Number{Start: t.Words[i-1].Start, End: w.End, Spelled: true}
		if by, ok := evidence.Part(w.Fold); ok && (before == "a" || before == "an") {
			n.Value = big.NewRat(1, by)
			return n, true
		}
		if before != "in" && before != "of" || i < 2 || t.Words[i-2].Clause != w.Clause {
			continue
		}
		over, s, ok := t.WrittenNumber(evidence.Span{Start: i - 2, End: i - 1})
		under, _, ok2 := t.WrittenNumber(evidence.Span{Start: i, End: i + 1})
		if ok && ok2 && under.Sign() > 0 && over.Cmp(under) <= 0 && (before == "in" || i > 2 && t.Words[i-3].Fold != "which") {
			n.Value, n.Start = new(big.Rat).Quo(over, under), t.Words[s.Start].Start
			return n, true
		}
	}
	return evidence.Number{}, false
}

// writtenRange reports whether the number is spelled out and "to" or "or" puts another beside it: "eight to ten".
func writtenRange(t *evidence.Text, n evidence.Number) (string, bool) {
	if c := t.Plain[n.Start]; c >= '0' && c <= '9' {
		return "", false
	}
	for i, w := range t.Words {
		if w.Start < n.End {
			continue
		}
		between := w.Fold == "and" && strings.HasSuffix(strings.ToLower(strings.TrimRight(t.Plain[:n.Start], " ")), "between")
		if w.Fold != "to" && w.Fold != "or" && !between || i+1 == len(t.Words) || t.Words[i+1].Sentence != w.Sentence {
			return "", false
		}
		_, s, ok := t.WrittenNumber(evidence.Span{Start: i + 1, End: i + 2})
		if !ok {
			return "", false
		}
		return t.Plain[n.Start:t.Words[s.End-1].End], true
	}
	return "", false
}

// spelledOut writes the number that a text without numerals spells out in several parts in digits: "seven and a half hours", "forty-two point
// one nine five", "fifteen dollars and fifty-seven cents". It is false where there is none.
func spelledOut(t *evidence.Text) (*evidence.Text, bool) {
	if strings.ContainsAny(t.Plain, "0123456789") {
		return nil, false
	}
	v, s, ok := t.WrittenNumber(evidence.Span{Start: 0, End: len(t.Words)})
	if !ok || !v.IsInt() || s.End >= len(t.Words) {
		return nil, false
	}
	end, n := s.End, len(t.Words)
	word := func(i int) string {
		if i < n && t.Words[i].Sentence == t.Words[s.Start].Sentence {
			return t.Words[i].Fold
		}
		return ""
	}
	text := ""
	switch unit := word(end); unit {
	case "point":
		var digits strings.Builder
		for end++; end < n; end++ {
			d, at, ok := t.WrittenNumber(evidence.Span{Start: end, End: end + 1})
			if !ok || at.Start != end || !d.IsInt() || d.Num().Int64() > 9 {
				break
			}
			digits.WriteString(d.RatString())
		}
		if digits.Len() > 0 {
			text = v.RatString() + "." + digits.String()
		}
	case "and":
		over := big.NewRat(1, 1)
		if w := word(end + 1); w != "a" && w != "one" {
			d, at, ok := t.WrittenNumber(evidence.Span{Start: end + 1, End: min(n, end+2)})
			if !ok || at.Start != end+1 {
				return nil, false
			}
			over = d
		}
		by, ok := evidence.Part(word(end + 2))
		if !ok || !over.IsInt() || over.Num().Int64() >= by {
			return nil, false
		}
		text = new(big.Rat).Add(v, new(big.Rat).Quo(over, big.NewRat(by, 1))).RatString()
		end += 3
	case "euro", "euros", "dollar", "dollars", "pound", "pounds":
		if end++; word(end) == "and" {
			end++
		}
		c, at, ok := t.WrittenNumber(evidence.Span{Start: end, End: n})
		if !ok || at.Start != end || !c.IsInt() || c.Num().Int64() > 99 {
			return nil, false
		}
		switch word(at.End) {
		case "cent", "cents", "penny", "pence":
			text, end = new(big.Rat).Add(v, new(big.Rat).Quo(c, big.NewRat(100, 1))).FloatString(2)+" "+unit, at.End+1
		}
	}
	if text == "" {
		return nil, false
	}
	return evidence.Read(t.Plain[:t.Words[s.Start].Start] + text + t.Plain[t.Words[end-1].End:]), true
}

// wordsAndUnit reads a number that a text spells out before a unit of the dimension asked for.
func (o *numeric) wordsAndUnit(t *evidence.Text, in evidence.Span) (evidence.Number, bool) {
	v, s, ok := t.WrittenNumber(in)
	if !ok || s.End >= len(t.Words) || t.Stance(s) > evidence.Uncertain {
		return evidence.Number{}, false
	}
	n := evidence.Number{Value: v, Unit: t.Words[s.End].Fold, Word: t.Words[s.End].Fold, Start: t.Words[s.Start].Start, End: t.Words[s.End-1].End, Spelled: true}
	if _, m := n.In(o.unit); m != evidence.UnitSame || isOne(v, o.inPrompt) {
		return evidence.Number{}, false
	}
	return n, true
}

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
	if o.share && !strings.ContainsAny(t.Plain, "=/%≈") {
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
				return evidence.Number{Value: v, Start: t.Words[s.Start].Start, End: t.Words[n-1].End}, true
			}
		}
	}
	if !o.share || strings.ContainsAny(t.Plain, "0123456789") {
		return evidence.Number{}, false
	}
	for i := len(t.Words) - 1; i > 0; i-- {
		w, before := t.Words[i], t.Words[i-1].Fold
		n := evidence.Number{Start: t.Words[i-1].Start, End: w.End}
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

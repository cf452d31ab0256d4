package oracle

import (
	"strings"

	"hallmark/internal/evidence"
)

// second reports whether "or" puts another number beside n, as in "either 5 or 6", or n bounds a range, as in "8 to 10".
func (o *numeric) second(t *evidence.Text, n evidence.Number) (string, bool) {
	if s, ok := o.ranges(t.Plain, n); ok {
		return s, true
	}
	behind := t.Plain[n.End:min(len(t.Plain), n.End+40)]
	before := t.Plain[max(0, n.Start-40):n.Start]
	if strings.Contains(behind+before, "remainder") {
		return "", false // "4 remainder 16, or 4.5"
	}
	if k := strings.Index(behind, " or "); k >= 0 && k < 20 && !strings.ContainsAny(behind[:k], ".;=(") {
		if rest := strings.TrimLeft(behind[k+4:], " $€£"); rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			m := evidence.Numbers(t.Plain, evidence.Span{Start: n.End, End: min(len(t.Plain), n.End+60)})
			if len(m) > 0 && m[0].Value != nil && m[0].Value.Cmp(n.Value) != 0 && m[0].Unit == n.Unit {
				return t.Plain[n.Start:m[0].End], true
			}
		}
	}
	if strings.HasSuffix(strings.TrimRight(before, "$€£ "), " or") && strings.ContainsAny(before, "0123456789") {
		m := evidence.Numbers(t.Plain, evidence.Span{Start: max(0, n.Start-40), End: n.Start})
		if k := len(m); k > 0 && m[k-1].Value != nil && m[k-1].Value.Cmp(n.Value) != 0 && m[k-1].Unit == n.Unit {
			return t.Plain[m[k-1].Start:n.End], true
		}
	}
	return "", false
}

// ranges reports whether the number is one end of a range: "8 to 10", "6–8", "between 6 and 10". Years are told apart by their question, and
// a text that computes subtracts.
func (o *numeric) ranges(plain string, n evidence.Number) (string, bool) {
	if o.year && !strings.HasSuffix(strings.ToLower(strings.TrimRight(plain[max(0, n.Start-40):n.Start], " ")), "between") || strings.ContainsAny(plain, "=#") || n.Start == 0 && n.End == len(plain) && strings.ContainsAny(plain, "+*×") {
		return "", false
	}
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	before, behind := plain[max(0, n.Start-40):n.Start], plain[n.End:min(len(plain), n.End+40)]
	for _, mark := range []string{" to ", "-", "–", "—", " and "} {
		if mark == " and " && !strings.HasSuffix(strings.ToLower(strings.TrimRight(before, " $€£")), "between") {
			continue
		}
		if rest, ok := strings.CutPrefix(behind, mark); ok && !(mark == " to " && strings.HasSuffix(strings.TrimRight(before, " $€£"), " by")) {
			rest = strings.TrimLeft(rest, " $€£")
			k := 0
			for k < len(rest) && digit(rest[k]) {
				k++
			}
			if k > 0 {
				return plain[n.Start : len(plain)-len(plain[n.End:])+strings.Index(behind, rest)+k], true
			}
		}
		if rest, ok := strings.CutSuffix(strings.TrimRight(before, "$€£"), mark); ok && mark != " and " && rest != "" && digit(rest[len(rest)-1]) {
			if mark == " to " { // a change, "by 225 to 1274", or from a number of the question
				head := strings.TrimRight(rest, "0123456789.,$€£ ")
				m := evidence.Numbers(rest, evidence.Span{Start: len(head), End: len(rest)})
				if strings.HasSuffix(head, " by") || len(m) > 0 && isOne(m[len(m)-1].Value, o.inPrompt) {
					continue
				}
			}
			return strings.TrimSpace(rest[strings.LastIndexByte(rest, ' ')+1:]) + mark + plain[n.Start:n.End], true
		}
	}
	return "", false
}

package oracle

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/evidence"
)

var (
	indian      = regexp.MustCompile(`\b[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}\b`)
	apostrophes = regexp.MustCompile(`\b[0-9]{1,3}(?:['’][0-9]{3})+\b`)
	perUnits    = regexp.MustCompile(`(?i)\b(met(?:re|er)s?|m|kilomet(?:re|er)s?|km|miles?|centimet(?:re|er)s?|cm|kilograms?|kg|grams?|g) per (second squared|second|hour|cubic met(?:re|er)|cubic centimet(?:re|er)|lit(?:re|er)|s|h)\b`)
	inverse     = regexp.MustCompile(`\b(km|m|cm|kg|g|mol) ?[·⋅×]? ?(s|h|l|L|mol)(?:⁻¹|\^\(?-1\)?)`)
	spaced      = regexp.MustCompile(`\b([0-9]{1,3}(?:[ \x{00a0}\x{202f}][0-9]{3})+),([0-9]{1,2})\b`)
	coins       = regexp.MustCompile(`\b([0-9]+) (euros?|dollars?|pounds?),? (?:and )?([0-9]{2}) (?:cents?|pence)\b`)
	dashed      = regexp.MustCompile(`(^|[a-z:=(] ?)–([0-9])`)
	mixed       = regexp.MustCompile(`\b([0-9]{1,6}) ([0-9]{1,3})/([0-9]{1,3})\b`)
	degrees     = regexp.MustCompile(`(?i)\bdegrees? (celsius|fahrenheit|c|f)\b`)
)

// superscripts are exponents as characters.
var superscripts = map[rune]byte{'⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6', '⁷': '7', '⁸': '8', '⁹': '9', '⁻': '-'}

// numerals returns a text with its numbers written as package evidence reads them: digits of other scripts as ASCII ones, powers of ten as 10^n,
// groups of two digits (12,34,567) and those behind apostrophes closed up, the $ of mathematics and the word for a unit gone. It is the same
// text where there is nothing to change.
func numerals(t *evidence.Text) *evidence.Text {
	s := t.Plain
	other, dollar, comma, apostrophe := false, 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			other = true
		case c == '$':
			dollar++
		case c == ',':
			comma++
		case c == '\'':
			apostrophe = true
		}
	}
	out := s
	if len(t.Boxes) > 0 { // they are told by their marks when the text is read again
		var b strings.Builder
		at := 0
		for _, box := range t.Boxes {
			if box.Start < at || box.End > len(s) {
				continue
			}
			b.WriteString(s[at:box.Start] + "<answer>" + s[box.Start:box.End] + "</answer>")
			at = box.End
		}
		b.WriteString(s[at:])
		out = b.String()
	}
	marked := out
	if other {
		out = asciiDigits(out)
		apostrophe = apostrophe || strings.Contains(out, "’")
	}
	if comma > 1 {
		out = indian.ReplaceAllStringFunc(out, func(n string) string { return strings.ReplaceAll(n, ",", "") })
	}
	if apostrophe {
		out = apostrophes.ReplaceAllStringFunc(out, func(n string) string { return strings.NewReplacer("'", "", "’", "").Replace(n) })
	}
	if strings.Contains(out, "⁻¹") || strings.Contains(out, "-1") {
		out = inverse.ReplaceAllString(out, "$1/$2")
	}
	if other && strings.Contains(out, "–") { // a dash for a minus: "it comes to –12"
		out = dashed.ReplaceAllString(out, "$1-$2")
	}
	if strings.Contains(out, "cent") || strings.Contains(out, "pence") {
		out = coins.ReplaceAllString(out, "$1.$3 $2")
	}
	if comma > 0 {
		out = spaced.ReplaceAllStringFunc(out, func(n string) string { // 1 274,15
			return strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", ",", ".").Replace(n)
		})
	}
	if strings.Contains(out, "/") {
		out = mixed.ReplaceAllStringFunc(out, improper)
	}
	if dollar > 1 {
		out = stripMath(out)
	}
	if strings.Contains(out, " per ") {
		out = perUnits.ReplaceAllStringFunc(out, func(u string) string {
			over, under, _ := strings.Cut(strings.ToLower(u), " per ")
			return symbolOf(over) + "/" + symbolOf(under)
		})
		out = strings.ReplaceAll(out, "mi/h", "mph")
	}
	if strings.Contains(out, "egree") {
		out = degrees.ReplaceAllStringFunc(out, func(u string) string {
			_, name, _ := strings.Cut(strings.ToLower(u), " ")
			return "°" + strings.ToUpper(name[:1])
		})
	}
	if out == marked {
		return t
	}
	return evidence.Read(out)
}

// improper writes a mixed number as one fraction: "4 1/2" as 9/2.
func improper(s string) string {
	m := mixed.FindStringSubmatch(s)
	whole, _ := strconv.Atoi(m[1])
	over, _ := strconv.Atoi(m[2])
	under, _ := strconv.Atoi(m[3])
	if under < 2 || over >= under || over == 0 {
		return s
	}
	return fmt.Sprintf("%d/%d", whole*under+over, under)
}

func symbolOf(unit string) string {
	switch {
	case strings.HasPrefix(unit, "kilom"), unit == "km":
		return "km"
	case strings.HasPrefix(unit, "centim"), unit == "cm":
		return "cm"
	case strings.HasPrefix(unit, "mile"):
		return "mi"
	case strings.HasPrefix(unit, "kilog"), unit == "kg":
		return "kg"
	case unit == "second squared":
		return "s2"
	case strings.HasPrefix(unit, "cubic c"):
		return "cm3"
	case strings.HasPrefix(unit, "cubic"):
		return "m3"
	}
	return unit[:1]
}

// asciiDigits replaces decimal digits of any script, and exponents behind a ten.
func asciiDigits(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	raised := false
	for _, r := range s {
		if e, ok := superscripts[r]; ok {
			if !raised && strings.HasSuffix(b.String()[max(0, b.Len()-2):], "10") {
				b.WriteByte('^')
				raised = true
			}
			if raised {
				b.WriteByte(e)
				continue
			}
		}
		raised = false
		if r >= utf8.RuneSelf && unicode.Is(unicode.Nd, r) {
			// The digits of a script stand in a row of ten from its zero.
			d := 0
			for d < 9 && unicode.Is(unicode.Nd, r-rune(d)-1) {
				d++
			}
			b.WriteByte(byte('0' + digitValue(r, d)))
			continue
		}
		switch r {
		case '٬':
			continue // Arabic thousands
		case '٫':
			r = '.'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// digitValue returns the value of a digit that has at least back digits before it in its row. Rows follow one another without a gap only
// in the mathematical alphabets, which begin at a multiple of ten from 1D7CE.
func digitValue(r rune, back int) int {
	if r >= 0x1d7ce && r <= 0x1d7ff {
		return int(r-0x1d7ce) % 10
	}
	return back
}

// stripMath drops the dollar signs that open and close mathematics within a line: a closing one stands behind no blank and before no digit.
func stripMath(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		for {
			open := strings.IndexByte(line, '$')
			if open < 0 {
				break
			}
			end := strings.IndexByte(line[open+1:], '$')
			if end < 0 {
				break
			}
			end += open + 1
			inner := line[open+1 : end]
			closes := inner != "" && inner[len(inner)-1] != ' ' && inner[len(inner)-1] != '/' && (end+1 == len(line) || line[end+1] < '0' || line[end+1] > '9')
			if !closes {
				b.WriteString(line[:end])
				line = line[end:]
				continue
			}
			b.WriteString(line[:open] + inner)
			line = line[end+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// compound adds what follows a number in a smaller unit of its dimension: "3 hours and 25 minutes", "5 ft 10 in". All is false for the
// value of a number alone.
func compound(t *evidence.Text, n evidence.Number, want string) (*big.Rat, int, bool) {
	base, m := n.In(want)
	if m != evidence.UnitSame || n.Unit == "" || n.Unit == want {
		return nil, 0, false
	}
	total, end, more := base, n.End, false
	for range 3 {
		next := evidence.Numbers(t.Plain, evidence.Span{Start: end, End: min(len(t.Plain), end+48)})
		if len(next) == 0 || next[0].Value == nil {
			break
		}
		between := strings.ToLower(t.Plain[end:next[0].Start])
		if strings.ContainsAny(between, ".;:=()\n") || len(strings.Fields(between)) > 2 || strings.Contains(between, " or ") {
			break
		}
		v, m := next[0].In(want)
		if m != evidence.UnitSame || next[0].Unit == "" || v.Cmp(base) >= 0 {
			break
		}
		// The smaller unit: one of it is less than one of the larger.
		one, _ := evidence.Number{Value: big.NewRat(1, 1), Unit: next[0].Unit}.In(want)
		larger, _ := evidence.Number{Value: big.NewRat(1, 1), Unit: n.Unit}.In(want)
		if one.Cmp(larger) >= 0 {
			break
		}
		total, end, more = new(big.Rat).Add(total, v), next[0].End, true
		n = next[0]
	}
	return total, end, more
}

// negative reports whether a spelled out number is one below zero: "minus twelve".
func negative(t *evidence.Text, start int) bool {
	for i, w := range t.Words {
		if w.Start == start && i > 0 {
			return t.Words[i-1].Fold == "minus" || t.Words[i-1].Fold == "negative"
		}
	}
	return false
}

// bestRow returns the numbers of the row of a table that has most words of the question, the last such.
func (o *numeric) bestRow(t *evidence.Text, ns []evidence.Number) ([]evidence.Number, bool) {
	if strings.Count(t.Plain, "|") < 4 {
		return nil, false
	}
	type row struct {
		numbers []evidence.Number
		shared  int
	}
	var rows []row
	at := 0
	for line := range strings.Lines(t.Plain) {
		start := at
		at += len(line)
		if strings.Count(line, "|") < 2 {
			continue
		}
		var r row
		for _, n := range ns {
			if n.Start >= start && n.Start < at {
				r.numbers = append(r.numbers, n)
			}
		}
		seen := map[string]bool{}
		for _, w := range evidence.Phrase(line) {
			if o.question[w] && !evidence.Stop[w] && !seen[w] {
				seen[w] = true
				r.shared++
			}
		}
		if len(r.numbers) > 0 {
			rows = append(rows, r)
		}
	}
	best := -1
	for i, r := range rows {
		if best < 0 || r.shared >= rows[best].shared { // of equal rows the last, where results stand
			best = i
		}
	}
	if best < 0 || rows[best].shared == 0 {
		return nil, false
	}
	return rows[best].numbers, true
}

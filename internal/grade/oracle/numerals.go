package oracle

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
)

var (
	indian      = regexp.MustCompile(`\b[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}\b`)
	apostrophes = regexp.MustCompile(`\b[0-9]{1,3}(?:['’][0-9]{3})+\b`)
	perUnits    = regexp.MustCompile(`(?i)\b(met(?:re|er)s?|m|kilomet(?:re|er)s?|km|miles?|feet|ft|centimet(?:re|er)s?|cm|kilograms?|kg|grams?|g) (?:per|an?) (second squared|second|minute|hour|cubic met(?:re|er)|cubic centimet(?:re|er)|lit(?:re|er)|s|h)\b`)
	inverse     = regexp.MustCompile(`\b(km|m|cm|kg|g|mol) ?[·⋅×]? ?(s|h|l|L|mol)(?:⁻¹|\^\(?-1\)?)`)
	spaced      = regexp.MustCompile(`\b([0-9]{1,3}(?:[ \x{00a0}\x{202f}][0-9]{3})+),([0-9]{1,2})\b`)
	coins       = regexp.MustCompile(`\b([0-9]+) (euros?|dollars?|pounds?),? (?:and )?([0-9]{2}) (?:cents?|pence)\b`)
	dashed      = regexp.MustCompile(`(^|[a-z:=(] ?)–([0-9])`)
	mixed       = regexp.MustCompile(`\b([0-9]{1,6}) ([0-9]{1,3})/([0-9]{1,3})\b`)
	decimals    = regexp.MustCompile(`\b[0-9]+\.[0-9]{3}(?:[ \x{00a0}\x{202f}\x{2009}][0-9]{3})*(?:[ \x{00a0}\x{202f}\x{2009}][0-9]{1,3})\b`)
	clock       = regexp.MustCompile(`(?i)\b([0-9]{1,3}):([0-5][0-9]) ?(?:h|hrs?|hours?)\b`)
	hourMinute  = regexp.MustCompile(`\b([0-9]{1,3}) ?h(?:rs?|ours?)? ?([0-5]?[0-9])(?: ?m(?:in)?)?\b`)
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
	if dollar > 3 && strings.Contains(out, "$$") {
		out = strings.ReplaceAll(out, "$$", " ")
	}
	if other {
		out = asciiDigits(out)
		apostrophe = apostrophe || strings.Contains(out, "’")
	}
	if point := strings.IndexByte(out, '.'); point >= 0 && groupedDecimals(out[point:]) { // 9.109 383 7
		out = decimals.ReplaceAllStringFunc(out, func(n string) string {
			return strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "\u2009", "").Replace(n)
		})
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
	if comma > 0 && (other || strings.Contains(out, " ")) && commaBetweenDigits(out) {
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
	if strings.Contains(out, " per ") || strings.Contains(out, " an hour") || strings.Contains(out, " a second") || strings.Contains(out, " a minute") {
		out = perUnits.ReplaceAllStringFunc(out, func(u string) string {
			m := perUnits.FindStringSubmatch(strings.ToLower(u))
			return symbolOf(m[1]) + "/" + symbolOf(m[2])
		})
		out = strings.ReplaceAll(out, "mi/h", "mph")
	}
	if strings.Contains(out, ":") {
		out = clock.ReplaceAllString(out, "$1 h $2 min")
	}
	if strings.Contains(out, "h") && hourDigits(out) { // 3h25
		out = hourMinute.ReplaceAllString(out, "$1 h $2 min")
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

// commaBetweenDigits reports whether a comma stands between two digits.
func commaBetweenDigits(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == ',' && isDigit(s[i-1]) && isDigit(s[i+1]) {
			return true
		}
	}
	return false
}

// groupedDecimals reports whether three digits behind a point have a blank and a digit behind them.
func groupedDecimals(s string) bool {
	for i := 0; i+5 < len(s); i++ {
		if s[i] == '.' && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]) && (s[i+4] == ' ' && isDigit(s[i+5]) || s[i+4] >= utf8.RuneSelf) {
			return true
		}
	}
	return false
}

// hourDigits reports whether an h stands behind a digit, or a blank behind one, and before a digit.
func hourDigits(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == 'h' && isDigit(s[i+1]) && (isDigit(s[i-1]) || s[i-1] == ' ' && i > 1 && isDigit(s[i-2])) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

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
	case unit == "feet", unit == "ft":
		return "ft"
	case unit == "minute":
		return "min"
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
	for i, r := range s {
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
		if v, ok := evidence.Vulgar(r); ok { // 3¾, 15 ¾
			head := b.String()
			digits := strings.TrimSuffix(head, " ")
			start := len(digits)
			for start > 0 && isDigit(digits[start-1]) {
				start--
			}
			if whole, err := strconv.ParseInt(digits[start:], 10, 32); err == nil && (start == 0 || digits[start-1] != '.' && digits[start-1] != ',') {
				v = new(big.Rat).Add(v, new(big.Rat).SetInt64(whole))
				b.Reset()
				b.WriteString(head[:start])
			}
			b.WriteString(v.RatString())
			continue
		}
		if r >= utf8.RuneSelf {
			if d, ok := answer.Digit(r); ok {
				b.WriteByte(d)
				continue
			}
		}
		switch r {
		case '\u00a0', '\u202f', '\u2009': // a blank before a unit; between digits it groups them
			if n := i + utf8.RuneLen(r); n < len(s) && isLetter(s[n]) {
				r = ' '
			}
		case '٬':
			continue // Arabic thousands
		case '٫':
			r = '.'
		}
		b.WriteRune(r)
	}
	return b.String()
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

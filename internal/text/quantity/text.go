package quantity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
)

// thin stands for the blanks that part no words, which may group digits; as a control character it occurs in no
// number otherwise.
const thin = 0x1f

// forms are characters that are read as others: a character, and what for. A power is raised once however many
// digits it has.
var forms = func() map[rune]string {
	m := map[rune]string{'\u00a0': "\x1f", '\u2009': "\x1f", '\u202f': "\x1f", '\u2007': "\x1f"}
	for f := range strings.FieldsSeq(`−- －- –- ‑- ‐- ＋+ ×* ·* ⋅* ∙* ⁄/ ∕/ ٫. ．. ٬, ，, ’' ′' ″" ”" ％% ＄$ ℃°C ℉°F μµ
		≈~ ∼~ ≃~ ≥> ≤< →= ⁰^0 ¹^1 ²^2 ³^3 ⁴^4 ⁵^5 ⁶^6 ⁷^7 ⁸^8 ⁹^9 ⁻^- ½1/2 ⅓1/3 ⅔2/3 ¼1/4 ¾3/4 ⅕1/5 ⅖2/5 ⅗3/5 ⅘4/5
		⅙1/6 ⅚5/6 ⅐1/7 ⅛1/8 ⅜3/8 ⅝5/8 ⅞7/8 ⅑1/9 ⅒1/10`) {
		r, n := utf8.DecodeRuneInString(f)
		m[r] = f[n:]
	}
	return m
}()

// latex are the ways in which LaTeX dresses numbers, by turns as written and as read.
var latex = []string{`\$`, "$", `\%`, "%", "{,}", ",", `\,`, "\x1f", `\!`, "", `\;`, " ", `\times`, "*", `\cdot`, "*",
	`\left`, "", `\right`, ""}

var frac = pattern.New(`^\\[dt]?frac *(?:\{(-?[0-9.,]*[0-9])\}|([0-9])) *(?:\{([0-9.,]*[0-9])\}|([0-9]))`)

// formula is what stands between dollar signs as a formula: it begins and ends without a blank, and no number
// follows it.
var formula = pattern.New(`\$\$?([^\s$](?:[^$\n]*[^\s$])?)\$\$?(?:[^0-9]|$)`)

// unmarked returns a text with blanks for the dollar signs around its formulas, which are no money: two on either
// side, or one around what holds a sign of a formula.
func unmarked(s string) string {
	if strings.Count(s, "$") < 2 {
		return s
	}
	b := []byte(s)
	for from := 0; from < len(s); {
		m := formula.FindStringSubmatchIndex(s[from:])
		if m == nil {
			break
		}
		before, start, end := from+m[0], from+m[2], from+m[3]
		if start-before == 1 && !strings.ContainsAny(s[start:end], `\^_={`) {
			from = start
			continue
		}
		for ; before < start; before++ {
			b[before] = ' '
		}
		for from = end; at(s, from) == '$'; from++ {
			b[from] = ' '
		}
	}
	return string(b)
}

// A text is what is read, with the digits and marks of all scripts in ASCII.
type text struct {
	s   string
	off []int // where each of its bytes stood; nil where nothing moved
}

func plain(s string) text {
	s = unmarked(s)
	same := true
	for i := 0; i < len(s) && same; i++ {
		same = s[i] < utf8.RuneSelf && s[i] != '\\' && s[i] != '{'
	}
	if same {
		return text{s, nil}
	}
	b, off := make([]byte, 0, len(s)+8), make([]int, 0, len(s)+8)
	raised := false
	for i := 0; i < len(s); {
		form, n, power := formAt(s, i)
		if power && raised {
			form = form[1:]
		}
		if raised = power; len(form) > 2 && form[1] == '/' && len(b) > 0 && isDigit(b[len(b)-1]) {
			form = " " + form // 2½
		}
		for k := range len(form) {
			b, off = append(b, form[k]), append(off, i)
		}
		i += n
	}
	return text{string(b), append(off, len(s))}
}

// formAt returns what is read for the n bytes at i, and whether they are a power.
func formAt(s string, i int) (form string, n int, power bool) {
	r, n := utf8.DecodeRuneInString(s[i:])
	form, known := forms[r]
	if d, ok := Digit(r); ok && r >= utf8.RuneSelf {
		form = string(d)
	} else if r == '\\' || r == '{' {
		form, n = dressed(s[i:min(len(s), i+128)])
	} else if !known {
		form = s[i : i+n]
	}
	return form, n, known && form[0] == '^'
}

// dressed returns what LaTeX at the start of s is read as, and its bytes.
func dressed(s string) (string, int) {
	for k := 0; k < len(latex); k += 2 {
		if strings.HasPrefix(s, latex[k]) {
			return latex[k+1], len(latex[k])
		}
	}
	if m := frac.FindStringSubmatch(s); m != nil && strings.Trim(m[3]+m[4], "0.,") != "" {
		return m[1] + m[2] + "/" + m[3] + m[4], len(m[0])
	}
	return s[:1], 1
}

// from returns where byte i stood.
func (t text) from(i int) int {
	if t.off != nil {
		return t.off[i]
	}
	return i
}

// Digit returns the ASCII digit of the same value as a decimal digit of any script, and false for anything else.
// The ranges of Unicode's class Nd are runs of whole tens, each from 0 to 9.
func Digit(r rune) (byte, bool) {
	for _, rg := range unicode.Nd.R16 {
		if r <= rune(rg.Hi) {
			return '0' + byte((r-rune(rg.Lo))%10), r >= rune(rg.Lo)
		}
	}
	for _, rg := range unicode.Nd.R32 {
		if r <= rune(rg.Hi) {
			return '0' + byte((r-rune(rg.Lo))%10), r >= rune(rg.Lo)
		}
	}
	return 0, false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func at(s string, i int) byte {
	if i >= 0 && i < len(s) {
		return s[i]
	}
	return 0
}

// run returns the end of the digits at i.
func run(s string, i int) int {
	for isDigit(at(s, i)) {
		i++
	}
	return i
}

func blanks(s string, i int) int {
	for c := at(s, i); c == ' ' || c == thin; c = at(s, i) {
		i++
	}
	return i
}

// gap skips what joins the words of one number: blanks or one hyphen. It is -1 where something else stands there.
func gap(s string, i int) int {
	if at(s, i) == '-' {
		return i + 1
	}
	if j := blanks(s, i); j > i && j < i+4 {
		return j
	}
	return -1
}

// letters returns the end of the letters at i, of any script.
func letters(s string, i int) int {
	for i < len(s) {
		if r, n := utf8.DecodeRuneInString(s[i:]); isLetter(s[i]) || n > 1 && unicode.IsLetter(r) {
			i += n
			continue
		}
		break
	}
	return i
}

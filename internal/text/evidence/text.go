// Package evidence holds what text alone can show: who declines and who asserts, which words are mentioned and
// which denied, structure counted. Every function is pure and linear in its
// bounded input, which is hostile.
package evidence

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/pattern"
	"hallmark/internal/text/arithmetic"
)

// Limit bounds what is read of an answer: its first and its last Limit bytes.
const Limit = 64 << 10

// A Text is an answer made ready for matching. It does not change after Read.
type Text struct {
	Plain     string     // the answer without frames, reasoning blocks and marks of markdown and LaTeX, in valid UTF-8
	Cut       bool       // the middle was left out: see Limit
	Framed    int        // words of greetings, headings and offers around the answer, which are left out
	Open      bool       // a reasoning block was opened and never closed, so no answer follows
	Words     []Word     // in order
	Sentences []Sentence // in order; every word is in exactly one
	Cues      []Cue      // the phrases of the lexicon found, in order; only a reason may overlap what follows it
	Bold      []Span     // bytes of Plain that stood in **…** or __…__
	Boxes     []Span     // bytes of Plain inside \boxed{…} or <answer>…</answer>
}

// A Span is a half-open range.
type Span struct{ Start, End int }

func (s Span) holds(i int) bool { return s.Start <= i && i < s.End }

// A Word is a token in its compared form: lower case, without accents, contractions written out.
type Word struct {
	Fold       string
	Start, End int   // bytes of Plain
	Sentence   int32 // index into Sentences
	Clause     int32 // number of the clause, counted through the text
}

// A Sentence is a run of words up to a full stop, a line break or the like.
type Sentence struct {
	Words    Span // indices into Words
	Question bool // it ends with a question mark
}

// Read makes a text ready. Beyond 2·Limit bytes the middle is left out and Cut is set.
func Read(s string) *Text {
	t := &Text{Cut: len(s) > 2*Limit}
	if t.Cut {
		s = s[:Limit] + "\n…\n" + s[len(s)-Limit:]
	}
	s = strings.Map(visible, escapes.ReplaceAllString(strings.ToValidUTF8(s, " "), ""))
	if i := strings.LastIndex(s, "</think>"); i >= 0 {
		s = s[i+len("</think>"):]
	} else if i := strings.Index(s, "<think>"); i >= 0 {
		s, t.Open = s[:i], true
	}
	body := unframed(s)
	t.Framed = WordCount(s) - WordCount(body)
	t.unmark(body)
	t.findCues()
	return t
}

// unmark sets Plain, and cuts it into words and sentences.
func (t *Text) unmark(s string) {
	if s = html.UnescapeString(s); strings.Contains(s, "answer>") {
		s = boxTags.Replace(s)
	}
	s = mixed.ReplaceAllString(headings.ReplaceAllString(s, "$1"), "$1 $2")
	s = fraction.ReplaceAllString(numeric.ReplaceAllString(s, "$1/$2"), "($1)/($2)")
	s = tags.ReplaceAllStringFunc(s, func(tag string) string {
		return breaks[strings.ToLower(strings.Trim(tag, "</ >"))]
	})
	p := plainer{in: s, base: t, bold: -1}
	p.out.Grow(len(s))
	p.run()
	t.Plain = p.out.String()
	t.split()
}

var (
	headings = pattern.New(`(?m)^#+ +([^0-9 $-])`, "#") // but not the mark of GSM8K, "#### 42"
	mixed    = pattern.New(`([0-9])(\\[dt]?frac\{)`, "frac{")
	numeric  = pattern.New(`\\[dt]?frac\{([0-9.,]+)\}\{([0-9.,]+)\}`, "frac{")
	fraction = pattern.New(`\\[dt]?frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}`, "frac{")
	tags     = pattern.New(`(?i)<[/ ]*(?:b|i|u|em|strong|p|br|code|sub|sup|span|div|li|ul|ol|final)[/ ]*>`, "<")
	breaks   = map[string]string{"p": "\n", "br": "\n", "div": "\n", "li": "\n- "} // tags that stand for a line break
	boxTags  = strings.NewReplacer("<answer>", `\boxed{`, "</answer>", "}")
	// escapes are the sequences by which a text would steer a terminal.
	escapes = pattern.New(`\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])`)
)

// Sentence returns the text of the i-th sentence.
func (t *Text) Sentence(i int) string { return t.Slice(t.Sentences[i].Words) }

// Slice returns the text from the first to the last word of a range of words.
func (t *Text) Slice(words Span) string {
	if words.Start >= words.End {
		return ""
	}
	return t.Plain[t.Words[words.Start].Start:t.Words[words.End-1].End]
}

// Whole returns all words.
func (t *Text) Whole() Span { return Span{0, len(t.Words)} }

// Fold returns the i-th word in its compared form; "" beyond the ends.
func (t *Text) Fold(i int) string {
	if i < 0 || i >= len(t.Words) {
		return ""
	}
	return t.Words[i].Fold
}

// Excerpt bounds a text for a message: one line, at most n runes, with an ellipsis where cut.
func Excerpt(s string, n int) string {
	for size := 8 * n; ; size = len(s) { // the beginning is enough of nearly every longer text
		line := strings.Map(visible, strings.ToValidUTF8(s[:min(size, len(s))], ""))
		line = strings.Join(strings.Fields(line), " ")
		switch cut := utf8.RuneCountInString(line) > n; {
		case cut:
			return string([]rune(line)[:n-1]) + "…"
		case size >= len(s):
			return line
		}
	}
}

// A Passage is a piece of context that an answer may cite by its ID.
type Passage struct {
	ID   string `json:"id" yaml:"id"`
	Text string `json:"text" yaml:"text"`
}

// Marked returns passages as people and judges are shown them: each behind its ID in brackets.
func Marked(passages []Passage) []string {
	return lists.Map(passages, func(p Passage) string { return "[" + p.ID + "] " + p.Text })
}

// plainer writes a text without its marks.
type plainer struct {
	in     string
	out    strings.Builder
	base   *Text
	bold   int   // where bold text began in out; -1 for nowhere
	groups []int // of the open braces: where in out a box began; -1 for others
}

func (p *plainer) run() {
	for i := 0; i < len(p.in); {
		switch p.in[i] {
		case '*', '_', '~':
			i = p.mark(i)
		case '`', '{', '}':
			i = p.brace(i)
		case '\\':
			i = p.command(i + 1)
		default:
			p.out.WriteByte(p.in[i])
			i++
		}
	}
}

// at returns the byte at i, a blank beyond the ends.
func (p *plainer) at(i int) byte {
	if i < 0 || i >= len(p.in) {
		return ' '
	}
	return p.in[i]
}

// mark takes a run of asterisks, underscores or tildes at i. Two or more open or close bold text, which ends with
// its line.
func (p *plainer) mark(i int) int {
	c, j, now := p.in[i], i, p.out.Len()
	for j < len(p.in) && p.in[j] == c {
		j++
	}
	switch {
	case !isMark(c, j-i, p.at(i-1), p.at(j)):
		p.out.WriteString(p.in[i:j])
	case c == '~' || j-i == 1:
	case p.bold >= 0 && p.bold < now && !strings.Contains(p.out.String()[p.bold:], "\n"):
		p.base.Bold = append(p.base.Bold, Span{p.bold, now})
		p.bold = -1
	default:
		p.bold = now
	}
	return j
}

// isMark reports whether n times c is markup and no sign: emphasis touches a word on one side only.
func isMark(c byte, n int, before, after byte) bool {
	switch {
	case c == '~' && n == 1, c == '_' && isDigit(before) && after == '{': // the base of 45_{10} stays apart
		return false
	case before <= ' ' && after <= ' ':
		return n >= 3 // a rule, not a bullet or a product
	case c == '*' && strings.IndexByte("0123456789)%", before) >= 0 && strings.IndexByte("0123456789.($", after) >= 0:
		return false // a product: 5*.1
	case c == '*' && n >= 2:
		return true
	}
	return !isAlnum(before) || !isAlnum(after)
}

func isAlnum(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }

// brace takes the backtick or brace at i.
func (p *plainer) brace(i int) int {
	last := len(p.groups) - 1
	switch {
	case p.in[i] == '{':
		p.groups = append(p.groups, -1)
	case p.in[i] == '}' && last >= 0:
		if start := p.groups[last]; start >= 0 {
			p.base.Boxes = append(p.base.Boxes, Span{start, p.out.Len()})
		}
		p.groups = p.groups[:last]
	}
	return i + 1
}

// symbols are the commands of LaTeX that stand for a character. Those that are missing stay as their name.
var symbols = map[string]string{
	"times": "×", "cdot": "×", "div": "÷", "pm": "±", "approx": "≈",
	"to": "→", "rightarrow": "→", "Rightarrow": "→", "implies": "→", "quad": " ", "qquad": " ",
	"left": "", "right": "", "big": "", "Big": "", "bigg": "", "displaystyle": "",
	"text": "", "textbf": "", "textit": "", "mathrm": "", "mathbf": "", "mathit": "", "mbox": "", "operatorname": "",
	"mathcal": "", "mathbb": "", "mathsf": "", "mathscr": "", "emph": "", "textrm": "",
	"degree": "°", "circ": "°", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠",
	"emptyset": "∅", "varnothing": "∅", "subseteq": "⊆", "subset": "⊂", "cap": "∩", "cup": "∪",
	"mid": "|", "vert": "|", "ldots": "…", "dots": "…", "begin": "", "end": "",
	"(": "", ")": "", "[": "", "]": "", "{": "", "}": "", "!": "", "\\": "\n", ",": " ", ";": " ", ":": " ",
}

// command takes what stands at i, behind a backslash: a name, or a sign.
func (p *plainer) command(i int) int {
	j := i
	for j < len(p.in) && (p.in[j]|0x20 >= 'a' && p.in[j]|0x20 <= 'z') {
		j++
	}
	if j == i && j < len(p.in) && p.in[j] < utf8.RuneSelf {
		j++
	}
	name := p.in[i:j]
	if (name == "boxed" || name == "fbox") && p.at(j) == '{' {
		p.groups = append(p.groups, p.out.Len())
		return j + 1
	}
	grouping := name == "," && isDigit(p.at(i-2)) && isDigit(p.at(j))
	if sign, ok := symbols[name]; ok && !grouping {
		name = sign
	}
	p.out.WriteString(name)
	return j
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// visible drops, as -1, the control characters but line breaks and tabs, and what has no width; hyphens become plain.
func visible(r rune) rune {
	switch {
	case r >= ' ' && r < 0x7f || r == '\n' || r == '\t' || r == '\r':
	case r == 0x2010 || r == 0x2011 || r == 0xfe63 || r == 0xff0d:
		return '-'
	case unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || r >= 0xfe00 && r <= 0xfe0f:
		return -1
	}
	return r
}

// WordCount returns the number of words: runs between blanks that hold a letter or digit.
func WordCount(plain string) int {
	n := 0
	for _, f := range strings.Fields(plain) {
		if strings.IndexFunc(f, inWord) >= 0 {
			n++
		}
	}
	return n
}

var bullet = pattern.New(`(?m)^([ \t]*)(?:[-*+‣◦–—·] |•|\(?(?:[0-9]{1,3}[.)]|[a-z][.)]|[A-Z]\)) )(.*\S)`)

// Bullets returns the items of the outermost list of a text: lines that open with -, *, •, +, a dash, or a number
// or letter with a point or bracket.
func Bullets(plain string) (items []string) {
	least := len(plain) // the indent of the outermost list
	for _, m := range bullet.FindAllStringSubmatch(plain, -1) {
		if len(m[1]) < least {
			least, items = len(m[1]), nil
		}
		if len(m[1]) == least {
			items = append(items, strings.TrimSpace(m[2]))
		}
	}
	return items
}

// Steps returns the steps that a text shows: the items of its list; else the sentences that open with "Step", an
// ordinal word or "then"; else the lines with equalities; else the links of a chain a → b → c, or equalities in one
// line.
func (t *Text) Steps() []string {
	var opened, lines []string
	for i, s := range t.Sentences {
		if t.Is(s.Words.Start, "step") {
			opened = append(opened, t.Sentence(i))
		}
	}
	for line := range strings.Lines(t.Plain) {
		if strings.ContainsAny(line, "=→") && strings.ContainsAny(line, "0123456789") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	equal := lists.Map(arithmetic.Equalities(t.Plain), func(e arithmetic.Equality) string { return e.Text })
	for _, steps := range [][]string{Bullets(t.Plain), opened, lines, strings.Split(t.Plain, "→")[1:], equal} {
		if len(steps) > 1 {
			return steps
		}
	}
	return lines
}

// Package evidence holds what text alone can show: who declines and who
// asserts, which words are mentioned and which denied, quotes located in their
// context, numbers and dates read, arithmetic redone, structure counted. Every
// function is pure and takes time linear in its bounded input, whatever the
// text, since the text is model output.
package evidence

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limit bounds what is read of an answer: its first and its last Limit bytes.
const Limit = 64 << 10

// A Text is an answer made ready for matching. It does not change after Read.
type Text struct {
	Plain     string     // the answer without frames, reasoning blocks and the marks of markdown and LaTeX, in valid UTF-8
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
	if len(body) < len(s) {
		t.Framed = WordCount(s) - WordCount(body)
	}
	t.unmark(body)
	t.findCues()
	return t
}

// unmark sets Plain, and cuts it into words and sentences.
func (t *Text) unmark(s string) {
	if s = answerTags.Replace(html.UnescapeString(s)); strings.Contains(s, "#") {
		s = headings.ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, "frac{") {
		s = mixed.ReplaceAllString(s, "$1 $2")
		s = fraction.ReplaceAllString(numeric.ReplaceAllString(s, "$1/$2"), "($1)/($2)")
	}
	p := plainer{in: s, base: t, bold: -1}
	p.run(0, len(p.in), 0)
	t.Plain = p.out.String()
	t.split()
}

var (
	headings = regexp.MustCompile(`(?m)^#+ +([^0-9 $-])`) // but not the mark of GSM8K, "#### 42"
	mixed    = regexp.MustCompile(`([0-9])(\\[dt]?frac\{)`)
	numeric  = regexp.MustCompile(`\\[dt]?frac\{([0-9.,]+)\}\{([0-9.,]+)\}`)
	fraction = regexp.MustCompile(`\\[dt]?frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}`)
)

var answerTags = strings.NewReplacer("<answer>", `\boxed{`, "</answer>", "}")

// Sentence returns the text of the i-th sentence.
func (t *Text) Sentence(i int) string { return t.Slice(t.Sentences[i].Words) }

// Slice returns the text from the first to the last word of a range of words.
func (t *Text) Slice(words Span) string {
	if words.Start >= words.End {
		return ""
	}
	return t.Plain[t.Words[words.Start].Start:t.Words[words.End-1].End]
}

// Excerpt bounds a text for a message: one line, at most n runes, with an ellipsis where cut.
func Excerpt(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	blank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), blank), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// plainer writes a text without its marks.
type plainer struct {
	in   string
	out  strings.Builder
	base *Text
	bold int // where bold text began in out; -1 for nowhere
}

// emphasize opens or closes bold text at a mark of two or more asterisks or underscores. Bold text ends with its line.
func (p *plainer) emphasize() {
	now := p.out.Len()
	if p.bold >= 0 && p.bold < now && strings.IndexByte(p.out.String()[p.bold:], '\n') < 0 {
		p.base.Bold = append(p.base.Bold, Span{p.bold, now})
		now = -1
	}
	p.bold = now
}

// groupBound is the longest argument of a LaTeX command that is looked for, so that a million open braces cost nothing.
const groupBound = 1000

const marks = "*_`\\<{}~"

func (p *plainer) run(i, end, depth int) {
	for i < end {
		switch p.in[i] {
		case '*', '_', '~':
			i = p.mark(i, end)
		case '`', '{', '}':
			if strings.HasPrefix(p.in[i:end], "{,}") {
				p.out.WriteByte(',')
				i += 2
			}
			i++
		case '<':
			i = p.tag(i, end)
		case '\\':
			i = p.command(i, end, depth)
		default:
			n := strings.IndexAny(p.in[i:end], marks)
			if n < 0 {
				n = end - i
			}
			p.out.WriteString(p.in[i : i+n])
			i += n
		}
	}
}

// mark takes a run of the asterisks, underscores or tildes at i.
func (p *plainer) mark(i, end int) int {
	c, j := p.in[i], i
	if c == '_' && i > 0 && isDigit(p.in[i-1]) && i+1 < end && p.in[i+1] == '{' { // the base of 45_{10} stays apart from the digits
		p.out.WriteByte('_')
		return i + 2
	}
	for j < end && p.in[j] == c {
		j++
	}
	if !p.isMark(i, j, c) {
		p.out.WriteString(p.in[i:j])
	} else if j-i >= 2 && c != '~' {
		p.emphasize()
	}
	return j
}

// isMark reports whether the run in[i:j] of c is markup and not a sign: emphasis touches a word on one side only.
func (p *plainer) isMark(i, j int, c byte) bool {
	before, after := byte(' '), byte(' ')
	if i > 0 {
		before = p.in[i-1]
	}
	if j < len(p.in) {
		after = p.in[j]
	}
	switch {
	case c == '~' && j-i == 1:
		return false
	case before <= ' ' && after <= ' ':
		return j-i >= 3 // a rule, not a bullet or a product
	case c == '*' && (isDigit(before) || strings.IndexByte(")%", before) >= 0) && (isDigit(after) || strings.IndexByte(".($", after) >= 0):
		return false // a product: 5*.1
	case c == '*' && j-i >= 2:
		return true
	}
	return !isAlnum(before) || !isAlnum(after)
}

func isAlnum(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }

var tags = map[string]string{"b": "", "i": "", "u": "", "em": "", "strong": "", "p": "\n", "br": "\n", "code": "",
	"sub": "", "sup": "", "span": "", "div": "\n", "li": "\n- ", "ul": "", "ol": "", "final": ""}

// tag takes a tag of HTML, or the sign "<", at i.
func (p *plainer) tag(i, end int) int {
	if j := strings.IndexByte(p.in[i:min(end, i+40)], '>'); j >= 0 {
		if text, ok := tags[strings.ToLower(strings.Trim(p.in[i+1:i+j], "/ "))]; ok {
			p.out.WriteString(text)
			return i + j + 1
		}
	}
	p.out.WriteByte('<')
	return i + 1
}

// symbols are the commands of LaTeX that stand for a character. Those that are missing stay as their name.
var symbols = map[string]string{
	"times": "×", "cdot": "×", "div": "÷", "pm": "±", "approx": "≈", "to": "→", "rightarrow": "→", "Rightarrow": "→", "implies": "→",
	"left": "", "right": "", "big": "", "Big": "", "bigg": "", "displaystyle": "", "quad": " ", "qquad": " ",
	"text": "", "textbf": "", "textit": "", "mathrm": "", "mathbf": "", "mathit": "", "mbox": "", "operatorname": "",
	"mathcal": "", "mathbb": "", "mathsf": "", "mathscr": "", "emph": "", "textrm": "",
	"degree": "°", "circ": "°", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "emptyset": "∅", "varnothing": "∅",
	"subseteq": "⊆", "subset": "⊂", "cap": "∩", "cup": "∪", "mid": "|", "vert": "|", "ldots": "…", "dots": "…", "begin": "", "end": "",
}

// command takes the backslash at i and what belongs to it.
func (p *plainer) command(i, end, depth int) int {
	j := i + 1
	for j < end && (p.in[j]|0x20 >= 'a' && p.in[j]|0x20 <= 'z') {
		j++
	}
	if j == i+1 {
		return p.escaped(j, end)
	}
	name := p.in[i+1 : j]
	if g, ok := p.group(j, end); ok && depth < 4 && (name == "boxed" || name == "fbox") {
		start := p.out.Len()
		p.run(g.Start, g.End, depth+1)
		p.base.Boxes = append(p.base.Boxes, Span{start, p.out.Len()})
		return g.End + 1
	}
	if sign, ok := symbols[name]; ok {
		name = sign
	}
	p.out.WriteString(name)
	return j
}

// escaped takes the backslash before j and the sign there, which is no name.
func (p *plainer) escaped(j, end int) int {
	if j == end || p.in[j] >= utf8.RuneSelf {
		return j
	}
	switch c := p.in[j]; c {
	case '(', ')', '[', ']', '{', '}', '!':
	case '\\':
		p.out.WriteByte('\n')
	case ',', ';', ':', ' ':
		if c == ',' && j > 1 && isDigit(p.in[j-2]) && j+1 < end && isDigit(p.in[j+1]) { // groups digits
			p.out.WriteByte(',')
		} else {
			p.out.WriteByte(' ')
		}
	default:
		p.out.WriteByte(c)
	}
	return j + 1
}

// group returns what stands in the braces that open at i.
func (p *plainer) group(i, end int) (Span, bool) {
	if i >= end || p.in[i] != '{' {
		return Span{}, false
	}
	depth := 0
	for j := i; j < min(end, i+groupBound); j++ {
		switch p.in[j] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return Span{i + 1, j}, true
			}
		}
	}
	return Span{}, false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// escapes are the sequences by which a text would steer a terminal.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])`)

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

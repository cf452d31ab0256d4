package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"hallmark/internal/stat/figure"
)

// Visible returns hostile text in a form that cannot act on what shows it: control characters become their pictures
// (ESC is ␛), characters that steer or hide text (bidirectional marks, zero-width and tag characters) become ⟨U+202E⟩,
// and bytes that are no UTF-8 become U+FFFD. Line feeds and tabs stay, carriage returns before a line feed go. The
// joiners U+200C and U+200D stay, as scripts and emoji need them. It does not escape markup: that is the format's part.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('␡')
		case steers(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// VisibleBytes is Visible of output that may have colours and lines that are written over in it: ASCII stays as it is.
func VisibleBytes(b []byte) []byte {
	if !bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x7f && steers(r) }) {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		if r >= 0x7f && steers(r) {
			fmt.Fprintf(&out, "⟨U+%04X⟩", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}

// plain reports whether s is printable ASCII, line feeds and tabs, which is most of what there is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// steers reports whether r moves or hides text without a mark of its own.
func steers(r rune) bool {
	if r == 0x200c || r == 0x200d {
		return false
	}
	const likeNothing = "\u2028\u2029\u115f\u1160\u3164\uffa0\u034f" // separators and fillers
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co) || strings.ContainsRune(likeNothing, r)
}

// cut shortens s to at most limit characters and says how many were left out.
func cut(s string, limit int) (shown string, left int) {
	if len(s) <= limit {
		return s, 0
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i], utf8.RuneCountInString(s[i:])
		}
		n++
	}
	return s, 0
}

// oneLine returns text as it may stand in one line: made visible, line ends and tabs shown as spaces' pictures, no
// run of spaces.
func oneLine(s string) string {
	s, _ = cut(s, 4000) // more than any line holds; bounds the work on huge text
	s = strings.ReplaceAll(Visible(strings.TrimSpace(s)), "\n", " ⏎ ")
	return strings.Join(strings.Fields(s), " ")
}

// Line returns hostile text as one visible line of at most n cells.
func Line(s string, n int) string { return fit(oneLine(s), n) }

// TextWidth returns how many terminal cells s takes: 2 for wide characters, 0 for marks that combine.
func TextWidth(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) || r == 0x200c || r == 0x200d {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// fit returns s in exactly n cells: padded with spaces, or cut with an ellipsis.
func fit(s string, n int) string {
	return clip(s, n) + strings.Repeat(" ", max(0, n-TextWidth(clip(s, n))))
}

// fitLeft is fit with the padding before the text.
func fitLeft(s string, n int) string {
	s = clip(s, n)
	return strings.Repeat(" ", max(0, n-TextWidth(s))) + s
}

// fitName is fit for the name of a model: where it is cut, a third stays of its beginning and the rest of its end,
// for models that stand beside each other tend to differ there (folders, and what is behind the # of a server).
func fitName(s string, n int) string {
	if TextWidth(s) <= n || n < 6 {
		return fit(s, n)
	}
	head := clip(s, n/3) // with its ellipsis
	room, at := n-TextWidth(head), len(s)
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		if room -= cells(r); room < 0 {
			break
		}
		at -= size
	}
	return fit(head+s[at:], n)
}

// clip returns s in at most n cells, with an ellipsis where it was cut.
func clip(s string, n int) string {
	if TextWidth(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	return s[:fitting(s, n-1)] + "…"
}

// fitting is how many bytes the longest beginning of s takes that has at most n cells.
func fitting(s string, n int) int {
	for i, r := range s {
		if n -= cells(r); n < 0 {
			return i
		}
	}
	return len(s)
}

// Wrap breaks text at spaces into lines of at most n cells; a longer word is broken where the line ends.
func Wrap(s string, n int) []string {
	n = max(n, 8)
	var lines []string
	line, used := "", 0
	flush := func() {
		if line != "" {
			lines = append(lines, line)
		}
		line, used = "", 0
	}
	for _, word := range strings.Fields(s) {
		w := TextWidth(word)
		if used > 0 && used+1+w > n {
			flush()
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		if w > n { // a line of marks without a cell of their own stays before the word
			word, line = line+word, ""
		}
		for w > n {
			i := fitting(word, n)
			lines, word = append(lines, word[:i]), word[i:]
			w = TextWidth(word)
		}
		line, used = line+word, used+w
	}
	flush()
	return lines
}

// Numbers are written by package figure; these are its words where many are.
var (
	percent = figure.Percent
	points  = figure.Tenths
	decimal = figure.Decimal
	exact   = figure.Exact
	short   = figure.Short
	rough   = figure.Rough
	count   = figure.Counted
	plural  = figure.Plural
	grouped = figure.Grouped
)

// OneLine keeps an error on one line, as CONTRACT promises, whatever a server, a parser or a file put into it:
// nothing in it moves a terminal, and of much text its beginning and its end, which holds the remedy, are shown.
func OneLine(s string) string {
	const begin, end = 3000, 1000 // bytes
	s = Visible(strings.Join(strings.Fields(s), " "))
	if len(s) <= begin+end {
		return s
	}
	return fmt.Sprintf("%s … (%d bytes more) … %s", strings.ToValidUTF8(s[:begin], ""), len(s)-begin-end,
		strings.ToValidUTF8(s[len(s)-end:], ""))
}

// Wrapped breaks each line of a text at spaces into lines of at most n cells.
func Wrapped(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, Wrap(line, n)...)
	}
	return strings.Join(lines, "\n")
}

package report

import (
	"bufio"
	"io"
	"math"
	"strings"
)

// A Style says how text is laid out for a terminal.
type Style struct {
	Color bool // whether escape sequences for colour and weight may be written
	Width int  // cells in a line; 0 means 80; at least 72 and at most 120 are used
	// whether lists, tables of many rows and answers side by side are shown whole, and not their beginning
	Whole  bool
	Report string // where the HTML report lies, to be named at the end; empty: not named
}

func (s Style) width() int {
	if s.Width == 0 {
		return 80
	}
	return max(72, min(120, s.Width))
}

// A printer writes lines for a terminal. What it is given must be visible text; the colours are its own.
type printer struct {
	w     *bufio.Writer
	style Style
	width int
}

func newPrinter(w io.Writer, s Style) *printer {
	return &printer{w: bufio.NewWriter(w), style: s, width: s.width()}
}

func (p *printer) paint(code, s string) string {
	if !p.style.Color || s == "" || code == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *printer) bold(s string) string { return p.paint("1", s) }
func (p *printer) dim(s string) string  { return p.paint("2", s) }

// tone colours text by what it says: red wrong, yellow random, blue right, green best; none of these stands without
// its word.
func (p *printer) tone(tone, s string) string { return p.paint(toneCodes[tone], s) }

var toneCodes = map[string]string{"err": "31", "rnd": "33", "ok": "34", "best": "32", "dim": "2"}

func (p *printer) line(parts ...string) {
	p.w.WriteString(strings.TrimRight(strings.Join(parts, ""), " "))
	p.w.WriteByte('\n')
}

// para writes text in lines of the width; after the first they are indented as deep as the lead is wide.
func (p *printer) para(lead, s string) { p.painted(lead, s, func(x string) string { return x }) }

func (p *printer) painted(lead, s string, paint func(string) string) {
	indent := TextWidth(lead)
	for i, l := range Wrap(Visible(s), p.width-indent) {
		if i > 0 {
			lead = strings.Repeat(" ", indent)
		}
		p.line(lead, paint(l))
	}
}

// head writes the title of a block, with its column heads over the figures.
func (p *printer) head(title, note string) {
	title = clip(title, p.width)
	p.line()
	p.line(p.bold(title), p.dim(clip(gap(note), p.width-TextWidth(title))))
}

func gap(s string) string {
	if s == "" {
		return ""
	}
	return "  " + s
}

// The columns of a line with a figure: label, value, interval, plot.
const (
	valueCells    = 8
	intervalCells = 16
)

func (p *printer) labelCells() int { return min(36, p.width-valueCells-intervalCells-4-p.plotCells()) }
func (p *printer) plotCells() int  { return max(14, min(34, p.width-valueCells-intervalCells-4-30)) }

// fig writes one figure with its interval and plot.
func (p *printer) fig(f fig, s scale) {
	label := f.Label
	if f.Child {
		label = "  " + label
	}
	value := fitLeft(narrow(f.Text()), valueCells)
	plot := ""
	if s > 0 && f.OK && (f.Unit == share || f.Unit == mean) { // the rest have no end
		plot = "  " + p.tone(f.Tone, whisker(f, s, p.plotCells()))
	}
	text := fit(label, p.labelCells())
	if f.Lead {
		text, value = p.bold(text), p.bold(value)
	}
	p.line(text, value, "  ", p.dim(fitLeft(narrow(f.Range()), intervalCells)), plot)
}

// narrow replaces the thin space of the pages by a plain one, which terminals show alike.
func narrow(s string) string { return strings.ReplaceAll(s, "\u202f", " ") }

// whisker draws a figure's interval on a scale in n cells: ├──●───┤.
func whisker(f fig, s scale, n int) string {
	at := func(x float64) int { return max(0, min(n-1, int(math.Round(x/float64(s)*float64(n-1))))) }
	cells := []rune(strings.Repeat("·", n))
	if f.Bounded {
		lo, hi := at(f.Lo), at(f.Hi)
		for i := lo; i <= hi; i++ {
			cells[i] = '─'
		}
		cells[lo], cells[hi] = '├', '┤'
	}
	cells[at(f.Value)] = '●'
	if f.Ranged { // from one end of what was read to the other
		for i := at(f.Value); i <= at(f.Most); i++ {
			cells[i] = '●'
		}
	}
	return string(cells)
}

// stacked draws shares as a bar of n cells in letters of the block elements; each has at least one cell where it is not
// 0.
func stacked(n int, shares []part) string {
	blocks := []rune("█▓░")
	var b strings.Builder
	at, drawn := 0., 0
	for i, s := range shares {
		at += s.Share
		end := int(math.Round(at * float64(n)))
		if s.Share > 0 && end == drawn && drawn < n {
			end++
		}
		for ; drawn < end && drawn < n; drawn++ {
			b.WriteRune(blocks[i%len(blocks)])
		}
	}
	return b.String()
}

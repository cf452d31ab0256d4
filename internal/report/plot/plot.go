// Package plot draws figures of panels side by side as SVG files that need no
// script, style sheet or network, and writes what they show as CSV.
package plot

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// A Figure is some panels under a title.
type Figure struct {
	Name    string // of its files
	Title   string
	Columns int // panels in a row; 0 for all
	Panels  []Panel
}

// A Panel is one pair of axes.
type Panel struct {
	Title, X, Y string
	LogX        bool     // positive values, ticks at those that occur
	Diagonal    bool     // the line y = x
	YRange      *Bounds  // what the axis shows at least; nil for what the data need
	XRange      *Bounds  //
	Series      []Series // drawn in order
}

// Bounds are an interval.
type Bounds struct{ Lo, Hi float64 }

// A Kind says how a series is drawn.
type Kind string

// The kinds of series.
const (
	Line  Kind = "line"  // with a bar from Lo to Hi at each point where they differ
	Dots  Kind = "dots"  // points of their own
	Band  Kind = "band"  // the area from Lo to Hi
	Faint Kind = "faint" // a thin line
)

// A Series is points of one name. Points that are not finite are left out of the picture, and stand in the CSV.
type Series struct {
	Name   string
	Kind   Kind
	Tone   int // its colour, by number
	Points []Point
}

// A Point has a place and may have an interval.
type Point struct{ X, Y, Lo, Hi float64 }

// At is a point without interval.
func At(x, y float64) Point { return Point{x, y, y, y} }

// CSV returns the figure's data: a row a point, with its panel and series. Lo and hi are empty where there is no interval.
func (f Figure) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }
	w.Write([]string{"panel", "series", "x", "y", "lo", "hi"}) // a buffer takes all
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, q := range s.Points {
				row := []string{p.Title, s.Name, number(q.X), number(q.Y), "", ""}
				if q.Lo != q.Hi {
					row[4], row[5] = number(q.Lo), number(q.Hi)
				}
				w.Write(row)
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

// tones are colours that those who see red and green alike can tell apart, on white (Okabe and Ito 2008).
var tones = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#888888", "#666600"}

// Sizes of a panel, in pixels.
const (
	panelWidth, panelHeight          = 330., 290.
	left, right, top, foot, headline = 52., 12., 26., 40., 28.
)

// SVG draws the figure.
func (f Figure) SVG() []byte {
	columns := f.Columns
	if columns <= 0 {
		columns = max(1, len(f.Panels))
	}
	rows := (len(f.Panels) + columns - 1) / columns
	width, height := panelWidth*float64(columns), headline+panelHeight*float64(rows)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="sans-serif" font-size="11" role="img" aria-label="%s">`,
		width, height, width, height, html.EscapeString(f.Title))
	fmt.Fprintf(&b, "\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"10\" y=\"18\" font-size=\"13\" font-weight=\"bold\">%s</text>\n", html.EscapeString(f.Title))
	for i, p := range f.Panels {
		fmt.Fprintf(&b, `<g transform="translate(%g %g)">`+"\n", panelWidth*float64(i%columns), headline+panelHeight*float64(i/columns))
		p.draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// axis maps values to pixels.
type axis struct {
	lo, hi   float64
	from, to float64
	log      bool
}

func (a axis) at(v float64) float64 {
	lo, hi := a.lo, a.hi
	if a.log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	return a.from + (a.to-a.from)*(v-lo)/(hi-lo)
}

func (a axis) has(v float64) bool {
	margin := 1e-9 * (a.hi - a.lo)
	return v >= a.lo-margin && v <= a.hi+margin
}

// span widens bounds to hold the values that are finite, and positive where log.
func span(at *Bounds, log bool, values func(yield func(float64))) Bounds {
	lo, hi := math.Inf(1), math.Inf(-1)
	values(func(v float64) {
		if finite(v) && (!log || v > 0) {
			lo, hi = min(lo, v), max(hi, v)
		}
	})
	if at != nil {
		lo, hi = min(lo, at.Lo), max(hi, at.Hi)
	}
	switch {
	case lo > hi:
		return Bounds{1, 2}
	case lo == hi && log:
		return Bounds{lo / 2, hi * 2}
	case lo == hi:
		return Bounds{lo - 1, hi + 1}
	}
	return Bounds{lo, hi}
}

func finite(v float64) bool { return v-v == 0 }

func (p Panel) draw(b *strings.Builder) {
	xs := span(p.XRange, p.LogX, func(yield func(float64)) {
		for _, s := range p.Series {
			for _, q := range s.Points {
				yield(q.X)
			}
		}
	})
	ys := span(p.YRange, false, func(yield func(float64)) {
		for _, s := range p.Series {
			for _, q := range s.Points {
				yield(q.Lo)
				yield(q.Hi)
				yield(q.Y)
			}
		}
	})
	x := axis{xs.Lo, xs.Hi, left, panelWidth - right, p.LogX}
	y := axis{ys.Lo, ys.Hi, panelHeight - foot, top, false}
	fmt.Fprintf(b, `<text x="%g" y="16" font-weight="bold">%s</text>`+"\n", left, html.EscapeString(p.Title))
	fmt.Fprintf(b, `<rect x="%g" y="%g" width="%g" height="%g" fill="none" stroke="#444"/>`+"\n", left, top, panelWidth-left-right, panelHeight-top-foot)
	for _, v := range Ticks(ys) {
		fmt.Fprintf(b, `<line x1="%g" x2="%g" y1="%.2f" y2="%.2f" stroke="#ddd"/><text x="%g" y="%.2f" text-anchor="end">%s</text>`+"\n",
			left, panelWidth-right, y.at(v), y.at(v), left-4, y.at(v)+4, short(v))
	}
	marks := Ticks(xs)
	if p.LogX {
		marks = p.doublings(x)
	}
	for _, v := range marks {
		fmt.Fprintf(b, `<line x1="%.2f" x2="%.2f" y1="%g" y2="%g" stroke="#444"/><text x="%.2f" y="%g" text-anchor="middle">%s</text>`+"\n",
			x.at(v), x.at(v), panelHeight-foot, panelHeight-foot+4, x.at(v), panelHeight-foot+16, short(v))
	}
	fmt.Fprintf(b, `<text x="%g" y="%g" text-anchor="middle">%s</text>`+"\n", (left+panelWidth-right)/2, panelHeight-8, html.EscapeString(p.X))
	fmt.Fprintf(b, `<text transform="translate(12 %g) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (top+panelHeight-foot)/2, html.EscapeString(p.Y))
	if lo, hi := max(xs.Lo, ys.Lo), min(xs.Hi, ys.Hi); p.Diagonal && lo < hi {
		fmt.Fprintf(b, `<line x1="%.2f" y1="%.2f" x2="%.2f" y2="%.2f" stroke="#888" stroke-dasharray="4 3"/>`+"\n", x.at(lo), y.at(lo), x.at(hi), y.at(hi))
	}
	for _, s := range p.Series {
		s.draw(b, x, y)
	}
	p.legend(b, x, y)
}

// doublings are the values on a logarithmic axis that are marked: those of the data, as far as they do not crowd.
func (p Panel) doublings(x axis) []float64 {
	var out []float64
	last := math.Inf(-1)
	for _, s := range p.Series {
		if s.Kind != Line {
			continue
		}
		for _, q := range s.Points {
			if finite(q.X) && q.X > 0 && x.at(q.X)-last >= 22 {
				out, last = append(out, q.X), x.at(q.X)
			}
		}
		break
	}
	return out
}

func (s Series) draw(b *strings.Builder, x, y axis) {
	tone := tones[s.Tone%len(tones)]
	var points []Point
	for _, q := range s.Points {
		if finite(q.X) && finite(q.Y) && finite(q.Lo) && finite(q.Hi) && x.has(q.X) && (!x.log || q.X > 0) {
			points = append(points, q)
		}
	}
	switch s.Kind {
	case Band:
		if len(points) == 0 {
			return
		}
		b.WriteString(`<path d="`)
		for i, q := range points {
			fmt.Fprintf(b, "%s%.2f %.2f", map[bool]string{true: "M", false: "L"}[i == 0], x.at(q.X), y.at(q.Hi))
		}
		for i := len(points) - 1; i >= 0; i-- {
			fmt.Fprintf(b, "L%.2f %.2f", x.at(points[i].X), y.at(points[i].Lo))
		}
		fmt.Fprintf(b, `Z" fill="%s" fill-opacity=".25"/>`+"\n", tone)
	case Dots:
		fmt.Fprintf(b, `<g fill="%s" fill-opacity=".6">`, tone)
		for _, q := range points {
			fmt.Fprintf(b, `<circle cx="%.2f" cy="%.2f" r="1.7"/>`, x.at(q.X), y.at(q.Y))
		}
		b.WriteString("</g>\n")
	default:
		var path strings.Builder
		for i, q := range points {
			fmt.Fprintf(&path, "%s%.2f %.2f", map[bool]string{true: "M", false: "L"}[i == 0], x.at(q.X), y.at(q.Y))
			if s.Kind == Line && q.Lo != q.Hi {
				fmt.Fprintf(b, `<line x1="%.2f" x2="%.2f" y1="%.2f" y2="%.2f" stroke="%s"/>`, x.at(q.X), x.at(q.X), y.at(q.Lo), y.at(q.Hi), tone)
			}
		}
		width := 1.8
		if s.Kind == Faint {
			width = .9
		}
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="%g"/>`+"\n", path.String(), tone, width)
	}
}

// legend names the series, each name once, in the corner that hides the fewest points.
func (p Panel) legend(b *strings.Builder, x, y axis) {
	seen := map[string]bool{}
	var names []Series
	for _, s := range p.Series {
		if s.Name != "" && !seen[s.Name] {
			seen[s.Name] = true
			names = append(names, s)
		}
	}
	if len(names) < 2 {
		return
	}
	longest := 0
	for _, s := range names {
		longest = max(longest, len([]rune(s.Name)))
	}
	w, h := float64(longest)*5.8+22, float64(len(names))*13+4
	atX, atY, fewest := 0., 0., math.MaxInt
	for _, from := range []float64{top + 3, panelHeight - foot - 3 - h} {
		for _, at := range []float64{panelWidth - right - w - 4, left + 4} {
			hidden := 0
			for _, s := range p.Series {
				for _, q := range s.Points {
					for _, v := range []float64{q.Lo, q.Y, q.Hi} {
						if px, py := x.at(q.X), y.at(v); px >= at && px <= at+w && py >= from && py <= from+h {
							hidden++
						}
					}
				}
			}
			if hidden < fewest {
				atX, atY, fewest = at, from, hidden
			}
		}
	}
	fmt.Fprintf(b, `<rect x="%g" y="%g" width="%g" height="%g" fill="#fff" fill-opacity=".8"/>`, atX, atY, w, h)
	for i, s := range names {
		line := atY + 11 + float64(i)*13
		fmt.Fprintf(b, `<rect x="%g" y="%g" width="10" height="7" fill="%s"/><text x="%g" y="%g">%s</text>`, atX+3, line-7, tones[s.Tone%len(tones)], atX+17, line, html.EscapeString(s.Name))
	}
	b.WriteString("\n")
}

// Ticks are at most eight round values within bounds.
func Ticks(r Bounds) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((r.Hi-r.Lo)/6)))
	for _, f := range []float64{1, 2, 5, 10} {
		if (r.Hi-r.Lo)/(f*step) <= 6 {
			step *= f
			break
		}
	}
	var out []float64
	for k := math.Ceil(r.Lo/step - 1e-9); k*step <= r.Hi+1e-9*step && len(out) < 8; k++ {
		out = append(out, k*step+0) // no -0
	}
	return out
}

// short writes a tick.
func short(v float64) string {
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if s == "-0" {
		return "0"
	}
	return s
}

// Package svg draws: the marks that charts are made of, the scales that place them, and panels of series over two
// axes. Whatever draws in this project draws through it, so that a number is written and a text is escaped in one
// way.
//
// Colours and strokes are classes. A page has them in its style sheet, and a file by itself those of
// file.css. A drawing of shares (Part) is as wide as
// its place, and neither its dots nor its letters are stretched.
package svg

import (
	"cmp"
	_ "embed" // the style of a file
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// A Place is a position or a length across a drawing: pixels, or a share of its width.
type Place string

// Px is a place in pixels.
func Px(x float64) Place { return Place(number(x)) }

// Part is a place as a share of the width, in [0, 1].
func Part(x float64) Place {
	return Place(number(100*math.Max(0, math.Min(1, x))) + "%")
}

// number writes a coordinate in hundredths, which no screen shows.
func number(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100+0, 'f', -1, 64) // no -0
}

// A Point is a place across and a height.
type Point struct {
	X Place
	Y float64
}

// A Drawing is marks, drawn in their order. The zero Drawing is empty.
type Drawing struct{ b strings.Builder }

// open begins a tag with a class and attributes, names and values in turn; those that are empty are left out.
func (d *Drawing) open(tag, class string, attrs ...string) {
	d.b.WriteString("<" + tag)
	attrs = append([]string{"class", class}, attrs...)
	for i := 0; i+1 < len(attrs); i += 2 {
		if value := attrs[i+1]; value != "" {
			d.b.WriteString(" " + attrs[i] + `="` + html.EscapeString(value) + `"`)
		}
	}
}

// mark draws a mark without anything in it.
func (d *Drawing) mark(tag, class string, attrs ...string) {
	d.open(tag, class, attrs...)
	d.b.WriteString("/>")
}

// Line draws a line.
func (d *Drawing) Line(class string, from, to Point) {
	d.mark("line", class, "x1", string(from.X), "x2", string(to.X), "y1", number(from.Y), "y2", number(to.Y))
}

// Across draws a line from one place to another at one height.
func (d *Drawing) Across(class string, from, to Place, y float64) {
	d.Line(class, Point{from, y}, Point{to, y})
}

// Up draws a line at one place between two heights.
func (d *Drawing) Up(class string, x Place, from, to float64) {
	d.Line(class, Point{x, from}, Point{x, to})
}

// Rect draws a box with its corner at the upper left; more are further attributes of it, names and values in turn.
func (d *Drawing) Rect(class string, at Point, width Place, height float64, more ...string) {
	d.mark("rect", class, append([]string{"x", string(at.X), "width", string(width), "y", number(at.Y), "height",
		number(height)}, more...)...)
}

// Circle draws a dot.
func (d *Drawing) Circle(class string, at Point, radius float64) {
	d.mark("circle", class, "cx", string(at.X), "cy", number(at.Y), "r", number(radius))
}

// Path draws the line or the area that a path's commands say.
func (d *Drawing) Path(class, commands string) { d.mark("path", class, "d", commands) }

// Stream draws an area of one height from a height at the left to another at the right.
func (d *Drawing) Stream(class string, across Bounds, from, to, height float64) {
	middle := (across.Lo + across.Hi) / 2
	list := func(command string, coordinates ...float64) string {
		for _, x := range coordinates {
			command += " " + number(x)
		}
		return command
	}
	d.Path(class, list("M", across.Lo, from)+list("C", middle, from, middle, to, across.Hi, to)+
		list("L", across.Hi, to+height)+list("C", middle, to+height, middle, from+height, across.Lo, from+height)+"Z")
}

// Where a text stands to its place.
const (
	Start  = "start"
	Middle = "middle"
	End    = "end"
)

// Text writes text beside a place: Start, Middle or End of it is there. More are attributes as of Rect.
func (d *Drawing) Text(class string, at Point, anchor, text string, more ...string) {
	d.open("text", class, append([]string{"x", string(at.X), "y", number(at.Y), "text-anchor", anchor}, more...)...)
	d.b.WriteString(">" + html.EscapeString(text) + "</text>")
}

// Group draws marks together under a class; the title, where there is one, shows where the reader points at them.
func (d *Drawing) Group(class, title string, draw func()) {
	d.open("g", class)
	d.b.WriteString(">")
	if title != "" {
		d.b.WriteString("<title>" + html.EscapeString(title) + "</title>")
	}
	draw()
	d.b.WriteString("</g>")
}

// Put draws another drawing with its corner at a place, as wide and high as said.
func (d *Drawing) Put(inner *Drawing, at Point, width Place, height float64) {
	d.open("svg", "", "x", string(at.X), "y", number(at.Y), "width", string(width), "height", number(height))
	d.b.WriteString(">" + inner.b.String() + "</svg>\n")
}

// A Frame is the ground of a drawing on a page.
type Frame struct {
	Class  string
	Wide   Place   // how wide it is on the page; "": as its place
	Width  float64 // in the drawing's own units, for one that is scaled with its place; 0: its places across are shares
	Height float64
	Label  string // what it shows; "": it is hidden from screen readers, as it stands beside the figures that it draws
}

// On returns the drawing on its ground.
func (d *Drawing) On(f Frame) template.HTML {
	var out Drawing
	box, height, hidden, role := "", number(f.Height), "", "img"
	if f.Width > 0 {
		box, height = "0 0 "+number(f.Width)+" "+height, ""
	}
	if f.Label == "" {
		hidden, role = "true", ""
	}
	out.open("svg", f.Class, "viewBox", box, "width", cmp.Or(string(f.Wide), "100%"), "height", height, "aria-hidden",
		hidden, "role", role, "aria-label", f.Label)
	return template.HTML(out.b.String() + ">" + d.b.String() + "</svg>")
}

// Swatch is a box in the colour of a class, as wide and high as the style sheet has it.
func Swatch(class string) template.HTML {
	var d Drawing
	d.open("svg", "sw")
	d.b.WriteString(">")
	d.mark("rect", class)
	return template.HTML(d.b.String() + "</svg>")
}

// File returns the drawing as a file that needs no style sheet, script or network beside it.
func (d *Drawing) File(width, height float64, label string) []byte {
	var out Drawing
	w, h := number(width), number(height)
	out.open("svg", "", "xmlns", "http://www.w3.org/2000/svg", "width", w, "height", h, "viewBox", "0 0 "+w+" "+h,
		"role", "img", "aria-label", label)
	out.b.WriteString("><style>" + style + "</style>\n")
	out.Rect("paper", Point{"0", 0}, "100%", height)
	return []byte(out.b.String() + "\n" + d.b.String() + "</svg>\n")
}

// style has the classes of a file, in the colours of paper. Series, s0 to s8, have colours that those who see red and
// green alike can tell apart (Okabe and Ito 2008).
//
//go:embed file.css
var style string

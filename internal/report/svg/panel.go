package svg

import (
	"math"
	"slices"
	"strings"
)

// A Panel is series over two axes.
type Panel struct {
	Title, X, Y    string
	LogX           bool    // positive values, ticks at those that occur
	Diagonal       bool    // the line y = x
	XRange, YRange *Bounds // what the axis shows at least; nil for what the data need
	XTicks, YTicks []Tick  // nil for round values
	Series         []Series
}

// A Series is values of one name and colour, a class. Those that are not finite are left out of the picture.
type Series struct {
	Name, Class string
	Values      []Value
	Line        bool
	Band        bool    // the area between the bounds
	Bars        bool    // a bar between the bounds of each value that has some
	Dots        float64 // the radius of a dot at each value; 0 for none
}

// A Value has a place, and may have bounds; those that are the same are none.
type Value struct{ X, Y, Lo, Hi float64 }

// At is a value without bounds.
func At(x, y float64) Value { return Value{x, y, y, y} }

// Between is a value with bounds.
func Between(x, y, lo, hi float64) Value { return Value{x, y, lo, hi} }

// A Box is the ground of a panel, in pixels: its size, and how much of that is beside the axes.
type Box struct{ Width, Height, Left, Right, Top, Foot float64 }

// axes are a panel's scales in pixels.
type axes struct{ x, y Scale }

func (a axes) point(x, y float64) Point { return Point{Px(a.x.At(x)), a.y.At(y)} }

// axes lays the scales into a box.
func (p Panel) axes(b Box) axes {
	var across, up []float64
	for _, s := range p.Series {
		for _, v := range s.Values {
			across, up = append(across, v.X), append(up, v.Lo, v.Hi, v.Y)
		}
	}
	return axes{
		Scale{Hull(p.XRange, p.LogX, across), b.Left, b.Width - b.Right, p.LogX},
		Scale{Hull(p.YRange, false, up), b.Height - b.Foot, b.Top, false},
	}
}

// Draw draws the panel.
func (p Panel) Draw(d *Drawing, b Box) {
	a := p.axes(b)
	d.Text("on head", Point{Px(2), 16}, Start, p.Title)
	p.frame(d, a)
	if lo, hi := max(a.x.Lo, a.y.Lo), min(a.x.Hi, a.y.Hi); p.Diagonal && lo < hi {
		d.Line("dash", a.point(lo, lo), a.point(hi, hi))
	}
	for _, s := range p.Series {
		d.Group(strings.TrimSpace("series "+s.Class), "", func() { s.draw(d, a) })
	}
}

// frame draws the axes with their ticks and names.
func (p Panel) frame(d *Drawing, a axes) {
	left, right, top, foot := a.x.From, a.x.To, a.y.To, a.y.From
	ups, marks := p.YTicks, p.XTicks
	if ups == nil {
		ups = a.y.Ticks()
	}
	switch {
	case marks == nil && p.LogX:
		marks = p.occurring(a.x)
	case marks == nil:
		marks = a.x.Ticks()
	}
	for _, t := range ups {
		y := a.y.At(t.At)
		d.Across("g", Px(left), Px(right), y)
		d.Text("", Point{Px(left - 4), y + 4}, End, t.Text)
	}
	d.Rect("g frame", Point{Px(left), top}, Px(right-left), foot-top, "fill", "none")
	for _, t := range marks {
		x := Px(a.x.At(t.At))
		d.Up("mark", x, foot, foot+4)
		d.Text("", Point{x, foot + 16}, Middle, t.Text)
	}
	d.Text("", Point{Px((left + right) / 2), foot + 32}, Middle, p.X)
	if p.Y != "" {
		d.Text("", Point{Px(0), 0}, Middle, p.Y, "transform", "translate(12 "+number((top+foot)/2)+") rotate(-90)")
	}
}

// occurring are the values that a logarithmic axis marks: those of the first line, as far as they do not crowd.
func (p Panel) occurring(x Scale) (out []Tick) {
	i := slices.IndexFunc(p.Series, func(s Series) bool { return s.Bars })
	if i < 0 {
		return nil
	}
	last := math.Inf(-1)
	for _, v := range p.Series[i].Values {
		if finite(v.X) && v.X > 0 && x.At(v.X)-last >= 22 {
			out, last = append(out, tick(v.X)), x.At(v.X)
		}
	}
	return out
}

func (s Series) draw(d *Drawing, a axes) {
	var line, upper, lower []Point
	for _, v := range s.Values {
		if !finite(v.X, v.Y, v.Lo, v.Hi) || !a.x.Has(v.X) {
			continue
		}
		line = append(line, a.point(v.X, v.Y))
		if v.Lo == v.Hi {
			continue
		}
		upper, lower = append(upper, a.point(v.X, v.Hi)), append(lower, a.point(v.X, v.Lo))
		if s.Bars {
			d.Line("w", a.point(v.X, v.Lo), a.point(v.X, v.Hi))
		}
	}
	if s.Band && len(upper) > 1 {
		slices.Reverse(lower)
		d.Path("area", through(append(upper, lower...))+"Z")
	}
	if s.Line && len(line) > 0 {
		d.Path("line", through(line))
	}
	if s.Dots > 0 {
		for _, at := range line {
			d.Circle("", at, s.Dots)
		}
	}
}

// through is the path along points.
func through(points []Point) string {
	var parts []string
	for _, p := range points {
		parts = append(parts, string(p.X)+" "+number(p.Y))
	}
	return "M" + strings.Join(parts, "L")
}

// Legend names the series of a panel in a box, each name once, in the corner that hides the fewest values; one name
// alone says nothing.
func (p Panel) Legend(d *Drawing, b Box) {
	var names []Series
	longest := 0
	for _, s := range p.Series {
		if s.Name != "" && !slices.ContainsFunc(names, func(o Series) bool { return o.Name == s.Name }) {
			names, longest = append(names, s), max(longest, len([]rune(s.Name)))
		}
	}
	if len(names) < 2 {
		return
	}
	at := p.roomiest(p.axes(b), float64(longest)*5.8+22, float64(len(names))*13+4)
	d.Rect("veil", Point{Px(at.x), at.y}, Px(at.width), at.height)
	for i, s := range names {
		line := at.y + 11 + float64(i)*13
		d.Rect("key "+s.Class, Point{Px(at.x + 3), line - 7}, Px(10), 7)
		d.Text("", Point{Px(at.x + 17), line}, Start, s.Name)
	}
}

// A spot is where a legend may stand.
type spot struct{ x, y, width, height float64 }

func (s spot) holds(x, y float64) bool {
	return x >= s.x && x <= s.x+s.width && y >= s.y && y <= s.y+s.height
}

// roomiest is the corner of the axes that hides the fewest values.
func (p Panel) roomiest(a axes, width, height float64) (best spot) {
	fewest := math.MaxInt
	for _, y := range []float64{a.y.To + 3, a.y.From - 3 - height} {
		for _, x := range []float64{a.x.To - width - 4, a.x.From + 4} {
			here, hidden := spot{x, y, width, height}, 0
			for _, s := range p.Series {
				for _, v := range s.Values {
					for _, h := range []float64{v.Lo, v.Y, v.Hi} {
						if here.holds(a.x.At(v.X), a.y.At(h)) {
							hidden++
						}
					}
				}
			}
			if hidden < fewest {
				best, fewest = here, hidden
			}
		}
	}
	return best
}

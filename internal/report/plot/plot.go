// Package plot draws figures of panels side by side as SVG files that need no
// script, style sheet or network, and writes what they show as CSV.
package plot

import (
	"bytes"
	"encoding/csv"

	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

// A Figure is some panels under a title.
type Figure struct {
	Name    string // of its files
	Title   string
	Columns int // panels in a row
	Panels  []svg.Panel
}

// CSV returns the figure's data: a row a value, with its panel and series. Lo and hi are empty where there is no
// interval.
func (f Figure) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	number := func(x float64) string { return figure.Digits(x, 8) }
	w.Write([]string{"panel", "series", "x", "y", "lo", "hi"}) // a buffer takes all
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, v := range s.Values {
				row := []string{p.Title, s.Name, number(v.X), number(v.Y), "", ""}
				if v.Lo != v.Hi {
					row[4], row[5] = number(v.Lo), number(v.Hi)
				}
				w.Write(row)
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

// ground is what a panel stands on, and headline what is above all panels, in pixels.
var ground = svg.Box{Width: 330, Height: 290, Left: 52, Right: 12, Top: 26, Foot: 40}

const headline = 28.

// SVG draws the figure.
func (f Figure) SVG() []byte {
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	var d svg.Drawing
	d.Text("title", svg.Point{X: svg.Px(10), Y: 18}, svg.Start, f.Title)
	for i, p := range f.Panels {
		var panel svg.Drawing
		p.Draw(&panel, ground)
		p.Legend(&panel, ground)
		x, y := ground.Width*float64(i%f.Columns), headline+ground.Height*float64(i/f.Columns)
		d.Put(&panel, svg.Point{X: svg.Px(x), Y: y}, svg.Px(ground.Width), ground.Height)
	}
	return d.File(ground.Width*float64(f.Columns), headline+ground.Height*float64(rows), f.Title)
}

// The kinds of series: a line with a bar where a value has bounds, a thin line, an area between bounds, and dots.

func line(name string, n int) svg.Series {
	return svg.Series{Name: name, Class: tone(n), Line: true, Bars: true}
}
func faint(name string, n int) svg.Series {
	return svg.Series{Name: name, Class: tone(n) + " faint", Line: true}
}
func band(name string, n int) svg.Series { return svg.Series{Name: name, Class: tone(n), Band: true} }
func dots(name string, n int) svg.Series {
	return svg.Series{Name: name, Class: tone(n) + " cloud", Dots: 1.7}
}

package report

import (
	"html/template"
	"math"
	"slices"
	"strconv"

	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

// Most charts are drawn in shares of their width, so a chart is as wide as its cell and neither its dots nor its
// letters are stretched. A chart beside the figures that it draws is hidden from screen readers; one that stands
// alone has a label.

// scale is the common axis of a table's plots: 0 to its end.
type scale float64

// scaleFor returns the smallest of a few round ends that holds every figure's interval.
func scaleFor(figs ...fig) scale {
	top := 0.
	for _, f := range figs {
		if f.OK {
			top = max(top, f.Value, f.Most, f.Hi)
		}
	}
	return scaleTo(top)
}

// scaleTo is the smallest round end that is not below a share.
func scaleTo(top float64) scale {
	for _, end := range []scale{.1, .2, .4, .6, .8} {
		if top <= float64(end) {
			return end
		}
	}
	return 1
}

// Axis draws the labels over a column of plots.
func (s scale) Axis() template.HTML {
	return axis("0", figure.Plain(float64(s)*50), figure.Plain(float64(s)*100)+" %")
}

// axis draws three labels at the begin, the middle and the end of a column of plots.
func axis(begin, middle, end string) template.HTML {
	var d svg.Drawing
	d.Text("", svg.Point{X: "0", Y: 11}, svg.Start, begin)
	d.Text("", svg.Point{X: "50%", Y: 11}, svg.Middle, middle)
	d.Text("", svg.Point{X: "100%", Y: 11}, svg.End, end)
	return d.On(svg.Frame{Height: 14})
}

// Plot draws a figure as a dot with its interval.
func (s scale) Plot(f fig) template.HTML {
	var d svg.Drawing
	for _, x := range []svg.Place{"0", "50%", "100%"} {
		d.Up("g", x, 0, 18)
	}
	dot(&d, f, float64(s), 9, 3.75)
	return d.On(svg.Frame{Class: f.Tone, Height: 18})
}

// dot draws a figure at height y on an axis from 0 to end, with its interval as a capped line.
func dot(d *svg.Drawing, f fig, end, y, radius float64) {
	if !f.OK {
		return
	}
	if f.Bounded {
		lo, hi := svg.Part(f.Lo/end), svg.Part(f.Hi/end)
		d.Across("w", lo, hi, y)
		for _, x := range []svg.Place{lo, hi} {
			d.Up("cap", x, y-3.5, y+3.5)
		}
	}
	d.Circle("", svg.Point{X: svg.Part(f.Value / end), Y: y}, radius)
	if f.Ranged {
		d.Circle("", svg.Point{X: svg.Part(f.Most / end), Y: y}, radius)
	}
}

// A part is one piece of a bar.
type part struct {
	Share float64
	Fill  string // ok, err, dec, rnd, ink or no
	Label string // constant text
}

// bar draws parts of a whole side by side; a thin gap parts neighbours that are hard to tell apart.
func bar(height float64, label string, parts ...part) template.HTML {
	var d svg.Drawing
	at := 0.
	for _, p := range parts {
		if p.Share > 0 {
			d.Rect("f-"+p.Fill, svg.Point{X: svg.Part(at)}, svg.Part(p.Share), height)
		}
		if at += p.Share; p.Share > 0 && at < .9999 {
			d.Up("gap", svg.Part(at), 0, height)
		}
	}
	if height < barWithAxis {
		return d.On(svg.Frame{Height: height, Label: label})
	}
	for i, says := range []string{"0", "50", "100 %"} {
		d.Text("", svg.Point{X: svg.Part(float64(i) / 2), Y: height + 12}, []string{svg.Start, svg.Middle, svg.End}[i],
			says)
	}
	return d.On(svg.Frame{Height: height + 15, Label: label})
}

// barWithAxis is the height from which a bar has an axis of its own; those in a table have one over their column.
const barWithAxis = 14

// tick writes a number of an axis from 0 to 1 below its place, at y; the outer two stay within the drawing.
func tick(d *svg.Drawing, x, y float64) {
	anchor := svg.Middle
	switch x {
	case 0:
		anchor = svg.Start
	case 1:
		anchor = svg.End
	}
	d.Text("", svg.Point{X: svg.Part(x), Y: y}, anchor, figure.Plain(x))
}

// levels draws semantic stability on the four levels, with the accuracy under it on the same axis.
func levels(ss, accuracy fig) template.HTML {
	var d svg.Drawing
	bounds := []float64{0, .3, .6, .9, 1}
	for i, name := range []string{"insufficient", "limited", "substantial", "high"} {
		class := "band"
		if i%2 == 1 {
			class = "band alt"
		}
		d.Rect(class, svg.Point{X: svg.Part(bounds[i]), Y: 16}, svg.Part(bounds[i+1]-bounds[i]), 36)
		d.Text("", svg.Point{X: svg.Part((bounds[i] + bounds[i+1]) / 2), Y: 11}, svg.Middle, name)
	}
	for _, x := range bounds {
		tick(&d, x, 64)
	}
	d.Group(ss.Tone, "", func() { dot(&d, ss, 1, 27, 4.5) })
	d.Group(accuracy.Tone, "", func() { dot(&d, accuracy, 1, 42, 4.5) })
	return d.On(svg.Frame{Height: 66, Label: "semantic stability and accuracy on a scale from 0 to 1"})
}

// A bin is one bar of a histogram.
type bin struct {
	From, To float64 // From < x <= To; a bin of one value has From = To
	N        int
}

// Label names the bin.
func (b bin) Label() string {
	short := func(x float64) string { return figure.Plain(math.Round(x*100) / 100) }
	if b.From == b.To {
		return short(b.To)
	}
	return short(b.From) + "–" + short(b.To)
}

// bins sorts paraphrase consistencies into bars. Where every case has the same number of variants, and at most 20,
// there is a bar for each value that PC can take, from the least value, 1/r to 1; else ten bars of equal width.
func bins(pcs []float64, rs []int) []bin {
	n, width := rs[0], 0.
	place := func(x float64) float64 { return math.Round(x * float64(n)) }
	if slices.Min(rs) != slices.Max(rs) || n > 20 {
		n, width = 10, 1
		place = func(x float64) float64 { return math.Ceil(x*10 - 1e-9) }
	}
	out := make([]bin, n)
	for i := range out {
		out[i] = bin{(float64(i+1) - width) / float64(n), float64(i+1) / float64(n), 0}
	}
	for _, x := range pcs {
		out[max(0, min(n-1, int(place(x))-1))].N++
	}
	return out
}

// histogram draws bins; the count stands over each bar.
func histogram(bins []bin) template.HTML {
	const height, top, foot = 150., 16., 18.
	most := slices.MaxFunc(bins, func(a, b bin) int { return a.N - b.N }).N
	var d svg.Drawing
	step := 1 / float64(len(bins))
	for i, x := range bins {
		left := float64(i) * step
		middle := svg.Part(left + step/2)
		h := 0.
		if x.N > 0 {
			h = math.Max((height-top-foot)*float64(x.N)/float64(most), 2)
			d.Text("on", svg.Point{X: middle, Y: height - foot - h - 4}, svg.Middle, strconv.Itoa(x.N))
		}
		d.Rect("f-ink", svg.Point{X: svg.Part(left + step*.1), Y: height - foot - h}, svg.Part(step*.8), h)
		if len(bins) <= 12 || i%2 == 1 {
			class := "" // every other one is left out where there is no room
			if len(bins) > 5 && (len(bins)-1-i)%2 == 1 {
				class = "alt"
			}
			d.Text(class, svg.Point{X: middle, Y: height - 4}, svg.Middle, x.Label())
		}
	}
	d.Across("base", "0", "100%", height-foot)
	return d.On(svg.Frame{Height: height, Label: "number of cases by paraphrase consistency"})
}

package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// The charts are plain SVG without a viewBox: positions across are percentages, so a chart is as wide as its cell and
// neither its dots nor its letters are stretched. Only numbers and constant text enter them, so they need no escaping.
// A chart beside the figures that it draws is hidden from screen readers; one that stands alone has a label.

// pc formats a position across the chart.
func pc(x float64) string {
	return strconv.FormatFloat(math.Round(math.Max(0, math.Min(1, x))*10000)/100, 'f', -1, 64) + "%"
}

// scale is the common axis of a table's plots: 0 to its end.
type scale float64

// scaleFor returns the smallest of a few round ends that holds every figure's interval.
func scaleFor(figs ...fig) scale {
	top := 0.
	for _, f := range figs {
		if f.OK {
			top = math.Max(top, math.Max(math.Max(f.Value, f.Most), f.Hi))
		}
	}
	for _, end := range []scale{.1, .2, .4, .6, .8} {
		if top <= float64(end) {
			return end
		}
	}
	return 1
}

// Axis draws the labels over a column of plots.
func (s scale) Axis() template.HTML {
	end := strconv.FormatFloat(float64(s)*100, 'f', -1, 64)
	half := strconv.FormatFloat(float64(s)*50, 'f', -1, 64)
	return template.HTML(`<svg width="100%" height="14" aria-hidden="true"><text x="0" y="11">0</text><text x="50%" y="11" text-anchor="middle">` +
		half + `</text><text x="100%" y="11" text-anchor="end">` + end + " %</text></svg>")
}

// Plot draws a figure as a dot with its interval.
func (s scale) Plot(f fig) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="%s" width="100%%" height="18" aria-hidden="true">`, f.Tone)
	for _, x := range []string{"0", "50%", "100%"} {
		fmt.Fprintf(&b, `<line class="g" x1="%s" x2="%s" y1="0" y2="18"/>`, x, x)
	}
	dot(&b, f, float64(s), 9, 3.75)
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// dot draws a figure at height y on an axis from 0 to end, with its interval as a capped line.
func dot(b *strings.Builder, f fig, end, y, radius float64) {
	if !f.OK {
		return
	}
	if f.Bounded {
		fmt.Fprintf(b, `<line class="w" x1="%s" x2="%s" y1="%g" y2="%g"/>`, pc(f.Lo/end), pc(f.Hi/end), y, y)
		for _, x := range []string{pc(f.Lo / end), pc(f.Hi / end)} {
			fmt.Fprintf(b, `<line class="cap" x1="%s" x2="%s" y1="%g" y2="%g"/>`, x, x, y-3.5, y+3.5)
		}
	}
	fmt.Fprintf(b, `<circle cx="%s" cy="%g" r="%g"/>`, pc(f.Value/end), y, radius)
	if f.Ranged {
		fmt.Fprintf(b, `<circle cx="%s" cy="%g" r="%g"/>`, pc(f.Most/end), y, radius)
	}
}

// A part is one piece of a bar.
type part struct {
	Share float64
	Fill  string // ok, err, dec, rnd, ink or no
	Label string // constant text
}

// bar draws parts of a whole side by side, with the share printed in the pieces that hold it.
func bar(height int, label string, parts ...part) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="100%%" height="%d" role="img" aria-label="%s">`, height, template.HTMLEscapeString(label))
	at := 0.
	for _, p := range parts {
		if p.Share > 0 {
			fmt.Fprintf(&b, `<rect class="f-%s" x="%s" width="%s" y="0" height="%d"/>`, p.Fill, pc(at), pc(p.Share), height)
		}
		at += p.Share
		if p.Share > 0 && at < .9999 { // a thin gap parts neighbours that are hard to tell apart
			fmt.Fprintf(&b, `<line x1="%s" x2="%s" y1="0" y2="%d" class="gap"/>`, pc(at), pc(at), height)
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// hatch defines the pattern of the declined part of errors, once for the page.
const hatch = template.HTML(`<svg width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatchback" width="5" height="5"/><line class="hatchline" x1="0" x2="0" y1="0" y2="5"/></pattern></defs></svg>`)

// seal is the mark in the masthead: a letter punched in a cartouche.
const seal = template.HTML(`<svg class="punch" viewBox="0 0 30 30" aria-hidden="true"><path d="M6 1.5h18l4.5 4.5v18l-4.5 4.5h-18l-4.5-4.5v-18z"/><path class="h" d="M10.5 8v14M19.5 8v14M10.5 15h9"/></svg>`)

// tick writes a number of an axis from 0 to 1 below its place, at y; the outer two stay within the drawing.
func tick(b *strings.Builder, x float64, y int) {
	anchor := "middle"
	switch x {
	case 0:
		anchor = "start"
	case 1:
		anchor = "end"
	}
	fmt.Fprintf(b, `<text x="%s" y="%d" text-anchor="%s">%s</text>`, pc(x), y, anchor, strconv.FormatFloat(x, 'f', -1, 64))
}

// levels draws semantic stability on the four levels, with the accuracy under it on the same axis.
func levels(ss, accuracy fig) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg width="100%" height="66" role="img" aria-label="semantic stability and accuracy on a scale from 0 to 1">`)
	bounds := []float64{0, .3, .6, .9, 1}
	for i, name := range []string{"insufficient", "limited", "substantial", "high"} {
		class := "band"
		if i%2 == 1 {
			class = "band alt"
		}
		fmt.Fprintf(&b, `<rect class="%s" x="%s" width="%s" y="16" height="36"/>`, class, pc(bounds[i]), pc(bounds[i+1]-bounds[i]))
		fmt.Fprintf(&b, `<text x="%s" y="11" text-anchor="middle">%s</text>`, pc((bounds[i]+bounds[i+1])/2), name)
	}
	for _, x := range bounds {
		tick(&b, x, 64)
	}
	draw := func(f fig, y float64) {
		fmt.Fprintf(&b, `<g class="%s">`, f.Tone)
		dot(&b, f, 1, y, 4.5)
		b.WriteString(`</g>`)
	}
	draw(ss, 27)
	draw(accuracy, 42)
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// A bin is one bar of a histogram.
type bin struct {
	From, To float64 // From < x <= To; a bin of one value has From = To
	N        int
}

// Label names the bin.
func (b bin) Label() string {
	short := func(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }
	if b.From == b.To {
		return short(b.To)
	}
	return short(b.From) + "–" + short(b.To)
}

// bins sorts paraphrase consistencies into bars. Where every case has the same number of variants, and at most 20, there is a
// bar for each value that PC can take, from the floor 1/r to 1; else ten bars of equal width.
func bins(pcs []float64, rs []int) []bin {
	if len(pcs) == 0 {
		return nil
	}
	r, same := rs[0], true
	for _, x := range rs {
		same = same && x == r
	}
	if same && r <= 20 {
		out := make([]bin, r)
		for i := range out {
			out[i] = bin{float64(i+1) / float64(r), float64(i+1) / float64(r), 0}
		}
		for _, x := range pcs {
			out[max(0, min(r-1, int(math.Round(x*float64(r)))-1))].N++
		}
		return out
	}
	out := make([]bin, 10)
	for i := range out {
		out[i] = bin{float64(i) / 10, float64(i+1) / 10, 0}
	}
	for _, x := range pcs {
		out[max(0, min(9, int(math.Ceil(x*10-1e-9))-1))].N++
	}
	return out
}

// histogram draws bins; the count stands over each bar.
func histogram(bins []bin) template.HTML {
	if len(bins) == 0 {
		return ""
	}
	const height, top, foot = 150, 16, 18
	most := 1
	for _, x := range bins {
		most = max(most, x.N)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="100%%" height="%d" role="img" aria-label="number of cases by paraphrase consistency">`, height)
	step := 1 / float64(len(bins))
	for i, x := range bins {
		h := float64(height-top-foot) * float64(x.N) / float64(most)
		if x.N > 0 {
			h = math.Max(h, 2)
		}
		y := float64(height-foot) - h
		left := float64(i) * step
		fmt.Fprintf(&b, `<rect class="f-ink" x="%s" width="%s" y="%.1f" height="%.1f"/>`, pc(left+step*.1), pc(step*.8), y, h)
		if x.N > 0 {
			fmt.Fprintf(&b, `<text class="on" x="%s" y="%.1f" text-anchor="middle">%d</text>`, pc(left+step/2), y-4, x.N)
		}
		if len(bins) <= 12 || i%2 == 1 {
			fmt.Fprintf(&b, `<text x="%s" y="%d" text-anchor="middle">%s</text>`, pc(left+step/2), height-4, x.Label())
		}
	}
	fmt.Fprintf(&b, `<line class="base" x1="0" x2="100%%" y1="%d" y2="%d"/></svg>`, height-foot, height-foot)
	return template.HTML(b.String())
}

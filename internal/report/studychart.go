package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// A curve is one line of a chart, with a band where its points have intervals. Only numbers and constant text enter a chart.
type curve struct {
	Label  string
	Points []curvePoint
}

type curvePoint struct {
	X, Y, Lo, Hi float64
	Bounded      bool
}

// A chart is a picture of curves over one axis.
type chart struct {
	Title, Across string   // what it shows; what runs across
	Names         []string // of the places 0, 1, … across; nil where the axis runs from 0 to 1
	Curves        []curve
	Diagonal      bool // draws y = x
	Dots          bool // points only
}

const (
	chartWidth, chartHeight = 420., 250.
	chartLeft, chartRight   = 36., 410.
	chartTop, chartBottom   = 24., 200.
)

// SVG draws the chart. Curves differ in colour, in their dashes and by the legend under them.
func (c chart) SVG() template.HTML {
	end := c.end()
	last := 1.
	if c.Names != nil {
		last = math.Max(1, float64(len(c.Names)-1))
	}
	x := func(v float64) string {
		return strconv.FormatFloat(chartLeft+(chartRight-chartLeft)*math.Max(0, math.Min(1, v/last)), 'f', 1, 64)
	}
	y := func(v float64) string {
		return strconv.FormatFloat(chartBottom-(chartBottom-chartTop)*math.Max(0, math.Min(1, v/end)), 'f', 1, 64)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<figure class="chart"><svg viewBox="0 0 %g %g" width="100%%" role="img" aria-label="%s"><text class="on" x="0" y="11">%s</text>`,
		chartWidth, chartHeight, template.HTMLEscapeString(c.Title), template.HTMLEscapeString(c.Title))
	for i := range 5 {
		v := end * float64(i) / 4
		fmt.Fprintf(&b, `<line class="g" x1="%g" x2="%g" y1="%s" y2="%s"/><text x="%g" y="%s" text-anchor="end" dy="4">%s</text>`, chartLeft, chartRight, y(v), y(v), chartLeft-5, y(v), short2(v))
	}
	if c.Names != nil {
		for i, n := range c.Names {
			fmt.Fprintf(&b, `<text x="%s" y="%g" text-anchor="middle">%s</text>`, x(float64(i)), chartBottom+16, template.HTMLEscapeString(n))
		}
	} else {
		for i := range 5 {
			fmt.Fprintf(&b, `<text x="%s" y="%g" text-anchor="middle">%s</text>`, x(float64(i)/4), chartBottom+16, short2(float64(i)/4))
		}
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%s</text>`, chartRight, chartBottom+34, template.HTMLEscapeString(c.Across))
	if c.Diagonal {
		fmt.Fprintf(&b, `<line class="dash" x1="%s" y1="%s" x2="%s" y2="%s"/>`, x(0), y(0), x(math.Min(1, end)), y(math.Min(1, end)))
	}
	for i, l := range c.Curves {
		fmt.Fprintf(&b, `<g class="s%d">`, i)
		c.curve(&b, l.Points, x, y)
		b.WriteString(`</g>`)
	}
	b.WriteString(`</svg><ul class="legend" aria-hidden="true">`)
	for i, l := range c.Curves {
		fmt.Fprintf(&b, `<li><svg class="stroke s%d" width="26" height="10"><path class="line" d="M0 5L26 5"/></svg>%s</li>`, i, template.HTMLEscapeString(l.Label))
	}
	b.WriteString(`</ul></figure>`)
	return template.HTML(b.String())
}

// end is the value at the top of the scale.
func (c chart) end() float64 {
	top := 0.
	for _, l := range c.Curves {
		for _, p := range l.Points {
			top = math.Max(top, p.Y)
			if p.Bounded {
				top = math.Max(top, p.Hi)
			}
		}
	}
	if top > 1 {
		return math.Ceil(2*top) / 2
	}
	for _, e := range []float64{.1, .2, .4, .6, .8} {
		if top <= e {
			return e
		}
	}
	return 1
}

// curve draws points with their intervals, joined by a line or alone.
func (c chart) curve(b *strings.Builder, points []curvePoint, x, y func(float64) string) {
	var lo, hi []string
	line := ""
	for j, p := range points {
		if p.Bounded {
			hi = append(hi, x(p.X)+" "+y(p.Hi))
			lo = append([]string{x(p.X) + " " + y(p.Lo)}, lo...)
		}
		op := "L"
		if j == 0 {
			op = "M"
		}
		line += op + x(p.X) + " " + y(p.Y)
	}
	switch {
	case c.Dots:
		for _, p := range points {
			if p.Bounded {
				fmt.Fprintf(b, `<line class="w" x1="%s" x2="%s" y1="%s" y2="%s"/>`, x(p.X), x(p.X), y(p.Lo), y(p.Hi))
			}
		}
	case len(hi) > 1:
		fmt.Fprintf(b, `<path class="area" d="M%sZ"/>`, strings.Join(append(hi, lo...), "L"))
	}
	if !c.Dots {
		fmt.Fprintf(b, `<path class="line" d="%s"/>`, line)
	}
	for _, p := range points {
		if c.Dots || len(points) <= 8 {
			fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="3"/>`, x(p.X), y(p.Y))
		}
	}
}

func short2(v float64) string { return short(math.Round(v*1000) / 1000) }

// point reads an interval object of the document.
func (t tree) point(x float64, keys ...string) (curvePoint, bool) {
	f := t.fig("", mean, "", keys...)
	return curvePoint{x, f.Value, f.Lo, f.Hi, f.Bounded}, f.OK
}

// studyCharts are the pictures of a study: calibration, and the risk curves.
func studyCharts(s tree) (out []template.HTML) {
	add := func(c chart) {
		var kept []curve
		for _, l := range c.Curves {
			if len(l.Points) > 0 {
				kept = append(kept, l)
			}
		}
		if c.Curves = kept; len(kept) > 0 {
			out = append(out, c.SVG())
		}
	}
	for _, against := range []string{"error", "mhr"} {
		c := curve{Label: words[against]}
		eps := 0.
		for _, b := range s.items("calibration") {
			if b.Text("against") == against {
				x, _ := b.Number("phr")
				if p, ok := b.point(x, "is"); ok {
					c.Points = append(c.Points, p)
				}
				eps, _ = b.Number("eps")
			}
		}
		add(chart{Title: fmt.Sprintf("Calibration: %s against PHR at eps %s", words[against], short(eps)), Across: "PHR, in tenths", Curves: []curve{c}, Diagonal: true, Dots: true})
	}
	var risks []curve
	for _, r := range s.items("risk_coverage") {
		c := curve{Label: "by " + scoreName(r)}
		for i, p := range r.items("curve") {
			at, _ := p.Number("coverage")
			if x, ok := r.point(at, "curve", strconv.Itoa(i)); ok {
				c.Points = append(c.Points, x)
			}
		}
		risks = append(risks, c)
	}
	add(chart{Title: "Error among the answered queries", Across: "share answered, the lowest scores first", Curves: risks})
	return out
}

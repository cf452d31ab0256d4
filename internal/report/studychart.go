package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"hallmark/internal/report/svg"
)

// studyGround is what a chart of a study stands on.
var studyGround = svg.Box{Width: 420, Height: 250, Left: 36, Right: 10, Top: 24, Foot: 50}

// charts draws panels, those that have a value. An axis without ticks goes over shares.
func charts(panels ...svg.Panel) (out []template.HTML) {
	for _, p := range panels {
		p.Series = slices.DeleteFunc(p.Series, func(s svg.Series) bool { return len(s.Values) == 0 })
		if len(p.Series) > 0 {
			out = append(out, studyChart(p))
		}
	}
	return out
}

// studyChart draws a panel and names its series under it: they differ in colour and in their dashes.
func studyChart(p svg.Panel) template.HTML {
	names, top := "", 0.
	for i := range p.Series {
		s := &p.Series[i]
		s.Class = fmt.Sprintf("s%d", i)
		if s.Line && len(s.Values) <= 8 {
			s.Dots = 3
		}
		for _, v := range s.Values {
			top = max(top, v.Y, v.Hi)
		}
		var stroke svg.Drawing
		stroke.Across("line", "0", "26", 5)
		key := stroke.On(svg.Frame{Class: "stroke " + s.Class, Wide: "26", Height: 10})
		names += "<li>" + string(key) + template.HTMLEscapeString(s.Name) + "</li>"
	}
	end := float64(scaleTo(top))
	if top > 1 {
		end = math.Ceil(2*top) / 2
	}
	p.YRange = svg.Over(0, end)
	p.YTicks = p.YRange.Parts(4)
	if p.XTicks == nil {
		p.XRange = svg.Over(0, 1)
		p.XTicks = p.XRange.Parts(4)
	}
	var d svg.Drawing
	p.Draw(&d, studyGround)
	drawn := d.On(svg.Frame{Width: studyGround.Width, Height: studyGround.Height, Label: p.Title})
	return `<figure class="chart">` + drawn +
		template.HTML(`<ul class="legend" aria-hidden="true">`+names+`</ul></figure>`)
}

// at returns the figure as a value of a chart, whose least is 0.
func (f fig) at(x float64) svg.Value {
	if !f.Bounded {
		f.Lo, f.Hi = f.Value, f.Value
	}
	return svg.Between(x, math.Max(0, f.Value), math.Max(0, f.Lo), math.Max(0, f.Hi))
}

// studyCharts are the pictures of a study: calibration, and the risk curves.
func studyCharts(s tree) []template.HTML {
	var panels []svg.Panel
	for _, against := range []string{"error", "mhr"} {
		c := svg.Series{Name: called("relations", against), Bars: true, Dots: 3}
		eps := 0.
		for _, b := range s.items("calibration") {
			if b.Text("against") != against {
				continue
			}
			x, _ := b.Number("phr")
			if f := b.fig(mean, "is"); f.OK {
				c.Values = append(c.Values, f.at(x))
			}
			eps, _ = b.Number("eps")
		}
		title := fmt.Sprintf("Calibration: %s against PHR at eps %s", called("relations", against), short(eps))
		panels = append(panels, svg.Panel{Title: title, X: "PHR, in tenths", Series: []svg.Series{c}, Diagonal: true})
	}
	risks := svg.Panel{Title: "Error among the answered queries", X: "share answered, the lowest scores first"}
	for _, r := range s.items("risk_coverage") {
		c := svg.Series{Name: "by " + named(r, "score", "eps"), Line: true, Band: true}
		for _, p := range r.items("curve") {
			x, _ := p.Number("coverage")
			if f := p.fig(mean); f.OK {
				c.Values = append(c.Values, f.at(x))
			}
		}
		risks.Series = append(risks.Series, c)
	}
	return charts(append(panels, risks)...)
}

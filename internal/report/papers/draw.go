package papers

import (
	"fmt"
	"slices"

	"hallmark/internal/base/lists"
	"hallmark/internal/report"
	"hallmark/internal/report/svg"
)

// The measures of drawings by themselves, in pixels.
const (
	drawnWidth, drawnLeft, drawnTop, drawnRow = 720., 190., 64., 22.
	drawnBar                                  = 8.
)

// begin draws title and source.
func begin(d *svg.Drawing, t *Table) {
	d.Text("title", svg.Point{X: svg.Px(margin), Y: 22}, svg.Start, t.Title)
	d.Text("", svg.Point{X: svg.Px(margin), Y: 38}, svg.Start, t.Source)
}

// keys draws what colours mean.
func keys(d *svg.Drawing, y float64, of ...[2]string) {
	x := margin
	for _, k := range of {
		d.Rect("f-"+k[0], svg.Point{X: svg.Px(x), Y: y - 9}, "10", 10)
		d.Text("", svg.Point{X: svg.Px(x + 15), Y: y}, svg.Start, k[1])
		x += 15 + glyph*float64(report.TextWidth(k[1])) + 16
	}
}

// drawTerms draws for each model on each benchmark two bars: by the default prompt alone, and by the framework.
func drawTerms(t *Table) []byte {
	var d svg.Drawing
	begin(&d, t)
	y := drawnTop
	keys(&d, y-8, [2]string{"ok", "factual; prompt-agnostic factuality"},
		[2]string{"err", "hallucination; prompt-agnostic errors"},
		[2]string{"rnd", "randomness"})
	across := svg.Scale{Bounds: svg.Bounds{Hi: 1}, From: drawnLeft, To: drawnWidth - 2*margin}
	bar := func(y float64, label string, tones []string, of []Value) {
		from := 0.
		for i, v := range of {
			d.Group("", fmt.Sprintf("%s: %s", label, Tenths(v.Value)), func() {
				d.Rect("f-"+tones[i], svg.Point{X: svg.Px(across.At(from)), Y: y},
					svg.Px(across.At(from+v.Value)-across.At(from)), drawnBar)
			})
			from += v.Value
		}
	}
	last := ""
	for _, r := range t.Records {
		if r.Heads[1] != last {
			last = r.Heads[1]
			y += drawnRow
			d.Text("head", svg.Point{X: svg.Px(margin), Y: y - 6}, svg.Start, last)
		}
		d.Text("on", svg.Point{X: svg.Px(drawnLeft - 8), Y: y + drawnBar + 4}, svg.End, r.Heads[0])
		bar(y, r.Heads[0]+", existing evaluation", []string{"ok", "err"}, r.Values[:2])
		bar(y+drawnBar+1, r.Heads[0]+", our framework", []string{"ok", "err", "rnd"}, r.Values[2:5])
		y += drawnRow + 4
	}
	for _, tick := range across.Parts(4) {
		d.Text("", svg.Point{X: svg.Px(across.At(tick.At)), Y: y + 8}, svg.Middle, Tenths(tick.At))
	}
	d.Text("", svg.Point{X: svg.Px(margin), Y: y + 26}, svg.Start,
		"upper bar: existing evaluation, by the default prompt; lower bar: our framework, over all prompt variants")
	return d.File(drawnWidth, y+38, t.Title)
}

// tones are the colours of the categories.
var tones = map[string]string{"PAF": "ok", "PAE": "err", "Rand.": "rnd", "declines": "ink"}

// drawFlows draws a stream for each model, from the categories without retrieval, at the left, to those with it.
func drawFlows(t *Table) []byte {
	const height, gap, width, wide = 190., 8., 530., 12.
	var d svg.Drawing
	begin(&d, t)
	y := drawnTop
	var to []string // the categories, as they stand in the columns
	for _, f := range t.Figures {
		if f.Group == "with retrieval" {
			to = append(to, f.Label)
		}
	}
	keys(&d, y-6, lists.Map(to, func(c string) [2]string { return [2]string{tones[c], c} })...)
	n := len(to)
	for rows := range slices.Chunk(t.Records, n) {
		y += 24
		d.Text("head", svg.Point{X: svg.Px(margin), Y: y - 8}, svg.Start, rows[0].Heads[0]+" on "+rows[0].Heads[1])
		scale := height - gap*float64(n-1)
		left, right := make([]float64, n), make([]float64, n)
		atLeft, atRight := y, y
		bar := func(category, anchor string, share, at, x, text float64) {
			if share != 0 {
				d.Rect("f-"+tones[category], svg.Point{X: svg.Px(x), Y: at}, svg.Px(wide), share*scale)
				d.Text("on", svg.Point{X: svg.Px(text), Y: at + share*scale/2 + 4}, anchor, category+" "+Tenths(share))
			}
		}
		for i, r := range rows {
			left[i], right[i] = atLeft, atRight
			before, after := r.Values[n].Value, r.Values[n+1].Value
			bar(to[i], svg.End, before, atLeft, 90, 84)
			bar(to[i], svg.Start, after, atRight, 90+width-wide, 90+width+6)
			atLeft += before*scale + gap
			atRight += after*scale + gap
		}
		for i, r := range rows {
			for j := range to {
				share := r.Values[j].Value
				if share == 0 {
					continue
				}
				d.Group("phase", fmt.Sprintf("%s to %s: %s", to[i], to[j], Tenths(share)), func() {
					d.Stream("f-"+tones[to[i]]+" area", svg.Bounds{Lo: 90 + wide, Hi: 90 + width - wide}, left[i],
						right[j], share*scale)
				})
				left[i] += share * scale
				right[j] += share * scale
			}
		}
		y += height + gap
	}
	return d.File(drawnWidth, y+margin, t.Title)
}

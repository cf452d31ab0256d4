package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/rate"
)

// curveNames are the words of a series' curves.
var curveNames = map[string]string{
	"incorrect": "Wrong answers", "not_attempted": "Not attempted", "correct": "Correct",
	"ungradable":    "Could not be graded",
	"hallucination": "Rubric failure rate (H)", "truth_error": "Truth error", "decidability_error": "Decidability error", "reciprocity_error": "Reciprocity error",
	"format_error": "Format error", "commission": "As commission", "over_refusal": "As over-refusal", "undecided": "As undecided",
	"semantic_stability": "Semantic stability", "ambiguity": "Ambiguity", "accuracy": "Accuracy over variants",
}

// curveTones are the tones of the curves that count no failures; those of the others are err.
var curveTones = map[string]string{
	"not_attempted": "rnd", "correct": "ok", "ungradable": "ink", "semantic_stability": "ink", "accuracy": "ink",
}

type seriesPage struct {
	frame
	Runs   []string
	Beyond []string
	Curves []curveView
}

type curveView struct {
	ID, Label string
	Counted   string // what the counts of a share are of
	Test      string // "" where no point has one
	Points    []pointView
	Limits    controlView
	tone      string
	scale     scale
}

type pointView struct {
	Label                       string
	N, Failed, Rate, Difference fig
	P                           template.HTML
	Control                     controlView
	p                           string
}

// curves reads the curves of a series that have a point.
func curves(t tree, runs int) []curveView {
	var out []curveView
	for _, key := range rate.Curves {
		c := curveView{
			ID: "curve-" + strings.ReplaceAll(key, "_", "-"), Label: curveNames[key], Counted: "failed",
			tone: cmp.Or(curveTones[key], "err"),
		}
		kind, test, by := share, "mcnemar_p_holm", "McNemar"
		switch key {
		case "semantic_stability", "accuracy":
			kind, test, by = mean, "sign_flip_p_holm", "the sign-flip test"
		case "incorrect", "not_attempted", "correct", "ungradable":
			c.Counted = "answers"
		}
		var figs []fig
		some := false
		for i := range runs {
			at := func(u unit, name ...string) fig {
				return t.fig("", u, c.tone, slices.Concat([]string{"curves", key, strconv.Itoa(i)}, name)...)
			}
			p := pointView{Label: runLabel(t, i), N: at(tally, "n"), Failed: at(tally, "failed"), Rate: at(kind), Difference: at(kind, "difference"),
				P: probability(t, "curves", key, strconv.Itoa(i), test), p: pvalue(t, "curves", key, strconv.Itoa(i), test), Control: controlOf(t, kind, "curves", key, strconv.Itoa(i))}
			if i == 0 {
				c.Limits = p.Control
			}
			if _, ok := t.Number("curves", key, strconv.Itoa(i), test); ok {
				c.Test = by
			} else {
				p.p = ""
			}
			some = some || p.Rate.OK
			figs = append(figs, p.Rate)
			c.Points = append(c.Points, p)
		}
		c.scale = scaleFor(append(figs, c.Limits.Hi)...)
		if some {
			out = append(out, c)
		}
	}
	return out
}

func runLabel(t tree, i int) string {
	r := t.sub("runs", strconv.Itoa(i))
	return fmt.Sprintf("%d. %s %s", i+1, clip(oneLine(r.Text("run")), 16), clip(oneLine(r.Text("model")), 40))
}

// Picture draws a curve: a point a run with its interval, joined in order.
func (c *curveView) Picture() template.HTML {
	const height, top, foot = 190, 20, 22
	end := float64(c.scale)
	x := func(i int) string { return pc((float64(i) + .5) / float64(len(c.Points))) }
	y := func(v float64) float64 { return top + (height-top-foot)*(1-math.Min(1, v/end)) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="%s" width="100%%" height="%d" role="img" aria-label="%s over the runs; the table below has the same figures">`, c.tone, height, template.HTMLEscapeString(c.Label))
	for _, part := range []float64{0, .5, 1} {
		fmt.Fprintf(&b, `<line class="g" x1="0" x2="100%%" y1="%.1f" y2="%.1f"/><text x="0" y="%.1f">%s %%</text>`, y(part*end), y(part*end), y(part*end)-3, strconv.FormatFloat(100*part*end, 'f', -1, 64))
	}
	if l := c.Limits; l.Lo.OK {
		fmt.Fprintf(&b, `<g><title>control limits %s</title><rect class="limits" x="0" width="100%%" y="%.1f" height="%.1f"/>`, template.HTMLEscapeString(l.limits()), y(l.Hi.Value), y(l.Lo.Value)-y(l.Hi.Value))
		for _, v := range []float64{l.Lo.Value, l.Centre.Value, l.Hi.Value} {
			fmt.Fprintf(&b, `<line class="limit" x1="0" x2="100%%" y1="%.1f" y2="%.1f"/>`, y(v), y(v))
		}
		b.WriteString(`</g>`)
	}
	last := -1
	for i, p := range c.Points {
		f := p.Rate
		fmt.Fprintf(&b, `<text x="%s" y="%d" text-anchor="middle">%d</text>`, x(i), height-6, i+1)
		if !f.OK {
			continue
		}
		if last >= 0 {
			fmt.Fprintf(&b, `<line class="dash" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, x(last), x(i), y(c.Points[last].Rate.middle()), y(f.middle()))
		}
		last = i
		fmt.Fprintf(&b, `<g><title>%s</title><line class="w" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/><circle cx="%s" cy="%.1f" r="4"/>`,
			template.HTMLEscapeString(fmt.Sprintf("%s: %s (95 %% interval %s)", p.Label, f.Text(), f.Range())), x(i), x(i), y(f.Lo), y(f.Hi), x(i), y(f.Value))
		if f.Ranged {
			fmt.Fprintf(&b, `<circle cx="%s" cy="%.1f" r="4"/>`, x(i), y(f.Most))
		}
		b.WriteString(`</g>`)
		mark := ""
		if p.Control.Beyond {
			mark = " ▲"
			if p.Control.Lo.OK && f.Value < p.Control.Lo.Value {
				mark = " ▼"
			}
			fmt.Fprintf(&b, `<circle class="alarm" cx="%s" cy="%.1f" r="8"/>`, x(i), y(f.middle()))
		}
		fmt.Fprintf(&b, `<text class="on" x="%s" dx="11" y="%.1f">%s</text>`, x(i), y(f.middle())+4, strings.ReplaceAll(f.Text(), "\u202f", " ")+mark)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// middle returns the value, or the middle of a range.
func (f fig) middle() float64 {
	if f.Ranged {
		return (f.Value + f.Most) / 2
	}
	return f.Value
}

// inSeries says what the sentence of a series compares: the outcomes of the last run with those of the first.
var inSeries = runsCompared{over: "every run, the last run against the first", none: "every run"}

// runsOf says how many runs there are, and on how many questions.
func runsOf(t tree, runs int) string {
	questions := max(t.Whole("n"), t.Whole("outcomes", "base", "n"))
	return fmt.Sprintf("%s on the same %s", count(runs, "run"), count(questions, "question"))
}

// SeriesPage writes the curves of several runs as one HTML file that needs nothing else.
func SeriesPage(w io.Writer, s *rate.Series) error {
	t := treeOf(s)
	p := &seriesPage{
		frame: newFrame("Series – Hallmark", "series: "+runsOf(t, len(s.Runs)), compared(t, inSeries), t.texts("warnings"), []string{
			"A share of wrong answers is a range where answers could not be graded: from as if none of these counted to as if each did. " +
				"Then its difference is one too, and has no exact test.",
			"Only questions that every run has are counted, so that no curve moves because others were asked. Bars are the 95 % interval of one run.",
			"Whether a run differs from the first is said by the difference and its p (McNemar’s exact test, adjusted by Holm for the points of a curve; for means the sign-flip test), as the runs share their questions; bars that overlap may well differ.",
			"The band is the control chart: where a run of as many questions lies while nothing changes, but for one in 370, from the first runs as baseline. It allows for other questions, so runs on the same ones alarm less often: a run beyond it has drifted, " +
				"and one within it may still differ by the paired test.",
		}),
		Beyond: beyonds(t),
		Curves: curves(t, len(s.Runs)),
	}
	for i := range s.Runs {
		r := t.sub("runs", strconv.Itoa(i))
		p.Runs = append(p.Runs, oneLine(fmt.Sprintf("%s: %s on %s", r.Text("run"), r.Text("model"), r.Text("suite"))))
	}
	return render(w, "series", p)
}

// Series writes the curves of several runs for a terminal.
func Series(w io.Writer, s *rate.Series, style Style) error {
	t := treeOf(s)
	p := newPrinter(w, style)
	p.line(p.bold("hallmark compare --series"), p.dim(clip("  "+runsOf(t, len(s.Runs)), p.width-26)))
	p.line()
	p.painted("", narrow(compared(t, inSeries)), p.bold)
	for _, c := range curves(t, len(s.Runs)) {
		p.curve(&c)
	}
	if list := t.texts("warnings"); len(list) > 0 {
		p.line()
		p.warnings(list)
	}
	return p.w.Flush()
}

// curve writes one curve: a line a run with its control chart, and below it the difference from the first.
func (p *printer) curve(c *curveView) {
	test := ""
	if c.Test != "" {
		test = ", p by " + c.Test + " and Holm"
	}
	p.head(strings.ToUpper(c.Label), ends(c.scale, c.Points[0].Rate.Unit)+"; less the first run"+test)
	if l := c.Limits.limits(); l != "" {
		if c.Limits.Centre.OK {
			l += ", centre " + narrow(c.Limits.Centre.Text())
		}
		p.line(p.dim("control limits " + l))
	}
	for i, x := range c.Points {
		f := x.Rate.named(x.Label)
		f.Lead, f.Child = false, false
		p.fig(f, c.scale)
		if x.Control.Beyond {
			p.line(fit("", p.labelCells()), "  ", p.tone("err", x.Control.Says))
		}
		if i > 0 && x.Difference.OK {
			d := x.Difference
			text := withSign(d, d.Value)
			says := fmt.Sprintf("[%s, %s]", withSign(d, d.Lo), withSign(d, d.Hi))
			if d.Ranged {
				text = inPoints(d)
			}
			if x.p != "" {
				says += "  p " + equals(x.p)
			}
			p.line(p.dim(fitLeft(text, p.labelCells()+valueCells) + "  " + fit(says, p.width-p.labelCells()-valueCells-2)))
		}
	}
}

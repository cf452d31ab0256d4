package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/rate"
)

//go:embed compare.tmpl
var compareTemplate string

var compareTmpl = template.Must(template.New("compare").Funcs(template.FuncMap{
	"seal": func() template.HTML { return seal },
}).Parse(compareTemplate))

// A frame is what every page of runs beside each other has.
type frame struct {
	Policy, Title, Kind, Heading string
	CSS                          template.CSS
	JS                           template.JS
	Warnings, How                []string
}

func newFrame(title, kind, heading string, warnings, how []string) frame {
	return frame{
		Policy: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hashOf(style), hashOf(script)),
		Title:  title, Kind: kind, Heading: heading, CSS: template.CSS(style), JS: template.JS(script), Warnings: warnings, How: how,
	}
}

// render executes a page's template, so that a page that fails is not written in part.
func render(w io.Writer, name string, page any) error {
	var out bytes.Buffer
	if err := compareTmpl.ExecuteTemplate(&out, name, page); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

type comparePage struct {
	frame
	Base, Other            string
	N, OnlyBase, OnlyOther fig
	P                      template.HTML
	Price                  string
	Rates                  []compareRate
	Stability              []stabilityRow
	StabilityN             fig
	StabilityWarnings      []string
	Moved                  string
	Discordant             []discordantView
	Classes                []compareClass
	Confusion              []confusionChange
	Outcomes               []string
	Shares                 []compareRate // of the outcomes
	Answered               fig
	Moves                  []moveRow
	Flow                   *flowView
	Shift                  *shiftView
}

type compareRate struct {
	Label                        string
	Base, Other, Difference, Cut fig
}

type compareClass struct {
	Label               string
	N, Base, Other, Cut fig
	P                   template.HTML
}

type discordantView struct {
	Title, More string
	Cases       []discordantCase
	total       int
}

type discordantCase struct{ ID, Class, As, Axes string }

type moveRow struct {
	Label string
	To    []fig
}

// A confusionChange is one map of differences.
type confusionChange struct {
	Head string
	Rows []changeRow
}

type changeRow struct {
	Name  string
	Cells [4]changeCell
}

type changeCell struct {
	Difference, Base, Other fig
	P                       template.HTML
	star                    bool
	says                    string
}

// outcomes are where a case can stand in a run, in order.
var outcomes = []string{"pass", "commission", "over-refusal", "undecided", "ungradable", "unscored"}

// compareRates are the rows of the table of rates: label, key under base, other and difference, and the path of the reduction.
var compareRates = []struct {
	label, key string
	cut        []string
}{
	{"rubric failure rate (H)", "hallucination", []string{"reduction", "hallucination"}},
	{"truth error", "truth_error", []string{"reduction", "truth_error"}},
	{"decidability error", "decidability_error", []string{"reduction", "decidability_error"}},
	{"reciprocity error", "reciprocity_error", []string{"reduction", "reciprocity_error"}},
	{"as commission", "commission", []string{"commission_reduction"}},
	{"as over-refusal", "over_refusal", nil},
	{"as undecided", "undecided", nil},
	{"format error", "format_error", nil},
}

// maxDiscordant is how many cases of each kind a page lists.
const maxDiscordant = 500

// probability returns a p value as a figure of the document.
func probability(t tree, keys ...string) template.HTML {
	x, ok := t.number(keys...)
	if !ok {
		return `<span class="soft" title="no value">–</span>`
	}
	return datum(x, keys, pvalue(t, keys...))
}

// ComparePage writes a comparison as one HTML file that needs nothing else, as HTML does: rates with their differences and reductions,
// over-refusal as the price, the cases that only one run failed, the classes, the confusion map as differences and how outcomes moved.
func ComparePage(w io.Writer, r *rate.Reduction, base, other string) error {
	t, err := treeOf(r)
	if err != nil {
		return err
	}
	p := &comparePage{
		frame: newFrame("Comparison – Hallmark", "comparison", compared(t), t.texts("warnings"), []string{
			"Only questions that both runs answered are compared, each with itself, so what differs is the runs and not the questions.",
			"A reduction is relative: 50 % means that half of base’s rate is gone, and below 0 there is more than before. Intervals are of 95 %; where one holds 0 the runs are not told apart.",
			"McNemar’s exact test counts the questions that only one of the runs failed. Over many classes or cells some differ by chance alone: Holm’s adjustment accounts for that.",
		}),
		Base: oneLine(base), Other: oneLine(other), N: t.fig("", tally, "", "n"), OnlyBase: t.fig("", tally, "", "only_base_failed"), OnlyOther: t.fig("", tally, "", "only_other_failed"),
		P: probability(t, "mcnemar_p"), Price: price(t), Outcomes: outcomes, Shares: outcomeRows(t), Answered: t.fig("", tally, "", "outcomes", "base", "n"),
	}
	for _, x := range compareRates {
		row := compareRate{Label: x.label, Base: t.fig("", share, "", "base", x.key), Other: t.fig("", share, "", "other", x.key), Difference: t.fig("", share, "", "difference", x.key)}
		if x.cut != nil {
			row.Cut = t.fig("", share, "", x.cut...)
		}
		if row.Base.OK || row.Other.OK || row.Difference.OK {
			p.Rates = append(p.Rates, row)
		}
	}
	quality := compareRate{Label: "weighted quality", Base: t.fig("", mean, "", "base", "weighted_quality"), Other: t.fig("", mean, "", "other", "weighted_quality"),
		Difference: t.fig("", mean, "", "quality_difference"), Cut: t.fig("", share, "", "reduction", "quality_loss")}
	if quality.Base.OK || quality.Difference.OK {
		p.Rates = append(p.Rates, quality)
	}
	p.Stability, p.StabilityN, p.Moved = stabilityRows(t), t.fig("", tally, "", "stability", "n"), movedTo(t)
	p.StabilityWarnings = t.texts("stability", "warnings")
	p.Discordant = discordantViews(t)
	for _, name := range t.names("by_class") {
		c := func(key string, u unit) fig { return t.fig("", u, "", "by_class", name, key) }
		p.Classes = append(p.Classes, compareClass{named(name), c("n", tally), c("base", share), c("other", share), c("reduction", share), probability(t, "by_class", name, "mcnemar_p_holm")})
	}
	p.Confusion = confusionChanges(t)
	for _, from := range outcomes {
		row := moveRow{Label: from}
		some := false
		for _, to := range outcomes {
			f := t.fig("", tally, "", "transitions", from, to)
			some = some || f.OK
			row.To = append(row.To, f)
		}
		if some {
			p.Moves = append(p.Moves, row)
		}
	}
	p.Flow, p.Shift = newFlow(t), newShift(t)
	return render(w, "compare", p)
}

// named returns the name of a class or tag as it is shown.
func named(s string) string {
	if s = oneLine(s); s == "" {
		return "(none)"
	}
	return s
}

// price says what a reduction cost in answers that were withheld.
func price(t tree) string {
	d := t.fig("", share, "", "over_refusal", "difference")
	of := t.fig("", share, "", "over_refusal", "of_answerable", "other")
	if !d.OK {
		return ""
	}
	verb := "is as it was"
	switch {
	case d.Lo > 0:
		verb = "grew"
	case d.Hi < 0:
		verb = "fell"
	case d.Value != 0:
		verb = "cannot be told from unchanged"
	}
	s := fmt.Sprintf("The price: over-refusal %s, from %s to %s (difference %s points, 95 %% interval %s to %s; p %s).", verb,
		t.fig("", share, "", "over_refusal", "base").Text(), t.fig("", share, "", "over_refusal", "other").Text(), change(d.Value), change(d.Lo), change(d.Hi), equals(pvalue(t, "over_refusal", "mcnemar_p")))
	if of.OK {
		s += fmt.Sprintf(" Of the questions that have an answer, other declines %s (%s).", of.Text(), of.Range())
	}
	return s
}

func discordantViews(t tree) []discordantView {
	list, _ := t.sub("discordant", "cases").root.([]any)
	views := []discordantView{{Title: "Only base failed: fixed in other"}, {Title: "Only other failed: regressed in other"}}
	for i := range list {
		c := t.sub("discordant", "cases", strconv.Itoa(i))
		k := 0
		if c.text("failed") == "other" {
			k = 1
		}
		if views[k].total++; views[k].total <= maxDiscordant {
			views[k].Cases = append(views[k].Cases, discordantCase{oneLine(c.text("case_id")), named(c.text("class")), oneLine(c.text("as")), strings.Join(c.texts("axes"), ", ")})
		}
	}
	for k := range views {
		if left := views[k].total - maxDiscordant; left > 0 {
			views[k].More = fmt.Sprintf("and %s more; --json lists all.", grouped(left))
		}
	}
	return views
}

func confusionChanges(t tree) []confusionChange {
	var out []confusionChange
	for _, by := range []struct{ key, head string }{{"by_class", "class"}, {"by_tag", "tag"}} {
		m := confusionChange{Head: by.head}
		for _, name := range t.names("confusion", by.key) {
			row := changeRow{Name: named(name)}
			for i, d := range dimensions {
				at := []string{"confusion", by.key, name, d}
				f := func(key string) fig { return t.fig("", share, "", slices.Concat(at, []string{key})...) }
				c := changeCell{Difference: f("difference"), Base: f("base"), Other: f("other"), P: probability(t, append(at, "mcnemar_p_holm")...)}
				p, ok := t.number(append(at, "mcnemar_p_holm")...)
				c.star = ok && c.Difference.OK && p < .05
				c.says = fmt.Sprintf("%s, %s: judged on no question", row.Name, d)
				if c.Difference.OK {
					c.says = fmt.Sprintf("%s, %s: %s in base, %s in other, difference %s (95 %% interval %s), p %s over %s", row.Name, d, c.Base.Text(), c.Other.Text(), c.Difference.Text(),
						c.Difference.Range(), equals(pvalue(t, append(at, "mcnemar_p_holm")...)), count(t.whole(append(at, "n")...), "question"))
				}
				row.Cells[i] = c
			}
			m.Rows = append(m.Rows, row)
		}
		if len(m.Rows) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// change writes a difference of shares in points with its sign.
func change(x float64) string {
	s := strconv.FormatFloat(math.Abs(100*x), 'f', 1, 64)
	switch {
	case s == "0.0":
		return "0.0"
	case x < 0:
		return "−" + s
	}
	return "+" + s
}

// Picture draws the map: what fails less is of one colour, what fails more of the other, and each cell has its sign in figures.
func (m *confusionChange) Picture() template.HTML {
	return heat(m.Head, len(m.Rows), func(i int) string { return m.Rows[i].Name }, func(i, j int) heatCell {
		c := m.Rows[i].Cells[j]
		text, fill := change(c.Difference.Value), "err"
		if c.Difference.Value < 0 {
			fill = "ok"
		}
		if c.star {
			text += " *"
		}
		return heatCell{c.Difference.OK, math.Abs(c.Difference.Value), fill, text, c.says}
	}, "difference of failures in points")
}

// curveNames are the words of a series' curves.
var curveNames = map[string]string{
	"hallucination": "Rubric failure rate (H)", "truth_error": "Truth error", "decidability_error": "Decidability error", "reciprocity_error": "Reciprocity error",
	"format_error": "Format error", "commission": "As commission", "over_refusal": "As over-refusal", "undecided": "As undecided",
	"semantic_stability": "Semantic stability", "ambiguity": "Ambiguity", "accuracy": "Accuracy over variants",
}

type seriesPage struct {
	frame
	Runs   []string
	Beyond []string
	Curves []curveView
}

type curveView struct {
	ID, Label string
	Test      string
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
		c := curveView{ID: "curve-" + strings.ReplaceAll(key, "_", "-"), Label: curveNames[key], Test: "McNemar", tone: "err"}
		kind, test := share, "mcnemar_p_holm"
		if key == "semantic_stability" || key == "accuracy" {
			kind, test, c.Test, c.tone = mean, "sign_flip_p_holm", "the sign-flip test", "ink"
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
	return fmt.Sprintf("%d. %s %s", i+1, clip(oneLine(r.text("run")), 16), clip(oneLine(r.text("model")), 40))
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
			fmt.Fprintf(&b, `<line class="dash" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/>`, x(last), x(i), y(c.Points[last].Rate.Value), y(f.Value))
		}
		last = i
		fmt.Fprintf(&b, `<g><title>%s</title><line class="w" x1="%s" x2="%s" y1="%.1f" y2="%.1f"/><circle cx="%s" cy="%.1f" r="4"/></g>`,
			template.HTMLEscapeString(fmt.Sprintf("%s: %s (95 %% interval %s)", p.Label, f.Text(), f.Range())), x(i), x(i), y(f.Lo), y(f.Hi), x(i), y(f.Value))
		mark := ""
		if p.Control.Beyond {
			mark = " ▲"
			if p.Control.Lo.OK && f.Value < p.Control.Lo.Value {
				mark = " ▼"
			}
			fmt.Fprintf(&b, `<circle class="alarm" cx="%s" cy="%.1f" r="8"/>`, x(i), y(f.Value))
		}
		fmt.Fprintf(&b, `<text class="on" x="%s" dx="11" y="%.1f">%s</text>`, x(i), y(f.Value)+4, strings.ReplaceAll(f.Text(), "\u202f", " ")+mark)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// SeriesPage writes the curves of several runs as one HTML file that needs nothing else.
func SeriesPage(w io.Writer, s *rate.Series) error {
	t, err := treeOf(s)
	if err != nil {
		return err
	}
	p := &seriesPage{
		frame: newFrame("Series – Hallmark", "series of runs", fmt.Sprintf("%s on the same %s", count(len(s.Runs), "run"), count(t.whole("n"), "question")), t.texts("warnings"), []string{
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
		p.Runs = append(p.Runs, oneLine(fmt.Sprintf("%s: %s on %s", r.text("run"), r.text("model"), r.text("suite"))))
	}
	return render(w, "series", p)
}

// Series writes the curves of several runs for a terminal.
func Series(w io.Writer, s *rate.Series, style Style) error {
	t, err := treeOf(s)
	if err != nil {
		return err
	}
	p := newPrinter(w, style)
	p.line(p.bold("hallmark compare --series"), p.dim(clip(fmt.Sprintf("  %s on the same %s", count(len(s.Runs), "run"), count(t.whole("n"), "question")), p.width-26)))
	for _, c := range curves(t, len(s.Runs)) {
		p.head(strings.ToUpper(c.Label), ends(c.scale, c.Points[0].Rate.Unit)+"; less the first run, p by "+c.Test+" and Holm")
		if l := c.Limits.limits(); l != "" {
			p.line(p.dim("control limits " + l + ", centre " + narrow(c.Limits.Centre.Text())))
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
				p.line(p.dim(fit("", p.labelCells()) + fitLeft(withSign(d, d.Value), valueCells) + "  " +
					fit(fmt.Sprintf("[%s, %s]  p %s", withSign(d, d.Lo), withSign(d, d.Hi), equals(x.p)), p.width-p.labelCells()-valueCells-2)))
			}
		}
	}
	if list := t.texts("warnings"); len(list) > 0 {
		p.line()
		p.warnings(list)
	}
	return p.w.Flush()
}

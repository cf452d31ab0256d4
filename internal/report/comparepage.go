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
	x, ok := t.Number(keys...)
	if !ok {
		return `<span class="soft" title="no value">–</span>`
	}
	return datum(x, keys, pvalue(t, keys...))
}

// ComparePage writes a comparison as one HTML file that needs nothing else, as HTML does: rates with their differences and reductions,
// over-refusal as the price, the cases that only one run failed, the classes, the confusion map as differences and how outcomes moved.
func ComparePage(w io.Writer, r *rate.Reduction, base, other string) error {
	t := treeOf(r)
	p := &comparePage{
		frame: newFrame("Comparison – Hallmark", "comparison", compared(t, bothRuns), t.texts("warnings"), []string{
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
	for _, name := range t.Names("by_class") {
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
		t.fig("", share, "", "over_refusal", "base").Text(), t.fig("", share, "", "over_refusal", "other").Text(), share.Change(d.Value), share.Change(d.Lo), share.Change(d.Hi), equals(pvalue(t, "over_refusal", "mcnemar_p")))
	if of.OK {
		s += fmt.Sprintf(" Of the questions that have an answer, other declines %s (%s).", of.Text(), of.Range())
	}
	return s
}

func discordantViews(t tree) []discordantView {
	list := t.Items("discordant", "cases")
	views := []discordantView{{Title: "Only base failed: fixed in other"}, {Title: "Only other failed: regressed in other"}}
	for i := range list {
		c := t.sub("discordant", "cases", strconv.Itoa(i))
		k := 0
		if c.Text("failed") == "other" {
			k = 1
		}
		if views[k].total++; views[k].total <= maxDiscordant {
			views[k].Cases = append(views[k].Cases, discordantCase{oneLine(c.Text("case_id")), named(c.Text("class")), oneLine(c.Text("as")), strings.Join(c.texts("axes"), ", ")})
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
		for _, name := range t.Names("confusion", by.key) {
			row := changeRow{Name: named(name)}
			for i, d := range dimensions {
				at := []string{"confusion", by.key, name, d}
				f := func(key string) fig { return t.fig("", share, "", slices.Concat(at, []string{key})...) }
				c := changeCell{Difference: f("difference"), Base: f("base"), Other: f("other"), P: probability(t, append(at, "mcnemar_p_holm")...)}
				p, ok := t.Number(append(at, "mcnemar_p_holm")...)
				c.star = ok && c.Difference.OK && p < .05
				c.says = fmt.Sprintf("%s, %s: judged on no question", row.Name, d)
				if c.Difference.OK {
					c.says = fmt.Sprintf("%s, %s: %s in base, %s in other, difference %s (95 %% interval %s), p %s over %s", row.Name, d, c.Base.Text(), c.Other.Text(), c.Difference.Text(),
						c.Difference.Range(), equals(pvalue(t, append(at, "mcnemar_p_holm")...)), count(t.Whole(append(at, "n")...), "question"))
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

// Picture draws the map: what fails less is of one colour, what fails more of the other, and each cell has its sign in figures.
func (m *confusionChange) Picture() template.HTML {
	return heat(m.Head, len(m.Rows), func(i int) string { return m.Rows[i].Name }, func(i, j int) heatCell {
		c := m.Rows[i].Cells[j]
		text, fill := share.Change(c.Difference.Value), "err"
		if c.Difference.Value < 0 {
			fill = "ok"
		}
		if c.star {
			text += " *"
		}
		return heatCell{c.Difference.OK, math.Abs(c.Difference.Value), fill, text, c.says}
	}, "difference of failures in points")
}

package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/metric/detect"
)

// A detectionView shows how well detectors tell the classes of both axes apart.
type detectionView struct {
	N, Failing, Passing, Moving, Staying int
	Rows                                 []detectorRow
	Lacks                                []lackRow
	Warnings                             []string
}

// A detectorRow is one detector on both axes.
type detectorRow struct {
	Label, What                  string
	N                            fig
	Correctness, Consistency     fig
	Wrong, Right, Moving, Stable fig // cases
	Gain                         fig
}

// A lackRow says why a detector cannot be had.
type lackRow struct{ Label, Reason string }

// detectorWords say what a detector's score is.
var detectorWords = map[string]string{
	detect.Perplexity:         "of the answer’s tokens",
	detect.Entropy:            "over the options",
	detect.EntropyAsPublished: "over the options, most mass on the worst",
	detect.TokenEntropy:       "mean over the generated tokens",
	detect.Surprisal:          "how far the answer moves the hidden state",
	detect.SelfCheck:          "asked whether the statement is correct",
	detect.SelfCheckPublished: "by the one word Yes",
	detect.PTrue:              "asked whether the answer is true or false",
	detect.SemanticEntropy:    "of the drawn answers",
	detect.SampleDisagreement: "drawn answers that are not the greedy one",
}

func detectorLabel(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(oneLine(name), "_", " "), "p true", "P(True)")
}

// newDetection sets out the detectors of a section, in their usual order; nil where none was asked for.
func newDetection(t tree) *detectionView {
	if !t.Has("detection") {
		return nil
	}
	v := &detectionView{N: t.Whole("detection", "n"), Warnings: t.texts("detection", "warnings")}
	for _, name := range detect.Names {
		at := func(u unit, tone string, keys ...string) fig {
			return t.fig(detectorLabel(name), u, tone, append([]string{"detection", "detectors", name}, keys...)...)
		}
		if why := t.Text("detection", "not_available", name); why != "" {
			v.Lacks = append(v.Lacks, lackRow{detectorLabel(name), Visible(why)})
			continue
		}
		if !t.Has("detection", "detectors", name) {
			continue
		}
		r := detectorRow{
			Label: detectorLabel(name), What: detectorWords[name], N: at(tally, "", "n"),
			Correctness: at(mean, "err", "correctness", "auroc"), Consistency: at(mean, "rnd", "consistency", "auroc"),
			Wrong: at(tally, "", "correctness", "failing"), Right: at(tally, "", "correctness", "passing"),
			Moving: at(tally, "", "consistency", "failing"), Stable: at(tally, "", "consistency", "passing"), Gain: at(mean, "", "gain"),
		}
		v.Failing, v.Passing = max(v.Failing, int(r.Wrong.Value)), max(v.Passing, int(r.Right.Value))
		v.Moving, v.Staying = max(v.Moving, int(r.Moving.Value)), max(v.Staying, int(r.Stable.Value))
		v.Rows = append(v.Rows, r)
		for _, keys := range [][]string{{"warnings"}, {"correctness", "warnings"}, {"consistency", "warnings"}} {
			for _, w := range t.texts(slices.Concat([]string{"detection", "detectors", name}, keys)...) {
				axis := ""
				if len(keys) > 1 {
					axis = ", " + keys[0]
				}
				v.Warnings = append(v.Warnings, r.Label+axis+": "+w)
			}
		}
	}
	return v
}

// Axis draws the labels over a column of AUROCs, and Plot one of them.
func (v *detectionView) Axis() template.HTML {
	return axis("0", ".5 chance", "1")
}

// Plot draws an AUROC.
func (v *detectionView) Plot(f fig) template.HTML { return scale(1).Plot(f) }

// An acrossView sets the models of a run side by side on one suite.
type acrossView struct {
	At, Suite string // Suite is "" where the run has one
	Models    int
	Rows      []acrossRow
	Findings  []string
	Warnings  []string
}

type acrossRow struct {
	Label                    string
	Correctness, Consistency acrossAxis
	Gain, GainP              fig // AUROC on consistency less that on correctness, mean over models, and its p by Holm
}

type acrossAxis struct{ P, Adjusted, Models, Higher fig }

// newAcross sets out the signed-rank tests over models, a view for each suite.
func newAcross(t tree, suites []assay.SuiteInfo) (views []acrossView) {
	add := func(t tree, suite string) {
		if !t.Has("detection") {
			return
		}
		v := acrossView{At: Visible(strings.Join(t.At(), ".")), Suite: suite, Models: t.Whole("detection", "models"),
			Findings: t.texts("detection", "findings"), Warnings: t.texts("detection", "warnings")}
		few := false
		for _, name := range detect.Names {
			axis := func(which string) acrossAxis {
				at := func(u unit, key string) fig { return t.fig("", u, "", "detection", "detectors", name, which, key) }
				a := acrossAxis{at(chance, "p"), at(chance, "p_holm"), at(tally, "models"), at(tally, "higher")}
				few = few || a.P.OK && a.Models.Value < 6
				return a
			}
			gain := func(u unit, key string) fig { return t.fig("", u, "", "detection", "detectors", name, "gain", key) }
			if r := (acrossRow{detectorLabel(name), axis("correctness"), axis("consistency"), gain(mean, "mean"), gain(chance, "p_holm")}); r.Correctness.P.OK || r.Consistency.P.OK {
				v.Rows = append(v.Rows, r)
			}
		}
		if few {
			v.Warnings = append(v.Warnings, "fewer than 6 models can give no p below .05")
		}
		if len(v.Rows) > 0 {
			views = append(views, v)
		}
	}
	if len(suites) == 1 {
		add(t.sub("across_models"), "")
		return views
	}
	for _, s := range suites {
		add(t.sub("across_models", "suites", s.Name), oneLine(s.Name))
	}
	return views
}

// In says in how many models the failing cases score higher.
func (a acrossAxis) In() string {
	if !a.P.OK {
		return "no model has both classes"
	}
	return fmt.Sprintf("higher in %s of %s", a.Higher.Text(), a.Models.Text())
}

// detection writes the detectors for a terminal, a line each without the variants as published: the AUROC on each axis, and where there is room
// its plot.
func (p *printer) detection(v *detectionView) {
	var rows []detectorRow
	for _, r := range v.Rows {
		if !strings.HasSuffix(r.Label, "as published") {
			rows = append(rows, r)
		}
	}
	if len(rows) > 0 {
		p.head("DETECTORS", fmt.Sprintf("AUROC: %d wrong from %d right, %d that move from %d that stay; 0.5 is chance", v.Failing, v.Passing, v.Moving, v.Staying))
		const figures = 20
		label := min(20, p.width-2*figures)
		plot := min(24, (p.width-label-2*figures)/2-2)
		if plot < 9 {
			plot = 0
		}
		cell := func(f fig) string {
			text := "–"
			if f.OK {
				text = fmt.Sprintf("%s (%s)", f.Text(), f.Range())
			}
			line := fitLeft(text, figures)
			if plot > 0 {
				drawn := strings.Repeat(" ", plot)
				if f.OK {
					drawn = whisker(f, 1, plot)
				}
				line += "  " + p.tone(f.Tone, drawn)
			}
			return line
		}
		column := func(name string) string {
			return fitLeft(name, figures) + strings.Repeat(" ", map[bool]int{true: plot + 2}[plot > 0])
		}
		p.line(p.dim(fit("", label) + column("correctness") + column("consistency")))
		for _, r := range rows {
			p.line(fit(r.Label, label), cell(r.Correctness), cell(r.Consistency))
		}
	}
	for _, l := range v.Lacks {
		p.painted("  ", "not available: "+l.Label+": "+l.Reason, p.dim)
	}
}

// across writes the tests over models for a terminal.
func (p *printer) across(v acrossView) {
	title := "DETECTORS ACROSS MODELS"
	if v.Suite != "" {
		title += ", " + v.Suite
	}
	p.head(title, fmt.Sprintf("%s; two-sided signed-rank p, and by Holm", count(v.Models, "model")))
	const cell = 26
	label := max(12, p.width-2*cell)
	p.line(p.dim(fit("", label) + fitLeft("correctness", cell) + fitLeft("consistency", cell)))
	for _, r := range v.Rows {
		line := fit(r.Label, label)
		for _, a := range []acrossAxis{r.Correctness, r.Consistency} {
			text := "–"
			if a.P.OK {
				text = fmt.Sprintf("%s (%s) %s/%s", a.P.Text(), a.Adjusted.Text(), a.Higher.Text(), a.Models.Text())
			}
			line += fitLeft(text, cell)
		}
		p.line(line)
	}
	p.painted("  ", "in brackets by Holm; then in how many models the failing cases score higher", p.dim)
	for _, f := range v.Findings {
		p.painted("  ", Visible(f), func(s string) string { return s })
	}
	p.warnings(v.Warnings)
}

// detection writes the detectors for a comment.
func (m *md) detection(v *detectionView) {
	if len(v.Rows) > 0 {
		m.line("<details><summary>Detectors</summary>\n\n| detector | n | AUROC, correctness | 95 %% interval | AUROC, consistency | 95 %% interval | gain | 95 %% interval |\n|---|--:|--:|:-:|--:|:-:|--:|:-:|")
		for _, r := range v.Rows {
			m.line("| %s | %s | %s | %s | %s | %s | %s | %s |", escape(r.Label), r.N.Text(), r.Correctness.Text(), r.Correctness.Range(), r.Consistency.Text(), r.Consistency.Range(), r.Gain.Text(), r.Gain.Range())
		}
		for _, w := range v.Warnings {
			m.line("\n> ⚠ %s", escape(w))
		}
		m.line("\n</details>\n")
	}
	for _, l := range v.Lacks {
		m.line("- no %s: %s", escape(l.Label), escape(l.Reason))
	}
	if len(v.Lacks) > 0 {
		m.line("")
	}
}

// across writes the tests over models for a comment.
func (m *md) across(v acrossView) {
	title := "Detectors across models"
	if v.Suite != "" {
		title += ", " + v.Suite
	}
	m.line("%s: two-sided signed-rank p over %s.\n\n| detector | correctness p | by Holm | | consistency p | by Holm | | AUROC, gain | by Holm |\n|---|--:|--:|---|--:|--:|---|--:|--:|", escape(title), count(v.Models, "model"))
	for _, r := range v.Rows {
		a, b := r.Correctness, r.Consistency
		m.line("| %s | %s | %s | %s | %s | %s | %s | %s | %s |", escape(r.Label), a.P.Text(), a.Adjusted.Text(), a.In(), b.P.Text(), b.Adjusted.Text(), b.In(), r.Gain.Text(), r.GainP.Text())
	}
	m.line("")
	for _, f := range v.Findings {
		m.line("%s\n", escape(f))
	}
	for _, w := range v.Warnings {
		m.line("> ⚠ %s\n", escape(w))
	}
}

// scoresOf are the scores of a case in a line, "" where it has none.
func scoresOf(d *assay.Detected) string {
	if d == nil {
		return ""
	}
	var parts []string
	for _, name := range detect.Names {
		if x, ok := d.Scores[name]; ok {
			parts = append(parts, detectorLabel(name)+" "+decimal(x))
		}
	}
	return strings.Join(parts, " · ")
}

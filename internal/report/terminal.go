package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"hallmark/internal/assay"
)

// A Style says how text is laid out for a terminal.
type Style struct {
	Color  bool   // whether escape sequences for colour and weight may be written
	Width  int    // cells in a line; 0 means 80; at least 72 and at most 120 are used
	Report string // where the HTML report lies, to be named at the end; empty: not named
}

func (s Style) width() int {
	if s.Width == 0 {
		return 80
	}
	return max(72, min(120, s.Width))
}

// A printer writes lines for a terminal. What it is given must be visible text; the colours are its own.
type printer struct {
	w     *bufio.Writer
	style Style
	width int

	calibrated bool // said once that the model is for calibration
}

func newPrinter(w io.Writer, s Style) *printer {
	return &printer{w: bufio.NewWriter(w), style: s, width: s.width()}
}

func (p *printer) paint(code, s string) string {
	if !p.style.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *printer) bold(s string) string { return p.paint("1", s) }
func (p *printer) dim(s string) string  { return p.paint("2", s) }

// tone colours text by what it says: red wrong, yellow random, blue right; none of the three stands without its word.
func (p *printer) tone(tone, s string) string {
	switch tone {
	case "err":
		return p.paint("31", s)
	case "rnd":
		return p.paint("33", s)
	case "ok":
		return p.paint("34", s)
	}
	return s
}

func (p *printer) line(parts ...string) {
	p.w.WriteString(strings.TrimRight(strings.Join(parts, ""), " "))
	p.w.WriteByte('\n')
}

// para writes text in lines of the width; after the first they are indented as deep as the lead is wide.
func (p *printer) para(lead, s string) { p.painted(lead, s, func(x string) string { return x }) }

func (p *printer) painted(lead, s string, paint func(string) string) {
	indent := columns(lead)
	for i, l := range wrap(s, p.width-indent) {
		if i > 0 {
			lead = strings.Repeat(" ", indent)
		}
		p.line(lead, paint(l))
	}
}

// head writes the title of a block, with its column heads over the figures.
func (p *printer) head(title, note string) {
	p.line()
	p.line(p.bold(title), p.dim(clip(gap(note), p.width-columns(title))))
}

func gap(s string) string {
	if s == "" {
		return ""
	}
	return "  " + s
}

// The columns of a line with a figure: label, value, interval, plot.
const (
	valueCells    = 8
	intervalCells = 16
)

func (p *printer) labelCells() int { return min(36, p.width-valueCells-intervalCells-4-p.plotCells()) }
func (p *printer) plotCells() int  { return max(14, min(34, p.width-valueCells-intervalCells-4-30)) }

// fig writes one figure with its interval and plot.
func (p *printer) fig(f fig, s scale) {
	label := f.Label
	if f.Child {
		label = "  " + label
	}
	value := fitLeft(narrow(f.Text()), valueCells)
	plot := ""
	if s > 0 && f.OK {
		plot = "  " + p.tone(f.Tone, whisker(f, s, p.plotCells()))
	}
	text := fit(label, p.labelCells())
	if f.Lead {
		text, value = p.bold(text), p.bold(value)
	}
	p.line(text, value, "  ", p.dim(fitLeft(narrow(f.Range()), intervalCells)), plot)
}

// narrow replaces the thin space of the pages by a plain one, which terminals show alike.
func narrow(s string) string { return strings.ReplaceAll(s, "\u202f", " ") }

// whisker draws a figure's interval on a scale in n cells: ├──●───┤.
func whisker(f fig, s scale, n int) string {
	at := func(x float64) int { return max(0, min(n-1, int(math.Round(x/float64(s)*float64(n-1))))) }
	cells := []rune(strings.Repeat("·", n))
	if f.Bounded {
		lo, hi := at(f.Lo), at(f.Hi)
		for i := lo; i <= hi; i++ {
			cells[i] = '─'
		}
		cells[lo], cells[hi] = '├', '┤'
	}
	cells[at(f.Value)] = '●'
	return string(cells)
}

// Terminal writes the summary of a run: for each model and suite the headline, both axes with their intervals, the classes, the
// findings and every warning, in about 75 lines for one model on one suite, and one for each class, and each group of a suite whose truth was
// designed. Nothing in it steers the terminal but the colours that the style allows. More than 16 classes, groups, findings or
// warnings are cut, and it says so. Of a sweep it shows the stages beside each other in place of each by itself.
func Terminal(w io.Writer, a *assay.Assay, style Style) error {
	v, err := newView(a)
	if err != nil {
		return err
	}
	p := newPrinter(w, style)
	p.line(p.bold("hallmark"), p.dim(clip(fmt.Sprintf("  run %s · seed %d · version %s", oneLine(v.Doc.Run.ID), v.Doc.Run.Seed, oneLine(v.Doc.Run.Version)), p.width-8)))
	for _, n := range v.Notes {
		p.painted("! ", n, func(s string) string { return p.tone("rnd", s) })
	}
	if len(v.Sections) > 1 {
		p.overview(v)
	}
	if v.Phase != nil {
		p.phase(v.Phase)
	} else if v.Grid != nil {
		p.grid(v.Grid)
	}
	for _, x := range v.Across {
		p.across(x)
	}
	if rows := studiesOf(v.Sections); len(rows) > 1 {
		p.studies(rows)
	}
	for _, s := range v.Sections {
		if v.Phase != nil { // of every stage the whole is in the report
			break
		}
		p.section(s)
	}
	if style.Report != "" {
		p.line()
		p.line("report: ", Visible(style.Report)) // never cut: it is there to be copied
	}
	return p.w.Flush()
}

func (p *printer) overview(v *view) {
	p.line()
	col := min(10, (p.width-20)/5)
	name := p.width - 5*col
	head := fit("model, suite", name)
	for _, h := range []string{"halluc.", "stability", "accuracy", "stays", "moves"} {
		head += fitLeft(h, col)
	}
	p.line(p.dim(head))
	for _, s := range v.Sections {
		line := fitName(s.Model+", "+s.Suite, name-1) + " "
		for _, f := range []fig{s.H, s.SS, s.Accuracy, s.Stays, s.Moves} {
			line += fitLeft(narrow(f.Text()), col)
		}
		p.line(line)
	}
}

// most is how many classes, groups, findings or warnings a summary shows.
const most = 16

func (p *printer) section(s *section) {
	p.line()
	p.painted("", s.headline(), p.bold)
	if s.Calibration && !p.calibrated {
		p.calibrated = true
		p.painted("  ", "pocket is a calibration model about a fictional world: the figures show that the instrument reads what was built in.", p.dim)
	}
	if s.StabilityOnly() {
		p.painted("! ", "accuracy was not measured, as the suite has no gold answers: stability says only that answers agree with each other", func(x string) string { return p.tone("rnd", x) })
	}
	if r := s.Rubric; r != nil {
		p.head("CORRECTNESS", fmt.Sprintf("%s, default prompt; plots run from 0 to %g %%", count(r.N, "question"), float64(r.Axes.Scale)*100))
		for _, f := range r.Axes.Figs {
			p.fig(f, r.Axes.Scale)
		}
		for _, f := range r.Kinds.Figs {
			p.fig(f.named("as "+f.Label), r.Kinds.Scale)
		}
		for _, f := range r.Also {
			if f.Unit == share && (f.Label == "format kept" || f.Label == "unread share" && r.Unread > 0) {
				p.fig(f, 0)
			}
		}
		p.counts(r)
		p.warnings(r.Warnings)
	}
	if c := s.Consistency; c != nil {
		p.head("CONSISTENCY", fmt.Sprintf("%s, %s; plots run from 0 to 1", count(c.Questions, "question"), c.Variants))
		ss := s.SS
		if s.Level != "" {
			ss.Label += ", " + s.Level
		}
		p.fig(ss, 1)
		if s.Accuracy.OK {
			p.fig(s.Accuracy, 1)
		} else {
			p.line(fit("accuracy", p.labelCells()), "not measured")
		}
		for _, f := range c.Taxonomy.Figs {
			p.fig(f, 1)
		}
		if len(c.Taxonomy.Figs) > 0 {
			for _, f := range c.Brief {
				if f.Unit == share && f.Label != sameAgain {
					p.fig(f, 1)
				}
			}
		} else { // no gold: what agreement alone can say
			for _, f := range c.More {
				if f.Bounded && (f.Unit == share || f.Unit == mean) {
					p.fig(f, 1)
				}
			}
		}
		if s.Sampled != nil {
			for _, r := range s.Sampled.Rows {
				if r.Label == "ambiguity" && r.Drawn.OK {
					p.fig(r.Drawn.named(fmt.Sprintf("differs over %d draws", s.Sampled.Draws)), 1)
				}
			}
			if s.Sampled.Entropy.OK {
				p.fig(s.Sampled.Entropy, 0)
			}
			if s.Sampled.Unseen.OK {
				p.fig(s.Sampled.Unseen, 1)
			}
		}
		if line := beside(slices.Concat(c.Brief, s.Contrast)); line != "" {
			p.painted("  ", "beside it: "+line, p.dim)
		}
		p.equality(s.Equality)
		p.warnings(c.Warnings)
		p.warnings(c.FloorWarnings)
		p.warnings(s.ContrastWarnings)
	}
	if s.Sampled != nil {
		p.warnings(prefixed(drawn, s.Sampled.Warnings))
	}
	if f := s.Families; f != nil {
		p.families(f)
	}
	if s.Detection != nil {
		p.detection(s.Detection)
	}
	if v := s.Posterior; v != nil {
		p.posterior(v)
	}
	if len(s.Classes) > 0 {
		g := s.Classes[0]
		p.head(strings.ToUpper("by "+g.Head), fmt.Sprintf("hallucination; plots run from 0 to %g %%", float64(g.Scale)*100))
		for _, r := range g.Rows[:min(most, len(g.Rows))] {
			f := r.H
			f.Lead = false
			f.Label = clip(f.Label, p.labelCells()-8) + " (" + r.N.Text() + ")"
			p.fig(f, g.Scale)
		}
		p.more(len(g.Rows), "class", "classes")
	}
	if len(s.Confusion) > 0 {
		p.confusionMap(s.Confusion[0])
	}
	for _, v := range s.Plain {
		p.plain(v)
	}
	if s.Audit != nil {
		p.audit(s.Audit)
	}
	if len(s.Designed) > 0 {
		p.designed(s.Designed)
	}
	if len(s.Findings) > 0 {
		p.head("FINDINGS", "")
		for i, f := range s.Findings[:min(most, len(s.Findings))] {
			p.para(fmt.Sprintf("%d. ", i+1), f.Sentence)
			if f.Advice != "" {
				p.painted("   → ", f.Advice, p.dim)
			}
			p.warnings(f.Warnings)
		}
		p.more(len(s.Findings), "finding", "findings")
	}
	if s.Joint != nil {
		p.warnings(s.Joint.Warnings)
	}
	if n := len(s.Unscored); n > 0 {
		p.head("UNSCORED", plural(n, "planned answer or verdict", "planned answers or verdicts")+", left out of the figures")
		for _, u := range s.Unscored[:min(3, n)] {
			what := u.Axis
			if what == "" {
				what = fmt.Sprintf("variant %d", u.Variant)
			}
			p.line("  ", clip(fmt.Sprintf("%s, %s: %s", u.CaseID, what, u.Reason), p.width-2))
		}
		if n > 3 {
			p.line(p.dim(fmt.Sprintf("  and %d more", n-3)))
		}
	}
}

// designed sets what each group of cases was made to show beside how many were read so.
func (p *printer) designed(rows []designedRow) {
	var hits, of int
	drawn := 0 // cells of the columns on draws
	for _, d := range rows {
		if d.As.OK {
			of += int(d.N.Value)
			hits += int(math.Round(d.As.Value * d.N.Value))
		}
		if d.Unseen.OK {
			drawn = valueCells
		}
	}
	note := "nothing is called for"
	if of > 0 {
		note = fmt.Sprintf("%d of the %d cases with a design fell where it calls for", hits, of)
	}
	p.head("DESIGNED", note)
	cells := []int{6, 6, 6, 7, drawn, drawn, valueCells, intervalCells - 1}
	label := min(36, p.width-6-6-6-7-2*drawn-valueCells-cells[7])
	line := func(name string, columns ...string) string {
		s := fit(name, label)
		for i, c := range columns {
			if cells[i] > 0 {
				s += fitLeft(c, cells[i])
			}
		}
		return s
	}
	p.line(p.dim(line("", "cases", "right", "wrong", "random", "split", "unseen", "fell so", "95 % interval")))
	for _, d := range rows[:min(most, len(rows))] {
		p.line(line(clip(d.Label+": "+d.Expected, label), d.N.Text(), d.Factual.Text(), d.Error.Text(), d.Randomness.Text(), narrow(d.Split.Text()),
			narrow(d.Unseen.Text()), narrow(d.As.Text()), narrow(d.As.Range())))
	}
	p.more(len(rows), "group", "groups")
	if s := recovered(rows); s != "" {
		p.painted("  ", s, func(s string) string { return s })
	}
	if drawn > 0 {
		p.painted("  ", "split: draws differ; unseen: they do, though greedy answers agree over the wordings", p.dim)
	}
}

// drawn stands before a warning about the draws where warnings of the greedy answers stand beside it.
const drawn = "of the draws at temperature 1: "

func prefixed(prefix string, list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = prefix + s
	}
	return out
}

// headline is the sentence that a section begins with.
func (s *section) headline() string {
	switch {
	case s.H.OK:
		return narrow(fmt.Sprintf("%s hallucinated on %s of %s of %s (95 %% interval %s).", s.Model, s.H.Text(), count(s.Rubric.N, "question"), s.Suite, s.H.Range()))
	case s.SS.OK:
		return narrow(fmt.Sprintf("%s has a semantic stability of %s on %s (95 %% interval %s).", s.Model, s.SS.Text(), s.Suite, s.SS.Range()))
	}
	if s.Rate.OK {
		return narrow(fmt.Sprintf("%s has a posterior hallucination rate of %s on %s (95 %% interval %s).", s.Model, s.Rate.Text(), s.Suite, s.Rate.Range()))
	}
	return fmt.Sprintf("%s on %s: nothing could be scored.", s.Model, s.Suite)
}

func (p *printer) counts(r *rubricView) {
	var parts []string
	if r.Unread > 0 {
		parts = append(parts, count(r.Unread, "answer")+" unread")
	}
	if r.Unscored > 0 {
		parts = append(parts, count(r.Unscored, "question")+" unscored")
	}
	if len(parts) > 0 {
		p.line(p.dim("  " + strings.Join(parts, ", ")))
	}
}

func (p *printer) warnings(list []string) {
	for _, w := range list[:min(most, len(list))] {
		p.painted("  ! ", w, func(s string) string { return p.tone("rnd", s) })
	}
	p.more(len(list), "warning", "warnings")
}

func (p *printer) more(n int, one, many string) {
	switch {
	case n == most+1:
		p.line(p.dim("  and 1 more " + one))
	case n > most:
		p.line(p.dim(fmt.Sprintf("  and %d more %s", n-most, many)))
	}
}

// Case writes everything that is known of one case: what was asked, the verdicts with rule and evidence, and each answer under
// the way it was read. Texts are shown whole, up to 20,000 characters each, with what could steer the terminal made visible.
func Case(w io.Writer, row *assay.CaseRow, style Style) error {
	const limit = 20000
	p := newPrinter(w, style)
	c := newCase(row, limit, true)
	p.line(p.bold(clip(c.ID, p.width)), p.dim(clip(gap(fmt.Sprintf("%s on %s", oneLine(row.Model), oneLine(row.Suite))), max(0, p.width-columns(c.ID)))))
	if c.Meta != "" {
		p.painted("", c.Meta, p.dim)
	}
	p.line()
	if c.System != nil {
		p.field("system", *c.System)
	}
	for _, x := range c.Context {
		p.field("context "+x.ID, x.Text)
	}
	p.field("question", c.Prompt)
	for i, o := range c.Options {
		p.field(fmt.Sprintf("option %d", i+1), text{Shown: o})
	}
	p.field("gold", text{Shown: c.Gold})
	if c.Stability != "" {
		p.field("stability", text{Shown: c.Stability})
	}
	if c.Scores != "" {
		p.field("detectors", text{Shown: c.Scores})
	}
	if c.Advice != "" {
		p.field("posterior", text{Shown: c.Advice})
	}
	if c.VerdictWord != "" || c.CategoryWord != "" {
		words := p.tone(c.VerdictTone, c.VerdictWord)
		if c.CategoryWord != "" {
			if words != "" {
				words += "; "
			}
			words += p.tone(c.CategoryTone, c.CategoryWord)
		}
		p.line(fit("outcome", fieldCells), words)
	}
	if len(c.Axes) > 0 {
		p.head("VERDICTS", strings.TrimSuffix("on the default prompt; the model "+c.Act, "; the model "))
		for _, a := range c.Axes {
			tone := map[string]string{"v-fail": "err", "v-pass": "ok", "v-unread": "rnd", "v-unscored": "rnd"}[a.Tone]
			lead := fit(a.Name, 14) + p.tone(tone, fit(a.Verdict, 10))
			for i, l := range wrap(strings.TrimSpace(a.Rule+" "+a.Evidence), p.width-24) {
				if i > 0 {
					lead = strings.Repeat(" ", 24)
				}
				p.line(lead, l)
				lead = ""
			}
			if lead != "" {
				p.line(lead)
			}
		}
	}
	if m := newMatrix(row, 1000); m != nil {
		p.head("SIDE BY SIDE", m.Note())
		p.matrix(m)
	}
	for _, g := range c.Groups {
		p.head(clip(g.Reading, p.width-30), strings.TrimSuffix(g.Count+" · "+g.Verdict, " · "))
		for _, a := range g.Answers {
			p.field("  "+a.Name, a.Prompt)
			if a.Failure != "" {
				p.field("", text{Shown: "→ " + a.Failure})
			} else {
				p.field("", text{"→ " + a.Text.Shown, a.Text.Left})
			}
			if a.Retrieved != "" {
				p.field("", text{Shown: "retrieved " + a.Retrieved})
			}
		}
	}
	if len(c.Draws) > 0 {
		p.head("DRAWN AT TEMPERATURE 1", "")
		for _, d := range c.Draws {
			p.line("  ", fit(d.Count, 10), clip(d.Reading, p.width-24), p.dim(gap(d.Verdict)))
		}
	}
	return p.w.Flush()
}

const fieldCells = 18

// field writes a named text, line by line.
func (p *printer) field(name string, t text) {
	lead := fit(name, fieldCells-1) + " "
	if t.Left > 0 {
		t.Shown += fmt.Sprintf(" … %d more characters", t.Left)
	}
	for _, paragraph := range strings.Split(t.Shown, "\n") {
		lines := wrap(paragraph, p.width-fieldCells)
		if len(lines) == 0 {
			lines = []string{""}
		}
		for _, l := range lines {
			p.line(p.dim(lead), l)
			lead = strings.Repeat(" ", fieldCells)
		}
	}
}

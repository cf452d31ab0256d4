package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"hallmark/internal/assay"
)

// Terminal writes the summary of a run: for each model and suite the headline, the outcomes, both axes with their intervals, the classes, the
// findings and every warning, in about 80 lines for one model on one suite, and one for each class, and each group of a suite whose truth was
// designed. Nothing in it steers the terminal but the colours that the style allows. More than 16 classes, groups, findings or
// warnings are cut, and it says so. Of a sweep it shows the stages beside each other in place of each by itself.
func Terminal(w io.Writer, a *assay.Assay, style Style) error {
	v := newView(a)
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
	for _, h := range []string{"wrong", "stability", "accuracy", "stays", "moves"} {
		head += fitLeft(h, col)
	}
	p.line(p.dim(head))
	for _, s := range v.Sections {
		line := fitName(s.Model+", "+s.Suite, name-1) + " "
		for _, f := range []fig{s.Wrong, s.SS, s.Accuracy, s.Stays, s.Moves} {
			line += fitLeft(narrow(f.Text()), col)
		}
		p.line(line)
	}
}

// most is how many classes, groups, findings or warnings a summary shows.
const most = 16

func (p *printer) section(s *section) {
	p.lede(s)
	p.outcomes(s.Outcomes)
	p.rubric(s.Rubric)
	p.consistency(s)
	if s.Sampled != nil {
		p.warnings(prefixed(drawn, s.Sampled.Warnings))
	}
	if s.Families != nil {
		p.families(s.Families)
	}
	if s.Detection != nil {
		p.detection(s.Detection)
	}
	if s.Posterior != nil {
		p.posterior(s.Posterior)
	}
	if len(s.Classes) > 0 {
		p.classes(s.Classes[0])
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
	p.findings(s.Findings)
	if s.Joint != nil {
		p.warnings(s.Joint.Warnings)
	}
	p.unscored(s.Unscored)
}

func (p *printer) lede(s *section) {
	p.line()
	p.painted("", s.headline(), p.bold)
	if v := s.Implied; v != nil {
		p.para("", v.sentence())
		p.warnings(v.Warnings)
	}
	if s.Calibration && !p.calibrated {
		p.calibrated = true
		p.painted("  ", "pocket is a calibration model about a fictional world: the figures show that the instrument reads what was built in.", p.dim)
	}
	if s.StabilityOnly() {
		p.painted("! ", "accuracy was not measured, as the suite has no gold answers: stability says only that answers agree with each other", func(x string) string { return p.tone("rnd", x) })
	}
}

func (p *printer) outcomes(o *outcomesView) {
	if o == nil {
		return
	}
	p.head("OUTCOMES", fmt.Sprintf("%s to the default prompt; plots run from 0 to %g %%", count(o.N, "answer"), float64(o.Shares.Scale)*100))
	for _, f := range o.Shares.Figs {
		if f.Ranged || f.Value > 0 || f.Label != "could not be graded" {
			p.fig(f, o.Shares.Scale)
		}
	}
}

func (p *printer) rubric(r *rubricView) {
	if r == nil {
		return
	}
	p.head("RUBRIC", fmt.Sprintf("%s, default prompt; plots run from 0 to %g %%", count(r.N, "graded question"), float64(r.Axes.Scale)*100))
	p.figs(r.Axes.Figs, r.Axes.Scale)
	for _, f := range r.Also {
		if f.Unit == share && f.Label == "format kept" {
			p.fig(f, 0)
		}
	}
	p.counts(r)
	p.warnings(r.Warnings)
}

func (p *printer) consistency(s *section) {
	c := s.Consistency
	if c == nil {
		return
	}
	p.head("CONSISTENCY", fmt.Sprintf("%s, %s; plots run from 0 to 1", count(c.Questions, "question"), c.Variants))
	p.fig(s.stability(), 1)
	if s.Accuracy.OK {
		p.fig(s.Accuracy, 1)
	} else {
		p.line(fit("accuracy", p.labelCells()), "not measured")
	}
	p.figs(c.Taxonomy.Figs, 1)
	beneath := func(f fig) bool { return f.Unit == share && f.Label != sameAgain }
	more := c.Brief
	if len(c.Taxonomy.Figs) == 0 { // no gold: what agreement alone can say
		beneath = func(f fig) bool { return f.Bounded && (f.Unit == share || f.Unit == mean) }
		more = c.More
	}
	for _, f := range more {
		if beneath(f) {
			p.fig(f, 1)
		}
	}
	for _, f := range s.Sampled.figs() {
		to := scale(1)
		if f.Unit != share { // nats have no end
			to = 0
		}
		p.fig(f, to)
	}
	if line := beside(slices.Concat(c.Brief, s.Contrast)); line != "" {
		p.painted("  ", "beside it: "+line, p.dim)
	}
	p.equality(s.Equality)
	p.warnings(c.Warnings)
	p.warnings(c.FloorWarnings)
	p.warnings(s.ContrastWarnings)
}

func (p *printer) figs(list []fig, s scale) {
	for _, f := range list {
		p.fig(f, s)
	}
}

func (p *printer) classes(g groupTable) {
	p.head(strings.ToUpper("by "+g.Head), fmt.Sprintf("wrong answers; plots run from 0 to %g %%", float64(g.Scale)*100))
	for _, r := range g.Rows[:min(most, len(g.Rows))] {
		f := r.Wrong
		f.Lead = false
		f.Label = clip(f.Label, p.labelCells()-8) + " (" + r.N.Text() + ")"
		p.fig(f, g.Scale)
	}
	p.more(len(g.Rows), "class", "classes")
}

func (p *printer) findings(list []findingView) {
	if len(list) == 0 {
		return
	}
	p.head("FINDINGS", "")
	for i, f := range list[:min(most, len(list))] {
		p.para(fmt.Sprintf("%d. ", i+1), f.Sentence)
		if f.Advice != "" {
			p.painted("   → ", f.Advice, p.dim)
		}
		p.warnings(f.Warnings)
	}
	p.more(len(list), "finding", "findings")
}

func (p *printer) unscored(list []assay.Unscored) {
	n := len(list)
	if n == 0 {
		return
	}
	p.head("UNSCORED", plural(n, "planned answer or verdict", "planned answers or verdicts")+", left out of the figures")
	for _, u := range list[:min(3, n)] {
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
	case s.NothingGraded():
		return fmt.Sprintf("%s on %s: none of %s could be graded, so nothing is known.", s.Model, s.Suite, count(s.Outcomes.N, "answer"))
	case s.Wrong.OK && s.Wrong.Ranged:
		return narrow(fmt.Sprintf("%s was read as wrong on %s of %s to %s, and %s were not attempted: %s could not be graded.",
			s.Model, s.Wrong.Text(), count(s.Outcomes.N, "answer"), s.Suite, s.Unattempted.Text(), grouped(s.Outcomes.Ungradable)))
	case s.Wrong.OK:
		return narrow(fmt.Sprintf("%s was wrong on %s of %s to %s (95 %% interval %s); %s were not attempted.",
			s.Model, s.Wrong.Text(), count(s.Outcomes.N, "answer"), s.Suite, s.Wrong.Range(), s.Unattempted.Text()))
	case s.SS.OK && s.SS.Ranged:
		return narrow(fmt.Sprintf("%s has a semantic stability of %s on %s, as some answers could not be graded.", s.Model, s.SS.Text(), s.Suite))
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
		parts = append(parts, count(r.Unread, "answer")+" could not be graded")
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

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
	if o := s.Outcomes; o != nil {
		p.head("OUTCOMES", fmt.Sprintf("%s to the default prompt; plots run from 0 to %g %%", count(o.N, "answer"), float64(o.Shares.Scale)*100))
		for _, f := range o.Shares.Figs {
			if f.Ranged || f.Value > 0 || f.Label != "could not be graded" {
				p.fig(f, o.Shares.Scale)
			}
		}
	}
	if r := s.Rubric; r != nil {
		p.head("RUBRIC", fmt.Sprintf("%s, default prompt; plots run from 0 to %g %%", count(r.N, "graded question"), float64(r.Axes.Scale)*100))
		for _, f := range r.Axes.Figs {
			p.fig(f, r.Axes.Scale)
		}
		for _, f := range r.Also {
			if f.Unit == share && f.Label == "format kept" {
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
		p.head(strings.ToUpper("by "+g.Head), fmt.Sprintf("wrong answers; plots run from 0 to %g %%", float64(g.Scale)*100))
		for _, r := range g.Rows[:min(most, len(g.Rows))] {
			f := r.Wrong
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

package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"hallmark/internal/assay"
)

// maxListed is how many failed cases a Markdown summary lists for a section.
const maxListed = 20

// Markdown writes a summary for a comment on a change: for each model and suite the headline, both axes, the classes, the
// findings and warnings, and the first failed cases with the reason. Every text from a model or a suite is escaped, so that no
// link, image, mention, table or HTML of it comes alive.
func Markdown(w io.Writer, a *assay.Assay) error {
	v := newView(a)
	out := bufio.NewWriter(w)
	m := &md{out}
	for _, n := range v.Notes {
		m.line("> ⚠ %s\n", escape(n))
	}
	if len(v.Sections) > 1 {
		m.line("| model | suite | wrong answers | 95 %% interval | stability | accuracy | stays | moves |\n|---|---|--:|:-:|--:|--:|--:|--:|")
		for _, s := range v.Sections {
			m.line("| %s | %s | %s | %s | %s | %s | %s | %s |", escape(s.Model), escape(s.Suite), s.Wrong.Text(), s.Wrong.Range(), s.SS.Text(), s.Accuracy.Text(), s.Stays.Text(), s.Moves.Text())
		}
		m.line("")
	}
	if v.Phase != nil {
		m.phase(v.Phase)
	}
	if v.Grid != nil {
		m.grid(v.Grid)
	}
	for _, x := range v.Across {
		m.across(x)
	}
	for _, s := range v.Sections {
		m.section(s)
	}
	m.line("run `%s` · seed %d · hallmark %s", strings.ReplaceAll(oneLine(v.Doc.Run.ID), "`", ""), v.Doc.Run.Seed, escape(oneLine(v.Doc.Run.Version)))
	return out.Flush()
}

type md struct{ w *bufio.Writer }

func (m *md) line(format string, args ...any) { fmt.Fprintf(m.w, format+"\n", args...) }

func (m *md) section(s *section) {
	m.lede(s)
	m.line("| figure | value | 95 %% interval |\n|---|--:|:-:|")
	for _, f := range s.figs() {
		indent := ""
		if f.Child {
			indent = "– "
		}
		m.line("| %s%s | %s | %s |", indent, escape(f.Label), f.Text(), f.Range())
	}
	m.line("")
	m.designed(s.Designed)
	m.warnings(s.warnings())
	m.findings(s.Findings)
	if len(s.Findings) > 0 {
		m.line("")
	}
	if s.Families != nil {
		m.families(s.Families)
	}
	if s.Detection != nil {
		m.detection(s.Detection)
	}
	if s.Posterior != nil {
		m.posterior(s.Posterior)
	}
	if len(s.Classes) > 0 {
		m.classes(s.Classes[0])
	}
	if len(s.Confusion) > 0 {
		m.confusionMap(s.Confusion[0])
	}
	for _, v := range s.Plain {
		m.plain(v)
	}
	if s.Audit != nil {
		m.audit(s.Audit)
	}
	m.failures(s)
	m.unscored(s.Unscored)
}

func (m *md) lede(s *section) {
	m.line("### %s\n", escape(s.headline()))
	if v := s.Implied; v != nil {
		m.line("%s\n", escape(v.sentence()))
		m.warnings(v.Warnings)
	}
	if s.Calibration {
		m.line("*pocket is a calibration model about a fictional world: the figures show that the instrument reads what was built in.*\n")
	}
	if s.StabilityOnly() {
		m.line("> ⚠ Accuracy was not measured: stability says only that answers agree with each other.\n")
	}
}

// figs are the figures of a section in one list.
func (s *section) figs() (all []fig) {
	if o := s.Outcomes; o != nil {
		all = slices.Concat(o.Shares.Figs, o.Rates.Figs)
	}
	if r := s.Rubric; r != nil {
		all = append(all, r.Axes.Figs...)
		for _, f := range r.Kinds.Figs {
			all = append(all, f.named("as "+f.Label))
		}
		all = append(all, fig{Label: "unscored questions", Unit: tally, Value: float64(r.Unscored), OK: true})
	}
	if c := s.Consistency; c != nil {
		accuracy := s.Accuracy
		if !accuracy.OK {
			accuracy.Label += " (not measured)"
		}
		all = slices.Concat(all, []fig{s.stability(), accuracy}, c.Taxonomy.Figs, c.Brief, s.Equality.figs())
	}
	all = append(all, s.Sampled.figs()...)
	if s.Posterior != nil {
		all = slices.Concat(all, s.Posterior.Figs, s.Posterior.Checks)
	}
	for _, f := range s.Contrast {
		if strings.HasPrefix(f.Label, "pass@") || strings.HasPrefix(f.Label, "perplexity of the answers") {
			all = append(all, f)
		}
	}
	return all
}

// warnings are those of the figures.
func (s *section) warnings() (all []string) {
	if s.Rubric != nil {
		all = append(all, s.Rubric.Warnings...)
	}
	if c := s.Consistency; c != nil {
		all = slices.Concat(all, c.Warnings, c.FloorWarnings)
	}
	if s.Sampled != nil {
		all = append(all, prefixed(drawn, s.Sampled.Warnings)...)
	}
	if s.Equality != nil {
		all = append(all, s.Equality.Warnings...)
	}
	if s.Joint != nil {
		all = append(all, s.Joint.Warnings...)
	}
	return all
}

func (m *md) warnings(list []string) {
	for _, w := range list {
		m.line("> ⚠ %s\n", escape(w))
	}
}

func (m *md) classes(g groupTable) {
	m.line("<details><summary>Hallucination by %s</summary>\n\n| %s | n | rate | 95 %% interval |\n|---|--:|--:|:-:|", g.Head, g.Head)
	for _, r := range g.Rows {
		m.line("| %s | %s | %s | %s |", escape(r.Wrong.Label), r.N.Text(), r.Wrong.Text(), r.Wrong.Range())
	}
	m.line("\n</details>\n")
}

func (m *md) confusionMap(c confusionMap) {
	m.line("<details><summary>Failures by class and dimension</summary>\n\n| class | truth | decidability | reciprocity | format |\n|---|--:|--:|--:|--:|")
	for _, r := range c.Rows {
		cells := ""
		for _, c := range r.Cells {
			text := c.Fig.Text()
			if c.Fig.OK {
				text = fmt.Sprintf("%s (%s; %s of %s)", text, c.Fig.Range(), c.Failed.Text(), c.N.Text())
			}
			cells += " " + text + " |"
		}
		m.line("| %s |%s", escape(r.Name), cells)
	}
	m.line("\n</details>\n")
}

func (m *md) audit(v *auditView) {
	m.line("%s\n\n| rate | by the grader | 95 %% interval | corrected by people | 95 %% interval | labelled |\n|---|--:|:-:|--:|:-:|--:|", escape(v.Lede))
	for _, r := range v.Rates {
		m.line("| %s | %s | %s | %s | %s | %s of %s |", escape(r.Label), r.Grader.Text(), r.Grader.Range(), r.People.Text(), r.People.Range(), r.Labelled.Text(), r.N.Text())
	}
	m.line("")
	m.warnings(v.Warnings)
}

func (m *md) unscored(list []assay.Unscored) {
	n := len(list)
	if n == 0 {
		return
	}
	m.line("<details><summary>%s unscored</summary>\n", plural(n, "answer or verdict", "answers or verdicts"))
	for _, u := range list[:min(n, maxListed)] {
		m.line("- %s, variant %d: %s", escape(u.CaseID), u.Variant, escape(u.Reason))
	}
	m.rest(n)
	m.line("\n</details>\n")
}

// findings writes sentences with what to do about them and what to doubt in them.
func (m *md) findings(list []findingView) {
	for _, f := range list {
		m.line("- %s", escape(f.Sentence))
		if f.Advice != "" {
			m.line("  *%s*", escape(f.Advice))
		}
		for _, w := range f.Warnings {
			m.line("  ⚠ %s", escape(w))
		}
	}
}

// designed sets what each group of cases was made to show beside how many were read so.
func (m *md) designed(rows []designedRow) {
	if len(rows) == 0 {
		return
	}
	m.line("| built in | designed to be | cases | right | stable error | random | declined | sampled split | unseen by greedy | as designed | 95 %% interval |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|:-:|")
	for _, d := range rows {
		m.line("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |", escape(d.Label), escape(d.Expected), d.N.Text(), d.Factual.Text(), d.Error.Text(),
			d.Randomness.Text(), d.Declined.Text(), d.Split.Text(), d.Unseen.Text(), d.As.Text(), d.As.Range())
	}
	m.line("")
	if s := recovered(rows); s != "" {
		m.line("%s\n", escape(s))
	}
}

func (m *md) failures(s *section) {
	var failed []*assay.CaseRow
	for i := range s.Rows {
		if h := s.Rows[i].Hallucinated; h != nil && *h {
			failed = append(failed, &s.Rows[i])
		}
	}
	if len(failed) == 0 {
		return
	}
	m.line("<details><summary>%s</summary>\n\n| case | failure | answer | reason |\n|---|---|---|---|", count(len(failed), "failed case"))
	for _, r := range failed[:min(len(failed), maxListed)] {
		answer := ""
		if len(r.Answers) > 0 {
			answer = r.Answers[0].Text
		}
		reason := ""
		for _, a := range r.Axes {
			if a.Verdict == "fail" {
				reason = a.Name + ": " + a.Rule
				break
			}
		}
		m.line("| %s | %s | %s | %s |", escape(clip(oneLine(r.ID), 60)), escape(oneLine(r.Kind)), escape(clip(oneLine(answer), 100)), escape(clip(oneLine(reason), 120)))
	}
	m.rest(len(failed))
	m.line("\n</details>\n")
}

func (m *md) rest(n int) {
	if n > maxListed {
		m.line("\nand %s more", grouped(n-maxListed))
	}
}

// escape returns one line of visible text with every character that Markdown or HTML gives a meaning made plain.
func escape(s string) string {
	var b strings.Builder
	s = oneLine(s)
	for i, r := range s {
		switch r {
		case '.': // "www." alone is an address too
			if i >= 3 && strings.EqualFold(s[i-3:i], "www") {
				b.WriteString("&#46;")
				continue
			}
			b.WriteRune(r)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@', ':': // a mention, or a bare address that a renderer would link
			fmt.Fprintf(&b, "&#%d;", r)
		case '\\', '`', '*', '_', '{', '}', '[', ']', '(', ')', '#', '!', '|', '~', '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

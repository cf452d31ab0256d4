package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat/figure"
)

// GradeCheck writes how graders read labelled answers, for a terminal.
func GradeCheck(w io.Writer, d *grading.CheckDocument) error {
	p := new(lines)
	unit := "; intervals at 95 %, each answer to a case of its own"
	if d.Unit == grading.ByCase {
		unit = "; intervals at 95 % by case, as answers of one case err together"
	}
	p.f("%d labelled answers to %d cases of suite %q%s\n", d.N, d.Cases, d.Suite.Name, unit)
	p.matrix(d)
	p.f("\nof what was decided\n")
	p.share("read as it is", d.Agreement)
	p.share("fw: not incorrect, read as incorrect", d.FW)
	p.share("fr: incorrect, read otherwise", d.FR)
	for _, c := range d.OffDiagonal {
		p.share(fmt.Sprintf("  %s, read as %s", grading.Words(c.Truth), grading.Words(c.Read)), &c.Share)
	}
	p.f("\ndecided\n")
	p.share("all answers", d.Decided)
	p.share("truly correct", d.Coverage.Correct)
	p.share("truly incorrect", d.Coverage.Incorrect)
	p.share("truly not attempted", d.Coverage.NotAttempted)
	p.f("\n%-26s %5s  %-22s %-22s %-22s\n", "by", "n", "decided", "fw", "fr")
	groups(p, "length", grading.Lengths, d.ByLength, func(l grading.Length) string {
		return grading.LengthWords(l) + " words"
	})
	groups(p, "class", nil, d.ByClass, nil)
	groups(p, "gold", nil, d.ByGold, nil)
	groups(p, "oracle", nil, d.ByOracle, nil)
	groups(p, "grader", nil, d.ByGrader, nil)
	groups(p, "style", nil, d.ByStyle, nil)
	p.calibration(d.Calibration)
	if s := d.Unsupported; s != nil {
		p.f("\nevidence, of right answers that were read as right\n")
		p.share("unsupported, read as supported", s.Missed)
		p.share("supported, read as unsupported", s.Wrong)
	}
	p.biases(d.Biases)
	p.raters(d)
	p.disagreements(d)
	for i, warning := range d.Warnings {
		if i == 0 {
			p.f("\n")
		}
		p.f("warning: %s\n", Visible(warning))
	}
	return p.write(w)
}

// lines collects formatted text.
type lines struct{ b strings.Builder }

func (p *lines) f(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

// write writes what was collected, without blanks at the ends of lines, which columns leave.
func (p *lines) write(w io.Writer) error {
	trimmed := each(strings.Split(p.b.String(), "\n"), func(line string) string { return strings.TrimRight(line, " ") })
	_, err := io.WriteString(w, strings.Join(trimmed, "\n"))
	return err
}

func (p *lines) share(name string, s *grading.Share) {
	if s == nil {
		p.f("  %-43s –\n", name)
		return
	}
	p.f("  %-43s %-22s %d of %d\n", name, s.Percent(" %"), s.K, s.N)
}

// matrix writes how the answers of each true outcome were read: how many, and which share of the row.
func (p *lines) matrix(d *grading.CheckDocument) {
	p.f("\n%-14s %5s ", "truly", "n")
	for _, read := range grade.Outcomes {
		p.f(" %20s", readAs(read))
	}
	p.f("\n")
	for _, truth := range grading.Truths {
		counts := d.Matrix.Of(truth)
		p.f("%-14s %5d ", grading.Words(truth), grading.Total(*counts))
		for _, read := range grade.Outcomes {
			p.f(" %20d", *counts.Of(read))
		}
		p.f("\n")
	}
	p.f("of the row, in percent\n")
	for _, truth := range grading.Truths {
		p.f("%-20s ", grading.Words(truth))
		for _, read := range grade.Outcomes {
			p.f(" %20s", (*d.GivenTrue.Of(truth).Of(read)).Percent(""))
		}
		p.f("\n")
	}
}

func readAs(read grade.Outcome) string {
	if read == grade.CannotGrade {
		return "not gradable"
	}
	return "read " + grading.Words(read)
}

// groups writes one line for each part of the answers, in the order given, else that of the alphabet.
func groups[K ~string](p *lines, by string, order []K, parts map[K]grading.Group, name func(K) string) {
	if order == nil {
		order = slices.Sorted(maps.Keys(parts))
	}
	for _, k := range order {
		g, ok := parts[k]
		if !ok {
			continue
		}
		shown := Visible(string(k))
		if name != nil {
			shown = name(k)
		}
		p.f("%-26s %5d  %-22s %-22s %-22s\n", by+": "+shown, g.N, g.Decided.Percent(" %"), g.FW.Percent(" %"),
			g.FR.Percent(" %"))
	}
}

func (p *lines) calibration(c *grading.Calibration) {
	if c == nil {
		p.f("\nno grader said how sure it is\n")
		return
	}
	p.f("\nconfidence of %d decided answers: expected calibration error %s, Brier score %s\n", c.N,
		figure.Decimal(c.ECE), figure.Decimal(c.Brier))
	for _, b := range c.Bins {
		p.f("  %s to %s, mean %s  right %-22s %d of %d\n", figure.Fixed(b.From, 2), figure.Fixed(b.To, 2),
			figure.Decimal(b.Confidence), b.Right.Percent(" %"), b.Right.K, b.Right.N)
	}
}

func (p *lines) biases(b *grading.Biases) {
	if b == nil {
		return
	}
	p.f("\nbiases of the judge, of %d answers that it decided\n  %s\n", b.Judged, b.Says())
	if b.Family != nil {
		p.f("  %s\n", Visible(b.Family.Says()))
	}
	if b.Order != nil {
		p.share("another verdict, references in other order", b.Order)
	}
}

func (p *lines) raters(d *grading.CheckDocument) {
	r := d.Raters
	p.f("\n%d labels by %d raters; %d answers labelled twice or more, agreed on %d", r.Labels, r.Raters, r.Twice,
		r.Agreed)
	if r.Alpha != nil {
		p.f(" (alpha %s)", figure.Bracketed(figure.Decimal, "", r.Alpha.Value, r.Alpha.Lo, r.Alpha.Hi))
	}
	p.f("; %d answers have no label\n", d.Unlabelled)
}

func (p *lines) disagreements(d *grading.CheckDocument) {
	if d.Disagreed == 0 {
		return
	}
	p.f("\nmisread (%d of %d)\n", len(d.Disagreements), d.Disagreed)
	for _, m := range d.Disagreements {
		p.f("  %s, variant %d, repeat %d: %s, read as %s by %s: %s\n    %s\n", m.CaseID, m.Variant, m.Repeat,
			grading.Words(m.Truth), grading.Words(m.Read), m.Grader, m.Rule, m.Excerpt)
	}
}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/figure"
	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/report"
)

// lines collects formatted text.
type lines struct{ b strings.Builder }

func (p *lines) f(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

// text returns what was collected, without blanks at the ends of lines, which columns leave.
func (p *lines) text() string {
	all := strings.Split(p.b.String(), "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " ")
	}
	return strings.Join(all, "\n")
}

// tenths writes a share in percent without the sign.
func tenths(x float64) string { return figure.Fixed(100*x, 1) }

// rated writes a share in percent with its interval.
func rated(s *grading.Share) string {
	if s == nil {
		return "–"
	}
	return figure.Bracketed(tenths, " %", s.Rate, s.Lo, s.Hi)
}

func (p *lines) share(name string, s *grading.Share) {
	if s == nil {
		p.f("  %-43s –\n", name)
		return
	}
	p.f("  %-43s %-22s %d of %d\n", name, rated(s), s.K, s.N)
}

// matrix writes how the answers of each true outcome were read: how many, and which share of the row.
func (p *lines) matrix(d *gradeCheckDocument) {
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
			cell := "–"
			if s := *d.GivenTrue.Of(truth).Of(read); s != nil {
				cell = figure.Bracketed(tenths, "", s.Rate, s.Lo, s.Hi)
			}
			p.f(" %20s", cell)
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
		shown := report.Visible(string(k))
		if name != nil {
			shown = name(k)
		}
		p.f("%-26s %5d  %-22s %-22s %-22s\n", by+": "+shown, g.N, rated(g.Decided), rated(g.FW), rated(g.FR))
	}
}

func (p *lines) calibration(c *grading.Calibration) {
	if c == nil {
		p.f("\nno grader said how sure it is\n")
		return
	}
	p.f("\nconfidence of %d decided answers: expected calibration error %.3f, Brier score %.3f\n", c.N, c.ECE, c.Brier)
	for _, b := range c.Bins {
		p.f("  %4.2f to %4.2f, mean %.3f  right %-22s %d of %d\n", b.From, b.To, b.Confidence, rated(b.Right), b.Right.K, b.Right.N)
	}
}

func (p *lines) raters(d *gradeCheckDocument) {
	r := d.Raters
	p.f("\n%d labels by %d raters; %d answers labelled twice or more, agreed on %d", r.Labels, r.Raters, r.Twice, r.Agreed)
	if r.Alpha != nil {
		p.f(" (alpha %.3f [%.3f, %.3f])", r.Alpha.Value, r.Alpha.Lo, r.Alpha.Hi)
	}
	p.f("; %d answers have no label\n", d.Unlabelled)
}

func (p *lines) disagreements(d *gradeCheckDocument) {
	if d.Disagreed == 0 {
		return
	}
	p.f("\nmisread (%d of %d)\n", len(d.Disagreements), d.Disagreed)
	for _, m := range d.Disagreements {
		p.f("  %s, variant %d, repeat %d: %s, read as %s by %s: %s\n    %s\n", m.CaseID, m.Variant, m.Repeat, grading.Words(m.Truth), grading.Words(m.Read), m.Grader, m.Rule, m.Excerpt)
	}
}

package report

import (
	"io"

	"hallmark/internal/metric/grading"
	"hallmark/internal/stat/figure"
)

// A Sitting is one time at which a judge was asked about all anchors.
type Sitting struct {
	Date   string `json:"date"`
	Number int    `json:"number"` // on that date, from 1
}

// A DriftDocument is what grade drift prints.
type DriftDocument struct {
	Suite       grading.SuiteID `json:"suite"`
	Judge       string          `json:"judge"`       // its identity
	Wording     string          `json:"wording"`     // of the question: judge.Version
	Fingerprint string          `json:"fingerprint"` // of the anchors
	Anchors     int             `json:"anchors"`     // that the judge was asked about
	Now         Sitting         `json:"now"`
	Then        *Sitting        `json:"then"`     // that it is compared with; null of the first
	Sittings    []Sitting       `json:"sittings"` // the others on these anchors
	Drift       *grading.Drift  `json:"drift"`    // null of the first
	Warnings    []string        `json:"warnings"`
}

// mostFlips bounds the flips that a terminal shows.
const mostFlips = 10

// GradeDrift writes how the verdicts of a judge changed, for a terminal.
func GradeDrift(w io.Writer, d *DriftDocument) error {
	p := new(lines)
	p.f("%s on %d anchors of suite %q, fingerprint %s\n", Visible(d.Judge), d.Anchors, Visible(d.Suite.Name),
		d.Fingerprint)
	if d.Drift == nil {
		p.f("first sitting, %s: its verdicts are stored; the same command at a later date compares with them\n",
			sat(d.Now))
		return p.write(w)
	}
	p.f("%s against %s: %s\n\n", sat(d.Now), sat(*d.Then), d.Drift.Says)
	p.share("the same verdict", d.Drift.Agreement)
	p.moved("read as correct", d.Drift.Accepted)
	p.moved("fw: not incorrect, read as incorrect", d.Drift.FW)
	p.moved("fr: incorrect, read otherwise", d.Drift.FR)
	if d.Drift.Unreadable > 0 {
		p.f("  %s without a verdict then or now\n", figure.Counted(d.Drift.Unreadable, "anchor"))
	}
	for i, f := range d.Drift.Flips {
		if i == 0 {
			p.f("\nflipped (%d of %d)\n", min(len(d.Drift.Flips), mostFlips), len(d.Drift.Flips))
		}
		if i < mostFlips {
			p.f("  %s, variant %d, repeat %d, truly %s: %s, now %s\n    %s\n", f.CaseID, f.Variant, f.Repeat,
				grading.Words(f.Truth), grading.Words(f.Then), grading.Words(f.Now), f.Excerpt)
		}
	}
	return p.write(w)
}

// sat names a sitting.
func sat(s Sitting) string {
	if s.Number > 1 {
		return s.Date + ", sitting " + figure.Grouped(s.Number)
	}
	return s.Date
}

func (p *lines) moved(name string, m *grading.Moved) {
	if m == nil {
		p.f("  %-43s –\n", name)
		return
	}
	points := figure.Hundredfold(func(x float64) string { return figure.Fixed(x, 1) })
	p.f("  %-43s %s %% then, %s %% now: %s points, p %s after Holm, of %d\n", name, points(m.Then), points(m.Now),
		figure.Bracketed(points, "", m.Change.Value, m.Change.Lo, m.Change.Hi), figure.Probability(m.Adjusted), m.N)
}

package grading

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/grade"
	"hallmark/internal/stat"
	"hallmark/internal/stat/correct"
	"hallmark/internal/stat/figure"
)

// A Check is what one version of the graders made of labelled answers: see docs/grading.md.
type Check struct {
	GradingVersion string `json:"grading_version"`
	Date           string `json:"date"` // when the lots were read, as 2026-11-20
	Lots           []Lot  `json:"lots"`
	// Judges are the identities of those that had a part in it, asked of every answer where All is set; none for
	// rules alone.
	Judges []string `json:"judges,omitempty"`
	All    bool     `json:"judge_all,omitempty"`
}

// A Lot is a set of answers that was written and labelled before any of it was graded. Of what grade check --json
// prints it keeps what
//
//	jq '{name: .suite.name, n, cases, by_length: (.by_length | map_values({n, matrix, design_effect}))}'
//
// leaves.
type Lot struct {
	Name     string             `json:"name"`
	N        int                `json:"n"`
	Cases    int                `json:"cases"`
	ByLength map[Length]LotBand `json:"by_length"`
}

// A LotBand is the part of a lot whose answers are of one length.
type LotBand struct {
	N            int         `json:"n"`
	Matrix       Matrix[int] `json:"matrix"`
	DesignEffect *float64    `json:"design_effect,omitempty"` // see Group
}

//go:embed shipped.json
var shipped []byte

// Shipped returns the check of the graders in this binary. Its N is 0 where none was made of them.
var Shipped = sync.OnceValue(func() *Check {
	c := new(Check)
	if err := json.Unmarshal(shipped, c); err != nil {
		panic("grading: shipped.json: " + err.Error())
	}
	return c
})

// ShippedFor returns the check of the graders in this binary if it was made of the grading version that is named, else
// nil: it says nothing of the verdicts of another one.
func ShippedFor(version string) *Check {
	if c := Shipped(); c.GradingVersion == version && c.N() > 0 {
		return c
	}
	return nil
}

// N returns the number of labelled answers.
func (c *Check) N() (n int) {
	for _, lot := range c.Lots {
		n += lot.N
	}
	return n
}

// Counts returns the matrix of lengths over all lots.
func (c *Check) Counts(lengths ...Length) (m Matrix[int]) {
	for _, lot := range c.Lots {
		for _, l := range lengths {
			band := lot.ByLength[l]
			for _, truth := range Truths {
				for _, read := range grade.Outcomes {
					*m.Of(truth).Of(read) += *band.Matrix.Of(truth).Of(read)
				}
			}
		}
	}
	return m
}

// Group returns the figures of the check over the lengths, all of them where none is named. Intervals are Wilson's
// at as many answers as the lots' design effects leave, rounded down. Cases stays 0: one case has answers of
// several lengths.
func (c *Check) Group(level float64, lengths ...Length) Group {
	if len(lengths) == 0 {
		lengths = Lengths
	}
	g := Group{Matrix: c.Counts(lengths...)}
	left := 0.
	for _, l := range lengths {
		for _, row := range c.effective(l) {
			left += stat.Sum(row[:])
		}
	}
	if g.N = Sum(g.Matrix); g.N == 0 {
		return g
	}
	share := func(k, n int) *Share {
		if n == 0 {
			return nil
		}
		w := left / float64(g.N)
		m := max(1, int(w*float64(n)+1e-9))
		e := stat.Wilson(int(math.Round(float64(k)/float64(n)*float64(m))), m, level)
		e.Value = float64(k) / float64(n)
		e.Lo, e.Hi = min(e.Lo, e.Value), max(e.Hi, e.Value)
		return &Share{k, n, stat.Rate(e)}
	}
	of := func(truth grade.Outcome) (decided, n, wrong, right int) {
		r := *g.Matrix.Of(truth)
		return Total(r) - r.Ungradable, Total(r), r.Incorrect, *r.Of(truth)
	}
	dc, nc, wc, rc := of(grade.Correct)
	di, ni, _, ri := of(grade.Incorrect)
	dn, nn, wn, rn := of(grade.NotAttempted)
	g.Decided, g.Agreement = share(dc+di+dn, g.N), share(rc+ri+rn, dc+di+dn)
	g.FW, g.FR = share(wc+wn, dc+dn), share(di-ri, di)
	g.Coverage = Coverage{share(dc, nc), share(di, ni), share(dn, nn)}
	return g
}

// A matrix is of three true outcomes and four readings, in the order of Truths and grade.Outcomes.
type matrix [3][4]float64

// effective returns the counts of a length, each lot's divided by its design effect where that is above 1: answers
// of one case tell less than as many of different cases.
func (c *Check) effective(l Length) (m matrix) {
	for _, lot := range c.Lots {
		band := lot.ByLength[l]
		weight := 1.
		if band.DesignEffect != nil {
			weight /= max(1, *band.DesignEffect)
		}
		for i, truth := range Truths {
			for j, read := range grade.Outcomes {
				m[i][j] += float64(weight * float64(*band.Matrix.Of(truth).Of(read)))
			}
		}
	}
	return m
}

// An Implied is what a check implies for the answers of a run.
type Implied struct {
	// Incorrect is the share of the run's answers that is truly incorrect; documents have null where the check does not
	// carry over to them.
	Incorrect      *stat.Rate `json:"incorrect"`
	N              int        `json:"n"`       // answers of the run
	CheckN         int        `json:"check_n"` // labelled answers behind it
	GradingVersion string     `json:"grading_version,omitempty"`
	Date           string     `json:"date,omitempty"`
	Lots           []string   `json:"lots,omitempty"`
	// FitP is the chance of a misfit as large as seen if answers are read here as in the check, null where it
	// is not available; Fits says that it is at least .05. Where it is not, the check does not carry over, and
	// Incorrect is not to be used.
	FitP     *float64 `json:"fit_p"`
	Fits     bool     `json:"fits"`
	Warnings []string `json:"warnings"`
	// Read counts the run's answers by length and by how they were read: what all of this is computed from. Lengths
	// without answers are absent.
	Read map[Length]Reads[int] `json:"read"`
}

// Implied returns what the check implies for the share of incorrect answers in a run whose answers were read as the
// counts say, by their length: the inversion of its errors by correct.Invert, over the lengths that the run has,
// with the stream of the seed; nil where check or run is empty. Counts of a lot are divided by its design effect
// where that is above 1.
//
// Range: [0, 1]. A length without labelled answers leaves its part of the rate open, which widens the interval, and
// warns. It assumes that answers of one true outcome and length are read here as in the check. It changes nothing.
// Source: GRADING 4.
//
// Coverage is simulated by TestImpliedCovers; docs/grading.md has what it found.
func (c *Check) Implied(read map[Length]Reads[int], seedValue uint64, level float64) *Implied {
	x, n := c.Invert(read, seedValue, level)
	if n == 0 {
		return nil
	}
	out := &Implied{
		Incorrect: x.Rates[1].Rate(), N: n, CheckN: c.N(), GradingVersion: c.GradingVersion, Date: c.Date,
		FitP: &x.FitP, Fits: x.Fits(),
		Warnings: []string{}, Read: map[Length]Reads[int]{},
	}
	for _, lot := range c.Lots {
		out.Lots = append(out.Lots, lot.Name)
	}
	for _, l := range Lengths {
		r := read[l]
		if Total(r) == 0 {
			continue
		}
		out.Read[l] = r
		if Sum(c.Counts(l)) == 0 {
			stat.Warn(&out.Warnings, "%d answers are of a length (%s words) of which the check has none", Total(r),
				LengthWords(l))
		}
	}
	if !out.Fits {
		stat.Warn(&out.Warnings, "these answers are not read as those of the check were (test of fit: p = %s), so "+
			"that nothing follows from it: label some of them", figure.Digits(x.FitP, 3))
	}
	return out
}

// Invert inverts the errors of the check for answers that were read as the counts say, by their length, as Implied
// does: the shares are by Truths. It returns of how many answers; 0 where check or run is empty.
func (c *Check) Invert(read map[Length]Reads[int], seedValue uint64, level float64) (x correct.Inversion, n int) {
	var strata []correct.Counts
	var checks []correct.Check
	for _, l := range Lengths {
		r := read[l]
		if Total(r) == 0 {
			continue
		}
		n += Total(r)
		for _, o := range grade.Outcomes {
			strata = append(strata, correct.Counts{N: *r.Of(o), Labels: make([]int, len(Truths))})
		}
		var check correct.Check
		for _, row := range c.effective(l) {
			check = append(check, slices.Clone(row[:]))
		}
		checks = append(checks, check)
	}
	if n == 0 || c.N() == 0 {
		return x, 0
	}
	return correct.Invert(correct.Counted(strata), checks, level, seedValue), n
}

// LengthWords returns a band as people read it, in words of the answer.
func LengthWords(l Length) string { return strings.ReplaceAll(string(l), "_", " ") }

// A SuiteID says in a document which suite it is of.
type SuiteID struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Hash    string `json:"hash"`
}

// A CheckDocument is what grade check prints; ReadCheck reads it.
type CheckDocument struct {
	Suite   SuiteID       `json:"suite"`
	Grading grade.Grading `json:"grading"`
	// Judges are the identities of those that had a part in it, all of them asked of every answer where All is set.
	Judges []string `json:"judges,omitempty"`
	All    bool     `json:"judge_all,omitempty"`
	// Biases are what the verdicts of judges depend on beside what is true; there where some decided.
	Biases *Biases `json:"biases,omitempty"`
	Result
}

// ReadCheck reads what hallmark grade check --json printed, as a check of one lot. The error names the file, and what
// is wrong: no such document, or one that an earlier release printed, which does not say of what grading version it is.
func ReadCheck(file string, data []byte) (*Check, error) {
	var doc struct {
		Suite   SuiteID       `json:"suite"`
		Grading grade.Grading `json:"grading"`
		Judges  []string      `json:"judges"`
		All     bool          `json:"judge_all"`
		Lot
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s:1: %s is no JSON document; want what `hallmark grade check --json` prints", file,
			jsonl.Excerpt(data))
	}
	doc.Lot.Name = doc.Suite.Name
	n := 0
	for length, band := range doc.ByLength {
		if Sum(band.Matrix) != band.N || !slices.Contains(Lengths, length) {
			return nil, fmt.Errorf("%s: by_length.%s does not add up; want what `hallmark grade check --json` prints",
				file, jsonl.Excerpt([]byte(length)))
		}
		n += band.N
	}
	switch {
	case n == 0 || n != doc.N:
		return nil, fmt.Errorf(
			"%s: no labelled answers by length in it; want what `hallmark grade check --json` prints", file)
	case doc.Grading.Version == "":
		return nil, fmt.Errorf("%s: it does not say which grading version it is of; make it again with this release",
			file)
	}
	return &Check{GradingVersion: doc.Grading.Version, Lots: []Lot{doc.Lot}, Judges: doc.Judges, All: doc.All}, nil
}

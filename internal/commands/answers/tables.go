package answers

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/report"
	"hallmark/internal/text/answer"
)

// Files are tables of rows and how they are read.
type Files struct {
	Paths   []string // - is Stdin
	Stdin   io.Reader
	SkipBad bool      // leaves bad lines out
	Notes   io.Writer // is told of these
	Keep    bool      // keeps the texts of what was graded
}

// Skipped tells of n lines that were left out, with the reasons of the first.
func Skipped(to io.Writer, n int, reasons []string) {
	for _, r := range reasons {
		fmt.Fprintf(to, "skipped: %s\n", report.OneLine(r))
	}
	if n > len(reasons) {
		fmt.Fprintf(to, "skipped: %d more lines\n", n-len(reasons))
	}
}

// A Consistency is what `hallmark analyze consistency` is told.
type Consistency struct {
	consistency.Options
	Files
	Equal, SC string
}

// Analyze computes the result.
func (c *Consistency) Analyze() (*consistency.Result, error) {
	if c.Equal == assay.EqualSemantic {
		return nil, exit.Usagef("--equal meaning: analyze asks no model; give the answers of one meaning one text " +
			"and use --equal exact, or have `hallmark run --equal meaning --entailment REF` compare them")
	}
	relation, err := answer.ParseRelation(c.Equal)
	switch {
	case err != nil:
		return nil, exit.Usagef("--equal: %w", err)
	case !(c.Tau >= 0 && c.Tau <= 1):
		return nil, exit.Usagef("--tau %v: a threshold of self-consistency lies in [0, 1]", c.Tau)
	case c.SC != assay.WithoutReplacement && c.SC != assay.WithReplacement:
		return nil, exit.Usagef("--sc %q: use %s or %s", c.SC, assay.WithoutReplacement, assay.WithReplacement)
	case c.CommonR < 0:
		return nil, exit.Usagef("--common-r %d: want a number of variants, or 0 for the fewest of any question",
			c.CommonR)
	}
	c.WithReplacement = c.SC == assay.WithReplacement
	inputs, closeAll, err := inputfile.Inputs(c.Stdin, c.Paths)
	if err != nil {
		return nil, exit.Usage(err)
	}
	defer closeAll()
	// a million long answers are collected as they come, and not when memory has doubled
	debug.SetMemoryLimit(400 << 20)
	table, err := consistency.ReadRows(inputs, consistency.ReadOptions{Equal: relation, SkipBad: c.SkipBad})
	if err != nil {
		return nil, exit.Usage(err)
	}
	Skipped(c.Notes, table.Skipped, table.Reasons)
	result, err := consistency.Analyze(table.Cases, c.Options)
	if err != nil {
		return nil, exit.Usage(err)
	}
	result.Skipped = table.Skipped
	return &result, nil
}

// Detection computes the result of `hallmark analyze detection`, where two tags are named, as TAG=TAG, with
// how the cases of the first score against those of the second.
func Detection(f *Files, tags string) (*detect.BySuite, error) {
	var contrast detect.Contrast
	if tags != "" {
		var two bool
		contrast.Failing, contrast.Passing, two = strings.Cut(tags, "=")
		if !two || contrast.Failing == "" || contrast.Passing == "" || contrast.Failing == contrast.Passing {
			return nil, exit.Usagef("--contrast %q: want two tags, as contested-coin=known", tags)
		}
	}
	inputs, closeAll, err := inputfile.Inputs(f.Stdin, f.Paths)
	if err != nil {
		return nil, exit.Usage(err)
	}
	defer closeAll()
	table, skipped, reasons, err := detect.Read(inputs, contrast, f.SkipBad)
	if err != nil {
		return nil, exit.Usage(err)
	}
	Skipped(f.Notes, skipped, reasons)
	result := table.BySuite(level)
	if result.Skipped = skipped; skipped > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("%d bad lines were skipped", skipped))
	}
	if tags != "" && !table.Contrasts() {
		result.Warnings = append(result.Warnings,
			fmt.Sprintf("no row has one of the tags %s and %s", contrast.Failing, contrast.Passing))
	}
	return &result, nil
}

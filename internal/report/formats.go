package report

import (
	"io"

	"hallmark/internal/assay"
	"hallmark/internal/jsonl"
)

// A Format is one that a run is written in; what a run has nothing of for it is an Absent.
type Format struct {
	Name, Extension string
	Render          func(io.Writer, *assay.Assay) error
}

// Formats are those of `hallmark report`, HTML first.
var Formats = []Format{
	{"html", ".html", HTML},
	{"md", ".md", Markdown},
	{"json", ".json", func(w io.Writer, a *assay.Assay) error { return JSON(jsonl.Escaping{To: w}, a) }},
	{"junit", ".junit.xml", JUnit},
	{"csv", ".csv", CSV},
	{"grid", ".grid.csv", GridCSV},
	{"sweep", ".sweep.csv", SweepCSV},
	{"phase", ".phase.svg", PhaseSVG},
	{"decomposition", ".decomposition.svg", DecompositionSVG},
	{"scores", ".scores.jsonl", Scores},
	{"study", ".study.csv", Study},
}

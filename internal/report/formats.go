package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

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

// A ListedRun is one line of `hallmark show`.
type ListedRun struct {
	ID       string   `json:"id"`
	Started  string   `json:"started"`
	Finished bool     `json:"finished"`
	Models   []string `json:"models"`
	Suites   []string `json:"suites"`
	Methods  []string `json:"methods"`
}

// Runs writes a list of runs for a terminal.
func Runs(to io.Writer, listed []ListedRun) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTARTED\tMODELS\tSUITES\tSTATE")
	for _, l := range listed {
		state := "finished"
		if !l.Finished {
			state = "incomplete"
		}
		fmt.Fprintf(w, "%s\t%s\t%q\t%s\t%s\n", l.ID, l.Started,
			strings.Join(l.Models, " "), Visible(strings.Join(l.Suites, " ")), state)
	}
	return w.Flush()
}

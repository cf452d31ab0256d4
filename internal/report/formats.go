package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"hallmark/internal/assay"
	"hallmark/internal/base/jsonl"
)

// A Format is one that a run is written in; what a run has nothing of for it is an Absent.
type Format struct {
	Name, Extension string // no extension: it is written where it is asked for alone
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
	{"slices", ".slices.csv", SlicesCSV},
	{"comment", "", Comment},
}

// A ListedRun is one line of `hallmark show`.
type ListedRun struct {
	Name     string   `json:"name,omitempty"`
	ID       string   `json:"id"`
	Started  string   `json:"started"`
	Finished bool     `json:"finished"`
	Models   []string `json:"models"`
	Called   []string `json:"called"` // the models, by their names where they have such
	Suites   []string `json:"suites"`
	Methods  []string `json:"methods"`
}

// Ungraded writes of a run that is stored and not graded its id and what is to be known of it.
func Ungraded(w io.Writer, d *assay.Document) error {
	_, err := fmt.Fprintf(w, "run %s of suite %s\n", d.Run.ID, Visible(d.Run.Suites[0].Name))
	for _, warning := range d.Run.Warnings {
		_, e := fmt.Fprintln(w, Visible(warning))
		err = cmp.Or(err, e)
	}
	return err
}

// Runs writes a list of runs for a terminal.
func Runs(to io.Writer, listed []ListedRun) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	named := slices.ContainsFunc(listed, func(l ListedRun) bool { return l.Name != "" })
	name := func(s string) string {
		if !named {
			return ""
		}
		return "\t" + s
	}
	fmt.Fprintln(w, "RUN"+name("NAME")+"\tSTARTED\tMODELS\tSUITES\tSTATE")
	for _, l := range listed {
		state := "finished"
		if !l.Finished {
			state = "incomplete"
		}
		fmt.Fprintf(w, "%s\t%s\t%q\t%s\t%s\n", l.ID+name(Visible(cmp.Or(l.Name, "–"))), l.Started,
			strings.Join(l.Called, " "), Visible(strings.Join(l.Suites, " ")), state)
	}
	return w.Flush()
}

package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

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
		fmt.Fprintf(w, "%s\t%s\t%q\t%s\t%s\n", l.ID, l.Started, strings.Join(l.Models, " "), Visible(strings.Join(l.Suites, " ")), state)
	}
	return w.Flush()
}

package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A ListedBaseline is the run that others are compared with on a suite.
type ListedBaseline struct {
	Suite string `json:"suite"`
	Run   string `json:"run"`
	Name  string `json:"name,omitempty"` // of the run
}

// Baselines writes baselines for a terminal.
func Baselines(to io.Writer, list []ListedBaseline) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SUITE\tBASELINE\tNAME")
	for _, b := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", Visible(b.Suite), Visible(b.Run), Visible(cmp.Or(b.Name, "–")))
	}
	return w.Flush()
}

// FileName is a text as a part of a file's name: letters, digits, dots and -, at most 60 of them.
func FileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, s)
	return s[:min(60, len(s))]
}

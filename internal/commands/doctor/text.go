package doctor

import (
	"fmt"
	"io"
	"strings"

	"hallmark/internal/metric/soundness"
	"hallmark/internal/report"
	"hallmark/internal/stat/figure"
)

// Write says what was found for people.
func (d *Document) Write(w io.Writer) error {
	var b strings.Builder
	for _, l := range d.Looked {
		fmt.Fprintf(&b, "%s on %s: %s to %s", report.OneLine(l.Model), report.OneLine(l.Suite),
			figure.Counted(l.Answers, "answer"), figure.Counted(l.Cases, "case"))
		if l.Missing > 0 {
			fmt.Fprintf(&b, ", %d missing", l.Missing)
		}
		b.WriteString("\n")
	}
	for _, f := range d.Issues {
		fmt.Fprintf(&b, "\n%s: %s", f.Severity, report.OneLine(f.Text))
		if len(d.Looked) > 1 && f.Model != "" {
			fmt.Fprintf(&b, " (%s on %s)", report.OneLine(f.Model), report.OneLine(f.Suite))
		}
		if f.Adjusted != nil {
			fmt.Fprintf(&b, "; p %s after Holm", figure.Probability(*f.Adjusted))
		}
		b.WriteString(".\n")
		if len(f.Examples) > 0 {
			fmt.Fprintf(&b, "  such as: %s\n", report.OneLine(strings.Join(f.Examples, ", ")))
		}
		fmt.Fprintf(&b, "  remedy: %s.\n", report.OneLine(f.Remedy))
	}
	b.WriteString("\n")
	if d.Faults+d.Doubts == 0 {
		b.WriteString("Nothing was found that speaks against conclusions.\n")
	}
	fmt.Fprintf(&b, "%s, %s, %s; %s", figure.Counted(d.Faults, "fault"), figure.Counted(d.Doubts, "doubt"),
		figure.Counted(d.Notes, "note"), figure.Counted(len(d.Tests), "test"))
	b.WriteString(" at 5 % together.\n")
	why := map[string][]string{}
	var reasons []string
	for _, name := range soundness.Names() {
		if s := d.ByCheck[name].Skipped; s != "" {
			if why[s] == nil {
				reasons = append(reasons, s)
			}
			why[s] = append(why[s], name)
		}
	}
	for _, s := range reasons {
		fmt.Fprintf(&b, "Not looked for: %s (%s).\n", strings.Join(why[s], ", "), s)
	}
	for _, n := range d.ImportNotes {
		fmt.Fprintf(&b, "import: %s\n", report.OneLine(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/jsonl"
)

// ErrNoGrid says that runs have nothing that can be set side by side.
var ErrNoGrid error = Absent("none of the runs has a suite whose questions were answered in two variants; " +
	"--method consistency with --variants has them")

// A severalFormat is one that several runs are written in.
type severalFormat struct {
	name   string
	render func(io.Writer, *assay.Several) error
}

// severalFormats are those of several runs, HTML first.
var severalFormats = []severalFormat{
	{"html", severalPage},
	{"md", severalMarkdown},
	{"json", func(w io.Writer, s *assay.Several) error { return indented(jsonl.Escaping{To: w}, s) }},
	{"grid", severalCSV},
	{"text", func(w io.Writer, s *assay.Several) error { return SeveralText(w, s, Style{Width: 120, Whole: true}) }},
}

// SeveralFormat returns what writes several runs, set side by side, in a format; nil where they have none of the name.
func SeveralFormat(name string) func(io.Writer, *assay.Several) error {
	for _, f := range severalFormats {
		if f.name == name {
			return f.render
		}
	}
	return nil
}

// SeveralNames lists the formats of several runs.
func SeveralNames() string {
	return strings.Join(each(severalFormats, func(f severalFormat) string { return f.name }), ", ")
}

// SideBySide sets runs side by side; the error is ErrNoGrid where they have no cell.
func SideBySide(runs []*assay.Assay) (*assay.Several, error) {
	s, err := assay.NewSeveral(runs)
	if err == nil && len(s.Grid.Cells) == 0 {
		return nil, ErrNoGrid
	}
	return s, err
}

// severalBlocks sets out several runs.
func severalBlocks(s *assay.Several) []block {
	t := treeOf(s)
	columns := each(s.Columns, func(c assay.SeveralColumn) string { return c.Name })
	runs := list{}
	for _, r := range s.Runs {
		var on []string
		for i := range s.Grid.Cells {
			if c := &s.Grid.Cells[i]; c.Run == r.ID && !slices.Contains(on, c.Column) {
				on = append(on, c.Column)
			}
		}
		where := "stands in no cell, as it did not measure consistency (--method consistency)"
		if len(on) > 0 {
			where = "on " + strings.Join(on, "; ")
		}
		runs.Items = append(runs.Items, say(oneLine(fmt.Sprintf("%s, seed %d: %s", r.ID, r.Seed, where))))
	}
	out := []block{grid(t, s.Models, columns, nil, 0)}
	out = slices.Concat(out, acrossModels(t, columns), severalFlows(t))
	return append(out, chapterOf("runs", runs, warnings{List: t.texts("notes")}))
}

// severalFlows set out how the questions of each model moved with retrieval.
func severalFlows(t tree) (flows []block) {
	for i := range t.Items("flows") {
		f := t.sub("flows", strconv.Itoa(i))
		f.named = comparedFigures()
		of := oneLine(f.Text("model") + " on " + f.Text("column"))
		c := chapterOf("retrieval", comparison{t: f}.moved()...)
		c.ID, c.At, c.Title, c.Over = "flow-"+strconv.Itoa(i), "flows."+strconv.Itoa(i), c.Title+of, of+c.Over
		flows = append(flows, c)
	}
	return flows
}

// severalHeading says what is side by side.
func severalHeading(s *assay.Several) string {
	return fmt.Sprintf("%s on %s, of %s", count(len(s.Models), "model"), count(len(s.Columns), "benchmark"),
		count(len(s.Runs), "run"))
}

func severalPage(w io.Writer, s *assay.Several) error {
	return page{Title: "Benchmarks – Hallmark", Kind: "benchmarks side by side", Heading: severalHeading(s),
		Blocks: severalBlocks(s), How: said.How["several"]}.write(w)
}

func severalMarkdown(w io.Writer, s *assay.Several) error {
	m := &md{bufio.NewWriter(w)}
	m.line("### %s\n", escape(severalHeading(s)))
	m.blocks(severalBlocks(s)...)
	return m.w.Flush()
}

// SeveralText prints several runs side by side.
func SeveralText(w io.Writer, s *assay.Several, style Style) error {
	p := newPrinter(w, style)
	p.line(p.bold("hallmark report"), p.dim(clip("  "+severalHeading(s), p.width-15)))
	p.blocks(severalBlocks(s)...)
	return p.w.Flush()
}

// severalCSV writes a row for each cell, with the GridColumns; ambiguity_at_r is at the number that all cells have.
func severalCSV(w io.Writer, s *assay.Several) error {
	var rows [][]string
	for i := range s.Grid.Cells {
		c := &s.Grid.Cells[i]
		d, on := s.Source(i)
		rows = append(rows, gridRow(d, c.Model, c.Suite, c, on))
	}
	return writeRows(w, GridColumns, slices.Values(rows))
}

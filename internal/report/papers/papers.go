// Package papers makes the tables and figures of the papers that this project implements, of one's own runs: each by
// its name, laid out as the paper does for people, and a row a record for programs (docs/figures.md).
package papers

import (
	"cmp"
	_ "embed" // what the tables are
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/lists"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/report"
)

//go:embed tables.json
var tablesFile []byte

// A Kind is a table that can be asked for by its name, still without records.
type Kind struct {
	Table
	What  string // in a few words
	Paper string
	Which string // of its tables and figures
	Needs string // what runs have to have for it
}

// tables has the tables of each paper, and what the papers call detectors and categories, and those that they have not.
var tables = func() (s struct {
	Labels map[string]string
	Papers []struct {
		Paper  string
		Tables []Kind
	}
}) {
	if err := json.Unmarshal(tablesFile, &s); err != nil {
		panic("papers: tables.json: " + err.Error())
	}
	return s
}()

// Kinds are the tables, in the order of the papers.
var Kinds = func() (all []Kind) {
	for _, p := range tables.Papers {
		for _, k := range p.Tables {
			k.Paper = p.Paper
			for i, h := range k.Heads {
				k.Heads[i].Label = cmp.Or(h.Label, h.Key)
			}
			for i, f := range k.Figures {
				k.Figures[i].Label, k.Figures[i].Write = cmp.Or(f.Label, f.Key), forms[f.Form]
			}
			all = append(all, k)
		}
	}
	return all
}()

// makers fill the tables with records of runs, and draw those that are not drawn as a table is set.
var makers = map[string]struct {
	fill func(*runs, *Table)
	draw func(*Table) []byte
}{
	"multiplicity": {accuracyAndAmbiguity, nil}, "taxonomy": {terms, drawTerms}, "detection": {detection, nil},
	"flow": {flows, drawFlows}, "retrieved": {retrieved, nil}, "examples": {examples, nil}, "sweep": {sweepTable, nil},
	"stability": {probes, nil}, "protocol": {protocol, nil}, "rates": {rates, nil}, "confusion": {confusion, nil},
	"reduction": {reductions, nil}, "learning": {learning, drawLearning}, "in-context": {inContext, drawInContext},
	"eps": {byEps, drawByEps}, "information": {information, nil}, "ablation": {ablation, nil},
}

// names are those of the tables.
func names() []string { return lists.Map(Kinds, func(k Kind) string { return k.Name }) }

// Names lists the names of the tables.
func Names() string { return strings.Join(names(), ", ") }

// Find returns the table of a name, or an error that says which there are.
func Find(name string) (*Kind, error) {
	if i := slices.Index(names(), name); i >= 0 {
		return &Kinds[i], nil
	}
	return nil, fmt.Errorf("--table %q is none: %s", name, strictyaml.Suggest(name, names()))
}

// Formats are the names of what a table is written in.
const Formats = "text, md, csv, json, html, svg"

// runs are what tables are of.
type runs struct {
	all    []*assay.Assay // in the order in which they were named
	beside *assay.Several // the same side by side
}

// Of makes a table of runs. The error is a report.Absent where they have nothing for it.
func (k *Kind) Of(all []*assay.Assay) (*Table, error) {
	s, err := assay.NewSeveral(all)
	if err != nil {
		return nil, err
	}
	t := k.Table
	t.Figures, t.Notes = slices.Clone(t.Figures), slices.Clone(t.Notes)
	makers[k.Name].fill(&runs{all, s}, &t)
	for _, run := range all {
		if err := run.Err(); err != nil {
			return nil, err
		}
	}
	if len(t.Records) == 0 {
		have := "the runs have"
		if len(all) == 1 {
			have = "the run has"
		}
		return nil, report.Absent(fmt.Sprintf("%s nothing for the table %s: it needs %s", have, k.Name, k.Needs))
	}
	t.Source = k.Paper + ", " + k.Which
	for _, n := range s.Notes {
		t.Notes = append(t.Notes, report.OneLine(n))
	}
	return &t, nil
}

// Write writes a table in one of the Formats.
func (k *Kind) Write(w io.Writer, t *Table, format string) error {
	switch format {
	case "text":
		return t.Text(w)
	case "md":
		return t.plain().Markdown(w)
	case "csv":
		return t.CSV(w)
	case "json":
		return t.JSON(w)
	case "html":
		return t.plain().Page(w)
	}
	draw := makers[k.Name].draw
	if draw == nil {
		draw = (*Table).SVG
	}
	_, err := w.Write(draw(t))
	return err
}

// Package papers makes the tables and figures of the papers that this project implements, of one's own runs: each by
// its name, laid out as the paper does for people, and a row a record for programs (docs/figures.md).
package papers

import (
	"fmt"
	"io"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/report"
)

// The papers.
const (
	promptMultiplicity = "Rethinking Hallucinations: Correctness, Consistency, and Prompt Multiplicity, " +
		"arXiv:2602.00723"
	semanticStability    = "Hallucinations Live in Variance, arXiv:2601.07058"
	hallucinationTesting = "Hallucination Testing, 2025"
	posteriorRate        = "Estimating the Hallucination Rate of Generative AI, arXiv:2406.07457"
)

// A Kind is a table that can be asked for by its name.
type Kind struct {
	Name  string
	What  string // in a few words
	Paper string
	Which string // of its tables and figures
	Needs string // what runs have to have for it
	of    func(*runs) (*Table, error)
	draw  func(*Table) []byte // nil: as a table is set
}

// Kinds are the tables, in the order of the papers.
var Kinds = []Kind{
	{"multiplicity", "accuracy with its deviation, and ambiguity, by benchmark", promptMultiplicity,
		"tables 1, 2 and 4",
		"--method consistency and --variants", accuracyAndAmbiguity, nil},
	{"taxonomy", "factuality and hallucination of one prompt beside prompt-agnostic factuality and errors, and " +
		"randomness",
		promptMultiplicity, "figures 3 and 6", "--method consistency and --variants", terms, drawTerms},
	{"detection", "p of detectors on correctness and on consistency, by benchmark", promptMultiplicity, "figure 4",
		"--method consistency,detection and two models at least", detection, nil},
	{"flow", "how questions changed category with retrieval, by model", promptMultiplicity, "figure 5, left",
		"a run with --retrieve and one without", flows, drawFlows},
	{"retrieved", "ambiguity over retrieved documents, by category", promptMultiplicity, "table 3 and figure 5, right",
		"--retrieve and --variants", retrieved, nil},
	{"examples", "a question that one model answers by chance and another steadily wrong", promptMultiplicity,
		"figure 1",
		"--method consistency, --variants, and a question that is answered so", examples, nil},
	{"sweep", "the stages of a compression: sparsity, stability, perplexity", semanticStability, "table 1 and figure 2",
		"--sweep", sweepTable, nil},
	{"stability", "semantic stability by model and probe", semanticStability, "table 2",
		"--method consistency and --variants", probes, nil},
	{"protocol", "the reporting template: N, k, SS, with level and accuracy", semanticStability, "appendix A",
		"--method consistency and --variants", protocol, nil},
	{"rates", "H, e_T, e_D, e_R, weighted quality and format", hallucinationTesting, "metrics",
		"--method rubric", rates, nil},
	{"confusion", "failures by class and dimension", hallucinationTesting, "confusion map",
		"--method rubric, and cases with a class or tags", confusion, nil},
	{"reduction", "how much less each model errs than the first", hallucinationTesting, "comparative reduction",
		"--method rubric and two models on one suite", reductions, nil},
	{"learning", "error rates over training iterations: the models or runs in their order", hallucinationTesting,
		"learning curves", "--method rubric", learning, drawLearning},
	{"in-context", "error, entropy, PHR and MHR by the pairs of the context", posteriorRate, "figures 4 to 7",
		"--method posterior", inContext, drawInContext},
	{"eps", "PHR, MHR and error by eps and the pairs of the context", posteriorRate, "figures 17 and 18",
		"--method posterior", byEps, drawByEps},
	{"information", "mutual information against error, MHR and PHR", posteriorRate, "figure 19",
		"--method posterior", information, nil},
	{"ablation", "the estimator's N − n, M and K", posteriorRate, "table 1",
		"--method posterior over ten contexts or more", ablation, nil},
}

// Names lists the names of the tables.
func Names() string {
	var names []string
	for _, k := range Kinds {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// Find returns the table of a name, or an error that says which there are.
func Find(name string) (*Kind, error) {
	for i := range Kinds {
		if Kinds[i].Name == name {
			return &Kinds[i], nil
		}
	}
	return nil, fmt.Errorf("--table %q is none: %s", name,
		strictyaml.Suggest(name, each(Kinds, func(k Kind) string { return k.Name })))
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
	t, err := k.of(&runs{all, s})
	if err != nil {
		return nil, err
	}
	if len(t.Records) == 0 {
		have, it := "the runs have", "it"
		if len(all) == 1 {
			have = "the run has"
		}
		return nil, report.Absent(fmt.Sprintf("%s nothing for the table %s: %s needs %s", have, k.Name, it, k.Needs))
	}
	t.Name, t.Source = k.Name, k.Paper+", "+k.Which
	for _, n := range s.Notes {
		t.Notes = append(t.Notes, report.OneLine(n))
	}
	return t, nil
}

// Write writes a table in one of the Formats.
func (k *Kind) Write(w io.Writer, t *Table, format string) error {
	plain := func() *report.PlainTable {
		p := &report.PlainTable{Title: t.Title, Source: t.Source, Notes: t.Notes}
		p.Heads, p.Rows = t.Grid()
		for _, h := range t.Heads {
			if !h.Across && !h.Hidden {
				p.Left++
			}
		}
		return p
	}
	switch format {
	case "text":
		return t.Text(w)
	case "md":
		return plain().Markdown(w)
	case "csv":
		return t.CSV(w)
	case "json":
		return t.JSON(w)
	case "html":
		return plain().Page(w)
	}
	draw := (*Table).SVG
	if k.draw != nil {
		draw = k.draw
	}
	_, err := w.Write(draw(t))
	return err
}

// Package sheets writes what people are to judge of a stored run, and reads what they said.
package sheets

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/lists"
	"hallmark/internal/commands/stored"
	"hallmark/internal/report"
	"hallmark/internal/run"
)

// A Document is what annotate import and annotate show print.
type Document struct {
	Run       string       `json:"run"`
	Stored    int          `json:"stored"`          // verdicts that this import added, one an answer and rater
	Revised   int          `json:"revised"`         // of these, those that follow another verdict of their rater
	Unchanged int          `json:"unchanged"`       // rows that say what was stored already
	Empty     int          `json:"empty"`           // rows without a verdict
	Audits    []ModelAudit `json:"audits"`          // of each model on each suite that people judged answers of
	Pairs     []ModelPairs `json:"pairs,omitempty"` // likewise, of pairs that were compared by meaning

	by map[string]int // rows with a verdict by rater
}

// A ModelAudit is what people said of one model's answers to one suite.
type ModelAudit struct {
	Model string `json:"model"`
	Suite string `json:"suite"`
	*annotate.Result
}

// A ModelPairs is what people said of pairs of one model's answers to one suite.
type ModelPairs struct {
	Model string `json:"model"`
	Suite string `json:"suite"`
	*assay.EquivalenceResult
}

// Of returns what people said of the answers of a run and of pairs of them, by model and suite.
func Of(result *assay.Assay) *Document {
	d := &Document{Run: result.Document.Run.ID, Audits: []ModelAudit{}}
	for _, m := range result.Document.Models {
		for _, s := range result.Document.Run.Suites {
			r := m.On(s.Name)
			if r != nil && r.Audit != nil {
				d.Audits = append(d.Audits, ModelAudit{m.Model, s.Name, r.Audit})
			}
			if r != nil && r.Equivalence != nil && r.Equivalence.People != nil {
				d.Pairs = append(d.Pairs, ModelPairs{m.Model, s.Name, r.Equivalence})
			}
		}
	}
	return d
}

// Show returns what people said of the answers of a stored run.
func Show(ctx context.Context, runs *stored.Runs, name string) (*Document, error) {
	store, result, _, err := runs.ReadRun(ctx, name)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	d := Of(result)
	if len(d.Audits) == 0 && len(d.Pairs) == 0 {
		return nil, exit.Usagef("run %s has no verdicts of people: "+
			"`hallmark annotate export` writes sheets for them, `import` reads these back", d.Run)
	}
	return d, nil
}

// Terminal writes what people said for a terminal.
func (d *Document) Terminal(w io.Writer, style report.Style) error {
	for _, m := range d.Audits {
		if err := report.Audit(w, m.Result, m.Model, m.Suite, style); err != nil {
			return err
		}
	}
	for _, m := range d.Pairs {
		if err := report.Equivalence(w, m.EquivalenceResult, m.Model, m.Suite, style); err != nil {
			return err
		}
	}
	return nil
}

// Summary says in one line what an import stored, and of whom.
func (d *Document) Summary() string {
	raters := lists.Map(slices.Sorted(maps.Keys(d.by)), func(name string) string {
		return fmt.Sprintf("%s: %d", report.Visible(name), d.by[name])
	})
	return fmt.Sprintf("%d verdicts stored, %d of them revised; %d were stored before, %d rows are empty; read of %s",
		d.Stored, d.Revised, d.Unchanged, d.Empty, strings.Join(raters, ", "))
}

// Import reads filled sheets, - being stdin, stores them beside a run, and returns what they say. Nothing is stored
// unless every row reads; a verdict that differs from a rater's earlier one reads where it is to revise it.
func Import(ctx context.Context, runs *stored.Runs, name string, stdin io.Reader, paths []string,
	revise bool, now func() time.Time) (*Document, error) {
	inputs, closeAll, err := inputfile.Inputs(stdin, paths)
	if err != nil {
		return nil, exit.Usage(err)
	}
	defer closeAll()
	store, result, plan, err := runs.ReadRun(ctx, name)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	id := result.Document.Run.ID
	items := slices.Concat(result.Items(), result.AnswersToVariants(), result.Pairs)
	if err := result.Err(); err != nil {
		return nil, err
	}
	in := &annotate.Intake{Run: id, Items: items, Revise: revise, Show: report.Visible}
	if in.Stored, err = store.Annotations(ctx, id); err != nil {
		return nil, err
	}
	for _, x := range inputs {
		if err := in.Read(x.Name, x.Reader); err != nil {
			return nil, exit.Usage(err)
		}
	}
	if len(in.New)+in.Unchanged == 0 {
		return nil, exit.Usagef("%s: no row has a verdict: fill in outcome with correct, incorrect or not_attempted, "+
			"or truth, decidability, reciprocity or format with pass, fail or n/a", strings.Join(paths, ", "))
	}
	for _, file := range in.Shared {
		runs.Log.Warn("the sheet has verdicts of several raters: agreement counts them as people who judged apart",
			"sheet", file)
	}
	in.At(now())
	if err := store.Annotate(ctx, in.New); err != nil {
		return nil, err
	}
	if result, err = assay.Evaluate(ctx, store, plan, runs.Version); err != nil {
		return nil, err
	}
	d := Of(result)
	d.Stored, d.Revised, d.Unchanged, d.Empty, d.by = len(in.New), in.Revised, in.Unchanged, in.Empty, in.By
	return d, keep(ctx, store, result)
}

// keep has the stored document of a run be the run's as it now stands.
func keep(ctx context.Context, store run.Store, result *assay.Assay) error {
	h, err := store.Run(ctx, result.Document.Run.ID)
	if err != nil || h.Result == nil {
		return err
	}
	if h.Result, err = json.Marshal(result.Document); err != nil {
		return err
	}
	return store.PutRun(ctx, h)
}

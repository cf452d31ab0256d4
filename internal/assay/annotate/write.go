package annotate

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/sheet"
	"hallmark/internal/metric/grading"
	"hallmark/internal/text/evidence"
)

// A Row is one answer on a rater's sheet.
type Row struct {
	Asked
	// Shown only where the sheet is not blinded.
	Model   string         `json:"model,omitempty"`
	Stratum Stratum        `json:"stratum,omitempty"`
	Grader  []grading.Axis `json:"grader,omitempty"`
}

// Asked is the part of a row that is read back. For the rater to fill in are Outcome: correct, incorrect or
// not_attempted; for those who look closer Truth, Decidability, Reciprocity and Format: pass, fail, n/a; and Note.
// Nothing stands where the rater cannot tell.
type Asked struct {
	Run   string `json:"run"`
	Seed  uint64 `json:"seed"` // of the sample
	Unit  string `json:"unit"`
	Rater string `json:"rater"`
	Shown

	Outcome      string `json:"outcome"`
	Truth        string `json:"truth"`
	Decidability string `json:"decidability"`
	Reciprocity  string `json:"reciprocity"`
	Format       string `json:"format"`
	Note         string `json:"note"`
}

// Shown is what a rater is shown of an answer.
type Shown struct {
	Suite     string             `json:"suite"`
	CaseID    string             `json:"case_id"`
	System    string             `json:"system,omitempty"`
	Context   []evidence.Passage `json:"context,omitempty"`
	Prompt    string             `json:"prompt"`
	Options   []string           `json:"options,omitempty"`
	Reference string             `json:"reference,omitempty"` // the gold as shown
	Answer    string             `json:"answer"`              // what came back, raw; hostile: escape it
	// other answers to the question that say the same as the grader has it
	Others []string `json:"others,omitempty"`
}

// Options of a sheet.
type Options struct {
	Run     string
	Seed    uint64 // of the sample; 0 where it is none of the run's own answers at random
	Unblind bool   // show the grader's verdicts, the stratum and the model
}

// texts are the cells of the columns that a blinded sheet has too, and behind them other answers.
func (r *Asked) texts() []string {
	return []string{r.Run, strconv.FormatUint(r.Seed, 10), r.Unit, r.Rater, r.Suite, r.CaseID, r.System,
		strings.Join(evidence.Marked(r.Context), "\n"), r.Prompt, strings.Join(r.Options, "\n"), r.Reference, r.Answer,
		r.Outcome, r.Truth, r.Decidability, r.Reciprocity, r.Format, r.Note, strings.Join(r.Others, "\n")}
}

// Rows returns the sheet of one rater.
func Rows(items []Item, rater string, opt Options) []Row {
	var rows []Row
	for _, u := range Shuffled(items, rater, opt.Seed) {
		r := Row{Asked: Asked{Run: opt.Run, Seed: opt.Seed, Unit: u.ID, Rater: rater, Shown: u.Shown}}
		if !u.Format {
			r.Format = NotApplicable
		}
		if opt.Unblind {
			axes := grading.AxesOf(&u.Grade)
			r.Model, r.Stratum, r.Grader = u.Model, u.Stratum, axes[:]
		}
		rows = append(rows, r)
	}
	return rows
}

// WriteJSONL writes rows as JSON, one a line. Nothing is left out of a text: characters that steer or hide text are
// written as \u escapes, so that no editor or terminal acts on them, and bytes that are no UTF-8 as U+FFFD.
func WriteJSONL(w io.Writer, rows []Row) error {
	out := json.NewEncoder(jsonl.Escaping{To: w})
	for i := range rows {
		if err := out.Encode(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// Columns are the columns of a sheet in CSV, in order; those after note only where it is not blinded. "others"
// follows where a row has other answers.
var Columns = []string{
	"run", "seed", "unit", "rater", "suite", "case_id", "system", "context", "prompt", "options", "reference", "answer",
	"outcome", "truth", "decidability", "reciprocity", "format", "note",
	"model", "stratum", "grader_truth", "grader_decidability", "grader_reciprocity", "grader_format",
}

const (
	firstShown = 4  // the first of the columns by which a rater judges
	firstSaid  = 12 // the first behind them
	blinded    = 18 // of the columns
)

// mostShown is how many characters of a text a cell shows, which is about what a cell holds.
const mostShown = 32000

// cellText returns a text as a cell has it.
func cellText(s string, show func(string) string) string {
	n := 0
	for i := range s {
		if n == mostShown {
			return show(s[:i]) + " … cut here; the JSONL sheet has it whole"
		}
		n++
	}
	return show(s)
}

// WriteCSV writes rows by RFC 4180 (UTF-8 with a byte-order mark, which spreadsheets need, and CRLF). No cell runs
// as a formula (sheet.Guard); show makes a text visible that could act on its reader, and a text is cut at 32,000
// characters, with a note that it was.
func WriteCSV(w io.Writer, rows []Row, unblind bool, show func(string) string) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	columns := Columns[:blinded]
	if unblind {
		columns = Columns
	}
	others := slices.ContainsFunc(rows, func(r Row) bool { return len(r.Others) > 0 })
	if others {
		columns = append(slices.Clone(columns), "others")
	}
	row := func(r Row) []string {
		texts := r.texts()
		cells := slices.Clone(texts[:blinded])
		if unblind {
			cells = append(cells, r.Model, string(r.Stratum))
			for _, g := range r.Grader {
				cells = append(cells, strings.TrimSpace(g.Verdict+": "+g.Rule+" "+g.Evidence))
			}
			for len(cells) < len(Columns) {
				cells = append(cells, "")
			}
		}
		if others {
			cells = append(cells, texts[blinded])
		}
		for i := range cells {
			cells[i] = sheet.Guard(cellText(cells[i], show))
		}
		return cells
	}
	return sheet.Write(w, columns, func(yield func([]string) bool) {
		for _, r := range rows {
			if !yield(row(r)) {
				return
			}
		}
	})
}

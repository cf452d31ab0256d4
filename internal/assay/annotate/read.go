package annotate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/pattern"
	"hallmark/internal/base/sheet"
	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/run"
	"hallmark/internal/text/evidence"
)

// The verdicts of a rater on an axis; an empty one is missing.
const (
	Pass          = "pass"
	Fail          = "fail"
	NotApplicable = "n/a"
)

// A Label is what one rater said of one answer, as it is stored.
type Label struct {
	Outcome      string `json:"outcome,omitempty"` // correct, incorrect or not_attempted; "": as the axes have it
	Truth        string `json:"truth,omitempty"`
	Decidability string `json:"decidability,omitempty"`
	Reciprocity  string `json:"reciprocity,omitempty"`
	Format       string `json:"format,omitempty"`
	Note         string `json:"note,omitempty"`
	// Stratum is that of the answer when the label was read, and Seed that of the sample, by which it is known how
	// the answer came to be shown.
	Stratum Stratum `json:"stratum"`
	Seed    uint64  `json:"seed"`
	// ByReading says that the sample was drawn by how answers were read, and the rater asked for the outcome: so it
	// is from sheets with that column. Labels without it correct the axes of the rubric alone, as those of earlier
	// releases do.
	ByReading bool `json:"by_reading,omitempty"`
}

func (l *Label) axes() [4]string { return [4]string{l.Truth, l.Decidability, l.Reciprocity, l.Format} }

// said reports whether two labels say the same.
func (l *Label) said(m *Label) bool {
	return l.axes() == m.axes() && l.Outcome == m.Outcome && l.Note == m.Note
}

// An Intake collects the sheets that raters give back.
type Intake struct {
	Run    string // the run's whole id
	Items  []Item
	Stored []run.Annotation // what the run has already
	Revise bool             // let a rater's new verdict count instead of an earlier one
	// Show is what made the texts of a sheet in CSV harmless when it was written.
	Show func(string) string

	New       []run.Annotation // to be stored, in the order of the files
	By        map[string]int   // how many rows with a verdict each rater has
	Unchanged int              // rows that say what is stored already
	Empty     int              // rows without a verdict
	Revised   int              // of New: those that follow another verdict of their rater
	Shared    []string         // sheets with verdicts of several raters, who may be one person

	byID   map[string]*Item
	stored map[[2]string]Label
	places map[[2]string]string
	settle map[string]bool              // by sheet: whether its verdicts are the adjudicator's
	first  map[string]string            // by sheet: its first rater
	others map[[4]string][]string       // the answers to variants of a case, by model, suite, case and value
	said   map[string]map[string]*Label // what is stored and read, by item and rater
}

// Read adds one sheet, in JSONL or CSV as its first character says. It is strict: a row that names no answer of the
// run, no rater or a verdict other than pass, fail, n/a and nothing, a rater with two rows for an answer, and a
// verdict other than the one stored (without Revise), are errors that name FILE:LINE; so are a text that is not the
// run's, such as the answer, and the adjudicator's verdicts on the sheet of a rater. It stores nothing.
func (in *Intake) Read(file string, r io.Reader) error {
	if in.byID == nil {
		in.byID, in.stored, in.places = map[string]*Item{}, map[[2]string]Label{}, map[[2]string]string{}
		in.By, in.settle, in.first, in.others = map[string]int{}, map[string]bool{}, map[string]string{},
			map[[4]string][]string{}
		for i := range in.Items {
			u := &in.Items[i]
			in.byID[u.ID] = u
			if u.Value != "" {
				in.others[u.saysAs()] = append(in.others[u.saysAs()], u.Answer)
			}
		}
		labels, err := counted(in.Stored)
		if err != nil {
			return err
		}
		in.stored, in.said = labels, grouped(labels)
	}
	b := bufio.NewReaderSize(r, 1<<16)
	lines, err := isLines(b)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if lines {
		return jsonl.Each(file, b, func(line int, row jsonRow) error { return in.add(file, line, row.filled()) }, nil)
	}
	return sheet.Each(file, b, []string{"unit", "rater", "truth", "decidability", "reciprocity", "format"},
		func(line int, r sheet.Record) error {
			row := filled{run: r["run"], item: r["unit"], rater: r["rater"], outcome: r["outcome"],
				axes: [4]string{r["truth"], r["decidability"], r["reciprocity"], r["format"]}, note: r["note"]}
			row.shown = func(i int) (string, bool) {
				text, ok := r[Columns[firstShown+i]]
				return text, ok
			}
			row.others = func() (string, bool) {
				text, ok := r["others"]
				return text, ok
			}
			row.show = in.Show
			_, row.byReading = r["outcome"]
			if s := strings.TrimSpace(r["seed"]); s != "" {
				n, err := strconv.ParseUint(s, 10, 64)
				if err != nil {
					return fmt.Errorf("seed %q is no whole number; leave the column as it was exported",
						jsonl.Excerpt([]byte(s)))
				}
				row.seed = &n
			}
			return in.add(file, line, row)
		})
}

// jsonRow is what is read of a row in JSONL.
type jsonRow struct {
	Run          string  `json:"run"`
	Seed         *uint64 `json:"seed"`
	Unit         string  `json:"unit"`
	Rater        string  `json:"rater"`
	Outcome      *string `json:"outcome"`
	Truth        *string `json:"truth"`
	Decidability *string `json:"decidability"`
	Reciprocity  *string `json:"reciprocity"`
	Format       *string `json:"format"`
	Note         *string `json:"note"`

	Suite     *string             `json:"suite"`
	CaseID    *string             `json:"case_id"`
	System    *string             `json:"system"`
	Context   *[]evidence.Passage `json:"context"`
	Prompt    *string             `json:"prompt"`
	Options   *[]string           `json:"options"`
	Reference *string             `json:"reference"`
	Answer    *string             `json:"answer"`
	Others    []string            `json:"others"`
}

// UnmarshalJSON refuses a row with a key twice: a person may have read the one and a program the other.
func (r *jsonRow) UnmarshalJSON(b []byte) error {
	type plain jsonRow
	if err := jsonl.Strict(b, true); err != nil {
		return err
	}
	return json.Unmarshal(b, (*plain)(r))
}

func (r *jsonRow) filled() filled {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	shown := Row{
		Suite: text(r.Suite), CaseID: text(r.CaseID), System: text(r.System), Prompt: text(r.Prompt),
		Reference: text(r.Reference), Answer: text(r.Answer),
	}
	if r.Context != nil {
		shown.Context = *r.Context
	}
	if r.Options != nil {
		shown.Options = *r.Options
	}
	texts, there := shown.shown(), []bool{r.Suite != nil, r.CaseID != nil, r.System != nil, r.Context != nil,
		r.Prompt != nil, r.Options != nil, r.Reference != nil, r.Answer != nil}
	return filled{
		run: r.Run, seed: r.Seed, item: r.Unit, rater: r.Rater, outcome: text(r.Outcome), byReading: r.Outcome != nil,
		axes: [4]string{text(r.Truth), text(r.Decidability), text(r.Reciprocity), text(r.Format)}, note: text(r.Note),
		shown:  func(i int) (string, bool) { return texts[i], there[i] },
		others: func() (string, bool) { return strings.Join(r.Others, "\n"), r.Others != nil },
	}
}

// A filled row is what a rater gave back.
type filled struct {
	run  string
	seed *uint64
	item string

	rater     string
	outcome   string
	byReading bool // the sheet has a column for the outcome
	axes      [4]string
	note      string

	shown  func(i int) (text string, there bool) // the texts that the rater judged by, in the order of Row.shown
	others func() (text string, there bool)      // the texts of other answers that the label counts for
	show   func(string) string                   // what was made of them for the sheet; nil: nothing
}

// altered returns the column of a text that is not what the run has; "" where there is none. A sheet may lack any.
func (in *Intake) altered(row *filled, u *Item) string {
	same := func(text, had string) bool {
		if row.show != nil {
			had = cellText(had, row.show)
		}
		return sameText(text, had)
	}
	shown := u.row()
	for i, had := range shown.shown() {
		if text, there := row.shown(i); there && !same(text, had) {
			return Columns[firstShown+i]
		}
	}
	others := u.Others
	if others == nil {
		others = otherTexts(u, in.others[u.saysAs()])
	}
	if text, there := row.others(); there && strings.TrimSpace(text) != "" && !same(text, strings.Join(others, "\n")) {
		return "others"
	}
	return ""
}

// straight writes quotes and apostrophes as keyboards do.
var straight = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "\ufeff", "")

// sameText reports whether a text of a sheet is what was written there, but for what editors and spreadsheets change:
// how many blanks stand in a place, which quotes and apostrophes, an apostrophe before all of it, the case of TRUE and
// FALSE, and how a number is written.
func sameText(text, had string) bool {
	letters := func(s string) string {
		s = straight.Replace(strings.ToValidUTF8(s, "\ufffd"))
		return strings.TrimPrefix(strings.Join(strings.Fields(s), " "), "'")
	}
	text, had = letters(text), letters(had)
	if text == had || strings.EqualFold(text, had) &&
		(strings.EqualFold(had, "true") || strings.EqualFold(had, "false")) {
		return true
	}
	x, ok := decimal(text)
	y, okHad := decimal(had)
	return ok && okHad && x.Cmp(y) == 0
}

// thousands is a number whose commas stand between thousands.
var thousands = pattern.New(`^[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$`)

// decimal reads a number of at most 40 characters, exactly.
func decimal(s string) (*big.Rat, bool) {
	if thousands.MatchString(s) {
		s = strings.ReplaceAll(s, ",", "")
	}
	if len(s) > 40 || strings.Trim(s, "0123456789.+-eE") != "" {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 5 { // no exponent of more than three digits
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// mostNote bounds a note, in bytes.
const mostNote = 20000

// add takes in a row of a sheet.
func (in *Intake) add(file string, line int, row filled) error {
	u, err := in.itemOf(&row)
	if err != nil {
		return err
	}
	said, err := row.verdicts()
	if err != nil {
		return err
	}
	if !said {
		in.Empty++
		return nil
	}
	if err := in.speaks(file, &row, u); err != nil {
		return err
	}
	in.By[row.rater]++
	key := [2]string{row.item, row.rater}
	if first, twice := in.places[key]; twice {
		return fmt.Errorf("rater %q judges unit %q twice, first at %s", row.rater, row.item, first)
	}
	in.places[key] = fmt.Sprintf("%s:%d", file, line)
	l := Label{
		Outcome: row.outcome, ByReading: row.byReading, Truth: row.axes[0], Decidability: row.axes[1],
		Reciprocity: row.axes[2], Format: row.axes[3],
		Note: strings.TrimSpace(row.note), Stratum: u.Stratum,
	}
	if row.seed != nil {
		l.Seed = *row.seed
	}
	return in.keep(key, &l)
}

// itemOf returns the answer that a row judges.
func (in *Intake) itemOf(row *filled) (*Item, error) {
	row.item, row.rater, row.run = strings.TrimSpace(row.item), strings.TrimSpace(row.rater), strings.TrimSpace(row.run)
	u := in.byID[row.item]
	switch {
	case row.run != "" && row.run != in.Run:
		return nil, fmt.Errorf("the row is of run %q, not of %s: import it there", jsonl.Excerpt([]byte(row.run)),
			in.Run)
	case row.item == "":
		return nil, fmt.Errorf("unit is empty; keep the column unit as it was exported")
	case u == nil:
		return nil, fmt.Errorf("run %s has no graded answer %q; keep the column unit as it was exported", in.Run,
			jsonl.Excerpt([]byte(row.item)))
	case len(row.note) > mostNote:
		return nil, fmt.Errorf("note is longer than %d bytes", mostNote)
	}
	return u, nil
}

// verdicts reads what a row says of the answer, and reports whether that is anything.
func (row *filled) verdicts() (said bool, err error) {
	if row.outcome = strings.ToLower(strings.TrimSpace(row.outcome)); row.outcome != "" {
		if said = slices.Contains(grading.TruthNames(), row.outcome); !said {
			return false, fmt.Errorf("outcome %q: %s", jsonl.Excerpt([]byte(row.outcome)), wantOutcome)
		}
	}
	for i := range row.axes {
		v := strings.ToLower(strings.TrimSpace(row.axes[i]))
		if v != "" && !slices.Contains([]string{Pass, Fail, NotApplicable}, v) {
			return false, fmt.Errorf("%s %q: want pass, fail, n/a, or nothing where you cannot tell", Axes[i],
				jsonl.Excerpt([]byte(v)))
		}
		row.axes[i] = v
		// The sheet comes with n/a where no format is asked for: that alone is no verdict.
		said = said || v != "" && !(i == 3 && v == NotApplicable)
	}
	correct, failed := row.outcome == string(grade.Correct), row.axes[0] == Fail || row.axes[1] == Fail
	if correct && failed || said && row.outcome != "" && !correct && row.axes[0] == Pass && row.axes[1] == Pass {
		return false, fmt.Errorf("the outcome is %s, and truth and decidability say otherwise: an answer that "+
			"passes both is correct, and no other", row.outcome)
	}
	return said, nil
}

// speaks returns an error where a row is not its rater's to fill, or is of another answer than the run's. It notes
// whose sheet a file is.
func (in *Intake) speaks(file string, row *filled, u *Item) error {
	if why := raterName(row.rater); why != "" {
		return fmt.Errorf("%s", why)
	}
	if column := in.altered(row, u); column != "" {
		return fmt.Errorf("the column %s is not that of the run, so the verdict may be of another: keep the "+
			"columns as they were exported (a spreadsheet may "+
			"have changed a date or a long number), or delete the column to import without comparing it", column)
	}
	settles := row.rater == Adjudicator
	if before, ok := in.settle[file]; ok && before != settles {
		return fmt.Errorf("the sheet has verdicts of the rater %s, which settle what others say, beside those of "+
			"another: give them a sheet of their own", Adjudicator)
	}
	in.settle[file] = settles
	if settles && in.agreed(u.ID) {
		return fmt.Errorf("the rater %s settles what others disagree on, and all who judged unit %q say the same: "+
			"--disputed writes what is to be settled", Adjudicator, row.item)
	}
	if first, known := in.first[file]; !known {
		in.first[file] = row.rater
	} else if first != row.rater && !slices.Contains(in.Shared, file) {
		in.Shared = append(in.Shared, file)
	}
	return nil
}

// keep takes in a label, by item and rater, unless it is stored already.
func (in *Intake) keep(key [2]string, l *Label) error {
	item, rater := key[0], key[1]
	if old, ok := in.stored[key]; ok {
		if old.said(l) {
			in.Unchanged++
			return nil
		}
		if !in.Revise {
			return fmt.Errorf("rater %q has judged unit %q before, and otherwise: --revise lets the new verdict "+
				"count, and keeps the old one in the store", rater, item)
		}
		in.Revised++
		// how the answer came to be shown does not change
		l.Stratum, l.Seed, l.ByReading = old.Stratum, old.Seed, old.ByReading || l.Outcome != ""
	}
	if in.said[item] == nil {
		in.said[item] = map[string]*Label{}
	}
	in.said[item][rater] = l
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	in.New = append(in.New, run.Annotation{Run: in.Run, Unit: item, Rater: rater, Label: b})
	return nil
}

// agreed reports whether others than the adjudicator judged an answer, and all say the same.
func (in *Intake) agreed(item string) bool {
	var first *Label
	for rater, l := range in.said[item] {
		switch {
		case rater == Adjudicator:
		case first == nil:
			first = l
		case l.Outcome != first.Outcome || l.axes() != first.axes():
			return false
		}
	}
	return first != nil
}

// At puts the time at which the new annotations are stored on them.
func (in *Intake) At(now time.Time) {
	for i := range in.New {
		in.New[i].At = now
	}
}

// counted returns the labels that count, by item and rater: of one rater the last.
func counted(list []run.Annotation) (map[[2]string]Label, error) {
	labels := map[[2]string]Label{}
	for _, a := range list {
		var l Label
		if err := json.Unmarshal(a.Label, &l); err != nil || !utf8.Valid(a.Label) {
			return nil, fmt.Errorf("the stored annotation of unit %q by %q does not read: %v", a.Unit, a.Rater,
				jsonl.Plain(err))
		}
		labels[[2]string{a.Unit, a.Rater}] = l
	}
	return labels, nil
}

// grouped returns labels by item, then by rater.
func grouped(labels map[[2]string]Label) map[string]map[string]*Label {
	byItem := map[string]map[string]*Label{}
	for key, l := range labels {
		if byItem[key[0]] == nil {
			byItem[key[0]] = map[string]*Label{}
		}
		byItem[key[0]][key[1]] = &l
	}
	return byItem
}

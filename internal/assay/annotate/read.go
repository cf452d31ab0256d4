package annotate

import (
	"cmp"
	"encoding/json"
	"errors"
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
	places map[[2]string]string
	first  map[string]string      // by sheet: its first rater
	others map[[4]string][]string // the answers to variants of a case, by model, suite, case and value
	said   verdicts               // what is stored and read
}

// Read adds one sheet, in JSONL or CSV as its first character says. It is strict: a row that names no answer of the
// run, no rater or a verdict other than pass, fail, n/a and nothing, a rater with two rows for an answer, and a
// verdict other than the one stored (without Revise), are errors that name FILE:LINE; so are a text that is not the
// run's, such as the answer, and the adjudicator's verdicts on the sheet of a rater. It stores nothing.
func (in *Intake) Read(file string, r io.Reader) error {
	if in.byID == nil {
		in.byID, in.places, in.By = map[string]*Item{}, map[[2]string]string{}, map[string]int{}
		in.first, in.others = map[string]string{}, map[[4]string][]string{}
		for i := range in.Items {
			u := &in.Items[i]
			in.byID[u.ID] = u
			if u.Value != "" {
				in.others[u.saysAs()] = append(in.others[u.saysAs()], u.Answer)
			}
		}
		var err error
		if in.said, err = counted(in.Stored); err != nil {
			return err
		}
	}
	return eachRow(file, r, func(r io.Reader) error {
		return jsonl.Each(file, r, func(line int, row jsonRow) error {
			return in.add(file, line, row.record(), nil)
		}, nil)
	}, func(r io.Reader) error {
		return sheet.Each(file, r, append([]string{"unit", "rater"}, grading.AxisNames[:]...),
			func(line int, row sheet.Record) error { return in.add(file, line, row, in.Show) })
	})
}

// jsonRow is what is read of a row in JSONL, with all that there is under the names that it has there.
type jsonRow struct {
	Asked
	there map[string]json.RawMessage
}

// UnmarshalJSON refuses a row with a key twice: a person may have read the one and a program the other.
func (r *jsonRow) UnmarshalJSON(b []byte) error {
	if err := jsonl.Strict(b, true); err != nil {
		return err
	}
	return cmp.Or(json.Unmarshal(b, &r.Asked), json.Unmarshal(b, &r.there))
}

// record is the row as one of a sheet in CSV. What is absent or null is not in it.
func (r *jsonRow) record() sheet.Record {
	row, texts := sheet.Record{}, r.texts()
	columns := append(slices.Clone(Columns[:blinded]), "others")
	for name, value := range r.there {
		i := slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, name) })
		if i >= 0 && string(value) != "null" {
			row[columns[i]] = texts[i]
		}
	}
	return row
}

// altered returns the column of a text that is not what the run has; "" where there is none. A sheet may lack any. show
// is what was made of texts for the sheet; nil: nothing.
func (in *Intake) altered(row sheet.Record, show func(string) string, u *Item) string {
	same := func(text, had string) bool {
		if show != nil {
			had = cellText(had, show)
		}
		return sameText(text, had)
	}
	shown := Asked{Shown: u.Shown}
	for i, had := range shown.texts()[firstShown:firstSaid] {
		if text, there := row[Columns[firstShown+i]]; there && !same(text, had) {
			return Columns[firstShown+i]
		}
	}
	others := u.Others
	if others == nil {
		others = otherTexts(u, in.others[u.saysAs()])
	}
	if text := row["others"]; strings.TrimSpace(text) != "" && !same(text, strings.Join(others, "\n")) {
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
func (in *Intake) add(file string, line int, row sheet.Record, show func(string) string) error {
	for _, column := range []string{"seed", "run", "unit", "rater"} {
		row[column] = strings.TrimSpace(row[column])
	}
	var seed uint64
	if s := row["seed"]; s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			return fmt.Errorf("seed %q is no whole number; leave the column as it was exported",
				jsonl.Excerpt([]byte(s)))
		}
	}
	u, err := in.itemOf(row)
	if err != nil {
		return err
	}
	l, said, err := labelIn(row)
	if err != nil {
		return err
	}
	if !said {
		in.Empty++
		return nil
	}
	if err := in.speaks(file, row, show, u); err != nil {
		return err
	}
	rater := row["rater"]
	in.By[rater]++
	key := [2]string{u.ID, rater}
	if first, twice := in.places[key]; twice {
		return fmt.Errorf("rater %q judges unit %q twice, first at %s", rater, u.ID, first)
	}
	in.places[key] = fmt.Sprintf("%s:%d", file, line)
	l.Stratum, l.Seed = u.Stratum, seed
	return in.keep(u.ID, rater, l)
}

// itemOf returns the answer that a row judges.
func (in *Intake) itemOf(row sheet.Record) (*Item, error) {
	u := in.byID[row["unit"]]
	switch {
	case row["run"] != "" && row["run"] != in.Run:
		return nil, fmt.Errorf("the row is of run %q, not of %s: import it there", jsonl.Excerpt([]byte(row["run"])),
			in.Run)
	case row["unit"] == "":
		return nil, fmt.Errorf("unit is empty; keep the column unit as it was exported")
	case u == nil:
		return nil, fmt.Errorf("run %s has no graded answer %q; keep the column unit as it was exported", in.Run,
			jsonl.Excerpt([]byte(row["unit"])))
	case len(row["note"]) > mostNote:
		return nil, fmt.Errorf("note is longer than %d bytes", mostNote)
	}
	return u, nil
}

// labelIn reads what a row says of the answer, and reports whether that is anything.
func labelIn(row sheet.Record) (l *Label, said bool, err error) {
	l = &Label{Outcome: strings.ToLower(strings.TrimSpace(row["outcome"])), Note: strings.TrimSpace(row["note"])}
	_, l.ByReading = row["outcome"]
	if l.Outcome != "" {
		if said = slices.Contains(grading.TruthNames(), l.Outcome); !said {
			return nil, false, fmt.Errorf("outcome %q: %s", jsonl.Excerpt([]byte(l.Outcome)), wantOutcome)
		}
	}
	for i, axis := range []*string{&l.Truth, &l.Decidability, &l.Reciprocity, &l.Format} {
		*axis = strings.ToLower(strings.TrimSpace(row[grading.AxisNames[i]]))
		if !slices.Contains([]string{"", Pass, Fail, NotApplicable}, *axis) {
			return nil, false, fmt.Errorf("%s %q: want pass, fail, n/a, or nothing where you cannot tell",
				grading.AxisNames[i], jsonl.Excerpt([]byte(*axis)))
		}
		// The sheet comes with n/a where no format is asked for: that alone is no verdict.
		said = said || *axis != "" && !(i == 3 && *axis == NotApplicable)
	}
	correct, failed := l.Outcome == string(grade.Correct), l.Truth == Fail || l.Decidability == Fail
	if correct && failed || said && l.Outcome != "" && !correct && l.Truth == Pass && l.Decidability == Pass {
		return nil, false, fmt.Errorf("the outcome is %s, and truth and decidability say otherwise: an answer that "+
			"passes both is correct, and no other", l.Outcome)
	}
	return l, said, nil
}

// speaks returns an error where a row is not its rater's to fill, or is of another answer than the run's. It notes
// whose sheet a file is.
func (in *Intake) speaks(file string, row sheet.Record, show func(string) string, u *Item) error {
	rater := row["rater"]
	if why := raterName(rater); why != "" {
		return errors.New(why)
	}
	if column := in.altered(row, show, u); column != "" {
		return fmt.Errorf("the column %s is not that of the run, so the verdict may be of another: keep the "+
			"columns as they were exported (a spreadsheet may "+
			"have changed a date or a long number), or delete the column to import without comparing it", column)
	}
	first, known := in.first[file]
	settles := rater == Adjudicator
	switch {
	case known && settles != (first == Adjudicator):
		return fmt.Errorf("the sheet has verdicts of the rater %s, which settle what others say, beside those of "+
			"another: give them a sheet of their own", Adjudicator)
	case settles && in.agreed(u.ID):
		return fmt.Errorf("the rater %s settles what others disagree on, and all who judged unit %q say the same: "+
			"--disputed writes what is to be settled", Adjudicator, u.ID)
	case !known:
		in.first[file] = rater
	case first != rater && !slices.Contains(in.Shared, file):
		in.Shared = append(in.Shared, file)
	}
	return nil
}

// keep takes in a label of an item by a rater, unless it is stored already.
func (in *Intake) keep(item, rater string, l *Label) error {
	if old := in.said[item][rater]; old != nil {
		if old.axes() == l.axes() && old.Outcome == l.Outcome && old.Note == l.Note {
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
	in.said.set(item, rater, l)
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

// verdicts are the labels that count, by item, then by rater.
type verdicts map[string]map[string]*Label

func (v verdicts) set(item, rater string, l *Label) {
	if v[item] == nil {
		v[item] = map[string]*Label{}
	}
	v[item][rater] = l
}

// of is an item with what was said of it.
func (v verdicts) of(u *Item) *rated { return &rated{u, v[u.ID]} }

// raters are those who judged items of some lists, but who adjudicates, in order; judged says that any was.
func (v verdicts) raters(lists ...[]Item) (raters []string, judged bool) {
	for _, list := range lists {
		for i := range list {
			for rater := range v[list[i].ID] {
				judged = true
				if rater != Adjudicator && !slices.Contains(raters, rater) {
					raters = append(raters, rater)
				}
			}
		}
	}
	slices.Sort(raters)
	return raters, judged
}

// counted returns the labels that count: of one rater the last.
func counted(list []run.Annotation) (verdicts, error) {
	labels := verdicts{}
	for _, a := range list {
		l := new(Label)
		if err := json.Unmarshal(a.Label, l); err != nil || !utf8.Valid(a.Label) {
			return nil, fmt.Errorf("the stored annotation of unit %q by %q does not read: %v", a.Unit, a.Rater,
				jsonl.Plain(err))
		}
		labels.set(a.Unit, a.Rater, l)
	}
	return labels, nil
}

// saidOf returns what people say of items, by their ids: of those of which they say anything.
func saidOf[V any](items []Item, annotations []run.Annotation, of func(*rated) (V, bool)) (map[string]V, error) {
	labels, err := counted(annotations)
	if err != nil {
		return nil, err
	}
	said := map[string]V{}
	for i := range items {
		if v, ok := of(labels.of(&items[i])); ok {
			said[items[i].ID] = v
		}
	}
	return said, nil
}

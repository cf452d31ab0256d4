package annotate

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/sheet"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// Outcomes collects what people say of answers that stand in a file, one outcome each, for hallmark grade check.
type Outcomes struct {
	// Check returns what is wrong with a label of the answer of a key, such as that there is none.
	Check func(grading.Key) error
	// Cluster names what a case is an observation of, with others; nil where each is one of its own.
	Cluster func(caseID string) string
	// Among says that the labels stand among the answers, so that a row without one is an answer that nobody labelled.
	Among bool

	labels map[grading.Key]map[string]placed // by rater
	count  int
}

// A placed label stands somewhere, as FILE:LINE.
type placed struct {
	grading.Label
	place string
}

// The columns of a file of outcomes.
var outcomeColumns = []string{"case_id", "outcome", "variant", "repeat", "rater", "unsupported", "style", "type"}

const wantOutcome = "want correct, incorrect or not_attempted, or nothing where you cannot tell"

// Read adds the labels of one file, in JSONL or CSV as its first character says: case_id and outcome, and where
// they are needed variant, repeat and rater; unsupported (yes or no), style and type are optional, other columns
// are ignored. The error names FILE:LINE: an outcome that is none of grading.Truths, a label that Check refuses,
// two labels of one rater for one answer, a column that is missing or misspelt. A row without an outcome is no
// label.
func (o *Outcomes) Read(file string, r io.Reader) error {
	if o.labels == nil {
		o.labels = map[grading.Key]map[string]placed{}
	}
	before := o.count
	err := eachRow(file, r, func(r io.Reader) error {
		return jsonl.Each(file, r, func(line int, row map[string]json.RawMessage) error {
			cells, err := o.cells(row)
			if err != nil {
				return err
			}
			return o.add(fmt.Sprintf("%s:%d", file, line), cells)
		}, nil)
	}, func(r io.Reader) error { return o.table(file, r) })
	if err == nil && o.count == before {
		err = fmt.Errorf("%s: no row has an outcome; %s", file, wantOutcome)
		if o.Among {
			err = fmt.Errorf("%w; --labels names another file", err)
		}
	}
	return err
}

// eachRow has the rows of a file read: as lines of JSON where it begins as these do, else as a table.
func eachRow(file string, r io.Reader, lines, table func(io.Reader) error) error {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(512)
	if err != nil && err != io.EOF && len(head) == 0 {
		return fmt.Errorf("%s: %w", file, err)
	}
	if strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n"), "{") {
		return lines(b)
	}
	return table(b)
}

// table reads a CSV.
func (o *Outcomes) table(file string, b io.Reader) error {
	var head error // of the first line, where sheet would name the row's
	err := sheet.Each(file, b, nil, func(line int, row sheet.Record) error {
		if head = columns(row); head != nil {
			return head
		}
		return o.add(fmt.Sprintf("%s:%d", file, line), row)
	})
	if head != nil {
		return fmt.Errorf("%s:1: %w", file, head)
	}
	return err
}

// columns returns what is wrong with the names of the columns of a row.
func columns[V any](row map[string]V) error {
	var others []string
	for _, name := range slices.Sorted(maps.Keys(row)) {
		if !slices.Contains(outcomeColumns, name) {
			others = append(others, name)
		}
	}
	for _, name := range outcomeColumns[:2] {
		if _, ok := row[name]; ok {
			continue
		}
		near, ok := strictyaml.Nearest(name, others)
		if name == "case_id" && slices.Contains(others, "id") {
			near, ok = "id", true
		}
		if ok {
			return fmt.Errorf("no column %q; is it %q? Rename that", name, near)
		}
		return fmt.Errorf("no column %q; want case_id and outcome (%s)", name, strings.Join(grading.TruthNames(), ", "))
	}
	for _, name := range outcomeColumns[2:6] {
		for _, other := range others {
			if _, ok := row[name]; !ok && strictyaml.Typos(other, name) == 1 {
				return fmt.Errorf("column %q: did you mean %q? Rename or remove it", other, name)
			}
		}
	}
	return nil
}

// cells returns the fields of a JSON row as a table would have them.
func (o *Outcomes) cells(row map[string]json.RawMessage) (map[string]string, error) {
	if _, ok := row["outcome"]; !ok && o.Among {
		with := maps.Clone(row)
		with["outcome"] = nil
		if near, misspelt := strictyaml.Nearest("outcome", slices.Sorted(maps.Keys(row))); misspelt {
			return nil, fmt.Errorf("no column %q; is it %q? Rename that", "outcome", near)
		}
		row = with
	}
	if err := columns(row); err != nil {
		return nil, err
	}
	cells := map[string]string{}
	for _, name := range outcomeColumns {
		var v any
		if raw := row[name]; raw != nil {
			if err := json.Unmarshal(raw, &v); err != nil {
				return nil, err
			}
		}
		switch v := v.(type) {
		case nil:
		case string:
			cells[name] = v
		case bool:
			cells[name] = strconv.FormatBool(v)
		case float64:
			cells[name] = figure.Plain(v)
		default:
			return nil, fmt.Errorf("%s is neither text nor a number", name)
		}
	}
	return cells, nil
}

func (o *Outcomes) add(place string, row map[string]string) error {
	if strings.TrimSpace(row["outcome"]) == "" {
		return nil
	}
	key, err := keyOf(row)
	if err != nil {
		return err
	}
	l := grading.Label{Style: strings.TrimSpace(row["style"]), Type: strings.TrimSpace(row["type"])}
	if l.Outcome, err = truth(row["outcome"]); err != nil {
		return err
	}
	if l.Unsupported, err = yes(row["unsupported"]); err != nil {
		return err
	}
	for _, name := range []string{"style", "type"} {
		if s := row[name]; len(s) > 100 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fmt.Errorf("%s %q: want a short name of one line", name, jsonl.Excerpt([]byte(s)))
		}
	}
	if err := o.Check(key); err != nil {
		return err
	}
	rater := strings.TrimSpace(row["rater"])
	if why := raterName(rater); rater != "" && why != "" {
		return errors.New(why)
	}
	if first, twice := o.labels[key][rater]; twice {
		if rater == "" {
			return fmt.Errorf("%s has a label already, at %s; keep one, or name who gave each in a column rater", key,
				first.place)
		}
		return fmt.Errorf("rater %q labels %s twice, first at %s; keep one", rater, key, first.place)
	}
	if o.labels[key] == nil {
		o.labels[key] = map[string]placed{}
	}
	o.labels[key][rater] = placed{l, place}
	o.count++
	return nil
}

func keyOf(row map[string]string) (key grading.Key, err error) {
	if key.CaseID = row["case_id"]; key.CaseID == "" {
		return key, errors.New("case_id is empty; name the case that was answered")
	}
	if key.Variant, err = number(row, "variant"); err != nil {
		return key, err
	}
	key.Repeat, err = number(row, "repeat")
	return key, err
}

func number(row map[string]string, name string) (int, error) {
	s := strings.TrimSpace(row[name])
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s %q: want a whole number of 0 or more", name, jsonl.Excerpt([]byte(s)))
	}
	return n, nil
}

// truth reads an outcome as people write it: in any case, its words joined as they like.
func truth(s string) (grade.Outcome, error) {
	o := grade.Outcome(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(s))))
	if slices.Contains(grading.Truths, o) {
		return o, nil
	}
	if near, ok := strictyaml.Nearest(string(o), grading.TruthNames()); ok {
		return "", fmt.Errorf("outcome %q: did you mean %q? %s", jsonl.Excerpt([]byte(s)), near, wantOutcome)
	}
	return "", fmt.Errorf("outcome %q: %s", jsonl.Excerpt([]byte(s)), wantOutcome)
}

func yes(s string) (*bool, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "":
		return nil, nil
	case "yes", "true", "1":
		return new(true), nil
	case "no", "false", "0":
		return new(false), nil
	}
	return nil, fmt.Errorf("unsupported %q: want yes, no, or nothing", jsonl.Excerpt([]byte(s)))
}

// Settle returns the label of each answer, and what the labels rest on. Of several raters the adjudicator decides,
// else more than half of them; an answer on which neither does has no label and counts as split. The first rater in
// the order of the alphabet who says so gives unsupported, style and type. It changes nothing.
func (o *Outcomes) Settle(seedValue uint64, level float64) (map[grading.Key]grading.Label, grading.Raters) {
	labels, r := map[grading.Key]grading.Label{}, grading.Raters{Labels: o.count}
	raters := map[string]bool{}
	keys := slices.SortedFunc(maps.Keys(o.labels), func(a, b grading.Key) int {
		return strings.Compare(a.String(), b.String())
	})
	var twice [][]string
	var cluster []int32 // of them
	number := stat.Numbering[string]{}
	for _, key := range keys {
		by := o.labels[key]
		votes := map[grade.Outcome]int{}
		var said []string
		for _, rater := range slices.Sorted(maps.Keys(by)) {
			raters[rater] = true
			if rater != Adjudicator {
				votes[by[rater].Outcome]++
				said = append(said, string(by[rater].Outcome))
			}
		}
		if len(said) > 1 {
			name := "case " + key.CaseID
			if o.Cluster != nil {
				name = cmp.Or(o.Cluster(key.CaseID), name)
			}
			twice, cluster = append(twice, said), append(cluster, number.Of(name))
		}
		outcome := cmp.Or(by[Adjudicator].Outcome, majority(votes))
		switch {
		case len(said) > 1 && len(votes) == 1:
			r.Agreed++
		case len(votes) > 1 && outcome != "":
			r.Settled++
		case outcome == "":
			r.Split++
			continue
		}
		labels[key] = merged(by, outcome)
	}
	r.Raters, r.Twice = len(raters), len(twice)
	if len(twice) > 0 {
		r.Alpha = stat.KrippendorffByCluster(twice, cluster, seedValue, level).Known()
	}
	return labels, r
}

func merged(by map[string]placed, outcome grade.Outcome) grading.Label {
	out := grading.Label{Outcome: outcome}
	for _, rater := range slices.Sorted(maps.Keys(by)) {
		l := by[rater]
		out.Style, out.Type = cmp.Or(out.Style, l.Style), cmp.Or(out.Type, l.Type)
		out.Unsupported = cmp.Or(out.Unsupported, l.Unsupported)
	}
	return out
}

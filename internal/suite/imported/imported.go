// Package imported reads answers that the user has already, from files that other programs wrote, to be kept as a run.
package imported

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/sheet"
	"hallmark/internal/base/shelf"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/suite"
)

// An Answer is one row: what a model said to a case.
type Answer struct {
	CaseID  string
	Item    int32 // the place of its case in the suite
	Variant int   // of the prompt; 0 is the default one
	// Repeat tells the draws of one prompt apart: those of variant 0 with 1 or more are draws, as --sampled makes them.
	Repeat int
	Model  string     // "" where the row does not say
	Text   *string    // nil: nothing came back, or it is shelved
	Shelf  shelf.Slot // where the text stands in the shelf of the answers, if it does
	// Finish says how the answer ended, in the words of package model; "" where nobody said.
	Finish string
	// Failure says why nothing came back; "" where the row has null.
	Failure string
	Scores  json.RawMessage // what others scored, an object as it stands there; nil without
}

// A Source is a log of another tool that answers came from.
type Source struct {
	File    string `json:"file"` // its name, without its folder
	Tool    string `json:"tool"`
	Version string `json:"version,omitempty"` // of the tool, where the log says
	Task    string `json:"task,omitempty"`
	Model   string `json:"model,omitempty"` // where the log is of one
	// Printed are the figures that the tool printed, each a mean of the score of that name.
	Printed map[string]float64 `json:"printed,omitempty"`
}

// FinishNames are the names of a column that says how answers ended.
var FinishNames = []string{"finish", "finish_reason", "stop_reason"}

// FinishOf returns how an answer ended in the words of package model, of what tools and services call it: of an end at
// the limit of tokens length, and "" of all else.
func FinishOf(said string) string {
	switch strings.ToLower(strings.TrimSpace(said)) {
	case "length", "max_tokens", "model_length", "max_output_tokens", "max_completion_tokens":
		return "length"
	case "stop", "end_turn", "eos", "stop_sequence":
		return "stop"
	}
	return ""
}

// Verdicts are the options of a case whose answers are not known: what another tool scored them.
var Verdicts = []string{"scored 0", "scored 1"}

// Answers are the rows of one or more files.
type Answers struct {
	Suite *suite.Suite
	// Of the logs of other tools: where the answers come from, what is to be said of that, whether the phrasings of the
	// suite are the prompts of the variants, whether the suite was made of the logs, and what columns were said to be.
	Sources        []*Source
	Notes          []string
	Phrased, Asked bool
	OfOne          bool // rows are of one model, whomever they name
	// SkipBad counts bad rows instead of stopping at them; Skipped has the faults of the first 100.
	SkipBad bool
	Skipped []string
	Bad     int
	Map     []string
	Texts   shelf.Shelf // of the answers

	list  packs
	known map[string]int32  // the places of cases, by their ids
	seen  map[Place]int32   // answers, by what tells them apart
	files []string          // that were read
	rows  [][2]int32        // of each answer its file and its line
	sum   [sha256.Size]byte // of all rows
	line  []byte            // of the row that is counted
}

// The names of columns that people use, the preferred one first.
var (
	idNames       = []string{"case_id", "id", "sample_id", "doc_id"}
	responseNames = []string{"response", "output", "actual_output"}
)

const want = `want {"case_id": "…", "response": "…"}, and "variant", "repeat" and "model" where a case has several ` +
	`answers`

// Most bounds variants and repeats.
const Most = 10_000

// Read adds the rows of one file, JSON Lines or CSV as its first character says: case_id (or id, sample_id,
// doc_id), response (or output, actual_output; null is an answer that is missing, and an empty cell of a CSV an
// empty answer), and where they are needed variant, repeat, model and scores. Other fields are ignored. The error
// names FILE:LINE: a row without one of these, a case that the suite does not have, an answer that stands there
// twice, a number that is none.
func (a *Answers) Read(file string, r io.Reader) error {
	if a.known == nil {
		a.known, a.seen = make(map[string]int32, a.Suite.Cases.Len()), map[Place]int32{}
		for i := range a.Suite.Cases.Len() {
			a.known[a.Suite.Cases.ID(i)] = int32(i)
		}
	}
	a.files = append(a.files, file)
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(512)
	if err != nil && err != io.EOF && len(head) == 0 {
		return fmt.Errorf("%s: %w", file, err)
	}
	skip := func(f *jsonl.Fault) {
		if a.Bad++; len(a.Skipped) < 100 {
			a.Skipped = append(a.Skipped, f.Error())
		}
	}
	text := strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n")
	first, _, _ := strings.Cut(text, "\n")
	named := func(name string) bool { return strings.Contains(first, name) }
	if strings.HasPrefix(text, "{") || a.SkipBad && !slices.ContainsFunc(idNames, named) { // its first row may be bad
		if !a.SkipBad {
			skip = nil
		}
		return jsonl.Each(file, b, func(line int, row map[string]json.RawMessage) error {
			return a.object(line, row)
		}, skip)
	}
	return sheet.Each(file, b, nil, func(line int, row sheet.Record) error {
		err := a.cells(line, row)
		if err != nil && a.SkipBad {
			skip(&jsonl.Fault{File: file, Line: line, Err: err})
			return nil
		}
		return err
	})
}

// of returns the name and the value of the first of the names that a row has.
func of[V any](row map[string]V, names []string) (name string, value V, ok bool) {
	for _, name := range names {
		if v, ok := row[name]; ok {
			return name, v, true
		}
	}
	return "", value, false
}

func lacks[V any](row map[string]V, names []string) error {
	if near, ok := strictyaml.Nearest(names[0], slices.Sorted(maps.Keys(row))); ok {
		return fmt.Errorf("%s is missing; %q is probably meant for it; %s", names[0], near, want)
	}
	return fmt.Errorf("%s is missing; %s", names[0], want)
}

func (a *Answers) object(line int, row map[string]json.RawMessage) error {
	var x Answer
	_, id, ok := of(row, idNames)
	if !ok {
		return lacks(row, idNames)
	}
	if err := json.Unmarshal(id, &x.CaseID); err != nil { // ids of other tools are numbers now and then
		x.CaseID = string(id)
	}
	name, response, ok := of(row, responseNames)
	if !ok {
		return lacks(row, responseNames)
	}
	if err := json.Unmarshal(response, &x.Text); err != nil {
		return fmt.Errorf("%s is neither text nor null; %s", name, want)
	}
	for name, to := range map[string]*int{"variant": &x.Variant, "repeat": &x.Repeat} {
		if raw := row[name]; raw != nil && (json.Unmarshal(raw, to) != nil || *to < 0 || *to > Most) {
			return fmt.Errorf("%s %s: want a whole number from 0 to %d", name, jsonl.Excerpt(raw), Most)
		}
	}
	if raw := row["model"]; raw != nil && json.Unmarshal(raw, &x.Model) != nil {
		return fmt.Errorf("model %s: want a name", jsonl.Excerpt(raw))
	}
	if _, raw, ok := of(row, FinishNames); ok {
		var said string
		if json.Unmarshal(raw, &said) == nil {
			x.Finish = FinishOf(said)
		}
	}
	if raw := row["scores"]; raw != nil {
		var scores map[string]any
		if json.Unmarshal(raw, &scores) != nil {
			return fmt.Errorf("scores %s: want an object of scores by name", jsonl.Excerpt(raw))
		}
		x.Scores = slices.Clone(raw)
	}
	return a.add(line, &x)
}

func (a *Answers) cells(line int, row sheet.Record) error {
	var x Answer
	var ok bool
	if _, x.CaseID, ok = of(row, idNames); !ok {
		return lacks(row, idNames)
	}
	_, text, ok := of(row, responseNames)
	if !ok {
		return lacks(row, responseNames)
	}
	x.Text, x.Model = &text, strings.TrimSpace(row["model"])
	if _, said, ok := of(row, FinishNames); ok {
		x.Finish = FinishOf(said)
	}
	for name, to := range map[string]*int{"variant": &x.Variant, "repeat": &x.Repeat} {
		cell := strings.TrimSpace(row[name])
		if cell == "" {
			continue
		}
		n, err := strconv.Atoi(cell)
		if err != nil || n < 0 || n > Most {
			return fmt.Errorf("%s %q: want a whole number from 0 to %d", name, jsonl.Excerpt([]byte(cell)), Most)
		}
		*to = n
	}
	return a.add(line, &x)
}

// MostModel bounds the name of a model, in bytes.
const MostModel = 200

func (a *Answers) add(line int, x *Answer) error {
	if x.CaseID == "" {
		return fmt.Errorf("case_id is empty; %s", want)
	}
	if a.OfOne {
		x.Model = ""
	}
	if len(x.Model) > MostModel || strings.ContainsFunc(x.Model, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("model %q is no name of at most %d bytes on one line", jsonl.Excerpt([]byte(x.Model)),
			MostModel)
	}
	item, ok := a.known[x.CaseID]
	if x.Item = item; !ok {
		ids := slices.Sorted(maps.Keys(a.known))
		if near, ok := strictyaml.Nearest(x.CaseID, ids); ok {
			return fmt.Errorf("case_id %q is not in suite %q; did you mean %q?", x.CaseID, a.Suite.Name, near)
		}
		return fmt.Errorf("case_id %q is not in suite %q; name the suite that was answered with --suite",
			jsonl.Excerpt([]byte(x.CaseID)), a.Suite.Name)
	}
	k := a.Place(x)
	if before, twice := a.seen[k]; twice {
		at := a.rows[before]
		return fmt.Errorf("case_id %q, variant %d, repeat %d was answered before, at %s:%d; each answer has one row",
			x.CaseID, x.Variant, x.Repeat, a.files[at[0]], at[1])
	}
	if x.Variant > 0 && x.Repeat > 0 {
		return fmt.Errorf(
			"variant %d, repeat %d: draws are of variant 0; number the answers to other prompts by variant alone",
			x.Variant, x.Repeat)
	}
	a.seen[k] = int32(a.Len())
	a.rows = append(a.rows, [2]int32{int32(len(a.files) - 1), int32(line)})
	a.Count(x, x.Text)
	return a.Append(x)
}

// Count has an answer of the list count in what tells sets of answers apart.
func (a *Answers) Count(x *Answer, said *string) {
	text := "-" + x.Failure
	if said != nil {
		text = "+" + *said
	}
	b := appendQuote(a.line[:0], x.CaseID)
	b = appendQuote(append(b, ' '), x.Model)
	b = strconv.AppendInt(append(b, ' '), int64(x.Variant), 10)
	b = strconv.AppendInt(append(b, ' '), int64(x.Repeat), 10)
	b = appendQuote(append(b, ' '), text)
	a.line = appendQuote(append(b, ' '), string(x.Scores))
	row := sha256.Sum256(a.line)
	for i := range a.sum { // of the set: the order of rows and files does not count
		a.sum[i] ^= row[i]
	}
}

// appendQuote is strconv.AppendQuote, faster where nothing is to be escaped.
func appendQuote(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.AppendQuote(b, text)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// Scores are the names of the scores that came along, sorted.
func (a *Answers) Scores() []string {
	names, seen := map[string]bool{}, make([]bool, len(a.list.texts.all))
	var one map[string]json.RawMessage
	for i := range a.list.all {
		scores := a.list.all[i].scores
		if seen[scores] {
			continue
		}
		seen[scores] = true
		clear(one)
		if json.Unmarshal([]byte(a.list.texts.all[scores]), &one) == nil { // as it was read
			for name := range one {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Done says that all files are read: what tells rows apart is let go of.
func (a *Answers) Done() { a.known, a.seen, a.rows, a.list.texts.ids = nil, nil, nil, nil }

// Models are the names of the models, sorted; "" where rows do not say.
func (a *Answers) Models() []string {
	names := map[string]bool{}
	for i := range a.list.all {
		names[a.list.models.all[a.list.all[i].model]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Variants returns the highest variant that a row has.
func (a *Answers) Variants() (n int) {
	for i := range a.list.all {
		n = max(n, int(a.list.all[i].variant))
	}
	return n
}

// Draws returns how many draws the default prompt has: one more than the highest repeat, 0 where none is above 0.
func (a *Answers) Draws() (n int) {
	for i := range a.list.all {
		if r := int(a.list.all[i].repeat); r > 0 {
			n = max(n, r+1)
		}
	}
	return n
}

// Hash tells sets of answers apart: 16 hexadecimal digits, the same for the same rows in any order.
func (a *Answers) Hash() string { return hex.EncodeToString(a.sum[:8]) }

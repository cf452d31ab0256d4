// Package logs reads what other tools logged of their evaluations: lm-evaluation-harness, Inspect, promptfoo, OpenAI
// Evals, DeepEval, RAGAS, and tables of any columns. Each reader turns a file into rows of one neutral form, an element
// at a time, and Read puts the rows of all files together: the questions as a suite, the answers as those of models to
// it, with the scores that the tool gave them. See docs/import.md and docs/decisions/0042.
package logs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
)

// Bounds of what is read.
const (
	mostValue   = 64 << 20 // bytes of one sample, row or cell table line
	mostColumns = 1000     // of a table or a row
	headBytes   = 64 << 10 // by which a kind is recognised
)

// A Question is what a log says was asked. All but ID may be missing.
type Question struct {
	ID      string
	System  string
	Prompt  string
	Options []string
	Option  *int     // the right one of the options
	Gold    []string // accepted answers
	Context []string // passages that were shown
	Shown   []suite.Demonstration
	Tags    []string
}

// A Row is one answer of a log: the neutral form that all readers give.
type Row struct {
	Question
	Task    string // of which the question is one; "" where the log has one task
	Model   string // "" where the log does not say
	Wording string // names the prompt, where a log has several; "" is the first
	Repeat  int    // the number of the draw, from 0
	Text    *string
	Finish  string // how the answer ended, as in package model; "" where the log does not say
	Failure string // why there is no answer; a row with neither has scores alone
	// Scores are what the tool gave the answer, by name.
	Scores map[string]float64
	// Again says that the row adds scores to an answer that was given before.
	Again bool
}

// Options say how logs are read.
type Options struct {
	Suite *suite.Suite // that was answered; nil: made of the questions of the logs
	Name  string       // of a model that rows do not name
	Map   Mapping
	Stdin io.Reader
	// SkipBad counts bad rows of `hallmark import` instead of stopping at them.
	SkipBad bool
	OfOne   bool // rows of `hallmark import` are of one model, whomever they name
}

// enter gives the answer a score.
func (r *Row) enter(name string, x float64) {
	if r.Scores == nil {
		r.Scores = map[string]float64{}
	}
	r.Scores[name] = x
}

// score gives the answer what a tool wrote as its score, and reports whether that is one.
func (r *Row) score(name string, raw json.RawMessage) bool {
	x, ok := number(raw)
	if ok {
		r.enter(name, x)
	}
	return ok
}

// judged gives the answer a verdict, where there is one.
func (r *Row) judged(name string, right *bool) {
	if right != nil {
		r.enter(name, words[strconv.FormatBool(*right)])
	}
}

// noOutput is why a row has no answer where the log does not say.
const noOutput = "the log has no output of it"

// A Kind is a form of file.
type Kind string

// The kinds. Rows are those of `hallmark import` itself, which internal/suite/imported reads.
const (
	Rows          Kind = "rows"
	LMEval        Kind = "lm-evaluation-harness"
	lmEvalResults Kind = "lm-evaluation-harness, results"
	InspectJSON   Kind = "Inspect, JSON"
	InspectZip    Kind = "Inspect"
	PromptfooJSON Kind = "promptfoo, JSON"
	Promptfoo     Kind = "promptfoo"
	PromptfooCSV  Kind = "promptfoo, CSV"
	OpenAIEvals   Kind = "OpenAI Evals"
	DeepEval      Kind = "DeepEval"
	RAGAS         Kind = "RAGAS"
	Table         Kind = "table"
)

var readers = map[Kind]func(*file) error{
	LMEval: readLMEval, lmEvalResults: readLMEvalResults, InspectJSON: readInspectJSON, InspectZip: readInspectZip,
	PromptfooJSON: readPromptfooJSON, Promptfoo: readPromptfoo, PromptfooCSV: readPromptfooCSV,
	OpenAIEvals: readOpenAIEvals, DeepEval: readDeepEval, RAGAS: readTable, Table: readTable,
}

// Recognise tells the kind of a file by its first bytes.
func Recognise(head []byte) Kind {
	head, text := bytes.TrimPrefix(head, bom), textIn(head)
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return InspectZip
	case len(text) > 0 && (text[0] == '{' || text[0] == '['):
		return ofKeys(firstKeys(text))
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return ofHeader(strings.Split(strings.TrimRight(string(line), "\r"), ","))
}

var bom = []byte("\ufeff") // the byte order mark

// textIn is what a file begins with, behind a byte order mark and space.
func textIn(head []byte) []byte { return bytes.TrimLeft(bytes.TrimPrefix(head, bom), " \t\r\n") }

// ofKeys tells the kind of a file of JSON by the keys of its first object.
func ofKeys(keys []string) Kind {
	has := func(all ...string) bool {
		return !slices.ContainsFunc(all, func(k string) bool { return !slices.Contains(keys, k) })
	}
	switch {
	case has("doc_id", "resps"), has("doc_id", "filtered_resps"):
		return LMEval
	case has("results", "group_subtasks"), has("results", "configs"), has("results", "versions", "config"):
		return lmEvalResults
	case has("version", "status", "eval"):
		return InspectJSON
	case has("evalId", "results"), has("results", "shareableUrl"):
		return PromptfooJSON
	case has("promptIdx", "testIdx"), has("promptIdx", "vars"):
		return Promptfoo
	case has("spec") && len(keys) == 1, has("run_id", "event_id"), has("final_report"):
		return OpenAIEvals
	case has("testRunData"), has("testCases"), has("test_results"):
		return DeepEval
	case has("case_id"), has("response", "id"), has("output", "id"):
		return Rows
	}
	return ofColumns(keys)
}

// ofHeader tells the kind of a table by the names of its columns.
func ofHeader(columns []string) Kind {
	status := 0
	for i, c := range columns {
		if columns[i] = strings.Trim(strings.TrimSpace(c), `"`); columns[i] == "Status" {
			status++
		}
	}
	if status > 0 && slices.ContainsFunc(columns, func(c string) bool { return strings.HasPrefix(c, "[") }) {
		return PromptfooCSV
	}
	return ofColumns(columns)
}

func ofColumns(columns []string) Kind {
	for _, c := range columns {
		if c == "retrieved_contexts" || c == "user_input" {
			return RAGAS
		}
	}
	return Table
}

// firstKeys returns the keys of the first object of a JSON text, as far as the text goes.
func firstKeys(text []byte) (keys []string) {
	dec := json.NewDecoder(bytes.NewReader(text))
	for t := json.Token(nil); t != json.Delim('{'); {
		var err error
		if t, err = dec.Token(); err != nil || t != json.Delim('{') && t != json.Delim('[') {
			return nil
		}
	}
	for {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return keys
		}
		keys = append(keys, name)
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return keys
		}
	}
}

// A file is a log that is being read.
type file struct {
	name   string // as messages have it
	path   string // "" of a stream
	kind   Kind
	r      *bufio.Reader
	head   []byte      // that it begins with, good until it is read
	at     io.ReaderAt // nil of a stream
	size   int64
	source *imported.Source // what the reader says of the log
	to     *collector       // takes its rows
}

// take takes a row, with the number of its line or element.
func (f *file) take(at int, r *Row) error { return f.to.take(f, at, r) }

// lacks notes, once, what a log cannot give.
func (f *file) lacks(what string) {
	if note := f.source.Tool + ": " + what; !slices.Contains(f.to.notes, note) {
		f.to.notes = append(f.to.notes, note)
	}
}

// errorf is an error at a place of the file, or in all of it: at 0.
func (f *file) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("%s: %w", f.place(at), fmt.Errorf(format, args...))
}

// place names a line, or an element of a document; or the file: 0.
func (f *file) place(at int) string {
	if at == 0 {
		return f.name
	}
	if slices.Contains([]Kind{InspectJSON, InspectZip, PromptfooJSON, DeepEval}, f.kind) {
		return fmt.Sprintf("%s, sample %d", f.name, at)
	}
	return fmt.Sprintf("%s:%d", f.name, at)
}

// Questions returns the questions of a log of another tool as a suite; nil of any other file, and of none.
func Questions(path string) (*suite.Suite, error) {
	in, err := inputfile.Open(path)
	if err != nil {
		return nil, nil // whoever reads it otherwise says so
	}
	defer in.Close() // only read
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, nil // a stream is read once
	}
	head, err := bufio.NewReaderSize(in, headBytes).Peek(headBytes)
	if err != nil && len(head) == 0 {
		return nil, nil
	}
	if k := Recognise(head); slices.Contains([]Kind{Rows, Table, RAGAS, lmEvalResults}, k) {
		return nil, nil
	}
	a, err := Read([]string{path}, &Options{Name: "imported"})
	if err != nil {
		return nil, err
	}
	return a.Suite, a.Texts.Close()
}

// Read reads files into the answers of models to a suite.
func Read(paths []string, o *Options) (*imported.Answers, error) {
	c := newCollector(o)
	for _, path := range paths {
		if err := c.open(path); err != nil {
			return nil, err
		}
	}
	return c.answers()
}

// open reads one file.
func (c *collector) open(path string) error {
	if path == "-" {
		return c.read(&file{name: "stdin", r: bufio.NewReaderSize(c.o.Stdin, headBytes)})
	}
	in, err := inputfile.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, inputfile.Cause(err))
	}
	defer in.Close() // only read
	f := &file{name: path, path: path, r: bufio.NewReaderSize(in, headBytes)}
	if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
		f.at, f.size = in, in.Size()
	}
	return c.read(f)
}

// read has the reader of its kind read a file.
func (c *collector) read(f *file) error {
	if err := f.legible(); err != nil {
		return err
	}
	f.to, f.kind, f.source = c, Recognise(f.head), &imported.Source{File: filepath.Base(f.name)}
	if err := c.o.Map.fits(f.kind); err != nil {
		return f.errorf(0, "%w", err)
	}
	own := f.kind == Rows || f.kind == Table
	if own && len(c.o.Map) == 0 && (c.o.Suite != nil || !hasQuestions(f.head)) {
		if c.o.Suite == nil {
			return f.errorf(0, "which suite was answered? name it with --suite; the file has no column of questions "+
				"(%s), which --map question=COLUMN would name", strings.Join(defaults[question], ", "))
		}
		if c.own == nil {
			c.own = &imported.Answers{Suite: c.o.Suite, OfOne: c.o.OfOne, SkipBad: c.o.SkipBad}
		}
		return c.own.Read(f.name, f.r)
	}
	if f.kind == Rows {
		f.kind = Table
	}
	if text := textIn(f.head); text[0] == '{' || text[0] == '[' {
		f.r = bufio.NewReaderSize(newFilter(f.r), headBytes)
	}
	f.source.Tool = toolOf(f.kind)
	before := c.taken
	if err := readers[f.kind](f); err != nil {
		return err
	}
	if c.taken == before && f.kind != lmEvalResults {
		return f.errorf(0, "no answers in it")
	}
	c.sources = append(c.sources, f.source)
	return nil
}

// legible reports a file whose beginning is neither a zip nor text that has columns or keys.
func (f *file) legible() error {
	head, err := f.r.Peek(headBytes)
	f.head = head
	switch text := textIn(head); {
	case err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull):
		return f.errorf(0, "%w", err)
	case len(text) == 0:
		return f.errorf(1, "no rows: the file is empty")
	case Recognise(head) == InspectZip:
		return nil
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return f.errorf(1, "is UTF-16; save the file as UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		return f.errorf(1, "holds a byte 0, so it is no text; name a log or a table")
	case (text[0] == '{' || text[0] == '[') && len(firstKeys(text)) == 0:
		return f.errorf(1, "begins as JSON and has no object with keys; want rows as "+
			"{\"question\": \"…\", \"output\": \"…\", \"gold\": \"…\"}, or a whole log")
	}
	return nil
}

// toolOf names the tool of a kind.
func toolOf(k Kind) string {
	name, _, _ := strings.Cut(string(k), ",")
	return name
}

package benchmark

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/text/quantity"
)

// A Solution is a published answer of a model to a question of GSM8K. Its JSON is a row that analyze consistency
// reads (id, variant, answer, gold) and, for one Source at a time, analyze rubric (case_id, response) with the
// suite gsm8k.
type Solution struct {
	ID       string `json:"id"`
	CaseID   string `json:"case_id"` // the same, under rubric's name
	Variant  int    `json:"variant"` // one per source, in the order of the files
	Source   string `json:"source"`  // the model
	Answer   string `json:"answer"`  // the number read from the response; empty where there is none
	Gold     string `json:"gold,omitempty"`
	Response string `json:"response"`
	// Correct is the verdict that was published with the answer.
	Correct bool `json:"published_correct"`
}

// ReadSolutions reads published model answers to GSM8K: example_model_solutions.jsonl of the benchmark's authors,
// with four models, and the files of GSM-Plus (results/gsm8k_results/MODEL.json). Solutions of one question have
// one ID in all files, that of the suite gsm8k. A gold that a file lacks is taken from another; where two differ,
// the first stands and a warning says so.
func ReadSolutions(paths ...string) ([]Solution, []string, error) {
	r := solutions{golds: map[string]string{}, differ: map[string]bool{}}
	for _, path := range paths {
		data, err := suite.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		f := newFile(Reference{Path: path}, data)
		if bytes.HasPrefix(bytes.TrimSpace(data), []byte{'['}) {
			err = r.gsmPlus(f)
		} else {
			err = objects(f, "", func(line int, q map[string]json.RawMessage) error { return r.examples(f, line, q) })
		}
		if err != nil {
			return nil, nil, err
		}
	}
	without := map[string]bool{}
	for i := range r.out {
		s := &r.out[i]
		if s.Gold = r.golds[s.ID]; s.Gold == "" {
			without[s.ID] = true
		}
	}
	var warnings []string
	if n := len(without); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d questions have no gold in these files", n))
	}
	if n := len(r.differ); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d questions have different golds in these files; the first stands",
			n))
	}
	return r.out, warnings, nil
}

type solutions struct {
	out    []Solution
	seen   []string          // sources in order
	golds  map[string]string // by ID
	differ map[string]bool
}

func (r *solutions) add(question, worked, source, response string, correct bool) {
	id := questionID("gsm8k", question)
	variant := slices.Index(r.seen, source)
	if variant < 0 {
		variant, r.seen = len(r.seen), append(r.seen, source)
	}
	if gold, ok := finalNumber(worked); ok {
		switch old := r.golds[id]; {
		case old == "":
			r.golds[id] = gold
		case old != gold:
			r.differ[id] = true
		}
	}
	r.out = append(r.out, Solution{ID: id, CaseID: id, Variant: variant, Source: source,
		Answer: readNumber(response), Response: response, Correct: correct})
}

// examples reads a line of example_model_solutions.jsonl.
func (r *solutions) examples(f *file, line int, q map[string]json.RawMessage) error {
	var question, truth string
	if json.Unmarshal(q["question"], &question) != nil || json.Unmarshal(q["ground_truth"], &truth) != nil {
		return f.errorf(line, "want the texts question and ground_truth")
	}
	found := false
	for _, model := range []string{"6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"} {
		if q[model] == nil {
			continue
		}
		var s struct {
			Solution string `json:"solution"`
			Correct  bool   `json:"is_correct"`
		}
		if err := unmarshal(q[model], &s); err != nil {
			return f.errorf(line, "%s: %v", model, err)
		}
		r.add(question, truth, model, s.Solution, s.Correct)
		found = true
	}
	if !found {
		return f.errorf(line, "no solution of a model, such as 175b_finetuning")
	}
	return nil
}

// gsmPlus reads the list of one model; the file's name is the model's.
func (r *solutions) gsmPlus(f *file) error {
	var list []struct {
		Question, Answer string
		Prediction       *string `json:"model_prediction"`
		Result           bool
	}
	if err := unmarshal(f.data, &list); err != nil {
		return f.errorf(1, "%v", err)
	}
	model := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	for i, q := range list {
		if q.Question == "" || q.Prediction == nil {
			return f.errorf(1, "entry %d of the list has no question or no model_prediction", i+1)
		}
		r.add(q.Question, q.Answer, model, *q.Prediction, q.Result)
	}
	return nil
}

// readNumber returns the number that a response gives, exactly: as an integer or decimal where it is one, else as a
// fraction. A last line that begins with "A:" is the answer; else it is as quantity.Number says. Empty if there is
// none.
func readNumber(response string) string {
	if i := strings.LastIndex(response, "\nA: "); i >= 0 && !strings.Contains(response[i+1:], "\n") {
		response = response[i+4:]
	}
	v, ok := quantity.Number(response)
	if !ok {
		return ""
	}
	return suite.InFull(v)
}

// HasSource reports where none of the rows is of the source that --source names; "" names all.
func HasSource(rows []Solution, source string) error {
	var sources []string
	for i := range rows {
		if !slices.Contains(sources, rows[i].Source) {
			sources = append(sources, rows[i].Source)
		}
	}
	if source != "" && !slices.Contains(sources, source) {
		return fmt.Errorf("--source %q has no answers there; there are %s", source, strings.Join(sources, ", "))
	}
	return nil
}

// WriteRows writes the solutions as JSON Lines. With a source, only its own are written, as analyze rubric wants
// one answer a case.
func WriteRows(w io.Writer, rows []Solution, source string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range rows {
		if source == "" || rows[i].Source == source {
			if err := enc.Encode(&rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

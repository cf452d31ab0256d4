package detect

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/jsonl"
)

// mostReasons bounds how many skipped lines are named.
const mostReasons = 100

// mostScore bounds a score, so that no mean overflows.
const mostScore = 1e100

// A row is one line of `analyze detection`.
type row struct {
	Model      *string         `json:"model"`
	Suite      *string         `json:"suite"`
	ID         *string         `json:"id"`
	Detector   *string         `json:"detector"`
	Score      json.RawMessage `json:"score"` // null: it is missing
	Correct    *bool           `json:"correct"`
	Consistent *bool           `json:"consistent"`
	Tags       []string        `json:"tags"`
	Cluster    *string         `json:"cluster"`
	Question   json.RawMessage `json:"question"` // what is no text is none
}

// unit returns the name of what the row's case is an observation of: its cluster, or else its question; "" where it
// says none.
func (r row) unit() string {
	if r.Cluster != nil && *r.Cluster != "" {
		return "cluster " + *r.Cluster
	}
	var text string
	if json.Unmarshal(r.Question, &text) != nil || strings.TrimSpace(text) == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(text)))
	return "question " + string(sum[:16])
}

// A Contrast names two tags whose cases are set against each other; the zero Contrast none.
type Contrast struct{ Failing, Passing string }

// of returns whether a case with the tags is of the passing side; nil where it is of none, or of both.
func (c Contrast) of(tags []string) *bool {
	failing, passing := slices.Contains(tags, c.Failing), slices.Contains(tags, c.Passing)
	if c == (Contrast{}) || failing == passing {
		return nil
	}
	return &passing
}

// Read reads rows
//
//	{"model": "m1", "id": "q1", "detector": "entropy", "score": 0.3, "correct": true, "consistent": false}
//
// a line at a time; other fields are ignored. Ids are of a "suite", where a row names one. A score of null is unscored;
// correct and consistent may be null or absent, and then the row is left out of that axis; tags, a list, may be absent
// and serve the contrast. Cases with one cluster, a name, or where they have none with one question, the same but for
// the space around it, are one observation. An error names FILE:LINE: what is no such row, a score that is no number,
// labels that differ within a model and id, and a score that stands twice. With skipBad such lines are counted and
// their reasons returned, the first hundred of them. Memory is about 40 bytes a row and the names.
func Read(inputs []inputfile.Input, contrast Contrast, skipBad bool) (t *Table, skipped int, reasons []string,
	err error) {
	t = &Table{}
	var skip func(*jsonl.Fault)
	if skipBad {
		skip = func(f *jsonl.Fault) {
			if skipped++; len(reasons) < mostReasons {
				reasons = append(reasons, f.Error())
			}
		}
	}
	for i, in := range inputs {
		err := jsonl.Each(in.Name, in.Reader, func(line int, r row) error {
			return t.row(r, contrast, Place{int32(i), int32(line)}, inputs)
		}, skip)
		if err != nil {
			return nil, 0, nil, err
		}
	}
	for _, again := range t.Twice() {
		f := &jsonl.Fault{File: inputs[again.At.File].Name, Line: int(again.At.Line), Err: fmt.Errorf(
			"model %q has a score of detector %q for this id already, at %s:%d", again.Model, again.Detector,
			inputs[again.First.File].Name, again.First.Line)}
		if !skipBad {
			return nil, 0, nil, f
		}
		skip(f)
	}
	return t, skipped, reasons, nil
}

func (t *Table) row(r row, contrast Contrast, at Place, inputs []inputfile.Input) error {
	const want = `want {"model": "…", "id": "…", "detector": "…", "score": 0.3, "correct": true, "consistent": false}`
	for _, f := range []struct {
		name  string
		value *string
	}{{"model", r.Model}, {"id", r.ID}, {"detector", r.Detector}} {
		if f.value == nil || *f.value == "" {
			return fmt.Errorf("%s is missing; %s", f.name, want)
		}
	}
	if r.Score == nil {
		return fmt.Errorf("score is missing; %s, or null where there is none", want)
	}
	s := Score{Model: *r.Model, ID: *r.ID, Detector: *r.Detector, Correct: r.Correct, Consistent: r.Consistent,
		Contrast: contrast.of(r.Tags)}
	if r.Suite != nil {
		s.Suite = *r.Suite
	}
	if unit := r.unit(); unit != "" {
		s.Cluster = 1 + t.units.number(unit)
	}
	if string(r.Score) != "null" {
		var x float64
		if err := json.Unmarshal(r.Score, &x); err != nil || math.Abs(x) > mostScore {
			return fmt.Errorf("score %s is no number up to 1e100 in size; want one such as 0.3, or null",
				jsonl.Excerpt(r.Score))
		}
		s.Value = &x
	}
	err := t.Add(s, at)
	if c, ok := errors.AsType[*conflict](err); ok {
		return fmt.Errorf("model %q, id %q: %q is another than at %s:%d; a case has one label", c.model, c.id,
			c.label, inputs[c.at.File].Name, c.at.Line)
	}
	return err
}

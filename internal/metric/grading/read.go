package grading

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/grade"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// Answers are the answers of a file, of which some are labelled.
type Answers struct {
	Suite *suite.Suite

	cases map[string]*suite.Case
	rows  map[Key]answerRow
	order []Key
}

// An answerRow is a row of the file.
type answerRow struct {
	text         *string
	model, place string // who answered, "" where it does not say; FILE:LINE
}

// Read adds the rows of one file, {"case_id": "…", "response": "…", "variant": 0, "repeat": 0, "model": "…"} a line,
// the last three optional; response null is an answer that is missing. Other fields are ignored. The error names
// FILE:LINE for a line that is no such object, a case that the suite does not have, and an answer that stands there
// twice.
func (a *Answers) Read(name string, r io.Reader) error {
	if a.cases == nil {
		a.cases, a.rows = map[string]*suite.Case{}, map[Key]answerRow{}
		for _, c := range a.Suite.Cases.All() {
			a.cases[c.ID] = c
		}
	}
	return jsonl.Each(name, r, func(line int, row map[string]json.RawMessage) error {
		return a.add(fmt.Sprintf("%s:%d", name, line), row)
	}, nil)
}

const wantAnswer = `want {"case_id": "…", "response": "…"}, and "variant" and "repeat" where a case has several answers`

func (a *Answers) add(place string, row map[string]json.RawMessage) error {
	for _, name := range []string{"case_id", "response"} {
		if row[name] == nil {
			return fmt.Errorf("%s is missing%s; %s", name, nearest(name, row), wantAnswer)
		}
	}
	key, r := Key{}, answerRow{place: place}
	switch {
	case json.Unmarshal(row["case_id"], &key.CaseID) != nil || key.CaseID == "":
		return fmt.Errorf("case_id is no name; %s", wantAnswer)
	case json.Unmarshal(row["response"], &r.text) != nil:
		return fmt.Errorf("response is neither text nor null; %s", wantAnswer)
	case !count(row["variant"], &key.Variant):
		return fmt.Errorf("variant is no whole number of 0 or more; %s", wantAnswer)
	case !count(row["repeat"], &key.Repeat):
		return fmt.Errorf("repeat is no whole number of 0 or more; %s", wantAnswer)
	case row["model"] != nil && json.Unmarshal(row["model"], &r.model) != nil:
		return errors.New("model is no name; want who answered, as \"gpt-4o\"")
	}
	switch {
	case a.cases[key.CaseID] == nil:
		return a.unknown(key.CaseID)
	case a.rows[key].place != "":
		return fmt.Errorf("%s was answered before, at %s; each answer has one row, and variant and repeat tell them "+
			"apart", key, a.rows[key].place)
	}
	a.rows[key], a.order = r, append(a.order, key)
	return nil
}

// count reads a whole number of 0 or more, 0 where there is none.
func count(raw json.RawMessage, to *int) bool {
	return raw == nil || json.Unmarshal(raw, to) == nil && *to >= 0
}

// nearest says which field of a row is probably the one that is missing.
func nearest(name string, row map[string]json.RawMessage) string {
	if near, ok := strictyaml.Nearest(name, slices.Sorted(maps.Keys(row))); ok {
		return fmt.Sprintf("; %q is probably meant for it", near)
	}
	return ""
}

func (a *Answers) unknown(id string) error {
	if near, ok := strictyaml.Nearest(id, slices.Sorted(maps.Keys(a.cases))); ok {
		return fmt.Errorf("case_id %q is not in suite %q; did you mean %q?", id, a.Suite.Name, near)
	}
	return fmt.Errorf("case_id %q is not in suite %q; name the suite that was answered with --suite", id, a.Suite.Name)
}

// Check returns nil if a label can be of the answer of this key, else what is wrong with it.
func (a *Answers) Check(key Key) error {
	r, ok := a.rows[key]
	switch {
	case a.cases[key.CaseID] == nil:
		return a.unknown(key.CaseID)
	case !ok:
		return fmt.Errorf("%s has no answer in the file of answers; leave the label out, or add the answer", key)
	case r.text == nil:
		return fmt.Errorf("%s is null at %s: nothing came back, so there is nothing to label", key, r.place)
	}
	return nil
}

// Anchors are the labelled answers in the order of the file; unit names what a case is an observation of, with others.
func (a *Answers) Anchors(labels map[Key]Label, unit func(caseID string) string) (all []Anchor) {
	units := stat.Numbering[string]{}
	for _, key := range a.order {
		l, ok := labels[key]
		if text := a.rows[key].text; ok && text != nil {
			all = append(all, Anchor{Key: key, Truth: l.Outcome, Text: *text, Cluster: units.Of(unit(key.CaseID))})
		}
	}
	return all
}

// Rows grades the labelled answers by what is given, in the order of the file, and counts those without a label
// that came back. An error is that of the context, which is asked before each.
func (a *Answers) Rows(ctx context.Context, by func(c *suite.Case, key Key, text string) grade.Grade,
	labels map[Key]Label) (rows []Row, unlabelled int, err error) {
	for _, key := range a.order {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		text := a.rows[key].text
		if text == nil {
			continue
		}
		l, ok := labels[key]
		if !ok {
			unlabelled++
			continue
		}
		c := a.cases[key.CaseID]
		row := RowOf(by(c, key, *text), c, key, *text, l)
		row.Model = a.rows[key].model
		rows = append(rows, row)
	}
	return rows, unlabelled, nil
}

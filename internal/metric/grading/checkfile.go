package grading

import (
	"encoding/json"
	"fmt"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/grade"
)

// A CheckDocument is what grade check prints; ReadCheck reads it.
type CheckDocument struct {
	Suite struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Hash    string `json:"hash"`
	} `json:"suite"`
	Grading grade.Grading `json:"grading"`
	// Judges are the identities of those that had a part in it, all of them asked of every answer where All is set.
	Judges []string `json:"judges,omitempty"`
	All    bool     `json:"judge_all,omitempty"`
	// Biases are what the verdicts of judges depend on beside what is true; there where some decided.
	Biases *Biases `json:"biases,omitempty"`
	Result
}

// ReadCheck reads what hallmark grade check --json printed, as a check of one lot. The error names the file, and what
// is wrong: no such document, or one that an earlier release printed, which does not say of what grading version it is.
func ReadCheck(file string, data []byte) (*Check, error) {
	var doc struct {
		Suite struct {
			Name string `json:"name"`
		} `json:"suite"`
		Grading struct {
			Version string `json:"version"`
		} `json:"grading"`
		Judges []string `json:"judges"`
		All    bool     `json:"judge_all"`
		Lot
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s:1: %s is no JSON document; want what `hallmark grade check --json` prints", file,
			jsonl.Excerpt(data))
	}
	doc.Lot.Name = doc.Suite.Name
	n := 0
	for length, band := range doc.ByLength {
		if Sum(band.Matrix) != band.N || LengthWords(length) == "" {
			return nil, fmt.Errorf("%s: by_length.%s does not add up; want what `hallmark grade check --json` prints",
				file, jsonl.Excerpt([]byte(length)))
		}
		n += band.N
	}
	switch {
	case n == 0 || n != doc.N:
		return nil, fmt.Errorf(
			"%s: no labelled answers by length in it; want what `hallmark grade check --json` prints", file)
	case doc.Grading.Version == "":
		return nil, fmt.Errorf("%s: it does not say which grading version it is of; make it again with this release",
			file)
	}
	return &Check{GradingVersion: doc.Grading.Version, Lots: []Lot{doc.Lot}, Judges: doc.Judges, All: doc.All}, nil
}

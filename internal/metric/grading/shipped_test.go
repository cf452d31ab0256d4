package grading_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/grading"
	"hallmark/internal/suite"
)

// TestShippedIsOfTheseGraders reads the answers of the shipped check again: whoever changes how answers are read makes
// the check anew, and never fits on these answers. Docs/grading.md, "The check that is shipped".
func TestShippedIsOfTheseGraders(t *testing.T) {
	for _, lot := range grading.Shipped().Lots {
		t.Run(lot.Name, func(t *testing.T) {
			got := again(t, filepath.Join("testdata", "shipped", lot.Name))
			for length, band := range lot.ByLength {
				if got[length] != band.Matrix {
					t.Errorf("%s: read as %v, shipped is %v: make shipped.json anew", length, got[length], band.Matrix)
				}
			}
		})
	}
}

// again reads the answers of a folder, and counts how, by length.
func again(t *testing.T, dir string) map[grading.Length]grading.Matrix[int] {
	t.Helper()
	path := filepath.Join(dir, "suite.csv")
	data, err := suite.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := suite.Parse(path, data)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rubric.New(s, s.AsOf)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]*suite.Case{}
	for _, c := range s.Cases.All() {
		cases[c.ID] = c
	}
	f, err := os.Open(filepath.Join(dir, "answers.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read := map[grading.Length]grading.Matrix[int]{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var a struct {
			CaseID   string `json:"case_id"`
			Response string
			Outcome  grade.Outcome
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		length := grading.LengthOf(a.Response)
		m := read[length]
		*m.Of(a.Outcome).Of(r.Grade(cases[a.CaseID], grade.Answer{Text: &a.Response}).Outcome())++
		read[length] = m
	}
	return read
}

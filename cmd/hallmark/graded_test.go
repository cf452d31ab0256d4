package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/commands/answers"
	"hallmark/internal/metric/rate"
	"hallmark/internal/suite"
)

// towns is a suite whose last case has nothing to be graded by.
func towns() (*suite.Suite, error) {
	return &suite.Suite{Name: "s", Cases: suite.ListOf([]suite.Case{
		{ID: "a", Prompt: "What is the capital of France?", Gold: suite.Gold{Texts: []string{"Paris"}}},
		{ID: "b", Prompt: "What is the capital of Spain?", Gold: suite.Gold{Texts: []string{"Madrid"}}},
		{ID: "c", Prompt: "What is the capital of Italy?", Gold: suite.Gold{Texts: []string{"Rome"}}},
		{ID: "d", Prompt: "Anything?"},
	})}, nil
}

func graded(t *testing.T, in string, skip bool) (*answers.Graded, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	var notes strings.Builder
	files := &answers.Files{Paths: []string{path}, SkipBad: skip, Notes: &notes}
	g, err := files.Graded(t.Context(), towns, "", false)
	return g, strings.ReplaceAll(notes.String(), path, "f"), short(err, path)
}

// short has the path of a message be f.
func short(err error, path string) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(err.Error(), path, "f"))
}

func TestGraded(t *testing.T) {
	in := "\ufeff{\"case_id\": \"a\", \"response\": \"It is Paris.\", \"extra\": 1}\n\n{\"case_id\": \"b\", \"response\": null}\n"
	g, _, err := graded(t, in, false)
	if err != nil {
		t.Fatal(err)
	}
	if res := rate.Analyze(g.Rows, rate.Options{}); res.N != 1 || res.Unscored != 2 || res.Hallucination.Value != 0 {
		t.Errorf("%+v", res.Group)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	files := &answers.Files{Paths: []string{"-"}, Stdin: strings.NewReader(in)}
	if _, err := files.Graded(stopped, towns, "", false); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	for in, want := range map[string]string{
		`{"case_id": "a", "response": "x"}` + "\n" +
			`{"case_id": "a", "response": "y"}`: `f:2: case_id "a", variant 0, repeat 0 was answered before, at f:1`,
		`{"case_id": "z", "response": "x"}`: `f:1: case_id "z" is not in suite "s"`,
		`{"response": "x", "id": 3}`:        `f:1: case_id "3" is not in suite "s"`,
		`{"response": "x"}`:                 `f:1: case_id is missing`,
		"\n\n" + `{"case_id": "a"}`:         `f:3: response is missing`,
		`{"case_id": "a", "response": 3}`:   `f:1: response is neither text nor null`,
		`{"case_id": "a", "response": "x"`:  `f:1: no valid JSON`,
		"\n":                                `f:1: no rows`,
	} {
		if _, _, err := graded(t, in, false); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

// TestSkipBad: bad rows are counted, of JSON Lines and of tables.
func TestSkipBad(t *testing.T) {
	for in, want := range map[string]string{
		"x, y\n{\"case_id\": \"a\", \"response\": \"Paris\"}\n": "skipped: f:1: ",
		"case_id,response\nz,Rome\na,Paris\n":                   `skipped: f:2: case_id "z" is not in suite`,
	} {
		g, notes, err := graded(t, in, true)
		if err != nil || !strings.HasPrefix(notes, want) || strings.Count(notes, "skipped: ") != 1 ||
			rate.Analyze(g.Rows, rate.Options{}).N != 1 || g.Warnings[0] != "1 bad lines were skipped" {
			t.Errorf("%q: %v, noted %q, %+v", in, err, notes, g)
		}
	}
}

// TestOfOneModel: rows that name several models are answers all the same, each to a case of its own; those to other
// variants are said to be left out, and a log of two models is a run.
func TestOfOneModel(t *testing.T) {
	g, _, err := graded(t, `{"case_id": "a", "response": "Paris", "model": "m"}
{"case_id": "b", "response": "Madrid", "model": "n"}
{"case_id": "b", "response": "Rome", "variant": 1}
`, false)
	if err != nil || rate.Analyze(g.Rows, rate.Options{}).N != 2 ||
		!strings.HasPrefix(strings.Join(g.Warnings, "; "), "1 answers to other variants") {
		t.Errorf("%v, %+v", err, g)
	}
	none := func() (*suite.Suite, error) { return nil, nil }
	log := func(name string) (*answers.Graded, error) {
		path := filepath.Join("../../internal/suite/logs/testdata", name)
		files := &answers.Files{Paths: []string{path}, Notes: io.Discard}
		return files.Graded(t.Context(), none, "", false)
	}
	if _, err := log("promptfoo/capitals.json"); err == nil || !strings.Contains(err.Error(), "of 2 models (drawn, "+
		"greedy)") {
		t.Errorf("two models: %v", err)
	}
	g, err = log("lm-eval/samples_pocket_gen.jsonl")
	if err != nil || rate.Analyze(g.Rows, rate.Options{}).N != 10 || g.Suite.Name != "pocket_gen" {
		t.Errorf("a log: %v, %+v", err, g)
	}
	if _, err := log("../../../metric/grading/shipped.json"); err == nil {
		t.Error("no log is read as one")
	}
}

func FuzzGraded(f *testing.F) {
	for _, s := range []string{`{"case_id": "a", "response": "x"}`, "{}", "", "null\n", "\xef\xbb\xbf{",
		`{"case_id": "a", "response": null}` + "\n\n", "case_id,response\na,b", "PK\x03\x04"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		files := &answers.Files{Paths: []string{"-"}, Stdin: strings.NewReader(in), Notes: io.Discard}
		g, err := files.Graded(t.Context(), towns, "", false)
		if err == nil && len(g.Rows) != 3 {
			t.Fatalf("%d rows of 3 cases", len(g.Rows))
		}
	})
}

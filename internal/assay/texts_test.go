package assay

import (
	"context"
	"maps"
	"strings"
	"testing"

	"hallmark/internal/base/shelf"
	"hallmark/internal/run/store/inmemory"
)

const chosen = `suite: {name: chosen, version: "1"}
cases:
  - {id: one, prompt: "Which?", options: [Paris, Rome], gold: Paris}
`

// A run whose answers are kept in a file has the same results, rows, readings and units as one that holds them.
func TestTextsInAFile(t *testing.T) {
	ctx, store, s := context.Background(), inmemory.New(), read(t, "tiny.yaml", tiny)
	p := plan(s, read(t, "chosen.yaml", chosen))
	p.Methods, p.Sampled, p.Repeats, p.Choices = []string{Rubric, Consistency}, 3, 2, ChoicesGenerate
	execute(t, p, answers, store)
	for _, methods := range [][]string{{Rubric}, {Rubric, Consistency}, {Rubric, Consistency, Detection}} {
		p.Methods = methods
		all := func(held *texts) string {
			read := &Readings{noted: map[string]bool{}}
			a, err := evaluateWith(ctx, store, p, "test", &evaluation{kept: read, texts: held})
			if err != nil {
				t.Fatal(err)
			}
			out := []string{bytesOf(t, a.Document), bytesOf(t, rowsOf(a)), bytesOf(t, a.Rows(0)), bytesOf(t, a.Items()),
				bytesOf(t, a.AnswersToVariants())}
			for r := range read.All() {
				out = append(out, bytesOf(t, r))
			}
			if err := a.Err(); err != nil || read.Err() != nil {
				t.Error(err, read.Err())
			}
			return strings.Join(out, "\n")
		}
		inFile := &texts{Shelf: shelf.Shelf{Most: 1}}
		if held, kept := all(nil), all(inFile); held != kept || !strings.Contains(kept, "Milan") {
			t.Errorf("%v: held:\n%s\nin a file:\n%s", methods, held, kept)
		}
		if err := inFile.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An answer that cannot be read back is an error, and no row shows an empty one in its place; one that cannot be put
// into a file ends the evaluation.
func TestTextsLost(t *testing.T) {
	ctx, store, p := context.Background(), inmemory.New(), plan(read(t, "tiny.yaml", tiny))
	p.Methods = []string{Rubric}
	long := maps.Clone(answers)
	long["p0"] += strings.Repeat(" ", 300_000) // more than is read ahead
	execute(t, p, long, store)
	kept := &Readings{noted: map[string]bool{}}
	lost := &texts{Shelf: shelf.Shelf{Most: 1}}
	a, err := evaluateWith(ctx, store, p, "test", &evaluation{kept: kept, texts: lost})
	if err != nil || a.Err() != nil {
		t.Fatal(err, a.Err())
	}
	if err := lost.Close(); err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(a)[0].Answers[0].Text; !strings.Contains(got, "cannot be read back") {
		t.Errorf("the answer is %q", got)
	}
	for range kept.All() {
	}
	if len(a.Items()) == 0 || len(a.Rows(0)) == 0 || a.Err() == nil || kept.Err() == nil ||
		!strings.Contains(a.Err().Error(), "cannot be read back") {
		t.Errorf("%v, %v", a.Err(), kept.Err())
	}
	t.Setenv("TMPDIR", t.TempDir()+"/none")
	lost = &texts{Shelf: shelf.Shelf{Most: 1}}
	if _, err := evaluateWith(ctx, store, p, "test", &evaluation{texts: lost}); err == nil ||
		!strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("without a folder: %v", err)
	}
}

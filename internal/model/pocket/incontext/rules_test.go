package incontext_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model/pocket"
	"hallmark/internal/model/pocket/incontext"
)

// rulesGate is how far above the best predictor's the error may lie.
const rulesGate = .02

// evaluate measures how far a model, read from its folder, is from the best predictor of a task of classification
// by 2, 4, 8, 16 and 32 examples, over so many sequences.
func evaluate(folder fs.FS, task incontext.Task, sequences int) ([]incontext.Row, error) {
	f, err := weights.Load(folder)
	if err != nil {
		return nil, err
	}
	return incontext.Measure(task, []int{2, 4, 8, 16, 32}, sequences, 1, incontext.Engine(f.Model, f.Tokenizer,
		"<|begin|>"))
}

// The model labels inputs by the rule that examples show nearly as well as anybody could, and cannot where the rule is
// beyond it.
func TestRulesAreReadOffTheExamples(t *testing.T) {
	if archtest.Race {
		t.Skip("takes minutes under the race detector")
	}
	rows, err := evaluate(pocket.Weights(), incontext.Topic8x2, archtest.Draws(100, 1000, 5000))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		t.Logf("%d examples, %d sequences: error %.4f, Bayes %.4f, difference %.4f [%.4f, %.4f]", r.N, r.Sequences, r.Error,
			r.Bayes, r.Difference, r.Low, r.High)
		if r.Low > rulesGate {
			t.Errorf("after %d examples the error is %.3f above the best predictor's, want at most %.2f", r.N, r.Difference,
				rulesGate)
		}
	}
	beyond, err := evaluate(pocket.Weights(), incontext.Parity, 100)
	if err != nil {
		t.Fatal(err)
	}
	if last := beyond[len(beyond)-1]; last.Error < .35 {
		t.Errorf("a rule beyond the model is read with an error of %.2f", last.Error)
	}
}

// TestCard prints the table of rules of docs/pocket.md over several trainings, as the TestCard of package pocket prints
// that of designs.
func TestCard(t *testing.T) {
	list := os.Getenv("HALLMARK_CARD")
	if list == "" {
		t.Skip("HALLMARK_CARD names no folders")
	}
	for i, task := range []incontext.Task{incontext.Topic8x2, incontext.Topic4, incontext.Parity} {
		n := 5000
		if i > 0 {
			n = 1000
		}
		var trainings [][]incontext.Row
		for _, dir := range filepath.SplitList(list) {
			rows, err := evaluate(os.DirFS(dir), task, n)
			if err != nil {
				t.Fatal(err)
			}
			trainings = append(trainings, rows)
		}
		for i := range trainings[0] {
			for _, rows := range trainings {
				x := rows[i]
				fmt.Printf("| %s | %d | %d | %.4f | %.4f | %.4f [%.4f, %.4f] |\n", task, x.N, x.Sequences, x.Error, x.Bayes,
					x.Difference, x.Low, x.High)
			}
		}
	}
}

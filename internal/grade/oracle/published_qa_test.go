package oracle

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// TestHaluEval grades HaluEval's right and hallucinated answers against its right answers. Origin: RUCAIBox/HaluEval
// generation/qa/qa_one-turn_data.json, 500 questions. At the first run .918 of the hallucinated answers did not pass. Most of those that
// do name the right answer and are wrong about something else, or are right, which no list of accepted texts can tell.
func TestHaluEval(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(shared, "halueval/qa_one-turn_data.json"))
	if err != nil {
		t.Skip("HaluEval is not here: ", err)
	}
	var n, rightPass, wrongFail int
	for line := range strings.Lines(string(raw)) {
		var row struct {
			Question     string `json:"question"`
			Right        string `json:"right_answer"`
			Hallucinated string `json:"hallucinated_answer"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		o, err := New(&suite.Case{ID: "x", Prompt: row.Question, Gold: suite.Gold{Texts: []string{row.Right}}})
		if err != nil {
			t.Fatal(err)
		}
		n++
		if f := o.Judge(Reading{Text: evidence.Read(row.Right)}); f.Truth.Verdict == grade.Pass {
			rightPass++
		} else if n-rightPass < 5 {
			t.Logf("right, but judged %s %s: %q", f.Truth.Verdict, f.Truth.Rule, row.Right)
		}
		if f := o.Judge(Reading{Text: evidence.Read(row.Hallucinated)}); f.Truth.Verdict != grade.Pass {
			wrongFail++
		} else if n-wrongFail <= 25 {
			t.Logf("hallucinated, but passes (%s): %s\n   %s\n   gold %s", f.Truth.Evidence, row.Question, row.Hallucinated, row.Right)
		}
	}
	t.Logf("of %d: right answers that pass %.3f, hallucinated ones that do not %.3f", n, float64(rightPass)/float64(n), float64(wrongFail)/float64(n))
	if float64(rightPass) < .98*float64(n) || float64(wrongFail) < .9*float64(n) {
		t.Error("agreement fell")
	}
}

// TestSimpleQAFrames puts the golds of SimpleQA into sentences whose verdict is known by construction. Origin of the golds: OpenAI
// simple-evals simple_qa_test_set.csv; the sentences are this project's.
func TestSimpleQAFrames(t *testing.T) {
	f, err := os.Open(filepath.Join(shared, "simpleqa/simple_qa_test_set.csv"))
	if err != nil {
		t.Skip("SimpleQA is not here: ", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	frames := []struct {
		text  string // X is the gold, Y another question's gold
		right bool
	}{
		{"X", true}, {"**X**.", true}, {"Answer: X", true}, {"The answer is X, not Y.", true}, {"It is not Y. It is X.", true},
		{"I'm not certain, but I believe it is X.", true}, {"\\boxed{\\text{X}}", true}, {"Sure! X", true},
		{"Y", false}, {"The answer is Y, not X.", false}, {"It is not X. It is Y.", false}, {"I don't know whether it is X.", false},
		{"I could not find any evidence for X.", false}, {"Is it X?\nI don't know.", false},
	}
	wrong := make([]int, len(frames))
	n := 0
	for i := 1; i < len(rows); i += 2 {
		gold, other := rows[i][2], rows[1+(i+611)%(len(rows)-1)][2]
		if strings.Contains(strings.ToLower(other), strings.ToLower(gold)) || strings.Contains(strings.ToLower(gold), strings.ToLower(other)) {
			continue
		}
		o, err := New(&suite.Case{ID: "x", Prompt: rows[i][1], Oracle: &suite.Oracle{Type: "exact", Accept: []string{gold}}})
		if err != nil {
			t.Fatal(err)
		}
		n++
		for k, frame := range frames {
			text := strings.NewReplacer("X", gold, "Y", other).Replace(frame.text)
			if got := o.Judge(Reading{Text: evidence.Read(text)}); (got.Truth.Verdict == grade.Pass) != frame.right {
				if wrong[k]++; wrong[k] <= 2 {
					t.Logf("%q, gold %q: %s %s %s", text, gold, got.Act, got.Truth.Rule, got.Truth.Evidence)
				}
			}
		}
	}
	for k, frame := range frames {
		share := 1 - float64(wrong[k])/float64(n)
		t.Logf("%.4f of %d: %s", share, n, frame.text)
		if share < .95 {
			t.Errorf("%q is read right in %.3f only", frame.text, share)
		}
	}
}

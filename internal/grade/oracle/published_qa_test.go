package oracle

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// TestHaluEval grades HaluEval's right and hallucinated answers against its right answers. Origin: RUCAIBox/HaluEval
// generation/qa/qa_one-turn_data.json, 500 questions. Of the hallucinated answers that pass some name the right answer
// and are wrong about something else, or are right, which no list of accepted texts can tell.
func TestHaluEval(t *testing.T) {
	raw, err := os.ReadFile(archtest.Published(t, "halueval/qa_one-turn_data.json"))
	if err != nil {
		t.Fatal(err)
	}
	var right, hallucinated tally
	for line := range strings.Lines(string(raw)) {
		var row struct {
			Question     string `json:"question"`
			Right        string `json:"right_answer"`
			Hallucinated string `json:"hallucinated_answer"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		o, err := newOracle(&suite.Case{ID: "x", Prompt: row.Question, Gold: suite.Gold{Texts: []string{row.Right}}})
		if err != nil {
			t.Fatal(err)
		}
		if f := Judge(o, Reading{Text: evidence.Read(row.Right)}); !right.add(f, true) && right.n-right.agree < 5 {
			t.Logf("right, but judged %s %s: %q", f.Truth.Verdict, f.Truth.Rule, row.Right)
		}
		if f := Judge(o, Reading{Text: evidence.Read(row.Hallucinated)}); !hallucinated.add(f, false) &&
			f.Truth.Verdict == grade.Pass {
			t.Logf("hallucinated, but passes (%s): %s\n   %s\n   gold %s", f.Truth.Evidence, row.Question, row.Hallucinated,
				row.Right)
		}
	}
	right.holds(t, "right answers", .98, .99)
	hallucinated.holds(t, "hallucinated answers", .6, .85)
}

// A tally counts answers whose verdict is known, those that are decided, and those that are decided so.
type tally struct{ n, decided, agree int }

// add reports whether a ruling is decided as it is known to be.
func (c *tally) add(f Ruling, right bool) bool {
	c.n++
	if f.Act == grade.Unreadable {
		return false
	}
	c.decided++
	same := (f.Truth.Verdict == grade.Pass) == right
	if same {
		c.agree++
	}
	return same
}

// holds requires that at least so large shares are decided, and of these as they are known to be.
func (c tally) holds(t *testing.T, what string, cover, agreement float64) {
	t.Helper()
	decided, agree := float64(c.decided)/float64(c.n), float64(c.agree)/float64(max(1, c.decided))
	t.Logf("%-46s %d, decided %.4f, agreement of these %.4f", what, c.n, decided, agree)
	if decided < cover || agree < agreement {
		t.Errorf("%s: want %.3f decided and an agreement of %.3f", what, cover, agreement)
	}
}

// TestSimpleQAFrames puts the golds of SimpleQA into sentences whose verdict is known by construction. Origin of the
// golds: OpenAI simple-evals simple_qa_test_set.csv; the sentences are this project's.
func TestSimpleQAFrames(t *testing.T) {
	f, err := os.Open(archtest.Published(t, "simpleqa/simple_qa_test_set.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	frames := []struct {
		text    string // X is the gold, Y another question's gold
		right   bool
		decided float64 // at least
	}{
		{"X", true, .95}, {"**X**.", true, .95}, {"Answer: X", true, .95}, {"The answer is X, not Y.", true, .9},
		{"It is not Y. It is X.", true, .9},
		{"I'm not certain, but I believe it is X.", true, .9}, {"\\boxed{\\text{X}}", true, .95}, {"Sure! X", true, .95},
		// Y is seldom of the kind that is asked for.
		{"Y", false, .35}, {"The answer is Y, not X.", false, 0}, {"It is not X. It is Y.", false, 0},
		{"I don't know whether it is X.", false, .8},
		{"I could not find any evidence for X.", false, .8}, {"Is it X?\nI don't know.", false, .8},
	}
	read := make([]tally, len(frames))
	for i := 1; i < len(rows); i += archtest.Draws(32, 2, 2) {
		gold, other := rows[i][2], rows[1+(i+611)%(len(rows)-1)][2]
		if strings.Contains(strings.ToLower(other), strings.ToLower(gold)) || strings.Contains(strings.ToLower(gold),
			strings.ToLower(other)) {
			continue
		}
		o, err := newOracle(&suite.Case{ID: "x", Prompt: rows[i][1], Oracle: &suite.Oracle{Type: "exact",
			Accept: []string{gold}}})
		if err != nil {
			t.Fatal(err)
		}
		for k, frame := range frames {
			text := strings.NewReplacer("X", gold, "Y", other).Replace(frame.text)
			got := Judge(o, Reading{Text: evidence.Read(text)})
			if decided := read[k].decided; !read[k].add(got, frame.right) && read[k].decided > decided &&
				read[k].decided-read[k].agree <= 3 {
				t.Logf("%q, gold %q: %s %s %s", text, gold, got.Act, got.Truth.Rule, got.Truth.Evidence)
			}
		}
	}
	for k, frame := range frames {
		read[k].holds(t, frame.text, frame.decided, .97)
	}
}

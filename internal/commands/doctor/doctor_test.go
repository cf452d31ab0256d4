package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/metric/method"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// TestKinds tells files of answers, bundles and runs apart by their names and first bytes.
func TestKinds(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a.csv": "question,response\n", "ev": "PK\x03\x04" +
		"\x14\x00\x00\x00\x00\x00\x00\x00\x21\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x0d\x00\x00\x00manifest.json", "a.eval": "PK\x03\x04\x14\x00", "empty": ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"a.csv": aLog, "ev": aBundle, "a.eval": aLog, "empty": aLog, "-": aLog,
		"latest": aRun, "8c1f": aRun, "absent.jsonl": aLog, filepath.Join(".", "absent", "x"): aLog} {
		if got := kindOf(name); got != want {
			t.Errorf("%s is a %s, want a %s", name, got, want)
		}
	}
}

// TestLogOf brings a table into the form that is looked at.
func TestLogOf(t *testing.T) {
	right, text := 1, "B"
	c := &suite.Case{ID: "a", Prompt: "Which?", Options: []string{"oak", "Elm"}, Gold: suite.Gold{Option: &right}}
	answers := []method.Answer{
		{Text: text, Response: &model.Response{Text: &text, Finish: "length",
			Raw: []byte(`{"f1": 0.5, "ok": true, "x": "y"}`), Usage: model.Usage{CompletionTokens: 3}},
			Grade: &grade.Grade{Answer: "elm"}},
		{Use: sample, Text: "the answer itself"}, {Use: sample, Repeat: 1, Text: "oak"}, {Use: repeat, Text: "again"},
		{Variant: 1, Missing: "not in the log"},
	}
	table := &method.Table{Model: "m", Suite: "s", Cases: func(yield func(method.Case) bool) {
		yield(method.Case{Case: c, Cluster: 2, Answers: answers})
	}}
	for fromLog, want := range map[bool]int{true: 2, false: 3} {
		l, err := logOf(table, fromLog)
		if err != nil {
			t.Fatal(err)
		}
		x := l.Cases[0]
		if len(x.Answers) != want || x.Right != 1 || x.Gold[0] != "Elm" || !x.Gradable || x.Cluster != 2 {
			t.Errorf("%+v", x)
		}
		a := x.Answers[0]
		if a.Chosen != 1 || a.Finish != "length" || a.Tokens != 3 || a.Scores["f1"] != .5 || a.Scores["ok"] != 1 ||
			len(a.Scores) != 2 {
			t.Errorf("%+v", a)
		}
	}
	answers[0].Grade = &grade.Grade{} // by its letter
	if l, err := logOf(table, false); err != nil || l.Cases[0].Answers[0].Chosen != 1 {
		t.Errorf("%+v, %v", l.Cases[0].Answers[0], err)
	}
}

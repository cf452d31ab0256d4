package benchmark

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/suite"
)

// TestManyOptions: the readers bound the lists of a case as suites do, each in one line with the place.
func TestManyOptions(t *testing.T) {
	const n = 60_000 // of which a reader that compares each with each makes 1,800,000,000 pairs
	list := func(format, sep string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(all, sep)
	}
	for _, tt := range []struct{ name, data, want string }{
		{"truthfulqa-mc1", `[{"question": "Who?", "mc1_targets": {"yes": 1, ` + list(`"n%d": 0`, ",") + `}}]`,
			":1: 60001 options, at most 2000 are read"},
		{"truthfulqa-gen", "Type,Category,Question,Best Answer,Correct Answers,Incorrect Answers\na,b,Who?,x," + list("n%d",
			";") + "," + list("m%d", ";") + "\n",
			":2: 60001 golds, at most 2000 are read"},
		{"commonsenseqa", `{"answerKey": "0", "question": {"stem": "Who?", "choices": [` +
			list(`{"label": "%[1]d", "text": "n%[1]d"}`, ",") + `]}}`,
			":1: 60000 options, at most 2000 are read"},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(tt.data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(tt.name, path); err == nil || !strings.HasPrefix(err.Error(), path+tt.want) {
			t.Errorf("%s: %.200v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestManyOptionsOfPool: a question of a pool has as many options as letters can name.
func TestManyOptionsOfPool(t *testing.T) {
	var choices []string
	for i := range suite.MaxShown + 1 {
		choices = append(choices, fmt.Sprintf(`{"label": "%[1]d", "text": "n%[1]d"}`, i))
	}
	folder := t.TempDir()
	question := func(choices []string) string {
		return `{"answerKey": "0", "question": {"stem": "Who?", "choices": [` + strings.Join(choices, ",") + `]}}`
	}
	for name, data := range map[string]string{"dev.jsonl": question(choices[:2]), "train.jsonl": question(choices)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := filepath.Join(folder, "train.jsonl")
	_, err := Load("commonsenseqa="+filepath.Join(folder, "dev.jsonl")+",pool="+pool, false)
	if want := pool + ":1: 27 options to show; letters go to 26"; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

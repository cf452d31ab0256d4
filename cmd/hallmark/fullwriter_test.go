package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/exit"
)

// A full writer takes some bytes and then fails, as a disk does.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

// No command ends well whose output could not be written: it says so in one line.
func TestOutputOntoAFullDisk(t *testing.T) {
	if archtest.Race {
		t.Skip("on one goroutine")
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"suite.jsonl":  `{"id": "a", "question": "What is 1 and 1?", "answer": "2"}` + "\n",
		"answers.json": `{"id": "a", "variant": 0, "answer": "x"}` + "\n" + `{"id": "a", "variant": 1, "answer": "x"}` + "\n",
		"rows.jsonl":   `{"case_id": "a", "response": "2"}` + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(out interface{ Write([]byte) (int, error) }, args ...string) (int, string) {
		var errs bytes.Buffer
		code := hallmark(args, strings.NewReader(""), out, &errs)
		return code, errs.String()
	}
	bundle := filepath.Join(t.TempDir(), "b.hallmark")
	for _, args := range [][]string{
		{"import", "rows.jsonl", "--suite", "suite.jsonl", "--model-name", "m", "--quiet"},
		{"report", "latest", "--format", "evidence", "-o", bundle},
	} {
		if code, errs := run(&bytes.Buffer{}, args...); code != exit.Done {
			t.Fatalf("%v: %d, %s", args, code, errs)
		}
	}
	for _, line := range []string{
		"--help", "--version", "run --help", "schema", "plan --base .5 --detect .1", "plan posterior",
		"plan run --suite suite.jsonl", "check", "check --json",
		"verify " + bundle, "verify --json " + bundle, "check " + bundle, "show", "show latest", "show --json latest",
		"show latest a", "report latest --format json",
		"report latest --format md", "report latest --format csv", "report latest --format junit", "model list",
		"model show pocket", "data list", "analyze wilson 1 10",
		"analyze consistency answers.json", "analyze rubric rows.jsonl --suite suite.jsonl",
		"analyze rubric rows.jsonl --suite suite.jsonl --json",
		"import rows.jsonl --suite suite.jsonl --model-name m", "compare latest latest", "compare latest latest --json",
		"run --suite suite.jsonl --model replay:latest --no-report --allow-unscored 9",
	} {
		args := strings.Fields(line)
		var whole bytes.Buffer
		if code, errs := run(&whole, args...); code != exit.Done || whole.Len() == 0 {
			t.Errorf("%s: %d with %d bytes, %s", line, code, whole.Len(), errs)
			continue
		}
		code, errs := run(&full{whole.Len() - 1}, args...)
		lines := strings.Split(strings.TrimSpace(errs), "\n")
		if last := lines[len(lines)-1]; code != exit.Failed || !strings.HasPrefix(last, "hallmark: ") ||
			!strings.Contains(last, "no space left on device") {
			t.Errorf("%s: %d, %q", line, code, errs)
		}
	}
}

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/stored"
	"hallmark/internal/text/secret"
)

// endsWith runs a command whose context has ended, and says what it says of that.
func endsWith(t *testing.T, args ...string) (code int, message string) {
	t.Helper()
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, secrets: secret.New(), now: time.Now}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	err := root.ExecuteContext(ctx)
	if err == nil {
		t.Fatalf("%v: no error", args)
	}
	e := a.ended(err)
	return e.Code, e.Err.Error()
}

// TestInterrupted: a command that is interrupted says that the same command resumes where it does, and only there.
func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "config"))
	const resumes, anew = "interrupted; the same command resumes", "interrupted; the same command begins anew"
	for name, text := range map[string]string{
		"suite.csv":    "id,question,answer\na,What is the capital of France?,Paris\n",
		"rows.jsonl":   `{"case_id": "a", "response": "Paris"}` + "\n",
		"labels.jsonl": `{"case_id": "a", "response": "Paris", "outcome": "correct"}` + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"analyze", "rubric", "rows.jsonl", "--suite", "suite.csv"},
		{"grade", "check", "labels.jsonl", "--suite", "suite.csv"},
		{"model", "train", "regression", "-o", "trained"},
	} {
		if code, message := endsWith(t, args...); code != exit.Interrupted || message != anew {
			t.Errorf("%v: %d, %s", args, code, message)
		}
	}
	if a := (&app{keeps: true, runs: &stored.Runs{}}); a.ended(context.Canceled).Err.Error() != resumes {
		t.Errorf("something is kept: %v", a.ended(context.Canceled))
	}
}

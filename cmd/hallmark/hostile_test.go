package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"hallmark/internal/base/exit"
	"hallmark/internal/model/pocket"
	"hallmark/internal/report"
)

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\n b\t c":               "a b c",
		"x\x1b]0;title\ay":        "x␛]0;title␇y",
		"\u202egnp\u009b31m":      "⟨U+202E⟩gnp⟨U+009B⟩31m",
		strings.Repeat("a", 4000): strings.Repeat("a", 4000),
	} {
		if got := report.OneLine(in); got != want {
			t.Errorf("%.40q: %.80q, want %.80q", in, got, want)
		}
	}
	long := report.OneLine("begin" + strings.Repeat("…", 100_000) + "end")
	if len(long) > 4100 || !utf8.ValidString(long) || !strings.HasPrefix(long, "begin…") ||
		!strings.HasSuffix(long, "…end") || !strings.Contains(long, " bytes more)") {
		t.Errorf("300 kB became %d bytes: %.80q", len(long), long)
	}
}

// TestHostileErrors has a file's own words come back in an error and in the log.
func TestHostileErrors(t *testing.T) {
	const hostile = "\x1b]0;owned\a\u009b31m\u202e"
	dir := t.TempDir()
	if err := os.CopyFS(dir, pocket.Weights()); err != nil {
		t.Fatal(err)
	}
	template := "{{ raise_exception('" + hostile + strings.Repeat("long ", 50_000) + "') }}"
	if err := os.WriteFile(filepath.Join(dir, "chat_template.jinja"), []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"model", "trace", "hf:" + dir, "hi"},
		{"run", "--model", "hf:" + dir, "--suite", "pocket", "--store", "sqlite:" + filepath.Join(t.TempDir(), "x.db")},
		{"show", hostile, "--store", "sqlite:" + hostile},
		{"report", "latest", "--store", "sqlite:" + filepath.Join(t.TempDir(), hostile, "y.db")},
		{"check", hostile + ".zip"},
		{"run", "--suite", hostile + "/q.csv"},
		{"run", "--" + hostile},
		{hostile},
	} {
		var stdout, stderr bytes.Buffer
		code := hallmark(args, strings.NewReader(""), &stdout, &stderr)
		if said := stderr.String(); code == exit.Done || said == "" || len(said) > 9000 ||
			strings.ContainsAny(stdout.String()+said, "\x1b\a\u009b\u202e") {
			t.Errorf("%.60q: exit %d, %d bytes: %.200q", args, code, len(said), said)
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"hallmark/internal/base/exit"
)

// TestHostileJSON: whatever a model answers, what is printed as JSON is JSON, moves no terminal, ends no script, and
// says what the model said.
func TestHostileJSON(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the model is a shell script")
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	texts := []string{
		"\x1b]0;owned\a\x1b[2J\u009b31m", "a\u2028b\u2029c", "\u202egnp.exe\u2066",
		"</script><script>alert(1)</script><!--", "\x00\x01\x7f\u0085\u200b\ufeff",
		"\"}],\"rate\":0,[{\"", `\u0022}\`, "bad \xff\xc0\xaf\xed\xa0\x80 bytes", "tags \U000E0041\U000E0042",
		"\ud7ff\ue000\uffff\U0010ffff", "]]> --> ${x} {{x}} <svg onload=x>",
	}
	var suite, rows strings.Builder
	suite.WriteString("suite: {name: hostile, version: \"1\", as_of: 2026-11-20}\ncases:\n")
	for i, text := range texts {
		fmt.Fprintf(&suite, "  - {id: c%d, prompt: \"Which city, number %d?\", gold: [Paris]}\n", i, i)
		fmt.Fprintf(&rows, "{\"text\": %s}\n", rawJSON(text))
	}
	program := "while read -r line; do n=$(printf '%s' \"$line\" | sed -n 's/.*number \\([0-9]*\\)?.*/\\1/p'); sed -n \"$((n+1))p\" answers.jsonl; done\n"
	for name, data := range map[string]string{"suite.yaml": suite.String(), "answers.jsonl": rows.String(),
		"bot.sh": program} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) []byte {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := hallmark(args, strings.NewReader(""), &stdout, &stderr); code != exit.Done {
			t.Fatalf("%q: exit %d: %s", args, code, stderr.String())
		}
		return stdout.Bytes()
	}
	documents := map[string][]byte{
		"run": run("run", "--suite", "suite.yaml", "--model", "exec:sh bot.sh", "-j", "1", "--repeats", "1", "--sampled", "0",
			"--method", "rubric", "--json", "--quiet", "--no-report", "--allow-unscored", "99"),
	}
	documents["report"] = run("report", "latest", "--format", "json")
	run("report", "latest", "--format", "json", "-o", "out.json")
	file, err := os.ReadFile("out.json")
	if err != nil {
		t.Fatal(err)
	}
	documents["report in a file"] = file
	said := map[string]bool{}
	for i := range texts {
		name := fmt.Sprintf("show c%d", i)
		documents[name] = run("show", "latest", fmt.Sprintf("c%d", i), "--json")
		said[answerIn(t, documents[name])] = true
	}
	for name, doc := range documents {
		if !json.Valid(doc) || !utf8.Valid(doc) {
			t.Errorf("%s: no JSON in UTF-8: %.300q", name, doc)
		}
		for _, r := range string(doc) {
			if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || strings.ContainsRune("\u2028\u2029\u202e\u2066\u200b\ufeff",
				r) || r >= 0xE0000 && r < 0xE0080 {
				t.Errorf("%s: %U stands as it is", name, r)
			}
		}
		for _, s := range []string{"</script", "<!--", "<svg"} {
			if bytes.Contains(doc, []byte(s)) {
				t.Errorf("%s: %s stands as it is", name, s)
			}
		}
	}
	for _, text := range texts {
		if want := strings.ToValidUTF8(text, "\ufffd"); utf8.ValidString(text) && !said[want] {
			t.Errorf("nothing says %q", want)
		}
	}
}

// rawJSON writes a text as a JSON string in which only what has to be is escaped, and bytes that are no UTF-8 stand.
func rawJSON(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(text) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// answerIn returns the first answer in what show says of a case.
func answerIn(t *testing.T, doc []byte) string {
	t.Helper()
	var shown struct {
		Answers []struct{ Text string }
	}
	if err := json.Unmarshal(doc, &shown); err != nil || len(shown.Answers) == 0 {
		t.Fatalf("no answer in %s: %v", doc, err)
	}
	return shown.Answers[0].Text
}

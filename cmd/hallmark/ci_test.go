package main

import (
	"encoding/xml"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"hallmark/internal/archtest"
	"hallmark/internal/commands/scaffold"
)

// An action is what this test reads of action.yml.
type action struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Value string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Steps []struct {
			ID    string            `yaml:"id"`
			Shell string            `yaml:"shell"`
			Env   map[string]string `yaml:"env"`
			Run   string            `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

// readYAML reads a file of YAML, as far as v has it.
func readYAML(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// needsShell skips a test where there is no bash, and returns the program, which is this test under another name.
func needsShell(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	program, err := exec.LookPath("hallmark")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// bash runs a script as a step of a CI does, and returns its exit code and all that it printed.
func bash(t *testing.T, dir, script string, env map[string]string) (code int, said string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "step.sh")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", file)
	cmd.Dir, cmd.Env = dir, os.Environ()
	for _, name := range slices.Sorted(maps.Keys(env)) {
		cmd.Env = append(cmd.Env, name+"="+env[name])
	}
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// A done action is what came of one.
type done struct {
	code                   int
	summary, said, comment string
	outputs                map[string]string
}

// file reads a file that the action left.
func (d *done) file(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.outputs["folder"], name))
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// acts runs the steps of the action in a folder with some inputs, as a runner does: expressions stand in `env` alone.
func acts(t *testing.T, dir string, inputs map[string]string) *done {
	t.Helper()
	var a action
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	readYAML(t, filepath.Join(root, "action.yml"), &a)
	for name := range inputs {
		if _, there := a.Inputs[name]; !there {
			t.Fatalf("the action has no input %q", name)
		}
	}
	d := &done{outputs: map[string]string{}}
	files := t.TempDir()
	outputs := map[string]string{}
	value := func(s string) string {
		return expression.ReplaceAllStringFunc(s, func(x string) string {
			x = expression.FindStringSubmatch(x)[1]
			if name, is := strings.CutPrefix(x, "inputs."); is {
				in, there := a.Inputs[name]
				if !there {
					t.Errorf("no input %q", name)
				}
				if given, there := inputs[name]; there {
					return given
				}
				return in.Default
			}
			got, there := outputs[x]
			if !there && d.code == 0 {
				t.Errorf("nothing has set %q", x)
			}
			return got
		})
	}
	for i, s := range a.Runs.Steps {
		if s.Run == "" {
			continue
		}
		if strings.Contains(s.Run, "${{") || s.Shell != "bash" {
			t.Errorf("step %d has an expression in what a shell runs, or no shell", i)
		}
		env := map[string]string{"RUNNER_TEMP": files, "GITHUB_ACTION_PATH": root,
			"GITHUB_STEP_SUMMARY": filepath.Join(files, "summary"), "GITHUB_OUTPUT": filepath.Join(files, "output-"+s.ID)}
		for name, text := range s.Env {
			env[name] = value(text)
		}
		code, said := bash(t, dir, s.Run, env)
		d.said += said
		data, _ := os.ReadFile(env["GITHUB_OUTPUT"])
		for line := range strings.Lines(string(data)) {
			name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			outputs["steps."+s.ID+".outputs."+name] = text
		}
		if d.code = code; code != 0 {
			break
		}
	}
	for name, o := range a.Outputs {
		d.outputs[name] = value(o.Value)
	}
	data, _ := os.ReadFile(filepath.Join(files, "summary"))
	d.summary = string(data)
	if d.outputs["folder"] != "" {
		d.comment = d.file(t, "comment.md")
	}
	return d
}

// A junitFile is the head of one.
type junitFile struct {
	Tests  int `xml:"tests,attr"`
	Errors int `xml:"errors,attr"`
}

func (d *done) junit(t *testing.T) (f junitFile) {
	t.Helper()
	if err := xml.Unmarshal([]byte(d.file(t, "junit.xml")), &f); err != nil {
		t.Error(err)
	}
	return f
}

// The action measures the built-in model without a network, and leaves a summary, a comment, JUnit, a page and a
// bundle, also where a gate fails, where a run is incomplete, and beside a run of the base branch.
func TestAction(t *testing.T) {
	program, dir := needsShell(t), t.TempDir()
	with := func(more map[string]string) map[string]string {
		in := map[string]string{"hallmark": program, "suite": "pocket", "model": "pocket",
			"args": "--limit=6\n--method=rubric\r\n\n--sampled=0\n"}
		maps.Copy(in, more)
		return in
	}
	has := func(about, text string, says ...string) {
		t.Helper()
		for _, s := range says {
			if !strings.Contains(text, s) {
				t.Errorf("%s lacks %q:\n%s", about, s, text[:min(len(text), 4000)])
			}
		}
	}

	passed := acts(t, dir, with(map[string]string{"accept": "incorrect <= 90%", "baseline": "base/bundle.zip"}))
	if passed.code != 0 || passed.outputs["exit-code"] != "0" || passed.junit(t).Tests != 6 {
		t.Fatalf("exit %d: %s", passed.code, passed.said)
	}
	has("the summary", passed.summary, "### pocket was wrong on", "| wrong answers |", "#### Declared thresholds",
		"no run of the base branch")
	if passed.comment != passed.summary {
		t.Error("the summary is another than the comment")
	}
	has("the page", passed.file(t, "report.html"), "<h1")
	has("the document", passed.file(t, "result.json"), `"id": "`+passed.outputs["run"]+`"`)

	failed := acts(t, dir, with(map[string]string{"fail-on": "rubric.outcomes.incorrect.lo >= 0\n"}))
	if failed.code != 100 || failed.outputs["exit-code"] != "100" || failed.junit(t).Tests != 6 {
		t.Errorf("exit %d: %s", failed.code, failed.said)
	}
	has("the log", failed.said, "gate failed: pocket: rubric.outcomes.incorrect.lo >= 0")
	has("the summary", failed.summary, "### pocket was wrong on", "**A gate failed**")

	const bot = "while read -r line; do echo '{\"text\": \"47\"}'; done\n"
	if err := os.WriteFile(filepath.Join(dir, "bot.sh"), []byte(bot), 0o600); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(passed.outputs["folder"], "bundle.zip")
	changed := with(map[string]string{"model": "exec:sh bot.sh", "baseline": base})
	worse := acts(t, dir, changed)
	if worse.code != 0 {
		t.Errorf("exit %d: %s", worse.code, worse.said)
	}
	has("the comment", worse.comment, "| share of the answers | before | after |", "cases regressed**", "0 cases fixed",
		"  - base: ", "  - other: ", "was wrong on")
	changed["compare-fail-on"] = "outcomes.difference.incorrect.lo > 0"
	if worse = acts(t, dir, changed); worse.code != 100 {
		t.Errorf("exit %d: %s", worse.code, worse.said)
	}
	has("the log", worse.said, "gate failed: comparison: outcomes.difference.incorrect.lo > 0")

	part := acts(t, dir, with(map[string]string{"model": "exec:sh bot.sh", "store": "sqlite:part.db",
		"args": "--limit=6\n--method=rubric\n--sampled=0\n--seed=7\n--budget=3calls"}))
	if part.code != 3 || part.junit(t).Errors != 1 || !strings.HasPrefix(part.comment, "> ⚠ Incomplete") {
		t.Errorf("exit %d: %s\n%s", part.code, part.said, part.comment)
	}
}

// What an input holds is no command, and a mistake is said in the summary.
func TestActionInputs(t *testing.T) {
	program, dir := needsShell(t), t.TempDir()
	const evil = "pocket\"; touch pwned; echo \"$(touch pwned)`touch pwned`"
	names := []string{"plan", "suite", "model", "fail-on", "accept", "args"}
	tries := [][]string{names} // all at once, as the shell reads each before the program starts
	if archtest.Long() {
		tries = slices.Collect(slices.Chunk(names, 1))
	}
	for _, names := range tries {
		in := map[string]string{"hallmark": program}
		for _, name := range names {
			in[name] = evil
		}
		d := acts(t, dir, in)
		if d.code == 0 || d.outputs["run"] != "" || !strings.Contains(d.summary, "Hallmark came to no result (exit code ") {
			t.Errorf("%s: exit %d: %s\n%s", names, d.code, d.said, d.summary)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("an input was run")
	}
}

// Where no program is named the action builds that of its source.
func TestActionBuilds(t *testing.T) {
	needsShell(t)
	if os.Getenv("HALLMARK_LONG") == "" {
		t.Skip("HALLMARK_LONG is not set")
	}
	d := acts(t, t.TempDir(), map[string]string{"suite": "pocket", "args": "--limit=3\n--method=rubric"})
	if d.code != 0 || d.junit(t).Tests != 3 {
		t.Errorf("exit %d: %s", d.code, d.said)
	}
}

// A workflow is what this test reads of one.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			Uses string            `yaml:"uses"`
			With map[string]string `yaml:"with"`
			Run  string            `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// inputs returns what a workflow gives the action, and holds that it interpolates nothing into a shell.
func (w *workflow) inputs(t *testing.T, of string) map[string]string {
	t.Helper()
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			if strings.Contains(s.Run, "${{") {
				t.Errorf("%s: an expression in what a shell runs: %s", of, s.Run)
			}
			if strings.HasSuffix(s.Uses, "/hallmark-action") || strings.Contains(s.Uses, "OWNER/hallmark@") {
				return s.With
			}
		}
	}
	t.Fatalf("%s does not use the action", of)
	return nil
}

// The workflow of `hallmark init` and that of docs/ci.md give the action inputs that it has, and with them it runs.
func TestWorkflows(t *testing.T) {
	program := needsShell(t)
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("docs/ci.md has %d examples", len(blocks))
	}
	dir := t.TempDir()
	files, _, err := scaffold.Files(dir, "")
	if err == nil {
		err = scaffold.Write(dir, files)
	}
	if err != nil {
		t.Fatal(err)
	}
	var written, shown workflow
	readYAML(t, filepath.Join(dir, scaffold.CIFile), &written)
	if err := yaml.Unmarshal([]byte(blocks[0][1]), &shown); err != nil {
		t.Fatal(err)
	}
	for of, w := range map[string]*workflow{"hallmark init": &written, "docs/ci.md": &shown} {
		in := w.inputs(t, of)
		if w == &shown && !archtest.Long() {
			continue
		}
		in["hallmark"] = program
		for name, text := range in {
			in[name] = expression.ReplaceAllString(text, "pocket") // the model is the only one
		}
		if d := acts(t, dir, in); d.code != 0 || d.junit(t).Tests != 12 || !strings.Contains(d.summary, "was wrong on") {
			t.Errorf("%s: exit %d: %s", of, d.code, d.said)
		}
	}

	var job map[string]struct {
		Variables map[string]string `yaml:"variables"`
		Before    []string          `yaml:"before_script"`
		Script    []string          `yaml:"script"`
		Artifacts struct {
			Paths []string `yaml:"paths"`
		} `yaml:"artifacts"`
	}
	if err := yaml.Unmarshal([]byte(blocks[1][1]), &job); err != nil {
		t.Fatal(err)
	}
	gitlab := job["hallmark"]
	env := map[string]string{"PATH": filepath.Dir(program) + string(os.PathListSeparator) + os.Getenv("PATH")}
	maps.Copy(env, gitlab.Variables)
	script := strings.Join(gitlab.Script, "\n")
	if code, said := bash(t, dir, script, env); code != 0 {
		t.Errorf("GitLab: exit %d: %s", code, said)
	}
	for _, path := range gitlab.Artifacts.Paths {
		if _, err := os.Stat(filepath.Join(dir, path)); err != nil {
			t.Errorf("GitLab: %v", err)
		}
	}
	if !archtest.Long() {
		return
	}
	if err := os.Rename(filepath.Join(dir, "reports", "bundle.zip"), filepath.Join(dir, "baseline.zip")); err != nil {
		t.Fatal(err)
	}
	for _, gate := range []string{"run --fail-on 'rubric.outcomes.incorrect.lo >= 0'",
		"compare --fail-on 'outcomes.difference.incorrect.hi >= 0'"} {
		if err := os.RemoveAll(filepath.Join(dir, "reports")); err != nil {
			t.Fatal(err)
		}
		command, _, _ := strings.Cut(gate, " ")
		code, said := bash(t, dir, strings.Replace(script, "hallmark "+command+" ", "hallmark "+gate+" ", 1), env)
		comment, err := os.ReadFile(filepath.Join(dir, "reports", "comment.md"))
		if err != nil || code != 100 || !strings.Contains(string(comment), "| before | after |") {
			t.Errorf("GitLab with a baseline and %s: exit %d, %v: %s\n%s", gate, code, err, said, comment)
		}
	}
}

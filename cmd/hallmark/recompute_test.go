package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecomputed has every figure of the bare run computed again, from its bundle, by the program in
// bench/recompute, which was written in Python from docs/methods.md, docs/detection.md and docs/posterior.md. It
// finds nothing that differs; and it finds a verdict, figures and a sentence that were changed, and a figure that was
// added. So it is with a run of the posterior rate alone over contexts with several queries, whose costs differ more.
func TestRecomputed(t *testing.T) {
	if os.Getenv("HALLMARK_LONG") == "" {
		t.Skip("runs with HALLMARK_LONG=1")
	}
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import numpy, scipy").CombinedOutput(); err != nil {
		t.Skipf("%s with numpy and scipy is not there: %v %s", python, err, out)
	}
	script, err := filepath.Abs("../../bench/recompute/recompute.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	hallmark := func(line string) {
		cmd := exec.Command("hallmark", strings.Fields(line)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", line, err, out)
		}
	}
	recompute := func(bundle string) (code int, out string) {
		cmd := exec.Command(python, "-B", script, bundle)
		b, err := cmd.CombinedOutput()
		if e := (*exec.ExitError)(nil); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(b)
	}
	hallmark("run --quiet --no-report --model pocket --method posterior --eps .3 " +
		"--suite incontext:topic8x2?contexts=12&queries=5&n=8&noise=10&pool=0")
	hallmark("report latest --format evidence -o contexts.zip")
	code, out := recompute(filepath.Join(dir, "contexts.zip"))
	t.Log(out)
	if code != 0 || !strings.Contains(out, "\n3775 figures compared, 0 differ or are missing") {
		t.Fatalf("exit %d", code)
	}
	hallmark("run --quiet --no-report")
	hallmark("report latest --format evidence -o run.zip")
	members := filepath.Join(dir, "members")
	unzip(t, filepath.Join(dir, "run.zip"), members)
	code, out = recompute(members)
	t.Log(out)
	if code != 0 || !strings.Contains(out, "\n12214 figures compared, 0 differ or are missing") {
		t.Fatalf("exit %d", code)
	}
	changes := []struct{ member, from, to, says string }{
		{
			"verdicts.jsonl", `"outcome":"correct","truth":{"verdict":"pass"`,
			`"outcome":"incorrect","truth":{"verdict":"fail"`, "DIFFERS rubric.truth_error.rate",
		},
		{
			"result.json", `"semantic_stability": {`, `"semantic_stability": {"more": 1,`,
			"semantic_stability.more: not computed here",
		},
		{
			"result.json", `"martingale_gap": 0.0`, `"martingale_gap": 0.1`, "DIFFERS posterior.martingale_gap",
		},
		{
			"result.json", `"lo": 0.02158826`, `"lo": 0.02158827`, "DIFFERS posterior.study.risk_coverage[0].area.lo",
		},
		{
			"result.json", `"phr": 0.000625`, `"phr": 0.001625`, "DIFFERS posterior.study.ablation[1].phr",
		},
		{
			"result.json", `"p_holm": 0.060515679839451414`, `"p_holm": 0.0605`, "DIFFERS rubric.slices.by.class.of.",
		},
		{
			"result.json", "are 596 clusters", "are 597 clusters", "DIFFERS rubric.warnings[0]: says 600, 597",
		},
	}
	for _, change := range changes {
		file := filepath.Join(members, change.member)
		was, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		now := bytes.Replace(was, []byte(change.from), []byte(change.to), 1)
		if err := os.WriteFile(file, now, 0o600); err != nil || bytes.Equal(was, now) {
			t.Fatalf("%s has no %s (%v)", change.member, change.from, err)
		}
	}
	code, out = recompute(members)
	for _, change := range changes {
		if code != 1 || !strings.Contains(out, change.says) {
			t.Errorf("%s was changed: exit %d, no %q in %s", change.member, code, change.says, out)
		}
	}
}

// unzip writes the members of a bundle into a new folder.
func unzip(t *testing.T, file, dir string) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := os.CopyFS(dir, &z.Reader); err != nil {
		t.Fatal(err)
	}
}

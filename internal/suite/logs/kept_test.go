package logs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPartsOfScores holds the figures that Inspect prints of the parts of a score against those of its samples.
func TestPartsOfScores(t *testing.T) {
	const log = `{"version": 2, "status": "success", "eval": {"task": "t", "model": "m", "packages": {}},
"results": {"completed_samples": 2, "scores": [
 {"name": "a", "scorer": "parts", "metrics": {"mean": {"value": %s}}},
 {"name": "includes", "scorer": "includes", "metrics": {"accuracy": {"value": 0.5}}}]},
"samples": [
 {"id": 1, "epoch": 1, "input": "q", "target": "x", "output": {"completion": "x"}, "scores": {"parts": {"value": {"a": 1}}, "includes": {"value": "C"}}},
 {"id": 2, "epoch": 1, "input": "p", "target": "y", "output": {"completion": "z"}, "scores": {"parts": {"value": {"a": 0.5}}, "includes": {"value": "I"}}}]}`
	for printed, want := range map[string]string{
		"0.75": "", "0.5": "Inspect printed 0.5 for parts/a, and the mean of its samples is 0.75",
	} {
		a := read(t, nil, write(t, map[string]string{"a.json": fmt.Sprintf(log, printed)})...)
		notes := strings.Join(a.Notes, "\n")
		if got := a.Sources[0].Printed; len(got) != 2 || fmt.Sprint(got["parts/a"]) != printed || got["includes"] != .5 {
			t.Errorf("printed %v", got)
		}
		if strings.Contains(notes, "printed") != (want != "") || !strings.Contains(notes, want) {
			t.Errorf("noted %q, want %q", notes, want)
		}
	}
}

// TestPythonList reads what repr of Python 3.11 prints of lists of strings.
func TestPythonList(t *testing.T) {
	for text, want := range map[string][]string{
		`['no\xa0break', "it's", 'a "b"', 'both \'"']`: {"no\u00a0break", "it's", `a "b"`, `both '"`},
		`['\r\n\t\\', '\u200b', '\U000e0001']`:         {"\r\n\t\\", "\u200b", "\U000e0001"},
		`['a' 'b'
 'c']`: {"a", "b", "c"}, // an array of numpy
		`[]`: nil,
	} {
		if got, ok := pythonList(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%s is %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{`['a]`, `['a\']`, `[1]`, `['\x0']`, `['\ud800']`} {
		if got, ok := pythonList(text); ok {
			t.Errorf("%s is %q", text, got)
		}
	}
}

// TestTagColumns makes groups and observations of the columns tag and cluster, which nothing maps.
func TestTagColumns(t *testing.T) {
	a := read(t, nil,
		write(t, map[string]string{"a.csv": "question,output,gold,tag,cluster\nq?,A,a,easy,x\np?,B,b,,x\n"})...)
	if c := a.Suite.Cases; a.Suite.Cluster != "cluster" || !slices.Equal(c.At(0).Tags, []string{"cluster:x", "easy"}) ||
		!slices.Equal(c.At(1).Tags, []string{"cluster:x"}) {
		t.Errorf("%q and %q, by %q", c.At(0).Tags, c.At(1).Tags, a.Suite.Cluster)
	}
}

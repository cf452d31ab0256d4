package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/model/compress"
)

func TestParseSweep(t *testing.T) {
	l, err := parseSweep("s.yaml", []byte("# stages\nmodels:\n  - {name: dense, model: hf:a, sparsity: 0}\n  - name: R1\n    model: exec:b\n    sparsity: .149\n    sparsity_of_all: .1\n"))
	if err != nil || len(l.stages) != 2 || l.models[1] != "exec:b" || l.stages[1].Sparsity != .149 || *l.stages[1].OfAll != .1 || l.dense != "" {
		t.Fatalf("%+v, %v", l, err)
	}
	// By size: 1 - 3/4.
	l, err = parseSweep("s.yaml", []byte("models: [{name: a, model: x, size: 4}, {name: b, model: y, size: 3}]"))
	if err != nil || l.stages[1].Sparsity != .25 || l.stages[0].Size != 4 {
		t.Fatalf("%+v, %v", l, err)
	}
	// Two quantizations of one size, and one that is no smaller than the first.
	l, err = parseSweep("s.yaml", []byte("models: [{name: a, model: w, size: 4}, {name: b, model: x, size: 4}, {name: c, model: y, size: 3}, {name: d, model: z, size: 3}]"))
	if err != nil || l.stages[1].Sparsity != 0 || l.stages[2].Sparsity != .25 || l.stages[3].Sparsity != .25 {
		t.Fatalf("%+v, %v", l, err)
	}
	const two = "models:\n  - {name: dense, model: x, sparsity: 0}\n"
	for _, tt := range [][2]string{
		{"", "s.yaml:1: yaml: no documents in stream; a sweep is"},
		{"[", "s.yaml:2: did not find"},
		{"- a", "s.yaml:1: want a mapping"},
		{"{}", "s.yaml:1: want a mapping"},
		{"model: x", "s.yaml:1: unexpected key \"model\""},
		{two + "suite: pocket", "s.yaml:3: unexpected key \"suite\""},
		{"models: pocket", "s.yaml:1: models: want a list"},
		{two, "s.yaml:2: a sweep sets two models at least"},
		{two + "  - pocket", "s.yaml:3: a model is {"},
		{two + "  - {name: R1, model: y, sparsity: .2, quality: 3}", "s.yaml:3: unknown key \"quality\""},
		{two + "  - {name: R1, model: y}", "s.yaml:3: R1: no sparsity and no size"},
		{two + "  - {name: R1, sparsity: .2}", "s.yaml:3: R1: no model"},
		{two + "  - {model: y, sparsity: .2}", "s.yaml:3: a model without a name"},
		{two + "  - {name: R1, model: y, sparsity: .2, size: 3}", "s.yaml:3: R1: sparsity and size"},
		{two + "  - {name: R1, model: y, size: 3}", "s.yaml:3: R1 has a size"},
		{two + "  - {name: R1, model: y, sparsity: much}", "s.yaml:3: sparsity: \"much\" is no number"},
		{two + "  - {name: R1, model: y, sparsity: .nan}", "s.yaml:3: "},
		{two + "  - {name: R1, model: y, sparsity: 14.9}", "s.yaml:3: R1: a sparsity of 14.9; want a share"},
		{two + "  - {name: R1, model: y, sparsity: .2}\n  - {name: R2, model: z, sparsity: .1}", "s.yaml:4: R2: a sparsity of 0.1 after 0.2 of R1; want the models in the order"},
		{"models:\n  - {name: a, model: x, size: 4}\n  - {name: b, model: y, size: 2}\n  - {name: c, model: z, size: 3}", "s.yaml:4: c: a size of 3 after 2 of b; want the largest model first"},
		{two + "  - {name: dense, model: y, sparsity: .2}", "s.yaml:3: two models are named \"dense\""},
		{two + "  - {name: R1, model: y, sparsity: [1]}", "s.yaml:3: sparsity: want one plain value"},
		{two + "  - {name: R1, name: R2, model: y, sparsity: .1}", "s.yaml:3: "},
		{"models:\n  - {name: R1, model: x, sparsity: .1}\n  - {name: R2, model: y, sparsity: .2}", "s.yaml:2: R1: the first model"},
		{"models:\n  - {name: a, model: x, size: 3}\n  - {name: b, model: y, size: 4}", "s.yaml:3: b: a size of 4 is above the 3 of the first"},
		{"models:\n  - {name: a, model: x, size: 0}", "s.yaml:2: size: want a number above 0"},
	} {
		if _, err := parseSweep("s.yaml", []byte(tt[0])); err == nil || !strings.HasPrefix(err.Error(), tt[1]) {
			t.Errorf("%q\n got %v\nwant %s", tt[0], err, tt[1])
		}
	}
}

// Whatever a file holds, it is refused in one line that names it, or lists models whose sparsity never falls.
func FuzzParseSweep(f *testing.F) {
	f.Add([]byte("models: [{name: a, model: x, size: 4}, {name: b, model: y, size: 3}]"))
	f.Add([]byte("models:\n  - {name: dense, model: x, sparsity: 0}\n  - {name: b, model: y, sparsity: .5, sparsity_of_all: .2}"))
	f.Add([]byte("models: &a\n  - *a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseSweep("s.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "s.yaml:") {
				t.Errorf("%v", err)
			}
			return
		}
		if len(l.stages) != len(l.models) || len(l.stages) < 2 || l.stages[0].Sparsity != 0 {
			t.Errorf("%+v", l)
		}
		for i := 1; i < len(l.stages); i++ {
			if !(l.stages[i].Sparsity >= l.stages[i-1].Sparsity && l.stages[i].Sparsity < 1) {
				t.Errorf("%+v", l.stages)
			}
		}
	})
}

func TestStagesOf(t *testing.T) {
	dir := t.TempDir()
	put := func(name, data string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, compress.File), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := stagesOf(dir, "pocket"); err == nil || !strings.Contains(err.Error(), "no folder in it holds a compression.json") {
		t.Errorf("an empty folder: %v", err)
	}
	put("R10", `{"plan": "p", "stage": "R10", "sparsity": 0.6, "sparsity_of_all": 0.5}`)
	put("R2", `{"plan": "p", "stage": "R2", "sparsity": 0.2, "removed": []}`)
	l, err := stagesOf(dir, "pocket")
	if err != nil || len(l.stages) != 3 || l.stages[0].Name != "dense" || l.stages[1].Name != "R2" || *l.stages[2].OfAll != .5 || l.dense != "pocket" ||
		l.models[0] != "pocket" || l.models[2] != "hf:"+filepath.Join(dir, "R10") {
		t.Errorf("%+v, %v", l, err)
	}
	put("R3", `{"plan": "p", "stage": "R3", "sparsity": 0.2}`)
	if l, err := stagesOf(dir, "pocket"); err != nil || l.stages[1].Name != "R2" || l.stages[2].Name != "R3" || l.stages[3].Name != "R10" {
		t.Errorf("two of one sparsity, in the order of their folders: %+v, %v", l, err)
	}
	put("R3", `{"plan": "q", "stage": "R3", "sparsity": 0.3}`)
	if _, err := stagesOf(dir, "pocket"); err == nil || !strings.Contains(err.Error(), "a stage of another compression") {
		t.Errorf("two compressions: %v", err)
	}
	put("R3", `{"plan": "p"}`)
	if _, err := stagesOf(dir, "pocket"); err == nil || !strings.Contains(err.Error(), "compression.json:1: no stage and sparsity") {
		t.Errorf("a foreign file: %v", err)
	}
}

// A model served elsewhere cannot be checked, nor can stages whose log hashes nothing; a reference that is none is refused.
func TestMadeFrom(t *testing.T) {
	hashes := map[string]string{"model.safetensors": "0"}
	for ref, want := range map[string]string{
		"http://localhost:1/v1#dense": "", "exec:model": "", "nothing": "--model: unknown model", "hf:nowhere": "--model hf:nowhere: nowhere is no folder",
		"pocket": "--model pocket is not the dense model that the stages were made from: its model.safetensors is not",
	} {
		if err := madeFrom(ref, hashes); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", ref, err, want)
		}
	}
	if err := madeFrom("pocket", nil); err != nil {
		t.Errorf("an older log: %v", err)
	}
}

package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"hallmark/internal/commands/suites"
)

// inFolder begins a test in a new folder that has the questions.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	put(t, "questions.csv", "question,gold,note\nWhat is 7 plus 40?,47,a\n\"Say \"\"hi\"\", then: # no\",'yes',b\n"+
		"π to two digits?,3.14,c\n")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// made writes the files for the questions, and returns their texts by path.
func made(t *testing.T, questions string) map[string]string {
	t.Helper()
	files, _, err := Files(".", questions)
	if err == nil {
		err = Write(".", files)
	}
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Path] = string(data)
		var any any
		if err := yaml.Unmarshal(data, &any); err != nil || strings.Contains(string(data), "{plan}") ||
			strings.Contains(string(data), "{suite}") {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
	return texts
}

// The suite that is written has the questions of the table, to the last character, and the plan names it.
func TestFiles(t *testing.T) {
	inFolder(t)
	texts := made(t, "questions.csv")
	if len(texts) != 3 || !strings.Contains(texts[PlanFile], "\nsuite: questions.yaml\n") ||
		!strings.Contains(texts[CIFile], "plan: plan.yaml\n") {
		t.Error(texts)
	}
	table, err := suites.Open("questions.csv", false)
	if err != nil {
		t.Fatal(err)
	}
	written, err := suites.Open("questions.yaml", false)
	if err != nil {
		t.Fatal(err)
	}
	if table.Cases.Len() != 3 || table.Hash() != written.Hash() {
		t.Errorf("%d cases: the suite is another than the table", written.Cases.Len())
	}
	if _, warnings, _ := Files(".", "questions.csv"); len(warnings) != 1 || !strings.Contains(warnings[0], "note") {
		t.Errorf("warnings %q: the column that was not read is not said", warnings)
	}
}

// A suite that is one stays as it is, and has to lie where the plan may name it.
func TestSuiteStays(t *testing.T) {
	inFolder(t)
	if err := os.Mkdir("sets", 0o700); err != nil {
		t.Fatal(err)
	}
	const text = "suite: {name: s}\ncases:\n  - {id: a, prompt: A?, gold: B}\n"
	put(t, "sets/my set.yaml", text)
	texts := made(t, "./sets/my set.yaml")
	if data, _ := os.ReadFile("sets/my set.yaml"); len(texts) != 2 || string(data) != text ||
		!strings.Contains(texts[PlanFile], "\nsuite: 'sets/my set.yaml'\n") {
		t.Error(texts)
	}
	t.Chdir("sets")
	put(t, "../other.yaml", text)
	if _, _, err := Files(".", "../other.yaml"); err == nil || !strings.Contains(err.Error(), "lies outside this folder") {
		t.Error(err)
	}
}

// Nothing is written over, and where one file cannot be written none is.
func TestWriteAllOrNone(t *testing.T) {
	for _, there := range []string{"questions.yaml", PlanFile, CIFile} {
		inFolder(t)
		if err := os.MkdirAll(filepath.Dir(there), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, there, "mine")
		files, _, err := Files(".", "questions.csv")
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(".", files); err == nil || !strings.HasPrefix(err.Error(), there+" is there already") {
			t.Errorf("%s: %v", there, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f.Path)
			if f.Path == there && string(data) != "mine" || f.Path != there && err == nil {
				t.Errorf("%s there: %s was written", there, f.Path)
			}
		}
	}
	inFolder(t)
	if err := os.Symlink(t.TempDir(), ".github"); err != nil {
		t.Skip(err)
	}
	files, _, _ := Files(".", "")
	if err := Write(".", files); err == nil || !strings.Contains(err.Error(), "leads out of the folder") {
		t.Error(err)
	}
	if _, err := os.Stat(PlanFile); err == nil {
		t.Error("the plan was written all the same")
	}
}

// The example has questions of each kind, and names its world.
func TestExample(t *testing.T) {
	s := example()
	tags := map[string]int{}
	for _, c := range s.Cases.All() {
		for _, tag := range c.Tags {
			tags[tag]++
		}
	}
	if err := s.Check(); err != nil || tags["known"] != 6 || tags["myth-3"] != 2 || tags["contested-coin"] != 2 ||
		tags["absent"] != 2 || s.World != "pocket" {
		t.Errorf("%v: %v", err, tags)
	}
}

package benchmark

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/suite"
)

// Rows, rows by label, and the first and last row were read off the files with Python 3.11 (csv, json). So were the
// inputs of over 464 bytes, which are over 116 tokens of four bytes, and those that repeat.
func TestLabelledFiles(t *testing.T) {
	for _, tt := range []struct {
		name, path  string
		task        labelledTask
		by          []int
		first, last string // how the first begins and the last ends
		kept        int
	}{
		{"sst2", "sst2/stsa.binary.train", sst2Task, []int{3610, 3310},
			"a stirring , funny and finally transporting re-imagining", "a city coming apart at its seams .", 6911},
		{"sst2", "sst2/stsa.binary.dev", sst2Task, []int{444, 428}, "one long string of cliches .",
			"and actually applies it .", 872},
		{"sst2", "sst2/stsa.binary.test", sst2Task, []int{909, 912}, "no movement , no yuks , not much of anything .",
			"it is n't funny , either .", 1821},
		{"subj", "subj/quote.tok.gt9.5000", subjTask, []int{5000, 5000}, "smart and alert , thirteen conversations",
			"his world came crumbling down . . .", 9996},
		{"subj", "subj/plot.tok.gt9.5000", subjTask, []int{5000, 5000}, "smart and alert , thirteen conversations",
			"his world came crumbling down . . .", 9996},
		{"agnews", "agnews/test.csv", agNewsTask, []int{1900, 1900, 1900, 1900},
			"Fears for T N pension after talks Unions representing workers at Turner Newall say",
			"Rent.com for $415 million, adding to its already exhaustive breadth of offerings.", 7536},
		{"medicalqp", "mqp/mqp.csv", medicalTask, []int{1524, 1524},
			"Question 1: After how many hour from drinking an antibiotic can I drink alcohol? Question 2: I have a party " +
				"tonight",
			"Should I go and see a doctor?", 0},
		{"rte", "rte/train.jsonl", rteTask, []int{1249, 1241}, "Premise: No Weapons of Mass Destruction Found in Iraq " +
			"Yet. Hypothesis: Weapons of Mass Destruction Found in Iraq.",
			"Hypothesis: U.S. to use Turkish military bases.", 0},
		{"rte", "rte/val.jsonl", rteTask, []int{146, 131}, "Premise: Dana Reeve, the widow",
			"Hypothesis: Greenpeace director said that peace is terrorism.", 0},
	} {
		t.Run(tt.path, func(t *testing.T) {
			path := archtest.Published(t, tt.path)
			if name, ok, err := detected(path); err != nil || ok != (tt.name != "agnews") || ok && name != tt.name {
				t.Errorf("detected as %q, %v, %v", name, ok, err)
			}
			data, err := suite.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f := newFile(Reference{Name: tt.name, Path: path}, data)
			var rows []example
			if err := tt.task.read(f, func(e example) { rows = append(rows, e) }); err != nil {
				t.Fatal(err)
			}
			by := make([]int, len(tt.task.labels))
			for _, e := range rows {
				by[e.label]++
			}
			if fmt.Sprint(by) != fmt.Sprint(tt.by) || !strings.HasPrefix(rows[0].input, tt.first) ||
				!strings.HasSuffix(rows[len(rows)-1].input, tt.last) {
				t.Errorf("%v by label, want %v; first %q, last %q", by, tt.by, rows[0].input, rows[len(rows)-1].input)
			}
			if version(data) == "" || strings.HasPrefix(version(data), "sha256-") {
				t.Errorf("version %q", version(data))
			}
			if tt.kept > 0 {
				tokens, whose, _ := f.counter()
				kept, err := f.examples(tt.task, tokens, whose)
				if err != nil || len(kept) != tt.kept {
					t.Errorf("%d rows can be used, want %d (%v)", len(kept), tt.kept, err)
				}
			}
		})
	}
}

// The published design: 50 contexts of each size and 10 queries after each, balanced contexts, all inputs of a problem
// different.
func TestPublishedDesign(t *testing.T) {
	train, test := archtest.Published(t, "sst2/stsa.binary.train"), archtest.Published(t, "sst2/stsa.binary.test")
	s, err := Load("sst2="+test+",pool="+train, false)
	if err != nil {
		t.Fatal(err)
	}
	if s.Cases.Len() != 5*50*10 || s.Name != "sst2" || s.Version != "test" {
		t.Fatalf("%s %s has %d cases", s.Name, s.Version, s.Cases.Len())
	}
	contexts, golds := map[string]int{}, 0
	for i := range s.Cases.Len() {
		c := s.Cases.At(i)
		checkProblem(t, c, 2)
		contexts[fmt.Sprint(len(c.Demonstrations), " ", c.Demonstrations[0], c.Pool)]++
		golds += *c.Gold.Option
		if len(c.Rows) != truePairs {
			t.Fatalf("%s: %d true pairs", c.ID, len(c.Rows))
		}
	}
	if len(contexts) != 250 || contexts[fmt.Sprint(2, " ", s.Cases.At(0).Demonstrations[0], s.Cases.At(0).Pool)] != 10 ||
		golds < 1100 || golds > 1400 {
		t.Errorf("%d contexts, %d of 2500 negative", len(contexts), golds)
	}
	if s.Cases.At(0).ID != "sst2-n2-c00-q00" || s.Cases.At(2499).ID != "sst2-n32-c49-q09" {
		t.Errorf("from %s to %s", s.Cases.At(0).ID, s.Cases.At(2499).ID)
	}
	again, err := Load("sst2="+test+",pool="+train, false)
	if err != nil || again.Hash() != s.Hash() {
		t.Errorf("drawn again it is another suite (%v)", err)
	}
	other, err := Load("sst2="+test+",pool="+train+",seed=2,shots=2,contexts=1", false)
	if err != nil || other.Name != "sst2-n2" || other.Cases.Len() != 10 ||
		other.Cases.At(0).Prompt == s.Cases.At(0).Prompt {
		t.Errorf("another seed: %s, %d cases (%v)", other.Name, other.Cases.Len(), err)
	}
}

// checkProblem holds a case against what every problem is.
func checkProblem(t *testing.T, c *suite.Case, labels int) {
	t.Helper()
	by, inputs := map[string]int{}, map[string]bool{c.Prompt: true}
	n := len(c.Demonstrations)
	for _, d := range c.Demonstrations {
		by[d.Label]++
		if inputs[d.Input] {
			t.Errorf("%s: %q stands twice", c.ID, d.Input)
		}
		inputs[d.Input] = true
	}
	for _, d := range c.Rows {
		if inputs[d.Input] {
			t.Errorf("%s: the true pair %q is in the context or asked", c.ID, d.Input)
		}
	}
	for l, count := range by {
		if count != n/labels && count != (n+labels-1)/labels {
			t.Errorf("%s: %d of %d are %s", c.ID, count, n, l)
		}
	}
	if len(by) != min(n, labels) {
		t.Errorf("%s: %d labels in %d pairs", c.ID, len(by), n)
	}
}

// Made files in the formats of the originals, so that each reader is tested without them; of WNLI there is no other.
func TestMadeLabelled(t *testing.T) {
	for _, tt := range []struct {
		ref    string
		labels int
		gold   map[string]string // by how an input begins
	}{
		{"sst2=testdata/stsa.binary.test,pool=testdata/stsa.binary.train", 2, map[string]string{"a warm": "positive",
			"two hours": "negative"}},
		{"subj=testdata/plot.tok.gt9.5000", 2, map[string]string{"a warm": "subjective", "a ship's": "objective"}},
		{"agnews=testdata/agnews.csv", 4, map[string]string{"Made-up cup 0 Officials of Nowhere met on Monday.": "Sports",
			`Made-up comet 1 Observers say that "much" is open, and more follows.`: "Science"}},
		{"medicalqp=testdata/mqp.csv", 2, map[string]string{"Question 1: Can I drink tea with this made-up syrup? " +
			"Question 2: Is": "similar", "Question 1: May I swim with a made-up patch on? Question 2: Where": "dissimilar"}},
		{"rte=testdata/rte_val.jsonl", 2, map[string]string{"Premise: The made-up comet was seen by a farmer. Hypothesis: " +
			"A farmer saw": "entailment", "Premise: The made-up comet was seen by a farmer. Hypothesis: A farmer built": "not"}},
		{"wnli=testdata/wnli_dev.tsv", 2,
			map[string]string{`Sentence 1: Ada thanked Ina because she had carried the "big" sack. Sentence 2: Ina`: "entailment", "Sentence 1: The kettle fell on the cup and it broke. Sentence 2: The kettle": "not"}},
	} {
		s, err := Load(tt.ref+",shots=2/4,contexts=20,queries=1", false)
		if err != nil {
			t.Error(err)
			continue
		}
		seen := map[string]bool{}
		for i := range s.Cases.Len() {
			c := s.Cases.At(i)
			checkProblem(t, c, tt.labels)
			if c.Form != suite.InputLabel || len(c.Options) != tt.labels {
				t.Errorf("%s: %+v", tt.ref, c)
			}
			all := append([]suite.Demonstration{{Input: c.Prompt, Label: c.Options[*c.Gold.Option]}},
				append(c.Demonstrations, c.Rows...)...)
			for _, d := range all {
				for begin, label := range tt.gold {
					if strings.HasPrefix(d.Input, begin) {
						if seen[begin] = true; d.Label != label {
							t.Errorf("%s: %q is %s, want %s", tt.ref, d.Input, d.Label, label)
						}
					}
				}
			}
		}
		if len(seen) != len(tt.gold) {
			t.Errorf("%s: of %v only %v were drawn", tt.ref, tt.gold, seen)
		}
	}
}

func TestLabelledFaults(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("long ", 93) // 464 bytes without the last space
	for _, tt := range []struct{ name, file, with, text, want string }{
		{"sst2", "stsa.binary.test", "", "1 good\n2 odd\n", `stsa.binary.test:2: want "0" or "1", a space and a sentence`},
		{"sst2", "stsa.binary.test", ",shots=2", "1 good\n1 fine\n",
			`stsa.binary.test:1: no usable row is labelled "negative", so no context can be balanced`},
		{"sst2", "stsa.binary.test", ",shots=2,queries=1", "1 good\n0 bad\n",
			`stsa.binary.test:1: 0 rows beside a context of 2 pairs, but 1 queries are drawn`},
		{"sst2", "stsa.binary.test", ",shots=4", "1 good\n1 fine\n0 bad\n",
			`stsa.binary.test:1: 1 usable rows are labelled "negative", but a context of 4 pairs takes 2`},
		{"sst2", "stsa.binary.test", ",shots=2,queries=1", "1 " + long + "long\n0 bad\n1 good\n",
			`stsa.binary.test:1: 0 rows beside`},
		{"sst2", "stsa.binary.test", ",tokenizer=testdata/mqp.csv", "1 good\n", `testdata/mqp.csv:1: `},
		{"sst2", "stsa.binary.test", ",pool=nowhere", "1 good\n", `pool: no file "nowhere"`},
		{"subj", "quote.tok.gt9.5000", "", "it moved me to tears .\n", `the other half of quote.tok.gt9.5000: no file`},
		{"subj", "s.txt", "", "it moved me to tears .\n", `s.txt:1: the data set is two files`},
		{"agnews", "test.csv", "", "\"5\",\"t\",\"d\"\n", `test.csv:1: class is "5"; want 1 to 4`},
		{"agnews", "test.csv", "", "\"1\",\"t\"\n", `test.csv:1: 2 fields; want 3`},
		{"agnews", "test.csv", "", "\"1\",\"t\n", `test.csv:1: not valid CSV`},
		{"medicalqp", "mqp.csv", "", "1,a,b,2\n", `mqp.csv:1: label is "2"; want 1 for similar or 0`},
		{"rte", "val.jsonl", "", `{"premise": "a", "hypothesis": "b", "idx": 0}`,
			`val.jsonl:1: want a premise, a hypothesis and a label`},
		{"rte", "val.jsonl", "", "{\"premise\": \"a\"", `val.jsonl:1: not valid JSON`},
		{"wnli", "dev.tsv", "", "a\tb\n", `dev.tsv:1: want the header index, sentence1, sentence2, label`},
		{"wnli", "dev.tsv", "", "index\tsentence1\tsentence2\tlabel\n0\ta\tb\n", `dev.tsv:2: 3 fields between tabs; want 4`},
		{"wnli", "dev.tsv", "", "index\tsentence1\tsentence2\tlabel\n0\ta\tb\t2\n", `dev.tsv:2: label is "2"; want 1 or 0`},
	} {
		path := filepath.Join(dir, tt.file)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(tt.name+"="+path+tt.with, false)
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""), tt.want) {
			t.Errorf("%s %.60q:\n got %v\nwant %s", tt.name, tt.text, err, tt.want)
		}
	}
}

// What is dropped is counted, and whose tokens count is said.
func TestLabelledDrops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stsa.binary.test")
	text := "1 good\n0 bad\n1 fine\n0 poor\n1 good\n1 odd\n0 odd\n1 " + strings.Repeat("long ", 100) + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load("sst2="+path+",shots=2,contexts=1,queries=1", false)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(s.Warnings, "\n")
	for _, want := range []string{"1 inputs repeat one before them",
		"2 left out, in no figure, the first at line 6: the input stands under two labels",
		"1 left out, in no figure, the first at line 8: the input has over 116 tokens (estimated at 4 bytes a token; " +
			"tokenizer=tokenizer.json"} {
		if !strings.Contains(all, want) {
			t.Errorf("warnings %q, want %q", all, want)
		}
	}
	if s, err = Load("agnews=testdata/agnews.csv,shots=2,contexts=1,queries=1", false); err != nil ||
		!strings.Contains(strings.Join(s.Warnings, "\n"), "contexts of 2 pairs show 2 of the 4 labels") {
		t.Errorf("%v, warnings %q", err, s.Warnings)
	}
}

func FuzzLabelled(f *testing.F) {
	for _, s := range []string{"1 good\n0 bad\n", "\"1\",\"t\",\"d\"\n", "1,a,b,0\n",
		"{\"premise\": \"a\", \"hypothesis\": \"b\", \"label\": \"entailment\"}",
		"index\tsentence1\tsentence2\tlabel\n0\ta\tb\t1\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, task := range []labelledTask{sst2Task, agNewsTask, medicalTask, rteTask, wnliTask} {
			var rows []example
			if err := task.read(newFile(Reference{Path: "f"}, []byte(s)), func(e example) {
				rows = append(rows, e)
			}); err != nil {
				if !strings.HasPrefix(err.Error(), "f:") {
					t.Fatalf("%q: %v", s, err)
				}
				continue
			}
			for _, e := range rows {
				if e.label < 0 || e.label >= len(task.labels) || strings.ContainsAny(e.input, "\n\t") || e.line < 1 {
					t.Fatalf("%q: %+v", s, e)
				}
			}
		}
	})
}

// TestBeside holds that a file which nobody named is read beside the named one, or beside what that leads to, and not
// where a link leads elsewhere.
func TestBeside(t *testing.T) {
	const named, other = "quote.tok.gt9.5000", "plot.tok.gt9.5000"
	dir := func(files ...string) string {
		in := t.TempDir()
		for _, name := range files {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err == nil {
				err = os.WriteFile(filepath.Join(in, name), data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return in
	}
	link := func(from, to string) {
		if err := os.Symlink(from, to); err != nil {
			t.Skip(err)
		}
	}
	elsewhere, cloned, cache := dir(other, named), dir(named), dir()
	link(filepath.Join(elsewhere, other), filepath.Join(cloned, other))
	for _, name := range []string{named, other} {
		link(filepath.Join(elsewhere, name), filepath.Join(cache, name))
	}
	if _, err := Load("subj="+filepath.Join(cloned, named)+",shots=2/4,contexts=2,queries=1", false); err == nil ||
		!strings.Contains(err.Error(), other+" leads out of its folder by a link") {
		t.Errorf("a link out: %v", err)
	}
	for _, in := range []string{elsewhere, cache} {
		if _, err := Load("subj="+filepath.Join(in, named)+",shots=2/4,contexts=2,queries=1", false); err != nil {
			t.Error(err)
		}
	}
}

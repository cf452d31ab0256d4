package benchmark

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hallmark/internal/archtest"
	"hallmark/internal/suite"
)

// Counts, golds, first and last rows were computed from the files with Python 3.11 (csv, json, ast.literal_eval) by the
// rules that the readers document. FEVER's shared_task_dev is here as one JSON list of its 19,998 claims;
// expert_factor.csv and the whole of reasoning_fake.csv (1,858 rows, 1,845 of which can be asked) are read where they
// are there.
func TestPublishedReaders(t *testing.T) {
	for _, tt := range []struct {
		ref, detected, name, version string
		n                            int
		first, firstGold             string // how the prompt begins
		last, lastGold               string // how it ends
		warnings                     []string
	}{
		{"factor/news_factor.csv", "factor", "news-factor", "news", 1036,
			"Its lack of original content has hurt",
			"Whether or not it gets a second season of The Witcher is another question.",
			"streets of the city she has always called home.\n", "She joins Jane Gilbert and Eleni Myrivili, women appointed " +
				"this year to do the same mammoth job for their fast-heating homes of Miami and Athens.",
			[]string{"1036 rows have no short context"}},
		{"factor-prefix=factor/news_factor.csv", "", "news-factor-prefix", "news", 1036,
			"As streaming television services", "Whether or not it gets a second season of The Witcher is another question.",
			"streets of the city she has always called home.\n", "", nil},
		{"factor/expert_factor.csv", "factor", "expert-factor", "expert", 236,
			"Asnwer:To approach a customer", "Involve the customers in the decision-making process by using sensory " +
				"techniques, such as allowing them to touch or handle your product, which gives them a sense of ownership .",
			"over the criminal justice system  . ", "", nil},
		{"medhalt/reasoning_fake.csv", "medhalt", "medhalt-fake", "", 923,
			"In a bizarre and bewildering alternate universe", "I do not know", "of this imaginary being?", "I do not know",
			[]string{"without the authors' instruction", "1 left out", "1 left out",
				`4 left out, in no figure, the first at line 582: none`}},
		{"medhalt/sample/reasoning_FCT.json,instruction=medhalt/prompts/reasoning_FCT/prompts.json", "medhalt", "medhalt-fct",
			"", 16,
			"Which of the following structural elements", "They are benzamides with methoxy group in ortho.",
			"What is the next best step for this patient?", "Amoxicilin", nil},
		{"medhalt/sample/reasoning_nota.json,instruction=medhalt/prompts/Reasoning_Nota/prompts.json", "medhalt",
			"medhalt-nota", "", 16,
			"Zone 3 is known as:", "None of the above", "Vegetation in mitral valve seen in which condition",
			"None of the above", nil},
		{"medqa/test.jsonl,instruction=medhalt/prompts/reasoning_FCT/prompts.json,for=medhalt", "medqa", "medqa-for-medhalt",
			"", 1273, "", "", "", "",
			[]string{"medqa stands in for medhalt: no figure here is one of medhalt"}},
		{"fever/paper_dev.jsonl,pool=fever/fever_labelled_dev.json", "fever", "fever", "paper-dev", 6661,
			"Fox 2000 Pictures released the film Soul Food.", "SUPPORTS", "was first given in 1996.", "SUPPORTS",
			[]string{"3333 claims with the label NOT ENOUGH INFO", "151 claims repeat", "pool ", "pool ", "pool ",
				"6653 of the 13325 claims of the pool", "stands in for it", "5 left out"}},
		{"fever/fever_labelled_dev.json", "fever", "fever", "shared-task-dev", 13325,
			"Fox 2000 Pictures released the film Soul Food.", "SUPPORTS",
			"Trouble with the Curve is a television show.", "REFUTES",
			[]string{"6666 claims with the label", "239 claims repeat", "asked without demonstrations", "7 left out"}},
		{"commonsenseqa/dev_rand_split.jsonl,pool=commonsenseqa/train_rand_split.jsonl", "commonsenseqa", "commonsenseqa", "",
			1221 - 24,
			"A revolving door", "bank", "for storing information?", "computer hard drive",
			[]string{"122 left out, in no figure, the first at line 70: an option stands twice",
				"24 left out, in no figure, the first at line 23: an option stands twice"}},
	} {
		t.Run(tt.ref, func(t *testing.T) {
			ref, _, err := ParseReference(tt.ref)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []*string{&ref.Path, &ref.Pool, &ref.Instruction} {
				if *path != "" {
					*path = archtest.Published(t, *path)
				}
			}
			if ref.Name == "" {
				if ref.Name, _, err = detected(ref.Path); err != nil || ref.Name != tt.detected {
					t.Fatalf("detected as %q, %v; want %q", ref.Name, err, tt.detected)
				}
			}
			s, err := ref.Open()
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != tt.name || s.Cases.Len() != tt.n || tt.version != "" && s.Version != tt.version {
				t.Errorf("%s %s with %d cases, want %s %s with %d", s.Name, s.Version, s.Cases.Len(), tt.name, tt.version, tt.n)
			}
			first, last := *s.Cases.At(0), *s.Cases.At(s.Cases.Len() - 1)
			if !strings.HasPrefix(first.Prompt, tt.first) || !strings.HasSuffix(last.Prompt, tt.last) ||
				tt.firstGold != "" && first.Answers()[0] != tt.firstGold || tt.lastGold != "" && last.Answers()[0] != tt.lastGold {
				t.Errorf("first %q, %q; last %q, %q", first.Prompt, first.Answers(), last.Prompt, last.Answers())
			}
			matches := slices.EqualFunc(s.Warnings, tt.warnings, func(got, want string) bool {
				return strings.Contains(got, want)
			})
			if tt.warnings != nil && !matches || tt.warnings == nil && ref.Name != "commonsenseqa" && len(s.Warnings) > 0 {
				t.Errorf("warnings %q, want %q", s.Warnings, tt.warnings)
			}
			if ref.Pool != "" && (first.Shots != 16 || len(first.Rows) < 6000) {
				t.Errorf("%d shots from %d rows", first.Shots, len(first.Rows))
			}
			if ref.Instruction != "" && !strings.HasPrefix(first.System,
				"You are a highly intelligent and accurate medical domain expert") {
				t.Errorf("system %q", first.System)
			}
		})
	}
}

// The whole prefix is the column that the authors score, to the byte; 130 of the 1036 end in a space and 906 in a line
// break (Python).
func TestFactorPrefixes(t *testing.T) {
	s, err := Open("factor-prefix", archtest.Published(t, "factor/news_factor.csv"))
	if err != nil {
		t.Fatal(err)
	}
	spaces, breaks := 0, 0
	for _, c := range s.Cases.All() {
		if strings.HasSuffix(c.Prompt, " ") {
			spaces++
		}
		if strings.HasSuffix(c.Prompt, "\n") {
			breaks++
		}
	}
	if spaces != 130 || breaks != 906 {
		t.Errorf("%d end in a space and %d in a line break, want 130 and 906", spaces, breaks)
	}
	short, err := Open("factor", archtest.Published(t, "factor/news_factor.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var at [4]int // where the true sentence stands, which the file lists first
	for i, c := range short.Cases.All() {
		k, _ := c.GoldOption()
		at[k]++
		if c.ID != s.Cases.At(i).ID || joint(c.Prompt) != joint(s.Cases.At(i).Prompt) {
			t.Fatalf("case %d: %q and %q", i, c.Prompt, s.Cases.At(i).Prompt)
		}
	}
	for k, n := range at { // 259 each by chance, with a standard deviation of 14
		if n < 203 || n > 315 {
			t.Errorf("the true sentence is option %d of %d cases of %d", k, n, short.Cases.Len())
		}
	}
}

func TestLastSentences(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		n        int
	}{
		{"One. Two! Three?", "Two! Three?", 2},
		{"One.", "One.", 2},
		{"", "", 2},
		{"A line\nanother line\n", "another line", 1},
		{"It rose. Mr. Hale of the U.S. Fed said so. ", "Mr. Hale of the U.S. Fed said so.", 1},
		{"He said \"no.\" She left.", "She left.", 1},
		{"It fell 0.9% in 2021. The rest is v. dull.", "The rest is v. dull.", 1},
		{"It ended. and went on.", "It ended. and went on.", 1},
	} {
		if got := lastSentences(tt.in, tt.n); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

// What can be in no figure is left out, counted and named; the rest reads.
func TestMadeReaders(t *testing.T) {
	for _, tt := range []struct {
		ref      string
		name     string
		prompts  []string
		golds    []string
		warnings []string
	}{
		{"testdata/wiki_factor.csv", "wiki-factor", []string{"Its wheel was built of oak. It was sold in 1931. ",
			"The bridge has two arches.\nIt carries one lane.\n"},
			[]string{"The new owner turned it into an inn.", "It was closed to lorries in 1970."},
			[]string{
				"testdata/wiki_factor.csv: 1 rows have no short context: the last two sentences of their prefix stand for it",
				"testdata/wiki_factor.csv: 1 left out, in no figure, the first at line 8: two completions are the same",
				"testdata/wiki_factor.csv: 1 left out, in no figure, the first at line 9: a completion is empty",
			}},
		{"factor=testdata/wiki_factor.csv,for=expert-factor", "wiki-factor-for-expert-factor", nil, nil, nil},
		{"testdata/reasoning_FCT.csv,instruction=testdata/prompts.json", "medhalt-fct",
			[]string{"How many chambers has the made-up heart?"}, []string{"Four, by Hale's count"},
			[]string{
				"testdata/reasoning_FCT.csv: 1 left out, in no figure, the first at line 3: the correct answer is none of the " +
					"options",
				"testdata/reasoning_FCT.csv: 1 left out, in no figure, the first at line 4: an option stands twice",
			}},
		{"testdata/paper_dev.jsonl,pool=testdata/fever_train.json,shots=2", "fever", []string{"Salt dissolves in water.",
			"Ice sinks in water.", "Ice sinks in water."},
			[]string{"SUPPORTS", "REFUTES", "REFUTES"},
			[]string{
				"testdata/paper_dev.jsonl: 1 claims with the label NOT ENOUGH INFO were left out, as the study asks for one of " +
					"two labels",
				"testdata/paper_dev.jsonl: 1 claims repeat one before them; they count as often as they stand in the file",
				"pool testdata/fever_train.json: 1 claims with the label NOT ENOUGH INFO were left out, as the study asks for " +
					"one of two labels",
				"testdata/paper_dev.jsonl: 1 of the 4 claims of the pool are questions of this suite and were taken out of it",
				"testdata/paper_dev.jsonl: 1 left out, in no figure, the first at line 7: the claim has no label",
				"testdata/paper_dev.jsonl: 2 left out, in no figure, the first at line 4: the claim stands under SUPPORTS and " +
					"under REFUTES",
			}},
		{"truefalse=testdata/metals_true_false.csv,shots=1,labels=yes/no", "truefalse",
			[]string{"Gold, unlike silver, rusts.", "Tin melts.", "Lead floats on water."}, []string{"no", "yes", "no"},
			[]string{
				"testdata/metals_true_false.csv: 1 left out, in no figure, the first at line 8: there is no statement",
				"testdata/metals_true_false.csv: 2 left out, in no figure, the first at line 2: the claim stands under yes and " +
					"under no",
			}},
		{"commonsenseqa=testdata/dev_rand_split.jsonl,pool=testdata/train_rand_split.jsonl,shots=2", "commonsenseqa",
			[]string{"Where does rain come from?"}, []string{"cloud"}, nil},
		{"mmlu=testdata/made_up_bones_test.csv,pool=testdata/made_up_bones_dev.csv,shots=2", "mmlu-made-up-bones",
			[]string{"Which made-up bone is longest?"}, []string{"The second"}, nil},
	} {
		s, err := Load(tt.ref, false)
		if err != nil {
			t.Errorf("%s: %v", tt.ref, err)
			continue
		}
		var prompts, golds []string
		for _, c := range s.Cases.All() {
			prompts, golds = append(prompts, c.Prompt), append(golds, c.Answers()...)
		}
		if s.Name != tt.name || tt.prompts != nil && (!slices.Equal(prompts, tt.prompts) || !slices.Equal(golds, tt.golds)) {
			t.Errorf("%s: %s %q %q", tt.ref, s.Name, prompts, golds)
		}
		if diff := cmp.Diff(tt.warnings, s.Warnings); diff != "" && tt.prompts != nil {
			t.Errorf("%s: %s", tt.ref, diff)
		}
	}
	s, err := Load("testdata/reasoning_FCT.csv", false)
	if err != nil || !strings.Contains(s.Warnings[0], "asked without the authors' instruction") ||
		s.Cases.At(0).System != "" {
		t.Errorf("no instruction: %v, %+v", err, s)
	}
	if diff := cmp.Diff([]string{"Two", "Four, by Hale's count", "Five", "Six", "None"},
		s.Cases.At(0).Options); diff != "" {
		t.Errorf("the student's answer is an option: %s", diff)
	}
	s, err = Load("truefalse=testdata/metals_true_false.csv,shots=1", false)
	if err != nil || s.Cases.At(0).Tags[0] != "metals" || s.Cases.At(0).Options[0] != "True" ||
		len(s.Cases.At(0).Rows) != 3 {
		t.Errorf("topic, labels, own pool: %v, %+v", err, *s.Cases.At(0))
	}
}

func TestReaderFaults(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ name, file, with, text, want string }{
		{"factor", "f.csv", "", "full_prefix,completion\nx,y\n", `f.csv:1: no column "contradiction_0"`},
		{"factor-prefix", "f.csv", "", "full_prefix,completion,contradiction_0,contradiction_1,contradiction_2\na,b,c,d,e\n",
			`f.csv:1: no column "turncated_prefixes"`},
		{"factor", "f.csv", "", "full_prefix,completion,contradiction_0,contradiction_1,contradiction_2\na,b,b,d,e\n",
			`f.csv:2: two completions are the same; no question of factor is left`},
		{"medhalt", "r.csv", "", "question,options\nq,__import__('os')\n", `r.csv:2: options: want a Python dictionary`},
		{"medhalt", "r.csv", "", "question,options\nq,\"{'0': 'a', '0': 'b'}\"\n", `r.csv:2: options: key "0" stands twice`},
		{"medhalt", "r.csv", "", "question,options\nq,\"{'0': open('x')}\"\n",
			`r.csv:2: options: "open('x')}" at byte 6 of the dictionary; want a string or a number`},
		{"medhalt", "r.csv", ",instruction=nowhere.json", "question,options\nq,\"{'0': 'a'}\"\n",
			`instruction: no file "nowhere.json"`},
		{"medhalt", "r.csv", ",instruction=testdata/mc_task.json", "question,options\nq,\"{'0': 'a'}\"\n",
			`testdata/mc_task.json:1: `},
		{"fever", "c.jsonl", "", `{"claim": "c", "label": "MAYBE"}`,
			`c.jsonl:1: label is "MAYBE"; want SUPPORTS, REFUTES or NOT ENOUGH INFO`},
		{"fever", "c.json", "", `[{"claim": "c", "label": "SUPPORTS"}`, `c.json:1: the list of claims is cut off`},
		{"fever", "c.jsonl", ",pool=testdata/fever_train.json", `{"claim": "c", "label": "SUPPORTS"}`,
			`testdata/fever_train.json:1: 4 different rows to draw 16 demonstrations from`},
		{"fever", "c.jsonl", ",pool=nowhere.jsonl", `{"claim": "c", "label": "SUPPORTS"}`, `pool: no file "nowhere.jsonl"`},
		{"truefalse", "t.csv", "", "statement,label\nx,2\n",
			`t.csv:2: label is "2"; want 1 for a true statement or 0 for a false one`},
		{"gsm8k", "g.jsonl", ",pool=p.jsonl", `{"question":"q","answer":"#### 3"}`,
			`suite gsm8k=g.jsonl: pool is of no use to gsm8k, which takes for`},
		{"mmlu", "b_test.csv", ",pool=testdata/made_up_bones_dev.csv", "q,a,b,c,d,A\n",
			`testdata/made_up_bones_dev.csv:1: 2 questions to show as 5 demonstrations`},
	} {
		path := filepath.Join(dir, tt.file)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(tt.name+"="+path+tt.with, false)
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""), tt.want) {
			t.Errorf("%s %q:\n got %v\nwant %s", tt.name, tt.text, err, tt.want)
		}
	}
	for ref, want := range map[string]string{
		"fever=a.jsonl,shots=0,pool=b":      `shots is "0"; want a whole number from 1 to 1000`,
		"fever=a.jsonl,shots=3":             `shots are drawn from a pool; add ,pool=FILE`,
		"sst2=a,shots=2/2":                  `shots is "2/2"; want a whole number`,
		"fever=a,pool=b,shots=2/4":          `shots gives 2 sizes; fever takes one`,
		"sst2=a,contexts=0":                 `contexts is "0"; want a whole number from 1`,
		"sst2=a,labels=a/b":                 `labels is of no use to sst2`,
		"gsm8k=a,queries=3":                 `queries is of no use to gsm8k`,
		"fever=a.jsonl,pool=b,pool=c":       `gives pool twice; keep one`,
		"fever=a.jsonl,pool=":               `pool is empty`,
		"fever=a.jsonl,labels=yes":          `want the word for true and the word for false`,
		"fever=a.jsonl,labels=yes/yes":      `want the word for true and the word for false`,
		"factor=a.csv,for=Wiki FACTOR":      `want the name of a benchmark in small letters`,
		"testdata/prompts.json,for=medhalt": `testdata/prompts.json:1: no benchmark's file, so it takes no for`,
	} {
		if _, err := Load(ref, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", ref, err, want)
		}
	}
}

func TestReferences(t *testing.T) {
	for _, tt := range []struct {
		in    string
		want  Reference
		plain bool
	}{
		{"core", Reference{Path: "core"}, true},
		{"a,b.csv", Reference{Path: "a,b.csv"}, true},
		{"fever=a,b.jsonl,pool=c,d.jsonl,shots=4", Reference{Name: "fever", Path: "a,b.jsonl", Pool: "c,d.jsonl",
			Shots: []int{4}}, false},
		{"x=y.csv", Reference{Path: "x=y.csv"}, true},
		{"truefalse=t.csv,shots=4,labels=TRUE/FALSE", Reference{Name: "truefalse", Path: "t.csv", Shots: []int{4},
			Labels: []string{"TRUE", "FALSE"}}, false},
		{"sst2=a,pool=b,shots=2/4,contexts=3,queries=1,seed=7,tokenizer=t.json", Reference{Name: "sst2", Path: "a", Pool: "b",
			Shots:    []int{2, 4},
			Contexts: 3, Queries: 1, Seed: 7, Tokenizer: "t.json"}, false},
		{"rte=a,shots=8", Reference{Name: "rte", Path: "a", Shots: []int{8}}, false},
		{"n.csv,for=wiki-factor", Reference{Path: "n.csv", For: "wiki-factor"}, false},
	} {
		got, plain, err := ParseReference(tt.in)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" || plain != tt.plain {
			t.Errorf("%s: %v, %v: %s", tt.in, plain, err, diff)
		}
	}
}

// The expected texts and reprs are those of CPython 3.11: ast.literal_eval(text) and repr(value).
func TestPythonDictionaries(t *testing.T) {
	for _, tt := range []struct{ in, repr string }{
		{`{'0': 'a', "1": "it's", 2: 3.5, '4': None}`, `{'0': 'a', '1': "it's", '2': '3.5', '4': ''}`},
		{`{'a': 'tab\there', 'b': 'x\'y"z', 'c': '\x41\u00e9\U0001F600\101', 'd': 'back\\slash', 'e': 'odd\q'}`,
			`{'a': 'tab\there', 'b': 'x\'y"z', 'c': 'Aé😀A', 'd': 'back\\slash', 'e': 'odd\\q'}`},
		{" { } ", `{}`},
		{"{'a': 'b',}", `{'a': 'b'}`},
		{`{'nul': '\x00\x7f\u2028'}`, `{'nul': '\x00\x7f\u2028'}`},
		{`{'a': True}`, `{'a': 'True'}`},
	} {
		got, err := parseDict(tt.in)
		if err != nil || pyDict(got) != tt.repr {
			t.Errorf("%s: %s, %v; want %s", tt.in, pyDict(got), err, tt.repr)
		}
	}
	for _, bad := range []string{"", "{", "{'a'}", "{'a': }", "{'a': 'b' 'c': 'd'}", "{'a': 'b'} x", "{'a': 'b",
		`{'a': '\`, `{'a': '\x4`, `{'a': '\U00110000'}`, "{'a': {'b': 'c'}}", "{'a': [1]}",
		"{" + strings.Repeat("'a", 1<<18), "{1:" + strings.Repeat("1", 400) + "e9}"} {
		if got, err := parseDict(bad); err == nil {
			t.Errorf("%.40q reads as %v", bad, got)
		}
	}
	var many strings.Builder
	for i := range maxDictPairs + 1 {
		fmt.Fprintf(&many, "%d: 1, ", i)
	}
	if _, err := parseDict("{" + many.String() + "}"); err == nil {
		t.Error("more entries than the bound")
	}
}

func FuzzParseDict(f *testing.F) {
	f.Add(`{'0': 'a', "1": "it's", 2: 3.5, '4': None}`)
	f.Add(`{'c': '\x41\u00e9\U0001F600\101', 'correct answer': 'x'}`)
	f.Fuzz(func(t *testing.T, s string) {
		pairs, err := parseDict(s)
		if err != nil {
			return
		}
		again, err := parseDict(pyDict(pairs))
		for i := range pairs { // what is no text stands as one, without bytes that are none
			pairs[i].value = strings.ToValidUTF8(pairs[i].value, "\ufffd")
			pairs[i].key = strings.ToValidUTF8(pairs[i].key, "\ufffd")
		}
		if err == nil && !slices.Equal(pairs, again) || err != nil && !strings.Contains(err.Error(), "twice") &&
			!strings.Contains(err.Error(), "more than") {
			t.Errorf("%q reads as %q, written again as %q, %v", s, pairs, again, err)
		}
	})
}

func FuzzParseReference(f *testing.F) {
	f.Add("fever=a,b.jsonl,pool=c,d.jsonl,shots=4,labels=a/b,for=x")
	f.Fuzz(func(t *testing.T, s string) {
		ref, plain, err := ParseReference(s)
		if err == nil && plain && ref.Path != s {
			t.Errorf("%q reads as %+v", s, ref)
		}
	})
}

// A made suite with its pool is whole: it passes the checks, and its hash tells the pool.
func TestPoolIsContent(t *testing.T) {
	hash := func(ref string) suite.Hash {
		s, err := Load(ref, false)
		if err != nil {
			t.Fatal(err)
		}
		return s.Hash()
	}
	a := hash("testdata/paper_dev.jsonl,pool=testdata/fever_train.json,shots=2")
	if b := hash("testdata/paper_dev.jsonl"); a == b {
		t.Error("the pool is not in the hash")
	}
	if b := hash("testdata/paper_dev.jsonl,pool=testdata/fever_train.json,shots=1"); a == b {
		t.Error("the number of shots is not in the hash")
	}
}

// Med-HALT's own test, to the letter: the prompt is what medhalt/prompts/utils.py writes for these made rows (run with
// CPython 3.11), and the oracle reads answers as medhalt/eval/eval_full.py does.
func TestMedHALTTest(t *testing.T) {
	s, err := Load("medhalt-test=testdata/reasoning_FCT.csv,instruction=testdata/prompts.json,examples=testdata/shots.json", false)
	if err != nil {
		t.Fatal(err)
	}
	want := "You know the made-up body well. Answer each question.\nAs JSON.\nExamples: \n" +
		"Input : {'Question': 'Is it so?', 'Options': {'0': 'Yes', '1': \"It isn't\", 'correct answer': 'Yes'}}\n" +
		"Output: {'is_answer_correct': 'yes', 'cop_index': 0, 'why': ['a', None]}Stop Here\n\n" +
		"Input : {'Question': 'And this?', 'Options': {'0': 'No'}}\n" +
		"Output: {'is_answer_correct': 'no', 'sure': True}Stop Here\n\n" +
		"Input: {'Question': 'How many chambers has the made-up heart?', 'Options': {'0': 'Two', '1': \"Four, by Hale's count\", '2': 'Five', '3': 'Six', '4': 'None', 'correct answer': 'Two'}}\nOutput: "
	if diff := cmp.Diff(want, s.Cases.At(0).Prompt); diff != "" || s.Name != "medhalt-fct-test" || s.Cases.Len() != 3 {
		t.Errorf("%s, %d cases: %s", s.Name, s.Cases.Len(), diff)
	}
	if s, err = Load("medhalt-test=testdata/reasoning_FCT.csv,instruction=testdata/prompts.json", false); err != nil ||
		!strings.Contains(s.Warnings[0], "without the authors' examples") {
		t.Errorf("without examples: %v", err)
	}
	if _, err = Load("medhalt-test=testdata/reasoning_FCT.csv", false); err == nil ||
		!strings.Contains(err.Error(), "add ,instruction=FILE") {
		t.Errorf("without instruction: %v", err)
	}
	for answer, right := range map[string]bool{
		`{'cop': 'I do not know', 'cop_index': 3}`:                            true,
		`{"cop": "I Do Not Know!", "cop_index": "3"}`:                         true,
		`{'cop': "It's all nonsensical", 'why_correct': 'x'}`:                 true,
		`{'cop': 'Morphine', 'why_others_incorrect': 'I do not know of any'}`: false,
		`Morphine`: false,
	} {
		if got := regexp.MustCompile(givesUp).MatchString(answer); got != right {
			t.Errorf("fake: %s: %v", answer, got)
		}
	}
	for answer, right := range map[string]bool{
		`{'is_answer_correct': 'no', 'answer': 'four, by hale\'s count', 'why_correct': ''}`: true,
		`{"is_answer_correct": "no", "correct answer": "Four, by Hale's count"}`:             true,
		`{'is_answer_correct': 'yes', 'answer': 'Two'}`:                                      false,
		`{'answer': 'Four'}`: false,
	} {
		if got := regexp.MustCompile(fieldIs(`(?:corr?e[cn]t[ _]?)?answer`,
			"Four, by Hale's count")).MatchString(answer); got != right {
			t.Errorf("FCT: %s: %v", answer, got)
		}
	}
}

// The real files: sixteen rows of FCT and of NOTA, and all of the fake questions that are here.
func TestMedHALTTestFiles(t *testing.T) {
	for _, tt := range []struct {
		path, prompts, name string
		n                   int
	}{
		{"medhalt/sample/reasoning_FCT.json", "reasoning_FCT", "medhalt-fct-test", 16},
		{"medhalt/sample/reasoning_nota.json", "Reasoning_Nota", "medhalt-nota-test", 16},
		{"medhalt/reasoning_fake.csv", "reasoning_Fake", "medhalt-fake-test", 929},
	} {
		ref := Reference{Name: "medhalt-test", Path: archtest.Published(t, tt.path), Instruction: archtest.Published(t,
			"medhalt/prompts/"+tt.prompts+"/prompts.json"), Examples: archtest.Published(t, "medhalt/prompts/"+tt.prompts+
			"/shots.json")}
		s, err := ref.Open()
		if err != nil || s.Name != tt.name || s.Cases.Len() != tt.n || len(s.Warnings) > 0 {
			t.Fatalf("%s: %v, %+v", tt.path, err, s)
		}
		if p := s.Cases.At(0).Prompt; strings.Count(p, "Stop Here\n\n") != 2 || !strings.HasSuffix(p, "}}\nOutput: ") {
			t.Errorf("%s: %s", tt.path, p)
		}
	}
}

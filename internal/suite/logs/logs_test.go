package logs

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
)

// kinds are the fixtures by what they are.
var kinds = map[string]Kind{
	"lm-eval/samples_pocket_mc.jsonl": LMEval, "lm-eval/samples_pocket_gen.jsonl": LMEval,
	"lm-eval/samples_pocket_draws.jsonl": LMEval, "lm-eval/results_pocket_mc.json": lmEvalResults,
	"inspect/capitals.eval": InspectZip, "inspect/looked_up.eval": InspectZip, "inspect/options.json": InspectJSON,
	"promptfoo/capitals.json": PromptfooJSON, "promptfoo/capitals.jsonl": Promptfoo,
	"promptfoo/capitals.csv":      PromptfooCSV,
	"openai-evals/capitals.jsonl": OpenAIEvals, "deepeval/capitals.json": DeepEval,
	"ragas/capitals.csv": RAGAS, "ragas/capitals.jsonl": RAGAS,
	"others/evals.jsonl": OpenAIEvals, "others/deepeval.json": DeepEval, "others/ragas.csv": RAGAS,
	"others/ragas.jsonl": RAGAS,
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRecognise(t *testing.T) {
	for name, want := range kinds {
		b := fixture(t, name)
		if got := Recognise(b[:min(len(b), headBytes)]); got != want {
			t.Errorf("%s is taken for %q, want %q", name, got, want)
		}
	}
	for text, want := range map[string]Kind{
		`{"case_id": "a", "response": "b"}`: Rows, "id,output\na,b": Table, "question,answer,gold\n": Table,
		`[{"question": "q", "output": "a"}]`: Table, "": Table, "[": Table, `{"a": [[[`: Table,
		"\ufeff{\"doc_id\": 1, \"resps\": []}": LMEval,
	} {
		if got := Recognise([]byte(text)); got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
}

// write puts texts into files of a folder, and returns their paths.
func write(t testing.TB, files map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func mapping(t testing.TB, values ...string) Mapping {
	t.Helper()
	m, err := ParseMapping(values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// said are the answers as case, variant, repeat, model, text or failure, and scores.
func said(a *imported.Answers) (out []string) {
	for i := range a.Len() {
		x := a.At(i)
		text := "!" + x.Failure
		if said, err := a.Said(&x); err != nil {
			text = err.Error()
		} else if said != nil {
			text = *said
		}
		out = append(out, fmt.Sprintf("%s %d.%d %s %s %s", x.CaseID, x.Variant, x.Repeat, x.Model, text, x.Scores))
	}
	slices.Sort(out)
	return out
}

func read(t testing.TB, m Mapping, paths ...string) *imported.Answers {
	t.Helper()
	a, err := Read(paths, &Options{Name: "imported", Map: m})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func cases(a *imported.Answers) map[string]suite.Case {
	out := map[string]suite.Case{}
	for _, c := range a.Suite.Cases.All() {
		out[c.ID] = *c
	}
	return out
}

// in is a file of testdata.
func in(name string) string { return filepath.Join("testdata", name) }

// noted checks that something is said of each log, and of no printed figure that it differs.
func noted(t *testing.T, logs ...*imported.Answers) {
	t.Helper()
	for _, a := range logs {
		printed := func(n string) bool { return strings.Contains(n, "printed") }
		if len(a.Notes) == 0 || slices.ContainsFunc(a.Notes, printed) {
			t.Errorf("%s: noted %q", a.Suite.Name, a.Notes)
		}
	}
}

// What stands in a log arrives: the question, what was offered and shown, the right answer, who was asked and how
// often.
func TestWhatArrives(t *testing.T) {
	mc := read(t, nil, in("lm-eval/samples_pocket_mc.jsonl"))
	c := cases(mc)["0"]
	if mc.Suite.Name != "pocket_mc" || c.Prompt != "Question: What is the capital of Ilhanesia?\nAnswer:" ||
		!slices.Equal(c.Options, []string{"Kordalhaven", "Barsilstead", "Ulwalhaven", "Tolgorford"}) || *c.Gold.Option != 3 {
		t.Errorf("a case of options: %+v", c)
	}
	if got := said(mc)[0]; got != `0 0.0 pocket Tolgorford {"acc":1,"acc_norm":1}` {
		t.Errorf("answered %s", got)
	}
	gen := read(t, nil, in("lm-eval/samples_pocket_gen.jsonl"))
	if got := said(gen); len(got) != 10 ||
		got[0] != `0 0.0 pocket Tolgorford {"exact_match,flexible-extract":1,"exact_match,strict-match":1}` {
		t.Errorf("two filters: %q", got[0])
	}
	if c := cases(gen)["0"]; c.Prompt != "What is the capital of Ilhanesia?" ||
		!slices.Equal(c.Gold.Texts, []string{"Tolgorford"}) {
		t.Errorf("a chat: %+v", c)
	}
	if draws := read(t, nil, in("lm-eval/samples_pocket_draws.jsonl")); draws.Len() != 30 || draws.Draws() != 3 {
		t.Errorf("%d answers in %d draws", draws.Len(), draws.Draws())
	}
	eval := read(t, nil, in("inspect/capitals.eval"))
	if eval.Len() != 12 || eval.Draws() != 2 || eval.Suite.Cases.Len() != 6 ||
		eval.Models()[0] != "openai-api/pocket/pocket" {
		t.Errorf("%d answers in %d draws of %q", eval.Len(), eval.Draws(), eval.Models())
	}
	options := read(t, nil, in("inspect/options.json"))
	if c := cases(options)["known-001"]; *c.Gold.Option != 3 || c.Options[3] != "Tolgorford" {
		t.Errorf("letters: %+v", c)
	}
	noted(t, mc, gen, eval, options)
}

func TestWhatArrivesOfPromptfoo(t *testing.T) {
	foo := read(t, nil, in("promptfoo/capitals.json"))
	if c := cases(foo)["test 1"]; c.Prompt != "What is the capital of Pelmermark?" ||
		!slices.Equal(c.Phrasings, []string{"Tell me: What is the capital of Pelmermark?"}) ||
		!slices.Equal(c.Gold.Texts, []string{"Randorford"}) || !foo.Phrased {
		t.Errorf("prompts: %+v", c)
	}
	if lines := read(t, nil, in("promptfoo/capitals.jsonl")); !slices.Equal(said(lines), said(foo)) ||
		lines.Suite.Hash() != foo.Suite.Hash() {
		t.Errorf("JSON Lines give %q, JSON %q", said(lines), said(foo))
	}
	if table := read(t, nil, in("promptfoo/capitals.csv")); table.Len() != 12 || !slices.Equal(said(table), said(foo)) {
		t.Errorf("a CSV gives %q", said(table))
	}
	noted(t, foo)
}

func TestWhatArrivesOfOthers(t *testing.T) {
	evals := read(t, nil, in("others/evals.jsonl"))
	if c := cases(evals)["capitals.dev.0"]; c.System != "Name the city alone." || c.Gold.Texts[0] != "Tolgorford" ||
		said(evals)[1] != `capitals.dev.1 0.0 pocket Ulibdorf {"correct":0}` {
		t.Errorf("%+v, %q", c, said(evals))
	}
	deep := read(t, nil, in("others/deepeval.json"))
	if c := cases(deep)["2"]; c.Context[0].Text != "Zaltorland is ruled from Barsilstead." ||
		said(deep)[0] != `1 0.0  Tolgorford {"Answer Relevancy":0.75,"Faithfulness":1,"success":1}` {
		t.Errorf("%+v, %q", c, said(deep))
	}
	lines, table := read(t, nil, in("others/ragas.jsonl")), read(t, nil, in("others/ragas.csv"))
	if !slices.Equal(said(lines), said(table)) || lines.Suite.Hash() != table.Suite.Hash() ||
		cases(table)["0"].Context[1].Text != "It's a port." {
		t.Errorf("%q and %q", said(lines), said(table))
	}
	// what the tools wrote themselves says the same of the same ten questions, which a greedy model answers alike
	a, b := read(t, nil, in("deepeval/capitals.json")), read(t, nil, in("ragas/capitals.jsonl"))
	table = read(t, nil, in("ragas/capitals.csv"))
	if a.Len() != 10 || said(table)[0] != said(b)[0] || table.Suite.Hash() != b.Suite.Hash() { // scores to 10 digits
		t.Errorf("%d cases; %q and %q", a.Len(), said(table), said(b))
	}
	for i := range a.Len() {
		x, y := a.Suite.Cases.At(i), b.Suite.Cases.At(i)
		if x.Prompt != y.Prompt || x.Gold.Texts[0] != y.Gold.Texts[0] || x.Context[0].Text != y.Context[0].Text ||
			len(x.Context) != 2 {
			t.Errorf("DeepEval %+v, RAGAS %+v", x, y)
		}
	}
	recorded := read(t, nil, in("openai-evals/capitals.jsonl"))
	if c := cases(recorded)["capitals.dev.0"]; recorded.Len() != 10 || c.System != "Name the city alone." ||
		said(recorded)[0] != `capitals.dev.0 0.0 pocket Tolgorford {"correct":1}` || c.Gold.Texts[0] != "Tolgorford" {
		t.Errorf("%+v, %q", c, said(recorded))
	}
	noted(t, evals, deep, a, recorded)
}

// Columns are found by the names that people use, and by those that --map gives.
func TestTables(t *testing.T) {
	want := []string{`0 0.0 m Paris `, `1 0.0 m Milan `}
	for name, tt := range map[string]struct {
		text string
		m    []string
	}{
		"names.csv": {"Question,Answer,Gold,Model\nCapital of France?,Paris,Paris,m\nCapital of Italy?,Milan,Rome,m\n",
			nil},
		"agree.csv": {"question,response,output,gold,expected,model\nCapital of France?,Paris,Paris,Paris,,m\n" +
			"Capital of Italy?,Milan,Milan,Rome,Rome,m\n", nil},
		"semi.csv": {"prompt;output;answer;model\nCapital of France?;Paris;Paris;m\nCapital of Italy?;Milan;Rome;m\n",
			nil},
		"map.csv": {"Q,A,\"G, gold\",who,question\nCapital of France?,Paris,Paris,m,x\n" +
			"Capital of Italy?,Milan,Rome,m,y\n", []string{"question=Q,answer=A,gold=G, gold", "model=who"}},
		"lines.jsonl": {`{"query": "Capital of France?", "output": "Paris", "ideal": ["Paris"], "model": "m"}` + "\n" +
			`{"query": "Capital of Italy?", "output": "Milan", "ideal": "Rome", "model": "m"}`, nil},
		"list.json": {`[{"query": "Capital of France?", "output": "Paris", "ideal": "Paris", "model": "m"}, {"query": "Capital of Italy?", "output": "Milan", "ideal": "Rome", "model": "m"}]`, nil},
		"mapped.jsonl": {`{"a": "Capital of France?", "b": "Paris", "c": "Paris", "d": "m"}` + "\n" +
			`{"a": "Capital of Italy?", "b": "Milan", "c": "Rome", "d": "m"}`, []string{"question=a,answer=b,gold=c,model=d"}},
	} {
		a := read(t, mapping(t, tt.m...), write(t, map[string]string{name: tt.text})...)
		c := cases(a)["1"]
		if !slices.Equal(said(a), want) || c.Prompt != "Capital of Italy?" || !slices.Equal(c.Gold.Texts, []string{"Rome"}) {
			t.Errorf("%s: %q, %+v", name, said(a), c)
		}
	}
	a := read(t, mapping(t, "id=n,score=f1,cluster=of"), write(t, map[string]string{
		"a.csv": "n,question,output,gold,f1,of,options,variant,repeat\n10,q?,B,b,.5,x,a|b,0,0\n9,p?,A,a,1,x,a|b,,1\n" +
			"9,p?,A,a,1,x,a|b,two,\n9,p?,,a,,x,a|b,,\n"})...)
	if got := said(a); !slices.Equal(got, []string{`10 0.0  B {"f1":0.5}`, `9 0.0   `, `9 0.1  A {"f1":1}`,
		`9 1.0  A {"f1":1}`}) {
		t.Errorf("%q", got)
	}
	if c := a.Suite.Cases.At(0); c.ID != "9" || a.Suite.Cluster != "cluster" || !slices.Contains(c.Tags, "cluster:x") ||
		*c.Gold.Option != 0 {
		t.Errorf("%+v", c)
	}
}

// Scores alone are verdicts: the case says so, and its answer is what was scored.
func TestScoresAlone(t *testing.T) {
	paths := write(t, map[string]string{"a.csv": "id,model,score,f1\na,m,1,.5\nb,m,0,.25\n"})
	a := read(t, nil, paths...)
	c := cases(a)["a"]
	if !slices.Equal(c.Options, imported.Verdicts) || *c.Gold.Option != 1 ||
		!strings.Contains(c.Prompt, "does not say what a asks") ||
		!slices.Equal(said(a), []string{`a 0.0 m scored 1 {"score":1}`, `b 0.0 m scored 0 {"score":0}`}) {
		t.Errorf("%+v, %q", c, said(a))
	}
	if _, err := Read(paths, &Options{Map: mapping(t, "verdict=f1")}); err == nil ||
		!strings.Contains(err.Error(), `sample "a": score "f1" is 0.5, and a verdict is 0 or 1`) {
		t.Errorf("a verdict of .5: %v", err)
	}
	eval := read(t, mapping(t, "verdict=match"), "testdata/inspect/capitals.eval")
	if got := said(eval)[0]; !strings.Contains(got, `scored 1 {"includes":1,"match":1}`) {
		t.Errorf("%q", got)
	}
}

// Questions come in one order, whatever that of the rows, and two tasks are told apart.
func TestTwoTasks(t *testing.T) {
	a := read(t, nil, "testdata/lm-eval/samples_pocket_mc.jsonl", "testdata/lm-eval/samples_pocket_draws.jsonl")
	b := read(t, nil, "testdata/lm-eval/samples_pocket_draws.jsonl", "testdata/lm-eval/samples_pocket_mc.jsonl",
		"testdata/lm-eval/results_pocket_mc.json")
	if a.Suite.Cases.Len() != 20 || a.Suite.Cases.ID(10) != "pocket_mc/0" || a.Suite.Cases.ID(3) != "pocket_draws/3" ||
		!slices.Contains(a.Suite.Cases.At(0).Tags, "pocket_draws") {
		t.Errorf("%d cases, %q", a.Suite.Cases.Len(), a.Suite.Cases.ID(10))
	}
	if a.Hash() != b.Hash() || !slices.Equal(said(a), said(b)) {
		t.Error("the order of the files counts")
	}
	if natural("a9", "a10") >= 0 || natural("a10", "a9") <= 0 || natural("a09", "a9") == 0 || natural("x", "x") != 0 ||
		natural("", "a") >= 0 {
		t.Error("natural order")
	}
}

// What Python writes for numbers that are none is no score, and the model stands in results that lie elsewhere.
func TestResultsElsewhere(t *testing.T) {
	lm := string(fixture(t, "lm-eval/samples_pocket_mc.jsonl"))
	paths := write(t, map[string]string{"samples_pocket_mc.jsonl": strings.Replace(lm, `"acc_norm": 1.0}`,
		`"acc_norm": NaN}`, 1)})
	a := read(t, nil, append(paths, "testdata/lm-eval/results_pocket_mc.json")...)
	if got := said(a)[0]; got != `0 0.0 pocket Tolgorford {"acc":1}` {
		t.Errorf("%s", got)
	}
	if a.Sources[0].Printed["acc"] != .6 || !slices.ContainsFunc(a.Notes, func(n string) bool {
		return strings.Contains(n, "printed 0.7 for acc_norm, and the mean of its samples is 0.6666")
	}) {
		t.Errorf("%+v, %q", a.Sources[0], a.Notes)
	}
}

// Earlier releases of lm-evaluation-harness write arguments as lists, some tasks options as contexts, letters as
// options, several right answers, or one continuation alone.
func TestFormsOfSamples(t *testing.T) {
	for name, tt := range map[string]struct{ line, want, prompt, gold string }{
		"lists": {`{"doc_id": 3, "doc": {}, "target": 1, "arguments": [["Q: x\nA:", " A"], ["Q: x\nA:", " B"]], "resps": [[[-2.5, false]], [[-0.5, true]]], "filtered_resps": [[-2.5, false], [-0.5, true]], "acc": 1}`,
			`3 0.0  B {"acc":1}`, "Q: x\nA:", `{"option":1}`},
		"contexts": {`{"doc_id": 0, "doc": {"sentence": "The cup did not fit the box as _ was small."}, "target": 0, "arguments": [["The box", " was small."], ["The cup", " was small."]], "resps": [[[-1, false]], [[-2, false]]], "acc": 1}`,
			`0 0.0  The box {"acc":1}`, "The cup did not fit the box as _ was small.", `{"option":0}`},
		"unconditional": {`{"doc_id": 0, "doc": {}, "target": "b", "arguments": [["q", " a"], ["q", " b"], ["", " a"], ["", " b"]], "resps": [[[-1, false]], [[-1, false]], [[-9, false]], [[0, false]]], "acc": 0}`,
			`0 0.0  a {"acc":0}`, "q", `{"option":1}`},
		"several right": {`{"doc_id": 0, "doc": {}, "target": [0, 2], "arguments": [["q", " a"], ["q", " b"], ["q", " c"]], "resps": [[[-1, false]], [[-3, false]], [[-2, false]]], "acc": 1}`,
			`0 0.0  a {"acc":1}`, "q", `["a","c"]`},
		"one": {`{"doc_id": 0, "doc": {}, "target": " end", "arguments": [["to the", " end"]], "resps": [[[-1.5, true]]], "acc": 1, "metrics": ["acc"]}`,
			`0 0.0  scored 1 {"acc":1}`, "to the", `{"option":1}`},
		"several golds": {`{"doc_id": 0, "doc": {}, "target": ["a", "b"], "arguments": [["q", {"until": []}]], "resps": [["b"]], "exact_match": 1}`,
			`0 0.0  b {"exact_match":1}`, "q", `["a","b"]`},
	} {
		a := read(t, nil, write(t, map[string]string{"samples_x.jsonl": tt.line})...)
		c := a.Suite.Cases.At(0)
		gold, err := json.Marshal(c.Gold)
		if got := said(a); err != nil || len(got) != 1 || got[0] != tt.want || c.Prompt != tt.prompt ||
			string(gold) != tt.gold {
			t.Errorf("%s: %q to %q, gold %s", name, got, c.Prompt, gold)
		}
	}
	rolling := write(t,
		map[string]string{"samples_x.jsonl": `{"doc_id": 0, "doc": {}, "target": "", "arguments": [["a text"]], "resps": [[-35.2]], "word_perplexity": [-35.2, 9]}`})
	if _, err := Read(rolling, &Options{}); err == nil || !strings.Contains(err.Error(), "samples_x.jsonl:1: resps "+
		"hold no text: where the likelihood of a text was measured there are no answers") {
		t.Errorf("a likelihood: %v", err)
	}
}

package logs

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
)

// kinds are the fixtures by what they are.
var kinds = map[string]Kind{
	"lm-eval/samples_pocket_mc.jsonl": LMEval, "lm-eval/samples_pocket_gen.jsonl": LMEval,
	"lm-eval/samples_pocket_draws.jsonl": LMEval, "lm-eval/results_pocket_mc.json": lmEvalResults,
	"inspect/capitals.eval": InspectZip, "inspect/looked_up.eval": InspectZip, "inspect/options.json": InspectJSON,
	"promptfoo/capitals.json": PromptfooJSON, "promptfoo/capitals.jsonl": Promptfoo, "promptfoo/capitals.csv": PromptfooCSV,
	"openai-evals/capitals.jsonl": OpenAIEvals, "deepeval/capitals.json": DeepEval,
	"ragas/capitals.csv": RAGAS, "ragas/capitals.jsonl": RAGAS,
	"others/evals.jsonl": OpenAIEvals, "others/deepeval.json": DeepEval, "others/ragas.csv": RAGAS, "others/ragas.jsonl": RAGAS,
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
		`[{"question": "q", "output": "a"}]`: Table, "": Table, "[": Table, `{"a": [[[`: Table, "\ufeff{\"doc_id\": 1, \"resps\": []}": LMEval,
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

// What stands in a log arrives: the question, what was offered and shown, the right answer, who was asked and how often.
func TestWhatArrives(t *testing.T) {
	in := func(name string) string { return filepath.Join("testdata", name) }
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
	if got := said(gen); len(got) != 10 || got[0] != `0 0.0 pocket Tolgorford {"exact_match,flexible-extract":1,"exact_match,strict-match":1}` {
		t.Errorf("two filters: %q", got[0])
	}
	if c := cases(gen)["0"]; c.Prompt != "What is the capital of Ilhanesia?" || !slices.Equal(c.Gold.Texts, []string{"Tolgorford"}) {
		t.Errorf("a chat: %+v", c)
	}
	if draws := read(t, nil, in("lm-eval/samples_pocket_draws.jsonl")); draws.Len() != 30 || draws.Draws() != 3 {
		t.Errorf("%d answers in %d draws", draws.Len(), draws.Draws())
	}
	eval := read(t, nil, in("inspect/capitals.eval"))
	if eval.Len() != 12 || eval.Draws() != 2 || eval.Suite.Cases.Len() != 6 || eval.Models()[0] != "openai-api/pocket/pocket" {
		t.Errorf("%d answers in %d draws of %q", eval.Len(), eval.Draws(), eval.Models())
	}
	options := read(t, nil, in("inspect/options.json"))
	if c := cases(options)["known-001"]; *c.Gold.Option != 3 || c.Options[3] != "Tolgorford" {
		t.Errorf("letters: %+v", c)
	}
	foo := read(t, nil, in("promptfoo/capitals.json"))
	if c := cases(foo)["test 1"]; c.Prompt != "What is the capital of Pelmermark?" || !slices.Equal(c.Phrasings, []string{"Tell me: What is the capital of Pelmermark?"}) || !slices.Equal(c.Gold.Texts, []string{"Randorford"}) || !foo.Phrased {
		t.Errorf("prompts: %+v", c)
	}
	if lines := read(t, nil, in("promptfoo/capitals.jsonl")); !slices.Equal(said(lines), said(foo)) || lines.Suite.Hash() != foo.Suite.Hash() {
		t.Errorf("JSON Lines give %q, JSON %q", said(lines), said(foo))
	}
	if table := read(t, nil, in("promptfoo/capitals.csv")); table.Len() != 12 || !slices.Equal(said(table), said(foo)) {
		t.Errorf("a CSV gives %q", said(table))
	}
	evals := read(t, nil, in("others/evals.jsonl"))
	if c := cases(evals)["capitals.dev.0"]; c.System != "Name the city alone." || c.Gold.Texts[0] != "Tolgorford" || said(evals)[1] != `capitals.dev.1 0.0 pocket Ulibdorf {"correct":0}` {
		t.Errorf("%+v, %q", c, said(evals))
	}
	deep := read(t, nil, in("others/deepeval.json"))
	if c := cases(deep)["2"]; c.Context[0].Text != "Zaltorland is ruled from Barsilstead." || said(deep)[0] != `1 0.0  Tolgorford {"Answer Relevancy":0.75,"Faithfulness":1,"success":1}` {
		t.Errorf("%+v, %q", c, said(deep))
	}
	lines, table := read(t, nil, in("others/ragas.jsonl")), read(t, nil, in("others/ragas.csv"))
	if !slices.Equal(said(lines), said(table)) || lines.Suite.Hash() != table.Suite.Hash() || cases(table)["0"].Context[1].Text != "It's a port." {
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
	for _, a := range []*imported.Answers{mc, gen, eval, options, foo, evals, deep, a, recorded} {
		if len(a.Notes) == 0 || slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "printed") }) {
			t.Errorf("%s: noted %q", a.Suite.Name, a.Notes)
		}
	}
}

// Columns are found by the names that people use, and by those that --map gives.
func TestTables(t *testing.T) {
	want := []string{`0 0.0 m Paris `, `1 0.0 m Milan `}
	for name, tt := range map[string]struct {
		text string
		m    []string
	}{
		"names.csv":    {"Question,Answer,Gold,Model\nCapital of France?,Paris,Paris,m\nCapital of Italy?,Milan,Rome,m\n", nil},
		"agree.csv":    {"question,response,output,gold,expected,model\nCapital of France?,Paris,Paris,Paris,,m\nCapital of Italy?,Milan,Milan,Rome,Rome,m\n", nil},
		"semi.csv":     {"prompt;output;answer;model\nCapital of France?;Paris;Paris;m\nCapital of Italy?;Milan;Rome;m\n", nil},
		"map.csv":      {"Q,A,\"G, gold\",who,question\nCapital of France?,Paris,Paris,m,x\nCapital of Italy?,Milan,Rome,m,y\n", []string{"question=Q,answer=A,gold=G, gold", "model=who"}},
		"lines.jsonl":  {`{"query": "Capital of France?", "output": "Paris", "ideal": ["Paris"], "model": "m"}` + "\n" + `{"query": "Capital of Italy?", "output": "Milan", "ideal": "Rome", "model": "m"}`, nil},
		"list.json":    {`[{"query": "Capital of France?", "output": "Paris", "ideal": "Paris", "model": "m"}, {"query": "Capital of Italy?", "output": "Milan", "ideal": "Rome", "model": "m"}]`, nil},
		"mapped.jsonl": {`{"a": "Capital of France?", "b": "Paris", "c": "Paris", "d": "m"}` + "\n" + `{"a": "Capital of Italy?", "b": "Milan", "c": "Rome", "d": "m"}`, []string{"question=a,answer=b,gold=c,model=d"}},
	} {
		a := read(t, mapping(t, tt.m...), write(t, map[string]string{name: tt.text})...)
		c := cases(a)["1"]
		if !slices.Equal(said(a), want) || c.Prompt != "Capital of Italy?" || !slices.Equal(c.Gold.Texts, []string{"Rome"}) {
			t.Errorf("%s: %q, %+v", name, said(a), c)
		}
	}
	a := read(t, mapping(t, "id=n,score=f1,cluster=of"), write(t, map[string]string{
		"a.csv": "n,question,output,gold,f1,of,options,variant,repeat\n10,q?,B,b,.5,x,a|b,0,0\n9,p?,A,a,1,x,a|b,,1\n9,p?,A,a,1,x,a|b,two,\n9,p?,,a,,x,a|b,,\n"})...)
	if got := said(a); !slices.Equal(got, []string{`10 0.0  B {"f1":0.5}`, `9 0.0   `, `9 0.1  A {"f1":1}`, `9 1.0  A {"f1":1}`}) {
		t.Errorf("%q", got)
	}
	if c := a.Suite.Cases.At(0); c.ID != "9" || a.Suite.Cluster != "cluster" || !slices.Contains(c.Tags, "cluster:x") || *c.Gold.Option != 0 {
		t.Errorf("%+v", c)
	}
}

// Scores alone are verdicts: the case says so, and its answer is what was scored.
func TestScoresAlone(t *testing.T) {
	paths := write(t, map[string]string{"a.csv": "id,model,score,f1\na,m,1,.5\nb,m,0,.25\n"})
	a := read(t, nil, paths...)
	c := cases(a)["a"]
	if !slices.Equal(c.Options, imported.Verdicts) || *c.Gold.Option != 1 || !strings.Contains(c.Prompt, "does not say what a asks") || !slices.Equal(said(a), []string{`a 0.0 m scored 1 {"score":1}`, `b 0.0 m scored 0 {"score":0}`}) {
		t.Errorf("%+v, %q", c, said(a))
	}
	if _, err := Read(paths, &Options{Map: mapping(t, "verdict=f1")}); err == nil || !strings.Contains(err.Error(), `sample "a": score "f1" is 0.5, and a verdict is 0 or 1`) {
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
	b := read(t, nil, "testdata/lm-eval/samples_pocket_draws.jsonl", "testdata/lm-eval/samples_pocket_mc.jsonl", "testdata/lm-eval/results_pocket_mc.json")
	if a.Suite.Cases.Len() != 20 || a.Suite.Cases.ID(10) != "pocket_mc/0" || a.Suite.Cases.ID(3) != "pocket_draws/3" || !slices.Contains(a.Suite.Cases.At(0).Tags, "pocket_draws") {
		t.Errorf("%d cases, %q", a.Suite.Cases.Len(), a.Suite.Cases.ID(10))
	}
	if a.Hash() != b.Hash() || !slices.Equal(said(a), said(b)) {
		t.Error("the order of the files counts")
	}
	if natural("a9", "a10") >= 0 || natural("a10", "a9") <= 0 || natural("a09", "a9") == 0 || natural("x", "x") != 0 || natural("", "a") >= 0 {
		t.Error("natural order")
	}
}

// edited returns a log of Inspect with its header changed, its members renamed, or some left out.
func edited(t testing.TB, name func(string) string, header func(map[string]any)) string {
	t.Helper()
	b := fixture(t, "inspect/looked_up.eval")
	old, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f := &file{name: "looked_up.eval", at: bytes.NewReader(b), size: int64(len(b)), source: &imported.Source{}, to: newCollector(&Options{})}
	if err := readInspectZip(f); err != nil {
		t.Fatal(err)
	}
	old.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	for _, m := range old.File {
		to := name(m.Name)
		if to == "" {
			continue
		}
		r, err := m.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name == "header.json" && header != nil {
			var h map[string]any
			if err := json.Unmarshal(content, &h); err != nil {
				t.Fatal(err)
			}
			header(h)
			if content, err = json.Marshal(h); err != nil {
				t.Fatal(err)
			}
		}
		into, err := w.Create(to)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := into.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// bomb is a zip whose one member says that it holds size bytes, and holds what it says that it does not.
func bomb(t testing.TB, size uint64, content string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	h := &zip.FileHeader{Name: "header.json", Method: zip.Store, CompressedSize64: uint64(len(content)), UncompressedSize64: size, CRC32: crc32.ChecksumIEEE([]byte(content))}
	into, err := w.CreateRaw(h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(into, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func deflated(t testing.TB, name string, n int) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	into, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := into.Write(bytes.Repeat([]byte(" "), n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What is wrong has its file, its place and what would be right, in one line; nothing is read of it.
func TestBadLogs(t *testing.T) {
	same := func(s string) string { return s }
	eval := string(fixture(t, "inspect/looked_up.eval"))
	js := string(fixture(t, "inspect/options.json"))
	foo := string(fixture(t, "promptfoo/capitals.json"))
	lm := string(fixture(t, "lm-eval/samples_pocket_gen.jsonl"))
	evals := string(fixture(t, "others/evals.jsonl"))
	line, _, _ := strings.Cut(lm, "\n")
	wide := strings.Repeat("c,", 500_000) + "d"
	for name, tt := range map[string]struct {
		file, text string
		m          []string
		want       string
	}{
		"cut off": {"a.eval", eval[:len(eval)*2/3], nil, "a.eval: is no whole zip (zip: not a valid zip file): it is cut off"},
		"killed":  {"a.eval", edited(t, func(n string) string { return strings.TrimPrefix(n, "header.json") }, nil), nil, "the run did not end: the log has no header; finish it with `inspect eval-retry`"},
		"crashed": {"a.eval", edited(t, same, func(h map[string]any) {
			h["status"] = "error"
			h["error"] = map[string]any{"message": "out of\nmemory"}
		}), nil, "a.eval: the run did not end: its status is \"error\" (out of); finish it"},
		"version":            {"a.eval", edited(t, same, func(h map[string]any) { h["version"] = 3 }), nil, "a.eval: is an Inspect log of version 3, and this release reads version 2"},
		"leads out":          {"a.eval", edited(t, func(n string) string { return strings.Replace(n, "samples/", "../../", 1) }, nil), nil, `a.eval: holds a file whose name "../../known-001_epoch_1.json" leads elsewhere`},
		"twice in it":        {"a.eval", edited(t, func(n string) string { return strings.Replace(n, "known-002", "known-001", 1) }, nil), nil, `a.eval: holds "samples/known-001_epoch_1.json" twice`},
		"says too much":      {"a.eval", bomb(t, 1<<40, "{}"), nil, "a.eval: header.json in it is 1048576 MiB long, at most 64 are read"},
		"says a lot":         {"a.eval", bomb(t, 32<<20, "{}"), nil, "a.eval: header.json in it would grow to 16777216 times its size, at most 1000 is believed"},
		"grows":              {"a.eval", deflated(t, "header.json", 60<<20), nil, "a.eval: header.json in it would grow to"},
		"lies":               {"a.eval", bomb(t, 1<<10, "{}"), nil, "a.eval: header.json in it is damaged"},
		"another zip":        {"a.zip", deflated(t, "word/document.xml", 10), nil, "a.zip: is a zip without a header.json, so no log of Inspect; unpack it"},
		"JSON cut off":       {"a.json", js[:len(js)/2], nil, "a.json, sample 2: ends in the middle"},
		"JSON goes on":       {"a.json", js + "{}", nil, "a.json: goes on after its end"},
		"JSON crashed":       {"a.json", strings.Replace(js, `"success"`, `"cancelled"`, 1), nil, `a.json: the run did not end: its status is "cancelled"`},
		"foo version":        {"a.json", strings.Replace(foo, `"version": 3`, `"version": 4`, 1), nil, "a.json: holds promptfoo results of version 4, and this release reads version 3"},
		"foo cut off":        {"a.json", foo[:len(foo)/2], nil, "ends in the middle"},
		"lm cut off":         {"samples_x.jsonl", lm[:len(lm)/2], nil, "samples_x.jsonl:11: no valid JSON: the line ends in the middle of its object; write one object a line, or copy the file again"},
		"lm twice":           {"samples_x.jsonl", line + "\n" + strings.Replace(line, `[["Tolgorford"]]`, `[["Other"]]`, 1), nil, `samples_x.jsonl:2: sample "0" of model "imported", prompt 0, draw 0 was answered before, at `},
		"lm results alone":   {"results_x.json", string(fixture(t, "lm-eval/results_pocket_mc.json")), nil, "results_x.json: no answers in it; name the samples beside it too"},
		"evals not ended":    {"a.jsonl", strings.Replace(evals, "final_report", "report", 1), nil, "a.jsonl:8: is no line of OpenAI Evals"},
		"evals cut":          {"a.jsonl", evals[:strings.LastIndex(evals[:len(evals)-2], "\n")], nil, "a.jsonl: the run did not end: there is no final_report"},
		"collide":            {"a.csv", "Question,output,gold,question\nq,a,a,p\n", nil, `a.csv:1: columns "Question" and "question" are one but for case and spacing; keep one`},
		"no such column":     {"a.csv", "Q,A\nq,a\n", []string{"question=Q,answer=B"}, `a.csv:1: no column "B", which --map says is the answer`},
		"may be either":      {"a.csv", "question,answer\nq,a\n", nil, `a.csv:1: column "answer" may be the model's answer or the right one: say --map answer=answer or --map gold=answer`},
		"no answers":         {"a.csv", "question,gold\nq,a\n", nil, "a.csv:1: no column of answers"},
		"many columns":       {"a.csv", "question,output," + wide + "\n", nil, "a.csv:1: 500003 columns, at most 1000 are read"},
		"no UTF-8":           {"a.csv", "question,output,gold\nq,\xff,a\n", nil, `a.csv:2: column "output" is not UTF-8`},
		"short row":          {"a.csv", "question,output,gold\nq,a\n", nil, "a.csv:2: the row has other columns than the header"},
		"no number":          {"a.csv", "question,output,gold,score\nq,a,b,high\n", nil, `a.csv:2: score "score" is "high"; want a number`},
		"twice":              {"a.csv", "id,question,output,gold\n1,q,a,b\n1,q,c,b\n", nil, `a.csv:3: sample "1" of model "imported", prompt 0, draw 0 was answered before, at `},
		"another gold":       {"a.csv", "id,question,output,gold,model\n1,q,a,b,m\n1,q,c,d,n\n", nil, `a.csv:3: sample "1" has another right answer than at `},
		"map of a tool":      {"a.jsonl", lm, []string{"answer=x"}, "a.jsonl: is a log of lm-evaluation-harness, whose parts are known: --map answer=… is for tables"},
		"no verdict":         {"a.jsonl", lm, []string{"verdict=f1"}, `a.jsonl: sample "0" has no score "f1"; it has exact_match,flexible-extract, exact_match,strict-match`},
		"empty":              {"a.csv", " \n", nil, "a.csv:1: no rows: the file is empty"},
		"nothing but a head": {"a.csv", "question,output\n", nil, "a.csv: no answers in it"},
		"mark alone":         {"a.csv", "\ufeff\n", []string{"question=q"}, "a.csv:1: no rows: the file is empty"},
		"UTF-16":             {"a.csv", "\xff\xfei\x00d\x00", nil, "a.csv:1: is UTF-16; save the file as UTF-8"},
		"binary":             {"a.csv", "question,output\x00", nil, "a.csv:1: holds a byte 0, so it is no text"},
		"no keys":            {"a.json", "[1, 2]", nil, "a.json:1: begins as JSON and has no object with keys; want rows"},
		"a brace":            {"a.jsonl", "{", nil, "a.jsonl:1: begins as JSON and has no object with keys"},
		"two answers":        {"a.csv", "question,response,output,gold\nq,a,b,a\n", nil, `a.csv:2: columns "response" and "output" may be the same and differ, as "a" and "b"; say what each is for, as --map answer=response`},
		"two golds":          {"a.jsonl", `{"question": "q", "output": "a", "gold": "a", "Expected": "b"}`, nil, `a.jsonl:1: columns "gold" and "Expected" may be the same and differ, as "a" and "b"; say what each is for, as --map gold=gold`},
		"key twice":          {"a.jsonl", `{"question": "q", "output": "a", "gold": "a"}` + "\n" + `{"question": "q", "output": "a", "output": "b"}`, nil, `a.jsonl:2: no valid JSON: key "output" stands there twice; keep one`},
		"many keys":          {"a.jsonl", `{"question": "q", "output": "a", "` + strings.ReplaceAll(strings.Repeat("c,", 1001), "c,", "x\": 1, \"") + `": 1}`, nil, "a.jsonl:1: no valid JSON: key"},
		"version to come":    {"a.json", strings.Replace(js, `"version": 2`, `"version": 12`, 1), nil, "a.json: is an Inspect log of version 12, and this release reads version 2; see whether a later release"},
		"samples are gone":   {"a.json", strings.Replace(js, `"completed_samples": `, `"completed_samples": 9`, 1), nil, "samples that were completed; copy it again, or finish the run"},
		"members are gone":   {"a.eval", edited(t, func(n string) string { return strings.Replace(n, "samples/known-001", "other/known-001", 1) }, nil), nil, "samples that were completed; copy it again"},
		"lm without parts":   {"a.jsonl", `{"doc_id": 0, "resps": [["a"]]}`, nil, "a.jsonl:1: the sample has no arguments; write samples with --log_samples"},
		"lm without answers": {"a.jsonl", `{"doc_id": 0, "resps": 1}`, nil, "a.jsonl:1: the sample has no resps"},
		"lm of likelihoods":  {"a.jsonl", `{"doc_id": 0, "resps": [[1.5]], "arguments": []}`, nil, "a.jsonl:1: resps hold no text"},
		"lm arguments":       {"a.jsonl", `{"doc_id": 0, "resps": [["a"]], "arguments": ["b"]}`, nil, `a.jsonl:1: arguments hold "b"; want lists of a context and its continuation`},
		"lm id":              {"a.jsonl", `{"doc_id": {"a": 1}, "resps": [["a"]], "arguments": []}`, nil, `a.jsonl:1: doc_id {"a": 1}: want a number`},
		"no questions":       {"a.csv", "id,output\na,b\n", nil, "a.csv: which suite was answered? name it with --suite"},
	} {
		paths := write(t, map[string]string{tt.file: tt.text})
		a, err := Read(paths, &Options{Name: "imported", Map: mapping(t, tt.m...)})
		if err == nil {
			t.Errorf("%s: %d answers were read", name, a.Len())
			continue
		}
		if got := strings.ReplaceAll(err.Error(), filepath.Dir(paths[0])+"/", ""); !strings.Contains(got, tt.want) || strings.Contains(got, "\n") || len(got) > 400 {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
	if _, err := Read([]string{"-"}, &Options{Stdin: strings.NewReader(eval)}); err == nil || !strings.Contains(err.Error(), "stdin: is a zip, which cannot be read from a stream") {
		t.Errorf("a zip from a stream: %v", err)
	}
	beside := write(t, map[string]string{"samples_pocket_gen.jsonl": lm[:strings.LastIndex(strings.TrimSpace(lm), "\n")],
		"results_pocket_gen.json": string(fixture(t, "lm-eval/results_pocket_gen.json"))})
	if _, err := Read(beside[1:], &Options{}); err == nil || !strings.Contains(err.Error(), "gen.jsonl: holds 9 of the 10 samples of filter \"flexible-extract\" that its results file counts; copy it again") {
		t.Errorf("%s, cut off at the end of a line: %v", beside[1], err)
	}
	two := write(t, map[string]string{"a.eval": eval, "b.eval": eval})
	if _, err := Read(two, &Options{}); err == nil || !strings.Contains(err.Error(), "b.eval, sample 1: sample \"known-001\"") || !strings.Contains(err.Error(), "a.eval, sample 1; name one log of it") {
		t.Errorf("two logs of one sample: %v", err)
	}
	for _, m := range []string{"", "Q", "quest=Q", "question=", "answer=A,gold=A", "id=a,id=b"} {
		if _, err := ParseMapping([]string{m}); err == nil {
			t.Errorf("--map %q is taken", m)
		}
	}
}

// A record of OpenAI Evals has its report before most of its events: one that ends at any line is refused, with how many
// samples are there.
func TestCutOffBehindTheReport(t *testing.T) {
	for name, want := range map[string]string{
		"openai-evals/capitals.jsonl": "it is cut off, or the run that wrote it was stopped; copy it again, or run it again",
		"others/evals.jsonl":          "the run did not end", // its report is the last line
	} {
		lines := strings.SplitAfter(strings.TrimSpace(string(fixture(t, name))), "\n")
		for n := 3; n < len(lines); n++ {
			_, err := Read(write(t, map[string]string{"a.jsonl": strings.Join(lines[:n], "")}), &Options{Name: "m"})
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, %d of %d lines: %v, want %q", name, n, len(lines), err, want)
			}
		}
	}
	whole := string(fixture(t, "openai-evals/capitals.jsonl"))
	lines := strings.SplitAfter(strings.TrimSpace(whole), "\n")
	half := strings.Join(lines[:12], "")
	uncounted := strings.NewReplacer(`"usage"`, `"usage_of"`, `"usage_`, `"no_`)
	const note = "may be cut off"
	for _, tt := range [][2]string{
		{half, "the report counts 31 tokens (usage_completion_tokens), and the calls in the log 21, of 5 of at least 10 samples: it is cut off"},
		{uncounted.Replace(strings.Join(lines[:10], "")), "the report says an accuracy of 0.6, and its samples give 0.5, of which there are 4 of at least 10 samples: it is cut off"},
		{strings.Join(lines[:len(lines)-1], ""), `a.jsonl:21: sample "capitals.dev.0" was sampled and not matched, as the others were, and is the last of 10 samples: it is cut off`},
		{uncounted.Replace(whole), ""}, // an older release counts no tokens
		{strings.ReplaceAll(whole, `"completion_tokens_details": null`, `"completion_tokens_details": {"reasoning_tokens": 1}`), ""},
		{strings.ReplaceAll(whole, "capitals.dev.7", "capitals.dev.70"), note}, // numbers alone are told
		{uncounted.Replace(half), note}, // its mean is the same
	} {
		a, err := Read(write(t, map[string]string{"a.jsonl": tt[0]}), &Options{Name: "m"})
		got := fmt.Sprint(err)
		if tt[1] == note || tt[1] == "" {
			if err != nil || strings.Contains(strings.Join(a.Notes, "\n"), note) != (tt[1] == note) {
				t.Errorf("%v, want the note %q", err, tt[1])
			}
		} else if !strings.Contains(got, tt[1]) {
			t.Errorf("%s, want %q", got, tt[1])
		}
	}
}

// Whatever stands in a file, it is read or refused with one line.
func fuzz(f *testing.F, file string, k Kind, names ...string) {
	for _, name := range names {
		b := fixture(f, name)
		f.Add(b[:min(len(b), 40_000)])
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if k == Table && len(b) > 0 && (b[0] == '{' || b[0] == '[') != (filepath.Ext(file) == ".jsonl") {
			return
		}
		a, err := Read([]string{path}, &Options{Name: "m"})
		switch {
		case err == nil && (a == nil || a.Suite == nil || a.Len() == 0):
			t.Fatal("nothing was read, and nothing said")
		case err != nil && strings.ContainsAny(err.Error(), "\r\n"):
			t.Fatalf("several lines: %q", err)
		case err == nil && a.Suite.Check() != nil:
			t.Fatalf("a suite with a fault: %v", a.Suite.Check())
		}
	})
}

func FuzzLMEval(f *testing.F) {
	fuzz(f, "samples_x.jsonl", LMEval, "lm-eval/samples_pocket_mc.jsonl", "lm-eval/samples_pocket_gen.jsonl", "lm-eval/samples_pocket_draws.jsonl")
}
func FuzzInspectZip(f *testing.F) { fuzz(f, "a.eval", InspectZip, "inspect/looked_up.eval") }
func FuzzInspectJSON(f *testing.F) {
	f.Add([]byte(`{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "results": {"scores": [{"name": "s", "metrics": {"mean": {"value": 1}}}]}, "samples": [{"id": 1, "epoch": 1, "input": "q", "target": "a", "choices": ["a", "b"], "output": {"completion": "a"}, "scores": {"s": {"value": "C"}}}]}`))
	fuzz(f, "a.json", InspectJSON)
}
func FuzzPromptfoo(f *testing.F) {
	fuzz(f, "a.jsonl", Promptfoo, "promptfoo/capitals.jsonl", "promptfoo/capitals.json")
}
func FuzzPromptfooCSV(f *testing.F) { fuzz(f, "a.csv", PromptfooCSV, "promptfoo/capitals.csv") }
func FuzzOpenAIEvals(f *testing.F)  { fuzz(f, "a.jsonl", OpenAIEvals, "others/evals.jsonl") }
func FuzzDeepEval(f *testing.F)     { fuzz(f, "a.json", DeepEval, "others/deepeval.json") }
func FuzzTable(f *testing.F) {
	f.Add([]byte("question,output,gold,score,options\nq,a,b,1,a|b\n"))
	f.Add([]byte("id,score\na,1\nb,0\n"))
	fuzz(f, "a.csv", Table, "others/ragas.csv")
}
func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"question": "q", "output": "a", "gold": ["b"], "context": ["c"], "score": 0.5}`))
	fuzz(f, "a.jsonl", Table, "others/ragas.jsonl")
}
func FuzzMapping(f *testing.F) {
	f.Add("question=Q,answer=A,gold=G, x")
	f.Fuzz(func(t *testing.T, s string) {
		if m, err := ParseMapping([]string{s}); err == nil {
			again, err := ParseMapping(m.list())
			if err != nil || !maps.Equal(m, again) {
				t.Fatalf("%q becomes %q: %v", s, m.list(), err)
			}
		}
	})
}

// What Python writes for numbers that are none is no score, and the model stands in results that lie elsewhere.
func TestResultsElsewhere(t *testing.T) {
	lm := string(fixture(t, "lm-eval/samples_pocket_mc.jsonl"))
	paths := write(t, map[string]string{"samples_pocket_mc.jsonl": strings.Replace(lm, `"acc_norm": 1.0}`, `"acc_norm": NaN}`, 1)})
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

// Earlier releases of lm-evaluation-harness write arguments as lists, some tasks options as contexts, letters as options,
// several right answers, or one continuation alone.
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
		if got := said(a); err != nil || len(got) != 1 || got[0] != tt.want || c.Prompt != tt.prompt || string(gold) != tt.gold {
			t.Errorf("%s: %q to %q, gold %s", name, got, c.Prompt, gold)
		}
	}
	rolling := write(t, map[string]string{"samples_x.jsonl": `{"doc_id": 0, "doc": {}, "target": "", "arguments": [["a text"]], "resps": [[-35.2]], "word_perplexity": [-35.2, 9]}`})
	if _, err := Read(rolling, &Options{}); err == nil || !strings.Contains(err.Error(), "samples_x.jsonl:1: resps hold no text: where the likelihood of a text was measured there are no answers") {
		t.Errorf("a likelihood: %v", err)
	}
}

// A row of JSON is taken apart as encoding/json does it.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : 1 , "b":[1,{"c":"}"}], "d":"x\\"y\\\\" ,"a":null,"\u0061b":-1.5e3}`, `null`, `"text"`, `[1]`,
		`{"a":{"b":{}},"c":[],"d":true}`, "{\"a\":\"\xff\",\"\xff\":\"\u2028\"}", `{"a":""}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got object
		var want map[string]json.RawMessage
		gotErr, wantErr := json.Unmarshal([]byte(s), &got), json.Unmarshal([]byte(s), &want)
		if (gotErr == nil) != (wantErr == nil) || !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Fatalf("%q is %q, %v; want %q, %v", s, got, gotErr, want, wantErr)
		}
		for key, raw := range want {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			if c := got.cell(key); string(raw) != "null" && (c.empty || c.text != text) {
				t.Errorf("%q: %q says %q, want %q", s, key, c.text, text)
			}
		}
	})
}

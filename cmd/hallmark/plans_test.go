package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/stages"
	"hallmark/internal/model/stub"
	"hallmark/internal/suite"
	"hallmark/internal/suite/benchmark"
)

// planFiles are the files that plans name, where they are among the published ones here.
var planFiles = map[string]string{
	"truthfulqa-v0/mc_task.json":           "truthfulqa/v0/mc_task.json",
	"news-factor/news_factor.csv":          "factor/news_factor.csv",
	"medhalt-fct/prompts.json":             "medhalt/prompts/reasoning_FCT/prompts.json",
	"medqa/test.jsonl":                     "medqa/test.jsonl",
	"commonsenseqa/dev_rand_split.jsonl":   "commonsenseqa/dev_rand_split.jsonl",
	"commonsenseqa/train_rand_split.jsonl": "commonsenseqa/train_rand_split.jsonl",
	"fever/paper_dev.jsonl":                "fever/paper_dev.jsonl",
	"fever/fever_labelled_dev.json":        "fever/fever_labelled_dev.json",
	"fever/shared_task_dev.jsonl":          "fever/fever_labelled_dev.json", // the same claims as one list
	"gsm8k/test.jsonl":                     "gsm8k/test.jsonl",
	"simpleqa/simple_qa_test_set.csv":      "simpleqa/simple_qa_test_set.csv",
	"sst2/stsa.binary.test":                "sst2/stsa.binary.test",
	"sst2/stsa.binary.train":               "sst2/stsa.binary.train",
	"subj/quote.tok.gt9.5000":              "subj/quote.tok.gt9.5000",
	"subj/plot.tok.gt9.5000":               "subj/plot.tok.gt9.5000",
	"agnews/test.csv":                      "agnews/test.csv",
	"medicalqp/mqp.csv":                    "mqp/mqp.csv",
	"rte/val.jsonl":                        "rte/val.jsonl",
	"rte/train.jsonl":                      "rte/train.jsonl",
	"agnews/train.csv":                     "",
	"wnli/dev.tsv":                         "",
	"wnli/train.tsv":                       "",
	"wiki-factor/wiki_factor.csv":          "",
	"medhalt-fct/reasoning_FCT.csv":        "",
	"fever/train.jsonl":                    "",
	"truefalse/inventions_true_false.csv":  "",
	"passages.jsonl":                       "",
	"paraphrases/wiki-factor.jsonl":        "",
	"paraphrases/news-factor.jsonl":        "",
	"paraphrases/fever.jsonl":              "",
}

// placeFile puts a file that a plan names under the working folder: the published one, or a made one in its format
// where that is not here.
func placeFile(t *testing.T, root, name string, asked []suite.Case) {
	t.Helper()
	target := filepath.Join(".hallmark", "data", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	real, known := planFiles[name]
	if !known {
		t.Fatalf("the plan names %s, which no test places", name)
	}
	if real != "" {
		path := filepath.Join(root, "..", "shared", "data", filepath.FromSlash(real))
		if _, err := os.Stat(path); err != nil {
			t.Skipf("the published file %s is not here", real)
		}
		if err := os.Symlink(path, target); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
		return
	}
	var b strings.Builder
	switch filepath.Base(name) {
	case "wiki_factor.csv", "reasoning_FCT.csv":
		data, err := os.ReadFile(filepath.Join(root, "internal/suite/benchmark/testdata", filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	case "train.jsonl":
		for i := range 40 {
			fmt.Fprintf(&b, "{\"id\": %d, \"label\": \"%s\", \"claim\": \"The made-up mill %d stands by a river.\"}\n", i,
				[]string{"SUPPORTS", "REFUTES"}[i%2], i)
		}
	case "inventions_true_false.csv":
		b.WriteString("statement,label\n")
		for i := range 40 {
			fmt.Fprintf(&b, "The made-up wheel %d was invented first.,%d\n", i, i%2)
		}
	case "passages.jsonl":
		for i := range 40 {
			fmt.Fprintf(&b, "{\"id\": \"p%d\", \"title\": \"Mill %d\", \"text\": \"The mill %d stood by the river for ninety "+
				"years and made films of soul food.\"}\n", i, i, i)
		}
	}
	b.WriteString(madeLabelled(filepath.ToSlash(name)))
	if strings.HasPrefix(name, "paraphrases/") {
		for i := range asked {
			for k := range 9 {
				line, err := json.Marshal(map[string]string{"id": asked[i].ID, "paraphrase": fmt.Sprintf("Put in way %d: %s", k,
					asked[i].Prompt)})
				if err != nil {
					t.Fatal(err)
				}
				b.Write(append(line, '\n'))
			}
		}
	}
	if err := os.WriteFile(target, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every plan reads, and runs to its figures on its first cases with simulated models in place of the real ones: what it
// quotes as published of consistency is measured, under the same path. Files that are not there are made ones of the
// same format. HALLMARK_LONG=1 runs them all, else a sixth.
func TestPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every plan")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	plans, err := filepath.Glob(filepath.Join(root, "plans", "*.yaml"))
	if err != nil || len(plans) < 10 {
		t.Fatalf("%d plans, %v", len(plans), err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "plans", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`([a-z0-9-]+\\.yaml)`").FindAllStringSubmatch(string(readme), -1) {
		if _, err := os.Stat(filepath.Join(root, "plans", m[1])); err != nil {
			t.Errorf("plans/README.md lists %s: %v", m[1], err)
		}
	}
	for i, plan := range plans {
		name := filepath.Base(plan)
		t.Run(name, func(t *testing.T) {
			runPlan(t, root, plan, string(readme), archtest.Long() || i%6 == 0) // the others only with HALLMARK_LONG
		})
	}
}

// runPlan runs a plan where it is asked for, by models that are there in the place of its own.
func runPlan(t *testing.T, root, plan, readme string, asked bool) {
	name := filepath.Base(plan)
	data, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(readme, "`"+name+"`") {
		t.Errorf("plans/README.md does not list %s", name)
	}
	if name == "pocket.yaml" || !asked {
		return // the first is what TestScripts runs anyway
	}
	if strings.HasPrefix(name, "posterior-pocket") { // the built-in model itself, on its first problems
		t.Chdir(t.TempDir())
		var out, messages bytes.Buffer
		code := hallmark([]string{"run", "-c", plan, "--allow-path", "--allow-host", "--limit", "2", "--m", "2",
			"--no-report", "--quiet", "--json"}, strings.NewReader(""), &out, &messages)
		if code != 0 || !strings.Contains(out.String(), `"phr"`) {
			t.Fatalf("exit %d: %s", code, messages.String())
		}
		return
	}
	if !strings.Contains(string(data), "Never run on these models") &&
		!strings.Contains(string(data), "Never run on\n") {
		t.Errorf("%s does not say that it was never run on its models", name)
	}
	if strings.Contains(name, "standin") != strings.Contains(string(data), "STAND-IN") {
		t.Errorf("a stand-in is named in the file's name and in the file, or in neither")
	}
	t.Chdir(t.TempDir())
	var cases []suite.Case
	for _, m := range regexp.MustCompile(`\.hallmark/data/([^\s,]+)`).FindAllStringSubmatch(string(data), -1) {
		if strings.HasPrefix(m[1], "paraphrases/") {
			s, err := benchmark.Load(regexp.MustCompile(`(?m)^suite: (.*)$`).FindStringSubmatch(string(data))[1], false)
			if err != nil {
				t.Fatal(err)
			}
			cases = s.Cases.First(2).Loose()
		}
		placeFile(t, root, m[1], cases)
	}
	if strings.HasPrefix(name, "posterior-") { // of servers
		runPosteriorPlan(t, root, plan, data)
		return
	}
	args, model := standIns(t, string(data))
	var out, messages bytes.Buffer
	code := hallmark(append([]string{"run", "-c", plan, "--allow-path", "--allow-host", "--limit", "2", "--max-tokens",
		"8", "--sampled", "0", "--no-report", "--quiet", "--json", "--allow-unscored", "100000"}, args...),
		strings.NewReader(""), &out, &messages)
	if code != 0 && !(code == exit.Unscored && strings.Contains(messages.String(),
		"could be graded")) { // what a stub says may answer nothing
		t.Fatalf("exit %d: %s", code, messages.String())
	}
	var doc assay.Document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	besidePublished(t, planPublished(t, plan, data), &doc, model, strings.HasPrefix(name, "detection"))
}

// standIns are models to run a plan on: flags, and the one whose figures are looked at.
func standIns(t *testing.T, plan string) (args []string, model string) {
	t.Helper()
	for i, profile := range []string{"prompt_agnostic_factual: .5\nprompt_agnostic_error: .2\nrandomness: .3\n",
		"randomness: 1\n"} {
		if err := os.WriteFile(fmt.Sprintf("p%d.yaml", i), []byte(profile), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A simulated model knows the prompts of a suite; what is put in other words or behind a passage, a stub of
	// a server answers.
	args, model = []string{"--model", "phantom:p0.yaml", "--model", "phantom:p1.yaml"}, "phantom:p1.yaml"
	if strings.Contains(plan, "paraphrases:") {
		server := httptest.NewServer(stub.New(stub.Options{Answer: func(prompt string) string {
			return fmt.Sprintf("The answer is %d.", len(prompt)%7)
		}}))
		t.Cleanup(server.Close)
		model = server.URL + "/v1#m"
		args = []string{"--model", model, "--api", "completions"}
		if strings.Contains(plan, "\nsweep: ") {
			list := fmt.Sprintf("models:\n  - {name: dense, model: %q, sparsity: 0}\n"+
				"  - {name: R1, model: %q, sparsity: .149}\n", model, server.URL+"/v1#n")
			if err := os.WriteFile("stages.yaml", []byte(list), 0o644); err != nil {
				t.Fatal(err)
			}
			args = []string{"--sweep", "stages.yaml", "--api", "completions"}
		}
	}
	return args, model
}

// besidePublished holds what a run of a plan measured, by the model, beside the figures that were published.
func besidePublished(t *testing.T, published *assay.Published, doc *assay.Document, model string, detection bool) {
	t.Helper()
	if b := doc.ThisInvocation.Published; b == nil || b.Source == "" || b.NotMeasured != len(published.Figures) &&
		!detection {
		t.Errorf("of the models themselves nothing was measured, but %+v", b)
	}
	for i := range published.Figures {
		if published.Figures[i].Model != "across_models" {
			published.Figures[i].Model = model
		}
	}
	beside := published.Beside(doc)
	for _, f := range beside.Figures {
		// Which categories there are, and which detectors, depends on the cases and on the model.
		if f.Measured == nil && !strings.Contains(f.Figure, "by_category") && !strings.Contains(f.Figure, "detectors") {
			t.Errorf("%s is not measured", f.Figure)
		}
	}
	results := slices.Collect(maps.Values(doc.Models[0].Suites))
	if doc.Models[0].SuiteResult != nil {
		results = append(results, doc.Models[0].SuiteResult)
	}
	for _, r := range results {
		if c := r.Consistency; c == nil || c.Variants.Max < 2 {
			t.Errorf("consistency is %+v", c)
		}
	}
	if len(results) == 0 {
		t.Error("no results")
	}
}

// The stages that a plan sweeps over read, and their models are those whose figures it quotes.
func TestPlanStages(t *testing.T) {
	for plan, list := range map[string]string{"stability-sweep": "qwen3-0.6b",
		"stability-sweep-probes-standin": "qwen3-0.6b-r4"} {
		file := "../../plans/stages/" + list + ".yaml"
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l, err := stages.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		path := "../../plans/" + plan + ".yaml"
		if data, err = os.ReadFile(path); err != nil || !strings.Contains(string(data), "\nsweep: plans/stages/"+list+
			".yaml\n") {
			t.Fatalf("%s does not name them: %v", plan, err)
		}
		var quoted []string
		for _, f := range planPublished(t, path, data).Figures {
			if !slices.Contains(quoted, f.Model) {
				quoted = append(quoted, f.Model)
			}
		}
		if !slices.Equal(quoted, l.Models) {
			t.Errorf("%s quotes figures of %v; the stages are %v", plan, quoted, l.Models)
		}
	}
}

// planPublished reads the published section of a plan file.
func planPublished(t *testing.T, path string, data []byte) *assay.Published {
	t.Helper()
	doc, err := strictyaml.Read(path, data)
	if err != nil {
		t.Fatal(err)
	}
	f := spec.Run{Config: path}
	if n := doc.Get("published"); n != nil {
		if err := f.ReadPublished(n); err != nil {
			t.Fatal(err)
		}
	}
	if f.Published == nil {
		t.Fatal("nothing is quoted")
	}
	return f.Published
}

// Models of one server, run one after the other, are read together once the server is gone: as plans/README.md says.
func TestModelsTogetherOffline(t *testing.T) {
	t.Chdir(t.TempDir())
	cases := "cases:\n  - {id: a, prompt: \"Largest?\", options: [\"Oslo\", \"Rome\"], gold: \"Rome\", phrasings: [\"Biggest?\"]}\n  - {id: b, prompt: \"Smallest?\", options: [\"Bonn\", \"Ulm\"], gold: \"Ulm\", phrasings: [\"Least?\"]}\n"
	if err := os.WriteFile("s.yaml", []byte(cases), 0o644); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(stub.New(stub.Options{Answer: func(prompt string) string {
		return fmt.Sprintf("The answer is %d.", len(prompt)%7)
	}}))
	run := func(args ...string) assay.Document {
		t.Helper()
		var out, messages bytes.Buffer
		all := append([]string{"run", "--suite", "s.yaml", "--api", "completions", "--method", "rubric,consistency,detection",
			"--no-report", "--quiet", "--json"}, args...)
		if code := hallmark(all, strings.NewReader(""), &out, &messages); code != 0 {
			t.Fatalf("exit %d: %s", code, messages.String())
		}
		var doc assay.Document
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	one, two := server.URL+"/v1#one", server.URL+"/v1#two"
	run("--model", one)
	run("--model", two)
	server.Close()
	doc := run("--model", one, "--model", two, "--offline")
	if c := doc.ThisInvocation.Calls; c.Asked != 0 || c.Skipped != 0 || len(doc.Models) != 2 ||
		len(doc.Models[1].Unscored) > 0 || doc.Across == nil {
		t.Errorf("calls %+v, %d models, across them %v", c, len(doc.Models), doc.Across)
	}
}

package spec

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"hallmark/internal/assay"
)

// told resolves a run that was told so by flags.
func told(t *testing.T, args ...string) (*Run, *assay.Plan) {
	t.Helper()
	var r Run
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	r.Add(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	in := &Surroundings{Seed: 1, Stdin: strings.NewReader(""), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now: time.Now}
	plan, _, err := r.Resolve(in)
	if err == nil {
		err = r.ReadPassages(in, plan)
	}
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return &r, plan
}

// TestKeyed: a field that is keyed makes another run where it has another value, and one that is not makes the same.
func TestKeyed(t *testing.T) {
	seen := map[string]bool{}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	suite := file("suite.csv", "id,question,gold\na,What is the capital of France?,Paris\nb,And of Japan?,Tokyo\n")
	passages := file("passages.jsonl", `{"id": "1", "title": "France", "text": "Paris is its capital."}`+"\n")
	templates := file("templates.yaml", "- \"{question} Answer:\"\n- \"Say: {question}\"\n")
	const paraphrases, meaning, search = "--variants paraphrases=2", "--equal meaning --entailment pocket",
		"--retrieve PASSAGES"
	for _, of := range []struct{ name, base, value string }{
		{"suite", "", "core"}, {"method", "", "rubric"}, {"limit", "", "1"},
		{"variants", "", "paraphrases=2"}, {"templates", "--variants templates=2", templates},
		{"paraphraser", paraphrases, "pocket"},
		{"paraphrase-prompt", paraphrases + " --paraphraser pocket", "Reword {n} times: {text}"},
		{"paraphrase-samples", paraphrases + " --paraphraser pocket", "2"}, {"paraphrase-filter", paraphrases, "none"},
		{"tau", "", ".5"}, {"equal", "", "exact"}, {"sampled", "", "3"}, {"sc", "", "with-replacement"},
		{"exclude-default", "", "true"},
		{"common-r", "", "3"}, {"repeats", "", "4"},
		{"entailment-reply", meaning, "text"}, {"equal-most", meaning, "5"},
		{"equal-check", meaning, file("pairs.jsonl", `{"question": "Q?", "a": "one", "b": "two", "equal": false}`+"\n")},
		{"choices", "", "generate"}, {"option-score", "", "sum"}, {"form", "", "qa"}, {"max-tokens", "", "7"},
		{"as-of", "", "2026-01-02"},
		{"retrieve", "", passages}, {"retrieve-k", search, "2"}, {"retrieve-form", search, "passage"},
		{"retrieve-forbid", search, "France"},
		{"eps", "", ".2"}, {"also-eps", "", ".3"}, {"extend", "", "7"}, {"m", "", "9"}, {"estimator", "", "published"},
		{"k", "--estimator published", "9"}, {"answer-tokens", "--estimator published", "3"},
		{"answer-total", "--estimator published", "true"},
		{"top-p", "", ".8"}, {"abstain", "", ".4"}, {"at", "", "2"},
		{"key-env", "", "NAME"}, {"key-cmd", "", "true"}, {"pass-env", "", "NAME"}, {"price", "", "1,2"},
		{"concurrency", "", "3"}, {"budget", "", "5calls"}, {"rpm", "", "3"}, {"tpm", "", "3"}, {"in-flight", "", "3"},
		{"max-retries", "", "3"}, {"timeout", "", "3s"},
		{"retry-errors", "", "true"}, {"offline", "", "true"}, {"detach", "", "true"}, {"allow-unscored", "", "3"},
		{"fail-on", "", "rubric.n > 3"},
		{"no-report", "", "true"}, {"output", "", filepath.Join(dir, "out")}, {"verbose", "", "true"},
		{"name", "", "monday"}, {"accept", "", "incorrect <= 5%"},
	} {
		f := named(of.name)
		base := []string{"--suite", suite, "--method", strings.Join(assay.Methods(), ",")}
		for part := range strings.FieldsSeq(of.base) {
			base = append(base, strings.Replace(part, "PASSAGES", passages, 1))
		}
		with := append(slices.Clone(base), "--"+of.name+"="+of.value)
		switch of.name {
		case "suite":
			with = append(with[2:], "--suite", "pocket")
		case "method":
			base, with = base[:2], append(slices.Clone(base[:2]), "--method", "rubric,consistency,joint")
		}
		_, before := told(t, base...)
		_, after := told(t, with...)
		if same := before.ID() == after.ID(); same == f.Keyed {
			t.Errorf("--%s %s: keyed %v, and the run is the same: %v", of.name, of.value, f.Keyed, same)
		}
		seen[of.name] = true
	}
	for _, f := range new(Run).Fields() {
		if !seen[f.Name] && !slices.Contains(later, f.Name) {
			t.Errorf("--%s: nothing shows whether it is part of the run's id", f.Name)
		}
	}
}

// named returns the field of a name.
func named(name string) Field {
	all := new(Run).Fields()
	return all[slices.IndexFunc(all, func(f Field) bool { return f.Name == name })]
}

// later are the fields that make another run by the models that they name, or that name no value of their own; script
// tests show that (run_other_model, guard, judges, sweep).
var later = []string{
	"config", "model", "judge", "judge-all", "answer-contract", "grader-check", "entailment", "paraphrase-judge", "api",
	"sweep", "probe", "corpus", "guard", "guard-index", "guard-memory", "guard-coverage", "guard-off", "guard-candidates",
	"guard-phrasings", "guard-agreement", "guard-repairs",
}

// TestFields: each field has one name, a group and a line of help, and is a flag of the kind that its value has.
func TestFields(t *testing.T) {
	names := map[string]bool{}
	for _, f := range new(Run).Fields() {
		if names[f.Name] || f.Group == "" || f.Help == "" || strings.ToLower(f.Name) != f.Name {
			t.Errorf("%+v", f)
		}
		names[f.Name] = true
	}
	for _, x := range new(assay.Plan).Parameters() { // those are flags of every command, and of import
		if x.Flag != "" && !names[x.Flag] && x.Flag != "seed" && x.Flag != "map" {
			t.Errorf("--%s sets %s of a plan, and is no field: add it to fields.go and fields.txt", x.Flag, x.Member)
		}
	}
	for name := range helps() {
		if !names[name] {
			t.Errorf("fields.txt has a line of no field: %s", name)
		}
	}
	var r Run
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	r.Add(flags)
	flags.VisitAll(func(f *pflag.Flag) { delete(names, f.Name) })
	if len(names) > 0 {
		t.Errorf("no flags: %v", names)
	}
}

// TestUsage: help names each flag of a run once, in the group of its field, and in lines of at most 80 columns.
func TestUsage(t *testing.T) {
	var r Run
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	r.Add(flags)
	flags.Bool("allow-exec", false, "no field of a run")
	text := Usage(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if n := strings.Count(text, "--"+f.Name+" ") + strings.Count(text, "--"+f.Name+"\n"); n == 0 ||
			strings.Count(text, "\n      --"+f.Name+" ")+strings.Count(text, ", --"+f.Name+" ") != 1 {
			t.Errorf("--%s stands there %d times", f.Name, n)
		}
	})
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > HelpColumns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(text, "\n      --suite FILE            built-in") ||
		!strings.Contains(text, "\n      --variants KIND=N,…     kinds") {
		t.Errorf("columns are not beneath each other:\n%s", text)
	}
	at := func(heading string) int { return strings.Index(text, heading+":\n") }
	if !(at("What most runs say") == 0 && at("Limits") > at("Judges") && at("Other flags") > at("Result")) {
		t.Errorf("the groups stand otherwise:\n%s", text)
	}
}

// TestNumbers: a number out of its bounds is refused by name.
func TestNumbers(t *testing.T) {
	for arg, want := range map[string]string{
		"--concurrency=513":    "--concurrency 513: want a number of at most 512",
		"--limit=-1":           "--limit -1: want a number of 0 or more",
		"--sampled=-2":         "--sampled -2: agreement needs at least 2 samples",
		"--timeout=-1s":        "--timeout -1s: want a time of 0",
		"--repeats=1000000000": "--repeats 1000000000: want a number from 0 to 10000",
		"--api=x":              `--api "x": use chat or completions`,
	} {
		var r Run
		flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
		r.Add(flags)
		if err := flags.Parse([]string{arg}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.Resolve(&Surroundings{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", arg, err, want)
		}
	}
}

// Many imported answers are graded by whoever looks at them, unless something of their figures is asked for.
func TestDeferred(t *testing.T) {
	for name, change := range map[string]func(*Run){
		"": func(*Run) {}, "few": func(r *Run) { r.Imported.N = MostGraded }, "evaluate": func(r *Run) {
			r.Imported.Evaluate = true
		},
		"run": func(r *Run) { r.Imported = nil }, "gate": func(r *Run) {
			r.FailOn = []string{"a > 1"}
		}, "accept": func(r *Run) {
			r.Accept = []string{"a"}
		},
		"judge": func(r *Run) { r.Judges = []string{"pocket"} }, "entailment": func(r *Run) {
			r.Equivalence.Entailment = "pocket"
		},
		"output": func(r *Run) { r.Output = "dir" }, "verbose": func(r *Run) { r.Verbose = true },
	} {
		r := Default()
		r.Imported = &Imported{N: MostGraded + 1}
		change(&r)
		if got := r.Deferred(); got != (name == "") {
			t.Errorf("%q: deferred is %t", name, got)
		}
	}
}

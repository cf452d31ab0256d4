package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/report/papers"
)

// A pictured figure is one of a paper, with the command that makes it, in which RUN… stands for the runs that are
// pictured.
type pictured struct {
	title, says string
	runs        string // which of the runs below
	table       string // of --table
	command     string // where it is none of these
	file        string // what the command writes, where that is not the picture of the table
}

// figurePapers are the papers with their figures, in order.
var figurePapers = []struct {
	title   string
	figures []pictured
}{
	{"Rethinking Hallucinations: Correctness, Consistency, and Prompt Multiplicity (arXiv:2602.00723)", []pictured{
		{title: "Figure 1: the same error by chance, and steadily", runs: "study", table: "examples",
			says: "Figure 2 of the paper is a scheme of its terms and has no data."},
		{title: "Tables 1, 2 and 4: accuracy and ambiguity", runs: "study", table: "multiplicity"},
		{title: "Figures 3 and 6: existing evaluation against the framework", runs: "study", table: "taxonomy"},
		{title: "Figure 4: detecting correctness and consistency", runs: "study", table: "detection"},
		{title: "Figure 5, left: change of category with retrieval", runs: "retrieval", table: "flow"},
		{title: "Table 3, and figure 5, right: ambiguity over retrieved documents", runs: "retrieval", table: "retrieved"},
	}},
	{"Hallucinations Live in Variance (arXiv:2601.07058)", []pictured{
		{title: "Figure 1: bias² and variance of the stages", runs: "sweep", command: "hallmark report RUN " +
			"--format decomposition", file: "decomposition.svg"},
		{title: "Figure 2: the phase diagram", runs: "sweep", command: "hallmark report RUN --format phase",
			file: "phase.svg"},
		{title: "Table 1: the stability sweep", runs: "sweep", table: "sweep"},
		{title: "Table 2: semantic stability by probe", runs: "study", table: "stability"},
		{title: "Appendix A: the reporting template", runs: "study", table: "protocol"},
	}},
	{"Hallucination Testing", []pictured{
		{title: "H, e_T, e_D, e_R, S and F", runs: "study", table: "rates"},
		{title: "Confusion map", runs: "study", table: "confusion"},
		{title: "Comparative reduction", runs: "study", table: "reduction",
			says: "Two runs case by case, with tests and what was fixed and regressed: `hallmark compare BASE OTHER` " +
				"([compare.md](compare.md))."},
		{title: "Learning curves", runs: "study", table: "learning",
			says: "The same paired case by case: `hallmark compare --series RUN…`. The coverage matrix of a suite: `hallmark " +
				"suite check SUITE`. Krippendorff's alpha of what people said: `hallmark analyze agreement FILE`."},
	}},
	{"Estimating the Hallucination Rate of Generative AI (arXiv:2406.07457)", []pictured{
		{title: "Figures 4 to 7: error, entropy, PHR and MHR by in-context examples", runs: "posterior", table: "in-context",
			says: "Figures 1, 9 and 10 are contexts and answers: `hallmark show RUN CASE` shows them of your own."},
		{title: "Figures 17 and 18: by eps", runs: "posterior", table: "eps"},
		{title: "Figure 19: mutual information against error, MHR and PHR", runs: "posterior", table: "information"},
		{title: "Table 1: ablation", runs: "posterior", table: "ablation"},
		{title: "Figure 2: likely answers and rates", command: regressionCommand, file: "figure-02.svg"},
		{title: "Figure 3: true and posterior rate", command: regressionCommand, file: "figure-03.svg"},
		{title: "Figure 8: what the context does not say, and what the model cannot do", command: regressionCommand,
			file: "figure-08.svg"},
		{title: "Figure 11: training data, and data that the model makes up", command: regressionCommand,
			file: "figure-11.svg"},
		{title: "Figure 12: true against posterior rate by eps", command: regressionCommand, file: "figure-12.svg"},
		{title: "Figure 13: rates by eps", command: regressionCommand, file: "figure-13.svg"},
		{title: "Figure 14: misspecified eps", command: regressionCommand, file: "figure-14.svg"},
		{title: "Figure 15: mutual information and true rate", command: regressionCommand, file: "figure-15.svg"},
		{title: "Figure 16: true rate, posterior rate and mutual information", command: regressionCommand,
			file: "figure-16.svg"},
	}},
}

const regressionCommand = "hallmark analyze regression -o DIR"

// figureRuns are the commands that make what is pictured, small enough to be made anew in every long test. RUN… of a
// figure are the runs of one of them.
var figureRuns = []struct {
	name     string
	commands []string
	runs     int
}{
	{"", []string{"hallmark model compress pocket passages.jsonl -o stages --learn none --steps 0 --batch 4 --one-shot " +
		"--rank magnitude --schedule 15,30"}, 0},
	{"study", []string{"hallmark run study.yaml"}, 2},
	{"retrieval", []string{retrievalRun, retrievalRun + " --retrieve passages.jsonl --retrieve-k 2"}, 2},
	{"sweep", []string{"hallmark run pocket-sums --limit 16 --model pocket --sweep stages --method consistency " +
		"--variants phrasings=4 --sampled 0 --repeats 1 --allow-unscored 99"}, 1},
	{"posterior", []string{"hallmark run incontext:topic8x2?contexts=10&queries=1&n=2,4,12 --method posterior --m 3 " +
		"--extend 2"}, 1},
	{"", []string{"hallmark analyze regression --functions 6 --contexts 2,20,100 --queries 2 --m 4 --foreign 2 -o DIR"},
		0},
}

const retrievalRun = "hallmark run pocket --limit 16 --model pocket --model hf:stages/R2 --method consistency " +
	"--variants phrasings=4 --sampled 0 --repeats 1 --allow-unscored 99"

// docs/figures.md has every table and figure of the papers, with the command that makes it and its picture, which the
// program draws anew here, with HALLMARK_LONG=1.
func TestFiguresPage(t *testing.T) {
	if !archtest.Long() && !*update {
		t.Skip("runs with HALLMARK_LONG=1")
	}
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	for _, name := range []string{"study.yaml", "passages.jsonl"} {
		data, err := os.ReadFile(filepath.Join(docs, "figures", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(work, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(work)
	do := func(args ...string) []byte {
		t.Helper()
		var out, said bytes.Buffer
		if code := hallmark(args, nil, &out, &said); code != 0 {
			t.Fatalf("%s: exit %d: %s", strings.Join(args, " "), code, said.String())
		}
		return out.Bytes()
	}
	ids := map[string][]string{}
	for _, r := range figureRuns {
		for _, c := range r.commands {
			do(append(strings.Fields(strings.ReplaceAll(strings.TrimPrefix(c, "hallmark "), "DIR", "regression")),
				"--quiet")...)
		}
		if r.runs == 0 {
			continue
		}
		var listed struct{ Runs []struct{ ID string } }
		if err := json.Unmarshal(do("show", "--json"), &listed); err != nil {
			t.Fatal(err)
		}
		for i := r.runs - 1; i >= 0; i-- { // the newest are listed first
			ids[r.name] = append(ids[r.name], listed.Runs[i].ID)
		}
	}
	var page strings.Builder
	have, err := os.ReadFile(filepath.Join(docs, "figures.md"))
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(have), generatedMark)
	if !found {
		t.Fatalf("docs/figures.md has lost its mark %q", generatedMark)
	}
	page.WriteString(head + generatedMark)
	tables := map[string]bool{}
	for _, p := range figurePapers {
		fmt.Fprintf(&page, "\n## %s\n", p.title)
		for _, f := range p.figures {
			command, file := f.command, f.file
			var drawn []byte
			switch {
			case f.table != "":
				tables[f.table] = true
				command, file = "hallmark report RUN… --table "+f.table, f.table+".svg"
				drawn = do(append([]string{"report", "--table", f.table, "--format", "svg"}, ids[f.runs]...)...)
			case f.runs != "":
				format := f.command[strings.LastIndexByte(f.command, ' ')+1:]
				drawn = do("report", ids[f.runs][0], "--format", format)
			default:
				if drawn, err = os.ReadFile(filepath.Join("regression", f.file)); err != nil {
					t.Fatal(err)
				}
			}
			fmt.Fprintf(&page, "\n### %s\n\n    %s\n\n![%s](figures/%s)\n", f.title, command, f.title, file)
			if f.says != "" {
				fmt.Fprintf(&page, "\n%s\n", f.says)
			}
			same(t, filepath.Join(docs, "figures", file), drawn)
		}
	}
	fmt.Fprintf(&page, "\n## The runs of these pictures\n\nIn a folder with [study.yaml](figures/study.yaml) and "+
		"[passages.jsonl](figures/passages.jsonl):\n\n")
	for _, r := range figureRuns {
		for _, c := range r.commands {
			fmt.Fprintf(&page, "    %s\n", typed(c))
		}
	}
	same(t, filepath.Join(docs, "figures.md"), []byte(page.String()))
	for _, k := range papers.Kinds {
		if !tables[k.Name] {
			t.Errorf("the table %s has no picture", k.Name)
		}
	}
}

// typed is a command as a shell takes it.
func typed(command string) string {
	words := strings.Fields(command)
	for i, w := range words {
		if strings.ContainsAny(w, "?&") {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
}

// same compares a file with what it should be, or makes it so with -update.
func same(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s differs from what the program makes (%v); run `go test ./cmd/hallmark -run FiguresPage -update`",
			filepath.Base(path), err)
	}
}

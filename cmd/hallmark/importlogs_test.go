package main

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/run/store/sqlite"
)

const logsDir = "../../internal/suite/logs/testdata"

// imported is what is read of the document of an import.
type importedDoc struct {
	Run struct {
		ID       string
		Warnings []string
		Imported []struct {
			Tool, Version, Task, Model string
			Printed                    map[string]float64
		}
	}
	Models []struct {
		Model  string
		Rubric struct {
			Outcomes struct {
				N       int
				Correct struct{ Rate *float64 }
			}
		}
		Measured struct {
			Scores struct {
				ByName map[string]struct {
					Average      float64
					Cases, N     int
					Mean         *struct{ Estimate, Lo, Hi float64 }
					OverVariants *struct{ Estimate float64 } `json:"over_variants"`
					Agreement    *struct{ Estimate float64 }
					Differ       []struct{ Answer string }
				} `json:"by_name"`
			}
		}
	}
}

// importing imports files into a store of its own, and returns the document.
func importing(t *testing.T, store string, args ...string) (doc importedDoc) {
	t.Helper()
	out, errs, code := said(append([]string{"import", "--json", "--no-report", "--allow-unscored", "99", "--store",
		"sqlite:" + store}, args...)...)
	if code != 0 && code != 3 {
		t.Fatalf("%q: exit %d: %s", args, code, errs)
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// Each log that a tool wrote gives the figure that the tool printed, in all the digits that it printed.
func TestImportedLogsGiveWhatTheToolPrinted(t *testing.T) {
	number := regexp.MustCompile(`\d+\.\d+`)
	read := func(file string) string {
		b, err := os.ReadFile(filepath.Join(logsDir, file))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tt := range []struct {
		file, text, line string // the line of what was printed
		score            string
		tool             string
	}{
		{"lm-eval/samples_pocket_mc.jsonl", "lm-eval/pocket_mc.txt", "|acc     |", "acc", "lm-evaluation-harness 0.4.13"},
		{"lm-eval/samples_pocket_mc.jsonl", "lm-eval/pocket_mc.txt", "|acc_norm|", "acc_norm",
			"lm-evaluation-harness 0.4.13"},
		{"lm-eval/samples_pocket_gen.jsonl", "lm-eval/pocket_gen.txt", "|strict-match", "exact_match,strict-match",
			"lm-evaluation-harness 0.4.13"},
		{"lm-eval/samples_pocket_gen.jsonl", "lm-eval/pocket_gen.txt", "|flexible-extract", "exact_match,flexible-extract",
			"lm-evaluation-harness 0.4.13"},
		{"lm-eval/samples_pocket_draws.jsonl", "lm-eval/pocket_draws.txt", "exact_match", "exact_match,first",
			"lm-evaluation-harness 0.4.13"},
		{"inspect/capitals.eval", "inspect/capitals.txt", "accuracy", "match", "Inspect 0.3.285"},
		{"inspect/capitals.eval", "inspect/capitals.txt", "accuracy", "includes", "Inspect 0.3.285"},
		{"inspect/options.json", "inspect/options.txt", "accuracy", "choice", "Inspect 0.3.285"},
		{"inspect/looked_up.eval", "inspect/looked_up.txt", "accuracy", "includes", "Inspect 0.3.285"},
		{"openai-evals/capitals.jsonl", "openai-evals/capitals.txt", "accuracy", "correct", "OpenAI Evals "},
		{"deepeval/capitals.json", "deepeval/capitals.txt", "Exact Match", "Exact Match", "DeepEval "},
		{"deepeval/capitals.json", "deepeval/capitals.txt", "Pattern Match", "Pattern Match", "DeepEval "},
		{"ragas/capitals.csv", "ragas/capitals.txt", "exact_match", "exact_match", "RAGAS "},
		{"ragas/capitals.csv", "ragas/capitals.txt", "string_present", "string_present", "RAGAS "},
		{"ragas/capitals.jsonl", "ragas/capitals.txt", "similarity", "non_llm_string_similarity", "RAGAS "},
	} {
		doc := importing(t, filepath.Join(t.TempDir(), "s.db"), filepath.Join(logsDir, tt.file))
		from := doc.Run.Imported[0]
		if got := from.Tool + " " + from.Version; got != tt.tool {
			t.Errorf("%s: of %q, want %q", tt.file, got, tt.tool)
		}
		var line string
		for l := range strings.Lines(read(tt.text)) {
			if _, after, ok := strings.Cut(l, tt.line); ok {
				line = after
			}
		}
		printed := number.FindString(line)
		if printed == "" {
			t.Fatalf("%s: no figure in %q", tt.text, line)
		}
		s := doc.Models[0].Measured.Scores.ByName[tt.score]
		_, decimals, _ := strings.Cut(printed, ".")
		if got := fmt.Sprintf("%.*f", len(decimals), s.Average); got != printed {
			t.Errorf("%s: %s is %s, and %s was printed", tt.file, tt.score, got, printed)
		}
		whole, ok := from.Printed[tt.score]
		if math.Abs(whole-s.Average) > 1e-15 && (ok || from.Tool != "RAGAS") { // of which rows are all that is kept
			t.Errorf("%s: %s is %v, and the log says %v", tt.file, tt.score, s.Average, whole)
		}
		if s.Mean == nil || !(s.Mean.Lo <= s.Average && s.Average <= s.Mean.Hi && s.Mean.Lo < s.Mean.Hi) {
			t.Errorf("%s: %s has the interval %+v", tt.file, tt.score, s.Mean)
		}
	}
	// DeepEval prints the share of cases that passed in all their metrics
	deep := importing(t, filepath.Join(t.TempDir(), "s.db"), filepath.Join(logsDir, "deepeval/capitals.json"))
	rate := fmt.Sprintf("Pass Rate: %.1f%% ", 100*deep.Models[0].Measured.Scores.ByName["success"].Average)
	if printed := read("deepeval/capitals.txt"); !strings.Contains(printed, rate) {
		t.Errorf("%q, and %q was printed", rate, printed)
	}
	// promptfoo prints the share over all prompts and providers
	share := number.FindString(read("promptfoo/capitals.txt"))
	for _, file := range []string{"capitals.json", "capitals.jsonl", "capitals.csv"} {
		doc := importing(t, filepath.Join(t.TempDir(), "s.db"), filepath.Join(logsDir, "promptfoo", file))
		var sum float64
		var models []string
		for _, m := range doc.Models {
			models = append(models, m.Model)
			sum += m.Measured.Scores.ByName["pass"].OverVariants.Estimate / 2
		}
		if got := fmt.Sprintf("%.2f", 100*sum); got != share ||
			!slices.Equal(models, []string{"import:drawn", "import:greedy"}) {
			t.Errorf("%s: %s of %q passed, and %s was printed", file, got, models, share)
		}
	}
}

// What was imported is a run as others are: shown, compared, gated, put into a bundle and verified.
func TestImportedLogsAreRuns(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "s.db")
	for _, file := range []string{"lm-eval/samples_pocket_mc.jsonl", "inspect/capitals.eval", "promptfoo/capitals.json"} {
		doc := importing(t, store, filepath.Join(logsDir, file))
		if again := importing(t, store, filepath.Join(logsDir, file)); again.Run.ID != doc.Run.ID {
			t.Errorf("%s: run %s, then %s", file, doc.Run.ID, again.Run.ID)
		}
		bundle := filepath.Join(dir, doc.Run.ID+".zip")
		for _, args := range [][]string{{"report", doc.Run.ID, "--format", "evidence", "-o", bundle}, {"verify", bundle}} {
			if _, errs, code := said(append(args, "--store", "sqlite:"+store)...); code != 0 {
				t.Fatalf("%q: exit %d: %s", args, code, errs)
			}
		}
		out, errs, code := said("show", doc.Run.ID, "--store", "sqlite:"+store)
		if code != 0 || !strings.Contains(out, "SCORES THAT CAME ALONG") || !strings.Contains(out, "agrees with") {
			t.Errorf("%s: exit %d, %s\n%s", file, code, errs, out)
		}
	}
	out, errs, code := said("compare", "latest", "latest", "--model", "import:greedy", "--json", "--no-report", "--store",
		"sqlite:"+store)
	if code != 0 || !strings.Contains(out, `"verdict"`) {
		t.Errorf("compare: exit %d, %s", code, errs)
	}
	gate := []string{"import", filepath.Join(logsDir, "inspect/capitals.eval"), "--quiet", "--no-report", "--store",
		"sqlite:" + store, "--fail-on"}
	if _, errs, code := said(append(gate, "measured.scores.by_name.match.mean.lo < .9")...); code != 100 {
		t.Errorf("gate: exit %d, %s", code, errs)
	}
}

// The questions of a log are a suite for whoever asks them again.
func TestQuestionsOfLogs(t *testing.T) {
	log, store := filepath.Join(logsDir, "inspect/capitals.eval"), "sqlite:"+filepath.Join(t.TempDir(), "s.db")
	out, errs, code := said("data", "convert", log)
	if code != 0 || !strings.Contains(out, "prompt: What is the capital of Ilhanesia?") ||
		!strings.Contains(out, "gold: Tolgorford") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	out, errs, code = said("run", "--suite", log, "--model", "pocket", "--method", "rubric", "--json", "--no-report",
		"--store", store)
	var doc importedDoc
	if err := json.Unmarshal([]byte(out), &doc); code != 0 || err != nil || doc.Models[0].Rubric.Outcomes.N != 6 {
		t.Errorf("exit %d, %s: %v", code, errs, err)
	}
	doc = importing(t, filepath.Join(t.TempDir(), "s.db"), log, "--suite", log)
	if *doc.Models[0].Rubric.Outcomes.Correct.Rate != 4./6 {
		t.Errorf("%v are correct", *doc.Models[0].Rubric.Outcomes.Correct.Rate)
	}
}

// What an import stores stays what it is: the run's id, and by a hash the plan with its suite and every record. The
// values are those of the build before rows were read as a stream (634abaee), by its command and the sqlite3 shell.
// wholePlan returns the stored plan of a run in one piece.
func wholePlan(t *testing.T, path, id string) string {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	data, err := s.Plan(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := assay.LoadPlan(t.Context(), s, data)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := plan.Stored()
	if err != nil {
		t.Fatal(err)
	}
	return string(whole)
}

func TestImportedLogsAreStoredAsBefore(t *testing.T) {
	for file, want := range map[string]string{
		"lm-eval/samples_pocket_mc.jsonl":    "036ab47678b70e3f 18d1dd81e1b219e3",
		"lm-eval/samples_pocket_gen.jsonl":   "59478b721d28b385 26ad42d6c2038c58",
		"lm-eval/samples_pocket_draws.jsonl": "a44bcc83b1194582 ba99a9a4932c6ef3",
		"inspect/capitals.eval":              "e84193aa45984d1c 9f026435ac774dd8",
		"inspect/looked_up.eval":             "7aac074170e61be8 b1a4e5672350d111",
		"inspect/options.json":               "f37b6554ee0f8f2a d0a11e1fbebd0921",
		"promptfoo/capitals.json":            "e17873e1a1e7a630 6e8ccee7fb9bc49b",
		"promptfoo/capitals.jsonl":           "e17873e1a1e7a630 bb92ed086295177b",
		"promptfoo/capitals.csv":             "50878e337349ecc7 2387c4d5b8ca74b1",
		"others/evals.jsonl":                 "edc00f23a5603e45 09ebc8b63b87efb4",
		"others/deepeval.json":               "9d474a916cfb1e51 546c40fd0e1aafff",
		"others/ragas.csv":                   "d71fd769c8ddb7a8 8058220cbc1d3d74",
		"others/ragas.jsonl":                 "d71fd769c8ddb7a8 1c0a1320c070287d",
	} {
		store := filepath.Join(t.TempDir(), "s.db")
		doc := importing(t, store, filepath.Join(logsDir, file))
		db, err := sql.Open("sqlite", store)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var b strings.Builder
		b.WriteString(wholePlan(t, store, doc.Run.ID) + "\n")
		for _, query := range []string{"SELECT concat_ws('|', hex(key), repeat, request, " +
			"ifnull(response, ''), ifnull(cast(raw AS text), ''), ifnull(failure, '')) FROM record ORDER BY hex(key), repeat"} {
			rows, err := db.Query(query)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var line string
				if err := rows.Scan(&line); err != nil {
					t.Fatal(err)
				}
				b.WriteString(line + "\n")
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprintf("%s %.8x", doc.Run.ID, sha256.Sum256([]byte(b.String()))); got != want {
			t.Errorf("%s: stored as %s, want %s", file, got, want)
		}
	}
}

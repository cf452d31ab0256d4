package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
)

// writeCapitals writes a suite of 40 cases, and a program that answers them right, wrong, at length and not at all.
func writeCapitals(t *testing.T) {
	t.Helper()
	var cases, bot strings.Builder
	cases.WriteString("suite: {name: capitals, version: \"1\"}\ncases:\n")
	bot.WriteString("while read -r line; do case \"$line\" in\n")
	for i := range 40 {
		answer := "Paris"
		switch {
		case i < 6:
			answer = "Lyon"
		case i < 9:
			answer = "I do not know."
		case i < 12:
			answer = "I would say that it is Lyon, which many people who live there take to be the seat of it all."
		case i < 14:
			answer = "The city that was built for it."
		case i < 26:
			answer = "It is Paris, as you will find on any map."
		}
		fmt.Fprintf(&cases, "  - {id: q%02d, prompt: \"What is the capital of France, %02d?\", gold: Paris}\n", i, i)
		fmt.Fprintf(&bot, "*'France, %02d'*) echo '{\"text\": \"%s\"}' ;;\n", i, answer)
	}
	bot.WriteString("*) echo '{\"text\": \"Paris\"}' ;;\nesac; done\n")
	for name, text := range map[string]string{"suite.yaml": cases.String(), "bot.sh": bot.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestImpliedIsOfTheTable: what the check of the grader implies is computed from the counts that stand in the table of
// the outcomes, and in the rows of the cases; the interval printed is that of the document.
func TestImpliedIsOfTheTable(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	if grading.ShippedFor(grade.Version) == nil {
		t.Skip("this grading version ships no check")
	}
	t.Chdir(t.TempDir())
	writeCapitals(t)
	ask := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := hallmark(args, strings.NewReader(""), &stdout, &stderr); code != exit.Done {
			t.Fatalf("%v: exit %d: %s", args, code, &stderr)
		}
		return stdout.String()
	}
	var doc assay.Document
	run := []string{"run", "--suite", "suite.yaml", "--model", "exec:sh bot.sh", "--seed", "5", "--json", "--quiet",
		"--no-report"}
	if err := json.Unmarshal([]byte(ask(run...)), &doc); err != nil {
		t.Fatal(err)
	}
	o := doc.Models[0].Rubric.Outcomes
	v := o.Grading.Implied
	if v == nil || !v.Fits || v.Incorrect == nil || v.N != o.N || v.GradingVersion != grade.Version {
		t.Fatalf("%+v", v)
	}

	// The counts of the rows.
	rows, err := csv.NewReader(strings.NewReader(ask("report", "latest", "--format", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	read := map[grading.Length]grading.Reads[int]{}
	sums := map[grade.Outcome]int{}
	for _, r := range rows[1:] {
		length, outcome := grading.LengthOf(r[at["answer"]]), grade.Outcome(r[at["outcome"]])
		counts := read[length]
		*counts.Of(outcome)++
		read[length] = counts
		sums[outcome]++
	}
	if len(read) < 2 || fmt.Sprint(read) != fmt.Sprint(v.Read) {
		t.Errorf("the rows have %v, the document %v", read, v.Read)
	}
	// Those of the table.
	least, most := o.Incorrect.Ends()
	k, u := sums[grade.Incorrect], sums[grade.CannotGrade]
	if n := float64(o.N); k == 0 || u == 0 || math.Abs(least-float64(k)/n) > 1e-12 ||
		math.Abs(most-float64(k+u)/n) > 1e-12 {
		t.Errorf("the table has %v to %v of %d, the rows %v", least, most, o.N, sums)
	}
	// The interval is that of these counts, and it is what is printed.
	if want := grading.Shipped().Implied(read, 5, level); want.Incorrect.Value != v.Incorrect.Value ||
		want.Incorrect.Lo != v.Incorrect.Lo || want.Incorrect.Hi != v.Incorrect.Hi || *want.FitP != *v.FitP {
		t.Errorf("%v, from the counts %v", *v.Incorrect, *want.Incorrect)
	}
	says := fmt.Sprintf("The shipped check of the grader implies that %.1f %% are wrong (95 %% interval %.1f–%.1f %%)",
		100*v.Incorrect.Value, 100*v.Incorrect.Lo, 100*v.Incorrect.Hi)
	for _, shown := range []string{ask("show", "latest"), ask("report", "latest", "--format", "md")} {
		plain := strings.NewReplacer("\u202f", " ", `\(`, "(", `\)`, ")").Replace(strings.Join(strings.Fields(shown), " "))
		if !strings.Contains(plain, says) {
			t.Errorf("does not say %q:\n%s", says, shown)
		}
	}
	var again assay.Document
	if err := json.Unmarshal([]byte(ask(append(run, "-j", "3")...)), &again); err != nil {
		t.Fatal(err)
	}
	if w := again.Models[0].Rubric.Outcomes.Grading.Implied; !reflect.DeepEqual(v, w) {
		t.Errorf("again it is %+v", w)
	}
}

package main

import (
	"encoding/json"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/grade"
	"hallmark/internal/metric/method"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// doubt is a method of its own: it asks of each answer whether the model is sure, and of what it takes back what is
// right then.
type doubt struct{}

type doubted struct {
	TakenBack *stat.Rate `json:"taken_back"`
	OfRight   *stat.Rate `json:"of_right"`
	Replaced  int        `json:"replaced"`
	Warnings  []string   `json:"warnings,omitempty"`

	byCase []method.CaseValue // of TakenBack
}

// ByCase tells of TakenBack alone what it is the mean of.
func (d *doubted) ByCase(path ...string) []method.CaseValue {
	if path[0] != "taken_back" {
		return nil
	}
	return d.byCase
}

func (doubt) Name() string  { return "doubt" }
func (doubt) Title() string { return "Taken back" }
func (doubt) Lede() string {
	return "Each answer to the default prompt, and whether the model is sure of it."
}
func (doubt) Most() int { return 2 }

func (doubt) Figures() []figure.Entry {
	return []figure.Entry{
		{Path: []string{"taken_back"}, Label: "answers taken back", Unit: figure.Share, Tone: "rnd"},
		{Path: []string{"of_right"}, Label: "right ones taken back", Unit: figure.Share, Tone: "err"},
		{Path: []string{"replaced"}, Label: "replaced by another", Unit: figure.Count},
	}
}

// calls are what is asked about an answer, as far as the replies tell.
func (doubt) calls(t *method.Table, c method.Case, a method.Answer) (calls []run.Call) {
	if a.Variant != 0 || a.Use != "" || a.Missing != "" {
		return nil
	}
	sure := t.Asked(c.Prompt+"\n"+a.Text+"\nAre you sure?", 20)
	calls = append(calls, sure)
	if r := t.Record(sure); r != nil && r.Response != nil && strings.HasPrefix(*r.Response.Text, "No") {
		calls = append(calls, t.Asked(c.Prompt+"\nIt is not "+a.Text+" What then?", 20))
	}
	return calls
}

func (d doubt) Next(t *method.Table) iter.Seq[run.Call] {
	return func(yield func(run.Call) bool) {
		for c := range t.Cases {
			for _, a := range c.Answers {
				for _, call := range d.calls(t, c, a) {
					if t.Record(call) == nil && !yield(call) {
						return
					}
				}
			}
		}
	}
}

func (d doubt) Estimate(t *method.Table) (method.Result, error) {
	var back, all, right, backOfRight int
	out := &doubted{}
	for c := range t.Cases {
		for _, a := range c.Answers {
			calls := d.calls(t, c, a)
			if len(calls) == 0 || t.Record(calls[0]).Response == nil {
				continue
			}
			all++
			took := len(calls) - 1
			back += took
			out.byCase = append(out.byCase, method.CaseValue{ID: c.ID, Cluster: c.Cluster, Value: float64(took)})
			if a.Grade.Truth.Verdict == grade.Pass {
				right++
				backOfRight += took
			}
			if took == 1 && t.Record(calls[1]).Response != nil {
				out.Replaced++
			}
		}
	}
	out.TakenBack, out.OfRight = stat.Wilson(back, all, t.Level).Rate(), stat.Wilson(backOfRight, right, t.Level).Rate()
	return out, nil
}

// doubtBot answers the suite of flipSuite, and takes Tokyo back.
const doubtBot = `while read -r request; do
case "$request" in
*Tokyo*sure*) echo '{"text": "No."}' ;;
*sure*) echo '{"text": "Yes."}' ;;
*then*) echo '{"text": "Kyoto"}' ;;
*Japan*) echo '{"text": "Tokyo"}' ;;
*France*) echo '{"text": "Lyon"}' ;;
*Kenya*) echo '{"text": "Nairobi"}' ;;
*) echo '{"error": "the map is torn"}' ;;
esac
done
`

// A method that is entered in one line is asked for, forecast, kept, gated and shown as every other.
func TestAddedMethod(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"s.yaml": flipSuite, "bot.sh": doubtBot} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	do := func(want int, store string, args ...string) string {
		t.Helper()
		out, errs, code := said(append(args, "--store", "sqlite:"+filepath.Join(dir, store))...)
		if code != want {
			t.Fatalf("%q: exit %d, want %d: %s", args, code, want, errs)
		}
		return out
	}
	args := []string{"--suite", "s.yaml", "--model", "exec:sh bot.sh", "--method", "rubric,doubt"}
	measure := append(append([]string{"run"}, args...), "--json", "--no-report", "--allow-unscored", "9", "--max-retries",
		"0")
	do(exit.Mistake, "a.db", measure...) // it is not entered yet

	assay.Added = append(assay.Added, doubt{})
	t.Cleanup(func() { assay.Added = assay.Added[:len(assay.Added)-1] })

	type share struct {
		For    string
		Calls  struct{ Least, Most int }
		Stored int
	}
	foreseen := func() share {
		t.Helper()
		var doc struct{ Parts []share }
		if err := json.Unmarshal([]byte(do(0, "a.db", append([]string{"plan", "run"}, args...)...)), &doc); err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(doc.Parts, func(s share) bool { return s.For == "doubt" })
		if at < 0 {
			t.Fatalf("no part of the forecast is of the method: %+v", doc.Parts)
		}
		return doc.Parts[at]
	}
	if s := foreseen(); s.Calls.Least != 0 || s.Calls.Most != 8 || s.Stored != 0 {
		t.Errorf("before the run %+v, want 0 to 8 calls", s)
	}

	type document struct {
		Run    struct{ ID string }
		Models []struct{ Measured map[string]doubted }
		This   struct {
			Calls struct{ Asked, Reused int }
		} `json:"this_invocation"`
	}
	read := func(text string) (d document) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := read(do(0, "a.db", measure...))
	got := first.Models[0].Measured["doubt"]
	if got.TakenBack == nil || got.TakenBack.Value != 1./3 || got.OfRight.Value != .5 || got.Replaced != 1 ||
		!(got.TakenBack.Lo < 1./3 && got.TakenBack.Hi > 1./3) {
		t.Errorf("measured %+v, %+v", got, got.TakenBack)
	}
	if first.This.Calls.Asked != 8 { // four questions, three answers doubted, one of them replaced
		t.Errorf("%d calls were asked, want 8", first.This.Calls.Asked)
	}
	if s := foreseen(); s.Calls.Least != 4 || s.Calls.Most != 4 || s.Stored != 4 {
		t.Errorf("after the run %+v, want 4 calls, all stored", s)
	}
	if again := read(do(0, "a.db", measure...)); again.This.Calls.Asked != 0 || again.Run.ID != first.Run.ID {
		t.Errorf("once more: %+v, want run %s again with nothing asked", again.This, first.Run.ID)
	}

	do(exit.Gate, "a.db", append(measure, "--fail-on", "measured.doubt.taken_back.rate > 0.3")...)
	do(0, "a.db", append(measure, "--fail-on", "measured.doubt.taken_back.rate > 0.4")...)
	for _, format := range []string{"html", "md"} {
		if page := do(0, "a.db", "report", first.Run.ID, "--format", format); !strings.Contains(page, "Taken back") ||
			!strings.Contains(page, "right ones taken back") {
			t.Errorf("%s: the page has no part of the method", format)
		}
	}
	if page := do(0, "a.db", "report", first.Run.ID, "--format", "html"); !strings.Contains(page,
		`measured.doubt.taken_back.rate" title="n = 3; interval: wilson">33.3`) ||
		!strings.Contains(page, `measured.doubt.of_right.hi`) {
		t.Error("the page has no rate with its n, its method and its interval")
	}
	if page := do(0, "a.db", "show", first.Run.ID); !strings.Contains(page, "TAKEN BACK") ||
		!strings.Contains(page, "answers taken back") {
		t.Errorf("show has no part of the method:\n%s", page)
	}
	do(0, "b.db", append(measure, "-j", "1")...)
	if one, many := do(0, "a.db", "report", first.Run.ID, "--format", "json"), do(0, "b.db", "report", first.Run.ID,
		"--format", "json"); one != many {
		t.Error("the documents of two stores differ")
	}
	bundle := filepath.Join(dir, "b.zip")
	do(0, "a.db", "report", first.Run.ID, "--format", "evidence", "-o", bundle)
	do(0, "a.db", "verify", bundle)
	comparesDoubt(t, first.Run.ID, func(want int, args ...string) string { return do(want, "a.db", args...) })
}

// sureBot is doubtBot, but that it takes nothing back.
const sureBot = `while read -r request; do
case "$request" in
*sure*) echo '{"text": "Yes."}' ;;
*Japan*) echo '{"text": "Tokyo"}' ;;
*France*) echo '{"text": "Lyon"}' ;;
*Kenya*) echo '{"text": "Nairobi"}' ;;
*) echo '{"error": "the map is torn"}' ;;
esac
done
`

// comparesDoubt compares the run with that of sureBot by the figures of the method, of which the first is told by case.
func comparesDoubt(t *testing.T, base string, do func(want int, args ...string) string) {
	t.Helper()
	if err := os.WriteFile("sure.sh", []byte(sureBot), 0o600); err != nil {
		t.Fatal(err)
	}
	do(0, "run", "--suite", "s.yaml", "--model", "exec:sh sure.sh", "--method", "rubric,doubt", "--no-report",
		"--allow-unscored", "9", "--max-retries", "0", "--name", "sure")
	compare := []string{"compare", base, "sure", "--no-report", "--allow-unscored", "9"}
	var doc struct {
		Measured map[string]map[string]method.Change
	}
	if err := json.Unmarshal([]byte(do(0, append(compare, "--json")...)), &doc); err != nil {
		t.Fatal(err)
	}
	got := doc.Measured["doubt"]
	if len(got) != 2 { // of what is counted no estimate is there
		t.Errorf("compared %v, want two figures", got)
	}
	back, right := got["taken_back"], got["of_right"]
	if !back.Paired || back.N != 3 || back.Base.Value != 1./3 || back.Other.Value != 0 ||
		math.Abs(back.Difference.Value+1./3) > 1e-15 || *back.P != 1 || *back.PHolm != 1 {
		t.Errorf("taken back %+v", back)
	}
	if right.Paired || right.Base.Value != .5 || right.Other.Value != 0 || right.Difference != nil || right.P != nil {
		t.Errorf("of right ones %+v", right)
	}
	const gate = "measured.doubt.taken_back.difference.estimate"
	do(exit.Gate, append(compare, "--fail-on", gate+" < -0.3")...)
	do(0, append(compare, "--fail-on", gate+" > -0.3")...)
	do(exit.Mistake, append(compare, "--fail-on", "measured.doubt.taken_bakc.difference.lo > 0")...)

	shown := do(0, compare...)
	do(0, "compare", base, "sure", "-o", "pages", "--allow-unscored", "9")
	for _, format := range []string{"html", "md"} {
		files, err := filepath.Glob("pages/compare-*." + format)
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		page, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		shown += string(page)
	}
	for want, n := range map[string]int{"answers taken back": 3, "right ones taken back": 3, "replaced by another": 0,
		"Not paired by case": 3, "measured.doubt.taken_back.difference.estimate": 1} {
		if got := strings.Count(shown, want); got != n {
			t.Errorf("terminal, page and Markdown have %q %d times, want %d:\n%s", want, got, n, shown)
		}
	}
	if series := do(0, "compare", "--series", base, "sure", "--allow-unscored", "9"); !strings.Contains(series,
		"TAKEN BACK") || !strings.Contains(series, "right ones taken back") {
		t.Errorf("a series has no part of the method:\n%s", series)
	}
}

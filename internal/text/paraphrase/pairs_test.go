package paraphrase

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hallmark/internal/archtest"
	"hallmark/internal/stat"
)

// lookedAt is how many rows of each file were looked at while the rules and word lists were made. They are left out of
// every figure.
const lookedAt = 60

// A pair is a text and another, and whether the other means the same.
type pair struct {
	text, other string
	same        bool
}

func table(t *testing.T, path string, comma rune, quotes bool) []map[string]string {
	t.Helper()
	b, err := os.ReadFile(archtest.Published(t, path))
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	var rows [][]string
	if quotes {
		r := csv.NewReader(bytes.NewReader(b))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
		if rows, err = r.ReadAll(); err != nil {
			t.Fatal(err)
		}
	} else {
		for line := range strings.Lines(string(b)) {
			rows = append(rows, strings.Split(strings.TrimRight(line, "\r\n"), string(comma)))
		}
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, name := range rows[0] {
			if i < len(row) {
				m[name] = row[i]
			}
		}
		out = append(out, m)
	}
	return out
}

// tail drops the rows that were looked at.
func tail[T any](rows []T) []T { return rows[min(lookedAt, len(rows)):] }

func becel(t *testing.T, set, text, other string) (out []pair) {
	for _, r := range tail(table(t, "becel/"+set+"/semantic.tsv", '\t', true)) {
		out = append(out, pair{r[text], r[other], true})
	}
	return out
}

func gsm(t *testing.T, same bool, kinds ...string) (out []pair) {
	f, err := os.Open(archtest.Published(t, "gsmplus/gsmplus_testmini.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan(); n++ {
		var r struct {
			Question string `json:"question"`
			Seed     string `json:"seed_question"`
			Kind     string `json:"perturbation_type"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if n >= lookedAt && slices.Contains(kinds, r.Kind) {
			out = append(out, pair{r.Seed, r.Question, same})
		}
	}
	return out
}

// pararel fills the patterns of each relation with one fact: two patterns of a relation say the same of it, a pattern
// of the next relation something else, and the pattern with another subject too.
func pararel(t *testing.T) (relation, subject []pair) {
	files, _ := filepath.Glob(filepath.Join(archtest.Published(t, "pararel/graphs_json"), "*.jsonl"))
	type rel struct {
		patterns []string
		facts    [][2]string
	}
	var all []rel
	lines := func(path string, visit func(map[string]string)) {
		b, err := os.ReadFile(path)
		if err != nil {
			return
		}
		for line := range strings.Lines(string(b)) {
			var m map[string]string
			if json.Unmarshal([]byte(line), &m) == nil {
				visit(m)
			}
		}
	}
	for _, f := range files {
		var r rel
		lines(f, func(m map[string]string) { r.patterns = append(r.patterns, m["pattern"]) })
		lines(filepath.Join(archtest.Published(t, "pararel/trex_lms_vocab"), filepath.Base(f)), func(m map[string]string) {
			if len(r.facts) < 4 {
				r.facts = append(r.facts, [2]string{m["sub_label"], m["obj_label"]})
			}
		})
		if len(r.facts) == 4 {
			all = append(all, r)
		}
	}
	fill := func(p string, f [2]string) string { return strings.NewReplacer("[X]", f[0], "[Y]", f[1]).Replace(p) }
	for i, r := range all {
		next := all[(i+1)%len(all)]
		for j := 1; j < len(r.patterns); j++ {
			fact := r.facts[j%3+1] // the first one was looked at
			same := pair{fill(r.patterns[0], fact), fill(r.patterns[j], fact), true}
			relation = append(relation, same, pair{same.text, fill(next.patterns[j%len(next.patterns)], fact), false})
			subject = append(subject, same, pair{same.text, fill(r.patterns[j], [2]string{r.facts[(j+1)%3+1][0], fact[1]}),
				false})
		}
	}
	return relation, subject
}

func wilson(k, n int) string {
	if n == 0 {
		return "–"
	}
	e := stat.Wilson(k, n, .95)
	return fmt.Sprintf("%.3f [%.3f, %.3f] of %d", e.Value, e.Lo, e.Hi, n)
}

// TestPairs measures the filter on published pairs whose equivalence is known, and holds what docs/paraphrases.md says
// of it. Print the tables with
//
//	go test ./internal/text/paraphrase -run TestPairs -v
func TestPairs(t *testing.T) {
	start := time.Now()
	var mqp []pair
	b, err := os.ReadFile(archtest.Published(t, "mqp/mqp.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tail(rows) {
		mqp = append(mqp, pair{r[1], r[2], r[3] == "1"})
	}
	var mrpc, boolq []pair
	for _, name := range []string{"train", "test"} {
		for _, r := range tail(table(t, "mrpc/msr_paraphrase_"+name+".txt", '\t', false)) {
			mrpc = append(mrpc, pair{r["#1 String"], r["#2 String"], r["Quality"] == "1"})
		}
	}
	boolq = becel(t, "boolq", "question", "question_paraphrase")
	for _, r := range tail(table(t, "becel/boolq/negational.tsv", '\t', true)) {
		boolq = append(boolq, pair{r["question"], r["question_neg"], false})
	}
	different := []string{"numerical substitution", "digit expansion", "integer-decimal-fraction conversion",
		"adding operation", "reversing operation", "critical thinking"}
	relations, others := pararel(t)
	sets := []struct {
		name  string
		pairs []pair
		// The figures may not fall below these: precision and recall, in that order; 0 where there is none.
		precision, recall float64
	}{
		{"BECEL boolq, paraphrased and negated", boolq, 0.98, 0.82},
		{"BECEL ag_news", becel(t, "ag_news", "text", "text_paraphrase"), 0, 0.55},
		{"BECEL mrpc", becel(t, "mrpc", "sentence2", "sentence2_paraphrase"), 0, 0.7},
		{"BECEL rte", becel(t, "rte", "sentence2", "sentence2_paraphrase"), 0, 0.89},
		{"BECEL snli", becel(t, "snli", "hypothesis", "hypothesis_paraphrase"), 0, 0.95},
		{"BECEL sst2", becel(t, "sst2", "sentence", "sentence_paraphrase"), 0, 0.81},
		{"BECEL wic", becel(t, "wic", "sentence2", "sentence2_paraphrase"), 0, 0.9},
		{"GSM-Plus, reworded and changed", append(gsm(t, true, "problem understanding"), gsm(t, false, different...)...),
			0.65, 0.6},
		{"ParaRel, another subject", others, 0.92, 0.98},
		{"ParaRel, another relation", relations, 0.5, 0.98},
		{"Medical question pairs", mqp, 0.59, 0.53},
		{"MRPC", mrpc, 0.79, 0.32},
	}
	refused := map[bool]map[Reason]int{true: {}, false: {}}
	pairs := 0
	t.Logf("%-38s %-30s %-30s %s", "pairs", "precision", "recall", "different ones refused")
	for _, s := range sets {
		step := 1
		if len(s.pairs) > 1000 { // a part of the large sets, which may fall below the figures by chance
			step = archtest.Draws(4, 1, 1)
		}
		var n, admitted [2]int
		for k := 0; k < len(s.pairs); k += step {
			p := s.pairs[k]
			pairs++
			i := 0
			if p.same {
				i = 1
			}
			n[i]++
			if r, why := NewChecker(p.text).Check(p.other); r == "" {
				admitted[i]++
			} else if refused[p.same][r]++; os.Getenv("PAIRS") == s.name {
				t.Logf("%v %s (%s)\n\t%s\n\t%s", p.same, r, why, p.text, p.other)
			}
		}
		precision, specific := "–", "–"
		if n[0] > 0 {
			precision, specific = wilson(admitted[1], admitted[0]+admitted[1]), wilson(n[0]-admitted[0], n[0])
		}
		t.Logf("%-38s %-30s %-30s %s", s.name, precision, wilson(admitted[1], n[1]), specific)
		floor := func(p float64, of int) float64 {
			if step > 1 {
				return archtest.Least(p, of)
			}
			return p
		}
		if got := float64(admitted[1]) / float64(max(1, n[1])); got < floor(s.recall, n[1]) {
			t.Errorf("%s: recall %.3f is below %.3f", s.name, got, s.recall)
		}
		if got := float64(admitted[1]) / float64(max(1, admitted[0]+admitted[1])); n[0] > 0 &&
			got < floor(s.precision, admitted[0]+admitted[1]) {
			t.Errorf("%s: precision %.3f is below %.3f", s.name, got, s.precision)
		}
	}
	var kinds []string
	if archtest.Long() { // these are printed alone
		kinds = append(different, "distraction insertion")
	}
	for _, kind := range kinds {
		k, ps := 0, gsm(t, false, kind)
		for _, p := range ps {
			if r, _ := NewChecker(p.text).Check(p.other); r != "" {
				k++
			}
		}
		t.Logf("GSM-Plus %-38s refused %s", kind, wilson(k, len(ps)))
	}
	for _, same := range []bool{true, false} {
		var parts []string
		for _, r := range Reasons {
			if k := refused[same][r]; k > 0 {
				parts = append(parts, fmt.Sprintf("%s %d", r, k))
			}
		}
		t.Logf("refused, equivalent %v: %s", same, strings.Join(parts, ", "))
	}
	t.Logf("%.0f µs a pair", float64(time.Since(start).Microseconds())/float64(pairs))
}

// TestRulesOnPrompts measures what the rules make of published prompts and how much of it the filter lets pass; SHOW=1
// prints a sample to read.
func TestRulesOnPrompts(t *testing.T) {
	var claims []struct{ Claim string }
	archtest.ReadJSON(t, archtest.Published(t, "fever/fever_labelled_dev.json"), &claims)
	var fever, gsm8k []string
	for _, c := range claims {
		fever = append(fever, c.Claim)
	}
	lines, _ := os.ReadFile(archtest.Published(t, "gsm8k/test.jsonl"))
	for line := range strings.Lines(string(lines)) {
		var r struct{ Question string }
		if json.Unmarshal([]byte(line), &r) == nil {
			gsm8k = append(gsm8k, r.Question)
		}
	}
	column := func(path, name string) (out []string) {
		for _, r := range table(t, path, ',', true) {
			out = append(out, r[name])
		}
		return out
	}
	for _, set := range []struct {
		name    string
		prompts []string
		least   float64 // share of prompts with ten
	}{
		{"TruthfulQA", column("truthfulqa/v0/TruthfulQA.csv", "Question"), .98},
		{"SimpleQA", column("simpleqa/simple_qa_test_set.csv", "problem"), .97},
		{"GSM8K", gsm8k, .93},
		{"FEVER claims", fever, 0},
	} {
		const want = 10
		ten, some, made, passed, step := 0, 0, 0, 0, max(1, len(set.prompts)/archtest.Draws(150, 500, 500))
		byRule, refused := map[string]int{}, map[Reason]int{}
		n := 0
		for i := 0; i < len(set.prompts); i += step {
			n++
			c, admitted := NewChecker(set.prompts[i]), 0
			for _, r := range Rules(set.prompts[i], 60) {
				if admitted == want {
					break
				}
				made++
				if reason, _ := c.Check(r.Text); reason != "" {
					refused[reason]++
					continue
				}
				admitted++
				passed++
				byRule[r.Rule]++
				if os.Getenv("SHOW") != "" && (n*7+admitted)%199 == 0 {
					t.Logf("SAMPLE %s | %s | %s", r.Rule, set.prompts[i], r.Text)
				}
			}
			if admitted > 0 {
				some++
			}
			if admitted == want {
				ten++
			}
		}
		t.Logf("%s: ten for %s, any for %s; admitted %s; by rule %v; refused %v", set.name, wilson(ten, n), wilson(some, n),
			wilson(passed, made), byRule, refused)
		if float64(ten) < set.least*float64(n) {
			t.Errorf("%s: ten paraphrases for %d of %d prompts only", set.name, ten, n)
		}
	}
}

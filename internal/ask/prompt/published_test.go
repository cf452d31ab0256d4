package prompt

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/suite/benchmark"
)

var update = flag.Bool("update", false, "write the golden prompts anew")

// One whole prompt of each benchmark, on made rows in its published format, held to the letter: what the layout is was
// read off the code and the papers of its authors (docs/benchmarks-published.md says which), and a change here is a
// change of every figure on that benchmark.
func TestPublishedPrompts(t *testing.T) {
	const data = "../../suite/benchmark/testdata/"
	var b strings.Builder
	for _, ref := range []string{
		"truthfulqa-mc1=" + data + "mc_task.json",
		"truthfulqa-gen=" + data + "TruthfulQA.csv",
		"factor=" + data + "wiki_factor.csv",
		"factor-prefix=" + data + "wiki_factor.csv",
		"medhalt=" + data + "reasoning_FCT.csv,instruction=" + data + "prompts.json",
		"medhalt-test=" + data + "reasoning_FCT.csv,instruction=" + data + "prompts.json,examples=" + data + "shots.json",
		"medqa=" + data + "medqa.jsonl,instruction=" + data + "prompts.json,for=medhalt",
		"medqa=" + data + "medqa.jsonl",
		"commonsenseqa=" + data + "dev_rand_split.jsonl,pool=" + data + "train_rand_split.jsonl,shots=2",
		"commonsenseqa=" + data + "dev_rand_split.jsonl",
		"fever=" + data + "paper_dev.jsonl,pool=" + data + "fever_train.json,shots=2",
		"truefalse=" + data + "metals_true_false.csv,shots=2",
		"mmlu=" + data + "made_up_bones_test.csv,pool=" + data + "made_up_bones_dev.csv,shots=2",
		"mmlu=" + data + "made_up_bones_test.csv",
		"sst2=" + data + "stsa.binary.test,pool=" + data + "stsa.binary.train,shots=2,contexts=1,queries=1",
		"subj=" + data + "quote.tok.gt9.5000,shots=2,contexts=1,queries=1",
		"agnews=" + data + "agnews.csv,shots=4,contexts=1,queries=1",
		"medicalqp=" + data + "mqp.csv,shots=2,contexts=1,queries=1",
		"rte=" + data + "rte_val.jsonl,shots=2,contexts=1,queries=1",
		"wnli=" + data + "wnli_dev.tsv,shots=2,contexts=1,queries=1",
		"gsm8k=" + data + "gsm8k.jsonl",
		"simpleqa=" + data + "simple_qa.csv",
	} {
		s, err := benchmark.Load(ref, false)
		if err != nil {
			t.Fatal(err)
		}
		c := s.Cases.At(0)
		vs, _ := Variants(c, nil, 1, Given{})
		req := Render(c, vs[0], RenderOptions{})
		fmt.Fprintf(&b, "######## %s (raw: %v)\n", strings.ReplaceAll(ref, data, ""), req.Raw)
		if req.System != "" {
			fmt.Fprintf(&b, "[system] %s\n", req.System)
		}
		for _, m := range req.Messages {
			fmt.Fprintf(&b, "[%s] %s\n", m.Role, m.Text)
		}
		fmt.Fprintf(&b, "%s⏎\n", req.Prompt)
		for _, o := range req.Options {
			fmt.Fprintf(&b, "option: %q\n", o)
		}
		if req.Stop != nil {
			fmt.Fprintf(&b, "stop: %q\n", req.Stop)
		}
	}
	golden := filepath.Join("testdata", "published.golden")
	archtest.Golden(t, golden, []byte(b.String()), *update)
}

// More variants than there are: named and counted for each of the benchmarks that are shuffled or drawn, and none is
// made up.
func TestPublishedShortfalls(t *testing.T) {
	const data = "../../suite/benchmark/testdata/"
	for _, tt := range []struct {
		ref, want string
		spec      Spec
		got       int // with the default
	}{
		{"medhalt=" + data + "reasoning_FCT.csv", "variants options=200: 1 of 1 cases have 119, as case", Spec{Options, 200},
			120},
		{"fever=" + data + "paper_dev.jsonl,pool=" + data + "fever_train.json,shots=1",
			"variants draws=49: 3 of 3 cases have 2, as case", Spec{Draws, 49}, 3},
		{"truefalse=" + data + "metals_true_false.csv,shots=1", "variants leaky-draws=49: 3 of 3 cases have 2, as case",
			Spec{LeakyDraws, 49}, 3},
		{"commonsenseqa=" + data + "dev_rand_split.jsonl,pool=" + data + "train_rand_split.jsonl,shots=2",
			"variants draws=49: 1 of 1 cases have 5, as case", Spec{Draws, 49}, 6},
	} {
		s, err := benchmark.Load(tt.ref, false)
		if err != nil {
			t.Fatal(err)
		}
		all, warnings, err := OfSuite(s, []Spec{tt.spec}, 1, Given{})
		if err != nil || len(all[0]) != tt.got || len(warnings) == 0 || !strings.HasPrefix(warnings[0], tt.want) {
			t.Errorf("%s: %d variants, %v, %q", tt.ref, len(all[0]), err, warnings)
		}
	}
	s, err := benchmark.Load("factor="+data+"wiki_factor.csv", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := OfSuite(s, []Spec{{Options, 5}}, 1, Given{}); err == nil ||
		!strings.Contains(err.Error(), "its options are not shown") {
		t.Errorf("orders of options that are not shown: %v", err)
	}
}

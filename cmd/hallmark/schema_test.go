package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"hallmark/internal/base/exit"
)

// What the commands print is what their schemas say.
func TestDocumentsFitTheirSchemas(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"suite.yaml": "suite: {name: s, weights: {truth: .6, decidability: .25, reciprocity: .15}}\ncases:\n" +
			"  - {id: a, class: multi-hop, tags: [calc], domain: civic, prompt: One?, phrasings: [Two?, Three?], gold: x}\n" +
			"  - {id: b, prompt: Four?, phrasings: [Five?], gold: [y, z], format: {max_words: 3}}\n",
		"phantom.yaml": "prompt_agnostic_factual: .5\nrandomness: .5\n",
		"fails.yaml":   "prompt_agnostic_factual: 1\nfail: 1\n",
		"rows.jsonl": "{\"id\": \"q\", \"variant\": 0, \"answer\": \"a\", \"gold\": \"a\", \"retrieved\": [\"d\"]}\n" +
			"{\"id\": \"q\", \"variant\": 1, \"answer\": \"b\", \"gold\": \"a\", \"retrieved\": [\"e\"]}\n",
		"labels.jsonl": "{\"unit\": \"u\", \"rater\": \"a\", \"label\": \"x\"}\n" +
			"{\"unit\": \"u\", \"rater\": \"b\", \"label\": \"y\"}\n",
		"coin.jsonl": "{\"input\": \"a\", \"label\": \"1\"}\n{\"input\": \"b\", \"label\": \"0\"}\n{\"input\": \"c\"}\n",
		"known.jsonl": "{\"case_id\": \"a\", \"response\": \"x\", \"outcome\": \"correct\"}\n" +
			"{\"case_id\": \"b\", \"response\": \"w\", \"outcome\": \"correct\", \"style\": \"terse\", \"unsupported\": " +
			"false}\n",
		"graded.jsonl": "{\"case_id\": \"a\", \"response\": \"x\"}\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) []byte {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := hallmark(args, strings.NewReader(""), &stdout, &stderr); code != exit.Done && code != exit.Unscored {
			t.Fatalf("%v: exit code %d: %s", args, code, &stderr)
		}
		return stdout.Bytes()
	}
	known := map[string]*jsonschema.Resolved{}
	asked := []string{"run", "--suite", "suite.yaml", "--json", "--quiet", "--no-report", "--sampled", "3"}
	for _, tt := range []struct {
		schema string
		args   []string
	}{
		{"run", append(asked, "--model", "phantom:phantom.yaml")},
		{"run", append(asked, "--model", "phantom:fails.yaml")},
		{"run", append(asked, "--model", "phantom:phantom.yaml", "--suite", "rowsuite.csv")},
		{"run", []string{"report", "--format", "json"}},
		{"case", []string{"show", "latest", "a", "--json"}},
		{"compare", []string{"compare", "latest", "latest", "--suite", "s", "--json"}},
		{"analyze-consistency", []string{"analyze", "consistency", "rows.jsonl", "--per-question"}},
		{"analyze-rubric", []string{"analyze", "rubric", "graded.jsonl", "--suite", "suite.yaml"}},
		{"analyze-posterior", []string{"analyze", "posterior", "coin.jsonl", "--model", "exact:beta-bernoulli", "--estimator",
			"published", "--mechanism", ".3"}},
		{"analyze-posterior", []string{"analyze", "posterior", "coin.jsonl", "--model", "pocket", "--m", "2", "--extend", "1",
			"--quiet"}},
		{"analyze-regression", []string{"analyze", "regression", "--functions", "3", "--contexts", "2", "--queries", "1",
			"--extend", "2", "--m", "2", "--foreign", "1", "--quiet"}},
		{"plan-posterior", []string{"plan", "posterior"}},
		{"analyze-agreement", []string{"analyze", "agreement", "labels.jsonl"}},
		{"grade-check", []string{"grade", "check", "known.jsonl", "--suite", "suite.yaml", "--json"}},
		{"doctor", []string{"doctor", "graded.jsonl", "--suite", "suite.yaml", "--json"}},
		{"grade-drift", []string{"grade", "drift", "known.jsonl", "--suite", "suite.yaml", "--judge", "pocket", "--json"}},
		{"analyze-wilson", []string{"analyze", "wilson", "1", "3", "--json"}},
		{"compare", []string{"analyze", "reduction", "graded.jsonl", "graded.jsonl", "--suite", "suite.yaml"}},
		{"plan", []string{"plan", "--base", ".2", "--detect", ".1", "--json"}},
		{"plan", []string{"plan", "--base", ".2", "--n", "100", "--classes", "3", "--paired", ".2"}},
		{"series", []string{"compare", "--series", "latest", "latest", "latest", "--suite", "s", "--json"}},
		{"annotate-row", []string{"annotate", "export", "--suite", "s", "--n", "1", "--rater", "ann", "--unblind"}},
		{"annotate", []string{"annotate", "import", "latest", "filled.jsonl", "--json"}},
		{"run", []string{"report", "--format", "json"}},
	} {
		if err := os.WriteFile("rowsuite.csv", []byte("question,answer\nSix?,w\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		resolved := known[tt.schema]
		if resolved == nil {
			var schema jsonschema.Schema
			err := json.Unmarshal(run("schema", tt.schema), &schema)
			if err == nil {
				resolved, err = schema.Resolve(nil)
			}
			if err != nil {
				t.Fatalf("schema %s: %v", tt.schema, err)
			}
			known[tt.schema] = resolved
		}
		var document any
		if err := json.Unmarshal(run(tt.args...), &document); err != nil {
			t.Fatalf("%v: %v", tt.args, err)
		}
		if err := resolved.Validate(document); err != nil {
			t.Errorf("%v is no document of schema %s: %v", tt.args, tt.schema, err)
		}
		if tt.schema == "annotate-row" {
			filled := bytes.ReplaceAll(run(tt.args...), []byte(`"truth":""`), []byte(`"truth":"fail"`))
			if err := os.WriteFile("filled.jsonl", filled, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		// A schema that takes everything says nothing.
		if resolved.Validate(map[string]any{}) == nil {
			t.Errorf("schema %s takes an empty object", tt.schema)
		}
	}
}

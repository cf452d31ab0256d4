package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hallmark/internal/text/evidence"
)

const full = `# yaml-language-server: $schema=hallmark-suite.schema.json
suite: {name: my-suite, version: 1.10, world: earth, as_of: 2026-11-01, format_is_gating: false,
        weights: {truth: .60, decidability: .25, reciprocity: .15},
        by_class: {multi-hop: {strict_retrieval: true}}, by_tag: {calc: {format_is_gating: true}}}
cases:
  - id: cap-0001
    class: multi-hop
    tags: [multi-hop, calc]
    domain: civic
    difficulty: medium
    system: be brief
    prompt: "What is the capital of France?"
    phrasings: ["Name the capital of France.", "France's capital?"]
    demonstrations: [{input: "Capital of Spain?", label: Madrid}]
    context: [{id: L1, text: "Paris is the capital of France."}]
    gold: Paris
    answer_type: short
    requires: {evidence: true, date: month, context_only: true, steps: 3}
    format: {bullets: 3, max_words: 25, quote_min_words: 6}
    oracle: {type: exact, accept: ["Paris"]}
  - {id: 2, prompt: When?, gold: 2026-11-20}
  - {id: "3", prompt: Which?, gold: [007, yes, 1e3, "null"]}
  - {id: c4, prompt: Pick., options: [Paris, Lyon], gold: {option: 1}}
  - {id: c5, prompt: Pick., options: [1.0, 2], gold: 1.0, show_options: true}
  - {id: c6, prompt: Who is the king of France?, decline: true, form: qa}
`

func TestReadYAML(t *testing.T) {
	s, err := Parse("s.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "my-suite" || s.Version != "1.10" || s.AsOf != "2026-11-01" || s.FormatIsGating == nil ||
		*s.FormatIsGating {
		t.Errorf("header is %+v", s)
	}
	if !*s.ByClass["multi-hop"].StrictRetrieval || !*s.ByTag["calc"].FormatIsGating {
		t.Errorf("switches are %+v, %+v", s.ByClass, s.ByTag)
	}
	one := 1
	golds := []Gold{
		{Texts: []string{"Paris"}}, {Texts: []string{"2026-11-20"}}, {Texts: []string{"007", "yes", "1e3", "null"}},
		{Option: &one}, {Texts: []string{"1.0"}}, {},
	}
	for i, want := range golds {
		if diff := cmp.Diff(want, s.Cases.At(i).Gold); diff != "" {
			t.Errorf("gold of case %d: %s", i, diff)
		}
	}
	if c := *s.Cases.At(0); c.Place != "s.yaml:6" || c.Requires.Steps != 3 || c.Context[0].ID != "L1" ||
		c.Oracle.Accept[0] != "Paris" {
		t.Errorf("case 0 is %+v", c)
	}
	if s.Cases.At(1).ID != "2" || len(s.Warnings) != 0 {
		t.Errorf("id %q, warnings %q", s.Cases.At(1).ID, s.Warnings)
	}
	if got := s.Cases.At(3).Answers(); len(got) != 1 || got[0] != "Lyon" {
		t.Errorf("answers of an option are %q", got)
	}
}

// The same suite in the other strict forms has the same hash.
func TestStrictFormsAgree(t *testing.T) {
	s, err := Parse("s.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	var yml, lines bytes.Buffer
	if err := s.WriteYAML(&yml); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteJSONL(&lines); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(yml.String(), "# yaml-language-server: $schema=") {
		t.Errorf("first line is %q", yml.String()[:40])
	}
	for name, data := range map[string][]byte{
		"w.yaml": yml.Bytes(), "w.jsonl": lines.Bytes(), "crlf.jsonl": bytes.ReplaceAll(lines.Bytes(), []byte("\n"),
			[]byte("\r\n")),
		"crlf.yaml": bytes.ReplaceAll(yml.Bytes(), []byte("\n"), []byte("\r\n")),
	} {
		back, err := Parse(name, data)
		if err != nil {
			t.Errorf("%v\n%s", err, data)
		} else if back.Hash() != s.Hash() {
			t.Errorf("%s: hash differs: %s", name, cmp.Diff(s, back))
		}
	}
}

func TestHash(t *testing.T) {
	read := func(text string) Hash {
		s, err := Parse("s.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Hash()
	}
	base := read("suite: {name: n, version: 1}\ncases: [{id: a, prompt: p, gold: g, tags: [x, y]}]")
	if got := read("cases:\n- gold: g\n  tags: [x, y]\n  prompt: p\n  id: a\nsuite: {version: 1, name: n}"); got != base {
		t.Error("the order of keys changes the hash")
	}
	seen := map[Hash]string{base: "base"}
	for _, text := range []string{
		"suite: {name: m, version: 1}\ncases: [{id: a, prompt: p, gold: g, tags: [x, y]}]",
		"suite: {name: n, version: 1.0}\ncases: [{id: a, prompt: p, gold: g, tags: [x, y]}]",
		"suite: {name: n, version: 1}\ncases: [{id: b, prompt: p, gold: g, tags: [x, y]}]",
		"suite: {name: n, version: 1}\ncases: [{id: a, prompt: P, gold: g, tags: [x, y]}]",
		"suite: {name: n, version: 1}\ncases: [{id: a, prompt: p, gold: [g, h], tags: [x, y]}]",
		"suite: {name: n, version: 1}\ncases: [{id: a, prompt: p, tags: [x, y]}]",
		"suite: {name: n, version: 1}\ncases: [{id: a, prompt: p, gold: g, tags: [y, x]}]",
		"suite: {name: n, version: 1}\ncases: [{id: a, prompt: p, gold: g, tags: [x, y]}, {id: b, prompt: q}]",
		"suite: {name: n, version: 1}\ncases: [{id: b, prompt: q}, {id: a, prompt: p, gold: g, tags: [x, y]}]",
	} {
		h := read(text)
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have one hash", text, other)
		}
		seen[h] = text
	}
	// The rows of a pool are content too.
	dir := t.TempDir()
	var hashes []Hash
	for _, label := range []string{"1", "2"} {
		write(t, dir, "pool.csv", "input,label\nx,"+label+"\ny,0\n")
		path := write(t, dir, "s.yaml", "suite: {name: n}\ncases: [{id: a, prompt: p, pool: pool.csv, shots: 2}]")
		s, err := readSuite(path)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, s.Hash())
	}
	if hashes[0] == hashes[1] {
		t.Error("the rows of a pool do not change the hash")
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Plain rows: the names people use, in every format.
func TestPlain(t *testing.T) {
	type row struct{ ID, Prompt, Gold string }
	for _, tt := range []struct {
		name, text string
		want       []row
		warnings   int
	}{
		{"a.csv", "\xef\xbb\xbfquestion,answer\r\nWho?,Ann\r\n\"Why,\r\nthen?\",\"\"\"So\"\"\"\r\n",
			[]row{{"row-1", "Who?", `["Ann"]`}, {"row-2", "Why,\nthen?", `["\"So\""]`}}, 0},
		{"a.csv", "Id,Input,Expected Output,note\n7,Who?,007,x\n8,When?,,\n",
			[]row{{"7", "Who?", `["007"]`}, {"8", "When?", `[]`}}, 1},
		{"a.csv", "query;reference\nWho?;a, b\n", []row{{"row-1", "Who?", `["a, b"]`}}, 0},
		{"a.tsv", "text\ttarget\nHe said \"no\"\t\"quoted\"\n", []row{{"row-1", `He said "no"`, `["quoted"]`}}, 0},
		{"a.jsonl", `{"sample_id":3,"query":"Who?","ideal":["a","b"]}` + "\n\n" + `{"sample_id":4,"query":"Q","ideal":1e3}`,
			[]row{{"3", "Who?", `["a" "b"]`}, {"4", "Q", `["1e3"]`}}, 0},
		{"a.json", `[{"prompt":"Who?","gold":true}]`, []row{{"row-1", "Who?", `["true"]`}}, 0},
		{"a.csv", "question,answer,output\nWho?,Ann,Bob\n", []row{{"row-1", "Who?", `[]`}}, 2},
		{"a.csv", "question,answer,target\nWho?,Ann,Bob\n", []row{{"row-1", "Who?", `["Bob"]`}}, 1},
		{"a.jsonl", `{"input":[{"role":"system","content":"s"},{"role":"user","content":"u1"},{"role":"assistant","content":"a1"},{"role":"user","content":"u2"}],"ideal":"x"}`, []row{{"row-1", "u2", `["x"]`}}, 0},
		{"data", `{"question":"Who?"}`, []row{{"row-1", "Who?", `[]`}}, 1},
		{"a.csv", "\xef\xbb\xbf\xef\xbb\xbfQUESTION , \xe2\x80\x8bGold \nWho?,Ann\n", []row{{"row-1", "Who?", `["Ann"]`}}, 0},
		{"a.jsonl", "\xef\xbb\xbf{\"Question\":\"Who?\",\"Gold \":\"Ann\"}\n" +
			"\xef\xbb\xbf{\"question\":\"Why?\",\"ANSWER\":\"So\"}\n", []row{{"row-1", "Who?", `["Ann"]`},
			{"row-2", "Why?", `["So"]`}}, 0},
		{"a.csv", "question,good,Note,note\nWho?,yes,a,b\n", []row{{"row-1", "Who?", `[]`}}, 2},
		{"a.csv", "question,decline\nWho?,true\n", []row{{"row-1", "Who?", `[]`}}, 0},
		{"rows.yaml", "- question: Who?\n  target: 0x1F\n", []row{{"row-1", "Who?", `["0x1F"]`}}, 0},
	} {
		s, err := Parse(tt.name, []byte(tt.text))
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		var got []row
		for _, c := range s.Cases.All() {
			got = append(got, row{c.ID, c.Prompt, c.Gold.String()})
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.text, diff)
		}
		if len(s.Warnings) != tt.warnings {
			t.Errorf("%q: warnings %q, want %d", tt.text, s.Warnings, tt.warnings)
		}
	}
}

func TestPlainShapes(t *testing.T) {
	s, err := Parse("a.csv", []byte("question,choices,gold,tags,context,class,domain\n"+
		"Who?,Ann|Bob; Jr,B,\"x, y\",Ann is here.,billing,civic\n"+
		"Who?,\"[\"\"Ann\"\",\"\"Bob\"\"]\",Ann,,\"[\"\"one\"\",\"\"two\"\"]\",multi-hop,\n"+
		"Who?,Ann;Bob,\"{\"\"option\"\": 0}\",,,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := *s.Cases.At(0)
	if diff := cmp.Diff([]string{"Ann", "Bob; Jr"}, c.Options); diff != "" || *c.Gold.Option != 1 {
		t.Errorf("options: %s, gold %v", diff, c.Gold)
	}
	if diff := cmp.Diff([]string{"x", "y", "billing"}, c.Tags); diff != "" || c.Class != "" || c.Domain != "civic" {
		t.Errorf("tags: %s; class %q", diff, c.Class)
	}
	if diff := cmp.Diff([]evidence.Passage{{ID: "L1", Text: "Ann is here."}}, c.Context); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]evidence.Passage{{ID: "L1", Text: "one"}, {ID: "L2", Text: "two"}},
		s.Cases.At(1).Context); diff != "" {
		t.Error(diff)
	}
	if i, ok := s.Cases.At(2).GoldOption(); !ok || i != 0 {
		t.Errorf("gold of case 2 is %v", s.Cases.At(2).Gold)
	}
	if len(s.Warnings) != 2 {
		t.Errorf("warnings %q, want one on letters and one on classes", s.Warnings)
	}
	s, err = Parse("a.jsonl", []byte(`{"question":"Who?","choices":{"text":["Ann","Bob"],"label":["A","B"]},"answer":"A"}`))
	if err != nil || *s.Cases.At(0).Gold.Option != 0 {
		t.Errorf("labelled choices: %v, %v", s, err)
	}
}

func TestWeights(t *testing.T) {
	s, err := Parse("s.yaml", []byte("suite: {name: n, weights: {reciprocity: .30}}\ncases: [{id: a, prompt: p}]"))
	if err != nil {
		t.Fatal(err)
	}
	if w := *s.Weights; w.Truth != .60/1.15 || len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0],
		"s.yaml:1: weights sum to 1.15") {
		t.Errorf("weights %v, warnings %q", w, s.Warnings)
	}
}

// Every fault is named by file and line, with what would be right.
func TestFaults(t *testing.T) {
	const head = "suite: {name: n}\ncases:\n- id: a\n  prompt: p\n"
	for _, tt := range []struct{ name, text, want string }{
		{"f.yaml", "", `f.yaml:1: the file is empty`},
		{"f.jsonl", " \n\n", `f.jsonl:1: the file is empty`},
		{"f.yaml", "suite: {name: n}\ncases: []", `f.yaml:1: the suite has no cases`},
		{"f.yaml", "suite: {name: n}", `f.yaml:1: no list of cases`},
		{"f.yaml", "suit: {name: n}\ncases: []",
			`f.yaml:1: unknown key "suit" beside suite and cases; did you mean "suite"?`},
		{"f.yaml", "suite: {nam: n}\ncases: []", `f.yaml:1: unknown key "nam" in suite; did you mean "name"?`},
		{"f.yaml", "suite: [\n", `f.yaml:2: not valid YAML: `},
		{"f.yaml", "a: 1\n--- \nb: 2", `f.yaml:`},
		{"f.yaml", "suite: {name: n}\ncases:\n- id: a\n  promt: p\n",
			`f.yaml:4: unknown key "promt" in case; did you mean "prompt"?`},
		{"f.yaml", "suite: {name: n}\ncases:\n- id: a\n", `f.yaml:3: case "a" has no prompt`},
		{"f.yaml", "suite: {name: n}\ncases:\n- prompt: a\n", `f.yaml:3: no id`},
		{"f.yaml", head + "- prompt: q\n  id: a\n", `f.yaml:6: id "a" is taken by the case at f.yaml:3`},
		{"f.yaml", head + "  id: b\n", `f.yaml:5: key "id" twice, first on line 3`},
		{"f.yaml", head + "  options: [x, y]\n  gold: z\n", `f.yaml:6: gold "z" is none of the options "x", "y"`},
		{"f.yaml", head + "  options: [x, y]\n  gold: {option: 2}\n",
			`f.yaml:6: gold is option 2; the options go from 0 to 1`},
		{"f.yaml", head + "  options: [x, y]\n  gold: {option: -1}\n", `f.yaml:6: gold.option must be a whole number from 0`},
		{"f.yaml", head + "  options: [x, y]\n  gold: {options: 1}\n", `f.yaml:6: gold must be a text`},
		{"f.yaml", head + "  options: [x, y]\n  gold: [x, y]\n", `f.yaml:6: 2 golds for a choice`},
		{"f.yaml", head + "  options: [x, y, ' x']\n", `f.yaml:5: option 2 repeats option 0`},
		{"f.yaml", head + "  options: [x]\n", `f.yaml:5: one option is no choice`},
		{"f.yaml", head + "  gold: {option: 0}\n", `f.yaml:5: gold is an option, but the case has no options`},
		{"f.yaml", head + "  gold: ''\n", `f.yaml:5: gold is empty`},
		{"f.yaml", head + "  gold: [x, x]\n", `f.yaml:5: gold lists "x" twice`},
		{"f.yaml", head + "  gold: x\n  target: y\n", `f.yaml:6: "gold" and "target" both give the gold and differ`},
		{"f.yaml", head + "  decline: true\n  gold: y\n", `f.yaml:5: decline and gold both`},
		{"f.yaml", head + "  decline: maybe\n", `f.yaml:5: decline must be true or false, not "maybe"`},
		{"f.yaml", head + "  class: multihop\n", `f.yaml:5: unknown class "multihop"; did you mean "multi-hop"?`},
		{"f.yaml", head + "  domain: legal\n", `f.yaml:5: unknown domain "legal"; `},
		{"f.yaml", head + "  difficulty: med\n", `f.yaml:5: unknown difficulty "med"; `},
		{"f.yaml", head + "  answer_type: number\n", `f.yaml:5: unknown answer_type "number"; did you mean "numeric"?`},
		{"f.yaml", head + "  answer_type: choice\n", `f.yaml:5: answer_type choice, but the case has no options`},
		{"f.yaml", head + "  answer_type: numeric\n  gold: many\n", `f.yaml:6: gold "many" is no number`},
		{"f.yaml", head + "  requires: {date: week}\n", `f.yaml:5: unknown requires.date "week"; `},
		{"f.yaml", head + "  requires: {context_only: true}\n",
			`f.yaml:5: requires.context_only, but the case has no context`},
		{"f.yaml", head + "  requires: {steps: many}\n", `f.yaml:5: requires.steps must be a whole number`},
		{"f.yaml", head + "  phrasings: [q, ' ']\n", `f.yaml:5: phrasing 2 is empty`},
		{"f.yaml", head + "  phrasings: [q, q]\n", `f.yaml:5: phrasing 2 repeats phrasing 1`},
		{"f.yaml", head + "  phrasings: [p]\n", `f.yaml:5: phrasing 1 repeats the prompt`},
		{"f.yaml", head + "  phrasings: q\n", `f.yaml:5: phrasings must be a list, not a value`},
		{"f.yaml", head + "  demonstrations: [{input: x}]\n", `f.yaml:5: demonstration 1 has no input or no label`},
		{"f.yaml", head + "  context: [{id: L1, text: x}, {id: L1, text: y}]\n", `f.yaml:5: passage id "L1" twice`},
		{"f.yaml", head + "  oracle: {type: exct}\n", `f.yaml:5: unknown oracle type "exct"; did you mean "exact"?`},
		{"f.yaml", head + "  oracle: {type: exact}\n", `f.yaml:5: an oracle of type exact needs accept`},
		{"f.yaml", head + "  oracle: {type: exact, accept: [x], value: 3}\n",
			`f.yaml:5: an oracle of type exact does not read value; it reads accept, reject`},
		{"f.yaml", head + "  oracle: {type: numeric, value: three}\n", `f.yaml:5: oracle.value "three" is no number`},
		{"f.yaml", head + "  oracle: {type: numeric, value: 1e999999999}\n",
			`f.yaml:5: oracle.value "1e999999999" is no number`},
		{"f.yaml", head + "  oracle: {type: numeric, value: 3, tolerance: -1}\n",
			`f.yaml:5: oracle.tolerance "-1" is below 0`},
		{"f.yaml", head + "  oracle: {type: exact, accept: [x], reject: [x]}\n",
			`f.yaml:5: "x" is both accepted and rejected`},
		{"f.yaml", head + "  oracle: {type: retrieval, lines: [L9]}\n", `f.yaml:5: the oracle names passage "L9"`},
		{"f.yaml", head + "  oracle: {type: any, of: [{type: exact}]}\n", `f.yaml:5: an oracle of type exact needs accept`},
		{"f.yaml", head + "  oracle: {type: all}\n", `f.yaml:5: an oracle of type all needs of`},
		{"f.yaml", head + "  shots: 3\n", `f.yaml:5: shots are drawn from a pool`},
		{"f.yaml", head + "  pool: none.csv\n", `f.yaml:5: pool of case "a": no file "none.csv"`},
		{"f.yaml", "suite: {as_of: soon}\ncases: []", `f.yaml:1: as_of is "soon"; want a date`},
		{"f.yaml", "suite: {as_of: 2026-02-30}\ncases: []", `f.yaml:1: as_of is "2026-02-30"`},
		{"f.yaml", "suite:\n  name: n\n  weights: {truth: -1}\ncases: []", `f.yaml:3: weights must not be negative`},
		{"f.yaml", "suite: {weights: {truth: 0, decidability: 0, reciprocity: 0}}\ncases: []",
			`f.yaml:1: weights must not be negative nor all zero`},
		{"f.yaml", "suite: {weights: {truth: .nan}}\ncases: []", `f.yaml:1: weights.truth must be a number`},
		{"f.yaml", "suite: {by_class: {nope: {}}}\ncases: []", `f.yaml:1: unknown class "nope" in by_class`},
		{"f.jsonl", "{\"suite\":{\"name\":\"n\"}}\n{\"id\":\"a\",\"prompt\":\"p\",\"x\":1}\n",
			`f.jsonl:2: unknown key "x" in case`},
		{"f.jsonl", "{\"question\":\"p\"}\n{\"question\":", `f.jsonl:2: the JSON value is cut off`},
		{"f.jsonl", "{\"question\":\"p\"}\n{\"question\" \"p\"}", `f.jsonl:2: not valid JSON`},
		{"f.jsonl", "{\"question\":\"p\"} {}", `f.jsonl:1: text after the end of the JSON value`},
		{"f.jsonl", "{\"question\":\"p\"}\n[1]", `f.jsonl:2: a case must be keys and values, not a list`},
		{"f.jsonl", "{\"q\":\"p\"}",
			`f.jsonl:1: no question; want a value under one of prompt, question, query, input, text`},
		{"f.jsonl", `{"question":"p","input":"q"}`, `f.jsonl:1: "question" and "input" both give the prompt and differ`},
		{"f.jsonl", `{"id":1,"id":2}`, `f.jsonl:1: key "id" twice`},
		{"f.json", "[\n{\"question\":\"p\"},\n{\"question\":3,}\n]", `f.json:3: not valid JSON`},
		{"f.json", "[\n{\"question\":\"p\"},\n{\"question\":{}}\n]", `f.json:3: prompt must be a text, not keys and values`},
		{"f.csv", "question,gold\na\n", `f.csv:2: 1 cells, want 2 as in the header`},
		{"f.csv", "question,gold\n\"a\nb\nc,d\n", `f.csv:2: `},
		{"f.csv", "question,question\na,b\n", `f.csv:1: column "question" twice`},
		{"f.csv", "question,gold\n", `f.csv:1: the suite has no cases`},
		{"f.csv", "id,question\n1,a\n1,b\n", `f.csv:3: id "1" is taken by the case at f.csv:2`},
		{"f.txt", "hello", `f.txt:1: unknown kind of file ".txt"`},
		{"f.csv", "question\nok\n\xff\xfe\n", `f.csv:3: not UTF-8 text`},
	} {
		path := write(t, t.TempDir(), tt.name, tt.text)
		_, err := readSuite(path)
		if err == nil {
			t.Errorf("%q: no error, want %q", tt.text, tt.want)
			continue
		}
		got := strings.ReplaceAll(err.Error(), filepath.Dir(path)+string(filepath.Separator), "")
		if !strings.HasPrefix(got, tt.want) || strings.Contains(got, "\n") {
			t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	if _, err := readSuite(t.TempDir(), "core", "pocket"); err == nil || !strings.Contains(err.Error(), "is a folder") ||
		!strings.Contains(err.Error(), "core, pocket") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := readSuite("nope", "core", "pocket"); err == nil ||
		!strings.HasSuffix(err.Error(), `no suite or file "nope"; built in are core, pocket`) {
		t.Errorf("no such suite: %v", err)
	}
}

func TestReadPool(t *testing.T) {
	want := []Demonstration{{"x", "1"}, {"y", "0"}}
	for name, text := range map[string]string{
		"p.csv":   "Input,Label\nx,1\ny,0\nx,1\n",
		"p.tsv":   "question\tanswer\nx\t1\ny\t0\n",
		"p.jsonl": `{"input":"x","label":1}` + "\n" + `{"input":"y","label":0}`,
		"p.yaml":  "- {input: x, label: 1}\n- {input: y, label: 0}\n",
	} {
		got, err := ReadPool(write(t, t.TempDir(), name, text))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	for text, want := range map[string]string{"input\nx\n": "p.csv:2: no input or no label",
		"input,label\n": "p.csv:1: the pool has no rows"} {
		if _, err := ReadPool(write(t, t.TempDir(), "p.csv", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	dir := t.TempDir()
	write(t, dir, "p.csv", "input,label\nx,1\ny,0\n")
	_, err := readSuite(write(t, dir, "s.yaml", "cases:\n- id: a\n  prompt: x\n  pool: p.csv\n  shots: 2\n"))
	if err == nil || !strings.HasSuffix(err.Error(), "s.yaml:4: 2 demonstrations are to be drawn from a pool of 1; set "+
		"shots to fewer") {
		t.Errorf("a pool that holds the question: %v", err)
	}
}

// A suite that was made is held to the same rules, and a fault is named by the case.
func TestCheck(t *testing.T) {
	s := &Suite{Name: "made", Cases: ListOf([]Case{{ID: "a", Prompt: "p"}, {ID: "a", Prompt: "q"}})}
	if err := s.Check(); err == nil || err.Error() != `case 2 ("a"): id "a" is taken by case 1; ids must differ` {
		t.Error(err)
	}
	minus := -1
	s.Cases = ListOf([]Case{{ID: "a", Prompt: "p", Options: []string{"x", "y"}, Gold: Gold{Option: &minus},
		Place: "gen:7"}})
	if err := s.Check(); err == nil || err.Error() != "gen:7: gold is option -1; the options go from 0 to 1" {
		t.Error(err)
	}
	if err := (&Suite{Name: "made"}).Check(); err == nil {
		t.Error("an empty suite checks")
	}
}

func TestOracleHas(t *testing.T) {
	for _, tt := range []struct {
		o    *Oracle
		want bool
	}{
		{nil, false}, {&Oracle{Type: "exact"}, false}, {&Oracle{Type: "judge"}, true},
		{&Oracle{Type: "all", Of: []Oracle{{Type: "exact"}, {Type: "any", Of: []Oracle{{Type: "judge"}}}}}, true},
	} {
		if got := tt.o.Has("judge"); got != tt.want {
			t.Errorf("%+v: %v", tt.o, got)
		}
	}
}

func readSuite(path string, builtin ...string) (*Suite, error) {
	data, err := ReadFile(path, builtin...)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

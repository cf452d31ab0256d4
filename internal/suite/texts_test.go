package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/base/strictyaml"
)

// TestTooManyTexts: a case whose texts would take an answer minutes to be compared with is refused.
func TestTooManyTexts(t *testing.T) {
	list := func(n int, prefix string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%q,", fmt.Sprint(prefix, i))
		}
		return "[" + strings.TrimSuffix(b.String(), ",") + "]"
	}
	objects := func(n int, format string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(format, i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	for _, c := range []struct{ text, want string }{
		{`{"id": "a", "prompt": "Who?", "gold": "n1", "options": ` + list(2000, "n") + `}`, ""},
		{`{"id": "a", "prompt": "Who?", "gold": "n1", "options": ` + list(2001, "n") + `}`,
			"2001 options, at most 2000 are read"},
		{`{"id": "a", "prompt": "Who?", "gold": "x", "phrasings": ` + list(2000, "n") + `}`, ""},
		{`{"id": "a", "prompt": "Who?", "gold": "x", "phrasings": ` + list(2001, "n") + `}`,
			"2001 phrasings, at most 2000 are read; leave out what the case does not need"},
		{`{"id": "a", "prompt": "Who?", "gold": "x", "demonstrations": ` + objects(2001, `{"input": "%d", "label": "b"}`) +
			`}`, "2001 demonstrations, at most"},
		{`{"id": "a", "prompt": "Who?", "gold": "x", "context": ` + objects(2001, `{"id": "%d", "text": "b"}`) + `}`,
			"2001 passages, at most"},
		{`{"id": "a", "prompt": "Who?", "gold": "x", "requires": {"facts": ` + list(2001, "n") + `}}`,
			"2001 requires.facts, at most"},
		{`{"id": "a", "prompt": "Who?", "gold": "x", "format": {"labels": ` + list(2001, "n") + `}}`,
			"2001 format.labels, at most"},
		{`{"id": "a", "prompt": "Who?", "oracle": {"type": "proof", "parts": ` + objects(2001, `["%d"]`) + `}}`,
			"2001 parts or holders of the oracle of type proof"},
		{`{"id": "a", "prompt": "Who?", "oracle": {"type": "proof", "parts": [` + strings.Repeat(list(2000, "n")+",", 5) +
			`["n"]]}}`, "10001 accepted texts in all"},
		{`{"id": "a", "prompt": "Who?", "oracle": {"type": "temporal", "at": "2020", "holders": ` + objects(2001,
			`{"value": "%d"}`) + `}}`, "2001 parts or holders of the oracle of type temporal"},
		{`{"id": "a", "prompt": "Who?", "gold": "x", "oracle": {"type": "any", "of": ` + objects(2000,
			`{"type": "exact", "accept": ["%d"]}`) + `}}`, "2001 oracles in one another"},
		{`{"id": "a", "prompt": "Who?", "gold": ` + list(201, "n") + `, "oracle": {"type": "exact", "reject": ` + list(200,
			"m") + `}}`, "make 40200 pairs"},
		{`{"id": "a", "prompt": "Who?", "gold": "x", "aliases": ` + list(2000, "n") + `}`, ""},
		{`{"id": "a", "prompt": "Who?", "gold": "x", "aliases": ` + list(2001, "n") + `}`,
			"2001 aliases, at most 2000 are read"},
		{`{"id": "a", "prompt": "Who?", "gold": {"all": ` + list(2001, "n") + `}}`, "2001 golds"},
		{`{"id": "a", "prompt": "Who?", "oracle": {"type": "exact", "accept": ` + list(2001, "n") + `}}`,
			"2001 texts in a list of the oracle of type exact"},
		{`{"id": "a", "prompt": "Who?", "oracle": {"type": "exact", "accept": ` + list(200, "n") + `, "reject": ` + list(200,
			"m") + `}}`, ""},
		{`{"id": "a", "prompt": "Who?", "oracle": {"type": "exact", "accept": ` + list(201, "n") + `, "reject": ` + list(200,
			"m") + `}}`, "make 40200 pairs with its rejected ones, at most 40000"},
		{`{"id": "a", "prompt": "Who?", "oracle": {"type": "any", "of": [` + strings.Repeat(`{"type": "exact", "accept": `+
			list(100, "n")+`, "reject": `+list(90, "m")+`},`, 5) + `{"type": "exact", "accept": ["n"]}]}}`, "make 45000 pairs"},
		{`{"id": "a", "prompt": "Who?", "oracle": {"type": "any", "of": [` + strings.Repeat(`{"type": "exact", "accept": `+
			list(2000, "n")+`},`, 5) + `{"type": "exact", "accept": ["n"]}]}}`, "10001 accepted texts in all"},
		{`{"id": "a", "prompt": "` + strings.Repeat("x", maxText+1<<20) + `", "gold": "b"}`,
			"a text of 17 MiB, at most 16 are read"},
	} {
		path := filepath.Join(t.TempDir(), "cases.json")
		if err := os.WriteFile(path, []byte(`{"cases": [`+c.text+`]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readSuite(path)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.120v, want %q", err, c.want)
		}
	}
}

// TestTooManyTextsOfTables: what stands in the cells of a table, or in YAML, is bounded as well, at its line.
func TestTooManyTextsOfTables(t *testing.T) {
	var all []string
	for i := range 2001 {
		all = append(all, fmt.Sprint("n", i))
	}
	for name, text := range map[string]string{
		"a.csv":   "prompt,gold,options\nWho?,n1," + strings.Join(all, "|") + "\n",
		"a.tsv":   "prompt\tgold\tphrasings\nWho?\tn1\t" + strings.Join(all, "|") + "\n",
		"a.jsonl": "\n" + `{"prompt": "Who?", "gold": "n1", "choices": {"text": ["` + strings.Join(all, `","`) + `"]}}`,
		"a.yaml":  "cases:\n- {id: a, prompt: Who?, gold: n1, options: [" + strings.Join(all, ",") + "]}\n",
	} {
		if _, err := Parse(name, []byte(text)); err == nil || !strings.HasPrefix(err.Error(), name+":2: 2001 ") {
			t.Errorf("%s: %.120v", name, err)
		}
	}
}

// TestTooManyTags: every tag of a suite has figures of its own, so a suite of many is refused at the case that has one
// too many.
func TestTooManyTags(t *testing.T) {
	suite := func(cases, tags int) (lines string) {
		for i := range cases {
			var own []string
			for k := range tags {
				own = append(own, fmt.Sprintf(`"t%d"`, i*tags+k))
			}
			lines += fmt.Sprintf(`{"id": "%d", "prompt": "q", "gold": "x", "tags": ["shared", %s]}`, i,
				strings.Join(own, ", ")) + "\n"
		}
		return lines
	}
	for _, tt := range []struct {
		lines string
		want  string
	}{
		{suite(51, 98), ""}, {suite(1, 99), ""}, {suite(49, 99), ""},
		{suite(1, 100), `s.jsonl:1: 101 tags, a case can have 100`},
		{suite(60, 98), `s.jsonl:52: tag "t4999" is one more than the 5000 different tags that a suite can have`},
	} {
		s, err := Parse("s.jsonl", []byte(tt.lines))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%v, want %q", err, tt.want)
		}
		if err == nil && s.Check() != nil {
			t.Error(s.Check())
		}
	}
}

// TestTooManyValues: small values by the million take a hundred times their bytes, so a file of them is refused before
// it is read.
func TestTooManyValues(t *testing.T) {
	for name, data := range map[string]string{
		"a.json":  `{"cases": [` + strings.Repeat("0,", strictyaml.MaxJSON) + "0]}",
		"a.jsonl": `{"id": "a", "tags": [` + strings.Repeat("0,", strictyaml.MaxJSON) + "0]}",
		"a.yaml":  "cases: [" + strings.Repeat("0,", strictyaml.MaxValues) + "0]",
		"a.csv":   strings.Repeat("c,", maxColumns) + "d\n",
		"b.yaml":  strings.Repeat("#\n", strictyaml.MaxValues+1) + "cases: []",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readSuite(path); err == nil || !strings.Contains(err.Error(), name+":1: more than") &&
			!strings.Contains(err.Error(), "10001 columns") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

package logs

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever stands in a file, it is read or refused with one line.
func fuzz(f *testing.F, file string, k Kind, names ...string) {
	for _, name := range names {
		b := fixture(f, name)
		f.Add(b[:min(len(b), 40_000)])
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if k == Table && len(b) > 0 && (b[0] == '{' || b[0] == '[') != (filepath.Ext(file) == ".jsonl") {
			return
		}
		a, err := Read([]string{path}, &Options{Name: "m"})
		switch {
		case err == nil && (a == nil || a.Suite == nil || a.Len() == 0):
			t.Fatal("nothing was read, and nothing said")
		case err != nil && strings.ContainsAny(err.Error(), "\r\n"):
			t.Fatalf("several lines: %q", err)
		case err == nil && a.Suite.Check() != nil:
			t.Fatalf("a suite with a fault: %v", a.Suite.Check())
		}
	})
}

func FuzzLMEval(f *testing.F) {
	fuzz(f, "samples_x.jsonl", LMEval, "lm-eval/samples_pocket_mc.jsonl", "lm-eval/samples_pocket_gen.jsonl",
		"lm-eval/samples_pocket_draws.jsonl")
}

func FuzzInspectZip(f *testing.F) { fuzz(f, "a.eval", InspectZip, "inspect/looked_up.eval") }

func FuzzInspectJSON(f *testing.F) {
	f.Add([]byte(`{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "results": {"scores": [{"name": "s", "metrics": {"mean": {"value": 1}}}]}, "samples": [{"id": 1, "epoch": 1, "input": "q", "target": "a", "choices": ["a", "b"], "output": {"completion": "a"}, "scores": {"s": {"value": "C"}}}]}`))
	fuzz(f, "a.json", InspectJSON)
}

func FuzzPromptfoo(f *testing.F) {
	fuzz(f, "a.jsonl", Promptfoo, "promptfoo/capitals.jsonl", "promptfoo/capitals.json")
}

func FuzzPromptfooCSV(f *testing.F) { fuzz(f, "a.csv", PromptfooCSV, "promptfoo/capitals.csv") }

func FuzzOpenAIEvals(f *testing.F) { fuzz(f, "a.jsonl", OpenAIEvals, "others/evals.jsonl") }

func FuzzDeepEval(f *testing.F) { fuzz(f, "a.json", DeepEval, "others/deepeval.json") }

func FuzzTable(f *testing.F) {
	f.Add([]byte("question,output,gold,score,options\nq,a,b,1,a|b\n"))
	f.Add([]byte("id,score\na,1\nb,0\n"))
	fuzz(f, "a.csv", Table, "others/ragas.csv")
}

func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"question": "q", "output": "a", "gold": ["b"], "context": ["c"], "score": 0.5}`))
	fuzz(f, "a.jsonl", Table, "others/ragas.jsonl")
}

func FuzzMapping(f *testing.F) {
	f.Add("question=Q,answer=A,gold=G, x")
	f.Fuzz(func(t *testing.T, s string) {
		if m, err := ParseMapping([]string{s}); err == nil {
			again, err := ParseMapping(m.list())
			if err != nil || !maps.Equal(m, again) {
				t.Fatalf("%q becomes %q: %v", s, m.list(), err)
			}
		}
	})
}

// A row of JSON is taken apart as encoding/json does it.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : 1 , "b":[1,{"c":"}"}], "d":"x\\"y\\\\" ,"a":null,"\u0061b":-1.5e3}`, `null`,
		`"text"`, `[1]`,
		`{"a":{"b":{}},"c":[],"d":true}`, "{\"a\":\"\xff\",\"\xff\":\"\u2028\"}", `{"a":""}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got object
		var want map[string]json.RawMessage
		gotErr, wantErr := json.Unmarshal([]byte(s), &got), json.Unmarshal([]byte(s), &want)
		if gotErr != nil && strings.Contains(gotErr.Error(), "stands there twice") {
			return // which encoding/json lets pass
		}
		if (gotErr == nil) != (wantErr == nil) || !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool {
			return bytes.Equal(a, b)
		}) {
			t.Fatalf("%q is %q, %v; want %q, %v", s, got, gotErr, want, wantErr)
		}
		var fast object
		if fast.FromLine([]byte(s)) && utf8.ValidString(s) &&
			(wantErr != nil || !maps.EqualFunc(fast, got, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })) {
			t.Fatalf("%q is %q by the fast way; want %q, %v", s, fast, want, wantErr)
		}
		for key, raw := range want {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			if c := got.cell(key); string(raw) != "null" && (c.empty || c.text != text) {
				t.Errorf("%q: %q says %q, want %q", s, key, c.text, text)
			}
		}
	})
}

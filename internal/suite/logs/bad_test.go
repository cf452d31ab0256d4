package logs

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"hallmark/internal/suite/imported"
)

// edited returns a log of Inspect with its header changed, its members renamed, or some left out.
func edited(t testing.TB, name func(string) string, header func(map[string]any)) string {
	t.Helper()
	b := fixture(t, "inspect/looked_up.eval")
	old, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f := &file{name: "looked_up.eval", at: bytes.NewReader(b), size: int64(len(b)), source: &imported.Source{},
		to: newCollector(&Options{})}
	if err := readInspectZip(f); err != nil {
		t.Fatal(err)
	}
	old.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	for _, m := range old.File {
		to := name(m.Name)
		if to == "" {
			continue
		}
		r, err := m.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name == "header.json" && header != nil {
			var h map[string]any
			if err := json.Unmarshal(content, &h); err != nil {
				t.Fatal(err)
			}
			header(h)
			if content, err = json.Marshal(h); err != nil {
				t.Fatal(err)
			}
		}
		into, err := w.Create(to)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := into.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// bomb is a zip whose one member says that it holds size bytes, and holds what it says that it does not.
func bomb(t testing.TB, size uint64, content string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	h := &zip.FileHeader{Name: "header.json", Method: zip.Store, CompressedSize64: uint64(len(content)),
		UncompressedSize64: size, CRC32: crc32.ChecksumIEEE([]byte(content))}
	into, err := w.CreateRaw(h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(into, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func deflated(t testing.TB, name string, n int) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	into, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := into.Write(bytes.Repeat([]byte(" "), n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What is wrong has its file, its place and what would be right, in one line; nothing is read of it.
func TestBadLogs(t *testing.T) {
	same := func(s string) string { return s }
	eval := string(fixture(t, "inspect/looked_up.eval"))
	js := string(fixture(t, "inspect/options.json"))
	foo := string(fixture(t, "promptfoo/capitals.json"))
	lm := string(fixture(t, "lm-eval/samples_pocket_gen.jsonl"))
	evals := string(fixture(t, "others/evals.jsonl"))
	line, _, _ := strings.Cut(lm, "\n")
	wide := strings.Repeat("c,", 500_000) + "d"
	for name, tt := range map[string]struct {
		file, text string
		m          []string
		want       string
	}{
		"cut off": {"a.eval", eval[:len(eval)*2/3], nil, "a.eval: is no whole zip (zip: not a valid zip file): it is cut " +
			"off"},
		"killed": {"a.eval", edited(t, func(n string) string {
			return strings.TrimPrefix(n, "header.json")
		}, nil), nil, "the run did not end: the log has no header; finish it with `inspect eval-retry`"},
		"crashed": {"a.eval", edited(t, same, func(h map[string]any) {
			h["status"] = "error"
			h["error"] = map[string]any{"message": "out of\nmemory"}
		}), nil, "a.eval: the run did not end: its status is \"error\" (out of); finish it"},
		"version": {"a.eval", edited(t, same, func(h map[string]any) {
			h["version"] = 3
		}), nil, "a.eval: is an Inspect log of version 3, and this release reads version 2"},
		"leads out": {"a.eval", edited(t, func(n string) string {
			return strings.Replace(n, "samples/", "../../", 1)
		}, nil), nil, `a.eval: holds a file whose name "../../known-001_epoch_1.json" leads elsewhere`},
		"twice in it": {"a.eval", edited(t, func(n string) string {
			return strings.Replace(n, "known-002", "known-001", 1)
		}, nil), nil, `a.eval: holds "samples/known-001_epoch_1.json" twice`},
		"says too much": {"a.eval", bomb(t, 1<<40, "{}"), nil,
			"a.eval: header.json in it is 1048576 MiB long, at most 64 are read"},
		"says a lot": {"a.eval", bomb(t, 32<<20, "{}"), nil,
			"a.eval: header.json in it would grow to 16777216 times its size, at most 1000 is believed"},
		"grows": {"a.eval", deflated(t, "header.json", 60<<20), nil, "a.eval: header.json in it would grow to"},
		"lies":  {"a.eval", bomb(t, 1<<10, "{}"), nil, "a.eval: header.json in it is damaged"},
		"another zip": {"a.zip", deflated(t, "word/document.xml", 10), nil,
			"a.zip: is a zip without a header.json, so no log of Inspect; unpack it"},
		"JSON cut off": {"a.json", js[:len(js)/2], nil, "a.json, sample 2: ends in the middle"},
		"JSON goes on": {"a.json", js + "{}", nil, "a.json: goes on after its end"},
		"JSON crashed": {"a.json", strings.Replace(js, `"success"`, `"cancelled"`, 1), nil,
			`a.json: the run did not end: its status is "cancelled"`},
		"foo version": {"a.json", strings.Replace(foo, `"version": 3`, `"version": 4`, 1), nil,
			"a.json: holds promptfoo results of version 4, and this release reads version 3"},
		"foo cut off": {"a.json", foo[:len(foo)/2], nil, "ends in the middle"},
		"foo is short": {"a.json", strings.Replace(foo, `"successes": `, `"successes": 9`, 1), nil,
			"holds 12 of the 102 results that its stats count; export them again"},
		"lm cut off": {"samples_x.jsonl", lm[:len(lm)/2], nil,
			"samples_x.jsonl:11: no valid JSON: the line ends in the middle of its object; write one object a line, or copy " +
				"the file again"},
		"lm twice": {"samples_x.jsonl", line + "\n" + strings.Replace(line, `[["Tolgorford"]]`, `[["Other"]]`, 1),
			nil, `samples_x.jsonl:2: sample "0" of model "imported", prompt 0, draw 0 was answered before, at `},
		"lm again": {"samples_x.jsonl", line + "\n" + line, nil,
			`samples_x.jsonl:2: sample "0" of model "imported", prompt 0, draw 0 was answered before, at `},
		"lm results alone": {"results_x.json", string(fixture(t, "lm-eval/results_pocket_mc.json")), nil,
			"results_x.json: no answers in it; name the samples beside it too"},
		"evals not ended": {"a.jsonl", strings.Replace(evals, "final_report", "report", 1), nil,
			"a.jsonl:8: is no line of OpenAI Evals"},
		"evals cut": {"a.jsonl", evals[:strings.LastIndex(evals[:len(evals)-2], "\n")], nil,
			"a.jsonl: the run did not end: there is no final_report"},
		"collide": {"a.csv", "Question,output,gold,question\nq,a,a,p\n", nil,
			`a.csv:1: columns "Question" and "question" are one but for case and spacing; keep one`},
		"no such column": {"a.csv", "Q,A\nq,a\n", []string{"question=Q,answer=B"},
			`a.csv:1: no column "B", which --map says is the answer`},
		"may be either": {"a.csv", "question,answer\nq,a\n", nil,
			`a.csv:1: column "answer" may be the model's answer or the right one: say --map answer=answer or --map gold=answer`},
		"no answers": {"a.csv", "question,gold\nq,a\n", nil, "a.csv:1: no column of answers"},
		"many columns": {"a.csv", "question,output," + wide + "\n", nil,
			"a.csv:1: 500003 columns, at most 1000 are read"},
		"no UTF-8": {"a.csv", "question,output,gold\nq,\xff,a\n", nil, `a.csv:2: column "output" is not UTF-8`},
		"short row": {"a.csv", "question,output,gold\nq,a\n", nil,
			"a.csv:2: the row has other columns than the header"},
		"no number": {"a.csv", "question,output,gold,score\nq,a,b,high\n", nil,
			`a.csv:2: score "score" is "high"; want a number`},
		"twice": {"a.csv", "id,question,output,gold\n1,q,a,b\n1,q,c,b\n", nil,
			`a.csv:3: sample "1" of model "imported", prompt 0, draw 0 was answered before, at `},
		"another gold": {"a.csv", "id,question,output,gold,model\n1,q,a,b,m\n1,q,c,d,n\n", nil,
			`a.csv:3: sample "1" has another right answer than at `},
		"map of a tool": {"a.jsonl", lm, []string{"answer=x"},
			"a.jsonl: is a log of lm-evaluation-harness, whose parts are known: --map answer=… is for tables"},
		"no verdict": {"a.jsonl", lm, []string{"verdict=f1"},
			`a.jsonl: sample "0" has no score "f1"; it has exact_match,flexible-extract, exact_match,strict-match`},
		"empty":              {"a.csv", " \n", nil, "a.csv:1: no rows: the file is empty"},
		"nothing but a head": {"a.csv", "question,output\n", nil, "a.csv: no answers in it"},
		"mark alone":         {"a.csv", "\ufeff\n", []string{"question=q"}, "a.csv:1: no rows: the file is empty"},
		"UTF-16":             {"a.csv", "\xff\xfei\x00d\x00", nil, "a.csv:1: is UTF-16; save the file as UTF-8"},
		"binary":             {"a.csv", "question,output\x00", nil, "a.csv:1: holds a byte 0, so it is no text"},
		"no keys":            {"a.json", "[1, 2]", nil, "a.json:1: begins as JSON and has no object with keys; want rows"},
		"a brace":            {"a.jsonl", "{", nil, "a.jsonl:1: begins as JSON and has no object with keys"},
		"two answers": {"a.csv", "question,response,output,gold\nq,a,b,a\n", nil,
			`a.csv:2: columns "response" and "output" may be the same and differ, as "a" and "b"; say what each is for, as --map answer=response`},
		"two golds": {"a.jsonl", `{"question": "q", "output": "a", "gold": "a", "Expected": "b"}`, nil,
			`a.jsonl:1: columns "gold" and "Expected" may be the same and differ, as "a" and "b"; say what each is for, as --map gold=gold`},
		"key twice": {"a.jsonl", `{"question": "q", "output": "a", "gold": "a"}` + "\n" +
			`{"question": "q", "output": "a", "output": "b"}`, nil,
			`a.jsonl:2: no valid JSON: key "output" stands there twice; keep one`},
		"many keys": {"a.jsonl", `{"question": "q", "output": "a", "` + strings.ReplaceAll(strings.Repeat("c,",
			1001), "c,", "x\": 1, \"") + `": 1}`, nil, "a.jsonl:1: no valid JSON: key"},
		"version to come": {"a.json", strings.Replace(js, `"version": 2`, `"version": 12`, 1), nil,
			"a.json: is an Inspect log of version 12, and this release reads version 2; see whether a later release"},
		"samples are gone": {"a.json", strings.Replace(js, `"completed_samples": `, `"completed_samples": 9`, 1), nil,
			"samples that were completed; copy it again, or finish the run"},
		"members are gone": {"a.eval", edited(t, func(n string) string {
			return strings.Replace(n, "samples/known-001", "other/known-001", 1)
		}, nil), nil, "samples that were completed; copy it again"},
		"lm without parts": {"a.jsonl", `{"doc_id": 0, "resps": [["a"]]}`, nil,
			"a.jsonl:1: the sample has no arguments; write samples with --log_samples"},
		"lm without answers": {"a.jsonl", `{"doc_id": 0, "resps": 1}`, nil, "a.jsonl:1: the sample has no resps"},
		"lm of likelihoods": {"a.jsonl", `{"doc_id": 0, "resps": [[1.5]], "arguments": []}`, nil,
			"a.jsonl:1: resps hold no text"},
		"lm arguments": {"a.jsonl", `{"doc_id": 0, "resps": [["a"]], "arguments": ["b"]}`, nil,
			`a.jsonl:1: arguments hold "b"; want lists of a context and its continuation`},
		"lm id": {"a.jsonl", `{"doc_id": {"a": 1}, "resps": [["a"]], "arguments": []}`, nil,
			`a.jsonl:1: doc_id {"a": 1}: want a number`},
		"no questions": {"a.csv", "id,output\na,b\n", nil, "a.csv: which suite was answered? name it with --suite"},
	} {
		paths := write(t, map[string]string{tt.file: tt.text})
		a, err := Read(paths, &Options{Name: "imported", Map: mapping(t, tt.m...)})
		if err == nil {
			t.Errorf("%s: %d answers were read", name, a.Len())
			continue
		}
		if got := strings.ReplaceAll(err.Error(), filepath.Dir(paths[0])+"/", ""); !strings.Contains(got, tt.want) ||
			strings.Contains(got, "\n") || len(got) > 400 {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
	if _, err := Read([]string{"-"}, &Options{Stdin: strings.NewReader(eval)}); err == nil ||
		!strings.Contains(err.Error(), "stdin: is a zip, which cannot be read from a stream") {
		t.Errorf("a zip from a stream: %v", err)
	}
	beside := write(t, map[string]string{"samples_pocket_gen.jsonl": lm[:strings.LastIndex(strings.TrimSpace(lm), "\n")],
		"results_pocket_gen.json": string(fixture(t, "lm-eval/results_pocket_gen.json"))})
	if _, err := Read(beside[1:], &Options{}); err == nil || !strings.Contains(err.Error(), "gen.jsonl: holds 9 of the "+
		"10 samples of filter \"flexible-extract\" that its results file counts; copy it again") {
		t.Errorf("%s, cut off at the end of a line: %v", beside[1], err)
	}
	two := write(t, map[string]string{"a.eval": eval, "b.eval": eval})
	if _, err := Read(two, &Options{}); err == nil || !strings.Contains(err.Error(), "b.eval, sample 1: sample "+
		"\"known-001\"") || !strings.Contains(err.Error(), "a.eval, sample 1; name one log of it") {
		t.Errorf("two logs of one sample: %v", err)
	}
	for _, m := range []string{"", "Q", "quest=Q", "question=", "answer=A,gold=A", "id=a,id=b"} {
		if _, err := ParseMapping([]string{m}); err == nil {
			t.Errorf("--map %q is taken", m)
		}
	}
}

// A record of OpenAI Evals has its report before most of its events: one that ends at any line is refused, with how
// many samples are there.
func TestCutOffBehindTheReport(t *testing.T) {
	for name, want := range map[string]string{
		"openai-evals/capitals.jsonl": "it is cut off, or the run that wrote it was stopped; copy it again, or run it again",
		"others/evals.jsonl":          "the run did not end", // its report is the last line
	} {
		lines := strings.SplitAfter(strings.TrimSpace(string(fixture(t, name))), "\n")
		for n := 3; n < len(lines); n++ {
			_, err := Read(write(t, map[string]string{"a.jsonl": strings.Join(lines[:n], "")}), &Options{Name: "m"})
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, %d of %d lines: %v, want %q", name, n, len(lines), err, want)
			}
		}
	}
	whole := string(fixture(t, "openai-evals/capitals.jsonl"))
	lines := strings.SplitAfter(strings.TrimSpace(whole), "\n")
	half := strings.Join(lines[:12], "")
	uncounted := strings.NewReplacer(`"usage"`, `"usage_of"`, `"usage_`, `"no_`)
	const note = "may be cut off"
	for _, tt := range [][2]string{
		{half, "the report counts 31 tokens (usage_completion_tokens), and the calls in the log 21, of 5 of at least 10 " +
			"samples: it is cut off"},
		{uncounted.Replace(strings.Join(lines[:10], "")), "the report says an accuracy of 0.6, and its samples give 0.5, " +
			"of which there are 4 of at least 10 samples: it is cut off"},
		{strings.Join(lines[:len(lines)-1], ""),
			`a.jsonl:21: sample "capitals.dev.0" was sampled and not matched, as the others were, and is the last of 10 samples: it is cut off`},
		{uncounted.Replace(whole), ""}, // an older release counts no tokens
		{strings.ReplaceAll(whole, `"completion_tokens_details": null`,
			`"completion_tokens_details": {"reasoning_tokens": 1}`), ""},
		{strings.ReplaceAll(whole, "capitals.dev.7", "capitals.dev.70"), note}, // numbers alone are told
		{uncounted.Replace(half), note},                                        // its mean is the same
	} {
		a, err := Read(write(t, map[string]string{"a.jsonl": tt[0]}), &Options{Name: "m"})
		got := fmt.Sprint(err)
		if tt[1] == note || tt[1] == "" {
			if err != nil || strings.Contains(strings.Join(a.Notes, "\n"), note) != (tt[1] == note) {
				t.Errorf("%v, want the note %q", err, tt[1])
			}
		} else if !strings.Contains(got, tt[1]) {
			t.Errorf("%s, want %q", got, tt[1])
		}
	}
}

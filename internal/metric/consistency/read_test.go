package consistency

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"hallmark/internal/archtest"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/seed"
	"hallmark/internal/text/answer"

	"pgregory.net/rapid"
)

func readAll(text string, opt ReadOptions) (*Table, error) {
	if opt.Equal == "" {
		opt.Equal = answer.Normalized
	}
	return ReadRows([]Input{{Name: "a.jsonl", Reader: strings.NewReader(text)}}, opt)
}

func TestReadRows(t *testing.T) {
	table, err := readAll("\ufeff"+`{"id": "q2", "variant": 1, "answer": null, "extra": {"a": [1, {"b": "}"}]}}`+"\r\n"+
		`{"id": "q1", "variant": 0, "answer": "The P\u0061ris.", "gold": ["Paris", "paris", "Lyon"], "tags": ["geo", "x"]}`+
		"\n\n"+
		`  {"variant":2,"answer":"\ud83d\ude00","id":"q1","gold":["lyon","PARIS"],"tags":["geo"],"retrieved":["d7","d\u0031"]}  `+"\n"+
		`{"id":"q1","variant":1,"answer":"","gold":null}`+"\n"+
		`{"id":"q2","variant":0,"answer":null,"declined":true,"gold_declined":true,"unknown":-1.5e3}`+"\n"+
		`{"id":"q2","variant":7,"answer":"a","answer":"b"}`+"\n"+
		`{"id":"q2","variant":8,"answer":"so be it","ungradable":true}`+"\n"+
		`{"id":"q2","variant":9,"answer":null,"ungradable":true}`, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Cases) != 2 || table.Rows != 8 || table.Skipped != 0 {
		t.Fatalf("%+v", table)
	}
	q1, q2 := table.Cases[0], table.Cases[1]
	if q1.ID != "q1" || !slices.Equal(q1.Gold, []answer.Form{answer.Value("lyon"), answer.Value("paris")}) ||
		!reflect.DeepEqual(q1.Tags, []string{"geo", "x"}) || q1.Scored() != 3 || q1.Unscored != 0 {
		t.Errorf("%+v", q1)
	}
	if want := []answer.Form{answer.Value("paris"), answer.Value("😀"), answer.Empty}; !slices.Equal(q1.classes, want) {
		t.Errorf("classes %v, want %v", q1.classes, want)
	}
	if want := [][]string{nil, {"d7", "d1"}, nil}; !reflect.DeepEqual(q1.retrieved, want) {
		t.Errorf("retrieved %v, want %v", q1.retrieved, want)
	}
	if !q2.GoldDeclined || q2.Scored() != 2 || q2.Unscored != 2 || q2.Ungradable() != 1 ||
		!slices.Equal(q2.classes, []answer.Form{answer.RightAct, answer.Value("b")}) {
		t.Errorf("%+v", q2)
	}
}

func TestReadRowsErrors(t *testing.T) {
	const good = `{"id": "q1", "variant": 0, "answer": "a", "gold": "g"}` + "\n"
	for _, tt := range []struct{ line, want string }{
		{`{"id": "q1"`, "not JSON at byte"},
		{`{"id": "q1", "variant": 1, "answer": "x", "ungradable": 1}`,
			"ungradable is the number 1: it must be true or false"},
		{`{"id": "q1", "variant": 1, "answer": "x", "ungradable": true, "declined": true}`,
			"declined and ungradable are both true"},
		{`{"id": "q1",}`, "not JSON at byte"},
		{`[1]`, "not a JSON object"},
		{`null`, "not a JSON object"},
		{`{"id": "q1", "variant": 1, "answer": "x"} x`, "not JSON at byte"},
		{`{"id": "q1", "variant": 1, "answer": "x` + "\x01" + `"}`, "not JSON at byte"},
		{`{"variant": 1, "answer": "x"}`, `"id" is missing`},
		{`{"id": "q1", "answer": "x"}`, `"variant" is missing`},
		{`{"id": "q1", "variant": 1}`, `"answer" is missing`},
		{`{"id": "q1", "variant": 1, "Answer": "x"}`, `"answer" is missing`},
		{`{"id": 7, "variant": 1, "answer": "x"}`, "id is the number 7: it must be a string in quotes"},
		{`{"id": "", "variant": 1, "answer": "x"}`, "id is empty"},
		{`{"id": "q1", "variant": "1", "answer": "x"}`, `variant is the string "1": it must be an integer`},
		{`{"id": "q1", "variant": 1.0, "answer": "x"}`, "variant is the number 1.0"},
		{`{"id": "q1", "variant": -1, "answer": "x"}`, "variant is the number -1"},
		{`{"id": "q1", "variant": 99999999999999999999, "answer": "x"}`, "variant is the number"},
		{`{"id": "q1", "variant": 1, "answer": 42}`, "answer is the number 42: it must be a string in quotes, or null"},
		{`{"id": "q1", "variant": 1, "answer": {"text": "x"}}`, "answer is an object"},
		{`{"id": "q1", "variant": 1, "answer": "x", "gold": 42}`, "gold is the number 42"},
		{`{"id": "q1", "variant": 1, "answer": "x", "gold": [42]}`, "gold is the list [42]: it must be a list of strings"},
		{`{"id": "q1", "variant": 1, "answer": "x", "gold": [null]}`, "gold holds null"},
		{`{"id": "q1", "variant": 1, "answer": "x", "declined": 1}`, "declined is the number 1: it must be true or false"},
		{`{"id": "q1", "variant": 1, "answer": "x", "tags": "geo"}`, "tags is the string"},
		{`{"id": "q1", "variant": 0, "answer": "x"}`, `id "q1" has variant 0 twice`},
		{`{"id": "q1", "variant": 1, "answer": "x", "gold": "h"}`, `the gold of id "q1" differs`},
		{`{"id": "q1", "variant": 1, "answer": "x", "gold": ["g", "h"]}`, `the gold of id "q1" differs`},
		{`{"id": "q1", "variant": 1, "answer": "x", "gold": "g", "gold_declined": true}`, `the gold of id "q1" differs`},
	} {
		text := good + "\n" + tt.line + "\n" + `{"id": "q1", "variant": 2, "answer": "b"}`
		_, err := readAll(text, ReadOptions{})
		var bad *jsonl.Fault
		if err == nil || !strings.HasPrefix(err.Error(), "a.jsonl:3: "+tt.want) || !errors.As(err, &bad) || bad.Line != 3 ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\n  gives  %v\n  want   a.jsonl:3: %s", tt.line, err, tt.want)
		}
		table, err := readAll(text, ReadOptions{SkipBad: true})
		if err != nil || table.Skipped != 1 || table.Rows != 2 || len(table.Reasons) != 1 ||
			!strings.HasPrefix(table.Reasons[0], "a.jsonl:3: ") {
			t.Errorf("%s skipped gives %+v, %v", tt.line, table, err)
		}
	}
	if _, err := readAll(" \n\n", ReadOptions{}); err == nil || !strings.HasPrefix(err.Error(), "a.jsonl: no rows") {
		t.Errorf("an empty file gives %v", err)
	}
	_, err := readAll(`{"id": "q1", "variant": 0, "answer": "4", "gold": "four"}`, ReadOptions{Equal: answer.Numeric})
	if err == nil || !strings.Contains(err.Error(), "cannot be read under --equal numeric") {
		t.Errorf("a gold without a number gives %v", err)
	}
	broken := errors.New("disk on fire")
	if _, err := ReadRows([]Input{{Name: "b", Reader: io.MultiReader(strings.NewReader(good), iotest.ErrReader(broken))}},
		ReadOptions{Equal: answer.Exact}); !errors.Is(err, broken) {
		t.Errorf("a failing reader gives %v", err)
	}
}

// Line numbers and rows are right across chunks, whatever sizes the reader returns, and the first bad line is the one
// reported.
func TestReadRowsChunks(t *testing.T) {
	var b strings.Builder
	const lines = 30_000 // about 3 MB: several chunks
	for i := range lines {
		if i == 21_000 || i == 25_000 {
			b.WriteString("{broken\n")
			continue
		}
		fmt.Fprintf(&b, "{\"id\": \"q%d\", \"variant\": %d, \"answer\": \"a rather long answer to fill the chunks "+
			"quickly, number %d\"}\n", i/10, i%10, i%3)
	}
	for _, r := range []io.Reader{strings.NewReader(b.String()), iotest.HalfReader(strings.NewReader(b.String())),
		iotest.DataErrReader(strings.NewReader(b.String()))} {
		if _, err := ReadRows([]Input{{Name: "f", Reader: r}}, ReadOptions{Equal: answer.Exact}); err == nil ||
			!strings.HasPrefix(err.Error(), "f:21001: not JSON") {
			t.Errorf("got %v, want line 21001", err)
		}
	}
	table, err := readAll(b.String(), ReadOptions{SkipBad: true})
	if err != nil || table.Rows != lines-2 || table.Skipped != 2 || len(table.Cases) != lines/10 ||
		table.Cases[0].Scored() != 10 {
		t.Errorf("%v, %v", table.Rows, err)
	}
}

func TestLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 64 MB")
	}
	long := io.MultiReader(strings.NewReader("{\"id\": \"q\", \"variant\": 0, \"answer\": \"x\"}\n{\"id\": \""),
		io.LimitReader(endless{}, maxLineBytes))
	if _, err := ReadRows([]Input{{Name: "f", Reader: long}}, ReadOptions{Equal: answer.Exact}); err == nil ||
		!strings.HasPrefix(err.Error(), "f:2: the line is longer than 64 MB") {
		t.Errorf("got %v", err)
	}
	row := `{"id": "q", "variant": 0, "answer": "` + strings.Repeat("x", 3<<20) + `"}`
	if table, err := readAll(row, ReadOptions{}); err != nil || table.Rows != 1 {
		t.Errorf("a line of 3 MB: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// Thousands of variants with answers of their own stay fast: classes are then found by a map.
func TestManyVariants(t *testing.T) {
	var b strings.Builder
	for v := range 20_000 {
		fmt.Fprintf(&b, "{\"id\": \"q\", \"variant\": %d, \"answer\": \"%d\"}\n", v*7, v)
	}
	table, err := readAll(b.String(), ReadOptions{})
	if err != nil || len(table.Cases) != 1 || len(table.Cases[0].classes) != 20_000 {
		t.Fatalf("%v", err)
	}
	if err := table.Cases[0].Add(19_999*7, Answer{}); err == nil {
		t.Error("a high variant twice is taken")
	}
}

// What the fast scanner accepts, encoding/json splits the same way.
func checkScan(t interface{ Fatalf(string, ...any) }, line []byte) {
	var fast, slow fields
	if !jsonl.Split(line, fast.at) {
		return
	}
	if err := decodeFields(line, &slow); err != nil {
		t.Fatalf("%q: the scanner takes what encoding/json refuses: %v", line, err)
	}
	if !reflect.DeepEqual(fast, slow) {
		t.Fatalf("%q:\nfast %q\nslow %q", line, fast, slow)
	}
}

func TestScanProperties(t *testing.T) {
	piece := rapid.SampledFrom([]string{"{", "}", "[", "]", `"`, `"id"`, `"answer"`, `"gold"`, ":", ",", " ", "\t", "1",
		"-", "0", "01", "1.5e-3", "true", "nul", "null", `\`, `\"`, `\u00e9`, `\ud83d`, "\xff", "é", "\x01", `"x"`,
		`"variant": 3`, `"i\u0064"`})
	rapid.Check(t, func(t *rapid.T) {
		checkScan(t, []byte("{"+strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")+"}"))
	})
}

func FuzzRow(f *testing.F) {
	for _, s := range []string{
		`{"id": "q1", "variant": 0, "answer": "Paris", "gold": "Paris", "tags": ["geo"], "retrieved": ["d7"]}`,
		`{"id":"q","variant":-0,"answer":null,"x":{"y":[1,2,{"z":"]"}]}}`, `{}`, `{"id":"\ud83d\ude00","id":"2"}`,
		`{"a":01}`, `{"a":1e5}`, `{"a":"\x"}`, `{"i\u0064":"1"}`, "{\"id\":\"\xff\"}", `{"a":[}]}`,
		`{"id":"q","variant":1,"answer":"","declined":true,"gold_declined":false}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		checkScan(t, line)
		p := parser{equal: answer.Normalized}
		rows := p.parse(1, line, nil)
		for _, r := range rows {
			if r.err != nil && (r.err.Error() == "" || strings.Contains(r.err.Error(), "\n")) {
				t.Errorf("%q: error %q", line, r.err)
			}
			if r.err == nil && (r.id == "" || r.variant < 0) {
				t.Errorf("%q: %+v", line, r)
			}
		}
	})
}

// Cases are of one cluster by its name, or by the question that all their rows have; names and questions are told
// apart.
func TestReadClusters(t *testing.T) {
	rows := func(id, more string) string {
		return fmt.Sprintf(`{"id": %q, "variant": 0, "answer": "x"%s}`+"\n"+`{"id": %q, "variant": 1, "answer": "y"}`+"\n",
			id, more, id)
	}
	text := rows("a", `, "cluster": "who"`) + rows("b", `, "cluster": "who", "question": "Else?"`) + rows("c",
		`, "question": " who"`) + rows("d", `, "question": "who"`) +
		rows("e", "") + rows("f", `, "question": 7, "cluster": null`) + rows("g", `, "question": "who"`) +
		`{"id": "g", "variant": 2, "answer": "z", "question": "whom"}` + "\n" +
		rows("h", `, "question": "Else?"`)
	table, err := readAll(text, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var of []int32
	for _, c := range table.Cases {
		of = append(of, c.Cluster)
	}
	if want := []int32{1, 1, 2, 2, 0, 0, 0, 3}; !slices.Equal(of, want) {
		t.Errorf("clusters %v, want %v", of, want)
	}
	res, err := Analyze(table.Cases, DefaultOptions())
	if err != nil || res.Clusters != 6 || !strings.Contains(strings.Join(res.Warnings, "\n"),
		"the 8 questions are 6 clusters") {
		t.Errorf("%d clusters, %q, %v", res.Clusters, res.Warnings, err)
	}
	for more, want := range map[string]string{`, "cluster": "whom"`: `the cluster of id "a" differs`,
		`, "cluster": 7`: "cluster is the number 7", `, "cluster": ""`: "must be a name in quotes"} {
		_, err := readAll(text+`{"id": "a", "variant": 5, "answer": "x"`+more+"}\n", ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", more, err)
		}
	}
}

// Rows of 60 questions that are asked five times each, or that are named so, and fare the same each time: intervals of
// what is read hold the truth where the rows say what they are of, and far less often where they do not.
func TestRowsOfClustersCover(t *testing.T) {
	const truth = .3
	runs := archtest.Draws(20, 150, 150)
	r := seed.Stream(8, "rows")
	held := map[string]int{}
	for range runs {
		rows := map[string]*strings.Builder{`, "question": "q%[1]d"`: {}, `, "cluster": "q%[1]d"`: {}, "": {}}
		for q := range 60 {
			other := "x"
			if r.Float64() < truth {
				other = "y"
			}
			for k := range 5 {
				for more, text := range rows {
					fmt.Fprintf(text, `{"id": "%[1]d-%[2]d", "variant": 0, "answer": "x"`+more+"}\n"+
						`{"id": "%[1]d-%[2]d", "variant": 1, "answer": %[3]q}`+"\n", q, k, other)
				}
			}
		}
		for more, text := range rows {
			table, err := readAll(text.String(), ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			res, err := Analyze(table.Cases, DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			if a := res.Ambiguity; a.Lo <= truth && truth <= a.Hi {
				held[more]++
			}
		}
	}
	t.Log(held)
	for more, n := range held {
		if share, by := float64(n)/float64(runs), more != ""; by && share < archtest.Least(.95, runs) || !by && share > .75 {
			t.Errorf("%q: %d of %d", more, n, runs)
		}
	}
}

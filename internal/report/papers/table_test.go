package papers

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"hallmark/internal/stat"
)

const hostile = "=cmd|' /C calc'!A0 <script>\u202e"

// example has two models on so many benchmarks, of which the second model lacks the last.
func example(benchmarks int) *Table {
	t := &Table{Name: "example", Title: "A <b>title</b>", Source: "a paper", Heads: Kinds[0].Heads, Figures: []Figure{
		{Key: "accuracy", Label: "Accuracy (%)", Write: Percent, SD: true, Bounds: true},
		{Key: "ambiguity", Label: "Ambiguity (%)", Write: Percent},
		{Key: "n", Label: "n", Write: Whole, Hidden: true}}, Notes: []string{"a note"}}
	for m, name := range []string{short(hostile), "m2"} {
		for b := range benchmarks - m {
			t.Records = append(t.Records, Record{[]string{name, fmt.Sprint("benchmark ", b+1), "s", "options", "no", "r"},
				[]Value{{Estimate: stat.Estimate{Value: .3934, Lo: .3, Hi: .5}, SD: .0075, Has: true,
					Bounded: true, Spread: true},
					value(.1714), value(100)}})
		}
	}
	return t
}

// Where all benchmarks have no room side by side, they stand beneath each other, each once, with every model.
func TestTextParts(t *testing.T) {
	for n, parts := range map[int]int{2: 1, 3: 2, 9: 5} {
		var b bytes.Buffer
		if err := example(n).Text(&b); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if got := strings.Count(out, "Accuracy (%)"); got != n {
			t.Errorf("%d benchmarks: heads stand %d times:\n%s", n, got, out)
		}
		if got := strings.Count(out, "\nm2"); got != parts {
			t.Errorf("%d benchmarks: a model stands in %d parts, want %d:\n%s", n, got, parts, out)
		}
		if got := strings.Count(out, "39.34 ± 0.75"); got != 2*n-1 {
			t.Errorf("%d benchmarks: %d cells, want %d", n, got, 2*n-1)
		}
		for line := range strings.Lines(out) {
			if len([]rune(line)) > lineWidth+1 {
				t.Errorf("a line of %d: %s", len(line), line)
			}
		}
		if strings.ContainsRune(out, '\u202e') {
			t.Error("a name turns the line around")
		}
	}
}

// Programs read a row a record, with numbers in full and without formulas.
func TestRecords(t *testing.T) {
	var b bytes.Buffer
	if err := example(2).CSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if got, want := strings.Join(rows[0], ","),
		"model,benchmark,suite,variation,retrieval,run,accuracy,accuracy_sd,accuracy_lo,accuracy_hi,ambiguity,n"; got != want {
		t.Errorf("heads %s, want %s", got, want)
	}
	if got, want := strings.Join(rows[3][6:], ","), "0.3934,0.0075,0.3,0.5,0.1714,100"; got != want {
		t.Errorf("row %s, want %s", got, want)
	}
	if strings.HasPrefix(rows[1][0], "=") {
		t.Errorf("a name is a formula: %s", rows[1][0])
	}
	b.Reset()
	if err := example(2).JSON(&b); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Rows []map[string]any `json:"rows"`
	}
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Rows) != 3 || d.Rows[2]["accuracy_sd"] != .0075 || d.Rows[2]["model"] != "m2" {
		t.Errorf("document %+v", d)
	}
}

// Every drawing is XML whose texts are texts, and holds every figure.
func TestDrawings(t *testing.T) {
	taxonomy := &Table{Title: "t", Source: "s", Heads: Kinds[1].Heads, Figures: make([]Figure, 5)}
	flow := &Table{Title: "t", Source: "s", Figures: []Figure{{Label: "PAF", Group: "with retrieval"},
		{Label: "PAE", Group: "with retrieval"}, {Label: "before"}, {Label: "after"}}}
	for _, model := range []string{short(hostile), "m2"} {
		taxonomy.Records = append(taxonomy.Records, Record{[]string{model, "b"},
			[]Value{value(.7), value(.3), value(.5), value(.25), value(.25)}})
		flow.Records = append(flow.Records, Record{[]string{model, "b", "PAF"}, []Value{value(.5), value(0), value(.5),
			value(.75)}},
			Record{[]string{model, "b", "PAE"}, []Value{value(.25), value(.25), value(.5), value(.25)}})
	}
	for name, x := range map[string]struct {
		svg  []byte
		want map[string]int
	}{
		"table":    {example(3).SVG(), map[string]int{"39.34 ± 0.75": 5, "A <b>title</b>": 1, "benchmark 3": 1, "–": 2}},
		"taxonomy": {drawTerms(taxonomy), map[string]int{"m2, our framework: 25.0%": 2, "m2, existing evaluation: 70.0%": 1}},
		"flow":     {drawFlows(flow), map[string]int{"PAE to PAF: 25.0%": 2, "PAF 75.0%": 2, "m2 on b": 1}},
	} {
		texts, names := map[string]int{}, map[string]int{}
		for d := xml.NewDecoder(bytes.NewReader(x.svg)); ; {
			tok, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch tok := tok.(type) {
			case xml.CharData:
				texts[string(tok)]++
			case xml.StartElement:
				names[tok.Name.Local]++
			}
		}
		for text, n := range x.want {
			if texts[text] != n {
				t.Errorf("%s: %q stands %d times, want %d in %v", name, text, texts[text], n, texts)
			}
		}
		if names["script"] > 0 || names["b"] > 0 || bytes.ContainsRune(x.svg, '\u202e') {
			t.Errorf("%s: a text comes alive: %v", name, names)
		}
	}
}

// A p is written as the paper writes it, and never as 0.
func TestP(t *testing.T) {
	for x, want := range map[float64]string{.00003: ".00003", 1: "1.00000", .89993: ".89993", 1e-9: "<.00001"} {
		if got := P(x); got != want {
			t.Errorf("%g is written %s, want %s", x, got, want)
		}
	}
}

// A table is found by its name, and a name that is none is told with the near one.
func TestFind(t *testing.T) {
	for _, k := range Kinds {
		if x, err := Find(k.Name); err != nil || x.Name != k.Name {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	if _, err := Find("taxonmy"); err == nil || err.Error() != `--table "taxonmy" is none: did you mean "taxonomy"?` {
		t.Errorf("error %v", err)
	}
}

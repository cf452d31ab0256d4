package suite

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Hashes of suites without aliases, match and golds of keys, as the release before these fields gave them: the ids of runs stay.
func TestHashesStay(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"s.yaml", full, "4d5a10e22f8c4e8932664e96f4bffe25aaf69a8bfd6f88cf2fd4be2094373998"},
		{"a.csv", "question,choices,gold,tags,context\nWho?,Ann|Bob,B,\"x, y\",Ann is here.\nWhen?,,1969,,\n", "79f44139942d2c8287d06a749caeed161529698decbabd93973c68ae6f9c4885"},
		{"a.jsonl", `{"suite":{"name":"n","as_of":"2026-11-01"}}` + "\n" + `{"id":"a","prompt":"p","gold":["x","y"],"oracle":{"type":"exact","reject":["z"]}}`,
			"6da27d9b9579ddd2c4d47690e0d583d679689261b2e67ccf53f3dd75577f7004"},
	} {
		s, err := Parse(tt.name, []byte(tt.text))
		if err != nil || s.Hash() != Hash("sha256:"+tt.want) {
			t.Errorf("%s: hash %s, %v", tt.name, s.Hash(), err)
		}
	}
}

const golds = `suite: {name: golds, match: exact}
cases:
  - {id: a, prompt: Who?, gold: Charles Darwin, aliases: [Darwin, C. Darwin], match: everyday}
  - {id: b, prompt: Who sang?, gold: {all: [Simon, Garfunkel, "007"]}}
  - {id: c, prompt: How much?, gold: {value: 42.50, tolerance: 0.5}}
  - {id: d, prompt: How much?, gold: {value: "-40 km", tolerance: "1 %"}}
  - {id: e, prompt: How much?, gold: {range: [40, 45.5]}}
  - {id: f, prompt: What is pi?, gold: {value: 3.14159, significant: 3}}
  - {id: g, prompt: Which?, options: [New York, Boston], gold: New York, aliases: [NYC]}
  - {id: h, prompt: Which sign?, gold: "%"}
`

func TestGolds(t *testing.T) {
	s, err := Parse("s.yaml", []byte(golds))
	if err != nil {
		t.Fatal(err)
	}
	type read struct {
		Gold      string
		Answers   []string
		Lo, Hi, U string
		Exact     bool
	}
	for i, want := range []read{
		{Gold: "Charles Darwin", Answers: []string{"Charles Darwin"}},
		{Gold: "each of: Simon, Garfunkel, 007", Answers: []string{"Simon, Garfunkel and 007"}, Exact: true},
		{"42.50 ± 0.5", []string{"42.50"}, "42", "43", "", true},
		{"-40 km ± 1 %", []string{"-40 km"}, "-202/5", "-198/5", "km", true},
		{"from 40 to 45.5", []string{"42.75"}, "40", "91/2", "", true},
		{"3.14159 to 3 significant digits", []string{"3.14159"}, "627/200", "629/200", "", true},
		{Gold: "New York", Answers: []string{"New York"}, Exact: true},
		{Gold: "%", Answers: []string{"%"}, Exact: true},
	} {
		c := &s.Cases[i]
		got := read{Gold: c.GoldText(), Answers: c.Answers(), Exact: s.ExactMatch(c)}
		if lo, hi, unit, ok := c.Gold.Interval(); ok {
			got.Lo, got.Hi, got.U = lo.RatString(), hi.RatString(), unit
		}
		if diff := cmp.Diff(want, got); diff != "" || c.Gold.IsZero() {
			t.Errorf("case %s: %s", c.ID, diff)
		}
	}
	if diff := cmp.Diff([]string{"Darwin", "C. Darwin"}, s.Cases[0].Aliases); diff != "" {
		t.Error(diff)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	for i := range s.Cases { // what is stored comes back
		data, err := json.Marshal(s.Cases[i])
		var back Case
		if err != nil || json.Unmarshal(data, &back) != nil || cmp.Diff(s.Cases[i].Gold, back.Gold) != "" {
			t.Errorf("case %s: %v %s", s.Cases[i].ID, err, data)
		}
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"w.yaml": func(b *bytes.Buffer) error { return s.WriteYAML(b) }, "w.jsonl": func(b *bytes.Buffer) error { return s.WriteJSONL(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if back, err := Parse(name, b.Bytes()); err != nil || back.Hash() != s.Hash() {
			t.Errorf("%s: %v\n%s", name, err, b.Bytes())
		}
	}
}

// Each of the new fields is content.
func TestGoldsInHash(t *testing.T) {
	seen := map[Hash]string{}
	for _, text := range []string{
		"", "aliases: [y]", "aliases: [y, z]", "match: exact", "match: everyday", "gold: {all: [x, y]}", "gold: [x, y]", "gold: {range: [1, 2]}", "gold: {range: [1, 2.0]}",
		"gold: {value: 1, tolerance: 1}", "gold: {value: 1, tolerance: 1 %}", "gold: {value: 1, significant: 1}", `gold: "1"`,
	} {
		if !strings.HasPrefix(text, "gold") {
			text = "gold: x, " + text
		}
		s, err := Parse("s.yaml", []byte("cases: [{id: a, prompt: p, "+text+"}]"))
		if err != nil {
			t.Fatal(err)
		}
		if other, twice := seen[s.Hash()]; twice {
			t.Errorf("%s and %s have one hash", text, other)
		}
		seen[s.Hash()] = text
	}
}

// Golds and aliases in a cell of a table.
func TestGoldCells(t *testing.T) {
	s, err := Parse("a.csv", []byte("question,gold,Aliases\nWho?,Ann,A. Lee | Annie\nWhich?,B,b1; b2\nBoth?,\"{\"\"all\"\": [\"\"x\"\", \"\"y\"\"]}\",\nMuch?,\"{\"\"value\"\": 3, \"\"tolerance\"\": 1}\",\nOdd?,\"{\"\"x\"\": 1}\",\n"))
	if err != nil || len(s.Warnings) > 0 {
		t.Fatal(err, s)
	}
	for i, want := range []Case{
		{Gold: Gold{Texts: []string{"Ann"}}, Aliases: []string{"A. Lee", "Annie"}}, {Gold: Gold{Texts: []string{"B"}}, Aliases: []string{"b1", "b2"}},
		{Gold: Gold{All: []string{"x", "y"}}}, {Gold: Gold{Texts: []string{"3"}, Tolerance: "1"}}, {Gold: Gold{Texts: []string{`{"x": 1}`}}},
	} {
		if got := (Case{Gold: s.Cases[i].Gold, Aliases: s.Cases[i].Aliases}); !cmp.Equal(want, got) {
			t.Errorf("row %d: %s", i+1, cmp.Diff(want, got))
		}
	}
}

func TestInterval(t *testing.T) {
	for _, tt := range []struct {
		gold   Gold
		lo, hi string
	}{
		{Gold{Texts: []string{"1,234"}, Tolerance: "4"}, "1230", "1238"},
		{Gold{Texts: []string{"$5"}, Tolerance: "$0.5"}, "9/2", "11/2"},
		{Gold{Texts: []string{"−3/4"}, Tolerance: "0"}, "-3/4", "-3/4"},
		{Gold{Texts: []string{"12 %"}, Tolerance: "2"}, "10", "14"},
		{Gold{Texts: []string{"0.00996"}, Significant: 2}, "199/20000", "201/20000"},
		{Gold{Texts: []string{"9.96"}, Significant: 2}, "199/20", "201/20"},
		{Gold{Texts: []string{"299792458 m/s"}, Significant: 3}, "299500000", "300500000"},
		{Gold{Texts: []string{"-15"}, Significant: 1}, "-25", "-15"},
		{Gold{Range: []string{"-5", "-5"}}, "-5", "-5"},
		{Gold{Range: []string{"1 000 000", "1.5e7"}}, "1000000", "15000000"},
		{Gold{Range: []string{"5", "4"}}, "", ""},
		{Gold{Texts: []string{"5"}}, "", ""},
	} {
		lo, hi, _, ok := tt.gold.Interval()
		if ok != (tt.lo != "") || ok && (lo.RatString() != tt.lo || hi.RatString() != tt.hi) {
			t.Errorf("%v: %v to %v, %v; want %s to %s", tt.gold, lo, hi, ok, tt.lo, tt.hi)
		}
	}
}

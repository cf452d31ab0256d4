package suite

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Hashes of suites without aliases, match and golds of keys, as the release before these fields gave them: the ids of
// runs stay.
func TestHashesStay(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"s.yaml", full, "4d5a10e22f8c4e8932664e96f4bffe25aaf69a8bfd6f88cf2fd4be2094373998"},
		{"a.csv", "question,choices,gold,tags,context\nWho?,Ann|Bob,B,\"x, y\",Ann is here.\nWhen?,,1969,,\n",
			"79f44139942d2c8287d06a749caeed161529698decbabd93973c68ae6f9c4885"},
		{"a.jsonl", `{"suite":{"name":"n","as_of":"2026-11-01"}}` + "\n" +
			`{"id":"a","prompt":"p","gold":["x","y"],"oracle":{"type":"exact","reject":["z"]}}`,
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
		c := s.Cases.At(i)
		got := read{Gold: c.GoldText(), Answers: c.Answers(), Exact: s.ExactMatch(c)}
		if lo, hi, unit, ok := c.Gold.Interval(); ok {
			got.Lo, got.Hi, got.U = lo.RatString(), hi.RatString(), unit
		}
		if diff := cmp.Diff(want, got); diff != "" || c.Gold.IsZero() {
			t.Errorf("case %s: %s", c.ID, diff)
		}
	}
	if diff := cmp.Diff([]string{"Darwin", "C. Darwin"}, s.Cases.At(0).Aliases); diff != "" {
		t.Error(diff)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	for i := range s.Cases.Len() { // what is stored comes back
		data, err := json.Marshal(*s.Cases.At(i))
		var back Case
		if err != nil || json.Unmarshal(data, &back) != nil || cmp.Diff(s.Cases.At(i).Gold, back.Gold) != "" {
			t.Errorf("case %s: %v %s", s.Cases.At(i).ID, err, data)
		}
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"w.yaml": func(b *bytes.Buffer) error { return s.WriteYAML(b) }, "w.jsonl": func(b *bytes.Buffer) error {
			return s.WriteJSONL(b)
		},
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
		"", "aliases: [y]", "aliases: [y, z]", "match: exact", "match: everyday", "gold: {all: [x, y]}", "gold: [x, y]",
		"gold: {range: [1, 2]}", "gold: {range: [1, 2.0]}",
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
	s, err := Parse("a.csv", []byte("question,gold,Aliases\nWho?,Ann,A. Lee | Annie\nWhich?,B,b1; b2\n"+
		"Both?,\"{\"\"all\"\": [\"\"x\"\", \"\"y\"\"]}\",\nMuch?,\"{\"\"value\"\": 3, \"\"tolerance\"\": 1}\",\n"+
		"Odd?,\"{\"\"x\"\": 1}\",\n"))
	if err != nil || len(s.Warnings) > 0 {
		t.Fatal(err, s)
	}
	for i, want := range []Case{
		{Gold: Gold{Texts: []string{"Ann"}}, Aliases: []string{"A. Lee", "Annie"}},
		{Gold: Gold{Texts: []string{"B"}}, Aliases: []string{"b1", "b2"}},
		{Gold: Gold{All: []string{"x", "y"}}}, {Gold: Gold{Texts: []string{"3"}, Tolerance: "1"}},
		{Gold: Gold{Texts: []string{`{"x": 1}`}}},
	} {
		if got := (Case{Gold: s.Cases.At(i).Gold, Aliases: s.Cases.At(i).Aliases}); !cmp.Equal(want, got) {
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

// drawnGold draws a gold of one of its forms.
func drawnGold(text *rapid.Generator[string]) *rapid.Generator[Gold] {
	return rapid.Custom(func(t *rapid.T) Gold {
		texts := func(least int) []string { return rapid.SliceOfNDistinct(text, least, 3, rapid.ID).Draw(t, "texts") }
		number := rapid.SampledFrom([]string{"1", "0.50", "-3e2", "1/3"}).Draw(t, "number")
		switch rapid.IntRange(0, 4).Draw(t, "form") {
		case 0:
			return Gold{All: texts(2)}
		case 1:
			return Gold{Texts: []string{number}, Tolerance: rapid.SampledFrom([]string{"0.10", "5 %"}).Draw(t, "tolerance")}
		case 2:
			return Gold{Texts: []string{number}, Significant: rapid.IntRange(1, 9).Draw(t, "digits")}
		case 3:
			return Gold{Range: []string{number, "7.0"}}
		}
		return Gold{Texts: texts(1)}
	})
}

// Faults of golds, aliases, match and columns, each with what would be right.
func TestGoldFaults(t *testing.T) {
	long := strings.Repeat("x", maxGold+1)
	for key, want := range map[string]string{
		`gold: "  "`:                                     `gold is blank; write the answer, or leave it out`,
		`gold: "?!…"`:                                    `gold "?!…" is only punctuation; write the answer, leave it out where there is none, or set match: exact`,
		`gold: [a, "-"]`:                                 `gold "-" is only punctuation`,
		`gold: {all: [a, "."]}`:                          `gold "." is only punctuation`,
		"gold: " + long:                                  `gold is 2001 characters long, at most 2000 are read`,
		`gold: a, aliases: ["` + long + `"]`:             `alias is 2001 characters long`,
		`gold: a, aliases: [b, " "]`:                     `alias is blank`,
		`gold: a, aliases: b`:                            `aliases must be a list, not a value`,
		`aliases: [b]`:                                   `aliases are other names of the gold, and the case has none`,
		`decline: true, aliases: [b]`:                    `aliases are other names of the gold, and the case has none`,
		`gold: {all: [a, b]}, aliases: [c]`:              `aliases are other names of one gold, and each of several must be named here`,
		`gold: {range: [1, 2]}, aliases: [c]`:            `aliases are other names of a gold, and this one is a number, from 1 to 2`,
		`gold: a, match: exactly`:                        `unknown match "exactly"; there are exact`,
		`gold: a, Match: exact`:                          `unknown key "Match" in case; did you mean "match"?`,
		`answr: a`:                                       `unknown key "answr" in case; did you mean "answer"?`,
		`gold: {all: [a]}`:                               `gold.all lists "a" alone; write gold: a`,
		`gold: {all: []}`:                                `gold.all is an empty list`,
		`gold: {all: a}`:                                 `gold.all must be a list, not a value`,
		`gold: {all: [a, a]}`:                            `gold.all lists "a" twice`,
		`gold: {all: [a, [b]]}`:                          `gold.all lists a list`,
		`gold: {all: [a, b], range: [1, 2]}`:             `gold has all beside range; gold must be`,
		`gold: {}`:                                       `gold must be a text`,
		`gold: {value: 3}`:                               `gold.value stands alone; write gold: 3`,
		`gold: {tolerance: 3}`:                           `gold.tolerance has no value beside it`,
		`gold: {value: [1], tolerance: 3}`:               `gold.value must be a value, not a list`,
		`gold: {value: null, tolerance: 3}`:              `gold.value has no value`,
		`gold: {value: 3, tolerence: 1}`:                 `gold must be a text, a list of texts any of which is right, {option: N}, {all: […]}, {value: V, tolerance: T}, {value: V, significant: N} or {range: [LOW, HIGH]}; it has a key "tolerence", did you mean "tolerance"?`,
		`gold: {value: Paris, tolerance: 1}`:             `gold.value "Paris" is no number, so it takes no tolerance; write gold: Paris`,
		`gold: {value: 2026-11-20, tolerance: 1}`:        `gold.value "2026-11-20" is no number`,
		`gold: {value: 10-15, significant: 1}`:           `gold.value "10-15" is no number, so it takes no significant digits`,
		`gold: {value: 3, tolerance: small}`:             `gold.tolerance "small" is no number; want one as 0.5`,
		`gold: {value: 3, tolerance: -1}`:                `gold.tolerance "-1" is below 0; write how far`,
		`gold: {value: 3, tolerance: -1 %}`:              `gold.tolerance "-1 %" is below 0`,
		`gold: {value: 3 km, tolerance: 1 m}`:            `gold.tolerance "1 m" has another unit than the value "3 km"`,
		`gold: {value: 3 %, tolerance: 1 %}`:             `gold.tolerance "1 %" of a gold in percent may be points or a share; write points without the sign`,
		`gold: {value: 0, tolerance: 1 %}`:               `gold.tolerance "1 %" of the value 0 is 0`,
		`gold: {value: 3, tolerance: 1, significant: 2}`: `gold has a tolerance and significant digits; keep one`,
		`gold: {value: 3, significant: 0}`:               `gold.significant is 0; want a number of digits from 1`,
		`gold: {value: 3, significant: 31}`:              `gold.significant is 31; want a number of digits from 1 to 30`,
		`gold: {value: 0, significant: 3}`:               `gold.value is 0, which has no significant digits`,
		`gold: {range: [45, 40]}`:                        `gold.range [45, 40] has its ends exchanged; write [40, 45]`,
		`gold: {range: [40]}`:                            `gold.range must be a list of two numbers`,
		`gold: {range: 40-45}`:                           `gold.range must be a list of two numbers`,
		`gold: {range: [few, 45]}`:                       `gold.range ends in "few", which is no number`,
		`gold: {range: [40 m, 45 km]}`:                   `gold.range [40 m, 45 km] has two units; write both ends in one`,
		`options: [a, b], gold: {all: [a, b]}`:           `gold is each of: a, b, but a choice has one option as its gold`,
		`options: [1, 2], gold: {range: [1, 2]}`:         `gold is from 1 to 2, but a choice has one option as its gold`,
		`options: [a, b], gold: a, aliases: [B]`:         `alias "B" is option 1, which is wrong`,
		`answer_type: numeric, gold: {all: [1, b]}`:      `gold "b" is no number, which answer_type numeric asks for`,
		`gold: {value: 3, tolerance: 1}, oracle: {type: numeric, tolerance: 2}`:                       `oracle.tolerance "2" beside a gold that has bounds of its own, 3 ± 1; keep one`,
		`gold: {all: [a, b]}, oracle: {type: exact, reject: [b]}`:                                     `"b" is both accepted and rejected`,
		`gold: a, aliases: [B  c], oracle: {type: exact, reject: [b C]}`:                              `alias "B  c" is among the oracle's rejected answers as "b C"; drop it from one of the two`,
		`gold: a, aliases: [b], oracle: {type: any, of: [{type: judge}, {type: exact, reject: [b]}]}`: `alias "b" is among the oracle's rejected answers`,
	} {
		_, err := Parse("f.yaml", []byte("suite: {name: n}\ncases:\n- {id: a, prompt: p, "+key+"}\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "f.yaml:3: "+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80s:\n got %v\nwant f.yaml:3: %s", key, err, want)
		}
	}
	if _, err := Parse("f.yaml", []byte("suite:\n  name: n\n  match: fuzzy\ncases: []")); err == nil ||
		!strings.HasPrefix(err.Error(), `f.yaml:3: unknown match "fuzzy"; there are exact `) {
		t.Error(err)
	}
}

// An alias that another case holds to be wrong, or another answer, is refused at its line; what is no contradiction is
// read.
func TestAliasesOfOthers(t *testing.T) {
	const head = "cases:\n- id: a\n  prompt: Capital of  France?\n  gold: Paris\n  aliases: [Lutetia]\n- "
	for other, want := range map[string]string{
		"{id: b, prompt: capital of france?, oracle: {type: exact, accept: [x], reject: [lutetia]}}": `alias "Lutetia" is rejected by the case at f.yaml:6, which has the same question`,
		"{id: b, prompt: q, gold: Paris, oracle: {type: exact, reject: [Lutetia]}}":                  `alias "Lutetia" of "Paris" is rejected by the case at f.yaml:6, whose gold is "Paris" too`,
		"{id: b, prompt: Capital of France?, gold: Lutetia}":                                         `alias "Lutetia" is the gold of the case at f.yaml:6, which has the same question and does not take "Paris"; drop the alias, or give both cases one gold`,
		"{id: b, prompt: Capital of France?, gold: Lutetia, aliases: [Paris]}":                       "",
		"{id: b, prompt: Capital of France?, gold: [Lutetia, Paris]}":                                "",
		"{id: b, prompt: Capital of Gaul?, gold: Lutetia}":                                           "",
		"{id: b, prompt: q, gold: Rome, oracle: {type: exact, reject: [Lutetia]}}":                   "",
		"{id: b, prompt: Capital of France?, context: [x], gold: Lutetia}":                           "",
	} {
		s, err := Parse("f.yaml", []byte(head+other+"\n"))
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.HasPrefix(err.Error(), "f.yaml:5: "+want)):
			t.Errorf("%s:\n got %v\nwant %s", other, err, want)
		case err == nil:
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		}
	}
	s := &Suite{Name: "made", Cases: ListOf([]Case{{ID: "a", Prompt: "p", Gold: Gold{Texts: []string{"x"}},
		Aliases: []string{"y"}}, {ID: "b", Prompt: "p", Gold: Gold{Texts: []string{"y"}}}})}
	if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(),
		`case 1 ("a"): alias "y" is the gold of case 2 ("b"), which`) {
		t.Error(err)
	}
	// With match: exact, names that differ in case are two.
	if _, err := Parse("f.yaml", []byte("suite: {match: exact}\ncases: [{id: a, prompt: p, gold: x, aliases: [Y], "+
		"oracle: {type: exact, reject: [y]}}]")); err != nil {
		t.Error(err)
	}
}

// A column that is nearly a name of the gold, or stands twice, is named before anything is asked; a table without a
// gold says what was read.
func TestGoldColumns(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"f.csv", "question,answr\na,b\n",
			`f.csv:1: unknown column "answr", and no column gives the gold; did you mean "answer"?`},
		{"f.csv", "question,Anwser \na,b\n",
			`f.csv:1: unknown column "Anwser", and no column gives the gold; did you mean "answer"?`},
		{"f.csv", "question,output,answers\na,b,c\n",
			`f.csv:1: unknown column "answers", and no column gives the gold; did you mean "gold"?`},
		{"f.csv", "question,Glod\na,b\n",
			`f.csv:1: unknown column "Glod", and no column gives the gold; did you mean "gold"?`},
		{"f.tsv", "question\tgold:\na\tb\n",
			`f.tsv:1: unknown column "gold:", and no column gives the gold; did you mean "gold"?`},
		{"f.csv", "\nquestion,Expected Ouput\na,b\n",
			`f.csv:2: unknown column "Expected Ouput", and no column gives the gold; did you mean "expected_output"?`},
		{"f.jsonl", `{"question":"a","answer":"b"}` + "\n" + `{"question":"c","refrence":"d"}`,
			`f.jsonl:2: unknown column "refrence", and no column gives the gold; did you mean "reference"?`},
		{"f.json", "[{\"question\":\"a\",\n\"traget\":\"b\"}]",
			`f.json:2: unknown column "traget", and no column gives the gold; did you mean "target"?`},
		{"f.csv", "question,gold,Gold \na,b,b\n",
			`f.csv:1: columns "gold" and "Gold" are one but for case and spacing; keep one`},
		{"f.csv", "Question,gold,QUESTION\na,b,c\n",
			`f.csv:1: columns "Question" and "QUESTION" are one but for case and spacing`},
		{"f.jsonl", `{"question":"a","Gold":"b","gold":"c"}`,
			`f.jsonl:1: "Gold" and "gold" are one key but for case and spacing; keep one`},
		{"f.csv", "question,note,note\na,b,b\n", `f.csv:1: column "note" twice; keep one`},
		{"f.csv", "question,gold\na,-\n", `f.csv:2: gold "-" is only punctuation`},
		{"f.csv", "question,gold,aliases\na,b,c|?\n", `f.csv:2: alias "?" is only punctuation`},
		{"f.csv", "\xff\xfeq\x00", `f.csv:1: UTF-16 text, not UTF-8`},
	} {
		if _, err := Parse(tt.name, []byte(tt.text)); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
	for text, want := range map[string]string{
		"ID,Question,model\n1,a,b\n": "a.csv: no gold was found, so no answer can be graded as right or wrong; the " +
			"columns that were read are ID, Question; a gold stands under gold, target, ideal, expected, expected_output, " +
			"reference, answer",
		"question,gold\na,\n":               "the columns that were read are question, gold; a gold",
		"question,Answer,Response\na,b,c\n": `; "Answer" is not taken for it beside "Response", so name it gold if it is`,
	} {
		s, err := Parse("a.csv", []byte(text))
		if err != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), want) {
			t.Errorf("%q: %v, %q", text, err, s.Warnings)
		}
	}
}

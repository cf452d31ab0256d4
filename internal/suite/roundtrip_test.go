package suite

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"hallmark/internal/text/evidence"
)

// Hostile files end in an error, soon and without much memory.
func TestHostileFiles(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'k'; c++ {
		prev := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+prev+", ", 9) + "*" + prev + "]\n"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"bomb.yaml", bomb + "cases: *k\n", "aliases"},
		{"loop.yaml", "cases: &a [*a]\n", ""},
		{"deep.yaml", strings.Repeat("[", 5000) + strings.Repeat("]", 5000), ""},
		{"deep.json", strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "more than 32"},
		{"deep.jsonl", strings.Repeat(`{"a":`, 100000), "more than 32"},
	} {
		_, err := Parse(tt.name, []byte(tt.text))
		if err == nil || !strings.HasPrefix(err.Error(), tt.name+":") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A suite is written in parts, and reads as if it had been written whole.
func TestWriteParts(t *testing.T) {
	for _, n := range []int{0, 1, yamlPart, 2*yamlPart + 1} {
		cases := make([]Case, n)
		for i := range cases {
			cases[i] = Case{ID: fmt.Sprint("c", i), Prompt: "a: b\n- c", Gold: Gold{Texts: []string{"x"}}}
		}
		s := &Suite{Name: "s", Cases: ListOf(cases)}
		whole, err := yaml.Dump(struct {
			Suite *Suite `yaml:"suite"`
			Cases []Case `yaml:"cases"`
		}{s, cases}, yaml.WithV4Defaults(), yaml.WithLineWidth(-1))
		if err != nil {
			t.Fatal(err)
		}
		var parts bytes.Buffer
		if err := s.WriteYAML(&parts); err != nil || parts.String() != SchemaLine+string(whole) {
			t.Errorf("%d cases: %v: written otherwise in parts", n, err)
		}
	}
}

// Switches that reach no case are doubted.
func TestSwitchesOfNothing(t *testing.T) {
	s, err := Parse("s.yaml", []byte("suite: {name: s, by_class: {ood: {format_is_gating: true}, negation: "+
		"{format_is_gating: true}}, by_tag: {rag: {strict_retrieval: true}, mine: {strict_retrieval: true}}}\n"+
		"cases: [{id: a, class: ood, tags: [mine], prompt: p, gold: g}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`s.yaml: by_class sets switches for "negation", and there is no case of the class`,
		`s.yaml: by_tag sets switches for "rag", and there is no case with the tag`}
	if !slices.Equal(s.Warnings, want) {
		t.Errorf("warnings %q, want %q", s.Warnings, want)
	}
}

// What is written reads back as the same content and writes to the same bytes.
func TestRoundTrip(t *testing.T) {
	text := rapid.StringMatching(`(.|[\n\t"'#:é日]){0,10}[a-z0-9.~-]`)
	rapid.Check(t, func(t *rapid.T) {
		s := &Suite{Name: text.Draw(t, "name"), Version: rapid.SampledFrom([]string{"", "1.10", "null", "yes"}).Draw(t,
			"version")}
		var cases []Case
		for i := range rapid.IntRange(1, 3).Draw(t, "cases") {
			c := Case{ID: string(rune('a'+i)) + text.Draw(t, "id"), Prompt: text.Draw(t, "prompt")}
			if rapid.Bool().Draw(t, "choice") {
				c.Options = rapid.SliceOfNDistinct(text, 2, 4, strings.TrimSpace).Draw(t, "options")
				k := rapid.IntRange(0, len(c.Options)-1).Draw(t, "option")
				c.Gold = Gold{Option: &k}
			} else {
				c.Gold = drawnGold(text).Draw(t, "gold")
			}
			if c.Gold.Texts != nil && !c.Gold.isNumber() {
				c.Aliases = rapid.SliceOfN(text, 0, 2).Draw(t, "aliases")
			}
			c.Match = rapid.SampledFrom([]Match{"", Everyday, Exact}).Draw(t, "match")
			c.Context = []evidence.Passage{{ID: "L1", Text: text.Draw(t, "passage")}}
			cases = append(cases, c)
		}
		s.Cases = ListOf(cases)
		if err := s.Check(); err != nil {
			t.Skip(err)
		}
		var once, twice, lines bytes.Buffer
		if err := s.WriteYAML(&once); err != nil {
			t.Fatal(err)
		}
		back, err := Parse("s.yaml", once.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, once.Bytes())
		}
		if back.Hash() != s.Hash() {
			t.Fatalf("content changed: %s\n%s", cmp.Diff(s.Cases.Loose(), back.Cases.Loose()), once.Bytes())
		}
		if err := back.WriteYAML(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Fatalf("bytes changed: %v", err)
		}
		if err := s.WriteJSONL(&lines); err != nil {
			t.Fatal(err)
		}
		if back, err = Parse("s.jsonl", lines.Bytes()); err != nil || back.Hash() != s.Hash() {
			t.Fatalf("JSON Lines: %v\n%s", err, lines.Bytes())
		}
	})
}

func FuzzParse(f *testing.F) {
	endings := []string{".yaml", ".jsonl", ".json", ".csv", ".tsv", ""}
	for kind, text := range []string{
		full, `{"suite":{"name":"n"}}` + "\n" + `{"id":"a","prompt":"p","options":["x","y"],"gold":{"option":1}}`,
		`[{"question":[{"role":"user","content":"q"}],"answer":"a"}]`, "question,answer,choices\na,\"b\nc\",x|y\n",
		"question\tanswer\na\t\"b\"\n", "{}",
	} {
		f.Add(uint8(kind), text)
	}
	f.Add(uint8(0), "cases: &a [*a]")
	f.Add(uint8(0), golds)
	f.Add(uint8(3), "question,gold,aliases\na,\"{\"\"range\"\": [1, 2]}\",\nb,c,d|e\n")
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		s, err := Parse("s"+endings[int(kind)%len(endings)], []byte(text))
		if err != nil {
			return
		}
		if err := s.Check(); err != nil {
			t.Errorf("what was read does not check: %v", err)
		}
		s.Hash()
		for i := range s.Cases.Len() {
			c := s.Cases.At(i)
			if lo, hi, _, ok := c.Gold.Interval(); ok != c.Gold.isNumber() || ok && lo.Cmp(hi) > 0 {
				t.Errorf("gold %v: %v to %v, %v", c.Gold, lo, hi, ok)
			}
			if !c.Gold.IsZero() && (len(c.Answers()) == 0 || c.GoldText() == "") {
				t.Errorf("gold %v has no right answer", c.Gold)
			}
		}
	})
}

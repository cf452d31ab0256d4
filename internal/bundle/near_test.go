package bundle

import (
	"encoding/json"
	"strings"
	"testing"
)

// No figure is near to what is no number, and a table has each column once: else the one that is compared is not the
// one that is read.
func TestNear(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"0.3", "0.30000000000000004", true}, {"0.3", "0.3001", false}, {"inf", "0.3", false},
		{"0.3", "-Infinity", false}, {"1e999", "1", false}, {"NaN", "0.3", false},
		{"9780306406157", "9780306406158", false}, {"9780306406157.1", "9780306406157", true},
	} {
		if got := near(json.Number(tt.a), json.Number(tt.b)); got != tt.want {
			t.Errorf("%s and %s: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	if _, err := readTable([]byte("case_id,outcome,outcome\na,correct,incorrect\n")); err == nil {
		t.Error("a column that is there twice is let pass")
	}
	if _, err := readTable([]byte("case_id,outcome ,outcome\na,correct,incorrect\n")); err == nil {
		t.Error("a column beside another that differs from it in a blank is let pass")
	}
	if x, err := readTable([]byte("case_id,outcome\na,correct\n")); err != nil || x.cell(0, "outcome") != "correct" {
		t.Errorf("%+v, %v", x, err)
	}
}

// TestNamesAreNoSentences has what a stranger could alter where releases may word sentences otherwise: names of models,
// figures of groups whose names are those of sentences, cells that look like numbers.
func TestNamesAreNoSentences(t *testing.T) {
	const model = "exec:python bot.py --model gpt 2 small"
	computed := `{"model": "` + model +
		`", "by_tag": {"warnings": {"rate": 0.5}, "implied": {"rate": 0.5}}, "warnings": ["of the run"], "note": "so many words of one release", ` +
		`"confusion": {"reason": 5}}`
	for name, tt := range map[string]struct{ from, to, want string }{
		"sentences":         {"many words of one", "few words of another", ""},
		"warnings":          {"of the run", "of another", ""},
		"a model's name":    {"gpt 2 small", "gpt 9 large", "model: "},
		"a tag's figures":   {`{"warnings": {"rate": 0.5}`, `{"warnings": {"rate": 0.1}`, "by_tag.warnings.rate: "},
		"another tag's":     {`"implied": {"rate": 0.5}`, `"implied": {"rate": 0.1}`, "by_tag.implied.rate: "},
		"a count":           {`"reason": 5`, `"reason": 4`, "confusion.reason: "},
		"a second name":     {`"by_tag"`, `"Model": "gpt", "by_tag"`, "Model: "},
		"a group in text's": {`"warnings": ["of the run"]`, `"warnings": {"rate": 1}`, "warnings: "},
	} {
		l := likeness{names: map[string]bool{model: true}, skip: []string{"implied"}}
		l.document([]byte(strings.Replace(computed, tt.from, tt.to, 1)), []byte(computed))
		if !strings.HasPrefix(l.fault, tt.want) || tt.want == "" && l.fault != "" {
			t.Errorf("%s: %q", name, l.fault)
		}
	}
	var l likeness
	if l.table([]byte("case_id,answer,sc\na,1.00000000001,0.3\n"), []byte("case_id,answer,sc\na,1,0.3\n")); l.fault == "" {
		t.Error("another answer passes for a figure that is near")
	}
}

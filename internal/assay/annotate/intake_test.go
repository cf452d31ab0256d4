package annotate

import (
	"encoding/json"
	"strings"
	"testing"

	"hallmark/internal/run"
)

func labelOf(l Label) json.RawMessage {
	b, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	return b
}

func TestIntakeIsStrict(t *testing.T) {
	us := many(3, "PPPP")
	a, b := us[0].ID, us[1].ID
	stored := []run.Annotation{{Run: "run", Unit: a, Rater: "ann",
		Label: labelOf(Label{Truth: Pass, Stratum: Audit, Seed: 3})}}
	intake := func(revise bool) *Intake { return &Intake{Run: "run", Items: us, Stored: stored, Revise: revise} }
	for in, want := range map[string]string{
		`{"unit": "zzz", "rater": "a", "truth": "pass"}`: `f:1: run run has no graded answer "zzz"`,
		`{"rater": "a", "truth": "pass"}`:                "f:1: unit is empty",
		`{"unit": "` + b +
			`", "truth": "pass"}`: "f:1: rater is empty",
		`{"unit": "` + b +
			`", "rater": "a\u001b", "truth": "pass"}`: "f:1: rater holds a control character",
		`{"unit": "` + b +
			`", "rater": "a", "truth": "maybe"}`: `f:1: truth "maybe": want pass, fail, n/a`,
		`{"unit": "` + b +
			`", "rater": "a", "truth": 1}`: `f:1: field "truth" is a number; want string`,
		`{"unit": "` + b +
			`", "rater": "a", "truth": "pass", "run": "other"}`: `f:1: the row is of run "other", not of run`,
		`{"unit": "` + b + `", "rater": "a", "truth": "pass", "note": "` + strings.Repeat("x", 20001) +
			`"}`: "f:1: note is longer",
		"\n{\"unit\": \"" + b + `", "rater": "a", "truth": "pass"}` + "\n{\"unit\": \"" + b +
			`", "rater": "a", "truth": "pass"}`: `f:3: rater "a" judges unit "` + b + `" twice, first at f:2`,
		`{"unit": "` + a +
			`", "rater": "ann", "truth": "fail"}`: `f:1: rater "ann" has judged unit "` + a +
			`" before, and otherwise: --revise`,
		"unit,rater,truth\nx,a,pass\n": `f:1: no column "decidability"`,
		"unit,rater,truth,decidability,reciprocity,format,seed\n" + b +
			",a,pass,,,,x\n": `f:2: seed "x" is no whole number`,
		"unit,rater,truth,decidability,reciprocity,format\n" + b + ",a,pass,,,\n" + b +
			",\"b\nb\",pass,,,\n": "f:3: rater holds a control character",
		"":   "f:1: no rows",
		"{}": "f:1: unit is empty",
	} {
		if err := intake(false).Read("f", strings.NewReader(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	in := intake(true)
	if err := in.Read("f", strings.NewReader(`{"unit": "`+a+`", "rater": "ann", "truth": "fail"}`+"\n"+`{"unit": "`+b+
		`", "rater": "ann", "format": "n/a"}`+"\n")); err != nil || in.Revised != 1 || in.Empty != 1 || len(in.New) != 1 {
		t.Fatalf("%v, %+v", err, in)
	}
	var l Label
	if err := json.Unmarshal(in.New[0].Label, &l); err != nil || l.Truth != Fail || l.Stratum != Audit || l.Seed != 3 {
		t.Errorf("a revised label is %+v", l)
	}
	same := intake(false)
	if err := same.Read("f", strings.NewReader(`{"unit": "`+a+`", "rater": "ann", "truth": "PASS"}`)); err != nil ||
		same.Unchanged != 1 || len(same.New) != 0 {
		t.Errorf("%v, %+v", err, same)
	}
}

// FuzzIntake: no sheet crashes the reader, and every fault names its place.
func FuzzIntake(f *testing.F) {
	us := many(2, "PPPP")
	for _, s := range []string{`{"unit": "` + us[0].ID + `", "rater": "a", "truth": "pass"}`,
		"unit,rater,truth,decidability,reciprocity,format\n" + us[0].ID + ",a,fail,,,\n", "", "{", "\ufeff{}", "a;b\n1;2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in := &Intake{Run: "run", Items: us}
		if err := in.Read("f", strings.NewReader(s)); err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		if _, err := Analyze(us, nil, in.New, 1, .95); err != nil {
			t.Fatal(err)
		}
	})
}

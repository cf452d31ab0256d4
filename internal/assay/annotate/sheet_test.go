package annotate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"hallmark/internal/run"
	"hallmark/internal/text/evidence"
)

const hostile = "=HYPERLINK(\"http://x\")\x1b[31m\u202eevil\x00\xff\r\n<script>"

// A sheet goes out and comes back, in both formats, whatever is in it.
func TestRoundTrip(t *testing.T) {
	items := slices.Concat(many(3, "PPPP"), many(2, "FPPn"))
	for i := range items {
		items[i].Answer, items[i].Prompt, items[i].CaseID = hostile, "-1+2", "=c"+fmt.Sprint(i)
		items[i].Context = []evidence.Passage{{ID: "L1", Text: "@sum"}}
	}
	for _, unblind := range []bool{false, true} {
		rows := Rows(items, "=ann", Options{Run: "run", Seed: 7, Unblind: unblind})
		if len(rows) != 5 || rows[0].Unit == items[0].ID && rows[1].Unit == items[1].ID && rows[2].Unit == items[2].ID {
			t.Fatalf("%d rows, in the order of the suite", len(rows))
		}
		for i := range rows {
			rows[i].Truth, rows[i].Decidability, rows[i].Reciprocity, rows[i].Note = "Fail ", "pass", "n/a", "=note"
		}
		var j, c bytes.Buffer
		if err := WriteJSONL(&j, rows); err != nil {
			t.Fatal(err)
		}
		show := func(s string) string { return strings.ToValidUTF8(strings.Map(printable, s), "?") }
		if err := WriteCSV(&c, rows, unblind, show); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string]*bytes.Buffer{"jsonl": &j, "csv": &c} {
			text := b.String()
			for _, r := range strings.TrimPrefix(text, "\ufeff") {
				if r != '\n' && r != '\r' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
					t.Fatalf("%s: contains %U", name, r)
				}
			}
			if seen := strings.Contains(text, "grader"); seen != unblind {
				t.Errorf("%s: the grader's verdict is shown: %v, want %v", name, seen, unblind)
			}
			if !unblind && strings.Contains(text, "\"m\"") {
				t.Errorf("%s: a blinded sheet names the model", name)
			}
			in := &Intake{Run: "run", Items: items, Show: show}
			if err := in.Read(name, b); err != nil {
				t.Fatal(name, err)
			}
			if len(in.New) != 5 || in.Empty != 0 {
				t.Fatalf("%s: %d labels, %d empty", name, len(in.New), in.Empty)
			}
			var l Label
			if err := json.Unmarshal(in.New[0].Label, &l); err != nil || l.Truth != Fail || l.Reciprocity != NotApplicable ||
				l.Note != "=note" || l.Seed != 7 || in.New[0].Rater != "=ann" {
				t.Errorf("%s: %+v by %q, %v", name, l, in.New[0].Rater, err)
			}
		}
	}
	// Lossless in JSONL: but for the byte that is no UTF-8 the answer is what came back.
	var j bytes.Buffer
	if err := WriteJSONL(&j, Rows(items[:1], "a", Options{})); err != nil {
		t.Fatal(err)
	}
	var row Row
	if err := json.Unmarshal(j.Bytes(), &row); err != nil || row.Answer != strings.ToValidUTF8(hostile, "\ufffd") {
		t.Errorf("%q, %v", row.Answer, err)
	}
}

func printable(r rune) rune {
	if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
		return '?'
	}
	return r
}

// A sheet counts where its texts are the run's, however an editor or a spreadsheet wrote them, and not where one is
// another.
func TestAlteredSheet(t *testing.T) {
	us := many(2, "PPPP")
	for i := range us {
		us[i].CaseID, us[i].Prompt, us[i].Answer, us[i].Reference, us[i].Options = "c", "How much?\nIn euros.", "it’s 1.50",
			"1,500.00", []string{"a", "b"}
	}
	for name, tt := range map[string]struct{ sheet, want string }{
		"as exported": {"unit,rater,prompt,reference,answer,truth,decidability,reciprocity,format\nU,a,\"How much?\n" +
			"In euros.\",\"1,500.00\",it’s 1.50,pass,,,\n", ""},
		"by an editor": {"unit,rater,prompt,reference,answer,truth,decidability,reciprocity,format\n" +
			"U,a,How much? In euros.,1500,it's  1.50 ,pass,,,\n", ""},
		"fewer columns": {"unit,rater,truth,decidability,reciprocity,format\nU,a,pass,,,\n", ""},
		"another answer": {"unit,rater,answer,truth,decidability,reciprocity,format\nU,a,it’s 1.60,pass,,,\n",
			"f:2: the column answer is not that of the run"},
		"an empty one": {"unit,rater,answer,truth,decidability,reciprocity,format\nU,a,,pass,,,\n",
			"f:2: the column answer is not that of the run"},
		"another prompt": {`{"unit": "U", "rater": "a", "prompt": "How much? In dollars.", "truth": "pass"}`,
			"f:1: the column prompt is not that of the run"},
		"other options": {`{"unit": "U", "rater": "a", "options": ["a"], "truth": "pass"}`,
			"f:1: the column options is not that of the run"},
		"settled beside": {
			`{"unit": "U", "rater": "a", "truth": "pass"}` + "\n" + `{"unit": "V", "rater": "adjudicator", "truth": "pass"}`,
			"f:2: the sheet has verdicts of the rater adjudicator, which settle what others say, beside those of another",
		},
		"settled": {`{"unit": "U", "rater": "adjudicator", "truth": "pass"}`, ""},
		"settled against all": {
			`{"unit": "W", "rater": "adjudicator", "truth": "pass"}`,
			"f:1: the rater adjudicator settles what others disagree on, and all who judged unit",
		},
		"other others": {`{"unit": "U", "rater": "a", "others": ["forged"], "truth": "pass"}`,
			"f:1: the column others is not that of the run"},
		"a key twice": {`{"unit": "U", "rater": "a", "answer": "forged", "truth": "pass", "answer": "it’s 1.50"}`,
			"f:1: "},
		"another number": {"unit,rater,reference,truth,decidability,reciprocity,format\nU,a,\"15,00.00\",pass,,,\n",
			"f:2: the column reference is not that of the run"},
		"other letters": {"unit,rater,prompt,truth,decidability,reciprocity,format\nU,a,how much? In euros.,pass,,,\n",
			"f:2: the column prompt is not that of the run"},
		"joined words": {"unit,rater,prompt,truth,decidability,reciprocity,format\nU,a,Howmuch? In euros.,pass,,,\n",
			"f:2: the column prompt is not that of the run"},
	} {
		in := &Intake{Run: "run", Items: us, Stored: []run.Annotation{
			{Run: "run", Unit: us[1].ID, Rater: "x", Label: labelOf(Label{Truth: Fail})},
			{Run: "run", Unit: us[1].ID, Rater: "y", Label: labelOf(Label{Truth: Fail})},
		}}
		got := ""
		if err := in.Read("f", strings.NewReader(strings.NewReplacer("U", us[0].ID, "V", us[1].ID, "W",
			us[1].ID).Replace(tt.sheet))); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) || got != "" && tt.want == "" {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestSheetOfSeveral has it noted that a sheet speaks for more than one rater.
func TestSheetOfSeveral(t *testing.T) {
	us := many(2, "PPPP")
	in := &Intake{Run: "run", Items: us}
	for file, raters := range map[string][2]string{"one": {"ann", "ann"}, "two": {"bob", "eve"}} {
		rows := ""
		for i, rater := range raters {
			rows += `{"unit": "` + us[i].ID + `", "rater": "` + rater + `", "truth": "pass"}` + "\n"
		}
		if err := in.Read(file, strings.NewReader(rows)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(in.Shared, []string{"two"}) {
		t.Errorf("%q", in.Shared)
	}
}

package agreement

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// The example of Krippendorff's encyclopedia entry, as computed by fast-krippendorff (README): nominal alpha .691.
func TestAnalyzeReference(t *testing.T) {
	raters := map[string]string{
		"A": "* * * * * 3 4 1 2 1 1 3 3 * 3",
		"B": "1 * 2 1 3 3 4 3 * * * * * * *",
		"C": "* * 2 1 3 4 4 * 2 1 1 3 3 * 4",
	}
	var rows strings.Builder
	for _, rater := range []string{"A", "B", "C"} {
		for unit, label := range strings.Fields(raters[rater]) {
			if label != "*" {
				fmt.Fprintf(&rows, "{\"unit\":\"u%d\",\"rater\":%q,\"label\":%q}\n", unit, rater, label)
			}
		}
	}
	var table Table
	if err := table.Read("rows", strings.NewReader(rows.String())); err != nil {
		t.Fatal(err)
	}
	r := table.Analyze(1, .95)
	if r.Alpha == nil || math.Abs(*r.Alpha-.691) > .0005 {
		t.Errorf("alpha %v, want .691", r.Alpha)
	}
	if r.Raters != 3 || r.Units != 13 || r.N != 12 || r.Unscored != 1 || r.Pairable != 26 || r.Adequate {
		t.Errorf("%+v", r)
	}
	if !(*r.Lo < *r.Alpha && *r.Alpha < *r.Hi) {
		t.Errorf("interval [%v, %v] around %v", *r.Lo, *r.Hi, *r.Alpha)
	}
}

func TestOneLabelHasNoAlpha(t *testing.T) {
	var table Table
	if err := table.Read("rows", strings.NewReader(`{"unit":"u","rater":"a","label":"pass"}`+"\n"+`{"unit":"u","rater":"b","label":"pass"}`)); err != nil {
		t.Fatal(err)
	}
	if r := table.Analyze(1, .95); r.Alpha != nil || len(r.Warnings) == 0 || r.Adequate {
		t.Errorf("%+v", r)
	}
}

func TestFaults(t *testing.T) {
	for text, wrong := range map[string]string{
		`{"unit":"u","rater":"a"}`: "rows:1: want ",
		`{"unit":"u","rater":"a","label":"x"}` + "\n" + `{"unit":"u","rater":"a","label":"x"}`: `rows:2: rater "a" labels unit "u" twice, first at rows:1`,
		`{"unit":1,"rater":"a","label":"x"}`:                                                   `rows:1: field "unit" is a number; want string`,
	} {
		var table Table
		if err := table.Read("rows", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), wrong) {
			t.Errorf("%s: %v, want %s", text, err, wrong)
		}
	}
}

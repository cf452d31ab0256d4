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
	if err := table.Read("rows", strings.NewReader(`{"unit":"u","rater":"a","label":"pass"}`+"\n"+
		`{"unit":"u","rater":"b","label":"pass"}`)); err != nil {
		t.Fatal(err)
	}
	if r := table.Analyze(1, .95); r.Alpha != nil || len(r.Warnings) == 0 || r.Adequate {
		t.Errorf("%+v", r)
	}
}

func TestFaults(t *testing.T) {
	for text, wrong := range map[string]string{
		`{"unit":"u","rater":"a"}`: "rows:1: want ",
		`{"unit":"u","rater":"a","label":"x"}` + "\n" +
			`{"unit":"u","rater":"a","label":"x"}`: `rows:2: rater "a" labels unit "u" twice, first at rows:1`,
		`{"unit":1,"rater":"a","label":"x"}`: `rows:1: field "unit" is a number; want string`,
	} {
		var table Table
		if err := table.Read("rows", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), wrong) {
			t.Errorf("%s: %v, want %s", text, err, wrong)
		}
	}
}

// Rows that name a cluster make bounds by cluster; a unit is in one.
func TestClusters(t *testing.T) {
	read := func(row string) (Table, error) {
		var rows strings.Builder
		for i := range 60 {
			a, b := "pass", "pass"
			if i/5%3 == 0 {
				a, b = "fail", "fail"
			}
			if i/5%4 == 0 {
				b = "fail"
			}
			for rater, label := range map[string]string{"a": a, "b": b} {
				fmt.Fprintf(&rows, row+"\n", fmt.Sprint("u", i), rater, label, fmt.Sprint("q", i/5))
			}
		}
		var table Table
		err := table.Read("rows", strings.NewReader(rows.String()))
		return table, err
	}
	bare, err := read(`{"unit":%q,"rater":%q,"label":%q,"other":%q}`)
	by, err2 := read(`{"unit":%q,"rater":%q,"label":%q,"cluster":%q}`)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	x, y := bare.Analyze(1, .95), by.Analyze(1, .95)
	if *x.Alpha != *y.Alpha || *y.Hi-*y.Lo < 1.5*(*x.Hi-*x.Lo) || x.Clusters != 0 || y.Clusters != 12 || y.N != 60 {
		t.Errorf("%+v [%v, %v], by cluster %+v [%v, %v]", x, *x.Lo, *x.Hi, y, *y.Lo, *y.Hi)
	}
	if !strings.Contains(strings.Join(y.Warnings, "\n"), "the 60 units are 12 clusters") {
		t.Errorf("%q", y.Warnings)
	}
	var table Table
	const two = `{"unit":"u","rater":"a","label":"x","cluster":"q1"}` + "\n" +
		`{"unit":"u","rater":"b","label":"x","cluster":"q2"}`
	const want = `rows:2: unit "u" is in the cluster "q2", and before in "q1"`
	if err := table.Read("rows", strings.NewReader(two)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

package annotate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/base/strictyaml"
	"hallmark/internal/metric/grading"
)

func TestSettle(t *testing.T) {
	o := Outcomes{Check: func(grading.Key) error { return nil }}
	table := "case_id,rater,outcome,style\n" +
		"alone,a,correct,terse\n" +
		"agreed,a,incorrect,\nagreed,b,incorrect,chatty\n" +
		"majority,a,correct,\nmajority,b,incorrect,\nmajority,c,incorrect,\n" +
		"split,a,correct,\nsplit,b,incorrect,\n" +
		"settled,a,correct,\nsettled,b,incorrect,\nsettled,adjudicator,not_attempted,\n" +
		"blank,a,,\n"
	if err := o.Read("f", strings.NewReader(table)); err != nil {
		t.Fatal(err)
	}
	labels, r := o.Settle(1, .95)
	var got []string
	for k, l := range labels {
		got = append(got, fmt.Sprintf("%s %s %s", k.CaseID, l.Outcome, l.Style))
	}
	slices.Sort(got)
	if want := "agreed incorrect chatty; alone correct terse; majority incorrect ; settled not_attempted "; strings.Join(got, "; ") != want {
		t.Errorf("labels %q, want %q", strings.Join(got, "; "), want)
	}
	// Twice labelled: agreed, majority, split and settled; the adjudicator is in no agreement.
	if r.Raters != 4 || r.Labels != 11 || r.Twice != 4 || r.Agreed != 1 || r.Settled != 2 || r.Split != 1 ||
		r.Alpha == nil {
		t.Errorf("%+v", r)
	}
}

func TestSlip(t *testing.T) {
	for word, want := range map[string]bool{
		"variant": false, "varient": true, "varant": true, "varriant": true, "vairant": true, "variants": true,
		"version": false, "rate": true, "date": false, "": false,
	} {
		name := "variant"
		if strings.HasSuffix(word, "ate") {
			name = "rater"
		}
		if got := strictyaml.Typos(word, name) == 1; got != want {
			t.Errorf("%q is a slip of %q: %v", word, name, got)
		}
	}
}

// Whatever a file holds, it is read or refused with its name, and what was read is a label that Check let pass.
func FuzzOutcomes(f *testing.F) {
	f.Add("case_id,outcome\nx,correct\n", false)
	f.Add("{\"case_id\": \"x\", \"outcome\": \"incorrect\", \"variant\": 1e9}\n", true)
	f.Add("{\"case_id\": [1], \"outcome\": {}}\n", true)
	f.Fuzz(func(t *testing.T, text string, among bool) {
		o := Outcomes{Among: among, Check: func(k grading.Key) error {
			if k.CaseID != "x" {
				return fmt.Errorf("no case %q", k.CaseID)
			}
			return nil
		}}
		if err := o.Read("f", strings.NewReader(text)); err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%q: %v", text, err)
		}
		labels, _ := o.Settle(1, .95)
		for _, k := range slices.Collect(maps.Keys(labels)) {
			if k.CaseID != "x" || !slices.Contains(grading.Truths, labels[k].Outcome) {
				t.Errorf("%q: %v %+v", text, k, labels[k])
			}
		}
	})
}

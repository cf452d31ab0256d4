package figure

import (
	"reflect"
	"slices"
	"testing"
)

func TestCatalogue(t *testing.T) {
	c := NewCatalogue(
		Under("consistency", []Entry{At("taxonomy/randomness", "moves", Share, "rnd").Within("taxonomy_intervals/randomness").Picks("category=randomness")}),
		[]Entry{
			At("joint/by_axis/*/prompt_agnostic", "stay", Share, "err").Within("joint/by_axis/*/interval").Says("whatever the prompt"),
			At("joint/by_axis/truth/prompt_agnostic", "truth stays", Share, ""),
			At("by/*/of/*/n", "n", Count, "").Ranging("range/*/*"),
		},
	)
	e, ok := c.Find("consistency", "taxonomy", "randomness")
	if !ok || e.Label != "moves" || e.Cases != "category=randomness" || !slices.Equal(e.Interval, []string{"consistency", "taxonomy_intervals", "randomness"}) || e.Range != nil {
		t.Errorf("%+v, %v", e, ok)
	}
	if e, ok := c.Find("joint", "by_axis", "a/b", "prompt_agnostic"); !ok || e.Label != "stay" || e.Note != "whatever the prompt" || e.Interval[2] != "a/b" || e.Path[2] != "a/b" {
		t.Errorf("%+v, %v", e, ok)
	}
	if e, _ := c.Find("joint", "by_axis", "truth", "prompt_agnostic"); e.Label != "truth stays" {
		t.Errorf("%+v: what is named goes before what is any", e)
	}
	if e, ok := c.Find("by", "x", "of", "y", "n"); !ok || !slices.Equal(e.Range, []string{"range", "x", "y"}) {
		t.Errorf("%+v, %v", e, ok)
	}
	for _, path := range [][]string{nil, {"joint"}, {"joint", "by_axis", "truth", "random"}, {"*"}} {
		if e, ok := c.Find(path...); ok {
			t.Errorf("%v: %+v", path, e)
		}
	}
}

// A list has what its entries have when they are written one by one.
func TestRead(t *testing.T) {
	got := Read("# of all\n\nn | count | questions\n a/*/b | mean err | label, more | a note |a/*/c\nd | p | chance|\n")
	want := []Entry{At("n", "questions", Count, ""),
		At("a/*/b", "label, more", Mean, "err").Says("a note").Within("a/*/c"), At("d", "chance", PValue, "")}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a list with an unknown unit was read")
		}
	}()
	Read("n | pounds | weight")
}

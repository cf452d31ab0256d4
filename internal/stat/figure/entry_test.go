package figure

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestCatalogue(t *testing.T) {
	c := NewCatalogue(
		Under("consistency", Read("taxonomy/randomness | share rnd | moves | | taxonomy_intervals/randomness | | "+
			"category=randomness")),
		Read(`
			joint/by_axis/*/prompt_agnostic | share err | stay | whatever the prompt | joint/by_axis/*/interval
			joint/by_axis/truth/prompt_agnostic | share | truth stays
			by/*/of/*/n | count | n | | | range/*/*`),
	)
	e, ok := c.Find("consistency", "taxonomy", "randomness")
	if !ok || e.Label != "moves" || e.Cases != "category=randomness" ||
		!slices.Equal(e.Interval, []string{"consistency", "taxonomy_intervals", "randomness"}) || e.Range != nil {
		t.Errorf("%+v, %v", e, ok)
	}
	if e, ok := c.Find("joint", "by_axis", "a/b", "prompt_agnostic"); !ok || e.Label != "stay" ||
		e.Note != "whatever the prompt" || e.Interval[2] != "a/b" || e.Path[2] != "a/b" {
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
	want := []Entry{{Path: []string{"n"}, Label: "questions", Unit: Count},
		{Path: []string{"a", "*", "b"}, Label: "label, more", Unit: Mean, Tone: "err", Note: "a note",
			Interval: []string{"a", "*", "c"}},
		{Path: []string{"d"}, Label: "chance", Unit: PValue}}
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

// An entry spreads over the names that are there, each in the place of an Any: in the path, the label and where the
// interval stands.
func TestSpread(t *testing.T) {
	tree := Of(map[string]any{"by": map[string]any{"x": map[string]any{"y": 1., "z": nil}, "w": map[string]any{"y": 2.}}})
	e := Read("by/*/* | mean | * of * | | in/*/at/*")[0]
	var got []string
	for _, x := range e.Spread(tree) {
		got = append(got, strings.Join(x.Path, "/")+" "+x.Label+" "+strings.Join(x.Interval, "/"))
	}
	if want := []string{"by/w/y w of y in/w/at/y", "by/x/y x of y in/x/at/y"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if one := Read("n | count | questions")[0].Spread(tree); len(one) != 1 || one[0].Label != "questions" {
		t.Errorf("%v", one)
	}
}

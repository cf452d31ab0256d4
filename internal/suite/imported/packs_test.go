package imported

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hallmark/internal/suite"
)

// Each answer is found by its place, in their order and in any other, with all that it had; and no other is.
func TestFinder(t *testing.T) {
	s := &suite.Suite{Name: "s"}
	s = s.Packing(50, func(yield func(int, *suite.Case) bool) {
		for i := range 50 {
			if !yield(i, &suite.Case{ID: fmt.Sprint("c", i)}) {
				return
			}
		}
	})
	a := &Answers{Suite: s}
	defer a.Texts.Close()
	var want []Answer
	for _, model := range []string{"n", "", "m"} {
		for item := range int32(50) {
			for variant := range 3 {
				text := fmt.Sprint(model, item, variant)
				x := Answer{CaseID: fmt.Sprint("c", item), Item: item, Variant: variant, Model: model, Text: &text,
					Finish: "length"}
				if item%7 == 0 {
					x.Text, x.Failure, x.Finish = nil, "none of it", ""
				}
				if item%2 == 0 {
					x.Scores = fmt.Appendf(nil, `{"f%d":%d}`, item%4, item)
				}
				want = append(want, x)
			}
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(want), func(i, j int) { want[i], want[j] = want[j], want[i] })
	for i := range want {
		if err := a.Append(&want[i]); err != nil {
			t.Fatal(err)
		}
	}
	look := func(order string) {
		finder := a.Finder()
		for _, w := range want {
			got, ok := finder.Find(w.Model, w.Item, w.Variant, w.Repeat)
			said, err := a.Said(&got)
			same := said == nil && w.Text == nil || said != nil && w.Text != nil && *said == *w.Text
			if !ok || err != nil || !same || got.CaseID != w.CaseID || got.Finish != w.Finish || got.Failure != w.Failure ||
				string(got.Scores) != string(w.Scores) {
				t.Fatalf("%s: %+v is found as %+v, %v", order, w, got, err)
			}
		}
		for _, none := range []Answer{{Model: "n", Item: 50}, {Model: "n", Variant: 3}, {Model: "n", Repeat: 1},
			{Model: "other"}} {
			if x, ok := finder.Find(none.Model, none.Item, none.Variant, none.Repeat); ok {
				t.Errorf("%s: %+v is found where %+v is looked for", order, x, none)
			}
		}
	}
	look("any order")
	slices.SortFunc(want, func(x, y Answer) int { return a.Place(&x).compare(a.Place(&y)) })
	look("their order")
	if got := fmt.Sprint(a.Models(), a.Scores(), a.Variants(), a.Draws()); got != "[ m n] [f0 f2] 2 0" {
		t.Errorf("models, scores, variants and draws are %s", got)
	}
}

// Texts beyond those that are looked for among the earlier ones are kept, too.
func TestManyTexts(t *testing.T) {
	var p names
	at := map[string]int32{}
	for i := range 2 * mostKnown {
		s := fmt.Sprint(i)
		at[s] = p.id(s, mostKnown)
		if again := p.id(s, mostKnown); i < mostKnown/2 && again != at[s] {
			t.Fatalf("%s stands at %d and %d", s, at[s], again)
		}
	}
	for s, id := range at {
		if p.all[id] != s {
			t.Fatalf("%q stands in the place of %q", p.all[id], s)
		}
	}
	if id := p.id("", mostKnown); p.all[id] != "" {
		t.Errorf("no text is %q", p.all[id])
	}
}

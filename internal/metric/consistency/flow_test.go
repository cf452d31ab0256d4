package consistency

import (
	"fmt"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/stat"
)

// Ten cases, counted by hand: three go from wrong to random, one from random to right, one from right to declined; five
// stay.
func TestFlow(t *testing.T) {
	base, other := map[string]string{"only": Randomness}, map[string]string{"too": Randomness,
		"three": PromptAgnosticFactual}
	for i, pair := range [][2]string{
		{PromptAgnosticError, Randomness}, {PromptAgnosticError, Randomness}, {PromptAgnosticError, Randomness},
		{Randomness, PromptAgnosticFactual},
		{PromptAgnosticFactual, DeclinedAgnostic}, {PromptAgnosticFactual, PromptAgnosticFactual},
		{PromptAgnosticFactual, PromptAgnosticFactual},
		{Randomness, Randomness}, {PromptAgnosticError, PromptAgnosticError}, {DeclinedAgnostic, DeclinedAgnostic},
	} {
		base[fmt.Sprint(i)], other[fmt.Sprint(i)] = pair[0], pair[1]
	}
	f, err := NewFlow(base, other, nil, .95)
	if err != nil || f.N != 10 || f.Left != 3 {
		t.Fatalf("%+v, %v", f, err)
	}
	if f.Transitions[PromptAgnosticError][Randomness] != 3 || f.Transitions[Randomness][PromptAgnosticFactual] != 1 ||
		f.Transitions[PromptAgnosticFactual][PromptAgnosticFactual] != 2 ||
		f.Transitions[DeclinedAgnostic][PromptAgnosticError] != 0 {
		t.Errorf("transitions %v", f.Transitions)
	}
	if f.Base[PromptAgnosticError] != 4 || f.Other[PromptAgnosticError] != 1 || f.Other[Randomness] != 4 {
		t.Errorf("base %v, other %v", f.Base, f.Other)
	}
	// Wilson of 5 of 10: [.2366, .7634], as R's prop.test(5, 10, correct = FALSE) gives.
	if c := f.Changed; c.Value != .5 || c.Lo < .23659 || c.Lo > .23660 || c.Hi < .76340 || c.Hi > .76341 {
		t.Errorf("changed %+v", c)
	}
	for category, want := range map[string]float64{PromptAgnosticError: -.3, Randomness: .2, PromptAgnosticFactual: 0,
		DeclinedAgnostic: .1} {
		if d := f.Difference[category]; !archtest.Near(d.Value, want, 1e-12) || d.Lo >= want || d.Hi <= want {
			t.Errorf("%s: %+v, want %v", category, d, want)
		}
	}
	was := []float64{1, 1, 1, 0, 0, 0, 0, 0, 1, 0}
	is := []float64{0, 0, 0, 0, 0, 0, 0, 0, 1, 0}
	if d, want := f.Difference[PromptAgnosticError], stat.Paired(was, is, nil, .95).Known(); !archtest.Near(d.Lo, want.Lo, 1e-12) ||
		!archtest.Near(d.Hi, want.Hi, 1e-12) {
		t.Errorf("%+v, want %+v", d, want)
	}
	if f, err := NewFlow(map[string]string{"a": Randomness}, map[string]string{"b": Randomness}, nil, .95); f != nil ||
		err != nil {
		t.Errorf("no case in both: %+v, %v", f, err)
	}
	if _, err := NewFlow(map[string]string{"a": "elsewhere"}, map[string]string{"a": Randomness}, nil, .95); err == nil {
		t.Error("an unknown category passes")
	}
}

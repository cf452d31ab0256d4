package language

import (
	"math"
	"strings"
	"testing"

	"hallmark/internal/model"
)

func TestLabelOf(t *testing.T) {
	labels := []string{"positive", "negative", "not", "World"}
	for token, want := range map[string]int{
		"positive": 0, " positive": 0, "pos": 0, "▁neg": 1, "Ġnot": 2, "positive.": 0, "positive\n": 0, "positively": none,
		"no": 2, "nothing": none,
		"n": several, "": several, " ": several, "▁": several, "Positive": none, "W": 3, "other": none, "World2": none,
	} {
		if got := labelOf(token, labels); got != want {
			t.Errorf("%q is %d, want %d", token, got, want)
		}
	}
}

// By hand: .5 and .1 spell red, .2 blue, .05 begins both blue and black, .04 is another answer; .11 was not listed.
func TestListed(t *testing.T) {
	labels := []string{"red", "blue", "black"}
	top := func(pairs ...any) *model.Response {
		var all []model.TopToken
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, model.TopToken{Text: pairs[i].(string), LogProb: math.Log(pairs[i+1].(float64))})
		}
		lp := all[0].LogProb
		return &model.Response{Tokens: []model.Token{{Text: all[0].Text, LogProb: &lp, Top: all}}}
	}
	r := listed(top(" red", .5, "red", .1, " blue", .2, "bl", .05, "green", .04), labels)
	for i, want := range []float64{.6, .2, 0, .2} {
		if math.Abs(r.labels[i]-want) > 1e-12 {
			t.Errorf("label %d has %g, want %g", i, r.labels[i], want)
		}
	}
	if math.Abs(r.open-.16) > 1e-12 || r.failed != "" {
		t.Errorf("open %g, want .16; %s", r.open, r.failed)
	}
	// The token that was drawn stands beyond the list.
	lp := math.Log(.02)
	beyond := top(" red", .9)
	beyond.Tokens[0].Text, beyond.Tokens[0].LogProb = " black", &lp
	if r = listed(beyond, labels); math.Abs(r.labels[2]-.02) > 1e-12 || math.Abs(r.open-.08) > 1e-12 {
		t.Errorf("%v, open %g; want .02 for black and .08 open", r.labels, r.open)
	}
	// Rounding that adds up to more than 1 is no negative mass.
	if r = listed(top("red", .7, "blue", .3004), labels); r.labels[3] != 0 || r.open != 0 ||
		math.Abs(r.labels[0]+r.labels[1]-1) > 1e-12 {
		t.Errorf("%v, open %g", r.labels, r.open)
	}
	for _, r := range []*model.Response{{}, {Tokens: []model.Token{{Text: "red"}}}} {
		if got := listed(r, labels); !strings.Contains(got.failed, "lists no log-probabilities") {
			t.Errorf("%+v: %q", r, got.failed)
		}
	}
}

// The distribution sums to 1, and the bounds of every label lie in [0, 1].
func FuzzListed(f *testing.F) {
	f.Add(" red", " blue", -.5, -1.)
	f.Add("", "b", 0., 0.)
	f.Fuzz(func(t *testing.T, a, b string, x, y float64) {
		if !(x <= 0) || !(y <= 0) {
			t.Skip()
		}
		r := listed(&model.Response{Tokens: []model.Token{{Text: a, LogProb: &x, Top: []model.TopToken{{Text: a, LogProb: x},
			{Text: b, LogProb: y}}}}}, []string{"red", "blue", "black"})
		var sum float64
		for i, p := range r.labels {
			sum += p
			if p < 0 || p+r.open > 1+1e-9 && i < 3 {
				t.Fatalf("%v, open %g", r.labels, r.open)
			}
		}
		if math.Abs(sum-1) > 1e-9 || r.open < 0 {
			t.Fatalf("%v sums to %g", r.labels, sum)
		}
	})
}

func TestListingRefusesDraws(t *testing.T) {
	p := byDraws(10, 5, .75, problem())
	p.Listing = &Listing{Top: 5, Chat: true}
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "only lists the likeliest tokens") {
		t.Error(err)
	}
}

func TestChatPairs(t *testing.T) {
	p := &Experiment{Listing: &Listing{Top: 5, Chat: true}, Problems: []Problem{{}}}
	for text, want := range map[string]bool{"Input: a b\nLabel: red": true,
		"a b\nLabel: red\n\nInput: c\nLabel: blue": true, "\nInput: a\nLabel:": false, "Sure!": false} {
		pair, ok := p.parsePair(0, text)
		if ok != want || ok && (pair.Label != "red" || strings.HasPrefix(pair.Input, "Input")) {
			t.Errorf("%q: %+v, %v", text, pair, ok)
		}
	}
}

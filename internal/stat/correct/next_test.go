package correct

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
)

func TestNext(t *testing.T) {
	for _, tt := range []struct {
		name   string
		strata []Counts
		want   int
	}{
		{"none has any: the first", []Counts{{N: 100, Labels: []int{0, 0}}, {N: 10, Labels: []int{0, 0}}}, 0},
		{"three each first", []Counts{{N: 100, Labels: []int{30, 10}}, {N: 10, Labels: []int{1, 1}}}, 1},
		{"below 30 where an answer stands for most", []Counts{{N: 100, Labels: []int{6, 6}}, {N: 60, Labels: []int{4, 1}}},
			1}, // 100/13 below 60/6
		{"then where people differ more", []Counts{{N: 100, Labels: []int{10, 10}}, {N: 100, Labels: []int{20, 0}}}, 0},
		{"or where there are more cases", []Counts{{N: 100, Labels: []int{10, 10}}, {N: 900, Labels: []int{20, 0}}}, 1},
		{"not where all are labelled", []Counts{{N: 20, Labels: []int{10, 10}}, {N: 100, Labels: []int{20, 0}}}, 1},
		{"nowhere if all are", []Counts{{N: 4, Labels: []int{2, 2}}, {N: 2, Labels: []int{2, 0}}}, -1},
	} {
		if got := slices.Index(Counted(tt.strata).Next(0, 1), 1); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	// By hand: p = 11/22 and 2/32 with 20 and 30 labels. .25 W²/(20·21) against .0586 W²/(30·31): the first has more to
	// tell until k(k+1) is .25/.0586 · 930 = 3968, k = 62.5.
	got := Counted([]Counts{{N: 1000, Labels: []int{10, 10}}, {N: 1000, Labels: []int{1, 29}}}).Next(0, 44)
	if !slices.Equal(got, []int{43, 1}) {
		t.Errorf("%v", got)
	}
	// The sample of 30 of two like strata and one of a single case.
	if got := Counted([]Counts{{N: 100, Labels: []int{0, 0}}, {N: 100, Labels: []int{0, 0}},
		{N: 1, Labels: []int{0, 0}}}).Next(0, 30); !slices.Equal(got, []int{15, 14, 1}) {
		t.Errorf("%v", got)
	}
}

// As many more labels as Enough says make the interval about as wide as wanted, where labels go on as they were.
func TestEnough(t *testing.T) {
	for _, tt := range []struct {
		strata []Counts
		width  float64
		by     float64
	}{
		{[]Counts{{N: 1000, Labels: []int{15, 15}}}, .1, .1},
		{[]Counts{{N: 1500, Labels: []int{2, 28}}, {N: 500, Labels: []int{8, 2}}}, .1, .12},
		{[]Counts{{N: 1500, Labels: []int{1, 29}}, {N: 500, Labels: []int{8, 2}}, {N: 300, Labels: []int{3, 3}},
			{N: 100, Labels: []int{0, 3}}}, .12, .15},
	} {
		s := Counted(tt.strata)
		m, ok := s.Enough(0, tt.width, .95)
		if !ok {
			t.Errorf("%v: %d are not enough", tt.strata, m)
			continue
		}
		then := Counted(tt.strata)
		for i, k := range s.Next(0, m) {
			x := &then.Strata[i]
			rate := (x.Labels[0] + 1) / (x.labelled() + 2) // what the plan takes it to be
			x.Labels[0] += rate * float64(k)
			x.Labels[1] += (1 - rate) * float64(k)
			x.Drawn += k
		}
		if e := then.Rates(.95, 1)[0]; math.Abs((e.Hi-e.Lo)/tt.width-1) > tt.by {
			t.Errorf("%v: with %d more [%.4f, %.4f], wanted a width of %v", tt.strata, m, e.Lo, e.Hi, tt.width)
		}
	}
	// One stratum of 1,000 at p = 1/2: ±.05 takes 385 labels, less those that the finite sample of cases adds nothing
	// to.
	if m, ok := Counted([]Counts{{N: 1000, Labels: []int{15, 15}}}).Enough(0, .1, .95); !ok || m+30 < 340 || m+30 > 386 {
		t.Errorf("%d more, %v", m, ok)
	}
	if m, ok := Counted([]Counts{{N: 30, Labels: []int{5, 5}}}).Enough(0, .01, .95); ok || m != 20 {
		t.Errorf("%d more, %v", m, ok)
	}
}

// What is drawn: one answer of a case in a stratum, of none that has a drawn one there; a smaller sample is the first
// of a larger one; copies need no label.
func TestDraw(t *testing.T) {
	r := seed.Stream(1, "draw")
	var cases [][]Answer
	for range 60 {
		var answers []Answer
		for range 1 + r.IntN(5) {
			answers = append(answers, Answer{Stratum: r.IntN(2), Value: string(rune('a' + r.IntN(2))), Kind: NoLabel})
		}
		cases = append(cases, answers)
	}
	before := reflect.ValueOf(cases).Interface()
	few, many := Draw(cases, []int{5, 0}, 7), Draw(cases, []int{20, 10}, 7)
	if len(few) != 5 || len(many) != 30 || !reflect.DeepEqual(few, many[:5]) || !reflect.DeepEqual(before, cases) {
		t.Fatalf("%v, %v", few, many)
	}
	seen := map[[2]int]bool{}
	for _, p := range many {
		a := cases[p.Case][p.Answer]
		in := 0
		for _, x := range cases[p.Case] {
			if x.Stratum == a.Stratum {
				in++
			}
		}
		if seen[[2]int{p.Case, a.Stratum}] || p.Weight != float64(in) || p.Kind != NoLabel {
			t.Errorf("%+v of %+v", p, cases[p.Case])
		}
		seen[[2]int{p.Case, a.Stratum}] = true
	}
	for _, p := range few { // and goes on where it was
		cases[p.Case][p.Answer].Weight = p.Weight
	}
	if next := Draw(cases, []int{15, 0}, 7); !reflect.DeepEqual(next, many[5:20]) {
		t.Errorf("%v, want %v", next, many[5:20])
	}
	copies := [][]Answer{{{0, "x", 1, 1}, {1, "x", NoLabel, 0}}}
	if got := Draw(copies, []int{9, 9}, 1); len(got) != 1 || got[0] != (Pick{0, 1, 1, 1}) {
		t.Errorf("%+v", got)
	}
	// Of a case's answers in a stratum each is drawn as often: 3 of 4 here.
	uneven, n := [][]Answer{{{0, "", NoLabel, 0}, {0, "", NoLabel, 0}, {0, "", NoLabel, 0}, {0, "", NoLabel, 0}}}, 0
	for i := range 2000 {
		if Draw(uneven, []int{1}, uint64(i))[0].Answer != 2 {
			n++
		}
	}
	if !archtest.Near(float64(n)/2000, .75, .04) {
		t.Errorf("three of four answers were drawn in %d of 2000", n)
	}
}

package grading

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/seed"
)

// judged are rows of a judge that reads wrong answers as correct with the chance .1 + slope for each doubling of their
// length beyond 32 characters; right answers are longer, which is no bias.
func judged(seedName string, n int, slope float64) (rows []Row) {
	rng := seed.Stream(2, "judge bias", seedName)
	for i := range n {
		doublings := 5 * rng.Float64()
		r := Row{Key: Key{CaseID: fmt.Sprint("q", i/2)}, Grader: "judge", Truth: grade.Incorrect, Read: grade.Incorrect}
		accept := .1 + slope*doublings
		if i%2 == 0 {
			r.Truth, doublings, accept = grade.Correct, doublings+2, .9
		}
		r.Text = strings.Repeat("x", int(32*math.Exp2(doublings)))
		if rng.Float64() < accept {
			r.Read = grade.Correct
		}
		rows = append(rows, r)
	}
	return rows
}

// TestBiases has a judge that favours long answers, among rows that rules decided, and one that does not.
func TestBiases(t *testing.T) {
	rows := judged("long", 600, .15)
	rows = append(rows, Row{Grader: "rules", Truth: grade.Correct, Read: grade.Incorrect, Text: "x"},
		Row{Grader: "judge", Truth: grade.Correct, Read: grade.CannotGrade, Text: "x"})
	e := Share{K: 25, N: 30, Rate: 25. / 30, Lo: .66, Hi: .93}
	b := NewBiases(rows, &e, .95)
	// right answers have no slope: half of .15 for all
	if b.Judged != 600 || b.Length.Lo > .075 || b.Length.Hi < .075 || b.Length.Lo <= 0 {
		t.Errorf("%d judged, length %+v", b.Judged, b.Length)
	}
	if o := b.Order; o.K != 5 || math.Abs(o.Rate-5./30) > 1e-12 || math.Abs(o.Lo-.07) > 1e-12 ||
		math.Abs(o.Hi-.34) > 1e-12 {
		t.Errorf("order %+v", o)
	}
	if NewBiases([]Row{{Grader: "rules", Read: grade.Correct, Truth: grade.Correct, Text: "x"}}, nil, .95) != nil {
		t.Error("rules have the biases of a judge")
	}
	few := NewBiases(judged("few", 2, 0), nil, .95)
	if few.Length != nil || !strings.Contains(few.Says(), "cannot be said") {
		t.Errorf("of two answers: %+v", few.Length)
	}
}

// TestBiasesCover: of judges without a bias, though right answers are four times as long as wrong ones, at most one in
// twenty is found to have one, within three standard errors.
func TestBiasesCover(t *testing.T) {
	const draws = 400
	low := 0
	for i := range draws {
		if b := NewBiases(judged(fmt.Sprint(i), 200, 0), nil, .95); b.Length.P < .05 {
			low++
		}
	}
	if rate := float64(low) / draws; rate > .05+3*math.Sqrt(.05*.95/draws) || rate < .01 {
		t.Errorf("%.3f of unbiased judges have p < .05", rate)
	}
}
